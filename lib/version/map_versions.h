// The version tables of a map's objects, each read once. Libraries ask of few others, again and
// again.
#pragma once
#include <memory>
#include <vector>

#include "soresolve/version.h"
#include "version/map_files.h"

namespace soresolve {

class MapVersions {
 public:
  /// What it is made from must outlive it.
  MapVersions(const System& system, const Process& process, const LinkMap& map)
      : system_(system), process_(process), map_(map), tables_(map.objects.size()) {}

  /// Read now unless they are known.
  const Result<VersionTables>& of(ObjectIndex index);
  /// Somebody else has read them.
  void set(ObjectIndex index, Result<VersionTables> tables) {
    tables_[index] = std::make_unique<Result<VersionTables>>(std::move(tables));
  }

 private:
  Result<VersionTables> read(ObjectIndex index) const;

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  std::vector<std::unique_ptr<Result<VersionTables>>> tables_;
};

}  // namespace soresolve
