// The remedy for every process of a machine: a directory named to ldconfig.
#include <algorithm>

#include "base/small_file.h"
#include "loader/ldconfig.h"
#include "loader/system.h"
#include "remedies/proposals.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

std::string content_of(const FileSystem& files, const std::string& path) {
  std::string text = start_of_file(files, path, 1 << 20);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

/// Would a file in /etc/ld.so.conf.d be read?
bool includes_directory(const System& system) {
  OverlayFileSystem files(system.files);
  constexpr std::string_view kProbe = "/soresolve-probe";
  if (!files.status("/etc/ld.so.conf.d")) return false;
  if (files.add_file("/etc/ld.so.conf.d/soresolve-probe.conf", kProbe) != Errno::None) return false;
  std::vector<std::string> problems;
  const std::vector<std::string> found = configured_directories(files, system.rules, problems);
  return std::find(found.begin(), found.end(), kProbe) != found.end();
}

/// Those of the chosen files that ldconfig would go through, or those that it would not.
enum class Configured : std::uint8_t { Yes, No };

std::vector<std::string> chosen_directories(const RemedyContext& context, Configured wanted) {
  const System& system = *context.map.system;
  std::vector<std::string> problems;
  std::vector<std::string> known = configured_directories(*system.files, system.rules, problems);
  known.insert(known.end(), system.rules.system_dirs.begin(), system.rules.system_dirs.end());
  std::vector<std::string> list = directories_of(context.replacements, ChosenFiles::All);
  std::erase_if(list, [&](const std::string& directory) {
    const Result<std::string, Errno> real = system.files->real_path(directory);
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const std::string& one) {
      const Result<std::string, Errno> other = system.files->real_path(one);
      return real && other && *real == *other;
    });
    return is_known != (wanted == Configured::Yes);
  });
  return list;
}

}  // namespace

std::vector<Remedy> propose_ldconfig(const RemedyContext& context) {
  if (chosen_directories(context, Configured::Yes).empty()) return {};
  Remedy remedy;
  remedy.kind = RemedyKind::Configuration;
  remedy.text = say("fix-ldconfig");
  remedy.commands = {"sudo ldconfig"};
  WorldChange world_change;
  world_change.runs_ldconfig = true;
  remedy = context.trials.tried(std::move(remedy), world_change);
  // It is no fix for a file in the way, or where the loader does not ask the cache.
  const bool is_good = remedy.verdict == RemedyVerdict::Works || remedy.verdict == RemedyVerdict::Partly;
  if (!is_good) return {};
  return {std::move(remedy)};
}

std::vector<Remedy> propose_configuration(const RemedyContext& context) {
  const std::vector<std::string> list = chosen_directories(context, Configured::No);
  if (list.empty()) return {};
  Remedy remedy;
  remedy.kind = RemedyKind::Configuration;
  remedy.text = say("fix-configuration", {{"count", list.size()}});
  remedy.leads_to = list;
  std::string lines;
  CommandText words;
  for (const std::string& directory : list) {
    lines += directory + "\n";
    words += " " + shell_word(directory);
    if (directory.find_first_of("#=\n") != std::string::npos) {
      return {untried(std::move(remedy), say("not-for-configuration"))};
    }
  }
  const std::string file =
      "/etc/ld.so.conf.d/" + std::string(library_stem(context.replacements.chosen.front().problem->name)) + ".conf";
  const std::string target = includes_directory(*context.map.system) ? file : "/etc/ld.so.conf";
  WorldChange world_change;
  world_change.runs_ldconfig = true;
  world_change.files = {{target, content_of(*context.map.system->files, target) + lines}};
  remedy.commands = {"printf '%s\\n'" + words + " | sudo tee -a " + shell_path(target) + " >/dev/null",
                     "sudo ldconfig"};
  return {context.trials.tried(std::move(remedy), world_change)};
}

}  // namespace soresolve
