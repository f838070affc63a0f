// From the program headers of an open file to the facts of its dynamic section.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "elf/image_reader.h"
#include "soresolve/elf.h"

namespace soresolve {

/// A string that the dynamic section refers to, before and after it is read.
struct StringRef {
  std::uint64_t offset = 0;  ///< in DT_STRTAB
  std::size_t start = 0;     ///< in the collected text
  std::size_t length = 0;
  bool is_unmapped = false;  ///< nothing is mapped there
};

/// Memory that one reading after the other can use again.
struct DynamicScratch {
  std::string text;
  std::vector<StringRef> needs;
  std::vector<StringRef> version_files;
  std::vector<StringRef*> wanted;
  std::vector<NeedEntry> entries;
};

/// PT_INTERP; `bytes` is null and `path` empty when there is none.
struct Interp {
  std::unique_ptr<char[]> bytes;
  std::string_view path;  ///< borrows from `bytes`
};

/// Reads the first PT_INTERP by file offset, as the kernel does (fs/binfmt_elf.c:load_elf_binary),
/// and refuses what the kernel refuses. The loader never looks at it in a library.
/// Precondition: reader.read_segments() has succeeded, and the segments are still in the reader.
Result<Interp> read_interp(ImageReader& reader, std::string_view path);

/// Whose reading of the dynamic section.
enum class LoaderView : std::uint8_t {
  Glibc,
  /// The last PT_DYNAMIC counts, whatever its p_filesz; a DT_SONAME or DT_VERNEED that cannot be read is none, since
  /// nobody looks at it (musl ldso/dynlink.c:map_library, decode_dyn).
  Musl,
};

/// Reads PT_DYNAMIC, the strings that it names and the DT_VERNEED records.
/// Source: glibc elf/get-dynamic-info.h:elf_get_dynamic_info (of a tag that occurs twice the last
/// one counts; the section ends at DT_NULL, not at p_filesz), gABI "Dynamic Section".
class DynamicReader {
 public:
  /// Precondition: reader.read_segments() has succeeded. Takes the segments out of the reader.
  /// Fails with Malformed or Truncated where the loader would follow an address out of the mapped
  /// segments, but for names (ElfObject::unmapped_names; musl: fails); and with LimitReached.
  static Result<ElfObject> read(ImageReader& reader, const ElfHeader& header, std::string_view path,
                                DynamicScratch& scratch, LoaderView view = LoaderView::Glibc);
  /// ElfObject::read, but a file with names where nothing is mapped is not refused.
  static Result<ElfObject> read_file(const File& file, std::string_view path);
};

}  // namespace soresolve
