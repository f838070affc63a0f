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
               {"object", index_or_null(problem.object)}};
  json["requests"] = array_of(problem.requests, [&](const NeedRef& request) -> Json {
    return {{"needer", request.needer}, {"need", request.need}};
  });
  Json proof = Json::array();
  Json evidence = Json::array();
  for (const Evidence& each : problem.evidence) {
    proof.push_back(sentence(each.what, Language::English));
    evidence.push_back({{"text", proof.back()},
                        {"path", text_or_null(each.path)},
                        {"offset", value_or_null(each.offset)},
                        {"line", value_or_null(each.line)}});
  }
  json["proof"] = std::move(proof);
  json["evidence"] = std::move(evidence);
  json["packages"] = array_of(problem.owners, [&](const OwnedFile& file) -> Json {
    return {{"path", file.path}, {"package", to_json(file.owner)}};
  });
  if (!problem.layers.empty()) json["layers"] = to_json(problem.layers);
  json["candidates"] = array_of(problem.candidates, [&](const Candidate& candidate) { return to_json(candidate); });
  json["candidates_note"] = text_or_null(problem.candidates_note);
  json["loader_prints"] = text_or_null(problem.loader_says);
  CommandText wheels;
  for (const std::string& wheel : problem.wheels) wheels += (wheels.empty() ? CommandText() : " ") + shell_word(wheel);
  json["wheel"] = wheels.empty() ? Json(nullptr) : Json(wheels.text());
  json["met_later"] = problem.is_met_later();
  json["dlerror"] = text_or_null(problem.dlerror_says);
  return json;
}

void put_problems(Json& answer, const std::vector<Problem>& problems) {
  Json list = array_of(problems, [&](const Problem& problem) { return problem_json(problem); });
  answer["problems"] = list;
  answer["findings"] = std::move(list);
}

}  // namespace soresolve
