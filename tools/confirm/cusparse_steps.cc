// cuSPARSE: its version, and one sparse matrix (CSR, 1000 rows) times a vector, exact to the last bit. Source: cuSPARSE
// manual, cusparseSpMV. Other formats are not run.
#include <cusparse.h>

#include <algorithm>
#include <cmath>

#include "library_steps.h"

namespace soresolve::confirm {
namespace {

constexpr int kRows = 1000;
constexpr int kPerRow = 9;

/// A matrix in compressed rows, the columns spread over all.
struct SparseMatrix {
  std::vector<int> row_starts;
  std::vector<int> columns;
  std::vector<float> values = random_steps(std::size_t{kRows} * kPerRow, 10);
};

SparseMatrix make_sparse_matrix() {
  SparseMatrix matrix;
  for (int row = 0; row <= kRows; ++row) matrix.row_starts.push_back(row * kPerRow);
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kPerRow; ++i) matrix.columns.push_back((row * 7 + i * 111) % kRows);
    std::sort(matrix.columns.end() - kPerRow, matrix.columns.end());
  }
  return matrix;
}

/// The sums are exact in any order (see random_steps).
Reference multiply(const SparseMatrix& matrix, const std::vector<float>& x) {
  Reference reference;
  for (std::size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    double scale = 0;
    for (std::size_t i = row * kPerRow; i < (row + 1) * kPerRow; ++i) {
      const double product =
          static_cast<double>(matrix.values[i]) * static_cast<double>(x[static_cast<std::size_t>(matrix.columns[i])]);
      sum += product;
      scale += std::abs(product);
    }
    reference.values.push_back(sum);
    reference.scales.push_back(scale);
    reference.exact.push_back(static_cast<float>(sum));
  }
  return reference;
}

}  // namespace

Outcome compute_cusparse_product(Computation& run) {
  const SparseMatrix matrix = make_sparse_matrix();
  const std::vector<float> x = random_steps(kRows, 11);
  auto& [session, cusparse, memory] = run;
  const GpuAddress starts = memory.upload_bytes(std::as_bytes(std::span(matrix.row_starts)));
  const GpuAddress columns = memory.upload_bytes(std::as_bytes(std::span(matrix.columns)));
  const GpuAddress values = memory.upload(matrix.values);
  const GpuAddress x_there = memory.upload(x);
  const GpuAddress y = memory.poisoned(kRows);
  if (run.has_failed()) return {};
  cusparseHandle_t handle = nullptr;
  cusparseSpMatDescr_t sparse = nullptr;
  cusparseDnVecDescr_t from = nullptr;
  cusparseDnVecDescr_t to = nullptr;
  const float one = 1;
  const float zero = 0;
  std::size_t bytes = 0;
  cusparse.call<decltype(cusparseCreate)>("cusparseCreate", &handle);
  cusparse.call<decltype(cusparseCreateCsr)>(
      "cusparseCreateCsr", &sparse, kRows, kRows, kRows * kPerRow, pointer_to<void>(starts), pointer_to<void>(columns),
      pointer_to<void>(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparse.call<decltype(cusparseCreateDnVec)>("cusparseCreateDnVec", &from, kRows, pointer_to<void>(x_there),
                                               CUDA_R_32F);
  cusparse.call<decltype(cusparseCreateDnVec)>("cusparseCreateDnVec", &to, kRows, pointer_to<void>(y), CUDA_R_32F);
  cusparse.call<decltype(cusparseSpMV_bufferSize)>("cusparseSpMV_bufferSize", handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                                   &one, sparse, from, &zero, to, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                                                   &bytes);
  if (run.has_failed()) return {};
  const GpuAddress buffer = memory.allocate(std::max<std::size_t>(bytes, 1));
  if (run.has_failed()) return {};
  cusparse.call<decltype(cusparseSpMV)>("cusparseSpMV", handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, sparse, from,
                                        &zero, to, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, pointer_to<void>(buffer));
  run.wait();
  return run.judge(compare(memory.download(y, kRows), multiply(matrix, x)), say("sparse-product"));
}

}  // namespace soresolve::confirm
