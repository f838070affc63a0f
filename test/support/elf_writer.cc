#include "support/elf_writer.h"

#include <array>

#include "support/byte_writer.h"

namespace soresolve::test {
namespace {

// exit_group(0): xor edi,edi; mov eax,231; syscall; hlt
constexpr std::string_view kExitCode("\x31\xff\xb8\xe7\x00\x00\x00\x0f\x05\xf4", 10);
constexpr std::uint64_t kPage = 0x1000;
constexpr std::uint64_t kExecBase = 0x400000;

constexpr std::uint32_t kPtLoad = 1;
constexpr std::uint32_t kPtDynamic = 2;
constexpr std::uint32_t kPtInterp = 3;
constexpr std::uint32_t kPtNote = 4;
constexpr std::uint32_t kPtPhdr = 6;
constexpr std::uint32_t kPtGnuStack = 0x6474e551;
constexpr std::uint32_t kPtGnuProperty = 0x6474e553;

constexpr std::uint64_t kDtHash = 4;
constexpr std::uint64_t kDtStrtab = 5;
constexpr std::uint64_t kDtSymtab = 6;
constexpr std::uint64_t kDtStrsz = 10;
constexpr std::uint64_t kDtSyment = 11;
constexpr std::uint64_t kDtFlags = 30;
constexpr std::uint64_t kDtVersym = 0x6ffffff0;
constexpr std::uint64_t kDtFlags1 = 0x6ffffffb;
constexpr std::uint64_t kDtVerdef = 0x6ffffffc;
constexpr std::uint64_t kDtVerdefnum = 0x6ffffffd;
constexpr std::uint64_t kDtVerneed = 0x6ffffffe;
constexpr std::uint64_t kDtVerneednum = 0x6fffffff;

std::uint32_t sysv_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const std::uint32_t high = hash & 0xf0000000U;
    if (high != 0) hash ^= high >> 24;
    hash &= ~high;
  }
  return hash;
}

/// A string table that grows while the sections that refer to it are written.
class StringTable {
 public:
  std::uint64_t add(std::string_view text) {
    if (text.empty()) return 0;
    const std::uint64_t offset = bytes_.size();
    bytes_ += text;
    bytes_ += '\0';
    return offset;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

struct Part {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Lays one file out: ELF header, program headers, then the parts that they point at.
class Writer {
 public:
  explicit Writer(const ElfSpec& spec)
      : spec_(spec), out_(spec.endian, spec.bits),
        base_(spec.type == kEtExec ? kExecBase : 0) {}

  std::string write() {
    out_.text(std::string(header_bytes() + header_count() * phent_bytes(), '\0'));
    code_ = put(kExitCode, 16);
    if (spec_.interp) interp_ = put(*spec_.interp + '\0', 1);
    if (spec_.abi_tag) abi_note_ = put(abi_note(), 8);
    if (spec_.isa_needed) property_note_ = put(property_note(), 8);
    out_.text(std::string(spec_.padding_bytes, '\0'));
    if (spec_.has_dynamic) put_dynamic();
    const std::string body = out_.take();
    put_headers(body.size());
    std::string file = out_.take();
    file += body.substr(file.size());
    for (const BytePatch& patch : spec_.patches) {
      if (patch.offset + patch.bytes.size() > file.size()) continue;
      file.replace(patch.offset, patch.bytes.size(), patch.bytes);
    }
    if (spec_.truncate_to_bytes && *spec_.truncate_to_bytes < file.size())
      file.resize(*spec_.truncate_to_bytes);
    return file;
  }

 private:
  [[nodiscard]] bool is_64() const { return spec_.bits == Bits::Elf64; }
  [[nodiscard]] std::uint64_t header_bytes() const { return is_64() ? 64 : 52; }
  [[nodiscard]] std::uint64_t phent_bytes() const { return is_64() ? 56 : 32; }
  [[nodiscard]] std::uint64_t symbol_bytes() const { return is_64() ? 24 : 16; }
  [[nodiscard]] std::uint64_t header_count() const {
    return 1 + (spec_.interp ? 2U : 0U) + (spec_.has_dynamic ? 1U : 0U) +
           (spec_.abi_tag ? 1U : 0U) + (spec_.isa_needed ? 2U : 0U) +
           (spec_.stack != StackHeader::Absent ? 1U : 0U);
  }

  Part put(std::string_view bytes, std::size_t alignment) {
    out_.align_to(alignment);
    const Part part{out_.size(), bytes.size()};
    out_.text(bytes);
    return part;
  }
  [[nodiscard]] ByteWriter part_writer() const { return {spec_.endian, spec_.bits}; }

  std::string abi_note() const {
    ByteWriter note = part_writer();
    note.u32(4);
    note.u32(16);
    note.u32(1);
    note.text(std::string_view("GNU\0", 4));
    note.u32(spec_.abi_tag->os);
    for (const std::uint32_t number : spec_.abi_tag->kernel) note.u32(number);
    return note.take();
  }

  std::string property_note() const {
    ByteWriter note = part_writer();
    note.u32(4);
    note.u32(is_64() ? 16 : 12);
    note.u32(5);  // NT_GNU_PROPERTY_TYPE_0
    note.text(std::string_view("GNU\0", 4));
    note.u32(0xc0008002);  // GNU_PROPERTY_X86_ISA_1_NEEDED
    note.u32(4);
    note.u32(*spec_.isa_needed);
    note.align_to(is_64() ? 8 : 4);
    return note.take();
  }

  std::string version_needs() {
    ByteWriter part = part_writer();
    std::uint16_t index = next_version_index_;
    for (std::size_t i = 0; i < spec_.version_needs.size(); ++i) {
      const VersionNeeds& need = spec_.version_needs[i];
      const std::size_t count = need.versions.size();
      part.u16(need.record_version);
      part.u16(count);
      part.u32(strings_.add(need.file));
      part.u32(16);
      part.u32(i + 1 < spec_.version_needs.size() ? 16 + 16 * count : 0);
      for (std::size_t k = 0; k < count; ++k) {
        part.u32(sysv_hash(need.versions[k].name));
        part.u16(need.versions[k].weak ? 2 : 0);
        part.u16(++index);
        part.u32(strings_.add(need.versions[k].name));
        part.u32(k + 1 < count ? 16 : 0);
      }
    }
    next_version_index_ = index;
    return part.take();
  }

  std::string version_definitions() {
    ByteWriter part = part_writer();
    const std::size_t count = spec_.version_definitions.size();
    for (std::size_t i = 0; i < count; ++i) {
      const VersionDefinition& definition = spec_.version_definitions[i];
      part.u16(definition.record_version);
      part.u16(i == 0 ? 1 : 0);  // VER_FLG_BASE
      part.u16(i + 1);
      part.u16(1);
      part.u32(sysv_hash(definition.name));
      part.u32(20);
      part.u32(i + 1 < count ? 28 : 0);
      part.u32(strings_.add(definition.name));
      part.u32(0);
    }
    next_version_index_ = static_cast<std::uint16_t>(count);
    return part.take();
  }

  void put_dynamic() {
    struct Entry { std::uint64_t tag; std::uint64_t value; };
    std::vector<Entry> entries;
    for (const DynamicString& string : spec_.strings)
      entries.push_back({static_cast<std::uint64_t>(string.tag), strings_.add(string.text)});
    if (spec_.flags) entries.push_back({kDtFlags, *spec_.flags});
    if (spec_.flags_1) entries.push_back({kDtFlags1, *spec_.flags_1});

    const auto address = [this](const Part& part) { return base_ + part.offset; };
    if (!spec_.version_definitions.empty()) {
      entries.push_back({kDtVerdef, address(put(version_definitions(), 8))});
      entries.push_back({kDtVerdefnum, spec_.version_definitions.size()});
    }
    if (!spec_.version_needs.empty()) {
      entries.push_back({kDtVerneed, address(put(version_needs(), 8))});
      entries.push_back({kDtVerneednum, spec_.version_needs.size()});
    }
    // One symbol, the null symbol: ld.so needs the tables but nothing in them.
    if (next_version_index_ != 0)
      entries.push_back({kDtVersym, address(put(std::string_view("\0\0", 2), 8))});
    ByteWriter hash = part_writer();
    for (const std::uint32_t value : {1, 1, 0, 0}) hash.u32(value);
    entries.push_back({kDtHash, address(put(hash.take(), 8))});
    entries.push_back({kDtSymtab, address(put(std::string(symbol_bytes(), '\0'), 8))});
    entries.push_back({kDtSyment, symbol_bytes()});
    const Part strings = put(strings_.bytes(), 1);
    entries.push_back({kDtStrtab, address(strings)});
    entries.push_back({kDtStrsz, strings.bytes});

    ByteWriter dynamic = part_writer();
    for (const Entry& entry : entries) {
      dynamic.word(entry.tag);
      dynamic.word(entry.value);
    }
    dynamic.word(0);
    dynamic.word(0);
    dynamic_ = put(dynamic.take(), 8);
  }

  void put_header(std::uint32_t type, std::uint32_t flags, Part part, std::uint64_t alignment) {
    const bool has_place = part.bytes != 0;
    const std::uint64_t vaddr = has_place ? base_ + part.offset : 0;
    out_.u32(type);
    if (is_64()) out_.u32(flags);
    out_.word(part.offset);
    out_.word(vaddr);
    out_.word(vaddr);
    out_.word(part.bytes);
    out_.word(part.bytes);
    if (!is_64()) out_.u32(flags);
    out_.word(alignment);
  }

  void put_headers(std::uint64_t file_bytes) {
    out_.text("\x7f" "ELF");
    out_.u8(static_cast<std::uint8_t>(spec_.bits));
    out_.u8(static_cast<std::uint8_t>(spec_.endian));
    out_.u8(1);
    out_.text(std::string(9, '\0'));
    out_.u16(spec_.type);
    out_.u16(spec_.machine);
    out_.u32(1);
    out_.word(base_ + code_.offset);
    out_.word(header_bytes());
    out_.word(0);
    out_.u32(spec_.header_flags);
    out_.u16(header_bytes());
    out_.u16(phent_bytes());
    out_.u16(header_count());
    out_.u16(0);
    out_.u16(0);
    out_.u16(0);

    const Part table{header_bytes(), header_count() * phent_bytes()};
    if (spec_.interp) {
      put_header(kPtPhdr, 4, table, 8);
      put_header(kPtInterp, 4, interp_, 1);
    }
    // Writable, because ld.so relocates the dynamic section in place; executable for the code.
    put_header(kPtLoad, 7, {0, file_bytes}, kPage);
    if (spec_.has_dynamic) put_header(kPtDynamic, 6, dynamic_, 8);
    if (spec_.abi_tag) put_header(kPtNote, 4, abi_note_, 4);
    if (spec_.isa_needed) {
      put_header(kPtNote, 4, property_note_, 8);
      put_header(kPtGnuProperty, 4, property_note_, 8);
    }
    if (spec_.stack != StackHeader::Absent)
      put_header(kPtGnuStack, spec_.stack == StackHeader::Executable ? 7 : 6, {}, 16);
  }

  const ElfSpec& spec_;
  ByteWriter out_;
  std::uint64_t base_;
  StringTable strings_;
  std::uint16_t next_version_index_ = 0;
  Part code_;
  Part interp_;
  Part abi_note_;
  Part property_note_;
  Part dynamic_;
};

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

ElfSpec& ElfSpec::add(StringTag tag, std::string text) {
  strings.push_back({tag, std::move(text)});
  return *this;
}

ElfSpec& ElfSpec::patch(std::uint64_t offset, std::string bytes) {
  patches.push_back({offset, std::move(bytes)});
  return *this;
}

ElfSpec library() { return {}; }

ElfSpec program() {
  ElfSpec spec;
  spec.interp = kInterp;
  spec.flags_1 = kDf1Pie;
  return spec;
}

std::string write_elf(const ElfSpec& spec) { return Writer(spec).write(); }

}  // namespace soresolve::test
