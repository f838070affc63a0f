// A libnvidia-ml.so.1 that knows one GPU, by the UUID that the false driver gives it.
#include <cstring>

#include "fault.h"

namespace {
constexpr const char* kUuid = "GPU-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
constexpr int kNotFound = 6;
}  // namespace

extern "C" {

int nvmlInit_v2() { return false_cuda::enter("nvmlInit_v2"); }

const char* nvmlErrorString(int) { return "false error of NVML"; }

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  std::snprintf(version, size, "580.95.05");
  return false_cuda::enter("nvmlSystemGetDriverVersion");
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = nullptr;
  return std::strcmp(uuid, kUuid) == 0 ? false_cuda::enter("nvmlDeviceGetHandleByUUID") : kNotFound;
}

int nvmlDeviceGetTotalEccErrors(void*, int type, int counter, unsigned long long* count) {
  *count = type == 1 && counter == 0 ? static_cast<unsigned long long>(false_cuda::reported("ecc errors", 0)) : 99;
  return false_cuda::enter("nvmlDeviceGetTotalEccErrors");
}

int nvmlDeviceGetRemappedRows(void*, unsigned* corrected, unsigned* uncorrected, unsigned* pending, unsigned* failure) {
  *corrected = static_cast<unsigned>(false_cuda::reported("rows", 0));
  *uncorrected = 0;
  *pending = static_cast<unsigned>(false_cuda::reported("pending", 0));
  *failure = static_cast<unsigned>(false_cuda::reported("row failure", 0));
  return false_cuda::enter("nvmlDeviceGetRemappedRows");
}

}  // extern "C"
