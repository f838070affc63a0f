// Names of fixes and of what came of them, as in JSON (lib/report/schema.json). Codes of problems have theirs in
// lib/catalogue/problems_*.toml.
#include "base/enum_names.h"
#include "soresolve/diagnose.h"

namespace soresolve {

std::string_view name_of(RemedyKind kind) {
  using enum RemedyKind;
  static constexpr auto kNames = enum_names<RemedyKind>({{PathEntry, "path-entry"},
                                                         {LibraryPath, "library-path"},
                                                         {Configuration, "configuration"},
                                                         {SearchTag, "search-tag"},
                                                         {Link, "link"},
                                                         {Unshadow, "unshadow"},
                                                         {Preload, "preload"},
                                                         {PreloadEntry, "preload-entry"},
                                                         {NeededName, "needed-name"},
                                                         {Capabilities, "capabilities"},
                                                         {Tunable, "tunable"},
                                                         {Interpreter, "interpreter"},
                                                         {Permission, "permission"},
                                                         {Reinstall, "reinstall"},
                                                         {Install, "install"},
                                                         {Emulator, "emulator"}});
  return kNames[kind];
}

std::string_view name_of(RemedyVerdict verdict) {
  using enum RemedyVerdict;
  static constexpr auto kNames =
      enum_names<RemedyVerdict>({{Works, "works"}, {Partly, "partly"}, {Fails, "fails"}, {Untried, "untried"}});
  return kNames[verdict];
}

}  // namespace soresolve
