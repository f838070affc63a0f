// Stand-ins that toolkits ship for the link editor: they have the names of the real library, and every
// call of them fails.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// What gives the file at `path` (absolute) away as a stub: "lies in a directory of stubs"; nullopt for
/// a real library. `elf` is what is known of the file, or null.
std::optional<std::string> stub_sign(const FileSystem& files, const std::string& path, const ElfObject* elf);

/// One StubLibrary finding for each object of the map that is one.
std::vector<Finding> find_stub_libraries(const Scene& scene);

}  // namespace soresolve
