// Facts: the stubs of CUDA 11.8 and 12.4 lie in lib64/stubs, are named libcuda.so with the SONAME
// libcuda.so.1, have no DT_NEEDED (a driver's own libcuda needs libc), and answer each call with
// CUDA_ERROR_STUB_LIBRARY (34).
#include "cuda/stub_sign.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace soresolve {
namespace {

/// Libraries of the NVIDIA driver: no toolkit and no wheel has the real ones.
bool is_driver_library(std::string_view soname) {
  constexpr std::string_view kNames[] = {"libcuda.so.1", "libnvidia-ml.so.1", "libnvcuvid.so.1",
                                         "libnvidia-encode.so.1"};
  return std::find(std::begin(kNames), std::end(kNames), soname) != std::end(kNames);
}

}  // namespace

std::optional<Statement> stub_sign(const FileSystem& files, const std::string& path, const ElfObject* elf) {
  const Result<std::string, Errno> real = files.real_path(path);
  const std::string& place = real ? *real : path;
  if (place.find("/stubs/") != std::string::npos) {
    return place == path ? say("stub-in-its-directory") : say("stub-by-link", {{"path", place}});
  }
  if (elf != nullptr && elf->soname && is_driver_library(*elf->soname) && !elf->has_needed()) {
    return say("stub-needs-nothing", {{"soname", std::string(*elf->soname)}});
  }
  return std::nullopt;
}

}  // namespace soresolve
