// The places of blocks, call by call, and what a call that fails gives back. Sources and releases: in the header;
// sizes were measured on 2.31, 2.36, 2.41 and 2.43 (test/differential, "static TLS of dlopen calls").
#include "symbols/static_tls_area.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "loader/loader_rules.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/tunables.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  ///< a larger block fits nowhere

std::uint64_t optional_bytes(const Tunables& tunables) {
  constexpr std::uint64_t kDefault = 512;
  return std::min(tunables.number("glibc.rtld.optional_static_tls", {}).value_or(kDefault), kMost);
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

std::uint64_t static_tls_surplus_bytes(const LoaderRules& rules, const Process& process) {
  const Tunables tunables(rules, process);
  const std::uint64_t namespaces = tunables.number("glibc.rtld.nns", {1, 16}).value_or(4);
  // LIBC_IE_TLS for each namespace but the first, OTHER_IE_TLS for all; LEGACY_TLS makes up for what libc's
  // part has shrunk by, so that four namespaces come to 1664 bytes. Measured: 2.31, and 2.36 on.
  constexpr std::uint64_t kOthers = 144;
  const bool has_legacy_part = rules.version >= GlibcVersion{2, 34};
  const std::uint64_t libc = has_legacy_part ? 144 * (namespaces - 1) + 144 : 192 * (namespaces - 1);
  return libc + kOthers * namespaces + optional_bytes(tunables);
}

StaticTlsArea::StaticTlsArea(const LinkMap& map)
    : map_(map), is_placed_(map.objects.size(), false), end_(map.objects.size(), 0) {
  const LoaderRules& rules = map.system->rules;
  const std::uint16_t machine = rules.target.machine;
  is_below_thread_ = machine == EM_X86_64 || machine == EM_386 || machine == EM_S390;
  limits_optional_ = rules.version >= GlibcVersion{2, 31};
  has_rseq_behind_ = rules.version >= GlibcVersion{2, 41};
  optional_ = optional_bytes(Tunables(rules, *map.process));
  place_at_start();
  const std::uint64_t surplus = static_tls_surplus_bytes(rules, *map.process);
  // A program that is not known can have up to a step of the alignment more.
  const std::uint64_t unknown = map.process->start == Start::Dlopen ? alignment_ - 1 : 0;
  size_ = round_up(used_ + surplus, alignment_) + unknown;
}

StaticTlsArea::Block StaticTlsArea::block_of(ObjectIndex object) const {
  for (const Segment& segment : map_.objects[object].elf.segments) {
    if (segment.type != PT_TLS || segment.memory_bytes == 0) continue;
    Block block{std::min(segment.memory_bytes, kMost), std::min(segment.alignment, kMost), 0};
    if (block.alignment != 0) {
      block.first_byte = static_cast<std::uint64_t>(segment.vaddr) & (block.alignment - 1);
    }
    return block;
  }
  return {};
}

/// Blocks in the order of the list; gaps that alignment leaves are filled where one fits.
void StaticTlsArea::place_at_start() {
  constexpr std::uint64_t kThreadBlock = 16;  // TLS_TCB_SIZE of AArch64
  std::uint64_t offset = is_below_thread_ ? 0 : kThreadBlock;
  std::uint64_t gap_start = 0;
  std::uint64_t gap_end = 0;
  for (const ObjectIndex object : map_.list_order) {
    if (map_.dlopen_call_of(object) != 0) continue;
    const Block block = block_of(object);
    if (block.bytes == 0 || block.alignment == 0) continue;
    is_placed_[object] = true;
    alignment_ = std::max(alignment_, block.alignment);
    const std::uint64_t first = (0 - block.first_byte) & (block.alignment - 1);
    if (is_below_thread_) {
      if (gap_end - gap_start >= block.bytes) {
        const std::uint64_t end = round_up(gap_start + block.bytes - first, block.alignment) + first;
        if (end <= gap_end) {
          gap_start = end;
          continue;
        }
      }
      const std::uint64_t end = round_up(offset + block.bytes - first, block.alignment) + first;
      if (end > offset + block.bytes + (gap_end - gap_start)) {
        gap_start = offset;
        gap_end = end - block.bytes;
      }
      offset = end;
    } else {
      std::uint64_t start = round_up(offset, block.alignment);
      if (start - offset < first) start += block.alignment;
      offset = start + block.bytes - first;
    }
  }
  if (has_rseq_behind_) {
    constexpr std::uint64_t kRseq = 32;  // bytes, and their alignment
    offset = round_up(offset + (is_below_thread_ ? kRseq : 0), kRseq) + (is_below_thread_ ? 0 : kRseq);
  }
  used_ = offset;
}

bool StaticTlsArea::allocate(const Block& block, TlsUse use) {
  if (block.alignment > alignment_) return false;
  const std::uint64_t wanted = block.bytes + block.first_byte;
  std::uint64_t taken = 0;
  if (is_below_thread_) {
    const std::uint64_t free = size_ - used_;
    if (free < wanted) return false;
    const std::uint64_t steps = (free - wanted) / block.alignment;
    taken = free - steps * block.alignment - block.first_byte;
  } else {
    const std::uint64_t first = used_ > block.first_byte ? used_ - block.first_byte : 0;
    const std::uint64_t end = round_up(first, block.alignment) + block.first_byte + block.bytes;
    if (end > size_) return false;
    taken = end - used_;
  }
  if (use == TlsUse::Optional && limits_optional_) {
    if (taken > optional_) return false;
    optional_ -= taken;
  }
  used_ += taken;
  return true;
}

StaticTlsArea::Outcome StaticTlsArea::want(ObjectIndex object, TlsUse use) {
  if (use == TlsUse::None || is_placed_[object]) return Outcome::Fits;
  // ld.so and the vDSO have none.
  if (map_.objects[object].role != ObjectRole::Library) return Outcome::Fits;
  const Block block = block_of(object);
  // The loader divides by the alignment; where blocks lie behind the thread it only masks with it, and goes on.
  if (block.alignment == 0) return is_below_thread_ ? Outcome::Crash : Outcome::Fits;
  const bool fits = allocate(block, use);
  is_placed_[object] = fits;
  if (fits) end_[object] = used_;
  return fits || use == TlsUse::Optional ? Outcome::Fits : Outcome::NoRoom;
}

void StaticTlsArea::restore(const StaticTlsLeft& left) {
  used_ = left.used_bytes;
  optional_ = left.optional_bytes;
  is_placed_.assign(is_placed_.size(), false);
  for (const ObjectIndex object : left.placed) {
    if (object < is_placed_.size()) is_placed_[object] = true;
  }
}

/// elf/dl-close.c:_dl_close_worker: blocks that lie together are put together; what of them is at the end
/// of the used part is given back. Alignment's gaps tear them apart.
StaticTlsLeft StaticTlsArea::left_after(const std::vector<ObjectIndex>& unloaded, ObjectIndex first_gone) const {
  struct Chunk {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  StaticTlsLeft left{used_, optional_, {}};
  std::optional<Chunk> free;
  for (const ObjectIndex object : unloaded) {
    if (object < first_gone || end_[object] == 0) continue;
    const Chunk block{end_[object] - block_of(object).bytes, end_[object]};
    if (!free) {
      free = block;
    } else if (block.end == free->begin) {
      free->begin = block.begin;
    } else if (block.begin == free->end) {
      free->end = block.end;
    } else if (free->end == left.used_bytes) {
      left.used_bytes = free->begin;
      free = block;
    } else if (block.end == left.used_bytes) {
      left.used_bytes = block.begin;
    } else if (free->end < block.end) {
      free = block;
    }
  }
  if (free && free->end == left.used_bytes) left.used_bytes = free->begin;
  for (ObjectIndex object = 0; object < first_gone; ++object) {
    if (is_placed_[object]) left.placed.push_back(object);
  }
  return left;
}

}  // namespace soresolve
