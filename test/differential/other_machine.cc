// Exchanges x86-64's names in every text of a tree, and its numbers in every file. Which machine has which:
// support/machine.cc and what its loader says of itself.
#include "differential/other_machine.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/random.h"

namespace soresolve::test {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

std::string file_of(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

/// What stands for x86-64's words; the first that fits counts.
Words words_of(const GlibcRoot& root) {
  const Machine& machine = *root.machine;
  Words words = {{"x86_64-linux-gnu", std::string(machine.triplet)},
                 {std::string(kInterp), std::string(machine.interp)},
                 {"ld-linux-x86-64.so.2", file_of(machine.interp)},
                 // The emulators put none into a process.
                 {"linux-vdso.so.1", !root.emulator_file.empty() ? "libvdso.so.1"
                                     : machine.number == kEm386  ? "linux-gate.so.1"
                                                                 : "linux-vdso.so.1"}};
  if (!root.processor) return words;
  const SeenProcessor& seen = *root.processor;
  const auto nth = [](const std::vector<std::string>& names, std::size_t index, const char* otherwise) {
    return index < names.size() ? names[names.size() - 1 - index] : std::string(otherwise);
  };
  words.insert(words.end(), {{"x86-64-v2", nth(seen.hwcaps, 0, "x86-64-v2")},
                             {"x86-64-v3", nth(seen.hwcaps, 1, "x86-64-v3")},
                             {"x86-64-v4", nth(seen.hwcaps, 2, "x86-64-v4")},
                             {"haswell", nth(seen.legacy_names, 0, "haswell")},
                             {"avx512_1", nth(seen.legacy_names, 1, "avx512_1")},
                             {"x86_64", seen.platform.empty() ? "x86_64" : seen.platform}});
  return words;
}

void exchange(std::string& text, const Words& words) {
  for (std::size_t at = 0; at < text.size();) {
    const auto word = std::find_if(words.begin(), words.end(), [&](const auto& each) {
      return text.compare(at, each.first.size(), each.first) == 0;
    });
    if (word == words.end()) {
      ++at;
      continue;
    }
    text.replace(at, word->first.size(), word->second);
    at += word->second.size();
  }
}

std::uint32_t number_of(const RelocationNumbers& numbers, std::uint32_t x86_64) {
  switch (x86_64) {
    case kReloc64: return numbers.absolute;
    case kRelocCopy: return numbers.copy;
    case kRelocGlobDat: return numbers.glob_dat;
    case kRelocJumpSlot: return numbers.jump_slot;
    case kRelocRelative: return numbers.relative;
    case kRelocDtpMod64: return numbers.tls_module;
    case kRelocTpOff64: return numbers.tls_offset;
    case kRelocNone: return 0;
    default: return numbers.unknown;
  }
}

void change(ElfSpec& spec, const Machine& machine, const Words& words) {
  spec.bits = machine.bits;
  spec.endian = machine.endian;
  spec.machine = machine.number;
  spec.header_flags = machine.flags;
  if (spec.interp) exchange(*spec.interp, words);
  for (DynamicString& string : spec.strings) exchange(string.text, words);
  for (VersionNeeds& need : spec.version_needs) exchange(need.file, words);
  for (VersionDefinition& definition : spec.version_definitions) exchange(definition.name, words);
  for (Symbol& symbol : spec.symbols) exchange(symbol.version_file, words);
  for (Relocation& relocation : spec.relocations) relocation.type = number_of(machine.relocations, relocation.type);
}

void change(CacheSpec& cache, const Machine& machine, const Words& words) {
  constexpr std::uint8_t kLittle = 2;
  constexpr std::uint8_t kBig = 3;
  cache.endian = machine.endian;
  if (machine.number == kEm386) cache.header_alignment = 4;
  if (machine.endian == Endian::Big && cache.endian_flag >= kLittle)
    cache.endian_flag = cache.endian_flag == kLittle ? kBig : kLittle;
  for (CacheLine& line : cache.lines) {
    exchange(line.key, words);
    exchange(line.value, words);
    exchange(line.hwcaps_name, words);
    if (line.flags == kCacheFlagsX86_64) line.flags = machine.cache_flags;
    line.legacy_hwcap = 0;
  }
}

/// The emulator keeps the last of a name.
void keep_last_of_each(std::vector<std::string>& environment) {
  const auto name = [](const std::string& entry) { return entry.substr(0, entry.find('=')); };
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < environment.size(); ++i) {
    const bool comes_again = std::any_of(environment.begin() + static_cast<std::ptrdiff_t>(i) + 1, environment.end(),
                                         [&](const std::string& later) { return name(later) == name(environment[i]); });
    if (!comes_again) kept.push_back(environment[i]);
  }
  environment = std::move(kept);
}

/// A mask of more than the default's features would bring in names that see_processor has not seen; then there is none.
void limit_mask(std::string& variable, std::uint64_t bits) {
  constexpr std::string_view kMask = "glibc.cpu.hwcap_mask=";
  for (std::size_t at = variable.find(kMask); at != std::string::npos; at = variable.find(kMask, at)) {
    at += kMask.size();
    const std::size_t end = std::min(variable.find(':', at), variable.size());
    const std::uint64_t mask = std::strtoull(variable.c_str() + at, nullptr, 0);
    if ((mask & ~bits) != 0) variable.replace(at, end - at, "0");
  }
}

}  // namespace

void for_machine(Tree& tree, const GlibcRoot& root) {
  const Machine& machine = *root.machine;
  const Words words = words_of(root);
  for (TreeNode& node : tree.nodes) {
    exchange(node.path, words);
    exchange(node.text, words);
    change(node.elf, machine, words);
  }
  if (tree.cache) change(*tree.cache, machine, words);
  for (std::string& variable : tree.environment) {
    exchange(variable, words);
    if (root.processor) limit_mask(variable, root.processor->legacy_bits);
  }
  exchange(tree.cwd, words);
  exchange(tree.file, words);
  exchange(tree.argv0, words);
  if (!root.emulator_file.empty()) {
    tree.proc = Proc::Mounted;
    keep_last_of_each(tree.environment);
  }
}

void add_machine_ingredients(std::uint64_t seed, Tree& tree, const GlibcRoot& root) {
  Random random(seed ^ 0x6d616368);
  if (random.chance(10)) {
    tree.environment.push_back("LD_ASSUME_KERNEL=" +
                               random.pick({"3.2.0", "2.6.010", "0x63.1", "4", "4.19.", "4.19-x", " 5.4", "+2.6.32",
                                            "2.6.255", "254.1", "new", "", "99.1.1.1", "2..3", "-1"}));
    keep_last_of_each(tree.environment);
  }
  if (random.chance(10)) {
    for (TreeNode& node : tree.nodes) {
      if ((node.kind != NodeKind::Elf && node.kind != NodeKind::Damaged) || !random.chance(30)) continue;
      node.elf.abi_tag = AbiTag{
          0, {static_cast<std::uint32_t>(random.between(2, 7)), static_cast<std::uint32_t>(random.below(40)), 32}};
    }
  }
  if (root.machine->flags == 0 || !random.chance(20)) return;
  // Bits of the ABI, one by one: which of them keep a file out is the loader's to say.
  for (TreeNode& node : tree.nodes) {
    if (node.kind != NodeKind::Elf || node.elf.interp || !random.chance(25)) continue;
    // Of a file for another ABI the library says so, and the loader that there is none.
    if (node.path == tree.file) continue;
    node.elf.header_flags = random.chance(30) ? 0 : root.machine->flags ^ (1U << random.below(12));
  }
}

}  // namespace soresolve::test
