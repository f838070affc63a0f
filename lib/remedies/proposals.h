// The changes that are worth a trial, by what they change. Each function returns the remedies it
// has thought of, tried, smallest first; none where the case gives no reason for it.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "remedies/candidates.h"
#include "remedies/remedy_trials.h"
#include "remedies/replacements.h"

namespace soresolve {

/// What proposals are made of.
struct RemedyContext {
  const LinkMap& map;
  const std::vector<Problem>& problems;  ///< with their candidates
  const Replacements& replacements;
  RemedyTrials& trials;
};

// The environment of a process (propose_path_entry.cc, propose_environment.cc).
std::vector<Remedy> propose_path_entry(const RemedyContext& context);
std::vector<Remedy> propose_library_path(const RemedyContext& context);
std::vector<Remedy> propose_preloads(const RemedyContext& context);
std::vector<Remedy> propose_capabilities(const RemedyContext& context);
std::vector<Remedy> propose_preload_entry(const RemedyContext& context);
std::vector<Remedy> propose_static_tls(const RemedyContext& context);
std::vector<Remedy> propose_exec_stack(const RemedyContext& context);
std::vector<Remedy> propose_sanitizer(const RemedyContext& context);

/// For libraries that are opened later and not found (propose_opened_later.cc).
std::vector<Remedy> propose_opened_later(const RemedyContext& context, const Dlopens& dlopens);

// The machine (propose_configuration.cc): ldconfig alone where its directories are named already; a line for it.
std::vector<Remedy> propose_ldconfig(const RemedyContext& context);
std::vector<Remedy> propose_configuration(const RemedyContext& context);

// Single files (propose_search_tag.cc, propose_links.cc): where the needer looks, what it asks for, a link under the
// missing name, and room for what stands behind a wrong file.
std::vector<Remedy> propose_search_tag(const RemedyContext& context);
std::vector<Remedy> propose_needed_name(const RemedyContext& context);
/// The library that defines missing symbols: required by who refers to them, or preloaded.
std::vector<Remedy> propose_missing_need(const RemedyContext& context);
std::vector<Remedy> propose_links(const RemedyContext& context);
std::vector<Remedy> propose_unshadowing(const RemedyContext& context);

/// Packages whose record lists a file that is gone or changed, to be installed again.
struct Reinstall {
  std::optional<Remedy> remedy;               ///< not tried; nullopt: there are none, or no command is known
  std::set<std::string, std::less<>> served;  ///< the problems that it is about, by name
  std::vector<PackageOwner> packages;
};

/// What is to be installed again (propose_reinstall.cc).
Reinstall find_reinstall(const LinkMap& map, const Diagnosis& diagnosis, const PackageOwners& owners,
                         const PythonImport* import);

/// What would bring the libraries of which no file that serves is here (propose_install.cc); added, not tried. Not for
/// those in `served`. `import_wheel`: what the exception of an import asks for; empty: nothing.
void propose_installs(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners,
                      const std::set<std::string, std::less<>>& served, std::string_view import_wheel);

/// The wheel of a CUDA runtime that is older than the symbols which are missing of it, in a release that has them
/// (propose_install.cc); added, not tried.
void propose_newer_runtime(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners, const Check& check);

/// The wheel of a file that requires an executable stack, in a newer release (propose_environment.cc); added, not
/// tried.
void propose_newer_wheel(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners);

/// A mount without noexec below `path`, absolute; not tried.
Remedy fix_of_noexec(const std::string& path);

/// Rights that this user lacks (propose_permission.cc); added, not tried.
void propose_permissions(const LinkMap& map, Diagnosis& diagnosis);

enum class ChosenFiles { All, OfTheVeryName };

/// Directories of the chosen files, each once: of all, or of those that bear the very name that is
/// asked for.
std::vector<std::string> directories_of(const Replacements& replacements, ChosenFiles which);

/// A search list that comes to `directories` before what there is.
std::string prepended(const std::vector<std::string>& directories, std::optional<std::string_view> value);

}  // namespace soresolve
