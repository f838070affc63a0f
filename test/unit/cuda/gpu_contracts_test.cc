// What is known about GPUs, and what it says of code.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cuda/contracts.h"
#include "soresolve/cuda.h"

using namespace soresolve;

namespace {

std::string device_of(std::string_view name) {
  const Result<GpuDevice> device = find_device(built_in_contracts(), name);
  return device ? device->capability.to_string() : device.error().message;
}

GpuTarget target(std::uint16_t kind, std::uint32_t arch, char suffix = '\0', std::uint16_t isa_major = 0,
                 std::uint16_t isa_minor = 0) {
  return {kind, arch, suffix, isa_major, isa_minor};
}

Result<GpuContracts> with(std::string_view rows) { return read_contracts(rows, "facts.json", built_in_contracts()); }
std::string refusal(std::string_view rows) {
  const Result<GpuContracts> read = with(rows);
  return read ? "taken" : read.error().to_string();
}

}  // namespace

TEST_CASE("every built-in row has a source, and what it stands for is told") {
  const GpuContracts& contracts = built_in_contracts();
  REQUIRE(contracts.chips.size() >= 20);
  CHECK(contracts.ptx_releases.size() >= 20);
  for (const GpuChip& chip : contracts.chips) {
    CAPTURE(chip.capability.to_string());
    CHECK(!chip.source.empty());
    CHECK(contracts.sources.contains(chip.source.substr(0, chip.source.find_first_of(" ;,"))));
  }
  for (const PtxRelease& release : contracts.ptx_releases) CHECK(contracts.sources.contains(release.source));
}

TEST_CASE("the built-in rows are those of the file") {
  const std::unique_ptr<FileSystem> files = host_file_system();
  const Result<GpuContracts> read = read_contracts_file(*files, SORESOLVE_CONTRACTS, "contracts.json", {});
  REQUIRE(read.has_value());
  CHECK(*read == built_in_contracts());
  CHECK(read->cuda.frameworks.size() > 50);
}

TEST_CASE("devices by capability and by the names that people and drivers use") {
  struct Case {
    std::string name;
    std::string capability;
  };
  const Case cases[] = {
      {"8.9", "8.9"},
      {"sm_89", "8.9"},
      {"89", "8.9"},
      {"compute_120", "12.0"},
      {"12.1", "12.1"},
      {"sm_35", "3.5"},
      {"RTX 4090", "8.9"},
      {"NVIDIA GeForce RTX 4090", "8.9"},
      {"rtx 4060 ti", "8.9"},
      {"NVIDIA GeForce RTX 3080 Laptop GPU", "8.6"},
      {"GTX 1080 Ti", "6.1"},
      {"GTX 1660 SUPER", "7.5"},
      {"RTX 2080", "7.5"},
      {"Tesla T4", "7.5"},
      {"NVIDIA A100-SXM4-80GB", "8.0"},
      {"Tesla V100-SXM2-32GB", "7.0"},
      {"NVIDIA H100 80GB HBM3", "9.0"},
      {"NVIDIA H200", "9.0"},
      {"L40S", "8.9"},
      {"Tesla K80", "3.7"},
      {"RTX A6000", "8.6"},
      {"NVIDIA RTX 6000 Ada Generation", "8.9"},
      {"Quadro RTX 5000", "7.5"},
      {"RTX 5090", "12.0"},
      {"B200", "10.0"},
      {"GTX 980", "5.2"},
      {"NVIDIA GB10", "12.1"},
      // As drivers print them: laptops, editions, virtual and partitioned GPUs.
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "12.0"},
      {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "12.0"},
      {"NVIDIA RTX PRO 5000 Blackwell Generation Laptop GPU", "12.0"},
      {"NVIDIA RTX 4000 SFF Ada Generation", "8.9"},
      {"NVIDIA RTX 500 Ada Generation Laptop GPU", "8.9"},
      {"NVIDIA GeForce RTX 3050 A Laptop GPU", "8.9"},  // AD106, unlike the others of its number
      {"NVIDIA GeForce RTX 3050 6GB Laptop GPU", "8.6"},
      {"NVIDIA GeForce RTX 2050", "8.6"},  // GA107, unlike the other 20xx
      {"NVIDIA GeForce RTX 2080 Super with Max-Q Design", "7.5"},
      {"NVIDIA GeForce GTX 1650 with Max-Q Design", "7.5"},
      {"NVIDIA GeForce MX450", "7.5"},
      {"NVIDIA GeForce MX350", "6.1"},
      {"NVIDIA GeForce MX130", "5.0"},
      {"NVIDIA GeForce MX570 A", "8.6"},
      {"GeForce GTX TITAN X", "5.2"},
      {"NVIDIA TITAN X (Pascal)", "6.1"},
      {"NVIDIA TITAN Xp COLLECTORS EDITION", "6.1"},
      {"NVIDIA TITAN V CEO Edition", "7.0"},
      {"Quadro P2200", "6.1"},
      {"Quadro M1000M", "5.0"},
      {"Quadro M2000M", "5.0"},
      {"Quadro M2000", "5.2"},
      {"Quadro M4000M", "5.2"},
      {"Quadro T2000 with Max-Q Design", "7.5"},
      {"NVIDIA T1000 8GB", "7.5"},
      {"NVIDIA RTX A500 Laptop GPU", "8.6"},
      {"NVIDIA RTX A5500", "8.6"},
      {"NVIDIA A800 40GB Active", "8.0"},
      {"NVIDIA A10G", "8.6"},
      {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0"},
      {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", "9.0"},
      {"NVIDIA H100 NVL", "9.0"},
      {"NVIDIA H20", "9.0"},
      {"NVIDIA GH200 480GB", "9.0"},
      {"GRID T4-16Q", "7.5"},
      {"NVIDIA A40-48Q", "8.6"},
      {"Tesla V100S-PCIE-32GB", "7.0"},
      {"Tesla V100-SXM3-32GB", "7.0"},
      {"Tesla M10", "5.0"},
      {"Tesla P4", "6.1"},
      {"Tesla P100-PCIE-16GB", "6.0"},
      {"NVIDIA GB300", "10.3"},
      {"NVIDIA GB200", "10.0"},
      {"NVIDIA L20", "8.9"},
      {"GeForce 940MX", "5.0"},
      {"GeForce GTX 960M", "5.0"},
      {"GeForce GTX 970M", "5.2"},
      {"GeForce GT 1030", "6.1"},
      {"P106-100", "6.1"},
      {"NVIDIA CMP 170HX", "8.0"},
      // Jetson: the names that people say and those of /proc/device-tree/model.
      {"Jetson Orin", "8.7"},
      {"Orin", "8.7"},
      {"NVIDIA Jetson AGX Orin Developer Kit", "8.7"},
      {"NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super", "8.7"},
      {"Jetson Orin NX 16GB", "8.7"},
      {"Jetson AGX Xavier", "7.2"},
      {"Xavier", "7.2"},
      {"NVIDIA Jetson Xavier NX Developer Kit", "7.2"},
      {"NVIDIA Jetson TX2", "6.2"},
      {"NVIDIA Jetson Nano Developer Kit", "5.3"},
      {"Jetson TX1", "5.3"},
      {"NVIDIA Jetson AGX Thor Developer Kit", "11.0"},
      {"NVIDIA Thor", "11.0"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(device_of(c.name) == c.capability);
  }
}

TEST_CASE("unknown devices are refused, with near names") {
  CHECK(device_of("RTX 9999").find("no GPU is known as 'RTX 9999'; there are ") == 0);
  CHECK(device_of("RTX 9999").find("RTX 4050 to 4090 (8.9)") != std::string::npos);
  CHECK(device_of("Voodoo 2") == "no GPU is known as 'Voodoo 2'; a compute capability (8.9 or sm_89) will do as well");
  for (const std::string name : {"Jetson", "GRID", "RTX", "Quadro", "40Q"}) {
    CAPTURE(name);
    CHECK(!find_device(built_in_contracts(), name).has_value());
  }
  for (const std::string name : {"", "8", "8.", ".9", "8.99", "sm_", "sm_8x", "99999", "xx", "NVIDIA"}) {
    CAPTURE(name);
    CHECK(!find_device(built_in_contracts(), name).has_value());
  }
}

TEST_CASE("which code runs on which chip, and how") {
  struct Case {
    std::string why;
    GpuTarget target;
    ComputeCapability device;
    GpuRun run;
  };
  const Case cases[] = {
      {"its own chip", target(kGpuCubin, 80), {8, 0}, GpuRun::Native},
      {"a later one of the same major", target(kGpuCubin, 80), {8, 9}, GpuRun::Native},
      {"not an earlier one", target(kGpuCubin, 89), {8, 6}, GpuRun::Not},
      {"not another major", target(kGpuCubin, 80), {9, 0}, GpuRun::Not},
      {"two digits before the minor", target(kGpuCubin, 120), {12, 1}, GpuRun::Native},
      {"a: that chip", target(kGpuCubin, 90, 'a'), {9, 0}, GpuRun::Native},
      {"a: no other", target(kGpuCubin, 100, 'a'), {10, 3}, GpuRun::Not},
      {"f: the family", target(kGpuCubin, 100, 'f'), {10, 3}, GpuRun::Native},
      {"f: not the same major outside it", target(kGpuCubin, 100, 'f'), {10, 1}, GpuRun::Not},
      {"f: not an earlier chip", target(kGpuCubin, 103, 'f'), {10, 0}, GpuRun::Not},
      {"PTX for any later chip", target(kGpuPtx, 75), {12, 0}, GpuRun::Compiled},
      {"PTX for no earlier one", target(kGpuPtx, 90), {8, 9}, GpuRun::Not},
      {"PTX for one chip", target(kGpuPtx, 90, 'a'), {10, 0}, GpuRun::Not},
      {"LTO-IR", target(kGpuLtoIr, 75), {9, 0}, GpuRun::Linked},
      {"an unknown kind", target(64, 90), {9, 0}, GpuRun::Not},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(how_it_runs(built_in_contracts(), c.target, c.device) == c.run);
  }
}

TEST_CASE("a file's verdict counts containers by the best that each offers") {
  GpuCode code;
  code.entries = 1;
  code.choices = {{{target(kGpuCubin, 80), target(kGpuPtx, 80, '\0', 7, 4)}, 5},
                  {{target(kGpuCubin, 90), target(kGpuPtx, 75, '\0', 6, 3), target(kGpuPtx, 90, '\0', 8, 3)}, 3},
                  {{target(kGpuLtoIr, 75)}, 2},
                  {{target(kGpuCubin, 90, 'a')}, 7},
                  {{}, 11}};
  const GpuVerdict ampere = judge_gpu_code(built_in_contracts(), code, {{8, 6}, "", ""});
  CHECK(ampere.native == 5);
  CHECK(ampere.compiled == 3);
  CHECK(ampere.linked == 2);
  CHECK(ampere.none == 7);
  REQUIRE(ampere.newest_ptx.has_value());
  CHECK(ampere.newest_ptx->arch == 75);  // that of 9.0 is not for it
  CHECK(ampere.needs_driver_of_cuda == "10.0");
  REQUIRE(ampere.without.size() == 1);
  CHECK(ampere.without.front().containers == 7);
  const GpuVerdict blackwell = judge_gpu_code(built_in_contracts(), code, {{12, 0}, "", ""});
  CHECK(blackwell.native == 0);
  CHECK(blackwell.compiled == 8);
  CHECK(blackwell.needs_driver_of_cuda == "12.3");
  const GpuVerdict kepler = judge_gpu_code(built_in_contracts(), code, {{3, 5}, "", ""});
  CHECK(!kepler.runs());
}

TEST_CASE("a version of PTX between two known ones needs the later release; a newer one none that is known") {
  GpuCode code;
  code.entries = 1;
  code.choices = {{{target(kGpuPtx, 75, '\0', 7, 9)}, 1}};
  CHECK(judge_gpu_code(built_in_contracts(), code, {{9, 0}, "", ""}).needs_driver_of_cuda == "12.0");
  code.choices = {{{target(kGpuPtx, 75, '\0', 99, 0)}, 1}};
  CHECK(judge_gpu_code(built_in_contracts(), code, {{9, 0}, "", ""}).needs_driver_of_cuda.empty());
}

TEST_CASE("a file of facts replaces and adds rows; a row without a source is refused") {
  const Result<GpuContracts> read = with(
      R"({"sources": {"ME": "measured"},
          "chips": [{"capability": "13.0", "architecture": "Rubin", "boards": ["R100"], "first_toolkit": "14.0",
                     "last_toolkit": "current", "source": "ME"},
                    {"capability": "8.9", "architecture": "Ada", "boards": ["Only One"], "first_toolkit": "11.8",
                     "last_toolkit": "current", "source": "ME"}],
          "ptx_releases": [{"ptx": "10.0", "cuda": "14.0", "source": "ME"}],
          "families": [{"capabilities": ["13.0", "13.1"], "source": "ME"}]})");
  REQUIRE(read.has_value());
  CHECK(find_device(*read, "R100")->capability == ComputeCapability{13, 0});
  CHECK(find_device(*read, "Only One")->capability == ComputeCapability{8, 9});
  CHECK(!find_device(*read, "RTX 4090").has_value());
  CHECK(find_device(*read, "T4")->capability == ComputeCapability{7, 5});
  CHECK(how_it_runs(*read, target(kGpuCubin, 130, 'f'), {13, 1}) == GpuRun::Native);
  struct Case {
    std::string rows;
    std::string refusal;
  };
  const Case cases[] = {
      {"{\n\n x}", "facts.json: is no JSON in line 3"},
      {"[]", "facts.json: is no object"},
      {R"({"chip": []})",
       "facts.json: chip is no table that is known; tables are sources, chips, ptx_releases, families, "
       "toolkits, minor_compatibility, driver_branches, last_branches, cudnn_support, cudnn_parts, frameworks, "
       "libraries"},
      {R"({"chips": {}})", "facts.json: chips is no list"},
      {R"({"ptx_releases": [{"ptx": "7.0", "cuda": "11.0"}]})", "facts.json: row 1 of ptx_releases has no source"},
      {R"({"ptx_releases": [{"ptx": "7", "cuda": "11.0", "source": "x"}]})",
       "facts.json: row 1 of ptx_releases has no good ptx: '7'"},
      {R"({"families": [{"capabilities": ["7.0"], "source": "x"}, 5]})", "facts.json: row 2 of families is no object"},
  };
  for (const Case& c : cases) CHECK(refusal(c.rows) == c.refusal);
}

TEST_CASE("the GPUs that a driver shows") {
  MemoryFileSystem files;
  CHECK(list_devices(files).error().code == ErrorCode::NotFound);
  files.add_file("/proc/driver/nvidia/gpus/0000:01:00.0/information",
                 std::string_view("Model: \t\t NVIDIA H200\nIRQ:   \t\t 99\n"));
  const Result<std::vector<std::string>> names = list_devices(files);
  REQUIRE(names.has_value());
  CHECK(*names == std::vector<std::string>{"NVIDIA H200"});
}
