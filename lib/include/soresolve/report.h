// Text and JSON views of a link map. Each returns a whole document; nothing is printed here.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/diagnose.h"
#include "soresolve/language.h"
#include "soresolve/library_diff.h"
#include "soresolve/link_map.h"
#include "soresolve/process.h"
#include "soresolve/result.h"
#include "soresolve/second_reading.h"
#include "soresolve/symvers.h"
#include "soresolve/system.h"

namespace soresolve SORESOLVE_API {

enum class Colour : std::uint8_t { Never, Always };
enum class Detail : std::uint8_t { Folded, Full };  ///< runs of hwcaps directories: one line or all

/// What tracing prints, without addresses and without the vDSO:
/// "\tNAME => PATH", "\tNAME => not found", "\tPATH", "\tstatically linked".
std::string ldd_text(const LinkMap& map);

/// Tracing (LD_TRACE_LOADED_OBJECTS=1, what ldd runs) as a whole.
struct TraceAnswer {
  /// How the loader ends: with status 0, with 127, of a signal, or never.
  enum class End : std::uint8_t { Good, Fails, Crashes, Blocks } end = End::Good;
  std::vector<std::string> messages;  ///< the lines on standard error
  std::string list;                   ///< ldd_text(); empty where the loader dies before it prints
  std::string reason;                 ///< "OBJECT: WHY" of a crash or of what blocks
  bool lacks_version = false;         ///< a start ends with status 1 where this goes on
};
/// The walk's failures, then the check of versions, of which only some end a trace. What a dlopen
/// has loaded is not checked for versions here.
/// Source: glibc elf/rtld.c:dl_main, rtld_mode_trace. Errors: as check_versions().
Result<TraceAnswer> trace(const LinkMap& map);

struct TreeOptions {
  Colour colour = Colour::Never;
  unsigned max_depth = 32;                                           ///< edges from the root
  enum class Seen : std::uint8_t { Once, Again } seen = Seen::Once;  ///< repeat subtrees or not
  enum class Show : std::uint8_t { Names, Paths } show = Show::Names;
};
/// The dependency tree, each edge with how it was found; edges that would fail on their own are
/// marked "fragile". What an object opens later stands behind what it needs.
std::string tree_text(const LinkMap& map, const TreeOptions& options, const Dlopens& dlopens = {});

struct WhyOptions {
  Colour colour = Colour::Never;
  Detail detail = Detail::Folded;
  Language language = Language::English;  ///< each problem is also told in this one
};
/// The diagnosis for people: verdict first, then the proof.
std::string why_text(const LinkMap& map, const Diagnosis& diagnosis, const WhyOptions& options);

/// The same as JSON, schema `soresolve/1` (lib/report/schema.json): every object, need and attempt.
std::string ldd_json(const LinkMap& map, std::string_view file);
std::string tree_json(const LinkMap& map, std::string_view file, const Dlopens& dlopens = {});
std::string why_json(const LinkMap& map, const Diagnosis& diagnosis, std::string_view file);
/// The same document piece by piece, for what can be long; all pieces together are what the others return.
using WritePart = std::function<void(std::string_view)>;
void write_tree_json(const LinkMap& map, std::string_view file, const Dlopens& dlopens, const WritePart& write);
void write_why_json(const LinkMap& map, const Diagnosis& diagnosis, std::string_view file, const WritePart& write);

/// What one library defines and requires, and the answers to what was asked of it.
struct SymversReport {
  const VersionedLibrary& library;
  const std::vector<NeedAnswer>& needs;
  const std::vector<ForAnswer>& consumers;
  std::vector<SecondReading> witness = {};  ///< of the library and each consumer, if asked for
};
std::string symvers_text(const SymversReport& report, Colour colour, Detail detail);
std::string symvers_json(const SymversReport& report);

/// Whether one library can stand where another one stood.
struct LibraryDiffReport {
  const VersionedLibrary& old;
  const VersionedLibrary& now;
  const LibraryDiff& diff;
};
std::string library_diff_text(const LibraryDiffReport& report, Colour colour, Detail detail);
std::string library_diff_json(const LibraryDiffReport& report);

}  // namespace SORESOLVE_API
