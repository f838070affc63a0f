// Texts that list files, one for each package, and which of them may list a given one.
//
// Package managers leave one list for each package (dpkg's info/*.list, pip's RECORD, conda-meta/*.json). To ask who
// has a file is to ask all of them. So they are read once, and of each word only a hash is kept: 8 bytes, where the
// texts of one machine have 10 MB. A hash proves nothing: whoever asks reads the record again. Limits are those of a
// large machine; what is beyond them has no owner.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

inline constexpr std::uint64_t kMaxRecordBytes = 16u << 20;

class RecordSet {
 public:
  using Visit = std::function<void(std::string_view)>;
  /// Calls `visit` with each word of a record: each path, or what may be one.
  using Words = void (*)(std::string_view text, const Visit& visit);

  /// Reads the records at `paths`, as far as limits allow.
  RecordSet(const FileSystem& files, std::vector<std::string> paths, Words words);

  /// The few records that may have `word`, in their order.
  [[nodiscard]] std::vector<std::string> with(std::string_view word) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::uint64_t> entries_;  ///< sorted: hash of a word, then number of its record
};

}  // namespace soresolve
