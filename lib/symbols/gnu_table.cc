// Reads the header, buckets and chains of DT_GNU_HASH. Source: glibc 2.36 elf/dl-setup_hash.c:_dl_setup_hash,
// elf/dl-lookup.c:do_lookup_x. The number of symbols is not stored: it ends with the chain of the highest bucket.
#include "symbols/gnu_table.h"

#include <algorithm>
#include <cstring>

namespace soresolve {
namespace {

using Table = TableReader::Table;

}  // namespace

std::optional<GnuTable::Fault> GnuTable::read_filter(TableReader& reader, std::uint64_t address) {
  reader_ = &reader;
  layout_ = reader.layout();
  const auto header = reader.view(Table::Hash, address, 16);
  if (header.size() < 16) return Fault{address, "has its DT_GNU_HASH outside the mapped segments"};
  buckets_ = word(header, 0);
  first_ = word(header, 1);
  bloom_words_ = word(header, 2);
  shift_ = word(header, 3);
  if ((bloom_words_ & (bloom_words_ - 1)) != 0) {
    return Fault{address + 8, "has a DT_GNU_HASH bloom filter of " + std::to_string(bloom_words_) +
                                  " words, which is no power of two: the loader's assertion in "
                                  "_dl_setup_hash fails"};
  }
  if (buckets_ == 0) return std::nullopt;
  const std::uint64_t bloom_bytes = std::uint64_t{bloom_words_} * (reader.is_64() ? 8 : 4);
  const std::uint64_t table_bytes = bloom_bytes + 4ull * buckets_;
  const bool is_there = buckets_ <= kMaxSymbols && bloom_words_ <= kMaxSymbols &&
                        filled_bytes(reader.image(), address + 16, table_bytes) == table_bytes;
  const auto table =
      is_there ? reader.view(Table::Hash, address + 16, table_bytes, table_bytes) : std::span<const std::byte>();
  if (table.size() < table_bytes || bloom_words_ == 0) {
    return Fault{address + 16, "has a DT_GNU_HASH table that leaves the mapped segments"};
  }
  bloom_ = table.data();
  bucket_bytes_ = table.subspan(static_cast<std::size_t>(bloom_bytes));
  return std::nullopt;
}

std::optional<GnuTable::Fault> GnuTable::read(TableReader& reader, std::uint64_t address,
                                              std::vector<std::uint32_t>& chain) {
  chain.clear();
  if (std::optional<Fault> fault = read_filter(reader, address)) return fault;
  if (buckets_ == 0) return std::nullopt;
  std::uint32_t highest = 0;
  for (std::uint32_t i = 0; i < buckets_; ++i) highest = std::max(highest, bucket(i));
  if (highest == 0) return std::nullopt;
  const std::uint64_t chains = address + 16 + std::uint64_t{bloom_words_} * (reader.is_64() ? 8 : 4) + 4ull * buckets_;
  if (highest < first_) return Fault{chains, "has a DT_GNU_HASH bucket before its first symbol"};
  return read_chains(chains, highest, chain);
}

std::optional<GnuTable::Fault> GnuTable::read_chains(std::uint64_t chains, std::uint32_t highest,
                                                     std::vector<std::uint32_t>& chain) {
  const std::uint64_t sure = std::uint64_t{highest} - first_ + 1;
  constexpr std::uint64_t kTail = 64;  // few words are behind the start of the last chain
  if (sure > kMaxSymbols || filled_bytes(reader_->image(), chains, 4 * sure) < 4 * sure) {
    return Fault{chains, "has a DT_GNU_HASH chain that does not end in the mapped segments"};
  }
  chain.reserve(static_cast<std::size_t>(sure + kTail));
  for (std::uint64_t at = 0;;) {
    const std::uint64_t wanted = std::min<std::uint64_t>((at < sure ? sure - at : 0) + kTail, 16384);
    const auto bytes = reader_->view(Table::Chains, chains + 4 * at, static_cast<std::size_t>(4 * wanted));
    const std::uint64_t words = bytes.size() / 4;
    if (words == 0) {
      return Fault{chains + 4 * at, "has a DT_GNU_HASH chain that does not end in the mapped segments"};
    }
    chain.resize(static_cast<std::size_t>(at + words));
    if (layout_.order == std::endian::native) {
      std::memcpy(chain.data() + at, bytes.data(), static_cast<std::size_t>(4 * words));
    } else {
      for (std::uint64_t i = 0; i < words; ++i) chain[static_cast<std::size_t>(at + i)] = word(bytes, i);
    }
    // The last chain ends at the first word with an end mark at or behind its start.
    for (std::uint64_t i = std::max(at, sure - 1); i < at + words; ++i) {
      if ((chain[static_cast<std::size_t>(i)] & 1) == 0) continue;
      chain.resize(static_cast<std::size_t>(i + 1));
      return std::nullopt;
    }
    at += words;
    if (at > reader_->file().status().size_bytes / 4 || at > kMaxSymbols) {
      return Fault{chains, "has a DT_GNU_HASH chain that is longer than the file"};
    }
  }
}

}  // namespace soresolve
