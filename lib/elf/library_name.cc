// Cuts off ".so" with all that follows, and the eight hexadecimal digits that auditwheel adds (libz-eb09ad1d.so.1:
// auditwheel repair.py). Other additions to a name stay.
#include "elf/library_name.h"

#include <elf.h>

#include "base/path.h"

namespace soresolve {

std::string_view library_stem(std::string_view name) {
  constexpr std::size_t kHashDigits = 8;
  name = file_name_of(name);
  name = name.substr(0, name.find(".so"));
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || name.size() - dash - 1 != kHashDigits) return name;
  const bool is_hash = name.find_first_not_of("0123456789abcdef", dash + 1) == std::string_view::npos;
  return is_hash ? name.substr(0, dash) : name;
}

std::string_view without_time_mark(std::string_view name) {
  constexpr std::string_view kMark = "t64";
  if (name.find(".so.") != std::string_view::npos && name.ends_with(kMark)) name.remove_suffix(kMark.size());
  return name;
}

std::string_view library_family(std::string_view name) {
  const std::string_view stem = library_stem(name);
  const bool is_library = stem.starts_with("lib") && name.find(".so") != std::string_view::npos;
  return is_library ? stem : std::string_view();
}

bool is_for_dlopen(const ElfObject& object, std::string_view path) {
  if (object.is_library()) return true;
  const bool is_called_so = file_name_of(path).find(".so") != std::string_view::npos;
  return is_called_so && object.type == ET_DYN && !object.is_pie();
}

}  // namespace soresolve
