// Finds the unpacked libc6 packages that test/support/fetch_glibc has put into the cache directory. Nothing is
// downloaded here; a test without its release is skipped.
#include "support/glibc_roots.h"

#include <cstdlib>
#include <filesystem>

namespace soresolve::test {
namespace fs = std::filesystem;

std::string glibc_cache_directory() {
  if (const char* const cache = std::getenv("SORESOLVE_TEST_CACHE")) return std::string(cache) + "/glibc";
  const char* const home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "/tmp") + "/.cache/soresolve-test/glibc";
}

Result<GlibcRoot, std::string> find_glibc(std::string_view name) {
  const fs::path directory =
      name.find('/') != std::string_view::npos ? fs::path(name) : fs::path(glibc_cache_directory()) / name;
  std::error_code error;
  const fs::path real = fs::canonical(directory, error);
  if (error) return Unexpected{directory.string() + " is not there; run test/support/fetch_glibc"};
  for (const char* const libraries : {"lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"}) {
    const fs::path loader = fs::canonical(real / libraries / "ld-linux-x86-64.so.2", error);
    if (error) continue;
    const fs::path libc = fs::canonical(real / libraries / "libc.so.6", error);
    if (error) continue;
    const fs::path ldconfig = real / "ldconfig";
    const fs::path libdl = fs::canonical(real / libraries / "libdl.so.2", error);
    return GlibcRoot{real.filename().string(),
                     false,
                     loader.string(),
                     loader.filename().string(),
                     libc.string(),
                     libc.filename().string(),
                     error ? std::string() : libdl.string(),
                     fs::exists(ldconfig, error) ? ldconfig.string() : std::string()};
  }
  return Unexpected{real.string() + " has no ld-linux-x86-64.so.2 with a libc.so.6 beside it"};
}

Result<GlibcRoot, std::string> find_musl(std::string_view name) {
  const fs::path cache = fs::path(glibc_cache_directory()).parent_path() / "musl";
  const fs::path directory = name.find('/') != std::string_view::npos ? fs::path(name) : cache / name;
  std::error_code error;
  const fs::path real = fs::canonical(directory, error);
  if (error) return Unexpected{directory.string() + " is not there; run test/support/fetch_musl"};
  for (const char* const libraries : {"lib/x86_64-linux-musl", "usr/lib/x86_64-linux-musl"}) {
    const fs::path loader = fs::canonical(real / libraries / "libc.so", error);
    if (error) continue;
    return GlibcRoot{
        real.filename().string(), true, loader.string(), "ld-musl.so", loader.string(), "libc.so.6", {}, {}};
  }
  return Unexpected{real.string() + " has no libc.so of musl"};
}

}  // namespace soresolve::test
