// cuSOLVER: its version, and the Cholesky factor of a 64 x 64 matrix against the textbook algorithm in double
// precision. Source: cuSOLVER manual, cusolverDnSpotrf. Other decompositions are not run.
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "library_steps.h"
#include "status_text.h"

namespace soresolve::confirm {
namespace {

constexpr std::size_t kSolverMatrix = 64;

/// Symmetric and positive definite: the diagonal outweighs its row.
std::vector<float> make_matrix() {
  std::vector<float> matrix = random_floats(kSolverMatrix * kSolverMatrix, 12);
  for (std::size_t row = 0; row < kSolverMatrix; ++row) {
    for (std::size_t column = 0; column < row; ++column)
      matrix[column * kSolverMatrix + row] = matrix[row * kSolverMatrix + column];
    matrix[row * kSolverMatrix + row] += static_cast<float>(kSolverMatrix);
  }
  return matrix;
}

/// What lies above the diagonal is no part of the result: the manual leaves open what is there afterwards.
void clear_unused(std::vector<float>& matrix) {
  for (std::size_t column = 0; column < kSolverMatrix; ++column)
    std::fill_n(matrix.begin() + static_cast<std::ptrdiff_t>(column * kSolverMatrix), column, 0.0F);
}

/// The lower factor of Cholesky's decomposition, by columns.
Reference factor_reference(const std::vector<float>& matrix) {
  Reference reference;
  // Of numbers up to 8, of which the textbook in single precision gets the last but two bits wrong (2.3e-6).
  // With TF32 for all products, if that is set, each factor is off by 5e-4.
  reference.tolerance = is_switched_on("NVIDIA_TF32_OVERRIDE") ? 1e-2 : 2e-5;
  reference.scales.assign(kSolverMatrix * kSolverMatrix, 1.0);
  reference.values.assign(kSolverMatrix * kSolverMatrix, 0.0);
  const auto at = [&](std::size_t row, std::size_t column) -> double& {
    return reference.values[column * kSolverMatrix + row];
  };
  for (std::size_t column = 0; column < kSolverMatrix; ++column) {
    for (std::size_t row = column; row < kSolverMatrix; ++row) {
      double sum = static_cast<double>(matrix[column * kSolverMatrix + row]);
      for (std::size_t k = 0; k < column; ++k) sum -= at(row, k) * at(column, k);
      at(row, column) = row == column ? std::sqrt(sum) : sum / at(column, column);
    }
  }
  return reference;
}

/// What LAPACK's `info` would be told as.
int info_of(GpuMemory& memory, GpuAddress info) {
  const std::vector<float> bits = memory.download(info, 1);
  int number = 0;
  std::memcpy(&number, bits.data(), sizeof number);
  return number;
}

}  // namespace

Outcome compute_cusolver_factors(Computation& run) {
  const std::vector<float> matrix = make_matrix();
  auto& [session, cusolver, memory] = run;
  const GpuAddress there = memory.upload(matrix);
  const GpuAddress info = memory.poisoned(1);
  if (run.has_failed()) return {};
  cusolverDnHandle_t handle = nullptr;
  int work_count = 0;
  constexpr int kSize = static_cast<int>(kSolverMatrix);
  cusolver.call<decltype(cusolverDnCreate)>("cusolverDnCreate", &handle);
  cusolver.call<decltype(cusolverDnSpotrf_bufferSize)>("cusolverDnSpotrf_bufferSize", handle, CUBLAS_FILL_MODE_LOWER,
                                                       kSize, pointer_to<float>(there), kSize, &work_count);
  if (run.has_failed()) return {};
  if (work_count < 0) return failed(say("work-size-is", {{"size", std::to_string(work_count)}}));
  const GpuAddress work = memory.poisoned(static_cast<std::size_t>(work_count) + 1);
  if (run.has_failed()) return {};
  cusolver.call<decltype(cusolverDnSpotrf)>("cusolverDnSpotrf", handle, CUBLAS_FILL_MODE_LOWER, kSize,
                                            pointer_to<float>(there), kSize, pointer_to<float>(work), work_count,
                                            pointer_to<int>(info));
  run.wait();
  const int problem = info_of(memory, info);
  std::vector<float> factor = memory.download(there, kSolverMatrix * kSolverMatrix);
  clear_unused(factor);
  const Comparison comparison = compare(factor, factor_reference(matrix));
  if (!run.has_failed() && problem != 0)
    return failed(say("not-positive-definite", {{"info", std::to_string(problem)}}));
  return run.judge(comparison, say("cholesky-factor"));
}

}  // namespace soresolve::confirm
