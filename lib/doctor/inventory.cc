// Sources of the places: NVIDIA's cuda-pathfinder (search steps), the Debian and Python site policies, conda's
// layout, pyenv's and venv's.
#include "doctor/inventory.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_members.h"
#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "cuda/cuda_library.h"
#include "elf/library_name.h"
#include "loader/system.h"
#include "python/environments.h"
#include "python/interpreter.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxPlaces = 2000;
constexpr std::size_t kMaxSites = 200;
constexpr std::size_t kMaxFilesOfFamily = 2000;
constexpr std::size_t kMaxNamesOfDirectory = 100000;
constexpr std::size_t kMaxNames = 500000;  ///< in all directories

std::string variable(const Environment& environment, std::string_view name) {
  return std::string(environment.value(name).value_or(""));
}

}  // namespace

Inventory::Inventory(const Machine& machine) : machine_(machine), names_left_(kMaxNames) {}

const std::vector<std::string>& Inventory::list(const std::string& directory) {
  const auto [known, is_new] = listed_.try_emplace(directory);
  if (!is_new) return known->second;
  auto names = machine_.files->list_directory(directory.empty() ? "/" : directory);
  if (!names) return known->second;
  const std::size_t most = std::min(kMaxNamesOfDirectory, names_left_);
  if (names->size() > most) {
    cut_short_ = say("cut-names", {{"count", names->size()}, {"path", directory}, {"most", most}, {"all", kMaxNames}});
    names->resize(most);
  }
  names_left_ -= names->size();
  known->second = std::move(names).value();
  return known->second;
}

bool Inventory::is_directory(const std::string& path) const {
  const auto status = machine_.files->status(path);
  return status && status->kind == FileKind::Directory;
}

void Inventory::add_place(const std::string& directory, const Statement& what) {
  if (!is_directory(directory)) return;
  if (places_->size() == kMaxPlaces) {
    cut_short_ = say("cut-places", {{"count", kMaxPlaces}, {"path", directory}});
    return;
  }
  const Result<std::string, Errno> real = machine_.files->real_path(directory);
  if (real && known_.insert(*real).second) places_->push_back({directory, what});
}

std::vector<std::string> Inventory::toolkit_directories() {
  std::vector<std::string> found;
  for (const std::string_view name : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string directory = variable(machine_.options.environment, name);
    if (directory.starts_with('/')) found.push_back(directory);
  }
  for (const std::string top : {"/usr/local", "/opt", "/usr/lib"}) {
    for (const std::string& name : list(top)) {
      if (name.starts_with("cuda")) found.push_back(top + "/" + name);
    }
  }
  for (const std::string& release : list("/opt/nvidia/hpc_sdk/Linux_x86_64")) {
    for (const std::string& cuda : list("/opt/nvidia/hpc_sdk/Linux_x86_64/" + release + "/cuda")) {
      found.push_back("/opt/nvidia/hpc_sdk/Linux_x86_64/" + release + "/cuda/" + cuda);
    }
  }
  for (const std::string& directory : machine_.options.search) found.push_back(directory);
  return found;
}

void Inventory::add_toolkit_places(const std::string& toolkit) {
  const Statement what = say("place-toolkit", {{"path", toolkit}});
  for (const std::string_view below : {"/lib64", "/lib"}) add_place(toolkit + std::string(below), what);
  for (const std::string& target : list(toolkit + "/targets")) add_place(toolkit + "/targets/" + target + "/lib", what);
}

/// Wheels of NVIDIA, what frameworks bring themselves, and what auditwheel has put beside packages.
void Inventory::add_site_places(const std::string& site) {
  const Statement what = say("place-wheels", {{"path", site}});
  for (const std::string& part : list(site + "/nvidia")) add_place(site + "/nvidia/" + part + "/lib", what);
  add_place(site + "/torch/lib", say("place-torch", {{"path", site}}));
  for (const std::string& name : list(site)) {
    if (name.ends_with(".libs"))
      add_place(site + "/" + name, say("place-wheel", {{"name", name.substr(0, name.size() - 5)}, {"path", site}}));
  }
}

void Inventory::add_site(const std::string& site) {
  if (!is_directory(site)) return;
  if (sites_->size() == kMaxSites) {
    cut_short_ = say("cut-sites", {{"count", kMaxSites}, {"path", site}});
    return;
  }
  const Result<std::string, Errno> real = machine_.files->real_path(site);
  const bool is_known = !real || std::any_of(sites_->begin(), sites_->end(), [&](const std::string& known) {
    const Result<std::string, Errno> other = machine_.files->real_path(known);
    return other && *other == *real;
  });
  if (!is_known) sites_->push_back(site);
}

/// A directory that the user names may be a site directory itself.
void Inventory::add_if_site(const std::string& directory) {
  const bool has_packages = is_directory(directory + "/torch") || is_directory(directory + "/nvidia") ||
                            is_directory(directory + "/onnxruntime") || is_directory(directory + "/cupy");
  if (has_packages) add_site(directory);
}

/// PREFIX/lib/python3.11/site-packages and its like.
void Inventory::add_prefix(const std::string& prefix) {
  for (const std::string lib : {"/lib", "/lib64"}) {
    for (const std::string& name : list(prefix + lib)) {
      if (!name.starts_with("python3")) continue;
      for (const std::string_view below : {"/site-packages", "/dist-packages"}) {
        add_site(prefix + lib + "/" + name + std::string(below));
      }
    }
  }
}

void Inventory::add_environments_below(const std::string& directory) {
  for (const std::string& name : list(directory)) add_prefix(directory + "/" + name);
}

/// Those of the interpreters that PATH leads to; the first one behind a shim, too.
void Inventory::add_environments_in_path() {
  const Environment& environment = machine_.options.environment;
  if (const auto first = python_by_name(*machine_.files, environment, {.cwd = machine_.cwd})) {
    add_prefix(std::string(directory_of(directory_of(first->path))));
  }
  for (const std::string_view directory : pieces_in(environment.value("PATH").value_or(""), ':')) {
    if (directory.starts_with('/') && directory.ends_with("/bin") && directory != "/bin") {
      add_prefix(std::string(directory_of(directory)));
    }
  }
}

const std::vector<std::string>& Inventory::sites() {
  if (sites_) return *sites_;
  sites_.emplace();
  const Environment& environment = machine_.options.environment;
  for (const std::string_view name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string prefix = variable(environment, name);
    if (prefix.starts_with('/')) add_prefix(prefix);
  }
  add_environments_in_path();
  for (const std::string_view name : {"/.venv", "/venv"}) add_prefix(machine_.cwd + std::string(name));
  for (const std::string& directory : machine_.options.search) {
    add_if_site(directory);
    add_prefix(directory);
    for (const std::string& name : list(directory)) add_if_site(directory + "/" + name);
    add_environments_below(directory);
  }
  const std::string home = variable(environment, "HOME");
  if (home.starts_with('/')) {
    add_prefix(home + "/.local");
    add_environments_below(home + "/.pyenv/versions");
  }
  for (const std::string& prefix : conda_prefixes(*machine_.files, environment)) add_prefix(prefix);
  add_environments_below("/opt");
  add_prefix("/usr/local");
  add_prefix("/usr");
  return *sites_;
}

const std::vector<LibraryPlace>& Inventory::places() {
  if (places_) return *places_;
  places_.emplace();
  for (const std::string& element : library_path_of(machine_.options.environment)) {
    if (element.starts_with('/')) add_place(element, words_of_others("LD_LIBRARY_PATH"));
  }
  if (machine_.system != nullptr) {
    const LdCache& cache = machine_.system->cache;
    for (std::size_t i = 0; i < cache.size(); ++i) {
      const std::optional<CacheEntry> entry = cache.entry(i);
      if (!entry || !is_cuda_family(library_family(entry->key))) continue;
      add_place(std::string(directory_of(entry->value)), words_of_others("ld.so.cache"));
    }
    for (const std::string& directory : machine_.system->rules.system_dirs) {
      add_place(directory.size() > 1 ? directory.substr(0, directory.size() - 1) : directory, say("place-system"));
    }
  }
  for (const std::string& toolkit : toolkit_directories()) add_toolkit_places(toolkit);
  for (const std::string& site : sites()) add_site_places(site);
  for (const std::string& site : sites()) {  // PREFIX of PREFIX/lib/python3.11/site-packages
    const std::size_t lib = site.rfind("/lib/python3");
    if (lib == std::string::npos || !is_directory(site.substr(0, lib) + "/conda-meta")) continue;
    add_place(site.substr(0, lib) + "/lib", say("place-conda", {{"path", site.substr(0, lib)}}));
  }
  return *places_;
}

const std::vector<FoundLibrary>& Inventory::libraries(const std::string& family) {
  const auto known = libraries_.find(family);
  if (known != libraries_.end()) return known->second;
  std::vector<FoundLibrary> found;
  std::set<std::string> seen;
  std::size_t file_count = 0;
  for (const LibraryPlace& place : places()) {
    for (const std::string& name : list(place.directory)) {
      // The link for the link editor, libcudart.so, is no other file; where it stands alone it may be a stub.
      if (library_family(name) != family || name.find(".so.") == std::string::npos) continue;
      const std::string path = place.directory + "/" + name;
      if (++file_count > kMaxFilesOfFamily) {
        cut_short_ = say("cut-files", {{"count", kMaxFilesOfFamily}, {"family", family}, {"path", path}});
        break;
      }
      const Result<std::string, Errno> real = machine_.files->real_path(path);
      if (!real || !seen.insert(*real).second) continue;
      if (std::optional<CudaLibrary> library = read_cuda_library(*machine_.files, path)) {
        found.push_back({*std::move(library), place.what});
      }
    }
  }
  return libraries_.emplace(family, std::move(found)).first->second;
}

const std::vector<Toolkit>& Inventory::toolkits() {
  if (toolkits_) return *toolkits_;
  toolkits_.emplace();
  constexpr std::uint64_t kMaxTextBytes = 256 << 10;
  std::set<std::string> seen;
  for (const std::string& directory : toolkit_directories()) {
    const Result<std::string, Errno> real = machine_.files->real_path(directory);
    const bool is_toolkit = machine_.files->status(directory + "/bin/nvcc").has_value() ||
                            machine_.files->status(directory + "/include/cuda_runtime.h").has_value();
    if (!real || !is_toolkit || !seen.insert(*real).second) continue;
    Toolkit toolkit{directory, {}, {}};
    if (const auto text = read_small_file(*machine_.files, directory + "/version.json", kMaxTextBytes)) {
      const auto json = nlohmann::json::parse(*text, nullptr, false);
      if (const nlohmann::json& cuda = member(json, "cuda"); cuda.is_object()) {
        toolkit.release = leading_version(text_of(member(cuda, "version"))).value_or(DottedVersion{});
        toolkit.reported_by = directory + "/version.json";
      }
    }
    if (toolkit.release.empty()) {
      constexpr std::string_view kWords = "CUDA Version ";
      const auto text = read_small_file(*machine_.files, directory + "/version.txt", kMaxTextBytes);
      if (text && text->starts_with(kWords)) {
        toolkit.release = leading_version(std::string_view(*text).substr(kWords.size())).value_or(DottedVersion{});
        toolkit.reported_by = directory + "/version.txt";
      }
    }
    for (const FoundLibrary& runtime : libraries("libcudart")) {
      const bool is_in = runtime.library.real.starts_with(*real + "/");
      if (!toolkit.release.empty() || !is_in) continue;
      toolkit.release = runtime.library.cuda;
      toolkit.reported_by = runtime.library.path;
    }
    toolkits_->push_back(std::move(toolkit));
  }
  return *toolkits_;
}

}  // namespace soresolve
