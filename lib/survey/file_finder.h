// Finds the ELF files of a tree that a loader would load.
//
// Links are not followed: what they lead to is found where it lies, or is not of the tree. Directories are listed once
// each, level by level, so that bind mounts end and the result does not depend on the number of threads. A name that
// is one of data by its extension (".py", ".h", ".png") is not opened: nothing loads such files. A file that bears the
// name of a library or of a module of Python and is cut off is one that fails; a linker script is none.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/survey.h"

namespace soresolve {

inline constexpr std::size_t kMostTreeEntries = 20'000'000;  ///< names in all directories together
inline constexpr std::size_t kMostTreeDepth = 200;           ///< levels of directories

/// One dynamic file, or a script that the kernel gives to no interpreter: its target says nothing then.
struct FoundFile {
  std::string path;  ///< without links
  FileId id;
  ElfTarget target;
  bool is_program = false;  ///< has an interpreter, or is a PIE that is linked statically
  std::string soname;       ///< empty: it has none
  std::vector<std::string> needs;
};

struct FoundFiles {
  std::vector<FoundFile> dynamic;   ///< by path, each path once
  std::vector<SurveySkip> skipped;  ///< by path
  std::size_t entries = 0;
  std::size_t files = 0;  ///< regular ones
  std::size_t not_dynamic = 0;
  std::size_t static_programs = 0;  ///< of those: programs, which the kernel starts without a loader
};

struct FindOptions {
  unsigned jobs = 1;
  std::function<bool()> is_stopped = {};        ///< asked from any thread: whether to end early
  std::function<void(std::size_t)> found = {};  ///< called from any thread with the number of dynamic files so far
};

/// Can a file of this name be loaded, as far as its extension says?
bool may_be_loaded(std::string_view name);

/// All below `places`, absolute paths. What cannot be looked at is among `skipped`.
FoundFiles find_files(const FileSystem& files, const std::vector<std::string>& places, const FindOptions& options);

}  // namespace soresolve
