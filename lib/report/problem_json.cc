// A problem as JSON (schema soresolve/1, "problem" in schema.json).
#include "report/json_parts.h"
#include "soresolve/catalogue.h"

namespace soresolve {

Json problem_json(const Problem& problem) {
  Json json = {{"code", code_of(problem.code)},
               {"severity", name_of(severity_of(problem.code))},
               {"phase", name_of(problem.phase)},
               {"name", problem.name},
               {"text", sentence(problem.what, Language::English)},
               {"object", problem.object == kNoObject ? Json(nullptr) : Json(problem.object)}};
  Json requests = Json::array();
  for (const NeedRef& request : problem.requests) {
    requests.push_back({{"needer", request.needer}, {"need", request.need}});
  }
  json["requests"] = std::move(requests);
  Json proof = Json::array();
  Json evidence = Json::array();
  for (const Evidence& each : problem.evidence) {
    proof.push_back(sentence(each.what, Language::English));
    evidence.push_back({{"text", proof.back()},
                        {"path", each.path.empty() ? Json(nullptr) : Json(each.path)},
                        {"offset", each.offset ? Json(*each.offset) : Json(nullptr)},
                        {"line", each.line ? Json(*each.line) : Json(nullptr)}});
  }
  json["proof"] = std::move(proof);
  json["evidence"] = std::move(evidence);
  Json packages = Json::array();
  for (const OwnedFile& file : problem.owners) {
    packages.push_back({{"path", file.path}, {"package", to_json(file.owner)}});
  }
  json["packages"] = std::move(packages);
  if (!problem.layers.empty()) json["layers"] = to_json(problem.layers);
  Json candidates = Json::array();
  for (const Candidate& candidate : problem.candidates) candidates.push_back(to_json(candidate));
  json["candidates"] = std::move(candidates);
  json["candidates_note"] = text_or_null(problem.candidates_note);
  json["loader_prints"] = problem.loader_says.empty() ? Json(nullptr) : Json(problem.loader_says);
  CommandText wheels;
  for (const std::string& wheel : problem.wheels) wheels += (wheels.empty() ? CommandText() : " ") + shell_word(wheel);
  json["wheel"] = wheels.empty() ? Json(nullptr) : Json(wheels.text());
  json["met_later"] = problem.is_met_later();
  json["dlerror"] = problem.dlerror_says.empty() ? Json(nullptr) : Json(problem.dlerror_says);
  return json;
}

void put_problems(Json& answer, const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& problem : problems) list.push_back(problem_json(problem));
  answer["problems"] = list;
  answer["findings"] = std::move(list);
}

}  // namespace soresolve
