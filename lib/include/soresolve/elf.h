// One ELF file as the loader sees it, and its version tables. The parts name their sources.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

// One ELF file as the dynamic loader sees it: ELF header, program headers, PT_DYNAMIC outward.
//
// Section headers are never read; ld.so does not read them either. Values come from the gABI
// ("ELF Header", "Program Header", "Dynamic Section") and glibc elf/get-dynamic-info.h. Of symbols,
// hash tables, versions and relocations it has the places only.

namespace soresolve {
class DynamicReader;  // not for users: stays hidden
}

namespace soresolve SORESOLVE_API {

/// Keeps copies of text in few large blocks. Views stay valid when the arena is moved.
class TextArena {
 public:
  std::string_view keep(std::string_view text) {
    if (text.size() > left_) add_block(text.size());
    char* const to = next_;
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    next_ += text.size();
    left_ -= text.size();
    return {to, text.size()};
  }

 private:
  void add_block(std::size_t at_least) {
    // Small to begin with: most owners keep little.
    const std::size_t block_bytes = blocks_.size() < 4 ? std::size_t{1024} << blocks_.size() : 8192;
    const std::size_t size = at_least > block_bytes ? at_least : block_bytes;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

enum class ElfClass : std::uint8_t { Elf32 = 1, Elf64 = 2 };

/// Address in the object's own address space (before the load bias is added).
enum class Vaddr : std::uint64_t {};

/// What a loader is built for, and what it asks of each file.
struct ElfTarget {
  ElfClass elf_class = ElfClass::Elf64;
  std::endian byte_order = std::endian::little;
  std::uint16_t machine = 0;  ///< e_machine, EM_X86_64 = 62
  std::uint32_t flags = 0;    ///< e_flags; decides the ABI on arm, mips, ppc64 and riscv
  bool operator==(const ElfTarget&) const = default;
};

/// "64-bit x86-64", "32-bit big-endian PowerPC": for people.
std::string describe(const ElfTarget& target);

/// One program header.
struct Segment {
  std::uint32_t type = 0;   ///< PT_*
  std::uint32_t flags = 0;  ///< PF_*
  std::uint64_t file_offset = 0;
  Vaddr vaddr{};
  std::uint64_t file_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t alignment = 0;
};

/// Which tag asked for an object.
enum class NeedKind : std::uint8_t { Needed, Auxiliary, Filter, Preload, Dlopen };

/// One DT_NEEDED, DT_AUXILIARY or DT_FILTER; `name` as written in the file.
struct NeedEntry {
  NeedKind kind = NeedKind::Needed;
  std::string_view name;
};

/// Where the dynamic section says that the tables of symbols lie; nullopt for a tag that is not there.
/// Values are as written: nothing is known of what stands at the addresses.
struct SymbolTags {
  std::optional<Vaddr> string_table;   ///< DT_STRTAB
  std::optional<Vaddr> symbol_table;   ///< DT_SYMTAB
  std::optional<Vaddr> sysv_hash;      ///< DT_HASH
  std::optional<Vaddr> gnu_hash;       ///< DT_GNU_HASH
  std::optional<Vaddr> version_index;  ///< DT_VERSYM
  std::optional<Vaddr> version_needs;  ///< DT_VERNEED
  std::optional<Vaddr> version_defs;   ///< DT_VERDEF
  bool has_relr = false;               ///< DT_RELR
};

/// Where the dynamic section says that the relocations lie. Values are as written.
struct RelocationTags {
  struct Table {
    std::optional<Vaddr> start;                ///< DT_RELA or DT_REL
    std::uint64_t size_bytes = 0;              ///< DT_RELASZ or DT_RELSZ
    std::uint64_t relative_count = 0;          ///< DT_RELACOUNT or DT_RELCOUNT: leading entries without symbol
    std::optional<std::uint64_t> entry_bytes;  ///< DT_RELAENT or DT_RELENT
  };
  Table rela;
  Table rel;
  std::optional<Vaddr> plt;               ///< DT_JMPREL
  std::uint64_t plt_size_bytes = 0;       ///< DT_PLTRELSZ
  std::optional<std::uint64_t> plt_kind;  ///< DT_PLTREL: DT_RELA (7) or DT_REL (17)
};

/// Names that lie where nothing is mapped. The loader takes the file all the same, and dies when it reads one of them.
struct UnmappedNames {
  Error error;                                   ///< of the first of them
  std::uint32_t needs_from = ~std::uint32_t{0};  ///< index of the first one in `needs`
  bool soname = false;
  bool search_path = false;    ///< DT_RPATH or DT_RUNPATH
  bool version_files = false;  ///< DT_VERNEED, or a name that it refers to
};

/// Does an object require an executable stack, and by what?
enum class StackRequest : std::uint8_t {
  None,
  ByHeader,         ///< the last PT_GNU_STACK has the flag PF_X
  ByMissingHeader,  ///< it has no PT_GNU_STACK, and the machine's default is executable
};

/// The facts of one file. Views borrow from memory that the object owns and that stays in place
/// when the object is moved.
class ElfObject {
 public:
  ElfObject() = default;

  /// Reads the headers and the dynamic section of an open file. `path` is used in errors only.
  /// Accepts any class, byte order and machine; fails with NotElf, Truncated, Malformed,
  /// LimitReached or Unreadable, each with the offset. Whether a given loader would take the file
  /// is not decided here.
  static Result<ElfObject> read(const File& file, std::string_view path);

  ElfTarget target;
  std::uint16_t type = 0;  ///< ET_DYN, ET_EXEC, …
  std::vector<Segment> segments;
  std::uint64_t file_bytes = 0;  ///< st_size of the file

  std::string_view interp;  ///< PT_INTERP; empty when there is none. Not read for libraries of a walk
  bool has_interp = false;
  bool has_dynamic = false;

  /// DT_NEEDED, DT_AUXILIARY and DT_FILTER in the order of the dynamic section.
  std::vector<NeedEntry> needs;
  std::optional<std::string_view> soname;
  std::optional<std::string_view> rpath;
  std::optional<std::string_view> runpath;
  std::optional<std::string_view> audit;     ///< DT_AUDIT
  std::optional<std::string_view> depaudit;  ///< DT_DEPAUDIT
  /// vn_file of each DT_VERNEED record, in file order: the files that versions are required from.
  std::vector<std::string_view> version_files;
  /// vn_version of the first DT_VERNEED record unless it is 1; the loader looks at no other.
  std::optional<std::uint16_t> odd_verneed_version;

  /// Only in the link map of a process: read() refuses such a file.
  std::optional<UnmappedNames> unmapped_names;

  SymbolTags symbol_tags;
  RelocationTags relocation_tags;
  std::uint32_t isa_needed = 0;  ///< GNU_PROPERTY_X86_ISA_1_NEEDED: 1 baseline, 2 v2, 4 v3, 8 v4
  /// GNU_PROPERTY_1_NEEDED_INDIRECT_EXTERN_ACCESS: the program must not copy its protected symbols
  bool needs_indirect_access = false;
  /// DT_SYMBOLIC or DF_SYMBOLIC; DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW
  bool is_symbolic = false;
  bool is_bind_now = false;
  bool has_textrel = false;   ///< DT_TEXTREL itself: `flags` has DF_TEXTREL for either
  std::uint64_t flags = 0;    ///< DT_FLAGS
  std::uint64_t flags_1 = 0;  ///< DT_FLAGS_1

  [[nodiscard]] bool is_no_default_lib() const;  ///< DF_1_NODEFLIB
  [[nodiscard]] bool is_pie() const;             ///< DF_1_PIE
  /// Made to be loaded by others, whatever its PT_INTERP: of type ET_DYN with a DT_SONAME, and no DF_1_PIE.
  [[nodiscard]] bool is_library() const;
  [[nodiscard]] bool is_no_dlopen() const;  ///< DF_1_NOOPEN
  /// What it requires of the stack: by its last PT_GNU_STACK, or by having none where the machine's default
  /// is executable (glibc elf/dl-load.c:_dl_map_object_from_fd, sysdeps/*/stackinfo.h).
  [[nodiscard]] StackRequest stack_request() const;
  [[nodiscard]] bool wants_exec_stack() const { return stack_request() != StackRequest::None; }
  [[nodiscard]] bool has_needed() const;  ///< at least one DT_NEEDED
  /// Bytes that its segments to load take of the file, from its begin; those that wrap around are left out. The file is
  /// cut off where it has fewer.
  [[nodiscard]] std::uint64_t load_end() const;

 private:
  friend class DynamicReader;
  std::vector<std::unique_ptr<char[]>> strings_;
};

// Symbol versions of one file: what it defines, what it requires, and whether the one meets the
// other.
//
// Format: LSB Core "Symbol Versioning". Behaviour: glibc elf/dl-version.c (the chains are followed by
// their offsets, the counts are never looked at; the stored hash counts, not the computed one).

/// One vernaux entry: a version that a file requires from another one.
struct VersionNeed {
  std::string_view file;          ///< vn_file of its verneed record
  std::string_view name;          ///< vna_name, e.g. "GLIBC_2.34"
  std::uint32_t hash = 0;         ///< vna_hash as stored
  bool weak = false;              ///< VER_FLG_WEAK: ld.so starts the program without it
  bool is_hidden = false;         ///< top bit of vna_other: an unversioned definition will not do
  std::uint16_t index = 0;        ///< vna_other without its top bit: the index in DT_VERSYM
  std::uint64_t file_offset = 0;  ///< of the entry
};

/// One verdef record, by its first verdaux.
struct VersionDef {
  std::string_view name;
  std::uint32_t hash = 0;                 ///< vd_hash as stored
  std::uint16_t record_version = 1;       ///< vd_version; the loader knows 1 only
  std::uint16_t index = 0;                ///< vd_ndx
  bool base = false;                      ///< VER_FLG_BASE: the name of the file itself
  bool weak = false;                      ///< VER_FLG_WEAK
  std::vector<std::string_view> parents;  ///< further verdaux names
  std::uint64_t file_offset = 0;          ///< of the record
};

/// The version tables of a file, in file order. Views borrow from it.
struct VersionTables {
  bool has_defs = false;   ///< DT_VERDEF
  bool has_needs = false;  ///< DT_VERNEED
  std::vector<VersionDef> defs;
  std::vector<VersionNeed> needs;
  TextArena text;
};

enum class VersionVerdict : std::uint8_t {
  Defined,              ///< equal hash and equal name
  ProviderUnversioned,  ///< no DT_VERDEF at all: ld.so warns and lets it pass
  MissingWeak,          ///< not defined, but the need is weak: a warning
  Missing,              ///< not defined: an error
  UnknownRecord,        ///< a verdef record of another version stands before any match: an error
};

struct VersionMatch {
  VersionVerdict verdict = VersionVerdict::Missing;
  const VersionDef* def = nullptr;  ///< the record that matched, or the unknown one
};

/// What happens without a library that a file opens later.
enum class Importance : std::uint8_t {
  Required,     ///< what opens it cannot work
  Recommended,  ///< an important part of it cannot
  Suggested,    ///< something is missing that few want
};
std::string_view name_of(Importance importance);  ///< "required", "recommended", "suggested"

}  // namespace SORESOLVE_API
