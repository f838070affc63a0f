// From the first bytes of a file to an ElfObject: e_ident, ELF header, program headers, PT_INTERP, dynamic section.
// Source: gABI "ELF Header", "Program Header"; the stack without PT_GNU_STACK: glibc 2.36 sysdeps/*/stackinfo.h.
// Refuses only what cannot be read; what the loader refuses is in loader/file_acceptance.cc.
#include "soresolve/elf.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/load.h"
#include "elf/dynamic_reader.h"
#include "elf/image_reader.h"
#include "elf/library_name.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kFlag1NoDefaultLib = 0x800;
constexpr std::uint64_t kFlag1NoOpen = 0x40;
constexpr std::uint64_t kFlag1Pie = 0x08000000;

std::string kind_text(FileKind kind) {
  switch (kind) {
    case FileKind::Directory: return "is a directory, not an ELF file";
    case FileKind::Fifo: return "is a FIFO, not an ELF file";
    case FileKind::Socket: return "is a socket, not an ELF file";
    case FileKind::Device: return "is a device, not an ELF file";
    default: return "is not a regular file";
  }
}

}  // namespace

bool ElfObject::is_no_default_lib() const { return (flags_1 & kFlag1NoDefaultLib) != 0; }
bool ElfObject::is_pie() const { return (flags_1 & kFlag1Pie) != 0; }
bool ElfObject::is_library() const { return type == ET_DYN && soname.has_value() && !is_pie(); }
bool ElfObject::is_no_dlopen() const { return (flags_1 & kFlag1NoOpen) != 0; }
StackRequest ElfObject::stack_request() const {
  // The last one counts; without one the default of the machine (glibc sysdeps/*/stackinfo.h).
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
    if (segment->type != PT_GNU_STACK) continue;
    return (segment->flags & PF_X) != 0 ? StackRequest::ByHeader : StackRequest::None;
  }
  switch (target.machine) {
    case EM_X86_64:
    case EM_386:
    case EM_ARM:
    case EM_MIPS:
    case EM_S390:
    case EM_PPC:
    case EM_SPARC:
    case EM_SPARCV9:
    case EM_PARISC:
    case EM_ALPHA:
    case EM_68K:
    case EM_SH: return StackRequest::ByMissingHeader;
    default: return StackRequest::None;
  }
}
bool ElfObject::has_needed() const {
  return std::any_of(needs.begin(), needs.end(), [](const NeedEntry& need) { return need.kind == NeedKind::Needed; });
}

std::uint64_t ElfObject::load_end() const {
  std::uint64_t last = 0;
  for (const Segment& segment : segments) {
    const std::uint64_t end = segment.file_offset + segment.file_bytes;
    if (segment.type == PT_LOAD && segment.file_bytes != 0 && end >= segment.file_offset) last = std::max(last, end);
  }
  return last;
}

Result<ElfObject> ElfObject::read(const File& file, std::string_view path) {
  Result<ElfObject> object = DynamicReader::read_file(file, path);
  if (object && object->unmapped_names) return Unexpected{std::move(object->unmapped_names->error)};
  return object;
}

Result<ElfObject> DynamicReader::read_file(const File& file, std::string_view path) {
  const auto fail = [&](ErrorCode code, std::optional<std::uint64_t> offset, std::string message) {
    return Unexpected{Error{code, std::string(path), offset, std::move(message)}};
  };
  if (file.status().kind != FileKind::Regular) {
    return fail(ErrorCode::NotElf, {}, kind_text(file.status().kind));
  }
  ImageReader reader(file);
  if (reader.head_error() != Errno::None) {
    return fail(ErrorCode::Unreadable, 0, "cannot be read: " + errno_text(reader.head_error(), ErrnoText::FromDlerror));
  }
  const std::span<const std::byte> head = reader.head();
  if (head.empty()) return fail(ErrorCode::Truncated, 0, "is empty");
  if (head.size() < 4 || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) {
    return fail(ErrorCode::NotElf, 0, "is not an ELF file: it does not begin with 7f 45 4c 46");
  }
  if (head.size() < EI_NIDENT) return fail(ErrorCode::Truncated, head.size(), "ends inside e_ident");
  const auto ident = [&](int index) { return std::to_integer<unsigned>(head[static_cast<std::size_t>(index)]); };
  if (ident(EI_CLASS) != ELFCLASS32 && ident(EI_CLASS) != ELFCLASS64) {
    return fail(ErrorCode::Malformed, EI_CLASS, "has the unknown ELF class " + std::to_string(ident(EI_CLASS)));
  }
  if (ident(EI_DATA) != ELFDATA2LSB && ident(EI_DATA) != ELFDATA2MSB) {
    return fail(ErrorCode::Malformed, EI_DATA, "has the unknown byte order " + std::to_string(ident(EI_DATA)));
  }
  const ElfClass elf_class = static_cast<ElfClass>(ident(EI_CLASS));
  const std::endian order = ident(EI_DATA) == ELFDATA2LSB ? std::endian::little : std::endian::big;
  if (head.size() < elf_header_bytes(elf_class)) {
    return fail(ErrorCode::Truncated, head.size(), "ends inside the ELF header");
  }
  const ElfHeader header = reader.header(elf_class, order);
  if (header.program_header_count != 0 && header.program_header_bytes != program_header_bytes(elf_class)) {
    return fail(ErrorCode::Malformed, elf_class == ElfClass::Elf64 ? 54 : 42,
                "has e_phentsize " + std::to_string(header.program_header_bytes));
  }
  const ImageReader::TableRead table = reader.read_segments(header, elf_class, order);
  if (!table.complete) {
    return fail(ErrorCode::Truncated, header.program_header_offset,
                "ends before its " + std::to_string(header.program_header_count) + " program headers do");
  }
  Result<Interp> interp = read_interp(reader, path);
  DynamicScratch scratch;
  Result<ElfObject> object = read(reader, header, path, scratch);
  if (!object) return object;
  // Without a dynamic section it says nothing: debuginfo files have a PT_INTERP without content. Of a library nobody
  // reads it (glibc elf/dl-load.c passes over it): Qt's have one that a linker script or a tool has cut to a byte.
  const bool is_library = is_for_dlopen(*object, path);
  if (!interp && object->has_dynamic && !is_library) return Unexpected{std::move(interp).error()};
  const bool is_of_use = interp && interp->bytes && (!is_library || interp->path.starts_with('/'));
  if (is_of_use) {
    object->interp = interp->path;
    object->has_interp = true;
    object->strings_.push_back(std::move(interp->bytes));
  }
  return object;
}

}  // namespace soresolve
