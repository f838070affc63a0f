// The parts of a path, cut textually: nothing is looked up, and `.`, `..` and doubled slashes stay.
//
// Source: POSIX XCU dirname and basename for what lies in `/` and for a name without a slash; glibc's
// loader cuts `$ORIGIN` in the same way (elf/dl-origin.c:_dl_get_origin). Not here: a path that ends in
// a slash has an empty file name; none of the files that are looked at has one.
#pragma once
#include <string>
#include <string_view>

namespace soresolve {

/// The directory of a file: "/a" of "/a/b", "/" of "/b", "." of "b". Never empty, so that it can be listed,
/// searched and written into a search path as it is. Borrows from `path`.
constexpr std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

/// What stands before the file's name, with the slash: "/a/" of "/a/b", "/" of "/b", "" of "b". Another
/// name behind it is the path of a file beside this one. Borrows from `path`.
constexpr std::string_view directory_prefix_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

/// "b" of "/a/b" and of "b". Borrows from `path`.
constexpr std::string_view file_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// `name` in the directory, with one slash between them: "/b" for "/" and "b".
inline std::string path_in(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

/// Makes `path` absolute against `cwd` without touching `.`, `..` or doubled slashes.
inline std::string absolute_path(std::string_view path, std::string_view cwd) {
  return path.starts_with('/') ? std::string(path) : path_in(cwd, path);
}

/// Without components `.` and doubled slashes, which name the same file with or without links; `..` stays.
inline std::string without_dots(std::string_view path) {
  std::string plain;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    const bool has_slash = end != std::string_view::npos;
    const bool is_start = plain.empty();
    if (part.empty() ? is_start : part != ".") {
      plain.append(part);
      if (has_slash) plain += '/';
    }
    path.remove_prefix(has_slash ? end + 1 : path.size());
  }
  return plain.empty() ? "." : plain;
}

}  // namespace soresolve
