// Sources: libnvidia-container src/nvc_info.c (which libraries are mounted), nvidia-container-toolkit and apptainer's
// nvliblist.conf, read for the reference "frameworks", rows D01 to D16 and A01; Debian's packages of 470, 535 and 550
// (rows G10 to G12). libnvidia-container itself is the toolkit's own, libnvidia-egl-* are of distributions, too.
#include "packages/host_driver.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/path.h"

namespace soresolve {
namespace {

/// `*` at the end stands for anything.
constexpr std::string_view kOfDriver[] = {
    "libcuda",          "libcudadebugger", "libnvcuvid",    "libnvidia-*",
    "libnvoptix",       "libGLX_nvidia",   "libEGL_nvidia", "libGLESv1_CM_nvidia",
    "libGLESv2_nvidia", "libvdpau_nvidia", "libnvdxgdmal",  "libdxcore",  // of WSL
};

/// The kernel module, its devices (WSL's as well), and where containers have the libraries without a cache.
constexpr std::string_view kSigns[] = {
    "/proc/driver/nvidia/version",
    "/dev/nvidiactl",
    "/dev/dxg",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/local/nvidia/lib/libcuda.so.1",
    "/run/nvidia/driver/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/.singularity.d/libs/libcuda.so.1",
};

/// Where distributions and the container toolkit put libcuda.so.VERSION; its link is ldconfig's work.
constexpr std::string_view kDirectories[] = {
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
    "/lib/x86_64-linux-gnu",     "/lib/aarch64-linux-gnu",     "/usr/lib/x86_64-linux-gnu/nvidia/current"};

}  // namespace

bool is_of_driver(std::string_view soname) {
  soname = file_name_of(soname);
  const std::string_view stem = soname.substr(0, soname.find(".so"));
  if (stem.size() == soname.size() || stem.starts_with("libnvidia-container") || stem.starts_with("libnvidia-egl-")) {
    return false;
  }
  return std::any_of(std::begin(kOfDriver), std::end(kOfDriver), [&](std::string_view pattern) {
    return pattern.ends_with('*') ? stem.starts_with(pattern.substr(0, pattern.size() - 1)) : stem == pattern;
  });
}

bool has_driver(const FileSystem& files) {
  const bool has_sign = std::any_of(std::begin(kSigns), std::end(kSigns),
                                    [&](std::string_view path) { return files.status(path).has_value(); });
  if (has_sign) return true;
  return std::any_of(std::begin(kDirectories), std::end(kDirectories), [&](std::string_view directory) {
    const Result<std::vector<std::string>, Errno> names = files.list_directory(directory);
    if (!names) return false;
    const auto name = std::lower_bound(names->begin(), names->end(), "libcuda.so.");
    return name != names->end() && name->starts_with("libcuda.so.");
  });
}

}  // namespace soresolve
