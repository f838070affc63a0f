// Source: glibc elf/dl-tls.c:_dl_tls_static_surplus_init, elf/dl-reloc.c:_dl_try_allocate_static_tls,
// sysdeps/*/dl-tls.h. Up to 2.30 the surplus is 1664 bytes; since then it follows from two tunables,
// whose defaults come to the same.
#include "diagnose/static_tls.h"

#include <elf.h>

#include <algorithm>
#include <string>

#include "loader/process.h"
#include "loader/system.h"
#include "symbols/static_tls_area.h"

namespace soresolve {
namespace {

/// Is the object there only once something is opened? Of a library on its own all of it is.
bool is_opened(const DiagnosisInput& input, ObjectIndex object) {
  const LoadedObject& loaded = input.map.objects[object];
  if (input.map.subject() != 0) return input.map.dlopen_call_of(object) != 0 && loaded.role == ObjectRole::Library;
  const bool is_file =
      loaded.role == ObjectRole::Library || (loaded.role == ObjectRole::Main && !input.map.main_path.empty());
  return input.map.process->start != Start::Kernel && is_file;
}

}  // namespace

std::uint64_t static_tls_bytes(const ElfObject& elf) {
  if ((elf.flags & DF_STATIC_TLS) == 0 || (elf.soname && elf.soname->starts_with("libc.so."))) return 0;
  const auto tls = std::find_if(elf.segments.begin(), elf.segments.end(),
                                [](const Segment& segment) { return segment.type == PT_TLS; });
  return tls == elf.segments.end() ? 0 : tls->memory_bytes;
}

std::vector<Problem> find_static_tls(const DiagnosisInput& input) {
  const std::uint64_t surplus = static_tls_surplus_bytes(input.map.system->rules, *input.map.process);
  std::uint64_t wanted = 0;
  std::vector<Evidence> evidence;
  ObjectIndex first = kNoObject;
  for (ObjectIndex i = 0; i < input.map.objects.size(); ++i) {
    const LoadedObject& object = input.map.objects[i];
    const std::uint64_t bytes = is_opened(input, i) ? static_tls_bytes(object.elf) : 0;
    if (bytes == 0) continue;
    wanted = wanted > ~std::uint64_t{0} - bytes ? ~std::uint64_t{0} : wanted + bytes;
    if (first == kNoObject) first = i;
    evidence.push_back(
        {.what = say("object-bytes", {{"object", object.name()}, {"count", bytes}}), .path = file_of(input.map, i)});
  }
  // Others in the process take of it, too: half of it is little enough to worry.
  if (wanted <= surplus / 2) return {};
  Problem problem = make_problem(
      input.map, ProblemCode::StaticTls, std::string(input.map.objects[first].name()),
      say(wanted > surplus ? "static-tls-fails" : "static-tls-may-fail", {{"wanted", wanted}, {"kept", surplus}}));
  problem.object = first;
  problem.evidence = std::move(evidence);
  if (!input.is_of_interest(problem.name)) return {};
  return {std::move(problem)};
}

}  // namespace soresolve
