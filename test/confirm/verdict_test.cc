// From outcomes of steps to the verdict of a confirmation.
#include "answer.h"

#include <doctest/doctest.h>

#include "soresolve/catalogue.h"

using soresolve::Language;
using soresolve::sentence;
using soresolve::words_of_others;
using namespace soresolve::confirm;
using enum StepStatus;

namespace {

Answer answer_of(std::vector<StepStatus> statuses) {
  Answer answer;
  answer.groups.emplace_back();
  for (const StepStatus status : statuses) {
    StepAnswer step;
    step.name = "step";
    step.outcome.status = status;
    if (status != Passed) step.outcome.cause = words_of_others("a cause");
    answer.groups.back().steps.push_back(std::move(step));
  }
  return answer;
}

}  // namespace

TEST_CASE("it is confirmed only when every step has run and passed") {
  struct Case {
    const char* why;
    std::vector<StepStatus> statuses;
    confirm::Verdict want;
    const char* text;
  };
  const Case cases[] = {
      {"all passed", {Passed, Passed}, confirm::Verdict::Confirmed, "confirmed: 2 steps passed"},
      {"nothing at all", {}, confirm::Verdict::NotConfirmed, "not confirmed: nothing was run"},
      {"one had nothing to run on",
       {Passed, Unavailable, Skipped},
       confirm::Verdict::NotConfirmed,
       "not confirmed: a cause; 1 step passed"},
      {"one failed",
       {Passed, Failed, Skipped},
       confirm::Verdict::Failed,
       "failed: 1 step failed, 1 step passed; step: a cause"},
      {"a failure weighs more than a lack",
       {Unavailable, Failed},
       confirm::Verdict::Failed,
       "failed: 1 step failed, 0 steps passed; step: a cause"},
      {"all skipped", {Skipped}, confirm::Verdict::NotConfirmed, "not confirmed: nothing was run"},
      {"skipped without a reason is not confirmed",
       {Passed, Skipped},
       confirm::Verdict::NotConfirmed,
       "not confirmed: nothing was run"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Answer answer = answer_of(c.statuses);
    CHECK(verdict_of(answer) == c.want);
    CHECK(sentence(verdict_words(answer), Language::English) == c.text);
  }
}

TEST_CASE("a question that makes no sense is no failure of the machine") {
  Answer answer = answer_of({Failed});
  answer.groups[0].steps[0].outcome.is_usage = true;
  CHECK(verdict_of(answer) == confirm::Verdict::Usage);
  CHECK(sentence(verdict_words(answer), Language::English) == "step: a cause");
}
