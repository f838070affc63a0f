// The plan's parser: defaults, limits, and that each step's needs come before it in its group.
#include "plan.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "group_steps.h"
#include "plan_json.h"

using namespace soresolve;
using namespace soresolve::confirm;

TEST_CASE("a plan is read with its defaults") {
  const Result<Plan> plan = parse_plan(R"({"schema": "soresolve-confirm-plan/1", "environment": ["A=B"],
    "expected": {"init": 100, "source": "a table"}, "device": 2, "device_nodes": false,
    "groups": [{"name": "g", "loads": [{"name": "base", "open": [{"role": "driver", "path": "/l/libcuda.so.1"}]},
                                        {"name": "nvrtc", "adds": ["/l/x"], "dlerror": "no"}]}]})");
  REQUIRE(plan.has_value());
  CHECK(plan->environment == std::vector<std::string>{"A=B"});
  CHECK(plan->expected.init == 100);
  CHECK_FALSE(plan->expected.device_count.has_value());
  CHECK(plan->device == 2);
  CHECK_FALSE(plan->has_device_nodes);
  CHECK(plan->timeout_s == 60);
  REQUIRE(plan->groups.size() == 1);
  CHECK(plan->groups[0].loads[0].open[0].role == "driver");
  CHECK(plan->groups[0].loads[1].dlerror == "no");
  std::vector<std::string_view> names;
  for (const StepRow& step : steps_of(plan->groups[0])) names.push_back(step.name);
  CHECK(names == std::vector<std::string_view>{"load", "driver", "runtime", "nvrtc load", "nvrtc version",
                                               "nvrtc compile", "nvrtc kernel"});
}

TEST_CASE("a plan of thousands of items is refused") {
  std::string json = R"({"schema": "soresolve-confirm-plan/1", "environment": [)";
  for (int i = 0; i < 5000; ++i) json += i == 0 ? "\"A=B\"" : ",\"A=B\"";
  const Result<Plan> plan = parse_plan(json + "]}");
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().message == "environment: has more than 4096 items");
}

TEST_CASE("brackets without end are no stack overflow") {
  CHECK_FALSE(parse_plan(std::string(1 << 20, '[')).has_value());
}

TEST_CASE("every step needs one that comes before it in its group") {
  for (const char* load : {"cudnn", "cublas", "cufft", "curand", "cusparse", "cusolver", "nccl", "nvrtc"}) {
    PlannedGroup group;
    group.loads = {PlannedLoad{.name = "cuda"}, PlannedLoad{.name = load}};
    std::vector<std::string_view> before;
    for (const StepRow& step : steps_of(group)) {
      for (const std::string_view need : {step.needs, step.also_needs}) {
        CAPTURE(step.name);
        CHECK((need.empty() || std::find(before.begin(), before.end(), need) != before.end()));
      }
      before.push_back(step.name);
    }
    CHECK(before.size() > 4);
  }
}

TEST_CASE("a complaint has its place") {
  const auto complaint = [](const std::string& members) {
    const Result<Plan> plan = parse_plan(R"({"schema": "soresolve-confirm-plan/1", )" + members + "}");
    return plan ? std::string("none") : plan.error().message;
  };
  const auto load = [&](const std::string& load) {
    return complaint(R"("groups": [{"name": "g", "loads": [{"name": "base"}, )" + load + "]}]");
  };
  CHECK(load(R"({"name": "nvrtc"})") == "none");
  CHECK(load(R"({"name": "nvrtc", "open": [{"path": "x"}]})") ==
        "groups[0].loads[1].open[0].path: is not an absolute path");
  CHECK(load(R"({"name": "nvrtc", "open": [{}]})") == "groups[0].loads[1].open[0].path: is missing");
  CHECK(load(R"({"name": "nvrtc", "adds": [1]})") == "groups[0].loads[1].adds[0]: is not a text");
  CHECK(load(R"({"name": "nvrtc", "opens": []})") == "groups[0].loads[1].opens: no such member is known");
  CHECK(load(R"({"name": "tea"})") == "groups[0].loads[1].name: nothing is known to be done with it");
  CHECK(load("7") == "groups[0].loads[1]: is not an object");
  CHECK(complaint(R"("gruops": [])") == "gruops: no such member is known");
  CHECK(complaint(R"("groups": [])") == "groups: there is nothing to confirm");
  CHECK(complaint(R"("device": 1024)") == "device: is not between 0 and 1023");
  CHECK(complaint(R"("device": 1.5)") == "device: is not a whole number");
  CHECK(complaint(R"("device_nodes": 1)") == "device_nodes: is neither true nor false");
  CHECK(complaint(R"("expected": {"no_driver": {}})") == "expected.no_driver: is neither a text nor a statement");
  CHECK(parse_plan("[]").error().message == "plan: is not an object");
  CHECK(parse_plan(R"({"schema": "soresolve-confirm-plan/2"})").error().message ==
        "schema: is not soresolve-confirm-plan/1");
}

TEST_CASE("a plan that was written is read as it was") {
  Plan plan;
  plan.environment = {"A=B"};
  plan.expected.init = 100;
  plan.expected.no_driver = say("driver-not-found");
  plan.groups = {{"g", {{"base", {{"driver", "/l/libcuda.so.1", ""}}, {"/l/x"}, "", {}}, {.name = "nvrtc"}}}};
  const nlohmann::ordered_json written = JsonWriter<PlanForm>::write(plan);
  CHECK(written["groups"][0]["loads"][0]["open"][0].dump() == R"({"role":"driver","path":"/l/libcuda.so.1"})");
  CHECK(written["expected"].size() == 2);
  const Result<Plan> read = parse_plan(written.dump());
  REQUIRE(read.has_value());
  CHECK(JsonWriter<PlanForm>::write(*read) == written);
  CHECK(JsonWriter<PlanForm>::write(Plan())["expected"].is_object());
}
