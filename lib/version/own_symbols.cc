#include "version/own_symbols.h"

#include <elf.h>

#include <algorithm>
#include <bit>

namespace soresolve {
namespace {

/// A chain longer than this is not compared with itself: chains of link editors have few entries.
constexpr std::size_t kLongestChain = 64;

/// Does a hash that differs from `value` in the lowest bit at most lead to this bucket, past the bloom
/// filter? Chains do not keep that bit.
bool leads_here(const GnuTable& table, std::uint32_t value, std::uint32_t bucket) {
  const std::uint32_t even = value & ~1u;
  const std::uint32_t even_bucket = even % table.bucket_count();
  const std::uint32_t odd_bucket = even_bucket + 1 == table.bucket_count() ? 0 : even_bucket + 1;
  return (even_bucket == bucket && table.may_have(even)) ||
         (odd_bucket == bucket && table.may_have(even | 1));
}

/// Marks the symbols of one chain that have their hash for themselves.
void mark_chain(const GnuTable& table, std::uint32_t bucket, std::span<std::uint32_t> chain) {
  chain.back() &= ~1u;  // the others have no end mark
  if (chain.size() > kLongestChain) return;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    bool is_alone = true;
    for (std::size_t k = 0; k < chain.size(); ++k) is_alone &= k == i || (chain[k] | 1) != (chain[i] | 1);
    if (is_alone && leads_here(table, chain[i], bucket)) chain[i] |= 1;
  }
}

/// Marks all; false where chains are not as link editors lay them out: one behind the other, without
/// gaps.
bool mark_chains(const GnuTable& table, std::vector<std::uint32_t>& chain) {
  std::size_t at = 0;
  for (std::uint32_t bucket = 0; bucket < table.bucket_count(); ++bucket) {
    const std::uint32_t start = table.bucket(bucket);
    if (start == 0) continue;
    if (start < table.first() || start - table.first() != at) return false;
    std::size_t end = at;
    while (end < chain.size() && (chain[end] & 1) == 0) ++end;
    if (end == chain.size()) return false;
    mark_chain(table, bucket, std::span(chain).subspan(at, end + 1 - at));
    at = end + 1;
  }
  return at == chain.size();
}

}  // namespace

HashedSymbols read_hashed_symbols(TableReader& reader, const ElfObject& object) {
  HashedSymbols symbols;
  if (!object.symbol_tags.gnu_hash) {
    symbols.is_complete = !object.symbol_tags.sysv_hash;
    return symbols;
  }
  GnuTable table;
  const std::uint64_t address = static_cast<std::uint64_t>(*object.symbol_tags.gnu_hash);
  symbols.is_complete = !table.read(reader, address, symbols.values) &&
                        (symbols.values.empty() || mark_chains(table, symbols.values));
  symbols.first = table.first();
  if (!symbols.is_complete) symbols.values.clear();
  return symbols;
}

CarriedHashes::CarriedHashes(std::size_t count)
    // One value in sixteen places: of a hundred, six seem to be there that are not.
    : mask_(std::bit_ceil(std::max<std::size_t>(count, 64) * 16) - 1), bits_((mask_ + 1) / 64) {}

void CarriedHashes::keep_new(HashedSymbols& symbols) const {
  for (std::uint32_t& value : symbols.values) {
    const bool is_known = (bits_[place(value) / 64] >> place(value) % 64 & 1) != 0;
    if (!is_complete_ || is_known) value &= ~1u;
  }
}

void CarriedHashes::enter(const HashedSymbols& symbols) {
  is_complete_ = is_complete_ && symbols.is_complete;
  for (const std::uint32_t value : symbols.values) {
    bits_[place(value) / 64] |= std::uint64_t{1} << place(value) % 64;
  }
}

bool OwnSymbols::takes(std::uint8_t info, std::uint16_t versym) const {
  const unsigned binding = info >> 4;
  if (binding != STB_GLOBAL && binding != STB_WEAK) return false;
  constexpr unsigned kTypes = 1u << STT_NOTYPE | 1u << STT_OBJECT | 1u << STT_FUNC | 1u << STT_COMMON |
                              1u << STT_TLS;
  if ((kTypes >> (info & 0xf) & 1) == 0) return false;
  // The loader dies of a version where it has no table of them.
  if (!versions->is_used()) return (versym & kVersymIndex) == 0;
  // With a version, it has the one that is asked for; the only visible one will do for none.
  return (versym & kVersymHidden) == 0 || versions->at(versym).hash != 0 ||
         answer_version(nullptr, versym, *versions, {}) != VersionAnswer::Refused;
}

}  // namespace soresolve
