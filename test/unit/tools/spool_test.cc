// Whatever comes through a pipe is read back byte for byte: holes at every boundary between memory and disk, pieces of
// every length.
#include "soresolve/spool.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace soresolve;
using soresolve::tool::Spool;

namespace {

/// `bytes` through a spool in pieces of `piece` bytes, read back; empty: it refuses them.
std::string through(const std::string& bytes, std::size_t piece, std::uint64_t most_in_memory_bytes) {
  Spool spool(most_in_memory_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    if (spool.add(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)))) return {};
  }
  const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || spool.become(descriptor)) return {};
  struct stat status {};
  ::fstat(descriptor, &status);
  std::string back(static_cast<std::size_t>(status.st_size), '\1');
  const ssize_t got = ::pread(descriptor, back.data(), back.size(), 0);
  ::close(descriptor);
  return got == status.st_size ? back : std::string();
}

/// Begins as an ELF file; zeros from `hole` on, `length` of them, then bytes again.
std::string with_hole(std::size_t size, std::size_t hole, std::size_t length) {
  std::string bytes(size, 'x');
  for (std::size_t i = 0; i < size; i += 7) bytes[i] = static_cast<char>('a' + i % 23);
  bytes.replace(0, 4,
                "\x7f"
                "ELF");
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(hole), std::min(length, size - hole), '\0');
  return bytes;
}

}  // namespace

TEST_CASE("holes at every boundary come back") {
  constexpr std::size_t kPage = 4096, kMemory = 16 * kPage;
  for (const std::size_t piece : {std::size_t{4096}, std::size_t{5000}, std::size_t{32768}}) {
    for (std::size_t hole = kMemory - 2 * kPage; hole <= kMemory + 2 * kPage; hole += kPage / 4) {
      for (const std::size_t length : {std::size_t{1}, kPage, 3 * kPage, 20 * kPage}) {
        for (const std::size_t behind : {std::size_t{0}, std::size_t{1}, 2 * kPage}) {
          CAPTURE(piece);
          CAPTURE(hole);
          CAPTURE(length);
          CAPTURE(behind);
          const std::string bytes = with_hole(hole + length + behind, hole, length);
          const bool is_same = through(bytes, piece, kMemory) == bytes;
          CHECK(is_same);
        }
      }
    }
  }
}

TEST_CASE("the boundary of a command, 64 MiB, a page before and behind") {
  constexpr std::size_t kMemory = std::size_t{64} << 20, kPage = 4096;
  for (const std::size_t hole : {kMemory - kPage, kMemory}) {
    std::string bytes(hole + kPage + 100, '\0');
    bytes.replace(0, 4,
                  "\x7f"
                  "ELF");
    bytes.replace(bytes.size() - 100, 100, std::string(100, 'z'));
    CAPTURE(hole);
    const bool is_same = through(bytes, std::size_t{1} << 18, kMemory) == bytes;
    CHECK(is_same);
  }
}
