// NVML: what the GPU's memory has gone through, for the device that CUDA computes on. Source: NVML API reference,
// "Device Queries" (nvmlDeviceGetRemappedRows, nvmlDeviceGetTotalEccErrors); "NVIDIA GPU Memory Error Management". CUDA
// does not need NVML, so that what it does not answer is no failure; its header comes with the driver's kit, not with
// the toolkit's, so that its functions stand here by their shapes.
#include <array>

#include "library_steps.h"

namespace soresolve::confirm {
namespace {

using Device = void*;
using Init = int();
using DriverVersion = int(char*, unsigned);
using HandleByUuid = int(const char*, Device*);
using TotalEccErrors = int(Device, int, int, unsigned long long*);
using RemappedRows = int(Device, unsigned*, unsigned*, unsigned*, unsigned*);

constexpr int kUncorrected = 1;  // NVML_MEMORY_ERROR_TYPE_UNCORRECTED
constexpr int kSinceLoad = 0;    // NVML_VOLATILE_ECC: since the driver was loaded

Outcome silent(const Statement& what, Outcome outcome) {
  outcome.summary = {say("nvml-is-silent", {{"what", what}})};
  return outcome;
}

}  // namespace

Outcome run_nvml_health(Session& session) {
  Library& nvml = session.library("nvml");
  Outcome outcome;
  std::array<char, 96> version{};
  Device device = nullptr;
  nvml.call<Init>("nvmlInit_v2");
  nvml.call<DriverVersion>("nvmlSystemGetDriverVersion", version.data(), static_cast<unsigned>(version.size() - 1));
  nvml.call<HandleByUuid>("nvmlDeviceGetHandleByUUID", session.gpu ? session.gpu->uuid.c_str() : "", &device);
  if (nvml.has_failed()) return silent(nvml.failure().text, std::move(outcome));
  outcome.seen["driver"] = version.data();
  outcome.summary = {say("driver-release-is", {{"version", version.data()}})};

  unsigned long long errors = 0;
  const int ecc = nvml.ask<TotalEccErrors>("nvmlDeviceGetTotalEccErrors", device, kUncorrected, kSinceLoad, &errors);
  if (ecc == 0) {
    outcome.seen["uncorrected_errors"] = errors;
    outcome.summary.push_back(errors == 0 ? say("memory-without-errors")
                                          : say("memory-had-errors", {{"count", std::uint64_t{errors}}}));
  } else {
    outcome.summary.push_back(say("memory-without-ecc"));
  }
  unsigned corrected = 0;
  unsigned uncorrected = 0;
  unsigned is_pending = 0;
  unsigned has_failed = 0;
  // Since Ampere; others answer that they have no such thing.
  if (nvml.ask<RemappedRows>("nvmlDeviceGetRemappedRows", device, &corrected, &uncorrected, &is_pending, &has_failed) !=
      0)
    return outcome;
  outcome.seen["remapped_rows"] = corrected + uncorrected;
  if (has_failed != 0) return failed(say("memory-row-not-replaced"), std::move(outcome));
  if (is_pending != 0) return failed(say("memory-row-pending"), std::move(outcome));
  if (corrected + uncorrected != 0)
    outcome.summary.push_back(say("memory-rows-replaced", {{"count", corrected + uncorrected}}));
  return outcome;
}

}  // namespace soresolve::confirm
