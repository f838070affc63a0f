// soresolve.h, documents: an answer whole, as the command prints it, with the fixes that were tried, what is opened
// later and what CUDA asks for. A document is rendered when it is made, so that it stands on its own.
#include "soresolve/document.h"
#include "capi/handles.h"
#include "soresolve/remedies.h"
#include "soresolve/report.h"

struct soresolve_document {
  bool is_good = false;
  std::string json;
  std::string text;
  std::string page;  ///< empty unless asked for
};

namespace soresolve::c {
namespace {

void render(soresolve_document& into, const Document& document, std::string title, int forms) {
  if ((forms & SORESOLVE_WITH_JSON) != 0) into.json = to_json(document);
  if ((forms & SORESOLVE_WITH_TEXT) != 0) into.text = to_text(document);
  if ((forms & SORESOLVE_WITH_HTML) == 0) return;
  write_html(document, {std::move(title)}, [&](std::string_view part) { into.page += part; });
}

std::string title_of(std::string_view question, const char* file) {
  return "soresolve " + std::string(question) + (*file == '\0' ? "" : " ") + file;
}

std::optional<Error> refusal_of(int question) {
  if (question >= SORESOLVE_ASK_TREE && question <= SORESOLVE_ASK_CHECK) return std::nullopt;
  return Error{ErrorCode::Usage, {}, {}, "no such question"};
}

View view_for(int question) {
  using enum View::As;
  return {.as = question == SORESOLVE_ASK_TREE ? Tree : question == SORESOLVE_ASK_CHECK ? Check : Why};
}

/// Errors: what keeps a check from being made.
Result<soresolve_document*> show(int question, const Answer& answer, const char* file, int forms) {
  const View how = view_for(question);
  const Resolution* const run = answer.run();
  auto shown = std::make_unique<soresolve_document>();
  if (run != nullptr && how.as == View::As::Tree) {
    shown->is_good = run->map().first_fatal() == nullptr;
    const TreeReport tree{run->map(), run->file(), run->dlopens(DlopenLevel::Known)};
    render(*shown, document_of(tree), title_of("tree", file), forms);
    return shown.release();
  }
  if (how.as == View::As::Check && answer.unreadable()) return Unexpected{*answer.unreadable()};
  shown->is_good = status_of(answer, how) == AnswerStatus::Good;
  render(*shown, view(answer, how), title_of(how.as == View::As::Check ? "check" : "why", file), forms);
  return shown.release();
}

Result<soresolve_document*> ask(soresolve_world& world, int question, const char* file, int forms) {
  if (std::optional<Error> refused = refusal_of(question)) return Unexpected{std::move(*refused)};
  if (file == nullptr) return Unexpected{Error{ErrorCode::Usage, {}, {}, "no file is named"}};
  const Attempts attempts = question == SORESOLVE_ASK_CHECK ? Attempts::Discard : Attempts::Record;
  const Result<Answer> answer = soresolve::ask(world_of(world), {.file = file, .attempts = attempts});
  if (!answer) return Unexpected{answer.error()};
  return show(question, *answer, file, forms);
}

Result<soresolve_document*> ask_map(const soresolve_map& map, int question, int forms) {
  if (std::optional<Error> refused = refusal_of(question)) return Unexpected{std::move(*refused)};
  return show(question, map.answer, map.asked.c_str(), forms);
}

}  // namespace
}  // namespace soresolve::c

using namespace soresolve;

soresolve_document* soresolve_ask(soresolve_world* world, int question, const char* file, int forms,
                                  soresolve_error** error) {
  return c::answer<soresolve_document>(error, world, [&] { return c::ask(*world, question, file, forms); });
}

soresolve_document* soresolve_map_ask(const soresolve_map* map, int question, int forms, soresolve_error** error) {
  return c::answer<soresolve_document>(error, map, [&] { return c::ask_map(*map, question, forms); });
}

void soresolve_document_free(soresolve_document* document) { delete document; }
int soresolve_document_is_good(const soresolve_document* document) {
  return document != nullptr && document->is_good ? 1 : 0;
}

const char* soresolve_document_get(const soresolve_document* document, int form, size_t* size) {
  const std::string* const text = document == nullptr           ? nullptr
                                  : form == SORESOLVE_WITH_JSON ? &document->json
                                  : form == SORESOLVE_WITH_TEXT ? &document->text
                                  : form == SORESOLVE_WITH_HTML ? &document->page
                                                                : nullptr;
  if (size != nullptr) *size = text == nullptr ? 0 : text->size();
  return text == nullptr || text->empty() ? nullptr : text->c_str();
}
