// cuBLAS: its version, and one product of two 192 x 192 matrices, exact to the last bit. Source: cuBLAS manual,
// cublasGetProperty, cublasSgemm. Other types and batched calls are not run.
#include <cublas_v2.h>

#include "library_steps.h"

namespace soresolve::confirm {
namespace {

constexpr int kMatrix = 192;

}  // namespace

Outcome run_cublas_version(Session& session) { return property_version(session, "cublas", "cublasGetProperty"); }

Outcome run_cublas_product(Session& session) {
  constexpr std::size_t kCount = std::size_t{kMatrix} * kMatrix;
  const std::vector<float> left = random_steps(kCount, 7);
  const std::vector<float> right = random_steps(kCount, 8);
  Library& cublas = session.library("cublas");
  GpuMemory memory(session);
  memory.set_up();
  const GpuAddress left_there = memory.upload(left);
  const GpuAddress right_there = memory.upload(right);
  const GpuAddress product = memory.poisoned(kCount);
  if (memory.has_failed()) return memory.failure_outcome({});
  cublasHandle_t handle = nullptr;
  const float one = 1;
  const float zero = 0;
  cublas.call<decltype(cublasCreate_v2)>("cublasCreate_v2", &handle);
  // By columns; so the product of the rows' matrices is that of the two in the other order.
  cublas.call<decltype(cublasSgemm_v2)>("cublasSgemm_v2", handle, CUBLAS_OP_N, CUBLAS_OP_N, kMatrix, kMatrix, kMatrix,
                                        &one, pointer_to<float>(right_there), kMatrix, pointer_to<float>(left_there),
                                        kMatrix, &zero, pointer_to<float>(product), kMatrix);
  if (!cublas.has_failed()) memory.synchronize();
  const Comparison comparison = compare(memory.download(product, kCount), product_reference(kMatrix, left, right));
  return computed(cublas, memory, comparison, say("matrix-product"));
}

}  // namespace soresolve::confirm
