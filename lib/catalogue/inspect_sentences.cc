// What `inspect` says of a file: kind, versions, hardening; what a file of another system is.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kInspectSentences[] = {
    {"head-witness", {"witness", "读取者"}},
    {"head-build-id", {"build id", "build ID"}},
    {"head-interpreter", {"interpreter", "解释器"}},
    {"head-compilers", {"compilers", "编译器"}},
    {"head-needed", {"needed", "依赖"}},
    {"head-sections", {"sections", "节"}},
    {"head-defines", {"defines", "定义版本"}},
    {"head-requires", {"requires", "要求版本"}},
    {"head-stack-guard", {"stack guard", "栈保护"}},
    {"has-none", {"none", "无"}},
    {"yes", {"yes", "是"}},
    {"and-then", {", ", "，"}},
    {"names-left-out", {" … ({count} more: -v)", " …（还有 {count} 个，用 -v 列出）"}},

    // What it is.
    {"kind-object", {"object file", "目标文件"}},
    {"kind-core", {"core file", "core 文件"}},
    {"kind-program", {"program", "程序"}},
    {"kind-pie", {"position-independent program", "位置无关程序（PIE）"}},
    {"kind-library", {"shared library", "共享库"}},
    {"kind-number", {"file of type {number}", "类型为 {number} 的文件"}},
    {"compilers-unknown", {"unknown (no .comment section)", "未知（没有 .comment 节）"}},
    {"needs-nothing", {"nothing", "无"}},
    {"is-not-dynamic", {"nothing (it is not dynamic)", "无（不是动态链接的）"}},
    {"symbols-counted", {"{defined} defined, {undefined} undefined", "已定义 {defined} 个，未定义 {undefined} 个"}},

    // How well it is armed against its own errors.
    {"relro-full", {"full", "完全"}},
    {"relro-partial",
     {"partial: without BIND_NOW the slots of functions stay writable", "部分：没有 BIND_NOW，函数地址表一直可写"}},
    {"binds-lazily", {"no: functions are bound at their first call", "否：函数在第一次调用时才绑定"}},
    {"addresses-are-fixed", {"no: its addresses are fixed", "否：地址是固定的"}},
    {"library-is-relocatable", {"a library is always relocatable", "共享库总是可重定位的"}},
    {"requires-no-executable-stack", {"yes: it requires no executable stack", "是：不要求可执行栈"}},
    {"requires-executable-stack",
     {"no: it requires an executable stack (PT_GNU_STACK)", "否：它要求可执行栈（PT_GNU_STACK）"}},
    {"stack-not-marked",
     {"unknown: without PT_GNU_STACK the stack is executable on many machines",
      "未知：没有 PT_GNU_STACK 时，许多机器上的栈是可执行的"}},
    {"stack-guard-called", {"yes: it calls __stack_chk_fail", "有：会调用 __stack_chk_fail"}},
    {"stack-guard-not-seen",
     {"not seen: nothing refers to __stack_chk_fail", "未发现：没有对 __stack_chk_fail 的引用"}},
    {"no-symbols-left", {"unknown: no symbols are left", "未知：符号已被去除"}},
    {"fortify-not-seen",
     {"not seen: no checked function (such as __memcpy_chk) is called",
      "未发现：没有调用带检查的函数（如 __memcpy_chk）"}},
    {"branches-not-marked", {"no: not all of its code is marked for it", "否：并非所有代码都带有相应标记"}},

    // Files of other systems.
    {"foreign-pe", {"{universal}PE {kind} for Windows{machines}", "{universal}Windows 的 PE {kind}{machines}"}},
    {"foreign-mach-o", {"{universal}Mach-O {kind} for macOS{machines}", "{universal}macOS 的 Mach-O {kind}{machines}"}},
    {"foreign-universal", {"universal ", "通用（universal）"}},
    {"foreign-other", {"file", "文件"}},
    {"foreign-library", {"library", "库"}},
    {"foreign-object", {"object", "目标文件"}},
    {"foreign-bundle", {"bundle", "插件（bundle）"}},
    {"first-machine", {", {machine}", "，{machine}"}},
    {"next-machine", {" and {machine}", "和 {machine}"}},
    {"machine-number", {"machine {number}", "机器类型 {number}"}},
    {"cpu-type-number", {"CPU type {number}", "CPU 类型 {number}"}},
    {"loader-takes-no-pe",
     {"does not load it: it loads ELF files only, and reports \"invalid ELF header\"; what is needed is the "
      "build for Linux (a wheel for win_amd64 has such files, one for manylinux does not)",
      "不接受它：加载器只加载 ELF 文件，对这个文件会报 \"invalid ELF header\"；需要的是 Linux 版本"
      "（win_amd64 的 wheel 里是这种文件，manylinux 的 wheel 里没有）"}},
    {"loader-takes-no-mach-o",
     {"does not load it: it loads ELF files only, and reports \"invalid ELF header\"; what is needed is the "
      "build for Linux (a wheel for macosx has such files, one for manylinux does not)",
      "不接受它：加载器只加载 ELF 文件，对这个文件会报 \"invalid ELF header\"；需要的是 Linux 版本"
      "（macosx 的 wheel 里是这种文件，manylinux 的 wheel 里没有）"}},
};
constexpr auto kInspectSentencesByName = places_by_name(kInspectSentences);

}  // namespace

SentenceTable inspect_sentences() { return {kInspectSentences, kInspectSentencesByName}; }

}  // namespace soresolve
