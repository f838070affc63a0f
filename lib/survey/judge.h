// One root of a tree in its own process: the verdict, and for one that fails what is wrong and what would help.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "soresolve/diagnose.h"
#include "soresolve/survey.h"
#include "soresolve/world.h"

namespace soresolve {

/// A file that a process has loaded.
struct LoadedFile {
  FileId id;
  std::string path;                ///< as the loader opened it
  std::uint32_t first_target = 0;  ///< of its DT_NEEDED, in Judged::targets
  std::uint32_t target_count = 0;
  bool is_opened_later = false;
  std::string soname = {};              ///< of what is not in the tree
  std::vector<std::string> needs = {};  ///< likewise
};
/// Index into Judged::loaded.
using LoadedIndex = std::uint32_t;
inline constexpr LoadedIndex kNotLoaded = 0xffffffff;

/// What a file brings into the process other than by a DT_NEEDED.
struct LoadedLink {
  LoadedIndex opener = kNotLoaded;  ///< kNotLoaded: a script, or the process itself
  SurveyLinkKind kind = SurveyLinkKind::Note;
  std::string name;
  LoadedIndex target = kNotLoaded;
};

struct Judged {
  Verdict verdict = Verdict::Works;
  std::optional<AssumedProcess> process;
  Statement depends_on;  ///< of Verdict::Depends
  std::vector<LoadedFile> loaded;
  std::vector<LoadedIndex> targets;  ///< kNotLoaded: the need leads to no file
  std::vector<LoadedLink> links;
  std::optional<Error> error;  ///< it could not be asked
};
/// Are its name and its needs known, because it lies in the tree?
using IsInTree = std::function<bool(const FileId& id)>;
/// How a root is asked about.
struct RootQuestion {
  std::string path;                            ///< absolute, in the world's root: what it is called
  std::string file;                            ///< as World::resolve() takes it; empty: the program of a live process
  std::vector<OpenRequest> dlopen_calls = {};  ///< as ResolveOptions has them
};
Judged judge(World& world, const RootQuestion& root, const SurveyOptions& options, const IsInTree& is_in_tree);

/// The map with what is opened later opened as well, guesses by strings left out; nullopt where nothing is, or where
/// the process does not come so far. Its first objects are those of `map`.
std::optional<LinkMap> with_later(const LinkMap& map, const Dlopens& later);

/// One problem of a root that fails, without its map. Paths are without links.
struct RootProblem {
  Problem problem;
  std::vector<std::string> needers;  ///< files that ask for what is missing; the root itself where nobody else does
  std::string provider;              ///< the file that should define it; empty: none in particular
  std::optional<GroupSearch> search;
};
/// What makes the root fail: fatal problems, or the first of CUDA because of which calls will fail; and what the policy
/// demands and is not so.
std::vector<RootProblem> problems_of(World& world, const RootQuestion& root, const SurveyOptions& options,
                                     const IsInTree& is_in_tree);

/// The best fix for the root, of those that help with `library`; nullopt: there is none to type.
std::optional<Remedy> fix_for(World& world, const RootQuestion& root, const SurveyOptions& options,
                              std::string_view library);

}  // namespace soresolve
