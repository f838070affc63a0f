// Stands for the CUDA runtime: one function, and its SONAME and version node from the linker.
extern "C" int cudaGetDeviceCount(int* count) {
  *count = 0;
  return 0;
}
