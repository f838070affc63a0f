// What is opened later, as JSON ("dlopen" in schema.json).
#include "report/json_parts.h"
#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

Json to_json(const Dlopen& opened) {
  Json choices = Json::array();
  for (const DlopenChoice& choice : opened.choices) {
    choices.push_back({{"name", choice.name},
                       {"path", choice.path.empty() ? Json(nullptr) : Json(choice.path)},
                       {"found_by", choice.found_by.empty() ? Json(nullptr) : Json(std::string(choice.found_by))}});
  }
  return {{"opener", opened.opener},
          {"object", opened.object == kNoObject ? Json(nullptr) : Json(opened.object)},
          {"source", name_of(opened.source)},
          {"evidence", name_of(opened.evidence)},
          {"importance", name_of(opened.importance)},
          {"feature", opened.feature},
          {"description", opened.description},
          {"told_by", sentence(opened.told_by, Language::English)},
          {"choices", std::move(choices)},
          {"found", opened.is_found},
          {"loaded", opened.is_loaded},
          {"dlerror", opened.failure.empty() ? Json(nullptr) : Json(opened.failure)},
          {"dlerror_now", opened.failure_now.empty() ? Json(nullptr) : Json(opened.failure_now)}};
}

}  // namespace

Json dlopens_json(const Dlopens& dlopens) {
  Json list = Json::array();
  for (const Dlopen& opened : dlopens.list) list.push_back(to_json(opened));
  return list;
}

}  // namespace soresolve
