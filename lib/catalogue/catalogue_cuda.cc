// What the CUDA driver, runtime, cuDNN, NCCL and NVRTC say, and ld.so about their files. Causes: the
// threads named in each source, collected and checked on files in the reference "cuda-facts".
#include "catalogue/catalogue.h"

namespace soresolve {
namespace {

constexpr Phrase kRuntime = {"CUDA runtime", "CUDA 运行时"};
constexpr Phrase kDriver = {"CUDA driver", "CUDA 驱动"};

constexpr KnownMessage kCudaMessages[] = {
    // Files that are missing.
    {.id = "cudart-10-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kLoader,
     .patterns = {"{library=libcudart.so.10.*|libcudart.so.9.*|libcudart.so.8.*}: cannot open shared object file"},
     .cause =
         {"The file that needs {library} was built for exactly this CUDA release: up to 10.2 each minor "
          "release has a name of its own, so 10.1 does not stand in for 10.2, and neither does 11 or 12.",
          "需要 {library} 的文件正是为这个 CUDA 版本编译的：到 10.2 为止，每个次版本都有自己的 SONAME，10.1 不能代替 "
          "10.2，11、12 也不行。"},
     .proof = {"DT_NEEDED names {library}, and no place that is searched has it.",
               "DT_NEEDED 写着 {library}，而搜索的位置里都没有。"},
     .next = {"Install exactly this runtime, or (mostly better) a build of the package for the CUDA that is here.",
              "安装恰好这个版本的运行时；通常更好的办法是换用针对当前 CUDA 的软件包版本。"},
     .command = "soresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "cuda-facts E03: Jittor/jittor#70, iSEE-Laboratory/LLMDet#32"},
    {.id = "cudart-11-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kLoader,
     .patterns = {"{library=libcudart.so.11*}: cannot open shared object file"},
     .cause = {"The file that needs {library} was built for CUDA 11, and this environment has another CUDA release, "
               "or none. The name libcudart.so.11.0 is that of every 11.x; a 12.x runtime is another library "
               "(libcudart.so.12).",
               "需要 {library} 的文件是为 CUDA 11 编译的，而当前环境里是别的 CUDA 版本，或没有 CUDA。libcudart.so.11.0 "
               "是所有 11.x 共用的 SONAME；"
               "12.x 的运行时是另一个库（libcudart.so.12）。"},
     .proof = {"DT_NEEDED names it, no place that is searched has it, and which other libcudart there are.",
               "DT_NEEDED 写着它，搜索的位置里都没有；再看有哪些别的 libcudart。"},
     .next = {"Install the package's build for the CUDA that is here (for PyTorch extensions: the same +cuNNN as "
              "torch), or add an 11.x runtime: `pip install nvidia-cuda-runtime-cu11`, with its lib directory on "
              "the search path. A link from libcudart.so.12 fails: its symbols carry another version.",
              "安装针对当前 CUDA 的版本（PyTorch 扩展要与 torch 的 +cuNNN 一致）；或补装 11.x 运行时 `pip install "
              "nvidia-cuda-runtime-cu11`，并"
              "把它的 lib 目录加入搜索路径。把 libcudart.so.12 链接成这个名字行不通：符号的版本不同。"},
     .command = "soresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "cuda-facts E01: vllm-project/vllm#3387, CannyLab/tsne-cuda#126, pytorch/pytorch#80637"},
    {.id = "cudart-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kLoader,
     .patterns = {"{library=libcudart.so*}: cannot open shared object file"},
     .cause =
         {"The file that needs {library} was built for that major release of CUDA; here is another one, or "
          "none, or its directory is not searched.",
          "需要 {library} 的文件是为该 CUDA 主版本编译的；这里是另一个版本、没有安装，或它所在的目录不在搜索路径里。"},
     .proof = {"DT_NEEDED names it, no place that is searched has it, and which other libcudart there are.",
               "DT_NEEDED 写着它，搜索的位置里都没有；再看有哪些别的 libcudart。"},
     .next = {"Match the package and torch: both for one CUDA major release. Or install the runtime that it needs.",
              "让该软件包与 torch 使用同一个 CUDA 主版本；或安装它所需的运行时。"},
     .command = "soresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "cuda-facts E02: vllm-project/vllm#31018"},
    {.id = "cudnn-8-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kLoader,
     .patterns = {"{library=libcudnn*.so.8*|libcudnn*.so.7*}: cannot open shared object file"},
     .cause = {"The consumer was built for an older cuDNN (its number is in the name {library}); here is cuDNN 9, "
               "or none.",
               "使用者是为旧版 cuDNN 编译的（版本号就在 {library} 的名字里）；而这里是 cuDNN 9，或没有 cuDNN。"},
     .proof = {"Which libcudnn*.so there are, and where the consumer searches.",
               "看有哪些 libcudnn*.so，以及使用者搜索哪些目录。"},
     .next = {"Install that cuDNN beside the other, the names differ and both can stay (`pip install "
              "'nvidia-cudnn-cu12<9'`), or update the consumer.",
              "在旁边另装该版本的 cuDNN（名字不同，可以并存：`pip install 'nvidia-cudnn-cu12<9'`），或升级使用者。"},
     .command = "soresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "cuda-facts E05: pytorch/pytorch#104259, microsoft/onnxruntime-genai#344"},
    {.id = "cudnn-9-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kLoader,
     .patterns = {"{library=libcudnn*.so*}: cannot open shared object file"},
     .cause =
         {"The consumer was built for the cuDNN in this name; here is an older one, or it lies in a pip "
          "package (site-packages/nvidia/cudnn/lib) that this consumer does not search.",
          "使用者是为这个名字所示的 cuDNN 编译的；这里是更旧的版本，或它在 pip 包里（site-packages/nvidia/cudnn/lib），"
          "而使用者不搜索该目录。"},
     .proof = {"Is there site-packages/nvidia/cudnn/lib, and does an RPATH lead to it?",
               "看是否有 site-packages/nvidia/cudnn/lib，以及是否有 RPATH 指向它。"},
     .next = {"Install it, or import torch first, which loads its own, or put its directory on LD_LIBRARY_PATH.",
              "安装它，或先 import torch（它会加载自带的 cuDNN），或把它所在的目录加入 LD_LIBRARY_PATH。"},
     .command = "soresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "cuda-facts E06: Gourieff/sd-webui-reactor#503"},
    {.id = "driver-library-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kLoader,
     .patterns = {"{library=libcuda.so*|libnvidia-*.so*|libnvcuvid.so*}: cannot open shared object file",
                  "Cannot load {library=libcuda.so*|libnvidia-*.so*|libnvcuvid.so*}"},
     .cause =
         {"{library} belongs to the NVIDIA driver, never to a toolkit or wheel. There is no driver here, or "
          "this is a container that was started without access to the GPU.",
          "{library} 属于 NVIDIA 驱动，从不包含在工具包或 wheel 里。这台机器没有装驱动，或容器启动时没有给它 GPU。"},
     .proof = {"No libcuda.so.1 outside stubs and compat directories, and no /dev/nvidiactl.",
               "除 stubs、compat 目录外没有 libcuda.so.1，也没有 /dev/nvidiactl。"},
     .next = {"Start the container with the GPU (`docker run --gpus all …`), or install the driver on the host. "
              "Under WSL add /usr/lib/wsl/lib to the search path. Never link a stub in its place.",
              "启动容器时带上 GPU（`docker run --gpus all …`），或在宿主机安装驱动。WSL 下把 /usr/lib/wsl/lib "
              "加入搜索路径。不要用 stubs 里的桩库来代替。"},
     .command = "ls -l /dev/nvidia*; nvidia-smi\nsoresolve why {library}",
     .lookup = Lookup::Search,
     .source = "cuda-facts E38: dusty-nv/jetson-containers#1397, cvat-ai/cvat#406"},
    {.id = "nccl-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kLoader,
     .patterns = {"{library=libnccl.so*}: cannot open shared object file"},
     .cause = {"The consumer uses NCCL as a library of its own, and none is on its search path.",
               "使用者依赖单独的 NCCL 库，而搜索路径上没有。"},
     .proof = {"Where the consumer searches, and whether site-packages/nvidia/nccl/lib exists.",
               "看使用者搜索哪些目录，以及是否有 site-packages/nvidia/nccl/lib。"},
     .next = {"Install it (the wheel, or the system's libnccl2) for the CUDA major release that the consumer was built "
              "for.",
              "安装它（wheel 或系统的 libnccl2），CUDA 主版本要与使用者一致。"},
     .command = "soresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "elf/dl-load.c:_dl_map_object"},
    {.id = "cuda-library-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kLoader,
     .patterns =
         {"{library=libcublas*.so*|libcusparse*.so*|libcufft*.so*|libcurand*.so*|libcusolver*.so*|"
          "libnvrtc*.so*|libnvJitLink*.so*|libcupti*.so*|libnpp*.so*|libnvToolsExt*.so*|libcufile*.so*|"
          "libnvinfer*.so*|libnvonnxparser*.so*|libnvshmem_host.so*|libcutensor*.so*|libnvjpeg*.so*}: cannot open "
          "shared object file"},
     .cause = {"{library} is part of the CUDA toolkit (or of TensorRT) for the release that the consumer was built "
               "for. Here is another release, or its directory is not searched. Mind that the numbers differ from "
               "CUDA's own: libcufft.so.11 belongs to CUDA 12.",
               "{library} 属于编译使用者时的那个 CUDA 工具包（或 TensorRT）版本；这里是别的版本，或目录不在搜索路径里。"
               "注意这些编号与 CUDA 版本不一定相同：libcufft.so.11 "
               "属于 CUDA 12。"},
     .proof =
         {"DT_NEEDED of the consumer against what its search reaches; for companions of torch (torch_scatter, "
          "torch_sparse, bitsandbytes) against the CUDA of torch.",
          "比较使用者的 DT_NEEDED 与搜索路径上有的库；torch 的配套包（torch_scatter、torch_sparse、bitsandbytes）要与 "
          "torch 的 CUDA 比较。"},
     .next = {"Reinstall the consumer with the tag of the CUDA that torch has (+cu118, +cu121, …), or install the "
              "missing part of that release.",
              "按 torch 的 CUDA 标签（+cu118、+cu121 等）重装使用者，或补装该版本缺少的部分。"},
     .command =
         "python -c \"import torch; print(torch.__version__, torch.version.cuda)\"\nsoresolve why {consumer} {library}",
     .lookup = Lookup::Search,
     .source = "cuda-facts E43, E48: bitsandbytes-foundation/bitsandbytes#1452, pyg-team/pytorch_geometric#6152"},

    // cuDNN.
    {.id = "cudnn-needs-nvrtc",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"cuDNN 8", {}},
     .patterns =
         {"Could not load library {consumer=*libcudnn*}. Error: {library=libnvrtc*.so*}: cannot open shared object "
          "file"},
     .cause = {"cuDNN 8 opens {library} by this very name at run time; the pip packages bring libnvrtc.so.11.2 or "
               "libnvrtc.so.12 only, without the link that has no number.",
               "cuDNN 8 在运行时按这个名字打开 {library}；而 pip 包只带 libnvrtc.so.11.2 或 libnvrtc.so.12，"
               "没有不带版本号的链接。"},
     .proof = {"The name stands in {consumer} as a string; no file of that name is on the search path.",
               "{consumer} 里有这个字符串，而搜索路径上没有同名文件。"},
     .next = {"Make the link in a directory that is searched: `ln -s libnvrtc.so.12 libnvrtc.so` in "
              "site-packages/nvidia/cuda_nvrtc/lib, or install the development package of the toolkit.",
              "在会被搜索的目录里建链接：在 site-packages/nvidia/cuda_nvrtc/lib 中 `ln -s libnvrtc.so.12 libnvrtc.so`，"
              "或安装工具包的开发包。"},
     .command = "soresolve why {library}",
     .lookup = Lookup::Open,
     .source = "cuda-facts E07: AUTOMATIC1111/stable-diffusion-webui#10230, facefusion/facefusion-docker#9"},
    {.id = "cudnn-needs-driver",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"cuDNN 8", {}},
     .patterns =
         {"Could not load library {consumer=*libcudnn*}. Error: {library=libcuda.so*}: cannot open shared object file"},
     .cause =
         {"cuDNN 8 opens the driver as {library}, without .1; WSL and minimal containers have libcuda.so.1 "
          "only, or no driver at all.",
          "cuDNN 8 以 {library}（不带 .1）这个名字打开驱动；WSL 和精简容器里只有 libcuda.so.1，或者根本没有驱动。"},
     .proof = {"libcuda.so.1 is found, libcuda.so is not.", "能找到 libcuda.so.1，找不到 libcuda.so。"},
     .next =
         {"WSL: put /usr/lib/wsl/lib on the search path. Else a link libcuda.so beside libcuda.so.1. Not the "
          "stub of the toolkit.",
          "WSL：把 /usr/lib/wsl/lib 加入搜索路径；否则在 libcuda.so.1 旁边建链接 libcuda.so。不要用工具包里的桩库。"},
     .command = "soresolve why {library}\nsoresolve why libcuda.so.1",
     .lookup = Lookup::Open,
     .source = "cuda-facts E08: open-mmlab/mmdetection3d#2132, microsoft/WSL#8587"},
    {.id = "cudnn-part-missing",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"cuDNN", {}},
     .patterns =
         {"Could not load library {consumer=libcudnn*|*/libcudnn*}. Error: {library}: cannot open shared object file",
          "Could not load library {library=libcudnn*}", "Unable to load any of {text}libcudnn_{part}",
          "Invalid handle. Cannot load symbol {symbol=cudnn*}", "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED",
          "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE"},
     .cause = {"cuDNN is a small library that opens its parts (ops, cnn, adv, graph, engines …) by name when they "
               "are first used. libcudnn itself was found, a part was not; ldd does not show that. The line "
               "\"Invalid handle\" and an abort follow.",
               "cuDNN 的主库很小，各个子库（ops、cnn、adv、graph、engines 等）在首次使用时才按名字打开。主库找到了，"
               "子库没找到；ldd 看不出来。随后会出现 “Invalid "
               "handle” 并 abort。"},
     .proof = {"All libcudnn_*.so of the same number beside libcudnn.so: cuDNN 9 looks in its own directory first.",
               "看 libcudnn.so 旁边是否有同一版本号的全部 libcudnn_*.so：cuDNN 9 先在自己的目录里找。"},
     .next = {"Keep all parts in one directory and that on the search path, e.g. "
              "LD_LIBRARY_PATH=…/site-packages/nvidia/cudnn/lib; or install cuDNN of the number that the program "
              "asks for (faster-whisper and CTranslate2: 8 or 9 by release).",
              "把所有子库放在同一目录并让它在搜索路径上，如 LD_LIBRARY_PATH=…/site-packages/nvidia/cudnn/lib；"
              "或安装程序所要求的 cuDNN 主版本"
              "（faster-whisper、CTranslate2 因版本不同要求 8 或 9）。"},
     .command = "python -c \"import nvidia.cudnn; print(nvidia.cudnn.__path__[0] + '/lib')\" | xargs ls -l",
     .lookup = Lookup::Open,
     .source = "cuda-facts E09, E10, E11: MahmoudAshraf97/whisper-diarization#259, QuentinFuxa/WhisperLiveKit#271"},
    {.id = "cudnn-9-mixed",
     .problem = ProblemCode::MixedBuild,
     .printer = {"cuDNN 9", {}},
     .patterns = {"CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"},
     .cause = {"Parts of two cuDNN 9 releases are in one process: mostly a system copy comes first for some of "
               "them, and the pip package for the others.",
               "同一进程里混有两个 cuDNN 9 版本的子库：多半是一部分来自系统副本，另一部分来自 pip 包。"},
     .proof = {"Where each libcudnn*.so.9 would come from: all must be of one release.",
               "逐个查看 libcudnn*.so.9 来自哪里：必须都是同一版本。"},
     .next = {"Take the system's cuDNN off LD_LIBRARY_PATH, or uninstall it, or bring both to one release.",
              "把系统的 cuDNN 从 LD_LIBRARY_PATH 中去掉、卸载它，或让两者版本一致。"},
     .command = "echo \"$LD_LIBRARY_PATH\"; soresolve why libcudnn.so.9\nsoresolve why libcudnn_ops.so.9",
     .source = "cuda-facts E12: pytorch/pytorch#188892, pytorch/pytorch#185512"},
    {.id = "cudnn-not-initialized",
     .printer = {"cuDNN", {}},
     .patterns = {"CUDNN_STATUS_NOT_INITIALIZED"},
     .cause = {"cuDNN could not start on the device: there is no usable driver or device, or no memory was left on "
               "it for the handle.",
               "cuDNN 无法在设备上初始化：没有可用的驱动或设备，或者创建句柄时显存已经用完。"},
     .proof = {"`nvidia-smi`: driver, device and free memory. Files prove only the first.",
               "用 `nvidia-smi` 看驱动、设备和空闲显存；仅凭文件只能证明前者。"},
     .next = {"If another CUDA call works, free memory or use a smaller batch; else mend the driver.",
              "若其他 CUDA 调用正常，就释放显存或减小 batch；否则先修好驱动。"},
     .command = "nvidia-smi\nsoresolve why libcuda.so.1",
     .source = "cuda-facts E54: haotian-liu/LLaVA#392, flexflow/flexflow-train#51"},
    {.id = "cudnn-arch",
     .printer = {"cuDNN", {}},
     .patterns = {"CUDNN_STATUS_ARCH_MISMATCH", "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"},
     .cause = {"The GPU is older than this cuDNN supports.", "这块 GPU 的架构太旧，当前 cuDNN 已不支持。"},
     .proof = {"The compute capability of the device against the support matrix of this cuDNN (9.11 dropped "
               "Maxwell, Pascal and Volta).",
               "比较设备的计算能力与该 cuDNN 的支持矩阵（9.11 起不再支持 Maxwell、Pascal、Volta）。"},
     .next = {"Use an older cuDNN, and a framework built with it (PyTorch's cu126 builds keep 9.10).",
              "换用较旧的 cuDNN 及与之配套的框架（PyTorch 的 cu126 版本停留在 9.10）。"},
     .command = "nvidia-smi --query-gpu=name,compute_cap --format=csv",
     .source = "cuda-facts E57: CMU-Perceptual-Computing-Lab/openpose#681"},
    {.id = "cudnn-memory",
     .printer = {"cuDNN", {}},
     .patterns = {"CUDNN_STATUS_ALLOC_FAILED", "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED",
                  "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"},
     .cause = {"Memory ran out, of the device or of the host, while cuDNN made a handle or tried algorithms.",
               "cuDNN 创建句柄或搜索算法时，显存或内存不足。"},
     .proof = {"`nvidia-smi` while it runs; no file tells.", "运行时用 `nvidia-smi` 观察；文件看不出来。"},
     .next = {"A smaller batch, or let the framework grow its memory step by step (TensorFlow: memory growth).",
              "减小 batch，或让框架按需增长显存（TensorFlow：memory growth）。"},
     .source = "cuda-facts E58: microsoft/CNTK#220"},

    {.id = "cudnn-not-supported",
     .printer = {"cuDNN", {}},
     .patterns = {"CUDNN_STATUS_NOT_SUPPORTED", "CUDNN_STATUS_NOT_SUPPORTED_{reason}"},
     .cause =
         {"cuDNN has no algorithm for this operation as it was asked for: shape, data type, memory layout or "
          "workspace. Little free memory, a tensor of more than 2^31 elements and a cuDNN that does not go with "
          "the GPU end here as well. PyTorch's addition about a non-contiguous input is a guess.",
          "对于这样调用的操作，cuDNN 没有可用的算法：形状、数据类型、内存布局或工作区不合适。显存不足、张量超过 2^31 "
          "个元素、cuDNN 与 GPU 不配套也会报这个错误。PyTorch 附加的 non-contiguous 一句只是猜测。"},
     .proof =
         {"It goes away with torch.backends.cudnn.enabled = False, or with CUDNN_LOGLEVEL_DBG=3 cuDNN says which "
          "check refused it. Files do not show it.",
          "设 torch.backends.cudnn.enabled = False 后消失；或设 CUDNN_LOGLEVEL_DBG=3，cuDNN 会写出是哪项检查不通过。"
          "仅凭文件看不出来。"},
     .next =
         {"Call .contiguous() on the input, use a smaller batch, see that the cuDNN in use is torch's own (take other "
          "copies off LD_LIBRARY_PATH), or update torch.",
          "对输入调用 .contiguous()、减小 batch，确认用的是 torch 自带的 cuDNN（把其他副本从 LD_LIBRARY_PATH "
          "中去掉），或升级 torch。"},
     .command = "nvidia-smi; echo \"$LD_LIBRARY_PATH\"\nCUDNN_LOGLEVEL_DBG=3 CUDNN_LOGDEST_DBG=stderr PROGRAM",
     .source = "cudnnStatus_t; pytorch/pytorch#8934, #11065, open-mmlab/mmaction2#493"},
    {.id = "cudnn-version-mismatch",
     .problem = ProblemCode::MixedBuild,
     .printer = {"cuDNN", {}},
     .patterns = {"CUDNN_STATUS_VERSION_MISMATCH"},
     .cause =
         {"The parts of cuDNN in this process are of different releases: libcudnn from one directory, libcudnn_ops, "
          "_cnn or _adv from another.",
          "进程里 cuDNN 的各个子库版本不一致：libcudnn 来自一个目录，libcudnn_ops、_cnn、_adv 来自另一个目录。"},
     .proof = {"Where each libcudnn*.so is found: all must lie in one directory.",
               "逐个查看 libcudnn*.so 从哪里找到：必须都在同一目录。"},
     .next = {"Take the directory with the other copy off LD_LIBRARY_PATH, or uninstall the system's cuDNN.",
              "把含另一份 cuDNN 的目录从 LD_LIBRARY_PATH 中去掉，或卸载系统里的 cuDNN。"},
     .command = "echo \"$LD_LIBRARY_PATH\"; soresolve why libcudnn.so.8; soresolve why libcudnn_ops_infer.so.8\n"
                "soresolve why libcudnn.so.9; soresolve why libcudnn_ops.so.9",
     .source = "cudnnStatus_t, cudnn*VersionCheck() of cuDNN 8"},
    {.id = "cudnn-execution-failed",
     .printer = {"cuDNN", {}},
     .patterns = {"CUDNN_STATUS_EXECUTION_FAILED", "CUDNN_STATUS_EXECUTION_FAILED_{reason}",
                  "CUDNN_STATUS_INTERNAL_ERROR"},
     .cause =
         {"A kernel of cuDNN did not run. The error is often older than this line, since kernels run later than they "
          "are called; else memory ran out, or cuDNN, its cuBLAS and the GPU do not go together (a GPU newer than "
          "this cuDNN).",
          "cuDNN 的某个内核没有执行成功。内核是异步执行的，所以真正的错误常在这一行之前；否则是显存用完，或 "
          "cuDNN、它用的 cuBLAS 与 GPU 不配套（GPU 比这个 cuDNN 新）。"},
     .proof = {"With CUDA_LAUNCH_BLOCKING=1 the call that fails is the one shown; `nvidia-smi` shows free memory.",
               "设 CUDA_LAUNCH_BLOCKING=1 后，出错位置就是真正失败的调用；空闲显存看 `nvidia-smi`。"},
     .next = {"Run with CUDA_LAUNCH_BLOCKING=1; try a smaller batch; if it fails for the smallest example, install a "
              "framework built for this GPU and take other copies of cuDNN and cuBLAS off LD_LIBRARY_PATH.",
              "用 CUDA_LAUNCH_BLOCKING=1 运行；减小 batch；如果最小的例子也失败，换装支持这块 GPU 的框架，并把其他 "
              "cuDNN、cuBLAS 副本从 LD_LIBRARY_PATH 中去掉。"},
     .command = "CUDA_LAUNCH_BLOCKING=1 PROGRAM 2>&1 | soresolve explain\nnvidia-smi\nsoresolve doctor",
     .source = "cudnnStatus_t; GeneZC/ASGCN#19, NVIDIA/TensorRT#1371, PaddlePaddle/PaddleSeg#159"},
    {.id = "cudnn-mapping-error",
     .printer = {"cuDNN", {}},
     .patterns = {"CUDNN_STATUS_MAPPING_ERROR"},
     .cause =
         {"cuDNN could not get at GPU memory. Mostly an earlier kernel wrote or read out of bounds (an index beyond "
          "an embedding or the number of classes); else input and weights are on different devices, or the build "
          "does not go with the GPU.",
          "cuDNN 无法访问显存。多半是之前的内核越界读写（下标超出 embedding 或类别数）；"
          "否则是输入与权重不在同一设备，或构建与 GPU 不配套。"},
     .proof = {"With CUDA_LAUNCH_BLOCKING=1 the first failing call is shown, often \"device-side assert triggered\".",
               "设 CUDA_LAUNCH_BLOCKING=1，可看到最先失败的调用，常是 “device-side assert triggered”。"},
     .next = {"Run with CUDA_LAUNCH_BLOCKING=1 or on the CPU, and correct what fails there first.",
              "用 CUDA_LAUNCH_BLOCKING=1 或在 CPU 上运行，先改正最先失败的地方。"},
     .command = "CUDA_LAUNCH_BLOCKING=1 PROGRAM 2>&1 | soresolve explain",
     .source = "cudnnStatus_t; pytorch/pytorch#33134, jeya-maria-jose/KiU-Net-pytorch#3, tensorflow/tensorflow#2190"},
    {.id = "torch-no-engine",
     .printer = {"PyTorch (cuDNN)", "PyTorch（cuDNN）"},
     .patterns = {"GET was unable to find an engine to execute this computation",
                  "FIND was unable to find an engine to execute this computation",
                  "Unable to find a valid cuDNN algorithm to run convolution"},
     .cause =
         {"cuDNN offered no way to compute this convolution that works: GPU memory is nearly full, another cuDNN than "
          "torch's own was loaded, or this cuDNN has no kernels for the GPU or the data type (bfloat16 on T4, V100 "
          "and older).",
          "cuDNN 给不出可行的卷积算法：显存快满了、加载到的不是 torch 自带的 cuDNN，或这个 cuDNN 没有适用于该 GPU "
          "或数据类型的内核（如 T4、V100 及更旧的 GPU 上用 bfloat16）。"},
     .proof =
         {"`nvidia-smi` for free memory; where libcudnn.so.8 or .9 is found; torch.cuda.get_arch_list() against the "
          "device.",
          "用 `nvidia-smi` 看空闲显存；看 libcudnn.so.8 或 .9 从哪里找到；比较 torch.cuda.get_arch_list() 与设备。"},
     .next = {"Free memory or use a smaller batch; clear LD_LIBRARY_PATH; use float16 or float32 in place of bfloat16; "
              "update torch.",
              "释放显存或减小 batch；清空 LD_LIBRARY_PATH；用 float16 或 float32 代替 bfloat16；升级 torch。"},
     .command = "nvidia-smi; echo \"$LD_LIBRARY_PATH\"\nsoresolve why libcudnn.so.9; soresolve why libcudnn.so.8",
     .source = "aten/src/ATen/native/cudnn/Conv_v8.cpp; zai-org/VisualGLM-6B#3, facebookresearch/vggt#183"},

    // cuBLAS.
    {.id = "cublas-not-initialized",
     .printer = {"cuBLAS", {}},
     .patterns = {"CUBLAS_STATUS_NOT_INITIALIZED", "CUBLAS_STATUS_ALLOC_FAILED", "Fail to create cublas handle",
                  "failed to create cublas handle", "Could not create cublas handle"},
     .cause =
         {"cublasCreate failed. Mostly the GPU has no memory left for its workspace; or an earlier kernel failed (an "
          "index out of range), and this is the first call that notices.",
          "cublasCreate 失败。多半是显存已没有空间放它的工作区；或之前的内核已经出错（下标越界），"
          "到这次调用才发现。"},
     .proof = {"`nvidia-smi` for free memory; with CUDA_LAUNCH_BLOCKING=1 an earlier error shows itself.",
               "用 `nvidia-smi` 看空闲显存；设 CUDA_LAUNCH_BLOCKING=1 可看到更早的错误。"},
     .next =
         {"Free memory or use a smaller batch (vLLM: lower --gpu-memory-utilization; TensorFlow: memory growth). If "
          "there is enough, run with CUDA_LAUNCH_BLOCKING=1 or on the CPU and correct what fails first.",
          "释放显存或减小 batch（vLLM：调低 --gpu-memory-utilization；TensorFlow：memory growth）。显存充足时，用 "
          "CUDA_LAUNCH_BLOCKING=1 或在 CPU 上运行，先改正最先失败的地方。"},
     .command = "nvidia-smi\nCUDA_LAUNCH_BLOCKING=1 PROGRAM 2>&1 | soresolve explain",
     .source = "cublasStatus_t; QwenLM/Qwen#120, SkyworkAI/Skywork#38, tensorflow/tensorflow#9489"},
    {.id = "cudnn-bad-param",
     .problem = ProblemCode::MixedBuild,
     .printer = {"cuDNN", {}},
     .patterns = {"CUDNN_STATUS_BAD_PARAM"},
     .cause = {"cuDNN refused an argument. If the program is right otherwise, the cuDNN in use is not the one that the "
               "framework was built with, or parts of two releases are mixed.",
               "cuDNN 不接受某个参数。如果程序本身没有问题，就是用到的 cuDNN "
               "不是框架编译时的那一份，或混用了两个版本的部件。"},
     .proof = {"Where libcudnn and its parts (ops, cnn, adv, graph) are found: all of one release. Else the shapes and "
               "types of the tensors: an empty batch, types that differ.",
               "看 libcudnn 及其部件（ops、cnn、adv、graph）从哪里找到：应都是同一版本。否则检查张量的形状和类型："
               "空的 batch、类型不一致。"},
     .next = {"`unset LD_LIBRARY_PATH` and try again; with torch.backends.cudnn.enabled = False the same call names "
              "a wrong "
              "argument in PyTorch's own words.",
              "`unset LD_LIBRARY_PATH` 后重试；设 torch.backends.cudnn.enabled = False "
              "后再调用一次，参数有误时会得到 PyTorch 自己的错误说明。"},
     .command = "echo \"$LD_LIBRARY_PATH\"; soresolve why libcudnn.so.9",
     .source = "cudnnStatus_t; pytorch/pytorch#1045"},
    {.id = "cublas-invalid-value",
     .problem = ProblemCode::MixedBuild,
     .printer = {"cuBLAS", {}},
     .patterns = {"CUBLAS_STATUS_INVALID_VALUE"},
     .cause =
         {"cuBLAS refused an argument. If the program is right otherwise, the libcublas or libcublasLt in use is not "
          "the one that the framework was built with: a directory on LD_LIBRARY_PATH has another release of it.",
          "cuBLAS 不接受某个参数。如果程序本身没有问题，就是用到的 libcublas 或 libcublasLt "
          "不是框架编译时的那一份：LD_LIBRARY_PATH 的某个目录里有另一个版本。"},
     .proof =
         {"Where libcublas and libcublasLt are found: both from the framework's own packages, of one release. Else "
          "the shapes of the matrices (a mismatch of dimensions, no rows).",
          "看 libcublas、libcublasLt 从哪里找到：应都来自框架自己的包，且版本一致。否则检查矩阵形状（维度不匹配、行数"
          "为 0）。"},
     .next = {"`unset LD_LIBRARY_PATH` and try again; if it stays, print the shapes before the call.",
              "`unset LD_LIBRARY_PATH` 后重试；若仍出现，在调用前打印形状。"},
     .command = "echo \"$LD_LIBRARY_PATH\"; soresolve why libcublas.so.12; soresolve why libcublasLt.so.12",
     .source = "cublasStatus_t; pytorch/pytorch#88882, cuda-facts section 1 (cublas and cublasLt of one build)"},
    {.id = "cublas-execution-failed",
     .printer = {"cuBLAS", {}},
     .patterns = {"CUBLAS_STATUS_EXECUTION_FAILED", "CUBLAS_STATUS_INTERNAL_ERROR", "CUBLAS_STATUS_MAPPING_ERROR",
                  "CUBLAS_STATUS_NOT_SUPPORTED", "CUBLAS_STATUS_ARCH_MISMATCH"},
     .cause =
         {"A kernel of cuBLAS did not run: an earlier kernel failed, memory ran out, or this cuBLAS does not go with "
          "the GPU or the data type (a GPU newer than the toolkit, bfloat16 or FP8 on an old GPU).",
          "cuBLAS 的内核没有执行成功：之前的内核已出错、显存用完，或这个 cuBLAS 与 GPU、数据类型不配套（GPU "
          "比工具包新，或在旧 GPU 上用 bfloat16、FP8）。"},
     .proof =
         {"With CUDA_LAUNCH_BLOCKING=1 the first failing call; the architectures in libcublas (`soresolve gpu FILE`) "
          "against the device.",
          "设 CUDA_LAUNCH_BLOCKING=1 看最先失败的调用；比较 libcublas 里的架构（`soresolve gpu 文件`）与设备。"},
     .next =
         {"Run with CUDA_LAUNCH_BLOCKING=1; try float32; install a framework built with a CUDA release that knows this "
          "GPU.",
          "用 CUDA_LAUNCH_BLOCKING=1 运行；改用 float32；安装所用 CUDA 版本支持这块 GPU 的框架。"},
     .command = "CUDA_LAUNCH_BLOCKING=1 PROGRAM 2>&1 | soresolve explain\nnvidia-smi "
                "--query-gpu=name,compute_cap,memory.free --format=csv",
     .source = "cublasStatus_t; OpenNMT/CTranslate2#780"},

    // Device code.
    {.id = "no-kernel-image",
     .printer = kRuntime,
     .patterns = {"no kernel image is available for execution on the device", "cudaErrorNoKernelImageForDevice",
                  "CUDA_ERROR_NO_BINARY_FOR_GPU", "invalid device function", "cudaErrorInvalidDeviceFunction"},
     .cause = {"The library has no code for this GPU: no cubin of its compute capability (same major, minor not "
               "higher) and no PTX that the driver could translate. The GPU is newer or older than the build.",
               "库里没有适用于这块 GPU 的代码：既没有相应计算能力的 cubin（主版本相同、次版本不高于设备），"
               "也没有可由驱动即时编译的 PTX。GPU 比构建时支持的更新或更旧。"},
     .proof = {"The architectures in the file (`soresolve gpu FILE`) against the compute capability of "
               "the device.",
               "比较文件中的架构（`soresolve gpu 文件`）与设备的计算能力。"},
     .next = {"Install a build for this GPU: for PyTorch, the wheel whose get_arch_list() has it; for an extension, "
              "rebuild with TORCH_CUDA_ARCH_LIST set to it (e.g. 8.9).",
              "安装支持这块 GPU 的构建：PyTorch 选 get_arch_list() 中包含它的 wheel；扩展则把 TORCH_CUDA_ARCH_LIST "
              "设为其计算能力（如 8.9）重新编译。"},
     .command = "soresolve gpu FILE\nnvidia-smi --query-gpu=name,compute_cap --format=csv\npython -c \"import torch; "
                "print(torch.cuda.get_arch_list())\"",
     .source = "CUDA error 209; cuda-facts E28: pytorch/pytorch#167244, pytorch/pytorch#31285"},
    {.id = "ptx-too-new",
     .printer = kDriver,
     .patterns = {"was compiled with an unsupported toolchain", "cudaErrorUnsupportedPtxVersion",
                  "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "Unsupported .version {ptx}; current version is '{known}'"},
     .cause = {"For this GPU the file has only PTX, and that is of a newer CUDA release than the driver can "
               "translate.",
               "对这块 GPU，文件里只有 PTX，而这段 PTX 的 CUDA 版本比驱动能编译的更新。"},
     .proof = {"The .version of the PTX against the CUDA version that `nvidia-smi` shows: the driver takes at most "
               "its own.",
               "比较 PTX 的 .version 与 `nvidia-smi` 显示的 CUDA 版本：驱动只接受不高于自身的版本。"},
     .next = {"A newer driver; or build with an older toolkit, or with cubins for this GPU (-gencode "
              "arch=compute_XX,code=sm_XX).",
              "升级驱动；或用较旧的工具包编译，或直接为这块 GPU 生成 cubin（-gencode arch=compute_XX,code=sm_XX）。"},
     .command = "nvidia-smi",
     .source = "CUDA error 222; cuda-facts E30: ggml-org/llama.cpp#1648"},
    {.id = "invalid-image",
     .printer = kDriver,
     .patterns = {"device kernel image is invalid", "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE"},
     .cause =
         {"The driver does not accept the GPU code: damaged, made by a toolchain newer than the driver, or "
          "something between them (an interposed libcuda of a GPU sharing layer) changes it.",
          "驱动不接受这段 GPU 代码：代码损坏、由比驱动更新的工具链生成，或中间有拦截层（GPU 共享方案替换的 libcuda）"
          "改动了它。"},
     .proof = {"`cuobjdump --list-elf` on the file reads it without an error; LD_PRELOAD and /etc/ld.so.preload "
               "name no interposer.",
               "`cuobjdump --list-elf` 能正常读取该文件；LD_PRELOAD 和 /etc/ld.so.preload 中没有拦截库。"},
     .next = {"Install the package again; try without the interposer; update the driver.",
              "重装软件包；去掉拦截层再试；升级驱动。"},
     .command = "soresolve why libcuda.so.1; echo \"$LD_PRELOAD\"; cat /etc/ld.so.preload",
     .source = "CUDA error 200; cuda-facts E31: openvla/openvla#176, Project-HAMi/HAMi#666"},

    // Driver and runtime.
    {.id = "driver-too-old",
     .problem = ProblemCode::DriverTooOld,
     .printer = kRuntime,
     .patterns = {"CUDA driver version is insufficient for CUDA runtime version", "cudaErrorInsufficientDriver",
                  "The NVIDIA driver on your system is too old"},
     .cause = {"The driver is older than the CUDA runtime of the program needs (11.x: 450.80.02, 12.x: 525.60.13, "
               "13.x: 580), or there is no libcuda.so.1 at all: that gives the same error.",
               "驱动比程序所用的 CUDA 运行时要求的旧（11.x：450.80.02，12.x：525.60.13，13.x：580）；或者根本没有 "
               "libcuda.so.1，报的是同一个错误。"},
     .proof = {"`nvidia-smi` shows the driver and the highest CUDA version that it supports.",
               "`nvidia-smi` 显示驱动版本及其支持的最高 CUDA 版本。"},
     .next = {"Update the driver; or install a build for an older CUDA major release; on data centre GPUs the "
              "cuda-compat package.",
              "升级驱动；或换用面向较旧 CUDA 主版本的构建；数据中心 GPU 可用 cuda-compat 包。"},
     .command = "nvidia-smi\nsoresolve why libcuda.so.1",
     .source = "CUDA error 35; cuda-facts E32, section 2"},
    {.id = "stub-driver",
     .problem = ProblemCode::StubLibrary,
     .printer = kRuntime,
     .patterns = {"CUDA driver is a stub library", "cudaErrorStubLibrary", "CUDA_ERROR_STUB_LIBRARY"},
     .cause = {"The libcuda.so that was loaded is the toolkit's stub, which exists for linking only: a lib64/stubs "
               "directory is on LD_LIBRARY_PATH or in ld.so.conf.",
               "加载到的 libcuda.so 是工具包里仅供链接用的桩库：LD_LIBRARY_PATH 或 ld.so.conf 里有 lib64/stubs 目录。"},
     .proof = {"Where libcuda.so.1 comes from: a path with /stubs/, a file far below 1 MB.",
               "看 libcuda.so.1 来自哪里：路径含 /stubs/，文件远小于 1 MB。"},
     .next = {"Take the stubs directory off LD_LIBRARY_PATH and ld.so.conf (then run ldconfig), and remove links to "
              "it.",
              "把 stubs 目录从 LD_LIBRARY_PATH 和 ld.so.conf 中去掉（之后运行 ldconfig），并删除指向它的链接。"},
     .command = "soresolve why libcuda.so.1\nsoresolve why libcuda.so",
     .source = "CUDA error 34; cuda-facts E33: NVIDIA/warp#219, numba/numba#9732"},
    {.id = "forward-compat",
     .problem = ProblemCode::ForwardCompat,
     .printer = kRuntime,
     .patterns = {"forward compatibility was attempted on non supported HW", "cudaErrorCompatNotSupportedOnDevice",
                  "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
     .cause = {"A libcuda of the cuda-compat package is in use, and that works on data centre GPUs only (and with "
               "the host's driver in a certain range). Containers bring it in /usr/local/cuda/compat.",
               "正在使用 cuda-compat 包里的 libcuda，而它只支持数据中心 GPU（且宿主机驱动须在一定范围内）。容器里位于 "
               "/usr/local/cuda/compat。"},
     .proof = {"libcuda.so.1 resolves into a compat directory.", "libcuda.so.1 解析到 compat 目录。"},
     .next = {"Take compat off LD_LIBRARY_PATH and ld.so.conf.d in the image, or update the host's driver so that "
              "it is not needed.",
              "在镜像里把 compat 从 LD_LIBRARY_PATH 和 ld.so.conf.d 中去掉，或升级宿主机驱动使其不再需要。"},
     .command = "soresolve why libcuda.so.1",
     .source = "CUDA error 804; cuda-facts E34: NVIDIA/libnvidia-container#131"},
    {.id = "driver-mismatch",
     .problem = ProblemCode::DriverMismatch,
     .printer = kDriver,
     .patterns = {"system has unsupported display driver / cuda driver combination", "cudaErrorSystemDriverMismatch",
                  "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
     .cause = {"The driver's library (libcuda) and its kernel module are of two releases: mostly the package was "
               "updated, and the machine not restarted.",
               "驱动的用户态库（libcuda）与内核模块版本不一致：多半是升级了软件包而没有重启。"},
     .proof = {"The number in the name of the real file behind libcuda.so.1 against /proc/driver/nvidia/version.",
               "比较 libcuda.so.1 实际指向的文件名中的版本号与 /proc/driver/nvidia/version。"},
     .next = {"Restart the machine, or load the new module; in containers, restart the container.",
              "重启机器或重新加载内核模块；容器则重启容器。"},
     .command = "cat /proc/driver/nvidia/version\nsoresolve why libcuda.so.1",
     .source = "CUDA error 803; cuda-facts E35: NVIDIA/nvidia-docker#1256"},
    {.id = "system-not-ready",
     .printer = kDriver,
     .patterns = {"system not yet initialized", "cudaErrorSystemNotReady", "CUDA_ERROR_SYSTEM_NOT_READY"},
     .cause = {"On machines with NVSwitch (HGX, DGX) the fabric manager must run before CUDA does; it does not, or "
               "is of another release than the driver.",
               "在带 NVSwitch 的机器（HGX、DGX）上，必须先运行 fabric manager；它没有运行，或版本与驱动不同。"},
     .proof = {"/dev/nvidia-nvswitch* exists; `systemctl status nvidia-fabricmanager`.",
               "存在 /dev/nvidia-nvswitch*；查看 `systemctl status nvidia-fabricmanager`。"},
     .next = {"Install nvidia-fabricmanager of exactly the driver's release and start it.",
              "安装与驱动版本完全一致的 nvidia-fabricmanager 并启动。"},
     .command = "systemctl status nvidia-fabricmanager",
     .source = "CUDA error 802; cuda-facts E36: pytorch/pytorch#35710"},
    {.id = "nvml-mismatch",
     .problem = ProblemCode::DriverMismatch,
     .printer = {"NVML", {}},
     .patterns = {"Failed to initialize NVML: Driver/library version mismatch", "Driver/library version mismatch",
                  "nvml error: driver/library version mismatch", "NVRM: API mismatch"},
     .cause = {"libnvidia-ml and the kernel module are of two releases: the driver's package was updated (often by "
               "automatic updates), the module in the kernel is still the old one.",
               "libnvidia-ml 与内核模块版本不一致：驱动软件包已升级（常是自动更新），而内核里仍是旧模块。"},
     .proof = {"The suffix of libnvidia-ml.so.… against /proc/driver/nvidia/version.",
               "比较 libnvidia-ml.so.… 的后缀与 /proc/driver/nvidia/version。"},
     .next = {"Restart the machine (or unload and load the nvidia modules).",
              "重启机器（或卸载并重新加载 nvidia 内核模块）。"},
     .command = "cat /proc/driver/nvidia/version\nsoresolve why libnvidia-ml.so.1",
     .source = "cuda-facts E37: tensorflow/tensorflow#52530"},
    {.id = "no-device",
     .printer = kRuntime,
     .patterns = {"no CUDA-capable device is detected", "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE",
                  "Found no NVIDIA driver on your system", "No devices were found", "you might not have a CUDA gpu"},
     .cause = {"The driver's library is there or not, but no GPU can be seen: none in the machine, none given to "
               "the container, or CUDA_VISIBLE_DEVICES hides it.",
               "看不到任何 GPU：机器没有、容器没有分配到，或被 CUDA_VISIBLE_DEVICES 屏蔽了（或者没有驱动）。"},
     .proof = {"`ls /dev/nvidia*`, `nvidia-smi`, and the value of CUDA_VISIBLE_DEVICES.",
               "看 `ls /dev/nvidia*`、`nvidia-smi` 和 CUDA_VISIBLE_DEVICES 的值。"},
     .next = {"Start the container with the GPU (`--gpus all`), correct CUDA_VISIBLE_DEVICES, or install the driver.",
              "容器加上 GPU（`--gpus all`），改正 CUDA_VISIBLE_DEVICES，或安装驱动。"},
     .command = "ls -l /dev/nvidia*; echo \"$CUDA_VISIBLE_DEVICES\"; nvidia-smi",
     .source = "CUDA error 100; cuda-facts section 2"},
    {.id = "cuda-initialization",
     .printer = kRuntime,
     .patterns = {"CUDA error: initialization error", "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED",
                  "CUDA driver initialization failed", "Cannot re-initialize CUDA in forked subprocess"},
     .cause = {"The driver could not be initialised in this process. Usual: the process was forked after CUDA had "
               "been used; else "
               "/dev/nvidia-uvm is missing, or the driver's library and kernel module differ.",
               "驱动在这个进程里无法初始化。常见原因：进程是在使用 CUDA 之后 fork 出来的；否则是缺少 /dev/nvidia-uvm，"
               "或驱动的库与内核模块版本不同。"},
     .proof =
         {"A program of one process alone (`nvidia-smi`, `python -c \"import torch; torch.cuda.init()\"`) "
          "works: then it is "
          "the fork.",
          "单进程的程序（`nvidia-smi`、`python -c \"import torch; torch.cuda.init()\"`）正常，就说明是 fork 的问题。"},
     .next = {"multiprocessing: use the start method \"spawn\", and touch CUDA only in the workers. Else `sudo "
              "nvidia-modprobe "
              "-u`, or restart after a driver update.",
              "multiprocessing：改用 \"spawn\" 启动方式，只在 worker 中使用 CUDA。否则 `sudo nvidia-modprobe "
              "-u`，或在升级驱动后重启。"},
     .command = "ls -l /dev/nvidia-uvm; cat /proc/driver/nvidia/version",
     .source = "cudaError_t 3; torch/cuda/__init__.py:_lazy_init"},
    {.id = "cuda-unknown-error",
     .printer = kDriver,
     .patterns = {"CUDA_ERROR_UNKNOWN", "UNKNOWN_CUDA_ERROR", "CUDA_ERROR_OPERATING_SYSTEM", "cudaErrorOperatingSystem",
                  "OS call failed or operation not supported on this OS",
                  "CUDA unknown error - this may be due to an incorrectly set up environment"},
     .cause = {"cuInit fails without saying why: the kernel module nvidia_uvm is not loaded, the device was lost in "
               "a suspend, or the driver is far older than the runtime.",
               "cuInit 失败而未说明原因：内核模块 nvidia_uvm 没有加载、休眠后设备丢失，或驱动比运行时旧得多。"},
     .proof = {"/dev/nvidia-uvm is missing; `dmesg | grep -i nvrm`. Files do not tell more.",
               "缺少 /dev/nvidia-uvm；看 `dmesg | grep -i nvrm`。仅凭文件看不出更多。"},
     .next = {"`sudo nvidia-modprobe -u`, or restart the machine.", "`sudo nvidia-modprobe -u`，或重启机器。"},
     .command = "ls -l /dev/nvidia-uvm; nvidia-smi",
     .source = "CUDA error 999; cuda-facts E52: numba/numba#8985"},
    {.id = "entry-point-too-new",
     .printer = kRuntime,
     .patterns = {"invalid argument from cudaGetDriverEntryPoint", "cudaGetDriverEntryPoint{text} invalid argument",
                  "cudaGetDriverEntryPoint{text}cudaErrorInvalidValue"},
     .cause = {"The program asks the driver for a function that is newer than it: the plain cudaGetDriverEntryPoint "
               "asks in the version of the runtime, which has a higher minor release than the driver.",
               "程序向驱动请求了一个比驱动更新的函数：普通的 cudaGetDriverEntryPoint 按运行时的版本请求，"
               "而运行时的次版本高于驱动。"},
     .proof = {"The runtime's minor release against the CUDA version of `nvidia-smi`.",
               "比较运行时的次版本与 `nvidia-smi` 显示的 CUDA 版本。"},
     .next = {"A newer driver, or a build that uses cudaGetDriverEntryPointByVersion.",
              "升级驱动，或换用使用 cudaGetDriverEntryPointByVersion 的版本。"},
     .command = "nvidia-smi",
     .source = "cuda-facts E51: NVIDIA/cccl#6895"},
    {.id = "container-driver-missing",
     .problem = ProblemCode::DriverMissing,
     .printer = {"NVIDIA container toolkit", {}},
     .patterns = {"nvidia-container-cli: initialization error: load library failed: {library}",
                  "initialization error: load library failed: {library}"},
     .cause = {"The container runtime looked for the driver on the host and found no {library}: no driver is "
               "installed there.",
               "容器运行时在宿主机上查找驱动，没有找到 {library}：宿主机没有安装驱动。"},
     .proof = {"`nvidia-smi` on the host, outside of the container.", "在宿主机（而非容器内）运行 `nvidia-smi`。"},
     .next = {"Install the NVIDIA driver on the host; the toolkit alone is not enough. Under WSL install it in "
              "Windows.",
              "在宿主机安装 NVIDIA 驱动；只装 CUDA 工具包不够。WSL 则在 Windows 里安装。"},
     .command = "nvidia-smi; soresolve why {library}",
     .lookup = Lookup::Open,
     .source = "cuda-facts E40: NVIDIA/nvidia-docker#539"},
    {.id = "nvrtc-builtins-missing",
     .problem = ProblemCode::DlopenMissing,
     .printer = {"NVRTC", {}},
     .patterns = {"nvrtc: error: failed to open {library}", "failed to open {library=libnvrtc-builtins.so*}"},
     .cause =
         {"NVRTC, the compiler at run time, opens {library} of exactly its own release, and found none: the "
          "library came from a wheel or was copied without this file.",
          "运行时编译器 NVRTC 要打开与自身版本完全一致的 {library}，没有找到：库来自 wheel，或复制时漏了这个文件。"},
     .proof = {"{library} beside the libnvrtc.so.… that is loaded.", "看加载到的 libnvrtc.so.… 旁边有没有 {library}。"},
     .next = {"Put that directory on LD_LIBRARY_PATH, or install the nvrtc package of this release again.",
              "把该目录加入 LD_LIBRARY_PATH，或重装该版本的 nvrtc 包。"},
     .command = "soresolve why {library}",
     .lookup = Lookup::Open,
     .source = "cuda-facts E41: WisconsinAIVision/yolact_edge#186"},

    // NCCL.
    {.id = "nccl-versions-differ",
     .printer = {"NCCL", {}},
     .patterns = {"Mismatched NCCL version detected"},
     .cause =
         {"The processes of one job have different NCCL releases: other images or environments on the "
          "machines, or another libnccl.so.2 first in the search of some.",
          "同一任务的各个进程使用了不同版本的 NCCL：各机器的镜像或环境不同，或其中一些先搜到了另一个 libnccl.so.2。"},
     .proof = {"The line with NCCL_DEBUG=VERSION on each machine.",
               "在每台机器上设置 NCCL_DEBUG=VERSION，看输出的那一行。"},
     .next = {"One image for all; clear LD_LIBRARY_PATH where it brings the other copy.",
              "所有机器使用同一镜像；把带来另一份的 LD_LIBRARY_PATH 清掉。"},
     .command = "NCCL_DEBUG=VERSION PROGRAM\nsoresolve why libnccl.so.2",
     .source = "NCCL src/init.cc:initTransportsRank"},
    {.id = "nccl-underlying-error",
     .printer = {"NCCL", {}},
     .patterns = {"ncclUnhandledCudaError", "ncclSystemError", "unhandled cuda error (run with NCCL_DEBUG=INFO",
                  "unhandled system error (run with NCCL_DEBUG=INFO", "unhandled cuda error, NCCL version",
                  "unhandled system error, NCCL version", "NCCL Error {number}: unhandled cuda error",
                  "NCCL Error {number}: unhandled system error", "NCCL error: unhandled cuda error",
                  "NCCL error: unhandled system error", "ncclInternalError: Internal check failed"},
     .cause = {"A call of CUDA or of the operating system failed inside NCCL; this line does not say which. Usual: "
               "a driver older than NCCL's CUDA, too little /dev/shm, a network interface that others cannot reach.",
               "NCCL 内部的某次 CUDA 调用或系统调用失败，这一行没有说明是哪一次。常见原因：驱动比 NCCL 所用的 CUDA 旧、"
               "/dev/shm 太小、网卡互相不通。"},
     .proof = {"The first WARN of NCCL above it, with NCCL_DEBUG=INFO.",
               "设置 NCCL_DEBUG=INFO，看它上方第一条 NCCL WARN。"},
     .next = {"Run again with NCCL_DEBUG=INFO and explain that line; in containers give --shm-size or --ipc=host.",
              "用 NCCL_DEBUG=INFO 重跑并解释那一行；容器加上 --shm-size 或 --ipc=host。"},
     .command = "NCCL_DEBUG=INFO PROGRAM 2>&1 | soresolve explain",
     .weight = Weight::Summary,
     .source = "NCCL src/init.cc:ncclGetErrorString"},
};

}  // namespace

std::span<const KnownMessage> cuda_messages() { return kCudaMessages; }

}  // namespace soresolve
