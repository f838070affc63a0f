// The dlopen calls of a walk, one after the other, in the process that the start has made.
//
// Source: glibc elf/dl-open.c:_dl_open, dl_open_worker_begin; dlfcn/dlmopen.c:dlmopen_doit.
//
// Each call is a walk of its own: the object that it names is requested for its caller, then what that needs, breadth
// first, in a list of its own (open_also). What is loaded already counts as found, so that the order of the calls
// matters. A namespace of dlmopen has names, files and list of its own; those of the space in use are the members of
// Walk, and enter_space exchanges them. A call that the caller takes back (OpenRequest::is_taken_back) leaves the
// process as it was before (take_back), but for what the loader leaves behind, too: names under which older objects
// were found.
#include <algorithm>
#include <cerrno>
#include <iterator>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/search_log.h"
#include "loader/system.h"
#include "loader/walk.h"

namespace soresolve {

/// What a dlopen call that fails leaves behind is all that was there before.
struct Walk::Before {
  std::size_t objects = 0;
  std::size_t dlopen_calls = 0;
  std::size_t failures = 0;
  std::size_t traces = 0;
  std::vector<std::size_t> needs;  ///< by object
};

void Walk::make_dlopen_calls() {
  map_.dlopen_calls_left = options_.dlopen_calls.size();
  for (std::size_t number = 0; number < options_.dlopen_calls.size(); ++number) {
    const OpenRequest& dlopen_call = options_.dlopen_calls[number];
    if (error_ || is_over_ || map_.first_fatal() != nullptr) return;
    --map_.dlopen_calls_left;
    if (dlopen_call.skips_loaded && is_loaded(dlopen_call.file)) continue;
    log_dlopen_call(options_.log, dlopen_call);
    if (dlopen_call.is_taken_back) {
      const Before before = note_state();
      is_taken_back_ = true;
      open_also(dlopen_call, number);
      is_taken_back_ = false;
      if (!error_) take_back(before, dlopen_call);
    } else {
      open_also(dlopen_call, number);
    }
    enter_space(0);
  }
}

Walk::Before Walk::note_state() const {
  Before before{map_.objects.size(), map_.dlopen_calls.size(), map_.failures.size(), map_.traces.size(), {}};
  for (const LoadedObject& object : map_.objects) before.needs.push_back(object.needs.size());
  return before;
}

/// glibc elf/dl-open.c:_dl_open, where dl_open_worker has failed: _dl_close_worker unloads all that is
/// new. The names by which older objects were found meanwhile stay with them, and where filters have
/// moved them in the list.
void Walk::take_back(const Before& before, const OpenRequest& dlopen_call) {
  const auto is_new = [&](ObjectIndex object) { return object >= before.objects; };
  index_.remove_if(is_new);
  lists_.forget_from(static_cast<ObjectIndex>(before.objects));
  std::erase_if(by_inode_, [&](const auto& entry) { return is_new(entry.second); });
  std::erase_if(own_lists_, [&](const auto& entry) { return is_new(entry.first); });
  for (auto& [object, list] : own_lists_) std::erase_if(list, is_new);
  map_.objects.erase(map_.objects.begin() + static_cast<std::ptrdiff_t>(before.objects), map_.objects.end());
  map_.dlopen_calls.resize(before.dlopen_calls);
  map_.failures.resize(before.failures);
  map_.traces.resize(before.traces);
  for (std::size_t i = 0; i < before.objects; ++i) map_.objects[i].needs.resize(before.needs[i]);
  std::erase_if(list_, is_new);
  if (head_ != kNoObject && is_new(head_)) head_ = kNoObject;
  std::erase_if(map_.list_order, is_new);
  is_out_of_sight_.resize(before.objects);
  is_queued_.resize(before.objects);
  is_over_ = false;
  if (dlopen_call.tls_left) {
    map_.taken_back.push_back({before.dlopen_calls, static_cast<ObjectIndex>(before.objects), *dlopen_call.tls_left});
  }
}

bool Walk::is_loaded(std::string_view path) const {
  const Result<FileStatus, Errno> status = system_.files->status(absolute_path(path, process_.cwd));
  if (!status) return false;
  return status->id == map_.main().status.id || find_same_file(status->id).has_value() ||
         path == map_.objects[loader_object_].path;
}

std::optional<ObjectIndex> Walk::find_caller(const std::string& caller) const {
  if (caller.empty()) return 0;
  for (const ObjectIndex index : map_.list_order) {
    const LoadedObject& object = map_.objects[index];
    if (object.role == ObjectRole::Placeholder) continue;
    if (object.name() == caller || object.matches_name(caller) || object.elf.soname == caller) return index;
  }
  const Result<FileStatus, Errno> status = system_.files->status(absolute_path(caller, process_.cwd));
  if (!status) return std::nullopt;
  if (status->id == map_.main().status.id) return 0;
  return find_same_file(status->id);
}

/// elf/dl-open.c:dl_open_worker_begin, as far as the search goes: the object, then its dependencies,
/// breadth first, in a list of its own.
void Walk::open_also(const OpenRequest& dlopen_call, std::size_t request_number) {
  const std::optional<ObjectIndex> caller = find_caller(dlopen_call.caller);
  if (!caller) {
    error_ = Error{ErrorCode::NotFound, dlopen_call.caller, {}, "is not in the process that opens " + dlopen_call.file};
    return;
  }
  DlopenCall& begun = map_.dlopen_calls.emplace_back();
  begun.number = request_number;
  begun.mode = dlopen_call.mode;
  begun.request = {*caller, static_cast<std::uint32_t>(map_.objects[*caller].needs.size())};
  begun.first_new = static_cast<ObjectIndex>(map_.objects.size());
  if (!can_have_space(dlopen_call, *caller)) return;
  begun.space = space_;
  const std::size_t number = map_.dlopen_calls.size();
  const std::size_t failures = map_.failures.size();
  queue_.clear();
  queue_tail_ = -1;
  is_queued_.assign(map_.objects.size(), false);
  walks_.assign(map_.objects.size(), 0);
  std::vector<std::size_t> known_needs;
  for (const LoadedObject& object : map_.objects) known_needs.push_back(object.needs.size());
  only_if_loaded_ = dlopen_call.mode.only_if_loaded;
  is_absent_ = false;
  const Resolved opened = request(*caller, NeedKind::Dlopen, keep(dlopen_call.file));
  only_if_loaded_ = false;  // what it needs is loaded in any case
  map_.dlopen_calls.back().asked = opened.object;
  map_.dlopen_calls.back().is_absent = is_absent_;
  if (opened.object == 0) {
    map_.dlopen_calls.back().search_list = map_.search_list;
  } else if (const auto known = own_lists_.find(opened.object); known != own_lists_.end()) {
    // "It was already open": its list stays as it is, and nothing that it needs is requested again.
    map_.dlopen_calls.back().search_list = known->second;
  } else if (opened.object != kNoObject) {
    append_to_queue(opened.object);
    walk_root_ = opened.object;
    map_.dlopen_calls.back().search_list = walk_dependencies();
    own_lists_.emplace(opened.object, map_.dlopen_calls.back().search_list);
    if (map_.first_fatal_in_trace() == nullptr) assert_program_first(EndsTrace::Yes);
    // What was loaded before has been asked for its needs once more; they are told once, unless one of them
    // fails only now (the files may have changed meanwhile).
    ++known_needs[*caller];
    for (std::size_t i = failures; i < map_.failures.size(); ++i) {
      const NeedRef missing{map_.failures[i].needer, map_.failures[i].need};
      if (missing.needer < known_needs.size() && map_.find_need(missing) != nullptr) {
        known_needs[missing.needer] = std::max<std::size_t>(known_needs[missing.needer], missing.need + 1);
      }
    }
    for (ObjectIndex i = 1; i < known_needs.size(); ++i) map_.objects[i].needs.resize(known_needs[i]);
  }
  list_anew();
  if (!is_over_) check_opened_version_files();
  for (std::size_t i = failures; i < map_.failures.size(); ++i) {
    map_.failures[i].dlopen_call = static_cast<std::uint32_t>(number);
  }
  DlopenCall& made = map_.dlopen_calls.back();
  const bool fails = std::any_of(map_.failures.begin() + static_cast<std::ptrdiff_t>(failures), map_.failures.end(),
                                 [](const LoadFailure& failure) { return failure.is_fatal_at_start; });
  if (!fails) made.root = opened.object;
}

void Walk::enter_space(std::uint32_t space) {
  if (space == space_) return;
  if (spaces_.size() <= std::max(space, space_)) spaces_.resize(std::max(space, space_) + 1);
  const auto exchange = [&](Space& with) {
    std::swap(index_, with.index);
    std::swap(by_inode_, with.by_inode);
    std::swap(list_, with.list);
    std::swap(head_, with.head);
  };
  exchange(spaces_[space_]);
  exchange(spaces_[space]);
  space_ = space;
}

/// elf/dl-open.c:_dl_open, dlfcn/dlmopen.c:dlmopen_doit: the caller's namespace, or the next free one.
bool Walk::can_have_space(const OpenRequest& dlopen_call, ObjectIndex caller) {
  constexpr std::size_t kMostSpaces = 16;  // DL_NNS
  if (dlopen_call.mode.into == OpenInto::CallersNamespace) {
    enter_space(map_.objects[caller].space);
    return true;
  }
  // One that stayed empty, because RTLD_NOLOAD loaded nothing, is taken again.
  std::uint32_t space = 1;
  const auto has_objects = [&](std::uint32_t number) {
    return std::any_of(map_.objects.begin(), map_.objects.end(),
                       [&](const auto& object) { return object.space == number; });
  };
  while (space < kMostSpaces && has_objects(space)) ++space;
  LoadFailure failure;
  failure.kind = LoadFailure::Kind::FatalFile;
  failure.error = static_cast<Errno>(EINVAL);
  if (is_global(dlopen_call.mode.scope)) {
    failure.text = "invalid mode";
  } else if (space >= kMostSpaces) {
    failure.object = dlopen_call.file;
    failure.text = "no more namespaces available for dlmopen()";
  } else {
    enter_space(space);
    return true;
  }
  failure.needer = caller;
  failure.need = map_.dlopen_calls.back().request.need;
  failure.dlopen_call = static_cast<std::uint32_t>(map_.dlopen_calls.size());
  failure.is_fatal_in_trace = true;
  Need need;
  need.kind = NeedKind::Dlopen;
  need.written = need.name = keep(dlopen_call.file);
  need.resolution = HowFound::Failed;
  if (options_.attempts == Attempts::Record) {
    need.trace = static_cast<std::uint32_t>(map_.traces.size());
    map_.traces.emplace_back();
  }
  map_.objects[caller].needs.push_back(need);
  map_.failures.push_back(std::move(failure));
  return false;
}

/// Which objects the list hides when the call that is made has loaded all, or fails: the walk may go on after that.
void Walk::note_out_of_sight() {
  if (map_.dlopen_calls.empty() || map_.first_fatal() != nullptr) return;
  std::vector<ObjectIndex>& noted = map_.dlopen_calls.back().out_of_sight;
  noted.clear();
  std::copy_if(list_.begin(), list_.end(), std::back_inserter(noted), [&](ObjectIndex object) {
    return is_out_of_sight_[object] && map_.objects[object].role == ObjectRole::Library;
  });
}

/// After a dlopen call: the list of its namespace as filters have left it; those of others stay.
void Walk::list_anew() {
  DlopenCall& dlopen_call = map_.dlopen_calls.back();
  for (auto at = std::find(list_.begin(), list_.end(), dlopen_call.asked); at != list_.end(); ++at) {
    const bool is_new = *at >= dlopen_call.first_new && map_.objects[*at].role == ObjectRole::Library;
    if (is_new) dlopen_call.listed.push_back(*at);
  }
  note_out_of_sight();
  std::vector<ObjectIndex> order(std::find(list_.begin(), list_.end(), head_), list_.end());
  std::vector<ObjectIndex> others;
  std::copy_if(map_.list_order.begin(), map_.list_order.end(), std::back_inserter(others),
               [&](ObjectIndex object) { return map_.objects[object].space != space_; });
  // The program's namespace comes first.
  const std::vector<ObjectIndex>& first = space_ == 0 ? order : others;
  const std::vector<ObjectIndex>& second = space_ == 0 ? others : order;
  map_.list_order = first;
  map_.list_order.insert(map_.list_order.end(), second.begin(), second.end());
}

}  // namespace soresolve
