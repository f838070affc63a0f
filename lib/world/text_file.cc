// A hint for text files in the place of an ELF file: scripts that stand for no program, and linker scripts (the library
// in INPUT or GROUP; ld manual, "File Commands"). Only the beginning of the file is read.
#include "world/text_file.h"

#include <algorithm>

#include "base/path.h"
#include "base/small_file.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

constexpr std::size_t kTextBytes = 1024;

/// The first library that INPUT ( … ) or GROUP ( … ) names, AS_NEEDED ( … ) within it aside; "libNAME.so" for -lNAME.
/// Empty if there is none.
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

}  // namespace

std::optional<std::string> container_hint(const FileSystem& files, std::string_view path, std::string_view name) {
  const Result<FileStatus, Errno> status = files.status(path);
  if (status && status->kind == FileKind::Directory) {
    return "is a directory, not an ELF file: soresolve scan " + shell_path(name).text() +
           " judges every file in it; if it is a whole system, --root " + shell_path(name).text() +
           " and a path inside";
  }
  const std::string head = start_of_file(files, path, kTextBytes);
  const auto unpacked = [&](const std::string& what, const CommandText& command) {
    return "is " + what + ", not an ELF file: unpack it (" + command.text() + ") and give the files in DIR";
  };
  const bool is_package_of_conda = name.ends_with(".conda");
  if (head.starts_with("PK\x03\x04") && !is_package_of_conda) {
    return unpacked(name.ends_with(".whl") ? "a wheel" : "a ZIP archive",
                    "python3 -m zipfile -e " + shell_path(name) + " DIR");
  }
  if (head.starts_with("PK\x03\x04"))
    return unpacked("a conda package", "cph extract " + shell_path(name) + " --dest DIR");
  if (head.starts_with("!<arch>\ndebian-binary")) {
    return unpacked("a Debian package", "dpkg-deb -x " + shell_path(name) + " DIR");
  }
  if (head.starts_with("\xed\xab\xee\xdb")) {
    return unpacked("an RPM package", "mkdir DIR && bsdtar -x -C DIR -f " + shell_path(name));
  }
  if (head.starts_with("!<arch>\n")) return "is a static library (ar), which the loader does not read";
  return std::nullopt;
}

std::optional<TextForLibrary> text_for_library(const FileSystem& files, std::string_view path) {
  constexpr std::size_t kHeaderBytes = 64;
  const std::string text = start_of_file(files, path, kTextBytes);
  if (text.starts_with("#!") || text.find('\0') != std::string::npos) return std::nullopt;
  TextForLibrary found = {library_in_linker_script(text), text.size() < kHeaderBytes};
  const bool is_pointer = text.starts_with("version https://git-lfs");
  return found.names.empty() && !is_pointer ? std::nullopt : std::optional(std::move(found));
}

std::string linker_script(std::string_view library) {
  return "is a linker script, which ld reads and the loader does not: did you mean " + std::string(library) + "?";
}

std::optional<std::string> text_file_hint(const FileSystem& files, std::string_view path) {
  const std::string text = start_of_file(files, path, kTextBytes);
  if (text.starts_with("#!")) return "is a script, not an ELF file";
  const std::optional<TextForLibrary> found = text_for_library(files, path);
  return found && !found->names.empty() ? std::optional(linker_script(found->names)) : std::nullopt;
}

}  // namespace soresolve
