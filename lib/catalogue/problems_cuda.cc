// What CUDA, or the user, requires of a process and is not so. One row for each code, and the sentences of its cases.
// The error numbers are those of cuda.h and driver_types.h; each is provoked in test/confirm or was seen on real
// libraries (see lib/cuda/contracts.json).
#include "catalogue/problems.h"

namespace soresolve {
namespace {

constexpr ProblemRow kCudaProblems[] = {
    {.code = ProblemCode::MixedBuild,
     .meaning = {"the parts of a CUDA library come from different builds", "同一个 CUDA 库的各部分来自不同的构建"},
     .help = {"libcublas calls private functions of libcublasLt, and cuDNN compares the versions of its "
              "sub-libraries: each set has to come from one release. A second copy earlier on the search path "
              "(LD_LIBRARY_PATH, a system package) usually gives one part of the set. Take the directory of that copy "
              "off the path, or bring both to one release.",
              "libcublas 会调用 libcublasLt 的私有函数，cuDNN 会比较各子库的版本：每一组都必须来自同一发行版。"
              "通常是搜索路径中靠前的另一份副本（LD_LIBRARY_PATH、系统软件包）顶替了其中一部分。"
              "请把那份副本的目录移出路径，或让两者升级到同一版本。"}},
    {.code = ProblemCode::DriverTooOld,
     .meaning = {"the driver is too old for the CUDA runtime of the process", "驱动太旧，不支持进程中的 CUDA 运行时"},
     .help = {"Each major release of CUDA requires a driver from a certain version on (11: 450.80.02, 12: 525.60.13, "
              "13: 580.65.06); below it every call fails with error 35. Update the driver, use a build for an older "
              "CUDA, or, on data-center GPUs, the cuda-compat package.",
              "每个 CUDA 主版本都要求驱动不低于某个版本（11：450.80.02，12：525.60.13，13：580.65.06），"
              "否则所有调用都会返回错误 35。请升级驱动、换用面向较旧 CUDA 的构建，或在数据中心显卡上使用 "
              "cuda-compat 软件包。"}},
    {.code = ProblemCode::DriverMismatch,
     .meaning = {"the driver's library and its loaded kernel module are of different versions",
                 "驱动的用户态库与已加载的内核模块版本不同"},
     .help =
         {"libcuda and the nvidia kernel module belong together, to the last number. After an update of the driver "
          "the old module stays loaded until the machine is restarted; in a container a library of the image may hide "
          "the host's. Calls fail with error 803, NVML says \"Driver/library version mismatch\". Restart, or remove "
          "the copy.",
          "libcuda 与 nvidia 内核模块必须完全同版本。升级驱动后，旧模块在重启之前仍处于加载状态；在容器里，"
          "镜像自带的库可能挡住宿主机的库。调用会返回错误 803，NVML 会报 “Driver/library version mismatch”。请重启，"
          "或删除多余的副本。"}},
    {.code = ProblemCode::ForwardCompat,
     .meaning = {"a forward-compatible driver library (cuda-compat) is in effect",
                 "正在使用前向兼容的驱动库（cuda-compat）"},
     .help =
         {"A newer libcuda above the host's older kernel module. It works for the branches of the host that it lists "
          "and on data-center GPUs only; elsewhere calls fail with error 803 or 804. If the host's driver is new "
          "enough, take the compat directory off the search path.",
          "在宿主机较旧的内核模块之上使用较新的 libcuda。它只适用于其列出的宿主机驱动分支，并且只限数据中心显卡；"
          "否则调用会返回错误 803 或 804。如果宿主机的驱动已足够新，请把 compat 目录移出搜索路径。"}},
    {.code = ProblemCode::FrameworkBuild,
     .meaning = {"a framework gets other CUDA libraries than it was built for", "框架得到的 CUDA 库与其构建时的不同"},
     .help =
         {"torch/version.py says for which CUDA it was built; published builds have a known cuDNN. A runtime of "
          "another major release beside it belongs to an extension built for that one, and an older minor version of "
          "cuDNN is refused. Install the extension for the framework's CUDA, or clear the way for the framework's own "
          "libraries.",
          "torch/version.py 记录了它面向哪个 CUDA 构建，官方构建所用的 cuDNN 也是已知的。"
          "旁边若有另一主版本的运行时，那是面向该版本构建的扩展带来的；较旧次版本的 cuDNN 会被拒绝。请安装与框架 "
          "CUDA 一致的扩展，或让框架自带的库优先。"}},
    {.code = ProblemCode::DriverMissing,
     .meaning = {"no NVIDIA driver library is in reach of the CUDA runtime", "CUDA 运行时找不到 NVIDIA 驱动库"},
     .help =
         {"The runtime opens libcuda.so.1 when it is first used. It is part of the driver, never of a toolkit, a "
          "wheel or conda. Without it everything loads, and each call fails with error 35; torch.cuda.is_available() "
          "is False. Install the driver, or start the container with access to the GPU.",
          "运行时在首次使用时才打开 libcuda.so.1。它属于驱动，不会由工具包、wheel 或 conda 提供。"
          "缺少它时一切照常加载，但所有调用都会返回错误 35，torch.cuda.is_available() 为 False。请安装驱动，"
          "或让容器能访问 GPU。"}},
    {.code = ProblemCode::DriverNeedsGlibc,
     .meaning = {"a library supplied by the host needs a newer glibc than the image has",
                 "主机传入的库所需的 glibc 比镜像的新"},
     .help =
         {"NVIDIA builds its driver against an old glibc (2.17 and older), but apptainer --nv also passes in "
          "libraries of "
          "the host's distribution (libGL, libEGL, libOpenCL), which need the host's glibc. In an older image they "
          "fail "
          "with \"version `GLIBC_2.34' not found\". Take an image with as new a glibc, or leave those libraries out of "
          "nvliblist.conf.",
          "NVIDIA 的驱动按很旧的 glibc（2.17 及更旧）构建，但 apptainer --nv 还会传入主机发行版的库（libGL、libEGL、"
          "libOpenCL），它们需要主机的 glibc。在较旧的镜像中会报 “version `GLIBC_2.34' not found”。请换用 glibc "
          "足够新的镜像，或从 nvliblist.conf 中去掉这些库。"}},
    {.code = ProblemCode::DriverWithheld,
     .meaning = {"a library of the host's driver that is needed is not passed into the container",
                 "需要的某个驱动库没有传入容器"},
     .help = {"nvidia-container-toolkit passes in what NVIDIA_DRIVER_CAPABILITIES names: compute (libcuda), utility "
              "(libnvidia-ml, nvidia-smi), video, graphics, display, ngx; compute,utility where it is not set. CDI "
              "passes in "
              "everything, apptainer --nv what nvliblist.conf lists. Start the container with the capability that is "
              "missing.",
              "nvidia-container-toolkit 按 NVIDIA_DRIVER_CAPABILITIES "
              "传入驱动库：compute（libcuda）、utility（libnvidia-ml、"
              "nvidia-smi）、video、graphics、display、ngx；未设置时为 compute,utility。CDI 会全部传入，apptainer --nv "
              "传入 nvliblist.conf 列出的库。请在启动容器时加上缺少的能力。"}},
    {.code = ProblemCode::DriverInImage,
     .meaning = {"a libcuda of the image comes before that of the host's driver",
                 "镜像自带的 libcuda 优先于主机驱动的"},
     .help =
         {"A driver's library belongs to the kernel module of the host, to the last number. An image that was built "
          "with "
          "a driver in it keeps its own libcuda.so.VERSION beside the one that the container runtime mounts, and "
          "ldconfig "
          "turns libcuda.so.1 to the greater number. Calls then fail with error 803, on a host with that very release "
          "they work. Remove the driver's packages from the image.",
          "驱动库必须与主机的内核模块完全同版本。构建时装入驱动的镜像，会在容器运行时挂载的库旁边留下自己的 "
          "libcuda.so.VERSION，而 ldconfig 会让 libcuda.so.1 指向版本号较大的那个。于是调用返回错误 803，"
          "只有在版本恰好相同的主机上才能工作。请从镜像中去掉驱动的软件包。"}},
    {.code = ProblemCode::RequirementUnmet,
     .meaning = {"a requirement of --require or --contract is not met", "不满足 --require 或 --contract 的某项要求"},
     .help = {"The user has declared what has to be in the process: a release of CUDA, cuDNN, NCCL, glibc, a framework "
              "or the driver, or GPU code for a device. Something else is there, nothing is, or its version cannot be "
              "read, which does not count as met. The loader does not check such requirements and may still start the "
              "program. Install what is required, or change the requirement.",
              "用户声明了进程中必须有什么：某个版本的 CUDA、cuDNN、NCCL、glibc、框架或驱动，或适用于某种设备的 GPU "
              "代码。实际的版本不同、根本没有，或读不出版本（这也不算满足）。动态链接器不了解这些要求，"
              "程序可能照样启动。请安装所要求的版本，或修改要求。"}},
};

constexpr Sentence kCudaSentences[] = {
    {"pin-other-cuda",
     {"{package} requires {wheel}, and the process gets {library}{release} for another CUDA{cuda}: its calls can "
      "fail or crash",
      "{package} 要求 {wheel}，而进程得到的 {library}{release} 面向另一个 CUDA{cuda}：调用可能失败或崩溃"}},
    {"pin-older",
     {"{package} requires {wheel}, and the process gets an older {library}{release}{cuda}: what is new in between is "
      "missing",
      "{package} 要求 {wheel}，而进程得到的是较旧的 {library}{release}{cuda}：其间新增的内容都没有"}},
    {"of-other-cuda",
     {"{user} is built for CUDA {cuda} (it takes {sure}) and gets {library} of CUDA {other}: its calls can fail or "
      "crash",
      "{user} 为 CUDA {cuda} 构建（它使用 {sure}），得到的 {library} 却属于 CUDA {other}：调用可能失败或崩溃"}},
    {"made-for-cuda", {"{path} is made for CUDA {cuda}: {proof}", "{path} 面向 CUDA {cuda}：{proof}"}},
    {"pin-release", {" {version}", " {version}"}},
    {"pin-cuda", {" ({cuda})", "（{cuda}）"}},
    {"pin-file", {"it is {path}", "它是 {path}"}},
    {"pin-line", {"{path}, line {line}: {wheel}", "{path} 第 {line} 行：{wheel}"}},
    {"library-version", {"{path}: {version}{proof}", "{path}：{version}{proof}"}},
    {"library-without-version", {"{path}{proof}: version unknown", "{path}{proof}：版本未知"}},
    {"mixed-blas",
     {"libcublas {blas} runs with libcublasLt {light}: they call each other's private functions and have to be of one "
      "build",
      "libcublas {blas} 与 libcublasLt {light} 一起运行：它们互相调用内部函数，必须来自同一次构建"}},
    {"mixed-cudnn",
     {"parts of two releases of cuDNN are loaded together, {one} and {other}: cuDNN refuses that "
      "(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, or a missing symbol)",
      "cuDNN 的两个版本 {one} 和 {other} 混在一起：cuDNN 会拒绝（CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH，"
      "或缺少符号）"}},
    {"cudnn-in-two-directories",
     {"parts of cuDNN come from two directories; if these are of two releases, cuDNN refuses them "
      "(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH)",
      "cuDNN 的各部分来自两个目录；如果它们属于两个版本，cuDNN 会拒绝（CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH）"}},
    {"driver-missing",
     {"no driver is found: the CUDA runtime opens libcuda.so.1 by that name, nothing that it searches has it, "
      "and calls fail with error 35 (driver version is insufficient)",
      "找不到驱动：CUDA 运行时按名字打开 libcuda.so.1，而搜索的位置都没有它，调用会失败，错误 35（驱动版本不足）"}},
    {"module-loaded",
     {"the kernel module of driver {version} is loaded ({path}): in a container the driver's libraries have not been "
      "passed in",
      "驱动 {version} 的内核模块已加载（{path}）：在容器中这说明驱动的库没有传入"}},
    {"stub-driver",
     {"{path}, which the CUDA runtime gets for its driver, is a stub to link against: each call fails with error 34 "
      "(driver is a stub library)",
      "CUDA 运行时得到的驱动 {path} 是仅供链接的桩库：每次调用都会失败，错误 34（驱动是桩库）"}},
    {"driver-mismatch",
     {"the driver's library is of {library}, its loaded kernel module of {module}: calls fail with error 803 "
      "(unsupported display driver / cuda driver combination)",
      "驱动库是 {library}，而已加载的内核模块是 {module}：调用会失败，错误 803（显示驱动与 CUDA 驱动的组合不受支持）"}},
    {"forward-compatible",
     {"{path} is a forward-compatible driver library (cuda-compat){fit}",
      "{path} 是前向兼容的驱动库（cuda-compat）{fit}"}},
    {"compat-accepted",
     {": it is made for hosts of this branch; it works on data-center GPUs only, others give error 804",
      "：适用于该分支的主机；只在数据中心 GPU 上可用，其他 GPU 会报错误 804"}},
    {"compat-needless",
     {", but the host's driver {driver} supports as much: it is not needed, and on other than data-center GPUs it "
      "gives error 804",
      "，但主机驱动 {driver} 已经足够新：不需要它，而且在非数据中心 GPU 上会报错误 804"}},
    {"compat-refused",
     {" that does not accept the host's driver {driver}: calls fail with error 803",
      "，但不接受主机驱动 {driver}：调用会失败，错误 803"}},
    {"compat-unknown",
     {": it works above kernel modules that it lists, on data-center GPUs; others give error 803 or 804",
      "：只在它列出的内核模块之上、在数据中心 GPU 上可用；其他情况会报错误 803 或 804"}},
    {"accepts-branches",
     {"it accepts the branches {branches} (its note at file offset {offset})",
      "它接受的分支：{branches}（其注记位于文件偏移 {offset}）"}},
    {"module-says", {"{path} says {version}", "{path} 中写的是 {version}"}},
    {"driver-supports", {"{driver}; it supports CUDA {cuda} ({proof})", "{driver}；支持 CUDA {cuda}（{proof}）"}},
    {"driver-too-old",
     {"the runtime is of CUDA {cuda}, and the driver{driver} is too old for it: calls fail with error 35 (driver "
      "version is insufficient); it takes {needs}",
      "运行时属于 CUDA {cuda}，而驱动{driver}对它来说太旧：调用会失败，错误 35（驱动版本不足）；需要 {needs}"}},
    {"driver-of-cuda", {" supports CUDA {cuda}", "（支持 CUDA {cuda}）"}},
    {"driver-of-version", {", {version},", " {version} "}},
    {"the-rule", {"the rule: {source}", "规则：{source}"}},
    {"the-build", {"the build: {source}", "构建信息：{source}"}},
    {"framework-other-cuda",
     {"{framework} was built for CUDA {cuda}, and a runtime of CUDA {runtime} is in its process: another "
      "package, built for another CUDA, loads it",
      "{framework} 为 CUDA {cuda} 构建，而其进程中有 CUDA {runtime} 的运行时：它属于为另一个 CUDA 构建的东西"}},
    {"framework-older-cudnn",
     {"{framework} was compiled with cuDNN {cudnn} and gets {version}: it refuses one of an older minor version "
      "(cuDNN version incompatibility)",
      "{framework} 用 cuDNN {cudnn} 编译，得到的却是 {version}：它会拒绝次版本更旧的 cuDNN（cuDNN version "
      "incompatibility）"}},

    // Requirements: what is there instead.
    {"is-not-met", {"{requirement} is not met: {seen}", "不满足 {requirement}：{seen}"}},
    {"kind-runtime", {"CUDA runtime", "CUDA 运行时"}},
    {"kind-versions", {"{kind} {versions}", "{kind} {versions}"}},
    {"kind-version-untold", {"{kind}, version unknown", "{kind}，版本不明"}},
    {"none-in-process", {"no {kind} in the process", "进程中没有 {kind}"}},
    {"version-untold-of", {"{path}: version unknown", "{path}：版本不明"}},
    {"stub-for-driver", {"a stub in the place of the driver", "驱动的位置上是桩库"}},
    {"seen-driver", {"driver {version}", "驱动 {version}"}},
    {"driver-untold", {"a driver of unknown version", "有驱动，版本不明"}},
    {"no-driver", {"no driver", "没有驱动"}},
    {"no-code-for",
     {"{path}: no container of its GPU code has any for {capability} [{source}]",
      "{path}：它的 GPU 代码中没有适合 {capability} 的 [{source}]"}},
    {"no-gpu-code", {"no GPU code in the process", "进程中没有 GPU 代码"}},
    {"files-with-code", {"{count} {count|file|files} with GPU code", "{count} 个文件有 GPU 代码"}},
    {"files-each-with-code",
     {"{count} {count|file|files} with GPU code, each with some for it",
      "{count} 个文件有 GPU 代码，每个都有适合它的"}},
};

constexpr auto kCudaSentencesByName = places_by_name(kCudaSentences);

}  // namespace

std::span<const ProblemRow> cuda_problems() { return kCudaProblems; }

SentenceTable cuda_problem_sentences() { return {kCudaSentences, kCudaSentencesByName}; }

}  // namespace soresolve
