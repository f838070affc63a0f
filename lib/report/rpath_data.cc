// The data of `why --rpath` (schema soresolve/1, "rpath" in schema.json).
#include "diagnose/rpath_entries.h"
#include "report/data.h"
#include "report/rpath_report.h"

namespace soresolve {
namespace {

Json to_json(const LinkMap& map, const RpathEntry& entry) {
  Json serves = array_of(entry.serves, [&](const RpathServed& served) -> Json {
    return {{"name", served.name},
            {"path", std::string(map.objects[served.target].name())},
            {"needer", std::string(map.objects[served.needer].name())}};
  });
  return {{"written", entry.written},      {"directory", text_or_null(entry.directory)},
          {"state", name_of(entry.state)}, {"same_as", value_or_null(entry.same_as)},
          {"default", entry.is_default},   {"world_writable", entry.is_writable_by_all},
          {"serves", std::move(serves)}};
}

}  // namespace

Json rpath_data(const RpathReport& report) {
  Json tags = Json::array();
  for (const RpathTag& tag : report.tags) {
    Json entries = array_of(tag.entries, [&](const RpathEntry& entry) { return to_json(report.map, entry); });
    tags.push_back({{"file", tag.path},
                    {"tag", name_of(tag.step)},
                    {"void", tag.is_void},
                    {"entries", std::move(entries)},
                    {"entries_left_out", tag.left_out}});
  }
  return {{"schema", "soresolve/1"}, {"command", "why"}, {"file", report.file}, {"rpaths", std::move(tags)}};
}

}  // namespace soresolve
