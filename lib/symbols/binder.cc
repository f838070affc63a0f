// Two passes over the objects: what they refer to, then who defines it, scope by scope; results are merged in load
// order, so that the number of threads changes nothing. Source: glibc 2.36 elf/dl-lookup.c:_dl_lookup_symbol_x,
// elf/dl-open.c for scopes. Left out: the GOT of MIPS, names that audit modules replace.
#include "symbols/binder.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "loader/dependency_sort.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/limits.h"
#include "symbols/bindings_state.h"
#include "symbols/digest.h"
#include "symbols/gnu_hash.h"
#include "symbols/musl_lookup.h"
#include "symbols/object_store.h"
#include "symbols/settled.h"

namespace soresolve {
namespace {

/// The version of libc's oldest symbols on a machine (glibc shlib-versions, abi-versions).
std::string_view first_libc_version(const ElfTarget& target) {
  const bool is_64 = target.elf_class == ElfClass::Elf64;
  switch (target.machine) {
    case EM_X86_64: return is_64 ? "GLIBC_2.2.5" : "GLIBC_2.16";
    case EM_AARCH64: return "GLIBC_2.17";
    case EM_ARM: return "GLIBC_2.4";
    case EM_PPC64: return target.byte_order == std::endian::little ? "GLIBC_2.17" : "GLIBC_2.3";
    case EM_S390: return is_64 ? "GLIBC_2.2" : "GLIBC_2.0";
    case EM_RISCV: return is_64 ? "GLIBC_2.27" : "GLIBC_2.33";
    case 258: return "GLIBC_2.36";  // EM_LOONGARCH
    default: return "GLIBC_2.0";
  }
}

}  // namespace

/// The whole work, in two passes over the objects: what they refer to, and what they define.
class Binder {
 public:
  Binder(const LinkMap& map, MapVersions& versions, const BindOptions& options)
      : system_(*map.system), process_(*map.process), map_(map), versions_(versions), jobs_(std::max(options.jobs, 1u)),
        own_(options.own), store_(map.system->store.get()), scratch_(jobs_),
        state_(std::make_shared<Bindings::State>()) {
    state_->map = &map;
    definition_rules_ = definition_rules_of(map.system->rules);
    definition_rules_.is_dynamic_weak = map.system->rules.compares_versions &&
                                        map.process->environment.value("LD_DYNAMIC_WEAK").has_value() &&
                                        !map.process->secure;
    reference_rules_.tlsdesc_is_lazy = map.system->rules.tlsdesc_is_lazy;
    reference_rules_.refuses_types = map.system->rules.libc == Libc::Glibc;
    reference_rules_.honours_visibility = map.system->rules.honours_visibility;
    // What a filter of the program puts before it is behind the back of the version check.
    is_unchecked_.assign(map.objects.size(), true);
    for (const ObjectIndex object : map.list_order) is_unchecked_[object] = false;
    // What is opened is checked by its search list.
    for (const Opening& opening : map.openings) {
      for (const ObjectIndex object : opening.search_list) {
        if (object >= opening.first_new) is_unchecked_[object] = false;
      }
    }
    for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
      if (map.objects[i].role == ObjectRole::Loader) is_unchecked_[i] = false;
    }
  }

  /// Takes over what was bound before the map's last openings, if these are all that is new.
  bool continue_from(const Bindings& bound) {
    const std::shared_ptr<const Bindings::State>& before = bound.state_;
    const bool has_hashes = own_ != OwnReferences::Told && !before->hashed.empty();
    if (before->has_left_out && own_ != OwnReferences::Settled) return false;
    if (!has_hashes || !is_all_in_sight() || !is_continued(*before->map)) return false;
    state_->before = before;
    state_->has_left_out = before->has_left_out;
    state_->first_object = before->first_object + before->objects.size();
    state_->first_scope = before->scope_count();
    state_->order = before->order;
    state_->loaders_own = before->loaders_own;
    state_->loaders_own_turn = before->loaders_own_turn;
    state_->damages = before->damages;
    state_->wanted.continue_from(before->wanted);
    state_->tallies = before->tallies;
    state_->notable = before->notable;
    return true;
  }

  Result<Bindings> run() {
    make_scopes();
    // Where a provider is out of sight a reference counts though it may be the object's own.
    if (own_ != OwnReferences::Told && is_all_in_sight()) find_own_symbols();
    read_all_references();
    if (state_->before == nullptr) add_loaders_own();
    if (!error_) find_all_definitions();
    if (!error_) review_references();
    if (error_) return Unexpected{std::move(*error_)};
    settle();
    for (HashedSymbols& symbols : hashed_) symbols.values = {};
    state_->hashed = std::move(hashed_);
    Bindings bindings;
    bindings.state_ = std::move(state_);
    return bindings;
  }

  /// What is new decides which references to the old ones count: all is to be read again.
  [[nodiscard]] bool is_in_vain() const { return is_in_vain_; }
  /// Something was left out that matters after all.
  [[nodiscard]] bool lacks_references() const { return lacks_references_; }

 private:
  [[nodiscard]] bool is_all_in_sight() const {
    return std::all_of(map_.openings.begin(), map_.openings.end(),
                       [](const Opening& opening) { return opening.out_of_sight.empty(); });
  }

  /// Is the map `before` with more openings?
  [[nodiscard]] bool is_continued(const LinkMap& before) const {
    const bool is_longer =
        before.objects.size() <= map_.objects.size() && before.openings.size() <= map_.openings.size();
    if (!is_longer || before.system != map_.system || before.process != map_.process) return false;
    if (map_.loaded_by(before.openings.size()).second != before.objects.size()) return false;
    const auto is_same = [](const LoadedObject& a, const LoadedObject& b) {
      return a.path == b.path && a.role == b.role && a.space == b.space && a.status.id.inode == b.status.id.inode &&
             a.status.id.device == b.status.id.device;
    };
    return before.search_list == map_.search_list &&
           std::equal(before.objects.begin(), before.objects.end(), map_.objects.begin(), is_same);
  }

  [[nodiscard]] BoundObject& bound_object(ObjectIndex index) { return state_->objects[index - state_->first_object]; }
  [[nodiscard]] BindingScope& scope_at(std::size_t opening) { return state_->scopes[opening - state_->first_scope]; }
  /// Those that are bound here, in the order of relocation.
  [[nodiscard]] std::span<const ObjectIndex> new_order() const {
    return std::span(state_->order).subspan(state_->before == nullptr ? 0 : state_->before->order.size());
  }

  /// elf/dl-object.c:_dl_new_object, elf/dl-open.c: the global scope is what the start has loaded and
  /// what was opened with RTLD_GLOBAL before; an opening adds a list of its own behind or before it.
  void make_scopes() {
    const std::size_t first = state_->first_scope;
    if (first == 0) state_->order = relocation_order(map_);
    std::vector<std::vector<ObjectIndex>> globals = {map_.search_list};
    state_->objects.resize(map_.objects.size() - state_->first_object);
    state_->scopes.resize(map_.openings.size() + 1 - first);
    state_->tallies.resize(map_.openings.size() + 1);
    state_->notable.resize(map_.objects.size());
    if (first == 0) scope_at(0).list = map_.search_list;
    for (std::size_t i = 1; i <= map_.openings.size(); ++i) {
      const Opening& opening = map_.openings[i - 1];
      const auto append = [](std::vector<ObjectIndex>& to, const std::vector<ObjectIndex>& from) {
        for (const ObjectIndex object : from) {
          if (std::find(to.begin(), to.end(), object) == to.end()) to.push_back(object);
        }
      };
      std::vector<ObjectIndex> list;
      // In a namespace of its own the first object's list is the global scope.
      if (globals.size() <= opening.space) globals.resize(opening.space + 1);
      std::vector<ObjectIndex>& global = globals[opening.space];
      if (opening.space != 0 && global.empty()) global = opening.search_list;
      const bool own_first = is_deep(opening.mode.scope);
      append(list, own_first ? opening.search_list : global);
      append(list, own_first ? global : opening.search_list);
      if (is_global(opening.mode.scope)) append(global, opening.search_list);
      if (i < first) continue;
      scope_at(i).list = std::move(list);
      for (const ObjectIndex index : opening_order(map_, i)) {
        state_->order.push_back(index);
        bound_object(index).scope = i;
      }
    }
  }

  /// Which symbols need no lookup: those of whose bindings the loader has nothing to say.
  void find_own_symbols() {
    // LD_DYNAMIC_WEAK lets others win that are asked later.
    if (definition_rules_.is_dynamic_weak || !definition_rules_.compares_versions) return;
    if (state_->before != nullptr) hashed_ = state_->before->hashed;
    const std::size_t first = hashed_.size();
    hashed_.resize(map_.objects.size());
    is_unchanged_.assign(map_.objects.size(), false);
    for_each_index(hashed_.size() - first, jobs_, [&](unsigned thread, std::size_t index) {
      read_hashed(static_cast<ObjectIndex>(first + index), scratch_[thread]);
    });
    // Then any reference may matter.
    const bool needs_all = std::any_of(hashed_.begin(), hashed_.end(), [](const HashedSymbols& symbols) {
      return symbols.has_notable_unique || symbols.is_damaged;
    });
    is_in_vain_ |= needs_all && state_->before != nullptr;
    if (needs_all) return hashed_.clear();
    std::vector<bool> is_asked(hashed_.size(), false);
    for (std::size_t i = state_->first_scope; i < state_->scope_count(); ++i) {
      NotableHashes notable;
      for (const ObjectIndex index : scope_at(i).list) {
        if (index >= state_->first_object && bound_object(index).scope == i) {
          is_unchanged_[index] = notable.keep_quiet(hashed_[index]) == KeptQuiet::AllOfThem;
          is_asked[index] = true;
        }
        notable.enter(hashed_[index]);
      }
    }
    // Nobody finds what is in no list.
    for (std::size_t i = 0; i < hashed_.size(); ++i) {
      if (!is_asked[i]) hashed_[i].values.clear();
    }
  }

  /// Is it a file that other maps have as well?
  [[nodiscard]] bool is_shared(ObjectIndex index) const {
    const LoadedObject& object = map_.objects[index];
    return store_ != nullptr && object.role == ObjectRole::Library && object.live == nullptr &&
           object.status.id != FileId{};
  }

  void read_hashed(ObjectIndex index, ThreadScratch& scratch) {
    if (!is_shared(index)) return read_hashed_anew(index, scratch);
    const FileStatus& file = map_.objects[index].status;
    std::shared_ptr<const HashedSymbols> known = store_->find_hashed(file);
    if (known == nullptr) {
      read_hashed_anew(index, scratch);
      HashedSymbols& symbols = hashed_[index];
      if (symbols.is_damaged) return;
      if (symbols.is_complete) symbols.all = std::make_shared<const HashValues>(symbols.values);
      known = store_->keep(file, std::move(hashed_[index]));
    }
    hashed_[index] = *known;
  }

  void read_hashed_anew(ObjectIndex index, ThreadScratch& scratch) {
    const Result<ObjectFile> opened = open_object_file(map_, index);
    if (opened && opened->file == nullptr) return;
    if (opened) {
      TableReader reader(*opened->file, *opened->elf, scratch.tables, TableReader::Purpose::Hashes);
      hashed_[index] = read_hashed_symbols(reader, *opened->elf);
    } else {
      hashed_[index].is_complete = false;
    }
  }

  /// The first pass. Objects are read on all threads; what they refer to is merged in their order.
  void read_all_references() {
    const std::span<const ObjectIndex> order = new_order();
    if (is_in_vain_) return;
    if (jobs_ == 1) {
      Digest digest;
      for (const ObjectIndex index : order) {
        if (std::shared_ptr<const Digest> known = find_digest(index)) {
          if (!is_settled(index, known)) merge(index, *known);
          versions_.share(index, {known, &known->versions});
        } else {
          read(index, scratch_[0], digest);
          merge(index, digest);
          versions_.set(index, std::move(digest.versions));
        }
        if (error_) return;
      }
      return;
    }
    std::vector<Digest> digests(order.size());
    for_each_index(order.size(), jobs_,
                   [&](unsigned thread, std::size_t i) { read(order[i], scratch_[thread], digests[i]); });
    for (std::size_t i = 0; i < order.size() && !error_; ++i) {
      merge(order[i], digests[i]);
      versions_.set(order[i], std::move(digests[i].versions));
      digests[i] = Digest();
    }
  }

  [[nodiscard]] ReferenceReading reading_of(ObjectIndex index) const {
    return {!is_unchecked_[index], reference_rules_.tlsdesc_is_lazy};
  }

  /// Is it known of its references that they are found here? If not, what comes out is kept.
  bool is_settled(ObjectIndex index, const std::shared_ptr<const Digest>& digest) {
    if (own_ != OwnReferences::Settled || !digest->versions || digest->damage) return false;
    if (!settled_) settled_.emplace(map_, state_->order, hashed_, is_unchecked_);
    const std::shared_ptr<const SettledReferences> known =
        store_->find_settled(map_.objects[index].status, reading_of(index));
    if (known == nullptr) {
      to_settle_.emplace_back(index, digest);
      return false;
    }
    const bool is_covered = settled_->covers(index, *digest, *known, scope_at(bound_object(index).scope).list);
    state_->has_left_out |= is_covered;
    return is_covered;
  }

  void settle() {
    const bool is_odd = is_unique_notable_ || !state_->damages.empty();
    lacks_references_ = is_odd && state_->has_left_out;
    if (is_odd) return;
    for (const auto& [index, digest] : to_settle_) {
      const BoundObject& object = bound_object(index);
      if (auto settled = settled_->settle(index, object, scope_at(object.scope), *digest)) {
        store_->keep(map_.objects[index].status, reading_of(index), *std::move(settled));
      }
    }
  }

  /// That of the store, where this map reads it as all others do; nullptr: it is to be read.
  std::shared_ptr<const Digest> find_digest(ObjectIndex index) {
    if (!is_shared(index) || hashed_.empty() || !is_unchanged_[index] || map_.looks_in_itself(index)) return nullptr;
    const FileStatus& file = map_.objects[index].status;
    const ReferenceReading how = reading_of(index);
    if (std::shared_ptr<const Digest> known = store_->find_digest(file, how)) return known;
    Digest digest;
    read(index, scratch_[0], digest);
    // Messages have the path that this map has the file by.
    const bool is_whole = !digest.damage && digest.versions.has_value();
    if (is_whole) return store_->keep(file, how, std::move(digest));
    return std::make_shared<const Digest>(std::move(digest));
  }

  void read(ObjectIndex index, ThreadScratch& scratch, Digest& digest) const {
    Result<ObjectFile> opened = open_object_file(map_, index);
    if (!opened) {
      digest.versions = Unexpected{opened.error()};
      digest.damage = std::move(opened).error();
      return;
    }
    DigestRules rules{reference_rules_, definition_rules_};
    rules.has_version_table = !is_unchecked_[index];
    rules.looks_in_itself = map_.looks_in_itself(index);
    rules.own = hashed_of(index);
    read_digest(index, *opened, map_.objects[index].name(), rules, scratch, digest);
  }

  [[nodiscard]] const HashedSymbols* hashed_of(ObjectIndex index) const {
    return hashed_.empty() || map_.looks_in_itself(index) ? nullptr : &hashed_[index];
  }

  void merge(ObjectIndex index, const Digest& digest) {
    BoundObject& object = bound_object(index);
    if (digest.damage) {
      // A file that has gone is nobody's answer; damage is.
      if (digest.damage->code == ErrorCode::Unreadable || digest.damage->code == ErrorCode::LimitReached) {
        error_ = digest.damage;
        return;
      }
      interrupt(object, 0, {index, BindingDamage::Kind::Relocations, *digest.damage});
    }
    const ObjectReferences& from = digest.references;
    Bindings::Tally& tally = state_->tallies[map_.opening_of(index)];
    tally.references += from.own.references;
    tally.bound_lazily += from.own.lazy;
    LookupSet& lookups = scope_at(object.scope).lookups;
    object.references.reserve(from.references.size());
    bool is_stuck = false;
    bool is_lazy_stuck = false;
    for_each_lookup(digest, state_->wanted, lookups,
                    [&](const Reference& reference, const ReferredSymbol& symbol, LookupId lookup, VersionId version) {
      if (Lookup& entry = lookups.at(lookup); entry.referrer == kNoObject) {
        entry.referrer = index;
        entry.reference = symbol.index;
      }
      BoundReference bound;
      bound.symbol = symbol.index;
      bound.lookup = lookup;
      bound.lookup_class = class_of(reference.use);
      bound.is_weak = symbol.info >> 4 == STB_WEAK;
      bound.is_lazy = reference.is_lazy;
      bound.is_direct = symbol.has_value && !symbol.is_defined;
      if ((symbol.other & 3) == STV_PROTECTED && reference_rules_.honours_visibility) {
        bound.is_protected = true;
        note_protected(object, from.name_of(symbol), symbol, reference, version);
      }
      if (!digest.own_of.empty()) bound.own = digest.own_of[object.references.size()];
      if (reference.use == RelocationUse::Copy) {
        object.copy_sizes.emplace(object.references.size(), symbol.size_bytes);
      }
      const bool has_versym = (symbol.versym & kVersymIndex) != 0;
      bool& is_told = reference.is_lazy ? is_lazy_stuck : is_stuck;
      if (has_versym && definition_rules_.compares_versions && !digest.version_index.is_used() && !is_told) {
        is_told = true;
        interrupt(object, object.references.size(),
                  {index, BindingDamage::Kind::NoVersions, no_versions(index, symbol.index), 0,
                   reference.is_lazy ? BindingDamage::When::BindNow : BindingDamage::When::Always});
      }
      object.references.push_back(bound);
    });
    for (const TlsReference& tls : from.tls) {
      object.interruptions.push_back({tls.after, false, tls.reference, false, tls.use, tls.is_lazy});
    }
    if (!digest.damage) note_odd_types(object, index, from);
    if (!digest.damage && from.misplaced) interrupt(object, from.misplaced->after, misplaced(index, *from.misplaced));
    std::stable_sort(object.interruptions.begin(), object.interruptions.end(),
                     [](const auto& a, const auto& b) { return a.after < b.after; });
    object.own = digest.own;
  }

  void interrupt(BoundObject& object, std::size_t after, BindingDamage damage) {
    object.interruptions.push_back({after, true, state_->damages.size(), false, TlsUse::None, false});
    state_->damages.push_back(std::move(damage));
  }

  [[nodiscard]] BindingDamage misplaced(ObjectIndex index, const MisplacedRelocation& relocation) const {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), relocation.address, 16).ptr;
    return {index,
            BindingDamage::Kind::Relocations,
            {ErrorCode::Malformed,
             std::string(map_.objects[index].name()),
             {},
             "has a relocation of address 0x" + std::string(digits.data(), end) +
                 ", which is in no segment that can be written to"}};
  }

  [[nodiscard]] Error no_versions(ObjectIndex index, std::uint32_t symbol) const {
    return {
        ErrorCode::Malformed,
        std::string(map_.objects[index].name()),
        {},
        "has a version index for symbol " + std::to_string(symbol) + ", but the loader has no table of its versions"};
  }

  void note_odd_types(BoundObject& object, ObjectIndex index, const ObjectReferences& from) {
    using Kind = BindingDamage::Kind;
    using When = BindingDamage::When;
    if (from.unknown_lazy) {
      interrupt(object, from.unknown_lazy->after,
                {index, Kind::UnknownPltType, {}, from.unknown_lazy->type, When::Lazy});
    }
    if (from.unknown) {
      const When when = from.unknown->is_in_lazy_plt ? When::BindNow : When::Always;
      interrupt(object, from.unknown->after, {index, Kind::UnknownType, {}, from.unknown->type, when});
    }
  }

  /// A protected symbol of the object itself is bound to itself if a second lookup, for definitions
  /// only, finds another object (dl-lookup.c, the `protected` part).
  void note_protected(BoundObject& object, std::string_view name, const ReferredSymbol& symbol,
                      const Reference& reference, VersionId version) {
    LookupSet& lookups = scope_at(object.scope).lookups;
    ProtectedLookup further;
    const bool is_data = (symbol.info & 0xf) == STT_OBJECT && reference.use == RelocationUse::Data;
    if (is_data && system_.rules.follows_copies_of_protected_data) {
      further.second = lookups.intern(name, symbol.hash, version, LookupClass::Plain);
      further.past_program = lookups.intern(name, symbol.hash, version, LookupClass::Copy);
    } else {
      further.second = lookups.intern(name, symbol.hash, version, LookupClass::Plt);
      further.past_program = further.second;
    }
    object.protected_lookups.emplace(object.references.size(), further);
  }

  /// ld.so relocates itself anew when others may have replaced what it uses, and finds the malloc of
  /// the program (elf/dl-minimal.c:__rtld_malloc_init_real); since 2.41 also the program's copy of
  /// _r_debug.
  void add_loaders_own() {
    const std::vector<ObjectIndex>& order = state_->order;
    const auto is_loader = [&](ObjectIndex object) { return map_.objects[object].role == ObjectRole::Loader; };
    if (!system_.rules.looks_for_malloc || std::none_of(order.begin(), order.end(), is_loader)) return;
    const std::string_view first = first_libc_version(system_.rules.target);
    const VersionId version = state_->wanted.intern({first, {}, version_hash(first), false, false});
    const auto look_up = [&](std::string_view name, VersionId id) {
      state_->loaders_own.push_back(scope_at(0).lookups.intern(name, gnu_hash(name), id, LookupClass::Plain));
    };
    for (const std::string_view name : {"calloc", "free", "malloc", "realloc"}) look_up(name, version);
    if (system_.rules.always_lists_loader) {
      look_up("_r_debug", 0);
    } else {
      state_->loaders_own_turn = Bindings::State::Turn::BeforeLoader;
    }
  }

  /// The second pass: for each scope its objects in their order.
  void find_all_definitions() {
    for (BindingScope& scope : state_->scopes) {
      for (const ObjectIndex index : scope.list) versions_.of(index);
      if (scope.lookups.size() != 0 && !error_) find_definitions_in(scope);
      if (system_.rules.retries_lfs64 && !error_) retry_lfs64(scope);
    }
  }

  /// musl since 1.2.4: what is not found as open64 is libc's open (ldso/dynlink.c:get_lfs64).
  void retry_lfs64(BindingScope& scope) {
    const auto is_libc = [](const LoadedObject& object) { return object.role == ObjectRole::Loader; };
    const auto libc = std::find_if(map_.objects.begin(), map_.objects.end(), is_libc);
    if (libc == map_.objects.end()) return;
    LookupSet plain;
    std::vector<std::pair<LookupId, LookupId>> tries;  // in `plain`, and whose
    for (LookupId id = 0; id < scope.lookups.size(); ++id) {
      const Lookup& lookup = scope.lookups.at(id);
      if (lookup.found.object != kNoObject) continue;
      const std::string_view name = name_without_lfs64(lookup.name(), system_.rules);
      if (name.empty()) continue;
      tries.emplace_back(plain.intern(name, gnu_hash(name), 0, LookupClass::Plt), id);
    }
    const ObjectIndex index = static_cast<ObjectIndex>(libc - map_.objects.begin());
    if (tries.empty() || find_in(index, plain, scratch_[0])) return;
    for (const Hit& hit : scratch_[0].definitions.hits) {
      if (!hit.is_ignored) plain.take(hit.lookup, hit.definition, true);
    }
    for (const auto& [tried, id] : tries) {
      if (plain.at(tried).is_done) scope.lookups.take(id, plain.at(tried).found, true);
    }
  }

  /// By its hash values, where these are known.
  [[nodiscard]] bool may_define(ObjectIndex index, const LookupSet& lookups, const std::vector<LookupId>& open) const {
    if (index >= hashed_.size() || hashed_[index].all == nullptr) return true;
    const HashValues& values = *hashed_[index].all;
    // To read the object's table takes no longer then.
    if (open.size() > values.size_bytes()) return true;
    return std::any_of(open.begin(), open.end(), [&](LookupId id) { return values.has(lookups.at(id).hash); });
  }

  void find_definitions_in(BindingScope& scope) {
    const std::vector<ObjectIndex>& list = scope.list;
    std::vector<std::vector<Hit>> hits(jobs_ == 1 ? 1 : list.size());
    std::vector<std::optional<Error>> damage(list.size());
    const auto find = [&](unsigned thread, std::size_t i, std::vector<Hit>& into) {
      damage[i] = find_in(list[i], scope.lookups, scratch_[thread]);
      into.swap(scratch_[thread].definitions.hits);
    };
    if (jobs_ == 1) {
      std::vector<LookupId> open(scope.lookups.size());
      std::iota(open.begin(), open.end(), LookupId{0});
      std::size_t found = 0;  // since `open` was looked through
      for (std::size_t i = 0; i < list.size() && !error_; ++i) {
        if (!may_define(list[i], scope.lookups, open)) continue;
        find(0, i, hits[0]);
        merge_hits(list[i], hits[0], damage[i], scope);
        found += hits[0].size();
        if (found <= open.size() / 4) continue;
        std::erase_if(open, [&](LookupId id) { return scope.lookups.at(id).is_done; });
        found = 0;
      }
      return;
    }
    for_each_index(list.size(), jobs_, [&](unsigned thread, std::size_t i) { find(thread, i, hits[i]); });
    for (std::size_t i = 0; i < list.size() && !error_; ++i) {
      merge_hits(list[i], hits[i], damage[i], scope);
    }
  }

  /// The last pass, over what has been found: counts, and what the loader can have to say.
  void review_references() {
    std::vector<std::size_t> place(map_.objects.size(), 0);
    for (std::size_t i = 0; i < state_->order.size(); ++i) place[state_->order[i]] = i + 1;
    for (const ObjectIndex index : new_order()) {
      BoundObject& object = bound_object(index);
      const BindingScope& scope = state_->scope_of(index);
      bool is_told_again = false;
      for (std::size_t i = 0; i < object.references.size(); ++i) {
        const BoundReference& reference = object.references[i];
        count(scope, reference, state_->tallies[map_.opening_of(index)]);
        if (state_->is_plain(scope, reference)) continue;
        state_->notable[index].push_back(static_cast<std::uint32_t>(i));
        is_unique_notable_ |= can_be_unique(object, scope, i);
        const Definition& found = scope.lookups.at(reference.lookup).found;
        if (found.object == kNoObject) continue;
        is_told_again |= is_repeated(index, reference, found, place[found.object] > place[index]);
      }
      if (is_told_again) read_repeats(index, object);
      if (error_) return;
    }
    if (is_unique_notable_) add_unique();
  }

  [[nodiscard]] bool is_unique(const Definition& found) const {
    return system_.rules.has_unique && found.info >> 4 == STB_GNU_UNIQUE;
  }

  /// Does it depend on which definition of a unique symbol was bound first?
  [[nodiscard]] bool can_be_unique(const BoundObject& object, const BindingScope& scope, std::size_t index) const {
    const BoundReference& reference = object.references[index];
    return reference.is_protected || is_unique(scope.lookups.at(reference.lookup).found) ||
           (reference.own != 0 && is_unique(object.own[reference.own - 1].definition));
  }

  /// All that is bound to unique definitions, too, in its place.
  void add_unique() {
    for (ObjectIndex index = 0; index < state_->notable.size(); ++index) {
      const BoundObject& object = state_->object(index);
      const BindingScope& scope = state_->scope_of(index);
      std::vector<std::uint32_t>& notable = state_->notable[index];
      const std::vector<std::uint32_t> others = std::exchange(notable, {});
      auto other = others.begin();
      for (std::uint32_t i = 0; i < object.references.size(); ++i) {
        const BoundReference& reference = object.references[i];
        const bool is_other = other != others.end() && *other == i;
        if (is_other) ++other;
        if (is_other || is_unique(scope.lookups.at(reference.lookup).found)) {
          notable.push_back(i);
        }
      }
    }
  }

  static void count(const BindingScope& scope, const BoundReference& reference, Bindings::Tally& tally) {
    const bool is_bound = reference.own != 0 || scope.lookups.at(reference.lookup).found.object != kNoObject;
    ++tally.references;
    tally.bound_lazily += is_bound && reference.is_lazy;
    tally.unbound_weak += !is_bound && reference.is_weak;
  }

  /// An IFUNC in an object that is relocated later, and a protected symbol that the program copies or
  /// takes the address of: the loader says so at each relocation or lookup, not once.
  static bool is_repeated(ObjectIndex referrer, const BoundReference& reference, const Definition& found,
                          bool is_later) {
    return (is_later && (found.info & 0xf) == STT_GNU_IFUNC) ||
           (referrer == 0 && (found.other & 3) == STV_PROTECTED &&
            (reference.is_direct || reference.lookup_class == LookupClass::Copy));
  }

  void read_repeats(ObjectIndex index, BoundObject& object) {
    Result<ObjectFile> opened = open_object_file(map_, index);
    if (!opened) {
      error_ = std::move(opened).error();
      return;
    }
    TableReader reader(*opened->file, *opened->elf, scratch_[0].tables);
    ReferenceRules rules = reference_rules_;
    rules.wants_repeats = true;
    ObjectReferences from;
    const Result<VersionTables>& versions = versions_.of(index);
    if (!versions) return;
    const VersionIndex version_index = is_unchecked_[index] ? VersionIndex() : VersionIndex(*versions);
    const OwnSymbols own{hashed_of(index), &version_index};
    if (read_references(reader, *opened->elf, rules, own, {}, scratch_[0].references, from)) return;
    // References of one object are told apart by symbol, class and laziness.
    const auto key_of = [](std::uint32_t symbol, LookupClass lookup_class, bool is_lazy) {
      return std::uint64_t{symbol} << 8 | static_cast<std::uint64_t>(lookup_class) << 1 | std::uint64_t{is_lazy};
    };
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (std::size_t i = 0; i < object.references.size(); ++i) {
      const BoundReference& bound = object.references[i];
      known.emplace(key_of(bound.symbol, bound.lookup_class, bound.is_lazy), i);
    }
    for (const RepeatedReference& repeat : from.repeats) {
      const auto at = known.find(key_of(from.symbols[repeat.reference.symbol].index, class_of(repeat.reference.use),
                                        repeat.reference.is_lazy));
      if (at != known.end())
        object.interruptions.push_back({repeat.after, false, at->second, repeat.is_looked_up, TlsUse::None, false});
    }
    // What repeats stands before the damage that ends it.
    std::stable_sort(object.interruptions.begin(), object.interruptions.end(), [](const auto& a, const auto& b) {
      return std::pair(a.after, a.is_damage) < std::pair(b.after, b.is_damage);
    });
  }

  std::optional<Error> find_in(ObjectIndex index, const LookupSet& lookups, ThreadScratch& scratch) {
    scratch.definitions.hits.clear();
    const Result<VersionTables>& versions = versions_.of(index);
    if (!versions) return versions.error();
    Result<ObjectFile> opened = open_object_file(map_, index);
    if (!opened) return std::move(opened).error();
    if (opened->file == nullptr) return std::nullopt;
    TableReader reader(*opened->file, *opened->elf, scratch.tables, TableReader::Purpose::Definitions);
    const VersionIndex version_index = is_unchecked_[index] ? VersionIndex() : VersionIndex(*versions);
    const ProviderView provider{index, opened->elf, &version_index, map_.objects[index].name(),
                                index == 0 ? Asked::NotCopies : Asked::AllObjects};
    return find_definitions(reader, provider, definition_rules_, state_->wanted, scratch.definitions, lookups);
  }

  void merge_hits(ObjectIndex index, const std::vector<Hit>& hits, std::optional<Error>& damage, BindingScope& scope) {
    if (damage) {
      if (damage->code == ErrorCode::Unreadable || damage->code == ErrorCode::LimitReached) {
        error_ = std::move(damage);
        return;
      }
      // Told once, though several scopes have the object.
      const auto is_same = [&](const BindingDamage& known) {
        return known.object == index && known.kind == BindingDamage::Kind::Definitions;
      };
      if (std::none_of(state_->damages.begin(), state_->damages.end(), is_same)) {
        state_->damages.push_back({index, BindingDamage::Kind::Definitions, std::move(*damage)});
      }
      return;
    }
    for (const Hit& hit : hits) {
      LookupSet& lookups = scope.lookups;
      const bool is_passed_over = hit.is_ignored || !hit.is_final;
      const bool is_protected = (hit.definition.other & 3) == STV_PROTECTED;
      if (is_passed_over && (is_protected || hit.definition.is_unversioned) && !lookups.at(hit.lookup).is_done) {
        scope.passed_over[hit.lookup].push_back({index, is_protected, hit.definition.is_unversioned});
      }
      if (hit.is_ignored) continue;
      lookups.take(hit.lookup, hit.definition, hit.is_final);
      const Lookup& lookup = lookups.at(hit.lookup);
      if (lookup.lookup_class == LookupClass::Copy && lookup.found.object == index) {
        scope.copied_sizes[hit.lookup] = hit.size_bytes;
      }
    }
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  MapVersions& versions_;
  unsigned jobs_;
  OwnReferences own_;
  ObjectStore* store_;  ///< null: nothing is shared with other maps
  std::vector<ThreadScratch> scratch_;
  std::vector<HashedSymbols> hashed_;  ///< by object; empty if all references are told
  std::vector<bool> is_unchanged_;     ///< by object: no object before it has a say in `hashed_`
  std::vector<bool> is_unchecked_;     ///< by object: the loader has no table of its versions
  DefinitionRules definition_rules_;
  ReferenceRules reference_rules_;
  std::shared_ptr<Bindings::State> state_;
  bool is_in_vain_ = false;
  bool is_unique_notable_ = false;
  bool lacks_references_ = false;
  std::optional<SettledFiles> settled_;  ///< OwnReferences::Settled only
  std::vector<std::pair<ObjectIndex, std::shared_ptr<const Digest>>> to_settle_;
  std::optional<Error> error_;
};

Result<Bindings> bind_symbols(const LinkMap& map, MapVersions& versions, const BindOptions& options) {
  const auto bind = [&](Binder& binder) {
    Result<Bindings> bindings = binder.run();
    if (!binder.lacks_references()) return bindings;
    BindOptions all = options;
    all.own = OwnReferences::Counted;
    all.before = nullptr;
    return Binder(map, versions, all).run();
  };
  if (options.before != nullptr) {
    Binder binder(map, versions, options);
    if (binder.continue_from(*options.before)) {
      Result<Bindings> bindings = bind(binder);
      if (!binder.is_in_vain()) return bindings;
    }
  }
  Binder binder(map, versions, options);
  return bind(binder);
}

Result<Bindings> bind_symbols(const LinkMap& map, const BindOptions& options) {
  MapVersions versions(map);
  return bind_symbols(map, versions, options);
}

}  // namespace soresolve
