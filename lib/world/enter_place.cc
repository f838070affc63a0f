// A root that is a file: a snapshot. What it says of the machine and of who asked stands where the host's facts do.

#include <algorithm>
#include <iterator>

#include "loader/cpu.h"
#include "place/snapshot.h"
#include "soresolve/place.h"
#include "world/enter_place.h"
#include "world/world_state.h"

namespace soresolve {

bool is_recorded_variable(std::string_view entry) {
  constexpr std::string_view kPrefixes[] = {"CUDA_", "NVIDIA_", "CUDNN_", "NCCL_", "XLA_", "TORCH_CUDA_", "TF_CPP_"};
  constexpr std::string_view kNames[] = {"container=", "WSL_DISTRO_NAME=", "TF_FORCE_GPU_ALLOW_GROWTH="};
  constexpr std::string_view kSecrets[] = {"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"};
  std::string name(entry.substr(0, entry.find('=')));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  // Other programs, too, have variables that begin with LD_.
  const auto is_in_name = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  if (std::any_of(std::begin(kSecrets), std::end(kSecrets), is_in_name)) return false;
  const auto begins = [&](std::string_view start) { return entry.starts_with(start); };
  return is_of_interest(entry) || std::any_of(std::begin(kPrefixes), std::end(kPrefixes), begins) ||
         std::any_of(std::begin(kNames), std::end(kNames), begins);
}

MachineFacts machine_facts(const WorldSettings& settings) {
  MachineFacts machine;
  machine.root = settings.where.root;
  machine.env = settings.start.inherited;
  machine.cwd = settings.host.cwd;
  machine.platform = settings.host.platform;
  machine.kernel_release = settings.host.kernel_release;
  machine.user = settings.host.user;
  machine.processors = settings.host.processors
                           ? settings.host.processors
                           : std::make_shared<const Processors>(read_processors(settings.host.platform));
  machine.made_by = SORESOLVE_VERSION;
  return machine;
}

std::optional<Error> enter_place(WorldSettings& settings) {
  if (settings.where.files || settings.where.root.empty() || settings.where.is_recorded) return std::nullopt;
  const std::unique_ptr<FileSystem> host = host_file_system();
  const Result<FileStatus, Errno> status = host->status(settings.where.root);
  if (!status || status->kind != FileKind::Regular) return std::nullopt;  // rooted_file_system() says why not
  Result<std::unique_ptr<File>, Errno> file = host->open(settings.where.root);
  if (!file || !is_snapshot(**file)) return std::nullopt;
  return enter_snapshot(settings, std::move(file).value(), settings.where.root);
}

std::optional<Error> enter_snapshot(WorldSettings& settings, std::unique_ptr<File> file, const std::string& name) {
  Result<Place> place = read_snapshot(std::move(file), name);
  if (!place) return std::move(place).error();
  const MachineFacts& machine = *place->machine;
  settings.where.files = place->files;
  settings.where.has_mounts = machine.root.empty();
  settings.where.is_recorded = true;
  settings.where.root = machine.root;
  settings.start.inherited = machine.env;
  settings.host = {.cwd = machine.cwd,
                   .platform = machine.platform,
                   .kernel_release = machine.kernel_release,
                   .user = machine.user,
                   .processors = machine.processors};
  return std::nullopt;
}

}  // namespace soresolve
