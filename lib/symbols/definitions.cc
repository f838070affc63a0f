// Which of the wanted names does one object define? Its hash table is read once, and what its chains lead to is
// compared.
//
// Source: glibc 2.36 elf/dl-lookup.c:do_lookup_x, check_match. The rules of a match (type, version, hidden versions)
// are in definition_rules.cc and match.cc.
//
// With DT_GNU_HASH the chains hold the hash of each symbol, ascending by index, so that one pass over them finds all
// candidates:
//
//   chain value  ─►  does any lookup have this hash?  ─►  candidate (symbol, lookup)  ─►  names equal?  ─►  best match
//                    (a Bloom filter, then LookupSet)     search_gnu                      compare_names     choose_all
//
// Batches of 64 are looked up together, since the time goes into waiting for memory. DT_HASH has no hashes in its
// chains: all of its symbols are read in the order of their names in the file, and the names hashed (search_sysv).
//
// Chains are the file's, and a file may be made so that each lookup walks all of them. After 64 steps for each symbol
// and lookup the table counts as crowded, and is searched chain by chain with a set of visited symbols (search_crowd),
// up to kMaxLookupSteps; beyond that the answer is an error.
#include "symbols/definitions.h"

#include <elf.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "base/limits.h"
#include "base/load.h"
#include "symbols/crowded_names.h"
#include "symbols/gnu_hash.h"
#include "symbols/gnu_table.h"
#include "symbols/place_order.h"
#include "symbols/version_tables.h"

namespace soresolve {

namespace {

class Finder {
 public:
  Finder(TableReader& reader, const ProviderView& provider, const DefinitionRules& rules,
         const WantedVersions& versions, DefinitionScratch& scratch, const LookupSet& set)
      : reader_(reader), provider_(provider), tags_(provider.elf->symbol_tags), rules_(rules), versions_(versions),
        scratch_(scratch), set_(set) {
    scratch_.candidates.clear();
    scratch_.hits.clear();
  }

  std::optional<Error> run() {
    scratch_.visited.assign(set_.size(), false);
    if (tags_.gnu_hash) {
      search_gnu(address_of(tags_.gnu_hash));
    } else if (tags_.sysv_hash) {
      search_sysv(address_of(tags_.sysv_hash));
    }
    if (is_crowded_ && !error_) {
      search_crowd();
    } else {
      if (!error_) compare_names();
      if (!error_) choose_all();
    }
    return std::move(error_);
  }

 private:
  using Table = TableReader::Table;
  static constexpr std::size_t kBatch = 64;

  static std::uint64_t address_of(std::optional<Vaddr> tag) { return static_cast<std::uint64_t>(*tag); }
  void fail(std::uint64_t address, std::string message, ErrorCode code = ErrorCode::Malformed) {
    error_ = Error{code, std::string(provider_.path), reader_.image().place_to_show(address), std::move(message)};
  }
  [[nodiscard]] std::uint32_t word(std::span<const std::byte> bytes, std::uint64_t index) const {
    return load_as<std::uint32_t>(bytes.data() + 4 * index, reader_.order());
  }
  /// An entry of DT_HASH; one that is no index of a symbol stays none.
  [[nodiscard]] std::uint32_t hash_entry(std::span<const std::byte> bytes, std::uint64_t index) const {
    if (!has_wide_hash_) return word(bytes, index);
    constexpr std::uint64_t kMost = ~std::uint32_t{0};
    return static_cast<std::uint32_t>(
        std::min(load_as<std::uint64_t>(bytes.data() + 8 * index, reader_.order()), kMost));
  }
  [[nodiscard]] bool is_wanted(LookupId id) const {
    const SymbolLookup& lookup = set_.at(id);
    return !lookup.is_done && !(lookup.lookup_class == LookupClass::Copy && provider_.asked == Asked::NotCopies);
  }
  /// Has it taken more steps than tables of link editors take, or led to more symbols?
  bool is_crowded(std::size_t symbols) {
    constexpr std::uint64_t kSteps = 64;  // for each symbol and lookup
    constexpr std::size_t kCandidates = 2;
    const std::uint64_t size = symbols + visited_ + 1024;
    is_crowded_ = is_crowded_ || steps_ > kSteps * size || scratch_.candidates.size() > kCandidates * size;
    return is_crowded_;
  }
  /// False if it was visited before.
  bool visit(LookupId id) {
    if (scratch_.visited[id]) return false;
    scratch_.visited[id] = true;
    ++visited_;
    return true;
  }

  void search_gnu(std::uint64_t address) {
    if (auto fault = gnu_.read(reader_, address, scratch_.chain)) {
      return fail(fault->address, std::move(fault->message));
    }
    first_ = gnu_.first();
    // Most symbols are wanted by nobody. The others first come together, so that what is known of them
    // is on its way from memory when it is their turn.
    scratch_.wanted.clear();
    for (const std::uint32_t hash : scratch_.chain) {
      if (!set_.may_have(hash)) continue;
      set_.prefetch(hash);
      scratch_.wanted.push_back(hash);
      if (scratch_.wanted.size() == kBatch) look_for_batch();
      if (is_crowded_) return;
    }
    look_for_batch();
  }

  void look_for_batch() {
    scratch_.ids.clear();
    std::uint32_t previous = 0;
    for (const std::uint32_t hash : scratch_.wanted) {
      // Symbols of one name stand together.
      if ((hash ^ previous) >> 1 == 0) continue;
      previous = hash;
      set_.for_each_with_hash(hash, steps_, [&](LookupId id) {
        // All of one hash come together: if one has been visited, all have been.
        if (!visit(id)) return false;
        set_.prefetch_entry(id);
        scratch_.ids.push_back(id);
        return true;
      });
    }
    scratch_.wanted.clear();
    for (const LookupId id : scratch_.ids) {
      if (error_ || is_crowded(scratch_.chain.size())) return;
      if (is_wanted(id)) walk_gnu(id);
    }
  }

  /// The loader's own way through the table, for one lookup.
  void walk_gnu(LookupId id) {
    const std::uint32_t hash = set_.at(id).hash;
    if (!gnu_.may_have(hash)) return;
    const std::uint32_t bucket = gnu_.bucket(hash % gnu_.bucket_count());
    if (bucket == 0) return;
    if (bucket < first_) {
      return fail(0, "has a DT_GNU_HASH bucket that points before its first symbol");
    }
    for (std::size_t i = bucket - first_; i < scratch_.chain.size(); ++i) {
      ++steps_;
      if ((scratch_.chain[i] ^ hash) >> 1 == 0) {
        add_candidate(id, static_cast<std::uint32_t>(first_ + i));
      }
      if ((scratch_.chain[i] & 1) != 0) return;
    }
  }

  /// What is read of one symbol.
  struct Entry {
    SymbolCandidate symbol;
    std::uint64_t value = 0;
    std::uint16_t section = 0;
  };

  std::optional<Entry> read_entry(std::uint32_t symbol) {
    if (!tags_.symbol_table || !tags_.string_table) {
      fail(0, "has a hash table but no DT_SYMTAB or no DT_STRTAB");
      return std::nullopt;
    }
    const std::size_t size = reader_.is_64() ? 24 : 16;
    const std::uint64_t address = address_of(tags_.symbol_table) + std::uint64_t{symbol} * size;
    const auto bytes = reader_.view(Table::Symbols, address, size,
                                    static_cast<std::size_t>(std::max<std::uint64_t>(left_from(symbol), 1) * size));
    if (bytes.size() < size) {
      fail(address, "has dynamic symbols outside the mapped segments");
      return std::nullopt;
    }
    const std::byte* at = bytes.data();
    const std::size_t info = reader_.is_64() ? 4 : 12;
    const std::endian order = reader_.order();
    Entry entry;
    entry.symbol.symbol = symbol;
    entry.symbol.name_offset = load_as<std::uint32_t>(at, order);
    entry.symbol.info = std::to_integer<std::uint8_t>(at[info]);
    entry.symbol.other = std::to_integer<std::uint8_t>(at[info + 1]);
    entry.section = load_as<std::uint16_t>(at + info + 2, order);
    entry.symbol.is_defined = entry.section != SHN_UNDEF;
    entry.value = reader_.is_64() ? load_as<std::uint64_t>(at + 8, order) : load_as<std::uint32_t>(at + 4, order);
    entry.symbol.size_bytes =
        reader_.is_64() ? load_as<std::uint64_t>(at + 16, order) : load_as<std::uint32_t>(at + 8, order);
    return entry;
  }

  [[nodiscard]] std::uint64_t left_from(std::uint32_t symbol) const { return first_ + scratch_.chain.size() - symbol; }

  bool read_version(SymbolCandidate& candidate) {
    if ((!provider_.versions->is_used() && rules_.compares_versions) || !tags_.version_index) return true;
    const std::uint64_t versym = address_of(tags_.version_index) + 2ull * candidate.symbol;
    const auto index =
        reader_.view(Table::Versions, versym, 2, static_cast<std::size_t>(2 * left_from(candidate.symbol)));
    if (index.size() < 2) {
      fail(versym, "has its DT_VERSYM outside the mapped segments");
      return false;
    }
    candidate.versym = load_as<std::uint16_t>(index.data(), reader_.order());
    return true;
  }

  /// Reads the symbol and keeps it if it can be a definition.
  void add_candidate(LookupId id, std::uint32_t symbol) {
    std::optional<Entry> entry = read_entry(symbol);
    if (!entry) return;
    entry->symbol.can_serve =
        is_candidate(entry->value, entry->section, entry->symbol.info, set_.at(id).lookup_class, rules_);
    // Where versions are not compared, the first symbol of a name is the object's only one.
    if ((!entry->symbol.can_serve && rules_.compares_versions) || !read_version(entry->symbol)) return;
    entry->symbol.lookup = id;
    scratch_.candidates.push_back(entry->symbol);
  }

  void search_sysv(std::uint64_t address) {
    const std::uint64_t entry_bytes = sysv_hash_entry_bytes(provider_.elf->target);
    has_wide_hash_ = entry_bytes == 8;
    const auto header = reader_.view(Table::Hash, address, 2 * entry_bytes, 64 << 10);
    if (header.size() < 2 * entry_bytes) return fail(address, "has its DT_HASH outside the mapped segments");
    buckets_ = hash_entry(header, 0);
    const std::uint32_t count = hash_entry(header, 1);
    if (buckets_ == 0) return;
    const std::uint64_t table_bytes = entry_bytes * (std::uint64_t{buckets_} + count);
    const bool is_there = buckets_ <= kMaxSymbols && count <= kMaxSymbols &&
                          filled_bytes(reader_.image(), address + 2 * entry_bytes, table_bytes) == table_bytes;
    const auto table = is_there ? reader_.view(Table::Hash, address + 2 * entry_bytes, table_bytes, table_bytes)
                                : std::span<const std::byte>();
    if (table.size() < table_bytes) {
      return fail(address + 2 * entry_bytes, "has a DT_HASH table that leaves the mapped segments");
    }
    bucket_bytes_ = table;
    if (!check_sysv_chains(address, count)) return;
    // Who is looked for is found by the hash of the other kind: the table has none to compare.
    scratch_.order.clear();
    const std::size_t size = reader_.is_64() ? 24 : 16;
    if (!tags_.symbol_table || !tags_.string_table) {
      return fail(address, "has a hash table but no DT_SYMTAB or no DT_STRTAB");
    }
    const std::uint64_t symbols = address_of(tags_.symbol_table);
    for (std::uint64_t i = 1; i < count; ++i) {
      const auto bytes =
          reader_.view(Table::Symbols, symbols + i * size, size, static_cast<std::size_t>((count - i) * size));
      if (bytes.size() < size) {
        return fail(symbols + i * size, "has dynamic symbols outside the mapped segments");
      }
      scratch_.order.push_back(std::uint64_t{load_as<std::uint32_t>(bytes.data(), reader_.order())} << 32 | i);
    }
    std::sort(scratch_.order.begin(), scratch_.order.end());
    scratch_.chain.assign(count, 0);  // which names have been seen: for add_candidate's look-ahead
    const std::uint64_t strings = address_of(tags_.string_table);
    for (const std::uint64_t entry : scratch_.order) {
      const auto name = reader_.string_at(strings + (entry >> 32));
      if (!name) {
        return fail(strings + (entry >> 32), "has a symbol name outside the mapped segments");
      }
      set_.for_each_with_hash(gnu_hash(*name), steps_, [&](LookupId id) {
        if (error_ || is_crowded(count)) return false;
        if (set_.at(id).name() == *name && visit(id) && is_wanted(id)) walk_sysv(id, count);
        return true;
      });
      if (error_ || is_crowded_) return;
    }
  }

  /// Every chain must end: one that leads back into itself would keep the loader busy for ever.
  bool check_sysv_chains(std::uint64_t address, std::uint32_t count) {
    scratch_.chain.assign(count, 0);
    for (std::uint32_t bucket = 0; bucket < buckets_; ++bucket) {
      for (std::uint32_t at = hash_entry(bucket_bytes_, bucket); at != 0;
           at = hash_entry(bucket_bytes_, std::uint64_t{buckets_} + at)) {
        if (at >= count) {
          fail(address,
               "has a DT_HASH chain that leads to symbol " + std::to_string(at) + " of " + std::to_string(count));
          return false;
        }
        if (scratch_.chain[at] == bucket + 1) {
          fail(address, "has a DT_HASH chain that leads back into itself");
          return false;
        }
        if (scratch_.chain[at] != 0) break;  // joins a chain that is known to end
        scratch_.chain[at] = bucket + 1;
      }
    }
    return true;
  }

  void walk_sysv(LookupId id, std::uint32_t count) {
    const std::uint32_t start = version_hash(set_.at(id).name()) % buckets_;
    for (std::uint32_t at = hash_entry(bucket_bytes_, start); at != 0 && at < count && !error_;
         at = hash_entry(bucket_bytes_, std::uint64_t{buckets_} + at)) {
      ++steps_;
      add_candidate(id, at);
    }
  }

  /// In the order in which the names lie in the file.
  void compare_names() {
    std::vector<SymbolCandidate>& candidates = scratch_.candidates;
    if (candidates.empty()) return;
    scratch_.order.clear();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const SymbolLookup& lookup = set_.at(candidates[i].lookup);
      if (lookup.referrer == provider_.index && lookup.reference == candidates[i].symbol) {
        candidates[i].has_name = true;
      } else {
        scratch_.order.push_back(std::uint64_t{candidates[i].name_offset} << 32 | i);
      }
    }
    const std::uint64_t strings = address_of(tags_.string_table);
    for_each_place_group(scratch_.order, scratch_.spare,
                         [&](std::span<const std::uint64_t> group, std::uint64_t first, std::uint64_t last) {
                           reader_.bring_strings(strings + first, strings + last);
                           for (const std::uint64_t entry : group) {
                             if (!error_) compare_name(candidates[entry & 0xffffffff]);
                           }
                         });
  }

  void compare_name(SymbolCandidate& candidate) {
    const std::string_view name = set_.at(candidate.lookup).name();
    const std::uint64_t address = address_of(tags_.string_table) + candidate.name_offset;
    const auto bytes = reader_.view(Table::Strings, address, name.size() + 1, 16 << 10);
    if (bytes.empty()) return fail(address, "has a symbol name outside the mapped segments");
    candidate.has_name = bytes.size() == name.size() + 1 && bytes.back() == std::byte{0} &&
                         // The empty name has no bytes to point to.
                         std::equal(name.begin(), name.end(), reinterpret_cast<const char*>(bytes.data()));
  }

  void choose_all() {
    const std::span<const SymbolCandidate> all = scratch_.candidates;
    for (std::size_t start = 0; start < all.size();) {
      std::size_t end = start + 1;
      while (end < all.size() && all[end].lookup == all[start].lookup) ++end;
      choose(all.subspan(start, end - start));
      start = end;
    }
  }

  /// The symbols of one lookup, in the order of the chain.
  void choose(std::span<const SymbolCandidate> candidates) {
    const SymbolLookup& lookup = set_.at(candidates.front().lookup);
    const WantedVersion* wanted = lookup.version == 0 ? nullptr : &versions_.at(lookup.version);
    const SymbolCandidate* chosen = nullptr;
    const SymbolCandidate* fallback = nullptr;
    std::size_t fallbacks = 0;
    for (const SymbolCandidate& candidate : candidates) {
      if (!candidate.has_name) continue;
      const VersionAnswer answer = answer_version(wanted, candidate.versym, *provider_.versions, rules_);
      if (answer == VersionAnswer::Accepted) {
        chosen = &candidate;
        break;
      }
      if (answer == VersionAnswer::Fallback && ++fallbacks == 1) fallback = &candidate;
    }
    if (chosen == nullptr && fallbacks == 1) chosen = fallback;
    if (chosen != nullptr && chosen->can_serve) take(candidates.front().lookup, *chosen);
  }

  void take(LookupId id, const SymbolCandidate& chosen) {
    const unsigned visibility = chosen.other & 3;
    const bool is_hidden = rules_.honours_visibility && (visibility == STV_HIDDEN || visibility == STV_INTERNAL);
    const unsigned binding = chosen.info >> 4;
    const bool is_taken = !is_hidden && (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE);
    if (!is_taken && visibility != STV_PROTECTED && provider_.versions->is_used()) return;
    Hit hit;
    hit.lookup = id;
    hit.definition = {provider_.index, chosen.symbol,     chosen.info,
                      chosen.other,    chosen.is_defined, !provider_.versions->is_used()};
    hit.size_bytes = chosen.size_bytes;
    hit.is_final = binding != STB_WEAK || !rules_.is_dynamic_weak;
    hit.is_ignored = !is_taken;
    scratch_.hits.push_back(hit);
  }

  /// A lookup, and where its chain begins.
  struct Wanted {
    std::uint64_t start = 0;
    std::string_view name;
    LookupId id = 0;
  };
  static bool has_less_name(const Wanted& wanted, std::string_view name) { return wanted.name < name; }

  /// Every chain once, for all lookups that it is the way of.
  void search_crowd() {
    scratch_.candidates.clear();
    std::vector<Wanted> all;
    for (LookupId id = 0; id < set_.size(); ++id) {
      if (!is_wanted(id)) continue;
      const std::string_view name = set_.at(id).name();
      if (const std::uint64_t start = start_of(set_.at(id))) all.push_back({start, name, id});
    }
    std::sort(all.begin(), all.end(), [](const Wanted& a, const Wanted& b) {
      return std::tie(a.start, a.name, a.id) < std::tie(b.start, b.name, b.id);
    });
    for (std::size_t first = 0; first < all.size() && !error_;) {
      std::size_t end = first + 1;
      while (end < all.size() && all[end].start == all[first].start) ++end;
      search_chain(std::span<const Wanted>(all).subspan(first, end - first));
      first = end;
    }
  }

  /// The first symbol of its chain; 0: it has none.
  [[nodiscard]] std::uint64_t start_of(const SymbolLookup& lookup) {
    if (!tags_.gnu_hash) return hash_entry(bucket_bytes_, version_hash(lookup.name()) % buckets_);
    if (!gnu_.may_have(lookup.hash)) return 0;
    const std::uint32_t bucket = gnu_.bucket(lookup.hash % gnu_.bucket_count());
    if (bucket != 0 && bucket < first_) fail(0, "has a DT_GNU_HASH bucket that points before its first symbol");
    return bucket;
  }

  void search_chain(std::span<const Wanted> wanted) {
    std::vector<CrowdedSymbol> found;
    std::vector<std::uint32_t> hashes;
    for (const Wanted& one : wanted) hashes.push_back(set_.at(one.id).hash >> 1);
    std::sort(hashes.begin(), hashes.end());
    if (tags_.gnu_hash) {
      for (std::size_t i = wanted.front().start - first_; i < scratch_.chain.size() && !has_worked_too_long(); ++i) {
        const std::uint32_t stored = scratch_.chain[i];
        if (std::binary_search(hashes.begin(), hashes.end(), stored >> 1)) {
          add_crowded(static_cast<std::uint32_t>(first_ + i), stored, wanted, found);
        }
        if ((stored & 1) != 0) break;
      }
    } else {
      for (std::uint64_t at = wanted.front().start; at != 0 && at < scratch_.chain.size() && !has_worked_too_long();
           at = hash_entry(bucket_bytes_, std::uint64_t{buckets_} + at)) {
        add_crowded(static_cast<std::uint32_t>(at), std::nullopt, wanted, found);
      }
    }
    if (!error_) choose_crowded(wanted, found);
  }

  /// One more step: chains can lead into each other.
  bool has_worked_too_long() {
    if (!error_ && ++scratch_.crowd_steps > kMaxLookupSteps) {
      fail(0, "has symbol tables that take too long to search", ErrorCode::LimitReached);
    }
    return error_.has_value();
  }

  /// Keeps the symbol if its name is one of those that are looked for, and its stored hash that of the name.
  void add_crowded(std::uint32_t symbol, std::optional<std::uint32_t> stored, std::span<const Wanted> wanted,
                   std::vector<CrowdedSymbol>& found) {
    std::optional<Entry> entry = read_entry(symbol);
    if (!entry || !is_candidate(entry->value, entry->section, entry->symbol.info, LookupClass::Plain, rules_)) return;
    const std::uint64_t address = address_of(tags_.string_table) + entry->symbol.name_offset;
    const auto name = reader_.string_at(address);
    if (!name) return fail(address, "has a symbol name outside the mapped segments");
    const auto same = std::lower_bound(wanted.begin(), wanted.end(), *name, has_less_name);
    if (same == wanted.end() || same->name != *name) return;
    if (stored && (*stored ^ set_.at(same->id).hash) >> 1 != 0) return;
    if (!read_version(entry->symbol)) return;
    const bool serves_plt = is_candidate(entry->value, entry->section, entry->symbol.info, LookupClass::Plt, rules_);
    found.push_back({entry->symbol, static_cast<std::size_t>(same - wanted.begin()), serves_plt});
  }

  void choose_crowded(std::span<const Wanted> wanted, std::vector<CrowdedSymbol>& found) {
    std::stable_sort(found.begin(), found.end(),
                     [](const CrowdedSymbol& a, const CrowdedSymbol& b) { return a.name < b.name; });
    for (std::size_t first = 0; first < found.size();) {
      std::size_t end = first + 1;
      while (end < found.size() && found[end].name == found[first].name) ++end;
      SameName symbols(std::span<const CrowdedSymbol>(found).subspan(first, end - first), *provider_.versions, rules_);
      const std::string_view name = wanted[found[first].name].name;
      for (std::size_t i = found[first].name; i < wanted.size() && wanted[i].name == name; ++i) {
        const SymbolLookup& lookup = set_.at(wanted[i].id);
        const WantedVersion* const version = lookup.version == 0 ? nullptr : &versions_.at(lookup.version);
        if (const SymbolCandidate* chosen = symbols.choose(version, lookup.lookup_class)) take(wanted[i].id, *chosen);
      }
      first = end;
    }
  }

  TableReader& reader_;
  const ProviderView& provider_;
  const SymbolTags& tags_;
  const DefinitionRules& rules_;
  const WantedVersions& versions_;
  DefinitionScratch& scratch_;
  const LookupSet& set_;
  GnuTable gnu_;
  std::uint32_t buckets_ = 0;
  bool has_wide_hash_ = false;  ///< entries of DT_HASH take eight bytes
  std::uint32_t first_ = 0;
  std::span<const std::byte> bucket_bytes_;
  std::uint64_t steps_ = 0;
  std::uint64_t visited_ = 0;  ///< lookups
  bool is_crowded_ = false;    ///< the table is made to be slow
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> find_definitions(TableReader& reader, const ProviderView& provider, const DefinitionRules& rules,
                                      const WantedVersions& versions, DefinitionScratch& scratch,
                                      const LookupSet& set) {
  return Finder(reader, provider, rules, versions, scratch, set).run();
}

}  // namespace soresolve
