// What lies around a file: the programs that may load it and the libraries beside it, nearest first, by names alone.
//
// A tree is laid out as the GNU coding standards and the FHS say: PREFIX/bin, sbin, libexec beside PREFIX/lib, and in
// that a folder of its own for what a package has more of. So a file has prefixes, one for each directory "lib" on its
// path, and below the farther ones a folder of its own: /usr/lib/jvm/NAME/lib/libx.so has the prefixes
// /usr/lib/jvm/NAME and /usr, and below /usr/lib the folder jvm. What lies around the files of one directory is listed
// once. Links are not followed into further directories, and what is beyond the limits is left out and told.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "soresolve/link_map.h"
#include "world/neighbourhood.h"

namespace soresolve {

inline constexpr std::size_t kMostNamesAround = 20000;      ///< in all directories together
inline constexpr std::size_t kMostDirectoriesAround = 512;  ///< that are listed
inline constexpr std::size_t kMostLibrariesRead = 4000;

/// Of all files of a directory.
struct FilesAround {
  struct Program {
    const Neighbourhood::Entry* entry = nullptr;
    unsigned level = 0;       ///< of the prefix, the nearest first
    unsigned likeness = 0;    ///< of its name to those on the files' path
    bool is_own = false;      ///< in a prefix of the files' own
    bool may_be_like = true;  ///< can be meant by the name of a file
  };
  /// What may be one: by the level, in a level those with the largest family first, then in the order of the
  /// directories.
  std::vector<Program> programs;
  std::vector<const Neighbourhood::Entry*> libraries;                           ///< in the order of the directories
  std::vector<std::shared_ptr<std::vector<Neighbourhood::Entry>>> directories;  ///< whose entries they are
  bool is_cut_short = false;

  /// The path of the first library of this file name; nullptr: there is none.
  const std::string* library_of_name(std::string_view file_name);
  /// Those that need a library, by what the first kMostLibrariesRead say of themselves, which are read when this is
  /// asked first; in their order.
  const std::vector<std::shared_ptr<const NearFile>>& that_need(Neighbourhood& near, std::string_view soname);

 private:
  void read_libraries(Neighbourhood& near);

  std::unordered_map<std::string_view, const std::string*> by_name_;
  bool is_read_ = false;
  std::vector<std::shared_ptr<const NearFile>> read_;  ///< whose names are borrowed below
  std::unordered_map<std::string_view, std::vector<std::shared_ptr<const NearFile>>> by_need_;
};

/// Of one file; it is among its files itself.
struct Surroundings {
  std::string path;  ///< of the file, without links
  std::shared_ptr<FilesAround> files;
  /// Of `files`, without the file: the nearest prefix first, in each the likeliest name first.
  std::vector<const FilesAround::Program*> programs;
  /// So many of `programs` lie in a prefix of the file's own, or have a name like those on its path.
  std::size_t related_programs = 0;
};

/// `path` is absolute.
Surroundings read_surroundings(Neighbourhood& near, std::string_view path);

/// The programs of these names, of each the first in PATH or in the directories that services have as well: hosts of
/// modules that lie anywhere.
std::vector<std::string> programs_in_path(const FileSystem& files, const Environment& environment,
                                          const std::vector<std::string>& names);

}  // namespace soresolve
