// What is found, but surprises, or will be opened later and fail. One row for each code, and the sentences of its
// cases. Names are those that the rules in lib/diagnose use; the words are checked with real files by the goldens of
// `why`.
#include "catalogue/problems.h"

namespace soresolve {
namespace {

constexpr ProblemRow kSearchProblems[] = {
    {.code = ProblemCode::DlopenMissing,
     .meaning = {"a library that is opened at run time would not be found or loaded",
                 "运行时通过 dlopen 打开的库将无法找到或加载"},
     .help =
         {"Not in DT_NEEDED, so the start succeeds; the code opens it by name later (a note of the file, a table of "
          "known packages or a string in it says so). The report says how certain that is, and if a file is found, "
          "which library, version or symbol it lacks. Install it, or ignore it if that part is not used.",
          "它不在 DT_NEEDED 里，所以启动没有问题；代码稍后会按名字打开它（依据是文件中的注记、已知软件包的表，"
          "或文件里的字符串），报告会说明把握有多大；若文件找到了，则说明它缺少哪个库、版本或符号。请安装它；"
          "如果用不到那部分功能可以忽略。"}},
    {.code = ProblemCode::VersionUnproven,
     .meaning = {"a required version cannot be checked, or is only weakly required",
                 "所需的版本无法核实，或只是弱需求"},
     .help = {"The library found has no symbol versions at all, or the requirement is weak. The loader continues, with "
              "at most a warning; a missing function shows later. The usual cause is a private build that comes before "
              "the system's.",
              "找到的库完全没有符号版本，或者该需求是弱的。动态链接器最多给出警告，然后继续；缺少的函数之后才会暴露。"
              "多半是自行编译的库排在了系统库之前。"}},
    {.code = ProblemCode::TwoCopies,
     .meaning = {"two copies of one library are in the process", "同一个库在进程中有两份"},
     .help =
         {"Two files that are the same library (two libcudart, two libstdc++, two NCCL) are loaded under different "
          "names or paths. Each has its own state; objects bind to one or the other by search order. Errors come as "
          "crashes, \"invalid handle\" or wrong results rather than messages. Let all consumers find one.",
          "同一个库的两个文件（两份 libcudart、libstdc++ 或 NCCL）以不同的名字或路径被加载。它们各有自己的状态，"
          "各对象按搜索顺序绑定到其中之一。问题往往表现为崩溃、“invalid handle” 或错误的结果，而不是明确的报错。"
          "请让所有使用者找到同一份。"}},
    {.code = ProblemCode::StubLibrary,
     .meaning = {"a stub that is meant for linking only is loaded", "加载的是仅供链接使用的桩库"},
     .help =
         {"The CUDA toolkit's lib64/stubs has a libcuda.so without contents: every call fails with \"CUDA driver is a "
          "stub library\" (34). A stubs directory must never be on a search path at run time; take it off "
          "LD_LIBRARY_PATH and ld.so.conf.",
          "CUDA 工具包的 lib64/stubs 里有一个没有实际内容的 libcuda.so：每次调用都会报 “CUDA driver is a stub "
          "library”（34）。stubs 目录绝不能出现在运行时的搜索路径上；请把它从 LD_LIBRARY_PATH 和 ld.so.conf 中去掉。"}},
    {.code = ProblemCode::FileCut,
     .meaning = {"a file that is loaded is cut off: the end of its data is missing",
                 "加载的文件被截断：末尾的数据缺失"},
     .help =
         {"The loader maps a file without comparing its size with what the segments announce. Of a file that was "
          "cut off, by a full disk or an interrupted download, the rest of the last page reads as zeros, and each "
          "access to a page after it kills the process with SIGBUS. The program can start all the same. Install "
          "the file again.",
          "动态链接器映射文件时，并不把文件大小与各段声明的大小相比较。磁盘写满或下载中断而被截断的文件，最后一页的其余"
          "部分读出来都是零，访问其后的任何一页都会以 SIGBUS 终止进程；程序仍可能照常启动。请重新安装该文件。"}},
    {.code = ProblemCode::LoadOrder,
     .meaning = {"found only because another object has already loaded the library",
                 "只因别的对象先加载了该库才能找到"},
     .help =
         {"On its own the file would not find the library: the loader takes an object that is loaded already, by its "
          "SONAME. With another order of loading or importing it fails. Give the file an RPATH or RUNPATH of its own.",
          "单独来看，该文件找不到这个库：动态链接器按 SONAME 复用了已加载的对象。加载或 import 的顺序一变就会失败。"
          "请给该文件设置自己的 RPATH 或 RUNPATH。"}},
    {.code = ProblemCode::LoadedBefore,
     .meaning = {"an object that is loaded already is taken, where a search would find another file",
                 "已加载的对象被复用，而单独搜索会得到另一个文件"},
     .help = {"The loader first compares the name with the SONAMEs of what the process has loaded, and searches only "
              "if none fits. The program, or an import before, has loaded another copy than the one that the RPATH or "
              "RUNPATH of this file leads to. If it is older, versions or symbols can be missing although ldd shows "
              "the right file. Import in another order, or let both find one copy.",
              "动态链接器先把名字与进程中已加载对象的 SONAME 比较，都不符合才去搜索。程序本身或先前的 import "
              "已经带入了另一份，而不是该文件的 RPATH、RUNPATH 所指的那份。如果那份较旧，即使 ldd 显示的文件是对的，"
              "也可能缺少版本或符号。请调整 import 顺序，或让两边找到同一份。"}},
    {.code = ProblemCode::Shadowed,
     .meaning = {"an earlier entry of the search hides another file of that name",
                 "搜索顺序靠前的条目遮住了后面的同名文件"},
     .help =
         {"The library is found, and a later entry has a different file of that name. Nothing is wrong if the first "
          "is the one you want; if an old copy wins, this is the cause. The report names both.",
          "库找到了，而后面的条目里还有另一个同名文件。如果先找到的正是想要的就没有问题；如果旧副本排在了前面，"
          "这就是原因。报告会列出两者。"}},
    {.code = ProblemCode::RpathVoid,
     .meaning = {"DT_RPATH is there, but DT_RUNPATH beside it disables it",
                 "有 DT_RPATH，但因同时存在 DT_RUNPATH 而失效"},
     .help =
         {"A file with both tags is searched by RUNPATH alone, and RUNPATH is not handed down to what its libraries "
          "need. Keep one of them (patchelf --force-rpath, or --enable-new-dtags of the linker).",
          "同时带有两种标签的文件只按 RUNPATH 搜索，而 RUNPATH 不会传给它所依赖的库。请只保留一种（patchelf "
          "--force-rpath，或链接器的 --enable-new-dtags）。"}},
    {.code = ProblemCode::ForeignFile,
     .meaning = {"a file of another machine or word size was passed over", "跳过了其他机器类型或位数的同名文件"},
     .help = {"The search met a file of that name for another architecture, silently passed over it and continued. "
              "Harmless as such; it shows that a directory for another architecture is on the search path.",
              "搜索途中遇到其他体系结构的同名文件，动态链接器不声不响地跳过并继续。本身无害，"
              "但说明搜索路径里混入了其他体系结构的目录。"}},
    {.code = ProblemCode::BrokenLink,
     .meaning = {"a link of that name leads nowhere or in a circle", "同名的符号链接悬空或成环"},
     .help =
         {"The link's target was removed or moved (a toolkit was uninstalled, a package half updated). To the loader "
          "there is no such file. Install the package again, or make the link again: for system directories ldconfig "
          "does that.",
          "链接的目标已被删除或移动（卸载了工具包、软件包只升级了一半）。对动态链接器来说，这个文件不存在。"
          "请重新安装软件包或重建链接；系统目录里的链接由 ldconfig 维护。"}},
    {.code = ProblemCode::RpathMissing,
     .meaning = {"an entry of RPATH or RUNPATH does not exist", "RPATH 或 RUNPATH 中有不存在的条目"},
     .help =
         {"The loader tries the directory once and passes it over: it costs time at each start and hides that a "
          "library comes from somewhere else. Usually the file was moved, or a package that it expects beside it "
          "is not installed. soresolve why --rpath FILE shows which entries are used; patchelf --shrink-rpath "
          "removes the others.",
          "动态链接器试一次后就跳过该目录：每次启动都要多花时间，也掩盖了库其实来自别处。多半是文件被移动过，"
          "或者它所期待的相邻软件包没有安装。soresolve why --rpath FILE 会列出哪些条目有用；patchelf --shrink-rpath "
          "可去掉其余的。"}},
    {.code = ProblemCode::RpathDuplicate,
     .meaning = {"an entry of RPATH or RUNPATH is the same directory as one before it",
                 "RPATH 或 RUNPATH 中有条目与前面的条目是同一个目录"},
     .help =
         {"The second one finds nothing that the first does not. The loader drops it only if both expand to the "
          "same text. Usually two build tools added the same directory. It does no harm; patchelf --set-rpath "
          "tidies it.",
          "第二个条目找到的，第一个都能找到。只有展开后文本完全相同时，动态链接器才会丢弃它。多半是两个构建工具添加了"
          "同一目录。没有害处；可用 patchelf --set-rpath 整理。"}},
    {.code = ProblemCode::RpathDefault,
     .meaning = {"an entry of RPATH or RUNPATH is a default directory of the loader",
                 "RPATH 或 RUNPATH 中有动态链接器的默认目录"},
     .help =
         {"The loader searches it anyway, last. In an RPATH it comes before LD_LIBRARY_PATH, and in both before "
          "ld.so.cache, so that a library that was installed elsewhere on purpose is passed over. Build without it, or "
          "remove it with patchelf --set-rpath.",
          "动态链接器反正会在最后搜索它。写在 RPATH 中时，它排在 LD_LIBRARY_PATH 之前；两种标签都排在 ld.so.cache "
          "之前，特意装在别处的库因此会被跳过。构建时不要加它，或用 patchelf --set-rpath 去掉。"}},
    {.code = ProblemCode::RpathBuild,
     .meaning = {"an entry of RPATH or RUNPATH is a place of the machine that built the file",
                 "RPATH 或 RUNPATH 中有构建机器上的路径"},
     .help =
         {"The directory was there during the build and is not meant for other machines. Whoever can make it here "
          "decides which library is loaded; a temporary directory anyone can make. Install with the install step of "
          "the "
          "build system (cmake --install, libtool --mode=install), which rewrites RPATH, or use patchelf --set-rpath.",
          "该目录只在构建时存在，不是给其他机器用的。谁能在这里建出这个目录，谁就决定加载哪个库；临时目录任何人都能建。"
          "请用构建系统的安装步骤（cmake --install、libtool --mode=install）安装，它会改写 RPATH；或使用 patchelf "
          "--set-rpath。"}},
    {.code = ProblemCode::RpathStubs,
     .meaning = {"an entry of RPATH or RUNPATH is a directory of stub libraries", "RPATH 或 RUNPATH 中有桩库目录"},
     .help =
         {"The stubs of the CUDA toolkit are for the linker only. Where the toolkit is installed, the file gets the "
          "stub "
          "for the driver, and each call fails with error 34 (driver is a stub library). Link with -L and without "
          "-rpath for this directory; remove the entry with patchelf --set-rpath.",
          "CUDA 工具包的桩库只供链接器使用。在装有工具包的机器上，该文件会把桩库当作驱动，每次调用都报错误 34"
          "（驱动是桩库）。链接时对这个目录只用 -L，不要用 -rpath；可用 patchelf --set-rpath 去掉该条目。"}},
    {.code = ProblemCode::UnsafeElement,
     .meaning = {"an empty, relative or world-writable entry stands before trusted directories",
                 "搜索路径中有空的、相对的或任何人可写的条目"},
     .help =
         {"An empty or relative entry means the current directory: who can write there decides which code is loaded, "
          "and the answer changes with cd. Mostly a stray colon (LD_LIBRARY_PATH=$X: with X unset). Remove it or make "
          "it absolute.",
          "空条目或相对路径表示当前目录：谁能写那里，谁就能决定加载什么代码，而且 cd 之后结果会变。"
          "多半是多了一个冒号（LD_LIBRARY_PATH=$X: 而 X 未设置）。请去掉它或改为绝对路径。"}},
    {.code = ProblemCode::StaleCache,
     .meaning = {"ld.so.cache is older than a directory that it lists", "ld.so.cache 比其中列出的目录旧"},
     .help =
         {"Files came or went since ldconfig last ran; the loader believes the cache. A library in that directory may "
          "not be found, or a removed one still be tried. Run ldconfig as root.",
          "上次运行 ldconfig 之后目录里的文件有增减，而动态链接器以缓存为准：新装的库可能找不到，"
          "已删除的仍会被尝试。请以 root 运行 ldconfig。"}},
    {.code = ProblemCode::PreloadInEffect,
     .meaning = {"a preloaded library comes before all others", "有预加载库生效，优先于其他所有库"},
     .help = {"LD_PRELOAD or /etc/ld.so.preload names a library that is loaded into the process, and its symbols win. "
              "Intended for allocators and tracers; a forgotten one explains what nothing else does.",
              "LD_PRELOAD 或 /etc/ld.so.preload 指定的库会被加载进进程，其符号优先。用于内存分配器和跟踪工具；"
              "忘了去掉的预加载往往能解释莫名其妙的现象。"}},
    {.code = ProblemCode::PreloadIgnored,
     .meaning = {"a preload cannot be loaded and is passed over with a warning", "预加载库无法加载，被忽略并给出警告"},
     .help = {"The program starts without it; what it was for (an allocator, a fix for static TLS) does not happen. "
              "Correct the path or remove the entry.",
              "程序会在没有它的情况下启动，它原本的作用（内存分配器、解决静态 TLS 问题等）不会生效。"
              "请改正路径或删除该项。"}},
    {.code = ProblemCode::Note,
     .meaning = {"something else that can change the answer", "其他可能影响结论的情况"},
     .help =
         {"A remark without a code of its own, such as an auxiliary filter that is not found, or an audit module that "
          "could rewrite names.",
          "没有单独代码的提示，例如找不到的辅助过滤库，或可能改写名字的审计模块。"}},
};

constexpr Sentence kSearchSentences[] = {
    // What is opened later.
    {"opened-not-found",
     {"{library}, which {opener} opens by itself ({importance}), is not found{use}",
      "找不到 {opener} 自己打开的 {library}（{importance}）{use}"}},
    {"opened-fails",
     {"{library}, which {opener} opens by itself ({importance}), is found, but dlopen fails: {reason}{use}",
      "找到了 {opener} 自己打开的 {library}（{importance}），但 dlopen 失败：{reason}{use}"}},
    {"opened-fails-at-call",
     {"{library}, which {opener} opens by itself ({importance}), is found, but the first call of what is missing will "
      "end the process; with RTLD_NOW dlopen fails: {reason}{use}",
      "找到了 {opener} 自己打开的 {library}（{importance}），但第一次调用缺少的符号时进程会终止；用 RTLD_NOW 时 "
      "dlopen 失败：{reason}{use}"}},
    {"is-for", {"; it is for: {use}", "；用途：{use}"}},
    {"several-not-there",
     {"{count} libraries that {opener} opens by itself will not be there: {libraries}",
      "{opener} 自己打开的库中有 {count} 个不存在：{libraries}"}},
    {"several-broken",
     {"{count} libraries that {opener} opens by itself are missing or broken: {libraries}",
      "{opener} 自己打开的库中有 {count} 个缺失或损坏：{libraries}"}},
    {"by-note-at", {"its dlopen note at file offset {offset}", "其 dlopen 注记，位于文件偏移 {offset}"}},
    {"by-known", {"{title} ({source})", "{title}（{source}）"}},
    {"by-constant-at", {"a constant at file offset {offset}", "文件偏移 {offset} 处的常量"}},
    {"known-by", {"{evidence}, by {source}", "{evidence}，依据：{source}"}},
    {"opened-stub",
     {"{path}, which {opener} opens by itself, is a stub to link against, not the library",
      "{opener} 自己打开的 {path} 是仅供链接的桩库，不是真正的库"}},

    // Versions that prove nothing.
    {"provider-unversioned",
     {"{provider} has no symbol versions at all, where {needer} was linked against {version}",
      "{provider} 完全没有符号版本，而 {needer} 是针对 {version} 链接的"}},
    {"version-missing-weak",
     {"{provider} does not define {version}, which {needer} requires weakly: the start goes on, a call into it would "
      "fail",
      "{provider} 没有定义 {needer} 以弱方式要求的 {version}：启动会继续，但调用它会失败"}},

    // Right, but surprising.
    {"load-order",
     {"{library} works only by load order: it is taken from {path}, which {loader} brought in before; a search of its "
      "own would not find it for",
      "{library} 只靠加载顺序才可用：它取自 {path}，由 {loader} 先行加载；若自己搜索，以下对象找不到它"}},
    {"loaded-before",
     {"{library} is {path}, which is loaded already ({how}); a search of its own would lead elsewhere",
      "{library} 就是已经加载的 {path}（{how}）；若自己搜索，会得到别的文件"}},
    {"alone-would-get", {"{object} alone would get {path}", "{object} 单独会得到 {path}"}},
    {"opened-before", {"it was opened before", "之前已被打开"}},
    {"brought-in", {"{object} brought it in", "由 {object} 引入"}},
    {"brought-in-at-start", {"{object} brought it in at the start", "启动时由 {object} 引入"}},
    {"brought-in-before", {"{object} brought it in before", "之前由 {object} 引入"}},
    {"shadowed",
     {"{library} is taken from {path} ({step}), before another file of that name",
      "{library} 取自 {path}（{step}），排在另一个同名文件之前"}},
    {"rpath-void",
     {"{object} has both RPATH and RUNPATH: ld.so ignores the RPATH",
      "{object} 同时有 RPATH 和 RUNPATH：ld.so 忽略 RPATH"}},
    {"rpath-is", {"RPATH   {list}", "RPATH   {list}"}},
    {"runpath-is", {"RUNPATH {list}", "RUNPATH {list}"}},
    {"stale-cache",
     {"{cache} is older than directories that it lists: libraries that came or went since are not in it until "
      "ldconfig runs",
      "{cache} 比它所列的目录旧：此后增减的库要等运行 ldconfig 后才会反映出来"}},
    {"directory-gone", {"{path} (is gone)", "{path}（已不存在）"}},
    {"foreign-file",
     {"a file of another kind was passed over on the way to {library}, which is taken from {path}",
      "搜索 {library} 途中跳过了不匹配的文件，最终取自 {path}"}},
    {"link-nowhere",
     {"{path} is a symbolic link that leads nowhere: for ld.so there is no {library} in that place{tail}",
      "{path} 是悬空的符号链接：对 ld.so 来说该处没有 {library}{tail}"}},
    {"link-in-circle",
     {"{path} is a symbolic link that leads in a circle: for ld.so there is no {library} in that place{tail}",
      "{path} 是循环的符号链接：对 ld.so 来说该处没有 {library}{tail}"}},
    {"directory-link-nowhere",
     {"the directory {path} is a symbolic link that leads nowhere: for ld.so nothing below it is there{tail}",
      "目录 {path} 是悬空的符号链接：对 ld.so 来说其下什么都没有{tail}"}},
    {"directory-link-in-circle",
     {"the directory {path} is a symbolic link that leads in a circle: for ld.so nothing below it is there{tail}",
      "目录 {path} 是循环的符号链接：对 ld.so 来说其下什么都没有{tail}"}},
    {"stops-at-loop",
     {", nor does it look into the directories of this list behind it (error ELOOP)",
      "，并且不再查看该列表中它后面的目录（错误 ELOOP）"}},
    {"link-target", {"{path} -> {target}", "{path} -> {target}"}},
    {"file-cut",
     {"{path} is cut off: {missing} of the {whole} bytes that it announces are missing; they read as zeros, or kill "
      "the process that touches them (SIGBUS)",
      "{path} 被截断：它声明的 {whole} 个字节中缺少 {missing} 个；这些字节读出来是零，或者一经访问就终止进程"
      "（SIGBUS）"}},
    {"file-cut-proof",
     {"{path}: {size} bytes, and its segments go to byte {whole}",
      "{path}：共 {size} 字节，而它的段一直到第 {whole} 字节"}},
    {"stub-library",
     {"{path} is a stub to link against, not the library: its functions are there, but each call of them fails (CUDA: "
      "error 34, stub library)",
      "{path} 是仅供链接的桩库，不是真正的库：函数都在，但每次调用都会失败（CUDA：错误 34，stub library）"}},
    {"two-copies",
     {"{count} copies of {family} are in one process, each with a state of its own; what one of them has set up or "
      "allocated, another does not know",
      "同一进程中有 {count} 份 {family}，各有自己的状态；其中一份初始化或分配的东西，另一份并不知道"}},
    {"copy", {"{path}{about}", "{path}{about}"}},
    {"copy-soname", {" ({soname})", "（{soname}）"}},
    {"copy-needers", {", needed by {needers}", "，被 {needers} 需要"}},
    {"copy-strangers",
     {"; symbols of {referrers} end here, too, although another copy was requested",
      "；{referrers} 的符号也绑定到这里，尽管它们要的是另一份"}},
    {"preload-in-effect",
     {"preloads are in effect: their symbols come before those of every other library, and what they bring in "
      "satisfies later requests of the same name",
      "预加载生效：其符号排在所有其他库之前，并且它们引入的库会满足之后的同名请求"}},
    {"rpath-missing",
     {"the entry '{entry}' leads to {directory}, which does not exist", "条目 '{entry}' 指向不存在的 {directory}"}},
    {"rpath-no-directory",
     {"the entry '{entry}' leads to {directory}, which is no directory",
      "条目 '{entry}' 指向 {directory}，它不是目录"}},
    {"rpath-duplicate",
     {"the entry '{entry}' leads to {directory}, as '{first}' before it does",
      "条目 '{entry}' 与前面的 '{first}' 一样指向 {directory}"}},
    {"rpath-default",
     {"the entry '{entry}' is a default directory, which the loader searches anyway",
      "条目 '{entry}' 是默认目录，加载器反正会搜索它"}},
    {"rpath-stubs",
     {"the entry '{entry}' is a directory of stubs, which are for linking only",
      "条目 '{entry}' 是桩库目录，其中的库仅供链接使用"}},
    {"rpath-build",
     {"the entry '{entry}' is a place of the machine that built the file: {place}",
      "条目 '{entry}' 是构建机器上的路径：{place}"}},
    {"build-place-conda", {"an environment of conda-build", "conda-build 的环境"}},
    {"build-place-rpm", {"a build directory of rpmbuild or mock", "rpmbuild 或 mock 的构建目录"}},
    {"build-place-debian", {"a build directory of sbuild or pbuilder", "sbuild 或 pbuilder 的构建目录"}},
    {"build-place-ci", {"a workspace of GitHub Actions", "GitHub Actions 的工作区"}},
    {"build-place-temporary", {"a temporary directory, which anyone can make", "临时目录，任何人都能创建"}},
    {"build-place-home", {"a home directory, which is not on this machine", "主目录下的路径，这台机器上没有"}},
    {"rpath-entry-empty", {"(empty: the current directory)", "（空：当前目录）"}},
    {"empty-element",
     {"{list} has an empty element, which means the current directory: whoever can write to the directory "
      "where the program is started can make it load other libraries",
      "{list} 中有空元素，即当前目录：谁能在程序启动的目录写入，谁就能让它加载自己的库"}},
    {"relative-element",
     {"{list} has the relative directory '{element}', which depends on where the program is started",
      "{list} 中有相对目录 '{element}'，其含义取决于程序从哪里启动"}},
    {"tilde-element",
     {"{list} has '{element}', and ld.so does not expand ~: it is a directory of that name below the current one; "
      "write $HOME or the whole path",
      "{list} 中有 '{element}'，而 ld.so 不会展开 ~：它指当前目录下的同名目录；请写成 $HOME 或完整路径"}},
    {"writable-directory",
     {"{directory}, from {list}, may be written to by everybody: whoever puts a library there has it loaded before "
      "the system's own",
      "{directory}（来自 {list}）任何人都可写入：放在那里的库会先于系统的库被加载"}},

    // Preloads and filters that are passed over.
    {"preload-ignored", {"the preload {library} is passed over with a warning", "预加载库 {library} 被跳过，只有警告"}},
    {"auxiliary-not-found",
     {"the auxiliary filter library {library} of {needer} is not found; ld.so starts without it",
      "找不到 {needer} 的辅助过滤库 {library}；ld.so 不用它也会继续启动"}},
};

constexpr auto kSearchSentencesByName = places_by_name(kSearchSentences);

}  // namespace

std::span<const ProblemRow> search_problems() { return kSearchProblems; }

SentenceTable search_problem_sentences() { return {kSearchSentences, kSearchSentencesByName}; }

}  // namespace soresolve
