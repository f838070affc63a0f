// Sources: glibc elf/dl-load.c:_dl_map_object_from_fd and elf/dl-execstack.c (since 2.41 a dlopen no
// longer makes the stack executable).
#include "report/stack_and_tls.h"

#include <elf.h>

#include <algorithm>

#include "diagnose/static_tls.h"
#include "report/paint.h"

namespace soresolve {
namespace {

/// Does the stack become executable where PT_GNU_STACK is missing? (DEFAULT_STACK_PERMS)
bool has_executable_default(std::uint16_t machine) {
  constexpr std::uint16_t kMachines[] = {EM_X86_64, EM_386, EM_ARM, EM_MIPS, EM_S390, EM_PPC, EM_SPARC,
                                         EM_SPARCV9, EM_PARISC, EM_68K, EM_SH};
  return std::find(std::begin(kMachines), std::end(kMachines), machine) != std::end(kMachines);
}

enum class StackWish { None, Said, Silent };

StackWish stack_wish(const ElfObject& elf) {
  for (const Segment& segment : elf.segments) {
    if (segment.type != PT_GNU_STACK) continue;
    return (segment.flags & PF_X) != 0 ? StackWish::Said : StackWish::None;
  }
  return has_executable_default(elf.target.machine) ? StackWish::Silent : StackWish::None;
}

std::string stack_note(const CheckReport& report, const std::string& name, StackWish wish) {
  std::string text = name + " asks for an executable stack" +
                     (wish == StackWish::Said ? " (PT_GNU_STACK)" : " (it has no PT_GNU_STACK)");
  constexpr GlibcVersion kRefuses{2, 41};
  if (ends_program(report.process, report.map)) return text + ": the process gets one";
  if (report.system.rules.version < kRefuses) {
    return text + ": dlopen gives it one; from glibc 2.41 on it refuses";
  }
  return text + ": since glibc 2.41 dlopen refuses it with \"cannot enable executable stack as shared "
                "object requires\"";
}

}  // namespace

std::vector<std::string> stack_and_tls_notes(const CheckReport& report) {
  std::vector<std::string> notes;
  const bool is_library = !ends_program(report.process, report.map);
  const auto [first, end] = report.map.loaded_by(report.map.subject());
  for (ObjectIndex index = first; index < end; ++index) {
    const LoadedObject& object = report.map.objects[index];
    const bool is_main = object.role == ObjectRole::Main && !report.map.main_path.empty();
    if (object.role != ObjectRole::Library && !is_main) continue;
    const std::string name =
        printable(index == 0 ? std::string_view(report.process.argv0) : object.path);
    if (const StackWish wish = stack_wish(object.elf); wish != StackWish::None) {
      notes.push_back(stack_note(report, name, wish));
    }
    if (is_library && static_tls_bytes(object.elf) != 0) {
      notes.push_back(name + " wants static TLS (DF_STATIC_TLS): a dlopen fails with \"cannot allocate memory "
                             "in static TLS block\" once the spare room is used up");
    }
  }
  return notes;
}

}  // namespace soresolve
