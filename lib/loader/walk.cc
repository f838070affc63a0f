// The driver of a walk: which objects a process loads, in which order, each by which request.
//
// A start is glibc's elf/rtld.c:dl_main up to the relocation, in its order, and run() below reads like it:
//
//   1  the program (start_main), ld.so itself and the vDSO are the first entries of the list
//   2  LD_LIBRARY_PATH is split once, with the program's $ORIGIN
//   3  auditors are noted, never run
//   4  preloads: LD_PRELOAD, then ld.so.preload (walk_start.cc)
//   5  DT_NEEDED breadth first, as elf/dl-deps.c:_dl_map_object_deps does it (walk_dependencies)
//   6  ld.so moves to where the first request for it stands (place_loader)
//   7  needed versions: the file that DT_VERNEED names has to be loaded (check_version_files); the versions in it
//      are compared later, by lib/symbols
//   8  dlopen calls that the caller asks for, one after the other (walk_dlopen.cc)
//
// One request, at whichever step, is Walk::request (walk_request.cc). A live process begins with what its own list says
// instead of steps 1 to 7 (walk_live.cc). Relocation comes later (lib/symbols); constructors are not modelled.
//
// The queue of step 5 is a linked list and not a deque, because a filter (DT_FILTER, DT_AUXILIARY) inserts its filtees
// before the object that has it, and that object is then walked again behind them: in
//
//   prog NEEDED a, b      a AUXILIARY f      f NEEDED c
//
// the list becomes prog, f, a, b, c. Each round through a cycle of filters takes of the loader's stack, so that after
// kMaxRounds the answer is a crash, not a hang.
//
// The loader stops at its first fatal error. Here the walk goes on where the caller wants more (OnFatal), with a
// placeholder in the object's place: that is what trace mode, and so ldd, does.
#include "loader/walk.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace soresolve {

Walk::Walk(std::shared_ptr<const System> system, std::shared_ptr<const Process> process, const LoadOptions& options)
    : system_(*system), process_(*process), options_(options), search_(system_, process_, options.max_attempts),
      lists_(system_, process_, search_.directories()) {
  map_.requested = options.dlopen_calls;
  map_.system = std::move(system);
  map_.process = std::move(process);
}

std::string_view Walk::keep(std::string_view text) { return map_.text.keep(text); }

ObjectIndex Walk::add_object(LoadedObject object) {
  const ObjectIndex index = static_cast<ObjectIndex>(map_.objects.size());
  object.space = space_;
  has_unmapped_names_ |= object.elf.unmapped_names.has_value();
  map_.objects.push_back(std::move(object));
  is_queued_.push_back(false);
  is_out_of_sight_.push_back(false);
  list_.push_back(index);
  if (head_ == kNoObject) head_ = index;
  if (map_.objects.size() > kMaxObjects && !error_) {
    error_ = Error{ErrorCode::LimitReached,
                   std::string(map_.main().name()),
                   {},
                   "needs more than " + std::to_string(kMaxObjects) + " objects"};
    is_over_ = true;
  }
  return index;
}

void Walk::add_name(ObjectIndex object, std::string_view name) {
  LoadedObject& to = map_.objects[object];
  if (name == to.requested_name) return;
  if (std::find(to.other_names.begin(), to.other_names.end(), name) != to.other_names.end()) return;
  to.other_names.push_back(name);
  index_.add(name, object);
}

void edit_tags(LoadedObject& object, const LoadOptions& options, TextArena& text) {
  for (const TagEdit& edit : options.tag_edits) {
    if (edit.file != object.status.id) continue;
    object.elf.rpath.reset();
    object.elf.runpath.reset();
    if (edit.rpath) object.elf.rpath = text.keep(*edit.rpath);
    if (edit.runpath) object.elf.runpath = text.keep(*edit.runpath);
  }
  for (const NeedEdit& edit : options.need_edits) {
    if (edit.file != object.status.id) continue;
    if (edit.from.empty()) {
      NeedEntry added;
      added.name = text.keep(edit.to);
      object.elf.needs.insert(object.elf.needs.begin(), added);
      continue;
    }
    for (NeedEntry& need : object.elf.needs) {
      if (need.name == edit.from) need.name = text.keep(edit.to);
    }
    std::replace(object.elf.version_files.begin(), object.elf.version_files.end(), std::string_view(edit.from),
                 text.keep(edit.to));
  }
}

void Walk::keep_file(LoadedObject& object, std::unique_ptr<File> file) {
  if (open_files_ >= kMaxOpenFiles) return;
  ++open_files_;
  object.file = std::move(file);
}

Result<LinkMap> Walk::run(std::string_view file, OpenedObject opened) {
  map_.file = file;
  map_.objects.reserve(256);
  if (auto error = start_main(file, std::move(opened))) return Unexpected{std::move(*error)};
  add_loader();
  add_vdso();
  // LD_LIBRARY_PATH is split once, with the program's tokens; AT_SECURE drops it.
  if (const auto value = lists_.library_path()) {
    search_.set_library_path(keep(*value), lists_.token_values(map_, 0));
  }
  search_.set_program(own_program(map_));
  note_auditors();
  if (process_.live) {
    if (auto error = adopt_live_objects()) return Unexpected{std::move(*error)};
    make_dlopen_calls();
    if (error_) return Unexpected{std::move(*error_)};
    return std::move(map_);
  }
  if (!check_start_arguments() || !check_program_stack() || !check_program_strings()) {
    map_.search_list = {0};
    place_loader();
    return std::move(map_);
  }
  load_preloads();
  if (auto error = queue_roots(file)) return Unexpected{std::move(*error)};
  map_.search_list = walk_dependencies();
  if (map_.first_fatal_in_trace() == nullptr) assert_program_first(EndsTrace::Yes);
  if (error_) return Unexpected{std::move(*error_)};
  if (!is_over_ && check_loader_is_not_first()) check_loader_place();
  place_loader();
  if (!is_over_) check_version_files();
  make_dlopen_calls();
  if (error_) return Unexpected{std::move(*error_)};
  map_.attempts = search_.attempts();
  return std::move(map_);
}

void Walk::append_to_queue(ObjectIndex object) {
  queue_.push_back({object, false, -1});
  const int node = static_cast<int>(queue_.size()) - 1;
  if (queue_tail_ >= 0) queue_[static_cast<std::size_t>(queue_tail_)].next = node;
  queue_tail_ = node;
  is_queued_[object] = true;
}

std::vector<ObjectIndex> Walk::walk_dependencies() {
  const auto at = [&](int node) -> QueueNode& { return queue_[static_cast<std::size_t>(node)]; };
  search_.clear_errno();
  int node = queue_.empty() ? -1 : 0;
  while (node >= 0 && !is_over_) {
    at(node).is_done = true;
    const ObjectIndex object = at(node).object;
    if (walks_.size() <= object) walks_.resize(map_.objects.size());
    if (++walks_[object] > kMaxRounds) {
      give_up_circle(object);
      break;
    }
    int insert_at = node;
    const std::size_t count = map_.objects[object].elf.needs.size();
    map_.objects[object].needs.reserve(count + map_.objects[object].needs.size());
    for (std::size_t i = 0; i < count && !is_over_; ++i) {
      const std::optional<UnmappedNames>& unmapped = map_.objects[object].elf.unmapped_names;
      if (unmapped && i >= unmapped->needs_from) {
        give_up_unmapped_name(object);
        break;
      }
      const NeedEntry entry = map_.objects[object].elf.needs[i];
      if (entry.kind == NeedKind::Needed) {
        const Resolved resolved = request(object, entry.kind, entry.name);
        if (resolved.object != kNoObject && !is_queued_[resolved.object]) {
          append_to_queue(resolved.object);
        }
      } else {
        insert_at = follow_filter(insert_at, entry);
      }
    }
    // A filtee took this node's place in the queue: it is still to be walked.
    if (!at(node).is_done) continue;
    do {
      node = at(node).next;
    } while (node >= 0 && at(node).is_done);
  }
  std::vector<ObjectIndex> list;
  for (int n = queue_.empty() ? -1 : 0; n >= 0; n = at(n).next) {
    if (map_.objects[at(n).object].role != ObjectRole::Placeholder) list.push_back(at(n).object);
  }
  return list;
}

/// Filters that lead back to themselves: each filtee is walked again and again, and each round takes
/// of the loader's stack (alloca in elf/dl-deps.c) until it dies.
void Walk::give_up_circle(ObjectIndex object) {
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Crash;
  failure.needer = object;
  failure.object = std::string(map_.objects[object].name());
  failure.text = std::string(kCircle);
  failure.is_fatal_in_trace = true;
  map_.failures.push_back(std::move(failure));
  is_over_ = true;
}

/// A name that lies where nothing is mapped kills the loader when it reads it.
void Walk::give_up_unmapped_name(ObjectIndex object) {
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Crash;
  failure.needer = object;
  failure.object = std::string(map_.objects[object].name());
  failure.text = map_.objects[object].elf.unmapped_names->error.message;
  failure.is_fatal_in_trace = true;
  map_.failures.push_back(std::move(failure));
  is_over_ = true;
}

/// Up to 2.31 the search list must begin with the program, or with what is opened, when its dependencies
/// are sorted, after an error, too (elf/dl-deps.c:_dl_map_object_deps). A filter of its own takes that
/// place.
bool Walk::is_program_first() const {
  int node = queue_.empty() ? -1 : 0;
  const auto at = [&](int n) -> const QueueNode& { return queue_[static_cast<std::size_t>(n)]; };
  while (node >= 0 && map_.objects[at(node).object].role == ObjectRole::Placeholder) {
    node = at(node).next;  // a normal start has no placeholders
  }
  return node < 0 || at(node).object == walk_root_;
}

void Walk::assert_program_first(EndsTrace ends_trace) {
  if (!system_.rules.asserts_program_first || process_.start == Start::Dlopen) return;
  if (is_program_first()) return;
  const bool is_in_trace = ends_trace == EndsTrace::Yes;
  const auto known = std::find_if(map_.failures.begin(), map_.failures.end(),
                                  [](const auto& f) { return f.kind == LoadFailure::Kind::Assertion; });
  if (known != map_.failures.end()) {
    known->is_fatal_in_trace |= is_in_trace;
    return;
  }
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Assertion;
  failure.needer = 0;
  failure.object = std::string(map_.objects[0].name());
  failure.text =
      "Inconsistency detected by ld.so: dl-deps.c: 553: _dl_map_object_deps: "  // of 2.31
      "Assertion `map->l_searchlist.r_list[0] == map' failed!";
  failure.is_fatal_in_trace = is_in_trace;
  map_.failures.push_back(std::move(failure));
}

/// A filter of the program that names ld.so puts it in front of everything: it then looks for its
/// predecessor before the first element of the search list (elf/rtld.c:dl_main). That is before a start; a dlopen
/// of ld.so itself is as good as any other.
bool Walk::check_loader_is_not_first() {
  if (process_.start == Start::Dlopen || map_.search_list.empty() || map_.search_list.front() != loader_object_)
    return true;
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Crash;
  failure.needer = 0;
  failure.object = std::string(map_.objects[loader_object_].name());
  failure.text = "a filter puts the loader before the program, where it cannot be";
  failure.is_fatal_in_trace = true;
  map_.failures.push_back(std::move(failure));
  is_over_ = true;
  return false;
}

/// Before a normal start ld.so puts itself back into the namespace list, and asserts that its
/// neighbours in the search list are neighbours there, too (elf/rtld.c:dl_main). A vDSO that
/// somebody needs can stand between them.
void Walk::check_loader_place() {
  if (process_.start == Start::Dlopen || map_.first_fatal() != nullptr) return;
  const auto& scope = map_.search_list;
  const auto at = std::find(scope.begin(), scope.end(), loader_object_);
  if (at == scope.end() && !system_.rules.always_lists_loader) return;
  if (at == scope.begin()) return;
  const ObjectIndex wanted = at == scope.end() || at + 1 == scope.end() ? kNoObject : *(at + 1);
  const auto next_in_list = [&](ObjectIndex object) {
    auto next = std::find(list_.begin(), list_.end(), object);
    if (next != list_.end()) ++next;
    // ld.so is out of the list at this point, and a normal start has no placeholders.
    while (next != list_.end() && (*next == loader_object_ || map_.objects[*next].role == ObjectRole::Placeholder)) {
      ++next;
    }
    return next == list_.end() ? kNoObject : *next;
  };
  ObjectIndex found = next_in_list(*(at - 1));
  if (found != kNoObject && map_.objects[found].role == ObjectRole::Vdso && found != wanted) {
    found = next_in_list(found);
  }
  if (found == wanted) return;
  // The lines are those of Debian's builds of 2.31, 2.36, 2.41 and 2.43.
  const int release = system_.rules.version.minor_number;
  const char* line = release <= 31 ? "1897" : release <= 36 ? "2060" : release <= 41 ? "1998" : "1990";
  const std::string map = release <= 40 ? "GL(dl_rtld_map)" : "_dl_rtld_map";
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::Assertion;
  failure.needer = 0;
  failure.object = std::string(map_.objects[0].name());
  failure.text = "Inconsistency detected by ld.so: rtld.c: " + std::string(line) + ": dl_main: Assertion `" + map +
                 ".l_prev->l_next == " + map + ".l_next' failed!";
  map_.failures.push_back(std::move(failure));
}

/// DT_AUXILIARY and DT_FILTER put their object in front of the one that has the tag: the node at
/// `node` is copied behind itself and then taken over. Returns the node of the tag's owner.
int Walk::follow_filter(int node, const NeedEntry& entry) {
  const auto at = [&](int n) -> QueueNode& { return queue_[static_cast<std::size_t>(n)]; };
  const ObjectIndex owner = at(node).object;
  const Resolved resolved = request(owner, entry.kind, entry.name);
  if (resolved.object == kNoObject) return node;
  const ObjectIndex filtee = resolved.object;

  queue_.push_back(at(node));
  const int copy = static_cast<int>(queue_.size()) - 1;
  at(node).is_done = false;
  at(node).object = filtee;
  if (is_queued_[filtee]) {
    int before = copy;
    while (at(before).next >= 0 && at(at(before).next).object != filtee) before = at(before).next;
    if (at(before).next < 0) {
      at(node) = at(copy);  // it stands earlier already: undo
      return node;
    }
    at(node).next = copy;
    if (queue_tail_ == at(before).next) queue_tail_ = before;
    at(before).next = at(at(before).next).next;
  } else {
    at(node).next = copy;
    is_queued_[filtee] = true;
  }
  move_before(filtee, owner);
  if (queue_tail_ == node) queue_tail_ = copy;
  return copy;
}

/// Moves an object in the namespace list. In front of the program, or of what a dlmopen has loaded first, it is
/// out of sight: every walk over the list starts there.
void Walk::move_before(ObjectIndex moved, ObjectIndex anchor) {
  if (moved == anchor) return;
  const auto at = std::find(list_.begin(), list_.end(), moved);
  if (at == list_.end()) return;  // ld.so, where the start has not put it back
  list_.erase(at);
  list_.insert(std::find(list_.begin(), list_.end(), anchor), moved);
  bool is_before = true;
  for (const ObjectIndex object : list_) {
    if (object == head_) is_before = false;
    is_out_of_sight_[object] = is_before;
  }
}

/// Puts ld.so where tracing shows it (rtld.c:dl_main): behind its predecessor in the search list, or
/// nowhere. From 2.41 on it is always shown, at the end of the search list if nobody needs it.
void Walk::place_loader() {
  list_.erase(std::find(list_.begin(), list_.end(), loader_object_));
  const auto& scope = map_.search_list;
  const auto at = std::find(scope.begin(), scope.end(), loader_object_);
  const bool is_needed = at != scope.end();
  if ((is_needed || system_.rules.always_lists_loader) && at != scope.begin()) {
    const ObjectIndex before = *(at - 1);
    const auto place = std::find(list_.begin(), list_.end(), before);
    if (place != list_.end()) list_.insert(place + 1, loader_object_);
  }
  const auto main = std::find(list_.begin(), list_.end(), ObjectIndex{0});
  map_.list_order.assign(main, list_.end());
}

/// Every DT_VERNEED file must be somebody's path or requested name, or the loader's assertion fails
/// (glibc elf/dl-version.c:_dl_check_map_versions, find_needed). A SONAME counts only once a request
/// has matched it.
void Walk::check_version_files() {
  for (const ObjectIndex index : map_.list_order) {
    if (index != loader_object_ && check_version_files_of(index) == CheckGoes::Over) return;
  }
}

/// The same for what a dlopen has loaded, in the order of its search list (elf/dl-open.c:
/// dl_open_worker_begin), once all of it is found.
void Walk::check_opened_version_files() {
  if (map_.first_fatal() != nullptr) return;
  const std::vector<ObjectIndex> opened = map_.dlopen_calls.back().search_list;
  for (const ObjectIndex index : opened) {
    if (index >= map_.dlopen_calls.back().first_new && check_version_files_of(index) == CheckGoes::Over) return;
  }
}

Walk::CheckGoes Walk::check_version_files_of(ObjectIndex index) {
  const LoadedObject& object = map_.objects[index];
  LoadFailure failure;
  failure.needer = index;
  failure.is_fatal_in_trace = true;
  if (object.elf.odd_verneed_version) {
    failure.kind = LoadFailure::Kind::VersionRecord;
    failure.object = index == 0 ? process_.argv0 : std::string(object.path);
    failure.text = "unsupported version " + std::to_string(*object.elf.odd_verneed_version) + " of Verneed record";
    map_.failures.push_back(std::move(failure));
    return CheckGoes::Over;
  }
  for (const std::string_view name : object.elf.version_files) {
    const ObjectIndex hit = index_.find(name);
    // ld.so is out of the list where tracing does not show it; any_of() below sees it otherwise.
    const bool is_visible = hit < map_.objects.size() && hit != loader_object_ && !is_out_of_sight_[hit] &&
                            map_.objects[hit].role != ObjectRole::Placeholder;
    if (is_visible && map_.objects[hit].matches_name(name)) continue;
    bool is_placeholder = false;
    const auto has_name = [&](ObjectIndex other) {
      const LoadedObject& candidate = map_.objects[other];
      // ld.so is in every namespace.
      if (candidate.space != object.space && candidate.role != ObjectRole::Loader) return false;
      if (!candidate.matches_name(name)) return false;
      is_placeholder |= candidate.role == ObjectRole::Placeholder;
      return candidate.role != ObjectRole::Placeholder;
    };
    if (std::any_of(map_.list_order.begin(), map_.list_order.end(), has_name)) continue;
    // What a filter has hidden from the list is still in the own search list: that of the program, or of
    // what is opened.
    const bool is_opened = !map_.dlopen_calls.empty() && index == map_.dlopen_calls.back().asked;
    const std::vector<ObjectIndex>& own = is_opened ? map_.dlopen_calls.back().search_list : map_.search_list;
    if ((index == 0 || is_opened) && std::any_of(own.begin(), own.end(), has_name)) continue;
    // A placeholder satisfies tracing. In a normal start there is none: either the start has
    // failed before, or it stands for an auxiliary object that is passed over.
    failure.is_fatal_in_trace = !is_placeholder;
    if (is_placeholder && map_.first_fatal() != nullptr) continue;
    failure.kind = LoadFailure::Kind::VersionFile;
    failure.object = std::string(name);
    failure.text =
        "Inconsistency detected by ld.so: dl-version.c: " + std::to_string(system_.rules.verneed_assert_line) +
        ": _dl_check_map_versions: Assertion `needed != NULL' failed!";
    map_.failures.push_back(failure);
    if (!is_placeholder) return CheckGoes::Over;
  }
  if (object.elf.unmapped_names && object.elf.unmapped_names->version_files) {
    give_up_unmapped_name(index);
    return CheckGoes::Over;
  }
  return CheckGoes::On;
}

}  // namespace soresolve
