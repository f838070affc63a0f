// All references to one symbol, each with the search that was made for it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// References that made the same search.
struct SearchedReferences {
  std::vector<SymbolBinding> bindings;  ///< in the order of relocation; they borrow from the Bindings
  SymbolSearch search;
};

/// All about one name.
struct SymbolAnswer {
  std::string name;
  std::string version;  ///< asked for by the user; empty: any
  std::vector<SearchedReferences> references;
  /// What dlsym would find, when nobody refers to it.
  std::optional<SymbolSearch> dlsym;
  /// Every strong reference is bound; for a name that nobody refers to: dlsym finds it.
  [[nodiscard]] bool is_good() const;
};

/// Every reference to `asked` (`NAME` or `NAME@VERSION`) with the search that was made for it.
Result<SymbolAnswer> answer_symbol(const LinkMap& map, const Bindings& bindings, std::string_view asked);

}  // namespace soresolve
