// Opens the file of an object again where the walk did not keep it open. In a live process the mapped file counts, not
// the path that its loader has for it (proc(5), map_files). A file that has gone is an error, never an empty object.
#include "symbols/map_files.h"

#include "loader/live_process.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

/// What a live process has mapped need not lie at the path that its loader has for it.
Result<std::unique_ptr<File>, Errno> open_again(const System& system, const Process& process,
                                                const LoadedObject& object, ObjectIndex index,
                                                const std::string& path) {
  if (index == 0 && process.live) return host_file_system()->open(process.live->exe_file);
  if (object.live == nullptr) return system.files->open(path);
  if (!object.live->mapped_at.empty()) return host_file_system()->open(object.live->mapped_at);
  return system.files->open(object.live->path);
}

}  // namespace

Result<ObjectFile> open_object_file(const LinkMap& map, ObjectIndex index) {
  const LoadedObject& object = map.objects[index];
  ObjectFile opened;
  opened.elf = &object.elf;
  if (object.role == ObjectRole::Vdso || object.role == ObjectRole::Placeholder) return opened;
  if (object.role == ObjectRole::Loader) {
    opened.elf = &map.system->loader;
    opened.path = map.system->loader_path;
  } else if (index == 0) {
    // A dlopen's nameless caller has no file.
    if (map.main_path.empty()) return opened;
    opened.path = map.main_path;
  } else {
    opened.path = absolute_path(object.path, map.process->cwd);
  }
  if (object.file) {
    opened.file = object.file.get();
    return opened;
  }
  Result<std::unique_ptr<File>, Errno> file = open_again(*map.system, *map.process, object, index, opened.path);
  if (!file) {
    return Unexpected{Error{ErrorCode::Unreadable, opened.path, {}, errno_text(file.error(), ErrnoText::FromDlerror)}};
  }
  opened.owned = std::move(file).value();
  opened.file = opened.owned.get();
  return opened;
}

}  // namespace soresolve
