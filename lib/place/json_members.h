// JSON of strangers: what is not of the expected kind counts as not there. For image manifests and engines' records.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace soresolve {

/// A member of an object; null: there is none.
inline const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

/// Empty for what is no text.
inline std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// The texts among the elements of an array.
inline std::vector<std::string> texts_of(const nlohmann::json& value) {
  std::vector<std::string> texts;
  if (!value.is_array()) return texts;
  for (const nlohmann::json& one : value) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

}  // namespace soresolve
