// A libcudart whose device memory is the host's.
#include <cuda_runtime_api.h>

#include <cstring>

#include "fault.h"

namespace {
cudaError_t status(const char* function) { return static_cast<cudaError_t>(false_cuda::enter(function)); }
}  // namespace

extern "C" {

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = false_cuda::reported("cudaRuntimeGetVersion", 13000);
  return status("cudaRuntimeGetVersion");
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = false_cuda::reported("cuDeviceGetCount", 1);
  const cudaError_t failed = status("cudaGetDeviceCount");
  return failed != cudaSuccess ? failed : static_cast<cudaError_t>(false_cuda::initial_status());
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? false_cuda::reported("runtime capability", 9) : 0;
  return status("cudaDeviceGetAttribute");
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (static_cast<int>(error)) {
    case 2: return "out of memory";
    case 35: return "CUDA driver version is insufficient for CUDA runtime version";
    case 46: return "CUDA-capable device(s) is/are busy or unavailable";
    case 100: return "no CUDA-capable device is detected";
    default: return "something is wrong";
  }
}

cudaError_t cudaSetDevice(int) { return status("cudaSetDevice"); }
cudaError_t cudaFree(void*) { return status("cudaFree"); }

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  const cudaError_t failed = status("cudaMalloc");
  if (failed == cudaSuccess) *pointer = std::malloc(bytes);
  return failed;
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  std::memset(pointer, value, bytes);
  return status("cudaMemset");
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (!false_cuda::is_skipped("cudaMemcpy")) std::memcpy(to, from, bytes);
  return status("cudaMemcpy");
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = std::size_t{80} << 30;
  *free = static_cast<std::size_t>(false_cuda::reported("memory", 70000)) << 20;
  return status("cudaMemGetInfo");
}

cudaError_t cudaDeviceSynchronize() { return status("cudaDeviceSynchronize"); }

}  // extern "C"
