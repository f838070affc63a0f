// Each audit module is opened in a namespace of its own, as if the program had called dlmopen(LM_ID_NEWLM) before it
// needed anything; then la_version is looked up in what was opened. Source: glibc 2.36 elf/rtld.c:
// audit_list_add_string, audit_list_next, load_audit_module, load_audit_modules. The code of a module is never run.
//
// Left out: what comes after a library of ld.so.preload that ends the start; modules whose versions or references do
// not fit, and those that la_version itself refuses. Up to 2.34 a module is not searched in the program's DT_RUNPATH:
// of a program that has one, names without a slash are passed over.
#include "symbols/audit_modules.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/symbols.h"
#include "symbols/startup.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxNameBytes = 4096;  // SECURE_PATH_LIMIT

/// The names of one list, between colons; what is empty or too long is passed over.
void add_names(std::vector<std::string>& names, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0 && end < kMaxNameBytes) names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

std::vector<std::string> names_of(const LinkMap& map) {
  std::vector<std::string> names;
  const ElfObject& main = map.main().elf;
  if (const auto audit = map.process->environment.value("LD_AUDIT")) add_names(names, *audit);
  if (!map.system->rules.reads_audit_tags) return names;
  if (main.audit) add_names(names, *main.audit);
  if (main.depaudit) add_names(names, *main.depaudit);
  return names;
}

/// The process before it has loaded anything, with one module that it opens.
std::optional<LinkMap> open_module(const LinkMap& map, const std::string& name) {
  Result<OpenedObject> main = open_object(*map.system->files, map.main_path, map.file);
  if (!main) return std::nullopt;
  // ld.so is in the list until the program has shown that it does not need it.
  NeedEntry loader;
  loader.name = map.system->loader_path;
  main->elf.needs.assign(1, loader);
  main->elf.version_files.clear();
  auto process = std::make_shared<Process>(*map.process);
  std::vector<std::string> entries = process->environment.entries();
  std::erase_if(entries, [](const std::string& entry) { return entry.starts_with("LD_PRELOAD="); });
  process->environment = Environment(std::move(entries));
  LoadOptions options;
  options.dlopen_calls.push_back({.file = name, .mode = {.into = OpenInto::NewNamespace}});
  Result<LinkMap> opened = load(map.system, std::move(process), map.file, std::move(*main), options);
  if (!opened || opened->dlopen_calls.empty()) return std::nullopt;
  return std::move(opened).value();
}

/// Why the loader cannot use it; empty: it can, or that is not known.
std::string refusal_of(const LinkMap& map, const std::string& name) {
  const std::optional<LinkMap> opened = open_module(map, name);
  if (!opened) return {};
  if (const LoadFailure* const failure = opened->first_fatal()) {
    using Kind = LoadFailure::Kind;
    constexpr Kind kThrown[] = {Kind::Missing, Kind::WrongClass, Kind::FatalFile, Kind::Token};
    return std::find(std::begin(kThrown), std::end(kThrown), failure->kind) == std::end(kThrown) ? "" : failure->text;
  }
  const ObjectIndex module = opened->dlopen_calls.front().root;
  const Result<StartFacts> facts = read_start_facts(*opened);
  if (module == kNoObject || !facts) return {};
  if (open_up(*opened, *facts, 1, BindTime::AsAsked).end != StartEnd::Runs) return {};
  const Result<SymbolSearch> search =
      search_symbol(*opened, facts->bindings, {.symbol = "la_version", .version = {}, .referrer = module});
  return search && search->provider() == kNoObject ? "undefined symbol: la_version" : "";
}

}  // namespace

std::vector<std::string> audit_warnings(const LinkMap& map) {
  const ElfObject& main = map.main().elf;
  const LoaderRules& rules = map.system->rules;
  const bool is_start = map.process->start != Start::Dlopen && !map.process->live;
  if (rules.libc != Libc::Glibc || !is_start || map.process->secure || !main.symbol_tags.string_table) return {};
  std::vector<std::string> warnings;
  for (const std::string& name : names_of(map)) {
    const bool is_searched = name.find('/') == std::string::npos;
    if (is_searched && main.runpath && rules.version.minor_number <= 34) continue;
    const std::string why = refusal_of(map, name);
    if (why.empty()) continue;
    warnings.push_back("ERROR: ld.so: object '" + name + "' cannot be loaded as audit interface: " + why +
                       "; ignored.");
  }
  return warnings;
}

}  // namespace soresolve
