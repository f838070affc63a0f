// What a host's driver brings into a container, and what was assumed of that host.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kDriverSentences[] = {
    {"driver-from-files",
     {"assumed: a host with driver {version} ({place}); {mode}{rules} supplies {count} "
      "{count|library|libraries} of it",
      "假定：主机装有驱动 {version}（{place}）；{mode}{rules}传入其中 {count} {count|个|个}库"}},
    {"driver-from-rows",
     {"likely: a host with driver {version}, known only from the built-in table; {mode}{rules} supplies "
      "{count} {count|library|libraries} of it; only libcuda's functions are known",
      "可能：主机装有驱动 {version}，只有内置数据可依据；{mode}{rules}传入其中 {count} "
      "{count|个|个}库，其函数只知道 libcuda 的"}},
    {"driver-rules-of", {" (rules of {release})", "（{release} 的规则）"}},
    {"driver-by-toolkit", {"nvidia-container-toolkit", "nvidia-container-toolkit"}},
    {"driver-by-cdi", {"nvidia-container-toolkit by CDI", "nvidia-container-toolkit（CDI 方式）"}},
    {"driver-by-apptainer", {"apptainer --nv", "apptainer --nv"}},
    {"driver-no-ldconfig",
     {"no loader of glibc for x86-64 or AArch64 is here: ldconfig is not simulated",
      "这里没有 x86-64 或 AArch64 的 glibc 动态链接器：不模拟 ldconfig"}},
    {"driver-module-assumed",
     {"assumed: the host's kernel module is of {version}, too, and it has a GPU",
      "假定：主机的内核模块也是 {version}，并且有 GPU"}},
    {"depends-on-driver-symbols",
     {"depends on functions of driver {version} that the built-in table does not list: {symbols}",
      "取决于驱动 {version} 中内置数据没有记录的函数：{symbols}"}},

    {"left-to-driver-rows",
     {"{referrer} refers to {symbols}: the built-in table does not say whether driver {version} has that",
      "{referrer} 引用了 {symbols}：内置数据没有记录驱动 {version} 是否提供"}},

    {"defined-by-driver-rows",
     {"{count} {count|symbol|symbols} that {referrer} refers to and driver {version} may or may not have:",
      "{referrer} 引用的 {count} 个符号，驱动 {version} 可能有，也可能没有："}},

    // cuda-compat of the image.
    {"compat-newer",
     {"the image's cuda-compat ({compat}) comes before the host's driver {driver}: it is newer, and data-center GPUs "
      "accept it, others give error 804 [{source}]",
      "镜像的 cuda-compat（{compat}）优先于主机驱动 {driver}：它更新；数据中心 GPU 可用，其他 GPU 会报错误 804 "
      "[{source}]"}},
    {"compat-not-newer",
     {"the host's driver {driver} comes before the image's cuda-compat ({compat}): that is no newer by major version "
      "[{source}]",
      "主机驱动 {driver} 优先于镜像的 cuda-compat（{compat}）：后者的主版本号并不更大 [{source}]"}},
    {"compat-without-rule",
     {"the image's cuda-compat ({compat}) is not used; the host's driver {driver} is, unless LD_LIBRARY_PATH "
      "or ld.so.conf names its directory [{source}]",
      "镜像的 cuda-compat（{compat}）不启用，以主机驱动 {driver} 为准，除非 LD_LIBRARY_PATH 或 ld.so.conf "
      "中有它的目录 [{source}]"}},
    {"compat-several",
     {"the image's cuda-compat ({compat}) is not used; the host's driver {driver} is: its directory does not "
      "have exactly one libcuda.so.X.Y [{source}]",
      "镜像的 cuda-compat（{compat}）不启用，以主机驱动 {driver} 为准：它的目录中 libcuda.so.X.Y 不是恰好一个 "
      "[{source}]"}},
    {"compat-without-cache",
     {"the image's cuda-compat ({compat}) is not used; the host's driver {driver} is: the image has no "
      "ld.so.cache [{source}]",
      "镜像的 cuda-compat（{compat}）不启用，以主机驱动 {driver} 为准：镜像没有 ld.so.cache [{source}]"}},
    {"compat-not-listed",
     {"the image's cuda-compat ({compat}) is not used; the host's driver {driver} is: its note does not list "
      "that branch [{source}]",
      "镜像的 cuda-compat（{compat}）不启用，以主机驱动 {driver} 为准：它的注记没有列出该分支 [{source}]"}},

    // Problems.
    {"driver-needs-glibc",
     {"{library}, which {mode} supplies from the host, needs {version}, and the image has glibc {glibc}: every "
      "program that loads it fails",
      "{mode} 从主机传入的 {library} 需要 {version}，而镜像的 glibc 是 {glibc}：加载它会失败"}},
    {"driver-library-needs",
     {"{path} needs {version}; on the host it is {source}", "{path} 需要 {version}；在主机上它是 {source}"}},
    {"driver-and-more", {"and {count} {count|other|others}", "另有 {count} {count|个|个}"}},
    {"driver-withheld",
     {"{library} is on the host, but stays outside of the container: it takes the capability {capability}, and "
      "NVIDIA_DRIVER_CAPABILITIES has {capabilities} only; start it with -e NVIDIA_DRIVER_CAPABILITIES={wants}",
      "主机上有 {library}，但没有传入容器：它需要 {capability} 能力，而 NVIDIA_DRIVER_CAPABILITIES 只有 "
      "{capabilities}；请用 -e NVIDIA_DRIVER_CAPABILITIES={wants} 启动容器"}},
    {"driver-never-passed",
     {"{library} is on the host, but {mode} does not pass it in", "主机上有 {library}，但 {mode} 不会把它传入"}},
    {"driver-own-wins",
     {"{path} of the image comes before the libcuda of the host's driver {driver}: calls fail with error 803 unless "
      "both are of one release",
      "镜像中的 {path} 优先于主机驱动 {driver} 的 libcuda：除非两者版本相同，否则调用会返回错误 803"}},
    {"driver-own-where",
     {"{path} is of driver {version}: the image was built with a driver in it; remove its packages from the image",
      "{path} 属于驱动 {version}：构建镜像时装入了驱动；请从镜像中去掉这些软件包"}},
    {"driver-own-copied",
     {"{path} is a file, version unknown: somebody copied a libcuda into the image, and ldconfig leaves it; remove it",
      "{path} 是普通文件，版本不明：有人把 libcuda 复制进了镜像，ldconfig 不会动它；请删除它"}},
    {"driver-own-aside",
     {"{path} is a libcuda of the image's own; that of the host's driver {driver} comes before it",
      "{path} 是镜像自带的 libcuda；主机驱动 {driver} 的 libcuda 优先"}},
    {"driver-foreign",
     {"{path} is of no driver, but lies where hosts mount theirs: where that is done it is hidden",
      "{path} 不属于驱动，却位于主机挂载驱动的位置：一旦挂载，它就会被遮住"}},
    {"without-utility",
     {"NVIDIA_DRIVER_CAPABILITIES={value} leaves utility out: libnvidia-ml.so.1 and nvidia-smi are not passed "
      "into the container, and what uses NVML (vLLM, nvitop) sees no GPU",
      "NVIDIA_DRIVER_CAPABILITIES={value} 没有 utility：libnvidia-ml.so.1 和 nvidia-smi 不会传入容器，依赖 NVML "
      "的程序（vLLM、nvitop）看不到 GPU"}},
    {"cache-rebuilt",
     {"{cache}: {count} entries; ldconfig runs as the container starts",
      "{cache}：{count} 个条目；容器启动时会运行 ldconfig"}},
};

constexpr auto kDriverSentencesByName = places_by_name(kDriverSentences);

}  // namespace

SentenceTable driver_sentences() { return {kDriverSentences, kDriverSentencesByName}; }

}  // namespace soresolve
