// Which index of PyTorch's wheels fits a driver and GPUs.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cuda/contracts.h"
#include "doctor/torch_backend.h"
#include "soresolve/doctor.h"

using namespace soresolve;

namespace {

DottedVersion version(std::string_view text) { return leading_version(text).value_or(DottedVersion{}); }

std::string backend(std::string_view driver, std::string_view cuda, const std::vector<ComputeCapability>& gpus) {
  return find_torch_backend(built_in_contracts(), version(driver), version(cuda), gpus);
}

}  // namespace

TEST_CASE("torch's index is chosen by the driver and by the chip") {
  struct Case {
    const char* why;
    const char* driver;
    const char* cuda;
    std::vector<ComputeCapability> gpus;
    const char* want;
  };
  const Case cases[] = {
      {"no driver", "", "", {{8, 9}}, "cpu"},
      {"new driver, Hopper", "580.65.06", "13.0", {{9, 0}}, "cu130"},
      {"new driver, Ada runs code of 8.6", "580.65.06", "13.0", {{8, 9}}, "cu130"},
      {"new driver, no chip is known", "580.65.06", "13.0", {}, "cu130"},
      {"Pascal: 13.0 and 12.8 have no code for it", "580.65.06", "13.0", {{6, 1}}, "cu126"},
      {"Maxwell", "580.65.06", "13.0", {{5, 2}}, "cu126"},
      {"Volta: the newest wheels of 12.8 have none any more", "580.65.06", "13.0", {{7, 0}}, "cu126"},
      {"Turing", "580.65.06", "13.0", {{7, 5}}, "cu130"},
      {"a driver of 12.4 runs 12.8 (minor-version compatibility)", "550.54.14", "12.4", {{8, 0}}, "cu128"},
      {"and for Pascal 12.6", "550.54.14", "12.4", {{6, 1}}, "cu126"},
      {"the first that runs CUDA 12", "525.60.13", "12.0", {{8, 6}}, "cu128"},
      {"one that is older", "470.256.02", "11.4", {{8, 0}}, "cu118"},
      {"470 with Kepler", "470.256.02", "11.4", {{3, 7}}, "cu118"},
      {"Kepler that no wheel has code for", "470.256.02", "11.4", {{3, 0}}, "cpu"},
      {"Blackwell on 570", "570.124.06", "12.8", {{12, 0}}, "cu128"},
      {"Blackwell has no code in 11.8", "470.256.02", "11.4", {{12, 0}}, "cpu"},
      {"a driver before CUDA 11", "440.33", "10.2", {{7, 0}}, "cpu"},
      {"two chips: what runs on both", "580.65.06", "13.0", {{6, 1}, {8, 9}}, "cu126"},
      {"the version of CUDA alone (WSL, Jetson)", "", "12.6", {{8, 9}}, "cu128"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(backend(c.driver, c.cuda, c.gpus) == c.want);
  }
}

TEST_CASE("each index has one newest row, with the chips that its wheels have code for") {
  std::vector<std::string> names;
  for (const FrameworkBuild& build : built_in_contracts().cuda.frameworks) {
    if (build.backend.empty()) continue;
    CAPTURE(build.backend);
    names.push_back(build.backend);
    CHECK(build.name == "torch");
    CHECK(!build.capabilities.empty());
    for (const FrameworkBuild& other : built_in_contracts().cuda.frameworks) {
      const bool is_of_line = other.name == "torch" && other.cuda == build.cuda;
      if (is_of_line) CHECK(!(build.release < other.release));
    }
  }
  CHECK(names == std::vector<std::string>{"cu118", "cu128", "cu126", "cu130"});  // by release of torch
}

TEST_CASE("the oldest driver of a release, whether one is here or not") {
  const CudaContracts& contracts = built_in_contracts().cuda;
  CHECK(oldest_driver(contracts, version("12.4")).text == "525.60.13");
  CHECK(oldest_driver(contracts, version("11.7")).text == "450.80.02");
  CHECK(oldest_driver(contracts, version("13")).text == "580.65.06");
  CHECK(oldest_driver(contracts, version("10.2")).text == "440.33");
  CHECK(oldest_driver(contracts, version("99.0")).empty());
  CHECK(oldest_driver(contracts, {}).empty());
}
