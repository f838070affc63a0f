// Which native files of a package the import has left alone.
//
// A package with a RECORD, or of conda, has the files that stand there, in the directory where it was found; any other
// has what lies in its own directory. A file counts if it bears a library's name, is a library of the interpreter's
// machine, and is no extension module for another interpreter. What another of these files needs is loaded with that,
// by that one's search lists, and is no question of its own.
//
// For example: numpy has 40 extension modules, `import numpy` loads 15; of the other 25 the one in numpy/fft is opened
// by `import numpy.fft`. numpy.libs/libopenblas.so is needed by two of them.
#include "world/package_files.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/library_file.h"
#include "base/path.h"
#include "python/tokens.h"
#include "symbols/offer.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

/// Not a link to one.
bool is_directory(const FileSystem& files, const DirectoryEntry& entry, const std::string& path) {
  if (entry.kind != EntryKind::Unknown) return entry.kind == EntryKind::Directory;
  const Result<FileStatus, Errno> status = files.status(path);
  return status && status->kind == FileKind::Directory && !files.read_link(path);
}

/// Adds what lies below `directory`.
void list_below(const FileSystem& files, const std::string& directory, std::vector<std::string>& paths,
                std::size_t& entries_left) {
  const Result<std::vector<DirectoryEntry>, Errno> entries = files.list_entries(directory);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    if (entries_left == 0) return;
    --entries_left;
    std::string path = path_in(directory, entry.name);
    if (is_directory(files, entry, path)) {
      if (entry.name != "__pycache__") list_below(files, path, paths, entries_left);
    } else if (has_library_name(entry.name)) {
      paths.push_back(std::move(path));
    }
  }
}

class PackageFiles {
 public:
  PackageFiles(const FileSystem& files, const PackageOwners& owners, const ImportedPackage& package,
               const ElfTarget& target, const LinkMap& loaded)
      : files_(files), owners_(owners), package_(package), target_(target), loaded_(loaded) {}

  std::vector<OnDemandFile> run() {
    if (package_.module.file.empty()) return {};  // a namespace: parts of many packages
    const std::string folder(directory_of(package_.module.file));
    site_ = package_.module.is_package ? std::string(directory_of(folder)) : folder;
    for (const std::string& path : paths_below(folder)) {
      if (found_.size() < kMaxPackageFiles) read(path);
    }
    std::vector<OnDemandFile> left;
    for (Native& native : found_) {
      if (!native.is_loaded && !is_needed(native)) left.push_back(std::move(native.file));
    }
    return left;
  }

 private:
  struct Native {
    OnDemandFile file;
    std::string soname;
    std::vector<std::string> needs;
    bool is_loaded = false;
  };

  [[nodiscard]] std::vector<std::string> paths_below(const std::string& folder) const {
    std::vector<std::string> paths;
    const std::optional<PackageOwner> owner = owners_.owner_of(package_.module.file);
    if (owner && (owner->by == PackageRecord::Wheel || owner->by == PackageRecord::Conda)) {
      for (std::string& path : owners_.files_of(*owner)) {
        const bool is_there = path.starts_with(site_ + "/") && has_library_name(path);
        if (is_there && paths.size() < kMaxPackageEntries) paths.push_back(std::move(path));
      }
    } else if (package_.module.is_package) {
      std::size_t entries_left = kMaxPackageEntries;
      list_below(files_, folder, paths, entries_left);
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  void read(const std::string& path) {
    const Result<OpenedObject> opened = open_object(files_, path, path);
    if (!opened || !opened->elf.has_dynamic || opened->elf.target != target_ || opened->elf.is_pie()) return;
    if (!seen_.insert({opened->file->status().id.device, opened->file->status().id.inode}).second) return;
    Native native;
    native.file.file = path;
    native.is_loaded = std::any_of(loaded_.objects.begin(), loaded_.objects.end(), [&](const LoadedObject& object) {
      return object.status.id == opened->file->status().id;
    });
    if (!native.is_loaded && !take_module(native.file, *opened)) return;
    if (opened->elf.soname) native.soname = *opened->elf.soname;
    for (const NeedEntry& need : opened->elf.needs) native.needs.emplace_back(need.name);
    found_.push_back(std::move(native));
  }

  /// Names the module that it is, if any. False: it is one for another interpreter.
  bool take_module(OnDemandFile& file, const OpenedObject& opened) const {
    const std::string_view name = file_name_of(file.file);
    const auto suffix = std::find_if(package_.suffixes.begin(), package_.suffixes.end(),
                                     [&](const std::string& one) { return name.ends_with(one); });
    if (suffix == package_.suffixes.end()) return true;
    const std::string_view stem = name.substr(0, name.size() - suffix->size());
    if (stem.find('.') != std::string_view::npos) return false;  // of ".cpython-39-x86_64-linux-gnu" before ".so"
    const std::string function = "PyInit_" + std::string(stem);
    const Result<SymbolTable> table = read_symbol_table(*opened.file, opened.elf, file.file);
    const bool is_module =
        table && std::any_of(table->symbols.begin(), table->symbols.end(), [&](const DynamicSymbol& symbol) {
          return symbol.name == function && is_offered(symbol);
        });
    if (is_module) file.module = module_name(stem == "__init__" ? std::string_view() : stem, file.file);
    return true;
  }

  /// "scipy.linalg._fblas"; empty where no import statement leads there.
  [[nodiscard]] std::string module_name(std::string_view stem, std::string_view path) const {
    std::string dotted;
    std::string_view folders = directory_of(path.substr(site_.size() + 1));
    if (folders == ".") folders = {};
    while (!folders.empty()) {
      const std::string_view folder = folders.substr(0, folders.find('/'));
      if (!python::is_identifier(folder)) return {};
      dotted.append(folder) += '.';
      folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    }
    if (!stem.empty()) return python::is_identifier(stem) ? dotted.append(stem) : std::string();
    if (!dotted.empty()) dotted.pop_back();
    return dotted;
  }

  /// Is it loaded with another file of the package?
  [[nodiscard]] bool is_needed(const Native& native) const {
    const std::string_view name = file_name_of(native.file.file);
    return std::any_of(found_.begin(), found_.end(), [&](const Native& other) {
      return &other != &native && std::any_of(other.needs.begin(), other.needs.end(), [&](const std::string& need) {
        return need == name || (!native.soname.empty() && need == native.soname);
      });
    });
  }

  const FileSystem& files_;
  const PackageOwners& owners_;
  const ImportedPackage& package_;
  const ElfTarget& target_;
  const LinkMap& loaded_;
  std::string site_;
  std::vector<Native> found_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
};

}  // namespace

std::vector<OnDemandFile> native_files_of(const FileSystem& files, const PackageOwners& owners,
                                          const ImportedPackage& package, const ElfTarget& target,
                                          const LinkMap& loaded) {
  return PackageFiles(files, owners, package, target, loaded).run();
}

}  // namespace soresolve
