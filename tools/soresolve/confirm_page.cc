// The page of a confirmation: verdict, resolved libraries, one line for each step, messages of the libraries on
// failure. Its data is the probe's answer as the probe made it (tools/confirm/answer.cc), with the plan.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/json_members.h"
#include "base/printable.h"
#include "confirm_report.h"
#include "report/json_parts.h"
#include "report/page.h"
#include "report/statement_json.h"
#include "report/tones.h"
#include "soresolve/catalogue.h"

namespace soresolve::tool {
namespace {

/// Columns of a step's line, from its indent.
constexpr std::size_t kIndent = 2;
constexpr std::size_t kStatus = 20;
constexpr std::size_t kTime = kStatus + 13;
constexpr std::size_t kReported = kTime + 12;

/// In the catalogue's words; else in the English ones that the answer has under one of these names.
Words reported(const Json& object, const char* text_name) {
  const auto says = object.find("says");
  std::optional<std::vector<Statement>> statements;
  if (says != object.end()) statements = read_statements(*says);
  if (!statements || statements->empty()) return Words::foreign(text_of(member(object, text_name)));
  Words words;
  for (Statement& statement : *statements) words += std::move(statement);
  return words;
}

Tone tone_of(std::string_view status) {
  if (status == "passed" || status == "confirmed") return Tone::Good;
  return status == "failed" ? Tone::Bad : Tone::Warn;
}

Words milliseconds(const Json& step) {
  const auto found = step.find("ms");
  if (found == step.end() || !found->is_number()) return {};
  char text[32];
  const double time = found->get<double>();
  std::snprintf(text, sizeof text, "%8.*f ms ", time < 10 ? 2 : 0, time);
  return Words::foreign(text);
}

void add_step(Page& page, const Json& step) {
  const std::string status = text_of(member(step, "status"));
  const Words time = status == "skipped" ? Words() : milliseconds(step);
  const Words word = Words(term_or_words(status == "unavailable" ? "not run" : status)) + Words::stop(kTime);
  const Words head = Words(term_or_words(text_of(member(step, "name")))) + Words::stop(kStatus) +
                     word.in(tone_of(status)) + time + Words::stop(kReported);
  page.add(Prose{reported(step, status == "passed" ? "summary" : "cause"), kIndent + kReported, head, kIndent});
}

/// Each process loads CUDA anew; what went as in the first one is not worth a second line.
bool is_repeated(const Json& step, const Json& first_steps) {
  return std::any_of(first_steps.begin(), first_steps.end(), [&](const Json& first) {
    return text_of(member(first, "name")) == text_of(member(step, "name")) &&
           text_of(member(first, "status")) == text_of(member(step, "status"));
  });
}

void add_libraries(Page& page, const ConfirmPlan& plan) {
  constexpr std::size_t kPath = 10;
  page.line(say("resolved-and-opened"));
  for (const ResolvedLibrary& library : plan.libraries) {
    const bool is_release = library.role == "driver" || library.role == "runtime" || library.role == "nvrtc";
    const Statement how = library.version.empty() ? say("how-alone", {{"how", library.how}})
                          : is_release ? say("how-and-release", {{"how", library.how}, {"version", library.version}})
                                       : say("how-and-version", {{"how", library.how}, {"version", library.version}});
    page.line(Words::foreign(library.role) + Words::stop(kPath) + as_name(Words::foreign(library.path)) + how, kIndent);
  }
}

/// What the libraries printed: worth reading where something went wrong.
Page said_page(const Json& group, Detail detail) {
  Page page;
  const std::string said = text_of(member(group, "said"));
  const auto steps = group.find("steps");
  const bool is_good = steps == group.end() || std::none_of(steps->begin(), steps->end(), [](const Json& step) {
                         return text_of(member(step, "status")) == "failed";
                       });
  if (said.empty() || (is_good && detail == Detail::Folded)) return page;
  page.line(say("printed-by-libraries", {{"group", text_of(member(group, "name"))}}), kIndent);
  std::size_t start = 0;
  while (start < said.size()) {
    const std::size_t end = std::min(said.find('\n', start), said.size());
    page.line(Words::foreign(std::string_view(said).substr(start, end - start)), 2 * kIndent);
    start = end + 1;
  }
  return page;
}

void add_steps(Page& page, const Json& answer, Detail detail) {
  page.line(say("head-steps"));
  const Json groups = answer.value("groups", Json::array());
  Page said;
  for (const Json& group : groups) {
    const bool is_first = &group == &groups.front();
    for (const Json& step : group.value("steps", Json::array())) {
      if (!is_first && detail == Detail::Folded && is_repeated(step, groups.front().value("steps", Json::array())))
        continue;
      add_step(page, step);
    }
    said.append(said_page(group, detail));
  }
  if (said.empty()) return;
  page.blank();
  page.append(std::move(said));
}

Page confirm_page(const std::string& file, const ConfirmPlan& plan, const Json& answer, Detail detail) {
  const Words verdict = reported(answer, "text");
  Page page;
  if (plan.libraries.empty()) {
    page.line(Words::foreign(file) + say("colon") + verdict);
  } else {
    page.line(Words::foreign(file) + say("colon") + verdict.in(tone_of(text_of(member(answer, "verdict")))));
    page.blank();
    add_libraries(page, plan);
    page.blank();
    add_steps(page, answer, detail);
  }
  for (const Statement& note : plan.notes) page.line(say("note-text", {{"text", note}}));
  return page;
}

Json confirm_data(const std::string& file, const ConfirmPlan& plan, const Json& answer) {
  Json libraries = Json::array();
  for (const ResolvedLibrary& library : plan.libraries) {
    libraries.push_back({{"role", library.role},
                         {"path", library.path},
                         {"how", sentence(library.how, Language::English)},
                         {"version", library.version.empty() ? Json(nullptr) : Json(library.version)}});
  }
  Json notes = Json::array();
  for (const Statement& note : plan.notes) notes.push_back(sentence(note, Language::English));
  return {{"schema", "soresolve/1"},   {"command", "confirm"}, {"file", file},    {"libraries", std::move(libraries)},
          {"notes", std::move(notes)}, {"plan", plan.plan},    {"answer", answer}};
}

/// How long the kernels took, if they ran.
Statement kernel_time(const Json& answer) {
  for (const Json& group : answer.value("groups", Json::array())) {
    for (const Json& step : group.value("steps", Json::array())) {
      if (text_of(member(step, "name")) != "kernel" || text_of(member(step, "status")) != "passed") continue;
      char text[64];
      std::snprintf(text, sizeof text, "%.1f", step.value("ms", 0.0));
      return say("kernel-time", {{"time", text}});
    }
  }
  return {};
}

}  // namespace

Document confirm_document(const std::string& file, const ConfirmPlan& plan, const Json& answer, Detail detail) {
  return {[&file, &plan, &answer, detail] { return confirm_page(file, plan, answer, detail); },
          [&file, &plan, &answer](const WritePart& write) { write(dump(confirm_data(file, plan, answer))); }};
}

Document confirm_document(const ImportConfirmation& import, const ConfirmPlan& plan, const Json& answer,
                          Detail detail) {
  const auto make_page = [&import, &plan, &answer, detail] {
    Page page = import_page(import, detail);
    if (!answer.is_null()) {
      page.blank();
      page.append(confirm_page(import.predicted.module, plan, answer, detail));
    } else {
      for (const Statement& note : plan.notes) page.line(say("note-text", {{"text", note}}));
    }
    return page;
  };
  return {make_page, [&import, &plan, &answer](const WritePart& write) {
            Json data = confirm_data(import.predicted.module, plan, answer);
            data["import"] = import_data(import);
            write(dump(data));
          }};
}

Page runtime_answer_page(const Json& answer) {
  Page page;
  page.line(reported(answer, "text"), kIndent);
  const Statement time = kernel_time(answer);
  if (!time.empty()) page.line(time, kIndent);
  return page;
}

Json nothing_to_confirm(const Statement& why) {
  return {{"schema", "soresolve-confirm/1"},
          {"verdict", "not confirmed"},
          {"text", sentence(why, Language::English)},
          {"says", statements_json({why})},
          {"groups", Json::array()}};
}

}  // namespace soresolve::tool
