// A version is cut into its parts, from left to right, and each kind of part is ordered by a number: a development
// release stands before a pre-release, that before the release, and a post-release behind it. For example
// 1.0.dev1 < 1.0a1.dev1 < 1.0a1 < 1.0rc1 < 1.0 < 1.0+local < 1.0.post1.
#include "packages/wheel_version.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "base/pieces.h"

namespace soresolve {
namespace {

constexpr std::int64_t kBefore = -1;
constexpr std::int64_t kBehind = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kDigits = "0123456789";

struct WheelVersion {
  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> release;
  std::optional<std::pair<int, std::uint64_t>> pre = {};  ///< 0: a, 1: b, 2: rc
  std::optional<std::uint64_t> post = {};
  std::optional<std::uint64_t> dev = {};
  std::string local = {};  ///< behind "+", with dots

  [[nodiscard]] bool is_early() const { return pre || dev; }
};

/// Takes parts off the front of a text in lower case.
class VersionReader {
 public:
  explicit VersionReader(std::string_view text) : rest_(text) {}

  std::optional<WheelVersion> read() {
    WheelVersion version;
    if (rest_.starts_with('v')) rest_.remove_prefix(1);
    std::optional<std::uint64_t> number = take_number();
    if (number && rest_.starts_with('!')) {
      version.epoch = *number;
      rest_.remove_prefix(1);
      number = take_number();
    }
    if (!number) return std::nullopt;
    version.release.push_back(*number);
    while (rest_.size() > 1 && rest_[0] == '.' && kDigits.find(rest_[1]) != std::string_view::npos) {
      rest_.remove_prefix(1);
      number = take_number();
      if (!number || version.release.size() > kMostNumbers) return std::nullopt;
      version.release.push_back(*number);
    }
    take_pre(version);
    take_post(version);
    if (take_word("dev")) version.dev = take_behind_word();
    if (rest_.starts_with('+')) {
      version.local = rest_.substr(1);
      std::replace_if(
          version.local.begin(), version.local.end(), [](char c) { return c == '-' || c == '_'; }, '.');
      rest_ = {};
    }
    return rest_.empty() ? std::optional(std::move(version)) : std::nullopt;
  }

 private:
  static constexpr std::size_t kMostNumbers = 32;

  std::optional<std::uint64_t> take_number() {
    const std::string_view digits = rest_.substr(0, rest_.find_first_not_of(kDigits));
    const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(digits);
    if (number) rest_.remove_prefix(digits.size());
    return number;
  }

  /// With one separator before it.
  bool take_word(std::string_view word) {
    std::string_view rest = rest_;
    if (!rest.empty() && std::string_view(".-_").find(rest[0]) != std::string_view::npos) rest.remove_prefix(1);
    if (!rest.starts_with(word)) return false;
    rest_ = rest.substr(word.size());
    return true;
  }

  /// "-1" or "1" behind "post"; without a number it is 0.
  std::uint64_t take_behind_word() {
    const bool is_separated = rest_.size() > 1 && std::string_view(".-_").find(rest_[0]) != std::string_view::npos &&
                              kDigits.find(rest_[1]) != std::string_view::npos;
    if (is_separated) rest_.remove_prefix(1);
    return take_number().value_or(0);
  }

  void take_pre(WheelVersion& version) {
    struct Spelling {
      std::string_view word;
      int rank;
    };
    constexpr std::array kSpellings = {Spelling{"alpha", 0}, Spelling{"a", 0},       Spelling{"beta", 1},
                                       Spelling{"b", 1},     Spelling{"preview", 2}, Spelling{"pre", 2},
                                       Spelling{"rc", 2},    Spelling{"c", 2}};
    for (const Spelling& spelling : kSpellings) {
      if (!take_word(spelling.word)) continue;
      version.pre = {spelling.rank, take_behind_word()};
      return;
    }
  }

  void take_post(WheelVersion& version) {
    for (const std::string_view word : {"post", "rev", "r"}) {
      if (!take_word(word)) continue;
      version.post = take_behind_word();
      return;
    }
    const bool is_number = rest_.size() > 1 && rest_[0] == '-' && kDigits.find(rest_[1]) != std::string_view::npos;
    if (is_number) version.post = take_behind_word();
  }

  std::string_view rest_;
};

std::optional<WheelVersion> parse(std::string_view text) {
  std::string lower(trimmed(text));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return VersionReader(lower).read();
}

std::uint64_t number_at(const std::vector<std::uint64_t>& release, std::size_t index) {
  return index < release.size() ? release[index] : 0;
}

/// "10.0" and "10.0.0" are one release.
std::strong_ordering compare_releases(const WheelVersion& a, const WheelVersion& b) {
  if (a.epoch != b.epoch) return a.epoch <=> b.epoch;
  for (std::size_t i = 0; i < std::max(a.release.size(), b.release.size()); ++i) {
    if (const auto order = number_at(a.release, i) <=> number_at(b.release, i); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

/// Numbers count more than words, and a longer one more than its own start.
std::strong_ordering compare_locals(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const CutText left = cut_at(a, '.');
    const CutText right = cut_at(b, '.');
    const auto left_number = parse_number<std::uint64_t>(left.before);
    const auto right_number = parse_number<std::uint64_t>(right.before);
    if (left_number.has_value() != right_number.has_value())
      return left_number ? std::strong_ordering::greater : std::strong_ordering::less;
    const auto order = left_number ? *left_number <=> *right_number : left.before <=> right.before;
    if (order != 0) return order;
    a = left.behind;
    b = right.behind;
  }
  return a.size() <=> b.size();
}

std::array<std::int64_t, 4> suffix_key(const WheelVersion& version) {
  const auto as_signed = [](std::uint64_t number) {
    return static_cast<std::int64_t>(std::min(number, static_cast<std::uint64_t>(kBehind - 1)));
  };
  const bool is_only_dev = !version.pre && !version.post && version.dev;
  return {version.pre   ? version.pre->first
          : is_only_dev ? kBefore
                        : kBehind,
          version.pre ? as_signed(version.pre->second) : 0, version.post ? as_signed(*version.post) : kBefore,
          version.dev ? as_signed(*version.dev) : kBehind};
}

std::strong_ordering compare_public(const WheelVersion& a, const WheelVersion& b) {
  if (const auto order = compare_releases(a, b); order != 0) return order;
  return suffix_key(a) <=> suffix_key(b);
}

/// Does it begin with the numbers of `prefix`?
bool is_within(const WheelVersion& version, const WheelVersion& prefix, std::size_t count) {
  if (version.epoch != prefix.epoch) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (number_at(version.release, i) != number_at(prefix.release, i)) return false;
  }
  return true;
}

bool equals(const WheelVersion& has, const WheelVersion& wanted) {
  return compare_public(has, wanted) == 0 && (wanted.local.empty() || compare_locals(has.local, wanted.local) == 0);
}

/// "<2" leaves out 2.0rc1, ">1" 1.post1 and 1+local.
bool is_before(const WheelVersion& has, const WheelVersion& wanted) {
  if (compare_public(has, wanted) >= 0) return false;
  return wanted.is_early() || !has.is_early() || compare_releases(has, wanted) != 0;
}
bool is_behind(const WheelVersion& has, const WheelVersion& wanted) {
  if (compare_public(has, wanted) <= 0) return false;
  const bool is_later_build = (has.post && !wanted.post) || !has.local.empty();
  return !is_later_build || compare_releases(has, wanted) != 0;
}

}  // namespace

std::optional<bool> meets_clause(std::string_view version, std::string_view clause) {
  clause = trimmed(clause);
  const std::size_t end = clause.find_first_not_of("=<>!~");
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  const std::string_view sign = clause.substr(0, end);
  std::string_view text = trimmed(clause.substr(end));
  const bool is_prefix = text.ends_with(".*");
  if (is_prefix) text.remove_suffix(2);
  const std::optional<WheelVersion> has = parse(version);
  const std::optional<WheelVersion> wanted = parse(text);
  if (!has || !wanted) return std::nullopt;
  if (is_prefix) {
    if ((sign != "==" && sign != "!=") || wanted->is_early() || wanted->post) return std::nullopt;
    return is_within(*has, *wanted, wanted->release.size()) == (sign == "==");
  }
  if (sign == "==") return equals(*has, *wanted);
  if (sign == "!=") return !equals(*has, *wanted);
  if (sign == "<=") return compare_public(*has, *wanted) <= 0;
  if (sign == ">=") return compare_public(*has, *wanted) >= 0;
  if (sign == "<") return is_before(*has, *wanted);
  if (sign == ">") return is_behind(*has, *wanted);
  if (sign != "~=" || wanted->release.size() < 2) return std::nullopt;
  return compare_public(*has, *wanted) >= 0 && is_within(*has, *wanted, wanted->release.size() - 1);
}

}  // namespace soresolve
