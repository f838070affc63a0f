// Candidates and fixes as JSON (schema soresolve/1).
#include "report/json_parts.h"
#include "soresolve/catalogue.h"

namespace soresolve {

Json to_json(const PackageOwner& owner) {
  return {{"name", owner.name},
          {"version", owner.version.empty() ? Json(nullptr) : Json(owner.version)},
          {"by", name_of(owner.by)},
          {"record", owner.record}};
}

Json to_json(const Candidate& candidate) {
  return {{"path", candidate.path},
          {"soname", candidate.soname.empty() ? Json(nullptr) : Json(candidate.soname)},
          {"place", sentence(candidate.place, Language::English)},
          {"is_asked_name", candidate.is_asked_name},
          {"serves", candidate.serves},
          {"reason", sentence(candidate.reason, Language::English)},
          {"foreign", text_or_null(candidate.foreign)},
          {"judged_by", candidate.judged_by},
          {"package", candidate.owner ? to_json(*candidate.owner) : Json(nullptr)}};
}

Json to_json(const Remedy& remedy) {
  Json also = Json::array();
  for (const Statement& change : remedy.also) also.push_back(sentence(change, Language::English));
  return {{"kind", name_of(remedy.kind)},
          {"verdict", name_of(remedy.verdict)},
          {"text", sentence(remedy.text, Language::English)},
          {"commands", remedy.commands},
          {"mends", remedy.mends},
          {"loader_prints", remedy.loader_says.empty() ? Json(nullptr) : Json(remedy.loader_says)},
          {"also", std::move(also)},
          {"reason", text_or_null(remedy.reason)},
          {"checked", text_or_null(remedy.checked)},
          {"foreign", text_or_null(remedy.foreign)}};
}

}  // namespace soresolve
