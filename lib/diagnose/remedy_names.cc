// Names of fixes and of what came of them, as in JSON (lib/report/schema.json). Codes of problems have theirs in
// lib/catalogue/problems_*.toml.
#include "soresolve/diagnose.h"

namespace soresolve {

std::string_view name_of(RemedyKind kind) {
  switch (kind) {
    case RemedyKind::PathEntry: return "path-entry";
    case RemedyKind::LibraryPath: return "library-path";
    case RemedyKind::Configuration: return "configuration";
    case RemedyKind::SearchTag: return "search-tag";
    case RemedyKind::Link: return "link";
    case RemedyKind::Unshadow: return "unshadow";
    case RemedyKind::Preload: return "preload";
    case RemedyKind::PreloadEntry: return "preload-entry";
    case RemedyKind::NeededName: return "needed-name";
    case RemedyKind::Capabilities: return "capabilities";
    case RemedyKind::Tunable: return "tunable";
    case RemedyKind::Interpreter: return "interpreter";
    case RemedyKind::Permission: return "permission";
    case RemedyKind::Reinstall: return "reinstall";
    case RemedyKind::Install: return "install";
  }
  return "";
}

std::string_view name_of(RemedyVerdict verdict) {
  switch (verdict) {
    case RemedyVerdict::Works: return "works";
    case RemedyVerdict::Partly: return "partly";
    case RemedyVerdict::Fails: return "fails";
    case RemedyVerdict::Untried: return "untried";
  }
  return "";
}

}  // namespace soresolve
