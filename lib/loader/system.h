// What the loader finds outside the process.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "loader/ld_cache.h"
#include "loader/loader_rules.h"
#include "soresolve/api.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve SORESOLVE_API {
class ImageLayers;
}  // namespace SORESOLVE_API

namespace soresolve {

struct DriverMount;

class ObjectStore;  // symbols/object_store.h

/// What musl's loader reads besides: /etc/ld-musl-ARCH.path, beside the directory that its own name puts it in.
struct MuslPath {
  std::string file;                  ///< its path
  std::optional<std::string> lists;  ///< what it says; nullopt: it is not there, or cannot be read
  Errno error = Errno::None;         ///< of opening or reading it
};

/// The lists of directories that are searched last: those of the file, or its defaults.
std::string_view musl_system_lists(const MuslPath& path);

/// A file system with the loader in it, and what that loader reads from fixed places.
struct System {
  std::shared_ptr<const FileSystem> files;
  std::string loader_path;  ///< as PT_INTERP or the table of known loaders spells it
  ElfObject loader;         ///< its headers: SONAME and machine
  LoaderRules rules;

  LdCache cache;  ///< empty when there is none
  bool has_cache = false;
  std::optional<FileStatus> cache_status;
  std::optional<Error> cache_problem;  ///< why an existing cache is ignored

  std::optional<std::string> preload_file;  ///< content of /etc/ld.so.preload
  std::optional<Error> preload_problem;     ///< why it is there, but not looked at

  MuslPath musl_path;  ///< of musl's loader only

  /// Facts of its files that maps share; null: each map reads for itself. A system with other files has none of this
  /// one.
  std::shared_ptr<ObjectStore> store;
  /// What of `files` a host's GPU driver brings in, where a host is assumed (cuda/driver_mount.h).
  std::shared_ptr<const DriverMount> driver = {};
  /// Of `files`, where they are those of an image (soresolve/place.h).
  std::shared_ptr<const ImageLayers> layers = {};
};

/// Loads the loader's rules, the cache and ld.so.preload from `files`. `release` replaces the
/// loader's own release number when it is not 0.0. Fails with NoLoader when `loader_path` cannot be
/// opened, with NotElf, Malformed or Unsupported when it is neither glibc's loader nor musl's.
Result<System> read_system(std::shared_ptr<const FileSystem> files, std::string_view loader_path,
                           GlibcVersion release = {});

/// The loader for a file: its PT_INTERP as it stands, or for a library the first path of the known
/// ones for its machine that exists: musl's first if it needs musl's libc by name. Fails with NoLoader and the paths
/// that were tried.
Result<std::string> find_loader(const FileSystem& files, const ElfObject& object, std::string_view path);

/// The known loaders of a libc for this machine that exist, in the order in which find_loader() takes them.
std::vector<std::string> loaders_for(const FileSystem& files, const ElfTarget& target, Libc libc = Libc::Glibc);
/// That of the first known loader which is in `files`; nullopt: there is none.
std::optional<ElfTarget> target_of_loaders(const FileSystem& files);
/// Are they one, or the 32 and the 64 bits of one?
bool is_of_family(const ElfTarget& a, const ElfTarget& b);
/// Are there loaders, glibc's or musl's, and none of them for this machine or one that it runs beside (i386 on x86-64)?
bool has_only_foreign_loaders(const FileSystem& files, const ElfTarget& target);

}  // namespace soresolve
