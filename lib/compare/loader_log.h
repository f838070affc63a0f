// A log of LD_DEBUG=libs,files,versions,symbols,bindings, read process by process.
//
// Source of the format: glibc elf/dl-load.c, dl-version.c, dl-lookup.c:_dl_debug_bindings, dl-init.c; the lines begin
// with the process id, but for the one that a start ends with (elf/dl-catch.c:fatal_error). Held against what is
// predicted in compare/compare_log.h.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve {

/// "find library=NAME [0]; searching" with the files that were tried.
struct LoggedSearch {
  std::string name;
  std::string path = {};     ///< the last one tried
  std::size_t attempts = 0;  ///< files tried
  bool is_found = false;
  bool is_missing = false;  ///< the message that ends the start says so
};

/// "binding file REFERRER [0] to PROVIDER [0]: normal symbol `SYMBOL' [VERSION]".
struct LoggedBinding {
  std::string referrer;
  std::string provider;
  std::string symbol;
  std::string version;
};

struct LoggedProcess {
  std::uint64_t pid = 0;
  std::string program;       ///< as the log names it; empty: it does not
  bool has_started = false;  ///< it came to its constructors
  std::vector<LoggedSearch> searches;
  std::vector<LoggedBinding> bindings;  ///< each once
  std::size_t versions = 0;             ///< checks of versions
  std::size_t lookups = 0;              ///< objects asked for symbols
  std::size_t left_out = 0;             ///< searches and bindings beyond what is kept
};

/// Takes a log in parts of any size; memory is bounded, and lines of anything else are passed over.
class LoaderLogReader {
 public:
  void read(std::string_view bytes);
  /// The processes in the order in which they appear.
  std::vector<LoggedProcess> finish();

 private:
  void end_line();
  void read_entry(LoggedProcess& process, std::string_view text);
  void read_search(LoggedProcess& process, std::string_view text);
  static void read_binding(LoggedProcess& process, std::string_view text);
  void read_last_words(std::string_view line);
  LoggedProcess* process_of(std::uint64_t pid);

  std::string line_;
  std::vector<LoggedProcess> processes_;
};

}  // namespace soresolve
