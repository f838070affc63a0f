// The data of symvers OLD NEW (schema soresolve/1, "library_diff" in schema.json).
#include "base/enum_names.h"
#include "report/data.h"
#include "symbols/offer.h"

namespace soresolve {
namespace {

std::string_view kind_name(SymbolChangeKind kind) {
  using enum SymbolChangeKind;
  static constexpr auto kNames = enum_names<SymbolChangeKind>({{Gone, "gone"},
                                                               {OtherVersion, "other-version"},
                                                               {Kind, "kind"},
                                                               {Size, "size"},
                                                               {Protected, "protected"},
                                                               {Unversioned, "unversioned"},
                                                               {Default, "default"},
                                                               {Unique, "unique"}});
  return kNames[kind];
}

std::string_view stands_name(LibraryDiff::Stands stands) {
  using enum LibraryDiff::Stands;
  static constexpr auto kNames =
      enum_names<LibraryDiff::Stands>({{ForEveryone, "every"}, {ForSome, "some"}, {ForNobody, "none"}});
  return kNames[stands];
}

Json name_of(const VersionedLibrary& library) {
  return {{"path", library.path}, {"soname", library.soname.empty() ? Json(nullptr) : Json(library.soname)}};
}

}  // namespace

Json library_diff_data(const LibraryDiffReport& report) {
  const LibraryDiff& diff = report.diff;
  Json json = {{"schema", "soresolve/1"},
               {"command", "symvers"},
               {"old", name_of(report.old)},
               {"new", name_of(report.now)},
               {"consumers_served", stands_name(diff.stands())},
               {"ends_in_assertion", diff.ends_in_assertion}};
  Json nodes = Json::array();
  for (const NodeLoss& node : diff.lost_nodes) {
    nodes.push_back({{"name", node.name}, {"symbols", node.symbols}});
  }
  json["lost_nodes"] = std::move(nodes);
  Json changes = Json::array();
  for (const SymbolChange& change : diff.changes) {
    changes.push_back({{"kind", kind_name(change.kind)},
                       {"loss", change.is_loss()},
                       {"name", change.name},
                       {"version", change.version.empty() ? Json(nullptr) : Json(change.version)},
                       {"instead", change.instead},
                       {"types", {change.old_type, change.new_type}},
                       {"bytes", {change.old_bytes, change.new_bytes}},
                       {"file_offset", place_of_symbol(report.old, change.old_index)}});
  }
  json["changes"] = std::move(changes);
  json["old_symbols"] = diff.old_symbols;
  json["new_symbols"] = diff.new_symbols;
  json["new_nodes"] = diff.new_nodes;
  json["new_needed"] = diff.new_needed;
  json["new_requirements"] = diff.new_requirements;
  return json;
}

}  // namespace soresolve
