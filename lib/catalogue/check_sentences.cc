// The report of `check` around the loader's own lines: heads, what is lost and who needs it, counts, what is worth
// knowing. A head is at most 12 columns wide.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kCheckSentences[] = {
    // Heads.
    {"head-loader", {"loader", "加载器"}},
    {"head-before", {"before", "之前"}},
    {"head-loaded", {"loaded", "已加载"}},
    {"head-warns", {"warns", "加载器警告"}},
    {"head-then", {"then", "随后"}},
    {"head-missing", {"missing", "缺少"}},
    {"head-refused", {"refused", "被拒绝"}},
    {"head-crash", {"crash", "崩溃"}},
    {"head-blocks", {"blocks", "阻塞"}},
    {"head-assertion", {"assertion", "断言失败"}},
    {"head-version", {"version", "版本"}},
    {"head-cpu", {"cpu", "处理器"}},
    {"head-undefined", {"undefined", "未定义"}},
    {"head-lazy", {"lazy", "延迟绑定"}},
    {"head-objects", {"objects", "文件"}},
    {"head-versions", {"versions", "版本"}},
    {"head-symbols", {"symbols", "符号"}},
    {"head-later", {"later", "之后打开"}},
    {"head-mind", {"note", "注意"}},
    {"head-warning", {"warning", "警告"}},
    {"head-met", {"met", "满足"}},
    {"head-not-met", {"not met", "不满足"}},

    // The first line.
    {"would-crash-line", {"{file}: the loader would crash: {reason}", "{file}：动态链接器会崩溃：{reason}"}},
    {"would-wait-line", {"{file}: the loader would wait for ever: {reason}", "{file}：动态链接器会永远等待：{reason}"}},
    {"not-met-list", {"not met: {requirements}", "不满足：{requirements}"}},
    {"lost-later", {"{library}, which {opener} opens by itself, is not found", "找不到 {opener} 自己打开的 {library}"}},
    {"fails-later",
     {"{library}, which {opener} opens by itself, cannot be loaded: {reason}",
      "{opener} 自己打开的 {library} 不能加载：{reason}"}},
    {"but-behind", {"; but {text}", "；但是{text}"}},

    // What comes before it.
    {"start-opens-nothing",
     {"this is the start of the program; it opens nothing any more", "这是程序的启动；它不再打开任何东西"}},
    {"said-to-be-loaded",
     {"this is {library}, which the process is said to have loaded before",
      "这是 {library}，按给定条件进程之前已加载它"}},
    {"in-process-already", {"it is in the process before: {path}", "进程中之前就有它：{path}"}},

    // Libraries and versions.
    {"names-and-more-v", {"{names} and {count} more (-v)", "{names} 等另外 {count} 个（-v 列出）"}},
    {"versions-of-nobody",
     {"versions are required from {library}, but nothing in the process goes by that name",
      "要求 {library} 提供版本，但进程中没有这个名字的库"}},
    {"where-it-looks",
     {"where ld.so looks, and what is there: soresolve why {file}",
      "ld.so 在哪里找、那里有什么：soresolve why {file}"}},
    {"is-required-from", {" is required from {provider} by {needer}", " 由 {needer} 要求 {provider} 提供"}},
    {"vernaux-at", {" (vernaux entry at file offset {offset})", "（vernaux 条目位于文件偏移 {offset}）"}},
    {"defines-no-version", {"that file defines no version at all", "该文件没有定义任何版本"}},
    {"defines-versions", {"that file defines {versions}", "该文件定义了 {versions}"}},
    {"defines-nearest",
     {"that file defines {count} {count|version|versions}, the nearest: {versions}",
      "该文件定义了 {count} 个版本，最接近的是：{versions}"}},
    {"needs-level", {"{object} needs {level}", "{object} 需要 {level}"}},
    {"processor-has", {", the processor has {level}", "，处理器只有 {level}"}},

    // Symbols that nothing defines.
    {"undefined-of-missing",
     {"{count} {count|symbol|symbols} that {referrer} requires from {file}, which is missing",
      "{referrer} 要求 {file} 提供的 {count} 个符号，而它缺失"}},
    {"undefined-required",
     {"{count} {count|symbol|symbols} that {referrer} requires from {file}",
      "{referrer} 要求 {file} 提供的 {count} 个符号"}},
    {"is-from-before", {" (in the process before)", "（进程中之前就有）"}},
    {"does-not-define-them", {", which does not define {count|it|them}:", "，其中没有定义{count|它|它们}："}},
    {"has-version-not-symbols",
     {", which has the version, but not {count|the symbol|the symbols}:",
      "，它有这个版本，但没有{count|该|这些}符号："}},
    {"missing-may-define",
     {"{count} {count|symbol|symbols} that {referrer} refers to; what is missing may define {count|it|them}:",
      "{referrer} 引用的 {count} 个符号；可能由缺少的库定义："}},
    {"opened-local",
     {"{count} {count|symbol|symbols} that {referrer} refers to; what defines {count|it|them} was opened with "
      "RTLD_LOCAL, for itself only:",
      "{referrer} 引用的 {count} 个符号；定义{count|它|它们}的库以 RTLD_LOCAL 打开，只供自己使用："}},
    {"taken-for-opened-local",
     {"{count} {count|symbol|symbols} that {referrer} refers to; what defines {count|it|them} is assumed to be opened "
      "with "
      "RTLD_LOCAL, for itself only:",
      "{referrer} 引用的 {count} 个符号；定义{count|它|它们}的库按以 RTLD_LOCAL 打开处理，只供自己使用："}},
    {"defined-by-nothing",
     {"{count} {count|symbol|symbols} that {referrer} refers to and nothing in the process defines:",
      "{referrer} 引用的 {count} 个符号，进程中没有任何库定义："}},
    {"defined-by-process",
     {"{count} {count|symbol|symbols} that {referrer} leaves to what loads it, or refers to in vain (--exe PROGRAM: "
      "who loads it):",
      "{referrer} 的 {count} 个符号留给加载它的一方，否则就是引用落空（--exe 程序：指定由谁加载）："}},
    {"lazy-fatal-at-call", {"  lazy: fatal only when it is called", "  延迟绑定：调用时才致命"}},
    {"object-has-it", {"{object} has it{versions}{verdict}", "{object} 有它{versions}{verdict}"}},
    {"list-comma", {", ", "、"}},
    {"namesake-comma", {",", "，"}},
    {"namesake-and", {" and", "和"}},
    {"namesake-unversioned", {" without a version", "（没有版本）"}},
    {"namesake-version", {" in version {version}", "（版本 {version}）"}},
    {"namesake-hidden", {" (not the default one)", "（不是默认版本）"}},
    {"does-not-serve", {", which does not provide", "，不合要求"}},
    {"reference-is-ambiguous", {": the reference does not say which", "：引用没有说明要哪一个"}},
    {"hidden-from-others", {", but hidden from others", "，但对外隐藏"}},
    {"as-local-symbol", {", but as a local symbol", "，但是局部符号"}},
    {"object-defines-it", {"{object} defines it", "{object} 定义了它"}},
    {"next-shows-once-fixed",
     {"(ld.so reports the first only; the next one shows once that is fixed)",
      "（ld.so 只报告第一个；修好之后才会出现下一个）"}},

    // Lazy binding.
    {"loads-lazily", {"it is opened with RTLD_LAZY, so it loads", "它以 RTLD_LAZY 打开，因此能加载"}},
    {"each-ends-process",
     {"; each of these ends the process once it is called", "；但其中任何一个被调用时进程就会终止"}},
    {"would-load-lazily", {"with RTLD_LAZY it loads", "用 RTLD_LAZY 能加载"}},
    {"each-ends-process-python",
     {"; each of these ends the process once it is called (Python opens with RTLD_NOW)",
      "；但其中任何一个被调用时进程就会终止（Python 以 RTLD_NOW 打开）"}},
    {"nothing-is-lazy", {"nothing is: LD_BIND_NOW is set in this environment", "没有：该环境设置了 LD_BIND_NOW"}},
    {"starts-without-bind-now", {"without LD_BIND_NOW it starts", "不设 LD_BIND_NOW 时能启动"}},
    {"each-ends-it", {"; each of these ends it once it is called", "；但其中任何一个被调用时就会终止"}},
    {"ends-all-the-same", {"without LD_BIND_NOW it still ends, with", "不设 LD_BIND_NOW 也会终止，打印"}},
    {"same-by-z-now",
     {"the same without LD_BIND_NOW: {object} is linked with -z now",
      "不设 LD_BIND_NOW 也一样：{object} 以 -z now 链接"}},
    {"same-by-no-plt",
     {"the same without LD_BIND_NOW: this reference is no call through a PLT, so it is bound at the start",
      "不设 LD_BIND_NOW 也一样：该引用不是经过 PLT 的调用，启动时就要绑定"}},

    // Counts.
    {"files-all-found", {"{count} {count|file|files}, all found", "{count} 个，全部找到"}},
    {"none-required", {"none required", "没有要求"}},
    {"versions-all-met",
     {"{count} {count|requirement|requirements} looked at, all met", "检查了 {count} 项要求，全部满足"}},
    {"versions-with-warning",
     {"{count} {count|requirement|requirements} looked at, {warnings} with a warning",
      "检查了 {count} 项要求，其中 {warnings} 项有警告"}},
    {"references-bound", {"{count} {count|reference|references} bound{weak}", "绑定了 {count} 个引用{weak}"}},
    {"weak-unbound",
     {"; {count} {count|weak one|weak ones} found nowhere, which is no error",
      "；{count} 个弱引用没有找到定义，这不是错误"}},
    {"lazy-if-opened",
     {"{count} of them wait for the first call, if it is opened with RTLD_LAZY",
      "其中 {count} 个等到第一次调用，如果以 RTLD_LAZY 打开"}},
    {"lazy-were-it-not-set",
     {"{count} of them would wait for the first call, were LD_BIND_NOW not set",
      "其中 {count} 个本来等到第一次调用，但设置了 LD_BIND_NOW"}},
    {"lazy-unless-set",
     {"{count} of them wait for the first call, unless LD_BIND_NOW is set",
      "其中 {count} 个等到第一次调用，除非设置了 LD_BIND_NOW"}},

    // What is opened later.
    {"later-all",
     {"{count} {count|library is|libraries are} opened with dlopen, all in order",
      "以 dlopen 打开 {count} 个库，全部正常"}},
    {"later-none",
     {"{count} {count|library is|libraries are} opened with dlopen, none in order",
      "以 dlopen 打开 {count} 个库，都不正常"}},
    {"later-some",
     {"{count} {count|library is|libraries are} opened with dlopen, {good} in order",
      "以 dlopen 打开 {count} 个库，{good} 个正常"}},
    {"opens-by", {"{opener} opens ({evidence}, by {source}):", "{opener} 打开（{evidence}，依据：{source}）："}},
    {"one-not-found", {"{library} is not found", "找不到 {library}"}},
    {"one-lazy-only",
     {"{library} loads with RTLD_LAZY only, and then ends at a call: {reason}",
      "{library} 只能以 RTLD_LAZY 加载，之后在某次调用时终止：{reason}"}},
    {"one-cannot-load", {"{library} cannot be loaded: {reason}", "{library} 不能加载：{reason}"}},
    {"comma-text", {", {text}", "，{text}"}},

    // What else counts.
    {"judged-alone",
     {"this is a library judged on its own, as by `ld.so FILE`: the process that opens it may define what",
      "这里是单独判断一个库，相当于 `ld.so 文件`：没有指定版本的符号，"}},
    {"judged-alone-more",
     {"is required without a version (Python does so for its extension modules)",
      "打开它的进程可能会定义（Python 对扩展模块就是如此）"}},
    {"asks-exec-stack", {"{object} requires an executable stack{sign}{end}", "{object} 要求可执行栈{sign}{end}"}},
    {"has-no-gnu-stack", {"it has no PT_GNU_STACK", "它没有 PT_GNU_STACK"}},
    {"exec-stack-given", {": the process gets one", "：进程会得到它"}},
    {"exec-stack-by-dlopen",
     {": dlopen gives it one; from glibc 2.41 on it refuses", "：dlopen 会给它；从 glibc 2.41 起则会拒绝"}},
    {"exec-stack-not-given",
     {": since glibc 2.41 dlopen refuses it with \"cannot enable executable stack as shared object requires\"",
      "：从 glibc 2.41 起 dlopen 会拒绝并报 “cannot enable executable stack as shared object requires”"}},
    {"wants-static-tls",
     {"{object} wants static TLS (DF_STATIC_TLS): a dlopen fails with \"cannot allocate memory in static TLS block\" "
      "once the spare room is used up",
      "{object} 需要静态 TLS（DF_STATIC_TLS）：预留空间用完后，dlopen 会失败并报 “cannot allocate memory in static "
      "TLS block”"}},
};

constexpr auto kCheckSentencesByName = places_by_name(kCheckSentences);

}  // namespace

SentenceTable check_sentences() { return {kCheckSentences, kCheckSentencesByName}; }

}  // namespace soresolve
