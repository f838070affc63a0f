// An import of Python for people: how many libraries it opens, and with details each of them with the source that does
// it. The same as data.
#include <algorithm>

#include "report/json_parts.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

std::string source_of(const ImportStep& step) {
  if (!step.by_package.empty()) return step.by_package;
  return step.by_line == 0 ? step.by_file : step.by_file + ":" + std::to_string(step.by_line);
}

constexpr std::string_view name_of(StepEvidence evidence) {
  switch (evidence) {
    case StepEvidence::Likely: return "likely";
    case StepEvidence::Guess: return "guess";
    case StepEvidence::Possible: break;
  }
  return "possible";
}

bool is_possible(const ImportStep& step) { return step.evidence == StepEvidence::Possible; }

/// Of a failure that the import survives.
bool is_caught(const PythonImport& import, const ImportStep& step) {
  return !step.failure.empty() && !is_possible(step) && (&step != &import.steps.back() || import.exception.empty());
}

std::uint64_t count_of(const PythonImport& import, bool (*is_counted)(const ImportStep&)) {
  return static_cast<std::uint64_t>(std::count_if(import.steps.begin(), import.steps.end(), is_counted));
}

/// How many native files of the package the import leaves alone, and how many of those fail.
Statement on_demand_words(const PythonImport& import) {
  if (import.on_demand.empty()) return {};
  const auto failing = static_cast<std::uint64_t>(
      std::count_if(import.on_demand.begin(), import.on_demand.end(),
                    [](const OnDemandFile& file) { return !file.failure.empty() && !file.module.empty(); }));
  if (failing == 0) return say("import-on-demand", {{"count", import.on_demand.size()}});
  return say("import-on-demand-fails", {{"count", import.on_demand.size()}, {"failing", failing}});
}

}  // namespace

Page import_page(const PythonImport& import, Detail detail) {
  Page page;
  const std::uint64_t caught = static_cast<std::uint64_t>(std::count_if(
      import.steps.begin(), import.steps.end(), [&](const ImportStep& step) { return is_caught(import, step); }));
  const std::uint64_t perhaps =
      count_of(import, [](const ImportStep& step) { return is_possible(step) && step.failure.empty(); });
  if (import.is_text_unknown) {
    page.entry(say("head-raises"), say("import-text-unknown", {{"source", import.raised_by}}));
  } else if (!import.raised_by.empty()) {
    page.entry(say("head-raises"), say("import-raised-by", {{"source", import.raised_by}}));
  }
  page.entry(say("head-import"),
             say("import-of", {{"module", import.module},
                               {"interpreter", import.interpreter},
                               {"minor", static_cast<std::uint64_t>(import.minor_number)},
                               {"count", count_of(import, [](const ImportStep& step) { return !is_possible(step); })},
                               {"perhaps", perhaps == 0 ? Statement{} : say("import-perhaps", {{"count", perhaps}})},
                               {"caught", caught == 0 ? Statement{} : say("import-caught", {{"count", caught}})},
                               {"later", on_demand_words(import)}}));
  for (const Statement& limit : import.limits) page.more(limit);
  constexpr std::size_t kMostShown = 3;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < import.doubts.size(); ++i) {
    if (detail == Detail::Folded && (!import.doubts[i].is_grave || ++shown > kMostShown)) continue;
    page.more(say("import-doubt", {{"place", import.doubts[i].place}, {"what", import.doubts[i].what}}));
  }
  if (detail == Detail::Folded) return page;
  for (const ImportStep& step : import.steps) {
    if (is_possible(step) && !step.failure.empty()) continue;
    page.more(
        is_caught(import, step)
            ? say("import-step-fails", {{"file", step.file}, {"source", source_of(step)}, {"reason", step.failure}})
            : say(is_possible(step)                      ? "import-step-possible"
                  : step.evidence == StepEvidence::Guess ? "import-step-guess"
                                                         : "import-step",
                  {{"file", step.file}, {"source", source_of(step)}}));
  }
  return page;
}

Statement doubt_words(const PythonImport* import) {
  const ImportDoubt* const doubt = import == nullptr ? nullptr : import->grave_doubt();
  if (doubt == nullptr) return {};
  // As it is called in its package.
  std::string_view place = doubt->place;
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = place.rfind(folder);
    if (at != std::string_view::npos) place.remove_prefix(at + folder.size());
  }
  return say("but-sources-leave-open", {{"place", place}});
}

Words try_on_demand(const PythonImport* import) {
  if (import == nullptr) return {};
  const OnDemandFile* failing = nullptr;
  for (const OnDemandFile& file : import->on_demand) {
    if (file.failure.empty() || file.module.empty()) continue;
    if (failing == nullptr || (failing->is_spare && !file.is_spare)) failing = &file;
  }
  if (failing == nullptr) return {};
  return Words(say("try")) + Words::command("soresolve why --import " + shell_word(failing->module) + " --python " +
                                            shell_path(import->interpreter));
}

Json import_json(const PythonImport& import) {
  Json steps = array_of(import.steps, [&](const ImportStep& step) -> Json {
    return {{"module", text_or_null(step.module)}, {"file", step.file},
            {"scope", name_of(step.mode.scope)},   {"source", source_of(step)},
            {"evidence", name_of(step.evidence)},  {"failure", text_or_null(step.failure)}};
  });
  Json json = {{"module", import.module},
               {"interpreter", import.interpreter},
               {"python", "3." + std::to_string(import.minor_number)},
               {"path", import.path},
               {"exception", text_or_null(import.exception)},
               {"exception_text_known", !import.is_text_unknown},
               {"ends_process", import.ends_process},
               {"wheel", text_or_null(import.wheel)},
               {"raised_by", text_or_null(import.raised_by)},
               {"steps", std::move(steps)},
               {"sources", import.source_count},
               {"limits", array_of(import.limits, [&](const Statement& limit) { return text_or_null(limit); })},
               {"doubts", array_of(import.doubts, [](const ImportDoubt& doubt) -> Json {
                  return {{"place", doubt.place}, {"what", text_or_null(doubt.what)}, {"grave", doubt.is_grave}};
                })}};
  if (!import.other_python.empty()) json["other_python"] = import.other_python;
  return json;
}

}  // namespace soresolve
