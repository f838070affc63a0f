// What libraries are called.
#pragma once
#include <string_view>

#include "base/path.h"

namespace soresolve {

/// Is the file called as libraries are: "libx.so", "libx.so.1.2"?
constexpr bool has_library_name(std::string_view path) {
  const std::string_view name = file_name_of(path);
  const std::size_t at = name.find(".so");
  return at != std::string_view::npos && at != 0 &&
         (name.size() == at + 3 || name.ends_with(".so") || name[at + 3] == '.');
}

}  // namespace soresolve
