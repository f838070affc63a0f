// Do the versions that each object of a link map requires meet what is loaded?
//
// Source: glibc elf/dl-version.c:_dl_check_all_versions, _dl_check_map_versions; elf/rtld.c:
// print_missing_version. The check looks at version names only, never at symbols.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/link_map.h"
#include "soresolve/process.h"
#include "soresolve/result.h"
#include "soresolve/system.h"
#include "soresolve/version.h"

namespace soresolve SORESOLVE_API {

/// One requirement that is not simply met.
struct VersionMessage {
  ObjectIndex requirer = kNoObject;
  ObjectIndex provider = kNoObject;
  VersionVerdict verdict = VersionVerdict::Missing;
  std::string version;            ///< the version asked for
  std::uint64_t need_offset = 0;  ///< of the vernaux entry in the requirer's file
  std::string text;               ///< ld.so's words, without ARGV0 and the provider's path
  bool is_error = false;          ///< the start-up ends with status 1; else it is a warning
  bool is_fatal_at_once = false;  ///< it ends here, with status 127
  bool is_assertion = false;      ///< likewise; `text` is the whole line
  bool is_start_only = false;     ///< tracing passes it: it has a placeholder there
  bool is_crash = false;          ///< the loader dies of a signal here; `text` says why

  /// "ARGV0: PROVIDER: TEXT", the line on standard error; with the words of a fatal error before the
  /// provider if it is one.
  [[nodiscard]] std::string line(const LinkMap& map, std::string_view argv0) const;
  /// Is it among LinkMap::failures as well? The walk knows of files that nothing goes by, and of records of an
  /// unknown version: one problem for whoever counts.
  [[nodiscard]] bool is_known_to_walk(const LinkMap& map) const;
};

struct VersionCheck {
  std::vector<VersionMessage> messages;  ///< in the order in which the loader prints them
  /// Objects whose tables cannot be read: the loader would crash on them.
  std::vector<Error> unreadable;
  std::size_t checked = 0;  ///< requirements looked at, of what LinkMap::subject() has loaded
  /// What follows the check where it has found no error (and in tracing in any case): from 2.32 to
  /// 2.40 an assertion of init_tls about thread-local storage in a filtee of the program. Else empty.
  std::string tls_assertion;

  [[nodiscard]] bool has_error() const;
};

/// Checks every object of the map in list order, as at start-up. Placeholders satisfy everything,
/// as in the loader. Errors: a file that was open for the walk cannot be opened again.
Result<VersionCheck> check_versions(const LinkMap& map);

}  // namespace SORESOLVE_API
