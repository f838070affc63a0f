// Will it start, or load into a running process? And if not, what is wrong: all of it.
//
// The loader stops at the first thing that is wrong; start_up() plays that. Here stands the rest as
// well: every library, version and symbol that is missing, and what is there in its place.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/startup.h"
#include "soresolve/symbol_search.h"

namespace soresolve SORESOLVE_API {

/// A file that the walk asks for in vain, once for all who ask.
struct LostLibrary {
  LoadFailure failure;               ///< of the first that asks
  std::vector<ObjectIndex> needers;  ///< in the loader's order
};

/// A version that is required and not simply there.
struct VersionGap {
  VersionMessage message;
  std::vector<std::string> nearest;  ///< versions that the provider does define, closest by name
  std::size_t defined_count = 0;     ///< how many it defines, without the base record
};

/// What an object refers to in vain, lazily if all its references to it are lazy, and the file that
/// its version is required from.
struct LostSymbol {
  UndefinedSymbol reference;
  std::string file;              ///< vn_file; empty: no version is asked for
  ObjectIndex from = kNoObject;  ///< the object that goes by this name, maybe a placeholder
  /// Objects that carry the name but do not serve; looked for of the first few symbols only.
  std::vector<AskedObject> namesakes;
  /// Objects that the process opened before with RTLD_LOCAL and that define it; likewise.
  std::vector<ObjectIndex> out_of_scope;
};

/// Of what the check is about: the start, or the last opening of the map.
struct StartCounts {
  std::size_t objects = 0;       ///< files that it needs, itself included
  std::size_t versions = 0;      ///< requirements that were looked at
  std::size_t references = 0;    ///< symbol references, equal ones of an object merged
  std::size_t unbound_weak = 0;  ///< weak ones that stay without definition
  std::size_t lazy = 0;          ///< bound that wait for their first call unless LD_BIND_NOW is set
};

/// The answer to `check`.
struct Check {
  StartFacts facts;
  Startup now;                         ///< with LD_BIND_NOW=1; an opening with RTLD_NOW
  Startup as_asked;                    ///< as the environment says; an opening with RTLD_LAZY
  bool asks_now = false;               ///< LD_BIND_NOW is set in the environment
  bool opens_lazily = false;           ///< what is asked about is opened with RTLD_LAZY
  std::vector<LostLibrary> libraries;  ///< those that end the start
  std::vector<VersionGap> versions;
  std::vector<LostSymbol> symbols;  ///< in the order of relocation
  StartCounts counts;

  /// What was asked: with LD_BIND_NOW=1, an opening in its own mode.
  [[nodiscard]] const Startup& answer() const { return opens_lazily ? as_asked : now; }
  [[nodiscard]] bool is_ok() const { return answer().end == StartEnd::Runs; }
};

/// Judges a map that was made with OnFatal::GoOn: its last opening, or its start if nothing is opened.
/// Errors as read_start_facts.
Result<Check> check_start(const LinkMap& map, const BindOptions& options = {});

/// What the process ends with: 127, or 1 for versions; nullopt where the program's own status counts,
/// for signals, and in a dlopen.
std::optional<int> exit_status_of(const LinkMap& map, const Startup& startup);

/// The highest level of the x86-64 psABI among the bits of GNU_PROPERTY_X86_ISA_1_NEEDED:
/// "x86-64-v3"; bits that no level has by their number.
std::string isa_level_name(std::uint32_t isa_needed);

}  // namespace SORESOLVE_API
