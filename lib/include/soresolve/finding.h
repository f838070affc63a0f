// One thing that is wrong with a link map, or right but surprising.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/link_map.h"

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
  SymbolMissing,     ///< a reference that nothing in its scope serves
  CpuLevel,          ///< an object asks for more than the processor has
  ExecStack,         ///< an executable stack is asked for and refused
  DlopenMissing,     ///< a library that is opened later, by a note or a known loader, is not found
  LoadOrder,         ///< found only because another object was loaded first
  LoadedBefore,      ///< a loaded object satisfies a request whose own search leads to another file
  Shadowed,          ///< a later entry of the search has another file of that name
  TwoCopies,         ///< two libraries of one kind in one process
  StubLibrary,       ///< a library to link against stands where the real one is wanted
  ForeignFile,       ///< a file of another class or machine was passed over
  BrokenLink,        ///< a symbolic link in the way that leads nowhere, or in a circle
  NotReadable,       ///< a file or directory in the way that this user may not read
  StaticTls,         ///< what is opened later may not fit into the static TLS surplus
  PreloadInEffect,   ///< LD_PRELOAD or ld.so.preload brings objects in
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

}  // namespace soresolve
