// An ElfSpec as one line for people.
#include <cstdio>

#include "support/elf_writer.h"
#include "support/machine.h"

namespace soresolve::test {
namespace {

std::string_view name_of(HashTables tables) {
  switch (tables) {
    case HashTables::Sysv: return "SysV hash";
    case HashTables::Gnu: return "GNU hash";
    case HashTables::Both: return "both hashes";
    case HashTables::None: return "no hash";
  }
  return "?";
}

std::string name_of_relocation(const Machine& machine, std::uint32_t type) {
  const RelocationNumbers& numbers = machine.relocations;
  const std::pair<std::uint32_t, const char*> names[] = {
      {numbers.glob_dat, "GLOB_DAT"}, {numbers.absolute, machine.bits == Bits::Elf64 ? "64" : "32"},
      {numbers.copy, "COPY"},         {numbers.jump_slot, "JUMP_SLOT"},
      {numbers.relative, "RELATIVE"}, {numbers.tls_module, "DTPMOD"},
      {numbers.tls_offset, "TPOFF"},  {machine.number == kEmX86_64 ? kRelocTlsDesc : 0, "TLSDESC"}};
  for (const auto& [number, name] : names)
    if (type == number && number != 0) return name;
  return "relocation " + std::to_string(type);
}

std::string hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(number));
  return text;
}

std::string describe(const VersionNeeds& need) {
  std::string text = " VERNEED " + quoted(need.file) + " {";
  for (const VersionNeeds::Version& version : need.versions) {
    text += " " + version.name;
    if (version.weak) text += " weak";
    if (version.hidden) text += " hidden";
    if (version.hash) text += " hash " + hex(*version.hash);
  }
  if (need.record_version != 1) text += " record " + std::to_string(need.record_version);
  return text + " }";
}

std::string describe(const VersionDefinition& definition) {
  std::string text = " VERDEF " + quoted(definition.name);
  if (definition.flags) text += " flags " + std::to_string(*definition.flags);
  for (const std::string& parent : definition.parents) text += " <- " + parent;
  if (definition.hash) text += " hash " + hex(*definition.hash);
  if (definition.record_version != 1) text += " record " + std::to_string(definition.record_version);
  return text;
}

/// "foo@V" is hidden or a reference, "foo@@V" the default.
std::string describe(const Symbol& symbol) {
  const bool is_default = symbol.place != SymbolPlace::Undefined && !symbol.is_hidden_version;
  std::string text = symbol.place == SymbolPlace::Undefined ? " refers " : " defines ";
  text += symbol.name;
  if (!symbol.version.empty()) text += (is_default ? "@@" : "@") + symbol.version;
  if (!symbol.version_file.empty()) text += " of " + symbol.version_file;
  if (symbol.version.empty() && symbol.is_hidden_version) text += " hidden bit";
  if (symbol.version_index) text += " versym " + std::to_string(*symbol.version_index);
  static constexpr std::pair<Binding, const char*> kBindings[] = {
      {Binding::Local, " local"}, {Binding::Weak, " weak"}, {Binding::Unique, " unique"}};
  for (const auto& [binding, word] : kBindings)
    if (symbol.binding == binding) text += word;
  static constexpr std::pair<SymbolType, const char*> kTypes[] = {
      {SymbolType::NoType, " notype"}, {SymbolType::Object, " object"}, {SymbolType::Section, " section"},
      {SymbolType::Common, " common"}, {SymbolType::Tls, " tls"},       {SymbolType::Ifunc, " ifunc"}};
  for (const auto& [type, word] : kTypes)
    if (symbol.type == type) text += word;
  static constexpr std::pair<Visibility, const char*> kVisibilities[] = {
      {Visibility::Internal, " internal"}, {Visibility::Hidden, " hidden"}, {Visibility::Protected, " protected"}};
  for (const auto& [visibility, word] : kVisibilities)
    if (symbol.visibility == visibility) text += word;
  if (symbol.place == SymbolPlace::Absolute) text += " absolute";
  if (symbol.value) text += " value " + hex(*symbol.value);
  if (symbol.size_bytes != 8) text += " size " + std::to_string(symbol.size_bytes);
  return text;
}

std::string describe(const Machine& machine, const Relocation& relocation) {
  std::string text = " " + name_of_relocation(machine, relocation.type);
  const bool is_jump = relocation.type == machine.relocations.jump_slot;
  if (relocation.table == Relocation::Table::Rela && is_jump) text += " outside JMPREL";
  if (relocation.table == Relocation::Table::Plt) text += " in JMPREL";
  return text + (relocation.symbol.empty() ? "" : " " + relocation.symbol);
}

}  // namespace

std::string_view name_of(StringTag tag) {
  switch (tag) {
    case StringTag::Needed: return "NEEDED";
    case StringTag::Soname: return "SONAME";
    case StringTag::Rpath: return "RPATH";
    case StringTag::Runpath: return "RUNPATH";
    case StringTag::Audit: return "AUDIT";
    case StringTag::DepAudit: return "DEPAUDIT";
    case StringTag::Auxiliary: return "AUXILIARY";
    case StringTag::Filter: return "FILTER";
  }
  return "?";
}

std::string quoted(std::string_view text) {
  if (text.size() > 120)
    return "'" + std::string(text.substr(0, 60)) + "…' (" + std::to_string(text.size()) + " bytes)";
  return "'" + std::string(text) + "'";
}

std::string describe(const ElfSpec& spec) {
  std::string line;
  if (spec.interp) line += *spec.interp == machine_of(spec).interp ? " program" : " interp " + quoted(*spec.interp);
  if (spec.type == kEtExec) line += " ET_EXEC";
  if (spec.bits == Bits::Elf32) line += " ELF32";
  if (spec.machine != kEmX86_64) line += " machine " + std::to_string(spec.machine);
  if (spec.header_flags != 0 && spec.header_flags != machine_of(spec).flags) line += " flags " + hex(spec.header_flags);
  if (!spec.has_dynamic) line += " static";
  for (const DynamicString& string : spec.strings)
    line += " " + std::string(name_of(string.tag)) + " " + quoted(string.text);
  if (spec.flags) line += " FLAGS " + std::to_string(*spec.flags);
  if (spec.flags_1) {
    if ((*spec.flags_1 & kDf1Pie) != 0) line += " PIE";
    if ((*spec.flags_1 & kDf1NoDefLib) != 0) line += " NODEFLIB";
    if ((*spec.flags_1 & kDf1NoOpen) != 0) line += " NOOPEN";
    if ((*spec.flags_1 & kDf1Now) != 0) line += " NOW";
  }
  if (spec.symbolic) line += " SYMBOLIC";
  if (spec.bind_now) line += " BIND_NOW";
  for (const VersionNeeds& need : spec.version_needs) line += describe(need);
  for (const VersionDefinition& definition : spec.version_definitions) line += describe(definition);
  if (!spec.has_versym) line += " no VERSYM";
  if (spec.hash != HashTables::Sysv) line += " " + std::string(name_of(spec.hash));
  for (const Symbol& symbol : spec.symbols) line += describe(symbol);
  for (const Relocation& relocation : spec.relocations) line += describe(machine_of(spec), relocation);
  if (spec.relr_words != 0) line += " RELR " + std::to_string(spec.relr_words);
  if (spec.calls_plt) line += " calls its PLT";
  if (spec.abi_tag) line += " ABI tag Linux " + std::to_string(spec.abi_tag->kernel[0]);
  for (const Note& note : spec.notes) line += " note " + note.owner + " " + quoted(note.text);
  if (spec.isa_needed) line += " ISA needed " + std::to_string(*spec.isa_needed);
  if (spec.stack == StackHeader::Absent) line += " no GNU_STACK";
  if (spec.stack == StackHeader::Executable) line += " executable stack";
  if (spec.stack == StackHeader::ExecutableThenReadWrite) line += " GNU_STACK RWE, then RW";
  if (spec.stack == StackHeader::ReadWriteThenExecutable) line += " GNU_STACK RW, then RWE";
  if (spec.first_load_bytes) line += " PT_LOAD of " + hex(*spec.first_load_bytes) + " bytes";
  for (const MoreLoad& load : spec.more_loads) {
    line += " PT_LOAD " + hex(load.offset) + " at " + hex(load.address) + ": " + hex(load.file_bytes) + ", " +
            hex(load.memory_bytes) + " in memory";
  }
  for (const BytePatch& patch : spec.patches) {
    line += " patched at " + std::to_string(patch.offset) + " (" + std::to_string(patch.bytes.size()) + " bytes)";
  }
  if (spec.truncate_to_bytes) line += " truncated to " + std::to_string(*spec.truncate_to_bytes);
  return line.empty() ? " library" : line;
}

}  // namespace soresolve::test
