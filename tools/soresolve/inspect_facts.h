// What both forms of the metadata say of an ELF file, taken from the second reader's facts.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "soresolve/statement.h"
#include "witness/hardening.h"
#include "witness/lief_facts.h"

namespace soresolve::tool {

/// "program", "position-independent program", "shared library", "object file", "core file", "file of type N".
Statement kind_of(const witness::ElfFacts& elf, const witness::Hardening& hardening);

/// "64-bit x86-64"
std::string target_of(const witness::ElfFacts& elf);

/// The nodes that it defines, without the base record.
std::vector<std::string> defined_nodes(const witness::ElfFacts& elf);

/// The versions that it requires, by the file they are required from.
std::map<std::string, std::vector<std::string>> required_versions(const witness::ElfFacts& elf);

struct SymbolCounts {
  std::size_t defined = 0;
  std::size_t undefined = 0;
};
/// Of the dynamic symbol table, without its null entry.
SymbolCounts count_symbols(const witness::ElfFacts& elf);

}  // namespace soresolve::tool
