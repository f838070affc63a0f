// What `who` says of a library or a symbol: the answer, and how each file comes to need it.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kWhoSentences[] = {
    {"who-needs-and-binds",
     {"{name}: {count} {count|file needs|files need} it, {binders} {binders|binds|bind} symbols of it, in {processes} "
      "{processes|process|processes}",
      "{name}：{count} {count|个|个}文件需要它，{binders} {binders|个|个}绑定了它的符号，涉及 {processes} "
      "{processes|个|个}进程"}},
    {"who-needs",
     {"{name}: {count} {count|file needs|files need} it, in {processes} {processes|process|processes}",
      "{name}：{count} {count|个|个}文件需要它，涉及 {processes} {processes|个|个}进程"}},
    {"who-missing",
     {"{name}: {count} {count|file needs|files need} it, and it is found nowhere, in {processes} "
      "{processes|process|processes}",
      "{name}：{count} {count|个|个}文件需要它，但到处都找不到，涉及 {processes} {processes|个|个}进程"}},
    {"who-nobody", {"{name}: no file here needs it", "{name}：这里没有文件需要它"}},
    {"who-symbol",
     {"{name}: {count} {count|file refers|files refer} to it, in {processes} {processes|process|processes}; "
      "{definitions} {definitions|definition|definitions}",
      "{name}：{count} {count|个|个}文件引用它，涉及 {processes} {processes|个|个}进程；{definitions} "
      "{definitions|处|处}定义"}},
    {"who-symbol-nobody",
     {"{name}: it is defined here, and no file refers to it", "{name}：这里有它的定义，但没有文件引用它"}},
    {"who-several-in-process",
     {"more than one copy is loaded in {count} {count|process|processes}, such as {first}",
      "{count} {count|个|个}进程中加载了不止一份，例如 {first}"}},
    {"who-nowhere", {" is found nowhere", " 找不到"}},
    {"who-defined-in", {" in {file}", "，在 {file} 中"}},
    {"who-in-processes", {" [in {count} {count|process|processes}]", " [{count} {count|个|个}进程]"}},
    {"who-itself", {"itself", "自身"}},
    {"who-binds", {" [binds {count} {count|symbol|symbols}]", " [绑定 {count} {count|个|个}符号]"}},
    {"who-binds-nothing", {" [lists it in DT_NEEDED, binds no symbol]", " [只在 DT_NEEDED 中列出，没有绑定符号]"}},
    {"who-binds-only",
     {" [binds {count} {count|symbol|symbols}, does not list it in DT_NEEDED]",
      " [绑定 {count} {count|个|个}符号，但 DT_NEEDED 中没有它]"}},
    {"who-link-binds",
     {" [{link}, binds {count} {count|symbol|symbols}]", " [{link}，绑定 {count} {count|个|个}符号]"}},
    {"who-binds-these", {"{file} binds:", "{file} 绑定："}},
    {"who-by-filter", {"DT_FILTER", "DT_FILTER"}},
    {"who-by-auxiliary", {"DT_AUXILIARY", "DT_AUXILIARY"}},
    {"who-by-preload", {"preload", "预加载"}},
    {"who-by-process", {"loaded before by its process", "由其进程先行加载"}},
    {"who-by-note", {"opened later: dlopen note", "稍后打开：dlopen 注记"}},
    {"who-by-known", {"opened later: known package", "稍后打开：已知软件包"}},
    {"unused-none",
     {"ok: a program here loads each of the {count} dynamic {count|file|files}",
      "正常：{count} 个动态文件都由这里的某个程序加载"}},
    {"unused-some",
     {"{count} of {of} dynamic {of|file|files}, {size}: no program here loads them, as far as needs, dlopen notes and "
      "known packages show",
      "{of} 个动态文件中有 {count} 个，共 {size}：按依赖、dlopen 注记和已知软件包来看，这里没有程序加载它们"}},
    {"unused-size", {": {size}", "：{size}"}},
    {"unused-of-no-package", {"of no known package", "不属于已知软件包"}},
    {"unused-more-packages",
     {"and {count} more {count|package|packages} (-v shows all)", "另有 {count} {count|个|个}软件包（-v 全部显示）"}},
    {"unused-file", {"  {size}, {evidence}", "  {size}，{evidence}"}},
    {"unused-hard-link", {"  another path of {file}", "  {file} 的另一个路径"}},
    {"unused-nothing", {"nothing names it", "没有任何内容提到它"}},
    {"unused-other-copy", {"{file} needs that name and gets {other}", "{file} 需要这个名字，得到的是 {other}"}},
    {"unused-needer", {"only {file} needs it, which no program loads", "只有 {file} 需要它，而没有程序加载后者"}},
    {"unused-string", {"only a string in {file} names it", "只有 {file} 中的一个字符串提到它"}},
    {"unused-sum-nothing", {"nothing names them: ", "没有任何内容提到："}},
    {"unused-sum-other-copy",
     {"their name is needed, and another copy is loaded: ", "名字有人需要，但加载的是另一份："}},
    {"unused-sum-needer", {"only files that no program loads need them: ", "只有没被程序加载的文件需要："}},
    {"unused-sum-string", {"a string names them: ", "有字符串提到："}},
    {"unused-sum", {"{count} {count|file|files}, {size}", "{count} {count|个|个}文件，{size}"}},
    {"unused-is-no-proof",
     {"Programs also put names together and read them from configuration and scripts, so none of this proves that a "
      "file is not used.",
      "程序还会拼出名字，或者从配置和脚本中读取名字，因此以上都不能证明某个文件没有用处。"}},
};

constexpr auto kWhoSentencesByName = places_by_name(kWhoSentences);

}  // namespace

SentenceTable who_sentences() { return {kWhoSentences, kWhoSentencesByName}; }

}  // namespace soresolve
