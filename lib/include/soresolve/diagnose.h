// What is wrong with a link map, and what is right but surprising.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/link_map.h"
#include "soresolve/loader.h"
#include "soresolve/process.h"
#include "soresolve/system.h"

namespace soresolve {

enum class FindingKind : std::uint8_t {
  MissingLibrary,    ///< nothing acceptable was found
  WrongClass,        ///< only files of the other ELF class were found
  FatalCandidate,    ///< a file in the way ends the start-up
  WouldCrash,        ///< the loader would die of a signal
  WouldBlock,        ///< a FIFO in the way
  BadToken,          ///< a dynamic string token that is refused or has no value
  VersionFile,       ///< DT_VERNEED and DT_NEEDED disagree: assertion
  VersionMissing,    ///< what was found does not define a version that is required
  VersionUnproven,   ///< a required version is weak, or what was found has no versions: a warning
  LoadOrder,         ///< found only because another object was loaded first
  Shadowed,          ///< a later entry of the search has another file of that name
  RpathVoid,         ///< DT_RPATH is there, but DT_RUNPATH disables it
  UnsafeElement,     ///< an empty or relative directory before trusted ones
  StaleCache,        ///< the cache is older than a directory that it lists
  PreloadIgnored,    ///< a preload that the loader passes over with a warning
  Note,              ///< anything else that can change the answer
};
std::string_view code_of(FindingKind kind);  ///< stable, kebab-case: "missing-library"
enum class Severity : std::uint8_t { Fatal, Warning, Note };
Severity severity_of(FindingKind kind);

/// A library of a similar name that the system does have.
struct SimilarLibrary {
  std::string soname;
  std::string path;
  bool is_cached = false;  ///< from ld.so.cache; else seen in a directory that was searched
};

/// One request of the map.
struct NeedRef {
  ObjectIndex needer = kNoObject;
  std::uint32_t need = 0;  ///< index into the needer's `needs`
};

struct Finding {
  FindingKind kind = FindingKind::Note;
  std::string name;                 ///< the library or file that it is about
  ObjectIndex object = kNoObject;   ///< the object that it is about, if it is in the map
  std::vector<NeedRef> requests;    ///< whose requests it concerns, in the loader's order
  std::string text;                 ///< one sentence
  std::vector<std::string> proof;   ///< further lines: paths, entries
  std::vector<SimilarLibrary> similar;
  std::string loader_says;          ///< the loader's line; empty when it says nothing
  std::string dlerror_says;         ///< the same as dlerror(3), and so Python, words it
};

/// The answer to `why`.
struct Diagnosis {
  bool starts = true;               ///< as far as search and versions go: no fatal finding
  std::string loader_prints;        ///< its first fatal line (dlerror's for a library); empty if none
  std::string verdict;              ///< one line
  std::vector<Finding> findings;    ///< fatal ones first, in the loader's order
  std::string asked;                ///< the library that was asked about; empty for none
  std::vector<NeedRef> asked_requests;  ///< every request for it, in the loader's order
};

/// Every request of the map for a library, in the loader's order: by the name asked for, by the
/// SONAME, path or file name of what was found.
std::vector<NeedRef> requests_for(const LinkMap& map, std::string_view library);

/// Looks through a map that was made with Attempts::Record and OnFatal::GoOn. `asked` restricts the
/// answer to one library name; empty for all.
Diagnosis diagnose(const System& system, const Process& process, const LinkMap& map,
                   std::string_view file, std::string_view asked = {});

}  // namespace soresolve
