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
      enum_names<LibraryDiff::Stands>({{ForEveryone, "every"}, {ForSome, "some"}, {Unbound, "none"}});
  return kNames[stands];
}

Json name_of(const VersionedLibrary& library) {
  return {{"path", library.path}, {"soname", text_or_null(library.soname)}};
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
  json["lost_nodes"] = array_of(diff.missing_nodes, [&](const NodeLoss& node) -> Json {
    return {{"name", node.name}, {"symbols", node.symbols}};
  });
  json["changes"] = array_of(diff.changes, [&](const SymbolChange& change) -> Json {
    return {{"kind", kind_name(change.kind)},
            {"loss", change.is_loss()},
            {"name", change.name},
            {"version", text_or_null(change.version)},
            {"instead", change.instead},
            {"types", {change.old_type, change.new_type}},
            {"bytes", {change.old_bytes, change.new_bytes}},
            {"file_offset", place_of_symbol(report.old, change.old_index)}};
  });
  json["old_symbols"] = diff.old_symbols;
  json["new_symbols"] = diff.new_symbols;
  json["new_nodes"] = diff.new_nodes;
  json["new_needed"] = diff.new_needed;
  json["new_requirements"] = diff.new_requirements;
  return json;
}

}  // namespace soresolve
