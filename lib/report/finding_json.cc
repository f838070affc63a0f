// A finding as JSON (schema soresolve/1, "finding" in schema.json).
#include "report/json_parts.h"
#include "report/remedies.h"

namespace soresolve {
namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::Fatal: return "fatal";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

}  // namespace

Json finding_json(const Finding& finding) {
  Json json = {{"code", code_of(finding.kind)},
               {"severity", severity_name(severity_of(finding.kind))},
               {"name", finding.name},
               {"text", finding.text},
               {"object", finding.object == kNoObject ? Json(nullptr) : Json(finding.object)}};
  Json requests = Json::array();
  for (const NeedRef& request : finding.requests) {
    requests.push_back({{"needer", request.needer}, {"need", request.need}});
  }
  json["requests"] = std::move(requests);
  json["proof"] = finding.proof;
  Json candidates = Json::array();
  for (const Candidate& candidate : finding.candidates) candidates.push_back(to_json(candidate));
  json["candidates"] = std::move(candidates);
  json["candidates_note"] = finding.candidates_note.empty() ? Json(nullptr) : Json(finding.candidates_note);
  json["loader_prints"] = finding.loader_says.empty() ? Json(nullptr) : Json(finding.loader_says);
  json["met_later"] = finding.is_met_later;
  json["dlerror"] = finding.dlerror_says.empty() ? Json(nullptr) : Json(finding.dlerror_says);
  return json;
}

}  // namespace soresolve
