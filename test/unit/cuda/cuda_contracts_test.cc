// What may run on what. The verdicts are those of real drivers and runtimes, where they were to be had.
#include <doctest/doctest.h>

#include <string>

#include "cuda/contracts.h"
#include "soresolve/cuda.h"
#include "unit/cuda/driver_files.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {}  // namespace

TEST_CASE("which runtimes a driver takes") {
  // Measured with the drivers of Debian's packages: cudaGetDeviceCount's 35 against 100.
  struct Case {
    const char* runtime;
    const char* driver;
    RuntimeFit fit;
  };
  using enum RuntimeFit;
  const Case cases[] = {
      {"11.8", "340.108", Refused},  {"11.8", "390.157", Refused},  {"11.8", "418.226.00", Refused},
      {"11.8", "450.248.02", Minor}, {"11.8", "460.106.00", Minor}, {"11.8", "470.256.02", Minor},
      {"11.8", "525.147.05", Full},  {"11.8", "555.58.02", Full},   {"12.4", "470.256.02", Refused},
      {"12.4", "525.147.05", Minor}, {"12.4", "535.261.03", Minor}, {"12.4", "550.163.01", Full},
      {"12.5", "550.163.01", Minor}, {"12.5", "555.58.02", Full},   {"13.0", "555.58.02", Refused},
      {"11.2", "460.106.00", Full},
  };
  for (const Case& c : cases) {
    CAPTURE(c.runtime);
    CAPTURE(c.driver);
    const DottedVersion driver = v(c.driver);
    const DriverBranch* const branch = find_branch(contracts(), driver);
    REQUIRE(branch != nullptr);
    CHECK(judge_runtime(contracts(), v(c.runtime), driver, branch->cuda).fit == c.fit);
    // What libcuda says of itself is enough, too, but for 450.36 to 450.80, which say 11.0 as well.
    CHECK(judge_runtime(contracts(), v(c.runtime), {}, branch->cuda).fit == c.fit);
  }
}

TEST_CASE("the borders of minor-version compatibility") {
  using enum RuntimeFit;
  CHECK(judge_runtime(contracts(), v("11.8"), v("450.51.06"), v("11.0")).fit == Refused);
  CHECK(judge_runtime(contracts(), v("11.0"), v("450.51.06"), v("11.0")).fit == Full);
  CHECK(judge_runtime(contracts(), v("12.9"), v("525.60.13"), v("12.0")).fit == Minor);
  CHECK(judge_runtime(contracts(), v("12.9"), v("525.60.11"), v("12.0")).fit == Refused);
  const RuntimeVerdict before_11 = judge_runtime(contracts(), v("10.2"), v("418.226.00"), v("10.1"));
  CHECK(before_11.fit == Refused);
  CHECK(before_11.needs == "driver 440.33 or newer");
  CHECK(before_11.source == "RN131");
  CHECK(judge_runtime(contracts(), v("14.0"), v("555.58.02"), v("12.5")).fit == Unknown);
  CHECK(judge_runtime(contracts(), v("12.4"), {}, {}).fit == Unknown);
}

TEST_CASE("a branch that no row has knows what the one before it does") {
  CHECK(find_branch(contracts(), v("537.13"))->cuda.text == "12.2");
  CHECK(find_branch(contracts(), v("304.1")) == nullptr);
}

TEST_CASE("the builds of a framework") {
  const auto builds = find_builds(contracts(), "torch", v("2.5.1"), {});
  REQUIRE(builds.size() == 3);
  CHECK(builds[0]->cuda.text == "11.8");
  const auto one = find_builds(contracts(), "torch", v("2.1.0"), v("12.1"));
  REQUIRE(one.size() == 1);
  CHECK(one[0]->cudnn.text == "8.9.2.26");
  CHECK(find_builds(contracts(), "torch", v("2.1.0"), v("12.4")).empty());
}

TEST_CASE("tables are in order and do not contradict each other") {
  for (const CudaToolkit& toolkit : contracts().toolkits) {
    CAPTURE(toolkit.release.text);
    const MinorCompatibility* rule = nullptr;
    for (const MinorCompatibility& each : contracts().minor_compatibility) {
      if (each.cuda_major == toolkit.release.major_number()) rule = &each;
    }
    // A toolkit's own driver is never older than what its major version asks for; 11.0 came before the rule.
    if (rule != nullptr && toolkit.release != v("11.0")) CHECK(toolkit.driver >= rule->driver);
    // And its branch knows it.
    const DriverBranch* const branch = find_branch(contracts(), toolkit.driver);
    REQUIRE(branch != nullptr);
    CHECK(branch->cuda >= toolkit.release);
  }
  for (const FrameworkBuild& build : contracts().frameworks) CHECK(find_toolkit(contracts(), build.cuda) != nullptr);
  for (const CudnnPart& part : contracts().cudnn_parts) {
    CHECK(part.soname.ends_with(".so." + std::to_string(part.major_number)));
  }
}
