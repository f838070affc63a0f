// What the source of a Python module does when it is imported, as far as imports and libraries go.
//
// Read as text: nothing is run. Source: the Python Language Reference, "Lexical analysis", "Compound statements", "The
// import system". A function of the module that the module itself calls is followed, as a guess; what stands in others
// runs later, if ever, and is left out, as loops are whose values are not written out. Conditions that cannot be
// decided from the platform, the release and the files are left undecided, with all that depends on them.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve {

/// What conditions in a source are decided by, beside its own constants.
struct PythonPlatform {
  int minor_number = 0;            ///< of Python 3
  std::string machine = "x86_64";  ///< platform.machine()
};

/// Where a source lies.
struct PythonPlace {
  std::string file = {};                                       ///< __file__; empty: not known
  std::string module = {};                                     ///< __name__; empty: not known
  std::string package = {};                                    ///< __package__
  std::function<bool(const std::string& path)> is_there = {};  ///< os.path.exists; empty: not known
  std::function<std::vector<std::string>(const std::string& directory)> names_in = {};  ///< os.listdir; likewise
};

/// What a name of a module is.
enum class PythonValue : std::uint8_t {
  Unknown,
  False,
  None,
  True,  ///< anything that counts as true
};

/// One thing that the body of a module does.
struct PythonStatement {
  enum class Kind : std::uint8_t {
    Import,  ///< import a.b.c, importlib.import_module("a.b.c")
    From,    ///< from ..a.b import c, d
    Load,    ///< ctypes.CDLL("libx.so"), torch.ops.load_library("…"): a constant
    Raise,   ///< raise: the rest of the block is not run; `name` is the exception, `names` its constant message
    Try,     ///< try: `body`, then `otherwise`; where it fails, the first of `handlers` that catches
    Block,   ///< `body`, which may be left: a loop, one turn of it, a function that is called
    IfSays,  ///< if the text of the exception that was caught has `name` in it: `body`, else `otherwise`
    Path,    ///< sys.path is changed: `name` is added; empty: it is not known how
    Leave,   ///< the `level`th block around it is left: break, continue, return
    Set,     ///< `name` is `value`; where there are `names`, what their second has in the module that is their first
    IfSet,   ///< if the condition `name`, of such names, is true: `body`
    Call,    ///< the function that is first in `names`, of the module `name`, is called without arguments
  };
  /// One except clause.
  struct Handler {
    std::vector<std::string> exceptions;  ///< last components of their names; empty: catches all
    std::vector<PythonStatement> body;
  };
  Kind kind = Kind::Import;
  bool is_guess = false;                ///< it depends on what was not decided, or stands in a function
  bool is_uncertain = false;            ///< it is perhaps not reached: no reason to think that it fails
  std::uint32_t line = 0;               ///< counted from 1
  std::uint32_t level = 0;              ///< of From, Set and Call: leading dots; of Leave: 1 is the innermost block
  std::string name = {};                ///< the module; of Load the library; of Block the function, if it is one
  std::vector<std::string> names = {};  ///< of From: what is imported; "*" for all
  bool is_global = false;               ///< of Load: with RTLD_GLOBAL; of Path: in front of all others
  PythonValue value = PythonValue::Unknown;
  std::vector<PythonStatement> body = {};       ///< of Try, Block, IfSays and IfSet
  std::vector<Handler> handlers = {};           ///< of Try; empty: try … finally
  std::vector<PythonStatement> otherwise = {};  ///< of Try: else, then finally; of IfSays
};

/// The body of a module, in its order. Cannot fail: a source that is no Python gives what was understood before.
/// Bounded: kMaxPythonNesting blocks deep, kMaxPythonTurns turns of loops and
/// calls of functions with kMaxPythonRepeats lines.
std::vector<PythonStatement> read_python_source(std::string_view source, const PythonPlatform& platform,
                                                const PythonPlace& place = {});

/// What the call of a function of the module without arguments does, as one Block; nothing where the source has no such
/// function, or the call does nothing. Bounded likewise.
std::vector<PythonStatement> read_python_function(std::string_view source, std::string_view function,
                                                  const PythonPlatform& platform, const PythonPlace& place);

inline constexpr int kMaxPythonNesting = 40;
inline constexpr int kMaxPythonTurns = 400;
inline constexpr int kMaxPythonRepeats = 20000;  ///< lines of these

}  // namespace soresolve
