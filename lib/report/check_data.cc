// check as JSON (schema soresolve/1, "check" in schema.json).
#include "base/enum_names.h"
#include "diagnose/additions.h"
#include "diagnose/requirement.h"
#include "diagnose/verdict.h"
#include "report/data.h"
#include "soresolve/catalogue.h"
#include "symbols/cxx_names.h"

namespace soresolve {
namespace {

std::string_view verdict_name(StartEnd end) {
  using enum StartEnd;
  static constexpr auto kNames = enum_names<StartEnd>(
      {{Runs, "ok"}, {Fails, "fails"}, {Versions, "versions"}, {Crashes, "crashes"}, {Blocks, "blocks"}});
  return kNames[end];
}

Json line_of(const Startup& startup) {
  return startup.fatal_line ? Json(startup.lines[*startup.fatal_line]) : Json(nullptr);
}

class CheckData {
 public:
  explicit CheckData(const CheckReport& report) : report_(report), map_(report.map), check_(report.check) {}

  Json make(std::string_view file) const {
    const Startup& now = check_.answer();
    Json json = document_head("check", report_.map, file);
    if (report_.import != nullptr) json["import"] = import_json(*report_.import);
    json["openings"] = dlopen_calls_json(map_);
    json["answer"] = name_of(report_.verdict);
    json["verdict"] = verdict_name(now.end);
    const std::optional<int> status = exit_status_of(map_, now);
    json["exit_status"] = value_or_null(status);
    json["line"] = line_of(now);
    json["stderr"] = now.lines;
    json["death"] = text_or_null(now.death);
    json["lazy"] = {{"verdict", verdict_name(check_.as_asked.end)},
                    {"line", line_of(check_.as_asked)},
                    {"bind_now_is_set", check_.asks_now}};
    json["missing"] = libraries();
    json["versions"] = versions();
    json["above_cpu"] = above_cpu();
    json["undefined"] = symbols();
    const StartCounts& counts = check_.counts;
    json["counts"] = {{"objects", counts.objects},
                      {"versions", counts.versions},
                      {"references", counts.references},
                      {"unbound_weak", counts.unbound_weak},
                      {"lazy", counts.lazy}};
    json["dlopens"] = dlopens_json(report_.dlopens);
    put_problems(json, report_.cuda);
    Json requirements = Json::array();
    for (const RequirementVerdict& verdict : report_.requirements) {
      Json proof =
          array_of(verdict.evidence, [&](const Evidence& each) { return sentence(each.what, Language::English); });
      requirements.push_back({{"requirement", verdict.requirement.text},
                              {"met", verdict.is_met},
                              {"seen", sentence(verdict.seen, Language::English)},
                              {"proof", std::move(proof)},
                              {"problem", verdict.is_met ? Json(nullptr) : problem_json(problem_of(map_, verdict))}});
    }
    json["requirements"] = std::move(requirements);
    json["from_host_driver"] = left_to_driver(map_, check_);
    if (map_.system && map_.system->layers) json["layers"] = to_json(layers_of(map_, check_));
    json["assumed"] = assumed_json(map_);
    json["notes"] = english_of(map_.notes);
    return json;
  }

 private:
  [[nodiscard]] Json name(ObjectIndex object) const {
    return object == kNoObject ? Json(nullptr) : Json(std::string(map_.objects[object].name()));
  }

  [[nodiscard]] Json libraries() const {
    Json list = Json::array();
    for (const UnresolvedLibrary& library : check_.libraries) {
      Json needers = array_of(library.needers, [&](const ObjectIndex needer) { return name(needer); });
      list.push_back({{"name", library.failure.object},
                      {"text", library.failure.text},
                      {"errno", static_cast<int>(library.failure.error)},
                      {"needed_by", std::move(needers)}});
    }
    return list;
  }

  [[nodiscard]] Json versions() const {
    return array_of(check_.versions, [&](const VersionGap& gap) -> Json {
      return {{"version", text_or_null(gap.message.version)},
              {"requirer", name(gap.message.requirer)},
              {"provider", name(gap.message.provider)},
              {"file_offset", gap.message.need_offset},
              {"text", gap.message.text},
              {"error", gap.message.is_error},
              {"nearest", gap.nearest}};
    });
  }

  [[nodiscard]] Json above_cpu() const {
    return array_of(check_.facts.above_cpu, [&](const ObjectIndex object) -> Json {
      return {{"path", name(object)}, {"needs", isa_level_name(map_.objects[object].elf.isa_needed)}};
    });
  }

  [[nodiscard]] Json symbols() const {
    Json list = Json::array();
    for (const UnresolvedSymbol& symbol : check_.symbols) {
      Json hidden = array_of(symbol.out_of_scope, [&](const ObjectIndex object) { return name(object); });
      Json near = array_of(symbol.near_misses, [&](const NearSymbol& one) -> Json {
        return {{"how", name_of(one.how)}, {"path", one.path}, {"symbol", one.symbol}};
      });
      const bool is_there = symbol.from != kNoObject && map_.objects[symbol.from].role != ObjectRole::Placeholder;
      list.push_back({{"symbol", symbol.reference.name},
                      {"version", symbol.reference.has_version ? Json(symbol.reference.version) : Json(nullptr)},
                      {"referrer", name(symbol.reference.referrer)},
                      {"lazy", symbol.reference.is_lazy},
                      {"required_from", text_or_null(symbol.file)},
                      {"provider", is_there ? name(symbol.from) : Json(nullptr)},
                      {"opened_local", std::move(hidden)},
                      {"readable", text_or_null(demangled(symbol.reference.name))},
                      {"near_misses", std::move(near)}});
    }
    return list;
  }

  const CheckReport& report_;
  const LinkMap& map_;
  const Check& check_;
};

}  // namespace

Json check_data(const CheckReport& report) { return CheckData(report).make(report.file); }

}  // namespace soresolve
