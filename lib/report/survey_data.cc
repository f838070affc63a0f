// A survey as JSON Lines (schema soresolve/1, "scan" in schema.json): nothing has to be kept in memory to read it, and
// a line is an object. Files are numbered in their order, by path; numbers stand for them wherever they are named
// again. Names of libraries are written once, in the header's list.
#include <map>

#include "base/enum_names.h"
#include "base/pieces.h"
#include "diagnose/hosts.h"
#include "report/data.h"
#include "soresolve/catalogue.h"
#include "survey/layer_survey.h"
#include "survey/who.h"

namespace soresolve {
namespace {

/// Texts by number, in the order in which they were met.
class Interned {
 public:
  std::size_t number_of(const std::string& text) {
    const auto [at, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(&at->first);
    return at->second;
  }
  [[nodiscard]] Json list() const {
    return array_of(texts_, [&](const std::string* const& text) { return *text; });
  }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<const std::string*> texts_;
};

Json process_json(const AssumedProcess& process) {
  return {{"rule", name_of(process.rule)},
          {"program", process.program},
          {"loaded", process.loaded},
          {"what", sentence(process.what, Language::English)}};
}

Json target_json(SurveyIndex target) { return target == kNoFile ? Json(nullptr) : Json(target); }

/// What a file needs, and where that leads: of the tree's files and of those outside.
template <class File>
void add_needs(Json& json, const File& file, Interned& names) {
  if (!file.soname.empty()) json["soname"] = names.number_of(file.soname);
  json["needs"] = array_of(file.needs, [&](const std::string& need) { return names.number_of(need); });
  if (!file.targets.empty()) {
    json["targets"] = array_of(file.targets, [&](const SurveyIndex target) { return target_json(target); });
  }
  for (const SurveyException& other : file.exceptions) {
    json["exceptions"].push_back({{"root", other.root}, {"need", other.need}, {"target", target_json(other.target)}});
  }
  for (const SurveyLink& link : file.links) {
    json["links"].push_back(
        {{"kind", name_of(link.kind)}, {"name", names.number_of(link.name)}, {"target", target_json(link.target)}});
  }
}

Json outside_json(const OutsideFile& file, std::size_t index, Interned& names) {
  Json json = {{"type", "outside"}, {"file", index}, {"path", file.path}};
  add_needs(json, file, names);
  return json;
}

Json file_json(const SurveyedFile& file, std::size_t index, Interned& names) {
  Json json = {{"type", "file"}, {"file", index}, {"path", file.path}};
  add_needs(json, file, names);
  json["judged_as"] = name_of(file.as);
  if (file.as != SurveyedAs::Unjudged) json["verdict"] = name_of(file.verdict);
  if (file.root) json["in_process_of"] = *file.root;
  if (file.process) json["process"] = process_json(*file.process);
  if (file.is_optional) json["optional"] = true;
  if (file.is_suppressed) json["suppressed"] = true;
  if (!file.depends_on.empty()) json["depends_on"] = sentence(file.depends_on, Language::English);
  if (file.is_root()) {
    json["loads"] = file.loads;
    json["loads_others"] = array_of(file.loads_others, [&](const std::string& path) { return names.number_of(path); });
  }
  return json;
}

Json fix_json(const GroupFix& fix) {
  return {{"command", joined(fix.commands, "\n", &CommandText::text)},
          {"text", sentence(fix.text, Language::English)},
          {"verdict", name_of(fix.verdict)},
          {"tried", fix.tried},
          {"works", fix.works}};
}

Json search_json(const GroupSearch& search) {
  Json attempts = Json::array();
  for (const GroupSearch::Place& place : search.places) {
    Json attempt = {{"step", name_of(place.step)}};
    if (!place.owner.empty()) attempt["owner"] = place.owner;
    if (!place.path.starts_with(place.entry)) attempt["entry"] = place.entry;
    attempt["path"] = place.path;
    attempt["outcome"] = name_of(place.outcome);
    attempts.push_back(std::move(attempt));
  }
  return {{"needer", search.needer}, {"name", search.name}, {"attempts", std::move(attempts)}};
}

/// What the host of the first root prints: a module's in its own words, a program's the loader's line.
std::string prints(const Survey& survey, const ProblemGroup& group) {
  const Problem& problem = group.problem;
  const bool is_of_module = problem.loader_says.empty() || problem.loader_says == problem.dlerror_says;
  const HostRow* const host =
      is_of_module && !group.members.empty() ? host_of(survey.path_of(group.members.front())) : nullptr;
  if (host == nullptr || problem.dlerror_says.empty())
    return problem.loader_says.empty() ? problem.dlerror_says : problem.loader_says;
  return words_of_host(*host, survey.path_of(group.members.front()), problem.dlerror_says);
}

Json group_json(const Survey& survey, const ProblemGroup& group, std::optional<std::size_t> since) {
  const Problem& problem = group.problem;
  Json json = {{"type", "problem"},
               {"code", code_of(problem.code)},
               {"severity", name_of(severity_of(problem.code))},
               {"phase", name_of(problem.phase)},
               {"key", group.key},
               {"optional", group.is_optional},
               {"headline", sentence(group.headline, Language::English)},
               {"library", problem.name},
               {"what", sentence(problem.what, Language::English)},
               {"loader_says", prints(survey, group)},
               {"needers", group.needers},
               {"roots", group.members}};
  if (group.suppression) {
    const bool is_known = group.suppression->by == Suppression::By::Baseline;
    json["suppression"] = {{"by", is_known ? "baseline" : "ignore"}, {"reason", group.suppression->reason}};
  }
  if (group.owner) json["package"] = to_json(*group.owner);
  if (!group.layers.empty()) json["layers"] = to_json(group.layers);
  if (since) json["since_layer"] = *since;
  if (group.search) json["search"] = search_json(*group.search);
  json["fix"] = group.fix ? fix_json(*group.fix) : Json(nullptr);
  return json;
}

std::string_view name_of(SurveySkip::Why why) {
  using enum SurveySkip::Why;
  static constexpr auto kNames = enum_names<SurveySkip::Why>({{Unreadable, "unreadable"},
                                                              {Damaged, "damaged"},
                                                              {NoLoader, "no-loader"},
                                                              {Unjudged, "unjudged"},
                                                              {PseudoFiles, "pseudo-files"},
                                                              {Visited, "visited"},
                                                              {Limit, "limit"}});
  return kNames[why];
}

Json sizes_json(const SurveySizes& sizes) {
  Json packages = array_of(sizes.packages, [&](const PackageOwner& owner) { return to_json(owner); });
  Json bytes = Json::array();
  Json package_of = Json::array();
  for (const SurveySizes::File& file : sizes.files) {
    bytes.push_back(file.size_bytes);
    package_of.push_back(value_or_null(file.package));
  }
  return {{"type", "sizes"},
          {"packages", std::move(packages)},
          {"bytes", std::move(bytes)},
          {"package_of", std::move(package_of)}};
}

Json unused_json(const Unused& unused) {
  const auto index_or_null = [](SurveyIndex file) { return file == kNoFile ? Json(nullptr) : Json(file); };
  Json files = array_of(unused.files, [&](const UnusedFile& file) -> Json {
    return {{"file", file.file},
            {"evidence", name_of(file.evidence)},
            {"named_by", index_or_null(file.by)},
            {"instead", index_or_null(file.instead)}};
  });
  return {{"type", "unused"},
          {"files", std::move(files)},
          {"note", sentence(say("unused-is-no-proof"), Language::English)}};
}

Json layers_json(const LayerSurvey& survey) {
  std::size_t number = 0;
  Json layers = array_of(survey.layers, [&](const SurveyedLayer& one) -> Json {
    return {{"number", ++number},
            {"digest", text_or_null(one.layer.digest)},
            {"diff_id", text_or_null(one.layer.diff_id)},
            {"created_by", text_or_null(one.layer.created_by)},
            {"is_absent", one.layer.is_absent},
            {"roots", one.counts.roots},
            {"fails", one.counts.fails},
            {"appears", one.appears},
            {"ended", english_of(one.ended)}};
  });
  Json hidden = array_of(survey.hidden, [&](const HiddenFile& file) -> Json {
    return {{"path", file.path},
            {"bytes", file.size_bytes},
            {"number", file.number},
            {"by", file.by},
            {"did", file.is_replaced ? "replaced" : "removed"}};
  });
  return {{"type", "layers"},
          {"layers", std::move(layers)},
          {"hidden", std::move(hidden)},
          {"hidden_bytes", survey.hidden_bytes()},
          {"interrupted", survey.is_interrupted}};
}

}  // namespace

void write_survey_data(const SurveyReport& report, const WritePart& write) {
  const Survey& survey = report.survey;
  Interned names;
  std::vector<Json> files;
  for (std::size_t i = 0; i < survey.files.size(); ++i) files.push_back(file_json(survey.files[i], i, names));
  for (const OutsideFile& file : survey.outside) files.push_back(outside_json(file, files.size(), names));
  const auto line = [&](const Json& json) { write(dump_line(json)); };
  line({{"type", "scan"},
        {"schema", "soresolve/1"},
        {"command", "scan"},
        {"root", report.root},
        {"ruled_by", report.ruled_by},
        {"names", names.list()}});
  for (const Json& file : files) line(file);
  for (const ProblemGroup& group : survey.groups) {
    line(group_json(survey, group, report.layers != nullptr ? report.layers->since(group) : std::nullopt));
  }
  for (const SurveySkip& skip : survey.skipped) {
    line({{"type", "skipped"},
          {"path", skip.path},
          {"why", name_of(skip.why)},
          {"reason", skip.reason},
          {"open", skip.is_open}});
  }
  if (report.sizes != nullptr) line(sizes_json(*report.sizes));
  if (report.unused != nullptr) line(unused_json(*report.unused));
  if (report.layers != nullptr) line(layers_json(*report.layers));
  const SurveyCounts& counts = survey.counts;
  Json remarks = english_of(survey.remarks);
  line({{"type", "summary"},
        {"good", is_good(report)},
        {"interrupted", survey.is_interrupted},
        {"out_of_memory", survey.is_out_of_memory},
        {"entries", counts.entries},
        {"files", counts.files},
        {"dynamic", counts.dynamic},
        {"not_dynamic", counts.not_dynamic},
        {"static_programs", counts.static_programs},
        {"programs", counts.programs},
        {"roots", counts.roots},
        {"works", counts.works},
        {"fails", counts.fails},
        {"depends", counts.depends},
        {"optional", counts.optional},
        {"suppressed", counts.suppressed},
        {"unjudged", counts.unjudged},
        {"remarks", std::move(remarks)}});
}

}  // namespace soresolve
