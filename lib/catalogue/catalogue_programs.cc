// Why a program does not start at all, before or instead of its dynamic linker: what the kernel's execve gives and how
// shells, container runtimes and emulators word it; and virtual machines of languages that look for a library by its
// name. "not found" of a path and "No such file or directory" are said of a missing interpreter, too.
#include "catalogue/catalogue.h"

namespace soresolve {
namespace {

constexpr Phrase kExecve = {"shell or container runtime (execve)", "shell 或容器运行时（execve）"};

constexpr KnownMessage kProgramMessages[] = {
    {.id = "exec-format-error",
     .printer = kExecve,
     .patterns = {"{program}: cannot execute binary file", "exec {program}: exec format error",
                  "exec user process caused: exec format error", "exec user process caused \"exec format error\"",
                  "{program}: Exec format error", "Exec format error: '{program}'",
                  "fork/exec {program}: exec format error", "exec format error"},
     .cause = {"The kernel does not run this file: it is for another architecture (an arm64 image on x86-64, or the "
               "reverse), is cut off, or is a script without a #! line.",
               "内核无法运行这个文件：它属于别的体系结构（在 x86-64 上运行 arm64 镜像，或者相反）、被截断，或是没有 #! "
               "行的脚本。"},
     .proof = {"`file` on the program against `uname -m`; `docker image inspect` shows the image's architecture.",
               "比较 `file` 对该程序的输出与 `uname -m`；`docker image inspect` 显示镜像的体系结构。"},
     .next = {"Take the build or image for this machine (`docker run --platform linux/amd64 …`, `docker buildx`), or "
              "install qemu-user-static.",
              "换用适合本机的版本或镜像（`docker run --platform linux/amd64 …`、`docker buildx`），或安装 "
              "qemu-user-static。"},
     .command = "uname -m; file {program}",
     .lookup = Lookup::Program,
     .source = "execve(2), ENOEXEC"},
    {.id = "emulated-loader-missing",
     .problem = ProblemCode::NoInterpreter,
     .printer = {"QEMU or Rosetta", "QEMU 或 Rosetta"},
     .patterns = {"Could not open '{interpreter=*/ld*.so*}': No such file",
                  "failed to open elf at {interpreter=*/ld*.so*}",
                  "{interpreter=*/ld-linux*.so*|*/ld-musl*.so*}: No such file or directory",
                  "Unable to find the ELF interpreter {interpreter}"},
     .cause =
         {"The program names {interpreter} as its dynamic linker, and that file is not in this root: the program is "
          "for another architecture or C library than the image.",
          "程序指定的动态链接器是 {interpreter}，而这个根目录里没有：程序的体系结构或 C 库与镜像不同。"},
     .proof = {"`readelf -l` shows the interpreter; `ls {interpreter}` that it is missing.",
               "`readelf -l` 显示解释器；`ls {interpreter}` 说明它不存在。"},
     .next = {"Use an image of the program's architecture (`--platform linux/amd64`), or install its C library there "
              "(Debian: `dpkg --add-architecture amd64`, `libc6:amd64`).",
              "使用与程序体系结构相同的镜像（`--platform linux/amd64`），或在其中安装对应的 C 库（Debian：`dpkg "
              "--add-architecture amd64`、`libc6:amd64`）。"},
     .command = "ls -l {interpreter}",
     .source = "QEMU linux-user/elfload.c:load_elf_interp"},
    {.id = "program-or-interpreter-missing",
     .problem = ProblemCode::NoInterpreter,
     .printer = kExecve,
     .patterns = {"bash: {program=./*|/*|../*}: No such file or directory", "sh: {program=./*|/*|../*}: not found",
                  "sh: {number}: {program=./*|/*|../*}: not found",
                  "fork/exec {program=/*|./*|../*}: no such file or directory",
                  "exec user process caused: no such file or directory",
                  "exec user process caused \"no such file or directory\"",
                  "exec {program=/*|./*}: no such file or directory", "no such file or directory: {program=./*|../*}"},
     .cause =
         {"Either the file is not there, or it is, and its interpreter is not: the dynamic linker that a program names "
          "(a glibc program on Alpine), or the one in the #! line of a script (also with Windows line ends). The "
          "kernel gives the same error for both.",
          "要么文件不存在，要么文件存在而它的解释器不存在：程序指定的动态链接器（在 Alpine 上运行 glibc "
          "程序），或脚本 #! 行里的解释器（Windows 换行符也会如此）。两种情况内核给出的错误相同。"},
     .proof = {"`ls -l` shows whether the file is there, `soresolve why FILE` its interpreter.",
               "`ls -l` 说明文件是否存在，`soresolve why 文件` 显示它的解释器。"},
     .next = {"Program: install the loader it names, or take a build for this system. Script: correct its first line "
              "(`sed -i 's/\\r$//'`).",
              "程序：安装它指定的动态链接器，或换用适合本系统的版本。脚本：改正第一行（`sed -i 's/\\r$//'`）。"},
     .command = "ls -l {program}; soresolve why {program}",
     .lookup = Lookup::Program,
     .source = "execve(2), ENOENT"},
    {.id = "program-not-executable",
     .problem = ProblemCode::NotPermitted,
     .printer = kExecve,
     .patterns = {"bash: {program=./*|/*|../*}: Permission denied", "sh: {program=./*|/*|../*}: Permission denied",
                  "permission denied: {program=./*|../*}", "exec {program=/*|./*}: permission denied",
                  "exec: \"{program}\": permission denied", "fork/exec {program=/*|./*|../*}: permission denied"},
     .cause =
         {"The program may not be executed: its execute bit was lost in a download or an archive, a directory above "
          "it may not be entered, or the file system is mounted with noexec.",
          "程序不允许执行：下载或解包时丢失了执行位，上级目录不允许进入，或文件系统以 noexec 挂载。"},
     .proof =
         {"`ls -l` shows the rights of the file, `namei -l` those of each directory, `findmnt -T` the mount options.",
          "`ls -l` 显示文件的权限，`namei -l` 显示每一级目录的权限，`findmnt -T` 显示挂载选项。"},
     .next = {"`chmod +x` on the file, or on the directory; in a Dockerfile `COPY --chmod=755`.",
              "对文件或目录执行 `chmod +x`；在 Dockerfile 中用 `COPY --chmod=755`。"},
     .command = "ls -l {program}; soresolve why {program}",
     .lookup = Lookup::Program,
     .source = "execve(2), EACCES"},
    {.id = "kernel-too-old",
     .printer = kLoader,
     .patterns = {"FATAL: kernel too old", "Fatal glibc error: kernel too old"},
     .cause =
         {"This glibc was built for newer kernels than the one that runs here: an image of a new distribution on an "
          "old host.",
          "这份 glibc 要求的内核版本比正在运行的内核新：旧主机上运行了新发行版的镜像。"},
     .proof = {"`uname -r` against the release in the note of libc.so.6 (`file` prints \"for GNU/Linux 3.2.0\").",
               "比较 `uname -r` 与 libc.so.6 注记中的版本（`file` 会打印“for GNU/Linux 3.2.0”）。"},
     .next = {"Use an older image, or a newer kernel on the host.", "使用较旧的镜像，或升级主机内核。"},
     .command = "uname -r",
     .source = "glibc sysdeps/unix/sysv/linux/dl-sysdep.h:DL_SYSDEP_OSCHECK"},
    {.id = "cpu-instruction-missing",
     .problem = ProblemCode::CpuLevel,
     .printer = {"kernel, TensorFlow", "内核、TensorFlow"},
     .patterns = {"Illegal instruction",
                  "was compiled to use {text} instructions, but these aren't available on your "
                  "machine",
                  "was compiled to use {text} instructions, but these are not available"},
     .cause =
         {"The program or a library of it uses instructions that this processor, or the virtual machine's, does not "
          "have: mostly AVX, AVX2 or AVX-512.",
          "程序或它的某个库使用了当前处理器（或虚拟机的处理器）没有的指令：多半是 AVX、AVX2 或 AVX-512。"},
     .proof = {"`grep -m1 flags /proc/cpuinfo`; in a debugger `x/i $pc` shows the instruction and its library.",
               "`grep -m1 flags /proc/cpuinfo`；在调试器中用 `x/i $pc` 可以看到该指令及其所在的库。"},
     .next = {"Give the virtual machine the host's CPU model, or take a build for plain x86-64 (numpy, PyTorch and "
              "TensorFlow have older releases without AVX2).",
              "让虚拟机使用宿主机的 CPU 型号，或换用面向普通 x86-64 的版本。"},
     .command = "grep -m1 -o -w -E 'avx|avx2|avx512f' /proc/cpuinfo; lscpu | head",
     .source = "SIGILL; tensorflow/core/platform/cpu_feature_guard.cc"},
    {.id = "java-library-path",
     .printer = {"Java", {}},
     .patterns = {"UnsatisfiedLinkError: no {name} in java.library.path",
                  "UnsatisfiedLinkError: no {name} in system library path",
                  "UnsatisfiedLinkError: Can't load library: {library}"},
     .cause = {"Java looked for a native library (lib{name}.so) itself, in the directories of java.library.path, and "
               "found no such file. The dynamic linker was not asked.",
               "Java 自己在 java.library.path 的目录中查找本地库（lib{name}.so），没有找到；还没有轮到动态链接器。"},
     .proof = {"`java -XshowSettings:properties -version` shows java.library.path; it is taken from LD_LIBRARY_PATH.",
               "`java -XshowSettings:properties -version` 显示 java.library.path；它取自 LD_LIBRARY_PATH。"},
     .next =
         {"Start it with -Djava.library.path=DIRECTORY of the file; then what that library needs is for the dynamic "
          "linker: `soresolve why FILE`.",
          "启动时加上 -Djava.library.path=该文件所在目录；这个库自己的依赖则由动态链接器查找：`soresolve why 文件`。"},
     .source = "java.lang.ClassLoader:loadLibrary"},
};

}  // namespace

std::span<const KnownMessage> program_messages() { return kProgramMessages; }

}  // namespace soresolve
