// inspect as JSON (schema soresolve/1, "inspect" in schema.json).
#include "inspect_facts.h"
#include "inspect_report.h"
#include "report/json_parts.h"
#include "soresolve/catalogue.h"
#include "witness/foreign.h"

namespace soresolve::tool {
namespace {

Json hardening_json(const witness::Hardening& hardening) {
  const char* const relro[] = {"none", "partial", "full"};
  const char* const placement[] = {"fixed", "pie", "library", "other"};
  const char* const stack[] = {"not-executable", "executable", "not-told"};
  const char* const guard[] = {"present", "absent", "unknown"};
  return {{"relro", relro[static_cast<int>(hardening.relro)]},
          {"bind_now", hardening.is_bind_now},
          {"placement", placement[static_cast<int>(hardening.placement)]},
          {"stack", stack[static_cast<int>(hardening.stack)]},
          {"stack_guard", guard[static_cast<int>(hardening.guard)]},
          {"fortified", hardening.fortified},
          {"branch_protection", hardening.branch_protection}};
}

Json elf_json(const witness::ElfFacts& elf) {
  const witness::Hardening hardening = witness::judge_hardening(elf);
  Json needs = Json::array();
  for (const auto& [file, versions] : required_versions(elf)) needs.push_back({{"file", file}, {"versions", versions}});
  const SymbolCounts counts = count_symbols(elf);
  return {{"kind", sentence(kind_of(elf, hardening), Language::English)},
          {"target", target_of(elf)},
          {"build_id", text_or_null(elf.build_id)},
          {"interpreter", value_or_null(elf.interpreter)},
          {"compilers", elf.comments},
          {"soname", value_or_null(elf.soname)},
          {"rpath", value_or_null(elf.rpath)},
          {"runpath", value_or_null(elf.runpath)},
          {"needed", elf.needed},
          {"defines", defined_nodes(elf)},
          {"requires", std::move(needs)},
          {"defined_symbols", counts.defined},
          {"undefined_symbols", counts.undefined},
          {"sections", elf.sections},
          {"hardening", hardening_json(hardening)}};
}

Json foreign_json(const witness::ForeignFacts& foreign) {
  Json needed = Json::array();
  for (const witness::ForeignFacts::Image& image : foreign.images) {
    for (const std::string& name : image.needed) needed.push_back(name);
  }
  return {{"description", sentence(witness::describe(foreign), Language::English)},
          {"ld_so", sentence(witness::refusal_by_loader(foreign), Language::English)},
          {"needed", std::move(needed)}};
}

}  // namespace

std::string inspect_json(const witness::LiefFacts& lief_facts) {
  Json json = {
      {"schema", "soresolve/1"}, {"command", "inspect"}, {"file", lief_facts.file}, {"reader", lief_facts.reader}};
  if (lief_facts.foreign) {
    json["format"] = lief_facts.foreign->format == witness::ForeignFacts::Format::Pe ? "PE" : "Mach-O";
    json["foreign"] = foreign_json(*lief_facts.foreign);
  } else {
    json["format"] = "ELF";
    json["elf"] = value_or_null(lief_facts.elf, elf_json);
  }
  return dump(json);
}

}  // namespace soresolve::tool
