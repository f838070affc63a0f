// The text of a status by the library's own function (cudaGetErrorString and others), and whether the status is a
// failure or only "nothing here to run on". Source: CUDA Runtime API, cudaError_t.
#include "status_text.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdlib>

namespace soresolve::confirm {
namespace {

struct TextFunction {
  std::string_view role;
  const char* name;
};
constexpr TextFunction kTextFunctions[] = {{"runtime", "cudaGetErrorString"},   {"cudnn", "cudnnGetErrorString"},
                                           {"cublas", "cublasGetStatusString"}, {"cusparse", "cusparseGetErrorString"},
                                           {"nccl", "ncclGetErrorString"},      {"nvrtc", "nvrtcGetErrorString"}};

Statement error_told(int code, const char* words) {
  const std::string number = std::to_string(code);
  return words == nullptr ? say("error-number", {{"number", number}})
                          : say("error-number-words", {{"number", number}, {"words", words}});
}

Statement status_told(int code, const char* words) {
  const std::string number = std::to_string(code);
  return words == nullptr ? say("status-number", {{"number", number}})
                          : say("status-number-words", {{"number", number}, {"words", words}});
}

Statement describe_driver(const Library& library, int code) {
  const char* words = nullptr;
  if (auto* function = library.peek<decltype(cuGetErrorString)>("cuGetErrorString")) {
    function(static_cast<CUresult>(code), &words);
  }
  return error_told(code, words);
}

/// The text functions of all libraries take the status and return words.
template <std::size_t kIndex>
Statement describe_by(const Library& library, int code) {
  using Function = const char*(int);
  auto* function = library.peek<Function>(kTextFunctions[kIndex].name);
  const char* words = function == nullptr ? nullptr : function(code);
  return kIndex == 0 ? error_told(code, words) : status_told(code, words);
}
constexpr Library::Describe kDescribers[] = {describe_by<0>, describe_by<1>, describe_by<2>,
                                             describe_by<3>, describe_by<4>, describe_by<5>};

Statement visible_devices() {
  const char* devices = std::getenv("CUDA_VISIBLE_DEVICES");
  if (devices == nullptr) return {};
  return *devices == '\0' ? say("devices-all-hidden") : say("devices-hidden", {{"devices", devices}});
}

}  // namespace

Library::Describe describer_of(std::string_view role) {
  if (role == "driver") return describe_driver;
  for (std::size_t i = 0; i < std::size(kTextFunctions); ++i) {
    if (kTextFunctions[i].role == role) return kDescribers[i];
  }
  return nullptr;
}

Outcome refusal(const Session& session, int code, const Statement& what, Outcome so_far) {
  const bool has_gpu = session.gpu.has_value();
  switch (code) {
    case cudaErrorNoDevice:
      return unavailable(say("no-usable-gpu", {{"hidden", visible_devices()}, {"what", what}}), so_far);
    case cudaErrorStubLibrary: return unavailable(say("driver-library-is-stub", {{"what", what}}), so_far);
    case cudaErrorDevicesUnavailable: return unavailable(say("gpu-is-busy", {{"what", what}}), so_far);
    case cudaErrorMemoryAllocation: return unavailable(say("gpu-memory-is-full", {{"what", what}}), so_far);
    case cudaErrorInsufficientDriver:
      if (!has_gpu) return unavailable(say("driver-missing-or-old", {{"what", what}}), so_far);
      return failed(say("driver-too-old-for-runtime", {{"what", what}}), so_far);
    default: break;
  }
  if (!session.plan.has_device_nodes) return unavailable(say("kernel-shows-no-gpu", {{"what", what}}), so_far);
  return failed(what, so_far);
}

}  // namespace soresolve::confirm
