// Whose process a file is judged in, where nobody named one, and why that one.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kProcessSentences[] = {
    {"assumed-opened-by",
     {"assumed: opened by {program} ({reason}); --exe none judges it alone",
      "假定：由 {program} 打开（{reason}）；--exe none 只看文件本身"}},

    {"assumed-driver",
     {"assumed: the host that it runs on brings in the driver's libraries, for no NVIDIA driver is here; --exe none "
      "judges without them",
      "假定：这里没有 NVIDIA 驱动，驱动库由运行它的主机提供；--exe none 则不作此假定"}},
    {"depends-on-driver",
     {"depends on the NVIDIA driver of its host: {libraries} is not here",
      "取决于运行它的主机上的 NVIDIA 驱动：这里没有 {libraries}"}},
    {"driver-of-host",
     {"{library}, which {needer} needs, is part of the NVIDIA driver: the host brings it in, and none is here",
      "{needer} 需要的 {library} 属于 NVIDIA 驱动：由主机提供，而这里没有驱动"}},

    // Why it is that program.
    {"process-needs", {"it needs {library}", "它需要 {library}"}},
    {"process-needs-through", {"it needs {first}, which needs {library}", "它需要 {first}，而后者需要 {library}"}},
    {"process-module-needs",
     {"its module {module}, which is loaded before, needs {library}", "它先加载的模块 {module} 需要 {library}"}},
    {"process-exports-one",
     {"it defines the symbol that the file leaves to its process", "它定义了文件留给进程提供的那个符号"}},
    {"process-exports",
     {"it defines all {count} symbols that the file leaves to its process",
      "它定义了文件留给进程提供的全部 {count} 个符号"}},
    {"process-has", {"its process has {library} by then", "它的进程此时已有 {library}"}},
    {"process-opens", {"it opens {library} before", "它会先打开 {library}"}},

    // What shows it.
    {"process-imports",
     {"{package} is imported before: the file needs {library}, and {path} is here",
      "在此之前导入了 {package}：该文件需要 {library}，而 {path} 就在这里"}},
    {"process-imports-by", {"libraries are opened as by {source}", "库的打开方式取自 {source}"}},
    {"process-names",
     {"{path} has the name {library} as a constant (file offset {offset})",
      "{path} 的常量中有 {library} 这个名字（文件偏移 {offset}）"}},
    {"process-lies-at", {"{library} is {path}", "{library} 即 {path}"}},
    {"process-companion",
     {"{library} is opened before: it defines {symbol}, which {file} needs",
      "先打开 {library}：它定义了 {file} 需要的 {symbol}"}},
};

constexpr auto kProcessSentencesByName = places_by_name(kProcessSentences);

}  // namespace

SentenceTable process_sentences() { return {kProcessSentences, kProcessSentencesByName}; }

}  // namespace soresolve
