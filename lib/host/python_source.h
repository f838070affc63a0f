// What the source of a Python module does when it is imported, as far as imports and libraries go.
//
// Read as text: nothing is run. Source: the Python Language Reference, "Lexical analysis", "Compound statements", "The
// import system". What stands in functions runs later, if ever, and is left out; conditions that cannot be decided
// from the platform and the release are left undecided, with all that depends on them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve {

/// What conditions in a source are decided by, beside its own constants.
struct PythonPlatform {
  int minor_number = 0;            ///< of Python 3
  std::string machine = "x86_64";  ///< platform.machine()
};

/// One thing that the body of a module does.
struct PythonStatement {
  enum class Kind : std::uint8_t {
    Import,  ///< import a.b.c, importlib.import_module("a.b.c")
    From,    ///< from ..a.b import c, d
    Load,    ///< ctypes.CDLL("libx.so"), torch.ops.load_library("…"): a constant
    Raise,   ///< raise: the rest of the block is not run; `name` is the exception, `names` its constant message
    Try,     ///< try: `body`, then `otherwise`; where it fails, the first of `handlers` that catches
  };
  /// One except clause.
  struct Handler {
    std::vector<std::string> exceptions;  ///< last components of their names; empty: catches all
    std::vector<PythonStatement> body;
  };
  Kind kind = Kind::Import;
  bool is_guess = false;                        ///< it depends on a condition that was not decided
  std::uint32_t line = 0;                       ///< counted from 1
  std::uint32_t level = 0;                      ///< of From: leading dots
  std::string name = {};                        ///< the module; of Load the library
  std::vector<std::string> names = {};          ///< of From: what is imported; "*" for all
  bool is_global = false;                       ///< of Load: with RTLD_GLOBAL
  std::vector<PythonStatement> body = {};       ///< of Try
  std::vector<Handler> handlers = {};           ///< of Try; empty: try … finally
  std::vector<PythonStatement> otherwise = {};  ///< of Try: else, then finally
};

/// The body of a module, in its order. Cannot fail: a source that is no Python gives what was understood before.
/// Bounded: kMaxPythonNesting blocks deep.
std::vector<PythonStatement> read_python_source(std::string_view source, const PythonPlatform& platform);

inline constexpr int kMaxPythonNesting = 40;

}  // namespace soresolve
