// Opens the libraries beside a needer and of its package, 256 at most, and reads versions and symbols of the first 8
// that need the library. The loader's own directories have none: files there are of many packages.
#include "remedies/siblings.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "loader/load.h"
#include "loader/system.h"
#include "symbols/symbol_table.h"
#include "symbols/version_tables.h"

namespace soresolve {

Siblings::Siblings(const LinkMap& map, std::shared_ptr<const PackageOwners> owners)
    : map_(map), owners_(std::move(owners)) {}

std::vector<std::string> Siblings::files_beside(const std::string& needer) const {
  const FileSystem& files = *map_.system->files;
  const std::string directory = without_dots(directory_prefix_of(needer));
  const std::vector<std::string>& system = map_.system->rules.system_dirs;
  std::vector<std::string> list;
  if (std::find(system.begin(), system.end(), directory) != system.end()) return list;
  if (const auto names = files.list_directory(directory)) {
    for (const std::string& name : *names) list.push_back(directory + name);
  }
  if (const std::optional<PackageOwner> owner = owners_->owner_of(needer)) {
    for (std::string& file : owners_->files_of(*owner)) list.push_back(std::move(file));
  }
  std::erase_if(list, [](const std::string& file) { return file_name_of(file).find(".so") == std::string_view::npos; });
  return list;
}

const std::vector<std::unique_ptr<VersionedLibrary>>& Siblings::that_need(std::string_view name,
                                                                          const std::string& needer) {
  constexpr std::size_t kMostOpened = 256;
  constexpr std::size_t kMostJudges = 8;
  const auto [at, is_new] = known_.try_emplace({std::string(name), std::string(directory_of(needer))});
  std::vector<std::unique_ptr<VersionedLibrary>>& judges = at->second;
  if (!is_new || !needer.starts_with('/')) return judges;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (const LoadedObject& object : map_.objects) seen.emplace(object.status.id.device, object.status.id.inode);
  std::size_t opened_count = 0;
  for (const std::string& file : files_beside(needer)) {
    if (judges.size() == kMostJudges || opened_count == kMostOpened) break;
    const Result<FileStatus, Errno> status = map_.system->files->status(file);
    if (!status || status->kind != FileKind::Regular || !seen.emplace(status->id.device, status->id.inode).second)
      continue;
    ++opened_count;
    const Result<OpenedObject> opened = open_object(*map_.system->files, file, file);
    const auto is_it = [&](const NeedEntry& need) { return need.kind == NeedKind::Needed && need.name == name; };
    if (!opened || std::none_of(opened->elf.needs.begin(), opened->elf.needs.end(), is_it)) continue;
    Result<VersionTables> versions = read_version_tables(*opened->file, opened->elf, file);
    Result<SymbolTable> symbols = read_symbol_table(*opened->file, opened->elf, file);
    if (!versions || !symbols) continue;
    auto judge = std::make_unique<VersionedLibrary>();
    judge->path = file;
    judge->versions = std::move(*versions);
    judge->symbols = std::move(*symbols);
    judges.push_back(std::move(judge));
  }
  return judges;
}

}  // namespace soresolve
