// Questions to a finished link map: the message of a failure, which objects one dlopen call loaded, who loaded whom.
// Source of the messages: glibc elf/dl-catch.c:fatal_error, dlfcn/dlerror.c. The walk (walk.cc) decides.
#include "soresolve/link_map.h"

#include <algorithm>

#include "base/enum_names.h"
#include "loader/system.h"

namespace soresolve {

std::string_view name_of(HowFound resolution) {
  using enum HowFound;
  static constexpr auto kNames = enum_names<HowFound>({{Mapped, "mapped"},
                                                       {ByPath, "already loaded, same path"},
                                                       {ByName, "already loaded, same name"},
                                                       {BySoname, "already loaded, same SONAME"},
                                                       {ByFile, "already loaded, same file"},
                                                       {NotFound, "not found"},
                                                       {Failed, "failed"},
                                                       {EmptyToken, "skipped, empty token"},
                                                       {NotLoaded, "found, but not loaded"}});
  return kNames[resolution];
}

std::string_view name_of(ProcessRule rule) {
  using enum ProcessRule;
  static constexpr auto kNames =
      enum_names<ProcessRule>({{Python, "python"}, {Exporter, "exporter"}, {Sibling, "sibling"}, {Reached, "reached"}});
  return kNames[rule];
}

std::string_view name_of(OpenScope scope) {
  using enum OpenScope;
  static constexpr auto kNames = enum_names<OpenScope>(
      {{Local, "local"}, {Global, "global"}, {DeepBind, "deepbind"}, {GlobalDeepBind, "global,deepbind"}});
  return kNames[scope];
}

std::string LoadFailure::start_message(std::string_view argv0) const {
  if (!line.empty()) return line;
  // An assertion has a frame of its own.
  if (kind == Kind::VersionFile || kind == Kind::Assertion) return text;
  if (kind == Kind::PreloadIgnored) return text;
  std::string message(argv0);
  message += ": error while loading shared libraries: ";
  if (!object.empty()) message += object + ": ";
  message += text;
  if (error != Errno::None) message += ": " + errno_text(error, ErrnoText::InsideLoader);
  return message;
}

std::string LoadFailure::dlerror_message() const {
  if (!line.empty()) return line;
  if (kind == Kind::VersionFile || kind == Kind::Assertion) return text;
  std::string message;
  if (!object.empty()) message = object + ": ";
  message += text;
  if (error != Errno::None) message += ": " + errno_text(error, ErrnoText::FromDlerror);
  return message;
}

bool LoadedObject::matches_name(std::string_view name) const {
  if (std::find(other_names.begin(), other_names.end(), name) != other_names.end()) return true;
  // In the loader's eyes the program's path is empty, and so is its name, even where ld.so was told it.
  if (role == ObjectRole::Main) return name.empty();
  return name == path || name == requested_name;
}

std::pair<ObjectIndex, ObjectIndex> LinkMap::loaded_by(std::size_t dlopen_call) const {
  const ObjectIndex first = dlopen_call == 0 ? 0 : dlopen_calls[dlopen_call - 1].first_new;
  const ObjectIndex end = dlopen_call < dlopen_calls.size() ? dlopen_calls[dlopen_call].first_new
                                                            : static_cast<ObjectIndex>(objects.size());
  return {first, end};
}

std::size_t LinkMap::dlopen_call_of(ObjectIndex object) const {
  std::size_t dlopen_call = dlopen_calls.size();
  while (dlopen_call > 0 && object < dlopen_calls[dlopen_call - 1].first_new) --dlopen_call;
  return dlopen_call;
}

bool LinkMap::looks_in_itself(ObjectIndex object) const {
  if (object == 0 || !objects[object].elf.is_symbolic || !system->rules.has_symbolic) return false;
  const std::uint32_t space = objects[object].space;
  const auto is_of_space = [space](const LoadedObject& other) { return other.space == space; };
  const auto first = std::find_if(objects.begin(), objects.end(), is_of_space);
  if (space != 0 && first - objects.begin() == static_cast<std::ptrdiff_t>(object)) return false;
  const std::size_t dlopen_call = dlopen_call_of(object);
  return dlopen_call == 0 || !is_deep(dlopen_calls[dlopen_call - 1].mode.scope);
}

ObjectIndex LinkMap::subject_root() const {
  if (!dlopen_calls.empty()) return dlopen_calls.back().asked;
  if (!main_path.empty()) return 0;
  // A dlopen by nobody in particular.
  for (const Need& need : main().needs) {
    if (need.kind == NeedKind::Dlopen) return need.target;
  }
  return kNoObject;
}

std::vector<bool> LinkMap::target_closure() const {
  std::vector<bool> belongs(objects.size(), dlopen_calls.empty());
  if (dlopen_calls.empty() || subject_root() == kNoObject) return belongs;
  std::vector<ObjectIndex> queue;
  for (std::size_t i = dlopen_calls.size(); i > 0 && is_in_target_closure(i); --i) {
    const ObjectIndex root = dlopen_calls[i - 1].asked;
    if (root == kNoObject || belongs[root]) continue;
    belongs[root] = true;
    queue.push_back(root);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Need& need : objects[queue[i]].needs) {
      // What the object opens by itself is not what it needs.
      if (need.kind == NeedKind::Dlopen || need.target == kNoObject || belongs[need.target]) continue;
      belongs[need.target] = true;
      queue.push_back(need.target);
    }
  }
  return belongs;
}

const LoadFailure* LinkMap::first_fatal() const {
  const auto found =
      std::find_if(failures.begin(), failures.end(), [](const LoadFailure& f) { return f.is_fatal_at_start; });
  return found == failures.end() ? nullptr : &*found;
}

const LoadFailure* LinkMap::first_fatal_in_trace() const {
  const auto found =
      std::find_if(failures.begin(), failures.end(), [](const LoadFailure& f) { return f.is_fatal_in_trace; });
  return found == failures.end() ? nullptr : &*found;
}

std::vector<ObjectIndex> LinkMap::chain_to(ObjectIndex object) const {
  std::vector<ObjectIndex> chain;
  while (object != kNoObject && chain.size() <= objects.size()) {
    chain.push_back(object);
    object = objects[object].loader;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace soresolve
