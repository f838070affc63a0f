// The least that a program does to run one convolution: what the cost of `soresolve confirm` is measured against.
//
// usage: gpu_minimal LIBCUDART LIBCUDNN      exit status 0 if all calls succeed
//
// A context, cuDNN, one 7x7 convolution with stride 2, its result copied back. Nothing is checked.
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// The function of this name; ends the program without it.
template <class Function>
Function* find(void* library, const char* name) {
  auto* function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (function == nullptr) std::exit((std::fprintf(stderr, "no %s\n", name), 2));
  return function;
}

/// Calls it, and ends the program if it fails.
template <class Function, class... Arguments>
void call(void* library, const char* name, Arguments... arguments) {
  const int status = static_cast<int>(find<Function>(library, name)(arguments...));
  if (status != 0) std::exit((std::fprintf(stderr, "%s: %d\n", name, status), 1));
}

void* open_library(const char* path) {
  void* library = ::dlopen(path, RTLD_NOW);
  if (library == nullptr) std::exit((std::fprintf(stderr, "%s\n", ::dlerror()), 2));
  return library;
}

using Malloc = cudaError_t(void**, std::size_t);

void* device_copy(void* runtime, const std::vector<float>& values) {
  void* there = nullptr;
  call<Malloc>(runtime, "cudaMalloc", &there, values.size() * sizeof(float));
  call<decltype(cudaMemcpy)>(runtime, "cudaMemcpy", there, values.data(), values.size() * sizeof(float),
                             cudaMemcpyHostToDevice);
  return there;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: gpu_minimal LIBCUDART LIBCUDNN\n"), 2;
  void* runtime = open_library(argv[1]);
  void* cudnn = open_library(argv[2]);
  void* image = device_copy(runtime, std::vector<float>(3 * 224 * 224, 1.0F));
  void* weights = device_copy(runtime, std::vector<float>(64 * 3 * 7 * 7, 1.0F));
  std::vector<float> output(64 * 112 * 112);
  void* output_there = device_copy(runtime, output);

  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t x = nullptr;
  cudnnTensorDescriptor_t y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  const float one = 1;
  const float zero = 0;
  std::size_t size = 0;
  void* workspace = nullptr;
  const auto algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  call<decltype(cudnnCreate)>(cudnn, "cudnnCreate", &handle);
  call<decltype(cudnnCreateTensorDescriptor)>(cudnn, "cudnnCreateTensorDescriptor", &x);
  call<decltype(cudnnCreateTensorDescriptor)>(cudnn, "cudnnCreateTensorDescriptor", &y);
  call<decltype(cudnnCreateFilterDescriptor)>(cudnn, "cudnnCreateFilterDescriptor", &w);
  call<decltype(cudnnCreateConvolutionDescriptor)>(cudnn, "cudnnCreateConvolutionDescriptor", &convolution);
  call<decltype(cudnnSetTensor4dDescriptor)>(cudnn, "cudnnSetTensor4dDescriptor", x, CUDNN_TENSOR_NCHW,
                                             CUDNN_DATA_FLOAT, 1, 3, 224, 224);
  call<decltype(cudnnSetTensor4dDescriptor)>(cudnn, "cudnnSetTensor4dDescriptor", y, CUDNN_TENSOR_NCHW,
                                             CUDNN_DATA_FLOAT, 1, 64, 112, 112);
  call<decltype(cudnnSetFilter4dDescriptor)>(cudnn, "cudnnSetFilter4dDescriptor", w, CUDNN_DATA_FLOAT,
                                             CUDNN_TENSOR_NCHW, 64, 3, 7, 7);
  call<decltype(cudnnSetConvolution2dDescriptor)>(cudnn, "cudnnSetConvolution2dDescriptor", convolution, 3, 3, 2, 2, 1,
                                                  1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
  call<decltype(cudnnGetConvolutionForwardWorkspaceSize)>(cudnn, "cudnnGetConvolutionForwardWorkspaceSize", handle, x,
                                                          w, convolution, y, algorithm, &size);
  call<Malloc>(runtime, "cudaMalloc", &workspace, size + 1);
  call<decltype(cudnnConvolutionForward)>(cudnn, "cudnnConvolutionForward", handle, &one, x, image, w, weights,
                                          convolution, algorithm, workspace, size, &zero, y, output_there);
  call<decltype(cudaMemcpy)>(runtime, "cudaMemcpy", output.data(), output_there, output.size() * sizeof(float),
                             cudaMemcpyDeviceToHost);
  std::printf("%g\n", static_cast<double>(output[0]));
  return 0;
}
