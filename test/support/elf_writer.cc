// Lays an ELF file out and fills in the dynamic section, relocations and PLT stubs. Stubs that bind are written for
// x86-64 only; those of other machines return. Machines that are not in machine.cc get x86-64's code. Format: gABI,
// psABIs.
#include "support/elf_writer.h"

#include <algorithm>

#include "support/byte_writer.h"
#include "support/elf_parts.h"
#include "support/machine.h"

namespace soresolve::test {
namespace {

constexpr std::uint64_t kSegmentAlign = 0x1000;
constexpr std::uint64_t kExecBase = 0x400000;

constexpr std::uint32_t kPtLoad = 1;
constexpr std::uint32_t kPtDynamic = 2;
constexpr std::uint32_t kPtInterp = 3;
constexpr std::uint32_t kPtNote = 4;
constexpr std::uint32_t kPtPhdr = 6;
constexpr std::uint32_t kPtTls = 7;
constexpr std::uint32_t kPtGnuStack = 0x6474e551;
constexpr std::uint32_t kPtGnuProperty = 0x6474e553;

constexpr std::uint64_t kDtPltrelsz = 2;
constexpr std::uint64_t kDtPltgot = 3;
constexpr std::uint64_t kDtHash = 4;
constexpr std::uint64_t kDtStrtab = 5;
constexpr std::uint64_t kDtSymtab = 6;
constexpr std::uint64_t kDtRela = 7;
constexpr std::uint64_t kDtRelasz = 8;
constexpr std::uint64_t kDtRelaent = 9;
constexpr std::uint64_t kDtStrsz = 10;
constexpr std::uint64_t kDtSyment = 11;
constexpr std::uint64_t kDtSymbolic = 16;
constexpr std::uint64_t kDtRel = 17;
constexpr std::uint64_t kDtRelsz = 18;
constexpr std::uint64_t kDtRelent = 19;
constexpr std::uint64_t kDtPltrel = 20;
constexpr std::uint64_t kDtDebug = 21;
constexpr std::uint64_t kDtTextrel = 22;
constexpr std::uint64_t kDtJmprel = 23;
constexpr std::uint64_t kDtBindNow = 24;
constexpr std::uint64_t kDtFlags = 30;
constexpr std::uint64_t kDtRelrsz = 35;
constexpr std::uint64_t kDtRelr = 36;
constexpr std::uint64_t kDtRelrent = 37;
constexpr std::uint64_t kDtPpc64Glink = 0x70000000;
constexpr std::uint64_t kDtGnuHash = 0x6ffffef5;
constexpr std::uint64_t kDtVersym = 0x6ffffff0;
constexpr std::uint64_t kDtFlags1 = 0x6ffffffb;
constexpr std::uint64_t kDtVerdef = 0x6ffffffc;
constexpr std::uint64_t kDtVerdefnum = 0x6ffffffd;
constexpr std::uint64_t kDtVerneed = 0x6ffffffe;
constexpr std::uint64_t kDtVerneednum = 0x6fffffff;

/// One entry of the dynamic section.
struct Entry {
  std::uint64_t tag = 0;
  std::uint64_t value = 0;
};

struct Part {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Lays one file out: ELF header, program headers, then the parts that they point at.
class Writer {
 public:
  explicit Writer(const ElfSpec& spec)
      : spec_(spec), machine_(machine_of(spec)), out_(spec.endian, spec.bits),
        base_(spec.type == kEtExec ? kExecBase : 0) {}

  std::string write() {
    out_.text(std::string(header_bytes() + header_count() * phent_bytes(), '\0'));
    code_ = put(machine_.code.exit, 16);
    if (spec_.interp) interp_ = put(*spec_.interp + '\0', 1);
    if (spec_.abi_tag) abi_note_ = put(abi_note(spec_), 8);
    if (spec_.isa_needed) property_note_ = put(property_note(spec_), 8);
    if (!spec_.notes.empty()) notes_ = put(other_notes(spec_), 4);
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
    if (spec_.truncate_to_bytes && *spec_.truncate_to_bytes < file.size()) file.resize(*spec_.truncate_to_bytes);
    return file;
  }

 private:
  [[nodiscard]] bool is_64() const { return spec_.bits == Bits::Elf64; }
  [[nodiscard]] std::uint64_t header_bytes() const { return is_64() ? 64 : 52; }
  [[nodiscard]] std::uint64_t phent_bytes() const { return is_64() ? 56 : 32; }
  [[nodiscard]] bool has_tls() const {
    return std::any_of(spec_.symbols.begin(), spec_.symbols.end(), [](const Symbol& symbol) {
      return symbol.type == SymbolType::Tls && symbol.place == SymbolPlace::Inside;
    });
  }
  /// Flags of each PT_GNU_STACK.
  [[nodiscard]] std::vector<std::uint32_t> stack_headers() const {
    constexpr std::uint32_t kReadWrite = 6;
    constexpr std::uint32_t kExecutable = 7;
    switch (spec_.stack) {
      case StackHeader::ReadWrite: return {kReadWrite};
      case StackHeader::Executable: return {kExecutable};
      case StackHeader::Absent: return {};
      case StackHeader::ExecutableThenReadWrite: return {kExecutable, kReadWrite};
      case StackHeader::ReadWriteThenExecutable: return {kReadWrite, kExecutable};
    }
    return {};
  }
  [[nodiscard]] std::uint64_t header_count() const {
    return 1 + (spec_.interp ? 2U : 0U) + (spec_.has_dynamic ? 1U : 0U) + (spec_.abi_tag ? 1U : 0U) +
           (spec_.isa_needed ? 2U : 0U) + (spec_.notes.empty() ? 0U : 1U) + stack_headers().size() +
           (has_tls() ? 1U : 0U) + spec_.more_loads.size();
  }

  Part put(std::string_view bytes, std::size_t alignment) {
    out_.align_to(alignment);
    const Part part{out_.size(), bytes.size()};
    out_.text(bytes);
    return part;
  }
  [[nodiscard]] ByteWriter part_writer() const { return {spec_.endian, spec_.bits}; }

  [[nodiscard]] std::uint64_t address(const Part& part) const { return base_ + part.offset; }

  /// Places what the symbols stand for; st_value of each.
  std::vector<std::uint64_t> put_contents() {
    std::vector<std::uint64_t> values;
    std::string tls;
    for (const Symbol& symbol : spec_.symbols) {
      const bool is_inside = symbol.place == SymbolPlace::Inside;
      std::uint64_t value = 0;
      if (is_inside && symbol.type == SymbolType::Tls) {
        tls.resize((tls.size() + 15) / 16 * 16, '\0');
        value = tls.size();
        tls.append(symbol.size_bytes, '\0');
      } else if (is_inside && symbol.type == SymbolType::Ifunc && !machine_.code.resolver.empty()) {
        value = address(put(machine_.code.resolver, 16));
      } else if (is_inside && (symbol.type == SymbolType::Func || symbol.type == SymbolType::Ifunc)) {
        value = address(put(machine_.code.ret, 16));
      } else if (is_inside) {
        value = address(put(std::string(std::max<std::uint64_t>(symbol.size_bytes, 8), '\0'), 16));
      }
      values.push_back(symbol.value.value_or(value));
    }
    if (has_tls()) tls_ = put(tls, 16);
    return values;
  }

  /// DT_RELA, DT_JMPREL and DT_RELR, with the words that they write to.
  void put_relocations(const SymbolOrder& order, const std::vector<std::uint64_t>& values) {
    ByteWriter rela = part_writer();
    ByteWriter plt = part_writer();
    std::uint64_t plt_count = 0;
    Part got;
    for (const Relocation& relocation : spec_.relocations) {
      const int file_index = order.file_index(relocation.symbol);
      if (file_index < 0) continue;
      const bool is_plt =
          relocation.table == Relocation::Table::Plt ||
          (relocation.table == Relocation::Table::ByType && relocation.type == machine_.relocations.jump_slot);
      std::uint64_t place = 0;
      if (is_plt) {
        if (got.bytes == 0) got = put(std::string(24, '\0'), 8);
        place = put_plt_slot(got, plt_count++);
      } else {
        place = put_slot(relocation, order.spec_index(relocation.symbol), values);
      }
      put_relocation(is_plt ? plt : rela, place, relocation.type, static_cast<std::uint64_t>(file_index));
    }
    const bool is_rela = machine_.has_addends;
    const std::uint64_t entry_bytes = (is_64() ? 8U : 4U) * (is_rela ? 3U : 2U);
    if (rela.size() != 0) {
      const Part table = put(rela.take(), 8);
      entries_.insert(entries_.end(), {{is_rela ? kDtRela : kDtRel, address(table)},
                                       {is_rela ? kDtRelasz : kDtRelsz, table.bytes},
                                       {is_rela ? kDtRelaent : kDtRelent, entry_bytes}});
    }
    if (plt.size() != 0) {
      const Part table = put(plt.take(), 8);
      entries_.insert(entries_.end(), {{kDtPltgot, address(got)},
                                       {kDtPltrelsz, table.bytes},
                                       {kDtPltrel, is_rela ? kDtRela : kDtRel},
                                       {kDtJmprel, address(table)}});
      // Where the stubs begin, less 32 bytes; the loader counts from there.
      if (machine_.number == kEmPpc64) entries_.push_back({kDtPpc64Glink, base_ + code_.offset});
    }
    if (spec_.relr_words != 0) put_relr();
  }

  void put_relocation(ByteWriter& table, std::uint64_t place, std::uint32_t type, std::uint64_t symbol) const {
    table.word(place);
    if (machine_.number == kEmMips && is_64()) {
      // The symbol, then four bytes: of a second symbol and of up to three types, the last one first.
      table.u32(symbol);
      table.u8(0);
      for (const unsigned shift : {16, 8, 0}) table.u8(type >> shift & 0xff);
    } else {
      table.word(is_64() ? symbol << 32 | type : symbol << 8 | type);
    }
    if (machine_.has_addends) table.word(type == machine_.relocations.relative ? place : 0);
  }

  std::uint64_t put_slot(const Relocation& relocation, int symbol, const std::vector<std::uint64_t>& values) {
    std::uint64_t bytes = 16;
    if (relocation.type == machine_.relocations.copy && symbol >= 0) {
      const auto index = static_cast<std::size_t>(symbol);
      if (spec_.symbols[index].place == SymbolPlace::Inside) return values[index];
      bytes = std::max(bytes, spec_.symbols[index].size_bytes);
    }
    out_.align_to(16);
    ByteWriter slot = part_writer();
    // Without addends the word itself is one.
    const bool is_relative = relocation.type == machine_.relocations.relative && relocation.symbol.empty();
    slot.word(is_relative && !machine_.has_addends ? base_ + out_.size() : 0);
    slot.align_to(bytes);
    return address(put(slot.take(), 16));
  }

  /// A word of the PLT's table that leads to a stub of its own, as long as it is not bound: push
  /// index; push GOT[1]; jmp *GOT[2].
  std::uint64_t put_plt_slot(const Part& got, std::uint64_t index) {
    out_.align_to(16);
    const std::uint64_t stub = out_.size();
    if (machine_.number != kEmX86_64) {
      out_.text(machine_.code.ret);
      return address(put_plt_word(stub));
    }
    const auto relative = [&](std::uint64_t word, std::uint64_t end_of_instruction) {
      return got.offset + 8 * word - (stub + end_of_instruction);
    };
    out_.text("\x68");
    out_.u32(index);
    out_.text("\xff\x35");
    out_.u32(relative(1, 11));
    out_.text("\xff\x25");
    out_.u32(relative(2, 17));
    return address(put_plt_word(stub));
  }
  const Part& put_plt_word(std::uint64_t stub) {
    ByteWriter slot = part_writer();
    slot.word(base_ + stub);
    plt_slots_.push_back(put(slot.take(), 8));
    return plt_slots_.back();
  }

  void put_relr() {
    ByteWriter table = part_writer();
    for (std::size_t i = 0; i < spec_.relr_words; ++i) table.word(address(put(std::string(16, '\0'), 16)));
    const Part part = put(table.take(), 8);
    entries_.insert(entries_.end(),
                    {{kDtRelr, address(part)}, {kDtRelrsz, part.bytes}, {kDtRelrent, is_64() ? 8U : 4U}});
  }

  /// call *SLOT for each slot of the PLT, then the exit.
  void put_calls() {
    out_.align_to(16);
    const std::uint64_t begin = out_.size();
    for (const Part& slot : plt_slots_) {
      out_.text("\xff\x15");
      out_.u32(slot.offset - (out_.size() + 4));
    }
    out_.text(machine_.code.exit);
    code_ = {begin, out_.size() - begin};
  }

  void put_dynamic() {
    for (const DynamicString& string : spec_.strings)
      entries_.push_back({static_cast<std::uint64_t>(string.tag), strings_.add(string.text)});
    if (spec_.flags) entries_.push_back({kDtFlags, *spec_.flags});
    if (spec_.flags_1) entries_.push_back({kDtFlags1, *spec_.flags_1});
    if (spec_.has_debug) entries_.push_back({kDtDebug, 0});
    if (spec_.has_textrel) entries_.push_back({kDtTextrel, 0});
    if (spec_.symbolic) entries_.push_back({kDtSymbolic, 0});
    if (spec_.bind_now) entries_.push_back({kDtBindNow, 0});

    const SymbolOrder order(spec_);
    const std::vector<std::uint64_t> values = put_contents();
    put_relocations(order, values);
    if (spec_.calls_plt) put_calls();
    if (!spec_.version_definitions.empty()) {
      entries_.push_back({kDtVerdef, address(put(version_definitions(spec_, strings_), 8))});
      entries_.push_back({kDtVerdefnum, spec_.version_definitions.size()});
    }
    if (!spec_.version_needs.empty()) {
      entries_.push_back({kDtVerneed, address(put(version_needs(spec_, strings_), 8))});
      entries_.push_back({kDtVerneednum, spec_.version_needs.size()});
    }
    if (needs_versym(spec_)) entries_.push_back({kDtVersym, address(put(order.versym(), 8))});
    if (spec_.hash == HashTables::Sysv || spec_.hash == HashTables::Both)
      entries_.push_back({kDtHash, address(put(order.sysv_hash_table(), 8))});
    if (spec_.hash == HashTables::Gnu || spec_.hash == HashTables::Both)
      entries_.push_back({kDtGnuHash, address(put(order.gnu_hash_table(), 8))});
    entries_.push_back({kDtSymtab, address(put(order.symbol_table(values, strings_), 8))});
    entries_.push_back({kDtSyment, is_64() ? 24U : 16U});
    const Part strings = put(strings_.bytes(), 1);
    entries_.push_back({kDtStrtab, address(strings)});
    entries_.push_back({kDtStrsz, strings.bytes});

    ByteWriter dynamic = part_writer();
    for (const Entry& entry : entries_) {
      dynamic.word(entry.tag);
      dynamic.word(entry.value);
    }
    dynamic.word(0);
    dynamic.word(0);
    dynamic_ = put(dynamic.take(), 8);
  }

  void put_header(std::uint32_t type, std::uint32_t flags, Part part, std::uint64_t alignment) {
    const bool has_place = part.bytes != 0;
    put_header(type, flags, {part.offset, has_place ? part.offset : 0 - base_, part.bytes, part.bytes}, alignment);
  }
  void put_header(std::uint32_t type, std::uint32_t flags, const MoreLoad& load, std::uint64_t alignment) {
    out_.u32(type);
    if (is_64()) out_.u32(flags);
    out_.word(load.offset);
    out_.word(base_ + load.address);
    out_.word(base_ + load.address);
    out_.word(load.file_bytes);
    out_.word(load.memory_bytes);
    if (!is_64()) out_.u32(flags);
    out_.word(alignment);
  }

  void put_headers(std::uint64_t file_bytes) {
    out_.text(
        "\x7f"
        "ELF");
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
    put_header(kPtLoad, 7, Part{0, spec_.first_load_bytes.value_or(file_bytes)}, kSegmentAlign);
    for (const MoreLoad& load : spec_.more_loads) put_header(kPtLoad, 7, load, kSegmentAlign);
    if (spec_.has_dynamic) put_header(kPtDynamic, 6, dynamic_, 8);
    if (spec_.abi_tag) put_header(kPtNote, 4, abi_note_, 4);
    if (!spec_.notes.empty()) put_header(kPtNote, 4, notes_, 4);
    if (spec_.isa_needed) {
      put_header(kPtNote, 4, property_note_, 8);
      put_header(kPtGnuProperty, 4, property_note_, 8);
    }
    if (has_tls()) put_header(kPtTls, 4, tls_, 16);
    for (const std::uint32_t flags : stack_headers()) put_header(kPtGnuStack, flags, Part{}, 16);
  }

  const ElfSpec& spec_;
  const Machine& machine_;
  ByteWriter out_;
  std::uint64_t base_;
  StringTable strings_;
  std::vector<Entry> entries_;  ///< of the dynamic section
  std::vector<Part> plt_slots_;
  Part code_;
  Part interp_;
  Part abi_note_;
  Part property_note_;
  Part notes_;
  Part tls_;
  Part dynamic_;
};

}  // namespace

std::string write_elf(const ElfSpec& spec) { return Writer(spec).write(); }

std::string write_loader() {
  std::string bytes = write_elf(library().soname("ld-linux-x86-64.so.2")) + '\0';
  for (const char* text : {"ld.so (x) stable release version 2.36.\n", "/lib64/", "/usr/lib64/", "lib64",
                           "x86-64-v4:x86-64-v3:x86-64-v2"}) {
    bytes += std::string(text) + '\0';
  }
  return bytes;
}

}  // namespace soresolve::test
