// A record is read once; of it only libraries are kept, by the paths that they have in the file system.
#include "packages/recorded_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "base/digest.h"
#include "base/path.h"
#include "base/small_file.h"

namespace soresolve {
namespace {

bool is_libraries_name(std::string_view path) { return file_name_of(path).find(".so") != std::string_view::npos; }

}  // namespace

const RecordedFiles::Contents& RecordedFiles::contents_of(const PackageOwner& owner) {
  constexpr std::size_t kMost = 20000;
  const auto [at, is_new] = known_.try_emplace(owner.record);
  Contents& contents = at->second;
  if (!is_new) return contents;
  constexpr std::string_view kList = ".list";
  constexpr std::string_view kSums = ".md5sums";
  std::string path = owner.record;
  if (owner.by == PackageRecord::Dpkg && path.ends_with(kList))
    path.replace(path.size() - kList.size(), kList.size(), kSums);
  const std::string above(directory_of(directory_of(path)));
  const std::string_view top = owner.by == PackageRecord::Dpkg ? std::string_view("/") : std::string_view(above);
  const auto keep = [&](std::string_view name, const RecordedContent& content) {
    if (!is_libraries_name(name) || contents.size() >= kMost) return;
    const std::filesystem::path whole = name.starts_with('/') ? std::string(name) : path_in(top, name);
    contents.try_emplace(whole.lexically_normal().string(), content);
  };
  const std::optional<std::string> text = read_small_file(files_, path, kMaxRecordBytes);
  if (!text) return contents;
  switch (owner.by) {
    case PackageRecord::Wheel: recorded_contents_of(*text, keep); break;
    case PackageRecord::Dpkg: summed_contents_of(*text, keep); break;
    case PackageRecord::Conda: conda_contents_of(*text, keep); break;
    case PackageRecord::Rpm: break;  // no text
  }
  return contents;
}

FileState RecordedFiles::state_of(const PackageOwner& owner, const std::string& path) {
  constexpr Errno kNotThere[] = {static_cast<Errno>(ENOENT), static_cast<Errno>(ELOOP), static_cast<Errno>(ENOTDIR)};
  const Result<FileStatus, Errno> status = files_.status(path);
  if (!status) {
    const bool is_missing =
        std::find(std::begin(kNotThere), std::end(kNotThere), status.error()) != std::end(kNotThere);
    return is_missing ? FileState::Missing : FileState::Unknown;
  }
  if (status->kind != FileKind::Regular) return FileState::Changed;
  // dpkg and rpm have the name of before or after the merge of /lib and /usr/lib.
  const std::string other = path.starts_with("/usr/") ? path.substr(4) : "/usr" + path;
  if (owner.by == PackageRecord::Rpm) {
    std::optional<RecordedContent> content = rpm_content_of(path);
    if (!content) content = rpm_content_of(other);
    return content ? compare(*content, path, *status) : FileState::Unknown;
  }
  const Contents& contents = contents_of(owner);
  auto content = contents.find(path);
  if (content == contents.end()) content = contents.find(other);
  return content == contents.end() ? FileState::Unknown : compare(content->second, path, *status);
}

std::optional<RecordedContent> RecordedFiles::rpm_content_of(const std::string& path) {
  const std::shared_ptr<const RpmPackage> package = rpm_.package_of(path);
  if (!package) return std::nullopt;
  const auto is_it = [&](const RpmFile& file) { return file.path == path; };
  return std::find_if(package->files.begin(), package->files.end(), is_it)->content;
}

FileState RecordedFiles::compare(const RecordedContent& content, const std::string& path, const FileStatus& status) {
  if (content.size_bytes && *content.size_bytes != status.size_bytes) return FileState::Changed;
  const bool has_sha256 = !content.sha256.empty();
  const std::string& sum = has_sha256 ? content.sha256 : content.md5;
  if (sum.empty() || status.size_bytes > bytes_left_) return FileState::Unknown;
  const Result<std::unique_ptr<File>, Errno> file = files_.open(path);
  if (!file) return FileState::Unknown;
  bytes_left_ -= status.size_bytes;
  const Result<std::string, Errno> digest = read_digest(**file, has_sha256 ? DigestKind::Sha256 : DigestKind::Md5);
  if (!digest) return FileState::Unknown;
  return *digest == sum ? FileState::AsRecorded : FileState::Changed;
}

}  // namespace soresolve
