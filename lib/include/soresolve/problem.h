// One thing that is wrong with a link map, or right but surprising.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/link_map.h"
#include "soresolve/statement.h"

namespace soresolve SORESOLVE_API {

enum class ProblemCode : std::uint8_t {
  MissingLibrary,   ///< nothing acceptable was found
  WrongClass,       ///< only files of the other ELF class were found
  FatalCandidate,   ///< a file in the way ends the start-up
  WouldCrash,       ///< the loader would die of a signal
  WouldBlock,       ///< a FIFO in the way
  BadToken,         ///< a dynamic string token that is refused or has no value
  VersionFile,      ///< DT_VERNEED and DT_NEEDED disagree: assertion
  VersionMissing,   ///< what was found does not define a version that is required
  VersionUnproven,  ///< a required version is weak, or what was found has no versions: a warning
  SymbolMissing,    ///< a reference that nothing in its scope serves
  CpuLevel,         ///< an object asks for more than the processor has
  ExecStack,        ///< an executable stack is asked for and refused
  StaticTlsFull,    ///< thread-local storage of what is opened has no room at a fixed place
  DlopenMissing,    ///< a library that is opened later, by a note or a known loader, is not found
  LoadOrder,        ///< found only because another object was loaded first
  LoadedBefore,     ///< a loaded object satisfies a request whose own search leads to another file
  Shadowed,         ///< a later entry of the search has another file of that name
  TwoCopies,        ///< two libraries of one kind in one process
  StubLibrary,      ///< a library to link against stands where the real one is wanted
  ForeignFile,      ///< a file of another class or machine was passed over
  BrokenLink,       ///< a symbolic link in the way that leads nowhere, or in a circle
  NotReadable,      ///< a file or directory in the way that this user may not read
  StaticTls,        ///< what is opened later may not fit into the static TLS surplus
  MixedBuild,       ///< parts of one CUDA library that are of different builds
  DriverTooOld,     ///< the CUDA runtime is newer than the driver allows
  DriverMismatch,   ///< the driver's library and its kernel module differ
  ForwardCompat,    ///< a libcuda of a cuda-compat package is in effect
  FrameworkBuild,   ///< a framework gets other libraries than it was built for
  DriverMissing,    ///< no libcuda.so.1 is in reach
  PreloadInEffect,  ///< LD_PRELOAD or ld.so.preload brings objects in
  RpathVoid,        ///< DT_RPATH is there, but DT_RUNPATH disables it
  UnsafeElement,    ///< an empty or relative directory before trusted ones
  StaleCache,       ///< the cache is older than a directory that it lists
  PreloadIgnored,   ///< a preload that the loader passes over with a warning
  Note,             ///< anything else that can change the answer
};
std::string_view code_of(ProblemCode kind);  ///< stable, kebab-case: "missing-library"
enum class Severity : std::uint8_t { Fatal, Warning, Note };
Severity severity_of(ProblemCode kind);

/// A file that could stand for a library that is missing or wrong.
struct Candidate {
  std::string path;
  std::string soname;          ///< empty when it has none
  Statement place;             ///< how it was come by: "in ld.so.cache", "CUDA toolkit"
  bool is_asked_name = false;  ///< its SONAME or file name is the one that is asked for
  bool serves = false;         ///< it has what the files that need it require of it
  Statement reason;            ///< why, or why not
};

enum class RemedyKind : std::uint8_t {
  PathEntry,      ///< one entry taken out of LD_LIBRARY_PATH, or all of them
  LibraryPath,    ///< LD_LIBRARY_PATH with the candidate's directory
  Configuration,  ///< a line for ld.so.conf, and the cache that ldconfig would then build
  SearchTag,      ///< RPATH or RUNPATH of the file that needs it
  Link,           ///< a link under the missing name
  Unshadow,       ///< a file in the way is moved away
  Preload,        ///< another file is loaded first
};
std::string_view name_of(RemedyKind kind);  ///< "path-entry", "library-path", …

enum class RemedyVerdict : std::uint8_t {
  Works,    ///< the file loads or starts
  Partly,   ///< something is mended, something else is left
  Fails,    ///< not mended, or broken elsewhere
  Untried,  ///< it cannot be tried here
};
std::string_view name_of(RemedyVerdict verdict);

/// A change, and what came of it when it was tried in memory.
struct Remedy {
  RemedyKind kind = RemedyKind::LibraryPath;
  RemedyVerdict verdict = RemedyVerdict::Untried;
  Statement text;                     ///< what it is, in one sentence
  std::vector<std::string> commands;  ///< to type, in this order
  std::vector<std::string> mends;     ///< libraries that are found and right with it
  std::string loader_says;            ///< the loader's line if it fails, or what is left
  std::vector<Statement> also;        ///< what else changes
  Statement reason;                   ///< why it fails or was not tried, where the loader's line is no proof
  Statement checked;                  ///< how far it was looked
};

struct Problem {
  ProblemCode code = ProblemCode::Note;
  std::string name;                 ///< the library or file that it is about
  ObjectIndex object = kNoObject;   ///< the object that it is about, if it is in the map
  std::vector<NeedRef> requests;    ///< whose requests it concerns, in the loader's order
  Statement what;                   ///< one sentence
  std::vector<Statement> evidence;  ///< further lines: paths, entries
  std::vector<Candidate> candidates;
  Statement candidates_note;  ///< where the search for them was cut short
  std::string loader_says;    ///< the loader's line; empty when it says nothing
  std::string dlerror_says;   ///< the same as dlerror(3), and so Python, words it
  bool is_met_later = false;  ///< the program starts; the first call of what is missing ends it
};

}  // namespace SORESOLVE_API
