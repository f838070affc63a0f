// What a version node says of the release that defines it, and whose nodes an object brings itself. Shared by the floor
// and by bounds on it.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "soresolve/link_map.h"
#include "soresolve/symbols.h"

namespace soresolve {

inline constexpr int kCudaOrder = 4;  ///< NodeMeaning::order from which on families are libraries

/// What a node says of the release that it needs.
struct NodeMeaning {
  int order = 0;  ///< of the families in the answer
  std::string family;
  std::string product;
  std::string number;  ///< compared within the family
  std::string release;
};

/// nullopt: a node of nobody in the tables.
std::optional<NodeMeaning> meaning_of(std::string_view node);

/// The release of CUDA that first has a function; empty: unknown, or another family.
std::string release_of_function(std::string_view family, std::string_view symbol);

/// What an object is released with itself: of that it may need what it likes.
class OwnFamilies {
 public:
  OwnFamilies(const LoadedObject& object, const VersionTables& tables);
  [[nodiscard]] bool has(const NodeMeaning& meaning) const { return names_.contains(name_of(meaning)); }

 private:
  /// The libraries of CUDA come together, as do those of cuDNN; libgcc and libstdc++ need not.
  static std::string name_of(const NodeMeaning& meaning) {
    return meaning.order >= kCudaOrder ? meaning.product : meaning.family;
  }
  std::set<std::string, std::less<>> names_;
};

}  // namespace soresolve
