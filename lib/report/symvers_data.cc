// The data of symvers (schema soresolve/1, "symvers" in schema.json).
#include "base/enum_names.h"
#include "report/data.h"
#include "witness/second_reading.h"

namespace soresolve {
namespace {

std::string_view verdict_name(VersionVerdict verdict) {
  using enum VersionVerdict;
  static constexpr auto kNames = enum_names<VersionVerdict>({{Defined, "defined"},
                                                             {ProviderUnversioned, "provider-unversioned"},
                                                             {MissingWeak, "missing-weak"},
                                                             {Missing, "missing"},
                                                             {UnknownRecord, "unknown-record"}});
  return kNames[verdict];
}

std::string_view verdict_name(ForVerdict verdict) {
  using enum ForVerdict;
  static constexpr auto kNames = enum_names<ForVerdict>(
      {{Met, "met"}, {MetUnversioned, "met-unversioned"}, {OtherVersion, "other-version"}, {Missing, "missing"}});
  return kNames[verdict];
}

Json to_json(const VersionedLibrary& library) {
  Json json = {{"path", library.path},
               {"soname", text_or_null(library.soname)},
               {"has_versions", library.versions.has_defs},
               {"defined_symbols", library.defined_count}};
  Json defines = Json::array();
  for (std::size_t i = 0; i < library.versions.defs.size(); ++i) {
    const VersionDef& def = library.versions.defs[i];
    Json parents = array_of(def.parents, [&](const std::string_view parent) { return std::string(parent); });
    defines.push_back({{"name", std::string(def.name)},
                       {"base", def.base},
                       {"index", def.index},
                       {"hash", def.hash},
                       {"parents", std::move(parents)},
                       {"symbols", library.symbol_counts[i]},
                       {"file_offset", def.file_offset}});
  }
  json["defines"] = std::move(defines);
  json["requires"] = array_of(library.versions.needs, [&](const VersionNeed& need) -> Json {
    return {{"file", std::string(need.file)},
            {"version", std::string(need.name)},
            {"weak", need.weak},
            {"file_offset", need.file_offset}};
  });
  return json;
}

Json to_json(const VersionedLibrary& library, const NeedAnswer& answer) {
  Json nodes =
      array_of(answer.defs, [&](const std::size_t index) { return std::string(library.versions.defs[index].name); });
  return {{"asked", answer.asked},
          {"served", answer.is_served},
          {"nodes", std::move(nodes)},
          {"instead", english_of(answer.instead)}};
}

Json to_json(const ForAnswer& answer) {
  Json versions = array_of(answer.versions, [&](const ForVersion& version) -> Json {
    return {{"version", std::string(version.need.name)},
            {"verdict", verdict_name(version.match.verdict)},
            {"file_offset", version.need.file_offset}};
  });
  Json symbols = array_of(answer.symbols, [&](const ForSymbol& symbol) -> Json {
    return {{"name", symbol.name},
            {"version", symbol.version},
            {"verdict", verdict_name(symbol.verdict)},
            {"weak", symbol.weak},
            {"copy_bytes", symbol.is_copy ? Json(symbol.copy_bytes) : Json(nullptr)},
            {"library_bytes", symbol.library_bytes},
            {"file_offset", symbol.file_offset},
            {"instead", symbol.instead}};
  });
  return {{"consumer", answer.needer},
          {"served", answer.is_served()},
          {"files", answer.files},
          {"versions", std::move(versions)},
          {"symbols", std::move(symbols)},
          {"ends_in_assertion", answer.ends_in_assertion},
          {"unversioned", answer.unversioned_count},
          {"unversioned_here", answer.unversioned_here}};
}

Json to_json(const SecondReading& reading) {
  Json differences = array_of(reading.differences, [&](const ReadingDifference& difference) -> Json {
    return {{"what", sentence(difference.what, Language::English)},
            {"here", sentence(difference.here, Language::English)},
            {"there", sentence(difference.there, Language::English)}};
  });
  return {{"file", reading.file},
          {"reader", reading.reader},
          {"agrees", reading.difference_count == 0},
          {"definitions", reading.definition_count},
          {"requirements", reading.requirement_count},
          {"symbols", reading.symbol_count},
          {"symbols_compared", reading.has_symbols},
          {"difference_count", reading.difference_count},
          {"differences", std::move(differences)}};
}

}  // namespace

Json symvers_data(const SymversReport& report) {
  Json json = {{"schema", "soresolve/1"}, {"command", "symvers"}};
  json["library"] = to_json(report.library);
  json["needs"] = array_of(report.needs, [&](const NeedAnswer& answer) { return to_json(report.library, answer); });
  json["consumers"] = array_of(report.needers, [&](const ForAnswer& answer) { return to_json(answer); });
  if (report.witness != nullptr && !report.witness->empty()) {
    json["witness"] = array_of(*report.witness, [&](const SecondReading& reading) { return to_json(reading); });
  }
  return json;
}

}  // namespace soresolve
