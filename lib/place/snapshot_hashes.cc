// The table as linkers write it (glibc 2.36 elf/dl-lookup.c:do_lookup_x reads it): four words, the Bloom filter, the
// first symbol of each bucket, and the hash of each symbol, whose lowest bit ends its bucket. A table that is otherwise
// (another filter, another order) is held as it is.
#include "place/snapshot_data.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/load.h"
#include "place/snapshot_streams.h"

namespace soresolve {
namespace {

constexpr std::size_t kHashHeader = 16;
constexpr std::size_t kSymbolBytes = 24;
constexpr std::uint64_t kMostHashBytes = std::uint64_t{256} << 20;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  return load_as<std::uint32_t>(reinterpret_cast<const std::byte*>(bytes.data()) + at, std::endian::little);
}

void set_word(std::string& bytes, std::size_t at, std::uint32_t word) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(word >> (8 * i));
}

/// The names and symbols that a table is about.
struct HashedNames {
  std::string_view symbols;
  std::string_view strings;
};

HashedNames names_of_content(const SnapshotData& data, const SnapshotContent& content) {
  HashedNames names;
  for (const SnapshotPiece& piece : content.pieces) {
    const std::string_view bytes = std::string_view(data.streams[static_cast<std::size_t>(piece.kind)]);
    if (piece.kind != PieceKind::Symbols && piece.kind != PieceKind::Strings) continue;
    std::string_view& into = piece.kind == PieceKind::Symbols ? names.symbols : names.strings;
    if (into.empty())
      into = bytes.substr(static_cast<std::size_t>(piece.at), static_cast<std::size_t>(piece.size_bytes));
  }
  return names;
}

std::optional<std::string> compute(std::string_view header, const HashedNames& names, std::uint64_t size) {
  const std::uint64_t buckets = word_at(header, 0), first = word_at(header, 4), filter = word_at(header, 8);
  const std::uint32_t shift = word_at(header, 12);
  const std::uint64_t count = names.symbols.size() / kSymbolBytes;
  if (buckets == 0 || filter == 0 || shift >= 32 || first > count) return std::nullopt;
  if (kHashHeader + filter * 8 + buckets * 4 + (count - first) * 4 != size) return std::nullopt;
  std::string table(static_cast<std::size_t>(size), '\0');
  header.copy(table.data(), kHashHeader);
  std::vector<std::uint64_t> bloom(static_cast<std::size_t>(filter));
  const std::size_t buckets_at = static_cast<std::size_t>(kHashHeader + filter * 8);
  const std::size_t chains_at = buckets_at + static_cast<std::size_t>(buckets * 4);
  std::uint64_t bucket_before = buckets;
  for (std::uint64_t i = first; i < count; ++i) {
    const std::uint32_t name = word_at(names.symbols, static_cast<std::size_t>(i) * kSymbolBytes);
    if (name >= names.strings.size()) return std::nullopt;
    const std::string_view rest = names.strings.substr(name);
    const std::uint32_t hash = gnu_hash_of(rest.substr(0, std::min(rest.find('\0'), rest.size())));
    const std::uint64_t bucket = hash % buckets;
    const std::size_t chain_at = chains_at + static_cast<std::size_t>(i - first) * 4;
    set_word(table, chain_at, hash & ~1u);
    if (bucket != bucket_before) {
      if (i != first) set_word(table, chain_at - 4, word_at(table, chain_at - 4) | 1u);
      set_word(table, buckets_at + static_cast<std::size_t>(bucket) * 4, static_cast<std::uint32_t>(i));
      bucket_before = bucket;
    }
    if (i + 1 == count) set_word(table, chain_at, hash | 1u);
    bloom[(hash / 64) % filter] |= std::uint64_t{1} << hash % 64 | std::uint64_t{1} << (hash >> shift) % 64;
  }
  for (std::size_t i = 0; i < bloom.size(); ++i) {
    set_word(table, kHashHeader + i * 8, static_cast<std::uint32_t>(bloom[i]));
    set_word(table, kHashHeader + i * 8 + 4, static_cast<std::uint32_t>(bloom[i] >> 32));
  }
  return table;
}

}  // namespace

std::string fold_hashes(const SnapshotData& data) {
  const std::string_view stream = data.streams[static_cast<std::size_t>(PieceKind::Hashes)];
  NumberWriter folded;
  for (const SnapshotContent& content : data.contents) {
    for (const SnapshotPiece& piece : content.pieces) {
      if (piece.kind != PieceKind::Hashes) continue;
      const std::string_view table =
          stream.substr(static_cast<std::size_t>(piece.at), static_cast<std::size_t>(piece.size_bytes));
      const bool is_computed =
          table.size() >= kHashHeader &&
          compute(table.substr(0, kHashHeader), names_of_content(data, content), table.size()) == table;
      folded.add(is_computed ? 1 : 0);
      folded.add_text(is_computed ? table.substr(0, kHashHeader) : table);
    }
  }
  return folded.bytes();
}

std::optional<std::string> unfold_hashes(const SnapshotData& data, std::string_view folded) {
  NumberReader from(folded);
  std::string stream;
  for (const SnapshotContent& content : data.contents) {
    for (const SnapshotPiece& piece : content.pieces) {
      if (piece.kind != PieceKind::Hashes) continue;
      const bool is_computed = from.number() != 0;
      const std::string_view text = from.text();
      if (from.failed() || piece.size_bytes > kMostHashBytes - stream.size()) return std::nullopt;
      if (!is_computed) {
        if (text.size() != piece.size_bytes) return std::nullopt;
        stream += text;
        continue;
      }
      if (text.size() != kHashHeader) return std::nullopt;
      const std::optional<std::string> table = compute(text, names_of_content(data, content), piece.size_bytes);
      if (!table) return std::nullopt;
      stream += *table;
    }
  }
  return from.at_end() ? std::optional(std::move(stream)) : std::nullopt;
}

}  // namespace soresolve
