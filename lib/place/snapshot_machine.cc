// The section of a snapshot that has the machine: who made it and where, environment and user, the processors. Writer
// and reader stand together, field by field in one order: there are no tags in it, and a field that is added ends the
// version. Source: kSnapshotVersion, the format of this project. Limits: counts end where the bytes end.
#include <algorithm>
#include <utility>

#include "loader/cpu.h"
#include "place/snapshot.h"
#include "place/snapshot_data.h"
#include "place/snapshot_streams.h"

namespace soresolve {
namespace {

void write_cpu(const Cpu& cpu, NumberWriter& to) {
  to.add_text(cpu.name);
  to.add_text(cpu.platform);
  to.add_signed(cpu.isa_level);
  to.add_signed(cpu.hwcaps_usable);
  to.add(cpu.legacy_names.size());
  for (const std::string& name : cpu.legacy_names) to.add_text(name);
  to.add(cpu.legacy_bits);
  to.add(cpu.legacy_platform_bit);
}

std::vector<std::string> read_texts(NumberReader& from) {
  std::vector<std::string> texts;
  for (std::uint64_t count = from.number(); count != 0 && !from.failed() && !from.at_end(); --count)
    texts.emplace_back(from.text());
  return texts;
}

Cpu read_cpu(NumberReader& from) {
  constexpr int kMostLevels = 64;
  Cpu cpu;
  cpu.name = from.text();
  cpu.platform = from.text();
  cpu.isa_level = static_cast<int>(std::clamp<std::int64_t>(from.signed_number(), 0, kMostLevels));
  cpu.hwcaps_usable = static_cast<int>(std::clamp<std::int64_t>(from.signed_number(), 0, kMostLevels));
  cpu.legacy_names = read_texts(from);
  cpu.legacy_bits = from.number();
  cpu.legacy_platform_bit = from.number();
  return cpu;
}

void write_texts(const std::vector<std::string>& texts, NumberWriter& to) {
  to.add(texts.size());
  for (const std::string& text : texts) to.add_text(text);
}

}  // namespace

std::string machine_section(const MachineFacts& machine) {
  NumberWriter to;
  to.add_text(machine.made_by);
  to.add_text(machine.root);
  write_texts(machine.env, to);
  to.add_text(machine.cwd);
  to.add_text(machine.platform);
  to.add_text(machine.kernel_release);
  to.add(machine.user.uid);
  to.add(machine.user.gid);
  to.add(machine.user.groups.size());
  for (const std::uint32_t group : machine.user.groups) to.add(group);
  to.add_text(machine.user.name);
  to.add(machine.user.passes_modes ? 1 : 0);
  write_texts(machine.trees, to);
  static const Processors kNone;
  const Processors& processors = machine.processors ? *machine.processors : kNone;
  to.add(processors.known.size());
  for (const auto& [target, cpu] : processors.known) {
    to.add(static_cast<std::uint64_t>(target.elf_class));
    to.add(target.byte_order == std::endian::big ? 1 : 0);
    to.add(target.machine);
    write_cpu(cpu, to);
  }
  return to.bytes();
}

std::optional<MachineFacts> parse_machine(std::string_view bytes) {
  NumberReader from(bytes);
  MachineFacts machine;
  machine.made_by = from.text();
  machine.root = from.text();
  machine.env = read_texts(from);
  machine.cwd = from.text();
  machine.platform = from.text();
  machine.kernel_release = from.text();
  machine.user.uid = static_cast<std::uint32_t>(from.number());
  machine.user.gid = static_cast<std::uint32_t>(from.number());
  for (std::uint64_t count = from.number(); count != 0 && !from.at_end(); --count)
    machine.user.groups.push_back(static_cast<std::uint32_t>(from.number()));
  machine.user.name = from.text();
  machine.user.passes_modes = from.number() != 0;
  machine.trees = read_texts(from);
  Processors processors;
  for (std::uint64_t count = from.number(); count != 0 && !from.at_end(); --count) {
    ElfTarget target;
    target.elf_class = from.number() == 1 ? ElfClass::Elf32 : ElfClass::Elf64;
    target.byte_order = from.number() != 0 ? std::endian::big : std::endian::little;
    target.machine = static_cast<std::uint16_t>(from.number());
    processors.known.emplace_back(target, read_cpu(from));
  }
  if (from.failed()) return std::nullopt;
  machine.processors = std::make_shared<const Processors>(std::move(processors));
  return machine;
}

}  // namespace soresolve
