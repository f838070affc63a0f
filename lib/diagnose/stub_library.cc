// Facts: the stubs of CUDA 11.8 and 12.4 lie in lib64/stubs, are named libcuda.so with the SONAME
// libcuda.so.1, have no DT_NEEDED (a driver's own libcuda needs libc), and answer each call with
// CUDA_ERROR_STUB_LIBRARY (34).
#include "diagnose/stub_library.h"

#include <algorithm>
#include <iterator>

namespace soresolve {
namespace {

/// Libraries of the NVIDIA driver: no toolkit and no wheel has the real ones.
bool is_driver_library(std::string_view soname) {
  constexpr std::string_view kNames[] = {"libcuda.so.1", "libnvidia-ml.so.1", "libnvcuvid.so.1",
                                         "libnvidia-encode.so.1"};
  return std::find(std::begin(kNames), std::end(kNames), soname) != std::end(kNames);
}

}  // namespace

std::optional<std::string> stub_sign(const FileSystem& files, const std::string& path, const ElfObject* elf) {
  const Result<std::string, Errno> real = files.real_path(path);
  const std::string& place = real ? *real : path;
  if (place.find("/stubs/") != std::string::npos) {
    return place == path ? "it lies in a directory of stubs" : "it leads to " + place;
  }
  if (elf != nullptr && elf->soname && is_driver_library(*elf->soname) && !elf->has_needed()) {
    return "it needs no other library, not even libc, which the driver's own " + std::string(*elf->soname) +
           " does";
  }
  return std::nullopt;
}

std::vector<Finding> find_stub_libraries(const Scene& scene) {
  std::vector<Finding> findings;
  for (ObjectIndex i = 0; i < scene.map.objects.size(); ++i) {
    const LoadedObject& object = scene.map.objects[i];
    if (object.role != ObjectRole::Library || !scene.belongs[i] || !scene.is_of_interest(object.requested_name)) continue;
    // A stub needs nothing; to walk the links of every other library would take time.
    const bool may_be = object.path.find("/stubs/") != std::string_view::npos || !object.elf.has_needed();
    if (!may_be) continue;
    const std::string path(object.path);
    const std::optional<std::string> sign =
        stub_sign(*scene.system.files, absolute_path(path, scene.process.cwd), &object.elf);
    if (!sign) continue;
    Finding finding = make_finding(
        FindingKind::StubLibrary, std::string(object.requested_name),
        path + " is a stub to link against, not the library: its functions are there, but each call of "
               "them fails (CUDA: error 34, stub library)");
    finding.object = i;
    finding.proof = {*sign};
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace soresolve
