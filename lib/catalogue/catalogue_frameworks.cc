// What PyTorch, TensorFlow, onnxruntime, JAX, CuPy and bitsandbytes say when CUDA's files or devices
// do not fit. Causes: the threads named in each source, collected in the reference "cuda-facts".
#include "catalogue/catalogue.h"

namespace soresolve {
namespace {

constexpr KnownMessage kFrameworksMessages[] = {
    // It names a path, and what matters is why that path was tried.
    {.id = "bitsandbytes-build",
     .printer = {"bitsandbytes", {}},
     .patterns = {"Configured CUDA binary not found at {library}", "No compatible CUDA binary found at {library}",
                  "Required library version not found: {library=libbitsandbytes*}",
                  "Could not find the bitsandbytes CUDA binary at {text}('{library}')",
                  "Could not load bitsandbytes native library: {library=*/libbitsandbytes_cpu.so}: cannot open shared "
                  "object file",
                  "{library=*/libbitsandbytes_cpu.so}: cannot open shared object file"},
     .cause = {"bitsandbytes looks for the build that belongs to torch's CUDA version, and this release of it has "
               "none of that number.",
               "bitsandbytes 按 torch 的 CUDA 版本选择对应的构建，而当前版本没有这个编号的文件。"},
     .proof = {"The libbitsandbytes_cuda*.so in the package against torch.version.cuda.",
               "比较软件包里的 libbitsandbytes_cuda*.so 与 torch.version.cuda。"},
     .next = {"Update bitsandbytes, or set BNB_CUDA_VERSION to a build that it has (of the same CUDA major release).",
              "升级 bitsandbytes，或把 BNB_CUDA_VERSION 设为它已有的（同一 CUDA 主版本的）编号。"},
     .command = "ls $(python -c \"import importlib.util as u; "
                "print(u.find_spec('bitsandbytes').submodule_search_locations[0])\")/*.so",
     .source = "bitsandbytes/cextension.py; cuda-facts E44: bitsandbytes-foundation/bitsandbytes#1559, #1614"},
    // Before what is said of single libraries: with a path nothing is searched.
    {.id = "missing-path",
     .problem = ProblemCode::MissingLibrary,
     .printer = {"ld.so (glibc's dynamic linker)", "ld.so（glibc 的动态链接器）"},
     .patterns = {"{library=*/*}: cannot open shared object file"},
     .cause =
         {"{library} was opened by its path, and there is no such file. With a slash in the name the loader "
          "searches nowhere else: LD_LIBRARY_PATH, RPATH and ld.so.cache do not matter.",
          "{library} 是按路径请求的，而这个文件不存在。名字里带斜杠时动态链接器不会再搜索别处：LD_LIBRARY_PATH、RPATH、"
          "ld.so.cache 都不起作用。"},
     .proof = {"`ls -l` on the path; a link may lead nowhere.", "对该路径运行 `ls -l`；它也可能是悬空的链接。"},
     .next = {"Install the package that brings the file, correct the path in the code or the setting that gives it, "
              "or ask for the bare name so that the search takes place.",
              "安装提供该文件的软件包，改正给出这个路径的代码或设置，或改用不带路径的名字以便进行搜索。"},
     .command = "ls -l {library}",
     .lookup = Lookup::Search,
     .source = "elf/dl-load.c:_dl_map_object, a name with a slash"},
    {.id = "onnxruntime-provider",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"onnxruntime", {}},
     .patterns = {"Failed to load library {consumer} with error: {library}: cannot open shared object file"},
     .cause = {"onnxruntime falls back to the CPU: its provider {consumer} needs {library}, which is not found. The "
               "number in the name tells the CUDA (or cuDNN, TensorRT) that this onnxruntime was built for; here is "
               "another one.",
               "onnxruntime 回退到 CPU：它的 {consumer} 需要 {library}，而没有找到。名字中的编号说明这个 onnxruntime "
               "是为哪个 CUDA（或 cuDNN、"
               "TensorRT）编译的；这里装的是别的版本。"},
     .proof = {"DT_NEEDED of the provider library against what its search reaches.",
               "比较该 provider 库的 DT_NEEDED 与搜索路径上有的库。"},
     .next = {"Take the onnxruntime-gpu for the CUDA that is here (up to 1.18: CUDA 11.8 and cuDNN 8; from 1.19: "
              "CUDA 12 and cuDNN 9), or install those libraries; 1.21 and newer load the pip packages with "
              "onnxruntime.preload_dlls().",
              "换用与当前 CUDA 对应的 onnxruntime-gpu（1.18 及以前：CUDA 11.8 + cuDNN 8；1.19 起：CUDA 12 + cuDNN 9），"
              "或安装所需的库；1.21 起可"
              "以调用 onnxruntime.preload_dlls() 加载 pip 包。"},
     .command = "python -c \"import onnxruntime; print(onnxruntime.__file__)\"\nsoresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "cuda-facts E04: microsoft/onnxruntime#21684, #22968, pykeio/ort#548"},
    {.id = "tensorflow-library",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"TensorFlow", {}},
     .patterns = {"Could not load dynamic library '{opened}'; dlerror: {library}: cannot open shared object file",
                  "Could not load dynamic library '{library}'; dlerror: "},
     .cause = {"TensorFlow opens {library} by this name at run time and did not get it. It goes on without the GPU. "
               "Each release wants one CUDA and one cuDNN.",
               "TensorFlow 在运行时按这个名字打开 {library}，没有成功，于是不使用 GPU 继续运行。每个 TensorFlow "
               "版本对应特定的 CUDA 和 cuDNN。"},
     .proof = {"Would dlopen find the name? TensorFlow's own line ends with the LD_LIBRARY_PATH that it had.",
               "看 dlopen 能否找到这个名字；TensorFlow 的这一行末尾写有当时的 LD_LIBRARY_PATH。"},
     .next = {"Install the versions of TensorFlow's table (2.5 to 2.11: CUDA 11.2 and cuDNN 8.1; 2.12, 2.13: 11.8 "
              "and 8.6; 2.15: 12.2 and 8.9; 2.18 and newer: 12.5 and 9.3), since 2.14 by `pip install "
              "'tensorflow[and-cuda]'`.",
              "按 TensorFlow 的对应表安装（2.5～2.11：CUDA 11.2 + cuDNN 8.1；2.12、2.13：11.8 + 8.6；2.15：12.2 + 8.9；"
              "2.18 起：12.5 "
              "+ 9.3），2.14 起可以用 `pip install 'tensorflow[and-cuda]'`。"},
     .command = "soresolve why {library}",
     .lookup = Lookup::Open,
     .source = "cuda-facts E50, section 6: ali-vilab/dreamtalk#32"},
    {.id = "tensorflow-no-gpu",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"TensorFlow", {}},
     .patterns = {"Cannot dlopen some GPU libraries"},
     .cause = {"At least one of TensorFlow's CUDA libraries did not load, and it leaves the GPU alone. Which one, "
               "newer releases tell only in a more talkative log.",
               "TensorFlow 的某个 CUDA 库没有加载成功，于是不使用 GPU。是哪一个，新版本要提高日志级别才会显示。"},
     .proof = {"The lines \"Could not load dynamic library\" above it, or the search of each library.",
               "看上方的 “Could not load dynamic library”，或逐个查看各库的搜索过程。"},
     .next = {"Run with TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_MAX_VLOG_LEVEL=3 and explain those lines.",
              "设置 TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_MAX_VLOG_LEVEL=3 运行，再解释那些行。"},
     .command = "TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_MAX_VLOG_LEVEL=3 python -c 'import tensorflow as tf; "
                "tf.config.list_physical_devices()' 2>&1 | soresolve explain",
     .weight = Weight::Summary,
     .source = "cuda-facts E50; tensorflow gpu_device.cc"},
    {.id = "tensorflow-no-driver",
     .problem = ProblemCode::DriverMissing,
     .printer = {"TensorFlow, XLA", {}},
     .patterns = {"failed call to cuInit: {code}", "couldn't open CUDA library {library}",
                  "Couldn't open CUDA library {library}",
                  "Could not find cuda drivers on your machine, GPU will not be used"},
     .cause = {"TensorFlow could not start the CUDA driver: no libcuda.so.1 (303), no device (100), or a driver "
               "that is broken.",
               "TensorFlow 无法初始化 CUDA 驱动：没有 libcuda.so.1（303）、没有设备（100），或驱动有问题。"},
     .proof = {"Whether libcuda.so.1 is found outside stubs, and /dev/nvidiactl exists.",
               "看（stubs 以外）能否找到 libcuda.so.1，以及 /dev/nvidiactl 是否存在。"},
     .next = {"Install the driver, or start the container with the GPU. Without a GPU the line is harmless.",
              "安装驱动，或给容器分配 GPU。没有 GPU 的机器上可以忽略。"},
     .command = "soresolve why libcuda.so.1; ls -l /dev/nvidia*; nvidia-smi",
     .source = "cuda-facts E39: tensorflow/tensorflow#4931"},
    {.id = "cudnn-runtime-older",
     .problem = ProblemCode::FrameworkBuild,
     .printer = {"PyTorch", {}},
     .patterns =
         {"cuDNN version incompatibility: PyTorch was compiled against ({built}) but found runtime version ({found})",
          "cuDNN version incompatibility: PyTorch was compiled against {text} but found runtime version "},
     .cause =
         {"Another cuDNN than PyTorch's own was loaded, and an older one: a directory on LD_LIBRARY_PATH has a "
          "libcudnn that comes first.",
          "加载到的不是 PyTorch 自带的 cuDNN，而是较旧的一份：LD_LIBRARY_PATH 上的某个目录里有 libcudnn，排在了前面。"},
     .proof = {"Where libcudnn.so.8 (or .9) is found, and from which entry.",
               "看 libcudnn.so.8（或 .9）是从哪个条目找到的。"},
     .next = {"`unset LD_LIBRARY_PATH` (or take the directory with cuDNN out of it) and start again.",
              "`unset LD_LIBRARY_PATH`（或从中去掉含 cuDNN 的目录）后重新运行。"},
     .command = "echo \"$LD_LIBRARY_PATH\"; soresolve why libcudnn.so.8; soresolve why libcudnn.so.9",
     .source = "cuda-facts E13: pytorch/pytorch#80637, bmaltais/kohya_ss#1096"},
    {.id = "cudnn-loaded-older",
     .problem = ProblemCode::FrameworkBuild,
     .printer = {"TensorFlow, JAX (XLA)", {}},
     .patterns = {"Loaded runtime CuDNN library: {found} but source was compiled with: {built}"},
     .cause = {"cuDNN {found} was loaded, and the framework was compiled with {built}: the same major and at least "
               "that minor release is wanted.",
               "加载到的是 cuDNN {found}，而框架编译时用的是 {built}：要求主版本相同，且次版本不低于它。"},
     .proof = {"Which libcudnn.so.8 or .9 is found first.", "看先找到的是哪个 libcudnn.so.8 或 .9。"},
     .next =
         {"Update that cuDNN (`pip install -U nvidia-cudnn-cu12`), or take the older copy off LD_LIBRARY_PATH. "
          "With torch in the same environment choose releases that agree on cuDNN.",
          "升级该 cuDNN（`pip install -U nvidia-cudnn-cu12`），或把旧的从 LD_LIBRARY_PATH 中去掉。同一环境里还有 torch "
          "时，要选对 cuDNN 要求一"
          "致的版本。"},
     .command = "soresolve why libcudnn.so.8; soresolve why libcudnn.so.9",
     .source = "cuda-facts E14: tensorflow/tensorflow#60913, conda-forge/jaxlib-feedstock#329"},
    {.id = "torch-arch",
     .printer = {"PyTorch", {}},
     .patterns = {"with CUDA capability {arch=sm_*} is not compatible with the current PyTorch installation"},
     .cause = {"This PyTorch wheel has no code for the GPU ({arch}): it was built for other architectures, which "
               "the next line lists.",
               "当前的 PyTorch wheel 没有适用于这块 GPU（{arch}）的代码：它是为下一行列出的那些架构编译的。"},
     .proof = {"torch.cuda.get_arch_list() against the compute capability of the device.",
               "比较 torch.cuda.get_arch_list() 与设备的计算能力。"},
     .next =
         {"Newer GPU: a newer PyTorch or CUDA variant (sm_120: torch 2.7 with cu128 or newer). Older GPU "
          "(Maxwell to Volta): the cu126 variant, which keeps them longest.",
          "GPU 较新：换用更新的 PyTorch 或 CUDA 变体（sm_120：torch 2.7 的 cu128 或更新）；GPU 较旧（Maxwell～Volta）："
          "用保留支持最久的 cu126 变体。"},
     .command = "python -c \"import torch; print(torch.__version__, torch.cuda.get_arch_list())\"",
     .source = "cuda-facts E29, section 6: pytorch/pytorch#150733, Comfy-Org/ComfyUI#16438"},
    {.id = "torch-cpu-only",
     .printer = {"PyTorch", {}},
     .patterns = {"Torch not compiled with CUDA enabled"},
     .cause = {"The installed PyTorch is a CPU build; nothing is wrong with driver or CUDA.",
               "安装的是 CPU 版 PyTorch；驱动和 CUDA 没有问题。"},
     .proof = {"torch.version.cuda is None, or the version ends in +cpu.",
               "torch.version.cuda 为 None，或版本号以 +cpu 结尾。"},
     .next = {"Install the variant with CUDA from PyTorch's index; with conda see that pytorch-cuda is not dropped "
              "by the solver.",
              "从 PyTorch 的索引安装带 CUDA 的版本；使用 conda 时注意求解器没有去掉 pytorch-cuda。"},
     .command = "python -c \"import torch; print(torch.__version__, torch.version.cuda, torch.__file__)\"",
     .source = "torch/cuda/__init__.py:_lazy_init"},
    {.id = "torch-companion-variant",
     .problem = ProblemCode::FrameworkBuild,
     .printer = {"torchvision, torchaudio", {}},
     .patterns = {"Detected that PyTorch and {package} were compiled with different CUDA major versions",
                  "Detected that PyTorch and {package} were compiled with different CUDA versions"},
     .cause = {"PyTorch and {package} are of two variants: one for one CUDA, one for another. Mostly one came from "
               "PyPI and one from PyTorch's index, or only one was updated.",
               "PyTorch 与 {package} 是为不同 CUDA 编译的变体：多半一个来自 PyPI、另一个来自 PyTorch 的索引，"
               "或只升级了其中一个。"},
     .proof = {"The tags +cuNNN of both, or the libcudart that each needs.",
               "比较两者的 +cuNNN 标签，或各自依赖的 libcudart。"},
     .next = {"Reinstall all of torch, torchvision and torchaudio in one command from one index.",
              "用一条命令、从同一个索引重装 torch、torchvision、torchaudio。"},
     .command = "pip list | grep -i torch",
     .source = "cuda-facts E45: mathmanu/edgeai-torchvision#18"},
    {.id = "torch-build-cuda",
     .printer = {"PyTorch (building an extension)", "PyTorch（编译扩展时）"},
     .patterns = {"The detected CUDA version ({found}) mismatches the version that was used to compile"},
     .cause = {"nvcc, as found by CUDA_HOME or PATH, is of CUDA {found}, and PyTorch was built with another major "
               "release; an extension built so would need two runtimes.",
               "CUDA_HOME 或 PATH 找到的 nvcc 是 CUDA {found}，而 PyTorch 是用另一个主版本编译的；"
               "这样编译出的扩展会需要两个运行时。"},
     .proof = {"`nvcc --version` against torch.version.cuda.", "比较 `nvcc --version` 与 torch.version.cuda。"},
     .next = {"Set CUDA_HOME to a toolkit of torch's release, or install the torch variant for this toolkit. With "
              "pip's build isolation another torch may be in use: --no-build-isolation.",
              "把 CUDA_HOME 指向与 torch 一致的工具包，或安装与该工具包对应的 torch。pip 的构建隔离环境里可能是另一个 "
              "torch：使用 --no-build-isolation。"},
     .command = "nvcc --version; echo \"$CUDA_HOME\"; python -c \"import torch; print(torch.version.cuda)\"",
     .source = "torch/utils/cpp_extension.py:CUDA_MISMATCH_MESSAGE; cuda-facts E46: boschresearch/DroidCalib#5"},
    {.id = "jax-library",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"JAX", {}},
     .patterns = {"Unable to load {library=cu*}. Is it installed?",
                  "The {library=cuSPARSE|cuDNN|cuBLAS|cuFFT|cuSOLVER|CUPTI} library was not found"},
     .cause = {"JAX could not open {library}. Often it is there, and a library that it needs is not (libcusparse "
               "needs libnvJitLink), or an older copy of the system comes first.",
               "JAX 无法打开 {library}。它往往是存在的，缺的是它所依赖的库（libcusparse 依赖 libnvJitLink），"
               "或系统里较旧的副本排在前面。"},
     .proof = {"The dependencies of that library in site-packages/nvidia, resolved one by one.",
               "对 site-packages/nvidia 里的该库，逐个解析其依赖。"},
     .next = {"`unset LD_LIBRARY_PATH`; reinstall `pip install -U 'jax[cuda12]'`, which brings nvidia-nvjitlink.",
              "`unset LD_LIBRARY_PATH`；重装 `pip install -U 'jax[cuda12]'`，它会带上 nvidia-nvjitlink。"},
     .command = "soresolve why FILE    # the libcusparse.so.12, libcudnn.so.9 … in site-packages/nvidia",
     .source = "cuda-facts E47: jax-ml/jax#30050, jax-ml/jax#33838"},
    {.id = "cupy-library",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"CuPy", {}},
     .patterns = {"CuPy failed to load {library=lib*.so*}"},
     .cause = {"CuPy opens {library} with ctypes by its name, and it is not on the search path: a CuPy for another "
               "CUDA major release, or the pip package is there and not searched (the RPATH of CuPy's modules does "
               "not count in ctypes).",
               "CuPy 通过 ctypes 按名字打开 {library}，而搜索路径上没有：CuPy 对应的 CUDA 主版本不同，或 pip "
               "包已安装但不在搜索路径里（CuPy 模块自身的 RPATH 对 "
               "ctypes 不起作用）。"},
     .proof = {"Would dlopen find the name? And which cupy-cudaNNx is installed.",
               "看 dlopen 能否找到这个名字，以及安装的是哪个 cupy-cudaNNx。"},
     .next = {"Install the cupy-cuda11x, -cuda12x or -cuda13x that fits, and the nvrtc of that release; or set "
              "CUDA_PATH to a toolkit.",
              "安装匹配的 cupy-cuda11x、-cuda12x 或 -cuda13x，以及该版本的 nvrtc；或把 CUDA_PATH 指向工具包。"},
     .command = "soresolve why {library}",
     .lookup = Lookup::Open,
     .source = "cupy/_softlink.pyx; cuda-facts E42: cupy/cupy#9318, cupy/cupy#8317"},
    {.id = "bitsandbytes-cpu",
     .printer = {"bitsandbytes", {}},
     .patterns = {"The installed version of bitsandbytes was compiled without GPU support",
                  "object has no attribute 'cadam32bit_grad_fp32'"},
     .cause =
         {"bitsandbytes loaded its CPU library: when it was imported, torch saw no GPU, or it had no build for "
          "torch's CUDA version and took the CPU's.",
          "bitsandbytes 加载的是 CPU 版的库：import 时 torch 看不到 GPU，或它没有与 torch 的 CUDA 版本对应的构建，于"
          "是改用 CPU 版。"},
     .proof = {"torch.cuda.is_available(), and the libbitsandbytes_cuda*.so in the package against torch.version.cuda.",
               "看 torch.cuda.is_available()，并比较软件包里的 libbitsandbytes_cuda*.so 与 torch.version.cuda。"},
     .next = {"If torch sees no GPU, fix that first (soresolve doctor). Else `pip install -U bitsandbytes`.",
              "如果 torch 看不到 GPU，先解决这个问题（soresolve doctor）；否则 `pip install -U bitsandbytes`。"},
     .command = "soresolve doctor\npython -m bitsandbytes",
     .source = "bitsandbytes/cextension.py; bitsandbytes-foundation/bitsandbytes#719, cocktailpeanut/fluxgym#411"},
    {.id = "ctranslate2-library",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"CTranslate2 (faster-whisper)", "CTranslate2（faster-whisper）"},
     .patterns = {"Library {library=lib*.so*} is not found or cannot be loaded"},
     .cause =
         {"CTranslate2 opens {library} by this name when the model first computes, and did not get it. The number is "
          "that of the CUDA it was built for (since 4.0: 12); torch's copy in site-packages counts only if torch was "
          "imported before.",
          "CTranslate2 在模型首次计算时按名字打开 {library}，没有成功。编号就是它编译时的 CUDA 版本（4.0 起为 12）；"
          "site-packages 里 torch 的那份只有先 import torch 才有用。"},
     .proof = {"Would dlopen find the name? The wheel of CTranslate2 requires no package of CUDA.",
               "看 dlopen 能否找到这个名字；CTranslate2 的 wheel 没有声明依赖任何 CUDA 包。"},
     .next = {"Install the library's wheel and put its directory on LD_LIBRARY_PATH, or import torch (of the same CUDA "
              "major release) first. With CUDA 11 only: `pip install 'ctranslate2<4'`.",
              "安装该库的 wheel 并把其目录加入 LD_LIBRARY_PATH，或先 import torch（CUDA 主版本相同）。只有 CUDA 11 时："
              "`pip install 'ctranslate2<4'`。"},
     .command = "soresolve why {library}",
     .lookup = Lookup::Open,
     .source = "ctranslate2 src/cuda/cublas_stub.cc; frameworks C01, C02: SYSTRAN/faster-whisper#1431, "
               "Softcatala/whisper-ctranslate2#74"},
    {.id = "onnxruntime-no-gpu-build",
     .printer = {"onnxruntime", {}},
     .patterns = {"Specified provider '{provider}' is not in available provider"},
     .cause = {"This onnxruntime has no {provider} at all: the package onnxruntime (CPU) is installed, alone or over "
               "onnxruntime-gpu. Both write the same directory, and the one installed last wins.",
               "这个 onnxruntime 根本没有 {provider}：装的是 onnxruntime（CPU 版），或它覆盖了 "
               "onnxruntime-gpu。两个包写入同一目录，后装的生效。"},
     .proof =
         {"`pip list | grep -i onnxruntime` shows the CPU package or both; capi has no "
          "libonnxruntime_providers_cuda.so.",
          "`pip list | grep -i onnxruntime` 显示 CPU 版或两者都有；capi 目录里没有 libonnxruntime_providers_cuda.so。"},
     .next = {"`pip uninstall -y onnxruntime onnxruntime-gpu`, then `pip install onnxruntime-gpu` alone.",
              "先 `pip uninstall -y onnxruntime onnxruntime-gpu`，再只装 `pip install onnxruntime-gpu`。"},
     .command = "pip list | grep -i onnxruntime\npython -c \"import onnxruntime as o; print(o.__file__, "
                "o.get_available_providers())\"",
     .source = "onnxruntime/capi/onnxruntime_inference_collection.py:check_and_normalize_provider_args; "
               "microsoft/onnxruntime#23736, Naozumi520/g2pW-Cantonese#1"},
    {.id = "onnxruntime-fallback",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"onnxruntime", {}},
     .patterns = {"Failed to create {provider=CUDAExecutionProvider|TensorrtExecutionProvider}"},
     .cause =
         {"onnxruntime has {provider}, and it did not load; the session runs on the CPU. The line before it names the "
          "library that is missing.",
          "onnxruntime 带有 {provider}，但它没有加载成功，会话改在 CPU 上运行。前一行写着缺的是哪个库。"},
     .proof = {"What libonnxruntime_providers_cuda.so needs and does not find.",
               "看 libonnxruntime_providers_cuda.so 需要什么、缺什么。"},
     .next =
         {"Give the whole output to this command; or call onnxruntime.preload_dlls() (1.21 and newer) or import torch "
          "of the same CUDA and cuDNN first.",
          "把完整输出交给本命令；或调用 onnxruntime.preload_dlls()（1.21 起），或先 import CUDA、cuDNN 版本相同的 "
          "torch。"},
     .command = "python -c \"import onnxruntime; print(onnxruntime.__file__)\"\nsoresolve why FILE    # the "
                "capi/libonnxruntime_providers_cuda.so beside it",
     .weight = Weight::Summary,
     .source = "onnxruntime python/onnxruntime_pybind_state.cc:CreateExecutionProviderInstance; frameworks S08"},
    {.id = "tensorflow-factory",
     .printer = {"TensorFlow (XLA)", "TensorFlow（XLA）"},
     .patterns = {"Unable to register {part} factory: Attempting to register factory for plugin",
                  "computation placer already registered"},
     .cause =
         {"Two parts of TensorFlow register the same plugin of CUDA when it is imported (2.14 and newer, also "
          "together with PyTorch or JAX). A log line at level E that has no effect: the GPU is used all the same.",
          "导入 TensorFlow 时，它的两个部分重复注册了同一个 CUDA 插件（2.14 起，与 PyTorch、JAX 一起用时也会）。虽然"
          "是 E 级日志，但没有影响：GPU 照常使用。"},
     .proof = {"tf.config.list_physical_devices('GPU') lists the device after these lines.",
               "在这些行之后 tf.config.list_physical_devices('GPU') 仍能列出设备。"},
     .next = {"Nothing, or TF_CPP_MIN_LOG_LEVEL=3 to hide it. If no GPU is listed, the cause is in another line "
              "(\"Cannot dlopen some GPU libraries\").",
              "不用处理，或设 TF_CPP_MIN_LOG_LEVEL=3 隐藏。如果列不出 GPU，原因在别的行（“Cannot dlopen some GPU "
              "libraries”）。"},
     .command = "python -c \"import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))\"",
     .weight = Weight::Summary,
     .source = "xla/stream_executor/plugin_registry.cc; tensorflow/tensorflow#62075, openxla/xla#20803"},
    {.id = "torchvision-operators",
     .problem = ProblemCode::FrameworkBuild,
     .printer = {"torchvision", {}},
     .patterns = {"Couldn't load custom C++ ops", "operator torchvision::{operator} does not exist",
                  "No such operator torchvision::{operator}"},
     .cause = {"torchvision's own library (_C.so) did not load into this torch: the two are of releases that do not go "
               "together, or one is a CPU build and one for CUDA. The loader's error was swallowed.",
               "torchvision 自己的库（_C.so）没能在当前 torch 中加载：两者版本不配套，或一个是 CPU 版、一个是 CUDA "
               "版。加载器的错误信息被吞掉了。"},
     .proof = {"`soresolve why` on torchvision/_C.so shows the symbol or library that is missing.",
               "对 torchvision/_C.so 运行 `soresolve why`，可看到缺少的符号或库。"},
     .next = {"Reinstall both in one command from one index: torch 2.N goes with torchvision 0.(N+15).",
              "用一条命令、从同一个索引重装两者：torch 2.N 对应 torchvision 0.(N+15)。"},
     .command = "pip list | grep -i torch\nsoresolve why FILE    # the torchvision/_C.so in site-packages",
     .source = "torchvision/extension.py:_assert_has_ops; pytorch/vision#4222, #4071, #1405"},
    {.id = "xformers-build",
     .problem = ProblemCode::FrameworkBuild,
     .printer = {"xFormers", {}},
     .patterns = {"xFormers can't load C++/CUDA extensions. xFormers was built for",
                  "xFormers can't load C++/CUDA extensions", "xFormers wasn't build with CUDA support",
                  "PyTorch {built} with CUDA {cuda} (you have {found})"},
     .cause =
         {"The compiled part of xFormers does not fit this torch: each release of it is built for exactly one torch "
          "and one CUDA. Without it xFormers goes on with the slow operators only.",
          "xFormers 的编译部分与当前 torch 不匹配：它的每个版本只对应一个 torch 版本和一个 "
          "CUDA。缺了它，xFormers 只能用较慢的算子。"},
     .proof = {"The two lines below the message: built for, and \"you have\"; +cpu there means a torch without CUDA.",
               "看消息下面两行：built for 与 “you have”；若其中是 +cpu，说明 torch 不带 CUDA。"},
     .next =
         {"Install the xFormers of torch's variant (+cuNNN) from PyTorch's index, with --no-deps so that torch stays; "
          "or install the torch that it names.",
          "从 PyTorch 的索引安装与 torch 变体（+cuNNN）对应的 xFormers，加 --no-deps 以免改动 torch；或安装它所要求的 "
          "torch。"},
     .command = "python -m xformers.info; python -c \"import torch; print(torch.__version__)\"",
     .source = "xformers/_cpp_lib.py; facebookresearch/xformers#982, #800"},
    {.id = "flash-attention-gpu",
     .printer = {"FlashAttention, xFormers, vLLM", "FlashAttention、xFormers、vLLM"},
     .patterns = {"FlashAttention only supports Ampere GPUs or newer",
                  "FlashAttention-2 backend for Volta and Turing GPUs",
                  "requires device with capability {text} but your GPU has capability"},
     .cause =
         {"The kernels of FlashAttention 2 need compute capability 8.0 (Ampere: A100, RTX 30) or higher, and this GPU "
          "is older (T4, V100, RTX 20); or an old build does not know a newer GPU.",
          "FlashAttention 2 的内核要求计算能力 8.0（Ampere：A100、RTX 30 系）以上，而这块 GPU 更旧（T4、V100、RTX 20 "
          "系）；或旧的构建不认识更新的 GPU。"},
     .proof = {"`nvidia-smi --query-gpu=compute_cap --format=csv`.",
               "看 `nvidia-smi --query-gpu=compute_cap --format=csv` 的输出。"},
     .next =
         {"Use another attention: attn_implementation=\"sdpa\" (transformers), VLLM_ATTENTION_BACKEND=XFORMERS; on a "
          "GPU newer than Ampere update flash-attn and xFormers.",
          "换用别的 attention 实现：attn_implementation=\"sdpa\"（transformers）、VLLM_ATTENTION_BACKEND=XFORMERS；"
          "如果 GPU 比 Ampere 更新，升级 flash-attn 和 xFormers。"},
     .command = "nvidia-smi --query-gpu=name,compute_cap --format=csv",
     .source = "flash-attention csrc/flash_attn/flash_api.cpp; Dao-AILab/flash-attention#762, #1540, "
               "vllm-project/vllm#8189"},
    {.id = "xgboost-cpu-build",
     .printer = {"XGBoost", {}},
     .patterns = {"XGBoost version not compiled with GPU support"},
     .cause =
         {"The libxgboost.so in use was built without CUDA: a package for the CPU (xgboost-cpu, conda's _cpu build, "
          "the wheels for some platforms), or an own build without -DUSE_CUDA=ON.",
          "当前的 libxgboost.so 编译时没有带 CUDA：CPU 版的包（xgboost-cpu、conda 的 _cpu 构建、某些平台的 "
          "wheel），或自己编译时没有加 -DUSE_CUDA=ON。"},
     .proof = {"xgboost.build_info()['USE_CUDA'] is False.", "xgboost.build_info()['USE_CUDA'] 为 False。"},
     .next =
         {"`pip install -U --force-reinstall xgboost` (x86-64 and aarch64 Linux wheels have CUDA), conda: `conda "
          "install -c conda-forge py-xgboost-gpu`; or device=\"cpu\".",
          "`pip install -U --force-reinstall xgboost`（Linux x86-64、aarch64 的 wheel 带 CUDA），conda：`conda install "
          "-c conda-forge py-xgboost-gpu`；或设 device=\"cpu\"。"},
     .command = "python -c \"import xgboost as x; print(x.__version__, x.build_info()['USE_CUDA'], x.__file__)\"",
     .source = "xgboost src/common/common.h:AssertGPUSupport; dmlc/xgboost#6353, #11394"},
    {.id = "torch-wheels-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = {"PyTorch", {}},
     .patterns = {"libcu{part}.so.*[0-9] not found in the system path",
                  "libnv{part}.so.*[0-9] not found in the system "
                  "path",
                  "libnccl.so.*[0-9] not found in the system path", ".so.*[0-9] not found in the system path"},
     .cause = {"import torch found a library of CUDA missing, then searched sys.path for the wheels nvidia-* that "
               "torch requires, and has none of this name. The name is that of the first wheel it looked for; which "
               "library was missing is said in the OSError above.",
               "import torch 发现缺少某个 CUDA 库，于是在 sys.path 里找 torch 依赖的 nvidia-* "
               "wheel，没有找到这个名字的。这里的名字是它最先找的那个 wheel；真正缺少的库写在上面的 OSError 里。"},
     .proof = {"`pip list | grep nvidia-` against the Requires-Dist of torch; the list behind the message is sys.path.",
               "比较 `pip list | grep nvidia-` 与 torch 的 Requires-Dist；消息后面的列表就是 sys.path。"},
     .next =
         {"Install torch with its dependencies (`pip install --force-reinstall torch`, not --no-deps); all of it in "
          "one site-packages. With poetry or PEX: a lock that has the nvidia-* wheels for Linux.",
          "连同依赖一起重装 torch（`pip install --force-reinstall torch`，不要 --no-deps），装在同一个 site-packages "
          "里。用 poetry、PEX 时，锁定文件里要有 Linux 的 nvidia-* wheel。"},
     .command = "pip list | grep -E 'torch|nvidia-'; pip check",
     .source = "torch/__init__.py:_preload_cuda_deps; frameworks T15, T16, S01: zai-org/ChatGLM3#317, "
               "pytorch/pytorch#149806"},
    {.id = "bitsandbytes-setup",
     .printer = {"bitsandbytes", {}},
     .patterns = {"CUDA Setup failed despite GPU being available", "CUDA SETUP: Setup Failed",
                  "CUDA SETUP: CUDA detection failed", "CUDA Setup failed"},
     .cause = {"bitsandbytes found a GPU, but could not load its own library: mostly that needs a CUDA library of "
               "another major release (libcusparse.so.11 in an environment of CUDA 12).",
               "bitsandbytes 发现了 GPU，却无法加载自己的库：多半是该库需要另一个主版本的 CUDA 库（CUDA 12 环境里要 "
               "libcusparse.so.11）。"},
     .proof = {"What the chosen libbitsandbytes_cuda*.so needs and does not find.",
               "看所选的 libbitsandbytes_cuda*.so 需要什么、缺什么。"},
     .next = {"Update bitsandbytes, or set BNB_CUDA_VERSION; see `soresolve why` on that file for what is missing.",
              "升级 bitsandbytes，或设置 BNB_CUDA_VERSION；对该文件运行 `soresolve why` 可以看到缺少什么。"},
     .command = "python -m bitsandbytes",
     .weight = Weight::Summary,
     .source = "cuda-facts E43: bitsandbytes-foundation/bitsandbytes#1452, #966"},
};

}  // namespace

std::span<const KnownMessage> framework_messages() { return kFrameworksMessages; }

}  // namespace soresolve
