// Which modules could code in .pth files have made? Python runs a line that begins with "import" at each start.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "python/python_environment.h"
#include "python/python_finder.h"
#include "soresolve/file_system.h"

namespace soresolve::python {

/// What the code lines of an environment may do to where modules are found.
class PthCode {
 public:
  /// Reads the sources that the lines import, kMaxPthSources at most.
  PthCode(const FileSystem& files, const PythonEnvironment& python, PythonFinder& finder);

  /// Could it have made a module of this name, or have changed one? As far as the top of the name goes.
  [[nodiscard]] bool may_make(std::string_view module) const;

 private:
  void read_line(const FileSystem& files, std::string_view line, PythonFinder& finder);
  void read_module(const FileSystem& files, std::string_view name, PythonFinder& finder);
  void read_text(std::string_view file, std::string_view text);

  bool is_anything_possible_ = false;
  std::vector<std::string> texts_;  ///< of code that makes the modules which it names
  std::string standard_library_;
};

inline constexpr std::size_t kMaxPthSources = 64;

}  // namespace soresolve::python
