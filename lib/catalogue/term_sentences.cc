// Names of states that reports show, in each language: the name itself is the English. They are those that name_of()
// of lib/loader, lib/elf and lib/dlopen return, which JSON has as well and which therefore never change with the words.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kTerms[] = {
    // Steps of a search.
    {"already loaded", {"already loaded", "已经加载"}},
    {"path", {"path", "路径"}},
    {"RPATH", {"RPATH", "RPATH"}},
    {"LD_LIBRARY_PATH", {"LD_LIBRARY_PATH", "LD_LIBRARY_PATH"}},
    {"RUNPATH", {"RUNPATH", "RUNPATH"}},
    {"ld.so.cache", {"ld.so.cache", "ld.so.cache"}},
    {"default directories", {"default directories", "默认目录"}},

    // What came of one attempt.
    {"loaded", {"loaded", "已加载"}},
    {"the same file is loaded already", {"the same file is loaded already", "同一个文件已经加载"}},
    {"no such file", {"no such file", "没有这个文件"}},
    {"no such directory", {"no such directory", "没有这个目录"}},
    {"directory does not exist (already reported above)",
     {"directory does not exist (already reported above)", "目录不存在（前面已查过）"}},
    {"permission denied", {"permission denied", "权限不够"}},
    {"wrong ELF class", {"wrong ELF class", "ELF 位数不符"}},
    {"wrong machine", {"wrong machine", "体系结构不符"}},
    {"needs a newer kernel", {"needs a newer kernel", "需要更新的内核"}},
    {"not set-uid", {"not set-uid", "没有 set-uid 位"}},
    {"cannot be opened", {"cannot be opened", "无法打开"}},
    {"no entry", {"no entry", "没有条目"}},
    {"no cache", {"no cache", "没有缓存"}},
    {"entry barred by DF_1_NODEFLIB", {"entry barred by DF_1_NODEFLIB", "该条目被 DF_1_NODEFLIB 禁用"}},
    {"barred by DF_1_NODEFLIB", {"barred by DF_1_NODEFLIB", "被 DF_1_NODEFLIB 禁用"}},
    {"fatal", {"fatal", "致命错误"}},
    {"would crash", {"would crash", "会崩溃"}},
    {"would wait forever", {"would wait forever", "会永远等待"}},

    // How a request was served.
    {"mapped", {"mapped", "已映射"}},
    {"already loaded, same path", {"already loaded, same path", "已经加载，路径相同"}},
    {"already loaded, same name", {"already loaded, same name", "已经加载，名字相同"}},
    {"already loaded, same SONAME", {"already loaded, same SONAME", "已经加载，SONAME 相同"}},
    {"already loaded, same file", {"already loaded, same file", "已经加载，是同一个文件"}},
    {"not found", {"not found", "找不到"}},
    {"failed", {"failed", "失败"}},
    {"found, but not loaded", {"found, but not loaded", "找到了，但没有加载"}},
    {"skipped, empty token", {"skipped, empty token", "跳过：标记没有值"}},

    // What is opened later: how much it matters, how it is known.
    {"required", {"required", "必需"}},
    {"recommended", {"recommended", "建议"}},
    {"suggested", {"suggested", "可选"}},
    {"proven", {"proven", "已证实"}},
    {"likely", {"likely", "很可能"}},
    {"guess", {"guess", "猜测"}},

    // Severity, and how a request was made.
    {"warning", {"warning", "警告"}},
    {"note", {"note", "提示"}},
    {"preload", {"preload", "预加载"}},

    // Between a name and what is said of it.
    {"colon", {": ", "："}},
};

constexpr auto kTermsByName = places_by_name(kTerms);

}  // namespace

SentenceTable term_sentences() { return {kTerms, kTermsByName}; }

}  // namespace soresolve
