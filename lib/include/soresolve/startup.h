// What a start of the program comes to, after everything has been found: versions, CPU, symbols.
//
// Source: glibc elf/rtld.c:dl_main from the end of _dl_map_object_deps on: _dl_check_all_versions,
// _rtld_main_check, _dl_relocate_object for each object. Constructors are not run.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/bindings.h"
#include "soresolve/loader.h"
#include "soresolve/version_check.h"

namespace soresolve SORESOLVE_API {

/// All that is to be known for a start.
struct StartFacts {
  VersionCheck versions;
  Bindings bindings;
  /// Objects that ask for more than the processor has, in the order in which the loader looks.
  std::vector<ObjectIndex> above_cpu;
};

/// The objects that ask for more than the processor has: those of the start, then each opening's.
std::vector<ObjectIndex> objects_above_cpu(const LinkMap& map);

/// Reads what start_up() needs. Errors: as check_versions and bind_symbols.
Result<StartFacts> read_start_facts(const LinkMap& map, const BindOptions& options = {});

enum class StartEnd : std::uint8_t {
  Runs,      ///< the program gets control
  Fails,     ///< exit status 127
  Versions,  ///< exit status 1: a version is missing
  Crashes,   ///< a signal
  Blocks,    ///< for ever
};

/// A strong reference that nothing serves.
struct UndefinedSymbol {
  ObjectIndex referrer = kNoObject;
  std::string name;
  std::string version;  ///< asked for; may be empty where one is
  bool has_version = false;
  bool is_lazy = false;  ///< fatal at the first call only, unless binding is now
};

struct Startup {
  StartEnd end = StartEnd::Runs;
  /// Standard error, line by line. The last one tells why it ended, unless it runs, crashes or blocks.
  std::vector<std::string> lines;
  std::optional<std::size_t> fatal_line;  ///< index of the first line that is no warning
  std::string death;                      ///< why it crashes or blocks
  /// A dlopen that fails and ends the process with status 127, instead of returning NULL.
  bool ends_process = false;
  /// The error that dlerror(3) would have given, had the process not ended while the call was taken back.
  std::string lost_error;
  /// The books of the static TLS after an opening that fails.
  std::optional<StaticTlsLeft> tls_left;
  /// Every strong reference without definition, in the order of relocation; the first that is bound
  /// at start ends it.
  std::vector<UndefinedSymbol> undefined;
};

/// Plays the start through. The first lines are what the walk has found (preloads that are ignored;
/// the file that ends it). In a dlopen the last line is what dlerror(3) gives.
Startup start_up(const LinkMap& map, const StartFacts& facts, BindTime bind_time);

/// The same for the n-th opening of the map: `lines` ends in what dlerror(3) gives if it fails.
/// BindTime::Now is RTLD_NOW, AsAsked RTLD_LAZY.
Startup open_up(const LinkMap& map, const StartFacts& facts, std::size_t opening, BindTime bind_time);

/// An opening that does not succeed.
struct FailedOpening {
  std::size_t index = 0;         ///< in LoadOptions::openings
  std::string message;           ///< what dlerror(3) gives; empty where the process ends of a signal
  bool is_process_over = false;  ///< it does not return: nothing after it is opened
};
enum class Settle : std::uint8_t {
  BeforeLast,  ///< the last one is the question, and stays as it is
  All,
};

/// Finds out which of `openings`, made one after the other in the process, fail, for whatever reason;
/// marks them as taken back, so that load() goes on without them. Those with `skips_loaded` are in the
/// process: only that their files cannot be loaded at all counts. Ends at one that ends the process.
/// Errors: as load() and read_start_facts().
Result<std::vector<FailedOpening>> settle_openings(std::shared_ptr<const System> system,
                                                   std::shared_ptr<const Process> process, std::string_view file,
                                                   std::vector<OpenRequest>& openings, Settle which);

}  // namespace SORESOLVE_API
