// Prefixes in the order in which an import would find their Python, then the first with a directory for packages.
// Nothing is run, and no pyvenv.cfg is read: an environment's own directory is what counts.
#include "place/site_packages.h"

#include <algorithm>

#include "base/path.h"
#include "base/pieces.h"
#include "place/archive_tree.h"
#include "place/shims.h"

namespace soresolve {
namespace {

bool is_directory(const FileSystem& base, const std::string& path) {
  const Result<FileStatus, Errno> status = base.status(path);
  return status && status->kind == FileKind::Directory;
}

/// "/opt/venv" of that directory itself and of "/opt/venv/bin/python".
std::string prefix_of(const FileSystem& base, const std::string& python) {
  if (!python.starts_with('/')) return {};
  if (is_directory(base, python)) return python;
  return std::string(directory_of(directory_of(python)));
}

std::vector<std::string> prefixes_of(const FileSystem& base, const std::string& python,
                                     const std::vector<std::string>& env) {
  std::vector<std::string> prefixes = {prefix_of(base, python)};
  for (const std::string_view directory : pieces_in(value_of(env, "PATH"), ':')) {
    if (const auto program = behind_shim(base, env, "/", path_in(directory, "python3"))) {
      prefixes.emplace_back(directory_of(directory_of(*program)));
    } else if (directory == "/usr/bin") {
      prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});  // Debian's Python: pip installs in /usr/local
    } else if (directory.ends_with("/bin")) {
      prefixes.emplace_back(directory_of(directory));
    }
  }
  for (const std::string_view name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) prefixes.emplace_back(value_of(env, name));
  prefixes.insert(prefixes.end(), {"/usr/local", "/opt/venv", "/venv", "/opt/conda", "/usr"});
  std::erase_if(prefixes, [](const std::string& prefix) { return !prefix.starts_with('/'); });
  return prefixes;
}

}  // namespace

std::string site_packages(const FileSystem& base, std::string_view minor, const std::string& python,
                          const std::vector<std::string>& env) {
  std::string other;
  for (const std::string& prefix : prefixes_of(base, python, env)) {
    const Result<std::vector<std::string>, Errno> names = base.list_directory(path_in(prefix, "lib"));
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (!name.starts_with("python3")) continue;
      for (const char* kind : {"/site-packages", "/dist-packages"}) {
        const std::string directory = path_in(prefix, "lib/" + name + kind);
        if (!is_directory(base, directory)) continue;
        if (minor.empty() || name == "python3." + std::string(minor)) return directory;
        if (other.empty() || name == "python3") other = directory;
      }
    }
  }
  return other.empty() ? "/" : other;
}

std::string conda_prefix(const FileSystem& base, const std::string& python, const std::vector<std::string>& env) {
  std::vector<std::string> prefixes = {prefix_of(base, python), std::string(value_of(env, "CONDA_PREFIX"))};
  const std::vector<std::string> further = prefixes_of(base, {}, env);
  prefixes.insert(prefixes.end(), further.begin(), further.end());
  prefixes.insert(prefixes.end(), {"/opt/miniforge3", "/opt/miniconda3", "/opt/anaconda3", "/opt/mambaforge"});
  const auto found = std::find_if(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
    return prefix.starts_with('/') && is_directory(base, path_in(prefix, "conda-meta"));
  });
  return found == prefixes.end() ? "/opt/conda" : *found;
}

}  // namespace soresolve
