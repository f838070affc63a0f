// Source: glibc elf/dl-tls.c:_dl_tls_static_surplus_init, elf/dl-reloc.c:_dl_try_allocate_static_tls,
// sysdeps/*/dl-tls.h. Up to 2.31 the surplus is 1664 bytes; since then it follows from two tunables,
// whose defaults come to the same.
#include "diagnose/static_tls.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "search/tunables.h"

namespace soresolve {
namespace {

/// The value of a tunable; `otherwise` where it is not set or no number.
std::uint64_t tunable(const Process& process, std::string_view name, std::uint64_t otherwise) {
  std::uint64_t value = otherwise;
  if (process.secure) return value;
  for_each_tunable(process.environment.value("GLIBC_TUNABLES").value_or(""), [&](std::string_view entry) {
    if (!entry.starts_with(name) || entry.substr(name.size()).substr(0, 1) != "=") return;
    const std::string_view text = entry.substr(name.size() + 1);
    std::uint64_t number = 0;
    const std::from_chars_result end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end.ec == std::errc() && end.ptr == text.data() + text.size()) value = number;
  });
  return value;
}

/// Is the object there only once something is opened? Of a library on its own all of it is.
bool is_opened(const Scene& scene, ObjectIndex object) {
  const LoadedObject& loaded = scene.map.objects[object];
  if (scene.map.subject() != 0) return scene.map.opening_of(object) != 0 && loaded.role == ObjectRole::Library;
  const bool is_file = loaded.role == ObjectRole::Library ||
                       (loaded.role == ObjectRole::Main && !scene.map.main_path.empty());
  return scene.process.start != Start::Kernel && is_file;
}

}  // namespace

std::uint64_t static_tls_bytes(const ElfObject& elf) {
  if ((elf.flags & DF_STATIC_TLS) == 0 || (elf.soname && elf.soname->starts_with("libc.so."))) return 0;
  const auto tls = std::find_if(elf.segments.begin(), elf.segments.end(),
                                [](const Segment& segment) { return segment.type == PT_TLS; });
  return tls == elf.segments.end() ? 0 : tls->memory_bytes;
}

std::uint64_t static_tls_surplus_bytes(const Process& process) {
  const std::uint64_t namespaces = std::clamp<std::uint64_t>(tunable(process, "glibc.rtld.nns", 4), 1, 16);
  const std::uint64_t optional = tunable(process, "glibc.rtld.optional_static_tls", 512);
  constexpr std::uint64_t kLibc = 192;   // LIBC_IE_TLS
  constexpr std::uint64_t kOthers = 144; // OTHER_IE_TLS
  return kLibc * (namespaces - 1) + kOthers * namespaces + optional;
}

std::vector<Finding> find_static_tls(const Scene& scene) {
  const std::uint64_t surplus = static_tls_surplus_bytes(scene.process);
  std::uint64_t wanted = 0;
  std::vector<std::string> proof;
  ObjectIndex first = kNoObject;
  for (ObjectIndex i = 0; i < scene.map.objects.size(); ++i) {
    const LoadedObject& object = scene.map.objects[i];
    const std::uint64_t bytes = is_opened(scene, i) ? static_tls_bytes(object.elf) : 0;
    if (bytes == 0) continue;
    wanted = wanted > ~std::uint64_t{0} - bytes ? ~std::uint64_t{0} : wanted + bytes;
    if (first == kNoObject) first = i;
    proof.push_back(std::string(object.name()) + ": " + std::to_string(bytes) + " bytes");
  }
  // Others in the process take of it, too: half of it is little enough to worry.
  if (wanted <= surplus / 2) return {};
  Finding finding = make_finding(
      FindingKind::StaticTls, std::string(scene.map.objects[first].name()),
      "what is opened wants " + std::to_string(wanted) + " bytes of static TLS, and the loader keeps " +
          std::to_string(surplus) + " for all of a process: dlopen " +
          (wanted > surplus ? "fails" : "may fail") + " with \"cannot allocate memory in static TLS block\"");
  finding.object = first;
  finding.proof = std::move(proof);
  if (!scene.is_of_interest(finding.name)) return {};
  return {std::move(finding)};
}

}  // namespace soresolve
