// A libcuda.so.1 that computes on the CPU: it knows our kernels by their names.
#include <cuda.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <string>

#include "fault.h"

using false_cuda::enter;
using false_cuda::fault_of;

namespace {

struct Module {
  bool is_native = false;
  bool is_spoiled = false;  ///< saxpy has x and y in each other's place
};
struct Function {
  std::string name;
  bool is_spoiled = false;
};

/// As test/gpu/run and spoil_kernels write it; of a fat binary (fatbinary.h) by an entry that it has for that.
bool is_spoiled(const void* image, bool is_native) {
  if (!is_native) return std::strstr(static_cast<const char*>(image), "fma.rn.f32 %vy, %a, %vy, %vx;") != nullptr;
  constexpr std::uint32_t kFatBinary = 0xBA55ED50;
  struct {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_size;
    std::uint64_t size;
  } header;
  std::memcpy(&header, image, sizeof header);
  return header.magic == kFatBinary && ::memmem(image, header.size, "soresolve_spoiled", 17) != nullptr;
}

template <class T>
T argument(void** arguments, int index) {
  T value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

float* floats(void** arguments, int index) {
  return reinterpret_cast<float*>(argument<std::uint64_t>(arguments, index));
}

void saxpy(const char* name, void** arguments, bool is_spoiled) {
  const unsigned n = argument<unsigned>(arguments, 0);
  const float a = argument<float>(arguments, 1);
  const float* x = floats(arguments, 2);
  float* y = floats(arguments, 3);
  for (unsigned i = 0; i < n; ++i) y[i] = is_spoiled ? std::fmaf(a, y[i], x[i]) : std::fmaf(a, x[i], y[i]);
  false_cuda::spoil(name, y);
}

void sgemm(void** arguments) {
  const unsigned n = argument<unsigned>(arguments, 0);
  const float* a = floats(arguments, 1);
  const float* b = floats(arguments, 2);
  float* c = floats(arguments, 3);
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned j = 0; j < n; ++j) {
      float sum = 0;
      for (unsigned k = 0; k < n; ++k) sum = std::fmaf(a[i * n + k], b[k * n + j], sum);
      c[i * n + j] = sum;
    }
  }
  false_cuda::spoil("soresolve_sgemm", c);
}

/// By the formula, one output after the other.
void convolution(void** arguments) {
  const float* x = floats(arguments, 0);
  const float* w = floats(arguments, 1);
  float* y = floats(arguments, 2);
  ::usleep(1000);               // slower than the false cuDNN
  static bool is_done = false;  // the same each time
  for (int f = 0; f < 64 && !is_done; ++f) {
    for (int oy = 0; oy < 112; ++oy) {
      for (int ox = 0; ox < 112; ++ox) {
        float sum = 0;
        for (int c = 0; c < 3; ++c) {
          for (int r = 0; r < 7; ++r) {
            const int iy = 2 * oy - 3 + r;
            if (iy < 0 || iy >= 224) continue;
            for (int s = 0; s < 7; ++s) {
              const int ix = 2 * ox - 3 + s;
              if (ix >= 0 && ix < 224) sum += x[(c * 224 + iy) * 224 + ix] * w[((f * 3 + c) * 7 + r) * 7 + s];
            }
          }
        }
        y[(f * 112 + oy) * 112 + ox] = sum;
      }
    }
  }
  if (!is_done) false_cuda::spoil("soresolve_convolution", y);
  is_done = true;
}

CUresult status(const char* function) { return static_cast<CUresult>(enter(function)); }

}  // namespace

namespace {

[[gnu::constructor]] void load() { enter("constructor"); }

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
  const CUresult failed = status("cuInit");
  return failed != CUDA_SUCCESS ? failed : static_cast<CUresult>(false_cuda::initial_status());
}

CUresult cuDriverGetVersion(int* version) {
  *version = false_cuda::reported("cuDriverGetVersion", 13000);
  return status("cuDriverGetVersion");
}

CUresult cuDeviceGetCount(int* count) {
  *count = false_cuda::reported("cuDeviceGetCount", 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return status("cuDeviceGet");
}

CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "False GPU");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "0000:1B:00.0");
  return status("cuDeviceGetPCIBusId");
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(16 * i + 15 - i);
  return status("cuDeviceGetUuid");
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? false_cuda::reported("capability", 9) : 0;
  return status("cuDeviceGetAttribute");
}

CUresult cuGetErrorString(CUresult error, const char** words) {
  *words = error == CUDA_ERROR_NO_DEVICE ? "no CUDA-capable device is detected" : "something is wrong";
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = nullptr;
  return status("cuDevicePrimaryCtxRetain");
}

CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return status("cuCtxSynchronize"); }

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
  const bool is_native = std::memcmp(image, "//", 2) != 0 && std::memcmp(image, ".version", 8) != 0;
  const std::string fault = fault_of(is_native ? "native image" : "ptx image");
  const char* cache = std::getenv("CUDA_CACHE_DISABLE");
  if (fault_of("cuModuleLoadDataEx") == "uncached" && (cache == nullptr || *cache != '1')) return CUDA_ERROR_UNKNOWN;
  if (!fault.empty()) {
    if (count != 0 && options[0] == CU_JIT_ERROR_LOG_BUFFER)
      std::strcpy(static_cast<char*>(values[0]), "ptxas fatal: unresolved");
    return static_cast<CUresult>(std::atoi(fault.c_str()));
  }
  if (is_native && false_cuda::is_switched_on("CUDA_FORCE_PTX_JIT")) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!is_native && false_cuda::is_switched_on("CUDA_DISABLE_PTX_JIT")) return CUDA_ERROR_JIT_COMPILATION_DISABLED;
  const auto* text = static_cast<const char*>(image);
  if (!is_native && (std::strstr(text, "%i, %m;") != nullptr || std::strstr(text, ".target sm_99") != nullptr))
    return CUDA_ERROR_INVALID_PTX;
  *module = reinterpret_cast<CUmodule>(new Module{is_native, is_spoiled(image, is_native)});
  return status("cuModuleLoadDataEx");
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const auto& [is_native, is_spoiled] = *reinterpret_cast<Module*>(module);
  *function = reinterpret_cast<CUfunction>(new Function{(is_native ? "native " : "") + std::string(name), is_spoiled});
  return status("cuModuleGetFunction");
}

CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream, void** arguments, void**) {
  const std::string& name = reinterpret_cast<Function*>(function)->name;
  if (false_cuda::is_skipped(name.c_str())) return CUDA_SUCCESS;
  const bool is_spoiled = reinterpret_cast<Function*>(function)->is_spoiled;
  if (name.ends_with("soresolve_saxpy") || name.ends_with("soresolve_nvrtc"))
    saxpy(name.c_str(), arguments, is_spoiled);
  if (name.ends_with("soresolve_sgemm")) sgemm(arguments);
  if (name.ends_with("soresolve_convolution")) convolution(arguments);
  return status("cuLaunchKernel");
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = std::size_t{80} << 30;
  *free = static_cast<std::size_t>(false_cuda::reported("memory", 70000)) << 20;
  return status("cuMemGetInfo");
}

// All is done when it is queued, so that the clock of the host is the device's.
struct CUevent_st {
  std::chrono::steady_clock::time_point time;
};

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = new CUevent_st;
  return status("cuEventCreate");
}

CUresult cuEventRecord(CUevent event, CUstream) {
  event->time = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent) { return status("cuEventSynchronize"); }

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return status("cuEventElapsedTime");
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  const CUresult failed = status("cuMemAlloc");
  if (failed == CUDA_SUCCESS) *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  return failed;
}

CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return CUDA_SUCCESS;
}

}  // extern "C"
