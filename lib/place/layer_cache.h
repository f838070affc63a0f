// Unpacked layers in a directory of the user's, each named by the digest of its tar: images on the same base share
// them, and a layer that lies there is read in place as one that was stored as it is.
//
// Source: the OCI image specification 1.1, config.md, "Layer DiffID". It is the only thing that the library ever
// writes.
#pragma once
#include <optional>
#include <string>

#include "place/archive_reader.h"
#include "place/content.h"
#include "soresolve/result.h"

namespace soresolve {

struct PackedLayer {
  ByteRange range;      ///< as it is stored
  Compression how;      ///< not None
  std::string sha256;   ///< of these bytes, in hexadecimal; empty: not said
  std::string diff_id;  ///< the same of the tar, 64 digits
  std::string name;     ///< for errors
};

/// DIRECTORY/DIFF-ID.tar, where it is.
std::optional<ByteRange> find_unpacked(const std::string& directory, const std::string& diff_id);

/// Unpacks it there, beside its name first, and compares both digests. Errors: Malformed for another digest and for
/// damaged bytes, Truncated, LimitReached for what grows past all measure; nothing stays behind. Unreadable where the
/// directory cannot be written, which is made if it is not there: the layer can be read without.
Result<ByteRange> unpack_into(const std::string& directory, const PackedLayer& layer);

}  // namespace soresolve
