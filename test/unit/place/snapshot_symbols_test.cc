// Symbol tables come back from their columns byte for byte, whatever their order, and columns that do not fit are
// refused.
#include "place/snapshot_symbols.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "place/snapshot_streams.h"

using namespace soresolve;

namespace {

struct Symbol {
  std::uint32_t name = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0;
  std::uint64_t size_bytes = 0;
};

void append_number(std::string& to, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to += static_cast<char>(number >> (8 * i));
}

std::string table_of(const std::vector<Symbol>& symbols) {
  std::string table;
  for (const Symbol& symbol : symbols) {
    append_number(table, symbol.name, 4);
    append_number(table, 0x12, 2);
    append_number(table, symbol.section, 2);
    append_number(table, symbol.value, 8);
    append_number(table, symbol.size_bytes, 8);
  }
  return table;
}

/// One content with these tables.
SnapshotData data_of(std::string symbols, std::string strings, std::string hashes) {
  SnapshotData data;
  SnapshotContent content;
  std::uint64_t offset = 0;
  const auto add = [&](PieceKind kind, std::string bytes) {
    if (bytes.empty()) return;
    content.pieces.push_back({offset, bytes.size(), kind, true, 0});
    offset += bytes.size() + 8;
    data.streams[static_cast<std::size_t>(kind)] = std::move(bytes);
  };
  add(PieceKind::Hashes, std::move(hashes));
  add(PieceKind::Symbols, std::move(symbols));
  add(PieceKind::Strings, std::move(strings));
  content.end = offset;
  data.contents.push_back(content);
  return data;
}

std::string hash_header(std::uint32_t buckets, std::uint32_t first) {
  std::string header;
  append_number(header, buckets, 4);
  append_number(header, first, 4);
  append_number(header, 1, 4);
  append_number(header, 6, 4);
  return header;
}

constexpr std::uint32_t kBuckets = 17;

/// One reference and 60 definitions side by side in memory, as link editors put them into DT_GNU_HASH.
struct Linked {
  std::string strings = std::string(1, '\0');
  std::vector<Symbol> symbols = {{}, {}};
  Linked() {
    symbols[1].name = static_cast<std::uint32_t>(strings.size());
    strings += std::string("needed\0", 7);
    std::uint64_t value = 0x1000;
    std::vector<std::pair<std::uint32_t, Symbol>> hashed;
    for (int i = 0; i < 60; ++i) {
      const std::string name = "function_" + std::to_string(i);
      const Symbol symbol = {static_cast<std::uint32_t>(strings.size()), 12, value, 32};
      hashed.emplace_back(gnu_hash_of(name) % kBuckets, symbol);
      strings += name + '\0';
      value += 32;
    }
    std::stable_sort(hashed.begin(), hashed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [bucket, symbol] : hashed) symbols.push_back(symbol);
  }
};

const std::string& column(const SymbolColumns& columns, SymbolColumn which) {
  return columns[static_cast<std::size_t>(which)];
}

/// The same without the symbols themselves, which are what comes back.
std::optional<std::string> unfolded(SnapshotData data, const SymbolColumns& columns) {
  data.streams[static_cast<std::size_t>(PieceKind::Symbols)].clear();
  return unfold_symbols(data, columns);
}

}  // namespace

TEST_CASE("symbol tables come back from their columns, whatever their order") {
  const Linked linked;
  std::vector<Symbol> swapped = linked.symbols, reversed = linked.symbols, repeated = linked.symbols;
  std::swap(swapped[2], swapped[3]);
  std::reverse(reversed.begin() + 2, reversed.end());
  for (std::size_t i = 2; i < 9; ++i) repeated[i].name = repeated[2].name;
  std::vector<Symbol> strange = linked.symbols;
  strange[5] = {0xffffffff, 0xfff1, ~0ull, ~0ull};
  strange[6].name += 3;
  struct Case {
    const char* why;
    std::string symbols;
    std::string strings;
    std::string hashes;
  };
  const Case cases[] = {
      {"as linked", table_of(linked.symbols), linked.strings, hash_header(kBuckets, 2)},
      {"two of one bucket, or of two", table_of(swapped), linked.strings, hash_header(kBuckets, 2)},
      {"in no order of buckets", table_of(reversed), linked.strings, hash_header(kBuckets, 2)},
      {"one name several times", table_of(repeated), linked.strings, hash_header(kBuckets, 2)},
      {"all in one bucket", table_of(reversed), linked.strings, hash_header(1, 2)},
      {"names outside the strings and in the middle of one", table_of(strange), linked.strings, hash_header(1, 2)},
      {"no strings", table_of(linked.symbols), "", hash_header(kBuckets, 2)},
      {"no hash table", table_of(linked.symbols), linked.strings, ""},
      {"a hash table of no buckets", table_of(linked.symbols), linked.strings, hash_header(0, 2)},
      {"a hash table that begins behind the symbols", table_of(linked.symbols), linked.strings, hash_header(9, 62)},
      {"half a symbol at the end", table_of(linked.symbols) + "half", linked.strings, hash_header(kBuckets, 2)},
      {"less than a symbol", "half", linked.strings, hash_header(kBuckets, 2)},
      {"no symbols", "", linked.strings, hash_header(kBuckets, 2)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const SnapshotData data = data_of(c.symbols, c.strings, c.hashes);
    CHECK(unfolded(data, fold_symbols(data)) == c.symbols);
  }
}

TEST_CASE("a bucket that is longer than those of link editors stays in its order") {
  std::vector<Symbol> symbols(1000);
  for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i].value = i * i;
  const SnapshotData data = data_of(table_of(symbols), std::string(1, '\0'), hash_header(1, 1));
  const SymbolColumns columns = fold_symbols(data);
  CHECK(column(columns, SymbolColumn::Orders) == std::string(1, '\0'));
  CHECK(unfolded(data, columns) == table_of(symbols));
}

TEST_CASE("what follows from the names of symbols takes zeros") {
  const Linked linked;
  const SnapshotData data = data_of(table_of(linked.symbols), linked.strings, hash_header(kBuckets, 2));
  const SymbolColumns columns = fold_symbols(data);
  CHECK(column(columns, SymbolColumn::Names) == std::string(62, '\0'));
  // The first definition has a value; each other one begins where the one before it ends.
  const std::string& values = column(columns, SymbolColumn::Values);
  CHECK(std::count_if(values.begin(), values.end(), [](char c) { return c != '\0'; }) == 2);
}

TEST_CASE("columns that do not fit are refused") {
  const Linked linked;
  const SnapshotData data = data_of(table_of(linked.symbols), linked.strings, hash_header(kBuckets, 2));
  const SymbolColumns good = fold_symbols(data);
  for (std::size_t which = 0; which < kSymbolColumns; ++which) {
    CAPTURE(which);
    SymbolColumns bad = good;
    bad[which].pop_back();
    CHECK_FALSE(unfolded(data, bad).has_value());
    bad = good;
    bad[which] += '\0';
    CHECK_FALSE(unfolded(data, bad).has_value());
    // Any byte may be another one: then it is refused, or another table.
    for (std::size_t at = 0; at < good[which].size(); ++at) {
      bad = good;
      bad[which][at] = static_cast<char>(bad[which][at] ^ 0xff);
      const std::optional<std::string> other = unfolded(data, bad);
      CHECK((!other || other->size() == table_of(linked.symbols).size()));
    }
  }
  SnapshotData larger = data;
  larger.contents[0].pieces[1].size_bytes = std::uint64_t{1} << 40;
  CHECK_FALSE(unfolded(larger, good).has_value());
  larger.contents[0].pieces[1].size_bytes = kMostSymbolBytes;
  CHECK_FALSE(unfolded(larger, good).has_value());
}
