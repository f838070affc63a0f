// A file that comes into no process, as data: all that the documents of check, why, ldd and tree must have
// (schema.json), without a world and without objects.
#include "base/enum_names.h"
#include "report/data.h"
#include "soresolve/catalogue.h"
#include "soresolve/remedies.h"

namespace soresolve {
namespace {

std::string_view name_of(View::As command) {
  using enum View::As;
  static constexpr auto kNames = enum_names<View::As>({{Check, "check"}, {Why, "why"}, {Ldd, "ldd"}, {Tree, "tree"}});
  return kNames[command];
}

void add_check(Json& json, const Diagnosis& diagnosis) {
  const char* const verdict = diagnosis.problems.empty() ? "ok" : "fails";
  const Json line = text_or_null(diagnosis.loader_prints);
  json["verdict"] = verdict;
  json["exit_status"] = nullptr;
  json["line"] = line;
  json["stderr"] = Json::array();
  json["death"] = nullptr;
  json["lazy"] = {{"verdict", verdict}, {"line", line}, {"bind_now_is_set", false}};
  for (const char* const list : {"missing", "versions", "above_cpu", "undefined"}) json[list] = Json::array();
  json["counts"] = {{"objects", 0}, {"versions", 0}, {"references", 0}, {"unbound_weak", 0}, {"lazy", 0}};
  json["requirements"] = Json::array();
  json["from_host_driver"] = Json::array();
}

void add_walk(Json& json, const Diagnosis& diagnosis) {
  json["starts"] = diagnosis.starts;
  json["loader_prints"] = text_or_null(diagnosis.loader_prints);
  for (const char* const list : {"objects", "list", "search_scope", "failures"}) json[list] = Json::array();
  json["verdict"] = sentence(diagnosis.verdict, Language::English);
  json["asked"] = nullptr;
  json["asked_requests"] = Json::array();
}

}  // namespace

Json refusal_data(const RefusalReport& report) {
  const Diagnosis& diagnosis = report.diagnosis;
  Json json = {
      {"schema", "soresolve/1"}, {"command", name_of(report.command)}, {"file", report.file}, {"world", nullptr}};
  json["openings"] = Json::array();
  json["answer"] = name_of(diagnosis.answer);
  if (report.command == View::As::Check) {
    add_check(json, diagnosis);
  } else {
    add_walk(json, diagnosis);
  }
  put_problems(json, diagnosis.problems);
  json["dlopens"] = Json::array();
  json["remedies"] = array_of(diagnosis.remedies, [&](const Remedy& remedy) { return to_json(remedy); });
  const Remedy* const best = best_remedy(diagnosis);
  json["try"] = best == nullptr ? Json::array() : Json(texts_of(best->commands));
  json["assumed"] = nullptr;
  json["notes"] = Json::array();
  return json;
}

Json error_data(const ErrorReport& report) {
  const Error& error = report.error;
  return {{"schema", "soresolve/1"},
          {"command", report.command},
          {"error",
           {{"code", name_of(error.code)},
            {"path", text_or_null(error.path)},
            {"offset", value_or_null(error.offset)},
            {"message", error.message}}}};
}

}  // namespace soresolve
