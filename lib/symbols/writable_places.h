// Where relocations can be written: in the pages of segments with PF_W, and in all of an object that the loader makes
// writable for as long as it relocates. A write anywhere else is a crash.
//
// Source: glibc elf/dl-reloc.c:_dl_relocate_object (DT_TEXTREL or DF_TEXTREL); musl ldso/dynlink.c:map_library (the tag
// only, and of what it maps itself).
#pragma once
#include <elf.h>

#include <cstdint>
#include <vector>

#include "elf/image_reader.h"
#include "loader/loader_rules.h"
#include "soresolve/elf.h"

namespace soresolve {

/// What makes an object's text writable.
enum class TextRelocations : std::uint8_t { ByFlag, ByTag, Never };

inline TextRelocations text_relocations(Libc libc, bool is_mapped_by_kernel) {
  if (libc != Libc::Musl) return TextRelocations::ByFlag;
  return is_mapped_by_kernel ? TextRelocations::Never : TextRelocations::ByTag;
}

class WritablePlaces {
 public:
  explicit WritablePlaces(const ElfObject& object, TextRelocations text = TextRelocations::ByFlag) {
    const bool is_all_written = text == TextRelocations::ByFlag ? (object.flags & DF_TEXTREL) != 0
                                                                : text == TextRelocations::ByTag && object.has_textrel;
    const std::uint64_t page = page_bytes(object.target.machine);
    for (const Segment& segment : object.segments) {
      const bool is_written = (segment.flags & PF_W) != 0 || is_all_written;
      if (segment.type != PT_LOAD || segment.memory_bytes == 0 || !is_written) continue;
      const std::uint64_t start = static_cast<std::uint64_t>(segment.vaddr);
      const std::uint64_t first = start & ~(page - 1);
      ranges_.push_back({first, ((start + segment.memory_bytes + page - 1) & ~(page - 1)) - first});
    }
    if (!ranges_.empty()) last_ = ranges_.front();
  }

  /// Relocations come in ascending order, mostly: the range of the last one is asked first.
  bool have(std::uint64_t address) {
    if (address - last_.start < last_.size) return true;
    for (const Range& range : ranges_) {
      if (address - range.start >= range.size) continue;
      last_ = range;
      return true;
    }
    return false;
  }

 private:
  struct Range {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
  };
  std::vector<Range> ranges_;
  Range last_;
};

}  // namespace soresolve
