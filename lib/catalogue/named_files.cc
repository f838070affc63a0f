// From a message and its traceback to the files that they are about.
//
// ld.so's message about a missing library does not name the file that needs it. Python's traceback
// does, in a way: its innermost lines are the import statement that opened the extension module, or
// the call of ctypes.CDLL.
#include <algorithm>
#include <cctype>

#include "base/path.h"
#include "catalogue/named_files.h"
#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxFiles = 32;
constexpr std::size_t kMaxModules = 16;  ///< taken from one source line
constexpr std::size_t kMaxParents = 4;   ///< directories above the importing file

/// The words of a source line: names with dots. "as x" and comments do no harm, they are no files.
std::vector<std::string> dotted_names(std::string_view code) {
  const auto is_name_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < code.size() && names.size() < kMaxModules;) {
    std::size_t end = i;
    while (end < code.size() && is_name_part(code[end])) ++end;
    if (end != i) names.emplace_back(code.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return names;
}

/// "from a.b import c, d" imports a.b, a.b.c and a.b.d; "import a.b" imports a.b.
std::vector<std::string> imported_modules(std::string_view code) {
  const std::vector<std::string> words = dotted_names(code);
  if (words.empty()) return {};
  if (words[0] == "import") return {words.begin() + 1, words.end()};
  if (words[0] != "from" || words.size() < 3 || words[2] != "import") return {};
  std::string package = words[1];
  while (package.starts_with('.')) package.erase(0, 1);
  std::vector<std::string> modules;
  for (std::size_t i = 3; i < words.size(); ++i) {
    modules.push_back(package.empty() ? words[i] : package + "." + words[i]);
  }
  if (!package.empty()) modules.push_back(package);
  return modules;
}

/// What stands between quotation marks and looks like a library: ctypes.CDLL("libx.so").
std::vector<std::string> quoted_libraries(std::string_view code) {
  std::vector<std::string> names;
  for (const char quote : {'"', '\''}) {
    for (std::size_t at = code.find(quote); at != std::string_view::npos;) {
      const std::size_t end = code.find(quote, at + 1);
      if (end == std::string_view::npos) break;
      const std::string_view text = code.substr(at + 1, end - at - 1);
      if (text.find(".so") != std::string_view::npos && names.size() < kMaxModules) names.emplace_back(text);
      at = code.find(quote, end + 1);
    }
  }
  return names;
}

class Finder {
 public:
  Finder(const FileSystem& files, std::string_view cwd) : files_(files), cwd_(cwd) {}

  void add_path(std::string_view path) {
    if (path.empty() || found_.size() == kMaxFiles) return;
    const std::string absolute = absolute_path(path, cwd_);
    const Result<FileStatus, Errno> status = files_.status(absolute);
    if (!status || status->kind != FileKind::Regular) return;
    // Kept as it was written if it was a path, since the loader would repeat it so.
    std::string name(path.find('/') == std::string_view::npos ? absolute : std::string(path));
    if (std::find(found_.begin(), found_.end(), name) == found_.end()) found_.push_back(std::move(name));
  }

  /// A program by its bare name, as most shells would find it.
  void add_program(std::string_view name) {
    add_path(name);
    if (name.empty() || name.find('/') != std::string_view::npos) return;
    for (const char* directory : {"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"}) {
      add_path(directory + std::string(name));
    }
  }

  void add_frame(const TracebackFrame& frame) {
    // "<stdin>", "<frozen importlib._bootstrap>"; a script is named as it was typed.
    if (frame.file.starts_with('<')) return add_script_imports(frame.code);
    const std::string file = without_dots(absolute_path(frame.file, cwd_));
    const std::string directory(directory_of(file));
    // PyTorch opens it before its extension module (torch/__init__.py:_load_global_deps).
    if (frame.function == "_load_global_deps") add_path(directory + "/lib/libtorch_global_deps.so");
    for (const std::string& library : quoted_libraries(frame.code)) {
      add_path(library.starts_with('/') ? library : path_in(directory, library));
    }
    for (const std::string& module : imported_modules(frame.code)) add_module(directory, module);
  }

  /// What is typed at a prompt, or with -c, is imported from the current directory first.
  void add_script_imports(std::string_view code) {
    if (cwd_.empty()) return;
    for (const std::string& module : imported_modules(code)) add_module(cwd_, module);
  }

  /// The directories of packages that the paths of a traceback lead through: a part of sys.path.
  void add_package_places(const std::vector<TracebackFrame>& frames) {
    for (const TracebackFrame& frame : frames) {
      for (const std::string_view place : {"/site-packages/", "/dist-packages/"}) {
        const std::size_t at = frame.file.find(place);
        if (at == std::string::npos || !frame.file.starts_with('/')) continue;
        const std::string directory = frame.file.substr(0, at + place.size() - 1);
        for (const TracebackFrame& other : frames) {
          for (const std::string& module : imported_modules(other.code)) add_module(directory, module);
        }
      }
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  /// "a.b._C" below the directory of the importing file or one of its parents: a/b/_C*.so.
  void add_module(std::string_view directory, std::string_view module) {
    const std::size_t dot = module.rfind('.');
    const std::string_view stem = module.substr(dot == std::string_view::npos ? 0 : dot + 1);
    if (stem.empty()) return;
    std::string package(dot == std::string_view::npos ? std::string_view() : module.substr(0, dot));
    std::replace(package.begin(), package.end(), '.', '/');
    std::string_view base = directory;
    for (std::size_t i = 0; i <= kMaxParents; ++i) {
      add_modules_in(package.empty() ? std::string(base) : path_in(base, package), stem);
      if (base == "/") return;
      base = directory_of(base);
    }
  }

  /// CPython's suffixes of extension modules: `_C.so`, `_C.abi3.so`, `_C.cpython-310-x86_64-linux-gnu.so`.
  void add_modules_in(const std::string& directory, std::string_view stem) {
    const Result<std::vector<std::string>, Errno> names = files_.list_directory(directory);
    if (!names) return;
    const std::string start = std::string(stem) + ".";
    for (auto name = std::lower_bound(names->begin(), names->end(), start);
         name != names->end() && name->starts_with(start); ++name) {
      if (name->ends_with(".so")) add_path(path_in(directory, *name));
    }
  }

  const FileSystem& files_;
  std::string cwd_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> named_files(const FileSystem& files, std::string_view cwd, const Recognised& message) {
  Finder finder(files, cwd);
  finder.add_path(message.captured("consumer"));
  finder.add_path(message.captured("requirer"));
  if (message.known->lookup != Lookup::Search) finder.add_path(message.captured("object"));
  finder.add_program(message.captured("program"));
  for (const TracebackFrame& frame : message.frames) finder.add_frame(frame);
  finder.add_package_places(message.frames);
  return finder.take();
}

}  // namespace soresolve
