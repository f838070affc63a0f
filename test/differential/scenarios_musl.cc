// The words of scenarios_musl.h, and the list of all groups. What each scenario is about is in scenarios_musl_*.cc.
#include "differential/scenarios_musl.h"

#include <utility>

namespace soresolve::test {

ElfSpec musl_program_needing(std::initializer_list<const char*> names) {
  ElfSpec spec = program_needing(names);
  spec.interp = std::string(kLdso);
  spec.has_debug = true;
  return spec;
}
ElfSpec musl_program() { return musl_program_needing({"libw.so", "libc.so"}).call(undefined("who")); }
ElfSpec who() { return library().define(defined("who")); }

Scenario musl_scenario(std::string number, std::string title) {
  Scenario scenario(std::move(number), std::move(title));
  scenario.tree.layout = RootLayout::Split;
  scenario.tree.loader = std::string(kLdso);
  scenario.node(hard_link_to(std::string(kLdso), "/lib/x86_64-linux-gnu/ld-musl.so"));
  return scenario;
}

Scenario& misses_libw(Scenario& scenario) {
  const std::string& file = scenario.tree.file;
  return scenario.says("Error loading shared library libw.so: No such file or directory (needed by " + file + ")")
      .says("Error relocating " + file + ": who: symbol not found")
      .ends("exit 127");
}

Scenario& takes_who(Scenario& scenario, const std::string& path) {
  return scenario.binds(scenario.tree.file + " who - " + path).starts();
}

std::vector<Scenario> musl_scenarios(const MuslFiles& files) {
  std::vector<Scenario> all;
  for (const auto part : {musl_path_file, musl_environment, musl_rpath, musl_preload, musl_acceptance, musl_symbols})
    for (Scenario& scenario : part()) all.push_back(std::move(scenario));
  for (const auto part : {musl_names, musl_foreign})
    for (Scenario& scenario : part(files)) all.push_back(std::move(scenario));
  return all;
}

std::vector<std::string> musl_scenarios_left_out(const MuslFiles& files) {
  std::vector<std::string> names;
  if (files.glibc_loader.empty()) {
    for (const char* const number : {"57c", "116"})
      names.push_back(std::string(number) + ": no package of glibc is in the cache (test/support/fetch_glibc)");
  }
  return names;
}

}  // namespace soresolve::test
