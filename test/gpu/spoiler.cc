// Stands in for one library of CUDA, hands every call on to the real one, and turns one bit of what that computed: the
// checks of `soresolve confirm` have to find it.
//
// Copied under the name that it stands in for (libcublas.so.13); SORESOLVE_SPOILED is the path of the real library,
// which is opened at the first call, when what was loaded has been compared already. cuDNN is not among them: what it
// opens by itself is compared later. For x86-64.
#include <cuda.h>
#include <dlfcn.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void* real_function(const char* name) {
  static void* const real = ::dlopen(std::getenv("SORESOLVE_SPOILED"), RTLD_NOW | RTLD_LOCAL);
  void* const function = real == nullptr ? nullptr : ::dlsym(real, name);
  if (function == nullptr) std::abort();  // of what stands here the real one has all
  return function;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(real_function(name));
}

/// On the default stream, behind all that was queued there.
void turn_bit(const void* values, unsigned bit) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto* const from = reinterpret_cast<decltype(cuMemcpyDtoH_v2)*>(::dlsym(driver, "cuMemcpyDtoH_v2"));
  auto* const to = reinterpret_cast<decltype(cuMemcpyHtoD_v2)*>(::dlsym(driver, "cuMemcpyHtoD_v2"));
  const auto place = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(values));
  std::uint32_t word = 0;
  from(&word, place, sizeof word);
  word ^= 1U << bit;
  to(place, &word, sizeof word);
}

void* sparse_result = nullptr;

}  // namespace

__asm__(R"(
.macro handed_on name
  .globl \name
  .type \name, @function
\name:
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  sub $8, %rsp
  lea 9f(%rip), %rdi
  call spoiler_find
  add $8, %rsp
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  jmp *%rax
9: .asciz "\name"
.endm
.pushsection .text
handed_on cublasGetProperty
handed_on cublasGetStatusString
handed_on cublasCreate_v2
handed_on cublasGemmEx
handed_on cublasDestroy_v2
handed_on cufftGetProperty
handed_on cufftPlan1d
handed_on curandGetProperty
handed_on curandCreateGenerator
handed_on curandSetPseudoRandomGeneratorSeed
handed_on cusparseGetProperty
handed_on cusparseGetErrorString
handed_on cusparseCreate
handed_on cusparseCreateCsr
handed_on cusparseSpMV_bufferSize
handed_on cusolverGetProperty
handed_on cusolverDnCreate
handed_on cusolverDnSpotrf_bufferSize
handed_on ncclGetVersion
handed_on ncclGetErrorString
handed_on ncclCommInitAll
handed_on ncclCommDestroy
handed_on ncclRedOpCreatePreMulSum
handed_on nvrtcVersion
handed_on nvrtcGetErrorString
handed_on nvrtcGetNumSupportedArchs
handed_on nvrtcGetSupportedArchs
handed_on nvrtcCompileProgram
handed_on nvrtcGetProgramLogSize
handed_on nvrtcGetProgramLog
handed_on nvrtcGetPTXSize
handed_on nvrtcGetPTX
handed_on nvrtcGetCUBINSize
handed_on nvrtcGetCUBIN
.popsection
)");

// Handles and enumerations of the libraries are pointers and ints here: their own types are not needed to hand them on.
extern "C" {

[[gnu::visibility("hidden"), gnu::used]] void* spoiler_find(const char* name) { return real_function(name); }

int cublasSgemm_v2(void* handle, int a_as, int b_as, int m, int n, int k, const float* alpha, const float* a, int lda,
                   const float* b, int ldb, const float* beta, float* c, int ldc) {
  const int status = real<decltype(cublasSgemm_v2)>("cublasSgemm_v2")(handle, a_as, b_as, m, n, k, alpha, a, lda, b,
                                                                      ldb, beta, c, ldc);
  turn_bit(c + 5, 0);
  return status;
}

int cufftExecC2C(int plan, const float* from, float* to, int direction) {
  const int status = real<decltype(cufftExecC2C)>("cufftExecC2C")(plan, from, to, direction);
  turn_bit(to + 14, 10);
  return status;
}

/// Two generators of one seed are compared: only the first one errs.
int curandGenerateUniform(void* generator, float* numbers, std::size_t count) {
  static bool is_first = true;
  const int status = real<decltype(curandGenerateUniform)>("curandGenerateUniform")(generator, numbers, count);
  if (is_first) turn_bit(numbers + 11, 0);
  is_first = false;
  return status;
}

/// The vector that is made last is the result.
int cusparseCreateDnVec(void** vector, std::int64_t size, void* values, int type) {
  sparse_result = values;
  return real<decltype(cusparseCreateDnVec)>("cusparseCreateDnVec")(vector, size, values, type);
}

int cusparseSpMV(void* handle, int as, const void* alpha, void* matrix, void* from, const void* beta, void* to,
                 int type, int algorithm, void* buffer) {
  const int status =
      real<decltype(cusparseSpMV)>("cusparseSpMV")(handle, as, alpha, matrix, from, beta, to, type, algorithm, buffer);
  turn_bit(sparse_result, 0);
  return status;
}

int cusolverDnSpotrf(void* handle, int fill, int n, float* a, int lda, float* work, int size, int* info) {
  const int status = real<decltype(cusolverDnSpotrf)>("cusolverDnSpotrf")(handle, fill, n, a, lda, work, size, info);
  turn_bit(a, 12);
  return status;
}

int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int operation, void* communicator,
                  void* stream) {
  const int status =
      real<decltype(ncclAllReduce)>("ncclAllReduce")(from, to, count, type, operation, communicator, stream);
  turn_bit(to, 0);
  return status;
}

/// What is to be compiled, with two operands in each other's place.
int nvrtcCreateProgram(void** program, const char* source, const char* name, int count, const char* const* headers,
                       const char* const* include_names) {
  std::string text = source;
  const std::string healthy = "fmaf(a, x[i], y[i])";
  const std::size_t at = text.find(healthy);
  if (at == std::string::npos) std::abort();
  text.replace(at, healthy.size(), "fmaf(a, y[i], x[i])");
  return real<decltype(nvrtcCreateProgram)>("nvrtcCreateProgram")(program, text.c_str(), name, count, headers,
                                                                  include_names);
}

}  // extern "C"
