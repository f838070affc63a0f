// What a running process has loaded, as the files of a survey: its program, and what each of its dlopen calls has
// opened.
#pragma once
#include <optional>
#include <vector>

#include "soresolve/file_system.h"
#include "soresolve/link_map.h"
#include "survey/file_finder.h"
#include "survey/judge.h"

namespace soresolve {

/// A file of a process.
struct ProcessFile {
  FoundFile file;
  /// Of the program, and of what a dlopen call has opened: how that is asked about. Nothing else is a root.
  std::optional<RootQuestion> root;
};

struct ProcessFiles {
  std::vector<ProcessFile> files;   ///< in the order of the loader's list, each path once; the program first
  std::vector<SurveySkip> skipped;  ///< loaded, and not to be read here
};

/// Of World::resolve_running(); `files`: of its world.
ProcessFiles files_of_process(const LinkMap& map, const FileSystem& files);

}  // namespace soresolve
