// Initialises the driver and the runtime, and compares version, status and device with the plan. Source: CUDA Driver
// API (cuInit, cuDriverGetVersion), Runtime API (cudaGetDeviceCount). A status that differs from a certain prediction
// is a defect of soresolve and is reported as one.
#include "driver_step.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>

#include "status_text.h"

namespace soresolve::confirm {
namespace {

std::string capability_text(const ComputeUnit& gpu) {
  return std::to_string(gpu.major_number) + "." + std::to_string(gpu.minor_number);
}

/// Does the status agree with what was predicted? What is predicted of a status is certain, so that any other
/// one is a mistake of ours.
bool is_predicted(std::optional<int> predicted, int code) { return !predicted || *predicted == code; }

Statement mismatch(const char* function, int predicted, const Statement& reported, const std::string& source) {
  return say("returns-else", {{"function", function},
                              {"predicted", std::to_string(predicted)},
                              {"source", source.empty() ? Statement{} : say("in-brackets", {{"text", source}})},
                              {"told", reported}});
}

/// The end of a step that the CUDA here refuses.
Outcome refused(const Session& session, std::optional<int> predicted, const char* function, int code,
                const Library& library, Outcome outcome) {
  outcome.seen["error"] = code;
  const Statement reported = library.describe(code);
  if (!is_predicted(predicted, code)) {
    return differs(mismatch(function, *predicted, reported, session.plan.expected.source), outcome);
  }
  const Statement as_predicted = predicted ? say("as-predicted") : Statement{};
  const Statement what = say("call-told", {{"function", function}, {"status", reported}, {"predicted", as_predicted}});
  return refusal(session, code, what, outcome);
}

Outcome no_such_device(int asked, int count, Outcome outcome) {
  const Statement shown =
      count == 1 ? say("one-device")
                 : say("devices-counted", {{"count", std::to_string(count)}, {"last", std::to_string(count - 1)}});
  outcome = failed(say("no-such-device", {{"device", std::to_string(asked)}, {"shown", shown}}), outcome);
  outcome.is_usage = true;
  return outcome;
}

/// Which of the machine's GPUs that is, whatever its number here: CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER renumber.
struct DevicePlace {
  std::string bus;   ///< "0000:1b:00.0", as nvidia-smi and lspci have it
  std::string uuid;  ///< "GPU-…"; "MIG-…" of a part of one
};

std::string uuid_text(const CUuuid& uuid, bool is_part) {
  std::string text = is_part ? "MIG" : "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// Nothing of it decides a step, so that a driver without these calls (before 9.2, before 11.4) may lack them.
DevicePlace place_of(const Library& driver, CUdevice device, std::string_view name) {
  DevicePlace place;
  std::array<char, 64> bus{};
  if (driver.ask<decltype(cuDeviceGetPCIBusId)>("cuDeviceGetPCIBusId", bus.data(), static_cast<int>(bus.size()) - 1,
                                                device) == 0) {
    place.bus = bus.data();
  }
  CUuuid uuid{};
  using GetUuid = CUresult(CUuuid*, CUdevice);
  // The second form tells the parts of a GPU (MIG) apart.
  if (driver.ask<GetUuid>("cuDeviceGetUuid_v2", &uuid, device) == 0 ||
      driver.ask<GetUuid>("cuDeviceGetUuid", &uuid, device) == 0) {
    place.uuid = uuid_text(uuid, name.find(" MIG ") != std::string_view::npos);
  }
  return place;
}

Outcome ask_device(Session& session, Library& driver, Outcome outcome) {
  int count = 0;
  CUdevice device = 0;
  std::array<char, 256> name{};
  ComputeUnit gpu;
  if (!driver.call<decltype(cuDeviceGetCount)>("cuDeviceGetCount", &count))
    return failed(driver.failure().text, outcome);
  if (count == 0) return refusal(session, cudaErrorNoDevice, say("device-count-is-zero"), outcome);
  if (session.plan.device >= count) return no_such_device(session.plan.device, count, outcome);
  driver.call<decltype(cuDeviceGet)>("cuDeviceGet", &device, session.plan.device);
  driver.call<decltype(cuDeviceGetName)>("cuDeviceGetName", name.data(), static_cast<int>(name.size()) - 1, device);
  driver.call<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute", &gpu.major_number,
                                              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver.call<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute", &gpu.minor_number,
                                              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  if (driver.has_failed()) return refusal(session, driver.failure().code, driver.failure().text, outcome);
  gpu.name = name.data();
  const DevicePlace place = place_of(driver, device, gpu.name);
  outcome.seen["devices"] = count;
  outcome.seen["device"] = gpu.name;
  outcome.seen["compute_capability"] = capability_text(gpu);
  outcome.seen["pci_bus_id"] = place.bus;
  outcome.seen["uuid"] = place.uuid;
  outcome.summary.push_back(say("device-seen", {{"device", std::to_string(session.plan.device)},
                                                {"count", std::to_string(count)},
                                                {"name", gpu.name},
                                                {"capability", capability_text(gpu)}}));
  if (!place.bus.empty()) outcome.summary.push_back(say("device-place", {{"bus", place.bus}, {"uuid", place.uuid}}));
  gpu.uuid = place.uuid;
  session.gpu = gpu;
  return outcome;
}

}  // namespace

std::string release_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

Outcome run_driver(Session& session) {
  Library& driver = session.library("driver");
  if (!driver.is_open())
    return unavailable(session.plan.expected.no_driver.empty() ? say("no-driver-in-plan")
                                                               : session.plan.expected.no_driver);
  Outcome outcome;
  int version = 0;
  if (!driver.call<decltype(cuDriverGetVersion)>("cuDriverGetVersion", &version)) {
    const CallFailure& failure = driver.failure();
    if (failure.code < 0) return failed(failure.text, outcome);
    return refused(session, session.plan.expected.init, "cuDriverGetVersion", failure.code, driver, outcome);
  }
  outcome.seen["version"] = version;
  session.driver_release = version;
  outcome.summary = {say("supports-release", {{"version", release_text(version)}})};
  const std::optional<int> predicted = session.plan.expected.driver_version;
  if (!is_predicted(predicted, version)) {
    return differs(mismatch("cuDriverGetVersion", *predicted, words_of_others(std::to_string(version)),
                            session.plan.expected.source),
                   outcome);
  }
  if (predicted) outcome.summary.push_back(say("as-predicted"));
  const int code = driver.ask<decltype(cuInit)>("cuInit", 0U);
  if (code != 0) return refused(session, session.plan.expected.init, "cuInit", code, driver, outcome);
  if (!is_predicted(session.plan.expected.init, 0)) {
    return differs(mismatch("cuInit", *session.plan.expected.init, words_of_others("0"), session.plan.expected.source),
                   outcome);
  }
  return ask_device(session, driver, outcome);
}

Outcome run_runtime(Session& session) {
  Library& runtime = session.library("runtime");
  Outcome outcome;
  if (!runtime.is_open()) {
    outcome.summary = {say("drivers-own-calls")};
    if (session.gpu) return outcome;
    return unavailable(say("no-runtime-no-gpu"), outcome);
  }
  // Up to 11.8 even this wants a driver; what it returns is left to cudaGetDeviceCount.
  int version = 0;
  if (runtime.ask<decltype(cudaRuntimeGetVersion)>("cudaRuntimeGetVersion", &version) == 0) {
    outcome = version_outcome(session, "runtime", release_text(version));
    if (outcome.status != StepStatus::Passed) return outcome;
    outcome.summary.insert(outcome.summary.begin(), say("cuda-before"));
  } else {
    outcome.summary = {say("version-needs-driver")};
  }
  int count = 0;
  const std::optional<int> predicted = session.plan.expected.device_count;
  const int code = runtime.ask<decltype(cudaGetDeviceCount)>("cudaGetDeviceCount", &count);
  if (code != 0) return refused(session, predicted, "cudaGetDeviceCount", code, runtime, outcome);
  if (!is_predicted(predicted, 0)) {
    return differs(mismatch("cudaGetDeviceCount", *predicted, words_of_others("0"), session.plan.expected.source),
                   outcome);
  }
  if (session.plan.device >= count) return no_such_device(session.plan.device, count, outcome);
  int major_number = 0;
  int minor_number = 0;
  runtime.call<decltype(cudaDeviceGetAttribute)>("cudaDeviceGetAttribute", &major_number,
                                                 cudaDevAttrComputeCapabilityMajor, session.plan.device);
  runtime.call<decltype(cudaDeviceGetAttribute)>("cudaDeviceGetAttribute", &minor_number,
                                                 cudaDevAttrComputeCapabilityMinor, session.plan.device);
  if (runtime.has_failed()) return refusal(session, runtime.failure().code, runtime.failure().text, outcome);
  outcome.seen["devices"] = count;
  const ComputeUnit seen{{}, major_number, minor_number};
  if (session.gpu && capability_text(seen) != capability_text(*session.gpu)) {
    return failed(
        say("capabilities-differ", {{"runtime", capability_text(seen)}, {"driver", capability_text(*session.gpu)}}),
        outcome);
  }
  return outcome;
}

}  // namespace soresolve::confirm
