// Sources: glibc elf/dl-load.c:_dl_map_object_from_fd and elf/dl-execstack.c (since 2.41 a dlopen no
// longer makes the stack executable).
#include "diagnose/static_tls.h"
#include "loader/load.h"

namespace soresolve {
namespace {

Statement stack_note(const LinkMap& map, const std::string& name, StackRequest request) {
  const Statement sign = request == StackRequest::ByHeader ? words_of_others("PT_GNU_STACK") : say("has-no-gnu-stack");
  const Statement end = ends_program(map)                       ? say("exec-stack-given")
                        : !map.system->rules.refuses_exec_stack ? say("exec-stack-by-dlopen")
                                                                : say("exec-stack-not-given");
  return say("asks-exec-stack", {{"object", name}, {"sign", say("in-brackets", {{"text", sign}})}, {"end", end}});
}

}  // namespace

std::vector<Statement> stack_and_tls_notes(const LinkMap& map) {
  std::vector<Statement> notes;
  const bool is_library = !ends_program(map);
  const auto [first, end] = map.loaded_by(map.subject());
  for (ObjectIndex index = first; index < end; ++index) {
    const LoadedObject& object = map.objects[index];
    const bool is_main = object.role == ObjectRole::Main && !map.main_path.empty();
    if (object.role != ObjectRole::Library && !is_main) continue;
    const std::string name(index == 0 ? std::string_view(map.process->argv0) : object.path);
    if (const StackRequest request = object.elf.stack_request(); request != StackRequest::None) {
      notes.push_back(stack_note(map, name, request));
    }
    if (is_library && static_tls_bytes(object.elf) != 0) {
      notes.push_back(say("wants-static-tls", {{"object", name}}));
    }
  }
  return notes;
}

}  // namespace soresolve
