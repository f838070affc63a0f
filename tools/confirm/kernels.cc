// Loads kernels.ptx and native code as driver modules, launches saxpy and a matrix product, and compares them bit by
// bit. Source: CUDA Driver API "Module Management", "Execution Control". Speed is measured for the convolution only.
#include "kernels.h"

#include <cuda.h>

#include <chrono>
#include <cstring>

#include "convolution.h"
#include "numbers.h"
#include "soresolve/catalogue.h"
#include "status_text.h"
#include "stopwatch.h"

namespace soresolve::confirm {
namespace {

constexpr unsigned kTile = 16;           // of the matrix product, see kernels.ptx
constexpr std::size_t kMatrix = 128;     // rows and columns, a multiple of it
constexpr std::size_t kVector = 100003;  // no multiple of a block: the last one has threads to spare
constexpr unsigned kBlock = 256;

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
  std::vector<float> left = random_floats(kMatrix * kMatrix, 3);
  std::vector<float> right = random_floats(kMatrix * kMatrix, 4);
  Reference sum = saxpy_reference(a, x, y);
  Reference product = product_reference(kMatrix, left, right);
};

KernelRun run_both(KernelModule& module, GpuMemory& memory, const KernelData& data) {
  KernelRun run;
  const GpuAddress x = memory.upload(data.x);
  const GpuAddress y = memory.upload(data.y);
  const GpuAddress left = memory.upload(data.left);
  const GpuAddress right = memory.upload(data.right);
  const GpuAddress product = memory.poisoned(kMatrix * kMatrix);
  if (memory.has_failed()) return run;
  launch(module, "soresolve_saxpy", {blocks_for(kVector), 1, kBlock, 1}, static_cast<unsigned>(kVector), data.a, x, y);
  constexpr unsigned kTiles = kMatrix / kTile;
  launch(module, "soresolve_sgemm", {kTiles, kTiles, kTile, kTile}, static_cast<unsigned>(kMatrix), left, right,
         product);
  if (module.has_failed() || !memory.synchronize()) return run;
  run.saxpy = compare(memory.download(y, kVector), data.sum);
  run.product = compare(memory.download(product, kMatrix * kMatrix), data.product);
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

bool KernelModule::launch(const char* kernel, LaunchShape shape, void** arguments) {
  CUfunction function = nullptr;
  return driver_.call<decltype(cuModuleGetFunction)>("cuModuleGetFunction", &function, static_cast<CUmodule>(module_),
                                                     kernel) &&
         driver_.call<decltype(cuLaunchKernel)>("cuLaunchKernel", function, shape.blocks_x, shape.blocks_y, 1U,
                                                shape.threads_x, shape.threads_y, 1U, 0U, nullptr, arguments, nullptr);
}

Outcome run_kernels(Session& session) {
  Outcome outcome;
  GpuMemory memory(session);
  if (!memory.set_up()) return memory.failure_outcome(outcome);
  const KernelData data;
  KernelModule compiled(session);
  if (!compiled.load(kKernelsPtx)) {
    const std::string& words = compiled.compiler_log();
    const Statement log = words.empty() ? Statement{} : say("compiler-says", {{"log", words}});
    return failed(say("ptx-not-compiled", {{"failure", compiled.failure().text}, {"log", log}}), outcome);
  }
  const KernelRun from_ptx = run_both(compiled, memory, data);
  if (memory.has_failed()) return memory.failure_outcome(outcome);
  if (compiled.has_failed()) return failed(compiled.failure().text, outcome);
  put_down(outcome, "ptx", from_ptx);
  if (!from_ptx.is_good()) return wrong_numbers(say("from-ptx"), from_ptx, outcome);
  outcome.summary = {say("kernels-right", {{"error", error_text(from_ptx.product)}})};
  if (kKernelsNative.empty()) return outcome;

  KernelModule native(session);
  if (!native.load(kKernelsNative.data())) {
    if (native.failure().code == CUDA_ERROR_NO_BINARY_FOR_GPU) {
      outcome.summary.push_back(say("no-native-code"));
      return outcome;
    }
    return failed(say("native-not-loaded", {{"failure", native.failure().text}}), outcome);
  }
  const KernelRun from_code = run_both(native, memory, data);
  if (memory.has_failed()) return memory.failure_outcome(outcome);
  if (native.has_failed()) return failed(native.failure().text, outcome);
  put_down(outcome, "native", from_code);
  if (!from_code.is_good()) return wrong_numbers(say("native-code"), from_code, outcome);
  outcome.summary.push_back(say("native-is-same"));
  return outcome;
}

double time_convolution(KernelModule& module, GpuMemory& memory, GpuAddress image, GpuAddress weights,
                        GpuAddress output) {
  const auto once = [&] {
    return launch(module, "soresolve_convolution", {blocks_for(std::size_t{kOutput} * kOutput), kFilters, kBlock, 1},
                  image, weights, output) &&
           memory.synchronize();
  };
  return best_time(once);
}

}  // namespace soresolve::confirm
