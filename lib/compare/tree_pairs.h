// Two trees of files walked together: what is in one only, and what is another file in each.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compare/same_file.h"

namespace soresolve {

enum class PairState : std::uint8_t { Same, OnlyInA, OnlyInB, Changed };

/// One dynamic ELF file of a path.
struct PairedFile {
  std::string path;  ///< without links
  PairState state = PairState::Same;
  bool is_program = false;         ///< has an interpreter and no SONAME; in A, where it is there
  std::vector<std::string> names;  ///< file name and SONAME, of both sides
  std::vector<std::string> needs;  ///< last parts of DT_NEEDED, of both sides
  /// Of a changed one: nothing that others see of it, or that it asks for, is gone or another.
  bool is_interface_kept = false;
};

/// A link, or a directory, that differs.
struct ChangedName {
  std::string path;
  bool is_directory = false;  ///< on one side at least: all below it is elsewhere then
};

struct PairedTrees {
  std::vector<PairedFile> files;     ///< by path
  std::vector<ChangedName> changed;  ///< names that are no dynamic files
  std::size_t unread = 0;            ///< files and directories that are there, in either, and cannot be read
};

/// Walks both from their roots. What cannot be read is counted, and else as if it were not there.
PairedTrees pair_trees(SameFiles& same, unsigned jobs);

}  // namespace soresolve
