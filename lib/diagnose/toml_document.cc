// Guards, toml++, and the way from its nodes to ours.
#include "diagnose/toml_document.h"

#include <algorithm>
#include <optional>
#include <vector>

#ifdef SORESOLVE_HAS_TOML
namespace {
/// toml++ takes something for granted that a text has not kept.
struct TomlAssertion {};
[[noreturn]] void fail_toml_assertion() { throw TomlAssertion(); }
}  // namespace
// toml++ 3 asserts what a hostile text can break (a header such as `[[[`), and without assertions counts on it.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? void() : fail_toml_assertion())
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
#endif

namespace soresolve {

Error toml_error(std::string_view path, std::uint32_t line, const std::string& what) {
  return {ErrorCode::Malformed, std::string(path), {}, (line == 0 ? "" : "line " + std::to_string(line) + " ") + what};
}

#ifdef SORESOLVE_HAS_TOML

namespace {

/// Number of the first line with a key of more parts than any file of ours has: the tables would be as deep. 0: there
/// is none. Counted are the dots between what can end a key, in comments and strings, too, where so many in a row are
/// rare.
std::size_t find_deep_key(std::string_view toml) {
  constexpr std::size_t kMaxDots = 64;
  std::size_t line = 1;
  std::size_t dots = 0;
  bool is_after_dot = false;
  for (const char c : toml) {
    if (c == '\n') ++line;
    if (c == '.')
      dots = is_after_dot ? 0 : dots + 1;  // "..": no key
    else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos)
      dots = 0;
    if (dots > kMaxDots) return line;
    if (c != ' ' && c != '\t') is_after_dot = c == '.';
  }
  return 0;
}

/// The same text in ASCII: toml++ 3 takes for granted that some other bytes cannot come where they can. They are
/// written as "=?XX?=", and made again of what was read.
std::string in_ascii(std::string_view toml) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  constexpr std::string_view kHex = "0123456789abcdef";
  if (toml.starts_with(kByteOrderMark)) toml.remove_prefix(kByteOrderMark.size());
  std::string text;
  for (const char c : toml) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text.append("=?").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]).append("?=");
    }
  }
  return text;
}

std::string from_ascii(std::string_view text) {
  const auto digit = [](char c) { return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= '0' && c <= '9' ? c - '0' : -1; };
  constexpr std::size_t kLength = 6;  // =?XX?=
  std::string bytes;
  while (!text.empty()) {
    const bool is_byte = text.size() >= kLength && text.starts_with("=?") && digit(text[2]) >= 8 &&
                         digit(text[3]) >= 0 && text.substr(4, 2) == "?=";
    bytes += is_byte ? static_cast<char>(digit(text[2]) << 4 | digit(text[3])) : text.front();
    text.remove_prefix(is_byte ? kLength : 1);
  }
  return bytes;
}

TomlNode our_node(const toml::node& node);

TomlTable our_table(const toml::table& table) {
  TomlTable ours;
  for (const auto& [key, node] : table) ours.push_back({from_ascii(key.str()), our_node(node)});
  return ours;
}

TomlNode our_node(const toml::node& node) {
  TomlNode ours;
  ours.line = node.source().begin.line;
  if (const toml::value<std::string>* const text = node.as_string()) {
    ours.value = from_ascii(text->get());
  } else if (const toml::value<bool>* const flag = node.as_boolean()) {
    ours.value = flag->get();
  } else if (const toml::value<toml::date>* const date = node.as_date()) {
    ours.value = TomlDate{date->get().year, date->get().month, date->get().day};
  } else if (const toml::array* const array = node.as_array()) {
    TomlArray list;
    for (const toml::node& each : *array) list.push_back(our_node(each));
    ours.value = std::move(list);
  } else if (const toml::table* const table = node.as_table()) {
    ours.value = our_table(*table);
  }
  return ours;
}

/// What toml++ makes of it; nullopt: it has lost its footing.
std::optional<toml::parse_result> parse_or_give_up(std::string_view toml) {
  try {
    return toml::parse(toml);
  } catch (const TomlAssertion&) {
    return std::nullopt;
  }
}

/// Number of the line in which toml++ loses its footing, of a text in which it does: what comes behind has no part in
/// it, so halves of the text tell.
std::size_t find_broken_line(std::string_view toml) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < toml.size(); ++at)
    if (toml[at] == '\n' || at + 1 == toml.size()) ends.push_back(at + 1);
  const auto broken = std::partition_point(
      ends.begin(), ends.end(), [&](std::size_t end) { return parse_or_give_up(toml.substr(0, end)).has_value(); });
  return static_cast<std::size_t>(broken - ends.begin()) + 1;
}

}  // namespace

Result<TomlTable> parse_toml(std::string_view toml, std::string_view path) {
  const std::string text = in_ascii(toml);
  const auto fail = [&](std::size_t line, const std::string& what) {
    return Unexpected{Error{ErrorCode::Malformed, std::string(path), {}, "line " + std::to_string(line) + ": " + what}};
  };
  if (const std::size_t line = find_deep_key(text); line != 0) return fail(line, "a key of more than 64 parts");
  const std::optional<toml::parse_result> parsed = parse_or_give_up(text);
  if (!parsed) return fail(find_broken_line(text), "not TOML");
  if (!*parsed) return fail(parsed->error().source().begin.line, std::string(parsed->error().description()));
  return our_table(parsed->table());
}

#else

Result<TomlTable> parse_toml(std::string_view, std::string_view path) {
  return Unexpected{
      Error{ErrorCode::Unsupported, std::string(path), {}, "cannot be read: this soresolve was built without TOML"}};
}

#endif

}  // namespace soresolve
