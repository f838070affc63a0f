// The attempts that ld.so makes for one name, in its order.
//
// Source of the order and the words: glibc elf/dl-load.c:_dl_map_object, open_path, open_verify.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/file_system.h"

namespace soresolve SORESOLVE_API {

/// Position of an object in LinkMap::objects.
using ObjectIndex = std::uint32_t;
inline constexpr ObjectIndex kNoObject = 0xffffffff;

/// The stages of a search, in the loader's order.
enum class SearchStep : std::uint8_t {
  AlreadyLoaded,  ///< path, requested name or SONAME of an object in the map
  Path,           ///< the name has a slash: that file, nothing else
  Rpath,          ///< DT_RPATH of the needer, of who loaded it, …, of the program
  LibraryPath,    ///< LD_LIBRARY_PATH
  Runpath,        ///< DT_RUNPATH of the needer
  Cache,          ///< ld.so.cache
  DefaultDirs,    ///< directories compiled into the loader
};
std::string_view name_of(SearchStep step);  ///< "RPATH", "LD_LIBRARY_PATH", "cache", …

/// What came of one attempt.
enum class Outcome : std::uint8_t {
  Loaded,             ///< opened, accepted and mapped
  SameFile,           ///< opened, but device and inode are those of an object in the map
  AlreadyLoaded,      ///< no file was opened: the name matched
  NoSuchFile,         ///< ENOENT
  NoSuchDirectory,    ///< the directory does not exist (found out with this attempt)
  SkippedDirectory,   ///< known from before not to exist: the loader does not even try
  PermissionDenied,   ///< EACCES
  WrongClass,         ///< other ELF class: passed over
  WrongMachine,       ///< other machine: passed over
  OldAbiNote,         ///< NT_GNU_ABI_TAG asks for a newer kernel (up to 2.35): passed over
  NotSetuid,          ///< preload of a set-uid program that is not set-uid itself
  OpenFailed,         ///< any other errno; it ends the search of this list
  NotInCache,         ///< the cache has no acceptable entry
  NoCache,            ///< there is no usable cache
  CacheEntryBarred,   ///< DF_1_NODEFLIB: the entry lies in a default directory
  DefaultDirsBarred,  ///< DF_1_NODEFLIB: default directories are not searched
  Fatal,              ///< the loader gives up: see `text`
  WouldCrash,         ///< the loader would die of a signal: see `text`
  WouldBlock,         ///< a FIFO: open(2) waits for a writer
};
std::string_view name_of(Outcome outcome);       ///< "no such file", "wrong ELF class", …
[[nodiscard]] bool is_found(Outcome outcome);    ///< Loaded, SameFile or AlreadyLoaded
[[nodiscard]] bool ends_start(Outcome outcome);  ///< Fatal, WouldCrash or WouldBlock

/// One candidate and what was there.
struct Attempt {
  SearchStep step = SearchStep::Path;
  ObjectIndex owner = kNoObject;  ///< whose RPATH or RUNPATH; kNoObject for the environment and the system
  std::string entry;              ///< list element as written; empty for an empty element
  std::string directory;          ///< what it expanded to, with its trailing slash
  std::string subdirectory;       ///< "glibc-hwcaps/x86-64-v3/", "tls/"; empty for the base directory
  std::string candidate;          ///< the path that is opened; empty when none is
  Outcome outcome = Outcome::NoSuchFile;
  Errno error = Errno::None;
  std::string text;         ///< the loader's words, or why it would crash
  bool is_printed = false;  ///< LD_DEBUG=libs prints "trying file=" for it
};

/// All attempts for one request, in their order.
struct SearchTrace {
  std::vector<Attempt> attempts;
  /// Further ones that were made and are not kept (kMaxKeptAttempts, kMaxAttemptsOfOne); the one that ended
  /// the search is.
  std::uint64_t left_out = 0;
};

}  // namespace SORESOLVE_API
