// The references of a map in the loader's order, put together again from what the Binder kept.
#include "soresolve/symbols.h"

#include <elf.h>

#include <utility>

#include "loader/system.h"
#include "symbols/bindings_state.h"
#include "symbols/references.h"

namespace soresolve {

Bindings::Bindings() : state_(std::make_shared<State>()) {
  state_->scopes.resize(1);
  state_->tallies.resize(1);
}
Bindings::~Bindings() = default;
Bindings::Bindings(Bindings&&) noexcept = default;
Bindings& Bindings::operator=(Bindings&&) noexcept = default;

const std::vector<ObjectIndex>& Bindings::relocation_order() const { return state_->order; }
const std::vector<ObjectIndex>& Bindings::scope(std::size_t dlopen_call) const {
  return state_->scope(dlopen_call).list;
}
const std::vector<BindingDamage>& Bindings::damages() const { return state_->damages; }
std::size_t Bindings::lookup_count() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < state_->scope_count(); ++i) count += state_->scope(i).lookups.size();
  return count;
}
const Bindings::Tally& Bindings::tally(std::size_t dlopen_call) const { return state_->tallies[dlopen_call]; }

namespace {

/// A relocation of the object's own thread-local storage names no symbol.
SymbolBinding own_variable(ObjectIndex object) {
  SymbolBinding binding;
  binding.referrer = object;
  binding.provider = object;
  binding.lookup_class = LookupClass::Plt;
  binding.type = STT_TLS;
  return binding;
}

/// Plays the references through, object by object, with the table of unique symbols that fills while
/// the loader does the same.
class Replay {
 public:
  explicit Replay(const Bindings::State& state) : state_(state) {}

  SymbolBinding bind(ObjectIndex referrer, std::size_t index) {
    const BoundObject& object = state_.object(referrer);
    const BoundReference& reference = object.references[index];
    const BindingScope& scope = state_.scope_of(referrer);
    const SymbolLookup& lookup = scope.lookups.at(reference.lookup);
    SymbolBinding binding;
    binding.referrer = referrer;
    binding.symbol = lookup.name();
    binding.has_version = lookup.version != 0;
    if (binding.has_version) binding.version = state_.wanted.at(lookup.version).name;
    binding.lookup_class = reference.lookup_class;
    binding.symbol_index = reference.symbol;
    binding.is_weak = reference.is_weak;
    binding.is_lazy = reference.is_lazy && may_wait(referrer, lookup, reference);
    binding.is_protected = reference.is_protected;
    binding.is_direct = reference.is_direct;
    binding.wants_tls = reference.wants_tls;
    if (const auto size = object.copy_sizes.find(index); size != object.copy_sizes.end()) {
      binding.wanted_size_bytes = size->second;
      const auto copied = scope.copied_sizes.find(reference.lookup);
      if (copied != scope.copied_sizes.end()) binding.size_bytes = copied->second;
    }
    const Definition* definition = &lookup.found;
    bool is_own = false;
    if (reference.own != 0) {
      const OwnDefinition& own = object.own[reference.own - 1];
      // Remembered, and nothing strong found later.
      is_own = own.is_final || !lookup.is_done;
      if (is_own) definition = &own.definition;
    }
    if (const auto passed = scope.passed_over.find(reference.lookup); passed != scope.passed_over.end() && !is_own) {
      for (const PassedOver& symbol : passed->second) {
        // A weak one that LD_DYNAMIC_WEAK left in doubt, and that nothing stronger has replaced.
        const bool is_taken = symbol.object == definition->object;
        if (symbol.is_protected && !is_taken) binding.protected_passed_over.push_back(symbol.object);
        if (symbol.is_unversioned) note_unversioned(symbol.object, lookup, binding);
      }
    }
    if (definition->object == kNoObject) return binding;
    // It is the definition that the search looked at, whatever stands in for it.
    if (definition->is_unversioned) note_unversioned(definition->object, lookup, binding);
    Definition found = as_unique(*definition, binding);
    if (reference.is_protected) {
      found = keep_protected(found, binding, object, index, is_own ? definition : nullptr);
    }
    take(found, binding);
    return binding;
  }

  SymbolBinding bind_loaders_own(LookupId id) {
    const SymbolLookup& lookup = state_.scope(0).lookups.at(id);
    SymbolBinding binding;
    binding.referrer = 0;
    binding.symbol = lookup.name();
    binding.has_version = lookup.version != 0;
    if (binding.has_version) binding.version = state_.wanted.at(lookup.version).name;
    binding.is_loaders_own = true;
    if (lookup.found.object != kNoObject) take(as_unique(lookup.found, binding), binding);
    return binding;
  }

 private:
  /// musl leaves only what it does not find, of what is opened with RTLD_LAZY (ldso/dynlink.c:do_relocs).
  [[nodiscard]] bool may_wait(ObjectIndex referrer, const SymbolLookup& lookup, const BoundReference& reference) const {
    if (state_.map->system->rules.libc != Libc::Musl) return true;
    return state_.map->dlopen_call_of(referrer) != 0 && reference.own == 0 && lookup.found.object == kNoObject;
  }

  /// The first definition of a STB_GNU_UNIQUE symbol that was bound to stands for all (do_lookup_unique).
  Definition as_unique(const Definition& found, const SymbolBinding& binding) {
    if (found.info >> 4 != STB_GNU_UNIQUE || !state_.map->system->rules.has_unique) return found;
    const auto [entry, is_new] = unique_of(binding.referrer).try_emplace(binding.symbol, first_unique(found, binding));
    const bool is_copy = binding.lookup_class == LookupClass::Copy;
    if (!is_new || (!is_copy && entry->second.object != found.object)) return is_copy ? found : entry->second;
    if (binding.lookup_class == LookupClass::Copy) {
      // The program's copy is what others get.
      entry->second.object = binding.referrer;
      entry->second.symbol = binding.symbol_index;
    }
    return found;
  }

  /// The one that a live process has bound before, if it was loaded before what the search finds now.
  [[nodiscard]] const Definition& first_unique(const Definition& found, const SymbolBinding& binding) const {
    if (state_.map->objects[binding.referrer].space != 0) return found;
    const auto known = state_.live_unique.find(binding.symbol);
    return known != state_.live_unique.end() && known->second.object < found.object ? known->second : found;
  }

  std::unordered_map<std::string_view, Definition>& unique_of(ObjectIndex referrer) {
    const std::size_t space = state_.map->objects[referrer].space;
    if (unique_.size() <= space) unique_.resize(space + 1);
    return unique_[space];
  }

  /// `own`: what the object's own scope has found first.
  Definition keep_protected(const Definition& found, const SymbolBinding& binding, const BoundObject& object,
                            std::size_t index, const Definition* own) {
    if (binding.lookup_class == LookupClass::Plt) return itself(found, binding);
    const ProtectedLookup& further = object.protected_lookups.at(index);
    const LookupSet& lookups = state_.scope(object.scope).lookups;
    const Definition* other = own;
    if (other == nullptr) {
      other = &lookups.at(further.second).found;
      // Up to 2.35 a program that has copied the data keeps its copy.
      if (other->object == 0 && further.past_program != further.second && is_copied(binding.symbol)) {
        other = &lookups.at(further.past_program).found;
      }
    }
    ObjectIndex provider = other->object;
    if (provider != kNoObject && other->info >> 4 == STB_GNU_UNIQUE) {
      provider =
          unique_of(binding.referrer).try_emplace(binding.symbol, first_unique(*other, binding)).first->second.object;
    }
    return provider != kNoObject && provider != binding.referrer ? itself(found, binding) : found;
  }

  static Definition itself(Definition found, const SymbolBinding& binding) {
    found.object = binding.referrer;
    found.symbol = binding.symbol_index;
    return found;
  }

  /// Has the program a copy relocation of this name?
  [[nodiscard]] bool is_copied(std::string_view name) const {
    for (const BoundReference& reference : state_.object(0).references) {
      if (reference.lookup_class == LookupClass::Copy && state_.scope(0).lookups.at(reference.lookup).name() == name) {
        return true;
      }
    }
    return false;
  }

  static void take(const Definition& found, SymbolBinding& binding) {
    binding.provider = found.object;
    binding.provider_index = found.symbol;
    binding.type = found.info & 0xf;
    binding.is_unique = found.info >> 4 == STB_GNU_UNIQUE;
    binding.is_definition_protected = (found.other & 3) == STV_PROTECTED;
  }

  void note_unversioned(ObjectIndex provider, const SymbolLookup& lookup, SymbolBinding& binding) const {
    if (lookup.version == 0) return;
    const WantedVersion& version = state_.wanted.at(lookup.version);
    binding.is_unversioned_where_required |=
        version.has_file && state_.map->objects[provider].matches_name(version.file);
  }

  const Bindings::State& state_;
  std::vector<std::unordered_map<std::string_view, Definition>> unique_;  ///< by namespace
};

}  // namespace

void Bindings::for_each(const std::function<void(const Event&)>& visit) const { play(Which::All, visit); }
void Bindings::for_each_notable(const std::function<void(const Event&)>& visit) const { play(Which::Notable, visit); }

void Bindings::play(Which which, const std::function<void(const Event&)>& visit) const {
  Replay replay(*state_);
  const auto visit_loaders_own = [&] {
    for (const LookupId id : state_->loaders_own) {
      const SymbolBinding binding = replay.bind_loaders_own(id);
      visit({&binding, nullptr});
    }
  };
  for (const ObjectIndex index : state_->order) {
    const bool is_loader = state_->map->objects[index].role == ObjectRole::Loader;
    if (is_loader && state_->loaders_own_turn == State::Turn::BeforeLoader) visit_loaders_own();
    const BoundObject& object = state_->object(index);
    auto interruption = object.interruptions.begin();
    const auto visit_interruptions = [&](std::size_t before) {
      for (; interruption != object.interruptions.end() && interruption->after <= before; ++interruption) {
        if (interruption->is_damage) {
          visit({nullptr, &state_->damages[interruption->index]});
        } else {
          SymbolBinding binding = interruption->index == TlsReference::kItself
                                      ? own_variable(index)
                                      : replay.bind(index, interruption->index);
          binding.tls_use = interruption->tls_use;
          if (binding.tls_use != TlsUse::None) binding.is_lazy = interruption->is_lazy;
          binding.is_repeated = true;
          binding.is_looked_up = interruption->is_looked_up;
          visit({&binding, nullptr});
        }
      }
    };
    const auto visit_reference = [&](std::size_t i) {
      visit_interruptions(i);
      const SymbolBinding binding = replay.bind(index, i);
      visit({&binding, nullptr});
    };
    if (which == Which::Notable) {
      for (const std::uint32_t i : state_->notable[index]) visit_reference(i);
    } else {
      for (std::size_t i = 0; i < object.references.size(); ++i) visit_reference(i);
    }
    visit_interruptions(object.references.size());
    if (is_loader && state_->loaders_own_turn == State::Turn::AfterLoader) visit_loaders_own();
  }
}

}  // namespace soresolve
