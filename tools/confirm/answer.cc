// The verdict of a confirmation from the outcomes of its steps: failed before not confirmed before confirmed. The texts
// are English, and beside each stands what it was made of, for who reads another language; the JSON form is in
// lib/report/schema.json.
#include "answer.h"

#include "report/statement_json.h"
#include "soresolve/catalogue.h"

namespace soresolve::confirm {
namespace {

/// The first step of that status.
const StepAnswer* find_step(const Answer& answer, StepStatus status) {
  for (const GroupAnswer& group : answer.groups) {
    for (const StepAnswer& step : group.steps) {
      if (step.outcome.status == status) return &step;
    }
  }
  return nullptr;
}

const StepAnswer* find_usage(const Answer& answer) {
  for (const GroupAnswer& group : answer.groups) {
    for (const StepAnswer& step : group.steps) {
      if (step.outcome.is_usage) return &step;
    }
  }
  return nullptr;
}

std::size_t count_of(const Answer& answer, StepStatus status) {
  std::size_t count = 0;
  for (const GroupAnswer& group : answer.groups) {
    for (const StepAnswer& step : group.steps) count += step.outcome.status == status ? 1 : 0;
  }
  return count;
}

Statement reported(const StepAnswer& step) {
  return say("step-told", {{"step", term_or_words(step.name)}, {"cause", step.outcome.cause}});
}

std::string in_english(const std::vector<Statement>& statements) {
  std::string text;
  for (const Statement& statement : statements) text += sentence(statement, Language::English);
  return text;
}

}  // namespace

Verdict verdict_of(const Answer& answer) {
  if (find_usage(answer) != nullptr) return Verdict::Usage;
  if (find_step(answer, StepStatus::Failed) != nullptr) return Verdict::Failed;
  if (find_step(answer, StepStatus::Passed) == nullptr) return Verdict::NotConfirmed;
  const bool is_whole =
      find_step(answer, StepStatus::Unavailable) == nullptr && find_step(answer, StepStatus::Skipped) == nullptr;
  return is_whole ? Verdict::Confirmed : Verdict::NotConfirmed;
}

Statement verdict_words(const Answer& answer) {
  const std::size_t passed = count_of(answer, StepStatus::Passed);
  switch (verdict_of(answer)) {
    case Verdict::Confirmed: return say("verdict-confirmed", {{"passed", passed}});
    case Verdict::Usage: return reported(*find_usage(answer));
    case Verdict::Failed:
      return say("verdict-failed", {{"failed", count_of(answer, StepStatus::Failed)},
                                    {"passed", passed},
                                    {"first", reported(*find_step(answer, StepStatus::Failed))}});
    case Verdict::NotConfirmed: {
      const StepAnswer* step = find_step(answer, StepStatus::Unavailable);
      if (step == nullptr) return say("verdict-not-run");
      return say("verdict-not-confirmed", {{"cause", step->outcome.cause}, {"passed", passed}});
    }
  }
  return {};
}

Json to_json(const Answer& answer) {
  Json groups = Json::array();
  for (const GroupAnswer& group : answer.groups) {
    Json steps = Json::array();
    for (const StepAnswer& step : group.steps) {
      const bool is_passed = step.outcome.status == StepStatus::Passed;
      steps.push_back({{"name", step.name},
                       {"status", name_of(step.outcome.status)},
                       {"cause", sentence(step.outcome.cause, Language::English)},
                       {"summary", in_english(step.outcome.summary)},
                       {"says", statements_json(is_passed ? step.outcome.summary : std::vector{step.outcome.cause})},
                       {"ms", step.milliseconds},
                       {"seen", step.outcome.seen}});
    }
    groups.push_back(
        {{"name", group.name}, {"ms", group.milliseconds}, {"steps", std::move(steps)}, {"said", group.said}});
  }
  static constexpr const char* kVerdicts[] = {"confirmed", "failed", "usage", "", "not confirmed"};
  const Statement verdict = verdict_words(answer);
  return {{"schema", "soresolve-confirm/1"},
          {"verdict", kVerdicts[static_cast<int>(verdict_of(answer))]},
          {"text", in_english({verdict})},
          {"says", statements_json({verdict})},
          {"groups", std::move(groups)}};
}

}  // namespace soresolve::confirm
