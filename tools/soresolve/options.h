// The options of a subcommand as data: declared once, read by the parser, by --help, by the man pages and by what
// shells complete. What they are about is said in commands.toml. What parses them (CLI11) is known to arguments.cc
// only.
#pragma once
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "soresolve/catalogue.h"

namespace soresolve::tool {

/// Takes the word behind an option; says what is wrong with it, if something is.
using TakeWord = std::function<std::optional<std::string>(const std::string& word)>;
/// Of an option that is given once.
struct TakeOnce {
  TakeWord take;
};
/// Of an option that may be repeated: once for each word, in their order.
struct TakeEach {
  TakeWord take;
};
/// Of a flag that is more than a bool.
struct WhenGiven {
  std::function<void()> act;
};

/// Where the value of an option goes, and so of what kind it is: bool and WhenGiven are flags, a list is repeatable.
using Target = std::variant<bool*, int*, unsigned*, std::uint64_t*, double*, std::string*, std::vector<std::string>*,
                            TakeOnce, TakeEach, WhenGiven>;

/// The values that a number may have, both ends included.
struct ValueRange {
  double first = 0;
  double last = 0;
};

enum class Presence : std::uint8_t { Optional, Required };

struct Option {
  std::vector<std::string> names;  ///< "-v", "--verbose"; of a positional its one name, "FILE"
  std::string_view value = {};     ///< "DIR"; empty for a flag and for a positional
  Target into;
  bool is_left_to_world = false;          ///< a FILE that --pid, --core, --import or an image can stand for
  std::vector<std::string> choices = {};  ///< the words that it takes, if these are all
  std::optional<ValueRange> range = {};
  std::string_view excludes = {};  ///< the name of another option, declared before, that must not be given as well
  Presence presence = Presence::Optional;

  [[nodiscard]] bool is_positional() const { return !names.front().starts_with('-'); }
  [[nodiscard]] bool is_flag() const {
    return std::holds_alternative<bool*>(into) || std::holds_alternative<WhenGiven>(into);
  }
  [[nodiscard]] bool is_repeatable() const {
    return std::holds_alternative<std::vector<std::string>*>(into) || std::holds_alternative<TakeEach>(into);
  }
};

/// In the order in which --help lists them, as far as they are of one group.
using OptionList = std::vector<Option>;

/// Sets `target` to the value that the word stands for; upper and lower case are one.
template <class Value>
TakeOnce one_of(Value& target, std::initializer_list<std::pair<std::string_view, Value>> meanings) {
  const auto is_same = [](std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[i])))
        return false;
    }
    return true;
  };
  return {[&target, is_same, list = std::vector<std::pair<std::string_view, Value>>(meanings)](
              const std::string& word) -> std::optional<std::string> {
    std::string known;
    for (const auto& [name, value] : list) {
      if (is_same(name, word)) {
        target = value;
        return std::nullopt;
      }
      known += (known.empty() ? "" : ",") + std::string(name);
    }
    return word + " not in {" + known + "}";
  }};
}

}  // namespace soresolve::tool
