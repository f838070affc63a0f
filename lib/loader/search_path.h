// Search lists, and what the loader remembers of each directory while a process lives.
//
// Source: glibc elf/dl-load.c:fillin_rpath, decompose_rpath, open_path.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loader/tokens.h"

namespace soresolve {

/// What is known of one directory, per capability subdirectory.
enum class DirectoryStatus : std::uint8_t { Unknown, Existing, Nonexisting };

/// One directory as the loader keeps it: process-wide, the same string is the same entry.
struct SearchDirectory {
  std::string name;                     ///< with its trailing slash; "" is the current directory
  std::vector<DirectoryStatus> status;  ///< parallel to the capability subdirectories
  std::uint32_t listed_in = 0;          ///< the last list that has it, by the number of its making
};

/// One element of a list.
struct ListElement {
  std::uint32_t directory = 0;  ///< index into the table
  std::string_view written;     ///< the element before expansion; borrows from the list's source
};
using SearchList = std::vector<ListElement>;

/// What separates the elements: `:` in tags, `:` and `;` in LD_LIBRARY_PATH.
enum class ListSyntax : std::uint8_t { Tag, Environment };

/// The directories of one process.
class DirectoryTable {
 public:
  DirectoryTable(std::size_t subdirectory_count, bool empty_element_is_dot)
      : subdirectory_count_(subdirectory_count), empty_element_is_dot_(empty_element_is_dot) {}

  /// Splits and expands `text`. Elements whose tokens have no value are dropped, an element that
  /// occurs twice counts once. `text` must outlive the list.
  SearchList make_list(std::string_view text, ListSyntax syntax, const TokenValues& values);

  /// A list of directories that are final as they are (the compiled-in ones).
  SearchList make_system_list(const std::vector<std::string>& directories);

  [[nodiscard]] SearchDirectory& at(std::uint32_t index) { return directories_[index]; }
  [[nodiscard]] const SearchDirectory& at(std::uint32_t index) const { return directories_[index]; }

 private:
  std::uint32_t intern(std::string name);
  void append(SearchList& list, std::string name, std::string_view written);

  std::size_t subdirectory_count_;
  bool empty_element_is_dot_;
  std::uint32_t lists_ = 0;  ///< made so far
  std::vector<SearchDirectory> directories_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;  ///< of the name
};

}  // namespace soresolve
