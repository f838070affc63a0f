// Hosts of modules: Python, Perl, PHP, PostgreSQL, nginx and others, which open files with dlopen and fail in words of
// their own. The rows are hosts.toml's; here they are looked up, filled in and read.
//
//   "nginx: [emerg] dlopen() "/m.so" failed (libpq.so.5: cannot open …)"   the words of a host, around dlerror's
//                              ^ file         ^ error
//
// A module whose path says nothing is known by what it leaves to its process: rb_define_method is Ruby's to define.
//
// Not here: whose process a file's is (world/whose_process.cc), what dlerror's text means
// (catalogue/message_reader.cc).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/statement.h"

namespace soresolve {

enum class HostOpens : std::uint8_t { Now, Lazy };

struct HostRow {
  std::string_view title;
  std::string_view programs;      ///< globs of names, `|` between them
  std::string_view modules;       ///< globs of paths
  std::string_view symbols = {};  ///< that it defines for its modules; `*` at the end: begins so
  HostOpens opens = HostOpens::Now;
  std::string_view variable = {};  ///< set: a lazy host opens with RTLD_NOW
  std::string_view says;
  std::array<std::string_view, 3> reads = {};
  bool is_name_derived = false;
  std::string_view name_prefix = {};
  std::string_view name_suffix = {};
  std::string_view package_after = {};
  std::string_view package_before = {};
  bool is_nested = false;
  std::string_view installer = {};
  std::string_view again = {};
  std::string_view for_glibc = {};
  std::string_view for_musl = {};
  std::string_view libcs = {};
  std::string_view systems = {};
  std::string_view for_system = {};
  std::string_view plugin_file = {};
  std::string_view plugin_places = {};
  std::string_view source;
};
std::span<const HostRow> host_rows();

/// The host of a file: the program that opens it, where that is known to be one, else by the file's path. nullptr:
/// none, which is a program of C that prints dlerror's text.
const HostRow* host_of(std::string_view file, std::string_view program = {});
const HostRow* host_of_title(std::string_view title);

/// Is it of those that this host defines for its modules, by its name?
bool is_symbol_of(const HostRow& host, std::string_view symbol);
/// The host of which most of the symbols are that a file leaves to its process, and at least half of them. nullptr:
/// none.
const HostRow* host_of_symbols(std::span<const std::string> symbols);
/// The programs of a host whose names are known as a whole, in the order of the row: "lua", "lua5.4".
std::vector<std::string> programs_of(const HostRow& host);

/// The lines that the host of `file` prints for dlerror's text.
std::string words_of_host(const HostRow& host, std::string_view file, std::string_view error);

/// The package of a path by the folders of its host ("ffi" of …/gems/ffi-1.12.2/lib/ffi_c.so); empty: not in it.
std::string package_of(const HostRow& host, std::string_view file);
/// What is typed to have that package built again; empty: no such command, or no package in the path.
std::string installer_of(const HostRow& host, std::string_view file);
/// The same of a file that lacks `library`, if one. Empty, too: no host, or the file is the distribution's, and what it
/// lacks is known to come with a package or product.
std::string installer_for(const HostRow* host, std::string_view file, std::string_view library);
/// What gets another build of a file, in the words of the host that it is for: nobody types pip for a module of
/// Node.js.
Statement step_of_host(const Statement& next);

/// Who says a text of the loader's, and of which file.
struct HostWords {
  const HostRow* host = nullptr;
  std::string_view file;  ///< borrows from the text, as `name` does; may be empty
  std::string_view name;
};
/// `before` and `behind`: the line around the loader's text. `above`: the line before it.
std::optional<HostWords> read_host(std::string_view before, std::string_view behind, std::string_view above);

}  // namespace soresolve
