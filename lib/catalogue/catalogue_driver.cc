// What is said where no GPU can be used: by the driver's tools, by Docker and NVIDIA's container toolkit, and by
// programs that look for a device and find none. Texts: as in the threads named in each source; causes: the references
// "cuda-facts" and "frameworks". What CUDA itself reports as an error of a number is in catalogue_cuda.cc.
#include "catalogue/catalogue.h"

namespace soresolve {
namespace {

constexpr Phrase kContainers = {"Docker, containerd, Podman", {}};
constexpr Phrase kContainerToolkit = {"NVIDIA container toolkit", {}};

constexpr KnownMessage kDriverMessages[] = {
    // Containers.
    {.id = "docker-no-gpu-driver",
     .printer = kContainers,
     .patterns = {"could not select device driver", "unknown or invalid runtime name: nvidia",
                  "Unknown runtime specified nvidia", "exec: 'nvidia-container-runtime': executable file not found",
                  "unresolvable CDI devices {device=*nvidia.com/*}"},
     .cause = {"The container engine was told to pass a GPU and does not know how: NVIDIA's container toolkit is not "
               "installed on the host, or the engine was not configured for it (or not restarted since). The program "
               "in the container never ran.",
               "容器引擎被要求传入 GPU，却不知道该怎么做：宿主机没有安装 NVIDIA container "
               "toolkit，或没有为引擎做配置（或配置后没有重启引擎）。容器里的程序根本没有运行。"},
     .proof =
         {"On the host: `nvidia-smi` works, and `nvidia-ctk --version` and `docker info` show neither toolkit nor "
          "the runtime nvidia.",
          "在宿主机上：`nvidia-smi` 正常，而 `nvidia-ctk --version` 不存在，`docker info` 的 Runtimes 里没有 nvidia。"},
     .next =
         {"Install nvidia-container-toolkit on the host, configure the engine and restart it. With Podman or CDI, "
          "generate the device list. Docker from snap cannot see the toolkit of the host: install docker-ce.",
          "在宿主机安装 nvidia-container-toolkit，配置引擎并重启。Podman 或 CDI 方式则要生成设备清单。snap 版 Docker "
          "看不到宿主机的 toolkit，请改装 docker-ce。"},
     .command = "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker\n"
                "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml    # Podman, CDI",
     .source = "moby daemon/devices.go; NVIDIA/nvidia-docker#1352, #1642, NVIDIA/nvidia-container-toolkit#146"},
    {.id = "invalid-device-ordinal",
     .printer = {"CUDA runtime or driver", "CUDA 运行时或驱动"},
     .patterns = {"invalid device ordinal", "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE",
                  "ERROR_INVALID_DEVICE", "Invalid device id", "device id must be in the range [0, {number})"},
     .cause = {"The program asks for a GPU whose number is not there. Numbers begin with 0, and only those that "
               "CUDA_VISIBLE_DEVICES leaves are counted.",
               "程序使用的 GPU 编号不存在。编号从 0 开始，而且只计 CUDA_VISIBLE_DEVICES 留下的设备。"},
     .proof = {"`nvidia-smi -L` against CUDA_VISIBLE_DEVICES and against the number in the program (cuda:1, "
               "local_rank, the count of processes).",
               "比较 `nvidia-smi -L`、CUDA_VISIBLE_DEVICES 与程序里的编号（cuda:1、local_rank、进程数）。"},
     .next = {"Use cuda:0, start as many processes as there are GPUs (torchrun --nproc_per_node), or correct "
              "CUDA_VISIBLE_DEVICES; in a container give it all GPUs (`--gpus all`).",
              "使用 cuda:0；启动的进程数不要超过 GPU 数（torchrun --nproc_per_node）；或改正 "
              "CUDA_VISIBLE_DEVICES；容器要带上全部 GPU（`--gpus all`）。"},
     .command = "nvidia-smi -L; echo \"$CUDA_VISIBLE_DEVICES\"",
     .source = "cudaError_t 101; wdrink/PyDeepFakeDet#1, JuliaGPU/CUDAdrv.jl#245"},
    {.id = "device-busy",
     .printer = {"CUDA runtime or driver", "CUDA 运行时或驱动"},
     .patterns = {"all CUDA-capable devices are busy or unavailable", "cudaErrorDevicesUnavailable",
                  "CUDA_ERROR_DEVICE_UNAVAILABLE"},
     .cause =
         {"The GPU is there, and refuses a new process: its compute mode is exclusive and another process has it, it "
          "is in an error state, or MIG is on and no instance was made.",
          "GPU 存在，但拒绝新的进程：计算模式为独占而已被占用、处于错误状态，或启用了 MIG 却没有创建实例。"},
     .proof = {"`nvidia-smi -q -d COMPUTE`, the processes that `nvidia-smi` lists, `dmesg | grep -i xid`.",
               "`nvidia-smi -q -d COMPUTE`、`nvidia-smi` 列出的进程、`dmesg | grep -i xid`。"},
     .next = {"End the other process, set the mode to DEFAULT (`sudo nvidia-smi -c 0`), or make a MIG instance.",
              "结束另一个进程，把模式设为 DEFAULT（`sudo nvidia-smi -c 0`），或创建 MIG 实例。"},
     .command = "nvidia-smi",
     .source = "cudaError_t 46"},
    {.id = "container-driver-rpc",
     .problem = ProblemCode::DriverMissing,
     .printer = {"nvidia-container-cli", {}},
     .patterns = {"initialization error: driver rpc error",
                  "initialization error: driver error: failed to process request", "detection error: driver rpc error",
                  "detection error: nvml error: {text}", "initialization error: cuda error: {text}",
                  "initialization error: WSL environment detected but no adapters were found",
                  "nvidia-container-cli: device error: {text}"},
     .cause =
         {"The NVIDIA container runtime could not talk to the driver of the host: its kernel module is not loaded, is "
          "of another release than its libraries (an update without a restart), or the device asked for is not there.",
          "NVIDIA 容器运行时无法与宿主机的驱动通信：内核模块没有加载、与驱动的库版本不同（升级后没有重启），"
          "或所请求的设备不存在。"},
     .proof =
         {"`nvidia-smi` on the host; `cat /proc/driver/nvidia/version`; `nvidia-container-cli -k -d /dev/tty info`.",
          "在宿主机上运行 `nvidia-smi`、`cat /proc/driver/nvidia/version`、`nvidia-container-cli -k -d /dev/tty "
          "info`。"},
     .next = {"Make `nvidia-smi` work on the host first: restart after a driver update, or `sudo modprobe nvidia`.",
              "先让宿主机上的 `nvidia-smi` 正常：升级驱动后重启，或 `sudo modprobe nvidia`。"},
     .command = "nvidia-smi; cat /proc/driver/nvidia/version",
     .source = "libnvidia-container src/cli; NVIDIA/nvidia-container-toolkit#556"},
    {.id = "container-mount",
     .printer = {"nvidia-container-cli", {}},
     .patterns = {"nvidia-container-cli: mount error: {text}: file exists",
                  "nvidia-container-cli: mount error: {text}: no such file or directory",
                  "nvidia-container-cli: mount error: {text}: permission denied", "nvidia-container-cli: mount error"},
     .cause =
         {"The container runtime could not put the driver's files into the container: \"file exists\" is said "
          "of an image that "
          "has libcuda or libnvidia-ml files of its own, \"no such file\" of a host whose driver is not "
          "complete or was "
          "moved.",
          "容器运行时无法把驱动文件放进容器：“file exists”表示镜像里已有自己的 libcuda 或 libnvidia-ml 文件，“no such "
          "file”表示宿主机的驱动不完整或被移动过。"},
     .proof = {"The path in the message, in the image and on the host.",
               "查看消息中的路径：镜像里和宿主机上各有什么。"},
     .next = {"\"file exists\": delete the driver's files in the image (`rm -f /usr/lib/x86_64-linux-gnu/libcuda.so* "
              "/usr/lib/x86_64-linux-gnu/libnvidia-*`) when it is built. \"no such file\": repair the driver on the "
              "host (WSL: `wsl "
              "--update`).",
              "“file exists”：构建镜像时删除驱动文件（`rm -f /usr/lib/x86_64-linux-gnu/libcuda.so* "
              "/usr/lib/x86_64-linux-gnu/libnvidia-*`）。“no such file”：修复宿主机的驱动（WSL：`wsl --update`）。"},
     .command = "nvidia-container-cli list; ldconfig -p | grep -E 'libcuda|libnvidia-ml'",
     .source = "libnvidia-container src/nvc_mount.c; NVIDIA/nvidia-docker#1551, #1225"},
    {.id = "nvenc-driver-too-old",
     .problem = ProblemCode::DriverTooOld,
     .printer = {"FFmpeg", {}},
     .patterns = {"The minimum required Nvidia driver for nvenc is {driver}",
                  "Driver does not support the required nvenc API version"},
     .cause = {"FFmpeg was built with headers of a newer Video Codec SDK than this driver knows.",
               "编译 FFmpeg 时所用的 Video Codec SDK 头文件比当前驱动支持的新。"},
     .proof = {"The driver that `nvidia-smi` shows against the one in the message.",
               "比较 `nvidia-smi` 显示的驱动版本与消息里的版本。"},
     .next = {"Update the driver, or take an FFmpeg that was built with older nv-codec-headers.",
              "升级驱动，或换用以较旧 nv-codec-headers 编译的 FFmpeg。"},
     .command = "nvidia-smi",
     .source = "ffmpeg libavcodec/nvenc.c:nvenc_print_driver_requirement"},
    {.id = "container-driver-too-old",
     .problem = ProblemCode::DriverTooOld,
     .printer = kContainerToolkit,
     .patterns = {"requirement error: unsatisfied condition:"},
     .cause =
         {"The image declares in NVIDIA_REQUIRE_CUDA what it needs (the condition in the message), and the driver of "
          "the host supports less. The container is not started.",
          "镜像通过 NVIDIA_REQUIRE_CUDA 声明了要求（即消息中的条件），而宿主机驱动支持的版本更低，因此容器没有启动。"},
     .proof = {"`nvidia-smi` on the host shows the highest CUDA version that its driver supports.",
               "在宿主机运行 `nvidia-smi`，看驱动支持的最高 CUDA 版本。"},
     .next = {"Update the driver of the host, or take an image for an older CUDA release. NVIDIA_DISABLE_REQUIRE=true "
              "only removes the check: right for minor releases of one CUDA major, wrong for a newer major.",
              "升级宿主机驱动，或换用面向较旧 CUDA 的镜像。NVIDIA_DISABLE_REQUIRE=true "
              "只是跳过这项检查：同一主版本内的次版本差异可以用，跨主版本不行。"},
     .command = "nvidia-smi --query-gpu=driver_version --format=csv",
     .source =
         "libnvidia-container src/cli/configure.c; NVIDIA/nvidia-container-toolkit#152, NVIDIA/nvidia-docker#1442"},

    // The driver's own tools.
    {.id = "nvidia-smi-no-driver",
     .problem = ProblemCode::DriverMissing,
     .printer = {"nvidia-smi, NVML", {}},
     .patterns = {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver",
                  "Failed to initialize NVML: Driver Not Loaded", "nvml error: driver not loaded",
                  "Module nvidia not found in directory", "modprobe: FATAL: Module nvidia{text} not found"},
     .cause =
         {"The driver's tools are installed, and no NVIDIA kernel module answers: it is not loaded, was not built "
          "for the kernel that runs now (usual after a kernel update), or Secure Boot or nouveau keeps it out.",
          "驱动的工具已安装，但没有 NVIDIA 内核模块响应：模块没有加载、没有为当前运行的内核编译（升级内核后常见），或"
          "被 Secure Boot、nouveau 挡住了。"},
     .proof = {"No /proc/driver/nvidia/version; `modprobe nvidia` and `dmesg` give the reason.",
               "没有 /proc/driver/nvidia/version；`modprobe nvidia` 和 `dmesg` 会给出原因。"},
     .next =
         {"Install the headers of the running kernel and build the module again (`dkms autoinstall`), or install "
          "the driver again; then restart. In a container: this is a matter of the host. In WSL: install the "
          "driver in Windows, none in Linux.",
          "安装当前内核的头文件并重新编译模块（`dkms autoinstall`），或重装驱动，然后重启。容器里出现时要在宿主机上处"
          "理；WSL 则在 Windows 中装驱动，Linux 里不要装。"},
     .command = "uname -r; dkms status; sudo modprobe nvidia; sudo dmesg | grep -iE 'nvrm|nvidia|nouveau' | tail",
     .source = "nvidia-smi; NVIDIA/nvidia-docker#988, microsoft/WSL#9134"},
    {.id = "nvml-unknown-error",
     .printer = {"nvidia-smi, NVML", {}},
     .patterns = {"Failed to initialize NVML: Unknown Error", "Failed to initialize NVML: Insufficient Permissions"},
     .cause =
         {"The driver's library was found, and the device files cannot be used. In a container that worked before: "
          "its access was lost when systemd reloaded its units (cgroup v2).",
          "找到了驱动的库，却无法使用设备文件。如果是之前正常的容器：systemd 重新加载单元时（cgroup v2）设备访问权限"
          "丢失了。"},
     .proof = {"`ls -l /dev/nvidia*` in the container; on the host `nvidia-smi` works.",
               "在容器内看 `ls -l /dev/nvidia*`；宿主机上 `nvidia-smi` 正常。"},
     .next = {"Restart the container. For good: pass the devices with --device or CDI, or set "
              "\"native.cgroupdriver=cgroupfs\" in Docker's daemon.json.",
              "重启容器。要根治：用 --device 或 CDI 传入设备，或在 Docker 的 daemon.json 中设置 "
              "“native.cgroupdriver=cgroupfs”。"},
     .command = "ls -l /dev/nvidia*; nvidia-smi",
     .source = "NVML nvmlErrorString; NVIDIA/nvidia-docker#1730"},
    {.id = "nvidia-smi-missing",
     .printer = {"the shell, the container runtime", "shell、容器运行时"},
     .patterns = {"nvidia-smi: command not found", "nvidia-smi: not found", "command not found: nvidia-smi",
                  "Command 'nvidia-smi' not found", "No such file or directory: 'nvidia-smi'",
                  "exec: 'nvidia-smi': executable file not found", "Unknown command: nvidia-smi"},
     .cause =
         {"nvidia-smi is part of the driver, not of CUDA. Here is no driver, or this container was started without "
          "the GPU (or without the capability \"utility\"), or its directory is not on PATH (WSL: /usr/lib/wsl/lib).",
          "nvidia-smi 属于驱动，不属于 CUDA。这里没有装驱动；或容器启动时没有给 GPU（或缺少 utility "
          "能力）；或它所在的目录不在 PATH 里（WSL：/usr/lib/wsl/lib）。"},
     .proof =
         {"Neither /proc/driver/nvidia/version nor a libcuda.so.1 outside of stubs: no driver. With them: only "
          "the program is missing.",
          "没有 /proc/driver/nvidia/version，stubs 之外也没有 libcuda.so.1：就是没有驱动；若有，则只是缺这个程序。"},
     .next =
         {"Start the container with `--gpus all` (and NVIDIA_DRIVER_CAPABILITIES=compute,utility); on the host "
          "install the driver (Debian: nvidia-smi, Ubuntu: nvidia-utils-NNN of the driver's release).",
          "启动容器时加 `--gpus all`（以及 NVIDIA_DRIVER_CAPABILITIES=compute,utility）；在宿主机则安装驱动（Debian："
          "nvidia-smi；Ubuntu：与驱动版本一致的 nvidia-utils-NNN）。"},
     .command = "cat /proc/driver/nvidia/version; ls -l /dev/nvidia*\nsoresolve why libcuda.so.1",
     .source = "bash, dash, zsh, fish, Python, runc; NVIDIA/nvidia-docker#1482, h2oai/h2o-llmstudio#940"},

    // Programs that find no device.
    {.id = "torch-no-gpus",
     .printer = {"PyTorch", {}},
     .patterns = {"No CUDA GPUs are available"},
     .cause = {"PyTorch has CUDA and a driver, and sees no device. Mostly CUDA_VISIBLE_DEVICES names a GPU that is not "
               "there (the program itself may set it, os.environ), else the container or job got no GPU.",
               "PyTorch 带有 CUDA，驱动也在，却看不到任何设备。多半是 CUDA_VISIBLE_DEVICES 指定了不存在的 "
               "GPU（也可能是程序自己用 os.environ 设置的），否则就是容器或作业没有分配到 GPU。"},
     .proof =
         {"`nvidia-smi -L` lists the devices from 0; compare with CUDA_VISIBLE_DEVICES, also as the program sets "
          "it before it imports torch.",
          "`nvidia-smi -L` 从 0 开始列出设备；与 CUDA_VISIBLE_DEVICES 比较，包括程序在 import torch 之前设置的值。"},
     .next = {"Unset CUDA_VISIBLE_DEVICES or give a number that exists (often 0); start the container with `--gpus "
              "all`; in Slurm ask for --gres=gpu:1.",
              "取消 CUDA_VISIBLE_DEVICES，或改成存在的编号（通常是 0）；容器加 `--gpus all`；Slurm 作业申请 "
              "--gres=gpu:1。"},
     .command = "echo \"$CUDA_VISIBLE_DEVICES\"; nvidia-smi -L\nsoresolve doctor",
     .source = "c10/cuda/CUDAFunctions.cpp:device_count_ensure_non_zero; KeYang8/WITT#34, jiaw-z/CoR-GS#23"},
    {.id = "torch-cuda-unavailable",
     .printer = {"PyTorch", {}},
     .patterns = {"torch.cuda.is_available() is False", "torch.cuda.is_available() returns False",
                  "torch.cuda.is_available() returned False", "torch.cuda.is_available() False",
                  "torch.cuda.is_available()) False", "torch.cuda.is_available())' False",
                  "torch.cuda.is_available(): False", "torch.cuda.is_available() = False",
                  "torch.cuda.is_available() == False", "Is CUDA available: False", "CUDA available: False",
                  "No CUDA runtime is found, using CUDA_HOME", "assert torch.cuda.is_available()"},
     .cause =
         {"PyTorch cannot use a GPU. In this order of frequency: a CPU build of torch is installed; no driver is in "
          "reach (container without --gpus); the driver is older than torch's CUDA; CUDA_VISIBLE_DEVICES is empty.",
          "PyTorch 用不了 GPU。按常见程度：装的是 CPU 版 torch；找不到驱动（容器没有 --gpus）；驱动比 torch 的 CUDA "
          "旧；CUDA_VISIBLE_DEVICES 为空。"},
     .proof =
         {"torch.version.cuda is None for a CPU build. Else torch prints a warning with a number at the first use, "
          "which this command explains as well.",
          "torch.version.cuda 为 None 就是 CPU 版。否则 torch 首次使用 CUDA 时会打印带错误号的警告，本命令也能解释。"},
     .next =
         {"`soresolve doctor` checks torch's build, the driver, the device files and the environment, one after the "
          "other, and shows the first that fails.",
          "运行 `soresolve doctor`：依次检查 torch 的构建、驱动、设备文件和环境变量，指出第一处问题。"},
     .command = "soresolve doctor\npython -c \"import torch; print(torch.__version__, torch.version.cuda); "
                "torch.cuda.init()\"",
     .lookup = Lookup::Machine,
     .weight = Weight::Summary,
     .source = "torch/cuda/__init__.py, torch/serialization.py:validate_cuda_device, torch/utils/collect_env.py; "
               "hkchengrex/Cutie#37"},
    {.id = "vllm-no-device",
     .printer = {"vLLM", {}},
     .patterns = {"Failed to infer device type", "No platform detected, vLLM is running on UnspecifiedPlatform"},
     .cause =
         {"vLLM uses NVML (libnvidia-ml.so.1), not CUDA, to find a GPU, and NVML failed: no driver, a "
          "container without the capability \"utility\", or the CPU build of vLLM or torch. torch may see the GPU "
          "all the same.",
          "vLLM 通过 NVML（libnvidia-ml.so.1）而不是 CUDA 判断有没有 GPU，而 NVML 失败了：没有驱动、容器缺少 utility "
          "能力，或装的是 CPU 版 vLLM、torch。此时 torch 仍可能看得到 GPU。"},
     .proof = {"`nvidia-smi` uses the same library and fails as well; VLLM_LOGGING_LEVEL=DEBUG shows why each platform "
               "was refused.",
               "`nvidia-smi` 用的是同一个库，也会失败；设置 VLLM_LOGGING_LEVEL=DEBUG 可以看到每个平台被否定的原因。"},
     .next = {"Start the container with `--gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility`; see that "
              "libnvidia-ml.so.1 is found; install vLLM's CUDA build.",
              "启动容器时加 `--gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility`；确认能找到 libnvidia-ml.so.1；"
              "安装 CUDA 版 vLLM。"},
     .command = "nvidia-smi\nsoresolve why libnvidia-ml.so.1",
     .source =
         "vllm/config.py:DeviceConfig, vllm/platforms/__init__.py; frameworks V01; vllm-project/vllm#12847, #13946"},
    {.id = "jax-cpu-only",
     .printer = {"JAX", {}},
     .patterns = {"An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed",
                  "No GPU/TPU found, falling back to CPU",
                  "Unknown backend: '{backend=gpu|cuda}' requested, but no platforms that are instances of"},
     .cause =
         {"JAX runs on the CPU: its CUDA plugin (jax-cuda12-plugin or -cuda13-, both with -pjrt) is not installed, "
          "is of another release than jaxlib, or failed to load, which an earlier line shows.",
          "JAX 只用 CPU 运行：它的 CUDA 插件（jax-cuda12-plugin 或 -cuda13-，以及对应的 -pjrt）没有安装、与 jaxlib "
          "版本不一致，或加载失败（前面会有一行说明）。"},
     .proof = {"`pip list | grep -i jax`: jaxlib, the plugin and pjrt must be of one release.",
               "看 `pip list | grep -i jax`：jaxlib、plugin、pjrt 的版本必须一致。"},
     .next = {"`pip install -U 'jax[cuda12]'` (or cuda13), with LD_LIBRARY_PATH unset. If the CPU is wanted: "
              "JAX_PLATFORMS=cpu silences the line.",
              "清空 LD_LIBRARY_PATH 后运行 `pip install -U 'jax[cuda12]'`（或 cuda13）。如果本来就只用 CPU，设置 "
              "JAX_PLATFORMS=cpu 可去掉这行提示。"},
     .command = "pip list | grep -i jax; echo \"$LD_LIBRARY_PATH\"",
     .source = "jax/_src/xla_bridge.py; jax-ml/jax#29068, #17624"},
    {.id = "numba-no-driver",
     .problem = ProblemCode::DriverMissing,
     .printer = {"numba", {}},
     .patterns = {"CUDA driver library cannot be found",
                  "CUDA driver libraries are found but error occurred during load",
                  "CudaDriverError: driver missing function: {symbol}",
                  "NUMBA_CUDA_DRIVER {library} is not a valid file path",
                  "NUMBAPRO_CUDA_DRIVER {library} is not a valid file path"},
     .cause =
         {"numba opens the driver by itself (NUMBA_CUDA_DRIVER, then libcuda.so and libcuda.so.1, then /usr/lib and "
          "/usr/lib64) and got none that loads.",
          "numba 自己打开驱动（先看 NUMBA_CUDA_DRIVER，再找 libcuda.so、libcuda.so.1，然后是 /usr/lib 和 "
          "/usr/lib64），没有一个能加载。"},
     .proof = {"Would dlopen find libcuda.so.1, outside of stubs?", "看 dlopen 能否找到 libcuda.so.1（stubs 之外）。"},
     .next = {"Install the driver or start the container with the GPU. If libcuda.so.1 is in another directory, set "
              "NUMBA_CUDA_DRIVER to its path.",
              "安装驱动，或启动容器时带上 GPU。如果 libcuda.so.1 在别的目录，把 NUMBA_CUDA_DRIVER 设为它的路径。"},
     .command = "soresolve why libcuda.so.1; numba -s | grep -i -A20 cuda",
     .source = "numba/cuda/cudadrv/driver.py; serrob23/falsecolor#73"},
    {.id = "xgboost-no-gpu",
     .printer = {"XGBoost", {}},
     .patterns = {"Device is changed from GPU to CPU as we couldn't find any available GPU on the system",
                  "No visible GPU is found for XGBoost"},
     .cause = {"This XGBoost was built with CUDA, and its runtime sees no device: no driver in reach, one that is too "
               "old, a device that this build has no code for, or CUDA_VISIBLE_DEVICES hides it.",
               "这个 XGBoost 带有 CUDA，但它的运行时看不到设备：找不到驱动、驱动太旧、构建里没有该设备的代码，或被 "
               "CUDA_VISIBLE_DEVICES 屏蔽。"},
     .proof = {"`nvidia-smi` shows driver and devices; `soresolve gpu` the architectures in libxgboost.so.",
               "`nvidia-smi` 显示驱动和设备；`soresolve gpu` 显示 libxgboost.so 里的架构。"},
     .next = {"Make the device visible (container: --gpus all), update the driver, or install an XGBoost built for it.",
              "让设备可见（容器：--gpus all），升级驱动，或安装支持该设备的 XGBoost。"},
     .command = "nvidia-smi\nsoresolve doctor",
     .source = "xgboost src/context.cc, src/common/common.cc; dmlc/xgboost#11840"},
};

}  // namespace

std::span<const KnownMessage> driver_messages() { return kDriverMessages; }

}  // namespace soresolve
