// sys.path as getpath and site put it together: PYTHONPATH, the standard library, the user's and the site's packages,
// what .pth files add. The first entry of `python -c` is the current directory.
#include "python/python_environment.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "host/path_search.h"
#include "loader/load.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kMaxConfigBytes = 64u << 10;

/// "python3.11", "libpython3.11.so.1.0": 11; 0 without such a number.
int minor_in(std::string_view name) {
  constexpr std::string_view kWord = "python3.";
  const std::size_t at = name.find(kWord);
  if (at == std::string_view::npos) return 0;
  int minor_number = 0;
  std::from_chars(name.data() + at + kWord.size(), name.data() + name.size(), minor_number);
  return minor_number;
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  std::size_t number = 1;
  for (const std::string_view line : lines_in(text)) visit(trimmed(line, " \t\r\n"), number++);
}

/// The value of KEY = VALUE in pyvenv.cfg.
std::string config_value(std::string_view text, std::string_view key) {
  std::string value;
  for_each_line(text, [&](std::string_view line, std::size_t) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || trimmed(line.substr(0, equals)) != key) return;
    value = trimmed(line.substr(equals + 1));
  });
  return value;
}

class EnvironmentReader {
 public:
  EnvironmentReader(const FileSystem& files, const Environment& environment, std::string_view interpreter)
      : files_(files), environment_(environment) {
    found_.interpreter = interpreter;
  }

  PythonEnvironment run() {
    read_config();
    find_prefixes();
    found_.path.emplace_back();
    add_list(value_of("PYTHONPATH"));
    add_standard_library();
    if (is_venv_ && !has_system_packages_) {
      add_site_packages(found_.prefix);
    } else {
      add_user_site();
      add_site_packages(found_.prefix);
      if (found_.base_prefix != found_.prefix) add_site_packages(found_.base_prefix);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string value_of(std::string_view name) const {
    return std::string(environment_.value(name).value_or(""));
  }

  [[nodiscard]] bool is_directory(const std::string& path) const {
    const Result<FileStatus, Errno> status = files_.status(path);
    return status && status->kind == FileKind::Directory;
  }

  [[nodiscard]] bool has(const std::string& path) const { return files_.status(path).has_value(); }

  /// pyvenv.cfg beside the program as it was started, or one directory above.
  void read_config() {
    const std::string beside(directory_of(found_.interpreter));
    for (const std::string& directory : {beside, std::string(directory_of(beside))}) {
      const auto text = read_small_file(files_, path_in(directory, "pyvenv.cfg"), kMaxConfigBytes);
      if (!text) continue;
      home_ = config_value(*text, "home");
      if (home_.empty()) continue;
      is_venv_ = true;
      has_system_packages_ = config_value(*text, "include-system-site-packages") == "true";
      found_.prefix = directory;
      config_minor_ = minor_in("python" + config_value(*text, "version"));
      if (config_minor_ == 0) config_minor_ = minor_in("python" + config_value(*text, "version_info"));
      return;
    }
  }

  [[nodiscard]] std::string real_interpreter() const {
    const Result<std::string, Errno> real = files_.real_path(found_.interpreter);
    return real ? *real : found_.interpreter;
  }

  /// The minor number that names tell: of the program, of its library, of pyvenv.cfg.
  [[nodiscard]] int minor_in_name() const {
    const std::string real = real_interpreter();
    if (const int number = minor_in(file_name_of(real))) return number;
    if (config_minor_ != 0) return config_minor_;
    if (const Result<OpenedObject> opened = open_object(files_, real, real)) {
      for (const NeedEntry& need : opened->elf.needs) {
        if (const int number = minor_in(need.name)) return number;
      }
    }
    return minor_in(file_name_of(found_.interpreter));
  }

  /// Is the standard library below this prefix? Then notes where.
  bool take_library(const std::string& prefix, int minor_number) {
    for (const std::string_view lib : {"lib", "lib64"}) {
      const std::string base = path_in(prefix, lib);
      if (minor_number != 0) {
        if (!has(base + "/python3." + std::to_string(minor_number) + "/os.py")) continue;
        found_.minor_number = minor_number;
      } else {
        const Result<std::vector<std::string>, Errno> names = files_.list_directory(base);
        const auto is_library = [&](const std::string& name) {
          return name.starts_with("python3.") && has(base + "/" + name + "/os.py");
        };
        if (!names) continue;
        const auto library = std::find_if(names->begin(), names->end(), is_library);
        if (library == names->end()) continue;
        found_.minor_number = minor_in(*library);
      }
      found_.base_prefix = prefix;
      library_ = base + "/python3." + std::to_string(found_.minor_number);
      platform_lib_ = lib;
      return true;
    }
    return false;
  }

  void find_prefixes() {
    const int minor_number = minor_in_name();
    const std::string python_home = value_of("PYTHONHOME");
    bool is_found = !python_home.empty() && take_library(python_home.substr(0, python_home.find(':')), minor_number);
    for (const std::string& start : {home_, std::string(directory_of(real_interpreter()))}) {
      for (std::string_view at = start; !is_found && at.size() > 1; at = directory_of(at)) {
        is_found = take_library(std::string(at), minor_number);
      }
      is_found = is_found || (!start.empty() && take_library("/", minor_number));
    }
    for (const char* const usual : {"/usr/local", "/usr"}) is_found = is_found || take_library(usual, minor_number);
    if (!is_venv_) found_.prefix = found_.base_prefix;
  }

  bool add(const std::string& entry) {
    const bool is_known = std::find(found_.path.begin(), found_.path.end(), entry) != found_.path.end();
    if (entry.empty() || is_known || found_.path.size() >= kMaxPythonPath) return false;
    found_.path.push_back(entry);
    return true;
  }

  void add_list(std::string_view list) {
    for (const std::string_view entry : pieces_in(list, ':')) add(std::string(entry));
  }

  void add_standard_library() {
    if (library_.empty()) return;
    add(std::string(directory_of(library_)) + "/python3" + std::to_string(found_.minor_number) + ".zip");
    add(library_);
    add(library_ + "/lib-dynload");
  }

  [[nodiscard]] std::string versioned() const { return "python3." + std::to_string(found_.minor_number); }

  /// site.getusersitepackages()
  void add_user_site() {
    const std::string off = value_of("PYTHONNOUSERSITE");
    std::string base = value_of("PYTHONUSERBASE");
    const std::string home = value_of("HOME");
    if (base.empty() && !home.empty()) base = path_in(home, ".local");
    if (!off.empty() || base.empty()) return;
    add_site(base + "/lib/" + versioned() + "/site-packages");
  }

  /// site.getsitepackages() for one prefix, with Debian's own directories for /usr.
  void add_site_packages(const std::string& prefix) {
    const bool is_debian = prefix == "/usr" && has("/usr/lib/python3/dist-packages");
    if (is_debian) {
      add_site("/usr/local/lib/" + versioned() + "/dist-packages");
      add_site("/usr/lib/python3/dist-packages");
      add_site("/usr/lib/" + versioned() + "/dist-packages");
      return;
    }
    const std::string base = prefix == "/" ? std::string() : prefix;
    if (platform_lib_ == "lib64") {
      if (prefix == "/usr") {
        add_site("/usr/local/lib64/" + versioned() + "/site-packages");
        add_site("/usr/local/lib/" + versioned() + "/site-packages");
      }
      add_site(base + "/lib64/" + versioned() + "/site-packages");
    }
    add_site(base + "/lib/" + versioned() + "/site-packages");
  }

  /// site.addsitedir(): the directory, and what its .pth files name.
  void add_site(const std::string& directory) {
    if (!is_directory(directory) || !add(directory)) return;
    found_.site_directories.push_back(directory);
    const Result<std::vector<std::string>, Errno> names = files_.list_directory(directory);
    if (!names) return;
    for (const std::string& name : *names) {
      if (!name.ends_with(".pth") || name.starts_with('.') || pth_files_ >= kMaxPthFiles) continue;
      ++pth_files_;
      const std::string file = path_in(directory, name);
      const auto text = read_small_file(files_, file, kMaxPthBytes);
      if (text) add_pth(directory, file, *text);
    }
  }

  void add_pth(const std::string& directory, const std::string& file, std::string_view text) {
    for_each_line(text, [&](std::string_view line, std::size_t number) {
      if (line.empty() || line.starts_with('#')) return;
      if (line.starts_with("import ") || line.starts_with("import\t")) {
        // setuptools, virtualenv, coverage, coloredlogs and soresolve change nothing about where other modules are.
        constexpr std::string_view kHarmless[] = {"distutils-precedence.pth", "_virtualenv.pth", "a1_coverage.pth",
                                                  "coloredlogs.pth", "soresolve-hook.pth"};
        if (std::find(std::begin(kHarmless), std::end(kHarmless), file_name_of(file)) != std::end(kHarmless)) return;
        found_.code_lines.push_back({file, number, std::string(line)});
        return;
      }
      if (line.find('\0') != std::string_view::npos) return;
      const std::string entry = line.starts_with('/') ? std::string(line) : path_in(directory, line);
      if (has(entry)) add(without_dots(entry));
    });
  }

  const FileSystem& files_;
  const Environment& environment_;
  PythonEnvironment found_;
  std::string home_;  ///< of pyvenv.cfg: where the base interpreter is
  bool is_venv_ = false;
  bool has_system_packages_ = false;
  int config_minor_ = 0;
  std::string library_;            ///< the standard library
  std::string_view platform_lib_;  ///< sys.platlibdir
  std::size_t pth_files_ = 0;
};

}  // namespace

PythonEnvironment read_python_environment(const FileSystem& files, const Environment& environment,
                                          std::string_view interpreter) {
  return EnvironmentReader(files, environment, interpreter).run();
}

std::string interpreter_in(const FileSystem& files, std::string_view place) {
  while (place.size() > 1 && place.ends_with('/')) place.remove_suffix(1);
  if (is_elf_program(files, place)) return std::string(place);
  const std::string bin = path_in(place, "bin");
  for (const std::string_view name : {"python3", "python"}) {
    if (std::string path = path_in(bin, name); is_elf_program(files, path)) return path;
  }
  const Result<std::vector<std::string>, Errno> names = files.list_directory(bin);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (minor_in(name) == 0 || !name.starts_with("python3.")) continue;
    if (std::string path = path_in(bin, name); is_elf_program(files, path)) return path;
  }
  return {};
}

}  // namespace soresolve
