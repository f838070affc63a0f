// Formats of /etc/ld.so.cache (glibc sysdeps/generic/dl-cache.h), and what makes a loader ignore one.
#include "loader/ld_cache.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loader/loader_rules.h"
#include "support/cache_writer.h"
#include "unit/targets.h"

using namespace soresolve;
using namespace soresolve::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view kCachePath = "/etc/ld.so.cache";

CacheSpec spec_of(CacheLayout layout) {
  CacheSpec spec;
  spec.layout = layout;
  spec.lines = {{"liba.so.1", "/d/liba.so.1"}, {"libb.so.2", "/d/libb.so.2"}};
  return spec;
}

Result<LdCache> parse(const std::string& bytes, int minor = 36) {
  return LdCache::parse(bytes, rules_for_release({2, minor}, kX86_64), kX86_64, kCachePath);
}

std::string find_in(const LdCache& cache, std::string_view name) {
  return std::string(cache.lookup(name, {}).value_or("(none)"));
}

/// What a loader finds for liba.so.1, or "ignored at N" for a cache that it ignores.
std::string listing_of(const std::string& bytes, int minor = 36) {
  const Result<LdCache> cache = parse(bytes, minor);
  if (cache) return find_in(*cache, "liba.so.1");
  CHECK(cache.error().code == ErrorCode::Malformed);
  CHECK(cache.error().path == kCachePath);
  return "ignored at " + std::to_string(cache.error().offset.value_or(999999));
}

}  // namespace

TEST_CASE("each layout is read, by loaders old and new") {
  struct Case {
    CacheLayout layout;
    CacheFormat format;
  };
  const Case cases[] = {
      {CacheLayout::Old, CacheFormat::Old},
      {CacheLayout::New, CacheFormat::New},
      {CacheLayout::Compat, CacheFormat::Compat},
  };
  for (const Case& c : cases) {
    for (const int minor : {31, 32, 33, 36, 41}) {
      CAPTURE(std::string(name_of(c.layout)));
      CAPTURE(minor);
      const Result<LdCache> cache = parse(write_cache(spec_of(c.layout)), minor);
      REQUIRE(cache.has_value());
      CHECK(cache->format() == c.format);
      CHECK(cache->size() == 2);
      CHECK(find_in(*cache, "liba.so.1") == "/d/liba.so.1");
      CHECK(find_in(*cache, "libb.so.2") == "/d/libb.so.2");
      CHECK(find_in(*cache, "libc.so.6") == "(none)");
      CHECK(find_in(*cache, "") == "(none)");
    }
  }
}

TEST_CASE("entries can be read one by one, in the file's order") {
  CacheSpec spec = spec_of(CacheLayout::New);
  spec.lines.push_back({"libh.so.1", "/d/glibc-hwcaps/x86-64-v2/libh.so.1", kCacheFlagsX86_64, 0, 0, "x86-64-v2", 1});
  const Result<LdCache> cache = parse(write_cache(spec));
  REQUIRE(cache.has_value());
  REQUIRE(cache->size() == 3);
  CHECK(cache->entry(0)->key == "libh.so.1");  // keys descend
  CHECK(cache->entry(0)->hwcaps_name == "x86-64-v2");
  CHECK(cache->entry(0)->file_offset == 48);
  CHECK(cache->entry(1)->key == "libb.so.2");
  CHECK(cache->entry(1)->value == "/d/libb.so.2");
  CHECK(cache->entry(1)->flags == kCacheFlagsX86_64);
  CHECK(cache->entry(1)->hwcaps_name.empty());
  CHECK(cache->entry(2)->file_offset == 48 + 2 * 24);
  CHECK(cache->generator() == "ldconfig (test) stable release version 2.36");
}

TEST_CASE("a file that is no cache is ignored") {
  struct Case {
    std::string why;
    std::string bytes;
  };
  const Case cases[] = {
      {"empty", ""},
      {"one byte", "l"},
      {"the old magic alone", "ld.so-1.7.0"},
      {"an old header of 16 bytes", "ld.so-1.7.0\0\0\0\0\0"s},
      {"the new magic alone", "glibc-ld.so.cache1.1"},
      {"a new header of 48 bytes", "glibc-ld.so.cache1.1"s + std::string(28, '\0')},
      {"another version", "glibc-ld.so.cache1.2"s + std::string(200, '\0')},
      {"a text", "# This file lists directories, one per line, and more text\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(listing_of(c.bytes) == "ignored at 0");
  }
}

TEST_CASE("a cache that announces more entries than it can hold is ignored") {
  struct Case {
    std::string why;
    CacheLayout layout;
    std::uint32_t count;
    int minor;
    std::string want;
  };
  const Case cases[] = {
      {"new, far too many", CacheLayout::New, 1000000, 36, "ignored at 20"},
      {"new, all ones", CacheLayout::New, 0xffffffff, 36, "ignored at 20"},
      {"old, far too many", CacheLayout::Old, 1000000, 36, "ignored at 12"},
      {"old, up to 2.31", CacheLayout::Old, 1000000, 31, "ignored at 12"},
      {"fewer than there are", CacheLayout::New, 1, 36, "(none)"},
      {"none", CacheLayout::New, 0, 36, "(none)"},
      {"strings taken for entries", CacheLayout::New, 3, 36, "/d/liba.so.1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CacheSpec spec = spec_of(c.layout);
    spec.count = c.count;
    CHECK(listing_of(write_cache(spec), c.minor) == c.want);
  }
}

TEST_CASE("up to 2.31 the count of a new cache is not tested; entries outside end the search") {
  CacheSpec spec = spec_of(CacheLayout::New);
  spec.count = 1000000;
  CHECK(listing_of(write_cache(spec), 31) == "(none)");
  CHECK(listing_of(write_cache(spec), 32) == "ignored at 20");
}

TEST_CASE("a cache marked as of another byte order is ignored") {
  // Upstream since 2.33, Debian in 2.31, too; the ldconfig of older ones leaves the mark 0.
  struct Case {
    std::string why;
    std::uint8_t flag;
    std::string want;
  };
  const Case cases[] = {
      {"not marked", 0, "/d/liba.so.1"},
      {"invalid", 1, "ignored"},
      {"little-endian", 2, "/d/liba.so.1"},
      {"big-endian", 3, "ignored"},
      {"further bits do not count", 0xfe, "/d/liba.so.1"},
      {"nor hide the mark", 0xff, "ignored"},
  };
  for (const Case& c : cases) {
    for (const CacheLayout layout : {CacheLayout::New, CacheLayout::Compat}) {
      CAPTURE(c.why);
      CAPTURE(std::string(name_of(layout)));
      CacheSpec spec = spec_of(layout);
      spec.endian_flag = c.flag;
      // Behind an old header of 16 bytes and two entries of 12 the new one begins at 40.
      const std::string offset = layout == CacheLayout::New ? "28" : "68";
      const std::string want = c.want == "ignored" ? "ignored at " + offset : c.want;
      for (const int minor : {31, 33, 41}) CHECK(listing_of(write_cache(spec), minor) == want);
    }
  }
}

TEST_CASE("numbers are read in the byte order of the loader") {
  // Hand-made: one big-endian entry, for a loader of s390x.
  const auto word = [](std::uint32_t value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                       static_cast<char>(value)};
  };
  const std::string bytes = "glibc-ld.so.cache1.1" + word(1) + word(13) + "\x03\0\0\0"s + word(0) +
                            std::string(12, '\0') + word(0x403) + word(72) + word(77) + word(0) + std::string(8, '\0') +
                            "lib1\0/d/lib1\0"s;
  constexpr ElfTarget s390x = {ElfClass::Elf64, std::endian::big, 22, 0};
  const Result<LdCache> cache = LdCache::parse(bytes, rules_for_release({2, 36}, s390x), s390x, kCachePath);
  REQUIRE(cache.has_value());
  CHECK(find_in(*cache, "lib1") == "/d/lib1");
  CHECK(!parse(bytes).has_value());
}

TEST_CASE("a string outside the file hides the entry, a key there ends the search") {
  // New layout: entry i at 48 + 24 i, its key at +4, its value at +8. Keys descend, so the first
  // entry is libb.so.2; the search begins with entry (0 + 1) / 2 = 0.
  const std::string far = "\xff\xff\xff\x7f";
  struct Case {
    std::string why;
    std::uint64_t offset;
    std::string a;
    std::string b;
  };
  const Case cases[] = {
      {"value of liba", 48 + 24 + 8, "(none)", "/d/libb.so.2"},
      {"value of libb", 48 + 8, "/d/liba.so.1", "(none)"},
      {"key of liba, which is asked last", 48 + 24 + 4, "(none)", "/d/libb.so.2"},
      {"key of libb, which is asked first", 48 + 4, "(none)", "(none)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CacheSpec spec = spec_of(CacheLayout::New);
    spec.patches = {{c.offset, far}};
    const Result<LdCache> cache = parse(write_cache(spec));
    REQUIRE(cache.has_value());
    CHECK(find_in(*cache, "liba.so.1") == c.a);
    CHECK(find_in(*cache, "libb.so.2") == c.b);
    const std::size_t damaged = c.offset < 48 + 24 ? 0 : 1;
    CHECK(!cache->entry(damaged).has_value());
    CHECK(cache->entry(1 - damaged).has_value());
  }
}

TEST_CASE("a last string without a NUL ends with the file") {
  CacheSpec spec = spec_of(CacheLayout::New);
  spec.has_extension = false;
  spec.lines = {{"liba.so.1", "/d/liba.so.1"}};
  std::string bytes = write_cache(spec);
  REQUIRE(bytes.ends_with("/d/liba.so.1\0"s));
  bytes.pop_back();
  CHECK(listing_of(bytes) == "/d/liba.so.1");
}

TEST_CASE("a cache cut off anywhere is searched or ignored, never read past its end") {
  for (const CacheLayout layout : {CacheLayout::Old, CacheLayout::New, CacheLayout::Compat}) {
    const std::string whole = write_cache(spec_of(layout));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Result<LdCache> cache = parse(whole.substr(0, size));
      if (!cache) continue;
      const std::string found = find_in(*cache, "liba.so.1");
      if (found != "(none)" && !std::string_view("/d/liba.so.1").starts_with(found)) {
        FAIL("found " << found << " in the first " << size << " bytes");
      }
    }
  }
}
