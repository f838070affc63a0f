// Which object of a link map's list goes by a name: for whoever asks of many, as the check of versions does.
//
// The loader walks the list of the namespace and takes the first object whose path or requested name it is, or
// ld.so, which is in every namespace (glibc elf/dl-version.c:find_needed, elf/dl-misc.c:_dl_name_match_p).
#pragma once
#include <cstdint>
#include <map>
#include <string_view>

#include "loader/name_index.h"
#include "soresolve/link_map.h"

namespace soresolve {

class ListNames {
 public:
  /// The map must outlive it.
  explicit ListNames(const LinkMap& map) : map_(map) {}

  /// The first object of the list that goes by `name`; kNoObject where none does.
  [[nodiscard]] ObjectIndex first(std::string_view name, std::uint32_t space);

 private:
  const LinkMap& map_;
  std::map<std::uint32_t, NameIndex> spaces_;  ///< made when one is asked for
};

}  // namespace soresolve
