// Splits a list into directories, each once in a list, and keeps what is known of a directory for all lists. Source:
// glibc 2.36 elf/dl-load.c:fillin_rpath, decompose_rpath. Whether a directory exists is found in name_search.cc.
#include "loader/search_path.h"

#include <functional>
#include <optional>

namespace soresolve {

std::uint32_t DirectoryTable::intern(std::string name) {
  const std::size_t hash = std::hash<std::string>()(name);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (directories_[at->second].name == name) return at->second;
  }
  // Relative directories are never taken for absent: the current directory may change.
  const DirectoryStatus initial = name.starts_with('/') ? DirectoryStatus::Unknown : DirectoryStatus::Existing;
  directories_.push_back({std::move(name), std::vector(subdirectory_count_, initial), 0});
  const std::uint32_t index = static_cast<std::uint32_t>(directories_.size() - 1);
  by_hash_.emplace(hash, index);
  return index;
}

void DirectoryTable::append(SearchList& list, std::string name, std::string_view written) {
  const std::uint32_t directory = intern(std::move(name));
  if (directories_[directory].listed_in == lists_) return;
  directories_[directory].listed_in = lists_;
  list.push_back({directory, written});
}

SearchList DirectoryTable::make_list(std::string_view text, ListSyntax syntax, const TokenValues& values) {
  SearchList list;
  if (text.empty()) return list;  // an empty string is no list, not the current directory
  ++lists_;
  const std::string_view separators = syntax == ListSyntax::Environment ? ":;" : ":";
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    const std::string_view written = text.substr(0, end);
    if (written.empty()) {
      append(list, empty_element_is_dot_ ? "./" : "", written);
    } else if (std::optional<std::string> name = expand_tokens(written, values); name && !name->empty()) {
      while (name->size() > 1 && name->back() == '/') name->pop_back();
      if (name->back() != '/') *name += '/';
      append(list, std::move(*name), written);
    }
    if (end == std::string_view::npos) return list;
    text.remove_prefix(end + 1);
  }
}

SearchList DirectoryTable::make_system_list(const std::vector<std::string>& directories) {
  // Not through append(): the loader's own list keeps duplicates, and they cost nothing.
  SearchList list;
  for (const std::string& directory : directories) list.push_back({intern(directory), directory});
  return list;
}

}  // namespace soresolve
