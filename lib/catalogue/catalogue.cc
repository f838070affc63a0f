// Puts the tables in order, the more specific first, and has the Chinese texts of dlerror (glibc 2.36 po/zh_CN.po). The
// rows are in catalogue_*.cc; other languages of glibc's messages are not recognised.
#include "catalogue/catalogue.h"

namespace soresolve {

std::vector<const KnownMessage*> known_messages() {
  std::vector<const KnownMessage*> all;
  // The first that fits counts: "libcudart.so.11.0 is missing" before "a library is missing".
  for (const auto part : {framework_messages(), cuda_messages(), driver_messages(), toolkit_messages(),
                          symbol_messages(), loader_messages()}) {
    for (const KnownMessage& message : part) all.push_back(&message);
  }
  return all;
}

std::span<const Translation> loader_translations() {
  // glibc 2.36 po/zh_CN.po. What ld.so prints itself at the start is never translated.
  static constexpr Translation kTranslations[] = {
      {"cannot open shared object file", "无法打开共享对象文件"},
      {"wrong ELF class: ", "错误的 ELF 类："},
      {"invalid ELF header", "无效的 ELF 头"},
      {"file too short", "文件过短"},
      {"only ET_DYN and ET_EXEC can be loaded", "只有 ET_DYN 以及 ET_EXEC 可以加载"},
      {"cannot dynamically load executable", "无法动态载入可执行文件"},
      {"object file has no dynamic section", "目标文件没有动态节"},
      {"failed to map segment from shared object", "无法从共享目标中映射段"},
      {"cannot enable executable stack as shared object requires", "无法启用共享目标需要的执行栈"},
      {"cannot allocate memory in static TLS block", "无法在静态 TLS 块中分配内存"},
      {"ELF file OS ABI invalid", "ELF 文件 OS ABI 无效"},
      {"error while loading shared libraries: ", "载入共享库时出错: "},
      {"symbol lookup error: ", "符号查询错误: "},
      {"Permission denied", "权限不够"},
      {"No such file or directory", "没有那个文件或目录"},
  };
  return kTranslations;
}

}  // namespace soresolve
