// Takes the memory of a GPU and keeps it until its standard input ends: what does `soresolve confirm` say beside it?
//
// usage: fill_memory [LEAVE_MIB]      prints "full", and how much is left; exit status 1 if a call fails
//
// By plain allocations of the driver (cuMemAlloc); nothing is written there, and nothing is set on the device.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

template <class Function>
Function* find(void* driver, const char* name) {
  auto* function = reinterpret_cast<Function*>(::dlsym(driver, name));
  if (function == nullptr) std::exit((std::fprintf(stderr, "no %s\n", name), 1));
  return function;
}

template <class Function, class... Arguments>
void call(void* driver, const char* name, Arguments... arguments) {
  const int status = static_cast<int>(find<Function>(driver, name)(arguments...));
  if (status != 0) std::exit((std::fprintf(stderr, "%s: %d\n", name, status), 1));
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::size_t kMiB = 1 << 20;
  const std::size_t leave = argc > 1 ? std::strtoul(argv[1], nullptr, 10) * kMiB : 0;
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return std::fprintf(stderr, "%s\n", ::dlerror()), 1;
  CUdevice device = 0;
  CUcontext context = nullptr;
  call<decltype(cuInit)>(driver, "cuInit", 0U);
  call<decltype(cuDeviceGet)>(driver, "cuDeviceGet", &device, 0);
  call<decltype(cuDevicePrimaryCtxRetain)>(driver, "cuDevicePrimaryCtxRetain", &context, device);
  call<decltype(cuCtxSetCurrent)>(driver, "cuCtxSetCurrent", context);
  auto* const allocate = find<decltype(cuMemAlloc_v2)>(driver, "cuMemAlloc_v2");
  std::size_t free = 0;
  std::size_t total = 0;
  call<decltype(cuMemGetInfo_v2)>(driver, "cuMemGetInfo_v2", &free, &total);
  std::size_t taken = 0;
  const std::size_t wanted = free > leave ? free - leave : 0;
  for (std::size_t piece = wanted; piece >= kMiB && taken + kMiB <= wanted;) {
    CUdeviceptr address = 0;
    if (piece <= wanted - taken && allocate(&address, piece) == CUDA_SUCCESS)
      taken += piece;
    else
      piece /= 2;
  }
  call<decltype(cuMemGetInfo_v2)>(driver, "cuMemGetInfo_v2", &free, &total);
  std::printf("full: %zu MiB taken, %zu of %zu MiB left\n", taken / kMiB, free / kMiB, total / kMiB);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
