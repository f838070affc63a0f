// Names and lines that several reports print alike: display names of objects, proof lines, the step by which a file was
// found. Colours are in the header.
#include "report/paint.h"

namespace soresolve {

std::string display_name(const LinkMap& map, ObjectIndex object) {
  if (object == kNoObject) return "the program";
  return printable(map.objects[object].name());
}

std::string proof_line(std::string_view head, std::string_view content) {
  constexpr std::size_t kColumn = 14;
  std::string text = "  " + std::string(head);
  text.resize(kColumn, ' ');
  return text + std::string(content) + "\n";
}

std::string describe_step(const LinkMap& map, SearchStep step, ObjectIndex owner) {
  std::string text(name_of(step));
  if (owner != kNoObject) text += " of " + display_name(map, owner);
  return text;
}

}  // namespace soresolve
