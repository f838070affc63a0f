// cuBLAS in half precision: a product of FP16 and one of BF16 numbers, summed in FP32, which is what the tensor cores
// of a chip are for. All numbers are multiples of 1/64 of at most 7 bits, so that every product and every sum is exact:
// one different bit is a failure. Source: cuBLAS manual, cublasGemmEx. Which of its kernels runs is its own choice.
#include <cublas_v2.h>

#include <bit>

#include "library_steps.h"
#include "status_text.h"

namespace soresolve::confirm {
namespace {

constexpr int kMatrix = 256;  // a whole number of every tile
constexpr std::size_t kCount = std::size_t{kMatrix} * kMatrix;

// By number: cublasComputeType_t came with cuBLAS 11, which took the place of a cudaDataType in the same call.
constexpr int kSumsIn32FSince11 = 68;
constexpr int kSumsIn32FBefore = 0;
constexpr int kBf16 = 14;  // CUDA_R_16BF

/// Exact for numbers of few bits that are none of the smallest.
std::uint16_t as_fp16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value == 0) return 0;
  const std::uint32_t exponent = (bits >> 23 & 0xFF) - 127 + 15;
  return static_cast<std::uint16_t>(bits >> 16 & 0x8000) |
         static_cast<std::uint16_t>(exponent << 10 | (bits >> 13 & 0x3FF));
}

std::uint16_t as_bf16(float value) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16); }

struct HalfType {
  const char* name;
  int type;     ///< cudaDataType
  int since;    ///< compute capability: 80 is 8.0
  int library;  ///< major release of cuBLAS
  std::uint16_t (*make)(float);
};
constexpr HalfType kTypes[] = {{"FP16", CUDA_R_16F, 53, 8, as_fp16}, {"BF16", kBf16, 80, 11, as_bf16}};

GpuAddress upload(GpuMemory& memory, const std::vector<float>& values, const HalfType& type) {
  std::vector<std::uint16_t> halves;
  for (const float value : values) halves.push_back(type.make(value));
  return memory.upload_bytes(std::as_bytes(std::span(halves)));
}

Comparison multiply(Computation& run, const HalfType& type, int major, const std::vector<float>& left,
                    const std::vector<float>& right, const Reference& reference) {
  auto& [session, cublas, memory] = run;
  const GpuAddress left_there = upload(memory, left, type);
  const GpuAddress right_there = upload(memory, right, type);
  const GpuAddress product = memory.poisoned(kCount);
  if (run.has_failed()) return {};
  cublasHandle_t handle = nullptr;
  const float one = 1;
  const float zero = 0;
  using Multiply = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                  const void*, int, int, const void*, int, int, const void*, void*, int, int, int, int);
  cublas.call<decltype(cublasCreate_v2)>("cublasCreate_v2", &handle);
  cublas.call<Multiply>("cublasGemmEx", handle, CUBLAS_OP_N, CUBLAS_OP_N, kMatrix, kMatrix, kMatrix, &one,
                        pointer_to<void>(right_there), type.type, kMatrix, pointer_to<void>(left_there), type.type,
                        kMatrix, &zero, pointer_to<void>(product), static_cast<int>(CUDA_R_32F), kMatrix,
                        major >= 11 ? kSumsIn32FSince11 : kSumsIn32FBefore, static_cast<int>(CUBLAS_GEMM_DEFAULT));
  run.wait();
  const Comparison comparison = compare(memory.download(product, kCount), reference);
  cublas.call<decltype(cublasDestroy_v2)>("cublasDestroy_v2", handle);
  return comparison;
}

}  // namespace

Outcome compute_cublas_half(Computation& run) {
  auto& [session, cublas, memory] = run;
  int major = 0;
  cublas.call<decltype(cublasGetProperty)>("cublasGetProperty", MAJOR_VERSION, &major);
  const int chip = session.gpu ? session.gpu->major_number * 10 + session.gpu->minor_number : 0;
  const std::vector<float> left = random_steps(kCount, 18);
  const std::vector<float> right = random_steps(kCount, 19);
  const Reference reference = product_reference(kMatrix, left, right);
  Outcome outcome;
  for (const HalfType& type : kTypes) {
    if (chip < type.since || major < type.library) continue;
    const Comparison product = multiply(run, type, major, left, right, reference);
    const Outcome one = run.judge(product, say("half-product", {{"type", type.name}}));
    if (one.status != StepStatus::Passed) return one;
    if (!outcome.summary.empty()) outcome.summary.push_back(say("semicolon"));
    outcome.summary.push_back(one.summary.front());
    outcome.seen[type.name] = one.seen.value("relative_error", 0.0);
  }
  if (run.has_failed()) return {};
  if (outcome.summary.empty()) outcome.summary.push_back(say("no-half-precision"));
  return outcome;
}

}  // namespace soresolve::confirm
