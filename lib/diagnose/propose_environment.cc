// Fixes in the environment of one process: LD_LIBRARY_PATH and LD_PRELOAD (ld.so(8)). Each is tried in memory before it
// is shown; that finds also that a set-uid program ignores them.
#include <algorithm>

#include "base/path.h"
#include "diagnose/proposals.h"
#include "diagnose/shell.h"
#include "loader/process.h"

namespace soresolve {

std::vector<Remedy> propose_library_path(const Workbench& bench) {
  const std::vector<std::string> list = directories_of(bench.mendings, ChosenFiles::OfTheVeryName);
  if (list.empty()) return {};
  Remedy remedy;
  remedy.kind = RemedyKind::LibraryPath;
  remedy.text = say("fix-library-path", {{"count", list.size()}});
  remedy.commands = {"export LD_LIBRARY_PATH=" + shell_quoted(prepended(list, {})) +
                     "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"};
  if (prepended(list, {}).find_first_of(";$") != std::string::npos ||
      std::any_of(list.begin(), list.end(), [](const std::string& d) { return d.find(':') != std::string::npos; })) {
    return {untried(std::move(remedy), say("not-for-library-path"))};
  }
  Alteration alteration;
  alteration.environment = {"LD_LIBRARY_PATH=" +
                            prepended(list, bench.map.process->environment.value("LD_LIBRARY_PATH"))};
  return {bench.trials.tried(std::move(remedy), alteration)};
}

std::vector<Remedy> propose_preloads(const Workbench& bench) {
  std::string list;
  Alteration opens;
  std::string statement = "import ctypes";
  for (const Mending& mending : bench.mendings.chosen) {
    if (mending.candidate->soname != mending.problem->name) continue;
    list += (list.empty() ? "" : ":") + mending.candidate->path;
    opens.openings.push_back({mending.candidate->path, {.scope = OpenScope::Global}, {}, false});
    statement += "; ctypes.CDLL(\"" + mending.candidate->path + "\", mode=ctypes.RTLD_GLOBAL)";
  }
  if (list.empty()) return {};
  std::vector<Remedy> remedies;
  Remedy remedy;
  remedy.kind = RemedyKind::Preload;
  remedy.text = say("fix-preload");
  remedy.commands = {"export LD_PRELOAD=" + shell_quoted(list) + "${LD_PRELOAD:+:$LD_PRELOAD}"};
  if (list.find_first_of(" \t") != std::string::npos) {
    remedies.push_back(untried(remedy, say("not-for-preload")));
  } else {
    Alteration alteration;
    const auto old = bench.map.process->environment.value("LD_PRELOAD");
    alteration.environment = {"LD_PRELOAD=" + list + (old && !old->empty() ? ":" + std::string(*old) : "")};
    remedies.push_back(bench.trials.tried(remedy, alteration));
  }
  const bool is_python = file_name_of(bench.map.main().name()).starts_with("python");
  if (bench.map.requested.empty() || !is_python || statement.find('\\') != std::string::npos) return remedies;
  remedy.text = say("fix-preload-python");
  remedy.commands = {"python3 -c " + shell_quoted(statement + "; import …")};
  remedies.push_back(bench.trials.tried(remedy, opens));
  return remedies;
}

}  // namespace soresolve
