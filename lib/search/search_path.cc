#include "search/search_path.h"

#include <algorithm>
#include <optional>

namespace soresolve {

std::uint32_t DirectoryTable::intern(std::string name) {
  // Lists are short, and the loader itself searches linearly.
  const auto found = std::find_if(directories_.begin(), directories_.end(),
                                  [&](const SearchDirectory& d) { return d.name == name; });
  if (found != directories_.end()) {
    return static_cast<std::uint32_t>(found - directories_.begin());
  }
  // Relative directories are never taken for absent: the current directory may change.
  const DirectoryStatus initial =
      name.starts_with('/') ? DirectoryStatus::Unknown : DirectoryStatus::Existing;
  directories_.push_back({std::move(name), std::vector(subdirectory_count_, initial)});
  return static_cast<std::uint32_t>(directories_.size() - 1);
}

void DirectoryTable::append(SearchList& list, std::string name, std::string_view written) {
  const std::uint32_t directory = intern(std::move(name));
  const bool is_listed = std::any_of(list.begin(), list.end(), [&](const ListElement& element) {
    return element.directory == directory;
  });
  if (!is_listed) list.push_back({directory, written});
}

SearchList DirectoryTable::make_list(std::string_view text, ListSyntax syntax,
                                     const TokenValues& values) {
  SearchList list;
  if (text.empty()) return list;  // an empty string is no list, not the current directory
  const std::string_view separators = syntax == ListSyntax::Environment ? ":;" : ":";
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    const std::string_view written = text.substr(0, end);
    if (written.empty()) {
      append(list, empty_element_is_dot_ ? "./" : "", written);
    } else if (std::optional<std::string> name = expand_tokens(written, values);
               name && !name->empty()) {
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
