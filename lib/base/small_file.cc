// Reads a small text file to its end: files of /proc have no size, those of /sys are shorter than theirs. With a limit
// in bytes; FIFOs and devices are refused.
#include "base/small_file.h"

#include <algorithm>
#include <span>

namespace soresolve {

std::optional<std::string> read_small_file(const FileSystem& files, std::string_view path, std::uint64_t max_bytes) {
  constexpr std::size_t kPieceBytes = 16 << 10;
  const auto file = files.open(path);
  if (!file || (*file)->status().kind != FileKind::Regular) return std::nullopt;
  const std::uint64_t size = (*file)->status().size_bytes;
  if (size > max_bytes) return std::nullopt;
  std::string text;
  while (text.size() <= max_bytes) {
    const std::size_t had = text.size();
    text.resize(had < size ? static_cast<std::size_t>(size) : had + kPieceBytes);
    const Result<std::size_t, Errno> got = (*file)->read_at(had, std::as_writable_bytes(std::span(text)).subspan(had));
    if (!got) return std::nullopt;
    text.resize(had + *got);
    if (*got == 0 || text.size() == size) return text;
  }
  return std::nullopt;
}

std::string start_of_file(const FileSystem& files, std::string_view path, std::uint64_t max_bytes) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file || (*file)->status().kind != FileKind::Regular) return {};
  constexpr std::uint64_t kUnknownBytes = 64 << 10;  // what /proc has is said to have none
  const std::uint64_t size = (*file)->status().size_bytes;
  std::string text(static_cast<std::size_t>(std::min(size == 0 ? kUnknownBytes : size, max_bytes)), '\0');
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  text.resize(got ? *got : 0);
  return text;
}

Result<std::string> read_text_file(const FileSystem& files, std::string_view path, std::string_view shown) {
  constexpr std::uint64_t kMaxBytes = 8u << 20;
  const auto refuse = [&](ErrorCode code, std::string message) {
    return Unexpected{Error{code, std::string(shown), {}, std::move(message)}};
  };
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return refuse(ErrorCode::Unreadable, errno_text(file.error(), ErrnoText::FromDlerror));
  const FileKind kind = (*file)->status().kind;
  if (kind == FileKind::Directory) return refuse(ErrorCode::Unreadable, "is a directory");
  // What comes through a pipe cannot be read at a place, and would seem to be empty.
  if (kind != FileKind::Regular) return refuse(ErrorCode::Unreadable, "is not a regular file: write it to one first");
  const std::uint64_t size = (*file)->status().size_bytes;
  if (size > kMaxBytes) {
    return refuse(ErrorCode::LimitReached, "is longer than " + std::to_string(kMaxBytes) + " bytes");
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  if (!got) return refuse(ErrorCode::Unreadable, errno_text(got.error(), ErrnoText::FromDlerror));
  text.resize(*got);
  return text;
}

}  // namespace soresolve
