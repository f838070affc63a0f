// What a file system answers, as text: the content of a file, or "errno N".
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "soresolve/file_system.h"

namespace soresolve::test {

inline std::string errno_of(Errno error) { return "errno " + std::to_string(static_cast<int>(error)); }
inline std::string errno_of(int number) { return errno_of(static_cast<Errno>(number)); }

/// At most its first 64 bytes.
inline std::string content(const FileSystem& files, std::string_view path) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return errno_of(file.error());
  std::array<char, 64> bytes{};
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(bytes)));
  return got ? std::string(bytes.data(), *got) : "read " + errno_of(got.error());
}

}  // namespace soresolve::test
