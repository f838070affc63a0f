// A reader that goes down: or, and, a comparison or a bracket. Each answer is yes, no or not known, and "no" is the
// answer of an `and` with one side that is not known. A variable that is known but for its last number (3.11.?) is
// compared with the first and the last that it can be.
#include "packages/environment_marker.h"

#include <array>
#include <vector>

#include "base/pieces.h"
#include "packages/wheel_version.h"

namespace soresolve {
namespace {

using Known = std::optional<bool>;

constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz_.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// One side of a comparison: what it may be; none: not known.
struct Side {
  std::vector<std::string> values;
  bool is_extra = false;
};

std::vector<std::string> values_of(std::string_view variable, const MarkerEnvironment& environment) {
  const std::string release = "3." + std::to_string(environment.minor_number);
  const bool is_minor_known = environment.minor_number != 0;
  if (variable == "os_name" || variable == "os.name") return {"posix"};
  if (variable == "sys_platform" || variable == "sys.platform") return {"linux"};
  if (variable == "platform_system") return {"Linux"};
  if (variable == "python_version" && is_minor_known) return {release};
  if (variable == "python_full_version" && is_minor_known) return {release + ".0", release + ".999"};
  const bool is_machine = variable == "platform_machine" || variable == "platform.machine";
  if (is_machine && !environment.machine.empty()) return {environment.machine};
  if (!environment.is_cpython) return {};
  if (variable == "implementation_name") return {"cpython"};
  if (variable == "implementation_version" && is_minor_known) return {release + ".0", release + ".999"};
  const bool is_implementation = variable == "platform_python_implementation" ||
                                 variable == "platform.python_implementation" || variable == "python_implementation";
  return is_implementation ? std::vector<std::string>{"CPython"} : std::vector<std::string>();
}

/// A right side that is a version makes it a comparison of versions.
Known compare(std::string_view left, std::string_view sign, std::string_view right) {
  if (sign == "in") return right.find(left) != std::string_view::npos;
  if (sign == "not in") return right.find(left) == std::string_view::npos;
  if (const Known met = meets_clause(left, std::string(sign).append(right))) return met;
  if (sign == "==" || sign == "===") return left == right;
  if (sign == "!=") return left != right;
  return std::nullopt;
}

class MarkerReader {
 public:
  MarkerReader(std::string_view text, const MarkerEnvironment& environment) : rest_(text), environment_(environment) {}

  Known read() {
    const Known holds = read_or();
    skip_blanks();
    return rest_.empty() && !is_broken_ ? holds : std::nullopt;
  }

 private:
  void skip_blanks() { rest_ = trimmed(rest_); }

  bool take(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  bool take_word(std::string_view word) {
    skip_blanks();
    const std::string_view next = rest_.substr(0, rest_.find_first_not_of(kNameCharacters));
    return next == word && take(word);
  }

  Known read_or() {
    Known holds = read_and();
    while (!is_broken_ && take_word("or")) {
      const Known right = read_and();
      const bool is_yes = holds.value_or(false) || right.value_or(false);
      holds = is_yes ? Known(true) : holds && right ? Known(false) : std::nullopt;
    }
    return holds;
  }

  Known read_and() {
    Known holds = read_one();
    while (!is_broken_ && take_word("and")) {
      const Known right = read_one();
      const bool is_no = !holds.value_or(true) || !right.value_or(true);
      holds = is_no ? Known(false) : holds && right ? Known(true) : std::nullopt;
    }
    return holds;
  }

  Known read_one() {
    if (take("(")) {
      if (++depth_ > kMostMarkerDepth) return broken();
      const Known holds = read_or();
      --depth_;
      return take(")") ? holds : broken();
    }
    const std::optional<Side> left = read_side();
    const std::string_view sign = left ? read_sign() : std::string_view();
    const std::optional<Side> right = sign.empty() ? std::nullopt : read_side();
    if (!right) return broken();
    return compare_sides(*left, sign, *right);
  }

  static Known compare_sides(const Side& left, std::string_view sign, const Side& right) {
    if (left.is_extra || right.is_extra) {
      // None is asked for.
      if (sign == "==") return false;
      return sign == "!=" ? Known(true) : std::nullopt;
    }
    Known holds;
    for (const std::string& a : left.values) {
      for (const std::string& b : right.values) {
        const Known one = compare(a, sign, b);
        if (!one || (holds && *holds != *one)) return std::nullopt;
        holds = one;
      }
    }
    return holds;
  }

  std::optional<Side> read_side() {
    skip_blanks();
    if (rest_.empty()) return std::nullopt;
    const char quote = rest_[0];
    if (quote == '"' || quote == '\'') {
      const std::size_t end = rest_.find(quote, 1);
      if (end == std::string_view::npos) return std::nullopt;
      Side side{{std::string(rest_.substr(1, end - 1))}};
      rest_.remove_prefix(end + 1);
      return side;
    }
    const std::string_view name = rest_.substr(0, rest_.find_first_not_of(kNameCharacters));
    if (name.empty()) return std::nullopt;
    rest_.remove_prefix(name.size());
    return Side{values_of(name, environment_), name == "extra"};
  }

  std::string_view read_sign() {
    constexpr std::array<std::string_view, 8> kSigns = {"===", "==", "!=", "<=", ">=", "~=", "<", ">"};
    for (const std::string_view sign : kSigns) {
      if (take(sign)) return sign;
    }
    if (take_word("in")) return "in";
    return take_word("not") && take_word("in") ? "not in" : std::string_view();
  }

  Known broken() {
    is_broken_ = true;
    return std::nullopt;
  }

  std::string_view rest_;
  const MarkerEnvironment& environment_;
  int depth_ = 0;
  bool is_broken_ = false;
};

}  // namespace

std::optional<bool> evaluate_marker(std::string_view marker, const MarkerEnvironment& environment) {
  marker = trimmed(marker);
  return marker.empty() ? std::optional(true) : MarkerReader(marker, environment).read();
}

}  // namespace soresolve
