// The only source that calls LIEF, on bytes in memory. LIEF throws on damaged files (Debian's 0.9.0); it ends here, as
// a refusal with a reason. It runs in soresolve-witness after that process has given up its rights.
#include "witness/lief_reader.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>

#include "witness/lief_shapes.h"
#include "witness/property_words.h"

namespace soresolve::witness {
namespace {

namespace elf = LIEF::ELF;

// LIEF takes the names of elf.h away, so its numbers have names of their own here.
enum class Tag : std::uint64_t {
  Needed = 1,
  Soname = 14,
  Rpath = 15,
  BindNow = 24,
  Runpath = 29,
  Flags = 30,
  Flags1 = 0x6ffffffb,
};
constexpr unsigned kClass64 = 2;
constexpr unsigned kBigEndian = 2;
constexpr std::uint32_t kBuildId = 3;
constexpr std::uint32_t kProperties = 5;

/// The NUL-separated strings of a section, each once.
template <class Bytes>
std::vector<std::string> strings_in(const Bytes& bytes) {
  std::vector<std::string> strings;
  std::string text;
  const auto take = [&] {
    if (!text.empty() && std::find(strings.begin(), strings.end(), text) == strings.end()) strings.push_back(text);
    text.clear();
  };
  for (const std::uint8_t byte : bytes) {
    if (byte == 0) {
      take();
    } else {
      text += static_cast<char>(byte);
    }
  }
  take();
  return strings;
}

template <class Bytes>
std::string hexadecimal(const Bytes& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

/// Takes the facts from LIEF's view of an ELF file, part by part.
class ElfWitness {
 public:
  explicit ElfWitness(elf::Binary& binary) : binary_(binary) {}

  ElfFacts tell() {
    tell_header();
    tell_segments_and_sections();
    tell_notes();
    tell_dynamic();
    tell_versions();
    tell_symbols();
    return std::move(facts_);
  }

 private:
  void tell_header() {
    const elf::Header& header = binary_.header();
    facts_.is_64 = static_cast<unsigned>(header.identity_class()) == kClass64;
    facts_.is_big_endian = static_cast<unsigned>(header.identity_data()) == kBigEndian;
    facts_.machine = static_cast<std::uint16_t>(header.machine_type());
    facts_.type = static_cast<std::uint16_t>(header.file_type());
    facts_.flags = header.processor_flag();
    if (binary_.has_interpreter()) facts_.interpreter = binary_.interpreter();
  }

  void tell_segments_and_sections() {
    for (const elf::Segment& segment : binary_.segments()) {
      facts_.segments.push_back(
          {static_cast<std::uint32_t>(segment.type()), static_cast<std::uint32_t>(segment.flags())});
    }
    for (const elf::Section& section : binary_.sections()) {
      facts_.sections.push_back(section.name());
      if (section.name() == ".comment") facts_.comments = strings_in(section.content());
    }
  }

  void tell_notes() {
    for (const elf::Note& note : binary_.notes()) {
      std::string owner = note.name();
      owner = owner.substr(0, owner.find('\0'));
      if (owner != "GNU") continue;
      const auto description = note.description();
      if (note_type(note) == kBuildId && facts_.build_id.empty()) facts_.build_id = hexadecimal(description);
      if (note_type(note) == kProperties && facts_.properties.empty()) {
        facts_.properties =
            property_words({description.begin(), description.end()}, facts_.is_64, facts_.is_big_endian);
      }
    }
  }

  void tell_dynamic() {
    for (const elf::DynamicEntry& entry : binary_.dynamic_entries()) {
      facts_.has_dynamic = true;
      switch (static_cast<Tag>(dynamic_tag(entry))) {
        case Tag::BindNow: facts_.is_bind_now = true; break;
        case Tag::Flags: facts_.dynamic_flags = entry.value(); break;
        case Tag::Flags1: facts_.dynamic_flags_1 = entry.value(); break;
        case Tag::Needed: facts_.needed.push_back(dynamic_cast<const elf::DynamicEntryLibrary&>(entry).name()); break;
        case Tag::Soname: facts_.soname = dynamic_cast<const elf::DynamicSharedObject&>(entry).name(); break;
        case Tag::Rpath: facts_.rpath = dynamic_cast<const elf::DynamicEntryRpath&>(entry).rpath(); break;
        case Tag::Runpath: facts_.runpath = dynamic_cast<const elf::DynamicEntryRunPath&>(entry).runpath(); break;
        default: break;
      }
    }
  }

  void tell_versions() {
    for (const elf::SymbolVersionDefinition& definition : binary_.symbols_version_definition()) {
      Definition record{definition.ndx(), definition.flags(), definition.hash(), {}};
      for (const elf::SymbolVersionAux& name : definition.symbols_aux()) record.names.push_back(name.name());
      facts_.definitions.push_back(std::move(record));
    }
    for (const elf::SymbolVersionRequirement& file : binary_.symbols_version_requirement()) {
      for (const elf::SymbolVersionAuxRequirement& need : file.auxiliary_symbols()) {
        facts_.requirements.push_back({file.name(), need.name(), need.hash(), need.flags(), need.other()});
      }
    }
  }

  void tell_symbols() {
    name_versions();
    for (const elf::Symbol& symbol : binary_.dynamic_symbols()) facts_.symbols.push_back(tell_symbol(symbol));
    for (const elf::Symbol& symbol : binary_.symbols()) {
      if (is_check(symbol.name())) facts_.checks.push_back(symbol.name());
    }
    std::sort(facts_.checks.begin(), facts_.checks.end());
    facts_.checks.erase(std::unique(facts_.checks.begin(), facts_.checks.end()), facts_.checks.end());
  }

  /// The name that an index of DT_VERSYM leads to. LIEF 0.9 has a link of its own from the one to the other,
  /// but it ends at a record's last verdaux, which is its parent; the records themselves it reads well.
  void name_versions() {
    constexpr std::uint16_t kBase = 1;
    for (const Definition& definition : facts_.definitions) {
      if ((definition.flags & kBase) == 0 && !definition.names.empty())
        names_[definition.index & kIndex] = definition.names.front();
    }
    for (const Requirement& need : facts_.requirements) names_[need.other & kIndex] = need.name;
  }

  Symbol tell_symbol(const elf::Symbol& symbol) const {
    Symbol reported;
    reported.name = symbol.name();
    reported.value = symbol.value();
    reported.size_bytes = symbol.size();
    reported.section = symbol.shndx();
    reported.type = static_cast<std::uint8_t>(symbol.type());
    reported.binding = static_cast<std::uint8_t>(symbol.binding());
    if (!symbol.has_version()) return reported;
    reported.version_word = pointer_to(symbol.symbol_version())->value();
    const auto name = names_.find(reported.version_word & kIndex);
    if ((reported.version_word & kIndex) > 1 && name != names_.end()) reported.version = name->second;
    return reported;
  }

  static constexpr std::uint16_t kIndex = 0x7fff;  // the top bit says "hidden"

  elf::Binary& binary_;
  ElfFacts facts_;
  std::map<std::uint16_t, std::string> names_;
};

ForeignFacts tell_pe(LIEF::PE::Binary& binary) {
  ForeignFacts::Image image;
  image.machine = static_cast<std::uint16_t>(binary.header().machine());
  image.kind = static_cast<std::uint16_t>(binary.header().characteristics());
  for (const LIEF::PE::Import& import : binary.imports()) image.needed.push_back(import.name());
  return {ForeignFacts::Format::Pe, {std::move(image)}};
}

ForeignFacts tell_mach_o(LIEF::MachO::FatBinary& file) {
  ForeignFacts facts{ForeignFacts::Format::MachO, {}};
  for (LIEF::MachO::Binary& binary : file) {
    ForeignFacts::Image image;
    image.machine = static_cast<std::uint32_t>(binary.header().cpu_type());
    image.kind = static_cast<std::uint32_t>(binary.header().file_type());
    for (const LIEF::MachO::DylibCommand& library : binary.libraries()) image.needed.push_back(library.name());
    facts.images.push_back(std::move(image));
  }
  return facts;
}

/// What a later release returns where 0.9 throws.
constexpr const char* kUnreadable = "it cannot be read";

void take_refusal(LiefFacts& lief_facts, Refusal::Kind kind, std::string reason) {
  lief_facts.elf.reset();
  lief_facts.foreign.reset();
  lief_facts.refusal = Refusal{kind, std::move(reason)};
}

void read(const std::vector<std::uint8_t>& bytes, LiefFacts& lief_facts) {
  if (elf::is_elf(bytes)) {
    // The loader's view goes by the hash table; this one does so only where there are no sections.
    std::unique_ptr<elf::Binary> binary = parse(bytes, SymbolCount::BySections);
    const bool has_no_sections = binary != nullptr && binary->dynamic_symbols().size() == 0;
    if (has_no_sections) binary = parse(bytes, SymbolCount::ByHashTable);
    if (binary != nullptr) lief_facts.elf = ElfWitness(*binary).tell();
  } else if (LIEF::PE::is_pe(bytes)) {
    if (const auto binary = LIEF::PE::Parser::parse(bytes)) lief_facts.foreign = tell_pe(*binary);
  } else if (LIEF::MachO::is_macho(bytes)) {
    if (const auto file = LIEF::MachO::Parser::parse(bytes)) lief_facts.foreign = tell_mach_o(*file);
  } else {
    take_refusal(lief_facts, Refusal::Kind::Format, "it is neither ELF nor PE nor Mach-O");
  }
  if (!lief_facts.elf && !lief_facts.foreign && !lief_facts.refusal)
    take_refusal(lief_facts, Refusal::Kind::Damage, kUnreadable);
}

}  // namespace

std::string reader_name() { return "LIEF " + lief_release(); }

LiefFacts hear(const std::string& file, const std::vector<std::uint8_t>& bytes) {
  LiefFacts lief_facts;
  lief_facts.reader = reader_name();
  lief_facts.file = file;
  try {
    read(bytes, lief_facts);
  } catch (const std::exception& error) {
    take_refusal(lief_facts, Refusal::Kind::Damage, error.what());
  }
  return lief_facts;
}

}  // namespace soresolve::witness
