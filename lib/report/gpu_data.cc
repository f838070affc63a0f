// The data of GPU code (schema soresolve/1, "gpu" in schema.json).
#include "cuda/fatbin.h"
#include "report/data.h"

namespace soresolve {
namespace {

Json to_json(const GpuTarget& target) {
  Json json = {{"target", name_of(target)}, {"kind", target.kind}, {"arch", target.arch}};
  json["suffix"] = target.suffix == '\0' ? Json(nullptr) : Json(std::string(1, target.suffix));
  json["ptx"] = target.kind != kGpuPtx
                    ? Json(nullptr)
                    : Json(std::to_string(target.isa_major) + "." + std::to_string(target.isa_minor));
  return json;
}

Json or_null(const DottedVersion& version) { return version.empty() ? Json(nullptr) : Json(version.text); }

Json to_json(const CudaLibrary& library) {
  Json reported = array_of(library.reported, [&](const ReportedVersion& each) -> Json {
    return {{"version", each.version.text}, {"proof", sentence(each.proof, Language::English)}};
  });
  return {{"family", library.family},      {"version", or_null(library.version)},
          {"cuda", or_null(library.cuda)}, {"cuda_proof", text_or_null(library.cuda_proof)},
          {"told", std::move(reported)},   {"contradiction", text_or_null(library.contradiction)}};
}

}  // namespace

Json gpu_data(const GpuReport& report) {
  const GpuCode& code = report.code;
  Json json = {{"schema", "soresolve/1"}, {"command", "gpu"}, {"file", std::string(report.file)}};
  json["library"] = report.library == nullptr ? Json(nullptr) : to_json(*report.library);
  json["device"] = nullptr;
  if (report.verdict != nullptr) {
    const GpuVerdict& verdict = *report.verdict;
    const std::string& cuda = verdict.needs_driver_of_cuda;
    json["device"] = {{"name", report.device->name},
                      {"capability", report.device->capability.to_string()},
                      {"source", report.device->source},
                      {"runs", verdict.runs()},
                      {"native", verdict.native},
                      {"compiled", verdict.compiled},
                      {"linked", verdict.linked},
                      {"none", verdict.none},
                      {"newest_ptx", verdict.newest_ptx ? to_json(*verdict.newest_ptx)["ptx"] : Json(nullptr)},
                      {"needs_driver_of_cuda", text_or_null(cuda)}};
  }
  json["containers"] = code.containers;
  json["pieces"] = code.entries;
  Json targets = Json::array();
  for (const GpuTargetSum& sum : code.targets) {
    Json target = to_json(sum.target);
    target["pieces"] = sum.entries;
    target["containers"] = sum.containers;
    target["stored_bytes"] = sum.stored_bytes;
    target["uncompressed_bytes"] = sum.uncompressed_bytes;
    targets.push_back(std::move(target));
  }
  json["targets"] = std::move(targets);
  Json choices = Json::array();
  for (const GpuChoice& choice : code.choices) {
    Json offers = array_of(choice.targets, [&](const GpuTarget& target) { return to_json(target); });
    choices.push_back({{"containers", choice.containers}, {"targets", std::move(offers)}});
  }
  json["choices"] = std::move(choices);
  json["damages"] = array_of(code.damages, [&](const Error& damage) -> Json {
    return {{"file_offset", damage.offset.value_or(0)}, {"text", damage.message}};
  });
  json["damage_count"] = code.damage_count;
  json["inside"] = nullptr;
  if (const GpuInside* inside = report.inside) {
    Json reported = array_of(inside->reported, [&](const Error& error) -> Json {
      return {{"file_offset", error.offset.value_or(0)}, {"text", error.message}};
    });
    json["inside"] = {{"agreeing", inside->agreeing},     {"differing", inside->differing},
                      {"damaged", inside->damaged},       {"not_unpacked", inside->not_unpacked},
                      {"not_judged", inside->not_judged}, {"told", std::move(reported)}};
  }
  return json;
}

}  // namespace soresolve
