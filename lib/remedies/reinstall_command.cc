// Sources: pip's, apt-get(8)'s, dpkg(1)'s, conda's, dnf(8)'s and zypper(8)'s documentation of their commands. Where the
// broken library is one that apt-get itself is linked against, apt-get cannot repair it: its start is predicted in the
// same tree, and that of the programs which it and dpkg(1) run. Debian's statically linked busybox unpacks an archive
// where dpkg does not start either. Nothing is downloaded: an archive has to lie where apt-get keeps them.
#include "remedies/reinstall_command.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/path.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "remedies/pip_command.h"
#include "remedies/trial.h"

namespace soresolve {
namespace {

constexpr char kArchives[] = "/var/cache/apt/archives";

/// What PyTorch's own index calls 2.6.0+cu124 is not on PyPI.
CommandText index_of(const PackageOwner& owner) {
  constexpr std::string_view kOfPyTorch[] = {"torch", "torchvision", "torchaudio"};
  const std::size_t plus = owner.version.find('+');
  const bool is_its = std::find(std::begin(kOfPyTorch), std::end(kOfPyTorch), owner.name) != std::end(kOfPyTorch);
  if (plus == std::string::npos || !is_its) return {};
  const std::string local = owner.version.substr(plus + 1);
  const bool is_plain = local == "cpu" || local.starts_with("cu") || local.starts_with("rocm");
  return is_plain ? " --index-url https://download.pytorch.org/whl/" + shell_word(local) : CommandText();
}

/// Of the program of the root that fetches packages of rpm; an image may have none.
std::optional<CommandText> rpm_command(const FileSystem& files) {
  constexpr std::string_view kReinstalling[] = {"dnf", "yum", "microdnf", "tdnf"};
  for (const std::string_view program : kReinstalling) {
    if (files.status("/usr/bin/" + std::string(program))) return "sudo " + shell_word(program) + " reinstall ";
  }
  if (!files.status("/usr/bin/zypper")) return std::nullopt;
  return CommandText("sudo zypper install --force ");
}

/// "/var/cache/apt/archives/zlib1g_1%3a1.2.13_amd64.deb", of this very version; empty: it is not there.
std::string archive_of(const FileSystem& files, const PackageOwner& owner) {
  if (owner.version.empty()) return {};
  std::string start = owner.name + "_";
  for (const char c : owner.version) start += c == ':' ? std::string("%3a") : std::string(1, c);
  start += "_";
  const std::string_view list = file_name_of(owner.record);
  const std::size_t colon = list.find(':');
  if (colon != std::string_view::npos) start += list.substr(colon + 1, list.rfind('.') - colon);  // "amd64."
  const Result<std::vector<std::string>, Errno> names = files.list_directory(kArchives);
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    if (name.starts_with(start) && name.ends_with(".deb")) return path_in(kArchives, name);
  }
  return {};
}

/// A busybox that needs no library; empty: there is none.
std::string static_busybox(const FileSystem& files) {
  for (const char* const path : {"/usr/bin/busybox", "/bin/busybox"}) {
    const Result<OpenedObject> opened = open_object(files, path, path);
    if (opened && !opened->elf.has_interp && opened->elf.needs.empty()) return path;
  }
  return {};
}

/// The first line with which a start as a user's shell makes it ends; empty: it runs, or that is not known.
std::string end_of_start(const LinkMap& map, const std::string& program) {
  auto process = std::make_shared<Process>();
  process->argv0 = program;
  process->cpu = map.process->cpu;
  process->os_release = map.process->os_release;
  LoadOptions options;
  options.on_fatal = OnFatal::Continue;
  Result<LinkMap> started = load(map.system, std::move(process), program, options);
  if (!started) return {};
  Trial trial;
  trial.map = std::move(*started);
  trial.obstacles = obstacles_in(trial.map);
  if (trial.obstacles.empty()) static_cast<void>(add_symbol_obstacle(trial));
  return trial.obstacles.empty() ? std::string() : trial.obstacles.front().line;
}

}  // namespace

bool ReinstallCommands::starts(std::string_view program) {
  if (const auto known = starts_.find(program); known != starts_.end()) return known->second;
  const std::string path = "/usr/bin/" + std::string(program);
  std::string end;
  if (map_.system->files->status(path)) end = end_of_start(map_, path);
  if (!end.empty()) notes_.push_back(say("tool-does-not-start", {{"program", path}, {"text", end}}));
  return starts_.emplace(program, end.empty()).first->second;
}

/// Each of them; programs that are not there stop nothing that is known.
bool ReinstallCommands::start(const std::vector<std::string_view>& programs) {
  return std::all_of(programs.begin(), programs.end(), [&](std::string_view program) { return starts(program); });
}

CommandText ReinstallCommands::sudo() { return starts("sudo") ? CommandText("sudo ") : CommandText(); }

std::optional<ReinstallCommand> ReinstallCommands::of_dpkg(const PackageOwner& owner) {
  const FileSystem& files = *map_.system->files;
  if (!files.status("/usr/bin/apt-get")) return std::nullopt;
  // What dpkg runs for an archive, beside the package's own scripts.
  const std::vector<std::string_view> of_dpkg = {"dpkg", "dpkg-deb", "dpkg-split", "tar", "sh"};
  if (start({"apt-get"}) && start(of_dpkg))
    return ReinstallCommand{sudo() + "apt-get install --reinstall ", shell_word(owner.name), {}};
  const std::string archive = archive_of(files, owner);
  if (archive.empty()) {
    notes_.push_back(say("no-archive", {{"package", full_name_of(owner)}, {"directory", kArchives}}));
    return std::nullopt;
  }
  if (start(of_dpkg)) return ReinstallCommand{sudo() + "dpkg -i ", shell_path(archive), {}};
  const std::string busybox = static_busybox(files);
  if (busybox.empty()) return std::nullopt;
  return ReinstallCommand{sudo() + shell_path(busybox) + " dpkg-deb -x ", shell_path(archive), " /", true};
}

std::optional<ReinstallCommand> ReinstallCommands::of(const PackageOwner& owner, std::string_view requirement) {
  // A name that a record made up: what installs packages would take it for an option.
  if (owner.name.starts_with('-')) return std::nullopt;
  const std::string directory(directory_of(owner.record));
  const auto of_version = [&](std::string_view equals) {
    return shell_word(owner.version.empty() ? owner.name : owner.name + std::string(equals) + owner.version);
  };
  switch (owner.by) {
    case PackageRecord::Wheel:
      if (!requirement.empty())
        return ReinstallCommand{pip_install_into(map_, directory_of(directory)), shell_word(requirement), {}};
      return ReinstallCommand{pip_install_again(map_, directory_of(directory)), of_version("=="), index_of(owner)};
    case PackageRecord::Dpkg: return of_dpkg(owner);
    case PackageRecord::Conda:
      if (owner.record.ends_with("/info/index.json")) return std::nullopt;  // in the cache of packages
      return ReinstallCommand{
          "conda install --force-reinstall -p " + shell_path(directory_of(directory)) + " ", of_version("="), {}};
    case PackageRecord::Rpm: {
      std::optional<CommandText> start = rpm_command(*map_.system->files);
      if (!start) return std::nullopt;
      return ReinstallCommand{std::move(*start), shell_word(owner.name), {}};
    }
  }
  return std::nullopt;
}

}  // namespace soresolve
