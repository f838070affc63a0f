// Who needs a library or a symbol of a tree, directly and through whom, and what no program of the tree loads.
//
// Stands on a survey: its edges say which file each DT_NEEDED leads to in which process. What is bound is read from the
// files again, for those processes only that have the library. Leaves out dlsym(3): nobody knows its names before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/packages.h"
#include "soresolve/result.h"
#include "soresolve/survey.h"
#include "soresolve/world.h"

namespace soresolve {

/// One file that needs another one, or that binds symbols of it.
struct WhoNeeder {
  SurveyIndex file = kNoFile;
  bool is_needed = false;              ///< a DT_NEEDED of it leads there
  std::optional<SurveyLinkKind> link;  ///< else how it brings it in, if it does
  std::size_t processes = 0;           ///< in which that is so
  /// What it binds there: "NAME" or "NAME@VERSION", ascending, in all processes together. Empty where bindings were not
  /// looked at.
  std::vector<std::string> symbols;
};

/// One file that the name stands for, or one definition of the symbol.
struct WhoCopy {
  SurveyIndex file = kNoFile;          ///< kNoFile: what was found nowhere
  std::string symbol;                  ///< of a symbol: "NAME" or "NAME@VERSION", as it is asked for
  std::vector<WhoNeeder> needers;      ///< by path, files of the tree first
  std::vector<SurveyIndex> processes;  ///< roots that load it, or that take this definition; ascending
};

struct WhoAnswer {
  enum class About : std::uint8_t { Library, Symbol } about = About::Library;
  std::string name;
  std::vector<WhoCopy> copies;    ///< by path; empty: the name is unknown
  bool has_bindings = false;      ///< symbols were looked at
  std::vector<std::string> near;  ///< of an unknown name: names that contain it
  bool is_defined = false;        ///< of a symbol: a file of the tree defines it, though nobody may refer to it
  bool is_interrupted = false;    ///< not all processes were looked at
  /// Files that need it, or that refer to it; each once.
  [[nodiscard]] std::size_t needer_count() const;
  /// Of these, such as bind symbols.
  [[nodiscard]] std::size_t binder_count() const;
  [[nodiscard]] std::size_t process_count() const;
  /// Roots in whose process there is more than one of the copies.
  [[nodiscard]] std::vector<SurveyIndex> processes_with_several() const;
};

/// Files and directories that could not be looked into: who needs something may lie there. A library that is damaged
/// loads nowhere, so that it counts only where nothing else is found.
enum class DamagedLibraries : std::uint8_t { Count, PassOver };
std::size_t unread_count(const Survey& survey, DamagedLibraries damaged = DamagedLibraries::Count);
/// Of an answer.
std::size_t unread_count(const Survey& survey, const WhoAnswer& answer);

/// `name`: a SONAME, the name of a file, or a path; by needs alone.
WhoAnswer who_needs(const Survey& survey, const std::string& name);
/// Fills in what is bound, from the files. Fails as World::files().
std::optional<Error> add_bindings(WhoAnswer& answer, const Survey& survey, const WorldSettings& settings,
                                  const SurveyOptions& options);
/// `symbol`: "NAME", "NAME@VERSION", or a name of C++ as people write it, with or without its parameters. Fails as
/// World::files().
Result<WhoAnswer> who_references(const Survey& survey, const std::string& symbol, const WorldSettings& settings,
                                 const SurveyOptions& options);

/// By file of the survey, those outside included: who brings it in, each once, ascending.
struct SurveyNeeder {
  SurveyIndex file = kNoFile;
  bool is_needed = false;
  std::optional<SurveyLinkKind> link;
};
std::vector<std::vector<SurveyNeeder>> needers_of_files(const Survey& survey);

/// What the files of a survey weigh, and whose they are.
struct SurveySizes {
  struct File {
    std::uint64_t size_bytes = 0;          ///< 0 of a further hard link: its bytes are counted once
    std::optional<std::uint32_t> package;  ///< index into `packages`; nullopt: no package's
  };
  std::vector<File> files;             ///< as Survey::files
  std::vector<PackageOwner> packages;  ///< in the order of their first files
};
/// Asks the packages of the root for each file, as long as options.stop lets it. Fails as World::files().
Result<SurveySizes> sizes_of(const Survey& survey, const WorldSettings& settings, const SurveyOptions& options);

/// How far anything names a file that no program loads; each is more than those before it.
enum class UnusedEvidence : std::uint8_t {
  Nothing,     ///< nothing names it
  OtherCopy,   ///< its name is needed, and another file is loaded for that
  OnlyUnused,  ///< a file needs it that no program loads either
  OnlyString,  ///< its name stands as a string in a file
};
std::string_view name_of(UnusedEvidence evidence);  ///< "nothing", "other-copy", "unused-needer", "string"

struct UnusedFile {
  SurveyIndex file = kNoFile;
  std::uint64_t size_bytes = 0;   ///< 0 of a further hard link: its bytes are counted once
  SurveyIndex link_of = kNoFile;  ///< of that: the first path of the file
  UnusedEvidence evidence = UnusedEvidence::Nothing;
  SurveyIndex by = kNoFile;       ///< the first file that names it
  SurveyIndex instead = kNoFile;  ///< of OtherCopy: what that one gets
  std::optional<PackageOwner> owner = {};
};
struct Unused {
  std::vector<UnusedFile> files;  ///< the largest first
  bool is_interrupted = false;
  [[nodiscard]] std::uint64_t total_bytes() const;
};
/// Libraries and modules of the tree that are in the process of no program, of no module of Python, and of no plug-in
/// for which a program was found. Fails as World::files().
Result<Unused> find_unused(const Survey& survey, const WorldSettings& settings, const SurveyOptions& options);

}  // namespace soresolve
