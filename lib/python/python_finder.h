// Where a Python module lies: what importlib's path-based finder takes for a name.
//
// Source: CPython Lib/importlib/_bootstrap_external.py: PathFinder, FileFinder (a package before a module; extension
// modules before sources before bytecode; directories without __init__ are namespace packages). Zip files, eggs and
// import hooks are not looked into.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/python_environment.h"
#include "soresolve/file_system.h"

namespace soresolve {

struct PythonModule {
  enum class Kind : std::uint8_t { Source, Extension, Bytecode, Namespace };
  Kind kind = Kind::Source;
  std::string file;                 ///< empty for a namespace package
  bool is_package = false;          ///< `file` is its __init__
  std::vector<std::string> search;  ///< __path__, of a package
};

class PythonFinder {
 public:
  /// `cwd` stands for the empty entry of sys.path; `machine`: platform.machine(), for names of extension modules.
  PythonFinder(const FileSystem& files, const PythonEnvironment& python, std::string cwd, std::string_view machine);

  /// A module of this last name in the directories; nullopt: none of them has it.
  [[nodiscard]] std::optional<PythonModule> find(std::string_view name, const std::vector<std::string>& directories);
  /// Forgets what add() has added.
  void reset() { path_ = first_path_; }
  /// The current directory is put on sys.path when site has run (CPython Modules/main.c:pymain_run_python): takes it
  /// off for what site does, and puts it before all that site has added.
  std::string take_cwd();
  void put_cwd(std::string cwd) { path_.insert(path_.begin(), std::move(cwd)); }
  /// A source adds a directory to sys.path.
  void add(std::string directory, bool is_first);
  /// Of extension modules, in their order: ".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so".
  [[nodiscard]] const std::vector<std::string>& suffixes() const { return suffixes_; }
  /// sys.path, with the current directory for its empty entry.
  [[nodiscard]] const std::vector<std::string>& path() const { return path_; }

 private:
  const std::vector<std::string>& names_in(const std::string& directory);
  bool has(const std::string& directory, const std::string& name);
  /// Does any name there begin like the module's? Most directories of sys.path have none.
  bool may_have(const std::string& directory, std::string_view module);
  std::optional<PythonModule> find_in(const std::string& directory, std::string_view name,
                                      std::vector<std::string>& portions);

  const FileSystem* files_;
  std::vector<std::string> path_;
  std::vector<std::string> first_path_;
  std::vector<std::string> suffixes_;
  std::map<std::string, std::vector<std::string>, std::less<>> listed_;
};

/// Is a module of this name built into CPython or frozen, in any release from 3.6 on?
bool is_built_in_module(std::string_view name);

}  // namespace soresolve
