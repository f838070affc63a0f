// Outcomes of attempts in words; and why a stage of a search made none: RUNPATH switches RPATH off, AT_SECURE ignores
// LD_LIBRARY_PATH, DF_1_NODEFLIB bars the default directories and what the cache has of them.
// Source: glibc elf/dl-load.c:_dl_map_object.
#include "report/names.h"

#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/file_system.h"

namespace soresolve {

Statement outcome_words(const Attempt& attempt) {
  const Statement outcome = term(name_of(attempt.outcome));
  switch (attempt.outcome) {
    case Outcome::OpenFailed:
      return say("outcome-leaves-list",
                 {{"outcome", outcome}, {"reason", errno_text(attempt.error, ErrnoText::FromDlerror)}});
    case Outcome::WrongClass:
    case Outcome::WrongMachine: return say("outcome-passed-over", {{"outcome", outcome}});
    case Outcome::Fatal:
    case Outcome::WouldCrash:
    case Outcome::WouldBlock: return say("outcome-reason", {{"outcome", outcome}, {"reason", attempt.text}});
    default: return outcome;
  }
}

Statement words_without_path(const LinkMap& map, const NeedRef& request, const Attempt& attempt) {
  const LoadedObject& needer = map.objects[request.needer];
  const std::string& cache = map.system->rules.cache_path;
  switch (attempt.outcome) {
    case Outcome::DefaultDirsBarred: return say("directory-barred", {{"object", needer.name()}});
    case Outcome::NoCache:
      return map.system->cache_problem
                 ? say("cache-ignored", {{"cache", cache}, {"reason", map.system->cache_problem->message}})
                 : say("cache-not-there", {{"cache", cache}});
    case Outcome::NotInCache:
      return say("cache-without", {{"cache", cache}, {"library", needer.needs[request.need].name}});
    case Outcome::CacheEntryBarred:
      return say("cache-entry-not-taken", {{"path", attempt.candidate}, {"object", needer.name()}});
    default: return {};
  }
}

Statement why_no_attempt(const LinkMap& map, const NeedRef& request, SearchStep step) {
  const LoadedObject& needer = map.objects[request.needer];
  switch (step) {
    case SearchStep::Rpath:
      return say(needer.elf.runpath ? "rpath-not-used" : "rpath-none", {{"object", needer.name()}});
    case SearchStep::LibraryPath:
      if (const auto value = map.process->environment.value("LD_LIBRARY_PATH"); value && !value->empty()) {
        return say(map.process->secure ? "library-path-ignored" : "no-usable-directory");
      }
      return say("not-set");
    case SearchStep::Runpath:
      if (needer.elf.runpath)
        return say(map.process->secure && needer.elf.runpath->find('$') != std::string_view::npos
                       ? "secure-takes-no-token"
                       : "no-usable-directory");
      return say("runpath-none", {{"object", needer.name()}});
    case SearchStep::Cache: return say("not-asked");
    default: return say("none");
  }
}

}  // namespace soresolve
