// What an import of Python opens.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/link_map.h"
#include "soresolve/packages.h"
#include "soresolve/statement.h"

namespace soresolve {
struct ChangedWorld;  // lib/loader/load.h: a system and a process; not for users
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

/// Is it opened?
enum class StepEvidence : std::uint8_t {
  Likely,    ///< the sources that run say so
  Guess,     ///< it stands in a function, depends on a condition that was not decided, or may be made at another time
  Possible,  ///< it stands in code that is perhaps run, or native code names it; no failure there counts
};

/// One dlopen that an import makes.
struct ImportStep {
  std::string module;  ///< the extension module; empty: Python's ctypes opens a library
  std::string file;    ///< as it is opened
  OpenMode mode;
  std::string by_file;        ///< the source that does it
  std::uint32_t by_line = 0;  ///< 0: not known
  std::string by_package;     ///< whose code is known, with the source of that; empty: the source was read
  StepEvidence evidence = StepEvidence::Likely;
  std::string failure;  ///< dlopen fails, and it goes on elsewhere or ends here: its words
};

/// A native file of the package that the import does not load: Python opens it when something of the package is used.
struct OnDemandFile {
  std::string file;
  std::string module;   ///< the extension module that it is; empty: a library
  std::string failure;  ///< what dlopen says in the same process, once the import is made; empty: it loads
  /// It lacks a library that neither the package nor a wheel that one here requires has: whoever wants this part brings
  /// the library along.
  bool is_spare = false;
};

/// What would end an import, were something decided otherwise that its sources do not decide.
struct ImportDoubt {
  std::string place;  ///< "FILE:LINE"
  std::string what;   ///< "TYPE: TEXT", as far as it is known
  /// A library that cannot be loaded, an ImportError, OSError or SystemExit, or what a module itself raises; not what a
  /// function raises that is given what is not known, which is a check of arguments mostly.
  bool is_grave = false;
};

/// What the metadata of a wheel says and what is not so: of the wheel that has the module, or of one that it requires.
struct WheelFault {
  enum class Kind : std::uint8_t {
    FilesGone,     ///< sources and native files that RECORD lists
    NotInstalled,  ///< what Requires-Dist names
    OtherVersion,  ///< likewise, in a version that it does not take
    OtherTags,     ///< no Tag of WHEEL is one for this interpreter
  } kind = Kind::FilesGone;
  PackageOwner wheel;              ///< whose metadata it is
  std::string metadata;            ///< the file that says it
  std::uint32_t line = 0;          ///< where it says so first
  std::vector<std::string> files;  ///< the first kShownFiles of those that are gone
  std::size_t file_count = 0;      ///< of all that are gone
  std::string requirement;         ///< as pip takes it: "numpy<2,>=1.26"
  std::string installed;           ///< of it: "numpy 2.1.0"
  std::vector<std::string> tags;   ///< of the wheel: "cp39-cp39-manylinux_2_17_x86_64"

  static constexpr std::size_t kShownFiles = 3;
};

/// `import MODULE` by an interpreter, up to the exception with which it ends.
struct PythonImport {
  std::string module;
  std::string interpreter;
  int minor_number = 0;           ///< of Python 3
  std::vector<std::string> path;  ///< sys.path
  std::vector<ImportStep> steps;  ///< in their order
  /// "ImportError: libx.so: cannot open …", as the last line of the traceback; empty: it succeeds.
  std::string exception;
  /// The loader does not come back from the last step: it dies of a signal, ends the process or waits forever, and
  /// `exception` is its last line, or why.
  bool ends_process = false;
  std::string raised_by;  ///< "FILE:LINE" whose code raises it; empty: the interpreter
  /// The package raises its own exception, and the text is not known: `exception` is what it is raised for.
  bool is_text_unknown = false;
  /// The module that the exception is about is there for another Python alone: its file; empty: it is not so.
  std::string other_python;
  std::string wheel;  ///< that has what the exception names: "nvidia-cublas-cu12==12.4.5.8"; empty: none
  /// Of the package that the module is of; none where the import fails.
  std::vector<OnDemandFile> on_demand;
  std::string package;  ///< where that package is: its __init__.py; empty: it is not looked through
  std::vector<WheelFault> wheel_faults;
  std::size_t source_count = 0;   ///< sources that were read
  std::vector<Statement> limits;  ///< what was left out
  /// What the sources leave open: where there is one, that it succeeds is no more than likely, and only Python can
  /// tell.
  std::vector<ImportDoubt> doubts;
  /// The first of weight; nullptr: there is none.
  [[nodiscard]] const ImportDoubt* grave_doubt() const {
    for (const ImportDoubt& doubt : doubts) {
      if (doubt.is_grave) return &doubt;
    }
    return nullptr;
  }
};

/// The exception with which an import ends in a world with changes; nullopt: it succeeds.
using ImportEnd = std::function<std::optional<std::string>(const ChangedWorld&)>;

}  // namespace SORESOLVE_API
