// verify_candidate() is glibc's elf/dl-load.c:open_verify, check_mapping() and check_dynamic() are
// elf/dl-load.c:_dl_map_object_from_fd, by the rules of the release. A refusal has the loader's text and the file
// offset. Left out: mappings that fail only for lack of memory or address space at run time.
#include "loader/file_acceptance.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/load.h"
#include "elf/elf_numbers.h"
#include "loader/loader_rules.h"

namespace soresolve {
namespace {

Acceptance fatal(std::string_view text, std::optional<std::uint64_t> file_offset, Errno error = Errno::None) {
  return {Outcome::Fatal, text, error, {}, file_offset};
}
Acceptance skip(Outcome outcome) { return {outcome, {}, static_cast<Errno>(ENOENT), {}, {}}; }
Acceptance crash(std::string reason, std::uint64_t file_offset) {
  return {Outcome::WouldCrash, {}, Errno::None, std::move(reason), file_offset};
}

// Fields of the ELF header, which lie at other places for the two classes from e_phoff on.
constexpr std::uint64_t kTypeOffset = offsetof(Elf64_Ehdr, e_type);
constexpr std::uint64_t kVersionOffset = offsetof(Elf64_Ehdr, e_version);
std::uint64_t phentsize_offset(ElfClass elf_class) {
  return elf_class == ElfClass::Elf64 ? offsetof(Elf64_Ehdr, e_phentsize) : offsetof(Elf32_Ehdr, e_phentsize);
}

/// LIBC_ABI_MAX of glibc 2.36 libc-abis: DEFAULT, UNIQUE and ABSOLUTE everywhere; IFUNC is counted on few machines, and
/// MIPS has more of its own.
unsigned abi_version_max(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
    case EM_386:
    case EM_PPC64:
    case EM_PPC:
    case EM_RISCV:
    case EM_SPARC:
    case EM_SPARCV9: return 4;
    case EM_MIPS: return 6;
    default: return 3;
  }
}

/// EI_OSABI: every loader takes SYSV and GNU; arm's also takes its own two values.
bool is_valid_osabi(unsigned osabi, std::uint16_t machine) {
  if (osabi == ELFOSABI_SYSV || osabi == ELFOSABI_GNU) return true;
  return machine == EM_ARM && (osabi == ELFOSABI_ARM_AEABI || osabi == ELFOSABI_ARM);
}
bool is_valid_abi_version(unsigned osabi, unsigned version, std::uint16_t machine) {
  return version == 0 || (osabi == ELFOSABI_GNU && version < abi_version_max(machine));
}

/// elf_machine_matches_host(), per machine.
bool is_for_machine(const ElfHeader& header, const ElfTarget& target) {
  if (header.machine != target.machine) return false;
  const std::uint32_t differs = header.flags ^ target.flags;
  switch (target.machine) {
    case EM_PPC64:  // 0 is "unspecified"
      return (header.flags & EF_PPC64_ABI) == 0 || (differs & EF_PPC64_ABI) == 0;
    case EM_RISCV: return (differs & EF_RISCV_FLOAT_ABI) == 0;  // RVE it takes
    case EM_ARM: {
      constexpr std::uint32_t kFloat = EF_ARM_ABI_FLOAT_HARD | EF_ARM_ABI_FLOAT_SOFT;
      return (header.flags & kFloat) == 0 || (target.flags & kFloat) == 0 || (differs & kFloat) == 0;
    }
    case EM_MIPS:  // n64 knows n32 by its class; EF_MIPS_FP64 is o32's first attempt at 64-bit registers
      return (differs & EF_MIPS_NAN2008) == 0 && (header.flags & EF_MIPS_FP64) == 0 &&
             (target.elf_class == ElfClass::Elf64 || (differs & EF_MIPS_ABI2) == 0);
    default: return true;
  }
}

/// The sixteen bytes of e_ident, in the order in which the loader names what is wrong with them.
Acceptance verify_ident(std::span<const std::byte> head, const ElfTarget& target) {
  const auto ident = [&](std::size_t index) { return std::to_integer<unsigned>(head[index]); };
  if (std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) return fatal("invalid ELF header", 0);
  if (ident(EI_CLASS) != static_cast<unsigned>(target.elf_class)) return skip(Outcome::WrongClass);
  if (const unsigned wanted = target.byte_order == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
      ident(EI_DATA) != wanted) {
    return fatal(target.byte_order == std::endian::big ? "ELF file data encoding not big-endian"
                                                       : "ELF file data encoding not little-endian",
                 EI_DATA);
  }
  if (ident(EI_VERSION) != EV_CURRENT) {
    return fatal("ELF file version ident does not match current one", EI_VERSION);
  }
  if (!is_valid_osabi(ident(EI_OSABI), target.machine)) return fatal("ELF file OS ABI invalid", EI_OSABI);
  if (!is_valid_abi_version(ident(EI_OSABI), ident(EI_ABIVERSION), target.machine)) {
    return fatal("ELF file ABI version invalid", EI_ABIVERSION);
  }
  for (std::size_t i = EI_PAD; i < EI_NIDENT; ++i) {
    if (ident(i) != 0) return fatal("nonzero padding in e_ident", i);
  }
  return {};
}

/// The first NT_GNU_ABI_TAG: `newest` is the oldest kernel it asks for. Up to 2.35.
Acceptance verify_abi_note(ImageReader& reader, std::uint32_t os_version) {
  constexpr std::size_t kNoteBytes = 32;
  const std::endian order = reader.order();
  const std::vector<Segment> segments = reader.segments();
  for (const Segment& segment : segments) {
    if (segment.type != PT_NOTE || segment.file_bytes < kNoteBytes) continue;
    if (segment.alignment != 4 && segment.alignment != 8) continue;
    std::uint64_t offset = segment.file_offset;
    std::uint64_t left = segment.file_bytes;
    while (true) {
      const auto note = reader.file_view(offset, kNoteBytes, 512);
      if (note.size() < kNoteBytes) return fatal("cannot read file data", offset);
      const auto word = [&](std::size_t i) { return load_as<std::uint32_t>(note.data() + 4 * i, order); };
      if (word(0) == 4 && word(1) == 16 && word(2) == 1 && std::memcmp(&note[12], "GNU", 4) == 0) {
        const std::uint32_t wanted = (word(5) & 0xff) << 16 | (word(6) & 0xff) << 8 | (word(7) & 0xff);
        const bool is_linux = word(4) == 0;
        if (!is_linux || (os_version != 0 && os_version < wanted)) {
          return skip(Outcome::OldAbiNote);
        }
        return {};
      }
      const std::uint64_t mask = segment.alignment - 1;
      const std::uint64_t name_end = (12 + std::uint64_t{word(0)} + mask) & ~mask;
      const std::uint64_t note_bytes = (name_end + word(1) + mask) & ~mask;
      if (left - kNoteBytes < note_bytes) break;
      left -= note_bytes;
      offset += note_bytes;
    }
  }
  return {};
}

}  // namespace

std::uint32_t parse_os_release(std::string_view release) {
  std::uint32_t version = 0;
  int parts = 0;
  for (std::size_t i = 0; i < release.size() && parts < 3; ++parts) {
    if (release[i] < '0' || release[i] > '9') break;
    std::uint32_t number = 0;
    while (i < release.size() && release[i] >= '0' && release[i] <= '9') {
      number = number * 10 + static_cast<std::uint32_t>(release[i++] - '0');
    }
    version = version << 8 | number;  // glibc does not mind a part above 255
    if (i < release.size() && release[i] == '.') ++i;
  }
  while (parts++ < 3) version <<= 8;
  return version;
}

Acceptance verify_candidate(ImageReader& reader, const LoaderRules& rules, OpenedAs opened_as,
                            std::uint32_t os_version) {
  const std::span<const std::byte> head = reader.head();
  const ElfClass elf_class = rules.target.elf_class;
  const std::endian order = rules.target.byte_order;
  if (head.size() < elf_header_bytes(elf_class)) {
    return reader.head_error() == Errno::None ? fatal("file too short", head.size())
                                              : fatal("cannot read file data", head.size(), reader.head_error());
  }
  if (Acceptance ident = verify_ident(head, rules.target); ident.outcome != Outcome::Loaded) {
    return ident;
  }
  const ElfHeader header = reader.header(elf_class, order);
  if (header.version != EV_CURRENT) return fatal("ELF file version does not match current one", kVersionOffset);
  if (!is_for_machine(header, rules.target)) return skip(Outcome::WrongMachine);
  if (header.type != ET_DYN && header.type != ET_EXEC) {
    return fatal("only ET_DYN and ET_EXEC can be loaded", kTypeOffset);
  }
  if (rules.exec_refused_on_open && header.type == ET_EXEC && opened_as == OpenedAs::Library) {
    return fatal("cannot dynamically load executable", kTypeOffset);
  }
  if (header.program_header_bytes != program_header_bytes(elf_class)) {
    return fatal("ELF file's phentsize not the expected size", phentsize_offset(elf_class));
  }
  const ImageReader::TableRead table = reader.read_segments(header, elf_class, order);
  if (!table.complete) return fatal("cannot read file data", header.program_header_offset, table.error);
  if (rules.tests_abi_note) return verify_abi_note(reader, os_version);
  return {};
}

namespace {

/// The offset of the segment's program header.
std::uint64_t program_header_place(const ImageReader& reader, const ElfHeader& header, const LoaderRules& rules,
                                   const Segment& segment) {
  const std::size_t entry_bytes = program_header_bytes(rules.target.elf_class);
  return header.program_header_offset + static_cast<std::size_t>(&segment - reader.segments().data()) * entry_bytes;
}

/// The loader clears the rest of the last file page of a segment with zero-initialised data: that page has to be there.
Acceptance check_zeroed_pages(const ImageReader& reader, const ElfHeader& header, const LoaderRules& rules) {
  const std::uint64_t page = page_bytes(header.machine);
  const std::uint64_t file_size = reader.file().status().size_bytes;
  for (const Segment& segment : reader.segments()) {
    if (segment.type != PT_LOAD || segment.memory_bytes <= segment.file_bytes) continue;
    const std::uint64_t zero_from = segment.file_offset + segment.file_bytes;
    if (zero_from % page != 0 && (zero_from & ~(page - 1)) >= file_size) {
      return crash("the file ends at byte " + std::to_string(file_size) +
                       ", before the data that it announces up to byte " + std::to_string(zero_from),
                   program_header_place(reader, header, rules, segment));
    }
  }
  return {};
}

constexpr std::string_view kNotPageAligned = "ELF load command address/offset not page-aligned";

/// _dl_map_segments takes all rights from what is between the end of the first segment and the start of the last, if
/// not each segment begins on the page on which the one before it ends.
bool has_overlapping_ends(const std::vector<Segment>& segments, std::uint64_t page) {
  std::optional<std::uint64_t> first_end;
  std::uint64_t last_start = 0;
  std::uint64_t last_end = 0;
  bool has_holes = false;
  for (const Segment& segment : segments) {
    if (segment.type != PT_LOAD) continue;
    last_start = static_cast<std::uint64_t>(segment.vaddr) & ~(page - 1);
    has_holes |= first_end && last_end != last_start;
    last_end = (static_cast<std::uint64_t>(segment.vaddr) + segment.file_bytes + page - 1) & ~(page - 1);
    if (!first_end) first_end = last_end;
  }
  return has_holes && last_start < *first_end;
}

std::uint64_t end_of(const Segment& segment) {
  return static_cast<std::uint64_t>(segment.vaddr) + std::max(segment.file_bytes, segment.memory_bytes);
}

/// A segment that goes past the page of `end`.
const Segment* find_beyond(const std::vector<Segment>& segments, std::uint64_t end, std::uint64_t page) {
  const auto is_beyond = [&](const Segment& segment) {
    const std::uint64_t bytes = std::max(segment.file_bytes, segment.memory_bytes);
    return segment.type == PT_LOAD &&
           (static_cast<std::uint64_t>(segment.vaddr) + bytes + page - 1) / page > (end + page - 1) / page;
  };
  const auto found = std::find_if(segments.begin(), segments.end(), is_beyond);
  return found == segments.end() ? nullptr : &*found;
}

}  // namespace

Acceptance check_mapping(const ImageReader& reader, const ElfHeader& header, const LoaderRules& rules,
                         OpenedAs opened_as) {
  const std::uint64_t page = page_bytes(header.machine);
  const std::vector<Segment>& segments = reader.segments();
  const Segment* first = nullptr;
  const Segment* last = nullptr;
  const auto place_of = [&](const Segment& segment) { return program_header_place(reader, header, rules, segment); };
  bool has_dynamic = false;
  bool has_empty_dynamic = false;
  bool is_in_order = true;  // each PT_LOAD begins on a page behind the one before it
  for (const Segment& segment : segments) {
    if (segment.type == PT_DYNAMIC) {
      (segment.file_bytes == 0 ? has_empty_dynamic : has_dynamic) = true;
    }
    if (segment.type != PT_LOAD) continue;
    const std::uint64_t skew = static_cast<std::uint64_t>(segment.vaddr) - segment.file_offset;
    if (rules.old_alignment_texts) {
      if ((segment.alignment & (page - 1)) != 0) {
        return fatal("ELF load command alignment not page-aligned", place_of(segment));
      }
      if ((skew & (segment.alignment - 1)) != 0) {
        return fatal("ELF load command address/offset not properly aligned", place_of(segment));
      }
    } else if ((skew & (page - 1)) != 0) {
      return fatal(kNotPageAligned, place_of(segment));
    }
    if (first == nullptr) first = &segment;
    is_in_order &= last == nullptr || end_of(*last) <= (static_cast<std::uint64_t>(segment.vaddr) & ~(page - 1));
    last = &segment;
  }
  if (first == nullptr) return fatal("object file has no loadable segments", header.program_header_offset);
  if (header.type != ET_DYN && opened_as == OpenedAs::Library) {
    return fatal("cannot dynamically load executable", kTypeOffset);
  }
  if ((!has_dynamic && header.type == ET_DYN) || has_empty_dynamic) {
    return fatal("object file has no dynamic section", header.program_header_offset);
  }
  const std::uint64_t start = static_cast<std::uint64_t>(first->vaddr) & ~(page - 1);
  const std::uint64_t length = static_cast<std::uint64_t>(last->vaddr) + last->memory_bytes - start;
  const std::uint64_t address_space =
      rules.target.elf_class == ElfClass::Elf64 ? std::uint64_t{1} << 47 : std::uint64_t{1} << 32;
  if (length == 0 || length >= address_space) {
    return fatal(kMappingRefused, place_of(*last));
  }
  const auto is_code = [](const Segment& segment) { return segment.type == PT_LOAD && (segment.flags & PF_X) != 0; };
  // Up to 2.34 mprotect(2) refuses a negative length; 2.35 has the test for it, as distributions have that release.
  // Where the first segment cannot be mapped it does not come to this.
  if (!is_in_order && has_overlapping_ends(segments, page) && !(is_code(*first) && reader.file().is_on_noexec())) {
    return fatal(rules.old_alignment_texts ? "cannot change memory protections" : kNotPageAligned, place_of(*last));
  }
  if (const Segment* beyond = is_in_order ? nullptr : find_beyond(segments, start + length, page)) {
    return crash(
        "a segment goes past the end of the last one, up to which the loader reserves memory: it overwrites what "
        "lies behind",
        place_of(*beyond));
  }
  const auto code = std::find_if(segments.begin(), segments.end(), is_code);
  if (code != segments.end() && reader.file().is_on_noexec()) {
    Acceptance refused = fatal(kMappingRefused, place_of(*code));
    refused.is_on_noexec = true;
    return refused;
  }
  return check_zeroed_pages(reader, header, rules);
}

Acceptance check_dynamic(const ElfObject& object, const LoaderRules& rules, OpenedAs opened_as) {
  if (opened_as == OpenedAs::Library && object.is_pie() && rules.refuses_pie) {
    return fatal("cannot dynamically load position-independent executable", {});
  }
  // elf/get-dynamic-info.h:elf_get_dynamic_info, on machines whose relocations have addends. The lines are those of
  // Debian's builds of 2.31, 2.36, 2.41 and 2.43.
  if (rules.target.machine != EM_X86_64) return {};
  const bool is_old = rules.version.minor_number <= 31;
  const auto asserts = [](int line, std::string_view condition) {
    Acceptance acceptance = fatal("", {});
    acceptance.assertion = "Inconsistency detected by ld.so: get-dynamic-info.h: " + std::to_string(line) +
                           ": elf_get_dynamic_info: Assertion `" + std::string(condition) + "' failed!";
    return acceptance;
  };
  const RelocationTags& tags = object.relocation_tags;
  if (tags.plt_kind && *tags.plt_kind != DT_RELA) {
    return asserts(is_old ? 123 : 115, "info[DT_PLTREL]->d_un.d_val == DT_RELA");
  }
  if (tags.rela.start && !tags.rela.entry_bytes) return crash("has DT_RELA, but no DT_RELAENT", 0);
  if (tags.rela.start && *tags.rela.entry_bytes != sizeof(Elf64_Rela)) {
    return asserts(is_old ? 131 : 123, "info[DT_RELAENT]->d_un.d_val == sizeof (ElfW(Rela))");
  }
  return {};
}

}  // namespace soresolve
