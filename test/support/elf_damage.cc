// The ways in which a file is spoiled. Offsets are those of the file's class.
#include <algorithm>
#include <utility>

#include "support/elf_writer.h"
#include "support/random.h"

namespace soresolve::test {
namespace {

/// Where the fields of an ELF header and of a program header lie in a file of one class.
struct Fields {
  std::uint64_t header_bytes, phoff, phentsize, phnum, phent_bytes;
  std::uint64_t p_offset, p_vaddr, p_filesz, p_align;
};
constexpr Fields kFields64 = {64, 32, 54, 56, 56, 8, 16, 32, 48};
constexpr Fields kFields32 = {52, 28, 42, 44, 32, 4, 8, 16, 28};

/// A finished file in which numbers are found by their places.
class Image {
 public:
  explicit Image(std::string& file)
      : file_(file), is_64_(file[4] == 2), is_big_(file[5] == 2), fields_(is_64_ ? kFields64 : kFields32) {}

  [[nodiscard]] const Fields& fields() const { return fields_; }
  [[nodiscard]] std::uint64_t word_bytes() const { return is_64_ ? 8 : 4; }
  [[nodiscard]] std::uint64_t number(std::uint64_t offset, unsigned bytes) const {
    std::uint64_t value = 0;
    for (unsigned k = 0; k < bytes; ++k) {
      const std::uint64_t at = offset + (is_big_ ? k : bytes - 1 - k);
      value = value << 8 | static_cast<unsigned char>(file_[at]);
    }
    return value;
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t offset) const {
    return number(offset, static_cast<unsigned>(word_bytes()));
  }
  /// Offset of the first program header of `type`; 0 when absent.
  [[nodiscard]] std::uint64_t find_header(std::uint32_t type) const {
    const std::uint64_t count = number(fields_.phnum, 2);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = fields_.header_bytes + i * fields_.phent_bytes;
      if (number(at, 4) == type) return at;
    }
    return 0;
  }
  void put(std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    for (unsigned k = 0; k < bytes; ++k)
      file_[offset + (is_big_ ? bytes - 1 - k : k)] = static_cast<char>(value >> (8 * k));
  }
  void put_word(std::uint64_t offset, std::uint64_t value) { put(offset, value, static_cast<unsigned>(word_bytes())); }

 private:
  std::string& file_;
  bool is_64_;
  bool is_big_;
  const Fields& fields_;
};

/// Where the tables begin that the dynamic section names, and where it begins itself.
std::vector<std::uint64_t> table_offsets(std::string file) {
  std::vector<std::uint64_t> offsets;
  const Image image(file);
  const Fields& fields = image.fields();
  const std::uint64_t load = image.find_header(1);
  const std::uint64_t header = image.find_header(2);
  if (load == 0 || header == 0) return offsets;
  const std::uint64_t base = image.word(load + fields.p_vaddr) - image.word(load + fields.p_offset);
  const std::uint64_t dynamic = image.word(header + fields.p_offset);
  const std::uint64_t word = image.word_bytes();
  offsets.push_back(dynamic);
  for (std::uint64_t at = dynamic; at + 2 * word <= file.size() && image.word(at) != 0; at += 2 * word) {
    switch (image.word(at)) {
      case 5:
      case 0x6ffffff0:
      case 0x6ffffffc:
      case 0x6ffffffe:  // DT_STRTAB, DT_VERSYM, DT_VERDEF, DT_VERNEED
        offsets.push_back(image.word(at + word) - base);
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

void map_in_pieces(ElfSpec& spec, Random& random) {
  constexpr std::uint64_t kPage = 4096;
  if (random.chance(60)) spec.padding_bytes = random.between(1, 3) * kPage - random.below(1500);
  const std::uint64_t bytes = write_elf(spec).size();
  const std::uint64_t pages = (bytes + kPage - 1) / kPage;
  const auto of_rest = [&](std::uint64_t page) { return bytes - std::min(bytes, page * kPage); };
  if (pages > 1 && random.chance(60)) {
    // One file in two: nothing is changed by it, but that tables can go across the cut.
    const std::uint64_t cut = random.between(1, pages - 1);
    spec.first_load_bytes = cut * kPage;
    spec.more_loads.push_back({cut * kPage, cut * kPage, of_rest(cut), of_rest(cut)});
    if (random.chance(50)) return;
  }
  for (std::uint64_t count = random.between(1, 2); count-- > 0;) {
    const std::uint64_t to = random.below(pages + 1);
    const std::uint64_t from = random.chance(70) ? to : random.below(pages);
    const std::uint64_t within = random.chance(30) ? 8 * random.below(kPage / 8) : 0;
    const std::uint64_t held = random.chance(50) ? of_rest(from) : random.below(2 * kPage);
    MoreLoad load{from * kPage + within, to * kPage + within, held, held};
    if (random.chance(50)) load.memory_bytes += random.below(2 * kPage);
    spec.more_loads.push_back(load);
  }
  // Up to the end of the last one memory is reserved. What goes past it lies over something else, or over nothing.
  const auto end_of = [](const MoreLoad& load) { return load.address + std::max(load.file_bytes, load.memory_bytes); };
  const auto highest =
      std::max_element(spec.more_loads.begin(), spec.more_loads.end(),
                       [&](const MoreLoad& a, const MoreLoad& b) { return end_of(a) / kPage < end_of(b) / kPage; });
  std::rotate(highest, highest + 1, spec.more_loads.end());
}

std::string_view name_of(Damage damage) {
  switch (damage) {
    case Damage::Empty: return "empty";
    case Damage::ShortText: return "short text";
    case Damage::LongText: return "long text";
    case Damage::HeaderOnly: return "ends after the ELF header";
    case Damage::OtherClass: return "the other class";
    case Damage::OddClass: return "EI_CLASS 9";
    case Damage::OtherMachine: return "another machine";
    case Damage::OtherEndian: return "the other EI_DATA";
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
    case Damage::PhentSize: return "e_phentsize one too many";
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
    const bool is_64 = spec.bits == Bits::Elf64;
    spec.bits = is_64 ? Bits::Elf32 : Bits::Elf64;
    spec.machine = is_64 ? kEm386 : kEmX86_64;
  }
  if (damage == Damage::OtherMachine) spec.machine = spec.machine == kEmAarch64 ? kEmX86_64 : kEmAarch64;
  if (damage == Damage::Executable) spec.type = kEtExec;
  if (damage == Damage::Pie) spec.flags_1 = spec.flags_1.value_or(0) | kDf1Pie;
  if (damage == Damage::NewKernel) spec.abi_tag = AbiTag{0, {99, 0, 0}};
  if (damage == Damage::OtherOs) spec.abi_tag = AbiTag{1, {2, 6, 32}};
  if (damage == Damage::CutSegment) {
    spec.padding_bytes = 8192;
    spec.truncate_to_bytes = 4096;
  }

  std::string file = write_elf(spec);
  Image image(file);
  const Fields& fields = image.fields();
  using namespace std::string_view_literals;
  switch (damage) {
    case Damage::HeaderOnly: file.resize(fields.header_bytes); break;
    case Damage::OddClass: set(file, 4, "\x09"); break;
    case Damage::OtherEndian: set(file, 5, spec.endian == Endian::Little ? "\x02" : "\x01"); break;
    case Damage::IdentVersion: set(file, 6, "\x02"); break;
    case Damage::OsAbi: set(file, 7, "\x09"); break;
    case Damage::GnuOsAbi: set(file, 7, "\x03\x03"); break;
    case Damage::AbiVersion: set(file, 7, "\x03\x09"); break;
    case Damage::SysvAbiVersion: set(file, 8, "\x01"); break;
    case Damage::IdentPadding: set(file, 12, "\x01"); break;
    case Damage::HeaderVersion: image.put(20, 2, 4); break;
    case Damage::Relocatable: image.put(16, 1, 2); break;
    case Damage::PhentSize: image.put(fields.phentsize, fields.phent_bytes + 1, 2); break;
    case Damage::NoHeaders: image.put(fields.phnum, 0, 2); break;
    case Damage::HeadersBeyond: image.put_word(fields.phoff, 0xff00 + fields.header_bytes); break;
    case Damage::NoLoad: image.put(image.find_header(1), 0, 4); break;
    case Damage::NoDynamic: image.put(image.find_header(2), 0, 4); break;
    case Damage::EmptyDynamic: image.put_word(image.find_header(2) + fields.p_filesz, 0); break;
    case Damage::OddAddress: image.put_word(image.find_header(1) + fields.p_vaddr, 0x10); break;
    case Damage::OddAlignment: image.put_word(image.find_header(1) + fields.p_align, 0x800); break;
    default: break;
  }
  return file;
}

}  // namespace soresolve::test
