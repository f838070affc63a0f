// Each question goes to the files once, and is answered from memory from then on.
#include "world/neighbourhood.h"

#include <algorithm>
#include <utility>

#include "base/library_file.h"
#include "base/path.h"
#include "elf/table_reader.h"
#include "loader/load.h"
#include "symbols/gnu_table.h"

namespace soresolve {

void Neighbourhood::make_room() {
  if (++known_ <= kMostKnown) return;
  known_ = 0;
  real_paths_.clear();
  entries_.clear();
  near_.clear();
  defined_.clear();
  around_.clear();
}

std::optional<std::string> Neighbourhood::real_path(const std::string& path) {
  if (const auto known = real_paths_.find(path); known != real_paths_.end()) return known->second;
  make_room();
  Result<std::string, Errno> place = files_.real_path(path);
  return real_paths_.emplace(path, place ? std::optional(std::move(*place)) : std::nullopt).first->second;
}

std::shared_ptr<std::vector<Neighbourhood::Entry>> Neighbourhood::entries_in(const std::string& directory) {
  if (const auto known = entries_.find(directory); known != entries_.end()) return known->second;
  Result<std::vector<std::string>, Errno> names = files_.list_directory(directory);
  if (!names) names = std::vector<std::string>();
  known_ += names->size();
  make_room();
  auto entries = std::make_shared<std::vector<Entry>>(names->size());
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    Entry& entry = (*entries)[i];
    entry.path = path_in(directory, name);
    entry.name = std::string_view(entry.path).substr(entry.path.size() - name.size());
    entry.is_library = has_library_name(name);
    // Names are in order: those that begin alike lie beside each other.
    const auto next = names->begin() + static_cast<std::ptrdiff_t>(i) + 1;
    const auto begins_alike = [&](const std::string& other) { return other.starts_with(name); };
    if (next == names->end() || !begins_alike(*next)) continue;
    entry.family = static_cast<std::size_t>(std::partition_point(next, names->end(), begins_alike) - next);
  }
  return entries_.emplace(directory, std::move(entries)).first->second;
}

Neighbourhood::Kind Neighbourhood::kind_of(Entry& entry) {
  if (entry.kind != Kind::NotAsked) return entry.kind;
  entry.kind = Kind::Other;
  if (const Result<FileStatus, Errno> status = files_.status(entry.path)) {
    if (status->kind == FileKind::Directory) {
      entry.kind = files_.read_link(entry.path) ? Kind::LinkToDirectory : Kind::Directory;
    } else if (status->kind == FileKind::Regular && (status->mode & 0111) != 0) {
      entry.kind = Kind::Executable;
    }
  }
  return entry.kind;
}

std::shared_ptr<const NearFile> Neighbourhood::file(const std::string& path) {
  if (const auto known = near_.find(path); known != near_.end()) return known->second;
  std::shared_ptr<NearFile> facts;
  if (const Result<OpenedObject> opened = open_object(files_, path, path); opened && opened->elf.has_dynamic) {
    const ElfObject& elf = opened->elf;
    facts = std::make_shared<NearFile>();
    facts->path = path;
    facts->soname = elf.soname.value_or(file_name_of(path));
    facts->target = elf.target;
    facts->has_interp = elf.has_interp;
    for (const NeedEntry& need : elf.needs) {
      if (facts->needs.size() == kMostNeeds) break;
      facts->needs.emplace_back(need.name);
    }
    known_ += facts->needs.size();
  }
  make_room();
  return near_.emplace(path, std::move(facts)).first->second;
}

std::shared_ptr<FilesAround> Neighbourhood::around(const std::string& directory) const {
  const auto known = around_.find(directory);
  return known == around_.end() ? nullptr : known->second;
}

void Neighbourhood::keep_around(const std::string& directory, std::shared_ptr<FilesAround> files, std::size_t names) {
  known_ += names;
  make_room();
  around_.insert_or_assign(directory, std::move(files));
}

std::shared_ptr<const HashValues> Neighbourhood::defined_in(const std::string& path) {
  if (const auto known = defined_.find(path); known != defined_.end()) return known->second;
  constexpr std::size_t kValuesOfOne = 16;  // that take as much room as a name
  std::shared_ptr<const HashValues> values;
  const Result<OpenedObject> opened = open_object(files_, path, path);
  if (opened && opened->elf.symbol_tags.gnu_hash) {
    TableReader reader(*opened->file, opened->elf, scratch_, TableReader::Purpose::Hashes);
    GnuTable table;
    std::vector<std::uint32_t> chain;
    if (!table.read(reader, static_cast<std::uint64_t>(*opened->elf.symbol_tags.gnu_hash), chain)) {
      known_ += chain.size() / kValuesOfOne;
      values = std::make_shared<const HashValues>(chain);
    }
  }
  make_room();
  return defined_.emplace(path, std::move(values)).first->second;
}

}  // namespace soresolve
