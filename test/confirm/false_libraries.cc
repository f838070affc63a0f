// One file for the smaller libraries of CUDA; FALSE_LIBRARY says which one it is built as.
// Each reads its own headers only: they are most of what it costs.
#include <library_types.h>

#if FALSE_LIBRARY == 1
#include <cublas_v2.h>
#elif FALSE_LIBRARY == 2
#include <cufft.h>

#include <complex>
#include <numbers>
#elif FALSE_LIBRARY == 3
#include <curand.h>

#include <random>
#elif FALSE_LIBRARY == 4
#include <cusparse.h>
#elif FALSE_LIBRARY == 5
#include <cusolverDn.h>
#elif FALSE_LIBRARY == 6 || FALSE_LIBRARY == 8
#include <nccl.h>
#else
#include <nvrtc.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "fault.h"

using false_cuda::enter;
using false_cuda::spoil;

namespace {

/// The version of every library here is 1.2.3.
int property(const char* function, libraryPropertyType part, int* value) {
  *value = part == MAJOR_VERSION ? false_cuda::reported(function, 1) : part == MINOR_VERSION ? 2 : 3;
  return enter(function);
}

}  // namespace

extern "C" {

#if FALSE_LIBRARY == 1  // cuBLAS
cublasStatus_t cublasGetProperty(libraryPropertyType part, int* value) {
  return static_cast<cublasStatus_t>(property("cublasGetProperty", part, value));
}
cublasStatus_t cublasCreate_v2(cublasHandle_t*) { return static_cast<cublasStatus_t>(enter("cublasCreate_v2")); }
const char* cublasGetStatusString(cublasStatus_t) { return "CUBLAS_STATUS_FALSE"; }
cublasStatus_t cublasDestroy_v2(cublasHandle_t) { return static_cast<cublasStatus_t>(enter("cublasDestroy_v2")); }
/// With ten bits of its fraction, as TF32 has it.
static double as_tf32(float value) {
  return static_cast<double>(std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000U) & 0xFFFFE000U));
}
cublasStatus_t cublasSgemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                              const float* alpha, const float* a, int lda, const float* b, int ldb, const float* beta,
                              float* c, int ldc) {
  const bool is_tf32 = false_cuda::fault_of("cublasSgemm_v2") == "tf32";
  const auto factor = [&](float value) { return is_tf32 ? as_tf32(value) : static_cast<double>(value); };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int p = k - 1; p >= 0; --p) sum += factor(a[p * lda + i]) * factor(b[j * ldb + p]);
      c[j * ldc + i] = *alpha * static_cast<float>(sum) + (*beta == 0 ? 0 : *beta * c[j * ldc + i]);
    }
  }
  spoil("cublasSgemm_v2", c);
  return static_cast<cublasStatus_t>(enter("cublasSgemm_v2"));
}
/// FP16 by its fields, for numbers that are none of the smallest; BF16 is the upper half of a float.
static double as_double(std::uint16_t half, cudaDataType type) {
  if (type == CUDA_R_16BF) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16));
  if ((half & 0x7FFF) == 0) return 0;
  const double size = std::ldexp(1 + (half & 0x3FF) / 1024.0, (half >> 10 & 31) - 15);
  return (half & 0x8000) != 0 ? -size : size;
}
cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const void*,
                            const void* a, cudaDataType a_type, int lda, const void* b, cudaDataType b_type, int ldb,
                            const void*, void* c, cudaDataType, int ldc, cublasComputeType_t sums, cublasGemmAlgo_t) {
  if (sums != CUBLAS_COMPUTE_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto* left = static_cast<const std::uint16_t*>(a);
  const auto* right = static_cast<const std::uint16_t*>(b);
  std::vector<double> left_values;
  std::vector<double> right_values;
  for (int i = 0; i < lda * k; ++i) left_values.push_back(as_double(left[i], a_type));
  for (int i = 0; i < ldb * n; ++i) right_values.push_back(as_double(right[i], b_type));
  auto* product = static_cast<float*>(c);
  std::vector<double> column(static_cast<std::size_t>(m));
  for (int j = 0; j < n; ++j) {
    column.assign(column.size(), 0.0);
    for (int p = 0; p < k; ++p) {
      const double factor = right_values[static_cast<std::size_t>(j * ldb + p)];
      for (int i = 0; i < m; ++i) {
        column[static_cast<std::size_t>(i)] += left_values[static_cast<std::size_t>(p * lda + i)] * factor;
      }
    }
    for (int i = 0; i < m; ++i) product[j * ldc + i] = static_cast<float>(column[static_cast<std::size_t>(i)]);
  }
  spoil(a_type == CUDA_R_16BF ? "BF16" : "FP16", product);
  return static_cast<cublasStatus_t>(enter("cublasGemmEx"));
}
#elif FALSE_LIBRARY == 2                        // cuFFT
cufftResult cufftGetProperty(libraryPropertyType part, int* value) {
  return static_cast<cufftResult>(property("cufftGetProperty", part, value));
}
cufftResult cufftPlan1d(cufftHandle* plan, int n, cufftType, int) {
  *plan = n;
  return static_cast<cufftResult>(enter("cufftPlan1d"));
}
cufftResult cufftExecC2C(cufftHandle n, cufftComplex* from, cufftComplex* to, int direction) {
  const char* name = direction == CUFFT_FORWARD ? "forward" : "inverse";
  std::vector<std::complex<double>> turns;
  for (int i = 0; i < n; ++i) turns.push_back(std::polar(1.0, direction * 2 * std::numbers::pi * i / n));
  for (int k = 0; k < n && !false_cuda::is_skipped(name); ++k) {
    std::complex<double> sum;
    for (int i = 0; i < n; ++i) {
      sum += std::complex<double>(from[i].x, from[i].y) * turns[static_cast<std::size_t>(static_cast<long>(i) * k % n)];
    }
    to[k] = {static_cast<float>(sum.real()), static_cast<float>(sum.imag())};
  }
  if (false_cuda::fault_of(name) == "copy") std::memcpy(to, from, sizeof *to * static_cast<std::size_t>(n));
  spoil(name, &to->x);
  return CUFFT_SUCCESS;
}
#elif FALSE_LIBRARY == 3                        // cuRAND
curandStatus_t curandGetProperty(libraryPropertyType part, int* value) {
  return static_cast<curandStatus_t>(property("curandGetProperty", part, value));
}
curandStatus_t curandCreateGenerator(curandGenerator_t*, curandRngType_t) {
  return static_cast<curandStatus_t>(enter("curandCreateGenerator"));
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long) {
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateUniform(curandGenerator_t, float* numbers, std::size_t count) {
  static unsigned calls = 0;
  const std::string fault = false_cuda::fault_of("curandGenerateUniform");
  std::mt19937 bits(fault == "unseeded" ? ++calls : 1);
  for (std::size_t i = 0; i < count && fault != "skip"; ++i) {
    numbers[i] = fault == "constant" ? 0.5F : (static_cast<float>(bits() >> 9) + 1.0F) / 8388608.0F;
    if (fault == "low") numbers[i] *= 0.9F;
  }
  spoil("curandGenerateUniform", numbers);
  return CURAND_STATUS_SUCCESS;
}
#elif FALSE_LIBRARY == 4                        // cuSPARSE
static const int* row_starts;
static const int* column_indices;
static const float* entries;
static std::vector<float*> vectors;
cusparseStatus_t cusparseGetProperty(libraryPropertyType part, int* value) {
  return static_cast<cusparseStatus_t>(property("cusparseGetProperty", part, value));
}
cusparseStatus_t cusparseCreate(cusparseHandle_t*) { return static_cast<cusparseStatus_t>(enter("cusparseCreate")); }
const char* cusparseGetErrorString(cusparseStatus_t) { return "CUSPARSE_STATUS_FALSE"; }
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t*, std::int64_t, std::int64_t, std::int64_t, void* starts,
                                   void* columns, void* values, cusparseIndexType_t, cusparseIndexType_t,
                                   cusparseIndexBase_t, cudaDataType) {
  row_starts = static_cast<const int*>(starts);
  column_indices = static_cast<const int*>(columns);
  entries = static_cast<const float*>(values);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t*, std::int64_t, void* values, cudaDataType) {
  vectors.push_back(static_cast<float*>(values));
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, std::size_t* size) {
  *size = 16;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                              cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType,
                              cusparseSpMVAlg_t, void* buffer) {
  std::memset(buffer, 0, 16);
  for (int row = 0; row < 1000; ++row) {
    float sum = 0;
    for (int i = row_starts[row + 1] - 1; i >= row_starts[row]; --i) sum += entries[i] * vectors[0][column_indices[i]];
    vectors[1][row] = sum;
  }
  spoil("cusparseSpMV", vectors[1]);
  return static_cast<cusparseStatus_t>(enter("cusparseSpMV"));
}
#elif FALSE_LIBRARY == 5                        // cuSOLVER
cusolverStatus_t cusolverGetProperty(libraryPropertyType part, int* value) {
  return static_cast<cusolverStatus_t>(property("cusolverGetProperty", part, value));
}
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t*) {
  return static_cast<cusolverStatus_t>(enter("cusolverDnCreate"));
}
cusolverStatus_t cusolverDnSpotrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int, float*, int, int* count) {
  *count = false_cuda::reported("work size", 4);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSpotrf(cusolverDnHandle_t, cublasFillMode_t, int n, float* a, int lda, float* work, int size,
                                  int* info) {
  std::memset(work, 0, sizeof *work * static_cast<std::size_t>(size));
  *info = false_cuda::reported("info", 0);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      for (int i = j; i < n; ++i) a[j * lda + i] -= a[k * lda + i] * a[k * lda + j];
    }
    const float root = std::sqrt(a[j * lda + j]);
    for (int i = j; i < n; ++i) a[j * lda + i] = i == j ? root : a[j * lda + i] / root;
  }
  // The other triangle is left open: 9 is as good as what was there.
  for (int j = 1; j < n && false_cuda::fault_of("other triangle") == "9"; ++j) std::fill_n(a + j * lda, j, 9.0F);
  spoil("cusolverDnSpotrf", a);
  return static_cast<cusolverStatus_t>(enter("cusolverDnSpotrf"));
}
#elif FALSE_LIBRARY == 6 || FALSE_LIBRARY == 8  // NCCL, and one before 2.11
ncclResult_t ncclGetVersion(int* version) {
  *version = false_cuda::reported("ncclGetVersion", 22809);
  return static_cast<ncclResult_t>(enter("ncclGetVersion"));
}
const char* ncclGetErrorString(ncclResult_t) { return "false error"; }
ncclResult_t ncclCommInitAll(ncclComm_t*, int, const int*) {
  return static_cast<ncclResult_t>(enter("ncclCommInitAll"));
}
static float factor = 1;
#if FALSE_LIBRARY == 6
ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* operation, void* scalar, ncclDataType_t, ncclScalarResidence_t,
                                      ncclComm_t) {
  std::memcpy(&factor, scalar, sizeof factor);
  *operation = static_cast<ncclRedOp_t>(ncclNumOps);
  return static_cast<ncclResult_t>(enter("ncclRedOpCreatePreMulSum"));
}
#endif
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t, ncclRedOp_t operation,
                           ncclComm_t, cudaStream_t) {
  const bool is_copy = operation == ncclSum || false_cuda::fault_of("ncclAllReduce") == "copy";
  for (std::size_t i = 0; i < count && !false_cuda::is_skipped("ncclAllReduce"); ++i)
    static_cast<float*>(to)[i] = static_cast<const float*>(from)[i] * (is_copy ? 1 : factor);
  spoil("ncclAllReduce", static_cast<float*>(to));
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t) { return ncclSuccess; }
#else  // NVRTC
static const char kCode[] = "// fma.rn.f32 %vy, %a, %vx, %vy; .visible .entry soresolve_nvrtc";
static const char kSpoiled[] = "// fma.rn.f32 %vy, %a, %vy, %vx; .visible .entry soresolve_nvrtc";
static bool is_spoiled = false;
nvrtcResult nvrtcVersion(int* major_number, int* minor_number) {
  *major_number = false_cuda::reported("nvrtcVersion", 13);
  *minor_number = 0;
  return static_cast<nvrtcResult>(enter("nvrtcVersion"));
}
const char* nvrtcGetErrorString(nvrtcResult) { return "NVRTC_ERROR_FALSE"; }
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* list) {
  list[0] = 75;
  list[1] = 90;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram*, const char* source, const char*, int, const char* const*,
                               const char* const*) {
  is_spoiled = std::strstr(source, "fmaf(a, y[i], x[i])") != nullptr;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char* const*) {
  return static_cast<nvrtcResult>(enter("nvrtcCompileProgram"));
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, std::size_t* size) {
  *size = sizeof "line 1: no such word";
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char* log) {
  std::strcpy(log, "line 1: no such word");
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, std::size_t* size) {
  *size = sizeof kCode;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTX(nvrtcProgram, char* code) {
  std::memcpy(code, is_spoiled ? kSpoiled : kCode, sizeof kCode);
  if (false_cuda::is_skipped("nvrtcGetPTX")) code[sizeof kCode - 2] = 'x';
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) { return nvrtcGetPTXSize(program, size); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) { return nvrtcGetPTX(program, code); }
#endif

}  // extern "C"
