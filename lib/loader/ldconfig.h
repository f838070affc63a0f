// What ldconfig would do if it ran now: the links it would make and the cache it would write.
//
// Source: glibc elf/ldconfig.c:parse_conf, add_dir_1, search_dir, create_links; elf/readlib.c:
// process_file; elf/cache.c:compare, save_cache. It follows the ldconfig of the release that the rules
// describe. Left out: ABI notes (osversion, up to 2.35), "DIR=TYPE" (up to 2.36, of 32-bit libraries),
// other options than -r and directories, the auxiliary cache. Where the order of readdir(3) counts, names are sorted.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/overlay_file_system.h"
#include "loader/loader_rules.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// One line of `ldconfig -p`.
struct LdConfigEntry {
  std::string key;  ///< SONAME, or the name of a file without one
  std::string value;
  std::int32_t flags = 0;
  std::uint64_t legacy_hwcap = 0;  ///< up to 2.36, of subdirectories such as tls/ or haswell/
  std::string hwcaps_name;         ///< of a glibc-hwcaps subdirectory
  std::uint32_t isa_level = 0;     ///< of an entry with a hwcaps_name: GNU_PROPERTY_X86_ISA_1_NEEDED's highest bit
};

/// A link that it makes, or turns to another file.
struct LdConfigLink {
  std::string path;
  std::string target;
};

struct LdConfigRun {
  std::vector<std::string> directories;  ///< searched, in this order
  std::vector<LdConfigEntry> entries;    ///< in the order of the cache
  std::vector<LdConfigLink> links;       ///< made or turned; what led nowhere is removed as well
  Errno error = Errno::None;             ///< of writing the cache
  /// What cannot be followed: a configuration that includes itself, too many files.
  std::vector<std::string> problems;
};

/// Runs it over `files`, from `named` (the directories of its command line, which it searches first), /etc/ld.so.conf
/// and the rules' system directories: afterwards the links and the cache (rules.cache_path) are there.
LdConfigRun play_ldconfig(OverlayFileSystem& files, const LoaderRules& rules,
                          const std::vector<std::string>& named = {});

/// The directories that it would search, in its order: what `ldconfig -Nv` lists.
std::vector<std::string> searched_directories(const std::shared_ptr<const FileSystem>& files, const LoaderRules& rules);

/// The directories that /etc/ld.so.conf and what it includes name, as written but for trailing
/// slashes; they need not exist. What cannot be followed is added to `problems`.
std::vector<std::string> configured_directories(const FileSystem& files, const LoaderRules& rules,
                                                std::vector<std::string>& problems);

/// The bytes of a cache with these entries, in the new format.
std::string write_ld_cache(const std::vector<LdConfigEntry>& entries, std::endian order);

}  // namespace soresolve
