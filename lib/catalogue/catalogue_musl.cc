// What musl's dynamic linker prints (ldso/dynlink.c of 1.2: load_deps, do_relocs, dlopen). A glibc program on a musl
// system is the usual reason, and has rows of its own. Not here: what Alpine's shell prints (catalogue_programs.cc).
#include "catalogue/catalogue.h"

namespace soresolve {
namespace {

constexpr Phrase kMusl = {"musl's dynamic linker", "musl 的动态链接器"};
constexpr Phrase kGlibcOnMusl = {
    "Take a build for musl (Alpine package, musllinux wheel), or an image with glibc (Debian, Ubuntu, Fedora). The "
    "packages gcompat and libc6-compat are enough for small programs only.",
    "换用为 musl 编译的版本（Alpine 软件包、musllinux wheel），或使用带 glibc "
    "的镜像（Debian、Ubuntu、Fedora）。gcompat、"
    "libc6-compat 只够小程序使用。"};

constexpr KnownMessage kMuslMessages[] = {
    {.id = "glibc-program-on-musl",
     .problem = ProblemCode::ForeignLibc,
     .printer = kMusl,
     .patterns = {"Error loading shared library {library=ld-linux*|libc.so.6|libm.so.6|libpthread.so.0|libdl.so.2|"
                  "librt.so.1|libresolv.so.2|libnsl.so.1|libcrypt.so.1}: ",
                  "Error loading shared library {library=ld-linux*|libc.so.6|libm.so.6|libpthread.so.0|libdl.so.2|"
                  "librt.so.1|libresolv.so.2|libnsl.so.1|libcrypt.so.1}: {text} (needed by {requirer})",
                  "Error relocating {object}: {symbol=*_chk|__res_*|__rawmemchr|__strtok_r|__sysconf|backtrace*|"
                  "gnu_get_libc_version|mallinfo|malloc_info|mallopt|__libc_single_threaded|__libc_alloca_cutoff|"
                  "__libc_enable_secure|__libc_current_sigrt*|__libc_memalign|__libc_freeres|"
                  "pthread_attr_setaffinity_np}: symbol not "
                  "found",
                  "Error relocating {object=*ld-linux*}: unsupported relocation type {number}"},
     .cause =
         {"A program or library that was built for glibc runs on a system with musl (Alpine). musl has neither "
          "glibc's file names nor its internal functions.",
          "为 glibc 编译的程序或库运行在使用 musl 的系统（Alpine）上。musl 没有 glibc 的文件名，也没有它的内部函数。"},
     .proof = {"`readelf -l` shows ld-linux as the interpreter; the name in the message is glibc's.",
               "`readelf -l` 显示解释器是 ld-linux；消息里的名字是 glibc 的。"},
     .next = kGlibcOnMusl,
     .command = "soresolve why {requirer}",
     .source = "musl ldso/dynlink.c:load_deps, do_relocs; dnote/dnote"},
    {.id = "musl-library-refused",
     .problem = ProblemCode::FatalCandidate,
     .printer = kMusl,
     .patterns = {"Error loading shared library {library}: Exec format error (needed by {requirer})",
                  "Error loading shared library {library}: Is a directory (needed by {requirer})",
                  "Error loading shared library {library}: Resource busy (needed by {requirer})",
                  "Error loading shared library {library}: Invalid argument (needed by {requirer})",
                  "Error loading shared library {library}: Operation not permitted (needed by {requirer})",
                  "Error loading shared library {library}: I/O error (needed by {requirer})",
                  "Error loading shared library {library}: Out of memory (needed by {requirer})",
                  "Error loading shared library {library}: Exec format error",
                  "Error loading shared library {library}: Is a directory",
                  "Error loading shared library {library}: Resource busy",
                  "Error loading shared library {library}: Invalid argument",
                  "Error loading shared library {library}: Operation not permitted",
                  "Error loading shared library {library}: I/O error",
                  "Error loading shared library {library}: Out of memory"},
     .cause = {"The first file of the name {library} that musl's loader comes to is no library that it can map, and "
               "it looks no further: a text, a directory, a file of another word size, one that was cut off, or one on "
               "a file system that is mounted with noexec (Operation not permitted).",
               "musl 的加载器最先遇到的名为 {library} 的文件不是能映射的库，而且它不会继续往后找：可能是文本、目录、"
               "位数不同的文件、被截断的文件，或者位于以 noexec 挂载的文件系统上（Operation not permitted）。"},
     .proof = {"The attempts in the loader's order: the last one is the file that it refuses.",
               "按加载器的顺序列出每一次尝试：最后一个就是它拒绝的文件。"},
     .next = {"Remove or replace that file, or take its directory off LD_LIBRARY_PATH, the RPATH or "
              "/etc/ld-musl-*.path.",
              "删除或替换该文件，或把它所在的目录从 LD_LIBRARY_PATH、RPATH 或 /etc/ld-musl-*.path 中去掉。"},
     .command = "soresolve why {requirer} {library}",
     .lookup = Lookup::Search,
     .source = "musl ldso/dynlink.c:map_library"},
    {.id = "musl-unknown-relocation",
     .problem = ProblemCode::WouldCrash,
     .printer = kMusl,
     .patterns = {"Error relocating {object}: unsupported relocation type {number}"},
     .cause =
         {"{object} has a kind of relocation that musl's loader does not know: an IFUNC (type 37 on x86-64, 1032 on "
          "aarch64) of a file that was built for glibc, or a file of another machine.",
          "{object} 有 musl 的加载器不认识的重定位类型：为 glibc 编译的文件里的 IFUNC（x86-64 上是 37，aarch64 上是 "
          "1032），或者是其他机器的文件。"},
     .proof = {"`readelf -h` shows the machine, `readelf -rW` the relocations.",
               "`readelf -h` 显示机器类型，`readelf -rW` 列出重定位。"},
     .next = kGlibcOnMusl,
     .command = "readelf -hrW {object}",
     .lookup = Lookup::Start,
     .source = "musl ldso/dynlink.c:do_relocs"},
    {.id = "musl-library-missing",
     .problem = ProblemCode::MissingLibrary,
     .printer = kMusl,
     .patterns = {"Error loading shared library : Invalid argument",  // an empty name
                  "Error loading shared library {library}: No such file or directory (needed by {requirer})",
                  "Error loading shared library {library}: {text} (needed by {requirer})",
                  "Error loading shared library {library}: "},
     .cause =
         {"None of the places that musl's loader searches has {library}: LD_LIBRARY_PATH, the RPATH of who needs "
          "it, and the directories in /etc/ld-musl-*.path (else /lib:/usr/local/lib:/usr/lib).",
          "musl 的加载器搜索的位置都没有 {library}：LD_LIBRARY_PATH、需要它的文件的 RPATH，以及 /etc/ld-musl-*.path "
          "里的目录（没有该文件时是 /lib:/usr/local/lib:/usr/lib）。"},
     .proof = {"The attempts in the loader's order, for the file that needs it.",
               "对需要它的那个文件，按加载器的顺序列出每一次尝试。"},
     .next = {"Install the package that has it: `apk add so:{library}`, or `apk search -x so:{library}`. For a program "
              "that was built for glibc take a build for musl.",
              "安装提供它的软件包：`apk add so:{library}`，或用 `apk search -x so:{library}` 查找。为 glibc "
              "编译的程序要换用 musl 版本。"},
     .command = "soresolve why {requirer} {library}",
     .lookup = Lookup::Search,
     .source = "musl ldso/dynlink.c:load_deps"},
    {.id = "musl-symbol-missing",
     .problem = ProblemCode::SymbolMissing,
     .printer = kMusl,
     .patterns = {"Error relocating {object}: {symbol}: symbol not found",
                  "Error relocating {object}: {symbol}: initial-exec TLS resolves to dynamic definition"},
     .cause =
         {"None of the loaded libraries defines {symbol}, which {object} needs: a library is missing, is of another "
          "version, or {object} was built for glibc.",
          "已加载的库都没有定义 {object} 需要的 {symbol}：缺少某个库、库的版本不对，或 {object} 是为 glibc 编译的。"},
     .proof = {"Which library defines it elsewhere, and whether {object} needs that library.",
               "看别处哪个库定义了它，以及 {object} 是否依赖那个库。"},
     .next = {"Install the build of {object} for this system; symbols that begin with _Z come from C++ libraries "
              "(`apk add libstdc++`).",
              "安装适合本系统的 {object}；以 _Z 开头的符号来自 C++ 库（`apk add libstdc++`）。"},
     .command = "soresolve check {object}",
     .lookup = Lookup::Start,
     .source = "musl ldso/dynlink.c:do_relocs"},
};

}  // namespace

std::span<const KnownMessage> musl_messages() { return kMuslMessages; }

}  // namespace soresolve
