// The words in which scenarios are written (exe, lib, env, says, binds...) and the list of all groups. The scenarios
// themselves are in the files scenarios_*.cc, one for each part of the search.
#include "differential/scenarios.h"

#include <algorithm>
#include <utility>

namespace soresolve::test {

using Kind = Expectation::Kind;

Scenario::Scenario(std::string number_text, std::string title_text)
    : number(std::move(number_text)), title(std::move(title_text)) {}

Scenario& Scenario::exe(ElfSpec spec, std::string path) {
  tree.file = tree.argv0 = path;
  return node(elf_file(std::move(path), std::move(spec)));
}
Scenario& Scenario::lib(std::string path, ElfSpec spec) { return node(elf_file(std::move(path), std::move(spec))); }
Scenario& Scenario::bad(std::string path, Damage damage, ElfSpec spec) {
  return node(damaged_file(std::move(path), std::move(spec), damage));
}
Scenario& Scenario::node(TreeNode added) {
  tree.nodes.push_back(std::move(added));
  return *this;
}
Scenario& Scenario::env(std::string variable) {
  tree.environment.push_back(std::move(variable));
  return *this;
}
Scenario& Scenario::cwd(std::string path) {
  tree.cwd = path;
  return node(directory(std::move(path)));
}
Scenario& Scenario::start(std::string file) {
  tree.file = tree.argv0 = std::move(file);
  return *this;
}
Scenario& Scenario::cached(std::string key, std::string value) {
  if (!tree.cache) tree.cache.emplace();
  CacheLine line;
  line.key = std::move(key);
  line.value = std::move(value);
  tree.cache->lines.push_back(std::move(line));
  return *this;
}

Scenario& Scenario::expect(Kind kind, std::string text, Releases releases) {
  expectations.push_back({kind, std::move(text), releases});
  return *this;
}
Scenario& Scenario::traces(std::string line, Releases r) { return expect(Kind::Traces, std::move(line), r); }
Scenario& Scenario::missing(const std::string& name, Releases r) {
  return expect(Kind::Traces, name + " => not found", r);
}
Scenario& Scenario::omits(std::string text, Releases r) { return expect(Kind::Omits, std::move(text), r); }
Scenario& Scenario::starts(Releases r) { return expect(Kind::Starts, "", r); }
Scenario& Scenario::says(std::string text, Releases r) { return expect(Kind::Says, std::move(text), r); }
Scenario& Scenario::ends(std::string text, Releases r) { return expect(Kind::Ends, std::move(text), r); }
Scenario& Scenario::dies_tracing(std::string text, Releases r) { return expect(Kind::DiesTracing, std::move(text), r); }
Scenario& Scenario::order(std::string names, Releases r) { return expect(Kind::Order, std::move(names), r); }

Scenario& Scenario::now_says(std::string text, Releases r) { return expect(Kind::NowSays, std::move(text), r); }
Scenario& Scenario::now_ends(std::string text, Releases r) { return expect(Kind::NowEnds, std::move(text), r); }
Scenario& Scenario::binds(std::string line, Releases r) {
  std::replace(line.begin(), line.end(), ' ', '\t');
  return expect(Kind::Binds, std::move(line), r);
}
Scenario& Scenario::binds_not(std::string line, Releases r) {
  std::replace(line.begin(), line.end(), ' ', '\t');
  return expect(Kind::BindsNot, std::move(line), r);
}
Scenario& Scenario::warns(std::string text, Releases r) { return expect(Kind::Warns, std::move(text), r); }

ElfSpec program_needing(std::initializer_list<const char*> names) {
  ElfSpec spec = program();
  for (const char* const name : names) spec.needed(name);
  return spec;
}
ElfSpec library_needing(std::initializer_list<const char*> names) {
  ElfSpec spec = library();
  for (const char* const name : names) spec.needed(name);
  return spec;
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const auto part : {order_of_stages, path_list_syntax, bad_files, already_loaded, string_tokens, hwcaps_and_cache,
                          order_and_preload, symbol_versions, symbol_binding, symbol_corners})
    for (Scenario& scenario : part()) all.push_back(std::move(scenario));
  return all;
}

}  // namespace soresolve::test
