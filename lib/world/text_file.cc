// A hint for text files in the place of an ELF file: scripts that stand for no program, and linker scripts (the library
// in INPUT or GROUP; ld manual, "File Commands"). Only the beginning of the file is read.
#include "world/text_file.h"

#include "base/small_file.h"
#include "diagnose/other_file.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

constexpr std::size_t kTextBytes = 1024;

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

std::string linker_script(std::string_view library) {
  return "is a linker script, which ld reads and the loader does not: did you mean " + std::string(library) + "?";
}

std::optional<std::string> text_file_hint(const FileSystem& files, std::string_view path) {
  const std::string text = start_of_file(files, path, kTextBytes);
  if (text.starts_with("#!")) return "is a script, not an ELF file";
  if (text.find('\0') != std::string::npos) return std::nullopt;
  const std::string library = library_in_linker_script(text);
  return library.empty() ? std::nullopt : std::optional(linker_script(library));
}

}  // namespace soresolve
