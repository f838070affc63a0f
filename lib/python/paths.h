// Paths as os.path and pathlib put them together, without looking at files.
#pragma once
#include <string>
#include <string_view>

namespace soresolve::python {

/// os.path.join() of two, and `/` of pathlib.
std::string joined_path(std::string_view left, std::string_view right);
/// os.path.normpath() of what has no links.
std::string normal_path(std::string_view path);
/// os.path.dirname()
std::string directory_part(std::string_view path);

}  // namespace soresolve::python
