// The data of `bundle` (schema soresolve/1, "bundle" in schema.json).
#include "report/data.h"

namespace soresolve {
namespace {

Json to_json(const BundledEntry& entry) {
  Json json = {{"kind", name_of(entry.kind)}, {"path", entry.path}};
  json["source"] = entry.source.empty() ? Json(nullptr) : Json(entry.source);
  if (entry.kind == BundledKind::Link) json["link"] = entry.link;
  json["mode"] = entry.mode;
  json["bytes"] = entry.size_bytes;
  json["for"] = name_of(entry.reason);
  json["name"] = entry.name.empty() ? Json(nullptr) : Json(entry.name);
  json["needed_by"] = entry.needed_by.empty() ? Json(nullptr) : Json(entry.needed_by);
  json["replaces"] = entry.replaces;
  return json;
}

Json to_json(const BundledProgram& program) {
  Json json = {{"file", program.file},
               {"verdict", name_of(program.verdict)},
               {"static", program.is_static},
               {"fails_in_source", program.fails_in_source},
               {"line", nullptr},
               {"lost_later", program.lost}};
  if (program.error) json["line"] = program.error->to_string();
  if (program.run && program.run->check()) {
    CheckReport check{program.run->map(), *program.run->check(), program.file, program.later, program.cuda};
    check.import = program.run->import();
    json["line"] = check_line(check);
  }
  return json;
}

}  // namespace

Json bundle_data(const BundleReport& report) {
  const Bundle& bundle = report.bundle;
  Json json = {{"schema", "soresolve/1"},
               {"command", "bundle"},
               {"root", report.root.empty() ? "/" : report.root},
               {"into", report.into.empty() ? Json(nullptr) : Json(report.into)},
               {"works", bundle.works()}};
  Json programs = Json::array();
  for (const BundledProgram& program : bundle.programs) programs.push_back(to_json(program));
  Json entries = Json::array();
  for (const BundledEntry& entry : bundle.entries) entries.push_back(to_json(entry));
  Json search = Json::array();
  for (const BundleSearch& one : bundle.search) {
    search.push_back({{"kind", name_of(one.kind)}, {"lines", texts_of(one.lines)}, {"works", one.works}});
  }
  Json left_out = Json::array();
  for (const BundleLeftOut& left : bundle.left_out) {
    left_out.push_back({{"why", name_of(left.why)},
                        {"name", left.name},
                        {"source", left.source.empty() ? Json(nullptr) : Json(left.source)},
                        {"target", left.target.empty() ? Json(nullptr) : Json(left.target)}});
  }
  Json conflicts = Json::array();
  for (const BundleConflict& conflict : bundle.conflicts) {
    conflicts.push_back({{"name", conflict.name}, {"source", conflict.source}, {"target", conflict.target}});
  }
  json["programs"] = std::move(programs);
  json["entries"] = std::move(entries);
  json["search"] = std::move(search);
  json["left_out"] = std::move(left_out);
  json["conflicts"] = std::move(conflicts);
  json["files"] = bundle.file_count;
  json["links"] = bundle.link_count;
  json["bytes"] = bundle.size_bytes;
  return json;
}

}  // namespace soresolve
