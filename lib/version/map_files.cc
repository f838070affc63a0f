#include "version/map_files.h"

namespace soresolve {

Result<ObjectFile> open_object_file(const System& system, const Process& process,
                                    const LinkMap& map, ObjectIndex index) {
  const LoadedObject& object = map.objects[index];
  ObjectFile opened;
  opened.elf = &object.elf;
  if (object.role == ObjectRole::Vdso || object.role == ObjectRole::Placeholder) return opened;
  if (object.role == ObjectRole::Loader) {
    opened.elf = &system.loader;
    opened.path = system.loader_path;
  } else if (index == 0) {
    // A dlopen's nameless caller has no file.
    if (map.main_path.empty()) return opened;
    opened.path = map.main_path;
  } else {
    opened.path = absolute_path(object.path, process.cwd);
  }
  if (object.file) {
    opened.file = object.file.get();
    return opened;
  }
  Result<std::unique_ptr<File>, Errno> file = system.files->open(opened.path);
  if (!file) {
    return Unexpected{Error{ErrorCode::Unreadable, opened.path, {},
                            errno_text(file.error(), ErrnoText::FromDlerror)}};
  }
  opened.owned = std::move(file).value();
  opened.file = opened.owned.get();
  return opened;
}

}  // namespace soresolve
