// Which pip package a file is of.
//
// Source: PyPA "Recording installed projects": NAME-VERSION.dist-info/RECORD beside the packages lists
// each file by its path below the site directory, with hash and size.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/file_system.h"

namespace soresolve {

struct WheelFile {
  std::string site;      ///< the site directory
  std::string metadata;  ///< "nvidia_cudnn_cu13-9.19.0.56.dist-info"
  std::string version;   ///< "9.19.0.56"
  std::optional<std::uint64_t> recorded_bytes;
};

/// The package below whose metadata `path` (absolute, without links) is recorded; looked for in the directories above
/// it, up to five, and there in packages of NVIDIA ("nvidia…") only.
std::optional<WheelFile> find_wheel_of(const FileSystem& files, std::string_view path);

}  // namespace soresolve
