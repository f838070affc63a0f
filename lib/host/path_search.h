// Programs by name, as execvp(3) finds them; scripts are passed over.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "loader/process.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Is there an ELF file that can be executed?
inline bool is_elf_program(const FileSystem& files, std::string_view path) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file || (*file)->status().kind != FileKind::Regular || ((*file)->status().mode & 0111) == 0) {
    return false;
  }
  std::array<char, 4> magic{};
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(magic)));
  return got && std::string_view(magic.data(), *got) == "\177ELF";
}

inline std::optional<std::string> search_path_variable(const FileSystem& files, const Environment& environment,
                                                       std::string_view name) {
  std::string_view list = environment.value("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  while (true) {
    const std::string_view directory = list.substr(0, list.find(':'));
    // A relative one depends on where the program is started.
    if (directory.starts_with('/')) {
      std::string path = std::string(directory) + "/" + std::string(name);
      if (is_elf_program(files, path)) return path;
    }
    if (directory.size() == list.size()) return std::nullopt;
    list.remove_prefix(directory.size() + 1);
  }
}

}  // namespace soresolve
