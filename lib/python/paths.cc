// Source: CPython Lib/posixpath.py: join, normpath, dirname.
#include "python/paths.h"

#include <algorithm>

#include "base/path.h"

namespace soresolve::python {

std::string joined_path(std::string_view left, std::string_view right) {
  if (right.starts_with('/') || left.empty()) return std::string(right);
  return std::string(left) + (left.ends_with('/') ? "" : "/") + std::string(right);
}

std::string normal_path(std::string_view path) {
  std::string text;
  const bool is_absolute = path.starts_with('/');
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    const bool goes_up = part == ".." && !text.empty() && file_name_of(text) != "..";
    if (goes_up) {
      text.resize(text.rfind('/') == std::string::npos ? 0 : text.rfind('/'));
    } else if (part != ".." || !is_absolute) {
      text += (text.empty() && !is_absolute ? "" : "/") + std::string(part);
    }
  }
  return text.empty() ? (is_absolute ? "/" : ".") : text;
}

std::string directory_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

}  // namespace soresolve::python
