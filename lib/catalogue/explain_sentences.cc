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
    {"then-why-file", {"Then: soresolve why FILE {library}", "然后：soresolve why 文件 {library}"}},
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
