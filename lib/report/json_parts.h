// What the JSON documents share: their heads, and how they are written down.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cuda/driver_mount.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"
#include "soresolve/packages.h"
#include "soresolve/python.h"

namespace soresolve {

using Json = nlohmann::ordered_json;

/// schema, command, file, world.
Json document_head(const char* command, const LinkMap& map, std::string_view file);

/// In English, which documents are in; null for none.
Json text_or_null(const Statement& statement);
/// null for an empty one.
Json text_or_null(std::string_view text);
/// null for nullopt; else the value, or what `make` makes of it.
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
template <class T, class Make>
Json value_or_null(const std::optional<T>& value, Make make) {
  return value ? Json(make(*value)) : Json(nullptr);
}
/// What `make` makes of each element.
template <class List, class Make>
Json array_of(const List& list, Make make) {
  Json array = Json::array();
  for (const auto& each : list) array.push_back(make(each));
  return array;
}
/// An array of their sentences in English.
Json english_of(const std::vector<Statement>& statements);

/// null for kNoObject.
Json index_or_null(ObjectIndex index);

/// What is opened once the program runs, in that order: file, scope, caller, first new object.
Json dlopen_calls_json(const LinkMap& map);

/// Whose process it is, where that was found and not asked for; else null.
Json assumed_json(const LinkMap& map);
/// null: no host's driver is laid over.
Json driver_json(const DriverMount* driver);
/// An import of Python.
Json import_json(const PythonImport& import);

/// A list of what is opened later.
Json dlopens_json(const Dlopens& dlopens);

Json problem_json(const Problem& problem);
/// As "problems" of an answer, and for one release as "findings", the key's older name.
void put_problems(Json& answer, const std::vector<Problem>& problems);
Json to_json(const PackageOwner& owner);
Json to_json(const Candidate& candidate);
Json to_json(const LayerOfFile& layer);
Json to_json(const std::vector<LayerOfFile>& layers);
Json to_json(const Remedy& remedy);

/// Names in ELF files need not be UTF-8; what is not is replaced, and what a terminal would obey is escaped.
std::string dump(const Json& json);
/// The same on one line.
std::string dump_line(const Json& json);

/// A part of a document that is made only when it is written, so that not all of them are there at a time:
/// the parts of a tree can be many times as large as what they are made from.
struct LaterPart {
  enum class Kind : std::uint8_t { Object, Need, Attempts };
  Kind kind = Kind::Object;
  std::uint32_t index = 0;
  std::uint32_t further = 0;  ///< of a need: its place in its object
};
Json later(const LaterPart& part);
/// As dump(), piece by piece; `make` gives each part in its turn, which may have such parts itself.
void write_json(const Json& json, const std::function<Json(const LaterPart&)>& make,
                const std::function<void(std::string_view)>& write);

}  // namespace soresolve
