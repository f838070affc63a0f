// Reports that a process of `confirm` cannot truthfully make, each refused with what contradicts it.
#include "contradiction.h"

#include <doctest/doctest.h>

#include "soresolve/catalogue.h"

using namespace soresolve;
using namespace soresolve::confirm;
using enum StepStatus;

namespace {

PlannedGroup group_of(std::vector<PlannedLibrary> open) {
  PlannedLoad load;
  load.name = "cuda";
  load.open = std::move(open);
  PlannedLoad cudnn;
  cudnn.name = "cudnn";
  return {"cudnn", {load, cudnn}};
}

StepAnswer step_of(std::string name, StepStatus status = Passed) {
  StepAnswer step;
  step.name = std::move(name);
  step.outcome.status = status;
  return step;
}

const PlannedLibrary kDriver = {"driver", "/lib/libcuda.so.1", ""};
const PlannedLibrary kRuntime = {"runtime", "/lib/libcudart.so.12", ""};

}  // namespace

TEST_CASE("a report that contradicts the plan is refused") {
  Expectation nothing;
  Expectation no_driver;
  no_driver.no_driver = words_of_others("libcuda.so.1 is not found");
  Expectation no_init;
  no_init.init = 100;
  Expectation no_count;
  no_count.device_count = 35;
  Expectation version;
  version.driver_version = 12040;
  struct Case {
    const char* why;
    Expectation expected;
    PlannedGroup group;
    std::vector<StepAnswer> before;
    StepAnswer step;
    std::string want;
  };
  const PlannedGroup both = group_of({kDriver, kRuntime});
  const std::vector<StepAnswer> loaded = {step_of("load")};
  const std::vector<StepAnswer> driven = {step_of("load"), step_of("driver")};
  PlannedGroup missing = both;
  missing.loads[0].dlerror = "libcuda.so.1: cannot open shared object file";
  PlannedGroup missing_later = both;
  missing_later.loads[1].dlerror = "libcudnn.so.9: cannot open";
  const Case cases[] = {
      {"all as planned", nothing, both, loaded, step_of("driver"), ""},
      {"a step that fails is no contradiction", no_init, both, loaded, step_of("driver", Failed), ""},
      {"a driver where none was opened", no_driver, group_of({kRuntime}), loaded, step_of("driver"),
       "no driver was opened: libcuda.so.1 is not found"},
      {"a driver that is not in the plan", nothing, group_of({kRuntime}), loaded, step_of("driver"),
       "no driver was opened"},
      {"cuInit that was to fail", no_init, both, loaded, step_of("driver"), "cuInit was predicted to return 100"},
      {"another version of the driver", version, both, loaded, step_of("driver"),
       "CUDA 12040 was predicted of the driver"},
      {"no device", no_count, both, driven, step_of("runtime"), "cudaGetDeviceCount was predicted to return 35"},
      {"neither runtime nor driver", nothing, group_of({}), loaded, step_of("runtime"),
       "no runtime was opened, and no driver shows a GPU"},
      {"a driver stands in for the runtime", nothing, group_of({kDriver}), driven, step_of("runtime"), ""},
      {"a step whose need has failed",
       nothing,
       both,
       {step_of("load", Failed)},
       step_of("driver"),
       "it needs the step 'load', which did not pass"},
      {"a second need",
       nothing,
       both,
       {step_of("load"), step_of("driver", Unavailable), step_of("runtime")},
       step_of("kernel"),
       "it needs the step 'driver', which did not pass"},
      {"a load that was to fail",
       nothing,
       missing,
       {},
       step_of("load"),
       "dlopen was predicted to fail: libcuda.so.1: cannot open shared object file"},
      {"a later load that was to fail", nothing, missing_later, driven, step_of("cudnn load"),
       "dlopen was predicted to fail: libcudnn.so.9: cannot open"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Plan plan;
    plan.expected = c.expected;
    const std::optional<Statement> contradiction = find_contradiction(plan, c.group, c.before, c.step);
    CHECK(sentence(contradiction.value_or(Statement{}), Language::English) == c.want);
  }
}

TEST_CASE("the version of the driver is the one that it reports") {
  Plan plan;
  plan.expected.driver_version = 12040;
  StepAnswer step = step_of("driver");
  step.outcome.seen["version"] = 12040;
  CHECK(!find_contradiction(plan, group_of({kDriver}), {step_of("load")}, step));
}
