// Finds the text, plain or packed, then the lengths that fit it. A wrong start of a packed text ends within a few
// bytes: its first three bytes have to stand for themselves, what points back has to point to what is there already,
// and zeros, of which files have many, are refused as soon as two follow each other. What zlib has packed begins with
// two bytes that fit each other and ends with a sum, so other bytes are not taken for it. Memory grows with what comes
// out, not by a number in the file. A wrong array of lengths does not cut the text around the names that every module
// has.
#include "python/cython_strings.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/load.h"

#ifdef SORESOLVE_HAS_ZLIB
#include <zlib.h>

#include <memory>
#endif

namespace soresolve::python {
namespace {

constexpr std::size_t kAlignment = 16;     ///< of an array, by every compiler
constexpr std::size_t kTextAlignment = 8;  ///< of a long literal, by GCC
constexpr std::string_view kMain = "__main__";
constexpr std::string_view kName = "__name__";

/// Bytes that stand in no UTF-8 text.
bool is_of_text(unsigned char byte) { return byte != 0xc0 && byte != 0xc1 && byte < 0xf5; }

bool has_names(std::string_view text) {
  return text.find(kMain) != std::string_view::npos && text.find(kName) != std::string_view::npos;
}

/// The text as it is: between two NULs, with more than one name in it.
std::string_view plain_text(std::string_view constants) {
  for (std::size_t at = constants.find(kMain); at != std::string_view::npos; at = constants.find(kMain, at + 1)) {
    const std::size_t begin = constants.rfind('\0', at) + 1;  // npos + 1 is 0
    const std::size_t end = std::min(constants.find('\0', at), constants.size());
    const std::string_view whole = constants.substr(begin, std::min(end - begin, kMaxCythonBytes));
    if (has_names(whole)) return whole;
    at = end;
  }
  return {};
}

/// The two bytes with which zlib begins: deflate with a window of 32 KiB, no dictionary, a multiple of 31.
bool is_start_of_zlib(std::string_view packed) {
  constexpr unsigned kDictionary = 0x20;
  const unsigned flags = packed.size() < 2 ? kDictionary : static_cast<unsigned char>(packed[1]);
  return packed.starts_with('\x78') && (flags & kDictionary) == 0 && ((0x78u << 8) | flags) % 31 == 0;
}

std::string zlib_text(std::string_view constants, std::size_t& steps) {
  constexpr int kMostStarts = 4096;
  int starts = 0;
  for (std::size_t at = constants.find('\x78'); at != std::string_view::npos; at = constants.find('\x78', at + 1)) {
    const std::string_view packed = constants.substr(at);
    if (!is_start_of_zlib(packed)) continue;
    if (steps == 0 || ++starts > kMostStarts) break;
    std::string text = unpacked_zlib(packed, steps);
    if (has_names(text)) return text;
  }
  return {};
}

std::string packed_text(std::string_view constants, std::size_t& steps) {
  constexpr unsigned char kThreeBytes = 7;
  for (std::size_t at = 0; at < constants.size() && steps > 0; at += kTextAlignment) {
    if ((static_cast<unsigned char>(constants[at]) & kThreeBytes) != kThreeBytes) continue;
    std::string text = unpacked_lzss(constants.substr(at), steps);
    if (has_names(text)) return text;
  }
  return {};
}

/// The strings, if the lengths from `at` on are those of the text; else none.
std::vector<std::string> cut(std::string_view text, std::string_view constants, std::size_t at, std::size_t& steps) {
  std::vector<std::string_view> pieces;
  int empties = 0;
  for (; at + 4 <= constants.size() && !text.empty() && steps > 0; at += 4, --steps) {
    const std::size_t length =
        load_as<std::uint32_t>(reinterpret_cast<const std::byte*>(constants.data() + at), std::endian::little);
    // Each string stands there once, but for the empty one: as a constant and as a name.
    if (length > text.size() || (length == 0 && ++empties > 2)) break;
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  const auto has = [&](std::string_view name) { return std::find(pieces.begin(), pieces.end(), name) != pieces.end(); };
  if (!has(kMain) || !has(kName)) return {};
  return {pieces.begin(), pieces.end()};
}

}  // namespace

std::string unpacked_zlib(std::string_view packed, std::size_t& steps) {
#ifdef SORESOLVE_HAS_ZLIB
  constexpr std::size_t kChunk = 4096;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  std::string text;
  while (steps > 0) {
    char chunk[kChunk];
    const std::string_view input = packed.substr(0, std::min(kChunk, steps));
    // zlib does not write what it reads.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = kChunk;
    const int state = inflate(&stream, Z_NO_FLUSH);
    text.append(chunk, kChunk - stream.avail_out);
    const std::size_t used = input.size() - stream.avail_in;
    packed.remove_prefix(used);
    steps -= std::min(steps, used + kChunk - stream.avail_out);
    if (state == Z_STREAM_END) return text;
    // Z_BUF_ERROR: no more input.
    const bool is_too_large = text.size() > kMaxCythonBytes || text.size() > kChunk + kMaxCythonRatio * stream.total_in;
    if (state != Z_OK || is_too_large) return {};
  }
#else
  static_cast<void>(packed);
  static_cast<void>(steps);
#endif
  return {};
}

std::string unpacked_lzss(std::string_view packed, std::size_t& steps) {
  std::string text;
  std::size_t at = 0;
  std::pair<std::size_t, std::size_t> last;  // distance and size
  int repeats = 0;                           // one longer reference would do as well
  const auto next = [&]() -> std::size_t {
    return at < packed.size() ? static_cast<unsigned char>(packed[at++]) : (++at, 0);
  };
  while (at < packed.size() && text.size() < kMaxCythonBytes && steps > 0) {
    const std::size_t flags = next();
    for (int bit = 0; bit < 8; ++bit) {
      if (((flags >> bit) & 1) != 0) {
        const auto byte = static_cast<unsigned char>(next());
        const bool is_gap = byte == 0 && (text.empty() || text.back() == '\0');
        if (at > packed.size() || !is_of_text(byte) || is_gap || steps == 0) return text;
        text += static_cast<char>(byte);
        --steps;
        continue;
      }
      const std::size_t low = next();
      const std::size_t high = next();
      std::size_t distance = low;
      std::size_t size = high;
      if ((low & 0x80) != 0 && (high & 0x80) == 0) {
        distance = 0x80 + (((high << 2) & 0x180) | (low & 0x7f));
        size = high & 0x1f;
      } else if ((low & 0x80) != 0) {
        distance = 0x80 + (((high & 0x7f) << 7) | (low & 0x7f));
        size = next();
      }
      size += 3;
      distance += size;
      repeats = last == std::pair(distance, size) ? repeats + 1 : 0;
      last = {distance, size};
      if (at > packed.size() || distance > text.size() || repeats > 2 || steps < size) return text;
      text.append(text, text.size() - distance, size);
      steps -= size;
    }
  }
  return text;
}

std::vector<std::string> cython_strings(std::string_view constants) {
  // A module of Cython names this one, whose lines stand in tracebacks.
  if (constants.find("cython_runtime") == std::string_view::npos) return {};
  std::size_t steps = 4 * constants.size() + kMaxCythonBytes;
  std::string text(plain_text(constants));
  if (text.empty()) text = zlib_text(constants, steps);
  if (text.empty()) text = packed_text(constants, steps);
  if (text.empty()) return {};
  for (std::size_t at = 0; at < constants.size() && steps > 0; at += kAlignment) {
    std::vector<std::string> strings = cut(text, constants, at, steps);
    if (!strings.empty()) return strings;
  }
  return {};
}

}  // namespace soresolve::python
