// A PyTorch that was built for the CPU, where a file needs the part that only builds for CUDA have.
#pragma once
#include <optional>
#include <string>

#include "packages/installed_wheels.h"
#include "packages/package_owner.h"
#include "soresolve/link_map.h"
#include "soresolve/remedies.h"

namespace soresolve {

/// The same release of torch, built for CUDA: `torch` is what is installed, `library` what is missing. `cuda`: the
/// major release that the files of the process need ("12"); empty: not known. nullopt: the installed one is no build
/// for the CPU, or no build for CUDA of its release is known.
std::optional<Remedy> cuda_build_of_torch(const LinkMap& map, const InstalledWheel& torch, const std::string& library,
                                          const std::string& cuda);

}  // namespace soresolve
