// Squashfs images as trees of files: snaps, the payload of an AppImage, the system partition of a SIF image.
#pragma once
#include <optional>
#include <string>

#include "place/package.h"

namespace soresolve {

struct SquashfsImage {
  ByteRange range;
  std::string format;  ///< "squashfs", "AppImage", "SIF"
};

/// The squashfs image in a file: all of it, what an AppImage has behind its runtime, or the partition of a SIF image
/// that is its system. nullopt: the file is none of these. Errors: Unsupported for a SIF image or an AppImage with
/// something else in it.
Result<std::optional<SquashfsImage>> find_squashfs(const ByteRange& range, const std::string& name);

/// Reads the names and inodes; contents are decompressed as they are asked for. Errors: Malformed, LimitReached,
/// Unreadable; Unsupported where soresolve was built without libsquashfs, or the image is compressed in a way that it
/// does not know, with what can unpack it.
Result<PackageTree> read_squashfs(const SquashfsImage& image, const std::string& name);

}  // namespace soresolve
