// Replaces $ORIGIN, $LIB and $PLATFORM; in a set-uid program $ORIGIN has to stand alone and lead to a system directory.
// Source: glibc 2.36 elf/dl-load.c:_dl_dst_substitute, is_trusted_path_normalize. The values come from search_lists.cc.
#include "loader/tokens.h"

namespace soresolve {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Length of the token `name` at the start of `text` (behind the `$`), 0 if it is not there.
std::size_t token_length(std::string_view text, std::string_view name) {
  const bool is_braced = text.starts_with('{');
  if (is_braced) text.remove_prefix(1);
  if (!text.starts_with(name)) return 0;
  text.remove_prefix(name.size());
  if (is_braced) return text.starts_with('}') ? name.size() + 2 : 0;
  return !text.empty() && is_name_char(text.front()) ? 0 : name.size();
}

/// Does `path`, with `.`, `..` and doubled slashes taken out textually, begin with a system
/// directory?
bool is_trusted(std::string_view path, std::span<const std::string> system_dirs) {
  if (path.empty()) return false;
  std::string plain;
  for (std::size_t i = 0; i < path.size();) {
    const auto at = [&](std::size_t k) { return i + k < path.size() ? path[i + k] : '\0'; };
    if (at(0) == '/') {
      if (at(1) == '.' && at(2) == '.' && (at(3) == '/' || at(3) == '\0')) {
        while (!plain.empty()) {
          const char last = plain.back();
          plain.pop_back();
          if (last == '/') break;
        }
        i += 3;
        continue;
      }
      if (at(1) == '.' && (at(2) == '/' || at(2) == '\0')) {
        i += 2;
        continue;
      }
      if (plain.ends_with('/')) {
        ++i;
        continue;
      }
    }
    plain += path[i++];
  }
  if (!plain.ends_with('/')) plain += '/';
  for (const std::string& directory : system_dirs) {
    if (plain.starts_with(directory)) return true;
  }
  return false;
}

}  // namespace

std::size_t count_tokens(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (token_length(rest, "ORIGIN") + token_length(rest, "PLATFORM") + token_length(rest, "LIB")) {
      ++count;
    }
  }
  return count;
}

std::optional<std::string> expand_tokens(std::string_view text, const TokenValues& values) {
  std::string result;
  bool check_trusted = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      result += text[i++];
      continue;
    }
    const std::string_view rest = text.substr(++i);
    std::optional<std::string_view> value;
    std::size_t length = 0;
    if ((length = token_length(rest, "ORIGIN")) != 0) {
      const bool is_alone = i == 1 && (length == rest.size() || rest[length] == '/');
      if (!values.is_secure || is_alone) value = values.origin;
      check_trusted = values.is_secure && values.is_executable;
    } else if ((length = token_length(rest, "PLATFORM")) != 0) {
      value = values.platform;
    } else if ((length = token_length(rest, "LIB")) != 0) {
      value = values.lib;
    }
    if (length == 0) {
      result += '$';
      continue;
    }
    if (!value) return std::nullopt;
    result += *value;
    i += length;
  }
  if (check_trusted && !is_trusted(result, values.system_dirs)) return std::nullopt;
  return result;
}

}  // namespace soresolve
