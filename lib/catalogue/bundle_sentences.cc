// What `bundle` says: the verdict in the target, what the search there needs, what is not brought.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kBundleSentences[] = {
    {"bundle-works",
     {"ok in {target}: tried there with {files} {files|file|files} and {links} {links|link|links}, {bytes} bytes",
      "在{target}中正常：已带上 {files} 个文件和 {links} 个链接（共 {bytes} 字节）在那里试过"}},
    {"bundle-works-with",
     {"ok in {target} with the search line below: tried there with {files} {files|file|files} and {links} "
      "{links|link|links}, {bytes} bytes",
      "加上下面的搜索设置后，在{target}中正常：已带上 {files} 个文件和 {links} 个链接（共 {bytes} 字节）在那里试过"}},
    {"bundle-nothing", {"ok in {target}: everything is there already", "在{target}中正常：所需的内容那里都有"}},
    {"bundle-empty-root", {"an empty root", "空的根目录"}},
    {"bundle-root", {"{path}", " {path} "}},
    {"bundle-copy", {"copy: ", "复制："}},
    {"bundle-search", {"search: ", "搜索："}},
    {"bundle-or", {"    or: ", "  或者："}},
    {"bundle-search-works", {"  (tried: works)", "  （已尝试：可用）"}},
    {"bundle-search-fails", {"  (tried: is not enough)", "  （已尝试：不够）"}},
    {"bundle-floor",
     {"soresolve bindings --floor shows which glibc and libstdc++ a file needs at least",
      "soresolve bindings --floor 会显示文件至少需要哪个版本的 glibc 和 libstdc++"}},
    {"bundle-fails-in-source",
     {"{file} does not work where it is: soresolve why shows what would help",
      "{file} 在原来的位置就不能用：soresolve why 会显示解决办法"}},
    {"bundle-fails-in", {"this is what happens to {file} in {target}", "这是 {file} 在{target}中的结果"}},
    {"bundle-conflict",
     {"conflict: {own} of {target} differs from {source} of the source and lacks what is needed; it is not replaced",
      "冲突：{target}的 {own} 与来源的 {source} 不同，缺少所需的内容；不会替换它"}},
    {"bundle-lost-later",
     {"opened later by {file}, and not loaded in {target}: {names}",
      "{file} 之后会打开，但在{target}中加载不了：{names}"}},
    {"bundle-list", {"to bring:", "需要带上："}},
    {"bundle-link", {" -> {link}", " -> {link}"}},
    {"bundle-replaces", {"  (replaces another file of {target})", "  （会替换{target}中的另一个文件）"}},
    {"bundle-for-asked", {"asked for", "所要求的文件"}},
    {"bundle-for-interpreter", {"the interpreter", "解释器"}},
    {"bundle-for-loader", {"the dynamic loader", "动态链接器"}},
    {"bundle-for-needed", {"needed by {needer}", "{needer} 需要"}},
    {"bundle-for-later", {"opened later by {needer}", "{needer} 之后打开"}},
    {"bundle-left-out",
     {"left out: {count} {count|library|libraries} that {target} has (-v shows {count|it|them})",
      "未列入：{target}已有的 {count} 个库（-v 会列出）"}},
    {"bundle-left-out-all", {"left out, because {target} has them:", "未列入，因为{target}已有："}},
    {"bundle-left-same", {"the same content", "内容相同"}},
    {"bundle-left-serves", {"another file, its versions and symbols match", "另一个文件，版本和符号都满足"}},
    {"bundle-left-driver",
     {"not brought: {names}: the NVIDIA driver of the host that it runs on brings {count|it|them}",
      "不带 {count} {count|个|个}库（{names}）：由运行它的主机的 NVIDIA 驱动提供"}},
    {"bundle-hwcaps",
     {"some files are chosen for this processor (glibc-hwcaps): --cpu x86-64 asks for one that has less",
      "有些文件是按本机处理器选择的（glibc-hwcaps）：可用 --cpu x86-64 按更低的处理器选择"}},
    {"bundle-iconv",
     {"iconv_open is called: modules for other character sets than UTF-8 and UTF-16 (gconv/*.so) are not on the list; "
      "name them as FILE",
      "会调用 iconv_open：UTF-8、UTF-16 以外字符集的模块（gconv/*.so）没有列入；需要时请作为 FILE 给出"}},
    {"bundle-data-files",
     {"libraries and programs only: data files (modules of Python, locales, certificates) are not on the list",
      "只包括程序和库：数据文件（Python 的模块、区域设置、证书）没有列入"}},
    {"bundle-total",
     {"{files} {files|file|files}, {links} {links|link|links}, {bytes} bytes in total",
      "总计 {files} 个文件、{links} 个链接、{bytes} 字节"}},
    {"by-glibc", {"glibc opens it for a function that is called", "glibc 为被调用的函数打开它"}},
};
constexpr auto kBundleSentencesByName = places_by_name(kBundleSentences);

}  // namespace

SentenceTable bundle_sentences() { return {kBundleSentences, kBundleSentencesByName}; }

}  // namespace soresolve
