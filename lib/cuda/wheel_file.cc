// Walks up at most five directories to an nvidia*.dist-info whose RECORD lists the file. Source: PyPA "Recording
// installed projects". Hashes are not compared, only the size; conda and Debian packages are not read.
#include "cuda/wheel_file.h"

#include <charconv>

#include "cuda/small_file.h"

namespace soresolve {
namespace {

constexpr std::string_view kMetadata = ".dist-info";

/// The fields behind the path in the line of RECORD for `file`; nullopt without such a line.
std::optional<std::string_view> record_of(std::string_view record, std::string_view file) {
  std::size_t at = 0;
  while (at < record.size()) {
    const std::size_t end = std::min(record.find('\n', at), record.size());
    const std::string_view line = record.substr(at, end - at);
    if (line.starts_with(file) && line.size() > file.size() && line[file.size()] == ',') {
      return line.substr(file.size() + 1);
    }
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> size_in(std::string_view fields) {
  std::string_view text = fields.substr(std::min(fields.rfind(',') + 1, fields.size()));
  while (text.ends_with('\r')) text.remove_suffix(1);
  std::uint64_t bytes = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && stop == text.data() + text.size() ? std::optional(bytes) : std::nullopt;
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
      const auto fields = record ? record_of(*record, path.substr(slash + 1)) : std::nullopt;
      if (!fields) continue;
      const std::string_view stem = std::string_view(name).substr(0, name.size() - kMetadata.size());
      return WheelFile{site, name, std::string(stem.substr(stem.rfind('-') + 1)), size_in(*fields)};
    }
  }
  return std::nullopt;
}

}  // namespace soresolve
