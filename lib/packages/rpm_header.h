// What rpm's database keeps of one package: its header.
//
// Source: "RPM V4 Package format" and the tag table of rpm's documentation (rpmtag.h names the numbers): index count
// and data length, then entries of tag, type, offset and count, all big endian; strings end with a zero byte. Not here:
// signatures and their check, the old list of whole paths (OLDFILENAMES) of rpm before 4.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/package_records.h"

namespace soresolve {

inline constexpr std::size_t kMaxRpmFiles = 1u << 19;  ///< of one package

struct RpmFile {
  std::string path;
  /// Of regular files; empty for links, directories and where the digest is of another kind.
  RecordedContent content;
};

struct RpmPackage {
  std::string name;
  std::string release;  ///< "2.34-60.el9.x86_64": version, release and machine, without the epoch, as `rpm -q` has it
  std::vector<RpmFile> files;  ///< that were installed, in the order of the header
};

/// nullopt: no header, or one without a name. Files whose parts contradict one another are left out.
std::optional<RpmPackage> parse_rpm_header(std::string_view blob);

}  // namespace soresolve
