// What decides differently in two roots, as data (schema soresolve/1, "diff").
#include <string>
#include <vector>

#include "report/data.h"

namespace soresolve {
namespace {

Json step_json(const DecidingStep& step) {
  Json json = {{"by", name_of(step.by)},
               {"what", text_or_null(step.what)},
               {"also", text_or_null(step.also)},
               {"value_a", text_or_null(step.value_a)},
               {"value_b", text_or_null(step.value_b)},
               {"lacks", step.lacks == Side::A ? "A" : "B"},
               {"path", text_or_null(step.path)}};
  if (step.layer) {
    json["layer"] = to_json(*step.layer);
    json["layer"]["side"] = step.layer_side == Side::A ? "A" : "B";
  }
  return json;
}

Json request_json(const RequestDifference& request) {
  return {{"needer", text_or_null(request.needer)},
          {"name", request.name},
          {"change", name_of(request.change)},
          {"path_a", text_or_null(request.path_a)},
          {"path_b", text_or_null(request.path_b)}};
}

Json requests_json(const std::vector<RequestDifference>& list) {
  return array_of(list, [&](const RequestDifference& request) { return request_json(request); });
}

Json statements_of(const std::vector<Statement>& list) {
  return array_of(list, [&](const Statement& one) { return text_or_null(one); });
}

Json verdict_or_null(const std::optional<Verdict>& verdict) {
  return verdict ? Json(name_of(*verdict)) : Json(nullptr);
}

Json fix_or_null(const std::optional<ComparedFix>& fix) {
  if (!fix) return nullptr;
  return {{"verdict", name_of(fix->verdict)}, {"commands", texts_of(fix->commands)}, {"text", text_or_null(fix->text)}};
}

/// Of an image: what a file on that side is from, or removed by.
void add_layer(Json& json, const char* key, const std::shared_ptr<const Place>& place, const std::string& path) {
  if (!place || !place->layers || path.empty()) return;
  if (const auto layer = layer_of_file(*place->layers, *place->files, path)) json[key] = to_json(*layer);
}

Json file_json(const FileComparison& file, const Comparison& both) {
  Json causes = array_of(file.causes, [&](const DifferenceCause& cause) -> Json {
    return {{"step", step_json(cause.step)},
            {"decided", requests_json(cause.decided)},
            {"derived", requests_json(cause.derived)}};
  });
  Json objects = array_of(file.objects, [&](const ComparedObject& object) -> Json {
    Json json = {{"change", name_of(object.change)},
                 {"name", object.name},
                 {"path_a", text_or_null(object.path_a)},
                 {"path_b", text_or_null(object.path_b)}};
    add_layer(json, "layer_a", both.place_a, object.path_a);
    add_layer(json, "layer_b", both.place_b, object.path_b);
    return json;
  });
  Json bindings = array_of(file.bindings, [&](const MovedBindings& moved) -> Json {
    return {{"referrer", moved.referrer},
            {"provider_a", text_or_null(moved.provider_a)},
            {"provider_b", text_or_null(moved.provider_b)},
            {"count", moved.count},
            {"symbols", moved.symbols}};
  });
  Json problems = array_of(file.problems, [&](const ComparedProblem& problem) -> Json {
    return {{"side", problem.side == Side::A ? "A" : "B"},
            {"code", code_of(problem.code)},
            {"what", text_or_null(problem.what)}};
  });
  return {{"file", file.file},
          {"same", file.is_same()},
          {"verdict_a", verdict_or_null(file.verdict_a)},
          {"verdict_b", verdict_or_null(file.verdict_b)},
          {"prints_a", text_or_null(file.prints_a)},
          {"prints_b", text_or_null(file.prints_b)},
          {"causes", std::move(causes)},
          {"objects", std::move(objects)},
          {"bindings", std::move(bindings)},
          {"problems", std::move(problems)},
          {"fix", fix_or_null(file.fix)}};
}

/// Of images: the layers of all files that differ; what is not in a side may have been removed by one.
Json layers_json(const TreeComparison& tree, const Comparison& both) {
  Json list = Json::array();
  for (const std::vector<std::string>* const files : {&tree.went, &tree.came, &tree.changed}) {
    for (const std::string& path : *files) {
      Json json = {{"path", path}};
      add_layer(json, "layer_a", both.place_a, path);
      add_layer(json, "layer_b", both.place_b, path);
      if (json.size() > 1) list.push_back(std::move(json));
    }
  }
  return list;
}

Json package_json(const ComparedPackage& package) {
  return {{"by", name_of(package.by)},
          {"name", package.name},
          {"name_b", package.name_b},
          {"version_a", text_or_null(package.version_a)},
          {"version_b", text_or_null(package.version_b)},
          {"files", package.files},
          {"processes", package.processes},
          {"now_fails", package.now_fails}};
}

Json tree_json(const TreeComparison& tree, const Comparison& both) {
  Json causes = array_of(tree.causes, [&](const TreeCause& cause) -> Json {
    return {{"step", step_json(cause.step)},
            {"first", request_json(cause.first)},
            {"files", cause.files},
            {"requests", cause.requests},
            {"now_fails", cause.now_fails},
            {"fix", fix_or_null(cause.fix)},
            {"fixed_file", text_or_null(cause.fixed_file)},
            {"package", value_or_null(cause.package)}};
  });
  Json json = {
      {"causes", std::move(causes)},
      {"packages", array_of(tree.packages, [](const ComparedPackage& package) { return package_json(package); })},
      {"now_fails", tree.now_fails},
      {"now_works", tree.now_works},
      {"went", tree.went},
      {"came", tree.came},
      {"changed", tree.changed},
      {"files_a", tree.files_a},
      {"files_b", tree.files_b},
      {"roots", tree.roots},
      {"compared", tree.compared},
      {"starts_in_neither", tree.starts_in_neither},
      {"has_loader_a", tree.has_loader_a},
      {"has_loader_b", tree.has_loader_b}};
  if (Json layers = layers_json(tree, both); !layers.empty()) json["file_layers"] = std::move(layers);
  return json;
}

}  // namespace

Json compare_data(const CompareReport& report) {
  const Comparison& comparison = report.comparison;
  Json files = array_of(comparison.files, [&](const FileComparison& file) { return file_json(file, comparison); });
  Json machine = array_of(comparison.machine, [&](const MachineDifference& difference) -> Json {
    return {{"check", difference.check}, {"a", statements_of(difference.a)}, {"b", statements_of(difference.b)}};
  });
  // Of several files the first that one is known for.
  Json commands = Json::array();
  for (const FileComparison& file : comparison.files) {
    if (commands.empty() && file.fix) commands = texts_of(file.fix->commands);
  }
  if (comparison.tree && !comparison.tree->causes.empty()) {
    if (const std::optional<ComparedFix>& fix = comparison.tree->causes.front().fix) commands = texts_of(fix->commands);
  }
  return {{"schema", "soresolve/1"},
          {"command", "diff"},
          {"try", std::move(commands)},
          {"root_a", report.root_a},
          {"root_b", report.root_b},
          {"same", comparison.is_same()},
          {"unread", comparison.unread_count()},
          {"files", std::move(files)},
          {"tree", comparison.tree ? tree_json(*comparison.tree, comparison) : Json(nullptr)},
          {"machine", std::move(machine)}};
}

}  // namespace soresolve
