// The data of bindings (schema soresolve/1, "bindings" in schema.json). A closure can have a million of
// them, so they are written one by one.
#include "base/enum_names.h"
#include "base/printable.h"
#include "report/bindings_report.h"
#include "report/data.h"
#include "report/names.h"
#include "symbols/floor.h"
#include "symbols/listed_bindings.h"
#include "symbols/symbol_answer.h"
#include "symbols/unused_needs.h"

namespace soresolve {
namespace {

std::string one_line(const Json& json) {
  return printable_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string_view class_name(LookupClass lookup_class) {
  using enum LookupClass;
  static constexpr auto kNames = enum_names<LookupClass>({{Plain, "plain"}, {Plt, "plt"}, {Copy, "copy"}});
  return kNames[lookup_class];
}

Json to_json(const SymbolBinding& binding) {
  return {{"referrer", binding.referrer},
          {"symbol", std::string(binding.symbol)},
          {"version", binding.has_version ? Json(std::string(binding.version)) : Json(nullptr)},
          {"provider", index_or_null(binding.provider)},
          {"class", class_name(binding.lookup_class)},
          {"weak", binding.is_weak},
          {"lazy", binding.is_lazy},
          {"loaders_own", binding.is_loaders_own},
          {"symbol_index", binding.symbol_index},
          {"provider_symbol_index", binding.is_bound() ? Json(binding.provider_index) : Json(nullptr)}};
}

Json to_json(const SymbolSearch& search) {
  Json asked = Json::array();
  for (const AskedObject& object : search.asked) {
    Json other_versions = array_of(object.other_versions, [&](const OtherVersion& other_version) -> Json {
      return {{"version", text_or_null(other_version.version)},
              {"default", !other_version.is_hidden},
              {"weak", other_version.is_weak},
              {"version_index", other_version.version_index},
              {"symbol_index", other_version.symbol_index},
              {"file_offset", other_version.file_offset}};
    });
    Json json = {{"object", object.object},
                 {"verdict", std::string(name_of(object.verdict))},
                 {"itself_first", object.is_itself_first},
                 {"definitions", std::move(other_versions)}};
    if (object.served_by) json["served_by"] = *object.served_by;
    if (!object.damage.empty()) json["damage"] = object.damage;
    asked.push_back(std::move(json));
  }
  return {{"provider", index_or_null(search.provider())}, {"asked", std::move(asked)}};
}

Json to_json(const SymbolAnswer& answer) {
  Json references = Json::array();
  for (const SearchedReferences& searched : answer.references) {
    Json bindings = array_of(searched.bindings, [&](const SymbolBinding& binding) { return to_json(binding); });
    references.push_back({{"bindings", std::move(bindings)}, {"search", to_json(searched.search)}});
  }
  return {{"name", answer.name},
          {"version", text_or_null(answer.version)},
          {"references", std::move(references)},
          {"dlsym", value_or_null(answer.dlsym, [](const auto& each) { return to_json(each); })}};
}

Json to_json(const LinkMap& map, const UnusedNeed& unused) {
  return {{"needer", unused.needer},
          {"need", unused.need},
          {"name", std::string(map.objects[unused.needer].needs[unused.need].name)},
          {"target", unused.target}};
}

Json to_json(const FloorVerdict& verdict) {
  Json excesses = Json::array();
  for (const FloorExcess& excess : verdict.excesses) {
    Json symbols = array_of(excess.symbols, [&](const FloorSymbol& symbol) -> Json {
      return {{"name", symbol.name}, {"weak", symbol.is_weak}};
    });
    excesses.push_back({{"node", excess.node},
                        {"file", excess.file},
                        {"product", excess.product},
                        {"release", text_or_null(excess.release)},
                        {"consumer", excess.needer},
                        {"weak", excess.is_weak},
                        {"symbols", std::move(symbols)}});
  }
  Json foreign = array_of(verdict.foreign, [&](const FloorForeign& each) -> Json {
    return {{"library", each.library}, {"needer", each.needer}};
  });
  return {{"bound", verdict.bound.text},
          {"met", verdict.is_met()},
          {"excesses", std::move(excesses)},
          {"excesses_left_out", verdict.left_out},
          {"foreign", std::move(foreign)}};
}

Json to_json(const Floor& floor) {
  return {{"family", floor.family},
          {"product", floor.product},
          {"release", text_or_null(floor.release)},
          {"node", floor.node},
          {"file", floor.file},
          {"consumer", floor.needer},
          {"symbol", text_or_null(floor.symbol)},
          {"set_by_symbol", floor.is_set_by_symbol},
          {"provider", index_or_null(floor.provider)},
          {"here", text_or_null(floor.here)},
          {"met", floor.is_met}};
}

/// An array of a document, one element a line.
class ArrayWriter {
 public:
  ArrayWriter(std::string_view key, const TextSink& write) : write_(write) {
    block_ = ",\n\"" + std::string(key) + "\": [";
  }
  void add(const Json& element) {
    block_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    block_ += one_line(element);
    if (block_.size() < kBlockBytes) return;
    write_(block_);
    block_.clear();
  }
  void end() {
    block_ += is_first_ ? "]" : "\n]";
    write_(block_);
  }

 private:
  static constexpr std::size_t kBlockBytes = 32 << 10;
  const TextSink& write_;
  std::string block_;
  bool is_first_ = true;
};

}  // namespace

void write_bindings_data(const BindingsReport& report, const WritePart& write) {
  Json first = document_head("bindings", report.map, report.file);
  first["assumed"] = assumed_json(report.map);
  std::string head = one_line(first);
  head.pop_back();  // the document goes on
  write(head);
  ArrayWriter dlopen_calls("openings", write);
  for (const Json& dlopen_call : dlopen_calls_json(report.map)) dlopen_calls.add(dlopen_call);
  dlopen_calls.end();
  ArrayWriter objects("objects", write);
  for (ObjectIndex i = 0; i < report.map.objects.size(); ++i) {
    objects.add({{"index", i},
                 {"name", std::string(binding_name(report.map, i))},
                 {"soname", text_or_null(report.map.objects[i].elf.soname.value_or(""))}});
  }
  objects.end();
  if (report.list) {
    ArrayWriter list("bindings", write);
    const auto [first, end] = report.map.loaded_by(report.map.subject());
    report.bindings.for_each([&, first = first, end = end](const Bindings::Event& event) {
      if (event.binding == nullptr || event.binding->is_repeated) return;
      if (event.binding->referrer < first || event.binding->referrer >= end) return;
      if (!*report.list || (*report.list)(*event.binding)) list.add(to_json(*event.binding));
    });
    list.end();
  }
  if (!report.symbols.empty()) {
    ArrayWriter symbols("symbols", write);
    for (const SymbolAnswer& answer : report.symbols) symbols.add(to_json(answer));
    symbols.end();
  }
  if (report.unused) {
    ArrayWriter unused("unused", write);
    for (const UnusedNeed& entry : *report.unused) unused.add(to_json(report.map, entry));
    unused.end();
  }
  if (report.floors) {
    ArrayWriter floors("floors", write);
    for (const Floor& floor : *report.floors) floors.add(to_json(floor));
    floors.end();
  }
  if (!report.bounds.empty()) {
    ArrayWriter bounds("bounds", write);
    for (const FloorVerdict& verdict : report.bounds) bounds.add(to_json(verdict));
    bounds.end();
  }
  write("}\n");
}

}  // namespace soresolve
