// A running process is judged as if it were started now and opened the same again: the files are those that lie there
// now, and what was loaded long ago need not be what the next start finds.
//
// Each dlopen call is a question of its own, after the calls without which it would be another one: those that have
// opened with RTLD_GLOBAL, and those that have brought a part of what the object needs, with their callers. The flags
// of the calls are not kept by the loader, nor are their callers: each opens the path of what is loaded, with
// RTLD_GLOBAL if it is in the global scope, and with RTLD_LAZY, which fails for nothing that RTLD_NOW had let pass.
#include "survey/process_roots.h"

#include <algorithm>
#include <map>
#include <string>

#include "dlopen/who_loaded.h"
#include "loader/live_process.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

class ProcessReader {
 public:
  ProcessReader(const LinkMap& map, const FileSystem& files) : map_(map), files_(files), through_(who_loaded(map)) {}

  ProcessFiles read() {
    find_global();
    for (const ObjectIndex object : map_.list_order) {
      const ObjectRole role = map_.objects[object].role;
      if (role == ObjectRole::Vdso || role == ObjectRole::Placeholder) continue;
      add(object);
    }
    for (const LeftOutObject& one : map_.process->live->left_out) {
      // Of one that is gone it is known that it cannot be loaded again.
      const bool is_there = files_.status(one.object.path).has_value();
      found_.skipped.push_back({one.object.path, SurveySkip::Why::Unreadable, one.reason, is_there});
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_opened(ObjectIndex object) const {
    return object != 0 && !through_[object].need && through_[object].when != LoadedWhen::Start;
  }

  /// Who has brought the object: the dlopen call's object, 0 for the start.
  [[nodiscard]] ObjectIndex root_of(ObjectIndex object) const {
    while (object != 0 && object != kNoObject && !is_opened(object)) object = through_[object].by;
    return object == kNoObject ? 0 : object;
  }

  void find_global() {
    is_global_.resize(map_.objects.size());
    for (const ObjectIndex object : map_.search_list) is_global_[object] = true;
  }

  [[nodiscard]] std::string path_of(ObjectIndex object) const {
    const LoadedObject& loaded = map_.objects[object];
    const std::string path = object == 0                         ? map_.process->live->exe
                             : loaded.role == ObjectRole::Loader ? map_.system->loader_path
                             : loaded.live != nullptr            ? loaded.live->path
                                                                 : std::string(loaded.path);
    const Result<std::string, Errno> real = files_.real_path(path);
    return real ? *real : path;
  }

  void add(ObjectIndex object) {
    const LoadedObject& loaded = map_.objects[object];
    ProcessFile one;
    one.file.path = path_of(object);
    const bool is_known = std::any_of(found_.files.begin(), found_.files.end(),
                                      [&](const ProcessFile& known) { return known.file.path == one.file.path; });
    if (is_known) return;
    const Result<FileStatus, Errno> status = files_.status(one.file.path);
    if (status) one.file.id = status->id;
    one.file.target = loaded.elf.target;
    one.file.is_program = object == 0;
    one.file.soname = loaded.elf.soname.value_or(std::string_view());
    for (const Need& need : loaded.needs) {
      if (need.kind == NeedKind::Needed) one.file.needs.emplace_back(need.written);
    }
    if (object == 0 || is_opened(object)) {
      one.root = RootQuestion{one.file.path, {}, {}};
      if (object != 0) one.root->dlopen_calls = calls_up_to(object);
    }
    found_.files.push_back(std::move(one));
  }

  /// The dlopen call that has opened the object, behind those that it depends on, in the order of the list.
  [[nodiscard]] std::vector<OpenRequest> calls_up_to(ObjectIndex object) const {
    std::vector<bool> is_wanted(map_.objects.size(), false);
    std::vector<ObjectIndex> queue;
    const auto want = [&](ObjectIndex root) {
      if (root == 0 || is_wanted[root]) return;
      is_wanted[root] = true;
      queue.push_back(root);
    };
    want(object);
    for (const ObjectIndex other : map_.list_order) {
      if (other == object) break;
      if (is_opened(other) && is_global_[other]) want(other);
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const ObjectIndex caller = through_[queue[i]].by;
      if (caller != kNoObject) want(root_of(caller));
      for (const ObjectIndex part : needs_of(queue[i])) want(root_of(part));
    }
    std::vector<OpenRequest> calls;
    for (const ObjectIndex other : map_.list_order) {
      if (is_wanted[other] && other != object) calls.push_back(call_of(other));
    }
    calls.push_back(call_of(object));
    return calls;
  }

  /// All that it needs, directly or not.
  [[nodiscard]] std::vector<ObjectIndex> needs_of(ObjectIndex object) const {
    std::vector<bool> is_known(map_.objects.size(), false);
    std::vector<ObjectIndex> list = {object};
    is_known[object] = true;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const Need& need : map_.objects[list[i]].needs) {
        if (need.target == kNoObject || is_known[need.target]) continue;
        is_known[need.target] = true;
        list.push_back(need.target);
      }
    }
    return list;
  }

  [[nodiscard]] OpenRequest call_of(ObjectIndex object) const {
    const LoadedObject& loaded = map_.objects[object];
    OpenRequest call;
    // The path that it was opened by: its name was searched for with the tags of a caller who is not known, and where
    // the kernel has the file now it may have been moved to.
    const bool is_relative = !loaded.path.starts_with('/') && loaded.live != nullptr;
    call.file = is_relative ? loaded.live->path : std::string(loaded.path);
    call.mode.scope = is_global_[object] ? OpenScope::Global : OpenScope::Local;
    call.mode.bind_time = BindTime::AsAsked;
    const ObjectIndex caller = through_[object].by;
    const bool is_known = caller != 0 && caller != kNoObject;
    if (is_known) call.caller = map_.objects[caller].name();
    const std::uint32_t callers_space = is_known ? map_.objects[caller].space : 0;
    if (loaded.space != callers_space) call.mode.into = OpenInto::NewNamespace;
    return call;
  }

  const LinkMap& map_;
  const FileSystem& files_;
  std::vector<LoadedThrough> through_;
  std::vector<bool> is_global_;
  ProcessFiles found_;
};

}  // namespace

ProcessFiles files_of_process(const LinkMap& map, const FileSystem& files) { return ProcessReader(map, files).read(); }

}  // namespace soresolve
