// Plays one dlopen of a path in a process whose link map is known: already there, loads, or fails with the loader's
// message. Source: glibc 2.36 elf/dl-open.c:dl_open_worker_begin. A dependency that an earlier dlopen call has loaded
// counts as there.
#include "dlopen/opened_later.h"

#include <algorithm>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

bool has_object(const LinkMap& map, std::string_view name) {
  return std::any_of(map.objects.begin(), map.objects.end(), [&](const LoadedObject& object) {
    return object.role == ObjectRole::Library &&
           (object.matches_name(name) || (object.elf.soname && *object.elf.soname == name));
  });
}

}  // namespace

OpenedLater open_later(const std::shared_ptr<const Process>& opener, const LinkMap& process_map,
                       std::span<const LinkMap> opened_before, const std::string& path) {
  OpenedLater later;
  const std::string absolute = absolute_path(path, opener->cwd);
  if (const Result<FileStatus, Errno> status = process_map.system->files->status(absolute)) {
    later.is_loaded =
        std::any_of(process_map.objects.begin(), process_map.objects.end(), [&](const LoadedObject& object) {
          return object.role == ObjectRole::Library && object.status.id == status->id;
        });
    if (later.is_loaded) return later;
  }
  LoadOptions options;
  options.on_fatal = OnFatal::Continue;
  Result<LinkMap> map = load(process_map.system, opener, absolute, options);
  if (!map) {
    later.failure = map.error().to_string();
    return later;
  }
  for (const LoadFailure& failure : map->failures) {
    if (!failure.is_fatal_at_start) continue;
    const bool is_there = has_object(process_map, failure.object) ||
                          std::any_of(opened_before.begin(), opened_before.end(),
                                      [&](const LinkMap& before) { return has_object(before, failure.object); });
    if (failure.kind == LoadFailure::Kind::Missing && is_there) continue;
    later.failure = failure.kind == LoadFailure::Kind::Crash || failure.kind == LoadFailure::Kind::Block
                        ? failure.object + ": " + failure.text
                        : failure.dlerror_message();
    return later;
  }
  later.map = std::move(map).value();
  return later;
}

}  // namespace soresolve
