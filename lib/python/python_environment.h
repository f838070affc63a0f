// One interpreter of Python with the places in which it looks for modules: sys.prefix and sys.path, by files alone.
//
// Source: CPython Modules/getpath.py (before 3.11 Modules/getpath.c), Lib/site.py; PEP 405 (pyvenv.cfg); Debian's
// patch of site.py (dist-packages). No code is run: lines of .pth files that would be are kept.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loader/process.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// A line of a .pth file that is code.
struct PthLine {
  std::string file;
  std::size_t number = 0;
  std::string text;
};

struct PythonEnvironment {
  std::string interpreter;                    ///< the path by which it is started
  int minor_number = 0;                       ///< of Python 3; 0: no standard library was found
  std::string prefix;                         ///< sys.prefix
  std::string base_prefix;                    ///< sys.base_prefix; the same without a virtual environment
  std::vector<std::string> path;              ///< sys.path of `python -c`: the first entry is "", the current directory
  std::vector<std::string> site_directories;  ///< those of `path` that site.py adds as such
  std::vector<PthLine> code_lines;            ///< which run code, and may add import hooks
};

/// `interpreter`: absolute path of the program as it is started. Cannot fail: what is not found is left out. Bounded:
/// kMaxPthFiles files of kMaxPthBytes each, kMaxPythonPath entries.
PythonEnvironment read_python_environment(const FileSystem& files, const Environment& environment,
                                          std::string_view interpreter);

/// The interpreter in `place`: the program itself, a virtual or conda environment, or an installation prefix; empty
/// where there is none.
std::string interpreter_in(const FileSystem& files, std::string_view place);

inline constexpr std::size_t kMaxPthFiles = 200;
inline constexpr std::size_t kMaxPthBytes = 256u << 10;
inline constexpr std::size_t kMaxPythonPath = 1000;

}  // namespace soresolve
