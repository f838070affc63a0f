// Candidates and fixes as JSON (schema soresolve/1).
#include "report/json_parts.h"
#include "soresolve/catalogue.h"

namespace soresolve {

Json to_json(const PackageOwner& owner) {
  return {{"name", owner.name},
          {"version", text_or_null(owner.version)},
          {"by", name_of(owner.by)},
          {"record", owner.record}};
}

Json to_json(const LayerOfFile& layer) {
  return {{"path", layer.path},
          {"did", layer.is_removed ? "removed" : "brought"},
          {"number", layer.number},
          {"digest", text_or_null(layer.layer.digest)},
          {"diff_id", text_or_null(layer.layer.diff_id)},
          {"created_by", text_or_null(layer.layer.created_by)}};
}

Json to_json(const std::vector<LayerOfFile>& layers) {
  return array_of(layers, [&](const LayerOfFile& layer) { return to_json(layer); });
}

Json to_json(const Candidate& candidate) {
  return {{"path", candidate.path},
          {"soname", text_or_null(candidate.soname)},
          {"place", sentence(candidate.place, Language::English)},
          {"is_asked_name", candidate.is_asked_name},
          {"serves", candidate.serves},
          {"reason", sentence(candidate.reason, Language::English)},
          {"foreign", text_or_null(candidate.foreign)},
          {"judged_by", candidate.judged_by},
          {"package", value_or_null(candidate.owner, [](const auto& each) { return to_json(each); })}};
}

Json to_json(const Remedy& remedy) {
  return {{"kind", name_of(remedy.kind)},
          {"verdict", name_of(remedy.verdict)},
          {"text", sentence(remedy.text, Language::English)},
          {"commands", texts_of(remedy.commands)},
          {"mends", remedy.fixes},
          {"loader_prints", text_or_null(remedy.loader_says)},
          {"also", english_of(remedy.also)},
          {"reason", text_or_null(remedy.reason)},
          {"checked", text_or_null(remedy.checked)},
          {"foreign", text_or_null(remedy.foreign)}};
}

}  // namespace soresolve
