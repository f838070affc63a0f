// A question costs a few pages of the index and the header of each package that has a file of that name. Headers are
// kept, since whoever asks about one library asks about its neighbours.
#include "packages/rpm_database.h"

#include <algorithm>
#include <utility>

#include "base/path.h"

namespace soresolve {
namespace {

/// Where rpm has it: by default, and where /usr is all that an image brings (Fedora 36 and newer, SUSE).
constexpr std::string_view kRpmDirectories[] = {"/var/lib/rpm/", "/usr/lib/sysimage/rpm/"};
constexpr std::string_view kUnreadDatabases[] = {"Packages.db", "Packages"};

}  // namespace

void RpmDatabase::find_database() {
  if (std::exchange(is_looked_for_, true)) return;
  for (const std::string_view directory : kRpmDirectories) {
    const std::string path = std::string(directory) + "rpmdb.sqlite";
    if (!files_.status(path)) continue;
    std::optional<SqliteFile> database = SqliteFile::open(files_, path);
    if (database) database->allow(kMaxRpmBytesOfQuestion);
    const auto root = [&](std::string_view name) { return database ? database->root_of(name).value_or(0) : 0; };
    packages_ = root("Packages");
    names_ = root("Basenames");
    name_index_ = root("Basenames_key_idx");
    if (packages_ != 0 && names_ != 0 && name_index_ != 0) {
      path_ = path;
      database_ = std::move(database);
      return;
    }
    unread_ = path;
  }
  for (const std::string_view directory : kRpmDirectories) {
    for (const std::string_view name : kUnreadDatabases) {
      const std::string path = std::string(directory).append(name);
      const Result<FileStatus, Errno> status = files_.status(path);
      if (unread_.empty() && status && status->kind == FileKind::Regular) unread_ = path;
    }
  }
}

const std::string& RpmDatabase::path() {
  find_database();
  return path_;
}

const std::string& RpmDatabase::unread() {
  find_database();
  return unread_;
}

std::shared_ptr<const RpmPackage> RpmDatabase::package_at(std::int64_t number) {
  constexpr std::size_t kMostKeptFiles = 200000;
  if (const auto at = kept_.find(number); at != kept_.end()) return at->second;
  const std::optional<std::string> row = database_->row(packages_, number);
  const std::vector<SqliteValue> columns = row ? SqliteFile::columns_of(*row) : std::vector<SqliteValue>();
  std::optional<RpmPackage> package = columns.size() < 2 ? std::nullopt : parse_rpm_header(columns[1].bytes);
  auto shared = package ? std::make_shared<const RpmPackage>(std::move(*package)) : nullptr;
  if (kept_files_ > kMostKeptFiles) {
    kept_.clear();
    kept_files_ = 0;
  }
  kept_files_ += 1 + (shared ? shared->files.size() : 0);
  return kept_.emplace(number, std::move(shared)).first->second;
}

std::shared_ptr<const RpmPackage> RpmDatabase::known_package(std::string_view name, std::string_view release) const {
  for (const auto& [number, package] : kept_) {
    if (package && package->name == name && package->release == release) return package;
  }
  return nullptr;
}

std::shared_ptr<const RpmPackage> RpmDatabase::package_of(std::string_view path) {
  constexpr std::size_t kMostPackages = 512;  // that have a file of this name
  find_database();
  const std::string_view name = file_name_of(path);
  if (!database_ || name.empty()) return nullptr;
  database_->allow(kMaxRpmBytesOfQuestion);
  std::vector<std::int64_t> numbers;
  database_->rows_with(name_index_, name, [&](std::int64_t row_number) {
    if (numbers.size() >= kMostPackages) return;
    const std::optional<std::string> row = database_->row(names_, row_number);
    const std::vector<SqliteValue> columns = row ? SqliteFile::columns_of(*row) : std::vector<SqliteValue>();
    const bool is_one = columns.size() > 1 && columns[0].bytes == name && columns[1].number;
    if (is_one && std::find(numbers.begin(), numbers.end(), *columns[1].number) == numbers.end())
      numbers.push_back(*columns[1].number);
  });
  std::shared_ptr<const RpmPackage> owner;
  const auto has_path = [&](const RpmFile& file) { return file.path == path; };
  for (std::size_t i = 0; i < numbers.size() && !owner; ++i) {
    const std::shared_ptr<const RpmPackage> package = package_at(numbers[i]);
    if (package && std::any_of(package->files.begin(), package->files.end(), has_path)) owner = package;
  }
  // No real database is so: it is not asked again.
  if (!owner && database_->is_spent()) {
    unread_ = std::exchange(path_, {});
    database_.reset();
  }
  return owner;
}

}  // namespace soresolve
