// What a process will open with dlopen(3) once it runs, as far as its files tell.
//
// DT_NEEDED is all that a loader looks at, and it is not all that is loaded: cuDNN opens its
// sub-libraries, torch the wheels beside it, systemd what it has a note for. None of it is certain
// before it happens, so that everything here carries how we know.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/elf.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"
#include "soresolve/symbols.h"

namespace soresolve SORESOLVE_API {

/// How we know that a library is opened.
enum class DlopenSource : std::uint8_t {
  Note,     ///< the file says so: `.note.dlopen`
  Known,    ///< a table of packages and what they do
  Literal,  ///< a name among the file's constants
  Package,  ///< a native file of a package that was imported, which the import leaves alone
};
enum class Confidence : std::uint8_t { Proven, Likely, Guess };
std::string_view name_of(DlopenSource source);    ///< "note", "known", "literal", "package"
std::string_view name_of(Confidence confidence);  ///< "proven", "likely", "guess"

/// Which of them are looked at; each with those before it.
enum class DlopenLevel : std::uint8_t { None, Notes, Known, Strings };

/// One name or path that is tried.
struct DlopenChoice {
  std::string name;
  std::string path;  ///< where it is found; empty: nowhere
  /// "RUNPATH", "ld.so.cache", "already loaded": the name of a step; empty for a path and for nothing
  std::string_view found_by;
};

/// One library that is opened.
struct Dlopen {
  std::string opener;              ///< path of the file or script that opens it
  ObjectIndex object = kNoObject;  ///< that file in the map; kNoObject: a script, or opened itself
  DlopenSource source = DlopenSource::Note;
  Confidence evidence = Confidence::Proven;
  Importance importance = Importance::Recommended;
  std::string wheel;        ///< what pip installs to bring it; empty: nothing is known
  std::string feature;      ///< of a note
  std::string description;  ///< of a note
  Statement reported_by;    ///< "note at file offset 1234", "torch 2.15.0 (torch/__init__.py …)"
  std::optional<std::uint64_t> reported_at = {};  ///< of the note or constant in the file
  std::vector<DlopenChoice> choices;              ///< in the order in which they are tried, up to the one taken
  bool is_found = false;                          ///< the last choice is taken
  bool is_loaded = false;                         ///< and is in the process already
  bool is_second_try = false;                     ///< it fails at first; those behind it fix that
  bool is_by_script = false;                      ///< Python's ctypes opens it, with RTLD_NOW
  std::string failure;                            ///< found, but dlopen fails: its words
  /// What dlopen says with RTLD_NOW; with RTLD_LAZY it succeeds, and the first call of what is missing
  /// ends the process. Both are of check_dlopens(), as far as versions and symbols go.
  std::string failure_now = {};

  [[nodiscard]] bool is_good() const { return is_found && failure.empty(); }
  [[nodiscard]] bool is_faultless() const { return is_good() && failure_now.empty(); }
  /// The name that is taken, or the first that is tried.
  [[nodiscard]] const DlopenChoice& shown() const { return is_found ? choices.back() : choices.front(); }
};

struct Dlopens {
  std::vector<Dlopen> list;    ///< by opener in the order of the map, then those of what they open
  std::vector<Error> damaged;  ///< notes that cannot be read, and limits that cut the list short
};

}  // namespace SORESOLVE_API
