// Source: glibc elf/dl-tls.c:_dl_tls_static_surplus_init, elf/dl-reloc.c:_dl_try_allocate_static_tls,
// sysdeps/*/dl-tls.h. Up to 2.30 the surplus is 1664 bytes; since then it follows from two tunables,
// whose defaults come to the same.
#include "diagnose/static_tls.h"

#include <elf.h>

#include <algorithm>
#include <string>

#include "diagnose/verdict.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/tunables.h"
#include "symbols/static_tls_area.h"

namespace soresolve {
namespace {

/// Is the object there only once something is opened? Of a library on its own all of it is.
bool is_opened(const LinkMap& map, ObjectIndex object) {
  const LoadedObject& loaded = map.objects[object];
  if (map.subject() != 0) return map.dlopen_call_of(object) != 0 && loaded.role == ObjectRole::Library;
  const bool is_file =
      loaded.role == ObjectRole::Library || (loaded.role == ObjectRole::Main && !map.main_path.empty());
  return map.process->start != Start::Kernel && is_file;
}

}  // namespace

std::uint64_t static_tls_bytes(const ElfObject& elf) {
  if ((elf.flags & DF_STATIC_TLS) == 0 || (elf.soname && elf.soname->starts_with("libc.so."))) return 0;
  const auto tls = std::find_if(elf.segments.begin(), elf.segments.end(),
                                [](const Segment& segment) { return segment.type == PT_TLS; });
  return tls == elf.segments.end() ? 0 : tls->memory_bytes;
}

/// Of all that is opened.
static StaticTlsNeed static_tls_need(const LinkMap& map) {
  StaticTlsNeed need{0, static_tls_surplus_bytes(map.system->rules, *map.process)};
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const std::uint64_t bytes = is_opened(map, i) ? static_tls_bytes(map.objects[i].elf) : 0;
    need.wanted_bytes = need.wanted_bytes > ~std::uint64_t{0} - bytes ? ~std::uint64_t{0} : need.wanted_bytes + bytes;
  }
  return need;
}

std::optional<StaticTlsNeed> static_tls_beyond_surplus(const LinkMap& map) {
  if (map.system->rules.libc != Libc::Glibc) return std::nullopt;
  const StaticTlsNeed need = static_tls_need(map);
  return need.wanted_bytes > need.kept_bytes ? std::optional(need) : std::nullopt;
}

static ObjectIndex first_with_exec_stack(const LinkMap& map) {
  ObjectIndex i = 0;
  while (i < map.objects.size() && !(is_opened(map, i) && map.objects[i].elf.wants_exec_stack())) ++i;
  return i == map.objects.size() ? kNoObject : i;
}

ObjectIndex refused_for_stack(const LinkMap& map) {
  if (!has_unknown_process(map) || !map.system->rules.refuses_exec_stack) return kNoObject;
  return exec_stack_mode(map.system->rules, *map.process) == 2 ? kNoObject : first_with_exec_stack(map);
}

bool is_refused_for_stack(const Problem& problem) {
  return problem.code == ProblemCode::ExecStack || problem.what.sentence == "exec-stack-refused";
}

std::vector<Problem> find_exec_stack(const DiagnosisInput& input) {
  const LinkMap& map = input.map;
  if (!has_unknown_process(map) || map.system->rules.libc != Libc::Glibc) return {};
  const ObjectIndex refused = refused_for_stack(map);
  const ObjectIndex object = refused == kNoObject ? first_with_exec_stack(map) : refused;
  if (object == kNoObject || (refused == kNoObject && map.system->rules.refuses_exec_stack)) return {};
  const std::string name(map.objects[object].name());
  Problem problem =
      make_problem(map, ProblemCode::Note, name,
                   say(refused == kNoObject ? "exec-stack-later" : "exec-stack-refused", {{"object", name}}));
  problem.object = object;
  if (!input.is_of_interest(problem.name)) return {};
  return {std::move(problem)};
}

std::vector<Problem> find_static_tls(const DiagnosisInput& input) {
  const auto [wanted, surplus] = static_tls_need(input.map);
  std::vector<Evidence> evidence;
  ObjectIndex first = kNoObject;
  for (ObjectIndex i = 0; i < input.map.objects.size(); ++i) {
    const LoadedObject& object = input.map.objects[i];
    const std::uint64_t bytes = is_opened(input.map, i) ? static_tls_bytes(object.elf) : 0;
    if (bytes == 0) continue;
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
