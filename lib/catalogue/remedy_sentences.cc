// Files that could stand for a library, fixes, and what came of trying them. Which are said is decided in lib/diagnose
// (candidates.cc, suitability.cc, mending.cc, propose_*.cc, remedy_trials.cc).
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kRemedySentences[] = {
    // Where a file was come by.
    {"in-cache", {"in ld.so.cache", "在 ld.so.cache 中"}},
    {"in-searched-directory", {"in a directory that is searched", "在会搜索的目录中"}},
    {"in-configuration", {"in a directory of /etc/ld.so.conf", "在 /etc/ld.so.conf 的目录中"}},
    {"of-conda-prefix", {"conda environment {prefix}", "conda 环境 {prefix}"}},
    {"beside", {"beside {object}", "与 {object} 同目录"}},
    {"of-wheel", {"wheel {name}", "wheel 包 {name}"}},
    {"of-conda-environment", {"conda environment", "conda 环境"}},
    {"of-conda-package", {"conda package {name}", "conda 包 {name}"}},
    {"of-toolkit", {"CUDA toolkit {name}", "CUDA 工具包 {name}"}},
    {"owned-by", {"package {package}, by {record}", "软件包 {package}，依据 {record}"}},
    {"owners-unread",
     {"packages unknown: rpm's database {database} is not in the format that is read here (SQLite)",
      "软件包未知：rpm 数据库 {database} 不是此处可读取的格式（SQLite）"}},
    {"below", {"below {directory}", "在 {directory} 之下"}},

    // What brings a library of which no file is here.
    {"brought-by-wheel",
     {"{library} belongs to {product}; wheels that have it: {wheels}",
      "{library} 属于 {product}；包含它的 wheel：{wheels}"}},
    {"brought-by-conda",
     {"{library} belongs to {product}; no wheel has it, the conda package {package} does",
      "{library} 属于 {product}；没有包含它的 wheel，conda 包 {package} 里有"}},
    {"brought-by-distribution",
     {"{library} is in the distribution's package {package} (its name in Debian and Ubuntu)",
      "{library} 在发行版的软件包 {package} 里（Debian、Ubuntu 的包名）"}},
    {"brought-by-driver",
     {"{library} belongs to the NVIDIA driver, and no wheel or toolkit has it: install the driver on the host; a "
      "container gets it from there (--gpus all)",
      "{library} 属于 NVIDIA 驱动，wheel 和工具包都不含它：在宿主机安装驱动，容器从宿主机获得它（--gpus all）"}},

    // Where the search for files ends early.
    {"names-cut-short", {"only {count} names were checked", "只看了 {count} 个名字"}},
    {"names-stopped", {"stopped after {count} names", "看了 {count} 个名字后停止"}},
    {"places-cut-short",
     {"searched the first {count} places of each search only", "每次搜索只看了前 {count} 个位置，没有看全"}},
    {"files-cut-short",
     {"read {read} of {count} files with such a name, exact names first",
      "名字相近的 {count} 个文件中读了 {read} 个，名字完全相同的优先"}},
    {"note-and-note", {"{first}; {second}", "{first}；{second}"}},
    {"libraries-cut-short",
     {"not searched: candidates are searched for the first {count} libraries only",
      "没有查找：只为前 {count} 个库查找文件"}},

    // Whether a file has what is required.
    {"of-other-target", {"is {target}: ld.so passes over it", "是 {target} 的文件：ld.so 会跳过它"}},
    {"refused-by-loader", {"ld.so refuses it: {text}", "ld.so 拒绝它：{text}"}},
    {"tables-unreadable", {"its tables cannot be read: {reason}", "它的表无法读取：{reason}"}},
    {"without-versions-assertion",
     {"has no symbol versions: an assertion of this ld.so would fail", "没有符号版本：这个 ld.so 会断言失败"}},
    {"lacks-version", {"lacks version {version}", "缺少版本 {version}"}},
    {"lacks-versions", {"lacks version {version} and {count} more", "缺少版本 {version} 等另外 {count} 个"}},
    {"lacks-symbol",
     {"lacks {lost} {lost|symbol|symbols} of {count}: {symbol}", "{count} 个符号中缺少 {lost} 个：{symbol}"}},
    {"lacks-symbols",
     {"lacks {lost} {lost|symbol|symbols} of {count}: {symbol}, …", "{count} 个符号中缺少 {lost} 个：{symbol} 等"}},
    {"other-name-unknown",
     {"another name; no file here has requirements that show whether it fits",
      "名字不同，也没有已知的文件能用来判断它是否合适"}},
    {"other-release-unproven",
     {"another release; no file here requires a symbol of it that shows whether it fits",
      "是另一个版本，且这里没有文件要求它的某个符号，无法判断是否合适"}},
    {"required-by-sibling", {"{what}, required by {file}", "{what}，{file} 需要它"}},
    {"nothing-by-version", {"no file requires a version of it", "没有文件对它提出版本要求"}},
    {"has-what-is-needed",
     {"has {versions} {versions|version|versions} and {symbols} {symbols|symbol|symbols} that {files} {files|file "
      "needs|files need}",
      "具有 {files} 个文件所需的 {versions} 个版本和 {symbols} 个符号"}},
    {"another-copy-defines",
     {"{path} defines {symbol}; {taken}, which is loaded, does not",
      "{path} 定义了 {symbol}；已加载的 {taken} 没有定义"}},
    {"of-other-environment", {"another environment: {environment}", "属于另一个环境：{environment}"}},
    {"of-other-release", {"another release", "另一个版本"}},
    {"judged-by", {"judged by {files}", "判断依据：{files}"}},

    // Fixes.
    {"fix-path-entry", {"take {entry} out of LD_LIBRARY_PATH", "从 LD_LIBRARY_PATH 中去掉 {entry}"}},
    {"fix-empty-entry", {"take the empty entry out of LD_LIBRARY_PATH", "从 LD_LIBRARY_PATH 中去掉空元素"}},
    {"fix-no-library-path", {"unset LD_LIBRARY_PATH", "不使用 LD_LIBRARY_PATH"}},
    {"fix-library-path",
     {"add {count|its directory|the directories} to LD_LIBRARY_PATH",
      "在进程的环境变量中加入{count|它所在的目录|这些目录}"}},
    {"fix-ldconfig",
     {"run ldconfig: /etc/ld.so.conf lists the directory, but the cache is older",
      "运行 ldconfig：/etc/ld.so.conf 里有这个目录，只是缓存更旧"}},
    {"fix-configuration",
     {"add {count|its directory|the directories} to ld.so.conf, for every process",
      "把{count|它所在的目录|这些目录}告诉 ldconfig，对所有进程生效"}},
    {"fix-search-tag",
     {"set the RUNPATH or RPATH of {count|the file that needs it|the files that need them}",
      "在需要{count|它的文件|它们的文件}里写明到哪里找（RPATH/RUNPATH）"}},
    {"fix-link", {"make a link in a directory that is searched", "在会搜索的目录里建立符号链接"}},
    {"fix-link-to-other", {"make a link under the missing name to {file}", "以缺少的名字建立指向 {file} 的符号链接"}},
    {"fix-unshadow", {"move the file that shadows it", "移走挡在前面的文件"}},
    {"fix-capabilities",
     {"start the container with the capabilities {capabilities}", "以能力 {capabilities} 启动容器"}},
    {"fix-preload", {"load it before everything else", "在其他一切之前先加载它"}},
    {"fix-preload-python", {"load it in Python, before the import", "在 Python 中 import 之前先加载它"}},

    {"fix-preload-entry", {"take {entry} out of LD_PRELOAD", "从 LD_PRELOAD 中去掉 {entry}"}},
    {"fix-needed-name", {"require it by its name, not by a path", "在需要它的文件里只写库名，不写路径（DT_NEEDED）"}},
    {"fix-static-tls",
     {"reserve more static TLS for libraries that are opened later", "为之后打开的库预留更多静态 TLS"}},
    {"fix-interpreter",
     {"set the loader of the program (PT_INTERP) to {interpreter}", "让程序改用动态链接器 {interpreter}"}},
    {"fix-install-loader", {"install the package that has {interpreter}", "安装提供 {interpreter} 的软件包"}},
    {"fix-execute-right", {"make {path} executable", "允许执行 {path}"}},
    {"fix-permission", {"make {path} readable for this user", "允许此用户读取 {path}"}},
    {"permission-untried", {"not tried: its content cannot be read here", "没有尝试：这里无法读取它的内容"}},
    {"fix-line-ends", {"give {path} Unix line ends", "把 {path} 的换行符改成 Unix 格式"}},
    {"fix-first-line", {"name {interpreter} in the first line of {path}", "在 {path} 的第一行写上 {interpreter}"}},
    {"interpreter-is-there", {"{interpreter} is there", "{interpreter} 存在"}},
    {"fix-noexec",
     {"remount the file system of {path} without noexec, or move the file to another one; for programs that "
      "unpack themselves into /tmp set TMPDIR",
      "让 {path} 所在的文件系统可以执行代码，或把文件移到可以执行的文件系统；"
      "对于自解压到 /tmp 的程序，设置 TMPDIR"}},
    {"wheel-unsearched",
     {"pip puts it where no search path of the file that needs it leads: the second command adds {count|that "
      "directory|those directories}",
      "需要它的文件的搜索路径都不包含 pip 安装它的{count|目录|这些目录}：第二条命令将{count|其|它们}加入"}},
    {"noexec-untried", {"not tried: soresolve mounts nothing", "没有尝试：这里不做任何挂载"}},
    {"fix-reinstall", {"install {package} again", "重新安装 {package}"}},
    {"reinstall-lost",
     {"not tried here; {file} is gone, and {record} of {package} lists it",
      "未在此尝试；{package} 的 {record} 列有 {file}，但它已不存在"}},
    {"reinstall-changed",
     {"not tried here; {file} is not the file that {record} of {package} lists",
      "未在此尝试；{file} 与 {package} 的 {record} 所列的文件不同"}},
    {"reinstall-foreign",
     {"not tried here; {file} of {package} is for another machine or C library",
      "未在此尝试；{package} 的 {file} 适用于另一种机器或 C 库"}},

    // Why one was not tried.
    {"install-untried", {"not tried: it is not on this machine", "没有尝试：本机上没有它"}},
    {"not-for-configuration",
     {"a directory with '#' or '=' in its name cannot stand in ld.so.conf",
      "名字里有 '#' 或 '=' 的目录不能写进 ld.so.conf"}},
    {"not-for-library-path",
     {"a directory with ':', ';' or '$' in its name cannot stand in LD_LIBRARY_PATH",
      "名字里有 ':'、';' 或 '$' 的目录不能写进 LD_LIBRARY_PATH"}},
    {"not-for-preload", {"a path with a blank in it cannot stand in LD_PRELOAD", "含有空白的路径不能写进 LD_PRELOAD"}},
    {"cannot-move", {"cannot move {path}: {reason}", "无法移动 {path}：{reason}"}},
    {"cannot-write", {"cannot write {path}: {reason}", "无法写入 {path}：{reason}"}},
    {"cannot-link", {"cannot make the link {path}: {reason}", "无法建立链接 {path}：{reason}"}},
    {"trials-spent",
     {"not tried: the trials before it have looked in {count} places", "没有尝试：之前的尝试已查看 {count} 个位置"}},

    // What came of it.
    {"once-others-are-fixed",
     {"after the other errors are fixed: ld.so stops at the first", "修好其他问题之后：ld.so 遇到第一个就停止"}},
    {"once-sibling-opens",
     {"it loads; the error comes when {file} of the same package is loaded", "它能加载；加载同一个包的 {file} 时出错"}},
    {"switches", {"switches {library} from {old} to {now}", "{library} 从 {old} 换成 {now}"}},
    {"checked-versions", {"search and versions", "搜索和版本"}},
    {"checked-not-symbols", {"search and versions; symbols not: {reason}", "搜索和版本；未检查符号：{reason}"}},
    {"checked-every-symbol", {"search, versions and every symbol", "搜索、版本和所有符号"}},
    {"checked-new-symbols",
     {"search, versions, symbols of the libraries that change", "搜索、版本，以及对换了位置的库所要求的符号"}},
};

constexpr auto kRemedySentencesByName = places_by_name(kRemedySentences);

}  // namespace

SentenceTable remedy_sentences() { return {kRemedySentences, kRemedySentencesByName}; }

}  // namespace soresolve
