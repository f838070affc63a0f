// The order of a write: out of memory where it becomes too large, room on the disk, then the pages that are not zeros.
#include "spool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "place/archive_reader.h"
#include "place/snapshot_data.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kCopiedBytes = std::size_t{1} << 18;
constexpr std::size_t kPageBytes = 4096;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;
constexpr std::uint64_t kLeftToOthersBytes = std::uint64_t{256} << 20;

}  // namespace

Error input_error(ErrorCode code, std::string message) { return {code, "standard input", {}, std::move(message)}; }

Spool::Spool(std::uint64_t most_in_memory_bytes)
    : most_in_memory_bytes_(most_in_memory_bytes), descriptor_(::memfd_create("standard input", MFD_CLOEXEC)) {}

Spool::~Spool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<Error> Spool::add(std::span<const char> bytes) {
  if (size_ + bytes.size() > most_in_memory_bytes_ && directory_.empty()) {
    if (auto error = move_to_disk()) return error;
  }
  if (size_ + bytes.size() > kMostBytes) return input_error(ErrorCode::LimitReached, "has more than 64 GiB");
  if (!directory_.empty() && size_ >= looked_at_ && !has_room()) return no_room();
  if (auto error = write(bytes)) return error;
  size_ += bytes.size();
  return std::nullopt;
}

std::optional<Error> Spool::become(int descriptor) {
  // Without the flag: it is standard input.
  const bool is_done = ::ftruncate(descriptor_, static_cast<off_t>(size_)) == 0 &&
                       ::lseek(descriptor_, 0, SEEK_SET) == 0 && ::dup2(descriptor_, descriptor) >= 0;
  if (!is_done) return input_error(ErrorCode::Unreadable, std::strerror(errno));
  return std::nullopt;
}

Error Spool::no_room() const {
  return input_error(ErrorCode::LimitReached,
                     "does not fit into " + directory_ + ": set TMPDIR to a directory with room, or save it as a file");
}

bool Spool::is_place_or_object() const {
  std::vector<std::byte> first(kSniffedBytes);
  const ssize_t got = ::pread(descriptor_, first.data(), first.size(), 0);
  first.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  const ArchiveKind kind = sniff_archive(first);
  if (kind.format != ArchiveFormat::None || kind.compression != Compression::None) return true;
  const std::string_view text(reinterpret_cast<const char*>(first.data()), first.size());
  return text.starts_with(
             "\x7f"
             "ELF") ||
         text.starts_with(kSnapshotMagic);
}

std::optional<Error> Spool::move_to_disk() {
  if (!is_place_or_object()) {
    return input_error(ErrorCode::LimitReached,
                       "has more than 64 MiB and does not begin as an image, an archive, a snapshot or an ELF file");
  }
  const char* const wanted = std::getenv("TMPDIR");
  directory_ = wanted != nullptr && *wanted != '\0' ? wanted : "/var/tmp";
  int disk = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (disk < 0) {
    // Not every file system has O_TMPFILE.
    std::string name = directory_ + "/soresolve-XXXXXX";
    disk = ::mkostemp(name.data(), O_CLOEXEC);
    if (disk >= 0) ::unlink(name.c_str());
  }
  if (disk < 0) return no_room();
  const int memory = std::exchange(descriptor_, disk);
  const std::uint64_t end = std::exchange(size_, 0);
  std::vector<char> piece(kCopiedBytes);
  std::optional<Error> error;
  // Pages of zeros at its end were left out: without its length the file would end where they begin.
  bool is_whole = ::ftruncate(memory, static_cast<off_t>(end)) == 0;
  while (size_ < end && !error && is_whole) {
    const ssize_t got = ::pread(memory, piece.data(), piece.size(), static_cast<off_t>(size_));
    if (got < 0 && errno == EINTR) continue;
    is_whole = got > 0;
    if (!is_whole) break;
    error = write(std::span(piece).first(static_cast<std::size_t>(got)));
    size_ += static_cast<std::uint64_t>(got);
  }
  if (!is_whole) error = input_error(ErrorCode::Unreadable, std::strerror(errno));
  ::close(memory);
  return error;
}

bool Spool::has_room() {
  constexpr std::uint64_t kStep = std::uint64_t{64} << 20;
  looked_at_ = size_ + kStep;
  struct statvfs mounted;
  if (::fstatvfs(descriptor_, &mounted) != 0) return true;
  return std::uint64_t{mounted.f_bavail} * mounted.f_frsize > kLeftToOthersBytes + kStep;
}

std::optional<Error> Spool::write(std::span<const char> bytes) const {
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t count = std::min(kPageBytes, bytes.size() - at);
    const auto is_zero = [&](std::size_t from, std::size_t length) {
      const std::span<const char> page = bytes.subspan(from, length);
      return std::all_of(page.begin(), page.end(), [](char one) { return one == '\0'; });
    };
    if (is_zero(at, count)) {
      at += count;
      continue;
    }
    while (at + count < bytes.size()) {
      const std::size_t next = std::min(kPageBytes, bytes.size() - at - count);
      if (is_zero(at + count, next)) break;
      count += next;
    }
    const ssize_t put = ::pwrite(descriptor_, bytes.data() + at, count, static_cast<off_t>(size_ + at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return directory_.empty() ? input_error(ErrorCode::Unreadable, std::strerror(errno)) : no_room();
    at += static_cast<std::size_t>(put);
  }
  return std::nullopt;
}

}  // namespace soresolve::tool
