// The order of a walk in musl's way: the program, the preloads, what each object needs, and then each dlopen. Source:
// musl 1.2 ldso/dynlink.c: __dls3, load_preload, load_deps, dlopen. One request is in musl_request.cc, the file that it
// leads to in musl_file.cc. Left out: constructors.
#include "loader/musl_walk.h"

#include <elf.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "loader/live_process.h"
#include "loader/search_log.h"

namespace soresolve {
namespace {

bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

MuslWalk::MuslWalk(std::shared_ptr<const System> system, std::shared_ptr<const Process> process,
                   const LoadOptions& options)
    : system_(*system), process_(*process), options_(options) {
  map_.requested = options.dlopen_calls;
  map_.system = std::move(system);
  map_.process = std::move(process);
}

std::string_view MuslWalk::shown(ObjectIndex object) const {
  return object == 0 ? std::string_view(program_) : map_.objects[object].path;
}

ObjectIndex MuslWalk::add_object(LoadedObject object, Known known) {
  const ObjectIndex index = static_cast<ObjectIndex>(map_.objects.size());
  map_.objects.push_back(std::move(object));
  known_.push_back(std::move(known));
  if (map_.objects.size() > kMaxObjects && !error_) {
    error_ =
        Error{ErrorCode::LimitReached, program_, {}, "needs more than " + std::to_string(kMaxObjects) + " objects"};
    is_over_ = true;
  }
  return index;
}

std::optional<Error> MuslWalk::start_main(std::string_view file, OpenedObject opened) {
  LoadedObject object;
  object.role = ObjectRole::Main;
  if (process_.start == Start::Dlopen) {
    object.given_name = "(a plain program)";
  } else {
    object.given_name = process_.argv0.empty() ? std::string(file) : process_.argv0;
    program_ = process_.start == Start::Kernel && file.starts_with("/proc/") ? process_.argv0 : std::string(file);
    map_.main_path = absolute_path(file, process_.cwd);
    object.status = opened.file->status();
    object.elf = std::move(opened.elf);
    const bool is_taken = object.elf.has_dynamic && (object.elf.type == ET_DYN || object.elf.type == ET_EXEC);
    if (process_.start == Start::Argument && !is_taken) {
      return Error{ErrorCode::Malformed, std::string(file), {}, "the loader refuses it: Not a valid dynamic program"};
    }
    edit_tags(object, options_, map_.text);
    object.file = std::move(opened.file);
  }
  add_object(std::move(object), {});
  list_ = {0};

  LoadedObject loader;
  loader.role = ObjectRole::Loader;
  loader.path = loader.requested_name = system_.loader_path;
  loader.elf.target = system_.loader.target;
  loader.elf.type = system_.loader.type;
  loader_ = add_object(std::move(loader), {.shortname = {}, .rpath = {}, .has_deps = true});
  LoadedObject vdso;
  vdso.role = ObjectRole::Vdso;
  vdso.requested_name = vdso.path = "linux-gate.so.1";  // on every machine
  vdso.elf.target = system_.rules.target;
  add_object(std::move(vdso), {.shortname = {}, .rpath = {}, .has_deps = true});
  return std::nullopt;
}

Result<LinkMap> MuslWalk::run(std::string_view file, OpenedObject opened) {
  map_.file = file;
  if (auto error = start_main(file, std::move(opened))) return Unexpected{std::move(*error)};
  if (process_.live) {
    if (auto error = adopt_live_objects()) return Unexpected{std::move(*error)};
    make_dlopen_calls();
    if (error_) return Unexpected{std::move(*error_)};
    map_.attempts = attempts_;
    return std::move(map_);
  }
  if (process_.start == Start::Dlopen) {
    itself(HowFound::ByName);  // a plain program has its libc
    const Resolved asked = request(0, 0, NeedKind::Dlopen, keep(file));
    if (asked.object == kNoObject) fail(0, map_.objects[0].needs.back());
  } else {
    load_preloads();
  }
  load_deps(0);
  map_.search_list = map_.list_order = list_;
  for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
    if (map_.objects[i].role == ObjectRole::Placeholder) map_.list_order.push_back(i);
  }
  make_dlopen_calls();
  if (error_) return Unexpected{std::move(*error_)};
  map_.attempts = attempts_;
  return std::move(map_);
}

/// Names between colons and white space. What cannot be loaded is passed over in silence; an empty name at the end is
/// asked for, too.
void MuslWalk::load_preloads() {
  if (process_.secure) return;
  const auto& entries = process_.environment.entries();
  constexpr std::string_view kVariable = "LD_PRELOAD=";
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const std::string& e) { return e.starts_with(kVariable); });
  if (entry == entries.end()) return;
  std::string_view left = std::string_view(*entry).substr(kVariable.size());
  const auto is_separator = [](char c) { return c == ':' || is_white(c); };
  while (!left.empty() && !is_over_) {
    while (!left.empty() && is_separator(left.front())) left.remove_prefix(1);
    const auto end = std::find_if(left.begin(), left.end(), is_separator);
    const std::string_view name = left.substr(0, static_cast<std::size_t>(end - left.begin()));
    left.remove_prefix(name.size());
    if (name.empty()) {
      errno_ = errno_of(EINVAL);
      continue;
    }
    const Resolved resolved = request(0, kNoObject, NeedKind::Preload, keep(name));
    if (resolved.object != kNoObject) continue;
    if (is_over_) return fail(0, map_.objects[0].needs.back());
    LoadFailure failure;
    failure.kind = LoadFailure::Kind::PreloadIgnored;
    failure.needer = 0;
    failure.need = static_cast<std::uint32_t>(map_.objects[0].needs.size() - 1);
    failure.object = std::string(name);
    failure.text = "passed over in silence: " + musl_errno_text(errno_);
    failure.error = errno_;
    failure.is_fatal_at_start = false;
    map_.failures.push_back(std::move(failure));
  }
}

void MuslWalk::load_deps(std::size_t from) {
  for (std::size_t i = from; i < list_.size() && !is_over_; ++i) load_direct_deps(list_[i]);
}

void MuslWalk::load_direct_deps(ObjectIndex object) {
  if (known_[object].has_deps) return;
  known_[object].has_deps = true;
  const std::size_t count = map_.objects[object].elf.needs.size();
  for (std::size_t i = 0; i < count && !is_over_; ++i) {
    const NeedEntry entry = map_.objects[object].elf.needs[i];
    if (entry.kind != NeedKind::Needed) continue;  // filters say nothing here
    const Resolved resolved = request(object, object, entry.kind, entry.name);
    if (resolved.object != kNoObject) continue;
    fail(object, map_.objects[object].needs.back());
    // A dlopen ends with the first one.
    if (!map_.dlopen_calls.empty() && options_.on_fatal == OnFatal::Stop) is_over_ = true;
  }
}

void MuslWalk::make_dlopen_calls() {
  map_.dlopen_calls_left = options_.dlopen_calls.size();
  for (std::size_t number = 0; number < options_.dlopen_calls.size(); ++number) {
    const OpenRequest& dlopen_call = options_.dlopen_calls[number];
    if (error_ || is_over_ || map_.first_fatal() != nullptr) return;
    --map_.dlopen_calls_left;
    if (dlopen_call.skips_loaded) {
      const Result<FileStatus, Errno> status = system_.files->status(absolute_path(dlopen_call.file, process_.cwd));
      const auto is_it = [&](ObjectIndex i) { return status && map_.objects[i].status.id == status->id; };
      if (std::any_of(list_.begin(), list_.end(), is_it)) continue;
    }
    log_dlopen_call(options_.log, dlopen_call);
    open_also(dlopen_call, number);
  }
}

void MuslWalk::take_back(std::size_t objects) {
  std::erase_if(list_, [&](ObjectIndex i) { return i >= objects; });
}

/// dlopen: its search begins with the program, whoever calls. A failure takes everything back.
void MuslWalk::open_also(const OpenRequest& dlopen_call, std::size_t number) {
  const std::size_t objects = map_.objects.size();
  const std::size_t failures = map_.failures.size();
  const std::size_t traces = map_.traces.size();
  DlopenCall& begun = map_.dlopen_calls.emplace_back();
  begun.number = number;
  begun.mode = dlopen_call.mode;
  begun.mode.scope = is_global(dlopen_call.mode.scope) ? OpenScope::Global : OpenScope::Local;  // no RTLD_DEEPBIND
  begun.request = {0, static_cast<std::uint32_t>(map_.objects[0].needs.size())};
  begun.first_new = static_cast<ObjectIndex>(objects);
  only_if_loaded_ = dlopen_call.mode.only_if_loaded;
  const Resolved opened = request(0, 0, NeedKind::Dlopen, keep(dlopen_call.file));
  only_if_loaded_ = false;
  DlopenCall& made = map_.dlopen_calls.back();
  made.asked = opened.object;
  made.is_absent = dlopen_call.mode.only_if_loaded && opened.object == kNoObject;
  if (opened.object == kNoObject && !made.is_absent) {
    fail(0, map_.objects[0].needs.back());
    map_.dlopen_calls.back().asked = map_.objects[0].needs.back().target;
  } else if (opened.object != kNoObject) {
    const auto at = std::find(list_.begin(), list_.end(), opened.object);
    load_deps(static_cast<std::size_t>(at - list_.begin()));
    std::vector<ObjectIndex>& own = map_.dlopen_calls.back().search_list;
    own = {opened.object};
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (const Need& need : map_.objects[own[i]].needs) {
        const bool counts = need.kind == NeedKind::Needed && need.target != kNoObject &&
                            map_.objects[need.target].role != ObjectRole::Placeholder &&
                            std::find(own.begin(), own.end(), need.target) == own.end();
        if (counts) own.push_back(need.target);
      }
    }
  }
  const bool fails = map_.failures.size() > failures;
  if (!fails && opened.object != kNoObject) map_.dlopen_calls.back().root = opened.object;
  for (ObjectIndex i = static_cast<ObjectIndex>(objects); i < map_.objects.size(); ++i) map_.list_order.push_back(i);
  if (fails) take_back(objects);
  if (!dlopen_call.is_taken_back) return;
  // It is known to fail, and leaves nothing.
  take_back(objects);
  for (LoadedObject& object : map_.objects) {
    std::erase_if(object.needs, [&](const Need& need) { return need.target != kNoObject && need.target >= objects; });
  }
  std::erase_if(map_.list_order, [&](ObjectIndex i) { return i >= objects; });
  map_.objects.erase(map_.objects.begin() + static_cast<std::ptrdiff_t>(objects), map_.objects.end());
  known_.resize(objects);
  map_.failures.resize(failures);
  map_.traces.resize(traces);
  map_.dlopen_calls.pop_back();
  is_over_ = false;
}

}  // namespace soresolve
