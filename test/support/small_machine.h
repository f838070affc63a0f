// A whole machine with a program of CUDA in some twenty small files: a loader, a cache, configuration,
// a driver, Python packages, candidates for what is missing. Each of its files is one that soresolve
// parses, so each is a place to put something else.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "soresolve/world.h"

namespace soresolve::test {

struct MachineFile {
  std::string path;
  std::string content;
  std::uint32_t mode = 0644;
};

inline constexpr const char* kMachineProgram = "/app/train";

std::vector<MachineFile> small_machine();

/// The world of these files, on a processor of the lowest level.
WorldSettings world_of(const std::vector<MachineFile>& files);

}  // namespace soresolve::test
