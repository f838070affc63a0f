// Any bytes as /etc/ld.so.cache, under the rules of several releases: LdCache parses them or says
// why not, and lookups stay inside the bytes.
#include "loader/ld_cache.h"

#include <algorithm>

#include "fuzz/fuzz_target.h"
#include "loader/loader_rules.h"
#include "support/cache_writer.h"

namespace soresolve::test::ld_cache_target {
namespace {

constexpr ElfTarget kTarget = {ElfClass::Elf64, std::endian::little, 62, 0};

void check_cache(const LdCache& cache) {
  const std::vector<std::string> hwcaps = {"x86-64-v3", "x86-64-v2"};
  CacheQuery query;
  query.hwcaps = hwcaps;
  query.isa_level_bits = 7;
  query.legacy_hwcap = ~std::uint64_t{0};
  touch(cache.generator());
  touch(cache.lookup("libmissing.so.1", query).value_or(""));
  for (std::size_t i = 0; i < std::min<std::size_t>(cache.size(), 64); ++i) {
    const std::optional<CacheEntry> entry = cache.entry(i);
    if (!entry) continue;
    touch(entry->key);
    touch(entry->value);
    touch(entry->hwcaps_name);
    touch(cache.lookup(entry->key, query).value_or(""));
  }
}

CacheSpec rich_cache(CacheLayout layout) {
  CacheSpec spec;
  spec.layout = layout;
  spec.lines = {{"libc.so.6", "/lib/x86_64-linux-gnu/libc.so.6"},
                {"libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so.12"},
                {"libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1"},
                {"libz.so.10", "/lib/x86_64-linux-gnu/libz.so.10"}};
  if (layout != CacheLayout::Old) {
    CacheLine line = {"libz.so.1", "/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3/libz.so.1"};
    line.hwcaps_name = "x86-64-v3";
    line.isa_level = 2;
    spec.lines.push_back(line);
  }
  return spec;
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const CacheLayout layout : {CacheLayout::Old, CacheLayout::New, CacheLayout::Compat}) {
    CacheSpec spec = rich_cache(layout);
    all.push_back(write_cache(spec));
    spec.has_extension = false;
    all.push_back(write_cache(spec));
    spec.order = CacheOrder::AsGiven;
    spec.endian_flag = 0;
    all.push_back(write_cache(spec));
    spec.count = 0x10000000;
    all.push_back(write_cache(spec));
  }
  all.push_back(write_cache({}));
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  for (const int minor : {27, 31, 32, 36, 41}) {
    const LoaderRules rules = rules_for_release({2, minor}, kTarget);
    const auto* text = reinterpret_cast<const char*>(data);
    const Result<LdCache> cache = LdCache::parse(std::string_view(text, size), rules, kTarget, "/c");
    if (cache) {
      check_cache(*cache);
    } else {
      require(!cache.error().message.empty(), "an error says why");
    }
  }
}

}  // namespace
}  // namespace soresolve::test::ld_cache_target

const soresolve::test::FuzzTarget soresolve::test::kLdCacheTarget = {"ld_cache", ld_cache_target::run,
                                                                     ld_cache_target::seeds};
