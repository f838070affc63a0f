// What ends a start or a dlopen, or may end it: libraries, versions, symbols, processor, stack, thread-local storage.
// One row for each code, and the sentences of its cases. Sources: glibc elf/dl-load.c, dl-version.c, dl-lookup.c, as
// the rules in lib/diagnose cite them.
#include "catalogue/problems.h"

namespace soresolve {
namespace {

constexpr ProblemRow kLoaderProblems[] = {
    {.code = ProblemCode::NoInterpreter,
     .meaning = {"the loader that the program names (PT_INTERP) is missing, or the kernel refuses it",
                 "程序指定的动态链接器（PT_INTERP）不存在，或被内核拒绝"},
     .help =
         {"A dynamic program names its loader by an absolute path, and the kernel opens exactly that file. Where it is "
          "missing, execve fails with \"No such file or directory\" although the program is there; newer shells print "
          "\"required file not found\". The program was built for another C library (glibc on Alpine, musl on Debian), "
          "for a machine whose libraries are not installed (i386 on x86-64), or for another layout (Nix, a toolchain). "
          "Take a build for this system or install that loader; another loader of the same C library can be set "
          "with patchelf --set-interpreter.",
          "动态程序用绝对路径指定它的动态链接器，内核只打开这一个文件。如果它不存在，即使程序本身存在，execve 也会报 "
          "“No such file or directory”；较新的 shell 会打印 “required file not found”。程序可能面向另一种 C "
          "库（在 Alpine 上运行 glibc 程序，在 Debian 上运行 musl 程序）、"
          "面向尚未安装其库的体系结构（x86-64 上的 i386），"
          "或面向另一种目录布局（Nix、工具链）。请换用适合本系统的版本，或安装该动态链接器；"
          "如果有同一种 C 库的另一个动态链接器，可用 patchelf --set-interpreter 指定它。"}},
    {.code = ProblemCode::NotPermitted,
     .meaning = {"the user is not allowed to execute the program, or to read the library",
                 "当前用户无权执行该程序，或无权读取该库"},
     .help =
         {"execve needs the right to execute the program and to search each directory above it; the loader needs the "
          "right to read a library. A file that was downloaded or unpacked has often lost its execute bit: chmod +x. "
          "For root or another user (--user) the answer can be another.",
          "execve 需要对程序的执行权限以及对每一级上级目录的搜索权限；动态链接器需要对库的读取权限。"
          "下载或解包得到的文件常常丢失执行位：用 chmod +x 恢复。换成 root 或其他用户（--user）结果可能不同。"}},
    {.code = ProblemCode::ForeignLibc,
     .meaning = {"a file was built for another libc (glibc, musl) than the one of this system",
                 "文件面向的 libc（glibc、musl）不是本系统的 libc"},
     .help = {"A program or library that was built for glibc uses glibc's functions and files, which musl (Alpine) "
              "does not have, and the other way round; a process has one libc, the one that its loader belongs to. "
              "Small libraries of glibc work under musl by chance; this one misses something. Take a base image with "
              "the libc that it was built for, or a build for this one: a manylinux wheel is for glibc, a musllinux "
              "wheel for musl. gcompat stands in for glibc's loader and helps small programs that are started through "
              "it, not a library that a program of musl opens.",
              "面向 glibc 编译的程序或库要用 glibc 的函数和文件，而 musl（Alpine）没有它们，反之亦然；一个进程只有一个 "
              "libc，即它的动态链接器所属的那个。小的 glibc 库在 musl 下碰巧能用；这一个缺少东西。"
              "请换用带有相应 libc 的基础镜像，或换用为本系统 libc 编译的版本：manylinux wheel 面向 glibc，"
              "musllinux wheel 面向 musl。gcompat 代替 glibc 的动态链接器，只帮助经由它启动的小程序，"
              "帮不了由 musl 程序打开的库。"}},
    {.code = ProblemCode::MissingLibrary,
     .meaning = {"a needed library is in none of the places that the loader searches",
                 "所需的共享库不在动态链接器搜索的任何位置"},
     .help =
         {"Some file of the process names the library in DT_NEEDED, and RPATH, LD_LIBRARY_PATH, RUNPATH, ld.so.cache "
          "and the default directories have no usable file of exactly that name. The program does not start; in "
          "Python the import fails. Install what brings this very name, or let the search reach where it is. Another "
          "version under a link of that name is still another library.",
          "进程中的某个文件在 DT_NEEDED 里写了这个库，而 RPATH、LD_LIBRARY_PATH、RUNPATH、ld.so.cache "
          "和默认目录里都没有恰好同名且可用的文件。程序无法启动；在 Python 中则是 import 失败。"
          "请安装提供这个名字的软件包，或让搜索路径包含它所在的目录。把别的版本链接成这个名字，它仍然是另一个库。"}},
    {.code = ProblemCode::WrongClass,
     .meaning = {"the library is there only for the other word size (32 or 64 bit)", "只找到位数不符（32/64 位）的库"},
     .help =
         {"The loader passes over files of the other ELF class and goes on searching; it found nothing else. A 32-bit "
          "program needs 32-bit libraries. Install the library for the architecture of the process.",
          "动态链接器会跳过位数不符的 ELF 文件继续搜索，但后面没有别的了。32 位程序需要 32 位的库。"
          "请安装与进程体系结构一致的库。"}},
    {.code = ProblemCode::FatalCandidate,
     .meaning = {"a file that shadows the right one cannot be used, and the loader does not look further",
                 "搜索途中遇到无法使用的文件，动态链接器不再往后找"},
     .help = {"A file of the right name was found that is not an ELF file, is truncated or is damaged. The loader does "
              "not pass over such files: it ends the start, even if a good file stands in a later directory. Remove or "
              "replace the file, or take its directory off the search path.",
              "找到了同名的文件，但它不是 ELF 文件、被截断或已损坏。动态链接器不会跳过这种文件，而是直接终止启动，"
              "即使后面的目录里有好的文件。请删除或替换该文件，或把它所在的目录从搜索路径中去掉。"}},
    {.code = ProblemCode::WouldCrash,
     .meaning = {"the loader itself would die of a signal or an assertion on this file",
                 "动态链接器自身会因该文件崩溃或断言失败"},
     .help = {"The file passes the loader's first checks, but its tables or segments lead outside of it: truncated, "
              "or edited by a tool that did not keep them consistent. Replace the file with the one its package ships.",
              "该文件通过了最初的检查，但其中的表或段指向文件之外：文件被截断，或被工具改写后前后不一致。"
              "请换回软件包原装的文件。"}},
    {.code = ProblemCode::WouldBlock,
     .meaning = {"opening a file of that name would wait forever", "打开搜索途中的某个文件会永远阻塞"},
     .help = {"A FIFO (named pipe) has the name of a library that is searched. The loader opens it and waits for a "
              "writer. Remove it.",
              "搜索途中有一个与库同名的 FIFO（命名管道）。动态链接器打开它之后会一直等待写入者。请删除它。"}},
    {.code = ProblemCode::BadToken,
     .meaning = {"a dynamic string token ($ORIGIN, $LIB, $PLATFORM) is refused or has no value",
                 "动态字符串标记（$ORIGIN、$LIB、$PLATFORM）被拒绝或没有值"},
     .help = {"A set-uid program may not use tokens in the names of its libraries, and $ORIGIN has no value without "
              "/proc. Use an absolute path, or mount /proc.",
              "set-uid 程序的库名中不允许使用这些标记；没有 /proc 时 $ORIGIN 没有值。请使用绝对路径，或挂载 /proc。"}},
    {.code = ProblemCode::VersionFile,
     .meaning = {"symbol versions are required from a library that nothing loads under that name",
                 "版本需求所指的文件没有以该名字被加载"},
     .help = {"DT_VERNEED and DT_NEEDED of the file disagree: a tool (patchelf --replace-needed, auditwheel, a hex "
              "editor) changed the one and not the other. The loader ends with an assertion. Change both, or take the "
              "original file.",
              "该文件的 DT_VERNEED 与 DT_NEEDED 不一致：工具（patchelf --replace-needed、auditwheel、十六进制编辑器）"
              "只改了其中之一。动态链接器会断言失败。请两者一起修改，或使用原文件。"}},
    {.code = ProblemCode::VersionTable,
     .meaning = {"the symbol version table of a file is damaged or of an unknown kind",
                 "文件的符号版本表已损坏，或是动态链接器不认识的格式"},
     .help =
         {"A record of DT_VERNEED or DT_VERDEF has another version than 1. There is only that one, so a tool has "
          "rewritten the file (LIEF 0.9, an old patchelf) and moved the table without its contents. The loader says "
          "\"unsupported version N of Verneed record\" (or Verdef). Take the original file, and change it with a "
          "current patchelf.",
          "DT_VERNEED 或 DT_VERDEF 中某条记录的版本号不是 1。这种记录只有版本 1，所以是某个工具（LIEF 0.9、旧版 "
          "patchelf）改写了文件，表移动了而内容没有跟上。动态链接器会报 “unsupported version N of Verneed record”（或 "
          "Verdef）。请换回原文件，并用较新的 patchelf 修改。"}},
    {.code = ProblemCode::VersionMissing,
     .meaning = {"the library found does not define a version that is required", "找到的库没有定义所需的符号版本"},
     .help =
         {"The name matches, but the library is older or another build: its DT_VERDEF lacks the node. The loader says "
          "\"version `V' not found\". Update the library, put the newer copy first, or use a build of the consumer "
          "for the older one.",
          "名字相符，但该库较旧或来源不同：它的 DT_VERDEF 中没有这个版本节点，动态链接器会报 “version `V' not "
          "found”。请升级该库、让较新的副本靠前，或换用面向旧版库的使用者。"}},
    {.code = ProblemCode::SymbolMissing,
     .meaning = {"a symbol that must be bound is defined by no library of the process",
                 "必须绑定的符号在进程的所有库中都没有定义"},
     .help = {"All libraries and versions are there, but the function or variable is not: one library is older than "
              "the one linked against, a stub, or of another variant. CUDA's libraries keep one version node for a "
              "whole major release, so that only the symbol shows it. Find the library that should have it and update "
              "that.",
              "库和版本都齐全，却缺少某个函数或变量：某个库比链接时的旧、是桩库，或是别的变体。CUDA "
              "的库在整个主版本内只有一个版本节点，因此只有符号能暴露问题。请找出本应提供它的库并升级。"}},
    {.code = ProblemCode::SymbolKind,
     .meaning = {"a thread-local variable is bound to a symbol that is not thread-local, or the reverse",
                 "线程局部变量绑定到了非线程局部的符号，或者反过来"},
     .help = {"The loader compares names and versions, not kinds. A thread-local variable has an offset in each "
              "thread's block, anything else an address: code that was compiled for one reads garbage or dies of a "
              "signal with the other. The variable was made thread-local (or no longer is) in another release of the "
              "library: take the release that the file was linked against, or compile the file anew.",
              "动态链接器只比较名字和版本，不比较种类。线程局部变量是各线程块内的偏移，其他符号则是地址："
              "为其中一种编译的代码遇到另一种时，会读到无意义的值或因信号终止。该变量在库的另一个版本中变成了"
              "（或不再是）线程局部的：请使用链接时的那个版本，或重新编译该文件。"}},
    {.code = ProblemCode::NotReadable,
     .meaning = {"a file of that name cannot be read by this user", "当前用户无法读取搜索途中的某个文件"},
     .help =
         {"The loader silently passes over a file that it may not open, and takes the next one or none. For root "
          "or another user the answer may differ. Check the permissions of the file and of each directory above it.",
          "动态链接器会不声不响地跳过无权打开的文件，改用后面的，或者一个也找不到。换成 root "
          "或其他用户结果可能不同。请检查该文件及其每一级上级目录的权限。"}},
    {.code = ProblemCode::CpuLevel,
     .meaning = {"a library needs a newer processor level than this one has", "某个库要求的处理器级别高于当前处理器"},
     .help =
         {"The file is marked for x86-64-v2, -v3 or -v4. Since glibc 2.33 the loader refuses it with \"CPU ISA level "
          "is lower than required\"; older ones load it, and it dies of an illegal instruction. Take a build for the "
          "lower level, or give the virtual machine the host's processor.",
          "该文件标记为需要 x86-64-v2、-v3 或 -v4。glibc 2.33 起动态链接器会拒绝并报 “CPU ISA level is lower than "
          "required”；更早的版本会加载它，然后因非法指令崩溃。请换用较低级别的版本，"
          "或让虚拟机使用宿主机的处理器特性。"}},
    {.code = ProblemCode::ExecStack,
     .meaning = {"a library requires an executable stack", "某个库要求可执行的栈"},
     .help =
         {"PT_GNU_STACK has the flag X or is missing. Since glibc 2.41 dlopen refuses such a library; a library that "
          "is needed from the start still makes the stack executable. Hardly any really needs it: clear the flag "
          "(patchelf --clear-execstack) or take a newer build.",
          "PT_GNU_STACK 带有 X 标志或不存在。glibc 2.41 起 dlopen 会拒绝这样的库；"
          "启动时就依赖的库仍会让栈变为可执行。几乎没有库真正需要它：请清除该标志（patchelf --clear-execstack），"
          "或换用较新的版本。"}},
    {.code = ProblemCode::StaticTlsFull,
     .meaning = {"thread-local variables of a library do not fit when it is loaded by dlopen",
                 "通过 dlopen 加载时，库的线程局部变量放不进静态 TLS"},
     .help = {"The library uses the initial-exec model (DF_STATIC_TLS): its variables must fit into what every thread "
              "reserved at the start, 1664 bytes unless tunables say otherwise. They do not, so dlopen fails. Link the "
              "program with the library, preload it, or raise glibc.rtld.optional_static_tls in GLIBC_TUNABLES (glibc "
              "2.32 and newer).",
              "该库使用 initial-exec 模型（DF_STATIC_TLS）：它的变量必须放进每个线程启动时预留的空间（默认 1664 字节，"
              "可由 tunables 改变）。现在放不下，所以 dlopen 会失败。请让程序在链接时就依赖该库、用 LD_PRELOAD 预加载，"
              "或在 GLIBC_TUNABLES 中加大 glibc.rtld.optional_static_tls（glibc 2.32 起）。"}},
    {.code = ProblemCode::StaticTls,
     .meaning = {"thread-local variables of a library may not fit when it is loaded late",
                 "较晚加载的库，其线程局部变量可能放不进静态 TLS"},
     .help =
         {"The library uses the initial-exec model (DF_STATIC_TLS): its variables must fit into what every thread "
          "reserved at the start. Loaded by dlopen after others, it can fail with \"cannot allocate memory in static "
          "TLS block\". Load it first, preload it, or raise glibc.rtld.optional_static_tls.",
          "该库使用 initial-exec 模型（DF_STATIC_TLS）：它的变量必须放进每个线程启动时预留的空间。"
          "如果在别的库之后才 dlopen，可能报 “cannot allocate memory in static TLS block”。请让它最先加载、用 "
          "LD_PRELOAD 预加载，或加大 glibc.rtld.optional_static_tls。"}},
};

constexpr Sentence kLoaderSentences[] = {
    // A library that is lost.
    {"library-not-found",
     {"{library} is not found: none of the places that ld.so searches for {needer} has it",
      "找不到 {library}：ld.so 为 {needer} 搜索的所有位置都没有它"}},
    {"library-of-other-class",
     {"{library} is found only as a file of the other word size (32/64 bit), which ld.so passes over",
      "只找到位数（32/64 位）不符的 {library}，ld.so 会跳过它"}},
    {"fatal-candidate",
     {"the file that ld.so takes for {library} cannot be used, and ld.so does not look further: {reason}",
      "ld.so 选中的 {library} 文件无法使用，而且不会再往后找：{reason}"}},
    {"bad-token", {"the name {library} cannot be used here: {reason}", "名字 {library} 在这里不能使用：{reason}"}},
    {"in-runpath-of",
     {"{path} is in the RUNPATH of {owner}, but a RUNPATH counts only for what that file itself needs",
      "{path} 在 {owner} 的 RUNPATH 中，但 RUNPATH 只用于该文件自己需要的库"}},
    {"in-rpath-of",
     {"{path} is in the RPATH of {owner}, which did not load {needer} and so does not hand it down",
      "{path} 在 {owner} 的 RPATH 中，但 {needer} 不是由它加载的，因此不会继承"}},
    {"search-spent",
     {"whether other objects would find what is missing is not fully known: that would take more than {count} "
      "places to look in",
      "其他对象能否找到缺少的库无法完全得知：需要查看的位置超过 {count} 个"}},

    // What comes into no process.
    {"interpreter-missing",
     {"{file} is there, but its interpreter {interpreter} (PT_INTERP, the dynamic loader) is not",
      "{file} 存在，但它的解释器 {interpreter}（PT_INTERP，即动态链接器）不存在"}},
    {"interpreter-refused",
     {"the kernel refuses the interpreter {interpreter} (PT_INTERP, the dynamic loader) of {file}: {reason}",
      "内核拒绝 {file} 的解释器 {interpreter}（PT_INTERP，即动态链接器）：{reason}"}},
    {"interpreter-named", {"PT_INTERP of {file} is {interpreter}", "{file} 的 PT_INTERP 为 {interpreter}"}},
    {"may-not-execute", {"{user} is not allowed to execute {file}", "{user} 无权执行 {file}"}},
    {"script-interpreter",
     {"{file} is a script, and the kernel does not start the interpreter {interpreter} of its first line: {reason}",
      "{file} 是脚本，内核无法启动它第一行里的解释器 {interpreter}：{reason}"}},
    {"script-windows-line",
     {"{file} is a script with Windows line ends: the kernel looks for an interpreter whose name ends with a carriage "
      "return",
      "{file} 是带 Windows 换行符的脚本：内核会去找名字以回车符结尾的解释器"}},
    {"program-on-noexec",
     {"{file} is on a file system that is mounted with noexec: the kernel starts no program there",
      "{file} 所在的文件系统以 noexec 挂载：内核不会从那里启动任何程序"}},
    {"library-on-noexec",
     {"{library} is on a file system that is mounted with noexec: the kernel maps no code from there",
      "{library} 所在的文件系统以 noexec 挂载：内核不会映射那里的代码"}},
    {"may-not-read", {"{user} is not allowed to read {file}", "{user} 无权读取 {file}"}},

    // The loader's own end.
    {"would-crash",
     {"ld.so would die of a signal on {object}: {reason}", "ld.so 会在 {object} 上因信号而终止：{reason}"}},
    {"would-die", {"ld.so would die of a signal: {reason}", "ld.so 会因信号而终止：{reason}"}},
    {"would-block", {"ld.so would wait forever on {object}: {reason}", "ld.so 会在 {object} 上永远等待：{reason}"}},
    {"filter-assertion",
     {"an assertion of ld.so fails: it does not expect filters (DT_FILTER, DT_AUXILIARY) or the vDSO in this order",
      "ld.so 的一个断言失败：它没有料到过滤库（DT_FILTER、DT_AUXILIARY）或 vDSO 以这种顺序出现"}},
    {"dynamic-assertion",
     {"an assertion of ld.so fails: the dynamic section of {library} has a value that no link editor writes; the file "
      "is damaged",
      "ld.so 的一个断言失败：{library} 的动态段里有链接器不会写出的值，文件已损坏"}},
    {"exec-stack-refused",
     {"{object} requires an executable stack (PT_GNU_STACK), and since glibc 2.41 a running process gets none: it has "
      "to be rebuilt without an executable stack (or execstack -c)",
      "{object} 要求可执行栈（PT_GNU_STACK），而从 glibc 2.41 起运行中的进程得不到它：请重新编译该文件，或用 "
      "execstack -c 清除标记"}},
    {"exec-stack-forbidden",
     {"{object} requires an executable stack (PT_GNU_STACK), and GLIBC_TUNABLES=glibc.rtld.execstack=0 forbids it to "
      "every program",
      "{object} 要求可执行栈（PT_GNU_STACK），而 GLIBC_TUNABLES=glibc.rtld.execstack=0 对所有程序禁止它"}},
    {"start-ends", {"the start ends before the program runs: {reason}", "程序还没运行，启动就结束了：{reason}"}},
    {"first-call-ends",
     {"the first call of a symbol that is bound lazily ends the program: {reason}",
      "第一次调用延迟绑定的符号时程序终止：{reason}"}},

    // Of two libcs.
    {"built-for-glibc-release",
     {"{object} is built for glibc {release} or newer; this root has musl {here}: it cannot load; take a glibc base "
      "image or a musllinux wheel",
      "{object} 面向 glibc {release} 或更新版本；此系统根是 musl {here}：无法加载；"
      "请用带 glibc 的基础镜像，或 musllinux wheel"}},
    {"built-for-glibc",
     {"{object} is built for glibc; this root has musl {here}: it cannot load; take a glibc base image or a musllinux "
      "wheel",
      "{object} 面向 glibc；此系统根是 musl {here}：无法加载；请用带 glibc 的基础镜像，或 musllinux wheel"}},
    {"built-for-musl",
     {"{object} is built for musl; the loader here is that of glibc {here}: it cannot load; take a musl base image "
      "(Alpine) or a manylinux wheel",
      "{object} 面向 musl；此处的动态链接器属于 glibc {here}：无法加载；请用带 musl 的基础镜像（Alpine），或 manylinux "
      "wheel"}},
    {"gcompat-is-here",
     {"gcompat is installed ({path}): it is for programs that are started through its stand-in for glibc's loader",
      "已安装 gcompat（{path}）：它只用于经由它所代替的 glibc 动态链接器启动的程序"}},

    // Versions.
    {"version-file",
     {"{needer} requires symbol versions from {object}, which nothing loads under that name: DT_NEEDED and DT_VERNEED "
      "of the file disagree (a tool has changed one of them)",
      "{needer} 要求来自 {object} 的符号版本，而没有任何东西以这个名字被加载：该文件的 DT_NEEDED 与 DT_VERNEED "
      "不一致（有工具只改了其中之一）"}},
    {"version-record",
     {"{object} has a version table that ld.so does not know: {reason}", "ld.so 不认识 {object} 的版本表：{reason}"}},
    {"refused-for-versions", {"{object} is refused for its versions: {reason}", "{object} 因版本而被拒绝：{reason}"}},
    {"versions-unchecked", {"versions could not be checked: {reason}", "无法检查符号版本：{reason}"}},
    {"version-missing",
     {"{provider} is found, but it does not define {version}, which {needer} requires",
      "找到了 {provider}，但它没有定义 {needer} 所需的 {version}"}},
    {"required-at",
     {"required by {needer}, DT_VERNEED entry at file offset {offset}",
      "由 {needer} 要求，DT_VERNEED 条目位于文件偏移 {offset}"}},
    {"version-tables-outside",
     {"ld.so would read outside the version tables of {reason}", "ld.so 会读到版本表之外：{reason}"}},

    // Symbols.
    {"plain-for-thread-local",
     {"{referrer} uses {symbols} as thread-local, which {provider} defines as ordinary: each use reads a "
      "wrong place or dies of a signal",
      "{referrer} 把 {symbols} 当作线程局部变量使用，而 {provider} 把它定义为普通符号：每次使用都会读到错误的位置，"
      "或因信号终止"}},
    {"thread-local-for-plain",
     {"{referrer} uses {symbols} as an ordinary symbol, which {provider} defines as thread-local: an offset in "
      "the thread's block is taken for an address in the library",
      "{referrer} 把 {symbols} 当作普通符号使用，而 {provider} 把它定义为线程局部变量：它在线程块内的偏移"
      "会被当成库内的地址"}},
    {"symbol-of-other-kind", {"{symbol} is one of them", "其中之一是 {symbol}"}},
    {"symbols-unchecked", {"symbols could not be checked: {reason}", "无法检查符号：{reason}"}},
    {"symbol-and-further",
     {"{symbol} and {count} further {count|symbol|symbols}", "{symbol} 和另外 {count} {count|个|个}符号"}},
    {"symbol-not-in-provider",
     {"{provider} is found, but it does not define {symbols}, which {referrer} requires of {file}{when}",
      "找到了 {provider}，但它没有定义 {referrer} 要求 {file} 提供的 {symbols}{when}"}},
    {"symbol-out-of-scope",
     {"nothing in the scope of {referrer} defines {symbols}, which it refers to: {hidden} defines {count|it|the "
      "first}, but was opened with RTLD_LOCAL{when}",
      "{referrer} 引用了 {symbols}，但在其作用域内没有定义：{hidden} 定义了{count|它|第一个}，但它是以 RTLD_LOCAL "
      "打开的{when}"}},
    {"symbol-taken-out-of-scope",
     {"nothing in the scope of {referrer} defines {symbols}, which it refers to: {hidden} defines {count|it|the "
      "first}, but is assumed to be opened with RTLD_LOCAL{when}",
      "{referrer} 引用了 {symbols}，但在其作用域内没有定义：{hidden} 定义了{count|它|第一个}，但按以 RTLD_LOCAL "
      "打开处理{when}"}},
    {"symbol-nowhere",
     {"nothing in the process defines {symbols}, which {referrer} refers to{when}",
      "{referrer} 引用了 {symbols}，但进程中没有任何库定义它{when}"}},
    {"lazy-but-bound-now",
     {"; without LD_BIND_NOW it ends at the first call of it", "；不设 LD_BIND_NOW 时，第一次调用它才会终止"}},
    {"lazy-opened",
     {"; it is opened with RTLD_LAZY: only the first call of it ends the process",
      "；它以 RTLD_LAZY 打开：只有第一次调用才会终止进程"}},
    {"lazy-in-program",
     {"; only the first call of it ends the program, unless LD_BIND_NOW is set",
      "；只有第一次调用它才会终止程序，除非设置了 LD_BIND_NOW"}},
    {"left-to-host",
     {"{referrer} leaves {symbols} to the process that opens it (Python's own functions, for an extension module)",
      "{referrer} 把 {symbols} 留给打开它的进程提供（对扩展模块来说是 Python 自己的函数）"}},
    {"symbol-readable", {"{symbol} is {name}", "{symbol} 即 {name}"}},
    {"near-not-loaded", {"{path} defines it, but is not loaded", "{path} 定义了它，但没有被加载"}},
    {"near-other-abi",
     {"{path} defines {name}: built with the other _GLIBCXX_USE_CXX11_ABI",
      "{path} 定义的是 {name}：两者的 _GLIBCXX_USE_CXX11_ABI 设置不同"}},
    {"near-other-abi-and-parameters",
     {"{path} defines {name}: another release, and built with the other _GLIBCXX_USE_CXX11_ABI",
      "{path} 定义的是 {name}：版本不同，_GLIBCXX_USE_CXX11_ABI 设置也不同"}},
    {"near-other-parameters",
     {"{path} defines {name}: another release, or another overload",
      "{path} 定义的是 {name}：版本不同，或是另一个重载"}},
    {"near-local", {"{path} has {name}, but keeps it to itself", "{path} 有 {name}，但只供自己使用"}},
    {"symbol-elsewhere", {"{symbol}{others}", "{symbol}{others}"}},
    {"has-it-unversioned", {"; {object} has it without a version", "；{object} 有它，但没有版本"}},
    {"has-it-in-version", {"; {object} has it in version {version}", "；{object} 有它，版本是 {version}"}},
    {"defines-it-hidden", {"; {object} defines it, but not for others", "；{object} 定义了它，但不对外提供"}},

    // Files that are not readable.
    {"not-readable",
     {"ld.so is not allowed to open what leads to {library}, and continues as if it were not there; for "
      "another user the answer can differ",
      "搜索 {library} 途中有 ld.so 无权打开的文件，它当作不存在而继续；换一个用户结果可能不同"}},
    {"file-not-readable", {"{path} (a file that this user cannot read)", "{path}（该用户不能读取的文件）"}},
    {"directory-not-enterable",
     {"{path} (in a directory that this user cannot enter)", "{path}（位于该用户不能进入的目录中）"}},

    // The processor, thread-local storage.
    {"cpu-level",
     {"{object} is built for {level}, and the processor ({cpu}) has less",
      "{object} 为 {level} 编译，而处理器（{cpu}）达不到"}},
    {"static-tls-full",
     {"the thread-local storage of {object} has no room at a fixed place: the loader keeps {count} bytes for all that "
      "a process opens, and dlopen fails",
      "{object} 的线程局部存储在固定位置上放不下：加载器为进程打开的所有库只保留 {count} 字节，dlopen 失败"}},
    {"static-tls-fails",
     {"the opened libraries require {wanted} bytes of static TLS, and the loader keeps {kept} for the whole process: "
      "dlopen fails with \"cannot allocate memory in static TLS block\"",
      "所打开的库需要 {wanted} 字节的静态 TLS，而加载器为整个进程只保留 {kept} 字节：dlopen 会失败并报 “cannot "
      "allocate memory in static TLS block”"}},
    {"static-tls-may-fail",
     {"the opened libraries require {wanted} bytes of static TLS, and the loader keeps {kept} for the whole process: "
      "dlopen may fail with \"cannot allocate memory in static TLS block\"",
      "所打开的库需要 {wanted} 字节的静态 TLS，而加载器为整个进程只保留 {kept} 字节：dlopen 可能失败并报 “cannot "
      "allocate memory in static TLS block”"}},
    {"object-bytes", {"{object}: {count} bytes", "{object}：{count} 字节"}},
};

constexpr auto kLoaderSentencesByName = places_by_name(kLoaderSentences);

}  // namespace

std::span<const ProblemRow> loader_problems() { return kLoaderProblems; }

SentenceTable loader_problem_sentences() { return {kLoaderSentences, kLoaderSentencesByName}; }

}  // namespace soresolve
