// The names of what can be wrong, of what can be done about it, and of how an answer ends. They stand apart from the
// structs in diagnose.h: who only needs the names is not compiled anew when a struct changes.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "soresolve/api.h"

namespace soresolve SORESOLVE_API {

enum class ProblemCode : std::uint8_t {
  NoInterpreter,     ///< the loader that a program names (PT_INTERP) is missing or refused by the kernel
  NotPermitted,      ///< the user may not execute the program, or not read the library
  ForeignLibc,       ///< a file that was built for another libc than the loader's, and lacks parts of it
  ForeignMachine,    ///< a file for a processor that neither the kernel nor a loader here takes
  MissingLibrary,    ///< nothing acceptable was found
  WrongClass,        ///< only files of the other ELF class were found
  FatalCandidate,    ///< a file in the way ends the start-up
  WouldCrash,        ///< the loader would die of a signal
  WouldBlock,        ///< a FIFO in the way
  BadToken,          ///< a dynamic string token that is refused or has no value
  VersionFile,       ///< DT_VERNEED and DT_NEEDED disagree: assertion
  VersionTable,      ///< a version table that the loader does not know
  VersionMissing,    ///< what was found does not define a version that is required
  VersionUnproven,   ///< a required version is weak, or what was found has no versions: a warning
  SymbolMissing,     ///< a reference that nothing in its scope serves
  SymbolKind,        ///< a thread-local variable is bound to what is none, or the reverse
  CopySize,          ///< a program has a copy of a variable that is larger in the library found: a warning
  CpuLevel,          ///< an object asks for more than the processor has
  ExecStack,         ///< an executable stack is asked for and refused
  StaticTlsFull,     ///< thread-local storage of what is opened has no room at a fixed place
  DlopenMissing,     ///< a library that is opened later, by a note or a known loader, is not found
  LoadOrder,         ///< found only because another object was loaded first
  LoadedBefore,      ///< a loaded object satisfies a request whose own search leads to another file
  Shadowed,          ///< a later entry of the search has another file of that name
  TwoCopies,         ///< two libraries of one kind in one process
  StubLibrary,       ///< a library to link against stands where the real one is wanted
  FileCut,           ///< a file that is loaded ends before its segments do
  ForeignFile,       ///< a file of another class or machine was passed over
  BrokenLink,        ///< a symbolic link in the way that leads nowhere, or in a circle
  NotReadable,       ///< a file or directory in the way that this user may not read
  StaticTls,         ///< what is opened later may not fit into the static TLS surplus
  MixedBuild,        ///< parts of one CUDA library that are of different builds
  DriverTooOld,      ///< the CUDA runtime is newer than the driver allows
  DriverMismatch,    ///< the driver's library and its kernel module differ
  ForwardCompat,     ///< a libcuda of a cuda-compat package is in effect
  FrameworkBuild,    ///< a framework gets other libraries than it was built for
  DriverMissing,     ///< no libcuda.so.1 is in reach
  DriverNeedsGlibc,  ///< a library that the host's driver brings in needs a newer glibc than the image has
  DriverWithheld,    ///< a library of the host's driver stays outside of the container
  DriverInImage,     ///< a libcuda of the image comes before the host's
  PreloadInEffect,   ///< LD_PRELOAD or ld.so.preload brings objects in
  RpathVoid,         ///< DT_RPATH is there, but DT_RUNPATH disables it
  RpathMissing,      ///< an entry of RPATH or RUNPATH that does not exist
  RpathDuplicate,    ///< an entry that expands to one before it
  RpathDefault,      ///< a default directory of the loader as an entry
  RpathBuild,        ///< a place of the machine that built the file
  RpathStubs,        ///< a directory of libraries that are for linking only
  UnsafeElement,     ///< an empty or relative directory before trusted ones
  StaleCache,        ///< the cache is older than a directory that it lists
  PreloadIgnored,    ///< a preload that the loader passes over with a warning
  WheelFileGone,     ///< a source or native file that the RECORD of an imported wheel lists is gone
  WheelRequirement,  ///< a wheel that an imported one requires is not installed, or in another version
  WheelTags,         ///< an imported wheel is built for another interpreter, libc or processor
  RequirementUnmet,  ///< what the user requires of the process is not so
  Note,              ///< anything else that can change the answer
};
enum class Severity : std::uint8_t { Fatal, Warning, Note };
std::string_view name_of(Severity severity);  ///< "fatal", "warning", "note"

/// When a problem is met.
enum class Phase : std::uint8_t {
  Start,   ///< the program is started
  Dlopen,  ///< a library is opened
  Call,    ///< a function is called, or a library used
  Gpu,     ///< the driver or a device is used
};
std::string_view name_of(Phase phase);  ///< "start", "dlopen", "call", "gpu"

/// What is the same for all cases of a code: their meaning is in lib/catalogue/problems_*.toml.
std::string_view code_of(ProblemCode code);  ///< stable, kebab-case: "missing-library"
Severity severity_of(ProblemCode code);
/// nullopt: when what is asked about is loaded, which may be at the start or by dlopen.
std::optional<Phase> phase_of(ProblemCode code);

enum class RemedyKind : std::uint8_t {
  PathEntry,      ///< one entry taken out of LD_LIBRARY_PATH, or all of them
  LibraryPath,    ///< LD_LIBRARY_PATH with the candidate's directory
  Configuration,  ///< a line for ld.so.conf, and the cache that ldconfig would then build
  SearchTag,      ///< RPATH or RUNPATH of the file that needs it
  Link,           ///< a link under the missing name
  Unshadow,       ///< a file in the way is moved away
  Preload,        ///< another file is loaded first
  PreloadEntry,   ///< one entry taken out of LD_PRELOAD, or all of them
  NeededName,     ///< DT_NEEDED of the file that needs it: a name in the place of a path
  Capabilities,   ///< NVIDIA_DRIVER_CAPABILITIES of the container on that host
  Tunable,        ///< more room for thread-local storage at a fixed place
  Interpreter,    ///< PT_INTERP of the program: another loader
  Permission,     ///< rights of a file or directory; not tried
  Reinstall,      ///< a package whose record lists a file that is gone or changed; not tried
  Install,        ///< a package that has the library; not tried
  Emulator,       ///< the program under qemu-user; not tried
};
std::string_view name_of(RemedyKind kind);  ///< "path-entry", "library-path", …

/// The order of choice among fixes.
enum class FixChoice : std::uint8_t {
  Undoes,             ///< takes back a proved fault: a package installed again, an entry of the environment, a right
  Works,              ///< and writes into no file of a package
  Installs,           ///< a package, into the environment of the file that needs it
  LeadsElsewhere,     ///< works: an export, a search tag or a link to another place
  WritesOwned,        ///< works, in a file that a package owns: the next install undoes it
  InstallsElsewhere,  ///< a package that no search comes to without more
  FixesPart,
  IsForeign,  ///< makes use of another environment or release
  IsNone,     ///< fails, or cannot be typed
};

enum class RemedyVerdict : std::uint8_t {
  Works,    ///< the file loads or starts
  Partly,   ///< something is fixed, something else is left
  Fails,    ///< not fixed, or broken elsewhere
  Untried,  ///< it cannot be tried here
};
std::string_view name_of(RemedyVerdict verdict);

/// Will it work? The same for every command that says so.
enum class Verdict : std::uint8_t {
  Works,
  Fails,
  Depends,  ///< a library on its own that leaves symbols without a version to the process that loads it; a file that
            ///< lacks nothing but libraries of a driver that its host is assumed to bring in
};
std::string_view name_of(Verdict verdict);  ///< "works", "fails", "depends"

}  // namespace SORESOLVE_API
