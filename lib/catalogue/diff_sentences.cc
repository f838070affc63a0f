// What `diff` says of two roots: the first step that differs, what follows from it, and what would make B answer as A.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kDiffSentences[] = {
    // The verdict, with the first cause.
    {"diff-same-file", {"{file}: the same in A and B", "{file}：A 与 B 相同"}},
    {"diff-same-fails",
     {"{file}: the same in A and B, and fails in both: {prints}", "{file}：A 与 B 相同，两边都失败：{prints}"}},
    {"diff-works-fails", {"{file} works in A and fails in B: {what}", "{file} 在 A 中正常，在 B 中失败：{what}"}},
    {"diff-fails-works", {"{file} fails in A and works in B: {what}", "{file} 在 A 中失败，在 B 中正常：{what}"}},
    {"diff-fails-both", {"{file} fails in both, differently: {what}", "{file} 在两边都失败，但方式不同：{what}"}},
    {"diff-works-both", {"{file} works in both, differently: {what}", "{file} 在两边都正常，但有差异：{what}"}},
    {"diff-verdict-only",
     {"its files are found alike; versions or symbols differ", "找到的文件相同，但版本或符号不同"}},

    // What it comes to.
    {"diff-so-went",
     {"so {name} is found in {directory} in A and nowhere in B", "因此 {name} 在 A 中位于 {directory}，在 B 中找不到"}},
    {"diff-so-came",
     {"so {name} is found in {directory} in B and nowhere in A", "因此 {name} 在 B 中位于 {directory}，在 A 中找不到"}},
    {"diff-so-other-file", {"so {name} is {a} in A and {b} in B", "因此 {name} 在 A 中是 {a}，在 B 中是 {b}"}},
    {"diff-so-other-content", {"so {name} is another file in B: {path}", "因此 {name} 在 B 中是另一个文件：{path}"}},
    {"diff-so-only-a", {"so {needer} requires {name} in A only", "因此只有 A 中的 {needer} 需要 {name}"}},
    {"diff-so-only-b", {"so {needer} requires {name} in B only", "因此只有 B 中的 {needer} 需要 {name}"}},
    {"diff-so-missing", {"so it comes into no process in {side}", "因此它在 {side} 中无法启动"}},

    // Causes.
    {"diff-not-set", {"{name} is not set in {side}", "{side} 中没有设置 {name}"}},
    {"diff-no-element", {"{name} of {side} does not have {entry}", "{side} 的 {name} 中没有 {entry}"}},
    {"diff-order",
     {"{list} of {side} has {before} before {entry}: another order",
      "{side} 的 {list} 中 {before} 在 {entry} 之前：顺序不同"}},
    {"diff-secure", {"LD_LIBRARY_PATH is ignored in {side} (AT_SECURE)", "{side} 中忽略 LD_LIBRARY_PATH（AT_SECURE）"}},
    {"diff-no-tag", {"{file} has no {tag} with {entry} in {side}", "{side} 中的 {file} 没有带 {entry} 的 {tag}"}},
    {"diff-tag-without", {"{tag} of {file} does not have {entry} in {side}", "{side} 中 {file} 的 {tag} 没有 {entry}"}},
    {"diff-tag-order", {"{tag} of {file} has the same entries in another order", "{file} 的 {tag} 条目相同但顺序不同"}},
    {"diff-tag-kind", {"{file} has {a} in A and {b} in B", "{file} 在 A 中有 {a}，在 B 中有 {b}"}},
    {"diff-other-tag", {"{tag} of {file} differs", "{file} 的 {tag} 不同"}},
    {"diff-runpath-hides",
     {"{file} has a RUNPATH in {side}, so its RPATH is not searched",
      "{side} 中的 {file} 有 RUNPATH，因此不搜索它的 RPATH"}},
    {"diff-no-cache", {"{cache} is not there in {side}, or not usable", "{side} 中没有可用的 {cache}"}},
    {"diff-cache-stale",
     {"{cache} of {side} has no entry for {name}: ldconfig has not run since {directory} has it",
      "{side} 的 {cache} 中没有 {name}：{directory} 有了它之后没有运行过 ldconfig"}},
    {"diff-not-configured",
     {"{directory} is not in ld.so.conf of {side}, so {cache} has no entry for {name}",
      "{side} 的 ld.so.conf 中没有 {directory}，因此 {cache} 中没有 {name}"}},
    {"diff-cache-elsewhere",
     {"{cache} of {side} has another entry for {name}: {path}", "{side} 的 {cache} 中 {name} 的条目不同：{path}"}},
    {"diff-no-directory", {"{path} is not there in {side}", "{side} 中没有目录 {path}"}},
    {"diff-no-file", {"{path} is not there in {side}", "{side} 中没有 {path}"}},
    {"diff-other-target",
     {"{path} is for another machine or ELF class in {side}", "{side} 中的 {path} 属于其他体系结构或 ELF 位数"}},
    {"diff-no-permission", {"{path} may not be opened in {side}", "{side} 中没有权限打开 {path}"}},
    {"diff-refused", {"{path} is refused in {side}: {reason}", "{side} 中的 {path} 被拒绝：{reason}"}},
    {"diff-preload", {"{source} has {name} in {side} only", "只有 {side} 的 {source} 中有 {name}"}},
    {"diff-no-default",
     {"{directory} is no default directory of the loader in {side}", "{directory} 不是 {side} 中动态链接器的默认目录"}},
    {"diff-rules-hwcaps",
     {"glibc {version} of {side} does not search {directory}", "{side} 的 glibc {version} 不搜索 {directory}"}},
    {"diff-hwcaps", {"the processor of {side} does not have {directory}", "{side} 的处理器不支持 {directory}"}},
    {"diff-loaded-before",
     {"{name} is the name of a library that is loaded before in {side} only",
      "只有在 {side} 中，名为 {name} 的库此前已经加载"}},
    {"diff-other-soname", {"{file} has another SONAME in B", "{file} 在 B 中的 SONAME 不同"}},
    {"diff-other-content", {"{file} is another file in B", "{file} 在 B 中是另一个文件"}},
    {"diff-not-started", {"{path} cannot be judged in {side}: {reason}", "{side} 中无法判断 {path}：{reason}"}},
    {"diff-rules", {"glibc {version_a} in A, {version_b} in B", "A 中是 glibc {version_a}，B 中是 {version_b}"}},
    {"diff-unknown",
     {"{name} is found differently, and no attempt shows why", "{name} 的查找结果不同，但搜索记录没有显示原因"}},

    // The fix.
    {"diff-fix-works", {"tried: B then loads the same files as A", "已试：这样 B 加载的文件与 A 相同"}},
    {"diff-fix-unpacked",
     {"{what}; ${side} is the directory that {place} is unpacked in", "{what}；${side} 是 {place} 解包后所在的目录"}},
    {"diff-tree-fix", {"{what} (checked with {file})", "{what}（以 {file} 检查）"}},
    {"diff-fix-snapshot",
     {"{place} is a snapshot: the change belongs onto the machine that it was taken of",
      "{place} 是快照：应当在生成它的那台机器上修改"}},
    {"diff-fix-recipe",
     {"{place} is no directory that a command could change: the change belongs into what it is built from (its "
      "Dockerfile or recipe)",
      "{place} 不是可以用命令修改的目录：应当修改构建它的 Dockerfile 或配方"}},

    // Sections.
    {"diff-cause-number", {"{number}  {what}", "{number}  {what}"}},
    {"diff-follows",
     {"{count} {count|request follows|requests follow} from it:", "由此而来的 {count} {count|个|个}请求："}},
    {"diff-derived", {"{needer}: {what}", "{needer}：{what}"}},
    {"diff-layer", {"in {side} {what}", "{side} 中 {what}"}},
    {"diff-also", {"and {what}", "而且 {what}"}},
    {"diff-link-map", {"link map (- A, + B)", "加载列表（- A，+ B）"}},
    {"diff-link-map-columns", {"link map", "加载列表"}},
    {"diff-bindings", {"bindings that moved", "改变了绑定的符号"}},
    {"diff-binding",
     {"{referrer}: {count} {count|symbol|symbols} from {a} to {b}: {symbols}",
      "{referrer}：{count} {count|个|个}符号从 {a} 改为 {b}：{symbols}"}},
    {"diff-problems", {"problems (- in A only, + in B only)", "问题（- 仅 A，+ 仅 B）"}},
    {"diff-machine", {"machine (- A, + B)", "机器（- A，+ B）"}},
    {"diff-nothing", {"nothing", "无"}},
    {"diff-other-order", {"{name} is loaded in another order", "{name} 的加载顺序不同"}},
    {"diff-same-objects", {"{count} {count|file is|files are} the same", "{count} {count|个|个}文件相同"}},

    // Whole trees.
    {"diff-tree-same",
     {"A and B are the same: {count} dynamic {count|file|files}, {roots} {roots|process|processes}",
      "A 与 B 相同：{count} 个动态文件，{roots} 个进程"}},
    {"diff-tree-files-only",
     {"every process finds its libraries alike; {count} dynamic {count|file differs|files differ}",
      "每个进程找到的库都相同；{count} 个动态文件不同"}},
    {"diff-tree-files-else",
     {"every process that starts finds its libraries alike; {count} dynamic {count|file differs|files differ}",
      "每个能启动的进程找到的库都相同；{count} 个动态文件不同"}},
    {"diff-tree-no-loader",
     {"no process can be judged: neither A nor B has a dynamic loader; {count} dynamic {count|file differs|files "
      "differ}",
      "无法判断任何进程：A 和 B 中都没有动态链接器；{count} 个动态文件不同"}},
    {"diff-tree-fails",
     {"{count} {count|program or module works|programs and modules work} in A and {count|fails|fail} in B: {what}",
      "{count} 个程序和模块在 A 中正常，在 B 中失败：{what}"}},
    {"diff-tree-differs",
     {"{count} {count|program or module loads|programs and modules load} other files in B: {what}",
      "{count} 个程序和模块在 B 中加载的文件不同：{what}"}},
    {"diff-tree-cause",
     {"{count} {count|program or module|programs and modules}, {requests} {requests|request|requests}: {files}",
      "{count} 个程序和模块，{requests} 个请求：{files}"}},
    {"diff-tree-more", {"and {count} more {count|cause|causes} (-v shows all)", "另有 {count} 个原因（-v 全部显示）"}},
    {"diff-tree-fails-list", {"fail in B only: {files}", "仅在 B 中失败：{files}"}},
    {"diff-tree-works-list", {"work in B only: {files}", "仅在 B 中正常：{files}"}},
    {"diff-tree-neither",
     {"{count} {count|process starts|processes start} in neither: {files}", "{count} 个进程在两边都无法启动：{files}"}},
    {"diff-tree-went",
     {"{count} dynamic {count|file is|files are} in A only: {files}", "{count} 个动态文件只在 A 中：{files}"}},
    {"diff-tree-came",
     {"{count} dynamic {count|file is|files are} in B only: {files}", "{count} 个动态文件只在 B 中：{files}"}},
    {"diff-tree-changed",
     {"{count} dynamic {count|file is|files are} another in B: {files}", "{count} 个动态文件在 B 中不同：{files}"}},
    {"diff-tree-counts",
     {"{compared} of {roots} processes could be reached by a difference and were walked in both; without what is "
      "opened later",
      "{roots} 个进程中有 {compared} 个可能受差异影响，已在两边分别检查；不含稍后打开的库"}},
};

constexpr auto kDiffSentencesByName = places_by_name(kDiffSentences);

}  // namespace

SentenceTable diff_sentences() { return {kDiffSentences, kDiffSentencesByName}; }

}  // namespace soresolve
