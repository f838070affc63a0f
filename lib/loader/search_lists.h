// Which directories a request searches: the tags of the objects of a map, split and expanded.
//
// Source: glibc elf/dl-load.c:cache_rpath, _dl_map_object (the RPATH chain), _dl_init_paths.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/name_search.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// The lists of one process; each is made when it is first needed.
class SearchLists {
 public:
  /// All three must outlive it.
  SearchLists(const System& system, const Process& process, DirectoryTable& directories)
      : system_(system), process_(process), directories_(directories) {}

  /// LD_LIBRARY_PATH, unless it is unset or AT_SECURE forbids it; expanded as the program's.
  std::optional<std::string_view> library_path() const;

  /// What the tokens stand for in the strings of `owner`.
  TokenValues token_values(const LinkMap& map, ObjectIndex owner);

  /// The request of `needer` for `name`. It borrows from this object until the next call.
  SearchRequest make_request(const LinkMap& map, ObjectIndex needer, std::string_view name);

  /// Objects from this one on are gone: others may come to have their numbers.
  void forget_from(ObjectIndex first) {
    lists_.resize(std::min<std::size_t>(lists_.size(), first));
    rpath_from_.resize(std::min<std::size_t>(rpath_from_.size(), first));
  }

 private:
  struct ObjectLists {
    std::optional<SearchList> rpath;
    std::optional<SearchList> runpath;
  };
  SearchList make_tag_list(const LinkMap& map, ObjectIndex owner, std::string_view text);
  ObjectLists& lists_of(ObjectIndex owner);
  const SearchList* rpath_of(const LinkMap& map, ObjectIndex owner);
  const SearchList* runpath_of(const LinkMap& map, ObjectIndex owner);
  ObjectIndex first_with_rpath(const LinkMap& map, ObjectIndex at);

  const System& system_;
  const Process& process_;
  DirectoryTable& directories_;
  std::vector<std::unique_ptr<ObjectLists>> lists_;
  /// The first of the objects from this one upward that has an RPATH: a chain of thousands is gone through once.
  std::vector<std::optional<ObjectIndex>> rpath_from_;
  TextArena origins_;
  std::vector<TaggedList> chain_;
};

}  // namespace soresolve
