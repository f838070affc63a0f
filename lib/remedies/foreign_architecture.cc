// Sources: Debian's multiarch (dpkg(1) --add-architecture, var/lib/dpkg/arch with one name a line, PACKAGE:ARCH of
// apt(8)), the names of its architectures (dpkg's cputable); rpm's provides, where "()(64bit)" marks a 64-bit library.
// The system's own architecture is that of its dpkg; where it has none, that of a 64-bit loader beside a 32-bit one.
#include "remedies/foreign_architecture.h"

#include <elf.h>

#include <bit>
#include <string>
#include <string_view>

#include "base/pieces.h"
#include "base/small_file.h"
#include "loader/load.h"

namespace soresolve {
namespace {

constexpr std::string_view kInstalls = "sudo apt install ";
constexpr std::string_view kOf64 = "()(64bit)";

/// "i386"; empty: Debian has none of that name.
std::string_view architecture_of(const ElfTarget& target) {
  const bool is_64 = target.elf_class == ElfClass::Elf64;
  switch (target.machine) {
    case EM_386: return "i386";
    case EM_X86_64: return is_64 ? "amd64" : "x32";
    case EM_AARCH64: return "arm64";
    case EM_ARM: return "armhf";
    case EM_PPC64: return target.byte_order == std::endian::little ? "ppc64el" : "ppc64";
    case EM_S390: return is_64 ? "s390x" : "s390";
    case EM_RISCV: return "riscv64";
    default: return {};
  }
}

std::string_view own_architecture(const System& system) {
  const Result<OpenedObject> dpkg = open_object(*system.files, "/usr/bin/dpkg", "/usr/bin/dpkg");
  if (dpkg) return architecture_of(dpkg->elf.target);
  const bool has_64 = system.loader.target.machine == EM_386 && system.files->status("/lib64/ld-linux-x86-64.so.2");
  return has_64 ? "amd64" : architecture_of(system.loader.target);
}

bool is_known_to_dpkg(const FileSystem& files, std::string_view architecture) {
  const std::optional<std::string> known = read_small_file(files, "/var/lib/dpkg/arch", 4096);
  return known && ("\n" + *known + "\n").find("\n" + std::string(architecture) + "\n") != std::string::npos;
}

/// "sudo apt install zlib1g libfoo1" with each package as "zlib1g:i386".
CommandText named(std::string_view command, std::string_view architecture) {
  CommandText all("sudo apt install");
  for (const std::string_view package : pieces_in(command.substr(kInstalls.size()), ' ')) {
    if (!package.empty()) all += " " + shell_word(std::string(package) + ":" + std::string(architecture));
  }
  return all;
}

}  // namespace

void ask_for_architecture(const System& system, std::vector<Remedy>& remedies) {
  const std::string_view wanted = architecture_of(system.loader.target);
  if (wanted.empty() || wanted == own_architecture(system)) return;
  const bool is_32 = system.loader.target.elf_class == ElfClass::Elf32;
  for (Remedy& remedy : remedies) {
    if (remedy.kind != RemedyKind::Install || remedy.commands.size() != 1) continue;
    CommandText& command = remedy.commands.front();
    const std::string text(command.text());
    if (text.starts_with(kInstalls)) {
      std::vector<CommandText> commands;
      if (!is_known_to_dpkg(*system.files, wanted)) {
        commands.push_back("sudo dpkg --add-architecture " + shell_word(std::string(wanted)));
        commands.emplace_back("sudo apt update");
      }
      commands.push_back(named(text, wanted));
      remedy.commands = std::move(commands);
      remedy.reason = say(is_32 ? "install-untried-32" : "install-untried-other", {{"architecture", wanted}});
    } else if (const std::size_t mark = text.find(kOf64); is_32 && mark != std::string::npos) {
      constexpr std::string_view kDnf = "sudo dnf install '";
      if (!text.starts_with(kDnf)) continue;
      command = "sudo dnf install " + shell_word(text.substr(kDnf.size(), mark - kDnf.size()));
      remedy.reason = say("install-untried-32", {{"architecture", wanted}});
    }
  }
}

}  // namespace soresolve
