// The first pass: what each object refers to, in the order of relocation, and what ends its relocation early. Source:
// glibc 2.36 elf/dl-reloc.c:_dl_relocate_object, elf/do-rel.h.
#include "symbols/binder_passes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/parallel.h"
#include "elf/elf_numbers.h"
#include "loader/load.h"
#include "loader/system.h"
#include "symbols/gnu_hash.h"
#include "symbols/version_tables.h"

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
    case EM_LOONGARCH: return "GLIBC_2.36";
    default: return "GLIBC_2.0";
  }
}

}  // namespace

// The first pass. Objects are read on all threads; what they refer to is merged in their order.
void Binder::read_all_references() {
  const std::span<const ObjectIndex> order = new_order();
  if (is_in_vain_) return;
  if (jobs_ == 1) {
    ObjectDigest digest;
    for (const ObjectIndex index : order) {
      if (std::shared_ptr<const ObjectDigest> known = find_digest(index)) {
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
  std::vector<ObjectDigest> digests(order.size());
  for_each_index(order.size(), jobs_,
                 [&](unsigned thread, std::size_t i) { read(order[i], scratch_[thread], digests[i]); });
  for (std::size_t i = 0; i < order.size() && !error_; ++i) {
    merge(order[i], digests[i]);
    versions_.set(order[i], std::move(digests[i].versions));
    digests[i] = ObjectDigest();
  }
}

ReferenceReading Binder::reading_of(ObjectIndex index) const {
  return {!is_unchecked_[index], reference_rules_.tlsdesc_is_lazy};
}

// Is it known of its references that they are found here? If not, what comes out is kept.
bool Binder::is_settled(ObjectIndex index, const std::shared_ptr<const ObjectDigest>& digest) {
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

void Binder::settle() {
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

// That of the store, where this map reads it as all others do; nullptr: it is to be read.
std::shared_ptr<const ObjectDigest> Binder::find_digest(ObjectIndex index) {
  if (!is_shared(index) || hashed_.empty() || !is_unchanged_[index] || map_.looks_in_itself(index)) return nullptr;
  const FileStatus& file = map_.objects[index].status;
  const ReferenceReading how = reading_of(index);
  if (std::shared_ptr<const ObjectDigest> known = store_->find_digest(file, how)) return known;
  ObjectDigest digest;
  read(index, scratch_[0], digest);
  // Messages have the path that this map has the file by.
  const bool is_whole = !digest.damage && digest.versions.has_value();
  if (is_whole) return store_->keep(file, how, std::move(digest));
  return std::make_shared<const ObjectDigest>(std::move(digest));
}

void Binder::read(ObjectIndex index, ThreadScratch& scratch, ObjectDigest& digest) const {
  Result<ObjectFile> opened = open_object_file(map_, index);
  if (!opened) {
    digest.versions = Unexpected{opened.error()};
    digest.damage = std::move(opened).error();
    return;
  }
  DigestRules rules{rules_for(index), definition_rules_};
  rules.has_version_table = !is_unchecked_[index];
  rules.looks_in_itself = map_.looks_in_itself(index);
  rules.own = hashed_of(index);
  read_digest(index, *opened, map_.objects[index].name(), rules, scratch, digest);
}

ReferenceRules Binder::rules_for(ObjectIndex index) const {
  ReferenceRules rules = reference_rules_;
  rules.text = text_relocations(system_.rules.libc, index == 0 && process_.start == Start::Kernel);
  return rules;
}

void Binder::merge(ObjectIndex index, const ObjectDigest& digest) {
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
  Bindings::Tally& tally = state_->tallies[map_.dlopen_call_of(index)];
  tally.references += from.own.references;
  tally.bound_lazily += from.own.lazy;
  LookupSet& lookups = scope_at(object.scope).lookups;
  object.references.reserve(from.references.size());
  bool is_stuck = false;
  bool is_lazy_stuck = false;
  for_each_lookup(
      digest, state_->wanted, lookups,
      [&](const Reference& reference, const ReferredSymbol& symbol, LookupId lookup, VersionId version) {
        if (SymbolLookup& entry = lookups.at(lookup); entry.referrer == kNoObject) {
          entry.referrer = index;
          entry.reference = symbol.index;
        }
        BoundReference bound;
        bound.symbol = symbol.index;
        bound.lookup = lookup;
        bound.lookup_class = class_of(reference.use);
        bound.is_weak = symbol.info >> 4 == STB_WEAK;
        bound.is_lazy = reference.is_lazy;
        bound.wants_tls = (symbol.info & 0xf) == STT_TLS;
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
        bool& is_reported = reference.is_lazy ? is_lazy_stuck : is_stuck;
        if (has_versym && definition_rules_.compares_versions && !digest.version_index.is_used() && !is_reported) {
          is_reported = true;
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

void Binder::interrupt(BoundObject& object, std::size_t after, BindingDamage damage) {
  object.interruptions.push_back({after, true, state_->damages.size(), false, TlsUse::None, false});
  state_->damages.push_back(std::move(damage));
}

BindingDamage Binder::misplaced(ObjectIndex index, const MisplacedRelocation& relocation) const {
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

Error Binder::no_versions(ObjectIndex index, std::uint32_t symbol) const {
  return {ErrorCode::Malformed,
          std::string(map_.objects[index].name()),
          {},
          "has a version index for symbol " + std::to_string(symbol) + ", but the loader has no table of its versions"};
}

void Binder::note_odd_types(BoundObject& object, ObjectIndex index, const ObjectReferences& from) {
  using Kind = BindingDamage::Kind;
  using When = BindingDamage::When;
  if (from.unknown_lazy) {
    interrupt(object, from.unknown_lazy->after, {index, Kind::UnknownPltType, {}, from.unknown_lazy->type, When::Lazy});
  }
  if (from.unknown) {
    const When when = from.unknown->is_in_lazy_plt ? When::BindNow : When::Always;
    interrupt(object, from.unknown->after, {index, Kind::UnknownType, {}, from.unknown->type, when});
  }
}

// ld.so relocates itself anew when others may have replaced what it uses, and finds the malloc of
// the program (elf/dl-minimal.c:__rtld_malloc_init_real); since 2.41 also the program's copy of
// _r_debug.
void Binder::add_loaders_own() {
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
// A protected symbol of the object itself is bound to itself if a second lookup, for definitions
// only, finds another object (dl-lookup.c, the `protected` part).
void Binder::note_protected(BoundObject& object, std::string_view name, const ReferredSymbol& symbol,
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

}  // namespace soresolve
