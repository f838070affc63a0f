// What is opened later, as JSON ("dlopen" in schema.json).
#include "report/json_parts.h"
#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

Json to_json(const Dlopen& opened) {
  Json choices = array_of(opened.choices, [&](const DlopenChoice& choice) -> Json {
    return {{"name", choice.name}, {"path", text_or_null(choice.path)}, {"found_by", text_or_null(choice.found_by)}};
  });
  return {{"opener", opened.opener},
          {"object", index_or_null(opened.object)},
          {"source", name_of(opened.source)},
          {"evidence", name_of(opened.evidence)},
          {"importance", name_of(opened.importance)},
          {"feature", opened.feature},
          {"description", opened.description},
          {"told_by", sentence(opened.reported_by, Language::English)},
          {"choices", std::move(choices)},
          {"found", opened.is_found},
          {"loaded", opened.is_loaded},
          {"dlerror", text_or_null(opened.failure)},
          {"dlerror_now", text_or_null(opened.failure_now)}};
}

}  // namespace

Json dlopens_json(const Dlopens& dlopens) {
  return array_of(dlopens.list, [&](const Dlopen& opened) { return to_json(opened); });
}

}  // namespace soresolve
