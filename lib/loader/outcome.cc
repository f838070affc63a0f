// Names of search steps and outcomes, as ld.so(8) calls the stages, and which outcomes end a search or the whole start
// (glibc 2.36 elf/dl-load.c:open_verify: a bad header ends it, a wrong class does not).
#include "base/enum_names.h"
#include "soresolve/link_map.h"

namespace soresolve {

std::string_view name_of(SearchStep step) {
  using enum SearchStep;
  static constexpr auto kNames = enum_names<SearchStep>({{AlreadyLoaded, "already loaded"},
                                                         {Path, "path"},
                                                         {Rpath, "RPATH"},
                                                         {LibraryPath, "LD_LIBRARY_PATH"},
                                                         {Runpath, "RUNPATH"},
                                                         {Cache, "ld.so.cache"},
                                                         {DefaultDirs, "default directories"}});
  return kNames[step];
}

std::string_view name_of(Outcome outcome) {
  using enum Outcome;
  static constexpr auto kNames =
      enum_names<Outcome>({{Loaded, "loaded"},
                           {SameFile, "the same file is loaded already"},
                           {AlreadyLoaded, "already loaded"},
                           {NoSuchFile, "no such file"},
                           {NoSuchDirectory, "no such directory"},
                           {SkippedDirectory, "directory does not exist (already reported above)"},
                           {PermissionDenied, "permission denied"},
                           {WrongClass, "wrong ELF class"},
                           {WrongMachine, "wrong machine"},
                           {OldAbiNote, "needs a newer kernel"},
                           {NotSetuid, "not set-uid"},
                           {OpenFailed, "cannot be opened"},
                           {NotInCache, "no entry"},
                           {NoCache, "no cache"},
                           {CacheEntryBarred, "entry barred by DF_1_NODEFLIB"},
                           {DefaultDirsBarred, "barred by DF_1_NODEFLIB"},
                           {Fatal, "fatal"},
                           {WouldCrash, "would crash"},
                           {WouldBlock, "would wait forever"}});
  return kNames[outcome];
}

bool is_found(Outcome outcome) {
  return outcome == Outcome::Loaded || outcome == Outcome::SameFile || outcome == Outcome::AlreadyLoaded;
}

bool ends_start(Outcome outcome) {
  return outcome == Outcome::Fatal || outcome == Outcome::WouldCrash || outcome == Outcome::WouldBlock;
}

}  // namespace soresolve
