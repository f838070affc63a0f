// The page of `bindings`: the list in the loader's form, or what is asked with --symbol, `--provider`, `--unused` and
// `--floor`. Names with versions are as readelf prints them: f@V, f@@V for the default.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/printable.h"
#include "report/bindings_report.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "symbols/floor.h"
#include "symbols/listed_bindings.h"
#include "symbols/symbol_answer.h"
#include "symbols/unused_needs.h"

namespace soresolve {
namespace {

/// f@V of what is not the default version, f@@V of what is.
std::string full_name(std::string_view name, const OtherVersion& other_version) {
  if (other_version.version.empty()) return std::string(name);
  return std::string(name) + (other_version.is_hidden ? "@" : "@@") + other_version.version;
}

Statement place_of(std::string_view name, const OtherVersion& other_version) {
  return say("symbol-place", {{"name", full_name(name, other_version)},
                              {"symbol", other_version.symbol_index},
                              {"offset", hex(other_version.file_offset)},
                              {"version", other_version.version_index}});
}

NameList all_names(std::string_view name, const AskedObject& asked) {
  NameList names;
  for (const OtherVersion& other_version : asked.other_versions) names.shown.push_back(full_name(name, other_version));
  return names;
}

/// One name: who refers to it, what each reference binds to, and every object that was asked for it.
class SymbolPage {
 public:
  SymbolPage(const LinkMap& map, const SymbolAnswer& answer) : map_(map), answer_(answer) {}

  Page make() {
    for (const SearchedReferences& references : answer_.references) add(references);
    if (answer_.dlsym) add_dlsym(*answer_.dlsym);
    return std::move(page_);
  }

 private:
  [[nodiscard]] std::string object_name(ObjectIndex object) const { return std::string(binding_name(map_, object)); }
  void heading(std::string_view version) { page_.heading(Words::foreign(versioned_name(answer_.name, version))); }

  void add(const SearchedReferences& references) {
    const std::string_view version = references.bindings.front().version;
    heading(version);
    // A symbol may be referred to in several ways, which are one reference to people.
    std::vector<std::pair<ObjectIndex, Statement>> reported;
    for (const SymbolBinding& binding : references.bindings) {
      std::pair<ObjectIndex, Statement> line(binding.referrer, remarks_on(binding));
      if (std::find(reported.begin(), reported.end(), line) != reported.end()) continue;
      page_.entry(say("head-needed-by"), Words::foreign(object_name(line.first)) + line.second);
      reported.push_back(std::move(line));
    }
    add_ends(references);
    if (const OtherVersion* found = references.search.definition()) {
      page_.entry(say("head-where"), place_of(answer_.name, *found));
    }
    add_search(references.search, version);
  }

  static Statement remarks_on(const SymbolBinding& binding) {
    std::vector<Statement> remarks;
    const auto add = [&remarks](Statement remark) {
      if (!remarks.empty()) remarks.push_back(say("list-comma"));
      remarks.push_back(std::move(remark));
    };
    if (binding.is_loaders_own) add(say("remark-loaders-own"));
    if (binding.is_weak) add(say("remark-weak"));
    if (binding.lookup_class == LookupClass::Copy) add(say("remark-copy"));
    if (binding.is_lazy) add(say("remark-lazy"));
    return remarks.empty() ? Statement{} : say("remarks", {{"remarks", std::move(remarks)}});
  }

  /// Nearly always one; a unique or protected symbol can lead elsewhere than the search does.
  void add_ends(const SearchedReferences& references) {
    std::set<ObjectIndex> reported;
    for (const SymbolBinding& binding : references.bindings) {
      if (!reported.insert(binding.provider).second) continue;
      Words end;
      if (binding.is_bound()) {
        end = good(Words::foreign(object_name(binding.provider)));
        if (binding.provider != references.search.provider()) {
          end += say(binding.is_protected ? "own-protected-symbol" : "unique-definition");
        }
      } else if (binding.is_weak) {
        end = warn(say("binds-to-nothing")) + say("weak-becomes-zero");
      } else {
        std::string line = "undefined symbol: " + std::string(binding.symbol);
        if (binding.has_version) line += ", version " + std::string(binding.version);
        end = bad(say("binds-to-nothing")) + say("colon") + Words::foreign(line);
      }
      page_.entry(say("head-binds-to"), std::move(end));
    }
  }

  void add_search(const SymbolSearch& search, std::string_view version) {
    page_.entry(say("head-search"), say("search-order"));
    Table table;
    table.columns = {{{}, Table::Side::Right, 0}, {}};
    table.indent = 2;
    for (std::size_t i = 0; i < search.asked.size(); ++i) {
      const AskedObject& asked = search.asked[i];
      const bool serves = asked.verdict == AskedVerdict::Serves;
      Words line = " " + Words::foreign(object_name(asked.object)) + say("colon");
      line += serves ? good(verdict_on(asked, version)) : verdict_on(asked, version);
      if (asked.is_itself_first) line += say("itself-first");
      table.rows.push_back({Words::number(i + 1) + ".", std::move(line)});
    }
    page_.add(std::move(table));
    const std::size_t digits = std::to_string(search.asked.size()).size();
    if (!search.serving) page_.line(say("nothing-left-to-search"), digits + 5);
  }

  [[nodiscard]] Statement verdict_on(const AskedObject& asked, std::string_view version) const {
    const std::string& name = answer_.name;
    switch (asked.verdict) {
      case AskedVerdict::Serves:
        return say("search-matches", {{"name", full_name(name, asked.other_versions[*asked.served_by])}});
      case AskedVerdict::NotDefined: return say(asked.has_gnu_hash ? "search-not-in-gnu-hash" : "search-not-in-hash");
      case AskedVerdict::OtherVersion:
        return say(version.empty() ? "search-no-default" : "search-other-version", {{"names", all_names(name, asked)}});
      case AskedVerdict::Ambiguous: return say("search-ambiguous", {{"names", all_names(name, asked)}});
      case AskedVerdict::NotVisible: return say("search-hidden");
      case AskedVerdict::LocalBinding: return say("search-local");
      case AskedVerdict::OnlyReference: return say("search-only-reference");
      case AskedVerdict::SkippedProgram: return say("search-skips-program");
      case AskedVerdict::WeakPassedOver: return say("search-passes-weak", {{"names", all_names(name, asked)}});
      case AskedVerdict::NoHashTable: return say("search-no-table");
      case AskedVerdict::NoFile: return say("search-no-file");
      case AskedVerdict::Damaged: return say("search-damaged", {{"damage", asked.damage}});
    }
    return {};
  }

  void add_dlsym(const SymbolSearch& search) {
    heading(answer_.version);
    page_.entry(say("head-needed-by"), say("needed-by-none"));
    const Words call = answer_.version.empty() ? Words("dlsym") : "dlvsym";
    if (const OtherVersion* found = search.definition()) {
      page_.entry(call, say("would-find-in") + good(Words::foreign(object_name(search.provider()))));
      page_.entry(say("head-where"), place_of(answer_.name, *found));
    } else {
      page_.entry(call, say("would-find-nowhere") + warn(say("nowhere")));
    }
    add_search(search, answer_.version);
  }

  const LinkMap& map_;
  const SymbolAnswer& answer_;
  Page page_;
};

/// "NEEDER\tNAME\tPATH".
void add_unused(Page& page, const LinkMap& map, const UnusedNeed& unused) {
  const Need& need = map.objects[unused.needer].needs[unused.need];
  page.line(Words::foreign(binding_name(map, unused.needer)) + "\t" + Words::foreign(need.name) + "\t" +
            Words::foreign(map.objects[unused.target].path));
}

void add_floor(Page& page, const LinkMap& map, const Floor& floor) {
  const auto name = [&map](ObjectIndex object) { return std::string(binding_name(map, object)); };
  const std::string product = floor.family == floor.product ? std::string() : floor.product + " ";
  const Statement release = floor.release.empty() ? say("floor-release-with", {{"node", floor.node}})
                                                  : words_of_others(product + floor.release);
  page.heading(say("floor-of", {{"family", floor.family}, {"release", release}}));
  page.entry(say("head-set-by"), floor.symbol.empty()
                                     ? say("floor-node-alone", {{"object", name(floor.needer)}})
                                     : say("floor-symbol", {{"symbol", versioned_name(floor.symbol, floor.node)},
                                                            {"object", name(floor.needer)}}));
  page.entry(say("head-node"), Words(say("floor-node", {{"node", floor.node}, {"file", floor.file}})) +
                                   (floor.is_set_by_symbol ? say("floor-by-symbol") : Statement{}));
  if (floor.provider == kNoObject) {
    return page.entry(say("head-here"), bad(say("floor-no-file", {{"file", floor.file}})));
  }
  Words here = floor.here.empty() ? say("floor-no-nodes", {{"object", name(floor.provider)}})
                                  : say("floor-up-to", {{"object", name(floor.provider)}, {"node", floor.here}});
  if (!floor.is_met) {
    const std::string& lacks = floor.is_set_by_symbol ? floor.symbol : floor.node;
    here += say("colon") + bad(say("floor-lacks", {{"name", lacks}}));
  }
  page.entry(say("head-here"), std::move(here));
}

/// One bound: met or not, and each requirement above it.
void add_bound(Page& page, const LinkMap& map, const FloorVerdict& verdict) {
  const auto name = [&map](ObjectIndex object) { return std::string(binding_name(map, object)); };
  const auto weak = static_cast<std::size_t>(std::count_if(verdict.excesses.begin(), verdict.excesses.end(),
                                                           [](const FloorExcess& excess) { return excess.is_weak; }));
  const std::size_t count = verdict.excesses.size() + verdict.left_out - weak;
  Words heading = Words::foreign(verdict.bound.text) + say("colon");
  if (verdict.is_met()) heading += good(say("bound-met"));
  if (count != 0) heading += bad(say("bound-exceeded", {{"count", count}}));
  if (!verdict.foreign.empty()) {
    if (count != 0) heading += say("list-comma");
    heading += bad(say("bound-foreign", {{"count", verdict.foreign.size()}}));
  }
  if (weak != 0) heading += say("bound-weak-besides", {{"count", weak}});
  page.line(std::move(heading));
  for (const FloorForeign& foreign : verdict.foreign) {
    page.line(say("bound-foreign-library", {{"library", foreign.library}, {"object", name(foreign.needer)}}), 2);
  }
  for (const FloorExcess& excess : verdict.excesses) {
    Words line =
        Words(say("bound-node", {{"node", excess.node}, {"file", excess.file}, {"object", name(excess.needer)}}));
    const bool is_named = !excess.release.empty() && excess.product != "glibc";
    if (is_named) line += dim(say("bound-release", {{"release", excess.product + " " + excess.release}}));
    if (excess.is_weak) line += warn(say("bound-weak"));
    page.line(std::move(line), 2);
    constexpr std::size_t kSymbols = 12;
    for (std::size_t i = 0; i < excess.symbols.size() && i < kSymbols; ++i) {
      const FloorSymbol& symbol = excess.symbols[i];
      page.line(Words::foreign(symbol.name) + (symbol.is_weak ? dim(say("bound-weak-reference")) : Words()), 6);
    }
    if (excess.symbols.size() > kSymbols) {
      page.line(dim(say("and-more-plain", {{"count", excess.symbols.size() - kSymbols}})), 6);
    }
  }
  if (count != 0) page.entry(say("head-so"), say("bound-lower"));
  if (weak != 0) page.entry(say("head-so"), say("bound-lower-weak"));
}

/// Who uses what of one object: symbols by user and version.
void add_provider(Page& page, const BindingsReport& report, ObjectIndex provider) {
  using Symbols = std::set<std::string_view>;
  std::map<ObjectIndex, std::map<std::string_view, Symbols>> users;
  report.bindings.for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || event.binding->provider != provider || event.binding->is_repeated) return;
    users[event.binding->referrer][event.binding->version].insert(event.binding->symbol);
  });
  page.heading(Words::foreign(binding_name(report.map, provider)));
  if (users.empty()) page.line(say("nothing-binds-to-it"), 2);
  for (const auto& [user, versions] : users) {
    std::size_t count = 0;
    for (const auto& [version, symbols] : versions) count += symbols.size();
    const Statement name = user == provider ? say("itself") : words_of_others(binding_name(report.map, user));
    page.line(say("symbols-of-user", {{"user", name}, {"count", count}}), 2);
    for (const auto& [version, symbols] : versions) {
      Words line = (version.empty() ? Words(say("without-version")) : Words::foreign(version)) + ":";
      for (const std::string_view symbol : symbols) line += " " + Words::foreign(symbol);
      page.line(std::move(line), 4);
    }
  }
}

}  // namespace

Page bindings_page(const BindingsReport& report) {
  Page page;
  if (report.list) {
    std::string list;
    write_bindings(report.map, report.bindings, *report.list, [&list](std::string_view text) { list += text; });
    add_loaders_lines(page, list);
  }
  for (const ObjectIndex provider : report.providers) add_provider(page, report, provider);
  for (const SymbolAnswer& answer : report.symbols) page.append(SymbolPage(report.map, answer).make());
  if (report.unused) {
    for (const UnusedNeed& unused : *report.unused) add_unused(page, report.map, unused);
  }
  if (report.floors) {
    if (report.floors->empty()) page.line(say("no-floor"));
    for (const Floor& floor : *report.floors) add_floor(page, report.map, floor);
  }
  for (const FloorVerdict& verdict : report.bounds) add_bound(page, report.map, verdict);
  return page;
}

std::vector<ObjectIndex> objects_named(const LinkMap& map, std::string_view library) {
  std::vector<ObjectIndex> found;
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const LoadedObject& object = map.objects[i];
    if (object.role == ObjectRole::Placeholder || library.empty()) continue;
    const std::string_view path = object.name();
    const std::string_view last = file_name_of(path);
    const bool has_soname = object.elf.soname && *object.elf.soname == library;
    if (path == library || last == library || has_soname || object.matches_name(library)) found.push_back(i);
  }
  return found;
}

}  // namespace soresolve
