// An examination as JSON (schema soresolve/1, "doctor" in schema.json).
#include "report/data.h"
#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

std::string english(const Statement& statement) { return sentence(statement, Language::English); }

Json framework_data(const DoctorFramework& framework) {
  Json gets = array_of(framework.gets_cuda, [&](const DottedVersion& release) { return release.text; });
  return {{"title", framework.title},
          {"result", name_of(framework.result)},
          {"library", framework.library},
          {"uses_cuda", framework.uses_cuda},
          {"built_for", {{"cuda", framework.cuda.text}, {"cudnn", framework.cudnn.text}}},
          {"gets", {{"cuda", std::move(gets)}, {"cudnn", framework.gets_cudnn.text}}},
          {"needs_driver", framework.driver.text},
          {"chips", framework.chips},
          {"problem", english(framework.problem)},
          {"commands", texts_of(framework.commands)}};
}

}  // namespace

Json doctor_data(const DoctorReport& report) {
  Json json = {{"schema", "soresolve/1"},
               {"command", "doctor"},
               {"healthy", report.is_healthy()},
               {"verdict", english(report.verdict.text)},
               {"try", report.verdict.command.text()},
               {"torch_backend", report.torch_backend}};
  Json frameworks = Json::array();
  Json checks = Json::array();
  for (const DoctorCheck& check : report.checks) {
    for (const DoctorFramework& framework : check.frameworks) frameworks.push_back(framework_data(framework));
    Json items = Json::array();
    for (const DoctorItem& item : check.items) {
      Json proof = array_of(item.proof, [&](const Statement& each) { return english(each); });
      items.push_back({{"result", name_of(item.result)}, {"text", english(item.text)}, {"proof", std::move(proof)}});
    }
    Json advice = array_of(check.advice, [&](const DoctorAdvice& each) -> Json {
      return {{"text", english(each.text)},
              {"commands", texts_of(each.commands)},
              {"is_tried", each.is_tried},
              {"tried", english(each.tried)}};
    });
    checks.push_back({{"name", check.name},
                      {"result", name_of(check.result)},
                      {"seen", english(check.seen)},
                      {"why", english(check.why)},
                      {"items", std::move(items)},
                      {"problems", array_of(check.problems, [&](const ProblemCode& code) { return code_of(code); })},
                      {"advice", std::move(advice)}});
  }
  json["driver"] = driver_json(report.driver.get());
  json["checks"] = std::move(checks);
  json["frameworks"] = std::move(frameworks);
  return json;
}

}  // namespace soresolve
