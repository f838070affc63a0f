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
  SearchStep where = SearchStep::Cache;  ///< Cache, or DefaultDirs for a directory beside the file
};

struct Finding {
  FindingKind kind = FindingKind::Note;
  ObjectIndex object = kNoObject;   ///< whom it concerns
  ObjectIndex needer = kNoObject;   ///< whose request, if it is about one
  std::uint32_t need = 0;           ///< index into the needer's `needs`
  std::string name;                 ///< the library asked for
  std::string text;                 ///< one sentence
  std::vector<std::string> proof;   ///< further lines: paths, entries
  std::vector<SimilarLibrary> similar;
  std::string loader_says;          ///< the loader's line; empty when it says nothing
};

/// The answer to `why`.
struct Diagnosis {
  bool starts = true;               ///< as far as the search goes: no fatal finding
  std::string verdict;              ///< one line
  std::vector<Finding> findings;    ///< fatal ones first, in the loader's order
  std::vector<ObjectIndex> named;   ///< objects that were asked about
  std::string asked;                ///< the SONAME that was asked about; empty for none
};

/// Looks through a map that was made with Attempts::Record and OnFatal::GoOn. `asked` restricts the
/// answer to one library name; empty for all.
Diagnosis diagnose(const System& system, const Process& process, const LinkMap& map,
                   std::string_view file, std::string_view asked = {});

}  // namespace soresolve
