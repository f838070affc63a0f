// A symbol table takes seven bytes a symbol in zstd as it is, and more than names do: link editors sort symbols by the
// bucket of their hash (binutils bfd/elflink.c:elf_gnu_hash_process_symidx), so that neighbours have nothing in common.
// Before that they stood in the order in which names were added to DT_STRTAB, object file by object file, where
// the next symbol follows the one before in memory. So the columns have them in the order of their names:
//
//   table, by bucket        st_name       by name            names          values
//   12 b_two  0x1140  16       7          11 a_one 0x1120    0  (the next)   0  (where a_one's predecessor ends)
//   13 a_one  0x1120  32       1          12 b_two 0x1140    0               0  (0x1120 + 32)
//
// and the table comes back by computing the hashes, sorting by bucket, and, where a bucket has several symbols, by the
// place of each among those that are left (orders). Columns: a name is the number of its string, as the distance from
// that behind the last one; a value the distance from the end of the symbol before it in its section, rounded up to 16.
//
// Each table begins in `orders` with the number of its buckets and its first symbol with a hash; no bucket: a table
// whose order is another one, or that has no DT_GNU_HASH. Its symbols stay as they stand. So do those before the first.
#include "place/snapshot_symbols.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/load.h"
#include "place/snapshot_streams.h"

namespace soresolve {
namespace {

constexpr std::size_t kSymbolRecordBytes = 24;
constexpr std::size_t kMostInBucket = 256;  ///< those of link editors have few

struct Symbol {
  std::uint32_t name = 0;
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0;
  std::uint64_t size_bytes = 0;
};

Symbol symbol_at(std::string_view table, std::size_t index) {
  const auto* const at = reinterpret_cast<const std::byte*>(table.data()) + index * kSymbolRecordBytes;
  return {load_as<std::uint32_t>(at, std::endian::little),
          std::to_integer<std::uint8_t>(at[4]),
          std::to_integer<std::uint8_t>(at[5]),
          load_as<std::uint16_t>(at + 6, std::endian::little),
          load_as<std::uint64_t>(at + 8, std::endian::little),
          load_as<std::uint64_t>(at + 16, std::endian::little)};
}

void put_number(char* at, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = static_cast<char>(number >> (8 * i));
}

void put_symbol(char* at, const Symbol& symbol) {
  put_number(at, symbol.name, 4);
  put_number(at + 4, symbol.info, 1);
  put_number(at + 5, symbol.other, 1);
  put_number(at + 6, symbol.section, 2);
  put_number(at + 8, symbol.value, 8);
  put_number(at + 16, symbol.size_bytes, 8);
}

/// A string of a table, and how far behind its start; one more begins where the table ends.
struct StringPlace {
  std::uint64_t number = 0;
  std::uint64_t behind = 0;
};

/// The strings of one DT_STRTAB by their numbers.
class Strings {
 public:
  explicit Strings(std::string_view text) : text_(text) {
    starts_.push_back(0);
    for (std::size_t at = text.find('\0'); at != std::string_view::npos; at = text.find('\0', at + 1))
      starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
  [[nodiscard]] StringPlace place_of(std::uint32_t offset) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return {static_cast<std::uint64_t>(next - starts_.begin()) - 1, std::uint64_t{offset} - *(next - 1)};
  }
  [[nodiscard]] std::optional<std::uint32_t> offset_of(const StringPlace& place) const {
    if (place.number >= starts_.size()) return std::nullopt;
    const std::uint64_t offset = starts_[static_cast<std::size_t>(place.number)] + place.behind;
    if (place.behind > ~std::uint32_t{0} || offset > ~std::uint32_t{0}) return std::nullopt;
    return static_cast<std::uint32_t>(offset);
  }
  [[nodiscard]] std::uint32_t bucket_of(std::uint32_t name, std::uint32_t buckets) const {
    const std::string_view rest = name < text_.size() ? text_.substr(name) : std::string_view();
    return gnu_hash_of(rest.substr(0, std::min(rest.find('\0'), rest.size()))) % buckets;
  }

 private:
  std::string_view text_;
  std::vector<std::uint32_t> starts_;
};

/// Where the next symbol of a section is expected.
class Ends {
 public:
  [[nodiscard]] std::uint64_t expected(const Symbol& symbol) const {
    return symbol.section == 0 ? 0 : ends_[symbol.section % ends_.size()];
  }
  void pass(const Symbol& symbol) {
    if (symbol.section != 0) ends_[symbol.section % ends_.size()] = (symbol.value + symbol.size_bytes + 15) & ~15ull;
  }

 private:
  std::array<std::uint64_t, 64> ends_{};
};

std::string_view piece_in(const SnapshotData& data, const SnapshotPiece& piece) {
  const std::string_view stream = data.streams[static_cast<std::size_t>(piece.kind)];
  if (piece.at > stream.size()) return {};
  return stream.substr(static_cast<std::size_t>(piece.at), static_cast<std::size_t>(piece.size_bytes));
}

/// The first piece of a kind.
std::string_view first_piece(const SnapshotData& data, const SnapshotContent& content, PieceKind kind) {
  const auto piece = std::find_if(content.pieces.begin(), content.pieces.end(),
                                  [&](const SnapshotPiece& one) { return one.kind == kind; });
  return piece == content.pieces.end() ? std::string_view() : piece_in(data, *piece);
}

/// How a table is ordered.
struct Buckets {
  std::uint32_t count = 0;  ///< 0: by nothing
  std::uint32_t first = 0;  ///< symbol with a hash
};

class Folder {
 public:
  explicit Folder(std::array<NumberWriter, kSymbolColumns>& columns) : columns_(columns) {}

  void fold(std::string_view table, std::string_view text, std::string_view hashes) {
    const Strings strings(text);
    const std::size_t count = table.size() / kSymbolRecordBytes;
    symbols_.clear();
    for (std::size_t i = 0; i < count; ++i) symbols_.push_back(symbol_at(table, i));
    const Buckets buckets = order_by_names(strings, hashes);
    column(SymbolColumn::Orders).add(buckets.count);
    if (buckets.count != 0) {
      column(SymbolColumn::Orders).add(buckets.first);
      add_orders(buckets);
    }
    std::uint64_t next = 0;
    Ends ends;
    for (const std::uint32_t index : order_) {
      const Symbol& symbol = symbols_[index];
      const StringPlace place = strings.place_of(symbol.name);
      const std::uint64_t distance = place.number - next;
      const std::uint64_t coded = distance << 1 ^ (0 - (distance >> 63));
      column(SymbolColumn::Names).add(coded << 1 | (place.behind != 0 ? 1 : 0));
      if (place.behind != 0) column(SymbolColumn::Names).add(place.behind);
      next = place.number + 1;
      column(SymbolColumn::Kinds).add(symbol.info);
      column(SymbolColumn::Kinds).add(symbol.other);
      column(SymbolColumn::Kinds).add(symbol.section);
      column(SymbolColumn::Values).add_signed(static_cast<std::int64_t>(symbol.value - ends.expected(symbol)));
      column(SymbolColumn::Sizes).add(symbol.size_bytes);
      ends.pass(symbol);
    }
    if (const std::string_view tail = table.substr(count * kSymbolRecordBytes); !tail.empty())
      column(SymbolColumn::Kinds).add_text(tail);
  }

 private:
  NumberWriter& column(SymbolColumn column) { return columns_[static_cast<std::size_t>(column)]; }

  /// Fills order_: those with a hash by their names where the table is one of buckets.
  Buckets order_by_names(const Strings& strings, std::string_view hashes) {
    order_.resize(symbols_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    if (hashes.size() < 8) return {};
    const auto* const header = reinterpret_cast<const std::byte*>(hashes.data());
    const Buckets buckets = {load_as<std::uint32_t>(header, std::endian::little),
                             load_as<std::uint32_t>(header + 4, std::endian::little)};
    if (buckets.count == 0 || buckets.first >= symbols_.size()) return {};
    bucket_.assign(symbols_.size(), 0);
    std::size_t start = buckets.first;  // of the bucket
    for (std::size_t i = buckets.first; i < symbols_.size(); ++i) {
      bucket_[i] = strings.bucket_of(symbols_[i].name, buckets.count);
      if (i == start) continue;
      if (bucket_[i] < bucket_[i - 1] || i - start >= kMostInBucket) return {};
      if (bucket_[i] != bucket_[i - 1]) start = i;
    }
    std::sort(order_.begin() + buckets.first, order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return symbols_[a].name != symbols_[b].name ? symbols_[a].name < symbols_[b].name : a < b;
    });
    return buckets;
  }

  /// The place of each symbol of a bucket among those that are left, by their names; the last one has no choice.
  void add_orders(const Buckets& buckets) {
    for (std::size_t first = buckets.first; first < symbols_.size();) {
      std::size_t end = first + 1;
      while (end < symbols_.size() && bucket_[end] == bucket_[first]) ++end;
      for (std::size_t i = first; i + 1 < end; ++i) {
        std::uint64_t before = 0;
        for (std::size_t other = i + 1; other < end; ++other) before += symbols_[other].name < symbols_[i].name ? 1 : 0;
        column(SymbolColumn::Orders).add(before);
      }
      first = end;
    }
  }

  std::array<NumberWriter, kSymbolColumns>& columns_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> bucket_;
};

class Unfolder {
 public:
  explicit Unfolder(const SymbolColumns& columns)
      : orders_(columns[0]), names_(columns[1]), kinds_(columns[2]), values_(columns[3]), sizes_(columns[4]) {}

  /// Appends a table of so many bytes; false where the columns do not fit.
  bool unfold(std::string_view text, std::uint64_t bytes, std::string& stream) {
    const Strings strings(text);
    const std::size_t count = static_cast<std::size_t>(bytes / kSymbolRecordBytes);
    // Each symbol has a byte of the column at least: no memory for a number that is only claimed.
    if (count > names_.left()) return false;
    Buckets buckets;
    const std::uint64_t bucket_count = orders_.number();
    const std::uint64_t first = bucket_count == 0 ? 0 : orders_.number();
    if (bucket_count > ~std::uint32_t{0} || (bucket_count != 0 && first >= count)) return false;
    buckets = {static_cast<std::uint32_t>(bucket_count), static_cast<std::uint32_t>(first)};
    if (!read_symbols(strings, count) || !restore_order(strings, buckets)) return false;
    const std::size_t at = stream.size();
    stream.resize(at + count * kSymbolRecordBytes);
    for (std::size_t i = 0; i < count; ++i)
      put_symbol(stream.data() + at + i * kSymbolRecordBytes, symbols_[order_[i]]);
    if (bytes % kSymbolRecordBytes == 0) return true;
    const std::string_view tail = kinds_.text();
    stream += tail;
    return tail.size() == bytes % kSymbolRecordBytes;
  }

  [[nodiscard]] bool is_at_end() const {
    return orders_.at_end() && names_.at_end() && kinds_.at_end() && values_.at_end() && sizes_.at_end();
  }

 private:
  bool read_symbols(const Strings& strings, std::size_t count) {
    symbols_.clear();
    std::uint64_t next = 0;
    Ends ends;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t name = names_.number();
      const std::uint64_t coded = name >> 1;
      StringPlace place = {next + (coded >> 1 ^ (0 - (coded & 1))), 0};
      if ((name & 1) != 0) place.behind = names_.number();
      next = place.number + 1;
      const std::optional<std::uint32_t> offset = strings.offset_of(place);
      if (!offset) return false;
      Symbol symbol;
      symbol.name = *offset;
      symbol.info = static_cast<std::uint8_t>(kinds_.number());
      symbol.other = static_cast<std::uint8_t>(kinds_.number());
      symbol.section = static_cast<std::uint16_t>(kinds_.number());
      symbol.value = ends.expected(symbol) + static_cast<std::uint64_t>(values_.signed_number());
      symbol.size_bytes = sizes_.number();
      ends.pass(symbol);
      symbols_.push_back(symbol);
    }
    return !names_.failed() && !kinds_.failed() && !values_.failed() && !sizes_.failed();
  }

  /// Fills order_: which of the symbols stands at each place of the table.
  bool restore_order(const Strings& strings, const Buckets& buckets) {
    order_.resize(symbols_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    if (buckets.count == 0) return !orders_.failed();
    std::vector<std::uint32_t> bucket(symbols_.size());
    for (std::size_t i = buckets.first; i < symbols_.size(); ++i)
      bucket[i] = strings.bucket_of(symbols_[i].name, buckets.count);
    std::stable_sort(order_.begin() + buckets.first, order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return bucket[a] < bucket[b]; });
    for (std::size_t first = buckets.first; first < order_.size();) {
      std::size_t end = first + 1;
      while (end < order_.size() && bucket[order_[end]] == bucket[order_[first]]) ++end;
      if (end - first > kMostInBucket) return false;
      for (std::size_t i = first; i + 1 < end; ++i) {
        const std::uint64_t before = orders_.number();
        if (before >= end - i) return false;
        const auto chosen = order_.begin() + static_cast<std::ptrdiff_t>(i + before);
        std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(i), chosen, chosen + 1);
      }
      first = end;
    }
    return !orders_.failed();
  }

  NumberReader orders_, names_, kinds_, values_, sizes_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

SymbolColumns fold_symbols(const SnapshotData& data) {
  std::array<NumberWriter, kSymbolColumns> columns;
  Folder folder(columns);
  for (const SnapshotContent& content : data.contents) {
    for (const SnapshotPiece& piece : content.pieces) {
      if (piece.kind != PieceKind::Symbols) continue;
      folder.fold(piece_in(data, piece), first_piece(data, content, PieceKind::Strings),
                  first_piece(data, content, PieceKind::Hashes));
    }
  }
  SymbolColumns folded;
  for (std::size_t i = 0; i < kSymbolColumns; ++i) folded[i] = columns[i].take();
  return folded;
}

std::optional<std::string> unfold_symbols(const SnapshotData& data, const SymbolColumns& columns) {
  Unfolder unfolder(columns);
  std::string stream;
  for (const SnapshotContent& content : data.contents) {
    for (const SnapshotPiece& piece : content.pieces) {
      if (piece.kind != PieceKind::Symbols) continue;
      if (piece.size_bytes > kMostSymbolBytes - stream.size() ||
          !unfolder.unfold(first_piece(data, content, PieceKind::Strings), piece.size_bytes, stream)) {
        return std::nullopt;
      }
    }
  }
  return unfolder.is_at_end() ? std::optional(std::move(stream)) : std::nullopt;
}

}  // namespace soresolve
