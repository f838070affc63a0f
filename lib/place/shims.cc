// One reader for each kind of shim. A shim says by its text what kind it is and where its manager lies; which version
// it starts is said by a variable, else by a file of the working directory or above, else by one for everybody:
//
//   pyenv  PYENV_VERSION, .python-version, ROOT/version; "system": the first in PATH that is no shim of it.
//          ROOT/versions/VERSION/bin/NAME, "3.11" being the newest 3.11.*
//   asdf   ASDF_PYTHON_VERSION, .tool-versions, ~/.tool-versions: "python 3.11.4 system"; DATA/installs/python/VERSION
//
// Of several versions the first counts that has the program, as pyenv-which and asdf have it.
#include "place/shims.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostScriptBytes = 16 << 10;
constexpr std::size_t kMostVersionBytes = 4096;
constexpr int kMostParents = 100;

bool is_executable(const FileSystem& files, const std::string& path) {
  const Result<FileStatus, Errno> status = files.status(path);
  return status && status->kind == FileKind::Regular && (status->mode & 0111) != 0;
}

std::vector<std::string> words_of(std::string_view line) {
  auto words = words_in<std::vector<std::string>>(line, " \t\r");
  words.erase(std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.starts_with('#'); }),
              words.end());
  return words;
}

/// What stands in double quotes behind `before`; empty: nothing does.
std::string quoted_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + before.size());
  return std::string(rest.substr(0, rest.find('"')));
}

/// A name of a version, and no way out of the directory of versions.
bool is_version(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name != "..";
}

/// "3.9.18" before "3.11.7": by their numbers.
std::vector<std::uint64_t> numbers_of(std::string_view version) {
  std::vector<std::uint64_t> numbers;
  const char* at = version.data();
  const char* const end = at + version.size();
  while (at != end) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    at = stop != end && *stop == '.' ? stop + 1 : end;
  }
  return numbers;
}

class ShimReader {
 public:
  ShimReader(const FileSystem& files, const std::vector<std::string>& env, std::string_view cwd, std::string_view path)
      : files_(files), env_(env), cwd_(cwd), path_(path), name_(file_name_of(path)) {}

  std::optional<std::string> run() {
    const std::string text = start_of_file(files_, path_, kMostScriptBytes);
    if (!text.starts_with("#!") || text.find('\0') != std::string::npos) return std::nullopt;
    // What else it decides is not known from here.
    for (const char* const variable : {"LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "PYTHONHOME"}) {
      if (text.find(variable) != std::string::npos) return std::nullopt;
    }
    if (text.find("/pyenv\" exec ") != std::string::npos) return behind_pyenv(quoted_after(text, "PYENV_ROOT=\""));
    if (const std::size_t plugin = text.find("# asdf-plugin: "); plugin != std::string::npos) {
      const std::vector<std::string> words = words_of(std::string_view(text).substr(plugin + 15, 256));
      return words.empty() ? std::nullopt : behind_asdf(words.front());
    }
    return behind_exec(text);
  }

 private:
  [[nodiscard]] std::optional<std::string> there(std::string path) const {
    if (!is_executable(files_, path)) return std::nullopt;
    return path;
  }

  /// The first in PATH, but for the directory of shims.
  [[nodiscard]] std::optional<std::string> systems(std::string_view shims) const {
    for (const std::string_view directory : pieces_in(value_of(env_, "PATH"), ':')) {
      if (!directory.starts_with('/') || directory == shims) continue;
      if (std::optional<std::string> found = there(path_in(directory, name_))) return found;
    }
    return std::nullopt;
  }

  /// The nearest file of that name, from the working directory upwards.
  template <class Take>
  [[nodiscard]] std::vector<std::string> from_nearest(std::string_view name, Take take) const {
    std::string_view at = cwd_;
    for (int i = 0; i < kMostParents && at.starts_with('/'); ++i) {
      std::vector<std::string> versions = take(start_of_file(files_, path_in(at, name), kMostVersionBytes));
      if (!versions.empty()) return versions;
      if (at == "/") break;
      at = directory_of(at);
    }
    return {};
  }

  static std::vector<std::string> versions_by_line(std::string_view text) {
    std::vector<std::string> versions;
    for (const std::string_view line : lines_in(text)) {
      const std::vector<std::string> words = words_of(line);
      if (!words.empty() && is_version(words.front())) versions.push_back(words.front());
    }
    return versions;
  }

  std::optional<std::string> behind_pyenv(std::string root) const {
    if (!root.starts_with('/')) root = directory_of(directory_of(path_));
    std::vector<std::string> versions;
    for (const std::string_view version : pieces_in(value_of(env_, "PYENV_VERSION"), ':')) {
      if (is_version(version)) versions.emplace_back(version);
    }
    if (versions.empty()) versions = from_nearest(".python-version", versions_by_line);
    if (versions.empty()) versions = versions_by_line(start_of_file(files_, root + "/version", kMostVersionBytes));
    if (versions.empty()) versions = {"system"};
    for (const std::string& version : versions) {
      const std::optional<std::string> found =
          version == "system" ? systems(root + "/shims") : of_version(root, version);
      if (found) return found;
    }
    return std::nullopt;
  }

  /// Also "3.11", which is the newest of them that is installed.
  [[nodiscard]] std::optional<std::string> of_version(const std::string& root, const std::string& version) const {
    const std::string all = root + "/versions/";
    if (auto found = there(all + version + "/bin/" + name_)) return found;
    const Result<std::vector<std::string>, Errno> names = files_.list_directory(all);
    std::string newest;
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (name.starts_with(version + ".") && (newest.empty() || numbers_of(newest) < numbers_of(name))) newest = name;
    }
    return newest.empty() ? std::nullopt : there(all + newest + "/bin/" + name_);
  }

  std::optional<std::string> behind_asdf(const std::string& plugin) const {
    std::string variable = "ASDF_" + plugin + "_VERSION";
    std::transform(variable.begin(), variable.end(), variable.begin(), [](char c) {
      return c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    const auto of_plugin = [&](std::string_view text) {
      std::vector<std::string> versions;
      for (const std::string_view line : lines_in(text)) {
        std::vector<std::string> words = words_of(line);
        if (words.empty() || words.front() != plugin || !versions.empty()) continue;
        versions.assign(words.begin() + 1, words.end());
      }
      return versions;
    };
    std::vector<std::string> versions = words_of(value_of(env_, variable));
    if (versions.empty()) versions = from_nearest(".tool-versions", of_plugin);
    if (versions.empty()) {
      const std::string home(value_of(env_, "HOME"));
      versions = of_plugin(start_of_file(files_, home + "/.tool-versions", kMostVersionBytes));
    }
    const std::string shims(directory_of(path_));
    std::string data(value_of(env_, "ASDF_DATA_DIR"));
    if (!data.starts_with('/')) data = directory_of(shims);
    for (const std::string& version : versions) {
      std::optional<std::string> found;
      if (version == "system") {
        found = systems(shims);
      } else if (version.starts_with("path:/")) {
        found = there(version.substr(5) + "/bin/" + name_);
      } else if (is_version(version)) {
        found = there(data + "/installs/" + plugin + "/" + version + "/bin/" + name_);
      }
      if (found) return found;
    }
    return std::nullopt;
  }

  /// `exec PROGRAM … "$@"`, behind nothing that chooses. PROGRAM is an absolute path, or one beside the script.
  [[nodiscard]] std::optional<std::string> behind_exec(std::string_view text) const {
    const std::string_view first = text.substr(0, text.find('\n'));
    const std::vector<std::string> interpreter = words_of(first.substr(2));
    const bool is_of_env = interpreter.size() > 1 && file_name_of(interpreter.front()) == "env";
    const std::string_view shell = interpreter.empty() ? "" : file_name_of(interpreter[is_of_env ? 1 : 0]);
    if (shell != "sh" && shell != "bash" && shell != "dash" && shell != "ash") return std::nullopt;
    std::string program;
    bool is_plain = true;
    for (std::string_view line : lines_in(text)) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      if (!is_plain || !program.empty()) break;  // behind an exec nothing runs
      // What pip writes for a long path is a string to Python and a command to sh.
      const bool is_exec = line.starts_with("exec ") || line.starts_with("'''exec' ");
      if (is_exec) program = program_in(line.substr(line.find(' ') + 1));
      is_plain = is_exec ? !program.empty() : is_without_choice(line);
    }
    return program.empty() ? std::nullopt : there(program);
  }

  /// A line that decides nothing: a comment, an option of the shell, a variable.
  static bool is_without_choice(std::string_view line) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t;&|"));
    if (line.find_first_of(";&|") != std::string_view::npos && !line.starts_with('#')) return false;
    for (const std::string_view harmless : {"set", "export", "unset", "umask", ":"}) {
      if (word == harmless) return true;
    }
    const std::size_t equals = word.find('=');
    return line.empty() || line.starts_with('#') || (equals != std::string_view::npos && equals == line.find('='));
  }

  /// The program of the words behind exec; empty: it cannot be told.
  [[nodiscard]] std::string program_in(std::string_view words) const {
    if (words.find("$@") == std::string_view::npos) return {};
    if (words.starts_with("-a ")) {
      words.remove_prefix(3);
      words.remove_prefix(std::min(words.find(' ') + 1, words.size()));
    }
    const char quote = words.empty() ? '\0' : words.front();
    const bool is_quoted = quote == '"' || quote == '\'';
    if (is_quoted) words.remove_prefix(1);
    const std::string here(directory_of(path_));
    std::string program;
    for (const std::string_view beside : {"$(dirname \"$0\")/", "$(dirname $0)/", "${0%/*}/"}) {
      if (!words.starts_with(beside)) continue;
      program = here + '/';
      words.remove_prefix(beside.size());
    }
    const std::string_view rest = words.substr(0, words.find(is_quoted ? quote : ' '));
    if (rest.find_first_of("$`\\*?") != std::string_view::npos) return {};
    program += rest;
    return program.starts_with('/') ? program : std::string();
  }

  const FileSystem& files_;
  const std::vector<std::string>& env_;
  std::string_view cwd_;
  std::string path_;
  std::string name_;
};

}  // namespace

std::optional<std::string> behind_shim(const FileSystem& files, const std::vector<std::string>& env,
                                       std::string_view cwd, std::string_view path) {
  return ShimReader(files, env, cwd, path).run();
}

std::string_view value_of(const std::vector<std::string>& env, std::string_view name) {
  for (const std::string& entry : env) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string_view(entry).substr(name.size() + 1);
    }
  }
  return {};
}

}  // namespace soresolve
