// The names in LD_PRELOAD and /etc/ld.so.preload.
//
// Source: glibc elf/rtld.c:handle_preload_list, dl_main (the file, with its comment quirk).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "loader/process.h"

namespace soresolve {

inline constexpr std::string_view kPreloadVariable = "LD_PRELOAD";
inline constexpr std::string_view kPreloadFile = "/etc/ld.so.preload";

struct PreloadName {
  std::string name;
  std::string_view source;  ///< kPreloadVariable or kPreloadFile
  std::uint32_t line = 0;   ///< of the file, from 1; 0: it is of the variable
};

/// Names of LD_PRELOAD: separated by spaces and colons; 4096 bytes and more are dropped, and under
/// AT_SECURE everything with a slash or of 255 bytes and more.
std::vector<PreloadName> parse_preload_variable(std::string_view value, bool is_secure);

/// Names of ld.so.preload. Comments are blanked as glibc does it: after the first one, a `#` is found
/// only as far from the start of the file as bytes are left behind that comment.
std::vector<PreloadName> parse_preload_file(std::string content);

}  // namespace soresolve
