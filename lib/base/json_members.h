// JSON of strangers: what is not of the expected kind counts as not there. No accessor of nlohmann::json that throws is
// used on a file of others.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace soresolve {

/// A member of an object; null: there is none.
template <class Json>
const Json& member(const Json& object, const char* name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

/// Empty for what is no text.
template <class Json>
std::string text_of(const Json& value) {
  return value.is_string() ? value.template get<std::string>() : std::string();
}

/// Whether it is the value true.
template <class Json>
bool is_true(const Json& value) {
  return value.is_boolean() && value.template get<bool>();
}

/// The texts among the elements of an array.
template <class Json>
std::vector<std::string> texts_of(const Json& value) {
  std::vector<std::string> texts;
  if (!value.is_array()) return texts;
  for (const Json& one : value) {
    if (one.is_string()) texts.push_back(one.template get<std::string>());
  }
  return texts;
}

}  // namespace soresolve
