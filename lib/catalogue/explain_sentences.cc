// The frame of `explain`: heads and what stands around the answers. What each message means is in its own row, in
// catalogue_*.cc.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kExplainSentences[] = {
    {"head-from", {"from", "来源"}},
    {"head-cause", {"cause", "原因"}},
    {"head-proof", {"proof", "依据"}},
    {"head-next", {"next", "处理"}},
    {"head-package", {"package", "软件包"}},
    {"as-above", {"as above", "同上"}},
    {"seen-times", {" {count} times, last in line {line}", " 共 {count} 次，最后一次在第 {line} 行"}},
    {"here", {"Here: ", "本机情况："}},
    {"nothing-wrong-any-more",
     {"Nothing wrong is found any more: the message came from other files, another environment, or has been fixed "
      "since.",
      "现在没有发现问题：这条消息来自别的文件、别的环境，或者之后已经修复。"}},
    {"needer-unknown",
     {"The message does not name the file that needs {library}, so the search is shown as for a program without "
      "search paths of its own. The loader shows which file needs it:",
      "这条消息没有写出是哪个文件需要 {library}，因此下面按没有自带搜索路径的程序来展示搜索过程。"
      "想知道是谁需要它，可以让动态链接器说出来："}},
    {"then-why-file", {"Then: soresolve why FILE {typed}", "然后：soresolve why 文件 {typed}"}},
    {"head-log", {"log", "日志"}},
    {"head-predicted", {"here", "本机"}},
    {"log-shows",
     {"{searches} {searches|library|libraries} searched in {attempts} {attempts|attempt|attempts}, {found} found; "
      "{versions} {versions|version|versions} checked, {bindings} {bindings|symbol|symbols} bound",
      "搜索了 {searches} 个库，共尝试 {attempts} 次，找到 {found} 个；"
      "检查了 {versions} 个版本，绑定了 {bindings} 个符号"}},
    {"log-lost", {"not found: {libraries}", "没有找到：{libraries}"}},
    {"log-same",
     {"as predicted: {libraries} {libraries|library|libraries} from the same files, "
      "{bindings} {bindings|symbol|symbols} "
      "bound to the same libraries",
      "与预测一致：{libraries} 个库来自相同的文件，{bindings} 个符号绑定到相同的库"}},
    {"log-differs", {"first difference: {difference}", "第一处不同：{difference}"}},
    {"log-other-file",
     {"{library} is {logged} in the log, and would be {predicted} here",
      "{library} 在日志里是 {logged}，在这里会是 {predicted}"}},
    {"log-found-here-only",
     {"{library} is not found in the log, and would be {predicted} here",
      "{library} 在日志里没有找到，在这里会是 {predicted}"}},
    {"log-found-there-only",
     {"{library} is {logged} in the log, and would not be found here",
      "{library} 在日志里是 {logged}，在这里会找不到"}},
    {"log-other-provider",
     {"{symbol} of {referrer} is bound to {logged} in the log, and would be bound to {predicted} here",
      "{referrer} 的 {symbol} 在日志里绑定到 {logged}，在这里会绑定到 {predicted}"}},
    {"log-later",
     {"{count} {count|library|libraries} more, which the start does not request: opened later, with dlopen",
      "另有 {count} 个库不是启动时请求的：之后由 dlopen 打开"}},
    {"log-no-program",
     {"its program {program} is not here, so nothing is compared", "这里没有它的程序 {program}，因此无从比较"}},
    {"nothing-known",
     {"Nothing in this text is a message that soresolve knows. It knows those of the dynamic linker (ld.so), and of "
      "Python, PyTorch, TensorFlow, onnxruntime, CUDA, cuDNN and NCCL about libraries and devices that do not fit; "
      "and it does not guess. Give the whole output, with standard error (PROGRAM 2>&1 | soresolve explain), or ask "
      "about the file itself: soresolve check FILE, soresolve why FILE.",
      "这段文字里没有 soresolve 认识的消息。它认识动态链接器（ld.so）以及 "
      "Python、PyTorch、TensorFlow、onnxruntime、CUDA、cuDNN、NCCL "
      "关于共享库和设备不匹配的消息，不认识的不会乱猜。请提供包括标准错误在内的完整输出（程序 2>&1 | soresolve "
      "explain），或直接检查文件：soresolve check 文件、soresolve why 文件。"}},
};
constexpr auto kExplainSentencesByName = places_by_name(kExplainSentences);

}  // namespace

SentenceTable explain_sentences() { return {kExplainSentences, kExplainSentencesByName}; }

}  // namespace soresolve
