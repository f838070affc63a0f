// Text views of what is asked about bindings, and all of it as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/floor.h"
#include "soresolve/report_bindings.h"
#include "soresolve/symbol_search.h"
#include "soresolve/unused_needs.h"

namespace soresolve SORESOLVE_API {

/// Whose answers they are. Names of objects are written as write_bindings() writes them.
struct BindingsSubject {
  const LinkMap& map;
  const Bindings& bindings;
};

/// Who refers to the name, what each reference binds to, and every object that was asked for it.
std::string symbol_answer_text(const BindingsSubject& subject, const SymbolAnswer& answer, Colour colour);
/// "NEEDER\tNAME\tPATH" for each.
std::string unused_needs_text(const BindingsSubject& subject, const std::vector<UnusedNeed>& unused);
std::string floors_text(const BindingsSubject& subject, const std::vector<Floor>& floors, Colour colour);

/// The objects that people mean by `library`: its path, a name it was asked for by, its SONAME, or
/// the last part of its path.
std::vector<ObjectIndex> objects_named(const LinkMap& map, std::string_view library);
/// Who uses what of one object: symbols by user and version.
std::string provider_text(const BindingsSubject& subject, ObjectIndex provider, Colour colour);

/// What is asked; only this is in the document.
struct BindingsJson {
  std::optional<BindingFilter> list;  ///< the bindings that pass; an empty function lets all pass
  std::vector<SymbolAnswer> symbols;
  std::optional<std::vector<UnusedNeed>> unused;
  std::optional<std::vector<Floor>> floors;
};
/// Schema soresolve/1, "bindings" in lib/report/schema.json. Written piece by piece.
void write_bindings_json(const BindingsSubject& subject, std::string_view file, const BindingsJson& content,
                         const TextSink& write);

}  // namespace SORESOLVE_API
