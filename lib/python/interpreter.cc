// Which Python opens an extension module: PEP 3149 (tags of file names), PEP 489 (PyInit_NAME).
#include <algorithm>
#include <charconv>
#include <vector>

#include "base/number_text.h"
#include "base/path.h"
#include "base/pieces.h"
#include "host/host.h"
#include "host/path_search.h"
#include "loader/load.h"
#include "python/interpreter.h"
#include "python/python_environment.h"
#include "soresolve/symbols.h"
#include "symbols/gnu_hash.h"
#include "symbols/gnu_table.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

/// "/a/b/c" gives "/a/b", "/a", "".
std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

/// "311-x86_64-linux-gnu" is 3 and 11.
void take_digits(std::string_view digits, PythonTag& tag) {
  if (digits.size() < 2) return;
  int major_number = 0;
  int minor_number = 0;
  const char* end = digits.data() + std::min(digits.find_first_not_of("0123456789"), digits.size());
  std::from_chars(digits.data(), digits.data() + 1, major_number);
  if (std::from_chars(digits.data() + 1, end, minor_number).ec != std::errc()) return;
  tag.major_number = major_number;
  tag.minor_number = minor_number;
}

/// "python3.11" is 11; 0 for anything else.
int minor_of(std::string_view name) {
  constexpr std::string_view kStart = "python3.";
  return name.starts_with(kStart) ? parse_number<int>(name.substr(kStart.size())).value_or(0) : 0;
}

/// False where DT_GNU_HASH proves that the object does not define the symbol, without a look at names:
/// most libraries are no modules, and some have very many symbols.
bool may_define(const OpenedObject& object, std::string_view symbol) {
  if (!object.elf.symbol_tags.gnu_hash) return true;
  TableScratch scratch;
  TableReader reader(*object.file, object.elf, scratch, TableReader::Purpose::Hashes);
  GnuTable table;
  std::vector<std::uint32_t> chain;
  const std::uint64_t address = static_cast<std::uint64_t>(*object.elf.symbol_tags.gnu_hash);
  const bool is_read = !table.read(reader, address, chain);
  return is_read && !chain.empty() && table.may_have(gnu_hash(symbol));
}

/// Looks for one interpreter, from the nearest place to the farthest.
class PythonSearch {
 public:
  PythonSearch(const FileSystem& files, const Environment& environment, std::string_view path,
               const PythonChoice& choice)
      : files_(files), environment_(environment), path_(path), choice_(choice), tag_(python_tag(file_name_of(path))) {}

  std::optional<AssumedProgram> run() {
    note_directory_version();
    if (take_given() || take_running() || look_around() || look_by_name()) return found_;
    return other_release();
  }

  /// Of no module in particular.
  std::optional<AssumedProgram> run_by_name() {
    tag_.minor_number = 0;
    if (look_by_name()) found_->reason = why_;
    return found_;
  }

 private:
  [[nodiscard]] bool is_pypy() const { return tag_.implementation == "pypy"; }

  /// A module without a version in its name has the one of its directory.
  void note_directory_version() {
    for (std::string_view at = parent_of(path_); !at.empty(); at = parent_of(at)) {
      if (const int minor_number = minor_of(file_name_of(at))) {
        directory_minor_ = minor_number;
        return;
      }
    }
  }

  [[nodiscard]] int wanted_minor() const { return tag_.minor_number != 0 ? tag_.minor_number : directory_minor_; }

  [[nodiscard]] std::vector<std::string> names() const {
    const std::string base = is_pypy() ? "pypy3" : "python3";
    std::vector<std::string> names;
    if (wanted_minor() != 0) names.push_back(base + "." + std::to_string(wanted_minor()));
    names.push_back(base);
    names.emplace_back(is_pypy() ? "pypy" : "python");
    return names;
  }

  /// Has the interpreter the release that is wanted, as far as names tell?
  [[nodiscard]] bool is_wanted(const std::string& path) const {
    if (wanted_minor() == 0) return true;
    if (minor_of(file_name_of(path)) == wanted_minor()) return true;
    const Result<std::string, Errno> real = files_.real_path(path);
    return real && minor_of(file_name_of(*real)) == wanted_minor();
  }

  bool take(std::string path, Statement why) {
    found_ = AssumedProgram{std::move(path), reason(why), {}};
    why_ = std::move(why);
    return true;
  }

  bool take_from(const std::string& directory, const Statement& why) {
    for (const std::string& name : names()) {
      const std::string path = directory + "/" + name;
      if (is_elf_program(files_, path) && is_wanted(path)) return take(path, why);
    }
    return false;
  }

  bool take_given() {
    if (choice_.given.empty()) return false;
    std::string path = interpreter_in(files_, choice_.given);
    return !path.empty() && take(std::move(path), say("process-given"));
  }

  bool take_running() {
    if (choice_.running.empty() || is_pypy() != file_name_of(choice_.running).starts_with("pypy")) return false;
    return is_elf_program(files_, choice_.running) && is_wanted(choice_.running) &&
           take(choice_.running, say("process-running"));
  }

  /// As a shell would start it; what is active by its variables alone comes after that.
  bool look_by_name() {
    return look_in_path() || look_in_variables() || take_from("/usr/local/bin", say("process-systems")) ||
           take_from("/usr/bin", say("process-systems")) || look_in_pyenv();
  }

  [[nodiscard]] Statement reason(const Statement& why) const {
    if (tag_.minor_number == 0) return say("process-extension", {{"why", why}});
    return say("process-python-tag",
               {{"python", is_pypy() ? "PyPy" : "CPython"}, {"version", tag_.version()}, {"why", why}});
  }

  [[nodiscard]] bool has(const std::string& path) const { return files_.status(path).has_value(); }

  /// The environment that the file lies in.
  bool look_around() {
    for (std::string_view at = parent_of(path_); !at.empty(); at = parent_of(at)) {
      const std::string directory(at);
      if (has(directory + "/pyvenv.cfg") &&
          take_from(directory + "/bin", say("process-in-venv", {{"directory", directory}}))) {
        return true;
      }
      if (has(directory + "/conda-meta") &&
          take_from(directory + "/bin", say("process-in-conda", {{"directory", directory}}))) {
        return true;
      }
      // PREFIX/lib/python3.11/site-packages, PREFIX/lib/python3/dist-packages
      const bool is_library_directory = (minor_of(file_name_of(at)) != 0 || file_name_of(at) == "python3") &&
                                        file_name_of(parent_of(at)).starts_with("lib");
      if (!is_library_directory) continue;
      const std::string prefix(parent_of(parent_of(at)));
      if (has(prefix + "/pyvenv.cfg") || has(prefix + "/conda-meta")) continue;  // further up
      if (take_from(prefix + "/bin", say("process-below", {{"directory", prefix}}))) return true;
    }
    return false;
  }

  bool look_in_variables() {
    for (const std::string_view variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const auto value = environment_.value(variable);
      if (value && value->starts_with('/') &&
          take_from(std::string(*value) + "/bin", say("process-variable", {{"variable", variable}}))) {
        return true;
      }
    }
    return false;
  }

  bool look_in_path() {
    for (const std::string& name : names()) {
      if (look_in_path_for(name)) return true;
    }
    return false;
  }

  bool look_in_path_for(const std::string& name) {
    const std::string_view list = environment_.value("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
    std::string passed;  // what would start instead, and cannot be followed
    for (const std::string_view directory : pieces_in(list, ':')) {
      // A relative one depends on where the program is started.
      if (!directory.starts_with('/')) continue;
      const std::string path = std::string(directory) + "/" + name;
      const Result<FileStatus, Errno> status = files_.status(path);
      if (!status || status->kind != FileKind::Regular || (status->mode & 0111) == 0) continue;
      const Result<StartedProgram> started = started_program(files_, environment_, path, choice_.cwd);
      if (!started || !is_elf_program(files_, started->path) || !is_interpreter_name(started->path)) {
        if (passed.empty()) passed = path;
        continue;
      }
      // One of another release is no obstacle to a module of this one.
      if (!is_wanted(started->path)) continue;
      if (!passed.empty()) return take(started->path, say("process-behind-other", {{"other", passed}}));
      return take(started->path,
                  started->path == path ? say("process-first-in-path") : say("process-behind-shim", {{"shim", path}}));
    }
    return false;
  }

  /// What a script starts has to be a Python.
  static bool is_interpreter_name(std::string_view path) {
    const std::string_view name = file_name_of(path);
    return name.starts_with("python") || name.starts_with("pypy");
  }

  /// Its programs in PATH are scripts.
  bool look_in_pyenv() {
    std::string root(environment_.value("PYENV_ROOT").value_or(""));
    if (root.empty()) root = std::string(environment_.value("HOME").value_or("")) + "/.pyenv";
    if (!root.starts_with('/')) return false;
    Result<std::vector<std::string>, Errno> versions = files_.list_directory(root + "/versions");
    if (!versions) return false;
    const std::string wanted = wanted_minor() == 0 ? "3." : "3." + std::to_string(wanted_minor()) + ".";
    std::reverse(versions->begin(), versions->end());  // newer patch releases first
    for (const std::string& version : *versions) {
      if (version.starts_with(wanted) && take_from(root + "/versions/" + version + "/bin", say("process-pyenvs"))) {
        return true;
      }
    }
    return false;
  }

  /// Better a near answer that says so than one without any interpreter.
  std::optional<AssumedProgram> other_release() {
    if (wanted_minor() == 0 || is_pypy()) return std::nullopt;
    const std::string version = "3." + std::to_string(wanted_minor());
    const Statement reason = tag_.minor_number != 0 ? say("process-stands-in-for-name", {{"version", version}})
                                                    : say("process-stands-in-for-directory", {{"version", version}});
    tag_ = PythonTag{};
    directory_minor_ = 0;
    if (!look_by_name()) return std::nullopt;
    found_->reason = reason;
    return found_;
  }

  const FileSystem& files_;
  const Environment& environment_;
  std::string_view path_;
  const PythonChoice& choice_;
  PythonTag tag_;
  Statement why_;  ///< it was found there
  int directory_minor_ = 0;
  std::optional<AssumedProgram> found_;
};

}  // namespace

std::string PythonTag::version() const {
  return std::to_string(major_number) + (minor_number == 0 ? "" : "." + std::to_string(minor_number));
}

PythonTag python_tag(std::string_view file_name) {
  PythonTag tag;
  if (!file_name.ends_with(".so")) return tag;
  if (file_name.ends_with(".abi3.so")) {
    tag.implementation = "cpython";
    tag.is_stable_abi = true;
    return tag;
  }
  for (const std::string_view mark : {std::string_view(".cpython-"), std::string_view(".pypy")}) {
    const std::size_t at = file_name.find(mark);
    if (at == std::string_view::npos) continue;
    tag.implementation = mark == ".pypy" ? "pypy" : "cpython";
    take_digits(file_name.substr(at + mark.size()), tag);
    return tag;
  }
  return tag;
}

bool is_python_module(const FileSystem& files, std::string_view path) {
  const std::string_view name = file_name_of(path);
  if (!name.ends_with(".so")) return false;
  if (!python_tag(name).implementation.empty()) return true;
  const Result<OpenedObject> opened = open_object(files, path, path);
  const std::string wanted = "PyInit_" + std::string(name.substr(0, name.find('.')));
  if (!opened || !may_define(*opened, wanted)) return false;
  const Result<SymbolTable> table = read_symbol_table(*opened->file, opened->elf, path);
  if (!table) return false;
  return std::any_of(table->symbols.begin(), table->symbols.end(),
                     [&](const DynamicSymbol& symbol) { return symbol.is_defined() && symbol.name == wanted; });
}

std::optional<AssumedProgram> find_python(const FileSystem& files, const Environment& environment,
                                          std::string_view path, const PythonChoice& choice) {
  return PythonSearch(files, environment, path, choice).run();
}

std::optional<AssumedProgram> python_by_name(const FileSystem& files, const Environment& environment,
                                             const PythonChoice& choice) {
  return PythonSearch(files, environment, {}, choice).run_by_name();
}

}  // namespace soresolve
