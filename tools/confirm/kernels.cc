// Loads kernels.ptx and native code as driver modules, launches saxpy and a matrix product, and compares them bit by
// bit. Source: CUDA Driver API "Module Management", "Execution Control". Speed is measured for the convolution only.
#include "kernels.h"

#include <cuda.h>

#include <algorithm>
#include <cstring>

#include "convolution.h"
#include "cuda/driver.h"
#include "driver_step.h"
#include "numbers.h"
#include "soresolve/catalogue.h"
#include "status_text.h"

namespace soresolve::confirm {
namespace {

constexpr unsigned kTile = 16;              // of the matrix product, see kernels.ptx
constexpr std::size_t kKernelMatrix = 128;  // rows and columns, a multiple of it
constexpr std::size_t kVector = 100003;     // no multiple of a block: the last one has threads to spare
constexpr unsigned kBlock = 256;
// CUDA_ERROR_JIT_COMPILER_NOT_FOUND and _DISABLED, by number: cuda.h has them since 10.0 and 11.1.
constexpr int kCompilerNotFound = 221;
constexpr int kCompilationDisabled = 223;

unsigned blocks_for(std::size_t count) { return static_cast<unsigned>((count + kBlock - 1) / kBlock); }

/// What a run of both kernels from one image came to.
struct KernelRun {
  Comparison saxpy;
  Comparison product;
  [[nodiscard]] bool is_good() const { return saxpy.is_good() && product.is_good(); }
};

struct KernelData {
  float a = 1.37F;
  std::vector<float> x = random_floats(kVector, 1);
  std::vector<float> y = random_floats(kVector, 2);
  std::vector<float> left = random_floats(kKernelMatrix * kKernelMatrix, 3);
  std::vector<float> right = random_floats(kKernelMatrix * kKernelMatrix, 4);
  Reference sum = saxpy_reference(a, x, y);
  Reference product = product_reference(kKernelMatrix, left, right);
};

KernelRun run_both(KernelModule& module, GpuMemory& memory, const KernelData& data) {
  KernelRun run;
  const GpuAddress x = memory.upload(data.x);
  const GpuAddress y = memory.upload(data.y);
  const GpuAddress left = memory.upload(data.left);
  const GpuAddress right = memory.upload(data.right);
  const GpuAddress product = memory.poisoned(kKernelMatrix * kKernelMatrix);
  if (memory.has_failed()) return run;
  launch(module, "soresolve_saxpy", {blocks_for(kVector), 1, kBlock, 1}, static_cast<unsigned>(kVector), data.a, x, y);
  constexpr unsigned kTiles = kKernelMatrix / kTile;
  launch(module, "soresolve_sgemm", {kTiles, kTiles, kTile, kTile}, static_cast<unsigned>(kKernelMatrix), left, right,
         product);
  if (module.has_failed() || !memory.synchronize()) return run;
  run.saxpy = compare(memory.download(y, kVector), data.sum);
  run.product = compare(memory.download(product, kKernelMatrix * kKernelMatrix), data.product);
  return run;
}

void put_down(Outcome& outcome, const std::string& name, const KernelRun& run) {
  outcome.seen[name] = {{"saxpy", sentence(describe(run.saxpy), Language::English)},
                        {"saxpy_error", run.saxpy.worst_error},
                        {"product", sentence(describe(run.product), Language::English)},
                        {"product_error", run.product.worst_error}};
}

Outcome wrong_numbers(const Statement& origin, const KernelRun& run, Outcome outcome) {
  return failed(
      say("kernels-wrong", {{"origin", origin}, {"saxpy", describe(run.saxpy)}, {"product", describe(run.product)}}),
      outcome);
}

/// One form of our kernels: what came of it, or why it is left out where that is no fault of what is confirmed.
struct FormRun {
  Outcome outcome;
  Statement left_out;
};

/// Both kernels from a module that was loaded.
Outcome run_form(Session& session, KernelModule& module, GpuMemory& memory, const KernelData& data, const char* name,
                 const Statement& origin, Outcome outcome) {
  const KernelRun run = run_both(module, memory, data);
  if (memory.has_failed()) return memory.failure_outcome(std::move(outcome));
  if (module.has_failed()) return refusal(session, module.failure().code, module.failure().text, std::move(outcome));
  put_down(outcome, name, run);
  if (!run.is_good()) return wrong_numbers(origin, run, std::move(outcome));
  outcome.summary.push_back(say("kernels-right", {{"origin", origin}, {"error", error_text(run.product)}}));
  return outcome;
}

/// The driver lacks its compiler (libnvidia-ptxjitcompiler.so.1 did not come along), or is told not to use it, which
/// drivers before 11.1 answer with 209.
bool is_compiler_off(int code) {
  return code == kCompilerNotFound || code == kCompilationDisabled ||
         (code == CUDA_ERROR_NO_BINARY_FOR_GPU && is_switched_on("CUDA_DISABLE_PTX_JIT"));
}

FormRun run_ptx(Session& session, GpuMemory& memory, const KernelData& data, Outcome outcome) {
  KernelModule module(session);
  if (!module.load(kKernelsPtx)) {
    const int code = module.failure().code;
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
      return {refusal(session, code, module.failure().text, std::move(outcome)), {}};
    if (is_compiler_off(code)) return {std::move(outcome), say("no-compiler", {{"failure", module.failure().text}})};
    const std::string& words = module.compiler_log();
    const Statement log = words.empty() ? Statement{} : say("compiler-says", {{"log", words}});
    return {refused_by_library(say("ptx-not-compiled", {{"failure", module.failure().text}, {"log", log}}),
                               std::move(outcome)),
            {}};
  }
  outcome = run_form(session, module, memory, data, "ptx", say("from-ptx"), std::move(outcome));
  if (outcome.status == StepStatus::Passed) session.kernel_image = kKernelsPtx;
  return {std::move(outcome), {}};
}

/// The code that was built in is that of one toolkit, and no fault of the machine if it does not fit: its cubins have
/// an ELF identity (EI_OSABI 0x33 and EI_ABIVERSION 7 up to CUDA 12.8, 0x41 and 8 of 13.0) and a compression (zstd)
/// that drivers for an older CUDA do not know.
FormRun run_native(Session& session, GpuMemory& memory, const KernelData& data, Outcome outcome) {
  if (kKernelsNative.empty()) return {std::move(outcome), {}};
  if (session.driver_release < kKernelsNativeRelease) {
    return {std::move(outcome), say("native-is-newer", {{"built", release_text(kKernelsNativeRelease)},
                                                        {"driver", release_text(session.driver_release)}})};
  }
  KernelModule module(session);
  if (!module.load(kKernelsNative.data())) {
    const int code = module.failure().code;
    const Statement& text = module.failure().text;
    if (code == CUDA_ERROR_OUT_OF_MEMORY) return {refusal(session, code, text, std::move(outcome)), {}};
    if (code == CUDA_ERROR_NO_BINARY_FOR_GPU) {
      return {std::move(outcome), say(is_switched_on("CUDA_FORCE_PTX_JIT") ? "native-switched-off" : "no-native-code")};
    }
    constexpr int kForeign[] = {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                                CUDA_ERROR_INVALID_SOURCE};
    if (std::find(std::begin(kForeign), std::end(kForeign), code) != std::end(kForeign)) {
      return {std::move(outcome), say("native-does-not-fit", {{"failure", text}})};
    }
    return {refused_by_library(say("native-not-loaded", {{"failure", text}}), std::move(outcome)), {}};
  }
  std::vector<Statement> of_ptx = outcome.summary;
  outcome = run_form(session, module, memory, data, "native", say("native-code"), std::move(outcome));
  if (outcome.status != StepStatus::Passed) return {std::move(outcome), {}};
  if (session.kernel_image == nullptr) {
    session.kernel_image = kKernelsNative.data();
  } else {
    of_ptx.push_back(say("native-is-same"));
    outcome.summary = std::move(of_ptx);
  }
  return {std::move(outcome), {}};
}

std::vector<Statement> joined(const std::vector<Statement>& statements) {
  std::vector<Statement> all;
  for (const Statement& statement : statements) {
    if (!all.empty()) all.push_back(say("semicolon"));
    all.push_back(statement);
  }
  return all;
}

}  // namespace

bool KernelModule::load(const void* image) {
  std::array<char, 4096> log{};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CUmodule module = nullptr;
  const bool is_loaded =
      driver_.call<decltype(cuModuleLoadDataEx)>("cuModuleLoadDataEx", &module, image, 2U, options, values);
  compiler_log_.assign(log.data(), ::strnlen(log.data(), log.size()));
  module_ = module;
  return is_loaded;
}

CUfunction KernelModule::kernel(const char* name) {
  CUfunction function = nullptr;
  driver_.call<decltype(cuModuleGetFunction)>("cuModuleGetFunction", &function, static_cast<CUmodule>(module_), name);
  return function;
}

bool KernelModule::launch(const char* name, LaunchShape shape, void** arguments) {
  CUfunction function = kernel(name);
  return !driver_.has_failed() &&
         driver_.call<decltype(cuLaunchKernel)>("cuLaunchKernel", function, shape.blocks_x, shape.blocks_y, 1U,
                                                shape.threads_x, shape.threads_y, 1U, 0U, nullptr, arguments, nullptr);
}

Outcome run_kernels(Session& session) {
  Outcome outcome;
  GpuMemory memory(session);
  if (!memory.set_up()) return memory.failure_outcome(outcome);
  const KernelData data;
  std::vector<Statement> left_out;  // why one of the two forms did not run
  for (const auto run_form : {run_ptx, run_native}) {
    FormRun form = run_form(session, memory, data, std::move(outcome));
    outcome = std::move(form.outcome);
    if (outcome.status != StepStatus::Passed) return outcome;
    if (!form.left_out.empty()) left_out.push_back(std::move(form.left_out));
  }
  if (session.kernel_image == nullptr)
    return unavailable(say("no-form-runs", {{"reasons", joined(left_out)}}), outcome);
  for (Statement& reason : left_out) {
    outcome.summary.push_back(say("semicolon"));
    outcome.summary.push_back(std::move(reason));
  }
  return outcome;
}

PlainConvolution plain_convolution(KernelModule& module) {
  return {module.kernel("soresolve_convolution"), {blocks_for(std::size_t{kOutput} * kOutput), kFilters, kBlock, 1}};
}

}  // namespace soresolve::confirm
