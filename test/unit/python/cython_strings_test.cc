// The table of strings of newer Cython: one text and an array of lengths, packed or not.
#include "python/cython_strings.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace soresolve::python;

namespace {

std::string lengths_of(const std::vector<std::string>& strings) {
  std::string bytes;
  for (const std::string& each : strings) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(each.size() >> shift);
  }
  return bytes;
}

std::string joined(const std::vector<std::string>& strings) {
  std::string all;
  for (const std::string& each : strings) all += each;
  return all;
}

/// Every byte for itself.
std::string packed(const std::string& text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 8) bytes += '\xff' + text.substr(at, 8);
  return bytes;
}

std::string aligned(std::string bytes, std::size_t to = 16) {
  bytes.resize((bytes.size() + to) / to * to, '\0');
  return bytes;
}

std::string unpacked(const std::string& bytes) {
  std::size_t steps = 4096;
  return unpacked_lzss(bytes, steps);
}

}  // namespace

TEST_CASE("a text is unpacked up to what cannot be in it") {
  struct Case {
    const char* why;
    std::string bytes;
    std::string want;
  };
  const Case cases[] = {
      {"bytes that stand for themselves",
       "\xff"
       "abcdefgh\xff"
       "ij",
       "abcdefghij"},
      {"two bytes that point back",
       std::string("\x07"
                   "abc\x00\x00",
                   6),
       "abcabc"},
      {"not to the last bytes",
       std::string("\x0f"
                   "abcd\x01\x00",
                   7),
       "abcdabc"},
      {"a reference of nine bits",
       "\x07"
       "abc\x80\x00",
       "abc"},
      {"one of three bytes, which is cut off",
       "\x07"
       "abc\x80\x80",
       "abc"},
      {"it points to before the start",
       std::string("\x07"
                   "abc\x05\x00",
                   6),
       "abc"},
      {"nothing is there yet to point to", std::string("\x00\x00\x00", 3), ""},
      {"a byte of no text",
       "\xff"
       "ab\xff",
       "ab"},
      {"zeros", std::string("\xff\0\0\0", 4), ""},
      {"the same again and again, which no packer writes",
       std::string("\x07"
                   "abc",
                   4) +
           std::string(400, '\0'),
       "abcabcabcabc"},
      {"nothing", "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    CHECK(unpacked(c.bytes) == c.want);
  }
}

TEST_CASE("unpacking ends where its steps do") {
  std::size_t steps = 5;
  CHECK(unpacked_lzss("\xff"
                      "abcdefgh",
                      steps) == "abcde");
  CHECK(steps == 0);
}

TEST_CASE("strings are cut where the lengths of the module do") {
  const std::vector<std::string> strings = {"",         "Some text. ", "",      "__init__",
                                            "__main__", "__name__",    "numpy", "p.q.r"};
  const std::string mark = aligned(std::string("cython_runtime"));
  const std::string text = joined(strings);
  struct Case {
    const char* why;
    std::string constants;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"plain, lengths first", mark + aligned(lengths_of(strings)) + text + '\0', strings},
      {"plain, text first", mark + aligned(text) + lengths_of(strings), strings},
      {"packed", mark + aligned(packed(text)) + aligned(lengths_of(strings)), strings},
      {"an array of something else first",
       mark + aligned(lengths_of({"abc", "defgh"})) + aligned(packed(text)) + lengths_of(strings), strings},
      {"lengths that do not fit", mark + aligned(packed(text)) + lengths_of({"abcd", "a", "abc"}), {}},
      {"lengths that are not there", mark + aligned(packed(text)), {}},
      {"not of Cython", aligned(packed(text)) + lengths_of(strings), {}},
      {"each string for itself, as of old", mark + std::string("__main__\0__name__\0", 18), {}},
      {"zeros", mark + std::string(100'000, '\0'), {}},
      {"ones", mark + std::string(100'000, '\1'), {}},
      {"flags without an end", mark + std::string(100'000, '\x7f'), {}},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    CHECK(cython_strings(c.constants) == c.want);
  }
}
