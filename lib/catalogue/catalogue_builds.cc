// Packages that were built for something else than what is here: without CUDA, for another numpy, with a plan of
// another TensorRT, for another cuDNN; and what says only that a part is not used. The frameworks' own errors about
// libraries are in catalogue_frameworks.cc.
#include "catalogue/catalogue.h"

namespace soresolve {
namespace {

constexpr KnownMessage kBuildMessages[] = {
    {.id = "ctranslate2-cpu-build",
     .printer = {"CTranslate2 (faster-whisper, WhisperX)", "CTranslate2（faster-whisper、WhisperX）"},
     .patterns = {"This CTranslate2 package was not compiled with CUDA support"},
     .cause = {"The CTranslate2 that is installed has no GPU code: the wheels for arm64, macOS and musl have none.",
               "安装的 CTranslate2 不含 GPU 代码：arm64、macOS 和 musl 的 wheel 都没有。"},
     .proof = {"`python -c \"import ctranslate2; print(ctranslate2.get_cuda_device_count())\"` fails the same way.",
               "`python -c \"import ctranslate2; print(ctranslate2.get_cuda_device_count())\"` 也会同样失败。"},
     .next = {"x86-64: reinstall the wheel from PyPI. arm64 (Jetson, GH200, DGX Spark): build it with "
              "-DWITH_CUDA=ON -DWITH_CUDNN=ON; or run with device=\"cpu\".",
              "x86-64：从 PyPI 重装 wheel。arm64（Jetson、GH200、DGX Spark）：用 -DWITH_CUDA=ON -DWITH_CUDNN=ON "
              "自行编译；或用 device=\"cpu\" 运行。"},
     .command = "uname -m; python -m pip show ctranslate2",
     .source = "CTranslate2 src/cuda/utils.h; OpenNMT/CTranslate2#1306"},
    {.id = "numpy-abi",
     .printer = {"numpy", {}},
     .patterns = {"module compiled against API version {built} but this version of numpy is {here}",
                  "module was compiled against NumPy C-API version {built}",
                  "module compiled against ABI version {built}",
                  "numpy.dtype size changed, may indicate binary incompatibility",
                  "numpy.ufunc size changed, may indicate binary incompatibility",
                  "numpy.ndarray size changed, may indicate binary incompatibility",
                  "A module that was compiled using NumPy 1.x cannot be run in",
                  "numpy.core.multiarray failed to import", "numpy._core.multiarray failed to import"},
     .cause =
         {"An extension module was compiled against another numpy than the one that is installed: numpy 2 changed "
          "the layout of its objects, and newer C-API versions are not in an older numpy.",
          "某个扩展模块编译时所用的 numpy 与现在安装的不同：numpy 2 改变了对象的内存布局，较旧的 numpy 也没有较新的 "
          "C-API。"},
     .proof = {"The traceback's last import is the module; `python -c \"import numpy; print(numpy.__version__)\"`.",
               "traceback 最后一个 import 就是该模块；`python -c \"import numpy; print(numpy.__version__)\"`。"},
     .next = {"Update the module to a release for this numpy, or pin numpy: `pip install 'numpy<2'` for modules of "
              "2023 and "
              "before, `pip install -U numpy` for \"compiled against API version\".",
              "把该模块升级到支持当前 numpy 的版本；或固定 numpy：2023 年及以前的模块用 `pip install 'numpy<2'`，出现 "
              "“compiled against API version”则用 `pip install -U numpy`。"},
     .command = "python -c \"import numpy; print(numpy.__version__, numpy.__file__)\"",
     .source = "numpy/core/code_generators/generate_numpy_api.py:_import_array; Cython __Pyx_ImportType"},
    {.id = "tensorrt-plan",
     .printer = {"TensorRT", {}},
     .patterns = {"The engine plan file is not compatible with this version of TensorRT",
                  "The engine plan file is generated on an incompatible device",
                  "Serialization assertion stdVersionRead == serializationVersion failed",
                  "Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed",
                  "Serialization assertion plan->header.magicTag == rt::kPLAN_MAGIC_TAG failed"},
     .cause = {"An engine file works only with the TensorRT release and the kind of GPU that it was built with; the "
               "libnvinfer here is another one.",
               "engine 文件只能配合生成它时的 TensorRT 版本和 GPU 型号使用；这里的 libnvinfer 是另一个版本。"},
     .proof = {"The release of the libnvinfer.so that is loaded, against the one that built the file.",
               "比较加载到的 libnvinfer.so 的版本与生成该文件时的版本。"},
     .next = {"Build the engine again here (`trtexec --onnx=… --saveEngine=…`), or install that TensorRT release.",
              "在本机重新生成 engine（`trtexec --onnx=… --saveEngine=…`），或安装当时的 TensorRT 版本。"},
     .command = "soresolve why libnvinfer.so.10",
     .source = "TensorRT IRuntime::deserializeCudaEngine"},
    {.id = "xla-dnn-initialization",
     .printer = {"XLA (TensorFlow, JAX)", "XLA（TensorFlow、JAX）"},
     .patterns = {"DNN library initialization failed", "DNN library is not found",
                  "Failed to determine best cudnn "
                  "convolution algorithm",
                  "Could not create cudnn handle: {status}"},
     .cause =
         {"XLA could not initialise cuDNN. A line before it says why: CUDNN_STATUS_NOT_INITIALIZED and "
          "CUDNN_STATUS_INTERNAL_ERROR are mostly a cuDNN that is older than the one of the build, a driver that is "
          "too old, or no free GPU memory.",
          "XLA 无法初始化 cuDNN，原因在前面的某一行：CUDNN_STATUS_NOT_INITIALIZED、CUDNN_STATUS_INTERNAL_ERROR "
          "多半是 cuDNN 比编译时的旧、驱动太旧，或显存不足。"},
     .proof = {"\"Loaded runtime CuDNN library\" in the log; `nvidia-smi` shows who has the memory.",
               "日志里的“Loaded runtime CuDNN library”；`nvidia-smi` 显示谁占用了显存。"},
     .next = {"Take LD_LIBRARY_PATH away, `pip install -U 'jax[cuda12]'` or 'tensorflow[and-cuda]' with its own cuDNN; "
              "XLA_PYTHON_CLIENT_MEM_FRACTION=.70 if others use the GPU.",
              "去掉 LD_LIBRARY_PATH，`pip install -U 'jax[cuda12]'` 或 'tensorflow[and-cuda]'（自带 "
              "cuDNN）；GPU 还有别人用时设 XLA_PYTHON_CLIENT_MEM_FRACTION=.70。"},
     .command = "soresolve doctor",
     .source = "xla/stream_executor/stream_executor.h:AsDnn users; jax-ml/jax#15361"},
    {.id = "onnxruntime-cuda-path",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"onnxruntime", {}},
     .patterns = {"CUDA_PATH is set but CUDA {text} able to be loaded",
                  "CUDA_PATH is set but CUDA wasn't able to be loaded"},
     .cause = {"onnxruntime could not load its CUDA provider, because a library of CUDA or cuDNN that it needs is "
               "not found or is "
               "of another release; it goes on with the CPU.",
               "onnxruntime 无法加载它的 CUDA provider：所需的 CUDA 或 cuDNN 库没有找到，或版本不对；之后改用 CPU。"},
     .proof = {"A line before it names the library; else what libonnxruntime_providers_cuda.so needs.",
               "前面的一行写着是哪个库；否则看 libonnxruntime_providers_cuda.so 需要什么。"},
     .next = {"Install CUDA and cuDNN of the release that this onnxruntime needs, or `import torch` of the same "
              "CUDA first.",
              "安装该 onnxruntime 所需版本的 CUDA 和 cuDNN，或先 import CUDA 版本相同的 torch。"},
     .command = "python -c \"import onnxruntime; print(onnxruntime.__version__, onnxruntime.__file__)\"",
     .source = "onnxruntime python/onnxruntime_pybind_state.cc:CreateExecutionProviderInstance"},
    {.id = "tensorflow-no-tensorrt",
     .printer = {"TensorFlow", {}},
     .patterns = {"TF-TRT Warning: Could not find TensorRT", "TF-TRT Warning: Cannot dlopen some TensorRT libraries"},
     .cause = {"TensorFlow found no TensorRT. It does without: only models that are converted with TF-TRT need it.",
               "TensorFlow 没有找到 TensorRT，不影响使用：只有用 TF-TRT 转换的模型才需要它。"},
     .proof = {"libnvinfer.so and libnvinfer_plugin.so of the release that TensorFlow was built with are missing.",
               "缺少编译 TensorFlow 时所用版本的 libnvinfer.so 和 libnvinfer_plugin.so。"},
     .next = {"Nothing. Whether the GPU is used is said by other lines.", "无需处理。是否使用 GPU 要看其他行。"},
     .weight = Weight::Summary,
     .source = "tensorflow/compiler/tf2tensorrt/utils/py_utils.cc"},
};

}  // namespace

std::span<const KnownMessage> build_messages() { return kBuildMessages; }

}  // namespace soresolve
