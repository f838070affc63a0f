#include "soresolve/loader.h"

#include "link/walk.h"

namespace soresolve {

Result<LinkMap> load(const System& system, const Process& process, std::string_view file,
                     const LoadOptions& options) {
  return Walk(system, process, options).run(file);
}

LoneSearch search_alone(const System& system, const Process& process, const LinkMap& map,
                        ObjectIndex needer, std::string_view name, PastFirst past_first) {
  Walk walk(system, process, LoadOptions{});
  walk.adopt(map);
  LoneSearch lone;
  const SearchResult result =
      walk.search_for(map, needer, name, past_first == PastFirst::GoOn, &lone.trace);
  lone.outcome = result.outcome;
  if (is_found(result.outcome)) lone.path = result.path;
  return lone;
}

}  // namespace soresolve
