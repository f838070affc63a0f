// What consumers of one library can lose when another one takes its place.
//
// Judged by the rules of ld.so for each reference that a consumer can have: its version nodes
// (glibc elf/dl-version.c), its symbols (elf/dl-lookup.c:check_match), and what relocations assume of
// them (COPY: elf/dl-machine.h). Leaves out what no loader sees: signatures, structures, behaviour.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/symvers.h"

namespace soresolve SORESOLVE_API {

enum class SymbolChangeKind : std::uint8_t {
  Gone,          ///< no definition of the name: a reference stays undefined
  OtherVersion,  ///< only with other versions: likewise
  Kind,          ///< function, data or thread-local, and another of them now
  Size,          ///< data of another size: a program that holds a copy (COPY relocation), or that
                 ///< knows the layout, has room for the old size
  Protected,     ///< data that is protected now: a copy in a program is no longer the library's own
  Unversioned,   ///< served by a definition without a version now: no loss
  Default,       ///< another version is the default: linked consumers keep theirs, dlsym and the
                 ///< link editor take the new one: no loss
  Unique,        ///< STB_GNU_UNIQUE before or now, but not both: one definition in the process, or
                 ///< one in each library: no loss by the loader's measure
};

/// One definition of the old library that the new one does not have in the same way.
struct SymbolChange {
  SymbolChangeKind kind = SymbolChangeKind::Gone;
  std::string name;
  std::string version;               ///< empty: none
  std::vector<std::string> instead;  ///< OtherVersion, Default: the versions in question
  std::uint8_t old_type = 0;         ///< STT_*
  std::uint8_t new_type = 0;
  std::uint64_t old_bytes = 0;  ///< st_size
  std::uint64_t new_bytes = 0;
  std::size_t old_index = 0;  ///< in the old library's symbol table
  [[nodiscard]] bool is_loss() const;
};

/// A version node of the old library that the new one lacks.
struct NodeLoss {
  std::string name;
  std::size_t symbols = 0;  ///< definitions that carried it
};

struct LibraryDiff {
  bool has_other_soname = false;      ///< consumers ask for the old name
  bool has_no_nodes_now = false;      ///< no DT_VERDEF any more: ld.so warns and goes on
  bool ends_in_assertion = false;     ///< as in ForAnswer: for versioned consumers, before glibc 2.41
  std::vector<NodeLoss> lost_nodes;   ///< in file order
  std::vector<SymbolChange> changes;  ///< by name; changes of default last
  std::vector<std::string> new_nodes;
  std::size_t old_symbols = 0;                ///< definitions of the old library
  std::size_t new_symbols = 0;                ///< names with versions that only the new one has
  std::vector<std::string> new_needed;        ///< DT_NEEDED that the old one did not have
  std::vector<std::string> new_requirements;  ///< "libc.so.6 GLIBC_2.34", likewise

  enum class Stands : std::uint8_t { ForEveryone, ForSome, ForNobody };
  /// ForNobody: every node that a symbol carried is gone, or every symbol is. A SONAME alone never
  /// makes it so: ld.so does not compare it.
  [[nodiscard]] Stands stands() const;
  [[nodiscard]] bool has_loss() const;
};

/// Can `now` stand where `old` stood?
LibraryDiff compare_libraries(const VersionedLibrary& old, const VersionedLibrary& now);

}  // namespace SORESOLVE_API
