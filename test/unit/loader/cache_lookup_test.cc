// Which entry of ld.so.cache a loader takes (glibc elf/dl-cache.c:search_cache).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loader/ld_cache.h"
#include "loader/loader_rules.h"
#include "support/cache_writer.h"
#include "support/sanitizer.h"
#include "unit/targets.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr ElfTarget kX32 = {ElfClass::Elf32, std::endian::little, 62, 0};
constexpr ElfTarget kArmHard = {ElfClass::Elf32, std::endian::little, 40, 0x5000400};
constexpr ElfTarget kArmSoft = {ElfClass::Elf32, std::endian::little, 40, 0x5000200};

using Lines = std::vector<CacheLine>;

CacheLine plain(std::string key, std::string value, std::int32_t flags = kCacheFlagsX86_64) {
  return {std::move(key), std::move(value), flags};
}
CacheLine named(std::string name, std::string value, std::uint32_t isa_level) {
  return {"lib.so", std::move(value), kCacheFlagsX86_64, 0, 0, std::move(name), isa_level};
}
CacheLine legacy(std::uint64_t hwcap, std::string value) {
  return {"lib.so", std::move(value), kCacheFlagsX86_64, 0, hwcap};
}

std::string find(const CacheSpec& spec, std::string_view name, int minor = 36, const CacheQuery& query = {},
                 const ElfTarget& target = kX86_64) {
  const Result<LdCache> cache =
      LdCache::parse(write_cache(spec), rules_for_release({2, minor}, target), target, "cache");
  REQUIRE(cache.has_value());
  return std::string(cache->lookup(name, query).value_or("(none)"));
}

CacheSpec new_cache(Lines lines) {
  CacheSpec spec;
  spec.lines = std::move(lines);
  return spec;
}

}  // namespace

TEST_CASE("in keys digit runs are numbers, and a digit is greater than anything else") {
  struct Case {
    std::string left;
    std::string right;
    int want;
  };
  const Case cases[] = {
      {"", "", 0},
      {"a", "", 1},
      {"a", "a", 0},
      {"a", "b", -1},
      {"ab", "a", 1},
      {"lib.so.9", "lib.so.10", -1},
      {"lib.so.010", "lib.so.10", 0},  // the spelling does not count
      {"lib.so.0", "lib.so.00", 0},
      {"lib1x", "lib1y", -1},
      {"lib2a", "lib10", -1},
      {"1", "a", 1},  // a digit against a letter
      {"lib1", "libz", 1},
      {"lib1", "lib", 1},  // a digit against the end
      {"libz", "lib1", -1},
      {"lib.so", "lib.so.1", -1},
      {"lib-1.so", "lib.so", -1},  // '-' is less than '.'
      {"lib1.2.3", "lib1.2.3", 0},
      {"1a2", "1a10", -1},
      {"4294967297", "1", 0},   // an int that wraps
      {"2147483648", "1", -1},  // and becomes negative
  };
  for (const Case& c : cases) {
    CAPTURE(c.left);
    CAPTURE(c.right);
    const auto sign = [](int value) { return value < 0 ? -1 : value > 0 ? 1 : 0; };
    CHECK(sign(compare_cache_keys(c.left, c.right)) == c.want);
    CHECK(sign(compare_cache_keys(c.right, c.left)) == -c.want);
    CHECK(sign(cache_key_order(c.left, c.right)) == c.want);
  }
}

TEST_CASE("where char is unsigned a byte above 0x7f comes last") {
  CHECK(compare_cache_keys("lib\xff", "liba") < 0);
  CHECK(compare_cache_keys("lib\xff", "liba", CharSign::Unsigned) > 0);
  CHECK(compare_cache_keys("lib", "lib\xff") > 0);
  CHECK(compare_cache_keys("lib", "lib\xff", CharSign::Unsigned) < 0);
}

TEST_CASE("a request finds the entry of an equal key, however it is spelled") {
  const CacheSpec spec =
      new_cache({plain("libx.so.1", "/d/libx.so.1"), plain("libx.so.10", "/d/10"), plain("libx.so.9", "/d/9"),
                 plain("libx.so", "/d/dev"), plain("liby.so.2", "/d/y"), plain("liba", "/d/a")});
  struct Case {
    std::string name;
    std::string want;
  };
  const Case cases[] = {
      {"libx.so.1", "/d/libx.so.1"},
      {"libx.so.01", "/d/libx.so.1"},
      {"libx.so.10", "/d/10"},
      {"libx.so.9", "/d/9"},
      {"libx.so", "/d/dev"},
      {"liby.so.2", "/d/y"},
      {"liba", "/d/a"},
      {"libx.so.2", "(none)"},
      {"libx.so.", "(none)"},
      {"LIBA", "(none)"},
      {"z", "(none)"},
      {"1", "(none)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(find(spec, c.name) == c.want);
    CacheSpec old = spec;
    old.layout = CacheLayout::Old;
    CHECK(find(old, c.name) == c.want);
  }
}

TEST_CASE("every key of a large cache is found") {
  Lines lines;
  const std::size_t keys = test::rounds(300);
  for (std::size_t i = 0; i < keys; ++i) {
    lines.push_back(plain("lib" + std::to_string(i * 7) + ".so", "/d/" + std::to_string(i)));
  }
  const CacheSpec spec = new_cache(lines);
  for (std::size_t i = 0; i < keys; ++i) {
    CHECK(find(spec, "lib" + std::to_string(i * 7) + ".so") == "/d/" + std::to_string(i));
    CHECK(find(spec, "lib" + std::to_string(i * 7 + 1) + ".so") == "(none)");
  }
}

TEST_CASE("of equal keys the first entry wins: the order of ld.so.conf") {
  for (const int minor : {31, 36, 41}) {
    for (const int before : {0, 1, 2, 5}) {
      CAPTURE(minor);
      CAPTURE(before);
      Lines lines;
      for (int i = 0; i < before; ++i) lines.push_back(plain("a" + std::to_string(i), "/other"));
      for (const char* const value : {"/first", "/second", "/third"}) {
        lines.push_back(plain("lib.so", value));
      }
      CHECK(find(new_cache(lines), "lib.so", minor) == "/first");
    }
  }
}

TEST_CASE("an unsorted cache is searched as if it were sorted") {
  CacheSpec spec = new_cache({plain("liba", "/a"), plain("libb", "/b"), plain("libc", "/c")});
  spec.order = CacheOrder::AsGiven;  // ascending: only the middle one is where it should be
  CHECK(find(spec, "libb") == "/b");
  CHECK(find(spec, "liba") == "(none)");
  CHECK(find(spec, "libc") == "(none)");
}

TEST_CASE("entries of other machines are passed over") {
  const Lines all = {plain("lib.so", "/x86-64", 0x303),  plain("lib.so", "/x32", 0x803),
                     plain("lib.so", "/aarch64", 0xa03), plain("lib.so", "/armhf", 0x903),
                     plain("lib.so", "/armel", 0xb03),   plain("lib.so", "/libc6", 3),
                     plain("lib.so", "/libc5", 2),       plain("lib.so", "/elf", 1)};
  struct Case {
    std::string why;
    ElfTarget target;
    std::string want;
    std::string without_it;
  };
  const Case cases[] = {
      {"x86-64", kX86_64, "/x86-64", "(none)"},          {"x32", kX32, "/x32", "(none)"},
      {"AArch64", kAarch64, "/aarch64", "(none)"},       {"ARM, hard float", kArmHard, "/armhf", "/libc6"},
      {"ARM, soft float", kArmSoft, "/armel", "/libc6"}, {"i386: libc6", kI386, "/libc6", "/elf"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(find(new_cache(all), "lib.so", 36, {}, c.target) == c.want);
    Lines rest;
    for (const CacheLine& line : all) {
      if (line.value != c.want) rest.push_back(line);
    }
    CHECK(find(new_cache(rest), "lib.so", 36, {}, c.target) == c.without_it);
  }
}

TEST_CASE("on i386 an entry `libc6` of a later directory beats an `ELF` one of an earlier") {
  const Lines lines = {plain("lib.so", "/early", 1), plain("lib.so", "/late", 3)};
  for (const int minor : {31, 36, 41}) {
    CAPTURE(minor);
    CHECK(find(new_cache(lines), "lib.so", minor, {}, kI386) == "/late");
  }
}

TEST_CASE("without an exact entry old loaders keep the first, newer ones of an old cache the last") {
  CacheSpec spec = new_cache({plain("lib.so", "/first", 1), plain("lib.so", "/second", 1)});
  CHECK(find(spec, "lib.so", 31, {}, kI386) == "/first");
  CHECK(find(spec, "lib.so", 36, {}, kI386) == "/first");
  spec.layout = CacheLayout::Old;
  CHECK(find(spec, "lib.so", 31, {}, kI386) == "/first");
  CHECK(find(spec, "lib.so", 36, {}, kI386) == "/second");
}

TEST_CASE("of glibc-hwcaps entries the best active name wins, a plain one without any") {
  const Lines lines = {named("x86-64-v2", "/v2", 1), named("x86-64-v3", "/v3", 2), named("x86-64-v4", "/v4", 3),
                       plain("lib.so", "/plain")};
  const std::vector<std::string> v3 = {"x86-64-v3", "x86-64-v2"};
  const std::vector<std::string> v2 = {"x86-64-v2"};
  const std::vector<std::string> custom = {"custom", "x86-64-v2"};
  struct Case {
    std::string why;
    Lines lines;
    std::vector<std::string> names;
    std::uint32_t bits;
    std::string want;
  };
  const Case cases[] = {
      {"v3 processor", lines, v3, 7, "/v3"},
      {"v2 processor", lines, v2, 3, "/v2"},
      {"the lowest processor", lines, {}, 1, "/plain"},
      {"the order of the cache is nothing",
       {named("x86-64-v3", "/v3", 2), named("x86-64-v2", "/v2", 1)},
       {"x86-64-v2", "x86-64-v3"},
       7,
       "/v2"},
      {"no plain one, no active name", {named("x86-64-v4", "/v4", 3)}, v3, 7, "(none)"},
      {"the file needs more than the name says",
       {named("x86-64-v2", "/v2", 3), plain("lib.so", "/plain")},
       v3,
       7,
       "/plain"},
      {"a name of one's own", {named("custom", "/custom", 0), plain("lib.so", "/plain")}, custom, 3, "/custom"},
      {"the first of two files of a name",
       {named("x86-64-v2", "/one", 1), named("x86-64-v2", "/two", 1)},
       v2,
       3,
       "/one"},
      {"an ISA level that nobody has", {named("x86-64-v2", "/v2", 40), plain("lib.so", "/plain")}, v2, 3, "/plain"},
  };
  for (const Case& c : cases) {
    for (const int minor : {33, 36, 41}) {
      CAPTURE(c.why);
      CAPTURE(minor);
      CacheQuery query;
      query.hwcaps = c.names;
      query.isa_level_bits = c.bits;
      CHECK(find(new_cache(c.lines), "lib.so", minor, query) == c.want);
    }
  }
}

TEST_CASE("up to 2.32 a glibc-hwcaps entry is one with unknown legacy bits: passed over") {
  const CacheSpec spec = new_cache({named("x86-64-v2", "/v2", 1), plain("lib.so", "/plain")});
  const std::vector<std::string> names = {"x86-64-v2"};
  CacheQuery query;
  query.hwcaps = names;
  query.isa_level_bits = 3;
  CHECK(find(spec, "lib.so", 32, query) == "/plain");
  CHECK(find(spec, "lib.so", 33, query) == "/v2");
}

TEST_CASE("in a compat cache no glibc-hwcaps name is ever matched") {
  // ldconfig counts the names from the new header, ld.so from the start of the file.
  CacheSpec spec = new_cache({named("x86-64-v2", "/v2", 1), plain("lib.so", "/plain")});
  const std::vector<std::string> names = {"x86-64-v2"};
  CacheQuery query;
  query.hwcaps = names;
  query.isa_level_bits = 3;
  CHECK(find(spec, "lib.so", 36, query) == "/v2");
  spec.layout = CacheLayout::Compat;
  CHECK(find(spec, "lib.so", 36, query) == "/plain");
}

TEST_CASE("without a usable extension named entries are skipped, plain ones work") {
  const std::vector<std::string> names = {"x86-64-v2"};
  CacheQuery query;
  query.hwcaps = names;
  query.isa_level_bits = 3;
  const Lines lines = {named("x86-64-v2", "/v2", 1), plain("lib.so", "/plain")};
  const std::string whole = write_cache(new_cache(lines));
  const std::size_t extension =
      static_cast<unsigned char>(whole[32]) | static_cast<std::size_t>(static_cast<unsigned char>(whole[33])) << 8;
  // Extension: magic, count, then sections of tag, flags, offset, size; the second one has the names.
  struct Case {
    std::string why;
    std::uint64_t offset;
    std::string bytes;
    std::string want;
  };
  const std::string far = "\xff\xff\xff\x7f";
  const Case cases[] = {
      {"undamaged", 0, "g", "/v2"},
      {"no extension", 32, std::string(4, '\0'), "/plain"},
      {"offset outside the file", 32, far, "/plain"},
      {"offset not a multiple of four", 32, std::string(1, static_cast<char>(extension + 1)), "/plain"},
      {"another magic", extension, "x", "/plain"},
      {"too many sections", extension + 4, far, "/plain"},
      {"a section outside the file", extension + 24 + 8, far, "/plain"},
      {"a section larger than the file", extension + 24 + 12, far, "/plain"},
      {"another tag", extension + 24, "\x02", "/plain"},
      {"a damaged generator, too", extension + 8 + 8, far, "/plain"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CacheSpec spec = new_cache(lines);
    spec.patches = {{c.offset, c.bytes}};
    CHECK(find(spec, "lib.so", 36, query) == c.want);
  }
}

TEST_CASE("legacy entries: bits and platform have to fit; 2.40 takes none") {
  constexpr std::uint64_t kBit1 = 1 << 1;
  constexpr std::uint64_t kBit2 = 1 << 2;
  constexpr std::uint64_t kHaswell = std::uint64_t{1} << 50;
  constexpr std::uint64_t kXeonPhi = std::uint64_t{1} << 51;
  constexpr std::uint64_t kTls = std::uint64_t{1} << 63;
  struct Case {
    std::string why;
    std::uint64_t hwcap;
    bool until_2_39;
  };
  const Case cases[] = {
      {"a bit of the processor", kBit1, true},
      {"a bit that it lacks", kBit2, false},
      {"both", kBit1 | kBit2, false},
      {"its platform", kHaswell, true},
      {"another platform", kXeonPhi, false},
      {"both platforms", kHaswell | kXeonPhi, false},
      {"tls", kTls, true},
      {"everything together", kTls | kHaswell | kBit1, true},
      {"a bit that means nothing", std::uint64_t{1} << 45, false},
  };
  CacheQuery query;
  query.legacy_hwcap = kBit1;
  query.legacy_platform = kHaswell;
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const CacheSpec spec = new_cache({legacy(c.hwcap, "/legacy"), plain("lib.so", "/plain")});
    const std::string want = c.until_2_39 ? "/legacy" : "/plain";
    CHECK(find(spec, "lib.so", 31, query) == want);
    CHECK(find(spec, "lib.so", 36, query) == want);
    CHECK(find(spec, "lib.so", 39, query) == want);
    CHECK(find(spec, "lib.so", 40, query) == "/plain");
    CHECK(find(spec, "lib.so", 41, query) == "/plain");
  }
}

TEST_CASE("up to 2.35 an entry for a newer kernel is passed over") {
  constexpr std::uint32_t k5_10 = 5 << 16 | 10 << 8;
  CacheSpec spec = new_cache({plain("lib.so", "/new"), plain("lib.so", "/old")});
  spec.lines[0].os_version = k5_10;
  CacheQuery query;
  struct Case {
    std::string why;
    std::uint32_t kernel;
    int minor;
    std::string want;
  };
  const Case cases[] = {
      {"an older kernel", k5_10 - 1, 31, "/old"},  {"that kernel", k5_10, 31, "/new"},
      {"2.35 still tests", k5_10 - 1, 35, "/old"}, {"2.36 does not", k5_10 - 1, 36, "/new"},
      {"an unknown kernel", 0, 31, "/new"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    query.os_version = c.kernel;
    CHECK(find(spec, "lib.so", c.minor, query) == c.want);
  }
}
