// Who needs a library or a symbol, as data (schema soresolve/1, "who").
#include <algorithm>
#include <string>
#include <vector>

#include "report/data.h"
#include "report/who_report.h"
#include "survey/who.h"

namespace soresolve {
namespace {

/// Of an image: which layer the file is from.
void add_layer(Json& json, const WhoReport& report, SurveyIndex file) {
  if (!report.place || !report.place->layers || file == kNoFile) return;
  const auto layer = layer_of_file(*report.place->layers, *report.place->files, report.survey.path_of(file));
  if (layer) json["layer"] = to_json(*layer);
}

Json needer_json(const WhoReport& report, const WhoNeeder& needer) {
  Json json = {{"path", report.survey.path_of(needer.file)},
               {"needed", needer.is_needed},
               {"link", needer.link ? Json(name_of(*needer.link)) : Json(nullptr)},
               {"processes", needer.processes}};
  if (report.answer.has_bindings) json["symbols"] = needer.symbols;
  add_layer(json, report, needer.file);
  return json;
}

Json paths_json(const Survey& survey, const std::vector<SurveyIndex>& files) {
  return array_of(files, [&](const SurveyIndex file) { return survey.path_of(file); });
}

/// The files through which the needers come into a process, each once with who needs it; ascending.
Json through_json(const WhoReport& report) {
  const std::vector<std::vector<SurveyNeeder>> needers = needers_of_files(report.survey);
  std::vector<bool> is_known(needers.size());
  std::vector<SurveyIndex> open;
  const auto add = [&](SurveyIndex file) {
    if (file >= is_known.size() || is_known[file]) return;
    is_known[file] = true;
    open.push_back(file);
  };
  for (const WhoCopy& copy : report.answer.copies) {
    for (const WhoNeeder& needer : copy.needers) add(needer.file);
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const SurveyNeeder& needer : needers[open[i]]) add(needer.file);
  }
  std::sort(open.begin(), open.end());
  Json list = Json::array();
  for (const SurveyIndex file : open) {
    if (needers[file].empty()) continue;
    std::vector<SurveyIndex> of_file;
    for (const SurveyNeeder& needer : needers[file]) of_file.push_back(needer.file);
    list.push_back({{"path", report.survey.path_of(file)}, {"needers", paths_json(report.survey, of_file)}});
  }
  return list;
}

}  // namespace

Json who_data(const WhoReport& report) {
  const Survey& survey = report.survey;
  const WhoAnswer& answer = report.answer;
  const bool is_symbol = answer.about == WhoAnswer::About::Symbol;
  Json copies = Json::array();
  for (const WhoCopy& copy : answer.copies) {
    Json needers = array_of(copy.needers, [&](const WhoNeeder& needer) { return needer_json(report, needer); });
    Json json = {{"path", copy.file == kNoFile ? Json(nullptr) : Json(survey.path_of(copy.file))},
                 {"needers", std::move(needers)},
                 {"processes", paths_json(survey, copy.processes)}};
    if (is_symbol) json["symbol"] = copy.symbol;
    add_layer(json, report, copy.file);
    copies.push_back(std::move(json));
  }
  return {{"schema", "soresolve/1"},
          {"command", "who"},
          {"root", report.root},
          {"name", answer.name},
          {"about", is_symbol ? "symbol" : "library"},
          {"interrupted", answer.is_interrupted},
          {"unread", unread_count(survey, answer)},
          {"needers", answer.needer_count()},
          {"binders", answer.has_bindings ? Json(answer.binder_count()) : Json(nullptr)},
          {"processes", answer.process_count()},
          {"copies", std::move(copies)},
          {"processes_with_several", is_symbol ? Json::array() : paths_json(survey, answer.processes_with_several())},
          {"through", is_symbol ? Json::array() : through_json(report)}};
}

Json unused_data(const UnusedReport& report) {
  const auto path_or_null = [&](SurveyIndex file) {
    return file == kNoFile ? Json(nullptr) : Json(report.survey.path_of(file));
  };
  Json files = array_of(report.unused.files, [&](const UnusedFile& file) -> Json {
    return {{"path", report.survey.path_of(file.file)},
            {"bytes", file.size_bytes},
            {"hard_link_of", path_or_null(file.link_of)},
            {"evidence", name_of(file.evidence)},
            {"named_by", path_or_null(file.by)},
            {"instead", path_or_null(file.instead)},
            {"package", value_or_null(file.owner, [](const auto& each) { return to_json(each); })}};
  });
  return {{"schema", "soresolve/1"},
          {"command", "who"},
          {"root", report.root},
          {"interrupted", report.unused.is_interrupted},
          {"unread", unread_count(report.survey)},
          {"dynamic", report.survey.files.size()},
          {"bytes", report.unused.total_bytes()},
          {"unused", std::move(files)}};
}

}  // namespace soresolve
