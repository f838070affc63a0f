// Splits LD_PRELOAD and ld.so.preload into names. Source: glibc 2.36 elf/rtld.c:handle_preload_list, dl_main (a last
// name without a separator behind it comes last). The names are loaded in walk_start.cc.
#include "loader/preload.h"

#include <algorithm>
#include <cstring>

#include "base/pieces.h"

namespace soresolve {
namespace {

constexpr std::size_t kSecurePathLimit = 4096;
constexpr std::size_t kSecureNameLimit = 255;
constexpr std::string_view kFileSeparators = ": \t\n";

void blank_comments(std::string& content) {
  std::size_t rest = content.size();
  while (rest > 0) {
    const void* found = std::memchr(content.data(), '#', rest);
    if (found == nullptr) return;
    std::size_t at = static_cast<std::size_t>(static_cast<const char*>(found) - content.data());
    rest -= at;
    do {
      content[at] = ' ';
    } while (--rest > 0 && content[++at] != '\n');
  }
}

}  // namespace

std::vector<PreloadName> parse_preload_variable(std::string_view value, bool is_secure) {
  std::vector<PreloadName> names;
  for (const std::string_view name : words_in(value, " :")) {
    if (name.size() >= kSecurePathLimit) continue;
    if (is_secure && (name.size() >= kSecureNameLimit || name.find('/') != std::string_view::npos)) {
      continue;
    }
    names.push_back({std::string(name), kPreloadVariable, 0});
  }
  return names;
}

std::vector<PreloadName> parse_preload_file(std::string content) {
  std::vector<PreloadName> names;
  if (content.empty()) return names;
  blank_comments(content);

  // A last name without a separator behind it is cut off and comes last; a NUL ends the others.
  std::string last;
  const std::uint32_t last_line = 1 + static_cast<std::uint32_t>(std::count(content.begin(), content.end() - 1, '\n'));
  if (kFileSeparators.find(content.back()) == std::string_view::npos) {
    std::size_t start = content.find_last_of(kFileSeparators);
    start = start == std::string::npos ? 0 : start + 1;
    last = content.substr(start);
    content.resize(start == 0 ? 0 : start - 1);
  } else {
    content.pop_back();
  }
  std::string_view rest = std::string_view(content).substr(0, content.find('\0'));
  std::uint32_t line = 1;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(kFileSeparators), rest.size());
    if (end != 0) names.push_back({std::string(rest.substr(0, end)), kPreloadFile, line});
    if (end < rest.size() && rest[end] == '\n') ++line;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (const std::size_t nul = last.find('\0'); nul != std::string::npos) last.resize(nul);
  if (!last.empty()) names.push_back({std::move(last), kPreloadFile, last_line});
  return names;
}

}  // namespace soresolve
