// Names of search steps and outcomes, as ld.so(8) calls the stages, and which outcomes end a search or the whole start
// (glibc 2.36 elf/dl-load.c:open_verify: a bad header ends it, a wrong class does not).
#include "soresolve/link_map.h"

namespace soresolve {

std::string_view name_of(SearchStep step) {
  switch (step) {
    case SearchStep::AlreadyLoaded: return "already loaded";
    case SearchStep::Path: return "path";
    case SearchStep::Rpath: return "RPATH";
    case SearchStep::LibraryPath: return "LD_LIBRARY_PATH";
    case SearchStep::Runpath: return "RUNPATH";
    case SearchStep::Cache: return "ld.so.cache";
    case SearchStep::DefaultDirs: return "default directories";
  }
  return "";
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Loaded: return "loaded";
    case Outcome::SameFile: return "the same file is loaded already";
    case Outcome::AlreadyLoaded: return "already loaded";
    case Outcome::NoSuchFile: return "no such file";
    case Outcome::NoSuchDirectory: return "no such directory";
    case Outcome::SkippedDirectory: return "directory does not exist (already reported above)";
    case Outcome::PermissionDenied: return "permission denied";
    case Outcome::WrongClass: return "wrong ELF class";
    case Outcome::WrongMachine: return "wrong machine";
    case Outcome::OldAbiNote: return "needs a newer kernel";
    case Outcome::NotSetuid: return "not set-uid";
    case Outcome::OpenFailed: return "cannot be opened";
    case Outcome::NotInCache: return "no entry";
    case Outcome::NoCache: return "no cache";
    case Outcome::CacheEntryBarred: return "entry barred by DF_1_NODEFLIB";
    case Outcome::DefaultDirsBarred: return "barred by DF_1_NODEFLIB";
    case Outcome::Fatal: return "fatal";
    case Outcome::WouldCrash: return "would crash";
    case Outcome::WouldBlock: return "would wait forever";
  }
  return "";
}

bool is_found(Outcome outcome) {
  return outcome == Outcome::Loaded || outcome == Outcome::SameFile || outcome == Outcome::AlreadyLoaded;
}

bool ends_start(Outcome outcome) {
  return outcome == Outcome::Fatal || outcome == Outcome::WouldCrash || outcome == Outcome::WouldBlock;
}

}  // namespace soresolve
