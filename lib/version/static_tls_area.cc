#include "version/static_tls_area.h"

#include <elf.h>

#include <algorithm>

#include "search/tunables.h"

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
  constexpr std::uint64_t kLibc = 192;    // LIBC_IE_TLS
  constexpr std::uint64_t kOthers = 144;  // OTHER_IE_TLS
  return kLibc * (namespaces - 1) + kOthers * namespaces + optional_bytes(tunables);
}

StaticTlsArea::StaticTlsArea(const System& system, const Process& process, const LinkMap& map)
    : map_(map), is_placed_(map.objects.size(), false) {
  const LoaderRules& rules = system.rules;
  const std::uint16_t machine = rules.target.machine;
  is_below_thread_ = machine == EM_X86_64 || machine == EM_386 || machine == EM_S390;
  limits_optional_ = rules.version >= GlibcVersion{2, 31};
  has_rseq_behind_ = rules.version >= GlibcVersion{2, 41};
  optional_ = optional_bytes(Tunables(rules, process));
  place_at_start();
  const std::uint64_t surplus = static_tls_surplus_bytes(rules, process);
  // A program that is not known can have up to a step of the alignment more.
  const std::uint64_t unknown = process.start == Start::Dlopen ? alignment_ - 1 : 0;
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
    if (map_.opening_of(object) != 0) continue;
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
  // The loader divides by the alignment.
  if (block.alignment == 0) return Outcome::Crash;
  const bool fits = allocate(block, use);
  is_placed_[object] = fits;
  return fits || use == TlsUse::Optional ? Outcome::Fits : Outcome::NoRoom;
}

}  // namespace soresolve
