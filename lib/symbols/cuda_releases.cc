// Sources: soresolve's own comparison of the export tables of libcudart 11.2, 11.7, 11.8, 12.1, 12.4,
// 12.6, 12.8 and 13.0, and the public binding generators HIPIFY and cudarc for the releases between.
// No entry contradicts a file: a name is in none older than its release, and in all of its major
// version from there on.
#include "symbols/cuda_releases.h"

#include <algorithm>
#include <iterator>

namespace soresolve {
namespace {

struct Release {
  std::string_view number;
  std::string_view names;  ///< separated by single spaces
};

constexpr Release kRuntimeAdditions[] = {
    {"11.1",
     "cudaArrayGetSparseProperties cudaDeviceGetTexture1DLinearMaxWidth "
     "cudaEventRecordWithFlags cudaGraphAddEventRecordNode cudaGraphAddEventWaitNode "
     "cudaGraphAddMemcpyNode1D cudaGraphAddMemcpyNodeFromSymbol "
     "cudaGraphAddMemcpyNodeToSymbol cudaGraphEventRecordNodeGetEvent "
     "cudaGraphEventRecordNodeSetEvent cudaGraphEventWaitNodeGetEvent "
     "cudaGraphEventWaitNodeSetEvent cudaGraphExecChildGraphNodeSetParams "
     "cudaGraphExecEventRecordNodeSetEvent cudaGraphExecEventWaitNodeSetEvent "
     "cudaGraphExecMemcpyNodeSetParams1D cudaGraphExecMemcpyNodeSetParamsFromSymbol "
     "cudaGraphExecMemcpyNodeSetParamsToSymbol cudaGraphMemcpyNodeSetParams1D "
     "cudaGraphMemcpyNodeSetParamsFromSymbol cudaGraphMemcpyNodeSetParamsToSymbol "
     "cudaGraphUpload"},
    {"11.2",
     "cudaArrayGetPlane cudaDeviceGetDefaultMemPool cudaDeviceGetMemPool "
     "cudaDeviceSetMemPool cudaFreeAsync cudaGraphAddExternalSemaphoresSignalNode "
     "cudaGraphAddExternalSemaphoresWaitNode "
     "cudaGraphExecExternalSemaphoresSignalNodeSetParams "
     "cudaGraphExecExternalSemaphoresWaitNodeSetParams "
     "cudaGraphExternalSemaphoresSignalNodeGetParams "
     "cudaGraphExternalSemaphoresSignalNodeSetParams "
     "cudaGraphExternalSemaphoresWaitNodeGetParams "
     "cudaGraphExternalSemaphoresWaitNodeSetParams cudaMallocAsync "
     "cudaMallocFromPoolAsync cudaMemPoolCreate cudaMemPoolDestroy "
     "cudaMemPoolExportPointer cudaMemPoolExportToShareableHandle cudaMemPoolGetAccess "
     "cudaMemPoolGetAttribute cudaMemPoolImportFromShareableHandle "
     "cudaMemPoolImportPointer cudaMemPoolSetAccess cudaMemPoolSetAttribute "
     "cudaMemPoolTrimTo"},
    {"11.3",
     "cudaDeviceFlushGPUDirectRDMAWrites cudaGetDriverEntryPoint cudaGraphDebugDotPrint "
     "cudaGraphReleaseUserObject cudaGraphRetainUserObject "
     "cudaStreamUpdateCaptureDependencies cudaUserObjectCreate cudaUserObjectRelease "
     "cudaUserObjectRetain"},
    {"11.4",
     "cudaDeviceGetGraphMemAttribute cudaDeviceGraphMemTrim "
     "cudaDeviceSetGraphMemAttribute cudaGraphAddMemAllocNode cudaGraphAddMemFreeNode "
     "cudaGraphInstantiateWithFlags cudaGraphMemAllocNodeGetParams "
     "cudaGraphMemFreeNodeGetParams"},
    {"11.6",
     "cudaArrayGetMemoryRequirements cudaGraphNodeGetEnabled cudaGraphNodeSetEnabled "
     "cudaMipmappedArrayGetMemoryRequirements"},
    {"11.8",
     "cudaCreateTextureObject_v2 cudaGetTextureObjectTextureDesc_v2 cudaLaunchKernelExC "
     "cudaOccupancyMaxActiveClusters cudaOccupancyMaxPotentialClusterSize"},
    {"12.0",
     "cudaGetDeviceProperties_v2 cudaGraphExecGetFlags cudaGraphInstantiateWithParams "
     "cudaInitDevice cudaStreamGetId"},
    {"12.1", "cudaGetKernel"},
    {"12.2",
     "cudaGraphAddNode cudaGraphExecNodeSetParams cudaGraphNodeSetParams cudaMemAdvise_v2 "
     "cudaMemPrefetchAsync_v2"},
    {"12.3",
     "cudaFuncGetName cudaGraphAddDependencies_v2 cudaGraphAddNode_v2 "
     "cudaGraphConditionalHandleCreate cudaGraphGetEdges_v2 "
     "cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependentNodes_v2 "
     "cudaGraphRemoveDependencies_v2 cudaStreamBeginCaptureToGraph "
     "cudaStreamGetCaptureInfo_v3 cudaStreamUpdateCaptureDependencies_v2"},
    {"12.4",
     "cudaDeviceRegisterAsyncNotification cudaDeviceUnregisterAsyncNotification "
     "cudaFuncGetParamInfo"},
    {"12.5", "cudaGetDriverEntryPointByVersion"},
    {"12.8",
     "cudaEventElapsedTime_v2 cudaKernelSetAttributeForDevice cudaLibraryEnumerateKernels "
     "cudaLibraryGetGlobal cudaLibraryGetKernel cudaLibraryGetKernelCount "
     "cudaLibraryGetManaged cudaLibraryGetUnifiedFunction cudaLibraryLoadData "
     "cudaLibraryLoadFromFile cudaLibraryUnload cudaMemcpy3DBatchAsync "
     "cudaMemcpyBatchAsync cudaStreamGetDevice"},
};

/// First release of CUDA with a SONAME; libraries that are numbered like CUDA itself need no row.
struct SonameRelease {
  std::string_view stem;
  std::string_view number;  ///< behind ".so."
  std::string_view release;
};
constexpr SonameRelease kSonameReleases[] = {
    {"libcublas", "10", "10.1"},     {"libcublasLt", "10", "10.1"},   {"libcufft", "10", "10.1"},
    {"libcufft", "11", "12.0"},      {"libcufft", "12", "13.0"},      {"libcufftw", "10", "10.1"},
    {"libcufftw", "11", "12.0"},     {"libcufftw", "12", "13.0"},     {"libcurand", "10", "10.1"},
    {"libcusolver", "10", "10.1"},   {"libcusolver", "11", "11.1"},   {"libcusolver", "12", "13.0"},
    {"libcusolverMg", "10", "10.1"}, {"libcusolverMg", "11", "11.1"}, {"libcusolverMg", "12", "13.0"},
    {"libcusparse", "10", "10.1"},   {"libcusparse", "11", "11.0"},   {"libcusparse", "12", "12.0"},
};
constexpr std::string_view kLikeCuda[] = {"libcublas", "libcublasLt", "libcudart", "libcupti", "libnvJitLink",
                                          "libnvblas", "libnvfatbin", "libnvjpeg", "libnvrtc", "libnvrtc-builtins"};

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::optional<CudaNode> parse_cuda_node(std::string_view node) {
  const std::size_t so = node.find(".so.");
  if (so == std::string_view::npos) return std::nullopt;
  CudaNode found{"CUDA", node.substr(0, so), {}};
  const std::string_view number = node.substr(so + 4);
  if (found.stem.starts_with("libcudnn")) {
    found.product = "cuDNN";
    found.release = number;
    return found;
  }
  bool is_known = false;
  for (const SonameRelease& row : kSonameReleases) {
    if (row.stem != found.stem) continue;
    is_known = true;
    if (row.number == number) found.release = row.release;
  }
  const bool is_like_cuda = found.stem.starts_with("libnpp") ||
                            std::find(std::begin(kLikeCuda), std::end(kLikeCuda), found.stem) != std::end(kLikeCuda);
  if (!is_known && !is_like_cuda) return std::nullopt;
  if (is_like_cuda && found.release.empty()) {
    found.release = std::string(number) + (is_number(number) ? ".0" : "");
  }
  return found;
}

std::string_view cuda_runtime_release(std::string_view symbol) {
  // The same functions for other default streams.
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (symbol.ends_with(suffix)) symbol.remove_suffix(suffix.size());
  }
  if (symbol.empty() || symbol.find(' ') != std::string_view::npos) return {};
  for (const Release& release : kRuntimeAdditions) {
    if (has_word(release.names, symbol)) return release.number;
  }
  return {};
}

std::string nvjitlink_release(std::string_view symbol) {
  if (!symbol.starts_with("__nvJitLink")) return {};
  const std::size_t minor = symbol.rfind('_');
  const std::size_t major = symbol.rfind('_', minor - 1);
  if (major == std::string_view::npos || major < 2) return {};
  const std::string_view number[] = {symbol.substr(major + 1, minor - major - 1), symbol.substr(minor + 1)};
  if (!is_number(number[0]) || !is_number(number[1])) return {};
  return std::string(number[0]) + "." + std::string(number[1]);
}

}  // namespace soresolve
