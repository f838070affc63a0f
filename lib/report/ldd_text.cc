// The list that tracing prints (glibc elf/rtld.c:dl_main, rtld_mode_trace).
#include "soresolve/report.h"

namespace soresolve {

std::string ldd_text(const LinkMap& map) {
  std::string text;
  const bool is_dlopen = !map.main().elf.has_dynamic || !map.openings.empty();
  const std::vector<bool> belongs = map.subject_objects();
  if (!is_dlopen && !map.main().elf.has_needed()) return "\tstatically linked\n";
  for (const ObjectIndex index : map.list_order) {
    const LoadedObject& object = map.objects[index];
    if (index == 0 || object.role == ObjectRole::Vdso || !belongs[index]) continue;
    if (!map.openings.empty() && index == map.subject_root()) continue;
    text += '\t';
    text += object.requested_name;
    if (object.role == ObjectRole::Placeholder) {
      text += " => not found";
    } else if (object.requested_name != object.path) {
      text += " => ";
      text += object.path;
    }
    text += '\n';
  }
  return text;
}

}  // namespace soresolve
