// The same facts as JSON, schema soresolve/1 (see schema.json beside this file).
#include "report/json_parts.h"
#include "report/paint.h"
#include "report/remedies.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

template <class Text>
Json text_or_null(const std::optional<Text>& text) {
  return text ? Json(std::string(*text)) : Json(nullptr);
}

const char* role_name(ObjectRole role) {
  switch (role) {
    case ObjectRole::Main: return "main";
    case ObjectRole::Loader: return "loader";
    case ObjectRole::Vdso: return "vdso";
    case ObjectRole::Library: return "library";
    case ObjectRole::Placeholder: return "missing";
  }
  return "";
}

const char* kind_name(NeedKind kind) {
  switch (kind) {
    case NeedKind::Needed: return "needed";
    case NeedKind::Auxiliary: return "auxiliary";
    case NeedKind::Filter: return "filter";
    case NeedKind::Preload: return "preload";
    case NeedKind::Dlopen: return "dlopen";
  }
  return "";
}

Json to_json(const Attempt& attempt) {
  Json json = {{"step", name_of(attempt.step)}, {"outcome", name_of(attempt.outcome)}};
  if (attempt.owner != kNoObject) json["owner"] = attempt.owner;
  json["entry"] = attempt.entry;
  json["directory"] = attempt.directory;
  json["subdirectory"] = attempt.subdirectory;
  json["candidate"] = attempt.candidate.empty() ? Json(nullptr) : Json(attempt.candidate);
  json["errno"] = static_cast<int>(attempt.error);
  if (!attempt.text.empty()) json["text"] = attempt.text;
  return json;
}

Json to_json(const LinkMap& map, const Need& need) {
  Json json = {{"kind", kind_name(need.kind)},
               {"name", std::string(need.name)},
               {"written", std::string(need.written)},
               {"target", index_or_null(need.target)},
               {"resolution", name_of(need.resolution)}};
  Json attempts = Json::array();
  if (need.trace < map.traces.size()) {
    for (const Attempt& attempt : map.traces[need.trace].attempts) {
      attempts.push_back(to_json(attempt));
    }
  }
  json["attempts"] = std::move(attempts);
  return json;
}

Json to_json(const System& system, const Process& process, const LinkMap& map,
             ObjectIndex index) {
  const LoadedObject& object = map.objects[index];
  const bool has_origin = object.role == ObjectRole::Main || object.role == ObjectRole::Library;
  Json other_names = Json::array();
  for (const std::string_view name : object.other_names) other_names.push_back(std::string(name));
  Json json = {{"index", index},
               {"role", role_name(object.role)},
               {"path", std::string(object.name())},
               {"requested_name", std::string(object.requested_name)},
               {"other_names", std::move(other_names)},
               {"soname", text_or_null(object.elf.soname)},
               {"rpath", text_or_null(object.elf.rpath)},
               {"runpath", text_or_null(object.elf.runpath)},
               {"origin", has_origin ? text_or_null(origin_of(system, process, map, index)) : Json()},
               {"loader", index_or_null(object.loader)}};
  if (object.role == ObjectRole::Library) {
    json["found"] = {{"step", name_of(object.found.step)},
                     {"owner", index_or_null(object.found.owner)},
                     {"entry", std::string(object.found.entry)},
                     {"subdirectory", std::string(object.found.subdirectory)}};
  }
  Json needs = Json::array();
  for (const Need& need : object.needs) needs.push_back(to_json(map, need));
  json["needs"] = std::move(needs);
  return json;
}

Json document(const char* command, const System& system, const Process& process,
              const LinkMap& map, std::string_view file) {
  Json json = document_head(command, system, process, file);
  const LoadFailure* fatal = map.first_fatal();
  const bool is_program = ends_program(process, map);
  json["starts"] = fatal == nullptr;
  json["loader_prints"] = fatal == nullptr ? Json(nullptr)
                          : is_program     ? Json(fatal->start_message(process.argv0))
                                           : Json(fatal->dlerror_message());
  json["openings"] = openings_json(map);
  Json objects = Json::array();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    objects.push_back(to_json(system, process, map, i));
  }
  json["objects"] = std::move(objects);
  json["list"] = map.list_order;
  json["search_scope"] = map.search_list;
  Json failures = Json::array();
  for (const LoadFailure& failure : map.failures) {
    failures.push_back({{"object", failure.object},
                        {"text", failure.text},
                        {"errno", static_cast<int>(failure.error)},
                        {"needer", failure.needer},
                        {"need", failure.need},
                        {"fatal", failure.is_fatal_at_start},
                        {"fatal_when_tracing", failure.is_fatal_in_trace}});
  }
  json["failures"] = std::move(failures);
  json["notes"] = map.notes;
  return json;
}

}  // namespace

std::string ldd_json(const System& system, const Process& process, const LinkMap& map,
                     std::string_view file) {
  return dump(document("ldd", system, process, map, file));
}

std::string tree_json(const System& system, const Process& process, const LinkMap& map,
                      std::string_view file, const Dlopens& dlopens) {
  Json json = document("tree", system, process, map, file);
  LoneSearcher searcher(system, process, map);
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    for (std::size_t k = 0; k < map.objects[i].needs.size(); ++k) {
      json["objects"][i]["needs"][k]["fragile"] = searcher.is_fragile(i, map.objects[i].needs[k]);
    }
  }
  json["dlopens"] = dlopens_json(dlopens);
  return dump(json);
}

std::string why_json(const System& system, const Process& process, const LinkMap& map,
                     const Diagnosis& diagnosis, std::string_view file) {
  Json json = document("why", system, process, map, file);
  json["starts"] = diagnosis.starts;
  if (!diagnosis.loader_prints.empty()) json["loader_prints"] = diagnosis.loader_prints;
  json["verdict"] = diagnosis.verdict;
  json["asked"] = diagnosis.asked.empty() ? Json(nullptr) : Json(diagnosis.asked);
  Json requests = Json::array();
  for (const NeedRef& request : diagnosis.asked_requests) {
    requests.push_back({{"needer", request.needer}, {"need", request.need}});
  }
  json["asked_requests"] = std::move(requests);
  Json findings = Json::array();
  for (const Finding& finding : diagnosis.findings) findings.push_back(finding_json(finding));
  json["findings"] = std::move(findings);
  json["dlopens"] = dlopens_json(diagnosis.dlopens);
  Json remedies = Json::array();
  for (const Remedy& remedy : diagnosis.remedies) remedies.push_back(to_json(remedy));
  json["remedies"] = std::move(remedies);
  return dump(json);
}

}  // namespace soresolve
