// Questions about bindings, with their answers: a document.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "soresolve/document.h"
#include "soresolve/link_map.h"
#include "soresolve/symbols.h"
#include "symbols/floor.h"
#include "symbols/symbol_answer.h"
#include "symbols/unused_needs.h"

namespace soresolve {

/// The objects that people mean by `library`: its path, a name it was asked for by, its SONAME, or
/// the last part of its path.
std::vector<ObjectIndex> objects_named(const LinkMap& map, std::string_view library);
/// What is asked about bindings, with the answers; only this is in the document. Names of objects are written as
/// write_bindings() writes them.
struct BindingsReport {
  const LinkMap& map;
  const Bindings& bindings;
  std::string_view file;                               ///< as it was asked about
  std::optional<BindingFilter> list = {};              ///< the bindings that pass; an empty function lets all pass
  std::vector<ObjectIndex> providers = {};             ///< for people: who uses what of them, by user and version
  std::vector<SymbolAnswer> symbols = {};              ///< references, what they bind to, and every object asked
  std::optional<std::vector<UnusedNeed>> unused = {};  ///< for people: "NEEDER\tNAME\tPATH" for each
  std::optional<std::vector<Floor>> floors = {};
  std::vector<FloorVerdict> bounds = {};  ///< of each bound on the floor
};
/// Data: "bindings", written piece by piece.
Document document_of(const BindingsReport& report);

}  // namespace soresolve
