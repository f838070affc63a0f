// The data of `bundle` (schema soresolve/1, "bundle" in schema.json).
#include "report/data.h"

namespace soresolve {
namespace {

Json to_json(const BundledEntry& entry) {
  Json json = {{"kind", name_of(entry.kind)}, {"path", entry.path}};
  json["source"] = text_or_null(entry.source);
  if (entry.kind == BundledKind::Link) json["link"] = entry.link;
  json["mode"] = entry.mode;
  json["bytes"] = entry.size_bytes;
  json["for"] = name_of(entry.reason);
  json["name"] = text_or_null(entry.name);
  json["needed_by"] = text_or_null(entry.needed_by);
  json["replaces"] = entry.replaces;
  return json;
}

Json to_json(const BundledProgram& program) {
  Json json = {{"file", program.file},
               {"verdict", name_of(program.verdict)},
               {"static", program.is_static},
               {"fails_in_source", program.fails_in_source},
               {"line", nullptr},
               {"lost_later", program.missing}};
  if (program.error) json["line"] = program.error->to_string();
  if (program.answer) json["line"] = check_line(*program.answer);
  return json;
}

}  // namespace

Json bundle_data(const BundleReport& report) {
  const Bundle& bundle = report.bundle;
  Json json = {{"schema", "soresolve/1"},
               {"command", "bundle"},
               {"root", report.root.empty() ? "/" : report.root},
               {"into", text_or_null(report.into)},
               {"works", bundle.works()}};
  json["programs"] = array_of(bundle.programs, [&](const BundledProgram& program) { return to_json(program); });
  json["entries"] = array_of(bundle.entries, [&](const BundledEntry& entry) { return to_json(entry); });
  json["search"] = array_of(bundle.search, [&](const BundleSearch& one) -> Json {
    return {{"kind", name_of(one.kind)}, {"lines", texts_of(one.lines)}, {"works", one.works}};
  });
  json["left_out"] = array_of(bundle.left_out, [&](const BundleLeftOut& left) -> Json {
    return {{"why", name_of(left.why)},
            {"name", left.name},
            {"source", text_or_null(left.source)},
            {"target", text_or_null(left.target)}};
  });
  json["conflicts"] = array_of(bundle.conflicts, [&](const BundleConflict& conflict) -> Json {
    return {{"name", conflict.name}, {"source", conflict.source}, {"target", conflict.target}};
  });
  json["files"] = bundle.file_count;
  json["links"] = bundle.link_count;
  json["bytes"] = bundle.size_bytes;
  return json;
}

}  // namespace soresolve
