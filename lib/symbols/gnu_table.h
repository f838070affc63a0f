// DT_GNU_HASH of one object: which of its symbols can a hash value lead to?
//
// Source: glibc elf/dl-setup_hash.c:_dl_setup_hash, elf/dl-lookup.c:do_lookup_x.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "elf/layout.h"
#include "elf/table_reader.h"

namespace soresolve {

class GnuTable {
 public:
  /// Where and why a table cannot be read.
  struct Fault {
    std::uint64_t address = 0;
    std::string message;
  };
  /// Reads the table at `address`; the hash values of all symbols that a bucket can lead to go into
  /// `chain`, as they are stored. `reader` must outlive the table, which is good until the next view of
  /// TableReader::Table::Hash. A table that leads nowhere leaves `chain` empty.
  std::optional<Fault> read(TableReader& reader, std::uint64_t address, std::vector<std::uint32_t>& chain);

  /// The same without the chains: enough for may_have(), of which most files know all that is wanted.
  std::optional<Fault> read_filter(TableReader& reader, std::uint64_t address);

  /// The symbol that chain[0] belongs to.
  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::uint32_t bucket_count() const { return buckets_; }
  /// The symbol that the bucket begins with; 0: none.
  [[nodiscard]] std::uint32_t bucket(std::uint32_t index) const { return bucket(index, layout_); }
  /// False if the bloom filter says that no symbol has this hash. Not of a table without buckets.
  [[nodiscard]] bool may_have(std::uint32_t hash) const { return may_have(hash, layout_); }

  /// The same, for loops: `layout` is the table's.
  [[nodiscard]] AnyLayout layout() const { return layout_; }
  template <class Layout>
  [[nodiscard]] std::uint32_t bucket(std::uint32_t index, Layout layout) const {
    return load_as<std::uint32_t>(bucket_bytes_.data() + 4ull * index, layout.order);
  }
  template <class Layout>
  [[nodiscard]] bool may_have(std::uint32_t hash, Layout layout) const {
    const unsigned bits = layout.is_64 ? 64 : 32;
    const std::uint32_t at = (hash / bits) & (bloom_words_ - 1);
    const std::uint64_t bloom = layout.is_64 ? load_as<std::uint64_t>(bloom_ + 8ull * at, layout.order)
                                             : load_as<std::uint32_t>(bloom_ + 4ull * at, layout.order);
    const unsigned second = shift_ < 32 ? hash >> shift_ : 0;
    return (bloom >> (hash & (bits - 1)) & bloom >> (second & (bits - 1)) & 1) != 0;
  }

 private:
  std::optional<Fault> read_chains(std::uint64_t chains, std::uint32_t highest, std::vector<std::uint32_t>& chain);
  [[nodiscard]] std::uint32_t word(std::span<const std::byte> bytes, std::uint64_t index) const {
    return load_as<std::uint32_t>(bytes.data() + 4 * index, layout_.order);
  }

  TableReader* reader_ = nullptr;
  AnyLayout layout_;
  std::uint32_t buckets_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t bloom_words_ = 0;
  std::uint32_t shift_ = 0;
  const std::byte* bloom_ = nullptr;
  std::span<const std::byte> bucket_bytes_;
};

}  // namespace soresolve
