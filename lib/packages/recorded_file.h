// Is a file still what its package has brought? By size and digest, as the package's record has them.
//
// Sources: PyPA "Recording installed projects" (RECORD: sha256 and size), dpkg(1) "FILES" (PACKAGE.md5sums, which
// leaves out links and configuration), conda's paths_data (sha256_in_prefix), headers of rpm. A wheel's record is
// written by who installs it: a file that differs was changed since. Large files are compared by size only, as far as
// bytes to read are left.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "packages/package_owner.h"
#include "packages/package_records.h"
#include "packages/rpm_database.h"

namespace soresolve {

enum class FileState : std::uint8_t {
  AsRecorded,
  Missing,  ///< there is nothing, or a link that leads nowhere
  Changed,  ///< another size or digest; no regular file
  Unknown,  ///< the record says nothing of its content, or it is too large to read
};

/// Compares files of one file system. `bytes_left`: how many bytes are read for all of them together.
class RecordedFiles {
 public:
  RecordedFiles(const FileSystem& files, std::uint64_t bytes_left)
      : files_(files), bytes_left_(bytes_left), rpm_(files) {}

  /// Of the file at `path` (absolute, as the owner's record has it, made absolute).
  [[nodiscard]] FileState state_of(const PackageOwner& owner, const std::string& path);

 private:
  using Contents = std::map<std::string, RecordedContent, std::less<>>;
  const Contents& contents_of(const PackageOwner& owner);
  [[nodiscard]] std::optional<RecordedContent> rpm_content_of(const std::string& path);
  FileState compare(const RecordedContent& content, const std::string& path, const FileStatus& status);

  const FileSystem& files_;
  std::uint64_t bytes_left_;
  std::map<std::string, Contents, std::less<>> known_;  ///< by record
  RpmDatabase rpm_;
};

}  // namespace soresolve
