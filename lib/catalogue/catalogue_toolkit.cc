// What is said while GPU code is compiled or linked: nvcc, ptxas, NVRTC, ld, and what calls them (PyTorch's
// cpp_extension, DeepSpeed, apex, Triton, XLA, numba). Texts: as in the threads named in each source. Not here: what a
// program says that was built and does not load.
#include "catalogue/catalogue.h"

namespace soresolve {
namespace {

constexpr Phrase kCompilerCallers = {"nvcc and what calls it", "nvcc 及调用它的程序"};

constexpr KnownMessage kToolkitMessages[] = {
    // The toolkit is not found.
    {.id = "nvcc-missing",
     .printer = {"the shell, CMake, build scripts", "shell、CMake、构建脚本"},
     .patterns = {"nvcc: command not found", "nvcc: not found", "command not found: nvcc", "Command 'nvcc' not found",
                  "No such file or directory: '{tool=*nvcc}'", "unable to execute '{tool=*nvcc}': No such file or",
                  "exec: 'nvcc': executable file not found", "Unknown command: nvcc",
                  "No CMAKE_CUDA_COMPILER could be found", "Could NOT find CUDA (missing: {text})",
                  "Could NOT find CUDAToolkit (missing: {text})",
                  "cannot find CUDA installation; provide its path via"},
     .cause =
         {"nvcc, the compiler of the CUDA toolkit, is not where it was looked for. The driver does not bring it, "
          "and neither do PyTorch's wheels; a toolkit may be installed and its bin directory not on PATH (sudo "
          "resets PATH).",
          "没有在查找的位置找到 nvcc（CUDA 工具包的编译器）。驱动和 PyTorch 的 wheel 都不带它；也可能工具包已安装，"
          "但 bin 目录不在 PATH 里（sudo 会重置 PATH）。"},
     .proof = {"`ls -d /usr/local/cuda*/bin/nvcc`, and the values of PATH and CUDA_HOME.",
               "看 `ls -d /usr/local/cuda*/bin/nvcc`，以及 PATH、CUDA_HOME 的值。"},
     .next = {"Put the toolkit's bin directory on PATH and set CUDA_HOME to its root (one directory, no colon); or "
              "install a toolkit of the release that torch.version.cuda shows. Images named -runtime have no nvcc: "
              "take -devel. Only to run programs nvcc is not needed.",
              "把工具包的 bin 目录加入 PATH，CUDA_HOME 设为其根目录（只能是一个目录，不带冒号）；或安装与 "
              "torch.version.cuda 一致的工具包。-runtime 镜像里没有 nvcc，要用 -devel。只运行程序则不需要 nvcc。"},
     .command = "ls -d /usr/local/cuda*/bin/nvcc; echo \"$PATH\"; echo \"$CUDA_HOME\"\nexport "
                "CUDA_HOME=/usr/local/cuda PATH=/usr/local/cuda/bin:$PATH",
     .source = "bash, dash, zsh, Python, CMake; speedinghzl/CCNet#56, traveller59/second.pytorch#7, "
               "MVIG-SJTU/AlphaPose#765"},
    {.id = "cuda-home-unset",
     .printer = {"PyTorch (building an extension), DeepSpeed", "PyTorch（编译扩展时）、DeepSpeed"},
     .patterns = {"CUDA_HOME environment variable is not set", "CUDA_HOME does not exist, unable to compile CUDA op"},
     .cause =
         {"An extension is compiled, and no CUDA toolkit is found: neither CUDA_HOME nor CUDA_PATH is set, no nvcc "
          "is on PATH, and there is no /usr/local/cuda. What torch brings along is for running only.",
          "正在编译扩展，却找不到 CUDA 工具包：没有设置 CUDA_HOME 或 CUDA_PATH，PATH 上没有 nvcc，也没有 "
          "/usr/local/cuda。torch 自带的 CUDA 只够运行。"},
     .proof = {"`which nvcc` and `ls -d /usr/local/cuda*` are empty, or the toolkit stands elsewhere.",
               "`which nvcc` 和 `ls -d /usr/local/cuda*` 都没有结果，或工具包装在别处。"},
     .next = {"Install a toolkit of torch's CUDA release (torch.version.cuda) and set CUDA_HOME to it; or install a "
              "prebuilt wheel of the package. With pip's build isolation add --no-build-isolation.",
              "安装与 torch.version.cuda 一致的工具包并设置 CUDA_HOME；或改装预编译的 wheel。pip 有构建隔离时加 "
              "--no-build-isolation。"},
     .command = "python -c \"import torch; print(torch.version.cuda)\"; ls -d /usr/local/cuda*\nexport "
                "CUDA_HOME=/usr/local/cuda",
     .source = "torch/utils/cpp_extension.py:_join_cuda_home, deepspeed/ops/op_builder/builder.py; "
               "OpenBMB/CPM-Live#244, NVIDIA/flownet2-pytorch#218"},
    {.id = "link-driver-missing",
     .printer = {"ld (linking)", "ld（链接时）"},
     .patterns = {"cannot find -l{link=cuda|nvidia-ml}", "unable to find library -l{link=cuda|nvidia-ml}"},
     .cause = {"The linker looks for lib{link}.so, a link without number. The driver installs lib{link}.so.1 only; the "
               "other name is in the toolkit's stubs directory, which is not among the -L directories.",
               "链接器要找的是不带版本号的 lib{link}.so。驱动只安装 lib{link}.so.1；不带版本号的那个在工具包的 stubs "
               "目录里，而它不在 -L 目录之中。"},
     .proof = {"`ls /usr/local/cuda/lib64/stubs`, and whether libcuda.so.1 is found by itself.",
               "看 `ls /usr/local/cuda/lib64/stubs`，以及能否找到 libcuda.so.1。"},
     .next =
         {"Link with -L/usr/local/cuda/lib64/stubs (conda: $CONDA_PREFIX/lib/stubs), or set LIBRARY_PATH to it. "
          "Never put stubs on LD_LIBRARY_PATH. With Triton up to 3.2 a link lib{link}.so beside libcuda.so.1 helps.",
          "链接时加 -L/usr/local/cuda/lib64/stubs（conda：$CONDA_PREFIX/lib/stubs），或设到 LIBRARY_PATH。不要把 stubs "
          "放进 LD_LIBRARY_PATH。Triton 3.2 及以前可在 libcuda.so.1 旁建链接 lib{link}.so。"},
     .command = "export LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LIBRARY_PATH\nsoresolve why libcuda.so.1",
     .source = "binutils ld/ldfile.c; apache/mxnet#2656, ggml-org/llama.cpp#7508; frameworks R01"},
    {.id = "link-cuda-missing",
     .printer = {"ld (linking)", "ld（链接时）"},
     .patterns = {"cannot find -l{link=cudart*|cublas*|cudnn*|cufft*|curand*|cusolver*|cusparse*|nvrtc*|nvToolsExt|"
                  "nccl*|nvJitLink*|cupti|npp*|nvinfer*|cudadevrt|culibos}",
                  "unable to find library -l{link=cudart*|cublas*|cudnn*|cufft*|curand*|cusolver*|cusparse*|nvrtc*|"
                  "nvToolsExt|nccl*|nvJitLink*|cupti|npp*|nvinfer*|cudadevrt|culibos}"},
     .cause =
         {"The linker has no directory with lib{link}.so. LD_LIBRARY_PATH does not count here: -L, LIBRARY_PATH and "
          "the linker's own list do. The wheels of nvidia-* have numbered names only, without this link.",
          "链接器的搜索目录里没有 lib{link}.so。这里 LD_LIBRARY_PATH 不起作用，看的是 -L、LIBRARY_PATH "
          "和链接器自己的目录表。nvidia-* 的 wheel 只有带版本号的文件，没有这个链接。"},
     .proof = {"`find / -name 'lib{link}.so*'`, against the -L options in the command line above the message.",
               "把 `find / -name 'lib{link}.so*'` 的结果与消息上方命令行里的 -L 比较。"},
     .next =
         {"Add -L with the toolkit's lib64 (or set CUDA_HOME, LIBRARY_PATH); install the -dev package of the library; "
          "in conda: cuda-cudart-dev and the like, whose files are found by the environment's compiler.",
          "用 -L 加上工具包的 lib64（或设置 CUDA_HOME、LIBRARY_PATH）；安装该库的 -dev 包；conda 环境里装 "
          "cuda-cudart-dev 之类的包，让环境自带的编译器找到。"},
     .command = "export LIBRARY_PATH=/usr/local/cuda/lib64:$LIBRARY_PATH\nld --verbose | grep SEARCH_DIR",
     .source = "binutils ld/ldfile.c, lld/ELF/Driver.cpp; tsiv/ccminer-cryptonight#39, "
               "ivan-chai/torch-linear-assignment#2"},

    // The toolkit is too old or too new.
    {.id = "nvcc-arch",
     .printer = kCompilerCallers,
     .patterns = {"Unsupported gpu architecture '{arch}'",
                  "Value '{arch=sm_*}' is not defined for option 'gpu-architecture'",
                  "Unknown CUDA arch ({arch}) or GPU not supported"},
     .cause =
         {"This nvcc does not know {arch}: the GPU is newer than the toolkit (8.9 and 9.0 need CUDA 11.8, 10.0 and "
          "12.0 need 12.8), or the toolkit has dropped it (3.x since 12, up to 7.2 since 13).",
          "这个 nvcc 不认识 {arch}：GPU 比工具包新（8.9、9.0 需要 CUDA 11.8，10.0、12.0 需要 12.8），或工具包已不再支"
          "持它（12 起去掉 3.x，13 起去掉 7.2 及以前）。"},
     .proof = {"`nvcc --list-gpu-arch` against {arch}.", "比较 `nvcc --list-gpu-arch` 与 {arch}。"},
     .next =
         {"Compile with a newer toolkit (CUDA_HOME), or for an older architecture: TORCH_CUDA_ARCH_LIST=\"8.6+PTX\", "
          "CMAKE_CUDA_ARCHITECTURES=86; its PTX runs on newer GPUs.",
          "换用更新的工具包（CUDA_HOME），或面向较旧的架构编译：TORCH_CUDA_ARCH_LIST=\"8.6+PTX\"、"
          "CMAKE_CUDA_ARCHITECTURES=86，其中的 PTX 能在更新的 GPU 上运行。"},
     .command = "nvcc --version; nvcc --list-gpu-arch; nvidia-smi --query-gpu=name,compute_cap --format=csv",
     .source = "nvcc, torch/utils/cpp_extension.py:_get_cuda_arch_flags; facebookresearch/3detr#59, "
               "ztxz16/fastllm#367; cuda-facts section 3"},
    {.id = "ptxas-arch",
     .printer = {"ptxas, called by Triton, XLA or nvcc", "ptxas（由 Triton、XLA 或 nvcc 调用）"},
     .patterns = {"Value '{arch=sm_*}' is not defined for option 'gpu-name'"},
     .cause = {"The ptxas that was called does not know {arch}, the architecture of the GPU: it is of an older CUDA "
               "release (Triton brings its own; XLA takes the first on PATH), or of one that has dropped it.",
               "被调用的 ptxas 不认识 {arch}（这块 GPU 的架构）：它来自较旧的 CUDA（Triton 自带一份；XLA 取 PATH "
               "上的第一个），或来自已不再支持该架构的版本。"},
     .proof = {"`ptxas --version`, and the path in the line \"Repro command\" of Triton.",
               "看 `ptxas --version`，以及 Triton 的 “Repro command” 一行里的路径。"},
     .next =
         {"Triton: update torch and triton together, or set TRITON_PTXAS_PATH to the ptxas of a newer toolkit. XLA: "
          "put a newer ptxas first on PATH, or `pip install -U nvidia-cuda-nvcc-cu12`.",
          "Triton：同时升级 torch 和 triton，或把 TRITON_PTXAS_PATH 指向更新的工具包里的 ptxas。XLA：让更新的 ptxas "
          "排在 PATH 最前，或 `pip install -U nvidia-cuda-nvcc-cu12`。"},
     .command = "which -a ptxas; ptxas --version\nexport TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas",
     .source = "ptxas; triton-lang/triton#8539, tensorflow/serving#1821"},
    {.id = "nvcc-host-compiler",
     .printer = kCompilerCallers,
     .patterns = {"unsupported GNU version! gcc versions later than {gcc} are not supported",
                  "unsupported GNU version! gcc {gcc} and up are not supported", "unsupported GNU version!",
                  "The current installed version of {text} is greater than the maximum required version by CUDA"},
     .cause =
         {"The host compiler is newer than this CUDA toolkit accepts (its crt/host_config.h has the limit): gcc up "
          "to 11 for CUDA 11.8, 12 for 12.1, 13 for 12.4, 14 for 12.8.",
          "主机编译器比这个 CUDA 工具包允许的新（上限写在 crt/host_config.h）：CUDA 11.8 到 gcc 11，12.1 到 12，12.4 "
          "到 13，12.8 到 14。"},
     .proof = {"`gcc --version` against the number in the message.", "比较 `gcc --version` 与消息里的数字。"},
     .next =
         {"Use an older compiler for this build (CC, CXX; nvcc: -ccbin, NVCC_PREPEND_FLAGS, CMAKE_CUDA_HOST_COMPILER), "
          "or a newer toolkit. -allow-unsupported-compiler only removes the check.",
          "为这次编译换用较旧的编译器（CC、CXX；nvcc 用 -ccbin、NVCC_PREPEND_FLAGS、CMAKE_CUDA_HOST_COMPILER），"
          "或换更新的工具包。-allow-unsupported-compiler 只是去掉检查。"},
     .command =
         "gcc --version; nvcc --version; ls /usr/bin/gcc-*\nexport CC=gcc-11 CXX=g++-11 NVCC_PREPEND_FLAGS='-ccbin "
         "g++-11'",
     .source = "CUDA include/crt/host_config.h, torch/utils/cpp_extension.py; ggml-org/llama.cpp#9205, "
               "NVIDIA/nccl-tests#207"},
    {.id = "nvrtc-arch",
     .printer = {"NVRTC, called by PyTorch, CuPy or numba", "NVRTC（由 PyTorch、CuPy 或 numba 调用）"},
     .patterns = {"invalid value for --gpu-architecture"},
     .cause =
         {"NVRTC, the compiler at run time, is of a CUDA release that does not know the architecture of this GPU. "
          "Ready-made kernels may still run, so only some operations fail.",
          "运行时编译器 NVRTC 所属的 CUDA 版本不认识这块 GPU 的架构。预编译的内核可能仍能运行，所以只有部分操作失败。"},
     .proof = {"torch.version.cuda (or the release of libnvrtc) against the compute capability: 8.9 and 9.0 need 11.8, "
               "10.0 and 12.0 need 12.8.",
               "比较 torch.version.cuda（或 libnvrtc 的版本）与计算能力：8.9、9.0 需要 11.8，10.0、12.0 需要 12.8。"},
     .next = {"Install a build of the framework for a newer CUDA (for PyTorch on RTX 40: cu118 or newer, on RTX 50: "
              "cu128 or newer).",
              "换用面向更新 CUDA 的框架构建（PyTorch：RTX 40 系用 cu118 或更新，RTX 50 系用 cu128 或更新）。"},
     .command = "python -c \"import torch; print(torch.__version__, torch.version.cuda, "
                "torch.cuda.get_device_capability())\"",
     .source = "NVRTC; PRBonn/MaskPLS#18, InternRobotics/HIMLoco#14"},

    // Whose toolkit differs from the framework's.
    {.id = "deepspeed-build-cuda",
     .problem = ProblemCode::FrameworkBuild,
     .printer = {"DeepSpeed", {}},
     .patterns = {"Installed CUDA version {found} does not match the version torch was compiled with {built}"},
     .cause =
         {"DeepSpeed compiles its operators when they are first used, with the nvcc of CUDA_HOME (CUDA {found}); "
          "torch is built for CUDA {built}. Another major release cannot share one runtime; another minor one can.",
          "DeepSpeed 在首次使用时编译算子，用的是 CUDA_HOME 里的 nvcc（CUDA {found}），而 torch 是为 CUDA {built} "
          "编译的。主版本不同无法共用运行时；仅次版本不同则可以。"},
     .proof = {"`nvcc --version` against torch.version.cuda.", "比较 `nvcc --version` 与 torch.version.cuda。"},
     .next =
         {"Set CUDA_HOME to a toolkit {built}, or install the torch build for CUDA {found}. If only the minor release "
          "differs: DS_SKIP_CUDA_CHECK=1.",
          "把 CUDA_HOME 指向 {built} 的工具包，或安装面向 CUDA {found} 的 torch。若只是次版本不同："
          "DS_SKIP_CUDA_CHECK=1。"},
     .command = "nvcc --version; echo \"$CUDA_HOME\"; python -c \"import torch; print(torch.version.cuda)\"",
     .source = "deepspeed/ops/op_builder/builder.py:assert_no_cuda_mismatch; deepspeedai/DeepSpeed#3223, "
               "JIA-Lab-research/MGM#91"},
    {.id = "apex-build-cuda",
     .problem = ProblemCode::FrameworkBuild,
     .printer = {"apex", {}},
     .patterns = {"extensions are being compiled with a version of Cuda that does not match",
                  "Pytorch binaries were compiled with Cuda {built}"},
     .cause = {"apex is compiled with the nvcc of CUDA_HOME, and torch was built for another CUDA release.",
               "apex 用 CUDA_HOME 里的 nvcc 编译，而 torch 是为另一个 CUDA 版本编译的。"},
     .proof = {"The lines \"Compiling cuda extensions with\" above, against torch.version.cuda.",
               "比较上方 “Compiling cuda extensions with” 几行与 torch.version.cuda。"},
     .next = {"Set CUDA_HOME to a toolkit of torch's release, or install the torch build for this toolkit. If only the "
              "minor release differs, the check in apex's setup.py may be taken out.",
              "把 CUDA_HOME 指向与 torch 一致的工具包，或安装与该工具包对应的 torch。若只是次版本不同，可去掉 apex "
              "setup.py 里的这项检查。"},
     .command = "nvcc --version; echo \"$CUDA_HOME\"; python -c \"import torch; print(torch.version.cuda)\"",
     .source = "apex setup.py:check_cuda_torch_binary_vs_bare_metal; NVIDIA/apex#323, #1748"},

    // Compilers at run time.
    {.id = "triton-libcuda",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"Triton (torch.compile)", "Triton（torch.compile）"},
     .patterns = {"libcuda.so cannot found!", "Please create a symlink of libcuda.so to any of the file"},
     .cause =
         {"Triton compiles a small library that links libcuda, and looks for the driver in TRITON_LIBCUDA_PATH, the "
          "list of `/sbin/ldconfig -p`, then LD_LIBRARY_PATH. It found none, or (up to 3.2) only libcuda.so.1 without "
          "the link libcuda.so. torch itself may see the GPU.",
          "Triton 要编译一个链接 libcuda 的小库，依次在 TRITON_LIBCUDA_PATH、`/sbin/ldconfig -p` 的列表、"
          "LD_LIBRARY_PATH 里找驱动。它没有找到，或（3.2 及以前）只找到 libcuda.so.1 而没有链接 libcuda.so。torch 本"
          "身可能看得到 GPU。"},
     .proof = {"`/sbin/ldconfig -p | grep libcuda`: the driver must be in the cache, not only on a search path.",
               "看 `/sbin/ldconfig -p | grep libcuda`：驱动必须在缓存里，只在搜索路径上还不够。"},
     .next =
         {"Run `sudo ldconfig` (in WSL after adding /usr/lib/wsl/lib to ld.so.conf.d), or set TRITON_LIBCUDA_PATH to "
          "the directory of libcuda.so.1; up to Triton 3.2 also make the link libcuda.so there.",
          "运行 `sudo ldconfig`（WSL 先把 /usr/lib/wsl/lib 写进 ld.so.conf.d），或把 TRITON_LIBCUDA_PATH 设为 "
          "libcuda.so.1 所在的目录；Triton 3.2 及以前还要在那里建链接 libcuda.so。"},
     .command = "/sbin/ldconfig -p | grep libcuda; soresolve why libcuda.so.1\nsudo ldconfig",
     .source = "triton/backends/nvidia/driver.py:libcuda_dirs; frameworks R01, S12; triton-lang/triton#2883, "
               "jianfch/stable-ts#259"},
    {.id = "triton-ptxas-missing",
     .printer = {"Triton", {}},
     .patterns = {"Cannot find ptxas", "Cannot find {tool=ptxas*|cuobjdump*|nvdisasm*}"},
     .cause = {"Triton compiles its kernels with the program ptxas, and found none: its wheel brings one "
               "(triton/backends/nvidia/bin), a build from source or a distribution's package often does not.",
               "Triton 用 ptxas 程序编译内核，却没有找到：官方 wheel 自带一份（triton/backends/nvidia/bin），"
               "自行编译的或发行版的包常常没有。"},
     .proof =
         {"TRITON_PTXAS_PATH, then triton/backends/nvidia/bin/ptxas (older releases: triton/common/../third_party).",
          "先看 TRITON_PTXAS_PATH，再看 triton/backends/nvidia/bin/ptxas（旧版本：triton/common/../third_party）。"},
     .next = {"`pip install --force-reinstall triton` of the release that torch requires, or "
              "`export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas`.",
              "按 torch 所需的版本 `pip install --force-reinstall triton`，或 `export "
              "TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas`。"},
     .command = "which -a ptxas; python -m pip show triton",
     .source = "triton/backends/nvidia/compiler.py:_path_to_binary; vllm-project/vllm#4207"},
    {.id = "triton-ptxas-failed",
     .printer = {"Triton", {}},
     .patterns = {"ptxas' failed with error code {status}", "ptxas failed with error code {status}",
                  "bin/ptxas', '-lineinfo'"},
     .cause =
         {"The ptxas that Triton calls could not compile a kernel: mostly it is older than the GPU (a ptxas of CUDA "
          "12.8 for sm_110a or sm_121a), or the GPU lacks what the kernel uses (bf16 below sm_80).",
          "Triton 调用的 ptxas 无法编译内核：多半是它比 GPU 旧（用 CUDA 12.8 的 ptxas 编译 sm_110a、sm_121a），或 GPU "
          "不支持内核所用的功能（sm_80 以下没有 bf16）。"},
     .proof = {"The lines of ptxas itself around this one; `ptxas --version` of the path in the message.",
               "看这一行前后 ptxas 自己的输出，以及消息中那个 ptxas 的 `--version`。"},
     .next =
         {"`export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas` of a newer toolkit, or update triton with "
          "torch; for an "
          "older GPU choose float16.",
          "用较新工具包的 `export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas`，或连同 torch 升级 triton；旧 GPU 改用 "
          "float16。"},
     .command = "/usr/local/cuda/bin/ptxas --version; nvidia-smi --query-gpu=compute_cap --format=csv",
     .source = "triton/backends/nvidia/compiler.py:make_cubin; triton-lang/triton#8096, #8539"},
    {.id = "cuda-header-missing",
     .printer = {"compiler", "编译器"},
     .patterns = {"fatal error: {header=cuda*.h|cudnn*.h|cublas*.h|cusparse*.h|cusolver*.h|cufft*.h|curand*.h|nvrtc*.h|"
                  "nccl*.h|NvInfer*.h|nvToolsExt.h|nvml.h|nvtx3/*|thrust/*|cub/*}: No such file or directory"},
     .cause = {"{header} is needed to compile, and a driver or the run-time wheels do not have it: it is in the "
               "toolkit or in a "
               "development package.",
               "编译需要 {header}；驱动和运行时 wheel 里没有它，它在工具包或开发包里。"},
     .proof = {"`find / -name {header}` finds none, or it lies outside the directories of -I.",
               "`find / -name {header}` 找不到，或它不在 -I 指定的目录里。"},
     .next = {"Install the toolkit (cudnn.h: libcudnn9-dev-cuda-12; nccl.h: libnccl-dev; NvInfer.h: "
              "libnvinfer-dev), or set "
              "CUDA_HOME and CPATH to the one that is here.",
              "安装工具包（cudnn.h：libcudnn9-dev-cuda-12；nccl.h：libnccl-dev；NvInfer.h：libnvinfer-dev），或把 "
              "CUDA_HOME、CPATH 指向已有的那份。"},
     .command = "ls /usr/local/cuda/include/cuda_runtime.h; echo \"$CUDA_HOME\"",
     .source = "gcc, clang, nvcc"},
    {.id = "link-needed-not-found",
     .printer = {"linker", "链接器"},
     .patterns = {"{library}, needed by {consumer}, not found (try using -rpath or -rpath-link)"},
     .cause = {"The linker follows what shared libraries need, and does not find {library}, which {consumer} needs. "
               "Its -L directories do not count for that.",
               "链接器会检查共享库的依赖，而没有找到 {consumer} 需要的 {library}。-L 的目录在这里不起作用。"},
     .proof =
         {"DT_NEEDED of {consumer}; the linker searches -rpath-link, -rpath, LD_LIBRARY_PATH, RPATH of the file, "
          "ld.so.conf.",
          "看 {consumer} 的 DT_NEEDED；链接器搜索 -rpath-link、-rpath、LD_LIBRARY_PATH、文件的 RPATH、ld.so.conf。"},
     .next = {"Give -Wl,-rpath-link,DIRECTORY of {library}; the program needs it at run time as well.",
              "加上 -Wl,-rpath-link,{library} 所在目录；程序运行时同样需要它。"},
     .command = "soresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "binutils ld/ldelf.c:ldelf_after_open"},
    {.id = "xla-ptxas",
     .printer = {"XLA (TensorFlow, JAX)", "XLA（TensorFlow、JAX）"},
     .patterns = {"Couldn't invoke ptxas", "Couldn't get ptxas version", "Couldn't get ptxas/nvlink version",
                  "find ptxas binary in", "bin/ptxas not found", "No PTX compilation provider is available",
                  "Couldn't find a suitable version of ptxas", "ptxas too old. Falling back to the driver to compile",
                  "Relying on driver to perform ptx compilation"},
     .cause =
         {"XLA calls the program ptxas of the CUDA toolkit to compile kernels, and found none that it can use. The "
          "libraries of CUDA are not enough: ptxas is in the package of nvcc.",
          "XLA 编译内核时要调用 CUDA 工具包里的 ptxas 程序，却没有找到可用的。只有 CUDA 的库不够：ptxas 在 nvcc 的包"
          "里。"},
     .proof = {"`which -a ptxas`; site-packages/nvidia/cuda_nvcc/bin; XLA lists where it looked.",
               "看 `which -a ptxas` 和 site-packages/nvidia/cuda_nvcc/bin；XLA 也会列出查找过的位置。"},
     .next =
         {"`pip install nvidia-cuda-nvcc-cu12` (conda: cuda-nvcc) of the release of the other CUDA packages, or put "
          "the toolkit's bin on PATH. A ptxas on PATH that is older than the framework's CUDA comes first: take it "
          "off.",
          "`pip install nvidia-cuda-nvcc-cu12`（conda：cuda-nvcc），版本与其他 CUDA 包一致；或把工具包的 bin 加入 "
          "PATH。PATH 上若有比框架的 CUDA 更旧的 ptxas，会优先使用，要去掉。"},
     .command = "which -a ptxas; ptxas --version",
     .source = "xla/stream_executor/cuda/cuda_asm_compiler.cc, subprocess_compilation.cc; tensorflow/tensorflow#58681, "
               "jax-ml/jax#17976, wutzebaer/tensorflow-5090#3"},
    {.id = "xla-libdevice",
     .printer = {"XLA (TensorFlow, JAX), numba", "XLA（TensorFlow、JAX）、numba"},
     .patterns = {"find libdevice directory", "libdevice not found at", "libdevice is required by this HLO module",
                  "Missing libdevice file"},
     .cause =
         {"The compiler needs nvvm/libdevice/libdevice.10.bc, NVIDIA's mathematical functions as bit code, below a "
          "CUDA directory. It is in the package of nvcc, not in that of the runtime, and is searched by directories, "
          "not by the loader.",
          "编译器需要某个 CUDA 目录下的 nvvm/libdevice/libdevice.10.bc（NVIDIA 数学函数的位码）。它在 nvcc "
          "的包里，不在运行时的包里；查找靠目录，与动态链接器无关。"},
     .proof = {"`find / -name 'libdevice*.bc'`; the lines below the message list where it was looked for.",
               "运行 `find / -name 'libdevice*.bc'`；消息下面几行列出了查找过的目录。"},
     .next = {"`pip install nvidia-cuda-nvcc-cu12` (conda: cuda-nvcc), or name the directory that has nvvm/libdevice: "
              "XLA_FLAGS=--xla_gpu_cuda_data_dir=DIR (numba: CUDA_HOME).",
              "`pip install nvidia-cuda-nvcc-cu12`（conda：cuda-nvcc），或指定包含 nvvm/libdevice 的目录："
              "XLA_FLAGS=--xla_gpu_cuda_data_dir=目录（numba：CUDA_HOME）。"},
     .command = "find / -name 'libdevice*.bc' 2>/dev/null\nexport XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda",
     .source = "xla/service/gpu/llvm_gpu_backend, numba/cuda/cudadrv/nvvm.py; tensorflow/tensorflow#56927, "
               "jax-ml/jax#4452"},
    {.id = "numba-nvvm",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"numba", {}},
     .patterns = {"libNVVM cannot be found"},
     .cause =
         {"numba compiles kernels with libnvvm.so of a CUDA toolkit and found none. The driver and PyTorch's wheels "
          "do not bring it.",
          "numba 用 CUDA 工具包里的 libnvvm.so 编译内核，没有找到。驱动和 PyTorch 的 wheel 都不带它。"},
     .proof = {"`numba -s` lists where it looks; libnvvm.so.4 is in nvvm/lib64 of a toolkit.",
               "`numba -s` 会列出查找的位置；libnvvm.so.4 在工具包的 nvvm/lib64 里。"},
     .next = {"conda: `conda install -c conda-forge cuda-nvcc cuda-nvrtc` (CUDA 11: cudatoolkit); pip: `pip install "
              "'numba-cuda[cu12]'`; or set CUDA_HOME to a toolkit.",
              "conda：`conda install -c conda-forge cuda-nvcc cuda-nvrtc`（CUDA 11：cudatoolkit）；pip：`pip install "
              "'numba-cuda[cu12]'`；或把 CUDA_HOME 指向工具包。"},
     .command = "numba -s | grep -i -A30 cuda; ls /usr/local/cuda/nvvm/lib64",
     .source = "numba/cuda/cudadrv/nvvm.py; numba/numba#9216, NVIDIA/numba-cuda#69"},

    // ldconfig.
    {.id = "ldconfig-not-a-link",
     .printer = {"ldconfig", {}},
     .patterns = {"ldconfig: {library} is not a symbolic link", "ldconfig.real: {library} is not a symbolic link"},
     .cause =
         {"{library} is a file where ldconfig expects a link of that name to a numbered file: the library was copied "
          "without keeping links (cp without -P, a zip, WSL's own directory). Only a warning: the cache is written, "
          "and the library is found.",
          "{library} 是一个普通文件，而 ldconfig 期望它是指向带完整版本号文件的链接：复制时没有保留链接（cp 没加 "
          "-P、用 zip、WSL 自带的目录）。这只是警告：缓存照常写入，库也能找到。"},
     .proof = {"`ls -l` on it and on what lies beside it: two files of one size are copies of one library.",
               "对它和旁边的文件运行 `ls -l`：两个大小相同的文件就是同一个库的副本。"},
     .next = {"Harmless for libraries to be found. To clear it, delete the copy and make the link to the file with the "
              "longest number; under /usr/lib/wsl/lib leave it as it is.",
              "不影响查找库。要消除警告，删除副本，改建指向版本号最长的文件的链接；/usr/lib/wsl/lib 下的不用管。"},
     .command = "ls -l {library}*",
     .weight = Weight::Summary,
     .source = "glibc elf/ldconfig.c:search_dir; microsoft/WSL#11229, negativo17/cuda#1"},
};

}  // namespace

std::span<const KnownMessage> toolkit_messages() { return kToolkitMessages; }

}  // namespace soresolve
