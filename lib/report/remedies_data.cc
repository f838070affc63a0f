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

Json to_json(const LayerOfFile& layer) {
  const auto text = [](const std::string& word) { return word.empty() ? Json(nullptr) : Json(word); };
  return {{"path", layer.path},
          {"did", layer.is_removed ? "removed" : "brought"},
          {"number", layer.number},
          {"digest", text(layer.layer.digest)},
          {"diff_id", text(layer.layer.diff_id)},
          {"created_by", text(layer.layer.created_by)}};
}

Json to_json(const std::vector<LayerOfFile>& layers) {
  Json list = Json::array();
  for (const LayerOfFile& layer : layers) list.push_back(to_json(layer));
  return list;
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
          {"commands", texts_of(remedy.commands)},
          {"mends", remedy.fixes},
          {"loader_prints", remedy.loader_says.empty() ? Json(nullptr) : Json(remedy.loader_says)},
          {"also", std::move(also)},
          {"reason", text_or_null(remedy.reason)},
          {"checked", text_or_null(remedy.checked)},
          {"foreign", text_or_null(remedy.foreign)}};
}

}  // namespace soresolve
