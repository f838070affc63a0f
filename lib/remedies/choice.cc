// The order of choice among fixes, in one place. First what takes back a proved fault: a package whose record shows
// another file, an entry of the environment, a right that lacks. Then what works and writes into no file of a package:
// ldconfig, a tunable, an option of the container, a directory of the file's own environment. Then a package installed
// into that environment. Then what leads the loader to another place: an export, a preloaded file, a search tag. Then
// what works but writes into a file that a package owns: the next install undoes it, so that patchelf is never first on
// such a file. Last what fixes a part, and what belongs to another environment or release.
//
// A fix is placed by its kind where that decides (kChoices), else by what it writes to and where it leads. Not here:
// what a fix is worth (remedy_trials.cc).
#include "remedies/choice.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/path.h"
#include "soresolve/remedies.h"

namespace soresolve {
namespace {

using enum FixChoice;

/// Of a fix of this kind that works, or that cannot be tried but is proved to be needed.
struct KindChoice {
  RemedyKind kind;
  FixChoice choice;
};
constexpr std::array kChoices = {
    KindChoice{RemedyKind::PathEntry, Undoes},
    KindChoice{RemedyKind::LibraryPath, LeadsElsewhere},  // Works: in the environment of who needs it
    KindChoice{RemedyKind::Configuration, Works},         // LeadsElsewhere: a new directory
    KindChoice{RemedyKind::SearchTag, LeadsElsewhere},    // WritesOwned: in a file of a package
    KindChoice{RemedyKind::Link, Works},                  // LeadsElsewhere: to another directory
    KindChoice{RemedyKind::Unshadow, LeadsElsewhere},     // WritesOwned: likewise
    KindChoice{RemedyKind::Preload, LeadsElsewhere},
    KindChoice{RemedyKind::PreloadEntry, Undoes},
    KindChoice{RemedyKind::NeededName, Works},  // WritesOwned: likewise
    KindChoice{RemedyKind::Capabilities, Works},
    KindChoice{RemedyKind::Tunable, Works},
    KindChoice{RemedyKind::Interpreter, Works},  // WritesOwned: likewise
    KindChoice{RemedyKind::Permission, Undoes},
    KindChoice{RemedyKind::Reinstall, Undoes},
    KindChoice{RemedyKind::Install, Installs},
    KindChoice{RemedyKind::Emulator, Works},
};
constexpr bool has_each_kind() {
  for (std::size_t i = 0; i < kChoices.size(); ++i) {
    if (static_cast<std::size_t>(kChoices[i].kind) != i) return false;
  }
  return kChoices.size() == static_cast<std::size_t>(RemedyKind::Emulator) + 1;
}
static_assert(has_each_kind(), "each kind of fix has its place, in the order of the kinds");

/// The environment that a file belongs to: its site-packages, its prefix of conda, else its directory.
std::string home_of(const FileSystem& files, std::string_view file) {
  for (std::string_view at = directory_of(file); at.size() > 1; at = directory_of(at)) {
    const std::string_view name = file_name_of(at);
    const bool is_home =
        name == "site-packages" || name == "dist-packages" || files.status(path_in(at, "conda-meta")).has_value();
    if (is_home) return std::string(at);
  }
  return std::string(directory_of(file));
}

class Choices {
 public:
  Choices(const FileSystem& files, const std::vector<std::string>& needers, const PackageOwners& owners)
      : owners_(owners) {
    for (const std::string& needer : needers) {
      if (std::string home = home_of(files, needer); home.size() > 1) homes_.push_back(std::move(home));
    }
  }

  [[nodiscard]] FixChoice of(const Remedy& remedy) const {
    if (remedy.verdict == RemedyVerdict::Fails || remedy.commands.empty()) return IsNone;
    const bool is_proved = remedy.kind == RemedyKind::Reinstall || remedy.kind == RemedyKind::Permission ||
                           remedy.kind == RemedyKind::Emulator;
    const bool is_install = remedy.kind == RemedyKind::Install;
    if (remedy.verdict == RemedyVerdict::Untried && !is_proved && !is_install) return IsNone;
    if (!remedy.foreign.empty()) return IsForeign;
    if (remedy.verdict == RemedyVerdict::Partly) return FixesPart;
    const FixChoice choice = kChoices[static_cast<std::size_t>(remedy.kind)].choice;
    if (std::any_of(remedy.writes.begin(), remedy.writes.end(),
                    [&](const std::string& path) { return is_owned(path); }))
      return WritesOwned;
    if (remedy.leads_to.empty()) return choice;
    const bool is_home = std::all_of(remedy.leads_to.begin(), remedy.leads_to.end(),
                                     [&](const std::string& directory) { return is_at_home(directory); });
    if (is_install) return is_home ? Installs : InstallsElsewhere;
    return is_home && remedy.kind != RemedyKind::Configuration ? Works : LeadsElsewhere;
  }

 private:
  [[nodiscard]] bool is_owned(const std::string& path) const { return owners_.owner_of(path).has_value(); }

  [[nodiscard]] bool is_at_home(const std::string& directory) const {
    return std::any_of(homes_.begin(), homes_.end(),
                       [&](const std::string& home) { return directory == home || directory.starts_with(home + "/"); });
  }

  const PackageOwners& owners_;
  std::vector<std::string> homes_;
};

}  // namespace

void order_by_choice(const FileSystem& files, const std::vector<std::string>& needers, const PackageOwners& owners,
                     Diagnosis& diagnosis) {
  const Choices choices(files, needers, owners);
  for (Remedy& remedy : diagnosis.remedies) remedy.choice = choices.of(remedy);
  std::stable_sort(diagnosis.remedies.begin(), diagnosis.remedies.end(),
                   [](const Remedy& a, const Remedy& b) { return a.choice < b.choice; });
}

const Remedy* best_remedy(const Diagnosis& diagnosis, std::string_view library) {
  const auto is_of_use = [&](const Remedy& remedy) {
    if (remedy.choice == IsNone) return false;
    if (library.empty() || remedy.verdict == RemedyVerdict::Works) return true;
    const bool is_tried = remedy.verdict == RemedyVerdict::Partly;
    if (!is_tried && remedy.kind != RemedyKind::Install) return true;
    const std::vector<std::string>& names = is_tried ? remedy.fixes : remedy.brings;
    return std::find(names.begin(), names.end(), library) != names.end();
  };
  const Remedy* best = nullptr;
  for (const Remedy& remedy : diagnosis.remedies) {
    if (is_of_use(remedy) && (best == nullptr || remedy.choice < best->choice)) best = &remedy;
  }
  return best;
}

}  // namespace soresolve
