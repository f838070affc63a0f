// cuBLAS: its version, and two products of 192 x 192 matrices: one of short numbers, exact to the last bit, and one of
// full ones, which tells FP32 from TF32. Source: cuBLAS manual, cublasGetProperty, cublasSgemm. Other types and batched
// calls are not run.
#include <cublas_v2.h>

#include "library_steps.h"
#include "status_text.h"

namespace soresolve::confirm {
namespace {

constexpr int kBlasMatrix = 192;
constexpr std::size_t kBlasCount = std::size_t{kBlasMatrix} * kBlasMatrix;

// Relative to the sum of the terms' magnitudes. Sums in FP32 err by 2e-7 at most here; with factors rounded to TF32,
// nine elements in ten err by more than 3e-6, the worst by 1e-4, and by 1e-3 with BF16.
constexpr double kSinglePrecision = 3e-6;
constexpr double kReducedPrecision = 5e-4;

Comparison multiply(Computation& run, const std::vector<float>& left, const std::vector<float>& right,
                    const Reference& reference) {
  auto& [session, cublas, memory] = run;
  const GpuAddress left_there = memory.upload(left);
  const GpuAddress right_there = memory.upload(right);
  const GpuAddress product = memory.poisoned(kBlasCount);
  if (run.has_failed()) return {};
  cublasHandle_t handle = nullptr;
  const float one = 1;
  const float zero = 0;
  cublas.call<decltype(cublasCreate_v2)>("cublasCreate_v2", &handle);
  // By columns; so the product of the rows' matrices is that of the two in the other order.
  cublas.call<decltype(cublasSgemm_v2)>("cublasSgemm_v2", handle, CUBLAS_OP_N, CUBLAS_OP_N, kBlasMatrix, kBlasMatrix,
                                        kBlasMatrix, &one, pointer_to<float>(right_there), kBlasMatrix,
                                        pointer_to<float>(left_there), kBlasMatrix, &zero, pointer_to<float>(product),
                                        kBlasMatrix);
  run.wait();
  const Comparison comparison = compare(memory.download(product, kBlasCount), reference);
  cublas.call<decltype(cublasDestroy_v2)>("cublasDestroy_v2", handle);
  return comparison;
}

/// The product of numbers with 24 bits each, which exact sums of short ones cannot stand for.
Outcome judge_precision(const Computation& run, const Comparison& comparison, Outcome outcome) {
  Outcome precise = run.judge(comparison, say("full-product"));
  outcome.seen["precision"] = comparison.worst_error;
  if (precise.status == StepStatus::Passed) {
    outcome.summary.push_back(say("semicolon"));
    outcome.summary.push_back(precise.summary.front());
    return outcome;
  }
  const bool is_reduced = !run.has_failed() && comparison.worst_error <= kReducedPrecision && comparison.untouched == 0;
  if (is_reduced && is_switched_on("NVIDIA_TF32_OVERRIDE")) {
    outcome.summary.push_back(say("semicolon"));
    outcome.summary.push_back(say("product-in-tf32-as-set", {{"error", error_text(comparison)}}));
    return outcome;
  }
  if (is_reduced) return failed(say("product-is-imprecise", {{"error", error_text(comparison)}}), outcome);
  precise.seen.update(outcome.seen);
  return precise;
}

}  // namespace

Outcome compute_cublas_product(Computation& run) {
  const std::vector<float> left = random_steps(kBlasCount, 7);
  const std::vector<float> right = random_steps(kBlasCount, 8);
  const std::vector<float> full_left = random_floats(kBlasCount, 16);
  const std::vector<float> full_right = random_floats(kBlasCount, 17);
  const Comparison exact = multiply(run, left, right, product_reference(kBlasMatrix, left, right));
  Outcome outcome = run.judge(exact, say("matrix-product"));
  if (outcome.status != StepStatus::Passed) return outcome;
  Reference reference = product_reference(kBlasMatrix, full_left, full_right);
  reference.exact.clear();
  reference.tolerance = kSinglePrecision;
  return judge_precision(run, multiply(run, full_left, full_right, reference), std::move(outcome));
}

}  // namespace soresolve::confirm
