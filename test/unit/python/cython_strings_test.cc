// The table of strings of newer Cython: one text and an array of lengths, packed or not.
#include "python/cython_strings.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#ifdef SORESOLVE_HAS_ZLIB
#include <zlib.h>
#endif

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

#ifdef SORESOLVE_HAS_ZLIB
/// As Cython 3.2 has it done by Python.
std::string packed_by_zlib(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  const auto* from = reinterpret_cast<const Bytef*>(text.data());
  REQUIRE(compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, from, text.size(), Z_BEST_COMPRESSION) == Z_OK);
  bytes.resize(size);
  return bytes;
}

/// `bytes` with one that differs.
std::string damaged(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
  return bytes;
}
#endif

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

#ifdef SORESOLVE_HAS_ZLIB
TEST_CASE("strings that zlib has packed are read if all of them are there") {
  std::vector<std::string> strings = {"", "Some text. ", "", "__init__", "__main__", "__name__", "numpy"};
  for (int i = 0; i < 300; ++i) strings.push_back("package" + std::to_string(i * i) + ".module");
  const std::string mark = aligned(std::string("cython_runtime"));
  const std::string text = joined(strings);
  const std::string bytes = packed_by_zlib(text);
  const std::string end = aligned(lengths_of(strings));
  const std::string many(kMaxCythonBytes, 'x');
  std::string starts;
  for (int i = 0; i < 6000; ++i) starts += "\x78\xda!";
  struct Case {
    const char* why;
    std::string constants;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"whole", mark + aligned(bytes) + end, strings},
      {"behind the lengths", mark + end + aligned(bytes), strings},
      {"where no array would begin", mark + aligned("abc" + bytes) + end, strings},
      {"another text before it", mark + aligned(packed_by_zlib("Some other text") + bytes) + end, strings},
      {"a start of nothing before it", mark + aligned("\x78\xda\x78\x9c" + bytes) + end, strings},
      {"cut off", mark + end + bytes.substr(0, bytes.size() / 2), {}},
      {"its sum cut off", mark + end + bytes.substr(0, bytes.size() - 1), {}},
      {"a byte differs", mark + aligned(damaged(bytes, bytes.size() / 2)) + end, {}},
      {"its sum differs", mark + aligned(damaged(bytes, bytes.size() - 1)) + end, {}},
      {"another method of packing", mark + aligned(damaged(bytes, 0)) + end, {}},
      {"a dictionary is required", mark + aligned(std::string("\x78\xf9") + bytes.substr(2)) + end, {}},
      {"without the names of every module", mark + aligned(packed_by_zlib("numpypandas")) + lengths_of({"numpy"}), {}},
      {"more than any module has", mark + aligned(packed_by_zlib(text + many)) + end, {}},
      {"a small text that grows to more", mark + aligned(packed_by_zlib(text + many.substr(0, 900'000))) + end, {}},
      {"starts of nothing only", mark + starts, {}},
      {"so many before it", mark + aligned(starts) + aligned(bytes) + end, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    CHECK(cython_strings(c.constants) == c.want);
  }
}

TEST_CASE("zlib ends where its steps do") {
  const std::string bytes = packed_by_zlib(std::string(100'000, 'x'));
  std::size_t steps = 500;
  CHECK(unpacked_zlib(bytes, steps).empty());
  CHECK(steps == 0);
}
#endif
