// Writes the smallest ELF files that a real ld.so accepts, and broken ones that it must refuse.
//
// One PT_LOAD, writable and executable, covers the whole file unless it is cut; there are no section headers. A file
// is described by plain data, so that tests can print it, change it and compare it. The tables that
// ld.so insists on are there even with nothing in them. Format: gABI, LSB Core "Symbol Versioning".
// Shares no code with lib/, so that a mistake there cannot hide itself here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/elf_symbols.h"

namespace soresolve::test {

enum class Bits : std::uint8_t { Elf32 = 1, Elf64 = 2 };
enum class Endian : std::uint8_t { Little = 1, Big = 2 };

inline constexpr std::uint16_t kEtExec = 2;
inline constexpr std::uint16_t kEtDyn = 3;

inline constexpr std::uint16_t kEm386 = 3;
inline constexpr std::uint16_t kEmMips = 8;
inline constexpr std::uint16_t kEmPpc64 = 21;
inline constexpr std::uint16_t kEmS390 = 22;
inline constexpr std::uint16_t kEmArm = 40;
inline constexpr std::uint16_t kEmX86_64 = 62;
inline constexpr std::uint16_t kEmAarch64 = 183;
inline constexpr std::uint16_t kEmRiscv = 243;

inline constexpr std::uint64_t kDf1Now = 0x1;
inline constexpr std::uint64_t kDf1NoDelete = 0x8;
inline constexpr std::uint64_t kDf1NoOpen = 0x40;
inline constexpr std::uint64_t kDf1NoDefLib = 0x800;
inline constexpr std::uint64_t kDf1Pie = 0x8000000;

/// Dynamic tags whose value is a string.
enum class StringTag : std::uint64_t {
  Needed = 1,
  Soname = 14,
  Rpath = 15,
  Runpath = 29,
  Audit = 0x6ffffefc,
  DepAudit = 0x6ffffefb,
  Auxiliary = 0x7ffffffd,
  Filter = 0x7fffffff,
};
std::string_view name_of(StringTag tag);

struct DynamicString {
  StringTag tag = StringTag::Needed;
  std::string text;
  bool operator==(const DynamicString&) const = default;
};

/// NT_GNU_ABI_TAG.
struct AbiTag {
  std::uint32_t os = 0;  ///< 0 Linux
  std::uint32_t kernel[3] = {2, 6, 32};
  bool operator==(const AbiTag&) const = default;
};

/// A note of `.note.dlopen` or its like.
struct Note {
  std::string owner;
  std::uint32_t type = 0;
  std::string text;                 ///< a NUL is added
  std::uint64_t claimed_bytes = 0;  ///< size of the text in its header; 0: what it is
  bool operator==(const Note&) const = default;
};

/// PT_GNU_STACK; the kernel and glibc take the last of two.
enum class StackHeader : std::uint8_t {
  ReadWrite,
  Executable,
  Absent,
  ExecutableThenReadWrite,
  ReadWriteThenExecutable
};

/// Bytes that replace others in the finished file.
struct BytePatch {
  std::uint64_t offset = 0;
  std::string bytes;
  bool operator==(const BytePatch&) const = default;
};

/// A PT_LOAD behind the first, as the program header has it.
struct MoreLoad {
  std::uint64_t offset = 0;
  std::uint64_t address = 0;  ///< above the file's base
  std::uint64_t file_bytes = 0;
  std::uint64_t memory_bytes = 0;
  bool operator==(const MoreLoad&) const = default;
};

/// One file. The default is an x86-64 library without dependencies.
struct ElfSpec {
  Bits bits = Bits::Elf64;
  Endian endian = Endian::Little;
  std::uint16_t machine = kEmX86_64;
  std::uint16_t type = kEtDyn;
  std::uint32_t header_flags = 0;

  std::optional<std::string> interp;
  bool has_dynamic = true;
  std::vector<DynamicString> strings;  ///< in the order of the dynamic section
  std::optional<std::uint64_t> flags;
  std::optional<std::uint64_t> flags_1;

  std::vector<VersionNeeds> version_needs;
  std::vector<VersionDefinition> version_definitions;
  bool has_versym = true;  ///< DT_VERSYM, where there are versions

  std::vector<Symbol> symbols;  ///< without the null symbol
  HashTables hash = HashTables::Sysv;
  std::vector<Relocation> relocations;  ///< in this order within each table
  std::size_t relr_words = 0;           ///< words relocated by DT_RELR
  bool symbolic = false;                ///< DT_SYMBOLIC
  bool bind_now = false;                ///< DT_BIND_NOW
  bool has_debug = false;               ///< DT_DEBUG
  bool has_textrel = false;             ///< DT_TEXTREL
  bool calls_plt = false;               ///< a program calls each function of its DT_JMPREL before it exits

  std::optional<AbiTag> abi_tag;
  std::optional<std::uint32_t> isa_needed;  ///< GNU_PROPERTY_X86_ISA_1_NEEDED
  std::vector<Note> notes;                  ///< in one PT_NOTE of their own
  StackHeader stack = StackHeader::ReadWrite;

  std::uint64_t padding_bytes = 0;  ///< zeros before the dynamic section and its tables

  std::optional<std::uint64_t> first_load_bytes;  ///< of the first PT_LOAD, instead of all
  std::vector<MoreLoad> more_loads;               ///< in this order

  std::vector<BytePatch> patches;
  std::optional<std::uint64_t> truncate_to_bytes;

  bool operator==(const ElfSpec&) const = default;

  ElfSpec& add(StringTag tag, std::string text);
  ElfSpec& needed(std::string name) { return add(StringTag::Needed, std::move(name)); }
  ElfSpec& soname(std::string name) { return add(StringTag::Soname, std::move(name)); }
  ElfSpec& rpath(std::string list) { return add(StringTag::Rpath, std::move(list)); }
  ElfSpec& runpath(std::string list) { return add(StringTag::Runpath, std::move(list)); }
  ElfSpec& define(Symbol symbol);
  /// Adds the dlopen note (UAPI.12) with this JSON text.
  ElfSpec& dlopens(std::string json);
  /// Adds the undefined `symbol` and a relocation that refers to it.
  ElfSpec& refer(Symbol symbol, std::uint32_t relocation_type = kRelocGlobDat);
  ElfSpec& call(Symbol symbol) { return refer(std::move(symbol), kRelocJumpSlot); }
  ElfSpec& patch(std::uint64_t offset, std::string bytes);
};

/// A library, and a program that any x86-64 Linux runs: its code is one exit_group(0), so it needs
/// no libc. Programs are position independent unless their type is changed to kEtExec.
ElfSpec library();
ElfSpec program();
inline constexpr std::string_view kInterp = "/lib64/ld-linux-x86-64.so.2";

/// The bytes of the file.
std::string write_elf(const ElfSpec& spec);
/// What soresolve reads of a loader: that of glibc 2.36 on x86-64, with upstream's system directories. Nothing runs it.
std::string write_loader();

/// One line for people; it begins with a space.
std::string describe(const ElfSpec& spec);
/// In quotation marks; long texts are shortened.
std::string quoted(std::string_view text);

/// How a file is spoiled; each variant is one row of glibc's file acceptance (elf/dl-load.c:
/// open_verify, _dl_map_object_from_fd).
enum class Damage : std::uint8_t {
  Empty,           ///< no byte at all
  ShortText,       ///< a text shorter than an ELF header
  LongText,        ///< a text longer than one
  HeaderOnly,      ///< ends after the ELF header
  OtherClass,      ///< EI_CLASS of the other word size, consistent
  OddClass,        ///< EI_CLASS 9
  OtherMachine,    ///< e_machine of AArch64, or of x86-64 there
  OtherEndian,     ///< EI_DATA of the other byte order
  IdentVersion,    ///< EI_VERSION 2
  OsAbi,           ///< EI_OSABI 9
  GnuOsAbi,        ///< EI_OSABI 3, EI_ABIVERSION 3: accepted
  AbiVersion,      ///< EI_OSABI 3, EI_ABIVERSION 9
  SysvAbiVersion,  ///< EI_OSABI 0, EI_ABIVERSION 1
  IdentPadding,    ///< a byte of e_ident[9…15] is not zero
  HeaderVersion,   ///< e_version 2
  Relocatable,     ///< ET_REL
  Executable,      ///< ET_EXEC
  Pie,             ///< DF_1_PIE
  PhentSize,       ///< e_phentsize one too many
  NoHeaders,       ///< e_phnum 0
  HeadersBeyond,   ///< e_phoff past the end of the file
  NoLoad,          ///< PT_LOAD made PT_NULL
  NoDynamic,       ///< PT_DYNAMIC made PT_NULL
  EmptyDynamic,    ///< PT_DYNAMIC with p_filesz 0, as in a debug-info file
  OddAddress,      ///< p_vaddr and p_offset differ within a page
  OddAlignment,    ///< p_align that is not a multiple of the page size
  NewKernel,       ///< ABI tag of a kernel to come
  OtherOs,         ///< ABI tag of another operating system
  CutSegment,      ///< ends a page before its PT_LOAD and its dynamic section do
};
inline constexpr Damage kLastDamage = Damage::CutSegment;
std::string_view name_of(Damage damage);

class Random;
/// Cuts the file off, or zeroes some of its bytes, near its dynamic section or one of the tables that
/// this names. What the rest of its last page holds then reads as zero; behind it there is nothing.
void spoil(ElfSpec& spec, Random& random);
/// Maps it in pieces: further PT_LOADs at pages of it, most of them with the bytes that are there, some inside others,
/// some that end in zeros.
void map_in_pieces(ElfSpec& spec, Random& random);

/// The bytes of `spec` after the damage.
std::string write_damaged(ElfSpec spec, Damage damage);

}  // namespace soresolve::test
