// All the symbols that are looked up in one scope, each once.
//
// Programs bind the same names again and again: malloc in each of two hundred libraries. What a
// lookup comes to depends on the name, the version asked for, the class of the relocation and the
// scope (glibc elf/dl-lookup.c:_dl_lookup_symbol_x), so it is made once for all of them.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "soresolve/link_map.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// A version that references ask for; one entry for all that are equal in every part.
struct WantedVersion {
  std::string_view name;
  std::string_view file;   ///< vn_file; empty when the referrer itself defines the version
  std::uint32_t hash = 0;  ///< as stored
  bool is_hidden = false;  ///< bit 15 of vna_other: no unversioned definition will do
  bool has_file = false;
  auto operator<=>(const WantedVersion&) const = default;
};

using VersionId = std::uint32_t;  ///< 0: no version
using LookupId = std::uint32_t;

class WantedVersions {
 public:
  WantedVersions() { entries_.emplace_back(); }
  /// Goes on from another set, whose texts must outlive this one.
  void continue_from(const WantedVersions& before) {
    entries_ = before.entries_;
    ids_ = before.ids_;
  }
  /// Keeps copies of the texts.
  VersionId intern(const WantedVersion& version);
  [[nodiscard]] const WantedVersion& at(VersionId id) const { return entries_[id]; }

 private:
  std::vector<WantedVersion> entries_;
  std::map<WantedVersion, VersionId> ids_;
  TextArena text_;
};

/// Where a lookup ends.
struct Definition {
  ObjectIndex object = kNoObject;  ///< kNoObject: nowhere
  std::uint32_t symbol = 0;
  std::uint8_t info = 0;        ///< st_info
  std::uint8_t other = 0;       ///< st_other
  bool is_defined = true;       ///< st_shndx is not SHN_UNDEF
  bool is_unversioned = false;  ///< its object has no table of versions
};

struct SymbolLookup {
  const char* name_start = nullptr;
  std::uint32_t name_length = 0;
  std::uint32_t hash = 0;  ///< gnu_hash(name)
  VersionId version = 0;
  LookupClass lookup_class = LookupClass::Plain;
  bool is_done = false;  ///< no further object is asked
  Definition found;
  /// Who asked first, with which symbol of its own: that one needs no comparison of names.
  ObjectIndex referrer = kNoObject;
  std::uint32_t reference = 0;
  [[nodiscard]] std::string_view name() const { return {name_start, name_length}; }
};

class LookupSet {
 public:
  /// The lookup with these parts, new or known. The name is copied if it is new.
  LookupId intern(std::string_view name, std::uint32_t hash, VersionId version, LookupClass lookup_class);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] SymbolLookup& at(LookupId id) { return blocks_[id / kBlock][id % kBlock]; }
  [[nodiscard]] const SymbolLookup& at(LookupId id) const { return blocks_[id / kBlock][id % kBlock]; }

  /// Calls visit(LookupId) for each lookup whose hash is `hash` but for its lowest bit, as long as it
  /// returns true. Counts the entries passed in `steps`.
  template <class Visit>
  void for_each_with_hash(std::uint32_t hash, std::uint64_t& steps, Visit visit) const {
    std::size_t slot = first_slot(hash);
    for (unsigned passed = 0; passed < kMaxPassed; ++passed, slot = next_slot(slot)) {
      if (slots_[slot].id == 0) return;
      ++steps;
      if ((slots_[slot].hash ^ hash) >> 1 == 0 && !visit(slots_[slot].id - 1)) return;
    }
    for (auto at = crowd_.lower_bound(hash & ~1u); at != crowd_.end() && (at->first ^ hash) >> 1 == 0; ++at) {
      for (const auto& [key, id] : at->second) {
        ++steps;
        if (!visit(id)) return;
      }
    }
  }
  /// Takes the definition of one object, asked in the order of the scope.
  void take(LookupId id, const Definition& definition, bool is_final) {
    SymbolLookup& lookup = at(id);
    if (lookup.is_done || (!is_final && lookup.found.object != kNoObject)) return;
    lookup.found = definition;
    lookup.is_done = is_final;
  }

  /// False if no lookup has this hash, but for the lowest bit; mostly true otherwise.
  [[nodiscard]] bool may_have(std::uint32_t hash) const {
    return (filter_[filter_word(hash)] >> filter_bit(hash) & 1) != 0;
  }
  void prefetch_entry(LookupId id) const { __builtin_prefetch(&at(id)); }
  /// Brings what a search for this hash will touch into the processor's cache.
  void prefetch(std::uint32_t hash) const { __builtin_prefetch(&slots_[first_slot(hash)]); }

 private:
  static constexpr std::size_t kBlock = 1024;
  static constexpr std::size_t kMaxFilterBits = std::size_t{1} << 19;
  static constexpr std::size_t kFilterBitsPerSlot = 64;
  /// Names are made to collide, too: what finds no free slot so near goes into the crowd.
  static constexpr unsigned kMaxPassed = 64;
  struct Slot {
    std::uint32_t hash = 0;
    LookupId id = 0;  ///< + 1; 0: empty
  };
  struct CrowdKey {
    std::string_view name;
    VersionId version = 0;
    LookupClass lookup_class = LookupClass::Plain;
    auto operator<=>(const CrowdKey&) const = default;
  };
  [[nodiscard]] std::size_t filter_word(std::uint32_t hash) const { return (hash >> 1) >> 6 & (filter_.size() - 1); }
  static unsigned filter_bit(std::uint32_t hash) { return hash >> 1 & 63; }
  [[nodiscard]] std::size_t first_slot(std::uint32_t hash) const { return (hash >> 1) & (slots_.size() - 1); }
  [[nodiscard]] std::size_t next_slot(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  [[nodiscard]] static CrowdKey key_of(const SymbolLookup& lookup) {
    return {lookup.name(), lookup.version, lookup.lookup_class};
  }
  LookupId intern_in_crowd(std::string_view name, std::uint32_t hash, VersionId version, LookupClass lookup_class);
  LookupId add(std::string_view name, std::uint32_t hash, VersionId version, LookupClass lookup_class);
  void grow();

  std::size_t size_ = 0;
  std::vector<std::unique_ptr<SymbolLookup[]>> blocks_;  // entries stay where they are
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::map<std::uint32_t, std::map<CrowdKey, LookupId>> crowd_;  ///< by hash; names borrow from text_
  /// A power of two of words, more of them the more there are to find.
  std::vector<std::uint64_t> filter_ = std::vector<std::uint64_t>(1024 * kFilterBitsPerSlot / 64);
  TextArena text_;
};

}  // namespace soresolve
