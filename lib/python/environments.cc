// environments.txt is a text of strangers: only absolute paths count, and so many of them; each has to be a directory
// with conda-meta, inside the root like all that is read here.
#include "python/environments.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "python/interpreter.h"
#include "python/python_environment.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostPrefixes = 256;

class PrefixSearch {
 public:
  PrefixSearch(const FileSystem& files, const Environment& environment) : files_(files), environment_(environment) {}

  std::vector<std::string> find() {
    add(variable("CONDA_PREFIX"));
    const std::string home = variable("HOME");
    if (home.starts_with('/')) add_listed(home + "/.conda/environments.txt");
    for (const std::string& top : {home, std::string("/opt")}) {
      if (!top.starts_with('/')) continue;
      for (const std::string_view name :
           {"conda", "miniconda", "miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda"}) {
        add_installation(top + "/" + std::string(name));
      }
    }
    return std::move(prefixes_);
  }

 private:
  [[nodiscard]] std::string variable(std::string_view name) const {
    return std::string(environment_.value(name).value_or(""));
  }

  void add(std::string_view written) {
    if (!written.starts_with('/') || prefixes_.size() == kMostPrefixes) return;
    std::string prefix = std::filesystem::path(written).lexically_normal().string();
    if (prefix.ends_with('/')) prefix.pop_back();
    const Result<FileStatus, Errno> status = files_.status(prefix + "/conda-meta");
    if (!status || status->kind != FileKind::Directory) return;
    const Result<std::string, Errno> real = files_.real_path(prefix);
    if (real && known_.insert(*real).second) prefixes_.push_back(std::move(prefix));
  }

  void add_listed(const std::string& list) {
    constexpr std::uint64_t kMostBytes = 64u << 10;
    constexpr int kMostLines = 1024;
    const std::string text = read_small_file(files_, list, kMostBytes).value_or(std::string());
    int line = 0;
    for (std::string_view prefix : lines_in(text)) {
      if (++line > kMostLines) return;
      while (prefix.ends_with('\r') || prefix.ends_with(' ')) prefix.remove_suffix(1);
      add(prefix);
    }
  }

  void add_installation(const std::string& top) {
    add(top);
    const auto names = files_.list_directory(top + "/envs");
    for (std::size_t i = 0; names && i < std::min(names->size(), kMostPrefixes); ++i) add(top + "/envs/" + (*names)[i]);
  }

  const FileSystem& files_;
  const Environment& environment_;
  std::vector<std::string> prefixes_;
  std::set<std::string> known_;
};

bool is_systems(std::string_view site) {
  return site.starts_with("/usr/lib/") || site.starts_with("/usr/lib64/") || site.starts_with("/usr/local/lib");
}

class ActiveSites {
 public:
  ActiveSites(const FileSystem& files, const Environment& environment, const std::string& cwd)
      : files_(files), environment_(environment), cwd_(cwd) {}

  std::vector<std::string> find(const std::string& given) {
    if (!given.empty()) {
      add_interpreter(environment_, interpreter_in(files_, absolute_path(given, cwd_)));
      return std::move(sites_);
    }
    for (const std::string_view variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const std::string_view prefix = environment_.value(variable).value_or("");
      if (!prefix.empty()) add_prefix(absolute_path(prefix, cwd_));
    }
    for (const std::string_view entry : pieces_in(environment_.value("PYTHONPATH").value_or(""), ':')) {
      if (!entry.empty()) add(absolute_path(entry, cwd_));
    }
    const std::optional<AssumedProgram> python = python_by_name(files_, environment_, {.cwd = cwd_});
    if (!python) return std::move(sites_);
    add_interpreter(python->environment ? *python->environment : environment_, python->path);
    return std::move(sites_);
  }

 private:
  void add(std::string_view written) {
    std::string site = std::filesystem::path(written).lexically_normal().string();
    while (site.size() > 1 && site.ends_with('/')) site.pop_back();
    const Result<FileStatus, Errno> status = files_.status(site);
    if (!status || status->kind != FileKind::Directory || site.size() <= 1) return;
    if (std::find(sites_.begin(), sites_.end(), site) == sites_.end()) sites_.push_back(std::move(site));
  }

  void add_interpreter(const Environment& environment, const std::string& interpreter) {
    if (interpreter.empty()) return;
    for (const std::string& site : read_python_environment(files_, environment, interpreter).site_directories)
      add(site);
  }

  void add_prefix(const std::string& prefix) {
    for (const std::string_view below : {"lib", "lib64"}) {
      const std::string library = path_in(prefix, below);
      const Result<std::vector<std::string>, Errno> names = files_.list_directory(library);
      for (const std::string& name : names ? *names : std::vector<std::string>()) {
        if (name.starts_with("python3")) add(path_in(path_in(library, name), "site-packages"));
      }
    }
  }

  const FileSystem& files_;
  const Environment& environment_;
  const std::string& cwd_;
  std::vector<std::string> sites_;
};

}  // namespace

std::vector<std::string> active_site_directories(const FileSystem& files, const Environment& environment,
                                                 const std::string& cwd, const std::string& given) {
  return ActiveSites(files, environment, cwd).find(given);
}

std::vector<std::string> conda_prefixes(const FileSystem& files, const Environment& environment) {
  return PrefixSearch(files, environment).find();
}

std::string environment_of(const FileSystem& files, std::string_view path) {
  constexpr int kMostUp = 12;
  std::string site;
  std::string_view directory = directory_of(path);
  for (int up = 0; up < kMostUp && directory.size() > 1 && directory.starts_with('/');
       ++up, directory = directory_of(directory)) {
    const std::string prefix(directory);
    for (const std::string_view mark : {"/pyvenv.cfg", "/conda-meta", "/info/index.json"}) {
      if (files.status(prefix + std::string(mark))) return prefix;
    }
    const std::string_view name = file_name_of(directory);
    if (site.empty() && (name == "site-packages" || name == "dist-packages") && !is_systems(directory)) site = prefix;
  }
  return site;
}

}  // namespace soresolve
