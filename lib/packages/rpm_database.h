// Which package of rpm brought a file, by the database that rpm keeps in a root; rpm itself is not run.
//
// Source: rpm 4.18, lib/backend/sqlite.c: a table `Packages` of headers, and `Basenames` with an index that leads from
// a file's name to the headers that have one of that name. Berkeley DB (`Packages`, rpm before 4.16: RHEL 8 and older)
// and ndb (`Packages.db`, SUSE) are recognised and not read.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/rpm_header.h"
#include "packages/sqlite_file.h"

namespace soresolve {

inline constexpr std::uint64_t kMaxRpmBytesOfQuestion = 256u << 20;  ///< of the database, for one file

/// Of one file system, which it borrows. Looked for when it is first asked. Not synchronised.
class RpmDatabase {
 public:
  explicit RpmDatabase(const FileSystem& files) : files_(files) {}

  /// The package that lists `path`, as its header has it; nullptr: none does. Lives as long as the database.
  [[nodiscard]] std::shared_ptr<const RpmPackage> package_of(std::string_view path);
  /// One that was found before, by what its header says; nullptr: it is not kept.
  [[nodiscard]] std::shared_ptr<const RpmPackage> known_package(std::string_view name, std::string_view release) const;
  /// The database; empty: there is none that can be read.
  [[nodiscard]] const std::string& path();
  /// One that is there and cannot be read; empty: there is none.
  [[nodiscard]] const std::string& unread();

 private:
  void find_database();
  std::shared_ptr<const RpmPackage> package_at(std::int64_t number);

  const FileSystem& files_;
  bool is_looked_for_ = false;
  std::string path_;
  std::string unread_;
  std::optional<SqliteFile> database_;
  std::uint32_t packages_ = 0;  ///< root pages
  std::uint32_t names_ = 0;
  std::uint32_t name_index_ = 0;
  std::map<std::int64_t, std::shared_ptr<const RpmPackage>> kept_;
  std::size_t kept_files_ = 0;
};

}  // namespace soresolve
