// Reads the lists of packages once and keeps a hash of each word. Bounded in records, bytes and words, so that a
// hostile directory of lists costs no more than a large machine's.
#include "packages/record_set.h"

#include <algorithm>
#include <utility>

#include "base/small_file.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxRecords = 1u << 16;
constexpr std::uint64_t kMaxRecordBytesInAll = 128u << 20;
constexpr std::size_t kMaxRecordWords = 4u << 20;

std::uint64_t upper_hash(std::string_view word) { return std::hash<std::string_view>{}(word) & ~0xffffffffULL; }

}  // namespace

RecordSet::RecordSet(const FileSystem& files, std::vector<std::string> paths, Words words) : paths_(std::move(paths)) {
  if (paths_.size() > kMaxRecords) paths_.resize(kMaxRecords);
  std::uint64_t bytes_left = kMaxRecordBytesInAll;
  for (std::size_t i = 0; i < paths_.size() && bytes_left > 0; ++i) {
    const std::optional<std::string> text = read_small_file(files, paths_[i], std::min(kMaxRecordBytes, bytes_left));
    if (!text) continue;
    bytes_left -= std::min<std::uint64_t>(bytes_left, text->size());
    words(*text, [&](std::string_view word) {
      if (entries_.size() < kMaxRecordWords) entries_.push_back(upper_hash(word) | i);
    });
  }
  std::sort(entries_.begin(), entries_.end());
}

std::vector<std::string> RecordSet::with(std::string_view word) const {
  constexpr std::size_t kMaxSuspects = 16;
  const std::uint64_t hash = upper_hash(word);
  std::vector<std::string> records;
  for (auto at = std::lower_bound(entries_.begin(), entries_.end(), hash);
       at != entries_.end() && (*at & ~0xffffffffULL) == hash && records.size() < kMaxSuspects; ++at) {
    const std::string& path = paths_[*at & 0xffffffffULL];
    if (records.empty() || records.back() != path) records.push_back(path);
  }
  return records;
}

}  // namespace soresolve
