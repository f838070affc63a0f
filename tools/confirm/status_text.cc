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

std::string told(const char* noun, int code, const char* words) {
  std::string text = noun + (" " + std::to_string(code));
  if (words != nullptr) text += " (" + std::string(words) + ")";
  return text;
}

std::string describe_driver(const Library& library, int code) {
  const char* words = nullptr;
  if (auto* function = library.peek<decltype(cuGetErrorString)>("cuGetErrorString")) {
    function(static_cast<CUresult>(code), &words);
  }
  return told("error", code, words);
}

/// The text functions of all libraries take the status and return words.
template <std::size_t kIndex>
std::string describe_by(const Library& library, int code) {
  using Function = const char*(int);
  auto* function = library.peek<Function>(kTextFunctions[kIndex].name);
  return told(kIndex == 0 ? "error" : "status", code, function == nullptr ? nullptr : function(code));
}
constexpr Library::Describe kDescribers[] = {describe_by<0>, describe_by<1>, describe_by<2>,
                                             describe_by<3>, describe_by<4>, describe_by<5>};

std::string visible_devices() {
  const char* devices = std::getenv("CUDA_VISIBLE_DEVICES");
  if (devices == nullptr) return {};
  return *devices == '\0' ? "; CUDA_VISIBLE_DEVICES is set and empty, which hides every GPU"
                          : "; CUDA_VISIBLE_DEVICES=" + std::string(devices) + " hides all others";
}

}  // namespace

Library::Describe describer_of(std::string_view role) {
  if (role == "driver") return describe_driver;
  for (std::size_t i = 0; i < std::size(kTextFunctions); ++i) {
    if (kTextFunctions[i].role == role) return kDescribers[i];
  }
  return nullptr;
}

Outcome refusal(const Session& session, int code, const std::string& what, Outcome so_far) {
  const bool has_gpu = session.gpu.has_value();
  switch (code) {
    case cudaErrorNoDevice:
      return unavailable("no GPU that CUDA can use is here" + visible_devices() + ": " + what, so_far);
    case cudaErrorStubLibrary:
      return unavailable("the driver library is a stub, which is meant for linking only: " + what, so_far);
    case cudaErrorDevicesUnavailable:
      return unavailable("the GPU is busy, or in exclusive use by another process: " + what, so_far);
    case cudaErrorMemoryAllocation: return unavailable("the GPU has no memory left: " + what, so_far);
    case cudaErrorInsufficientDriver:
      if (!has_gpu) return unavailable("there is no driver, or one that is too old for this runtime: " + what, so_far);
      return failed("the driver is too old for this runtime: " + what, so_far);
    default: break;
  }
  if (!session.plan.has_device_nodes) return unavailable("no driver of the kernel shows a GPU here: " + what, so_far);
  return failed(what, so_far);
}

}  // namespace soresolve::confirm
