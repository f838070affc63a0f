// The page of an import that was made, beside what was predicted of it.
#include "confirm_import.h"
#include "report/json_parts.h"
#include "report/tones.h"
#include "soresolve/catalogue.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kImportIndent = 2;

void add_files(Page& page, const char* heading, const std::vector<std::string>& files) {
  if (files.empty()) return;
  page.blank();
  page.line(say(heading), kImportIndent);
  for (const std::string& file : files) page.line(as_name(Words::foreign(file)), 2 * kImportIndent);
}

Words predicted_end(const ImportConfirmation& import) {
  if (!import.start_failure.empty()) return say("import-start-fails", {{"message", import.start_failure}});
  if (import.predicted.exception.empty()) return say("import-passes");
  return Words::foreign(import.predicted.exception);
}

Words real_end(const RealImport& real) {
  if (!real.has_ended) return Words(real.end) + real.last_words;
  return real.exception.empty() ? Words(say("import-passes")) : Words::foreign(real.exception);
}

Words verdict(const ImportConfirmation& import) {
  if (!import.agrees()) return Words(say("import-unlike-predicted")).in(Tone::Bad);
  if (!import.start_failure.empty())
    return Words(say("import-as-predicted-no-start", {{"message", import.start_failure}})).in(Tone::Warn);
  if (import.predicted.ends_process)
    return Words(say("import-as-predicted-ends", {{"end", import.real.end}})).in(Tone::Warn);
  if (!import.real.exception.empty())
    return Words(say("import-as-predicted-fails", {{"exception", import.real.exception}})).in(Tone::Warn);
  return Words(say("import-as-predicted", {{"count", import.real.files.size()}})).in(Tone::Good);
}

}  // namespace

Page import_page(const ImportConfirmation& import, Detail detail) {
  Page page;
  page.line(Words::foreign("import " + import.predicted.module) + say("colon") + verdict(import));
  if (!import.agrees_on_end) {
    page.entry(say("import-was-predicted"), predicted_end(import));
    page.entry(say("import-ends-really"), real_end(import.real));
  }
  if (!import.real.why_no_list.empty())
    page.line(say("import-no-list", {{"why", import.real.why_no_list}}), kImportIndent);
  add_files(page, "head-unpredicted", import.unpredicted);
  add_files(page, "head-not-loaded", import.not_loaded);
  for (const OtherPath& other : import.other_paths) {
    page.line(say("import-other-path", {{"predicted", other.predicted}, {"real", other.real}}), kImportIndent);
  }
  if (!import.out_of_order.empty())
    page.line(say("import-out-of-order", {{"path", import.out_of_order}}), kImportIndent);
  if (detail == Detail::Full) add_files(page, "import-loaded", import.real.files);
  if (detail == Detail::Full || !import.agrees()) add_files(page, "head-undecided", import.undecided);
  return page;
}

nlohmann::ordered_json import_data(const ImportConfirmation& import) {
  const RealImport& real = import.real;
  return {{"module", import.predicted.module},
          {"interpreter", import.predicted.interpreter},
          {"agrees", import.agrees()},
          {"predicted",
           {{"exception", text_or_null(import.predicted.exception)},
            {"start_failure", text_or_null(import.start_failure)},
            {"files", import.predicted_files}}},
          {"real",
           {{"ended", real.has_ended},
            {"exception", text_or_null(real.exception)},
            {"end", text_or_null(real.end)},
            {"why_no_list", text_or_null(real.why_no_list)},
            {"files", real.files}}},
          {"unpredicted", import.unpredicted},
          {"not_loaded", import.not_loaded},
          {"undecided", import.undecided},
          {"other_paths", array_of(import.other_paths,
                                   [](const OtherPath& other) {
                                     return Json{{"predicted", other.predicted}, {"real", other.real}};
                                   })},
          {"out_of_order", text_or_null(import.out_of_order)}};
}

}  // namespace soresolve::tool
