// The verdict of a check, in each of its forms: the loader's line byte for byte, a line of a list, the first lines of
// the whole page.
//
// Source: what the loader would print (symbols/). Where it says nothing although something is lost, by a requirement
// that is not met or a library that is opened later, the line says that, for the exit status is 1. Not here: the proof
// (check_page.cc).
#include <algorithm>

#include "diagnose/verdict.h"
#include "dlopen/find_dlopens.h"
#include "report/check_parts.h"
#include "report/names.h"
#include "report/pages.h"
#include "report/step_lines.h"
#include "report/tones.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

Statement missing_later(const Dlopen& missing) {
  const std::string& library = missing.shown().name;
  if (missing.source == DlopenSource::Package) {
    return say("fails-on-use", {{"library", library}, {"reason", missing.failure}});
  }
  return missing.is_found
             ? say("fails-later", {{"library", library}, {"opener", missing.opener}, {"reason", missing.failure}})
             : say("lost-later", {{"library", library}, {"opener", missing.opener}});
}

/// What is wrong although the loader says nothing: requirements that are not met, and libraries that are lost later.
Statement unmet(const CheckReport& report) {
  NameList names;
  for (const RequirementVerdict& verdict : report.requirements) {
    if (!verdict.is_met) names.shown.push_back(verdict.requirement.text);
  }
  const Statement list = names.shown.empty() ? Statement{} : say("not-met-list", {{"requirements", names}});
  const Dlopen* const missing = first_missing_dlopen(report.dlopens);
  if (missing == nullptr) return list;
  return list.empty() ? missing_later(*missing)
                      : say("note-and-note", {{"first", list}, {"second", missing_later(*missing)}});
}

/// A native file of the package that was imported; nullptr: all load.
const Dlopen* first_failing_in_package(const Dlopens& dlopens) {
  const auto failing = std::find_if(dlopens.list.begin(), dlopens.list.end(), [](const Dlopen& opened) {
    return opened.source == DlopenSource::Package && !opened.failure.empty() &&
           opened.importance != Importance::Suggested;
  });
  return failing == dlopens.list.end() ? nullptr : &*failing;
}

/// The loader's line, byte for byte; words of ours where the loader dies or waits without any.
Words verdict_words(const CheckReport& report) {
  if (is_import_missing(report) && !report.import->ends_process)
    return Words::loaders_line(shown_exception(*report.import));
  const Startup& startup = report.check.answer();
  const std::string file = report.import != nullptr ? "import " + report.import->module : report.map.process->argv0;
  switch (startup.end) {
    case StartEnd::Runs: return "ok";
    case StartEnd::Crashes: return say("would-crash-line", {{"file", file}, {"reason", startup.death}});
    case StartEnd::Blocks: return say("would-wait-line", {{"file", file}, {"reason", startup.death}});
    case StartEnd::Fails:
    case StartEnd::Versions: break;
  }
  // RTLD_NOLOAD fails without a word of the loader.
  return Words::loaders_line(startup.fatal_line ? startup.lines[*startup.fatal_line] : startup.death);
}

/// Of a library that leaves symbols to its process.
Statement process_verdict(const CheckReport& report) {
  return say("verdict", {{"file", report.file}, {"end", what_it_depends_on(report.map, report.check)}});
}

/// The same for a list, of which each entry is to be one line whatever a name has in it.
Words listed_verdict(const CheckReport& report) {
  if (report.verdict == Verdict::Depends) return process_verdict(report);
  const StartEnd end = report.check.answer().end;
  const bool is_loaders = end == StartEnd::Fails || end == StartEnd::Versions;
  return is_loaders ? Words::foreign(to_text(verdict_words(report))) : verdict_words(report);
}

/// What is lost although the loader says "ok": the line must not begin with that, for the exit status is 1.
Words losses_of(const CheckReport& report) {
  Words words;
  const auto add = [&words](const Statement& text) {
    words += words.empty() ? say("fails-by", {{"text", text}}) : say("fails-by-as-well", {{"text", text}});
  };
  if (const Dlopen* missing = first_missing_dlopen(report.dlopens)) add(missing_later(*missing));
  if (const Problem* failing = first_failing_call(report.cuda)) add(say("loads-but", {{"problem", failing->what}}));
  for (const RequirementVerdict& required : report.requirements) {
    if (required.is_met) continue;
    const Statement refuted = say("is-not-met", {{"requirement", required.requirement.text}, {"seen", required.seen}});
    add(refuted);
  }
  return words;
}

/// The verdict behind the name of the file, for lists of several.
Words named_line(const CheckReport& report) {
  const std::string prefix = (report.import != nullptr     ? "import " + report.import->module
                              : is_left_to_process(report) ? report.file
                                                           : subject_name(report)) +
                             ": ";
  Words verdict = report.check.is_ok() ? losses_of(report) : Words();
  if (verdict.empty()) verdict = listed_verdict(report);
  if (!to_text(verdict).starts_with(prefix)) verdict = Words::foreign(prefix) + std::move(verdict);
  return verdict;
}

/// Below the verdict: what to type, or what leads on.
void add_step(Page& page, const CheckReport& report) {
  const bool has_fix = report.verdict == Verdict::Works && report.step != nullptr && report.step->fix != nullptr;
  if (Words command = try_in_verdict(report); !command.empty() && !has_fix) return page.line(std::move(command));
  if (report.step == nullptr) return;
  for (Block& block : step_lines(*report.step, report.root)) page.add(std::move(block));
}

/// What is not met, or what the loader says.
Page first_lines(const CheckReport& report) {
  Page page;
  const Statement lacks = unmet(report);
  const Problem* const failing = first_failing_call(report.cuda);
  if (is_import_missing(report)) {
    page.line(bad(verdict_words(report)));
    add_step(page, report);
  } else if (is_left_to_process(report)) {
    page.line(warn(process_verdict(report)));
    add_step(page, report);
    page.entry(say("head-loader"), verdict_words(report));
  } else if (report.check.is_ok() && (!lacks.empty() || failing != nullptr)) {
    page.line(bad(lacks.empty() ? say("loads-but", {{"problem", failing->what}}) : lacks));
    add_step(page, report);
    page.entry(say("head-loader"), verdict_words(report));
  } else {
    Words verdict = report.check.is_ok() ? good(verdict_words(report)) : bad(verdict_words(report));
    if (const Dlopen* spare = first_failing_in_package(report.dlopens); spare != nullptr && report.check.is_ok()) {
      verdict += warn(say("but-fails-for", {{"library", spare->shown().name}, {"reason", spare->failure}}));
    }
    if (const Statement open = doubt_words(report.import); !open.empty() && report.check.is_ok()) verdict += warn(open);
    page.line(std::move(verdict));
    add_step(page, report);
  }
  return page;
}

}  // namespace

Words try_in_verdict(const CheckReport& report) {
  if (is_import_missing(report) || is_left_to_process(report)) return {};
  const Problem* const failing = report.check.is_ok() ? first_failing_call(report.cuda) : nullptr;
  if (failing == nullptr || failing->wheels.empty()) return try_on_demand(report.import);
  return Words(say("try")) + Words::command(pip_command(report, failing->wheels));
}

Page check_verdict_page(const CheckReport& report, CheckForm form) {
  Page page;
  switch (form) {
    case CheckForm::Whole: return first_lines(report);
    case CheckForm::Line: page.line(report.check.is_ok() ? named_line(report) : listed_verdict(report)); break;
    case CheckForm::NamedLine:
    case CheckForm::NamedWhole: page.line(named_line(report)); break;
  }
  return page;
}

std::string check_line(const CheckReport& report, Language language) {
  return to_text(verdict_words(report), {.language = language});
}

}  // namespace soresolve
