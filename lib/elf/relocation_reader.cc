// Where DT_RELA or DT_REL and DT_JMPREL lie, cut so that no relocation comes twice and the leading relative ones not at
// all. Source: glibc 2.36 elf/dynamic-link.h:_ELF_DYNAMIC_DO_RELOC. The header's templates read the entries.
#include "elf/relocation_reader.h"

#include <elf.h>

namespace soresolve {
namespace {

/// ELF_MACHINE_NO_RELA of sysdeps/*/dl-machine.h.
bool has_addends(std::uint16_t machine) { return machine != EM_386 && machine != EM_ARM && machine != EM_MIPS; }

}  // namespace

RelocationRanges relocation_ranges(const ElfObject& object) {
  const RelocationTags& tags = object.relocation_tags;
  const bool is_rela = has_addends(object.target.machine);
  const std::size_t word = object.target.elf_class == ElfClass::Elf64 ? 8 : 4;
  RelocationRanges all;
  all.entry_bytes = (is_rela ? 3 : 2) * word;
  const RelocationTags::Table& table = is_rela ? tags.rela : tags.rel;
  RelocationRange& first = all.ranges[0];
  RelocationRange& second = all.ranges[1];
  if (table.start) {
    first.start = static_cast<std::uint64_t>(*table.start);
    first.size_bytes = table.size_bytes;
  }
  if (tags.plt && tags.plt_kind) {
    second.start = static_cast<std::uint64_t>(*tags.plt);
    second.size_bytes = tags.plt_size_bytes;
    second.is_plt = true;
    if (first.size_bytes >= second.size_bytes && first.start + first.size_bytes == second.start + second.size_bytes) {
      first.size_bytes -= second.size_bytes;
    }
  }
  const std::uint64_t most = first.size_bytes / all.entry_bytes;
  const std::uint64_t relative = std::min(table.relative_count, most) * all.entry_bytes;
  first.start += relative;
  first.size_bytes -= relative;
  return all;
}

}  // namespace soresolve
