// JSON out of structs and back, from one description of each.
//
// A struct that goes out and comes in as JSON has one function that names its members:
//
//   template <class Visitor>
//   void describe(Visitor& json, PlannedLibrary& library) {
//     json.member("role", library.role);
//     json.member("path", library.path, {.presence = Presence::Required});
//     json.require("path", library.path.starts_with('/'), "is not an absolute path");
//   }
//
// JsonWriter makes an object of it, JsonReader reads one, so that a member cannot be written by one name and read by
// another. What is read may be hostile: types, ranges of numbers, unknown members and lengths are checked, and the
// first fault is told with its place ("groups[0].loads[1].path: is not a text"). A struct whose description calls
// element() instead of member() is an array of that many values.
//
// How texts and other leaves look is said by a Form: `static Json write(const T&)` and
// `static std::string_view read(const Json&, T&)`, which returns what is wrong or nothing, `kMaxItems` of a list, and
// the Presence of a member of which nothing is said.
#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/enum_names.h"

namespace soresolve {

enum class Presence : std::uint8_t {
  Required,  ///< always written (an empty optional as null); a fault if it is missing
  Always,    ///< always written; what is missing keeps its default
  IfAny,     ///< left out where it is empty; what is missing keeps its default
};

/// What else is said of one member. The range is that of the member's type, where no other is named.
template <class Form>
struct MemberRules {
  Presence presence = Form::kPresence;
  std::optional<double> least = {};
  std::optional<double> most = {};
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

template <class Form, class T>
concept LeafOf = requires(const T& value) {
  { Form::write(value) } -> std::same_as<nlohmann::ordered_json>;
};

/// Where a value stands in its document. Only a complaint puts it into words.
struct JsonPlace {
  const JsonPlace* around = nullptr;
  const char* name = nullptr;  ///< of a member; null: an element, or the whole
  std::size_t index = 0;       ///< of an element

  [[nodiscard]] std::string text() const {
    if (around == nullptr) return {};
    std::string text = around->text();
    if (name == nullptr) return text + "[" + std::to_string(index) + "]";
    if (!text.empty()) text += '.';
    return text += name;
  }
};

template <class Form>
class JsonWriter {
 public:
  using Json = nlohmann::ordered_json;

  template <class T>
  static Json write(const T& value) {
    if constexpr (is_optional<T>) {
      return value ? write(*value) : Json(nullptr);
    } else if constexpr (is_list<T>) {
      Json list = Json::array();
      for (const auto& item : value) list.push_back(write(item));
      return list;
    } else if constexpr (LeafOf<Form, T>) {
      return Form::write(value);
    } else if constexpr (std::is_enum_v<T>) {
      return name_of(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else {
      JsonWriter writer;
      describe(writer, const_cast<T&>(value));  // the description is one for both directions; nothing is changed here
      return std::move(writer.json_);
    }
  }

  template <class T>
  void member(const char* name, const T& value, MemberRules<Form> rules = {}) {
    if (json_.is_null()) json_ = Json::object();
    if (rules.presence == Presence::IfAny && is_empty(value)) return;
    json_[name] = write(value);
  }
  template <class T>
  void element(const T& value) {
    json_.push_back(write(value));
  }
  /// A member that has to be this text.
  void constant(const char* name, std::string_view text) { json_[name] = text; }
  void require(const char* /*name*/, bool /*is_so*/, std::string_view /*fault*/) {}

 private:
  template <class T>
  static bool is_empty(const T& value) {
    if constexpr (is_optional<T>) {
      return !value;
    } else if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else {
      return false;
    }
  }

  Json json_;
};

/// The names of the members that a description has.
template <class Form>
struct MemberNames {
  std::vector<std::string_view> names;

  template <class T>
  void member(const char* name, const T& /*value*/, MemberRules<Form> /*rules*/ = {}) {
    names.emplace_back(name);
  }
  template <class T>
  void element(const T& /*value*/) {}
  void constant(const char* name, std::string_view /*text*/) { names.emplace_back(name); }
  void require(const char* /*name*/, bool /*is_so*/, std::string_view /*fault*/) {}
};

template <class Form>
class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  /// Reads into `value`; returns the first fault with its place, or nothing. `whole`: what the document is called.
  template <class T>
  static std::string read(const Json& json, T& value, std::string_view whole) {
    Fault fault{std::string(whole), {}};
    const JsonPlace place;
    JsonReader(json, place, fault).read_value(json, value, {}, place);
    return fault.text;
  }

  template <class T>
  void member(const char* name, T& value, MemberRules<Form> rules = {}) {
    const JsonPlace place{&place_, name};
    const Json* const found = find(name);
    if (found != nullptr) return read_value(*found, value, rules, place);
    if (rules.presence == Presence::Required) complain(place, "is missing");
  }

  template <class T>
  void element(T& value) {
    if (!json_.is_array()) return complain(place_, "is not a list");
    const JsonPlace place{&place_, nullptr, count_++};
    if (place.index >= json_.size()) return complain(place, "is missing");
    read_value(json_[place.index], value, {}, place);
  }

  void constant(const char* name, std::string_view text) {
    std::string found;
    member(name, found, {.presence = Presence::Required});
    require(name, found == text, "is not " + std::string(text));
  }

  /// A rule of the struct's own, about the member of this name.
  void require(const char* name, bool is_so, std::string_view fault) {
    if (!is_so) complain(JsonPlace{&place_, name}, fault);
  }

 private:
  struct Fault {
    std::string whole;
    std::string text;
  };

  JsonReader(const Json& json, const JsonPlace& place, Fault& fault) : json_(json), place_(place), fault_(fault) {}

  void complain(const JsonPlace& place, std::string_view what) {
    if (!fault_.text.empty()) return;
    const std::string where = place.text();
    fault_.text = (where.empty() ? fault_.whole : where) + ": ";
    fault_.text += what;
  }

  const Json* find(const char* name) {
    if (!json_.is_object()) {
      complain(place_, "is not an object");
      return nullptr;
    }
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }

  template <class T>
  void read_value(const Json& json, T& value, const MemberRules<Form>& rules, const JsonPlace& place) {
    if (!fault_.text.empty()) return;
    if constexpr (is_optional<T>) {
      if (json.is_null()) return value.reset();
      read_value(json, value.emplace(), rules, place);
    } else if constexpr (is_list<T>) {
      read_list(json, value, place);
    } else if constexpr (LeafOf<Form, T>) {
      const std::string_view fault = Form::read(json, value);
      if (!fault.empty()) complain(place, fault);
    } else if constexpr (std::is_enum_v<T>) {
      const auto named = json.is_string() ? find_named<T>(json.template get_ref<const std::string&>()) : std::nullopt;
      if (!named) return complain(place, "is not a known word");
      value = *named;
    } else if constexpr (std::same_as<T, bool>) {
      if (!json.is_boolean()) return complain(place, "is neither true nor false");
      value = json.template get<bool>();
    } else if constexpr (std::is_arithmetic_v<T>) {
      read_number(json, value, rules, place);
    } else {
      JsonReader reader(json, place, fault_);
      MemberNames<Form> members;
      describe(members, value);
      reader.refuse_others(members.names);
      describe(reader, value);
      if (members.names.empty()) reader.refuse_further_elements();
    }
  }

  template <class T>
  void read_list(const Json& json, std::vector<T>& list, const JsonPlace& place) {
    if (!json.is_array()) return complain(place, "is not a list");
    if (json.size() > Form::kMaxItems) {
      return complain(place, "has more than " + std::to_string(Form::kMaxItems) + " items");
    }
    list.reserve(json.size());
    for (std::size_t i = 0; i < json.size() && fault_.text.empty(); ++i) {
      read_value(json[i], list.emplace_back(), {}, JsonPlace{&place, nullptr, i});
    }
  }

  template <class Number>
  void read_number(const Json& json, Number& value, const MemberRules<Form>& rules, const JsonPlace& place) {
    if (!json.is_number()) return complain(place, "is not a number");
    if (rules.least && rules.most) {
      const double number = json.template get<double>();
      if (!(number >= *rules.least && number <= *rules.most)) {
        return complain(place, "is not between " + shown(*rules.least) + " and " + shown(*rules.most));
      }
      if (std::integral<Number> && number != std::floor(number)) return complain(place, "is not a whole number");
      value = static_cast<Number>(number);
    } else if constexpr (std::integral<Number>) {
      const bool fits = json.is_number_unsigned()  ? std::in_range<Number>(json.template get<std::uint64_t>())
                        : json.is_number_integer() ? std::in_range<Number>(json.template get<std::int64_t>())
                                                   : false;
      if (!fits) return complain(place, "is out of range");
      value = json.template get<Number>();
    } else {
      value = json.template get<Number>();
    }
  }

  static std::string shown(double number) { return std::to_string(static_cast<long long>(number)); }

  /// A misspelt member would be a silent default.
  void refuse_others(const std::vector<std::string_view>& names) {
    if (names.empty() || !json_.is_object()) return;
    for (const auto& [name, value] : json_.items()) {
      if (std::find(names.begin(), names.end(), std::string_view(name)) != names.end()) continue;
      return complain(JsonPlace{&place_, name.c_str()}, "no such member is known");
    }
  }

  void refuse_further_elements() {
    if (json_.size() != count_) complain(place_, "has " + std::to_string(json_.size()) + " elements");
  }

  const Json& json_;
  const JsonPlace& place_;
  Fault& fault_;
  std::size_t count_ = 0;  ///< of elements that were read
};

}  // namespace soresolve
