// What is known of the interpreter and its standard library by dotted names, besides what their functions do: constants
// of the platform, and what lies in files. Their sources are not evaluated for it.
//
// Sources: the Python Library Reference: os, os.path, pathlib, glob, platform, sys, ctypes. What is not in the table is
// not known.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "loader/process.h"
#include "python/heap.h"
#include "python/python_environment.h"
#include "python/value.h"
#include "soresolve/file_system.h"

namespace soresolve::python {

class KnownFunctions {
 public:
  /// All are borrowed. `machine`: platform.machine().
  KnownFunctions(Heap& heap, const FileSystem& files, const PythonEnvironment& python, std::string cwd,
                 std::string machine);

  /// A constant, or Known for a function or a module of the table; Unknown: it is in no row.
  [[nodiscard]] Value named(std::string_view dotted) const;
  [[nodiscard]] bool exists(const std::string& path, std::optional<FileKind> kind = {}) const;
  [[nodiscard]] Value names_in(const std::string& directory) const;
  /// glob.glob(); `kind`: Text, or Path.
  [[nodiscard]] Value matching(const std::string& pattern, ValueKind kind) const;
  [[nodiscard]] std::string absolute(std::string_view path) const;

 private:
  Heap& heap_;
  const FileSystem& files_;
  std::string cwd_;
  std::map<std::string, Value, std::less<>> constants_;
};

}  // namespace soresolve::python
