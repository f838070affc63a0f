// Looks for two strings in a small file: the library that it preloads and the loader that it executes.
#include "loader/gcompat.h"

#include <algorithm>
#include <span>

#include "loader/system.h"

namespace soresolve {
namespace {

/// It does little more than execve(2). glibc's own loaders, which are not worth a search, have more on most machines.
constexpr std::uint64_t kMostBytes = 128 << 10;

/// The string of `image` that has `part` in it; empty: none has.
std::string_view string_with(std::string_view image, std::string_view part) {
  const std::size_t at = image.find(part);
  if (at == std::string_view::npos) return {};
  const std::size_t before = image.rfind('\0', at);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  return image.substr(start, image.find('\0', at) - start);
}

}  // namespace

std::optional<Gcompat> read_gcompat(const FileSystem& files, std::string_view path, const ElfTarget& target) {
  const std::vector<std::string> loaders = loaders_for(files, target, Libc::Musl);
  if (loaders.empty()) return std::nullopt;
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file || (*file)->status().kind != FileKind::Regular || (*file)->status().size_bytes > kMostBytes) {
    return std::nullopt;
  }
  std::string image(static_cast<std::size_t>((*file)->status().size_bytes), '\0');
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(image)));
  if (!got) return std::nullopt;
  image.resize(*got);
  const std::string_view library = string_with(image, "libgcompat.so");
  if (library.empty()) return std::nullopt;
  const std::string loader(string_with(image, "ld-musl-"));
  const bool is_there = loader.starts_with('/') && files.status(loader).has_value();
  return Gcompat{is_there ? loader : loaders.front(), std::string(library)};
}

}  // namespace soresolve
