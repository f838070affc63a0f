// Names and lines that several reports print alike: display names of objects, proof lines, the step by which a file was
// found. Colours are in the header.
#include "report/paint.h"

#include "report/wrapped.h"
#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

Statement name_words(const LinkMap& map, ObjectIndex object) {
  return object == kNoObject ? say("the-program") : words_of_others(map.objects[object].name());
}

}  // namespace

std::string said(const Statement& statement, Language language) { return printable(sentence(statement, language)); }
Text said_text(const Statement& statement, Language language) { return Text::escaped(sentence(statement, language)); }

std::string display_name(const LinkMap& map, ObjectIndex object, Language language) {
  return said(name_words(map, object), language);
}

std::string proof_line(std::string_view head, std::string_view content) {
  constexpr std::size_t kColumn = 14;
  return padded("  " + std::string(head), kColumn) + std::string(content) + "\n";
}

Statement step_words(const LinkMap& map, SearchStep step, ObjectIndex owner) {
  const Statement where = term(name_of(step));
  return owner == kNoObject ? where : say("step-of", {{"step", where}, {"object", name_words(map, owner)}});
}

std::string describe_step(const LinkMap& map, SearchStep step, ObjectIndex owner, Language language) {
  return said(step_words(map, step, owner), language);
}

}  // namespace soresolve
