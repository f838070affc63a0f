// Which package brought a file, by the records that package managers leave on disk.
//
// Sources: dpkg(1) "FILES" and dpkg-divert(1); PyPA "Recording installed projects" (RECORD); conda's conda-meta/*.json
// and, for its package cache, info/index.json with info/files; rpm's database (packages/rpm_database.h). Only names are
// compared: whether the file was changed since is not looked at. A record that lists a file proves that the package
// brings a file of this name; paths in records are never opened.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"
#include "soresolve/packages.h"

namespace soresolve {

/// Answers for one file system. What questions share is read at the first one and kept. Several threads may ask at a
/// time; one of them looks while the others wait.
class PackageOwners {
 public:
  explicit PackageOwners(std::shared_ptr<const FileSystem> files);
  ~PackageOwners();
  PackageOwners(const PackageOwners&) = delete;
  PackageOwners& operator=(const PackageOwners&) = delete;

  /// Of the file at `path` (absolute), without its links first: a link may be of another package or of none. conda
  /// comes first, since what pip installs into its environments is in RECORD only; then dpkg and rpm for what is below
  /// /usr but not below /usr/local, and RECORD for all else. nullopt: no record lists it.
  [[nodiscard]] std::optional<PackageOwner> owner_of(std::string_view path) const;

  /// All whose record lists it, that of owner_of() first: pip lets two wheels write one path, and the last one has it.
  [[nodiscard]] std::vector<PackageOwner> owners_of(std::string_view path) const;

  /// What the owner's record lists, as absolute paths in the record's order, directories included where it has them.
  /// Nothing says that they exist. At most 100000.
  [[nodiscard]] std::vector<std::string> files_of(const PackageOwner& owner) const;

  /// A database of packages that is there and is not read, as of an rpm that has no SQLite; empty: there is none.
  [[nodiscard]] std::string unread() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace soresolve
