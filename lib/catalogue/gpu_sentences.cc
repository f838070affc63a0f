// The report of `gpu`: what code is in a file, how it runs on a device, and by what the release of a CUDA library is
// known.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kGpuSentences[] = {
    // What is in the file.
    {"gpu-none", {"no GPU code", "没有 GPU 代码"}},
    {"gpu-pieces",
     {"{pieces} piece{pieces||s} of GPU code in {containers} container{containers||s}",
      "{containers} 个容器中有 {pieces} 段 GPU 代码"}},
    {"column-kind", {"kind", "类型"}},
    {"column-target", {"target", "目标"}},
    {"column-pieces", {"pieces", "段数"}},
    {"column-containers", {"containers", "容器数"}},
    {"column-stored", {"stored", "文件中"}},
    {"column-unpacked", {"unpacked", "解压后"}},
    {"gpu-native", {"native", "本机码"}},
    {"gpu-kind", {"kind {number}", "类型 {number}"}},
    {"no-target", {"nothing", "无"}},
    {"containers-differ",
     {"a kernel is in one container, and containers differ:", "一个内核只在一个容器里，而各容器内容不同："}},
    {"containers-with", {" with {targets}", " 个含有 {targets}"}},
    {"containers-without", {" without code for it, with {targets}", " 个没有适用的代码，含有 {targets}"}},
    {"and-more-choices", {"and {count} more choices (-v)", "另外还有 {count} 种（-v 列出）"}},
    {"damaged", {"damaged", "损坏"}},
    {"damaged-in-brackets", {" (damaged)", "（损坏）"}},
    {"and-more-damages", {"and {count} more damaged places", "另外还有 {count} 处损坏"}},

    // What the pieces themselves say.
    {"inside-agreeing",
     {"inside: {count} piece{count||s} sizes match their headers", "内部：{count} 段的大小与头部一致"}},
    {"inside-differing", {"{count} differ from their headers", "{count} 段与头部不符"}},
    {"inside-damaged", {"{count} damaged", "{count} 段损坏"}},
    {"inside-not-unpacked", {"{count} that could not be unpacked here", "{count} 段无法在这里解压"}},
    {"inside-not-judged", {"{count} of kinds that say nothing", "{count} 段的类型不说明大小"}},

    // On a device.
    {"device-and-capability", {"{device} ({capability})", "{device}（{capability}）"}},
    {"cannot-run-on", {"cannot run on {device}", "无法运行于 {device}"}},
    {"no-container-has-code",
     {": no container has code for it (error 209, no kernel image is available for execution on the device)",
      "：没有容器含有适用的代码（错误 209，no kernel image is available for execution on the device）"}},
    {"runs-natively-on", {"runs natively on {device}", "可直接运行于 {device}"}},
    {"runs-compiled-on", {"runs once compiled on {device}", "编译后可运行于 {device}"}},
    {"runs-linked-on", {"runs once linked on {device}", "链接后可运行于 {device}"}},
    {"containers-native", {"{count} container{count||s} natively", "{count} 个容器直接运行"}},
    {"containers-as-ptx",
     {"{count} container{count||s} as PTX, which the driver compiles", "{count} 个容器为 PTX，由驱动编译"}},
    {"ptx-needs-driver",
     {" (PTX {ptx}: a driver of CUDA {cuda} or newer)", "（PTX {ptx}：需要 CUDA {cuda} 或更新的驱动）"}},
    {"containers-as-lto",
     {"{count} container{count||s} as LTO-IR, which nvJitLink links first",
      "{count} 个容器为 LTO-IR，先由 nvJitLink 链接"}},
    {"containers-not-at-all", {"{count} container{count||s} not at all", "{count} 个容器完全不能运行"}},

    // A CUDA library, and by what its release is known.
    {"release-unknown", {", version unknown", "，版本不明"}},
    {"release-of-cuda", {" of CUDA {version}", "，属于 CUDA {version}"}},
    {"cuda-told-by", {"CUDA {version}: {proof}", "CUDA {version}：{proof}"}},
    {"told-by-code",
     {"its code answers {number} when asked for its version (at file offset {offset})",
      "它的代码被问及版本时返回 {number}（文件偏移 {offset}）"}},
    {"told-by-carried-runtime",
     {"the CUDA runtime inside it answers {number} when asked for its version (at file offset {offset})",
      "其中的 CUDA 运行时被问及版本时返回 {number}（文件偏移 {offset}）"}},
    {"told-by-need", {"it needs {name}", "它需要 {name}"}},
    {"told-by-folder", {"it lies in {path}", "它位于 {path}"}},
    {"told-by-data",
     {"its {symbol} holds {version} (at file offset {offset})", "它的 {symbol} 的值是 {version}（文件偏移 {offset}）"}},
    {"told-by-text", {"it has the text '{text}' at file offset {offset}", "它含有文本“{text}”，文件偏移 {offset}"}},
    {"told-by-name", {"the file is named {name}", "文件名是 {name}"}},
    {"told-by-soname", {"its SONAME is {soname}", "它的 SONAME 是 {soname}"}},
    {"told-by-wheel", {"{metadata} lists it", "{metadata} 列出了它"}},
    {"told-by-wheel-with-size", {"{metadata} lists it, with its size", "{metadata} 列出了它，大小也相符"}},
    {"told-by-sibling", {"{name} beside it: {proof}", "同目录的 {name}：{proof}"}},
    {"told-otherwise", {"{first}, but {second}", "{first}，但{second}"}},
    {"supports-cuda", {"it supports CUDA {version}: {proof}", "它支持 CUDA {version}：{proof}"}},
    {"branch-knows-cuda",
     {"drivers of the branch {branch} know it [{source}]", "{branch} 分支的驱动支持它 [{source}]"}},

    // A stub of the driver.
    {"stub-in-its-directory", {"it lies in a directory of stubs", "它位于存放桩库的目录中"}},
    {"stub-by-link", {"it leads to {path}", "它指向 {path}"}},
    {"stub-needs-nothing",
     {"it needs no other library, not even libc, which the driver's own {soname} does",
      "它不需要任何其他库，连 libc 也不需要，而驱动自带的 {soname} 需要 libc"}},
};
constexpr auto kGpuSentencesByName = places_by_name(kGpuSentences);

}  // namespace

SentenceTable gpu_sentences() { return {kGpuSentences, kGpuSentencesByName}; }

}  // namespace soresolve
