// A libcudnn that knows one convolution and opens one part of itself.
#include <cudnn.h>
#include <dlfcn.h>

#include <vector>

#include "fault.h"

namespace {
cudnnStatus_t status(const char* function) { return static_cast<cudnnStatus_t>(false_cuda::enter(function)); }

void* part = nullptr;

/// Its part lies beside it. By its path: under AddressSanitizer, whose dlopen stands between, no RUNPATH counts.
void open_part() {
  Dl_info self;
  if (::dladdr(reinterpret_cast<void*>(&open_part), &self) == 0) return;
  const std::string fault = false_cuda::fault_of("part");
  const std::string path = self.dli_fname;
  part = ::dlopen((path.substr(0, path.rfind('/') + 1) + (fault.empty() ? "libcudnn_graph.so.9" : fault)).c_str(),
                  RTLD_NOW);
}

/// Column by column of the filter: another order than our kernel's.
void convolve(const float* x, const float* w, float* y) {
  std::vector<double> sums(64 * 112 * 112, 0.0);
  for (int f = 0; f < 64; ++f) {
    for (int s = 6; s >= 0; --s) {
      for (int r = 6; r >= 0; --r) {
        for (int c = 2; c >= 0; --c) {
          const double weight = w[((f * 3 + c) * 7 + r) * 7 + s];
          for (int oy = r < 3 ? (4 - r) / 2 : 0; oy < 112 && 2 * oy - 3 + r < 224; ++oy) {
            const float* row = x + (c * 224 + 2 * oy - 3 + r) * 224;
            double* out = sums.data() + (f * 112 + oy) * 112;
            for (int ox = s < 3 ? (4 - s) / 2 : 0; ox < 112 && 2 * ox - 3 + s < 224; ++ox)
              out[ox] += weight * row[2 * ox - 3 + s];
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) y[i] = static_cast<float>(sums[i]);
}
}  // namespace

extern "C" {

std::size_t cudnnGetVersion() {
  status("cudnnGetVersion");
  open_part();
  return static_cast<std::size_t>(false_cuda::reported("cudnnGetVersion", 91900));
}
const char* cudnnGetErrorString(cudnnStatus_t) { return "CUDNN_STATUS_FALSE"; }
cudnnStatus_t cudnnGraphVersionCheck() {
  if (part != nullptr && ::dlsym(part, "false_release") != nullptr) return CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH;
  return status("cudnnGraphVersionCheck");
}
cudnnStatus_t cudnnCreate(cudnnHandle_t*) { return status("cudnnCreate"); }
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t*) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t*) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t*) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t, cudnnTensorFormat_t, cudnnDataType_t, int, int, int,
                                         int) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t, cudnnDataType_t, cudnnTensorFormat_t, int, int, int,
                                         int) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t, int, int, int, int, int, int,
                                              cudnnConvolutionMode_t, cudnnDataType_t) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t) {
  return CUDNN_STATUS_BAD_PARAM;
}
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t,
                                                     cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t, int,
                                                     int* count, cudnnConvolutionFwdAlgoPerf_t* answers) {
  *count = false_cuda::reported("algorithms", 1);
  answers->status = static_cast<cudnnStatus_t>(false_cuda::reported("algorithm status", 0));
  answers->algo = static_cast<cudnnConvolutionFwdAlgo_t>(false_cuda::reported("algorithm", 1));
  return status("cudnnGetConvolutionForwardAlgorithm_v7");
}
cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t,
                                                      cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t,
                                                      cudnnConvolutionFwdAlgo_t, std::size_t* size) {
  *size = 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void*, cudnnTensorDescriptor_t, const void* x,
                                      cudnnFilterDescriptor_t, const void* w, cudnnConvolutionDescriptor_t,
                                      cudnnConvolutionFwdAlgo_t, void*, std::size_t, const void*,
                                      cudnnTensorDescriptor_t, void* y) {
  static bool is_done = false;  // the same each time
  if (!is_done && !false_cuda::is_skipped("cudnnConvolutionForward")) {
    convolve(static_cast<const float*>(x), static_cast<const float*>(w), static_cast<float*>(y));
    false_cuda::spoil("cudnnConvolutionForward", static_cast<float*>(y));
  }
  is_done = true;
  if (false_cuda::fault_of("cudnnConvolutionForward") == "slow") ::usleep(3000);
  return status("cudnnConvolutionForward");
}

}  // extern "C"
