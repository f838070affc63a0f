// The loaders that tests are judged by: unpacked libc6 packages, put in place by fetch_glibc and its like.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/result.h"
#include "support/machine.h"

namespace soresolve::test {

/// What a loader takes its processor for, as it says itself.
struct SeenProcessor {
  std::string platform;                   ///< `$PLATFORM`; empty: no value
  std::vector<std::string> hwcaps;        ///< names below glibc-hwcaps, best first
  std::vector<std::string> legacy_names;  ///< legacy subdirectories, lowest bit first, without platform and tls
  std::uint64_t legacy_bits = 0;          ///< theirs in AT_HWCAP
};

/// One release of glibc on the host's disk.
struct GlibcRoot {
  std::string release;      ///< "2.36"
  bool is_musl = false;     ///< the same of a release of musl, whose one file is loader and libc
  std::string loader_file;  ///< host path of ld.so
  std::string loader_name;  ///< its real file name: up to 2.33 "ld-2.31.so"
  std::string libc_file;    ///< host path of libc.so.6
  std::string libc_name;
  std::string libdl_file;     ///< host path of libdl.so.2, where dlopen(3) is up to 2.33; empty: none
  std::string ldconfig_file;  ///< host path of ldconfig; empty when it is not in the cache
  const Machine* machine = &x86_64_machine();
  std::string emulator_file;  ///< host path of what runs its programs; empty: the kernel does
  std::optional<SeenProcessor> processor = std::nullopt;  ///< of other machines than this one
};

/// ${SORESOLVE_TEST_CACHE:-~/.cache/soresolve-test}/glibc
std::string glibc_cache_directory();

/// Looks into the directory `name`: a path ("/": the machine's own), or a release ("2.36") or a suite ("sid") below
/// glibc_cache_directory(). The error says what is not there.
Result<GlibcRoot, std::string> find_glibc(std::string_view name);

/// The same of a suite ("bookworm"), which fetch_glibc fetches where it is not in the cache. Says why on standard error
/// where that fails.
Result<GlibcRoot, std::string> fetch_glibc(const std::string& suite);

/// The same for musl, below …/soresolve-test/musl. Its loader stands at the place of glibc's.
Result<GlibcRoot, std::string> find_musl(std::string_view name);

/// The same for another machine, below …/soresolve-test/machines: "arm64/sid" and the emulator that it needs.
Result<GlibcRoot, std::string> find_machine_root(std::string_view place);

}  // namespace soresolve::test
