// Names and lines that several reports print alike: display names of objects, proof lines, the step by which a file was
// found. Colours are in the header.
#include "report/paint.h"

#include "report/names.h"
#include "report/wrapped.h"
#include "soresolve/catalogue.h"

namespace soresolve {
std::string said(const Statement& statement, Language language) { return printable(sentence(statement, language)); }
Text said_text(const Statement& statement, Language language) { return Text::escaped(sentence(statement, language)); }

std::string display_name(const LinkMap& map, ObjectIndex object, Language language) {
  return said(name_of_object(map, object), language);
}

std::string proof_line(std::string_view head, std::string_view content) {
  constexpr std::size_t kColumn = 14;
  return padded("  " + std::string(head), kColumn) + std::string(content) + "\n";
}

std::string describe_step(const LinkMap& map, SearchStep step, ObjectIndex owner, Language language) {
  return said(step_words(map, step, owner), language);
}

}  // namespace soresolve
