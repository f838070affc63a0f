// Walks up at most five directories to an nvidia*.dist-info whose RECORD lists the file. Source: PyPA "Recording
// installed projects". Hashes are not compared, only the size; conda and Debian packages are not read.
#include "cuda/wheel_file.h"

#include "base/small_file.h"
#include "base/wheel_record.h"

namespace soresolve {
namespace {

constexpr std::string_view kMetadata = ".dist-info";

/// The line of RECORD for `file`: the size in it, where it has one; nullopt without such a line.
std::optional<std::optional<std::uint64_t>> recorded_size_of(std::string_view record, std::string_view file) {
  std::optional<std::optional<std::uint64_t>> size;
  visit_wheel_record(record, [&](const WheelRecordLine& line) {
    if (line.path == file) size = line.size_bytes;
    return !size;
  });
  return size;
}

}  // namespace

std::optional<WheelFile> find_wheel_of(const FileSystem& files, std::string_view path) {
  constexpr int kMaxUp = 5;
  constexpr std::uint64_t kMaxRecordBytes = 8u << 20;
  std::size_t slash = path.rfind('/');
  for (int up = 0; up < kMaxUp && slash != std::string_view::npos && slash != 0; ++up) {
    slash = path.rfind('/', slash - 1);
    const std::string site(path.substr(0, slash));
    const auto names = files.list_directory(site.empty() ? "/" : site);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (!name.starts_with("nvidia") || !name.ends_with(kMetadata)) continue;
      const std::optional<std::string> record = read_small_file(files, site + "/" + name + "/RECORD", kMaxRecordBytes);
      const auto size = record ? recorded_size_of(*record, path.substr(slash + 1)) : std::nullopt;
      if (!size) continue;
      const std::string_view stem = std::string_view(name).substr(0, name.size() - kMetadata.size());
      return WheelFile{site, name, std::string(stem.substr(stem.rfind('-') + 1)), *size};
    }
  }
  return std::nullopt;
}

}  // namespace soresolve
