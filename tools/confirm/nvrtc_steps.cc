// NVRTC: its version, one kernel compiled for the GPU's chip (or the nearest older PTX), and its result. Source: NVRTC
// manual, nvrtcCompileProgram. Include paths and compiler options of users are not tested.
#include <cuda.h>
#include <nvrtc.h>

#include <algorithm>

#include "cuda/driver.h"
#include "kernels.h"
#include "library_steps.h"
#include "status_text.h"

namespace soresolve::confirm {
namespace {

constexpr const char* kSource =
    "extern \"C\" __global__ void soresolve_nvrtc(unsigned n, float a, const float* x, float* y) {\n"
    "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = fmaf(a, x[i], y[i]);\n"
    "}\n";

/// The chips that it makes code for, ascending; empty: it cannot say (before 11.2).
std::vector<int> supported_chips(const Library& nvrtc) {
  int count = 0;
  if (nvrtc.peek<decltype(nvrtcGetNumSupportedArchs)>("nvrtcGetNumSupportedArchs") == nullptr ||
      nvrtc.ask<decltype(nvrtcGetNumSupportedArchs)>("nvrtcGetNumSupportedArchs", &count) != 0 || count <= 0 ||
      count > 1000) {
    return {};
  }
  std::vector<int> chips(static_cast<std::size_t>(count));
  if (nvrtc.ask<decltype(nvrtcGetSupportedArchs)>("nvrtcGetSupportedArchs", chips.data()) != 0) return {};
  return chips;
}

/// For the GPU here its own code where NVRTC knows it, so that no driver has to know the PTX; else PTX of
/// the newest older chip. Without a GPU the oldest.
std::string architecture_for(const Session& session, const std::vector<int>& chips) {
  if (chips.empty()) return {};
  if (!session.gpu) return "compute_" + std::to_string(chips.front());
  const int chip = session.gpu->major_number * 10 + session.gpu->minor_number;
  if (std::find(chips.begin(), chips.end(), chip) != chips.end()) return "sm_" + std::to_string(chip);
  int best = chips.front();
  for (const int other : chips) {
    if (other < chip) best = other;
  }
  return "compute_" + std::to_string(best);
}

struct CompiledCode {
  std::string architecture;
  std::string image;  ///< PTX or a cubin
  Outcome outcome;
};

Statement compiler_log(const Library& nvrtc, nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtc.ask<decltype(nvrtcGetProgramLogSize)>("nvrtcGetProgramLogSize", program, &size) != 0 || size < 2 ||
      size > 1 << 20) {
    return {};
  }
  std::string log(size, '\0');
  nvrtc.ask<decltype(nvrtcGetProgramLog)>("nvrtcGetProgramLog", program, log.data());
  log.resize(std::min(log.find('\0'), std::size_t{2000}));
  return say("compiler-log", {{"log", log}});
}

/// The result by its pair of functions for PTX or a cubin.
bool take_image(Library& nvrtc, nvrtcProgram program, CompiledCode& code) {
  const bool is_native = code.architecture.starts_with("sm_");
  std::size_t size = 0;
  if (!nvrtc.call<decltype(nvrtcGetPTXSize)>(is_native ? "nvrtcGetCUBINSize" : "nvrtcGetPTXSize", program, &size))
    return false;
  code.image.assign(std::min(size, std::size_t{1} << 26), '\0');
  return nvrtc.call<decltype(nvrtcGetPTX)>(is_native ? "nvrtcGetCUBIN" : "nvrtcGetPTX", program, code.image.data());
}

CompiledCode compile(Session& session) {
  Library& nvrtc = session.library("nvrtc");
  nvrtc.forget_failure();
  CompiledCode code;
  code.architecture = architecture_for(session, supported_chips(nvrtc));
  const std::string option = "--gpu-architecture=" + code.architecture;
  const char* options[] = {option.c_str()};
  nvrtcProgram program = nullptr;
  nvrtc.call<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram", &program, kSource, "soresolve.cu", 0, nullptr,
                                           nullptr);
  if (!nvrtc.call<decltype(nvrtcCompileProgram)>("nvrtcCompileProgram", program, code.architecture.empty() ? 0 : 1,
                                                 options) ||
      !take_image(nvrtc, program, code)) {
    code.outcome = refused_by_library(
        say("compiler-fails", {{"failure", nvrtc.failure().text}, {"log", compiler_log(nvrtc, program)}}));
    return code;
  }
  if (code.image.find("soresolve_nvrtc") == std::string::npos) {
    code.outcome = failed(say("kernel-left-out"));
    return code;
  }
  code.outcome.seen["architecture"] = code.architecture;
  const Statement chip = code.architecture.empty() ? say("default-chip") : words_of_others(code.architecture);
  code.outcome.summary = {say("kernel-compiled", {{"chip", chip}, {"size", code.image.size()}})};
  return code;
}

}  // namespace

Outcome run_nvrtc_version(Session& session) {
  Library& nvrtc = session.library("nvrtc");
  int major_number = 0;
  int minor_number = 0;
  if (!nvrtc.call<decltype(nvrtcVersion)>("nvrtcVersion", &major_number, &minor_number))
    return refused_by_library(nvrtc.failure().text);
  return version_outcome(session, "nvrtc", std::to_string(major_number) + "." + std::to_string(minor_number));
}

Outcome run_nvrtc_compile(Session& session) { return compile(session).outcome; }

Outcome compute_nvrtc_kernel(Computation& run) {
  auto& [session, nvrtc, memory] = run;
  constexpr std::size_t kCount = 5000;
  const CompiledCode code = compile(session);
  if (code.outcome.status != StepStatus::Passed) return code.outcome;
  const std::vector<float> x = random_floats(kCount, 14);
  const std::vector<float> y = random_floats(kCount, 15);
  memory.set_up();
  const GpuAddress x_there = memory.upload(x);
  const GpuAddress y_there = memory.upload(y);
  if (memory.has_failed()) return {};
  KernelModule module(session);
  if (module.load(code.image.c_str())) {
    launch(module, "soresolve_nvrtc", {20, 1, 256, 1}, static_cast<unsigned>(kCount), 0.71F, x_there, y_there);
  }
  if (module.has_failed()) {
    const Statement what =
        say("compiled-does-not-run", {{"chip", code.architecture}, {"failure", module.failure().text}});
    constexpr int kCompilerOff[] = {221, 223};  // CUDA_ERROR_JIT_COMPILER_NOT_FOUND, _DISABLED
    const int code_of_failure = module.failure().code;
    const bool is_off =
        std::find(std::begin(kCompilerOff), std::end(kCompilerOff), code_of_failure) != std::end(kCompilerOff);
    if (is_off) return unavailable(what);
    for (const char* variable : {"CUDA_FORCE_PTX_JIT", "CUDA_DISABLE_PTX_JIT"}) {
      if (is_switched_on(variable))
        return unavailable(say("code-switched-off", {{"variable", variable}, {"what", what}}));
    }
    return code_of_failure == CUDA_ERROR_OUT_OF_MEMORY ? refusal(session, code_of_failure, what)
                                                       : refused_by_library(what);
  }
  memory.synchronize();
  const Comparison comparison = compare(memory.download(y_there, kCount), saxpy_reference(0.71F, x, y));
  return run.judge(comparison, say("its-kernel"));
}

}  // namespace soresolve::confirm
