// The text of a status by the library's own function (cudaGetErrorString and others), and whether the status is a
// failure or only "nothing here to run on". Source: CUDA Runtime API, cudaError_t.
#include "status_text.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <sys/resource.h>

#include <cstdlib>

namespace soresolve::confirm {
namespace {

// cudaErrorSystemNotReady and its neighbours, by number: the headers of 10.0 do not have all of them.
constexpr int kSystemNotReady = 802;
constexpr int kDriverMismatch = 803;
constexpr int kCompatNotSupported = 804;

struct TextFunction {
  std::string_view role;
  const char* name;
};
constexpr TextFunction kTextFunctions[] = {{"runtime", "cudaGetErrorString"},   {"cudnn", "cudnnGetErrorString"},
                                           {"cublas", "cublasGetStatusString"}, {"cusparse", "cusparseGetErrorString"},
                                           {"nccl", "ncclGetErrorString"},      {"nvrtc", "nvrtcGetErrorString"},
                                           {"nvml", "nvmlErrorString"}};

Statement error_known(int code, const char* words) {
  const std::string number = std::to_string(code);
  return words == nullptr ? say("error-number", {{"number", number}})
                          : say("error-number-words", {{"number", number}, {"words", words}});
}

Statement status_known(int code, const char* words) {
  const std::string number = std::to_string(code);
  return words == nullptr ? say("status-number", {{"number", number}})
                          : say("status-number-words", {{"number", number}, {"words", words}});
}

Statement describe_driver(const Library& library, int code) {
  const char* words = nullptr;
  if (auto* function = library.peek<decltype(cuGetErrorString)>("cuGetErrorString")) {
    function(static_cast<CUresult>(code), &words);
  }
  return error_known(code, words);
}

/// The text functions of all libraries take the status and return words.
template <std::size_t kIndex>
Statement describe_by(const Library& library, int code) {
  using Function = const char*(int);
  auto* function = library.peek<Function>(kTextFunctions[kIndex].name);
  const char* words = function == nullptr ? nullptr : function(code);
  return kIndex == 0 ? error_known(code, words) : status_known(code, words);
}
constexpr Library::Describe kDescribers[] = {describe_by<0>, describe_by<1>, describe_by<2>, describe_by<3>,
                                             describe_by<4>, describe_by<5>, describe_by<6>};

/// Error 2 is a word on the GPU's memory only where there is a context to take it from.
Statement lack_of_memory(const Session& session, const Statement& what) {
  if (const auto limited = limited_space(what)) return *limited;
  if (session.has_context) return say("gpu-memory-is-full", {{"what", what}});
  return say(session.gpu ? "no-memory-for-context" : "driver-has-no-memory", {{"what", what}});
}

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

bool is_switched_on(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

std::optional<Statement> limited_space(const Statement& what) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return say("address-space-is-limited", {{"size", std::uint64_t{limit.rlim_cur >> 20}}, {"what", what}});
}

Outcome refused_by_library(const Statement& what, Outcome so_far) {
  if (auto limited = limited_space(what)) return unavailable(std::move(*limited), std::move(so_far));
  return failed(what, std::move(so_far));
}

Outcome refusal(const Session& session, int code, const Statement& what, Outcome so_far) {
  const bool has_gpu = session.gpu.has_value();
  switch (code) {
    case cudaErrorNoDevice:
      return unavailable(say("no-usable-gpu", {{"hidden", visible_devices()}, {"what", what}}), so_far);
    case cudaErrorStubLibrary: return unavailable(say("driver-library-is-stub", {{"what", what}}), so_far);
    case cudaErrorDevicesUnavailable: return unavailable(say("gpu-is-busy", {{"what", what}}), so_far);
    case cudaErrorMemoryAllocation: return unavailable(lack_of_memory(session, what), so_far);
    // These three come from a kernel module that is there, whatever nodes a container shows.
    case kSystemNotReady: return failed(say("system-not-ready", {{"what", what}}), so_far);
    case kDriverMismatch: return failed(say("driver-parts-differ", {{"what", what}}), so_far);
    case kCompatNotSupported: return failed(say("compat-not-supported", {{"what", what}}), so_far);
    case cudaErrorInsufficientDriver:
      if (!has_gpu) return unavailable(say("driver-missing-or-old", {{"what", what}}), so_far);
      return failed(say("driver-too-old-for-runtime", {{"what", what}}), so_far);
    default: break;
  }
  if (!session.plan.has_device_nodes) return unavailable(say("kernel-shows-no-gpu", {{"what", what}}), so_far);
  return refused_by_library(what, std::move(so_far));
}

}  // namespace soresolve::confirm
