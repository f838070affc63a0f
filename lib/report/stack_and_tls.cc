// Sources: glibc elf/dl-load.c:_dl_map_object_from_fd and elf/dl-execstack.c (since 2.41 a dlopen no
// longer makes the stack executable).
#include "report/stack_and_tls.h"

#include "diagnose/static_tls.h"
#include "report/paint.h"

namespace soresolve {
namespace {

std::string stack_note(const CheckReport& report, const std::string& name, StackRequest request) {
  std::string text = name + " asks for an executable stack" +
                     (request == StackRequest::ByHeader ? " (PT_GNU_STACK)" : " (it has no PT_GNU_STACK)");
  if (ends_program(report.map)) return text + ": the process gets one";
  if (!report.map.system->rules.refuses_exec_stack) {
    return text + ": dlopen gives it one; from glibc 2.41 on it refuses";
  }
  return text +
         ": since glibc 2.41 dlopen refuses it with \"cannot enable executable stack as shared "
         "object requires\"";
}

}  // namespace

std::vector<std::string> stack_and_tls_notes(const CheckReport& report) {
  std::vector<std::string> notes;
  const bool is_library = !ends_program(report.map);
  const auto [first, end] = report.map.loaded_by(report.map.subject());
  for (ObjectIndex index = first; index < end; ++index) {
    const LoadedObject& object = report.map.objects[index];
    const bool is_main = object.role == ObjectRole::Main && !report.map.main_path.empty();
    if (object.role != ObjectRole::Library && !is_main) continue;
    const std::string name = printable(index == 0 ? std::string_view(report.map.process->argv0) : object.path);
    if (const StackRequest request = object.elf.stack_request(); request != StackRequest::None) {
      notes.push_back(stack_note(report, name, request));
    }
    if (is_library && static_tls_bytes(object.elf) != 0) {
      notes.push_back(name +
                      " wants static TLS (DF_STATIC_TLS): a dlopen fails with \"cannot allocate memory "
                      "in static TLS block\" once the spare room is used up");
    }
  }
  return notes;
}

}  // namespace soresolve
