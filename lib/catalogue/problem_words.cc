// One row for each code of a problem: its meaning and what to do, in English and Chinese. Reports and `soresolve help
// CODE` print them. Sentences about one case are in problem_sentences.cc.
#include "soresolve/catalogue.h"

#include <algorithm>

namespace soresolve {
namespace {

constexpr ProblemWords kWords[] = {
    // What ends the start or the dlopen.
    {ProblemCode::MissingLibrary,
     {"a needed library is in none of the places that the loader searches", "所需的共享库不在动态链接器搜索的任何位置"},
     {"Some file of the process names the library in DT_NEEDED, and RPATH, LD_LIBRARY_PATH, RUNPATH, ld.so.cache "
      "and the default directories have no usable file of exactly that name. The program does not start; in Python "
      "the import fails. Install what brings this very name, or let the search reach where it is. Another version "
      "under a link of that name is still another library.",
      "进程中的某个文件在 DT_NEEDED 里写了这个库，而 RPATH、LD_LIBRARY_PATH、RUNPATH、ld.so.cache "
      "和默认目录里都没有恰好同名且可用的文件。程序无法启动；在 Python 中则"
      "是 import 失败。请安装提供这个名字的软件包，或让搜索路径包含它所在的目录。把别的版本链接成这个名字，"
      "它仍然是另一个库。"}},
    {ProblemCode::WrongClass,
     {"the library is there only for the other word size (32 or 64 bit)", "只找到位数不符（32/64 位）的库"},
     {"The loader passes over files of the other ELF class and goes on searching; it found nothing else. A 32-bit "
      "program needs 32-bit libraries. Install the library for the architecture of the process.",
      "动态链接器会跳过位数不符的 ELF 文件继续搜索，但后面没有别的了。32 位程序需要 32 位的库。"
      "请安装与进程体系结构一致的库。"}},
    {ProblemCode::FatalCandidate,
     {"a file in the way cannot be used, and the loader does not look further",
      "搜索途中遇到无法使用的文件，动态链接器不再往后找"},
     {"A file of the right name was found that is no ELF file, is cut off or is damaged. The loader does not pass "
      "over such files: it ends the start, even if a good file stands in a later directory. Remove or replace the "
      "file, or take its directory off the search path.",
      "找到了同名的文件，但它不是 ELF 文件、被截断或已损坏。动态链接器不会跳过这种文件，而是直接终止启动，"
      "即使后面的目录里有好的文件。请删除或替换该文件，或把它所在的目录从搜索路径中去掉。"}},
    {ProblemCode::WouldCrash,
     {"the loader itself would die of a signal or an assertion on this file", "动态链接器自身会因该文件崩溃或断言失败"},
     {"The file passes the loader's first checks, but its tables or segments lead outside of it: truncated, or "
      "edited by a tool that did not keep them consistent. Replace the file with the one its package ships.",
      "该文件通过了最初的检查，但其中的表或段指向文件之外：文件被截断，或被工具改写后前后不一致。"
      "请换回软件包原装的文件。"}},
    {ProblemCode::WouldBlock,
     {"opening a file in the way would wait forever", "打开搜索途中的某个文件会永远阻塞"},
     {"A FIFO (named pipe) has the name of a library that is searched. The loader opens it and waits for a writer. "
      "Remove it.",
      "搜索途中有一个与库同名的 FIFO（命名管道）。动态链接器打开它之后会一直等待写入者。请删除它。"}},
    {ProblemCode::BadToken,
     {"a dynamic string token ($ORIGIN, $LIB, $PLATFORM) is refused or has no value",
      "动态字符串标记（$ORIGIN、$LIB、$PLATFORM）被拒绝或没有值"},
     {"A set-uid program may not use tokens in the names of its libraries, and $ORIGIN has no value without /proc. "
      "Use an absolute path, or mount /proc.",
      "set-uid 程序的库名中不允许使用这些标记；没有 /proc 时 $ORIGIN 没有值。请使用绝对路径，或挂载 /proc。"}},
    {ProblemCode::VersionFile,
     {"symbol versions are required of a file that nothing loads under that name",
      "版本需求所指的文件没有以该名字被加载"},
     {"DT_VERNEED and DT_NEEDED of the file disagree: a tool (patchelf --replace-needed, auditwheel, a hex editor) "
      "changed the one and not the other. The loader ends with an assertion. Change both, or take the original file.",
      "该文件的 DT_VERNEED 与 DT_NEEDED 不一致：工具（patchelf --replace-needed、auditwheel、十六进制编辑器）"
      "只改了其中之一。动态链接器会断言失败。请两者一起修改，或使"
      "用原文件。"}},
    {ProblemCode::VersionMissing,
     {"the library found does not define a version that is required", "找到的库没有定义所需的符号版本"},
     {"The name matches, but the library is older or another build: its DT_VERDEF lacks the node. The loader says "
      "\"version `V' not found\". Update the library, put the newer copy first, or use a build of the consumer for "
      "the older one.",
      "名字相符，但该库较旧或来源不同：它的 DT_VERDEF 中没有这个版本节点，动态链接器会报 “version `V' not found”。"
      "请升级该库、让较新的副本靠前，或换用面向旧版库的使用者。"}},
    {ProblemCode::SymbolMissing,
     {"a symbol that must be bound is defined by no library of the process",
      "必须绑定的符号在进程的所有库中都没有定义"},
     {"Libraries and versions are all there, the function or variable is not: one library is older than the one "
      "linked against, a stub, or of another variant. CUDA's libraries keep one version node for a whole major "
      "release, so that only the symbol shows it. Find the library that should have it and update that.",
      "库和版本都齐全，却缺少某个函数或变量：某个库比链接时的旧、是桩库，或是别的变体。CUDA "
      "的库在整个主版本内只有一个版本节点，因此只有符号能暴露问题。请找出本应提供它的库并升级。"}},
    {ProblemCode::NotReadable,
     {"a file in the way cannot be read by this user", "当前用户无法读取搜索途中的某个文件"},
     {"The loader passes over a file that it may not open, without a word, and takes the next one or none. For root "
      "or another user the answer may differ. Check the permissions of the file and of each directory above it.",
      "动态链接器会不声不响地跳过无权打开的文件，改用后面的，或者一个也找不到。换成 root 或其他用户结果可能不同。"
      "请检查该文件及其每一级上级目录的权限。"}},
    {ProblemCode::CpuLevel,
     {"a library needs a newer processor level than this one has", "某个库要求的处理器级别高于当前处理器"},
     {"The file is marked for x86-64-v2, -v3 or -v4. Since glibc 2.33 the loader refuses it with \"CPU ISA level is "
      "lower than required\"; older ones load it, and it dies of an illegal instruction. Take a build for the lower "
      "level, or give the virtual machine the host's processor.",
      "该文件标记为需要 x86-64-v2、-v3 或 -v4。glibc 2.33 起动态链接器会拒绝并报 “CPU ISA level is lower than required”"
      "；更早的版本会加载它，然后因非法指令崩"
      "溃。请换用较低级别的版本，或让虚拟机使用宿主机的处理器特性。"}},
    {ProblemCode::ExecStack,
     {"a library requires an executable stack", "某个库要求可执行的栈"},
     {"PT_GNU_STACK has the flag X or is missing. Since glibc 2.41 dlopen refuses such a library; a library that is "
      "needed from the start still makes the stack executable. Hardly any really needs it: clear the flag (patchelf "
      "--clear-execstack) or take a newer build.",
      "PT_GNU_STACK 带有 X 标志或不存在。glibc 2.41 起 dlopen 会拒绝这样的库；启动时就依赖的库仍会让栈变为可执行。"
      "几乎没有库真正需要它：请清除该标志（patchelf "
      "--clear-execstack），或换用较新的版本。"}},
    {ProblemCode::StaticTlsFull,
     {"thread-local variables of a library do not fit when it is loaded by dlopen",
      "通过 dlopen 加载时，库的线程局部变量放不进静态 TLS"},
     {"The library uses the initial-exec model (DF_STATIC_TLS): its variables must fit into what every thread "
      "reserved at the start, 1664 bytes unless tunables say otherwise. They do not, so dlopen fails. Link the program "
      "with the library, preload it, or raise glibc.rtld.optional_static_tls in GLIBC_TUNABLES (glibc 2.32 and newer).",
      "该库使用 initial-exec 模型（DF_STATIC_TLS）：它的变量必须放进每个线程启动时预留的空间（默认 1664 字节，可由 "
      "tunables 改变）。现在放不下，所以 dlopen "
      "会失败。请让程序在链接时就依赖该库、用 LD_PRELOAD 预加载，或在 GLIBC_TUNABLES 中加大 "
      "glibc.rtld.optional_static_tls（glibc 2.32 起）。"}},
    {ProblemCode::StaticTls,
     {"thread-local variables of a library may not fit when it is loaded late",
      "较晚加载的库，其线程局部变量可能放不进静态 TLS"},
     {"The library uses the initial-exec model (DF_STATIC_TLS): its variables must fit into what every thread "
      "reserved at the start. Loaded by dlopen after others, it can fail with \"cannot allocate memory in static "
      "TLS block\". Load it first, preload it, or raise glibc.rtld.optional_static_tls.",
      "该库使用 initial-exec 模型（DF_STATIC_TLS）：它的变量必须放进每个线程启动时预留的空间。如果在别的库之后才 "
      "dlopen，可能报 “cannot allocate memory in "
      "static TLS block”。请让它最先加载、用 LD_PRELOAD 预加载，或加大 glibc.rtld.optional_static_tls。"}},
    {ProblemCode::MixedBuild,
     {"parts of one CUDA library come from different builds", "同一个 CUDA 库的各部分来自不同的构建"},
     {"libcublas calls private functions of libcublasLt, and cuDNN compares the versions of its sub-libraries: each "
      "set has to come from one release. A second copy earlier on the search path (LD_LIBRARY_PATH, a system package) "
      "usually gives one part of the set. Take the directory of that copy off the path, or bring both to one release.",
      "libcublas 会调用 libcublasLt 的私有函数，cuDNN 会比较各子库的版本：每一组都必须来自同一发行版。"
      "通常是搜索路径中靠前的另一份副本（LD_LIBRARY_PATH、系统软件包）顶替了其中一部分。"
      "请把那份副本的目录移出路径，或让两者升级到同一版本。"}},
    {ProblemCode::DriverTooOld,
     {"the driver is too old for the CUDA runtime of the process", "驱动太旧，不支持进程中的 CUDA 运行时"},
     {"Each major release of CUDA takes a driver from a certain version on (11: 450.80.02, 12: 525.60.13, 13: "
      "580.65.06); below it every call fails with error 35. Update the driver, use a build for an older CUDA, or, on "
      "data-center GPUs, the cuda-compat package.",
      "每个 CUDA 主版本都要求驱动不低于某个版本（11：450.80.02，12：525.60.13，13：580.65.06），"
      "否则所有调用都会返回错误 35。请升级驱动、换用面向较旧 CUDA 的构建，或在数据中心显卡上使用 "
      "cuda-compat 软件包。"}},
    {ProblemCode::DriverMismatch,
     {"the driver's library and its loaded kernel module are of different versions",
      "驱动的用户态库与已加载的内核模块版本不同"},
     {"libcuda and the nvidia kernel module belong together, to the last number. After an update of the driver the "
      "old module stays loaded until the machine is restarted; in a container a library of the image may hide the "
      "host's. Calls fail with error 803, NVML says \"Driver/library version mismatch\". Restart, or remove the copy.",
      "libcuda 与 nvidia 内核模块必须完全同版本。升级驱动后，旧模块在重启之前仍处于加载状态；在容器里，"
      "镜像自带的库可能挡住宿主机的库。调用会返回错误 803，NVML 会报 “Driver/library version "
      "mismatch”。请重启，或删除多余的副本。"}},
    {ProblemCode::ForwardCompat,
     {"a forward-compatible driver library (cuda-compat) is in effect", "正在使用前向兼容的驱动库（cuda-compat）"},
     {"A newer libcuda above the host's older kernel module. It works for the branches of the host that it lists and "
      "on data-center GPUs only; elsewhere calls fail with error 803 or 804. If the host's driver is new enough, "
      "take the compat directory off the search path.",
      "在宿主机较旧的内核模块之上使用较新的 libcuda。它只适用于其列出的宿主机驱动分支，并且只限数据中心显卡；"
      "否则调用会返回错误 803 或 804。如果宿主机的驱动已足够新，请把 compat 目录移出搜索路径。"}},
    {ProblemCode::FrameworkBuild,
     {"a framework gets other CUDA libraries than it was built for", "框架得到的 CUDA 库与其构建时的不同"},
     {"torch/version.py says for which CUDA it was built; published builds have a known cuDNN. A runtime of another "
      "major release beside it belongs to an extension built for that one, and an older minor version of cuDNN is "
      "refused. Install the extension for the framework's CUDA, or clear the way for the framework's own libraries.",
      "torch/version.py 记录了它面向哪个 CUDA 构建，官方构建所用的 cuDNN 也是已知的。旁边若有另一主版本的运行时，"
      "那是面向该版本构建的扩展带来的；较旧次版本的 cuDNN 会被拒绝。请安装与框架 CUDA "
      "一致的扩展，或让框架自带的库优先。"}},
    {ProblemCode::DriverMissing,
     {"no NVIDIA driver library is in reach of the CUDA runtime", "CUDA 运行时找不到 NVIDIA 驱动库"},
     {"The runtime opens libcuda.so.1 when it is first used. It is part of the driver, never of a toolkit, a wheel or "
      "conda. Without it everything loads, and each call fails with error 35; torch.cuda.is_available() is False. "
      "Install the driver, or start the container with access to the GPU.",
      "运行时在首次使用时才打开 libcuda.so.1。它属于驱动，不会由工具包、wheel 或 conda 提供。缺少它时一切照常加载，"
      "但所有调用都会返回错误 35，torch.cuda.is_available() 为 "
      "False。请安装驱动，或让容器能访问 GPU。"}},
    {ProblemCode::DlopenMissing,
     {"a library that is opened at run time would not be found or loaded",
      "运行时通过 dlopen 打开的库将无法找到或加载"},
     {"Not in DT_NEEDED, so the start succeeds; the code opens it by name later (a note of the file, a table of "
      "known packages or a string in it says so). The report says how certain that is, and if a file is found, "
      "which library, version or symbol it lacks. Install it, or ignore it if that part is not used.",
      "它不在 DT_NEEDED 里，所以启动没有问题；代码稍后会按名字打开它（依据是文件中的注记、已知软件包的表，"
      "或文件里的字符串），报告会说明把握有多大；若文件找到了，则说明它缺少哪个库、版本或符号。请安装它；"
      "如果用不到那部分功能可以忽略。"}},

    // What surprises, or will.
    {ProblemCode::VersionUnproven,
     {"a required version cannot be checked, or is only weakly required", "所需的版本无法核实，或只是弱需求"},
     {"The library found has no symbol versions at all, or the requirement is weak. The loader goes on, with at "
      "most a warning; a missing function shows later. Mostly a private build stands in front of the system's.",
      "找到的库完全没有符号版本，或者该需求是弱的。动态链接器最多给出警告，然后继续；缺少的函数之后才会暴露。"
      "多半是自行编译的库排在了系统库之前。"}},
    {ProblemCode::TwoCopies,
     {"two copies of one library are in the process", "同一个库在进程中有两份"},
     {"Two files that are the same library (two libcudart, two libstdc++, two NCCL) are loaded under different "
      "names or paths. Each has its own state; objects bind to one or the other by search order. Errors come as "
      "crashes, \"invalid handle\" or wrong results rather than messages. Let all consumers find one.",
      "同一个库的两个文件（两份 libcudart、libstdc++ 或 NCCL）以不同的名字或路径被加载。它们各有自己的状态，"
      "各对象按搜索顺序绑定到其中之一。问题往往表现为崩溃、“invalid handle” 或错误"
      "的结果，而不是明确的报错。请让所有使用者找到同一份。"}},
    {ProblemCode::StubLibrary,
     {"a stub that is meant for linking only is loaded", "加载的是仅供链接使用的桩库"},
     {"The CUDA toolkit's lib64/stubs has a libcuda.so without contents: every call fails with \"CUDA driver is a "
      "stub library\" (34). A stubs directory must never be on a search path at run time; take it off "
      "LD_LIBRARY_PATH and ld.so.conf.",
      "CUDA 工具包的 lib64/stubs 里有一个没有实际内容的 libcuda.so：每次调用都会报 “CUDA driver is a stub library”"
      "（34）。stubs 目录绝不能出现在运行时的搜索"
      "路径上；请把它从 LD_LIBRARY_PATH 和 ld.so.conf 中去掉。"}},
    {ProblemCode::LoadOrder,
     {"found only because another object brought the library in before", "只因别的对象先加载了该库才能找到"},
     {"On its own the file would not find the library: the loader takes an object that is loaded already, by its "
      "SONAME. With another order of loading or importing it fails. Give the file an RPATH or RUNPATH of its own.",
      "单独来看，该文件找不到这个库：动态链接器按 SONAME 复用了已加载的对象。加载或 import 的顺序一变就会失败。"
      "请给该文件设置自己的 RPATH 或 RUNPATH。"}},
    {ProblemCode::LoadedBefore,
     {"an object that is loaded already is taken, where a search would find another file",
      "已加载的对象被复用，而单独搜索会得到另一个文件"},
     {"The loader first compares the name with the SONAMEs of what the process has loaded, and searches only if none "
      "fits. The program, or an import before, has brought in another copy than the one that the RPATH or RUNPATH of "
      "this "
      "file leads to. If it is older, versions or symbols can be missing although ldd shows the right file. Import in "
      "another order, or let both find one copy.",
      "动态链接器先把名字与进程中已加载对象的 SONAME 比较，都不符合才去搜索。程序本身或先前的 import 已经带入了另一份，"
      "而不是该文件的 "
      "RPATH、RUNPATH 所指的那份。如果那份较旧，即使 ldd 显示的文件是对的，也可能缺少版本或符号。请调整 import 顺序，"
      "或让两边找到同一份。"}},
    {ProblemCode::Shadowed,
     {"an earlier entry of the search hides another file of that name", "搜索顺序靠前的条目遮住了后面的同名文件"},
     {"The library is found, and a later entry has a different file of that name. Nothing is wrong if the first is "
      "the one you want; if an old copy wins, this is the cause. The report names both.",
      "库找到了，而后面的条目里还有另一个同名文件。如果先找到的正是想要的就没有问题；如果旧副本排在了前面，这就是原因。"
      "报告会列出两者。"}},
    {ProblemCode::RpathVoid,
     {"DT_RPATH is there, but DT_RUNPATH beside it disables it", "有 DT_RPATH，但因同时存在 DT_RUNPATH 而失效"},
     {"A file with both tags is searched by RUNPATH alone, and RUNPATH is not handed down to what its libraries "
      "need. Keep one of them (patchelf --force-rpath, or --enable-new-dtags of the linker).",
      "同时带有两种标签的文件只按 RUNPATH 搜索，而 RUNPATH 不会传给它所依赖的库。请只保留一种（patchelf --force-rpath，"
      "或链接器的 --enable-new-dtags）。"}},
    {ProblemCode::ForeignFile,
     {"a file of another machine or word size was passed over", "跳过了其他机器类型或位数的同名文件"},
     {"The search met a file of that name for another architecture, passed over it silently and went on. Harmless "
      "as such; it shows that a directory for another architecture is on the search path.",
      "搜索途中遇到其他体系结构的同名文件，动态链接器不声不响地跳过并继续。本身无害，但说明搜索路径里混入了其他体系结"
      "构的目录。"}},
    {ProblemCode::BrokenLink,
     {"a link of that name leads nowhere or in a circle", "同名的符号链接悬空或成环"},
     {"The link's target was removed or moved (a toolkit was uninstalled, a package half updated). To the loader "
      "there is no such file. Install the package again, or make the link again: for system directories ldconfig "
      "does that.",
      "链接的目标已被删除或移动（卸载了工具包、软件包只升级了一半）。对动态链接器来说，这个文件不存在。"
      "请重新安装软件包或重建链接；系统目录里的链接由 ldconfig 维护。"}},
    {ProblemCode::UnsafeElement,
     {"an empty, relative or world-writable entry stands before trusted directories",
      "搜索路径中有空的、相对的或任何人可写的条目"},
     {"An empty or relative entry means the current directory: who can write there decides which code is loaded, "
      "and the answer changes with cd. Mostly a stray colon (LD_LIBRARY_PATH=$X: with X unset). Remove it or make "
      "it absolute.",
      "空条目或相对路径表示当前目录：谁能写那里，谁就能决定加载什么代码，而且 cd 之后结果会变。"
      "多半是多了一个冒号（LD_LIBRARY_PATH=$X: 而 X 未设置）。请去掉它或改为绝对路径。"}},
    {ProblemCode::StaleCache,
     {"ld.so.cache is older than a directory that it lists", "ld.so.cache 比其中列出的目录旧"},
     {"Files came or went since ldconfig last ran; the loader believes the cache. A library in that directory may "
      "not be found, or a removed one still be tried. Run ldconfig as root.",
      "上次运行 ldconfig 之后目录里的文件有增减，而动态链接器以缓存为准：新装的库可能找不到，已删除的仍会被尝试。请以 "
      "root 运行 ldconfig。"}},
    {ProblemCode::PreloadInEffect,
     {"a preloaded library comes before all others", "有预加载库生效，优先于其他所有库"},
     {"LD_PRELOAD or /etc/ld.so.preload names a library that is loaded into the process, and its symbols win. "
      "Intended for allocators and tracers; a forgotten one explains what nothing else does.",
      "LD_PRELOAD 或 /etc/ld.so.preload 指定的库会被加载进进程，其符号优先。用于内存分配器和跟踪工具；"
      "忘了去掉的预加载往往能解释莫名其妙的现象。"}},
    {ProblemCode::PreloadIgnored,
     {"a preload cannot be loaded and is passed over with a warning", "预加载库无法加载，被忽略并给出警告"},
     {"The program starts without it; what it was for (an allocator, a fix for static TLS) does not happen. Correct "
      "the path or remove the entry.",
      "程序会在没有它的情况下启动，它原本的作用（内存分配器、解决静态 TLS 问题等）不会生效。请改正路径或删除该项。"}},
    {ProblemCode::Note,
     {"something else that can change the answer", "其他可能影响结论的情况"},
     {"A remark without a code of its own, such as an auxiliary filter that is not found, or an audit module that "
      "could rewrite names.",
      "没有单独代码的提示，例如找不到的辅助过滤库，或可能改写名字的审计模块。"}},
};

}  // namespace

std::span<const ProblemWords> all_problem_words() { return kWords; }

const ProblemWords* find_problem_words(std::string_view code) {
  const auto found = std::find_if(std::begin(kWords), std::end(kWords),
                                  [&](const ProblemWords& words) { return code_of(words.code) == code; });
  return found == std::end(kWords) ? nullptr : &*found;
}

}  // namespace soresolve
