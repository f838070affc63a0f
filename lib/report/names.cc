// Names of objects and of the steps by which they were found, the same on every page.
#include "report/names.h"

#include <array>

#include "base/pieces.h"
#include "report/page.h"

namespace soresolve {

Statement name_of_object(const LinkMap& map, ObjectIndex object) {
  return object == kNoObject ? say("the-program") : words_of_others(map.objects[object].name());
}

Statement step_words(const LinkMap& map, SearchStep step, ObjectIndex owner) {
  const Statement where = term(name_of(step));
  return owner == kNoObject ? where : say("step-of", {{"step", where}, {"object", name_of_object(map, owner)}});
}

void add_loaders_lines(Page& page, std::string_view text) {
  for (const std::string_view line : lines_in(text)) page.line(Words::loaders_line(line));
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  std::uint64_t tenths = bytes * 10;
  for (; tenths >= 10240 && unit + 1 < kUnits.size(); ++unit) tenths /= 1024;
  const std::string whole = std::to_string(tenths / 10);
  return (unit == 0 ? whole : whole + "." + std::to_string(tenths % 10)) + " " + kUnits[unit];
}

}  // namespace soresolve
