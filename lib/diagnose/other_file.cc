// By the first bytes: a table of magic numbers, then those whose header says more (the processors of Mach-O and PE),
// then texts.
#include "diagnose/other_file.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "base/library_file.h"
#include "base/path.h"
#include "base/small_file.h"

namespace soresolve {
namespace {

constexpr std::size_t kStartBytes = 1024;
constexpr std::size_t kHeaderBytes = 64;  // of ELF64

struct Magic {
  std::string_view bytes;
  std::string_view kind;
  std::string_view next;
  OtherFile::Known known = OtherFile::Known::AsLibrary;
};
using namespace std::string_view_literals;
constexpr Magic kMagics[] = {
    {"L\0\0\0\x01\x14\x02\0"sv, "kind-shortcut", "next-install-here", OtherFile::Known::Anywhere},
    {"BC\xc0\xde"sv, "kind-bitcode", "next-build-machine-code", OtherFile::Known::Anywhere},
    {"\xde\xc0\x17\x0b"sv, "kind-bitcode", "next-build-machine-code", OtherFile::Known::Anywhere},
    {"\0asm"sv, "kind-wasm", "next-build-machine-code", OtherFile::Known::Anywhere},
    {"!<arch>\ndebian-binary"sv, "kind-deb", "next-unpack-deb"},
    {"!<arch>\n"sv, "kind-archive", "next-link-archive"},
    {"!<thin>\n"sv, "kind-archive", "next-link-archive"},
    {"\xed\xab\xee\xdb"sv, "kind-rpm", "next-unpack-rpm"},
    {"PK\x03\x04"sv, "kind-zip", "next-unpack-zip"},
    {"\x1f\x8b"sv, "kind-gzip", "next-unpack-gzip"},
    {"\xfd"
     "7zXZ\0"sv,
     "kind-xz", "next-unpack-xz"},
    {"\x28\xb5\x2f\xfd"sv, "kind-zstd", "next-unpack-zstd"},
    {"BZh"sv, "kind-bzip2", "next-unpack-bzip2"},
    {"7z\xbc\xaf\x27\x1c"sv, "kind-7z", "next-unpack-7z"},
    {"%PDF-"sv, "kind-pdf", "next-fetch-again"},
};

std::uint32_t little(std::string_view text, std::size_t at, std::size_t bytes = 4) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes; i-- > 0;)
    value = value << 8 | (at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U);
  return value;
}

std::uint32_t big(std::string_view text, std::size_t at) {
  const std::uint32_t value = little(text, at);
  return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

/// mach/machine.h: CPU_TYPE_*, with CPU_ARCH_ABI64.
std::string_view name_of_cpu(std::uint32_t type) {
  switch (type) {
    case 7: return "i386";
    case 0x01000007: return "x86_64";
    case 12: return "arm";
    case 0x0100000c: return "arm64";
    case 18: return "ppc";
    case 0x01000012: return "ppc64";
    default: return {};
  }
}

/// "PE Format", Machine Types.
std::string_view name_of_pe_machine(std::uint32_t machine) {
  switch (machine) {
    case 0x14c: return "x86";
    case 0x8664: return "x64";
    case 0x1c4: return "arm";
    case 0xaa64: return "arm64";
    default: return {};
  }
}

OtherFile of_kind(Statement kind, std::string_view next, OtherFile::Known known = OtherFile::Known::AsLibrary) {
  OtherFile found;
  found.known = known;
  found.kind = std::move(kind);
  found.next = say(next);
  return found;
}

OtherFile of_system(std::string_view plain, std::string_view with_machine, const std::string& machines) {
  return of_kind(machines.empty() ? say(plain) : say(with_machine, {{"machines", machines}}), "next-install-here",
                 OtherFile::Known::Anywhere);
}

/// A universal file and a class of Java have one magic number: of these numbers of images the one, of these versions
/// the other.
OtherFile universal_or_class(std::string_view head) {
  constexpr std::uint32_t kMostImages = 20;
  const std::uint32_t count = big(head, 4);
  if (count == 0 || count > kMostImages)
    return of_kind(say("kind-class"), "next-build-machine-code", OtherFile::Known::Anywhere);
  std::string machines;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view machine = name_of_cpu(big(head, 8 + 20 * std::size_t{i}));
    if (!machine.empty()) machines += (machines.empty() ? "" : ", ") + std::string(machine);
  }
  return of_system("kind-mach-o", "kind-mach-o-for", machines);
}

std::optional<OtherFile> code_of_other_system(std::string_view head) {
  if (head.starts_with("\xcf\xfa\xed\xfe") || head.starts_with("\xce\xfa\xed\xfe"))
    return of_system("kind-mach-o", "kind-mach-o-for", std::string(name_of_cpu(little(head, 4))));
  if (head.starts_with("\xfe\xed\xfa\xcf") || head.starts_with("\xfe\xed\xfa\xce"))
    return of_system("kind-mach-o", "kind-mach-o-for", std::string(name_of_cpu(big(head, 4))));
  if (head.starts_with("\xca\xfe\xba\xbe")) return universal_or_class(head);
  if (head.starts_with("MZ") && head.find('\0') != std::string_view::npos) {
    const std::uint32_t at = little(head, 0x3c);
    const bool has_header = at < head.size() && head.substr(at).starts_with("PE\0\0"sv);
    return of_system("kind-pe", "kind-pe-for",
                     std::string(has_header ? name_of_pe_machine(little(head, at + 4, 2)) : std::string_view()));
  }
  return std::nullopt;
}

std::string lower(std::string_view text) {
  std::string copy(text);
  for (char& c : copy) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return copy;
}

/// What Git, ZIP or a copy to another file system has made of a symbolic link: its target, and nothing behind it.
bool is_target_of_link(std::string_view text) {
  const auto is_of_name = [](char c) { return static_cast<unsigned char>(c) > ' '; };
  return text.size() < 256 && std::all_of(text.begin(), text.end(), is_of_name) && has_library_name(file_name_of(text));
}

std::optional<OtherFile> text_of(std::string_view head, std::string_view name) {
  if (head.starts_with("#!")) return of_kind(say("kind-script"), "next-install-again");
  if (std::string library = library_in_linker_script(head); !library.empty()) {
    OtherFile script;
    script.what = say("is-linker-script", {{"file", name}, {"library", library}});
    script.next = say("next-name-in-script", {{"library", library}});
    script.names = std::move(library);
    return script;
  }
  if (head.starts_with("version https://git-lfs")) {
    OtherFile pointer;
    pointer.what = say("is-lfs-pointer", {{"file", name}});
    pointer.next = say("next-lfs-pull");
    pointer.is_pointer = true;
    return pointer;
  }
  if (is_target_of_link(head)) {
    OtherFile link = of_kind(say("kind-target-of-link", {{"target", head}}), {});
    link.next = say("next-make-link", {{"typed_target", shell_path(head)}, {"typed_link", shell_path(name)}});
    return link;
  }
  const std::size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos) return of_kind(say("kind-blank"), "next-copy-again");
  const std::string start = lower(head.substr(first, 512));
  if (start.starts_with("<!doctype html") || start.starts_with("<html") || start.starts_with("<head"))
    return of_kind(say("kind-html"), "next-fetch-again");
  if (start.starts_with('<')) return of_kind(say("kind-xml"), "next-fetch-again");
  if (start.starts_with('{') || start.starts_with('[')) return of_kind(say("kind-json"), "next-fetch-again");
  constexpr std::size_t kShown = 60;
  const std::string_view line = head.substr(first, std::min(head.find_first_of("\r\n", first) - first, kShown));
  return of_kind(say("kind-text", {{"line", line}}), "next-fetch-again");
}

bool is_text(std::string_view head) {
  return std::none_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0x7f || (byte < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1b');
  });
}

/// What is ELF and none that the loader takes: what a compiler leaves to the linker, and what the kernel leaves of a
/// process.
std::optional<OtherFile> elf_of_other_type(std::string_view head, std::string_view name) {
  const bool is_big = head[EI_DATA] == ELFDATA2MSB;
  const std::uint32_t type = is_big ? big(head, 16) >> 16 : little(head, 16, 2);
  if (type != ET_REL && type != ET_CORE) return std::nullopt;
  OtherFile found;
  found.what = say(type == ET_REL ? "is-object-file" : "is-core-file", {{"file", name}});
  found.next = say(type == ET_REL ? "next-link-object" : "next-install-again", {{"file", name}});
  found.is_elf = true;
  return found;
}

std::optional<OtherFile> recognise_start(std::string_view head, std::string_view name) {
  if (head.empty()) return of_kind(say("kind-empty"), "next-copy-again");
  if (head.starts_with("\177ELF")) {
    if (head.size() >= kHeaderBytes) return elf_of_other_type(head, name);
    return of_kind(say("kind-cut", {{"bytes", head.size()}}), "next-copy-again");
  }
  if (auto code = code_of_other_system(head)) return code;
  for (const Magic& magic : kMagics) {
    if (head.starts_with(magic.bytes)) return of_kind(say(magic.kind), magic.next, magic.known);
  }
  if (head.find_first_not_of('\0') == std::string_view::npos) return of_kind(say("kind-zeros"), "next-copy-again");
  return is_text(head) ? text_of(head, name) : std::nullopt;
}

}  // namespace

std::string library_in_linker_script(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n,()";
  for (const std::string_view command : {"GROUP", "INPUT"}) {
    std::size_t at = text.find(command);
    if (at == std::string_view::npos) continue;
    at = text.find('(', at + command.size());
    while (at != std::string_view::npos) {
      at = text.find_first_not_of(kBetween, at);
      if (at == std::string_view::npos) break;
      const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
      const std::string_view name = text.substr(at, end - at);
      if (name.starts_with("-l") && name.size() > 2) return "lib" + std::string(name.substr(2)) + ".so";
      if (name.find(".so") != std::string_view::npos) return std::string(file_name_of(name));
      if (name != "AS_NEEDED") break;
      at = end;
    }
  }
  return {};
}

std::optional<OtherFile> other_file(const FileSystem& files, std::string_view path, std::string_view name) {
  const Result<FileStatus, Errno> status = files.status(path);
  if (!status || status->kind != FileKind::Regular) return std::nullopt;
  const std::string head = start_of_file(files, path, kStartBytes);
  if (head.empty() && status->size_bytes != 0) return std::nullopt;
  std::optional<OtherFile> found = recognise_start(head, name);
  if (!found) return std::nullopt;
  found->is_short = head.size() < kHeaderBytes;
  if (!found->kind.empty() && found->next.arguments.empty())
    found->next.arguments.emplace_back("file", without_dots(path));
  if (found->what.empty()) found->what = say("is-other-file", {{"file", name}, {"kind", found->kind}});
  return found;
}

bool is_loaded_by_name(std::string_view path) {
  constexpr std::string_view kEndings[] = {".node", ".dylib", ".dll", ".pyd", ".jnilib", ".bundle"};
  return has_library_name(file_name_of(path)) ||
         std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace soresolve
