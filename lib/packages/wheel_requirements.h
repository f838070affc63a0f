// What the packages of Python in one directory require of others: the pins of their metadata.
//
// Source: PyPA "Core metadata specifications" (Name, Version, Requires-Dist), PEP 508 (requirements), PEP 503 (names).
// Only headers are read, and requirements of an extra are left out: whether it was asked for is recorded nowhere.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

/// One pinned requirement.
struct WheelRequirement {
  std::string package;   ///< who requires it: "torch", normalised
  std::string release;   ///< of the package: "2.6.0+cu124"
  std::string metadata;  ///< the file that says so
  std::uint64_t line = 0;
  std::string wheel;    ///< what is required: "nvidia-cudnn-cu12", normalised
  std::string version;  ///< "9.1.0.70"
};

/// One Requires-Dist, cut into its parts.
struct ListedRequirement {
  std::string wheel;     ///< normalised
  std::string versions;  ///< ">=1.2,<2", without blanks; empty: any, or where it is fetched from is named instead
  std::string marker;    ///< behind the semicolon
  std::uint32_t line = 0;

  [[nodiscard]] std::string typed() const { return wheel + versions; }  ///< as pip takes it
};
/// Those of this METADATA, in their order; left out is what has no name of PEP 508 or other characters. Bounded:
/// kMostListedRequirements.
std::vector<ListedRequirement> listed_requirements(std::string_view metadata);

/// What the wheel with this METADATA requires on every Linux, as is typed behind `pip install`: "rapids-logger==0.3.*".
/// Only without a marker, or with one that names Linux alone: of others it is not known whether they hold.
std::vector<std::string> requirements_in(std::string_view metadata);

/// The pins of all packages in `site`, "==" only. Bounded: kMostMetadataFiles files of kMostMetadataBytes each.
std::vector<WheelRequirement> read_wheel_requirements(const FileSystem& files, std::string_view site);

/// "nvidia_cuda.runtime" and "nvidia-cuda-runtime" are one name (PEP 503).
std::string normalised_wheel_name(std::string_view name);

inline constexpr std::size_t kMostMetadataFiles = 512;
inline constexpr std::size_t kMostListedRequirements = 2000;
inline constexpr std::uint64_t kMostMetadataBytes = 1u << 20;

/// Is it a name of PEP 508? It goes into commands.
bool is_wheel_name(std::string_view name);

}  // namespace soresolve
