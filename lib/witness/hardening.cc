// Judges the marks of one file: RELRO, BIND_NOW, PIE, stack, stack guard, fortified calls, branch protection. Source:
// ld(1), gcc(1); x86-64 and AArch64 psABIs for the properties. A mark in the file says nothing about each function in
// it.
#include "witness/hardening.h"

#include <elf.h>

#include <algorithm>

namespace soresolve::witness {
namespace {

// Younger than some elf.h.
constexpr std::uint32_t kX86Feature1And = 0xc0000002;
constexpr std::uint32_t kAarch64Feature1And = 0xc0000000;
constexpr std::uint64_t kFlag1Pie = 0x08000000;

/// Of several the last one, which is what the kernel and glibc take (binfmt_elf.c, elf/dl-load.c).
const SegmentKind* find_segment(const ElfFacts& elf, std::uint32_t type) {
  const auto found = std::find_if(elf.segments.rbegin(), elf.segments.rend(),
                                  [&](const SegmentKind& segment) { return segment.type == type; });
  return found == elf.segments.rend() ? nullptr : &*found;
}

Placement placement_of(const ElfFacts& elf) {
  if (elf.type == ET_EXEC) return Placement::Fixed;
  if (elf.type != ET_DYN) return Placement::Other;
  // libc.so.6 has an interpreter as well: it can be run, and prints its version.
  const bool is_program = (elf.dynamic_flags_1 & kFlag1Pie) != 0 || (elf.interpreter && !elf.soname);
  return is_program ? Placement::Pie : Placement::Library;
}

StackGuard guard_of(const ElfFacts& elf) {
  const bool has_guard = std::any_of(elf.checks.begin(), elf.checks.end(),
                                     [](const std::string& name) { return name.starts_with("__stack_chk"); });
  if (has_guard) return StackGuard::Present;
  return elf.has_dynamic || !elf.checks.empty() ? StackGuard::Absent : StackGuard::Unknown;
}

std::vector<std::string> branch_protection_of(const ElfFacts& elf) {
  struct Feature {
    std::uint16_t machine;
    std::uint32_t property;
    std::uint32_t flag;
    const char* name;
  };
  constexpr Feature kFeatures[] = {
      {EM_X86_64, kX86Feature1And, 1, "IBT"},      {EM_X86_64, kX86Feature1And, 2, "SHSTK"},
      {EM_386, kX86Feature1And, 1, "IBT"},         {EM_386, kX86Feature1And, 2, "SHSTK"},
      {EM_AARCH64, kAarch64Feature1And, 1, "BTI"}, {EM_AARCH64, kAarch64Feature1And, 2, "PAC"},
      {EM_AARCH64, kAarch64Feature1And, 4, "GCS"},
  };
  std::vector<std::string> names;
  for (const Feature& feature : kFeatures) {
    if (feature.machine != elf.machine) continue;
    for (const Property& property : elf.properties) {
      if (property.type == feature.property && (property.flags & feature.flag) != 0) names.emplace_back(feature.name);
    }
  }
  return names;
}

}  // namespace

Hardening judge_hardening(const ElfFacts& elf) {
  Hardening hardening;
  hardening.is_bind_now =
      elf.is_bind_now || (elf.dynamic_flags & DF_BIND_NOW) != 0 || (elf.dynamic_flags_1 & DF_1_NOW) != 0;
  if (find_segment(elf, PT_GNU_RELRO) != nullptr)
    hardening.relro = hardening.is_bind_now ? Relro::Full : Relro::Partial;
  hardening.placement = placement_of(elf);
  if (const SegmentKind* stack = find_segment(elf, PT_GNU_STACK)) {
    hardening.stack = (stack->flags & PF_X) != 0 ? StackMark::Executable : StackMark::NotExecutable;
  }
  hardening.guard = guard_of(elf);
  for (const std::string& name : elf.checks) {
    if (!name.starts_with("__stack_chk")) hardening.fortified.push_back(name);
  }
  hardening.branch_protection = branch_protection_of(elf);
  return hardening;
}

}  // namespace soresolve::witness
