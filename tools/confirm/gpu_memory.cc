// Allocates, poisons, copies and synchronises by the runtime's calls, or by the driver's without a runtime. Memory is
// not freed: the process ends after its steps. Source: CUDA Runtime API "Memory Management", Driver API "Memory
// Management".
#include "gpu_memory.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "numbers.h"
#include "status_text.h"

namespace soresolve::confirm {

GpuMemory::GpuMemory(Session& session)
    : session_(session), api_(&session.library(session.library("runtime").is_open() ? "runtime" : "driver")) {
  api_->forget_failure();
}

bool GpuMemory::has_runtime() const { return session_.planned("runtime") != nullptr; }

bool GpuMemory::set_up() {
  bool is_made = false;
  if (has_runtime()) {
    is_made = api_->call<decltype(cudaSetDevice)>("cudaSetDevice", session_.plan.device) &&
              api_->call<decltype(cudaFree)>("cudaFree", nullptr);
  } else {
    CUdevice device = 0;
    CUcontext context = nullptr;
    is_made = api_->call<decltype(cuDeviceGet)>("cuDeviceGet", &device, session_.plan.device) &&
              api_->call<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain", &context, device) &&
              api_->call<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent", context);
  }
  session_.has_context = session_.has_context || is_made;
  return is_made;
}

GpuAddress GpuMemory::allocate(std::size_t bytes) {
  if (has_runtime()) {
    void* pointer = nullptr;
    using Allocate = cudaError_t(void**, std::size_t);
    api_->call<Allocate>("cudaMalloc", &pointer, bytes);
    return reinterpret_cast<std::uintptr_t>(pointer);
  }
  CUdeviceptr address = 0;
  api_->call<decltype(cuMemAlloc_v2)>("cuMemAlloc_v2", &address, bytes);
  return address;
}

bool GpuMemory::upload_to(GpuAddress address, const void* bytes, std::size_t count) {
  if (has_runtime()) {
    return api_->call<decltype(cudaMemcpy)>("cudaMemcpy", pointer_to<void>(address), bytes, count,
                                            cudaMemcpyHostToDevice);
  }
  return api_->call<decltype(cuMemcpyHtoD_v2)>("cuMemcpyHtoD_v2", static_cast<CUdeviceptr>(address), bytes, count);
}

GpuAddress GpuMemory::upload(std::span<const float> values) { return upload_bytes(std::as_bytes(values)); }

GpuAddress GpuMemory::upload_bytes(std::span<const std::byte> bytes) {
  const GpuAddress address = allocate(bytes.size());
  return upload_to(address, bytes.data(), bytes.size()) ? address : 0;
}

GpuAddress GpuMemory::poisoned(std::size_t count) {
  const GpuAddress address = allocate(count * sizeof(float));
  return poison(address, count) ? address : 0;
}

bool GpuMemory::poison(GpuAddress address, std::size_t count) {
  const std::size_t bytes = count * sizeof(float);
  if (has_runtime()) return api_->call<decltype(cudaMemset)>("cudaMemset", pointer_to<void>(address), kPoison, bytes);
  return api_->call<decltype(cuMemsetD8_v2)>("cuMemsetD8_v2", static_cast<CUdeviceptr>(address), kPoison, bytes);
}

std::vector<float> GpuMemory::download(GpuAddress address, std::size_t count) {
  std::vector<float> values(count);
  const std::size_t bytes = count * sizeof(float);
  if (has_runtime()) {
    api_->call<decltype(cudaMemcpy)>("cudaMemcpy", values.data(), pointer_to<void>(address), bytes,
                                     cudaMemcpyDeviceToHost);
  } else {
    api_->call<decltype(cuMemcpyDtoH_v2)>("cuMemcpyDtoH_v2", values.data(), static_cast<CUdeviceptr>(address), bytes);
  }
  return values;
}

bool GpuMemory::synchronize() {
  if (has_runtime()) return api_->call<decltype(cudaDeviceSynchronize)>("cudaDeviceSynchronize");
  return api_->call<decltype(cuCtxSynchronize)>("cuCtxSynchronize");
}

Outcome GpuMemory::failure_outcome(Outcome so_far) const {
  const CallFailure& failure = api_->failure();
  if (failure.code == cudaErrorMemoryAllocation) {
    if (const std::optional<Room> left = room()) {
      so_far.seen["memory_free"] = left->free;
      so_far.seen["memory_total"] = left->total;
    }
  }
  return refusal(session_, failure.code, failure.text, std::move(so_far));
}

std::optional<GpuMemory::Room> GpuMemory::room() const {
  if (!session_.has_context) return std::nullopt;
  Room left;
  const int code = has_runtime() ? api_->ask<decltype(cudaMemGetInfo)>("cudaMemGetInfo", &left.free, &left.total)
                                 : api_->ask<decltype(cuMemGetInfo_v2)>("cuMemGetInfo_v2", &left.free, &left.total);
  if (code != 0 || left.total == 0) return std::nullopt;
  return left;
}

}  // namespace soresolve::confirm
