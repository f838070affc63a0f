// Finds the unpacked libc6 packages that test/support/fetch_glibc, fetch_musl and fetch_machines have put into the
// cache directory. Only fetch_glibc() downloads; a test without its release is skipped.
#include "support/glibc_roots.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace soresolve::test {
namespace fs = std::filesystem;

std::string glibc_cache_directory() {
  if (const char* const cache = std::getenv("SORESOLVE_TEST_CACHE")) return std::string(cache) + "/glibc";
  const char* const home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "/tmp") + "/.cache/soresolve-test/glibc";
}

namespace {

std::string file_of(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

/// "2.36" of the glibc that this process runs with; empty with another libc.
std::string release_of_this_process() {
#ifdef _CS_GNU_LIBC_VERSION
  std::array<char, 64> text{};
  const std::size_t length = confstr(_CS_GNU_LIBC_VERSION, text.data(), text.size());
  if (length != 0 && length <= text.size()) return std::string(text.data()).substr(sizeof "glibc");
#endif
  return {};
}

/// An unpacked libc6 in the directory `real`; the machine's own in "/".
Result<GlibcRoot, std::string> glibc_in(const fs::path& real, const Machine& machine) {
  std::error_code error;
  const std::string loader_name = file_of(machine.interp);
  for (const char* const above : {"lib", "usr/lib"}) {
    const fs::path libraries = real / above / machine.triplet;
    const fs::path loader = fs::canonical(libraries / loader_name, error);
    if (error) continue;
    const fs::path libc = fs::canonical(libraries / "libc.so.6", error);
    if (error) continue;
    const bool is_own = real == "/";
    fs::path ldconfig = real / "ldconfig";
    for (const char* const own : {"sbin/ldconfig", "sbin/ldconfig.real"})  // Ubuntu's is a script beside it
      if (is_own && fs::exists(real / own, error)) ldconfig = real / own;
    const fs::path libdl = fs::canonical(libraries / "libdl.so.2", error);
    return GlibcRoot{is_own ? release_of_this_process() : real.filename().string(),
                     false,
                     loader.string(),
                     loader.filename().string(),
                     libc.string(),
                     libc.filename().string(),
                     error ? std::string() : libdl.string(),
                     fs::exists(ldconfig, error) ? ldconfig.string() : std::string(),
                     &machine,
                     {}};
  }
  return Unexpected{real.string() + " has no " + loader_name + " with a libc.so.6 beside it"};
}

}  // namespace

Result<GlibcRoot, std::string> find_glibc(std::string_view name) {
  const fs::path directory =
      name.find('/') != std::string_view::npos ? fs::path(name) : fs::path(glibc_cache_directory()) / name;
  std::error_code error;
  const fs::path real = fs::canonical(directory, error);
  if (error) return Unexpected{directory.string() + " is not there; run test/support/fetch_glibc"};
  return glibc_in(real, x86_64_machine());
}

Result<GlibcRoot, std::string> fetch_glibc(const std::string& suite) {
  const Result<GlibcRoot, std::string> known = find_glibc(suite);
  // It takes the lock of the cache, and does nothing where the suite is there.
  const std::string command = std::string(SORESOLVE_TEST_SUPPORT "/fetch_glibc ") + suite + " 1>&2";
  if (!known && std::system(command.c_str()) != 0) return known;
  return find_glibc(suite);
}

Result<GlibcRoot, std::string> find_machine_root(std::string_view place) {
  const Machine* const machine = find_machine(place.substr(0, place.find('/')));
  if (machine == nullptr) return Unexpected{std::string(place) + ": unknown machine"};
  const fs::path cache = fs::path(glibc_cache_directory()).parent_path() / "machines";
  std::error_code error;
  const fs::path real = fs::canonical(cache / place, error);
  if (error) return Unexpected{(cache / place).string() + " is not there; run test/support/fetch_machines"};
  Result<GlibcRoot, std::string> root = glibc_in(real, *machine);
  if (!root) return root;
  root->release = std::string(place);
  if (machine->emulator.empty()) return root;
  root->emulator_file = (cache / "qemu" / machine->emulator).string();
  if (!fs::exists(root->emulator_file, error))
    return Unexpected{root->emulator_file + " is not there; run test/support/fetch_machines"};
  return root;
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
        real.filename().string(), true, loader.string(), "ld-musl.so", loader.string(), "libc.so.6", {}, {},
        &x86_64_machine(),        {}};
  }
  return Unexpected{real.string() + " has no libc.so of musl"};
}

}  // namespace soresolve::test
