// One phrase for each kind of fix, in English and Chinese. What one fix changes, with its commands, is made in
// lib/diagnose/propose_*.cc.
#include "soresolve/catalogue.h"

namespace soresolve {

Phrase meaning_of(RemedyKind kind) {
  switch (kind) {
    case RemedyKind::PathEntry:
      return {"take an entry out of LD_LIBRARY_PATH, for this process",
              "从 LD_LIBRARY_PATH 中去掉一个目录，只影响该进程"};
    case RemedyKind::LibraryPath:
      return {"name a directory in LD_LIBRARY_PATH, for this process", "在 LD_LIBRARY_PATH 中加入目录，只影响该进程"};
    case RemedyKind::Configuration:
      return {"name a directory to ldconfig, for every process of the machine",
              "把目录告诉 ldconfig，影响本机所有进程"};
    case RemedyKind::SearchTag:
      return {"change where the file that needs the library looks for it",
              "修改需要该库的文件中的搜索路径（RPATH/RUNPATH）"};
    case RemedyKind::Link: return {"make a link where the library is searched", "在搜索到的目录里建立符号链接"};
    case RemedyKind::Unshadow: return {"move a file out of the way of the right one", "移走挡在正确文件前面的文件"};
    case RemedyKind::Preload:
      return {"load the library before everything else, for this process", "在其他一切之前先加载该库，只影响该进程"};
  }
  return {};
}

}  // namespace soresolve
