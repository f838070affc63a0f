// A contract: what a program requires of a machine, in a file.
//
// Source of the form: TOML 1.0; the table [require] is ours. toml++ makes a table for each part of a dotted key and
// goes through tables by recursion, so that depth is bounded before it reads, and while it does.
#include <algorithm>
#include <string>

#include "cuda/small_file.h"
#include "soresolve/diagnose.h"

#ifdef SORESOLVE_HAS_TOML
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>
#endif

namespace soresolve {

#ifdef SORESOLVE_HAS_TOML

namespace {

class ContractReader {
 public:
  explicit ContractReader(std::string_view path) : path_(path) {}

  Result<std::vector<Requirement>> read(const toml::table& document) {
    const toml::table* const require = document["require"].as_table();
    if (require == nullptr) return fail(document.source(), "has no table [require]");
    for (const auto& [key, node] : document) {
      if (key != "require") return fail(node.source(), "has '" + std::string(key.str()) + "', which nobody reads");
    }
    for (const auto& [key, node] : *require) {
      const std::string name(key.str());
      if (const toml::table* frameworks = node.as_table(); frameworks != nullptr && name == "framework") {
        for (const auto& [framework, release] : *frameworks)
          add_all("framework=" + std::string(framework.str()), release);
      } else {
        add_all(name, node);
      }
      if (error_) return Unexpected{*std::move(error_)};
    }
    return std::move(requirements_);
  }

 private:
  Unexpected<Error> fail(const toml::source_region& where, const std::string& what) const {
    const std::string line = where.begin.line == 0 ? std::string() : "line " + std::to_string(where.begin.line) + " ";
    return Unexpected{Error{ErrorCode::Malformed, std::string(path_), {}, line + what}};
  }

  void add_all(const std::string& name, const toml::node& node) {
    if (const toml::array* const list = node.as_array()) {
      for (const toml::node& each : *list) add(name, each);
    } else {
      add(name, node);
    }
  }

  void add(const std::string& name, const toml::node& node) {
    if (error_) return;
    const toml::value<std::string>* const value = node.as_string();
    if (value == nullptr) {
      error_ = fail(node.source(), "gives " + name + " no text").error;
      return;
    }
    // "12.1" stands for "=12.1"; a framework's own release is exact.
    const std::string& text = value->get();
    const bool has_sign = text.find_first_of("<>=!") == 0;
    const bool is_framework = name.starts_with("framework=");
    Result<Requirement> requirement = parse_requirement(name + (has_sign ? "" : is_framework ? "==" : "=") + text);
    if (!requirement)
      error_ = fail(node.source(), requirement.error().message).error;
    else
      requirements_.push_back(std::move(requirement).value());
  }

  std::string_view path_;
  std::vector<Requirement> requirements_;
  std::optional<Error> error_;
};

/// Number of the first line that begins a table's header but has no key in it: toml++ 3 takes one for
/// granted there (an assertion, without which anything may happen). 0: there is none.
std::size_t find_nameless_header(std::string_view toml) {
  const auto is_blank = [](char c) { return std::string_view(" \t\r\v\f[").find(c) != std::string_view::npos; };
  const auto begins_key = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '"' || c == '\'';
  };
  for (std::size_t line = 1; !toml.empty(); ++line) {
    const std::string_view text = toml.substr(0, toml.find('\n'));
    const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
    const bool is_header = std::find(text.begin(), first, '[') != first;
    if (is_header && (first == text.end() || !begins_key(*first))) return line;
    toml.remove_prefix(std::min(text.size() + 1, toml.size()));
  }
  return 0;
}

/// Number of the first line with a key of more parts than any contract has: the tables would be as deep. 0: there is
/// none. Counted are the dots between what can end a key, in comments and strings, too, where so many in a row are
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

/// The same text in ASCII. What else stands in comments is lost, and nothing else in a contract needs it; toml++ 3
/// takes for granted that some of it cannot come where it can.
std::string in_ascii(std::string_view toml) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (toml.starts_with(kByteOrderMark)) toml.remove_prefix(kByteOrderMark.size());
  std::string text(toml);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

}  // namespace

Result<std::vector<Requirement>> read_contract(std::string_view toml, std::string_view path) {
  const std::string text = in_ascii(toml);
  if (const std::size_t line = find_nameless_header(text); line != 0) {
    return Unexpected{Error{ErrorCode::Malformed,
                            std::string(path),
                            {},
                            "line " + std::to_string(line) + ": a '[' without a table's name behind it"}};
  }
  if (const std::size_t line = find_deep_key(text); line != 0) {
    return Unexpected{Error{
        ErrorCode::Malformed, std::string(path), {}, "line " + std::to_string(line) + ": a key of more than 64 parts"}};
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return Unexpected{Error{ErrorCode::Malformed,
                            std::string(path),
                            {},
                            "line " + std::to_string(parsed.error().source().begin.line) + ": " +
                                std::string(parsed.error().description())}};
  }
  return ContractReader(path).read(parsed.table());
}

#else

Result<std::vector<Requirement>> read_contract(std::string_view, std::string_view path) {
  return Unexpected{Error{ErrorCode::Unsupported,
                          std::string(path),
                          {},
                          "cannot be read: this soresolve was built without TOML; --require says the same"}};
}

#endif

Result<std::vector<Requirement>> read_contract_file(const FileSystem& files, std::string_view path,
                                                    std::string_view shown) {
  const Result<std::string> text = read_text_file(files, path, shown);
  if (!text) return Unexpected{text.error()};
  return read_contract(*text, shown);
}

}  // namespace soresolve
