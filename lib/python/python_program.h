// An import of Python as a row of steps: what is opened in which order, and where it goes on when one fails.
//
// Made of the sources alone (python_source.h), of the places of sys.path (python_finder.h), and of what is known of
// packages whose code opens libraries by itself (dlopen/known_loaders.h). Which step fails is found out by the loader's
// rules; here stands what the program would do then.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/python_environment.h"
#include "python/python_source.h"
#include "soresolve/file_system.h"
#include "soresolve/link_map.h"
#include "soresolve/statement.h"

namespace soresolve {

/// A place in the program; kNoStep: the exception leaves the import.
using StepIndex = std::size_t;
inline constexpr StepIndex kNoStep = ~StepIndex{0};

struct PythonStep {
  enum class Kind : std::uint8_t {
    Open,      ///< dlopen of `file`
    Raise,     ///< an exception: `exception`
    Jump,      ///< go on at `target`
    IfSays,    ///< go on here if the text of the last failure has `file` in it, else at `target`
    IfLoaded,  ///< go on here if the path of a loaded file has `file` in it, else at `target`
    Set,       ///< the name `file` of `module` is `value`; or what `source` is, where that has been set
    Begin,     ///< the import of `module` begins; `target` is where it ends
    End,       ///< it has gone well
    Again,     ///< `module` is imported once more: if it is not there, its steps from `target` on are made
    IfSet,     ///< go on here if the condition `file`, of names of `module`, is true, else at `target`
  };
  Kind kind = Kind::Open;
  /// Of Open: the extension module; empty: ctypes opens a library. Of Set and IfSet: whose source it is. Of Begin, End
  /// and Again: what is imported.
  std::string module = {};
  std::string file = {};
  OpenMode mode = {};
  StepIndex target = kNoStep;
  /// Where it goes on if this one fails; the exception is caught there.
  StepIndex handler = kNoStep;
  /// Only if the message has one of these in it; empty: in any case.
  std::vector<std::string> handled_words = {};
  /// Of Again, and of Raise that raises the same once more: exceptions, and where the handler of them is; the innermost
  /// first.
  std::vector<std::pair<std::vector<std::string>, StepIndex>> catchers = {};
  std::string exception = {};  ///< of Raise: "ModuleNotFoundError: No module named 'x'"; empty: the same once more
  PythonValue value = PythonValue::Unknown;
  std::string source = {};      ///< of Set: "module.NAME"; empty: `value` it is
  std::string by_file = {};     ///< the source that does it
  std::uint32_t by_line = 0;    ///< 0: not known
  std::string by_package = {};  ///< what is known of a package, by its title and source; empty: the source is read
  bool is_guess = false;
  std::string wheel = {};  ///< of Raise: the package of Python that is asked for; empty: none is known
  std::string site = {};   ///< whose packages may say in which version
};

/// Is an exception one of `base`, as far as an import meets them? Both by their names.
bool is_exception_of(std::string_view name, std::string_view base);

struct PythonProgram {
  std::vector<PythonStep> steps;
  std::size_t source_count = 0;   ///< sources that were read
  std::vector<Statement> limits;  ///< what was left out
};

struct PythonMachine {
  std::string name = "x86_64";  ///< platform.machine()
  int isa_level = 1;            ///< x86-64: 1 … 4
};

/// What `import MODULE` does. Cannot fail: a module that is nowhere is a step that raises. Bounded:
/// kMaxPythonSources sources of kMaxPythonSourceBytes each.
PythonProgram plan_import(const FileSystem& files, const Environment& environment, const PythonEnvironment& python,
                          const std::string& cwd, const PythonMachine& machine, std::string_view module);

/// A package in a directory of sys.path.
struct InstalledPackage {
  std::string name;
  std::string site;
};
/// What the code of known packages opens while they are imported, up to their own modules; their sources are not read.
/// Nothing for a package of which nothing is known.
PythonProgram plan_known_packages(const FileSystem& files, const Environment& environment,
                                  const PythonEnvironment& python, const PythonMachine& machine,
                                  const std::vector<InstalledPackage>& packages);

inline constexpr std::size_t kMaxPythonSources = 6000;
inline constexpr std::uint64_t kMaxPythonSourceBytes = 4u << 20;
inline constexpr std::uint64_t kMaxPythonBytes = 96u << 20;  ///< in all
inline constexpr std::size_t kMaxPythonSteps = 20000;
inline constexpr int kMaxPythonCalls = 200;  ///< of functions in other modules
inline constexpr int kMaxImportDepth = 200;  ///< modules that import each other

}  // namespace soresolve
