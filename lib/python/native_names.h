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
  const std::vector<std::string>& of(const std::string& file);
  /// Is there a module of this name at the top of sys.path? `find` is asked once for each.
  bool is_module(std::string_view top, const std::function<bool(std::string_view)>& find);

 private:
  const FileSystem& files_;
  std::map<std::string, std::vector<std::string>, std::less<>> known_;
  std::map<std::string, bool, std::less<>> modules_;
};

inline constexpr std::size_t kMaxNativeNames = 5000;

}  // namespace soresolve::python
