// What the files of a tree tell of themselves when somebody's process is looked for, each read once: a tree in which
// a library of many is missing asks for the same directories and programs a thousand times.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "symbols/own_symbols.h"

namespace soresolve {

/// One ELF file of the tree that the loader knows what to do with.
struct NearFile {
  std::string path;
  std::string soname;  ///< or its file name
  std::vector<std::string> needs;
  ElfTarget target;
  bool has_interp = false;
};

struct FilesAround;

/// For one thread. What it has said it goes on saying: files that change meanwhile are not read again.
class Neighbourhood {
 public:
  explicit Neighbourhood(const FileSystem& files) : files_(files) {}

  [[nodiscard]] const FileSystem& files() const { return files_; }
  /// Without links; nullopt: there is no such path.
  std::optional<std::string> real_path(const std::string& path);
  /// What a path leads to: `Executable` is a regular file that somebody may execute.
  enum class Kind : std::uint8_t { NotAsked, Other, Directory, LinkToDirectory, Executable };
  /// One name in a directory.
  struct Entry {
    std::string path;
    std::string_view name;       ///< the last part of `path`
    std::size_t family = 0;      ///< others in the directory whose names begin with this one
    bool is_library = false;     ///< by its name
    Kind kind = Kind::NotAsked;  ///< see kind_of()
  };
  /// Those in a directory, in the order of FileSystem::list_directory(); none if it cannot be listed.
  std::shared_ptr<std::vector<Entry>> entries_in(const std::string& directory);
  Kind kind_of(Entry& entry);

  /// nullptr: it is no dynamic ELF file, or it cannot be read.
  std::shared_ptr<const NearFile> file(const std::string& path);
  /// Of the symbols that the file defines, by its DT_GNU_HASH; nullptr: it has no such table, or it cannot be read.
  std::shared_ptr<const HashValues> defined_in(const std::string& path);

  /// What lies around the files of a directory (surroundings.h), as it was kept; nullptr: it was not.
  [[nodiscard]] std::shared_ptr<FilesAround> around(const std::string& directory) const;
  void keep_around(const std::string& directory, std::shared_ptr<FilesAround> files, std::size_t names);

 private:
  /// For one more: where too much is known, all is forgotten, so that a tree of a million files fits the memory.
  void make_room();

  static constexpr std::size_t kMostKnown = std::size_t{1} << 19;  ///< of names, in all maps together
  static constexpr std::size_t kMostNeeds = std::size_t{1} << 16;  ///< of one file

  const FileSystem& files_;
  std::size_t known_ = 0;
  std::unordered_map<std::string, std::optional<std::string>> real_paths_;
  std::unordered_map<std::string, std::shared_ptr<std::vector<Entry>>> entries_;
  std::unordered_map<std::string, std::shared_ptr<const NearFile>> near_;
  std::unordered_map<std::string, std::shared_ptr<const HashValues>> defined_;
  std::unordered_map<std::string, std::shared_ptr<FilesAround>> around_;
  TableScratch scratch_;
};

}  // namespace soresolve
