// The table: which packages open which libraries by themselves, for which releases, in which order. Each entry names
// its source (a package's script, LD_DEBUG=files, strings). A new package is a row here and a case in the unit tests.
// Flags of the dlopen calls are in it for what an import does.
#include "dlopen/known_loaders.h"

#include <algorithm>
#include <charconv>

namespace soresolve {
namespace {

using enum Importance;
using enum KnownWhen;

// cuDNN 8: the library of that name opens the others by their SONAMEs, each when it is first used.
constexpr KnownOpen kCudnn8[] = {
    {"libcudnn_ops_infer.so.8"}, {"libcudnn_ops_train.so.8"}, {"libcudnn_cnn_infer.so.8"},
    {"libcudnn_cnn_train.so.8"}, {"libcudnn_adv_infer.so.8"}, {"libcudnn_adv_train.so.8"},
};
// As auditwheel renames it when it puts it into a wheel, without the others: the package runs on the CPU without them.
constexpr KnownOpen kCudnn8Bundled[] = {
    {"libcudnn_ops_infer.so.8", {}, Recommended}, {"libcudnn_ops_train.so.8", {}, Recommended},
    {"libcudnn_cnn_infer.so.8", {}, Recommended}, {"libcudnn_cnn_train.so.8", {}, Recommended},
    {"libcudnn_adv_infer.so.8", {}, Recommended}, {"libcudnn_adv_train.so.8", {}, Recommended},
};
// Its runtime compiler, by a name that only development packages and toolkits have.
constexpr KnownOpen kCudnn8Nvrtc[] = {{"libnvrtc.so", {}, Recommended}};

// cuDNN 9: LIB.so.9.MINOR.PATCH, LIB.so.9.MINOR, LIB.so.9, LIB.so in this order; the first two are
// nowhere installed without the third.
constexpr KnownOpen kCudnn9[] = {
    {"libcudnn_graph.so.9 libcudnn_graph.so"},
    {"libcudnn_ops.so.9 libcudnn_ops.so"},
    {"libcudnn_cnn.so.9 libcudnn_cnn.so"},
    {"libcudnn_adv.so.9 libcudnn_adv.so"},
    {"libcudnn_ext.so.9 libcudnn_ext.so", {}, Required, Always, "libcudnn_ext.so"},
};
constexpr KnownOpen kCudnn9Graph[] = {
    {"libcudnn_heuristic.so.9 libcudnn_heuristic.so"},
    {"libcudnn_engines_precompiled.so.9 libcudnn_engines_precompiled.so"},
    {"libcudnn_engines_runtime_compiled.so.9 libcudnn_engines_runtime_compiled.so"},
    {"libcudnn_engines_tensor_ir.so.9 libcudnn_engines_tensor_ir.so", {}, Suggested},  // since about 9.23
};

// NVRTC: the builtins of exactly its own release.
constexpr KnownOpen kNvrtc[] = {{"libnvrtc-builtins.so.*"}};

// torch: `import torch` opens libtorch_global_deps.so for everybody (RTLD_GLOBAL) before torch._C, and
// CUDA libraries of pip's nvidia packages beside it: at first only if that fails, later in any case.
constexpr std::string_view kTorchLib = "torch/lib";
constexpr KnownOpen kTorch_1_13[] = {
    {"libtorch_global_deps.so", kTorchLib},
    {"libcublas.so.11", "nvidia/cublas/lib", Required, IfFirstFails},
    {"libcudnn.so.8", "nvidia/cudnn/lib", Required, IfFirstFails},
};
// 2.0 looks into nvidia/NAME/lib, 2.6 also into NAME/lib, 2.9 also into nvidia/cuMAJOR/lib, the one folder
// of the wheels since CUDA 13; older wheels have no such folders, so that wheel:NAME is all three. What
// 2.6 to 2.9 open in any case is what cuSPARSE and cuDNN took from the system (pytorch/pytorch#138460,
// #145580).
constexpr KnownOpen kTorch_2_0[] = {
    {"libtorch_global_deps.so", kTorchLib},
    {"libnvrtc.so.*[0-9]", "wheel:cuda_nvrtc", Suggested, IfFirstLoads, {}, "2.6"},
    {"libnvrtc-builtins.so.*[0-9]", "wheel:cuda_nvrtc", Suggested, IfFirstLoads, {}, "2.9"},
    {"libnvJitLink.so.*[0-9]", "wheel:nvjitlink", Suggested, IfFirstLoads, {}, "2.6"},
    {"libcublas.so.*[0-9]", "wheel:cublas", Required, IfFirstFails},
    {"libcudnn.so.*[0-9]", "wheel:cudnn", Required, IfFirstFails},
    {"libnvrtc.so.*[0-9]", "wheel:cuda_nvrtc", Required, IfFirstFails},
    {"libcudart.so.*[0-9]", "wheel:cuda_runtime", Required, IfFirstFails},
    {"libcupti.so.*[0-9]", "wheel:cuda_cupti", Required, IfFirstFails},
    {"libcufft.so.*[0-9]", "wheel:cufft", Required, IfFirstFails},
    {"libcurand.so.*[0-9]", "wheel:curand", Required, IfFirstFails},
    {"libcusolver.so.*[0-9]", "wheel:cusolver", Required, IfFirstFails, {}, {}, "2.5"},
    {"libnvJitLink.so.*[0-9]", "wheel:nvjitlink", Required, IfFirstFails, {}, "2.5"},
    {"libcusparse.so.*[0-9]", "wheel:cusparse", Required, IfFirstFails},
    {"libcusparseLt.so.*[0-9]", "wheel:cusparselt", Required, IfFirstFails, {}, "2.6"},
    {"libcusolver.so.*[0-9]", "wheel:cusolver", Required, IfFirstFails, {}, "2.5"},
    {"libnccl.so.*[0-9]", "wheel:nccl", Required, IfFirstFails},
    {"libnvshmem_host.so.*[0-9]", "wheel:nvshmem", Required, IfFirstFails, {}, "2.9"},
    {"libnvToolsExt.so.*[0-9]", "wheel:nvtx", Required, IfFirstFails, {}, {}, "2.8"},
    {"libcufile.so.*[0-9]", "wheel:cufile", Required, IfFirstFails, {}, "2.7"},
};
// From 2.10 on in any case, as far as they are there; cublasLt before cublas since 2.11.
constexpr KnownOpen kTorch_2_10[] = {
    {"libtorch_global_deps.so", kTorchLib},
    {"libcublasLt.so.*[0-9]", "wheel:cublas", Suggested, Always, {}, "2.11"},
    {"libcublas.so.*[0-9]", "wheel:cublas", Suggested},
    {"libcudnn.so.*[0-9]", "wheel:cudnn", Suggested},
    {"libnvrtc.so.*[0-9]", "wheel:cuda_nvrtc", Suggested},
    {"libnvrtc-builtins.so.*[0-9]", "wheel:cuda_nvrtc", Suggested},
    {"libcudart.so.*[0-9]", "wheel:cuda_runtime", Suggested},
    {"libcupti.so.*[0-9]", "wheel:cuda_cupti", Suggested},
    {"libcufft.so.*[0-9]", "wheel:cufft", Suggested},
    {"libcurand.so.*[0-9]", "wheel:curand", Suggested, Always, {}, {}, "2.15"},
    {"libnvJitLink.so.*[0-9]", "wheel:nvjitlink", Suggested},
    {"libcusparse.so.*[0-9]", "wheel:cusparse", Suggested},
    {"libcusparseLt.so.*[0-9]", "wheel:cusparselt", Suggested},
    {"libcusolver.so.*[0-9]", "wheel:cusolver", Suggested},
    {"libnccl.so.*[0-9]", "wheel:nccl", Suggested},
    {"libnvshmem_host.so.*[0-9]", "wheel:nvshmem", Suggested},
    {"libcufile.so.*[0-9]", "wheel:cufile", Suggested},
};

// TensorFlow opens each CUDA library by its SONAME when a GPU is first asked for, and runs on the CPU
// with "Could not load dynamic library" if one is not found.
constexpr KnownOpen kTensorflow_2_5[] = {
    {"libcuda.so.1", {}, Recommended},      {"libcudart.so.11.0", {}, Recommended},
    {"libcublas.so.11", {}, Recommended},   {"libcublasLt.so.11", {}, Recommended},
    {"libcufft.so.10", {}, Recommended},    {"libcurand.so.10", {}, Recommended},
    {"libcusolver.so.11", {}, Recommended}, {"libcusparse.so.11", {}, Recommended},
    {"libcudnn.so.8", {}, Recommended},
};
constexpr KnownOpen kTensorflow_2_15[] = {
    {"libcuda.so.1", {}, Recommended},      {"libcudart.so.12", {}, Recommended},
    {"libcublas.so.12", {}, Recommended},   {"libcublasLt.so.12", {}, Recommended},
    {"libcufft.so.11", {}, Recommended},    {"libcusolver.so.11", {}, Recommended},
    {"libcusparse.so.12", {}, Recommended}, {"libcudnn.so.8", {}, Recommended},
};
// Since when the last three are opened by name is not known: seen in 2.21.
constexpr KnownOpen kTensorflow_2_18[] = {
    {"libcuda.so.1", {}, Recommended},
    {"libcudart.so.12", {}, Recommended},
    {"libcublas.so.12", {}, Recommended},
    {"libcublasLt.so.12", {}, Recommended},
    {"libcufft.so.11", {}, Recommended},
    {"libcusolver.so.11", {}, Recommended},
    {"libcusparse.so.12", {}, Recommended},
    {"libcudnn.so.9", {}, Recommended},
    {"libcupti.so.12 libcupti.so", {}, Suggested, Always, {}, "2.21"},
    {"libnccl.so.2", {}, Suggested, Always, {}, "2.21"},
    {"libnvshmem_host.so.3", {}, Suggested, Always, {}, "2.21"},
};

// jax: its CUDA plugin opens what pip's nvidia packages have, by path, before it loads its own library; what they lack
// is left to LD_LIBRARY_PATH and the cache. `import jax` alone opens none of it: the plugin comes with the first use of
// a device, and refuses CUDA without those that are recommended here ("Unable to load cuSOLVER. Is it installed?").
constexpr KnownOpen jax_library(std::string_view name, std::string_view folder, Importance importance) {
  return {.names = name, .folder = folder, .importance = importance, .is_by_name_else = true};
}
constexpr KnownOpen kJaxCuda12[] = {
    jax_library("libcudart.so.12", "nvidia/cuda_runtime/lib", Recommended),
    jax_library("libcublas.so.12", "nvidia/cublas/lib", Recommended),
    jax_library("libcublasLt.so.12", "nvidia/cublas/lib", Recommended),
    jax_library("libcupti.so.12", "nvidia/cuda_cupti/lib", Recommended),
    jax_library("libcusparse.so.12", "nvidia/cusparse/lib", Recommended),
    jax_library("libcusolver.so.11", "nvidia/cusolver/lib", Recommended),
    jax_library("libcufft.so.11", "nvidia/cufft/lib", Recommended),
    jax_library("libcudnn.so.9", "nvidia/cudnn/lib", Recommended),
    jax_library("libnccl.so.2", "nvidia/nccl/lib", Suggested),
    jax_library("libnvrtc.so.12", "nvidia/cuda_nvrtc/lib", Suggested),
    jax_library("libnvshmem_host.so.3", "nvidia/nvshmem/lib", Suggested),
};
constexpr KnownOpen kJaxCuda13[] = {
    jax_library("libcudart.so.13", "nvidia/cu13/lib", Recommended),
    jax_library("libcublas.so.13", "nvidia/cu13/lib", Recommended),
    jax_library("libcublasLt.so.13", "nvidia/cu13/lib", Recommended),
    jax_library("libcupti.so.13", "nvidia/cu13/lib", Recommended),
    jax_library("libcusparse.so.12", "nvidia/cu13/lib", Recommended),
    jax_library("libcusolver.so.12", "nvidia/cu13/lib", Recommended),
    jax_library("libcufft.so.12", "nvidia/cu13/lib", Recommended),
    jax_library("libcudnn.so.9", "nvidia/cudnn/lib", Recommended),
    jax_library("libnccl.so.2", "nvidia/nccl/lib", Suggested),
    jax_library("libnvrtc.so.13", "nvidia/cu13/lib", Suggested),
    jax_library("libnvshmem_host.so.3", "nvidia/nvshmem/lib", Suggested),
};
// Which of them is installed, if any.
constexpr KnownOpen kJaxPlugins[] = {
    {"xla_cuda_plugin.so", "jax_plugins/xla_cuda12", Suggested, IfThere},
    {"xla_cuda_plugin.so", "jax_plugins/xla_cuda13", Suggested, IfThere},
};

// onnxruntime: execution providers beside its own library; without one it falls back to the CPU, with
// a line in its log.
constexpr KnownOpen kOnnxruntime[] = {
    {"libonnxruntime_providers_shared.so", ".", Recommended},
    {"libonnxruntime_providers_cuda.so", ".", Suggested},
    {"libonnxruntime_providers_tensorrt.so", ".", Suggested},
};

// cupy: cuDNN is tried by the full version that the wheel was built for (cupy/.data/_wheel.json), then by
// its SONAME; compilation opens NVRTC.
constexpr KnownOpen kCupy[] = {
    {"libcudnn.so.9 libcudnn.so.8", {}, Suggested},
    {"libnvrtc.so.13 libnvrtc.so.12 libnvrtc.so.11.2", {}, Recommended},
};

constexpr std::string_view kTorchLibraries = "libtorch.so libtorch_*.so libc10.so libc10_*.so libshm.so";
// The first line of it; the folder torch/_C, with stubs for type checkers, is a namespace package.
constexpr std::string_view kNoTorchModule = "ImportError: Failed to load PyTorch C extensions:";
constexpr KnownImport kTorchImport_1_13 = {
    .module = "torch._C",
    .is_first_global = true,
    .tries_first_again = true,
    .without_module = kNoTorchModule,
    .provides = kTorchLibraries,
    .unless_variable = "TORCH_USE_RTLD_GLOBAL",
};
constexpr std::string_view kNotInPath = "ValueError: {name} not found in the system path {path}";
constexpr KnownImport kTorchImport_2_0 = {
    .module = "torch._C",
    .is_first_global = true,
    .tries_first_again = true,
    .others_only_if_loaded = "nvidia/cuda_runtime/lib/libcudart.so",
    .ends_at_missing = true,
    .missing = kNotInPath,
    .without_module = kNoTorchModule,
    .provides = kTorchLibraries,
    .unless_variable = "TORCH_USE_RTLD_GLOBAL",
};
constexpr KnownImport kTorchImport_2_9 = {
    .module = "torch._C",
    .is_first_global = true,
    .tries_first_again = true,
    .others_only_if_loaded = "libcudart.so",
    .ends_at_missing = true,
    .missing = kNotInPath,
    .without_module = kNoTorchModule,
    .provides = kTorchLibraries,
    .unless_variable = "TORCH_USE_RTLD_GLOBAL",
};
constexpr KnownImport kTorchImport_2_15 = {
    .module = "torch._C",
    .is_first_global = true,
    .tries_first_again = true,
    .others_only_if_loaded = "libcudart.so",
    .missing = kNotInPath,
    .without_module = kNoTorchModule,
    .provides = kTorchLibraries,
    .unless_variable = "TORCH_USE_RTLD_GLOBAL",
};

// faiss-gpu-cu11 and -cu12 (wheels of others): faiss/loader.py opens what _preload_library.json names, by the records
// of the wheels of NVIDIA, with RTLD_GLOBAL. All builds then import the first of several modules, by the processor.
constexpr KnownOpen kFaiss12[] = {
    {.names = "libcudart.so.12", .folder = "nvidia/cuda_runtime/lib", .wheel = "nvidia-cuda-runtime-cu12"},
    {.names = "libcublas.so.12", .folder = "nvidia/cublas/lib", .wheel = "nvidia-cublas-cu12"},
    {.names = "libcublasLt.so.12", .folder = "nvidia/cublas/lib", .wheel = "nvidia-cublas-cu12"},
};
constexpr KnownOpen kFaiss11[] = {
    {.names = "libcudart.so.11.0", .folder = "nvidia/cuda_runtime/lib", .wheel = "nvidia-cuda-runtime-cu11"},
    {.names = "libcublas.so.11", .folder = "nvidia/cublas/lib", .wheel = "nvidia-cublas-cu11"},
    {.names = "libcublasLt.so.11", .folder = "nvidia/cublas/lib", .wheel = "nvidia-cublas-cu11"},
};
constexpr std::string_view kFaissModules = "faiss.swigfaiss_avx512@4 faiss.swigfaiss_avx2@3 faiss.swigfaiss";
constexpr KnownImport kFaissGpuImport = {
    .is_first_global = true,
    .unless_variable = "_FAISS_WHEEL_DISABLE_CUDA_PRELOAD",
    .opens_at = {KnownMoment::Side::Before, "faiss._loader"},
    .imports_at = {KnownMoment::Side::After, "faiss._loader"},
    .modules = kFaissModules,
    .missing_wheel = "importlib.metadata.PackageNotFoundError: No package metadata was found for {wheel}",
};
constexpr KnownImport kFaissCpuImport = {
    .opens_at = {KnownMoment::Side::After, "faiss.loader"},
    .imports_at = {KnownMoment::Side::After, "faiss.loader"},
    .modules = kFaissModules,
};

// bitsandbytes: its library for the CUDA of torch, or for the CPU where torch sees no GPU. What fails is caught.
constexpr KnownOpen kBitsandbytes[] = {
    {.names = "libbitsandbytes_cuda{cuda}.so",
     .folder = "bitsandbytes",
     .importance = Suggested,
     .to_release = "0.50",
     .device = KnownDevice::Present},
    {.names = "libbitsandbytes_cuda{nearest}.so",
     .folder = "bitsandbytes",
     .importance = Suggested,
     .from_release = "0.50",
     .device = KnownDevice::Present},
    {.names = "libbitsandbytes_cpu.so",
     .folder = "bitsandbytes",
     .importance = Suggested,
     .device = KnownDevice::Absent},
};
constexpr KnownImport kBitsandbytesImport = {.opens_at = {KnownMoment::Side::After, "bitsandbytes.cextension"}};

// onnxruntime: C++ code of the module imports numpy, and opens the part that its providers share.
constexpr KnownOpen kOnnxruntimeShared[] = {
    {.names = "libonnxruntime_providers_shared.so", .folder = "onnxruntime/capi", .importance = Suggested}};
constexpr KnownImport kOnnxruntimeImport = {
    .is_first_global = true,
    .opens_at = {KnownMoment::Side::After, "onnxruntime.capi.onnxruntime_pybind11_state"},
    .imports_at = {KnownMoment::Side::After, "onnxruntime.capi.onnxruntime_pybind11_state"},
    .modules = "numpy",
};

// cupy: cuTENSOR before its own modules, from its wheel; a failure is a warning.
constexpr KnownOpen kCupyCutensor[] = {
    {.names = "libcutensor.so.2", .folder = "cutensor/lib", .importance = Suggested}};

// ctranslate2: cuBLAS by its name, when a model is put on a GPU; its own RUNPATH has no wheels of NVIDIA.
constexpr KnownOpen kCtranslate2[] = {{"libcublas.so.*", {}, Recommended}, {"libcuda.so.1", {}, Recommended}};

// triton: the driver, when a kernel is compiled.
constexpr KnownOpen kTriton[] = {{"libcuda.so.1", {}, Recommended}};

// OpenCV: a function puts the package's own folder before sys.path, and imports cv2 once more.
constexpr KnownImport kCv2Import = {.module = "cv2.cv2"};
// Libraries that ctypes opens by a path that code puts together.
constexpr KnownOpen kXgboost[] = {{"libxgboost.so", "xgboost/lib"}};
constexpr KnownOpen kLightgbm[] = {{"lib_lightgbm.so", "lightgbm/lib lightgbm/bin lightgbm"}};
constexpr KnownOpen kTorchaudio[] = {{"libtorchaudio.so", "torchaudio/lib"}};
constexpr KnownImport kTorchaudioImport = {.provides = "libtorchaudio.so"};
constexpr KnownImport kByCtypes = {};
constexpr KnownImport kXgboostImport = {
    .missing =
        "xgboost.libpath.XGBoostLibraryNotFound: Cannot find XGBoost Library in the candidate path.  "
        "List of candidates:",
};
constexpr KnownImport kLightgbmImport = {
    .missing = "Exception: Cannot find lightgbm library file in following paths:",
};

constexpr std::string_view kTorchFile = "torch/lib/libc10.so";
constexpr std::string_view kTorchScript = "torch/__init__.py";
constexpr std::string_view kTensorflowFile = "tensorflow/libtensorflow_framework.so.2";

constexpr KnownLoader kLoaders[] = {
    {"cuDNN 8",
     "libcudnn.so.8",
     {},
     {},
     {},
     Confidence::Likely,
     {},
     "calls of 8.5.0 under LD_DEBUG=files, and the names in its constants",
     kCudnn8},
    {"cuDNN 8",
     "libcudnn-*.so.8.*",
     {},
     {},
     {},
     Confidence::Likely,
     {},
     "the library as auditwheel has renamed it in the wheel ctranslate2 4.4.0; the names are in its constants",
     kCudnn8Bundled},
    {"cuDNN 8",
     "libcudnn_cnn_infer.so.8",
     {},
     {},
     {},
     Confidence::Likely,
     {},
     "AUTOMATIC1111/stable-diffusion-webui#10230; the name is in the constants of 8.5.0",
     kCudnn8Nvrtc},
    {"cuDNN 9",
     "libcudnn.so.9",
     {},
     {},
     {},
     Confidence::Likely,
     {},
     "calls of 9.19.0 and 9.26.0 under LD_DEBUG=files",
     kCudnn9},
    {"cuDNN 9",
     "libcudnn_graph.so.9",
     {},
     {},
     {},
     Confidence::Likely,
     {},
     "names in the constants of 9.19.0 and 9.26.0",
     kCudnn9Graph},
    {"NVRTC", "libnvrtc.so.*", {}, {}, {}, Confidence::Likely, {}, "the name in its constants (11.2 to 13.2)", kNvrtc},
    {"torch", kTorchFile, "torch", "1.13", "2.0", Confidence::Likely, kTorchScript,
     "torch/__init__.py of the wheel 1.13.1", kTorch_1_13, &kTorchImport_1_13},
    {"torch", kTorchFile, "torch", "2.0", "2.9", Confidence::Likely, kTorchScript,
     "torch/__init__.py of the wheels 2.0.1 to 2.8.0", kTorch_2_0, &kTorchImport_2_0},
    {"torch", kTorchFile, "torch", "2.9", "2.10", Confidence::Likely, kTorchScript,
     "torch/__init__.py of the wheel 2.9.1", kTorch_2_0, &kTorchImport_2_9},
    {"torch", kTorchFile, "torch", "2.10", "2.15", Confidence::Likely, kTorchScript,
     "torch/__init__.py of the wheel 2.10.0", kTorch_2_10, &kTorchImport_2_9},
    {"torch",
     kTorchFile,
     "torch",
     "2.15",
     {},
     Confidence::Likely,
     kTorchScript,
     "torch/__init__.py of the wheel 2.15.0",
     kTorch_2_10,
     &kTorchImport_2_15},
    {"torchaudio",
     {},
     "torchaudio",
     {},
     {},
     Confidence::Likely,
     "torchaudio/__init__.py",
     "torchaudio/_extension/__init__.py of the wheel 2.6.0",
     kTorchaudio,
     &kTorchaudioImport},
    {"OpenCV",
     {},
     "opencv_python",
     {},
     {},
     Confidence::Likely,
     "cv2/__init__.py",
     "cv2/__init__.py of the wheel opencv-python-headless 4",
     {},
     &kCv2Import},
    {"faiss",
     {},
     "faiss_gpu_cu12",
     {},
     {},
     Confidence::Likely,
     "faiss/__init__.py",
     "faiss/loader.py of the wheel faiss_gpu_cu12 1.14.1",
     kFaiss12,
     &kFaissGpuImport},
    {"faiss",
     {},
     "faiss_gpu_cu11",
     {},
     {},
     Confidence::Likely,
     "faiss/__init__.py",
     "faiss/loader.py of the wheel faiss_gpu_cu11 1.14.1",
     kFaiss11,
     &kFaissGpuImport},
    {"faiss",
     {},
     "faiss_cpu faiss_gpu",
     {},
     {},
     Confidence::Likely,
     "faiss/__init__.py",
     "faiss/loader.py of the wheels faiss-cpu 1.9.0 and 1.15.1",
     {},
     &kFaissCpuImport},
    {"bitsandbytes",
     {},
     "bitsandbytes",
     {},
     {},
     Confidence::Likely,
     "bitsandbytes/__init__.py",
     "bitsandbytes/cextension.py of the wheels 0.45.0 and 0.50.2",
     kBitsandbytes,
     &kBitsandbytesImport},
    {"onnxruntime",
     {},
     "onnxruntime_gpu",
     "1.18",
     {},
     Confidence::Likely,
     "onnxruntime/__init__.py",
     "the wheels 1.18.1, 1.20.2 and 1.31.1 under LD_DEBUG=files",
     kOnnxruntimeShared,
     &kOnnxruntimeImport},
    {"cupy",
     {},
     "cupy_cuda11x cupy_cuda12x cupy_cuda13x cupy",
     "13.0",
     {},
     Confidence::Likely,
     "cupy/__init__.py",
     "cupy/_environment.py of the wheels 13.3.0 and 14.2.0",
     kCupyCutensor,
     &kByCtypes},
    {"XGBoost",
     {},
     "xgboost",
     {},
     {},
     Confidence::Likely,
     "xgboost/__init__.py",
     "xgboost/libpath.py of the wheel 2.1.3",
     kXgboost,
     &kXgboostImport},
    {"LightGBM",
     {},
     "lightgbm",
     {},
     {},
     Confidence::Likely,
     "lightgbm/__init__.py",
     "lightgbm/libpath.py of the wheel 4.7.0",
     kLightgbm,
     &kLightgbmImport},
    {"TensorFlow",
     kTensorflowFile,
     "tensorflow",
     "2.5",
     "2.15",
     Confidence::Likely,
     {},
     "tensorflow/tensorflow tsl/platform/default/dso_loader.cc; CUDA 11.2 to 11.8 by its release notes",
     kTensorflow_2_5},
    {"TensorFlow",
     kTensorflowFile,
     "tensorflow",
     "2.15",
     "2.18",
     Confidence::Likely,
     {},
     "tensorflow/tensorflow tsl/platform/default/dso_loader.cc; CUDA 12.2, 12.3",
     kTensorflow_2_15},
    {"TensorFlow",
     kTensorflowFile,
     "tensorflow",
     "2.18",
     {},
     Confidence::Likely,
     {},
     "calls of the DsoLoader in the wheel 2.21.0 under LD_DEBUG=libs; CUDA 12.5, cuDNN 9.3",
     kTensorflow_2_18},
    {"jax",
     "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
     "jax_cuda12_plugin jax_cuda12_pjrt",
     {},
     {},
     Confidence::Likely,
     "./__init__.py",
     "jax_plugins/xla_cuda12/__init__.py of the wheel jax_cuda12_pjrt 0.12.0.1",
     kJaxCuda12,
     nullptr,
     "jax[cuda12]"},
    {"jax",
     "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
     "jax_cuda13_plugin jax_cuda13_pjrt",
     {},
     {},
     Confidence::Likely,
     "./__init__.py",
     "jax_plugins/xla_cuda13/__init__.py of the wheel jax_cuda13_pjrt 0.12.0.1",
     kJaxCuda13,
     nullptr,
     "jax[cuda13]"},
    {"jax, a device",
     "jaxlib/xla_extension.so",
     {},
     {},
     {},
     Confidence::Likely,
     "jax/_src/xla_bridge.py",
     "jax 0.4.38, jax/_src/xla_bridge.py:discover_pjrt_plugins",
     kJaxPlugins},
    {"jax, a device",
     "jaxlib/_jax.so",
     {},
     {},
     {},
     Confidence::Likely,
     "jax/_src/xla_bridge.py",
     "jax 0.12, jax/_src/xla_bridge.py:discover_pjrt_plugins",
     kJaxPlugins},
    {"onnxruntime",
     "libonnxruntime.so.*",
     {},
     {},
     {},
     Confidence::Likely,
     {},
     "microsoft/onnxruntime#21684: providers are opened from the library's own folder",
     kOnnxruntime},
    {"onnxruntime",
     "onnxruntime_pybind11_state*.so",
     {},
     {},
     {},
     Confidence::Likely,
     {},
     "microsoft/onnxruntime#21684: providers are opened from the library's own folder",
     kOnnxruntime},
    {"ctranslate2",
     "libctranslate2-*.so.*",
     {},
     {},
     {},
     Confidence::Likely,
     {},
     "names in the constants of the wheels 4.4.0 and 4.8.5",
     kCtranslate2},
    {"triton",
     "triton/_C/libtriton.so",
     {},
     {},
     {},
     Confidence::Likely,
     "./../backends/nvidia/driver.py",
     "triton/backends/nvidia/driver.py of the wheels 3.2.0 and 3.9.0",
     kTriton},
    {"cupy",
     "cupy_backends/cuda/api/runtime.*.so",
     {},
     {},
     {},
     Confidence::Guess,
     {},
     "cupy/cupy cupy/_environment.py",
     kCupy},
};

}  // namespace

std::span<const KnownLoader> known_loaders() { return kLoaders; }

std::string_view package_that_provides(std::string_view library) {
  for (const KnownLoader& loader : kLoaders) {
    std::string_view names = loader.import != nullptr ? loader.import->provides : std::string_view();
    while (!names.empty()) {
      const std::string_view pattern = names.substr(0, names.find(' '));
      if (matches(library, pattern)) return loader.script.substr(0, loader.script.find('/'));
      names.remove_prefix(std::min(pattern.size() + 1, names.size()));
    }
  }
  return {};
}

bool matches(std::string_view text, std::string_view pattern) {
  constexpr std::string_view kDigit = "[0-9]";
  // Where to go on if what follows the last star does not fit.
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  std::size_t t = 0;
  std::size_t p = 0;
  while (t < text.size()) {
    const bool is_digit_set = pattern.substr(p).starts_with(kDigit);
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (is_digit_set && text[t] >= '0' && text[t] <= '9') {
      p += kDigit.size();
      ++t;
    } else if (!is_digit_set && p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

bool holds_for(std::string_view release, std::string_view from_release, std::string_view to_release) {
  if (release.empty()) return to_release.empty();
  return (from_release.empty() || compare_releases(release, from_release) >= 0) &&
         (to_release.empty() || compare_releases(release, to_release) < 0);
}

int compare_releases(std::string_view left, std::string_view right) {
  while (true) {
    unsigned numbers[2] = {0, 0};
    std::string_view* const texts[2] = {&left, &right};
    for (int i = 0; i < 2; ++i) {
      const char* const end = texts[i]->data() + texts[i]->size();
      const std::from_chars_result result = std::from_chars(texts[i]->data(), end, numbers[i]);
      texts[i]->remove_prefix(static_cast<std::size_t>(result.ptr - texts[i]->data()));
    }
    if (numbers[0] != numbers[1]) return numbers[0] < numbers[1] ? -1 : 1;
    // Only what follows a dot is a further number.
    for (std::string_view* text : texts) {
      if (text->starts_with('.')) {
        text->remove_prefix(1);
      } else {
        *text = {};
      }
    }
    if (left.empty() && right.empty()) return 0;
  }
}

}  // namespace soresolve
