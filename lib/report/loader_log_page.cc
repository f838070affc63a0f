// One process of a log: what it shows in a line, then whether the prediction for its program agrees. The comparison is
// in compare_log.cc.
#include "compare/compare_log.h"

#include "report/data.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

std::size_t attempts_of(const LoggedProcess& process) {
  std::size_t attempts = 0;
  for (const LoggedSearch& search : process.searches) attempts += search.attempts;
  return attempts;
}

NameList missing_in(const LoggedProcess& process) {
  constexpr std::size_t kShown = 4;
  NameList missing;
  for (const LoggedSearch& search : process.searches) {
    if (search.is_found) continue;
    if (missing.shown.size() == kShown) {
      ++missing.more;
    } else {
      missing.shown.push_back(search.name);
    }
  }
  return missing;
}

std::size_t found_in(const LoggedProcess& process) {
  std::size_t found = 0;
  for (const LoggedSearch& search : process.searches) found += search.is_found;
  return found;
}

}  // namespace

Page loader_log_page(const LoggedProcess& process, const LogComparison* comparison) {
  Page page;
  if (comparison == nullptr) {
    page.entry(say("head-predicted"), process.program.empty() ? say("log-names-no-program")
                                                              : say("log-no-program", {{"program", process.program}}));
  } else if (comparison->difference.empty() && !comparison->missing.empty()) {
    page.entry(say("head-predicted"),
               bad(say("log-same-missing", {{"library", comparison->missing}, {"libraries", comparison->libraries}})));
  } else if (comparison->difference.empty()) {
    page.entry(say("head-predicted"),
               good(say("log-same", {{"libraries", comparison->libraries}, {"bindings", comparison->bindings}})));
  } else {
    page.entry(say("head-predicted"), bad(say("log-differs", {{"difference", comparison->difference}})));
  }
  page.entry(say("head-log"), say("log-shows", {{"searches", process.searches.size()},
                                                {"attempts", attempts_of(process)},
                                                {"found", found_in(process)},
                                                {"versions", process.versions},
                                                {"bindings", process.bindings.size()}}));
  const NameList missing = missing_in(process);
  if (!missing.shown.empty() && found_in(process) != 0) page.more(say("log-lost", {{"libraries", missing}}));
  if (comparison != nullptr && comparison->later != 0) page.more(say("log-later", {{"count", comparison->later}}));
  return page;
}

std::string loader_log_json(const LoggedProcess& process, const LogComparison* comparison) {
  Json json = {{"schema", "soresolve/1"}, {"command", "ld-debug"}, {"pid", process.pid}, {"program", process.program}};
  json["searches"] = Json::array();
  for (const LoggedSearch& search : process.searches) {
    json["searches"].push_back(
        {{"name", search.name}, {"path", search.path}, {"attempts", search.attempts}, {"is_found", search.is_found}});
  }
  json["versions"] = process.versions;
  json["bindings"] = process.bindings.size();
  json["compared"] = comparison == nullptr ? Json(nullptr)
                                           : Json{{"libraries", comparison->libraries},
                                                  {"bindings", comparison->bindings},
                                                  {"missing", text_or_null(comparison->missing)},
                                                  {"later", comparison->later}};
  const bool differs = comparison != nullptr && !comparison->difference.empty();
  json["difference"] = differs ? Json(sentence(comparison->difference, Language::English)) : Json(nullptr);
  return json.dump();
}

}  // namespace soresolve
