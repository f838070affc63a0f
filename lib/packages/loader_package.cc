// A table of loaders and packages. Sources: the file lists of Debian 12's libc6, libc6-i386, libc6-x32 and musl, of
// Fedora's glibc (dnf takes the path of a file) and of Alpine's gcompat, which brings a stand-in for glibc's loader.
// Not here: loaders of other machines, which need the libraries of a whole architecture.
#include "packages/loader_package.h"

#include <algorithm>

#include "base/path.h"

namespace soresolve {
namespace {

struct LoaderPackage {
  std::string_view loader;  ///< its file name
  std::string_view path;    ///< where its ABI has it
  std::string_view debian;
  std::string_view alpine;  ///< empty: none has it
};
constexpr LoaderPackage kLoaderPackages[] = {
    {"ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2", "libc6", "gcompat"},
    {"ld-linux.so.2", "/lib/ld-linux.so.2", "libc6-i386", {}},
    {"ld-linux-x32.so.2", "/libx32/ld-linux-x32.so.2", "libc6-x32", {}},
    {"ld-linux-aarch64.so.1", "/lib/ld-linux-aarch64.so.1", "libc6", "gcompat"},
    {"ld-linux-armhf.so.3", "/lib/ld-linux-armhf.so.3", "libc6", {}},
    {"ld-musl-x86_64.so.1", "/lib/ld-musl-x86_64.so.1", "musl", "musl"},
    {"ld-musl-aarch64.so.1", "/lib/ld-musl-aarch64.so.1", "musl", "musl"},
};

}  // namespace

std::vector<CommandText> commands_for_loader(const FileSystem& files, std::string_view interpreter) {
  const auto row = std::find_if(std::begin(kLoaderPackages), std::end(kLoaderPackages),
                                [&](const LoaderPackage& known) { return known.path == interpreter; });
  if (row == std::end(kLoaderPackages)) return {};
  const auto has = [&](std::string_view path) { return files.status(path).has_value(); };
  const CommandText apk = row->alpine.empty() ? CommandText() : "apk add " + shell_word(row->alpine);
  // Of what dpkg has installed a file is gone.
  const bool is_installed = has("/var/lib/dpkg/info/" + std::string(row->debian) + ".list") ||
                            has("/var/lib/dpkg/info/" + std::string(row->debian) + ":amd64.list") ||
                            has("/var/lib/dpkg/info/" + std::string(row->debian) + ":arm64.list");
  const CommandText apt =
      (is_installed ? CommandText("sudo apt-get install --reinstall ") : CommandText("sudo apt-get install ")) +
      shell_word(row->debian);
  const CommandText dnf = "sudo dnf install " + shell_word(row->path);
  if (has("/etc/alpine-release") || has("/sbin/apk"))
    return apk.empty() ? std::vector<CommandText>() : std::vector{apk};
  if (has("/var/lib/dpkg/status")) return {apt};
  if (has("/var/lib/rpm") || has("/usr/lib/sysimage/rpm")) return {dnf};
  return {};
}

}  // namespace soresolve
