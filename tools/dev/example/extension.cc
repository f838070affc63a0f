// Stands for a Python extension that was built against CUDA 11, such as torch's _C.so.
#include <cstdio>

extern "C" int cudaGetDeviceCount(int* count);

extern "C" void print_device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == 0) std::printf("%d\n", count);
}
