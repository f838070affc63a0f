// Who needs a library or a symbol of a tree, and what no program of it loads: documents.
#pragma once
#include <memory>
#include <string>

#include "soresolve/document.h"
#include "soresolve/place.h"
#include "soresolve/survey.h"
#include "survey/who.h"

namespace soresolve {

/// Who needs a library or a symbol.
struct WhoReport {
  const Survey& survey;                     ///< borrowed
  const WhoAnswer& answer;                  ///< borrowed
  std::string root;                         ///< of the tree, as it was named; "/" for the host
  std::shared_ptr<const Place> place = {};  ///< of the tree, where it was opened as one: an image has layers
};
struct WhoOptions {
  unsigned max_depth = ~0u;        ///< of needers below what they need
  Detail detail = Detail::Folded;  ///< Full: all needers, and the names of symbols
};
Document document_of(const WhoReport& report, const WhoOptions& options = {});

/// What no program of a tree loads.
struct UnusedReport {
  const Survey& survey;  ///< borrowed
  const Unused& unused;  ///< borrowed
  std::string root;
};
Document document_of(const UnusedReport& report, Detail detail = Detail::Folded);

}  // namespace soresolve
