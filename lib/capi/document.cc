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

using Owners = std::shared_ptr<const PackageOwners>;

void tell_why(soresolve_document& into, const Resolution& run, const Owners& owners, const char* file, int forms) {
  Dlopens dlopens = run.checked_dlopens(DlopenLevel::Known).dlopens;
  if (const auto& unchecked = run.checked_dlopens(DlopenLevel::Known).unchecked) dlopens.damaged.push_back(*unchecked);
  Diagnosis diagnosis = diagnose(run, {}, std::move(dlopens));
  RemedyOptions remedies;
  remedies.owners = owners;
  find_remedies(run, diagnosis, remedies);
  into.is_good = diagnosis.answer != Verdict::Fails;
  render(into, document_of(WhyReport{run.map(), diagnosis, run.file()}), title_of("why", file), forms);
}

void tell_tree(soresolve_document& into, const Resolution& run, const char* file, int forms) {
  into.is_good = run.map().first_fatal() == nullptr;
  render(into, document_of(TreeReport{run.map(), run.file(), run.dlopens(DlopenLevel::Known)}), title_of("tree", file),
         forms);
}

/// Errors: what cannot be read of the objects.
std::optional<Error> tell_check(soresolve_document& into, const Resolution& run, const char* file, int forms) {
  if (!run.check()) return run.check().error();
  const CheckedDlopens& later = run.checked_dlopens(DlopenLevel::Known);
  if (later.unchecked) return *later.unchecked;
  CheckReport report{run.map(), *run.check(), run.file(), later.dlopens};
  report.cuda = find_call_problems(run.map(), *run.check(), report.dlopens);
  into.is_good = verdict_of(report) != Verdict::Fails;
  render(into, document_of(report), title_of("check", file), forms);
  return std::nullopt;
}

std::optional<Error> refusal_of(int question) {
  if (question >= SORESOLVE_ASK_TREE && question <= SORESOLVE_ASK_CHECK) return std::nullopt;
  return Error{ErrorCode::Usage, {}, {}, "no such question"};
}

Result<soresolve_document*> tell(int question, const Resolution& run, const Owners& owners, const char* file,
                                 int forms) {
  auto answer = std::make_unique<soresolve_document>();
  if (question == SORESOLVE_ASK_WHY) tell_why(*answer, run, owners, file, forms);
  if (question == SORESOLVE_ASK_TREE) tell_tree(*answer, run, file, forms);
  if (question == SORESOLVE_ASK_CHECK) {
    if (std::optional<Error> error = tell_check(*answer, run, file, forms)) return Unexpected{std::move(*error)};
  }
  return answer.release();
}

Result<soresolve_document*> ask(soresolve_world& world, int question, const char* file, int forms) {
  using Command = RefusalReport::Command;
  if (std::optional<Error> refused = refusal_of(question)) return Unexpected{std::move(*refused)};
  const Attempts attempts = question == SORESOLVE_ASK_CHECK ? Attempts::Discard : Attempts::Record;
  Result<Resolution> run = resolve(world, file, attempts);
  if (run) return tell(question, *run, world_of(world).owners(), file, forms);
  const std::optional<Diagnosis> refusal = file == nullptr ? std::nullopt : world_of(world).refusal();
  if (!refusal) return Unexpected{std::move(run).error()};
  const Command command = question == SORESOLVE_ASK_TREE    ? Command::Tree
                          : question == SORESOLVE_ASK_CHECK ? Command::Check
                                                            : Command::Why;
  auto answer = std::make_unique<soresolve_document>();
  render(*answer, document_of(RefusalReport{command, *refusal, file}), title_of("why", file), forms);
  return answer.release();
}

Result<soresolve_document*> ask_map(const soresolve_map& map, int question, int forms) {
  if (std::optional<Error> refused = refusal_of(question)) return Unexpected{std::move(*refused)};
  return tell(question, map.run, map.owners, map.asked.c_str(), forms);
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
