// Binds each symbol reference of a link map to its definition: glibc's _dl_lookup_symbol_x for all of them at once.
//
// Source: glibc 2.36 elf/dl-lookup.c, elf/dl-open.c for scopes. Left out: the GOT of MIPS, names that audit modules
// replace.
//
// The loader asks for one symbol at a time: it goes through the objects of the scope, and through the hash table of
// each until one defines it. 10^5 references times 200 objects would be most of the time of an answer. So the two loops
// are exchanged: each provider's table is read once, from front to back, and each of its entries asks a set of all
// wanted names. The steps of run():
//
//   make_scopes            where each object looks: the global scope, for a dlopened one its own list behind it, or
//                          before it with RTLD_DEEPBIND
//   find_own_symbols       which symbols of an object cannot be defined by any before it: they bind to itself
//   read_all_references    what each object refers to (references.cc); equal names become one wanted lookup
//   find_all_definitions   objects in the order of scopes, each for the lookups that no object before it has answered
//                          (definitions.cc)
//   review_references      what follows from the answers, in the order of relocation: what is undefined, unique
//                          symbols (STB_GNU_UNIQUE), symbols of another kind, copy relocations
//   settle                 which objects' results hold in a later map, too (settled.h)
//
// Objects are read by several threads; results are merged in load order, so that their number changes nothing. Where
// the files were bound before in the same scope, nothing is read again (continue_from, settled.h): of the 3,000 modules
// of a tree most share the libraries of their process.
#include "symbols/map_versions.h"

#include <algorithm>
#include <utility>

#include "loader/dependency_sort.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "symbols/binder_passes.h"

namespace soresolve {

Binder::Binder(const LinkMap& map, MapVersions& versions, const BindOptions& options)
    : system_(*map.system), process_(*map.process), map_(map), versions_(versions), jobs_(std::max(options.jobs, 1u)),
      own_(options.own), store_(map.system->store.get()), scratch_(jobs_), state_(std::make_shared<Bindings::State>()) {
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
  for (const DlopenCall& dlopen_call : map.dlopen_calls) {
    for (const ObjectIndex object : dlopen_call.search_list) {
      if (object >= dlopen_call.first_new) is_unchecked_[object] = false;
    }
  }
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    if (map.objects[i].role == ObjectRole::Loader) is_unchecked_[i] = false;
  }
}

// Takes over what was bound before the map's last dlopen calls, if these are all that is new.
bool Binder::continue_from(const Bindings& bound) {
  const std::shared_ptr<const Bindings::State>& before = bound.state_;
  const bool has_hashes = own_ != OwnReferences::Reported && !before->hashed.empty();
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
  state_->live_unique = before->live_unique;
  return true;
}

Result<Bindings> Binder::run() {
  make_scopes();
  // Where a provider is out of sight a reference counts though it may be the object's own.
  if (own_ != OwnReferences::Reported && is_all_in_sight()) find_own_symbols();
  read_all_references();
  if (state_->before == nullptr) add_loaders_own();
  if (!error_) find_all_definitions();
  if (!error_) find_live_unique();
  if (!error_) review_references();
  if (error_) return Unexpected{std::move(*error_)};
  settle();
  for (HashedSymbols& symbols : hashed_) symbols.values = {};
  state_->hashed = std::move(hashed_);
  Bindings bindings;
  bindings.state_ = std::move(state_);
  return bindings;
}

bool Binder::is_all_in_sight() const {
  return std::all_of(map_.dlopen_calls.begin(), map_.dlopen_calls.end(),
                     [](const DlopenCall& dlopen_call) { return dlopen_call.out_of_sight.empty(); });
}

// Is the map `before` with more dlopen calls?
bool Binder::is_continued(const LinkMap& before) const {
  const bool is_longer =
      before.objects.size() <= map_.objects.size() && before.dlopen_calls.size() <= map_.dlopen_calls.size();
  if (!is_longer || before.system != map_.system || before.process != map_.process) return false;
  if (map_.loaded_by(before.dlopen_calls.size()).second != before.objects.size()) return false;
  const auto is_same = [](const LoadedObject& a, const LoadedObject& b) {
    return a.path == b.path && a.role == b.role && a.space == b.space && a.status.id.inode == b.status.id.inode &&
           a.status.id.device == b.status.id.device;
  };
  return before.search_list == map_.search_list &&
         std::equal(before.objects.begin(), before.objects.end(), map_.objects.begin(), is_same);
}

// Those that are bound here, in the order of relocation.
std::span<const ObjectIndex> Binder::new_order() const {
  return std::span(state_->order).subspan(state_->before == nullptr ? 0 : state_->before->order.size());
}

// elf/dl-object.c:_dl_new_object, elf/dl-open.c: the global scope is what the start has loaded and
// what was opened with RTLD_GLOBAL before; a dlopen call adds a list of its own behind or before it.
void Binder::make_scopes() {
  const std::size_t first = state_->first_scope;
  if (first == 0) state_->order = relocation_order(map_);
  std::vector<std::vector<ObjectIndex>> globals = {map_.search_list};
  state_->objects.resize(map_.objects.size() - state_->first_object);
  state_->scopes.resize(map_.dlopen_calls.size() + 1 - first);
  state_->tallies.resize(map_.dlopen_calls.size() + 1);
  state_->notable.resize(map_.objects.size());
  if (first == 0) scope_at(0).list = map_.search_list;
  for (std::size_t i = 1; i <= map_.dlopen_calls.size(); ++i) {
    const DlopenCall& dlopen_call = map_.dlopen_calls[i - 1];
    const auto append = [](std::vector<ObjectIndex>& to, const std::vector<ObjectIndex>& from) {
      for (const ObjectIndex object : from) {
        if (std::find(to.begin(), to.end(), object) == to.end()) to.push_back(object);
      }
    };
    std::vector<ObjectIndex> list;
    // In a namespace of its own the first object's list is the global scope.
    if (globals.size() <= dlopen_call.space) globals.resize(dlopen_call.space + 1);
    std::vector<ObjectIndex>& global = globals[dlopen_call.space];
    if (dlopen_call.space != 0 && global.empty()) global = dlopen_call.search_list;
    const bool own_first = is_deep(dlopen_call.mode.scope);
    append(list, own_first ? dlopen_call.search_list : global);
    append(list, own_first ? global : dlopen_call.search_list);
    if (is_global(dlopen_call.mode.scope)) append(global, dlopen_call.search_list);
    if (i < first) continue;
    scope_at(i).list = std::move(list);
    for (const ObjectIndex index : dlopen_call_order(map_, i)) {
      state_->order.push_back(index);
      bound_object(index).scope = i;
    }
  }
}

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
