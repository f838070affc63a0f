// The names of emulators and of the roots that Debian's cross packages install, by machine; entries of binfmt_misc are
// compared as the kernel does, byte for byte under their mask.
#include "world/foreign_machine.h"

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/path.h"
#include "base/small_file.h"
#include "elf/elf_numbers.h"
#include "loader/system.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

struct Emulated {
  std::uint16_t machine;
  ElfClass elf_class;
  std::endian byte_order;
  std::string_view emulator;
  std::string_view root;  ///< of libc6-ARCH-cross, or of a multilib compiler
};
constexpr Emulated kEmulated[] = {
    {EM_X86_64, ElfClass::Elf64, std::endian::little, "qemu-x86_64", "/usr/x86_64-linux-gnu"},
    {EM_386, ElfClass::Elf32, std::endian::little, "qemu-i386", "/usr/i686-linux-gnu"},
    {EM_AARCH64, ElfClass::Elf64, std::endian::little, "qemu-aarch64", "/usr/aarch64-linux-gnu"},
    {EM_ARM, ElfClass::Elf32, std::endian::little, "qemu-arm", "/usr/arm-linux-gnueabihf"},
    {EM_PPC64, ElfClass::Elf64, std::endian::little, "qemu-ppc64le", "/usr/powerpc64le-linux-gnu"},
    {EM_PPC64, ElfClass::Elf64, std::endian::big, "qemu-ppc64", "/usr/powerpc64-linux-gnu"},
    {EM_S390, ElfClass::Elf64, std::endian::big, "qemu-s390x", "/usr/s390x-linux-gnu"},
    {EM_RISCV, ElfClass::Elf64, std::endian::little, "qemu-riscv64", "/usr/riscv64-linux-gnu"},
    {EM_MIPS, ElfClass::Elf64, std::endian::little, "qemu-mips64el", "/usr/mips64el-linux-gnuabi64"},
};

std::string unhexed(std::string_view text) {
  std::string bytes;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  }
  return bytes;
}

/// What stands behind `key` and a blank at the start of a line.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ')
      return line.substr(key.size() + 1);
    at = end + 1;
  }
  return {};
}

bool takes(std::string_view entry, std::string_view head) {
  if (!entry.starts_with("enabled")) return false;
  const std::string magic = unhexed(value_of(entry, "magic"));
  const std::string mask = unhexed(value_of(entry, "mask"));
  if (magic.empty() || value_of(entry, "offset") != "0" || magic.size() > head.size()) return false;
  for (std::size_t i = 0; i < magic.size(); ++i) {
    const int bits = i < mask.size() ? mask[i] : -1;
    if (((head[i] ^ magic[i]) & bits) != 0) return false;
  }
  return true;
}

/// The program of that name in the directories where packages put it.
bool is_installed(const FileSystem& files, std::string_view name) {
  for (const std::string_view directory : {"/usr/bin", "/usr/local/bin"}) {
    if (files.status(path_in(directory, name))) return true;
  }
  return false;
}

}  // namespace

std::optional<ElfTarget> target_of_machine() {
#if defined(__x86_64__)
  return ElfTarget{.elf_class = ElfClass::Elf64, .byte_order = std::endian::little, .machine = EM_X86_64};
#elif defined(__aarch64__)
  return ElfTarget{.elf_class = ElfClass::Elf64, .byte_order = std::endian::little, .machine = EM_AARCH64};
#else
  return std::nullopt;
#endif
}

Binfmt binfmt_entry(const FileSystem& files, const File& program) {
  constexpr std::string_view kEntries = "/proc/sys/fs/binfmt_misc/";
  constexpr std::size_t kEntryBytes = 4096;
  const std::string status = start_of_file(files, std::string(kEntries) + "status", kEntryBytes);
  const bool is_in_container = files.status("/.dockerenv") || files.status("/run/.containerenv");
  if (status.empty()) return is_in_container ? Binfmt::NotSeen : Binfmt::None;
  const Result<std::vector<std::string>, Errno> names = files.list_directory(kEntries);
  std::array<char, 256> head{};
  const Result<std::size_t, Errno> got = program.read_at(0, std::as_writable_bytes(std::span(head)));
  if (!status.starts_with("enabled") || !names || !got) return Binfmt::None;
  for (const std::string& name : *names) {
    if (name == "register" || name == "status") continue;
    if (takes(start_of_file(files, std::string(kEntries) + name, kEntryBytes), std::string_view(head.data(), *got)))
      return Binfmt::Taken;
  }
  return Binfmt::None;
}

std::vector<Remedy> fixes_of_machine(const FileSystem& files, const Refused& refused) {
  if (refused.is_library || refused.is_in_root) return {};
  for (const Emulated& row : kEmulated) {
    const bool is_its = row.machine == refused.target.machine && row.elf_class == refused.target.elf_class &&
                        row.byte_order == refused.target.byte_order;
    if (!is_its) continue;
    const std::string by_static = std::string(row.emulator) + "-static";
    const bool is_there = is_installed(files, row.emulator);
    if (!is_there && !is_installed(files, by_static)) return {};
    CommandText command = shell_word(is_there ? std::string(row.emulator) : by_static);
    if (!refused.interpreter.empty()) {
      if (!files.status(std::string(row.root) + refused.interpreter)) return {};
      command += " -L " + shell_path(std::string(row.root));
    }
    const std::string program = refused.file.find('/') == std::string::npos ? "./" + refused.file : refused.file;
    Remedy remedy;
    remedy.kind = RemedyKind::Emulator;
    remedy.text = say("fix-emulator", {{"emulator", row.emulator}});
    remedy.commands = {command + " " + shell_path(program)};
    remedy.reason = say("emulator-untried");
    return {std::move(remedy)};
  }
  return {};
}

}  // namespace soresolve
