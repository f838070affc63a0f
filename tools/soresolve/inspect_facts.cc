// Words and counts that both forms of `inspect` show: kind, target, version nodes, symbols. No file is read here: all
// of it is the second reader's metadata.
#include "inspect_facts.h"

#include <elf.h>

#include "soresolve/elf.h"

namespace soresolve::tool {

Statement kind_of(const witness::ElfFacts& elf, const witness::Hardening& hardening) {
  if (elf.type == ET_REL) return say("kind-object");
  if (elf.type == ET_CORE) return say("kind-core");
  switch (hardening.placement) {
    case witness::Placement::Fixed: return say("kind-program");
    case witness::Placement::Pie: return say("kind-pie");
    case witness::Placement::Library: return say("kind-library");
    case witness::Placement::Other: break;
  }
  return say("kind-number", {{"number", elf.type}});
}

std::string target_of(const witness::ElfFacts& elf) {
  return describe(ElfTarget{elf.is_64 ? ElfClass::Elf64 : ElfClass::Elf32,
                            elf.is_big_endian ? std::endian::big : std::endian::little, elf.machine, elf.flags});
}

std::vector<std::string> defined_nodes(const witness::ElfFacts& elf) {
  std::vector<std::string> nodes;
  for (const witness::Definition& definition : elf.definitions) {
    if ((definition.flags & VER_FLG_BASE) == 0 && !definition.names.empty()) nodes.push_back(definition.names.front());
  }
  return nodes;
}

std::map<std::string, std::vector<std::string>> required_versions(const witness::ElfFacts& elf) {
  std::map<std::string, std::vector<std::string>> versions;
  for (const witness::Requirement& need : elf.requirements) versions[need.file].push_back(need.name);
  return versions;
}

SymbolCounts count_symbols(const witness::ElfFacts& elf) {
  SymbolCounts counts;
  for (const witness::Symbol& symbol : elf.symbols) {
    if (symbol.section != SHN_UNDEF) ++counts.defined;
    if (symbol.section == SHN_UNDEF && !symbol.name.empty()) ++counts.undefined;
  }
  return counts;
}

}  // namespace soresolve::tool
