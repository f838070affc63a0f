// What random trees are made of: names, directories, path lists, requests.
#pragma once
#include <string>
#include <vector>

#include "support/elf_writer.h"
#include "support/random.h"

namespace soresolve::test {

/// Which ingredients one tree has. Those that are off never occur in it.
struct Ingredients {
  bool library_path = false;
  bool odd_lists = false;  ///< empty, relative, doubled, over-long elements; `;`
  bool tokens = false;     ///< $ORIGIN, $LIB, $PLATFORM, malformed ones
  bool slashes = false;    ///< names with a slash
  bool odd_names = false;  ///< "", the vDSO, the loader, over-long names
  bool missing = false;    ///< libraries that are nowhere
  bool cache = false;
  bool odd_cache = false;  ///< old formats, wrong flags, damage
  bool hwcaps = false;     ///< glibc-hwcaps and legacy subdirectories
  bool tunables = false;   ///< a processor with fewer features
  bool links = false;      ///< hard and symbolic links, copies
  bool loops = false;      ///< symbolic link loops, links through files, sockets
  bool sonames = false;    ///< absent, foreign, shared
  bool preload = false;
  bool preload_file = false;
  bool filters = false;  ///< DT_FILTER, DT_AUXILIARY
  bool no_default_lib = false;
  bool skipped_files = false;   ///< bad files that are passed over
  bool fatal_files = false;     ///< bad files that end the start
  bool blocking_files = false;  ///< FIFOs
  bool versions = false;        ///< DT_VERNEED, right and wrong
  bool permissions = false;     ///< started by another user who may not read everything
  bool secure = false;          ///< set-uid program
  bool no_proc = false;
  bool libc = false;   ///< the real libc in the map
  bool dense = false;  ///< all is found, and needs much of the rest: what is the order?
};
Ingredients choose_ingredients(Random& random, bool has_users);

/// The names and places that a tree is built from.
struct Vocabulary {
  std::vector<std::string> names;        ///< file names and SONAMEs of libraries
  std::vector<std::string> directories;  ///< where libraries lie
  std::string cwd = "/";
};
Vocabulary choose_vocabulary(Random& random, const Ingredients& with, std::size_t libraries);

/// A value for RPATH, RUNPATH (separator `:`) or LD_LIBRARY_PATH (also `;`).
/// Everywhere: all directories of the vocabulary, so that most things are found.
enum class ListFor : std::uint8_t { Tag, Environment, Everywhere };
std::string make_path_list(Random& random, const Ingredients& with, const Vocabulary& words, ListFor purpose);

/// A value for DT_NEEDED and its like.
std::string make_request(Random& random, const Ingredients& with, const Vocabulary& words);

/// A subdirectory that some loader searches before the directory itself, or nearly one.
std::string make_hwcaps_directory(Random& random);

/// `path` as seen from `cwd`, through `..` where needed.
std::string make_relative(const std::string& path, const std::string& cwd);

}  // namespace soresolve::test
