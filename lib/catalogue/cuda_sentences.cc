// What CUDA asks of a process and is not so. The error numbers are those of cuda.h and driver_types.h; each is
// provoked in test/confirm or was seen on real libraries (see lib/cuda/contracts.json).
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kCudaSentences[] = {
    {"library-version", {"{path}: {version}{proof}", "{path}：{version}{proof}"}},
    {"library-without-version", {"{path}{proof}: version unknown", "{path}{proof}：版本未知"}},
    {"mixed-blas",
     {"libcublas {blas} runs with libcublasLt {light}: they call each other's private functions and have to be of one "
      "build",
      "libcublas {blas} 与 libcublasLt {light} 一起运行：它们互相调用内部函数，必须来自同一次构建"}},
    {"mixed-cudnn",
     {"parts of two releases of cuDNN come together, {one} and {other}: cuDNN refuses that "
      "(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, or a missing symbol)",
      "cuDNN 的两个版本 {one} 和 {other} 混在一起：cuDNN 会拒绝（CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH，或缺少"
      "符号）"}},
    {"cudnn-in-two-directories",
     {"parts of cuDNN come from two directories; if these are of two releases, cuDNN refuses them "
      "(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH)",
      "cuDNN 的各部分来自两个目录；如果它们属于两个版本，cuDNN 会拒绝（CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH）"}},
    {"driver-missing",
     {"no driver is in reach: the CUDA runtime opens libcuda.so.1 by that name, nothing that it searches has it, and "
      "calls fail with error 35 (driver version is insufficient)",
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
     {", but the host's driver {driver} supports as much: it is not needed, and on other than "
      "data-center GPUs it gives error 804",
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
     {"{framework} was built for CUDA {cuda}, and a runtime of CUDA {runtime} is in its process: it belongs to "
      "something that was built for another CUDA",
      "{framework} 为 CUDA {cuda} 构建，而其进程中有 CUDA {runtime} 的运行时：它属于为另一个 CUDA 构建的东西"}},
    {"framework-older-cudnn",
     {"{framework} was compiled with cuDNN {cudnn} and gets {version}: it refuses one of an older minor version "
      "(cuDNN version incompatibility)",
      "{framework} 用 cuDNN {cudnn} 编译，得到的却是 {version}：它会拒绝次版本更旧的 cuDNN（cuDNN version "
      "incompatibility）"}},
};

constexpr auto kCudaSentencesByName = places_by_name(kCudaSentences);

}  // namespace

SentenceTable cuda_sentences() { return {kCudaSentences, kCudaSentencesByName}; }

}  // namespace soresolve
