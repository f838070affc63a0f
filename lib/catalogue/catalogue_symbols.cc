// What ld.so prints about libraries that are found without the version or symbol that is required: glibc
// elf/dl-version.c:match_symbol, elf/dl-lookup.c:_dl_lookup_symbol_x. Rows about libraries of CUDA, by names of files,
// versions and symbols, come before the general ones.
#include "catalogue/catalogue.h"

namespace soresolve {
namespace {

constexpr KnownMessage kSymbolsMessages[] = {
    {.id = "glibc-too-old",
     .problem = ProblemCode::VersionMissing,
     .printer = kLoader,
     // GitHub takes the backquote for its own mark.
     .patterns = {"{object}: version '{version=GLIBC_*}' not found (required by {requirer})",
                  "{object}: version {version=GLIBC_*}' not found (required by {requirer})"},
     .cause = {"{requirer} was built on a newer distribution: it needs {version}, and the C library here, {object}, "
               "is older.",
               "{requirer} 是在更新的发行版上编译的：它需要 {version}，而这里的 C 库 {object} 版本较旧。"},
     .proof = {"The node is required in DT_VERNEED of the file and missing from DT_VERDEF of libc.",
               "该文件的 DT_VERNEED 要求这个版本节点，而 libc 的 DT_VERDEF 中没有。"},
     .next = {"Take a build for an older glibc (a manylinux wheel of a lower number), build it here, or move to a "
              "newer distribution or image. Do not replace libc.so.6 by hand: ld.so and all programs depend on it.",
              "换用面向旧版 glibc 的构建（编号更低的 manylinux wheel）、在本机编译，或迁移到更新的发行版或镜像。"
              "不要手工替换 libc.so.6：动态链接器和所有程序都依赖它。"},
     .command = "soresolve bindings --floor {requirer}",
     .lookup = Lookup::Version,
     .source = "elf/dl-version.c:match_symbol; cuda-facts E23: Dao-AILab/flash-attention#1762"},
    {.id = "libstdcxx-too-old",
     .problem = ProblemCode::VersionMissing,
     .printer = kLoader,
     .patterns = {"{object}: version '{version=GLIBCXX_*|CXXABI_*}' not found (required by {requirer})",
                  "{object}: version {version=GLIBCXX_*|CXXABI_*}' not found (required by {requirer})",
                  "{object}: version '{version=GCC_*|GOMP_*}' not found (required by {requirer})"},
     .cause =
         {"{requirer} was built with a newer GCC: it needs {version}. An older copy, {object}, comes first in "
          "the search or was loaded before. With conda there are two copies, the environment's and the "
          "system's.",
          "{requirer} 是用更新的 GCC 编译的，需要 {version}；而搜索顺序靠前（或先被加载）的是较旧的 {object}。使用 "
          "conda 时有两份：环境里的和系统的。"},
     .proof = {"Each libstdc++.so.6 on the search path, with the highest GLIBCXX_ node that it defines.",
               "列出搜索路径上的每个 libstdc++.so.6 及其定义的最高 GLIBCXX_ 版本节点。"},
     .next = {"Update the older one (conda: `conda install -c conda-forge libstdcxx-ng`), or put the newer one "
              "first; newer ones serve old programs as well.",
              "升级较旧的那份（conda：`conda install -c conda-forge libstdcxx-ng`），或让较新的排在前面；"
              "新的向后兼容旧程序。"},
     .command = "soresolve symvers {object} --need {version}\nsoresolve why {requirer} libstdc++.so.6",
     .lookup = Lookup::Version,
     .source = "elf/dl-version.c:match_symbol; cuda-facts E24: tensorflow/tensorflow#56562, numpy/numpy#26986"},
    {.id = "cuda-version-node-missing",
     .problem = ProblemCode::VersionMissing,
     .printer = kLoader,
     .patterns = {"{object}: version '{version=libcu*.so*|libnv*.so*|libnccl*.so*|libnpp*.so*}' not found (required by "
                  "{requirer})"},
     .cause = {"{object} carries the name that {requirer} asks for, but is another release: it does not define "
               "{version}. This is what a link or a renamed copy of another CUDA version looks like.",
               "{object} 的名字符合 {requirer} 的要求，但它是另一个版本：没有定义 {version}。把别的 CUDA "
               "版本做成链接或改名，就会出现这个错误。"},
     .proof = {"The nodes that it does define.", "看它实际定义了哪些版本节点。"},
     .next = {"Remove the link or copy, and install the CUDA runtime of the right release beside the other.",
              "删除该链接或副本，另外安装正确版本的 CUDA 运行时（可以并存）。"},
     .command = "soresolve symvers {object} --need {version}",
     .lookup = Lookup::Version,
     .source = "elf/dl-version.c:match_symbol"},
    {.id = "version-missing",
     .problem = ProblemCode::VersionMissing,
     .printer = kLoader,
     .patterns = {"{object}: version '{version}' not found (required by {requirer})",
                  "{object}: version {version}' not found (required by {requirer})"},
     .cause = {"{object} was found, but it does not define {version}, which {requirer} was linked against: it is an "
               "older or a foreign build of the library.",
               "找到了 {object}，但它没有定义 {requirer} 链接时所依赖的 {version}：它是该库较旧的或来源不同的构建。"},
     .proof = {"DT_VERNEED of the one against DT_VERDEF of the other.", "比较一方的 DT_VERNEED 与另一方的 DT_VERDEF。"},
     .next = {"Update the library, or put the newer copy first in the search.",
              "升级该库，或让较新的那份在搜索顺序中靠前。"},
     .command = "soresolve symvers {object} --need {version}",
     .lookup = Lookup::Version,
     .source = "elf/dl-version.c:match_symbol"},
    {.id = "glibc-mixed",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns =
         {"{object}undefined symbol: {symbol}, version GLIBC_PRIVATE",
          "{object}: version 'GLIBC_PRIVATE' not found (required by {requirer})",
          "{object}symbol {symbol}, version GLIBC_PRIVATE not defined in file {library} with link time reference",
          "{object}symbol {symbol} version GLIBC_PRIVATE not defined in file {library} with link time reference"},
     .cause =
         {"Two parts of glibc are of different releases: symbols of GLIBC_PRIVATE are for glibc's own libraries of "
          "one build. One part comes from a snap, an AppImage, a copied libc.so.6 or LD_LIBRARY_PATH.",
          "进程里 glibc 的两个部分来自不同版本：GLIBC_PRIVATE 的符号只供同一次构建的 glibc 自身使用。其中一部分来自 "
          "snap、AppImage、复制来的 libc.so.6 或 LD_LIBRARY_PATH。"},
     .proof = {"Where libc.so.6, libpthread.so.0, libm.so.6 and the loader itself come from in this process.",
               "看这个进程的 libc.so.6、libpthread.so.0、libm.so.6 和加载器本身各来自哪里。"},
     .next = {"Take the foreign directory off LD_LIBRARY_PATH and LD_PRELOAD (terminals inside a snap of an editor set "
              "them), and do not copy libc.so.6 alone.",
              "把外来目录从 LD_LIBRARY_PATH 和 LD_PRELOAD 中去掉（snap 版编辑器里的终端会设置它们），不要单独复制 "
              "libc.so.6。"},
     .command = "env | grep -E '^LD_|SNAP'; soresolve why {object}",
     .lookup = Lookup::Start,
     .source = "glibc elf/Versions"},
    {.id = "version-missing-short",
     .printer = {"a report about ld.so's message", "对 ld.so 消息的转述"},
     .patterns = {"GLIBC_{number}' not found", "GLIBCXX_{number}' not found", "CXXABI_{number}' not found"},
     .cause =
         {"The part of the loader's message that names both files is not here. It says that a library (libc.so.6 for "
          "GLIBC_, libstdc++.so.6 for GLIBCXX_ and CXXABI_) does not define version {number}, which is newer: the "
          "program was built on a newer distribution or with a newer GCC.",
          "这里缺少加载器消息中写着两个文件名的部分。它的意思是某个库（GLIBC_ 是 libc.so.6，GLIBCXX_、CXXABI_ 是 "
          "libstdc++.so.6）没有定义较新的版本 {number}：程序是在更新的发行版上或用更新的 GCC 编译的。"},
     .proof = {"The whole line names the library that was found and the file that requires it.",
               "完整的那一行写着找到的库和需要它的文件。"},
     .next = {"GLIBC_: take a build for an older glibc, or a newer image. GLIBCXX_, CXXABI_: a newer libstdc++.so.6 "
              "(conda: "
              "libstdcxx-ng).",
              "GLIBC_：换用面向旧版 glibc 的构建，或使用更新的镜像。GLIBCXX_、CXXABI_：更新 libstdc++.so.6（conda："
              "libstdcxx-ng）。"},
     .command = "ldd --version | head -1",
     .weight = Weight::Summary,
     .source = "elf/dl-version.c:match_symbol, in part"},
    {.id = "weak-version-missing",
     .problem = ProblemCode::VersionUnproven,
     .printer = kLoader,
     .patterns = {"{object}: weak version '{version}' not found (required by {requirer})"},
     .cause = {"{requirer} can do without {version}, and {object} does not have it: only a warning.",
               "{requirer} 对 {version} 只是弱依赖，而 {object} 没有它：仅仅是警告。"},
     .proof = {"The flag WEAK in `readelf -V`.", "`readelf -V` 中的 WEAK 标志。"},
     .next = {"Nothing, unless a function that is called is missing later.", "无需处理，除非之后调用的函数缺失。"},
     .command = "soresolve symvers {object} --need {version}",
     .lookup = Lookup::Version,
     .source = "elf/dl-version.c:match_symbol, verbose"},
    {.id = "no-version-information",
     .problem = ProblemCode::VersionUnproven,
     .printer = kLoader,
     .patterns = {"{object}: no version information available (required by {requirer})"},
     .cause = {"{requirer} was linked against a library with symbol versions; the copy found, {object}, has none. "
               "It goes on. Usual for a library of conda or of a vendor in front of the system's.",
               "{requirer} 链接的是带符号版本的库，而找到的 {object} 没有版本信息。程序会继续运行。常见于 conda "
               "或厂商自带的库排在系统库之前。"},
     .proof = {"`soresolve symvers` on the file shows no nodes.", "对该文件运行 `soresolve symvers`，没有版本节点。"},
     .next = {"Harmless as long as nothing else fails; otherwise take that copy off the search path "
              "(LD_LIBRARY_PATH).",
              "只要没有别的错误就无害；否则把那一份从搜索路径（LD_LIBRARY_PATH）中去掉。"},
     .command = "soresolve symvers {object}",
     .source = "elf/dl-version.c:match_symbol, verbose"},

    {.id = "nvjitlink-too-old",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}undefined symbol: {symbol=__nvJitLink*}, version {version}",
                  "{object}undefined symbol: {symbol=__nvJitLink*}"},
     .cause =
         {"{symbol} is a function of nvJitLink; the number at its end is the release it needs. The "
          "libnvJitLink.so.12 (or .13) that was loaded is older: mostly a system toolkit on LD_LIBRARY_PATH, "
          "before the pip package.",
          "{symbol} 是 nvJitLink 的函数，末尾的数字是所需的版本。加载到的 libnvJitLink.so.12（或 .13）较旧：多半是 "
          "LD_LIBRARY_PATH 里的系统 CUDA "
          "工具包排在 pip 包之前。"},
     .proof = {"The highest number among the __nvJitLink… symbols that the file found defines.",
               "看实际加载的文件所定义的 __nvJitLink… 符号中最大的数字。"},
     .next = {"`unset LD_LIBRARY_PATH`, or put site-packages/nvidia/nvjitlink/lib first; or update the package: "
              "`pip install -U nvidia-nvjitlink-cu12`.",
              "`unset LD_LIBRARY_PATH`，或把 site-packages/nvidia/nvjitlink/lib 放到最前面；或升级：`pip install -U "
              "nvidia-nvjitlink-cu12`。"},
     .command = "soresolve why {object} libnvJitLink.so.12",
     .lookup = Lookup::Start,
     .source = "cuda-facts E16, E56: pytorch/pytorch#111469, pytorch/pytorch#134929, NVIDIA/cuvs#1794"},
    {.id = "cublaslt-mismatch",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns =
         {"{object}undefined symbol: {symbol=cublasLt*}, version {version}",
          "{object}undefined symbol: {symbol=cublasLt*}",
          "{object}symbol {symbol=cublasLt*}, version {version} not defined in file {library} with link time reference",
          "{object}symbol {symbol=cublasLt*} version {version} not defined in file {library} with link time reference"},
     .cause = {"libcublas and libcublasLt come from two builds of CUDA: {symbol} is not in the libcublasLt that was "
               "loaded. The version node ({version}) is the same in all of them and does not protect from that.",
               "libcublas 与 libcublasLt 来自两个不同的 CUDA 构建：加载到的 libcublasLt 里没有 {symbol}。"
               "它们的版本节点（{version}）都一样，起不到保护作用。"},
     .proof = {"Where both come from, and whether the one defines what the other imports.",
               "看两者分别来自哪里，以及一方是否定义了另一方导入的符号。"},
     .next = {"Use both from one directory: take the other toolkit off LD_LIBRARY_PATH, or uninstall a stray "
              "nvidia-cublas-cu11 (or -cu12) package.",
              "让两者来自同一目录：把另一个工具包从 LD_LIBRARY_PATH 中去掉，或卸载多余的 nvidia-cublas-cu11（或 -cu12）"
              "包。"},
     .command = "soresolve why {object} {version}",
     .lookup = Lookup::Start,
     .source = "cuda-facts E17, E18: NVlabs/tiny-cuda-nn#222, zai-org/ChatGLM-6B#921, hpcaitech/ColossalAI#4059"},
    {.id = "cudnn-8-mixed",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"Could not load library {library=*libcudnn*}. Error: {object}: undefined symbol: {symbol}, version "
                  "{version=libcudnn*.so.8}",
                  "{object}undefined symbol: {symbol}, version {version=libcudnn*.so.8}"},
     .cause =
         {"The parts of cuDNN 8 come from two releases: {object} is newer than the {version} that was loaded, "
          "which has the version node but not {symbol}.",
          "cuDNN 8 的各个子库来自两个版本：{object} 比加载到的 {version} 新，后者有这个版本节点，却没有 {symbol}。"},
     .proof = {"The node is there and the symbol is not: an exact proof of the mixture.",
               "节点存在而符号不存在，这就确凿地证明了混用。"},
     .next = {"All libcudnn*.so.8 from one release and one directory. Mostly a system copy stands in "
              "LD_LIBRARY_PATH before the framework's own.",
              "让所有 libcudnn*.so.8 来自同一版本、同一目录。多半是 LD_LIBRARY_PATH 里的系统副本排在框架自带的之前。"},
     .command = "soresolve why {object} {version}",
     .lookup = Lookup::Start,
     .source = "cuda-facts E15: siliconflow/onediff#1096, ultralytics/ultralytics#10203, davisking/dlib#2719"},
    {.id = "cudart-too-old",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}undefined symbol: {symbol}, version {version=libcudart.so.*}"},
     .cause = {"{object} was built with a newer minor release of CUDA than the {version} that was loaded: the "
               "version node is the same for the whole major release, but {symbol} came later.",
               "{object} 编译时所用的 CUDA 次版本，比加载到的 {version} 新：版本节点在整个主版本内都一样，而 {symbol} "
               "是后来才有的。"},
     .proof = {"The release that first had the symbol against the one that was found.",
               "比较首次提供该符号的版本与找到的版本。"},
     .next = {"Update the runtime within its major release (`pip install -U nvidia-cuda-runtime-cu11`, `-cu12`), or "
              "put a newer toolkit first in the search.",
              "在同一主版本内升级运行时（`pip install -U nvidia-cuda-runtime-cu11`、`-cu12`），"
              "或让更新的工具包在搜索顺序中靠前。"},
     .command = "soresolve bindings --floor {object}\nsoresolve why {object} {version}",
     .lookup = Lookup::Start,
     .source = "cuda-facts E19: NVIDIA/cutlass#2079"},
    {.id = "nccl-too-old",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}undefined symbol: {symbol=nccl*}"},
     .cause = {"{object} was built against a newer NCCL. The libnccl.so.2 that was loaded, mostly the system's by "
               "LD_LIBRARY_PATH or ld.so.cache, does not have {symbol}. NCCL has no version nodes, so only the "
               "symbol tells.",
               "{object} 是针对更新的 NCCL 编译的；加载到的 libnccl.so.2（多半是 LD_LIBRARY_PATH 或 ld.so.cache "
               "带来的系统副本）没有 {symbol}。"
               "NCCL 没有版本节点，只能从符号看出。"},
     .proof = {"Which libnccl.so.2 is found, and whether it defines the symbol.",
               "看找到的是哪个 libnccl.so.2，它是否定义该符号。"},
     .next = {"Take the old one off LD_LIBRARY_PATH, or update it (`pip install -U nvidia-nccl-cu12`, or the "
              "system's libnccl2).",
              "把旧的从 LD_LIBRARY_PATH 中去掉，或升级它（`pip install -U nvidia-nccl-cu12`，或系统的 libnccl2）。"},
     .command = "soresolve why {object} libnccl.so.2",
     .lookup = Lookup::Start,
     .source = "cuda-facts E20: pytorch/pytorch#119932, NVIDIA/nccl#1784"},
    {.id = "mkl-too-new",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}undefined symbol: iJIT_NotifyEvent", "{object}undefined symbol: iJIT_IsProfilingActive"},
     .cause = {"PyTorch took this symbol of Intel's profiler from MKL, which does not provide it any more since "
               "2024.1.",
               "PyTorch 曾经从 MKL 得到这个 Intel 分析器的符号，而 MKL 自 2024.1 起不再提供。"},
     .proof = {"The symbol is imported without a version, and no library of the process defines it.",
               "该符号不带版本地被导入，而进程中没有任何库定义它。"},
     .next = {"`conda install 'mkl<2024.1'`, or a newer PyTorch.", "`conda install 'mkl<2024.1'`，或升级 PyTorch。"},
     .lookup = Lookup::Start,
     .source = "cuda-facts E21: pytorch/pytorch#123097"},
    {.id = "torch-abi-mismatch",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}undefined symbol: {symbol=_Z*c10*|_Z*5torch*|_Z*2at*|_Z*6caffe2*|aoti_torch_*|THP*}"},
     .cause =
         {"{object} is an extension for another PyTorch: {symbol} does not exist in the libtorch and libc10 of "
          "this process. Another release, or the other setting of the C++11 ABI (names with __cxx11).",
          "{object} 是为另一个 PyTorch 编译的扩展：当前进程的 libtorch、libc10 里没有 {symbol}。要么版本不同，要么 "
          "C++11 ABI 设置不同（名字里带 "
          "__cxx11）。"},
     .proof = {"The name demangled, and the same name with and without __cxx11 among the exports of torch/lib.",
               "还原（demangle）符号名，并在 torch/lib 的导出符号中查找带与不带 __cxx11 的同名符号。"},
     .next =
         {"Install the wheel of the extension for exactly this PyTorch and CUDA, or rebuild it (`pip install "
          "--no-build-isolation --no-binary :all: …`).",
          "安装与当前 PyTorch、CUDA 完全对应的扩展 wheel，或重新编译（`pip install --no-build-isolation --no-binary "
          ":all: …`）。"},
     .command =
         "c++filt {symbol}\npython -c \"import torch; print(torch.__version__, torch.compiled_with_cxx11_abi())\"",
     .lookup = Lookup::Start,
     .source = "cuda-facts E22: Dao-AILab/flash-attention#975, #1832, #966"},
    {.id = "python-abi-mismatch",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}undefined symbol: {symbol=Py*|_Py*}"},
     .cause = {"{object} was built for another Python: {symbol} is not in this interpreter. Or it was loaded by a "
               "program that is no Python at all.",
               "{object} 是为另一个 Python 版本编译的：当前解释器里没有 {symbol}；或者加载它的程序根本不是 Python。"},
     .proof = {"The tag in the file's name (cpython-310) against `python -V`.",
               "比较文件名中的标签（cpython-310）与 `python -V`。"},
     .next = {"Install the package for this Python; remove build leftovers of another one (build/, *.so beside the "
              "sources).",
              "为当前 Python 重新安装该软件包；删除其他版本编译残留的文件（build/、源码旁的 *.so）。"},
     .lookup = Lookup::Start,
     .source = "elf/dl-lookup.c:_dl_lookup_symbol_x"},
    {.id = "python-version-mismatch",
     .printer = {"Python extension (pybind11)", "Python 扩展（pybind11）"},
     .patterns = {"Python version mismatch: module was compiled for Python {built}, but",
                  "Python version mismatch: module was compiled for version {built}, while"},
     .cause = {"The extension module was compiled for Python {built}, and another Python imports it.",
               "该扩展模块是为 Python {built} 编译的，而导入它的是另一个 Python 版本。"},
     .proof = {"The tag in the file's name (cpython-310) against `python -V`.",
               "比较文件名中的标签（cpython-310）与 `python -V`。"},
     .next = {"Install the package for this Python, or start the Python that it was built for; a file without a tag "
              "in its name "
              "is found by every Python.",
              "为当前 Python 安装该软件包，或改用它所对应的 Python；文件名里没有标签的模块会被任何 Python 找到。"},
     .command = "python -V; python -c \"import sys; print(sys.executable, sys.path)\"",
     .source = "pybind11 include/pybind11/detail/common.h:PYBIND11_CHECK_PYTHON_VERSION"},
    {.id = "symbol-missing-in-version",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}undefined symbol: {symbol}, version {version}"},
     .cause = {"{object} needs {symbol} in version {version}. The library that should bring it was found and has "
               "passed the version check, but lacks the symbol: it is an older or smaller build than the one linked "
               "against.",
               "{object} 需要版本为 {version} 的 {symbol}。提供它的库已经找到，也通过了版本检查，却没有这个符号："
               "它比链接时所用的更旧或功能更少。"},
     .proof = {"Where the search for the symbol asks, object by object.", "逐个对象地看符号搜索的过程。"},
     .next = {"Update that library, or put the newer copy first.", "升级那个库，或让较新的那份靠前。"},
     .command = "soresolve bindings --symbol {symbol} {object}",
     .lookup = Lookup::Start,
     .source = "elf/dl-lookup.c:_dl_lookup_symbol_x"},
    {.id = "symbol-missing",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}undefined symbol: {symbol}"},
     .cause = {"{object} refers to {symbol}, and no library of the process defines it: a library is older than the "
               "one linked against, is not in DT_NEEDED, or was replaced by a stub or another variant.",
               "{object} 引用了 {symbol}，而进程中没有任何库定义它：某个库比链接时旧、没有写进 DT_NEEDED，"
               "或被替换成桩库或别的变体。"},
     .proof = {"Where the search for the symbol asks, object by object.", "逐个对象地看符号搜索的过程。"},
     .next = {"Find which library should have it (its documentation, `nm -D`), then update that one, or link with "
              "it.",
              "弄清它应当由哪个库提供（查文档、`nm -D`），然后升级该库，或在链接时加上它。"},
     .command = "soresolve bindings --symbol {symbol} {object}",
     .lookup = Lookup::Start,
     .source = "elf/dl-lookup.c:_dl_lookup_symbol_x"},
    {.id = "symbol-not-in-linked-file",
     .problem = ProblemCode::SymbolMissing,
     .printer = kLoader,
     .patterns = {"{object}symbol {symbol}, version {version} not defined in file {library} with link time reference",
                  "{object}symbol {symbol} version {version} not defined in file {library} with link time reference"},
     .cause = {"glibc up to 2.29: {object} expects {symbol} from {library}, by version {version}, and that file "
               "does not have it: it is older than the one linked against.",
               "glibc 2.29 及更早：{object} 要求 {library} 提供版本为 {version} 的 {symbol}，"
               "而该文件没有：它比链接时的旧。"},
     .proof = {"What {library} defines.", "看 {library} 定义了什么。"},
     .next = {"Update {library}, or put the newer copy first.", "升级 {library}，或让较新的那份靠前。"},
     .command = "soresolve why {object} {library}",
     .lookup = Lookup::Start,
     .source = "elf/dl-lookup.c:_dl_lookup_symbol_x (up to 2.29)"},
    {.id = "ifunc-order",
     .problem = ProblemCode::WouldCrash,
     .printer = kLoader,
     .patterns = {"Relink '{requirer}' with '{object}' for IFUNC symbol '{symbol}'",
                  "IFUNC symbol '{symbol}' referenced in '{requirer}' is defined in the executable and creates an "
                  "unsatisfiable circular dependency"},
     .cause = {"{symbol} is chosen at run time by a function (IFUNC) of an object that is not relocated yet when "
               "{requirer} is: {requirer} does not name that object in DT_NEEDED, so the loader does not know the "
               "order. A crash can follow.",
               "{symbol} 由某个对象中的函数在运行时选定（IFUNC），而重定位 {requirer} 时那个对象还没有完成重定位："
               "{requirer} 的 DT_NEEDED 里没有写它，动态链接器不知道先"
               "后顺序。随后可能崩溃。"},
     .proof = {"DT_NEEDED of {requirer} lacks the library that defines {symbol}.",
               "{requirer} 的 DT_NEEDED 里缺少定义 {symbol} 的库。"},
     .next = {"Link {requirer} with that library; an IFUNC that the program itself defines must not be used by its "
              "libraries.",
              "链接 {requirer} 时加上那个库；程序自身定义的 IFUNC 不能被它的库使用。"},
     .command = "readelf -d {requirer}",
     .source = "sysdeps/x86_64/dl-machine.h:elf_machine_rela (Relink …); elf/dl-reloc.c"},
    {.id = "link-time-mismatch",
     .printer = {"ld (the link editor)", "ld（链接编辑器）"},
     .patterns = {"undefined reference to '{symbol=cublasLt*|cudnn*|cu*|__nv*}@{version}'",
                  "undefined reference to '{symbol}@{version}'"},
     .cause = {"While linking, a library on the command line was found to need {symbol} in {version} from another "
               "one, and the copy found of that lacks it: the -L directories mix two builds.",
               "链接时发现命令行上的某个库需要另一个库提供 {version} 版本的 {symbol}，而找到的那份没有：-L "
               "目录混用了两个构建。"},
     .proof = {"`ld --verbose` or `-Wl,--trace` names the files taken.", "`-Wl,--trace` 会列出实际采用的文件。"},
     .next = {"Let all -L and -rpath-link directories belong to one release.",
              "让所有 -L、-rpath-link 目录属于同一个版本。"},
     .command = "soresolve symvers {version} --need {symbol}@{version}",
     .source = "cuda-facts E55: AlexeyAB/darknet#8558"},
};

}  // namespace

std::span<const KnownMessage> symbol_messages() { return kSymbolsMessages; }

}  // namespace soresolve
