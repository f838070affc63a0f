// Which modules may a compiled module import? By the texts in its file.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve::python {

/// Names of modules, as far as they are written out in native code: "numpy.random._common", and "datetime" of the
/// capsule "datetime.datetime_CAPI". What of them is imported, and when, is not known.
class NativeNames {
 public:
  explicit NativeNames(const FileSystem& files) : files_(files) {}

  /// In the order of the file, each once. Of a 64-bit little-endian ELF file with section headers; of others, and where
  /// it cannot be read, none. Bounded: kMaxNativeNames.
  const std::vector<std::string>& of(const std::string& file) { return read(file).all; }
  /// Those of them that a module of Cython 3.2 or later takes C functions and types of (cimport, a shared utility
  /// module), or that its own classes are called by ("p.module.Class"). Python's imports are in its table of strings,
  /// these are literals. Of older ones, whose names are all literals, none.
  const std::vector<std::string>& linked(const std::string& file) { return read(file).linked; }
  /// Is there a module of this name at the top of sys.path? `find` is asked once for each.
  bool is_module(std::string_view top, const std::function<bool(std::string_view)>& find);

 private:
  struct Names {
    std::vector<std::string> all;
    std::vector<std::string> linked;
  };
  const Names& read(const std::string& path);
  static void add(Names& names, std::string_view constants);

  const FileSystem& files_;
  std::map<std::string, Names, std::less<>> known_;
  std::map<std::string, bool, std::less<>> modules_;
};

inline constexpr std::size_t kMaxNativeNames = 5000;

}  // namespace soresolve::python
