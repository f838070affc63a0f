// The ways in which a file is spoiled. Offsets are those of a 64-bit file.
#include <utility>

#include "support/elf_writer.h"
#include "support/random.h"

namespace soresolve::test {
namespace {

constexpr std::uint64_t kPhoff = 64;
constexpr std::uint64_t kPhentBytes = 56;

/// Offset of the first program header of `type` in a little-endian 64-bit file; 0 when absent.
std::uint64_t find_header(const std::string& file, std::uint32_t type) {
  const auto count = static_cast<unsigned char>(file[56]);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = kPhoff + i * kPhentBytes;
    std::uint32_t found = 0;
    for (unsigned k = 0; k < 4; ++k)
      found |= static_cast<std::uint32_t>(static_cast<unsigned char>(file[at + k])) << (8 * k);
    if (found == type) return at;
  }
  return 0;
}

std::uint64_t word_at(const std::string& file, std::uint64_t offset) {
  std::uint64_t word = 0;
  for (unsigned k = 0; k < 8; ++k)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(file[offset + k])) << (8 * k);
  return word;
}

/// Where the tables begin that the dynamic section of a 64-bit file names, and where it begins itself.
std::vector<std::uint64_t> table_offsets(const std::string& file) {
  std::vector<std::uint64_t> offsets;
  const std::uint64_t load = find_header(file, 1);
  const std::uint64_t header = find_header(file, 2);
  if (load == 0 || header == 0) return offsets;
  const std::uint64_t base = word_at(file, load + 16) - word_at(file, load + 8);
  const std::uint64_t dynamic = word_at(file, header + 8);
  offsets.push_back(dynamic);
  for (std::uint64_t at = dynamic; at + 16 <= file.size() && word_at(file, at) != 0; at += 16) {
    switch (word_at(file, at)) {
      case 5:
      case 0x6ffffff0:
      case 0x6ffffffc:
      case 0x6ffffffe:  // DT_STRTAB, DT_VERSYM, DT_VERDEF, DT_VERNEED
        offsets.push_back(word_at(file, at + 8) - base);
        break;
      default: break;
    }
  }
  return offsets;
}

void set(std::string& file, std::uint64_t offset, std::string_view bytes) { file.replace(offset, bytes.size(), bytes); }

}  // namespace

void spoil(ElfSpec& spec, Random& random) {
  constexpr std::uint64_t kPage = 4096;
  // The tables before a page's end, behind it, or across it.
  if (random.chance(40)) spec.padding_bytes = random.between(1, 2) * kPage - random.below(1500);
  const std::vector<std::uint64_t> offsets = table_offsets(write_elf(spec));
  if (offsets.empty()) return;
  // Half of the time around the dynamic section, which is the last.
  const std::uint64_t place = random.chance(50) ? offsets.front() : random.pick(offsets);
  const std::uint64_t from = place - 24 + 8 * random.below(9);
  if (random.chance(50)) {
    spec.truncate_to_bytes = from;
  } else {
    spec.patch(from, std::string(8 * random.between(1, 12), '\0'));
  }
}

std::string_view name_of(Damage damage) {
  switch (damage) {
    case Damage::Empty: return "empty";
    case Damage::ShortText: return "short text";
    case Damage::LongText: return "long text";
    case Damage::HeaderOnly: return "ends after the ELF header";
    case Damage::OtherClass: return "ELF32";
    case Damage::OddClass: return "EI_CLASS 9";
    case Damage::OtherMachine: return "AArch64";
    case Damage::OtherEndian: return "EI_DATA 2";
    case Damage::IdentVersion: return "EI_VERSION 2";
    case Damage::OsAbi: return "OSABI 9";
    case Damage::GnuOsAbi: return "OSABI 3, ABIVERSION 3";
    case Damage::AbiVersion: return "OSABI 3, ABIVERSION 9";
    case Damage::SysvAbiVersion: return "OSABI 0, ABIVERSION 1";
    case Damage::IdentPadding: return "e_ident[12] not zero";
    case Damage::HeaderVersion: return "e_version 2";
    case Damage::Relocatable: return "ET_REL";
    case Damage::Executable: return "ET_EXEC";
    case Damage::Pie: return "DF_1_PIE";
    case Damage::PhentSize: return "e_phentsize 57";
    case Damage::NoHeaders: return "e_phnum 0";
    case Damage::HeadersBeyond: return "e_phoff past the end";
    case Damage::NoLoad: return "no PT_LOAD";
    case Damage::NoDynamic: return "no PT_DYNAMIC";
    case Damage::EmptyDynamic: return "PT_DYNAMIC of 0 bytes";
    case Damage::OddAddress: return "PT_LOAD off its page";
    case Damage::OddAlignment: return "PT_LOAD with p_align 0x800";
    case Damage::NewKernel: return "ABI tag Linux 99.0.0";
    case Damage::OtherOs: return "ABI tag of OS 1";
    case Damage::CutSegment: return "cut off inside its segment";
  }
  return "?";
}

std::string write_damaged(ElfSpec spec, Damage damage) {
  if (damage == Damage::Empty) return "";
  if (damage == Damage::ShortText) return "INPUT(libx.so)\n";
  if (damage == Damage::LongText)
    return "/* GNU ld script: the linker reads it, the loader does not. */\nINPUT(libx.so.1)\n";
  if (damage == Damage::OtherClass) {
    spec.bits = Bits::Elf32;
    spec.machine = kEm386;
  }
  if (damage == Damage::OtherMachine) spec.machine = kEmAarch64;
  if (damage == Damage::Executable) spec.type = kEtExec;
  if (damage == Damage::Pie) spec.flags_1 = spec.flags_1.value_or(0) | kDf1Pie;
  if (damage == Damage::NewKernel) spec.abi_tag = AbiTag{0, {99, 0, 0}};
  if (damage == Damage::OtherOs) spec.abi_tag = AbiTag{1, {2, 6, 32}};
  if (damage == Damage::CutSegment) {
    spec.padding_bytes = 8192;
    spec.truncate_to_bytes = 4096;
  }

  std::string file = write_elf(spec);
  using namespace std::string_view_literals;
  switch (damage) {
    case Damage::HeaderOnly: file.resize(64); break;
    case Damage::OddClass: set(file, 4, "\x09"); break;
    case Damage::OtherEndian: set(file, 5, "\x02"); break;
    case Damage::IdentVersion: set(file, 6, "\x02"); break;
    case Damage::OsAbi: set(file, 7, "\x09"); break;
    case Damage::GnuOsAbi: set(file, 7, "\x03\x03"); break;
    case Damage::AbiVersion: set(file, 7, "\x03\x09"); break;
    case Damage::SysvAbiVersion: set(file, 8, "\x01"); break;
    case Damage::IdentPadding: set(file, 12, "\x01"); break;
    case Damage::HeaderVersion: set(file, 20, "\x02"); break;
    case Damage::Relocatable: set(file, 16, "\x01"); break;
    case Damage::PhentSize: set(file, 54, "\x39"); break;
    case Damage::NoHeaders: set(file, 56, "\0"sv); break;
    case Damage::HeadersBeyond: set(file, 33, "\xff"); break;
    case Damage::NoLoad: set(file, find_header(file, 1), "\0\0\0\0"sv); break;
    case Damage::NoDynamic: set(file, find_header(file, 2), "\0\0\0\0"sv); break;
    case Damage::EmptyDynamic: set(file, find_header(file, 2) + 32, "\0\0\0\0\0\0\0\0"sv); break;
    case Damage::OddAddress: set(file, find_header(file, 1) + 16, "\x10"); break;
    case Damage::OddAlignment: set(file, find_header(file, 1) + 49, "\x08"); break;
    default: break;
  }
  return file;
}

}  // namespace soresolve::test
