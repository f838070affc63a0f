// Searches a file piece by piece (memmem) with an overlap, so that a hit across two pieces is found and each visit has
// the bytes behind it. A read error ends the search like the end of the file.
#include "base/byte_search.h"

#include <cstring>
#include <span>
#include <vector>

namespace soresolve {

void for_each_place(const File& file, std::string_view needle, std::uint64_t from, std::uint64_t max_bytes,
                    const std::function<bool(std::uint64_t offset, std::string_view bytes)>& visit) {
  constexpr std::size_t kPieceBytes = 1 << 20;
  constexpr std::size_t kSeenBytes = 256;
  std::vector<char> piece(kPieceBytes + kSeenBytes);
  std::size_t kept = 0;  // bytes of the piece before, whose hits may want more
  for (std::uint64_t offset = from; offset - from < max_bytes;) {
    const auto room = std::as_writable_bytes(std::span(piece)).subspan(kept, kPieceBytes);
    const Result<std::size_t, Errno> got = file.read_to_search(offset + kept, room);
    const std::size_t size = kept + (got ? *got : 0);
    const bool is_last = !got || *got == 0;
    // What begins in the last bytes is looked at with the next piece, when what follows is there.
    const std::size_t end = is_last ? size : size - std::min(size, kSeenBytes);
    const char* at = piece.data();
    while (at < piece.data() + end) {
      const std::size_t left = size - static_cast<std::size_t>(at - piece.data());
      at = static_cast<const char*>(memmem(at, left, needle.data(), needle.size()));
      if (at == nullptr || at >= piece.data() + end) break;
      const std::size_t place = static_cast<std::size_t>(at - piece.data());
      if (!visit(offset + place, std::string_view(at, std::min(size - place, kSeenBytes)))) return;
      ++at;
    }
    if (is_last) return;
    kept = size - end;
    std::memmove(piece.data(), piece.data() + end, kept);
    offset += end;
  }
}

}  // namespace soresolve
