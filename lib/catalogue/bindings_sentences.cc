// The reports of `tree` and `bindings`: how an edge came about, what a reference binds to and by which search, on how
// old a system all of it runs. A head is at most 12 columns wide.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kBindingsSentences[] = {
    // The tree.
    {"label-in-process-before", {"in the process before: {object}", "进程中之前就有：{object}"}},
    {"the-loader-itself", {"the loader itself", "动态链接器自身"}},
    {"dlopen-label", {"dlopen, {importance}, {evidence}", "dlopen，{importance}，{evidence}"}},
    {"step-and-subdirectory", {"{step}, {subdirectory}", "{step}，{subdirectory}"}},
    {"opened-by", {" by {opener}", "，由 {opener} 打开"}},
    {"by-its-path", {"by its path", "按路径"}},
    {"is-fragile", {" fragile: works only because it was loaded before", " 不可靠：只因为之前已经加载才有效"}},
    {"auxiliary", {"auxiliary", "辅助过滤"}},
    {"filter", {"filter", "过滤"}},

    // One symbol: who refers to it, and what each reference binds to.
    {"head-needed-by", {"needed by", "引用者"}},
    {"head-binds-to", {"binds to", "绑定到"}},
    {"head-search", {"search", "查找"}},
    {"remarks", {"  ({remarks})", "  （{remarks}）"}},
    {"remark-loaders-own", {"ld.so itself looks it up in the program's name", "ld.so 自己以程序的名义查找它"}},
    {"remark-weak", {"weak", "弱引用"}},
    {"remark-copy", {"copy relocation", "COPY 重定位"}},
    {"remark-lazy", {"at the first call", "首次调用时"}},
    {"symbol-place",
     {"{name}: symbol {symbol} of DT_SYMTAB, at file offset {offset}, version index {version}",
      "{name}：DT_SYMTAB 符号 {symbol}，文件偏移 {offset}，版本索引 {version}"}},
    {"binds-to-nothing", {"nothing", "无"}},
    {"weak-becomes-zero", {": the reference is weak, its value becomes 0", "：是弱引用，其值为 0"}},
    {"own-protected-symbol",
     {"  (its own protected symbol, whatever the search finds)", "  （它自己的受保护符号，与查找结果无关）"}},
    {"unique-definition",
     {"  (STB_GNU_UNIQUE: the first definition that was bound to stands for all)",
      "  （STB_GNU_UNIQUE：最先绑定的那个定义代表全部）"}},

    // The search, object by object.
    {"search-order", {"in this order, up to the first that matches:", "按以下顺序，直到第一个匹配的："}},
    {"nothing-left-to-search", {"no object is left to search", "没有别的对象可查了"}},
    {"itself-first", {"  (searched first: DT_SYMBOLIC)", "  （最先查它：DT_SYMBOLIC）"}},
    {"search-matches", {"matches with {name}", "匹配 {name}"}},
    {"search-not-in-gnu-hash",
     {"not defined: DT_GNU_HASH does not lead to the name", "没有定义：在 DT_GNU_HASH 中找不到这个名字"}},
    {"search-not-in-hash", {"not defined: DT_HASH does not lead to the name", "没有定义：在 DT_HASH 中找不到这个名字"}},
    {"search-other-version", {"other version: it has {names}", "版本不符：它有 {names}"}},
    {"search-no-default",
     {"other version: none is required, and it has {names} only, no default",
      "版本不符：引用没有要求版本，而它只有 {names}，没有默认版本"}},
    {"search-ambiguous",
     {"ambiguous: no version is required, and it has several defaults: {names}",
      "不明确：引用没有要求版本，而它有多个默认版本：{names}"}},
    {"search-hidden", {"not visible: its definition is hidden or internal", "不可见：它的定义是 hidden 或 internal"}},
    {"search-local", {"not visible: its definition is local", "不可见：它的定义是局部的"}},
    {"search-only-reference",
     {"no definition: it only refers to the name itself, by an address of its own",
      "没有定义：它自己也只是引用这个名字，只是带有自己的地址"}},
    {"search-skips-program",
     {"not searched: a copy relocation copies from other objects", "不查：COPY 重定位只从别的对象复制"}},
    {"search-passes-weak",
     {"weak, and LD_DYNAMIC_WEAK prefers a strong one: {names}", "弱定义，而 LD_DYNAMIC_WEAK 优先强定义：{names}"}},
    {"search-no-table", {"cannot define it: it has no hash table", "不提供任何符号：没有哈希表"}},
    {"search-no-file", {"not searched: it has no file", "不查：它没有文件"}},
    {"search-damaged", {"damaged: {damage}", "损坏：{damage}"}},

    // A name that nothing refers to.
    {"needed-by-none", {"none: no relocation that start-up resolves names it", "无：启动时解析的重定位都没有提到它"}},
    {"would-find-in", {"would find it in ", "会在这里找到它："}},
    {"would-find-nowhere", {"would find it ", "结果："}},
    {"nowhere", {"nowhere", "找不到"}},

    // Who uses what of a library.
    {"nothing-binds-to-it", {"no reference binds to it", "没有引用绑定到它"}},
    {"symbols-of-user", {"{user}: {count} symbol{count||s}", "{user}：{count} 个符号"}},
    {"itself", {"itself", "它自己"}},
    {"without-version", {"without version", "没有版本"}},

    // The floor.
    {"no-floor",
     {"no floor: nothing requires a version of glibc, libstdc++, libgcc, CUDA or cuDNN",
      "没有下限：没有文件要求 glibc、libstdc++、libgcc、CUDA 或 cuDNN 的版本"}},
    {"bound-met", {"met", "满足"}},
    {"bound-exceeded", {"{count} requirement{count||s} {count|is|are} above it", "有 {count} 个要求超出"}},
    {"bound-foreign",
     {"{count} {count|library|libraries} it does not allow from the system", "有 {count} 个库不允许取自系统"}},
    {"bound-weak-besides",
     {" ({count} more by weak references only, which do not stop the start)",
      "（另有 {count} 个只来自弱引用，不会使启动失败）"}},
    {"bound-foreign-library", {"{library}, needed by {object}", "{object} 需要的 {library}"}},
    {"bound-node", {"{node} of {file}, required by {object}", "{object} 要求 {file} 的 {node}"}},
    {"bound-release", {" ({release})", "（{release}）"}},
    {"bound-weak", {": weak, the program starts without it", "：弱要求，没有它启动也会继续"}},
    {"bound-weak-reference", {" (weak)", "（弱）"}},
    {"bound-lower",
     {"to lower it, build where nothing newer is installed (for wheels: the manylinux image of that name)",
      "要降低它，请在没有更新版本的系统上构建（wheel 请用同名的 manylinux 镜像）"}},
    {"bound-lower-weak",
     {"a weak one goes away with older headers, or with dlsym in place of the weak reference",
      "改用较旧的头文件，或用 dlsym 代替弱引用，弱要求就会消失"}},
    {"floor-of", {"{family}: {release} or later", "{family}：{release} 或更新"}},
    {"floor-release-with", {"a release with {node}", "含有 {node} 的版本"}},
    {"head-set-by", {"set by", "取决于"}},
    {"head-here", {"here", "本机"}},
    {"floor-symbol", {"{symbol} in {object}", "{object} 中的 {symbol}"}},
    {"floor-node-alone", {"the node alone, which is required in {object}", "{object} 中要求的节点本身"}},
    {"floor-node", {"{node} of {file}", "{file} 的 {node}"}},
    {"floor-by-symbol",
     {", which older releases have, too: the function is newer", "，旧版本也有这个节点，但这个函数是后来才有的"}},
    {"floor-no-file", {"no {file}", "没有 {file}"}},
    {"floor-no-nodes", {"{object}, which has no such nodes", "{object}，没有这类节点"}},
    {"floor-up-to", {"{object}, up to {node}", "{object}，最高到 {node}"}},
    {"floor-lacks", {"it lacks {name}", "缺少 {name}"}},
};
constexpr auto kBindingsSentencesByName = places_by_name(kBindingsSentences);

}  // namespace

SentenceTable bindings_sentences() { return {kBindingsSentences, kBindingsSentencesByName}; }

}  // namespace soresolve
