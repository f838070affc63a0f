// What lies around a file: the programs that may load it and the libraries beside it, nearest first, by names alone.
//
// A tree is laid out as the GNU coding standards and the FHS say: PREFIX/bin, sbin, libexec beside PREFIX/lib, and in
// that a folder of its own for what a package has more of. So a file has prefixes, one for each directory "lib" on its
// path, and below the farther ones a folder of its own: /usr/lib/jvm/NAME/lib/libx.so has the prefixes
// /usr/lib/jvm/NAME and /usr, and below /usr/lib the folder jvm. Nothing is opened here, links are not followed into
// further directories, and what is beyond the limits is left out and told.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "world/neighbourhood.h"

namespace soresolve {

inline constexpr std::size_t kMostNamesAround = 20000;      ///< in all directories together
inline constexpr std::size_t kMostDirectoriesAround = 512;  ///< that are listed

struct Surroundings {
  std::string path;                   ///< of the file, without links
  std::vector<std::string> programs;  ///< what may be one: the nearest prefix first, in each the likeliest name first
  std::vector<std::string> libraries;
  /// So many of `programs` lie in a prefix of the file's own, or have a name like those on its path.
  std::size_t related_programs = 0;
  bool is_cut_short = false;
};

/// `path` is absolute. Files of the package that the file belongs to, where somebody knows them, come before all.
Surroundings read_surroundings(Neighbourhood& near, std::string_view path,
                               const std::vector<std::string>& package_files = {});

}  // namespace soresolve
