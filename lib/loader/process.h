// Who is loading: the part of the question that is not in any file.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "loader/cpu.h"
#include "loader/loader_rules.h"
#include "soresolve/link_map.h"

namespace soresolve {

struct LoaderRules;

/// How the root object comes into the process.
enum class Start : std::uint8_t {
  Kernel,    ///< execve: the kernel maps the program and its PT_INTERP
  Argument,  ///< `ld.so FILE`: the loader maps it, as ldd(1) does
  Dlopen,    ///< dlopen(NAME) from a program without search tags of its own
};

struct LiveProcess;

/// One process that is about to load something.
struct Process {
  std::string argv0;  ///< what the loader puts before its messages
  Start start = Start::Kernel;
  Environment environment;
  std::string cwd = "/";  ///< absolute, as getcwd(3) gives it
  bool secure = false;    ///< AT_SECURE, or started as if it had it
  /// As if: glibc.rtld.enable_secure=1 makes it so, and GLIBC_TUNABLES is read and reported all the same.
  bool secure_by_tunable = false;
  bool has_proc = true;  ///< /proc/self/exe can be read
  /// Nobody said whose process it is: libraries of a GPU's driver may be brought in by the host that it will run on.
  bool may_get_driver = false;
  /// Where the program lies that the kernel has started, if its file is no longer at its path.
  std::optional<std::string> exe_directory;
  /// It runs already, and this is what it has loaded; null: it is to start.
  std::shared_ptr<const LiveProcess> live;
  Cpu cpu;
  std::string os_release;  ///< uname -r, for loaders up to 2.35; empty: not tested
};

/// The name by which a process opens the file that it runs; for whoever predicts it that is another file.
inline constexpr std::string_view kOwnProgram = "/proc/self/exe";

/// What GLIBC_TUNABLES changes in the process itself, once its environment, `secure` and `cpu` are known:
/// the features of an x86 processor (glibc.cpu.hwcaps, by release), and since 2.40 `secure`
/// (glibc.rtld.enable_secure=1). Source: glibc sysdeps/x86/cpu-tunables.c, cpu-features.c.
void apply_tunables(Process& process, const LoaderRules& rules);

}  // namespace soresolve
