// `soresolve confirm --import`: the interpreter itself imports the module in a process of its own, and what its loader
// has mapped then is laid beside the prediction.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "command.h"
#include "report/page.h"

namespace soresolve::tool {

/// How the process of the interpreter was when the import had ended.
struct RealImport {
  bool has_ended = false;          ///< the import came to its end, with or without an exception
  std::string exception;           ///< "ImportError: libx.so: …", as the traceback ends; empty: it passed
  std::vector<std::string> files;  ///< that its loader has, in the order of its list; without ld.so
  bool is_in_load_order = false;
  Statement end;            ///< what became of the process where the import did not come to its end
  std::string said;         ///< what it printed then
  Statement last_words;     ///< the last line of that, as an appendix
  std::string why_no_list;  ///< its loader's list could not be read; `files` are what it has mapped, or nothing
};

/// One file under two paths: the same name, or the same file of the package at another place.
struct OtherPath {
  std::string predicted;
  std::string real;
};

struct ImportConfirmation {
  PythonImport predicted;
  std::string start_failure;                 ///< the loader's words where the interpreter itself does not start
  std::vector<std::string> predicted_files;  ///< in the order of the loader's list, as real paths; without ld.so
  RealImport real;
  std::vector<std::string> unpredicted;  ///< loaded, and not predicted
  std::vector<std::string> not_loaded;   ///< predicted, and not loaded
  std::vector<std::string> undecided;    ///< opened on a condition that was not decided, and not loaded: no difference
  std::vector<OtherPath> other_paths;
  std::string out_of_order;    ///< the first that is loaded at another place of the order than predicted; empty: none
  bool agrees_on_end = false;  ///< passes, or fails with the same words where they are known

  [[nodiscard]] bool agrees() const {
    return agrees_on_end && real.why_no_list.empty() && unpredicted.empty() && not_loaded.empty() &&
           other_paths.empty() && out_of_order.empty();
  }
};

/// Runs the code of the package with the rights of the user, for `timeout_s` at most; what it has started ends with it.
/// Errors: as World::resolve().
Result<ImportConfirmation> confirm_import(const WorldOptions& options, const std::string& module, double timeout_s);

/// First line: the verdict.
Page import_page(const ImportConfirmation& import, Detail detail);
nlohmann::ordered_json import_data(const ImportConfirmation& import);

}  // namespace soresolve::tool
