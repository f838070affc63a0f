// The data of a link map, for ldd, tree and why (schema soresolve/1, see schema.json beside this file).
#include "base/enum_names.h"
#include "dlopen/who_loaded.h"
#include "loader/live_process.h"
#include "loader/load.h"
#include "loader/process.h"
#include "report/data.h"
#include "soresolve/catalogue.h"
#include "soresolve/remedies.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"

namespace soresolve {
namespace {

std::string_view role_name(ObjectRole role) {
  using enum ObjectRole;
  static constexpr auto kNames = enum_names<ObjectRole>(
      {{Main, "main"}, {Loader, "loader"}, {Vdso, "vdso"}, {Library, "library"}, {Placeholder, "missing"}});
  return kNames[role];
}

std::string_view kind_name(NeedKind kind) {
  using enum NeedKind;
  static constexpr auto kNames = enum_names<NeedKind>(
      {{Needed, "needed"}, {Auxiliary, "auxiliary"}, {Filter, "filter"}, {Preload, "preload"}, {Dlopen, "dlopen"}});
  return kNames[kind];
}

Json to_json(const Attempt& attempt) {
  Json json = {{"step", name_of(attempt.step)}, {"outcome", name_of(attempt.outcome)}};
  if (attempt.owner != kNoObject) json["owner"] = attempt.owner;
  json["entry"] = attempt.entry;
  json["directory"] = attempt.directory;
  json["subdirectory"] = attempt.subdirectory;
  json["candidate"] = text_or_null(attempt.candidate);
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
  const bool is_recorded = need.trace < map.traces.size();
  json["attempts"] = is_recorded ? later({LaterPart::Kind::Attempts, need.trace, 0}) : Json::array();
  if (is_recorded && map.traces[need.trace].left_out != 0) json["attempts_left_out"] = map.traces[need.trace].left_out;
  return json;
}

Json to_json(const SearchTrace& trace) {
  return array_of(trace.attempts, [&](const Attempt& attempt) { return to_json(attempt); });
}

Json to_json(const LinkMap& map, ObjectIndex index) {
  const LoadedObject& object = map.objects[index];
  const bool has_origin = object.role == ObjectRole::Main || object.role == ObjectRole::Library;
  Json other_names = array_of(object.other_names, [&](const std::string_view name) { return std::string(name); });
  Json json = {{"index", index},
               {"role", role_name(object.role)},
               {"path", std::string(object.name())},
               {"requested_name", std::string(object.requested_name)},
               {"other_names", std::move(other_names)},
               {"soname", value_or_null(object.elf.soname)},
               {"rpath", value_or_null(object.elf.rpath)},
               {"runpath", value_or_null(object.elf.runpath)},
               {"origin", has_origin ? value_or_null(origin_of(map, index)) : Json()},
               {"loader", index_or_null(object.loader)}};
  if (object.role == ObjectRole::Library) {
    json["found"] = {{"step", name_of(object.found.step)},
                     {"owner", index_or_null(object.found.owner)},
                     {"entry", std::string(object.found.entry)},
                     {"subdirectory", std::string(object.found.subdirectory)}};
  }
  if (map.system && map.system->layers && has_origin) {
    if (const auto layer = layer_of_file(*map.system->layers, *map.system->files, object.name())) {
      json["layer"] = to_json(*layer);
    }
  }
  Json needs = Json::array();
  for (std::uint32_t i = 0; i < object.needs.size(); ++i) needs.push_back(later({LaterPart::Kind::Need, index, i}));
  json["needs"] = std::move(needs);
  return json;
}

/// How the start or the dlopen ends, as far as files and their versions go; none: it does not.
struct SearchEnd {
  bool starts = true;
  std::optional<std::string> line;  ///< what the loader prints, or dlerror(3) gives
};

SearchEnd end_of_search(const LinkMap& map) {
  const LoadFailure* const fatal = map.first_fatal();
  const bool is_program = ends_program(map);
  const auto line_of = [&](const LoadFailure& failure) {
    return is_program ? failure.start_message(map.process->argv0) : failure.dlerror_message();
  };
  const bool is_about_versions = fatal == nullptr || fatal->kind == LoadFailure::Kind::VersionFile ||
                                 fatal->kind == LoadFailure::Kind::VersionRecord;
  if (!is_about_versions) return {false, line_of(*fatal)};
  const Result<VersionCheck> versions = check_versions(map);
  if (versions) {
    for (const VersionMessage& message : versions->messages) {
      if (message.is_crash) return {false, std::nullopt};
      if (!message.is_error) continue;
      if (is_program || message.is_assertion) return {false, message.line(map, map.process->argv0)};
      const std::string_view provider = message.provider == 0 ? map.process->argv0 : map.objects[message.provider].path;
      return {false, std::string(provider) + ": " + message.text};
    }
    if (!versions->tls_assertion.empty()) return {false, versions->tls_assertion};
    if (!versions->unreadable.empty()) return {false, std::nullopt};
  }
  if (fatal != nullptr) return {false, line_of(*fatal)};
  return {};
}

/// Its objects, their order and what could not be loaded.
void add_map(Json& json, const LinkMap& map) {
  Json objects = Json::array();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    objects.push_back(later({LaterPart::Kind::Object, i, 0}));
  }
  json["objects"] = std::move(objects);
  json["list"] = map.list_order;
  json["search_scope"] = map.search_list;
  json["failures"] = array_of(map.failures, [&](const LoadFailure& failure) -> Json {
    return {{"object", failure.object},
            {"text", failure.text},
            {"errno", static_cast<int>(failure.error)},
            {"needer", failure.needer},
            {"need", failure.need},
            {"fatal", failure.is_fatal_at_start},
            {"fatal_when_tracing", failure.is_fatal_in_trace}};
  });
}

std::string_view when_name(LoadedWhen when) {
  using enum LoadedWhen;
  static constexpr auto kNames = enum_names<LoadedWhen>({{Start, "start"}, {Later, "dlopen"}, {NotKnown, "unknown"}});
  return kNames[when];
}

/// How an object of a running process came into it.
Json to_json(const LinkMap& map, const LoadedThrough& through, ObjectIndex index) {
  const bool is_opened = !through.need && through.when == LoadedWhen::Later;
  const bool is_preload = through.by != kNoObject && !through.need && through.when == LoadedWhen::Start;
  Json edge = through.need ? Json("needed") : is_opened ? Json("dlopen") : is_preload ? Json("preload") : Json();
  return {{"when", when_name(through.when)},
          {"by", index_or_null(through.by)},
          {"edge", std::move(edge)},
          {"confidence", through.by == kNoObject ? Json() : Json(name_of(through.confidence))},
          {"namespace", map.objects[index].space}};
}

/// What is loaded and is not among the objects.
Json process_json(const LiveProcess& live) {
  Json left_out = array_of(live.left_out, [](const LeftOutObject& one) -> Json {
    const Json when = one.object.is_opened ? Json(*one.object.is_opened ? "dlopen" : "start") : Json("unknown");
    return {{"path", one.object.name},
            {"requested_name", one.object.names.empty() ? one.object.name : one.object.names.front()},
            {"when", when},
            {"namespace", one.object.space},
            {"reason", one.reason}};
  });
  return {{"program", live.exe},
          {"dump", live.is_dump},
          {"in_load_order", live.is_in_load_order},
          {"left_out", std::move(left_out)}};
}

Json document(const char* command, const LinkMap& map, std::string_view file) {
  Json json = document_head(command, map, file);
  const bool is_running = is_of_running_process(map);
  const SearchEnd end = is_running ? SearchEnd{} : end_of_search(map);
  json["starts"] = end.starts;
  json["loader_prints"] = value_or_null(end.line);
  json["openings"] = dlopen_calls_json(map);
  if (is_running) json["process"] = process_json(*map.process->live);
  add_map(json, map);
  json["assumed"] = assumed_json(map);
  json["notes"] = english_of(map.notes);
  return json;
}

/// Makes the parts of document(); `searcher`, if there is one, tells of needs whether they are fragile.
struct PartMaker {
  const LinkMap& map;
  LoneSearcher* searcher = nullptr;
  std::vector<LoadedThrough> through = is_of_running_process(map) ? who_loaded(map) : std::vector<LoadedThrough>();

  Json operator()(const LaterPart& part) const {
    switch (part.kind) {
      case LaterPart::Kind::Object: {
        Json json = to_json(map, part.index);
        if (!through.empty()) json["loaded"] = to_json(map, through[part.index], part.index);
        return json;
      }
      case LaterPart::Kind::Attempts: return to_json(map.traces[part.index]);
      case LaterPart::Kind::Need: break;
    }
    const Need& need = map.objects[part.index].needs[part.further];
    Json json = to_json(map, need);
    if (searcher != nullptr) json["fragile"] = searcher->is_fragile(part.index, need);
    return json;
  }
};

}  // namespace

void write_ldd_data(const LddReport& report, const WritePart& write) {
  write_json(document("ldd", report.map, report.file), PartMaker{report.map}, write);
}

void write_check_data(const CheckReport& report, const WritePart& write) {
  Json json = check_data(report);
  add_map(json, report.map);
  write_json(json, PartMaker{report.map}, write);
}

void write_tree_data(const TreeReport& report, const WritePart& write) {
  Json json = document("tree", report.map, report.file);
  LoneSearcher searcher(report.map);
  json["dlopens"] = dlopens_json(report.dlopens);
  write_json(json, PartMaker{report.map, &searcher}, write);
}

void write_why_data(const WhyReport& report, const WritePart& write) {
  const LinkMap& map = report.map;
  const Diagnosis& diagnosis = report.diagnosis;
  Json json = document("why", map, report.file);
  if (report.import != nullptr) json["import"] = import_json(*report.import);
  json["starts"] = diagnosis.starts;
  if (!diagnosis.loader_prints.empty()) json["loader_prints"] = diagnosis.loader_prints;
  json["answer"] = name_of(diagnosis.answer);
  json["verdict"] = sentence(diagnosis.verdict, Language::English);
  const Remedy* const best = best_remedy(diagnosis);
  json["try"] = best == nullptr ? Json::array() : Json(texts_of(best->commands));
  json["asked"] = text_or_null(diagnosis.asked);
  json["asked_requests"] = array_of(diagnosis.asked_requests, [&](const NeedRef& request) -> Json {
    return {{"needer", request.needer}, {"need", request.need}};
  });
  put_problems(json, diagnosis.problems);
  json["dlopens"] = dlopens_json(diagnosis.dlopens);
  json["remedies"] = array_of(diagnosis.remedies, [&](const Remedy& remedy) { return to_json(remedy); });
  write_json(json, PartMaker{map}, write);
}

}  // namespace soresolve
