// An import of Python, carried out on its sources: what is opened in which order, and with what it ends.
//
// The sources are evaluated as the interpreter would, with three values: what cannot be decided is neither done nor a
// failure (evaluator.h). Whether a dlopen fails is a question for the loader's rules. So an evaluation takes what is
// known of that so far, as if all others succeeded; the first one that fails is added, and it is evaluated again. What
// was read of sources and directories is kept in between.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/python_environment.h"
#include "python/python_finder.h"
#include "soresolve/file_system.h"
#include "soresolve/link_map.h"
#include "soresolve/python.h"
#include "soresolve/statement.h"

namespace soresolve {

/// One dlopen of an import.
struct PythonOpen {
  std::string module = {};  ///< the extension module; empty: ctypes opens a library
  std::string file = {};
  OpenMode mode = {};
  std::string by_file = {};     ///< the source that does it
  std::uint32_t by_line = 0;    ///< 0: not known
  std::string by_package = {};  ///< what is known of a package, by its title and source; empty: the source is read
  StepEvidence evidence = StepEvidence::Likely;
  std::string failure = {};   ///< what dlopen says, as answered; empty: it succeeds
  bool ends_process = false;  ///< dlopen does not return: `failure` is why
};

/// What the loader's rules say, by the number of the dlopen.
struct PythonAnswers {
  struct Failure {
    std::string message;
    bool is_process_over = false;  ///< nobody can catch it
  };
  std::map<std::size_t, Failure> failures;
  std::map<std::size_t, bool> loaded;  ///< is PythonTrace::asked loaded after so many of them?
};

struct PythonTrace {
  std::vector<PythonOpen> opens;
  std::string exception = {};  ///< "TYPE: text", as far as the text is known; empty: the import succeeds
  bool has_exception_text = false;
  std::string raised_by = {};    ///< "FILE:LINE" whose code raises it; empty: the interpreter
  bool is_of_operation = false;  ///< an operator, a call, an attribute of an object does, and no statement says so
  std::string wheel = {};        ///< the package that it asks for; empty: none is known
  std::string site = {};         ///< whose packages may say in which version
  std::optional<std::string> asked = {};  ///< goes on when it is known whether such a path is loaded
  std::string other_python = {};          ///< the file of a module that was not found: it is built for another Python
  std::string made_by = {};            ///< the finder that may make the module; its source does not say of which file
  std::string unread = {};             ///< the source that is not understood, where it has ended; Python may refuse it
  std::uint32_t unread_line = 0;       ///< of that source
  std::size_t source_count = 0;        ///< sources that were evaluated
  std::vector<Statement> limits = {};  ///< what was left out
  std::vector<ImportDoubt> doubts = {};
};

struct PythonMachine {
  std::string name = "x86_64";  ///< platform.machine()
  int isa_level = 1;            ///< x86-64: 1 … 4
  /// The first name in ld.so.cache that begins with "lib", this and a dot, as ldconfig -p lists them; empty: the libc
  /// has no such cache, or it is not known.
  std::function<std::optional<std::string>(std::string_view)> cached_library = {};
  /// Does the record of a package list this file? Empty: there are no records.
  std::function<bool(const std::string&)> is_recorded = {};
};

/// A package in a directory of sys.path.
struct InstalledPackage {
  std::string name;
  std::string site;
};

/// What is asked: `import module`, or what the code of known packages opens while they are imported, up to their own
/// modules; sources of those are not read.
struct PythonQuestion {
  std::string module = {};
  std::vector<InstalledPackage> packages = {};                     ///< where `module` is empty
  std::function<bool(const std::string& file)> stops_before = {};  ///< empty: never
};

class PythonImporter {
 public:
  PythonImporter(std::shared_ptr<const FileSystem> files, Environment environment, PythonEnvironment python,
                 std::string cwd, PythonMachine machine);
  ~PythonImporter();

  /// One at a time: further threads wait. Cannot fail: a module that is nowhere is an exception. Bounded:
  /// kMaxPythonSources sources of kMaxPythonSourceBytes each, kMaxPythonSteps statements and expressions.
  PythonTrace evaluate(const PythonQuestion& question, const PythonAnswers& answers = {});
  [[nodiscard]] const PythonEnvironment& python() const;
  /// The package or module of this name at the top of sys.path; nullopt: nothing there has it.
  std::optional<PythonModule> find(std::string_view name);
  /// As of PythonFinder.
  [[nodiscard]] const std::vector<std::string>& suffixes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr std::size_t kMaxPythonSources = 6000;
inline constexpr std::uint64_t kMaxPythonSourceBytes = 4u << 20;
inline constexpr std::uint64_t kMaxNativeBytes = 1u << 30;   ///< of an extension module, for its strings
inline constexpr std::uint64_t kMaxPythonBytes = 96u << 20;  ///< in all
inline constexpr int kMaxPythonSteps = 10'000'000;
inline constexpr std::size_t kMaxPythonOpens = 20000;
inline constexpr int kMaxPythonCalls = 10000;   ///< of functions
inline constexpr int kMaxPythonTurns = 100000;  ///< of loops
inline constexpr int kMaxPythonCallDepth = 30;  ///< functions that call each other
inline constexpr int kMaxPythonDepth = 900;     ///< blocks and expressions in each other, through all of these
inline constexpr int kMaxImportDepth = 200;     ///< modules that import each other

}  // namespace soresolve
