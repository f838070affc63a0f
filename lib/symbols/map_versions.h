// The version tables of a map's objects, each read once. Libraries ask of few others, again and
// again: the check of versions and the binding of symbols go through the same ones.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "elf/table_reader.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/elf.h"
#include "soresolve/symbols.h"
#include "symbols/map_files.h"

namespace soresolve {

class MapVersions {
 public:
  /// What it is made from must outlive it.
  MapVersions(const LinkMap& map)
      : system_(*map.system), process_(*map.process), map_(map), tables_(map.objects.size()) {}

  /// Read now unless they are known.
  const Result<VersionTables>& of(ObjectIndex index) {
    if (!tables_[index]) set(index, read(index));
    return *tables_[index];
  }
  /// match_version() with the tables of `provider`, which are good; as quick if they are long. What it points
  /// to is part of them.
  VersionMatch match(const VersionNeed& need, ObjectIndex provider);
  /// Somebody else has read them.
  void set(ObjectIndex index, Result<VersionTables> tables) {
    tables_[index] = std::make_shared<const Result<VersionTables>>(std::move(tables));
  }
  void share(ObjectIndex index, std::shared_ptr<const Result<VersionTables>> tables) {
    tables_[index] = std::move(tables);
  }

 private:
  /// The definitions of one object by hash and name.
  struct Index {
    std::vector<std::uint32_t> sorted;  ///< places; of equal ones the first comes first
    std::size_t unknown = 0;            ///< the first one of an unknown record version
  };
  Result<VersionTables> read(ObjectIndex index);

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  std::vector<std::shared_ptr<const Result<VersionTables>>> tables_;
  std::map<ObjectIndex, Index> indices_;
  TableScratch scratch_;  ///< of one object after the other: new windows would cost more than what is read
};

Result<Bindings> bind_symbols(const LinkMap& map, MapVersions& versions, const BindOptions& options);

/// A loader that lists asks nothing of the placeholder of a file that is missing, and then has not seen the mark of
/// DT_RELR there; a start has ended before.
enum class VersionsFor : std::uint8_t { Start, Trace };
Result<VersionCheck> check_versions(const LinkMap& map, MapVersions& versions, VersionsFor what = VersionsFor::Start);

}  // namespace soresolve
