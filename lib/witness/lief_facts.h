// What the witness says of one file: facts only, no judgement.
//
// The witness is a second reader of ELF by other authors (LIEF) in a process of its own. It goes by
// sections as well, where the loader's view knows PT_DYNAMIC alone; that makes it a judge of our own
// reader, and lets it tell what no loader looks at (compilers, sections).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/result.h"

namespace soresolve::witness {

/// One DT_VERDEF record.
struct Definition {
  std::uint16_t index = 0;         ///< vd_ndx
  std::uint16_t flags = 0;         ///< vd_flags
  std::uint32_t hash = 0;          ///< vd_hash
  std::vector<std::string> names;  ///< its verdaux entries: its own name, then its parents
  bool operator==(const Definition&) const = default;
};

/// One vernaux entry of DT_VERNEED.
struct Requirement {
  std::string file;  ///< vn_file of its record
  std::string name;
  std::uint32_t hash = 0;   ///< vna_hash
  std::uint16_t flags = 0;  ///< vna_flags
  std::uint16_t other = 0;  ///< vna_other
  bool operator==(const Requirement&) const = default;
};

/// One entry of the dynamic symbol table.
struct Symbol {
  std::string name;
  std::string version;             ///< the name that the version index leads to; empty: none
  std::uint16_t version_word = 0;  ///< its entry of DT_VERSYM; 0 where there is none
  std::uint64_t value = 0;
  std::uint64_t size_bytes = 0;
  std::uint16_t section = 0;  ///< st_shndx
  std::uint8_t type = 0;      ///< STT_*
  std::uint8_t binding = 0;   ///< STB_*
  bool operator==(const Symbol&) const = default;
};

struct SegmentKind {
  std::uint32_t type = 0;   ///< PT_*
  std::uint32_t flags = 0;  ///< PF_*
};

/// One entry of a NT_GNU_PROPERTY_TYPE_0 note that is a word of flags.
struct Property {
  std::uint32_t type = 0;
  std::uint32_t flags = 0;
};

struct ElfFacts {
  bool is_64 = true;
  bool is_big_endian = false;
  std::uint16_t machine = 0;
  std::uint16_t type = 0;   ///< ET_*
  std::uint32_t flags = 0;  ///< e_flags
  std::string build_id;     ///< in hexadecimal; empty: none
  std::optional<std::string> interpreter;
  std::vector<std::string> comments;  ///< the strings of .comment: compilers and link editors
  std::vector<std::string> sections;  ///< names
  std::vector<SegmentKind> segments;
  std::vector<Property> properties;
  bool has_dynamic = false;
  bool is_bind_now = false;           ///< DT_BIND_NOW
  std::uint64_t dynamic_flags = 0;    ///< DT_FLAGS
  std::uint64_t dynamic_flags_1 = 0;  ///< DT_FLAGS_1
  std::vector<std::string> needed;    ///< DT_NEEDED, in file order
  std::optional<std::string> soname;
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  std::vector<Definition> definitions;
  std::vector<Requirement> requirements;
  std::vector<Symbol> symbols;      ///< dynamic, in table order
  std::vector<std::string> checks;  ///< names of run-time checks in any symbol table, sorted
};

/// A file of another system.
struct ForeignFacts {
  enum class Format : std::uint8_t { Pe, MachO };
  struct Image {
    std::uint32_t machine = 0;        ///< IMAGE_FILE_MACHINE_*, or cputype of Mach-O
    std::uint32_t kind = 0;           ///< Characteristics, or filetype of Mach-O
    std::vector<std::string> needed;  ///< libraries that it names
  };
  Format format = Format::Pe;
  std::vector<Image> images;  ///< several in a universal Mach-O file
};

/// It has not read the file, and this is why.
struct Refusal {
  enum class Kind : std::uint8_t {
    Format,  ///< neither ELF nor PE nor Mach-O
    Damage,  ///< the reader gave up on it
  };
  Kind kind = Kind::Damage;
  std::string reason;
};

struct LiefFacts {
  std::string reader;  ///< "LIEF 0.9.0"
  std::string file;    ///< as it was asked
  // One of these.
  std::optional<Refusal> refusal;
  std::optional<ElfFacts> elf;
  std::optional<ForeignFacts> foreign;
};

/// With this exit status the witness says that it would have taken more memory than is allowed. LIEF catches
/// std::bad_alloc in many places and goes on with half of the facts, so that there are none then.
inline constexpr int kOutOfMemoryStatus = 4;

/// One line of JSON, `soresolve-witness/1`, and back. A name is a string in which each character is one
/// byte of the name (U+0000 to U+00FF), so that names that are no UTF-8 come through as they are.
std::string to_line(const LiefFacts& lief_facts);
/// Fails with Malformed when the line is not what to_line makes.
Result<LiefFacts> read_line(std::string_view line);

/// Is this the name of a check that a compiler has put in: of the stack (__stack_chk_fail), or of a
/// buffer's size (__memcpy_chk)?
bool is_check(std::string_view name);

}  // namespace soresolve::witness
