#include "gpu/small_file.h"

#include <span>

namespace soresolve {

std::optional<std::string> read_small_file(const FileSystem& files, std::string_view path, std::uint64_t max_bytes) {
  constexpr std::size_t kPieceBytes = 16 << 10;
  const auto file = files.open(path);
  if (!file || (*file)->status().kind != FileKind::Regular) return std::nullopt;
  std::string text;
  while (text.size() <= max_bytes) {
    const std::size_t had = text.size();
    text.resize(had + kPieceBytes);
    const Result<std::size_t, Errno> got = (*file)->read_at(had, std::as_writable_bytes(std::span(text)).subspan(had));
    if (!got) return std::nullopt;
    text.resize(had + *got);
    if (*got == 0) return text;
  }
  return std::nullopt;
}

}  // namespace soresolve
