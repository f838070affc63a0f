// Starts one child for each group, takes only lines that have its key and fit the plan, and makes an answer of every
// end. Source: getrandom(2); limits: tools/child_process. Lines that contradict the plan: contradiction.cc.
#include "supervisor.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include "base/enum_names.h"
#include "base/json_members.h"
#include "base/nesting.h"
#include "child_process/child_process.h"
#include "contradiction.h"
#include "group_steps.h"
#include "held_devices.h"
#include "report/statement_json.h"
#include "status_text.h"

namespace soresolve::confirm {
namespace {

using child::ChildEnd;
using child::ChildSpec;

/// As many random digits as a key has; empty if there are none to be had.
std::string new_key() {
  std::array<unsigned char, kKeyLength / 2> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string key;
  for (const unsigned char byte : bytes) {
    key += "0123456789abcdef"[byte >> 4];
    key += "0123456789abcdef"[byte & 15];
  }
  return key;
}

/// Puts the lines of one child's report together. The libraries in it can write to the same descriptor: nothing is
/// taken without the key, or that is not in its turn.
class ReportReader {
 public:
  ReportReader(const Plan& plan, const PlannedGroup& group, std::string key, const OnProgress& on_progress)
      : plan_(plan), group_(group), key_(std::move(key)), on_progress_(on_progress), expected_(steps_of(group)) {
    answer_.name = group.name;
  }

  void take(std::string_view text) {
    constexpr std::size_t kDepth = 16;  // our own lines have 4
    if (text.find(key_) == std::string_view::npos || is_nested_deeper(text, kDepth)) return;
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object() || text_of(member(line, "key")) != key_) return;
    if (is_complete()) {
      is_finished_ = is_finished_ || line.contains("finished");
      return;
    }
    if (line.contains("begin") && text_of(member(line, "begin")) == expected_[answer_.steps.size()].name) {
      last_call_.clear();
      on_progress_(group_.name, expected_[answer_.steps.size()].name);
    } else if (line.contains("call")) {
      last_call_ = text_of(member(line, "call"));
    } else if (line.contains("end")) {
      take_end(line);
    }
  }

  /// The process has ended: what has not been reported will not be.
  GroupAnswer finish(const ChildEnd& end, const ChildSpec& spec) {
    answer_.said = end.said;
    answer_.milliseconds = end.wall_ms;
    if (is_complete()) {
      const bool ended_well = end.kind == child::ChildEndKind::Exited && end.code == 0;
      if (!is_finished_ || !ended_well) {
        StepAnswer& last = answer_.steps.back();
        last.outcome =
            failed(say("process-ends-badly", {{"end", describe(end, spec)}, {"last", last_words(end)}}), last.outcome);
      }
      return std::move(answer_);
    }
    StepAnswer step;
    step.name = expected_[answer_.steps.size()].name;
    step.outcome = failed(
        say("process-ended", {{"end", describe(end, spec)},
                              {"call", last_call_.empty() ? Statement{} : say("in-call", {{"function", last_call_}})},
                              {"last", last_words(end)}}));
    step.outcome.seen["last_call"] = last_call_;
    if (auto limited = limited_space(step.outcome.cause)) {
      step.outcome = unavailable(std::move(*limited), std::move(step.outcome));
    }
    add_settings(step);
    answer_.steps.push_back(std::move(step));
    while (!is_complete()) {
      StepAnswer skipped;
      skipped.name = expected_[answer_.steps.size()].name;
      skipped.outcome.status = StepStatus::Skipped;
      skipped.outcome.cause = say("process-ended-before");
      answer_.steps.push_back(std::move(skipped));
    }
    return std::move(answer_);
  }

 private:
  [[nodiscard]] bool is_complete() const { return answer_.steps.size() == expected_.size(); }

  void take_end(const Json& line) {
    const std::optional<StepStatus> status = find_named<StepStatus>(text_of(member(line, "status")));
    if (!status || text_of(member(line, "end")) != expected_[answer_.steps.size()].name) return;
    StepAnswer step;
    step.name = text_of(member(line, "end"));
    step.outcome.status = *status;
    const std::optional<std::vector<Statement>> cause = read_statements(line.value("cause", Json()));
    const std::optional<std::vector<Statement>> summary = read_statements(line.value("summary", Json()));
    if (!cause || cause->size() > 1 || !summary) return;
    if (!cause->empty()) step.outcome.cause = cause->front();
    step.outcome.summary = *summary;
    step.outcome.is_usage = line.value("usage", Json(false)) == Json(true);
    step.outcome.seen = line.value("seen", Json::object());
    const Json milliseconds = line.value("ms", Json(0));
    if (milliseconds.is_number()) step.milliseconds = milliseconds.get<double>();
    if (const auto contradiction = find_contradiction(plan_, group_, answer_.steps, step)) {
      step.outcome = failed(say("process-contradicts", {{"contradiction", *contradiction}}), step.outcome);
    }
    add_settings(step);
    answer_.steps.push_back(std::move(step));
  }

  /// NCCL does what its variables say, and its failures come of them more often than of the machine.
  void add_settings(StepAnswer& step) const {
    constexpr std::string_view kPrefix = "NCCL_";
    if (step.outcome.status != StepStatus::Failed || !step.name.starts_with("nccl")) return;
    std::string settings;
    for (const std::string& variable : plan_.environment) {
      if (variable.starts_with(kPrefix)) settings += (settings.empty() ? "" : " ") + variable;
    }
    if (settings.empty()) return;
    step.outcome.cause = say("failure-with-settings", {{"failure", step.outcome.cause}, {"settings", settings}});
  }

  const Plan& plan_;
  const PlannedGroup& group_;
  std::string key_;
  const OnProgress& on_progress_;
  std::vector<StepRow> expected_;
  std::string last_call_;
  bool is_finished_ = false;
  GroupAnswer answer_;
};

GroupAnswer run_one(const Plan& plan, std::size_t index, const Supervisor& supervisor, const OnProgress& on_progress) {
  const std::string key = new_key();
  ChildSpec spec;
  spec.program = supervisor.program;
  spec.arguments = {"soresolve-confirm", "--group", std::to_string(index)};
  spec.environment = plan.environment;
  // So that the driver's compiler works each time, and not once: what is in its cache is not confirmed.
  const auto is_about_cache = [](const std::string& variable) { return variable.starts_with("CUDA_CACHE_DISABLE="); };
  if (std::none_of(plan.environment.begin(), plan.environment.end(), is_about_cache)) {
    spec.environment.emplace_back("CUDA_CACHE_DISABLE=1");
  }
  spec.input = key + '\n' + supervisor.plan_text;
  spec.timeout_s = plan.timeout_s;
  spec.memory_mib = plan.memory_mib;
  spec.start.may_make_nodes = plan.has_device_nodes;
  ReportReader reader(plan, plan.groups[index], key, on_progress);
  if (key.empty()) return reader.finish({child::ChildEndKind::NotStarted, errno, {}, 0}, spec);
  const ChildEnd end = run_child(spec, [&](std::string_view line) { reader.take(line); });
  return reader.finish(end, spec);
}

}  // namespace

Answer supervise(const Plan& plan, const Supervisor& supervisor) {
  std::mutex mutex;
  const OnProgress on_progress = [&](std::string_view group, std::string_view step) {
    const std::lock_guard lock(mutex);
    supervisor.on_progress(group, step);
  };
  const HeldDevices held;  // once for all groups
  child::Orphans orphans;
  const std::launch policy = plan.has_device_nodes ? std::launch::deferred : std::launch::async | std::launch::deferred;
  std::vector<std::future<GroupAnswer>> running;
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    running.push_back(std::async(policy, [&, i] { return run_one(plan, i, supervisor, on_progress); }));
  }
  Answer answer;
  for (std::future<GroupAnswer>& group : running) {
    answer.groups.push_back(group.get());
    if (policy == std::launch::deferred) orphans.end();  // the next one is not yet running
  }
  return answer;
}

}  // namespace soresolve::confirm
