// Has a file what those that need a library require of it: machine, versions, symbols?
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loader/process.h"
#include "loader/system.h"
#include "remedies/candidates.h"
#include "remedies/siblings.h"
#include "soresolve/symbols.h"

namespace soresolve {

struct OpenedObject;

/// Judges files against objects of one map; what is read of those is kept.
class Suitability {
 public:
  Suitability(const LinkMap& map, std::shared_ptr<const PackageOwners> owners)
      : system_(*map.system), map_(map), siblings_(map, std::move(owners)) {}

  /// By the needers and their siblings. `name` is what the needers ask for. nullopt: the file is not an ELF file,
  /// such as a linker script.
  std::optional<Candidate> judge(const NamedFile& file, std::string_view name, const std::vector<ObjectIndex>& needers);

 private:
  const VersionedLibrary* needer(ObjectIndex object);
  [[nodiscard]] Statement refusal_of(const OpenedObject& opened) const;

  const System& system_;
  const LinkMap& map_;
  Siblings siblings_;
  std::map<ObjectIndex, std::unique_ptr<VersionedLibrary>> needers_;
};

}  // namespace soresolve
