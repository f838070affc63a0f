// Which lists one request searches: RPATHs from the needer upward unless it has a RUNPATH, then its own RUNPATH.
// Source: glibc 2.36 elf/dl-load.c:_dl_map_object, cache_rpath. Each list is split once (search_path.cc);
// LD_LIBRARY_PATH and the default directories are the same for all requests and lie in name_search.cc.
#include "loader/search_lists.h"

#include "loader/load.h"

namespace soresolve {

std::optional<std::string_view> SearchLists::library_path() const {
  if (process_.secure) return std::nullopt;
  return process_.environment.value("LD_LIBRARY_PATH");
}

TokenValues SearchLists::token_values(const LinkMap& map, ObjectIndex owner) {
  TokenValues values;
  if (auto origin = origin_of(map, owner)) {
    values.origin = origins_.keep(*origin);
  }
  if (!process_.cpu.platform.empty()) values.platform = process_.cpu.platform;
  values.lib = system_.rules.lib_token;
  values.is_secure = process_.secure;
  values.is_executable = owner == 0;
  values.system_dirs = system_.rules.system_dirs;
  return values;
}

/// Splits a tag's list. Its owner's token values are worked out only if it has a token.
SearchList SearchLists::make_tag_list(const LinkMap& map, ObjectIndex owner, std::string_view text) {
  const TokenValues values = text.find('$') == std::string_view::npos ? TokenValues{} : token_values(map, owner);
  return directories_.make_list(text, ListSyntax::Tag, values);
}

SearchLists::ObjectLists& SearchLists::lists_of(ObjectIndex owner) {
  if (owner >= lists_.size()) lists_.resize(owner + 1);
  if (!lists_[owner]) lists_[owner] = std::make_unique<ObjectLists>();
  return *lists_[owner];
}

const SearchList* SearchLists::rpath_of(const LinkMap& map, ObjectIndex owner) {
  const ElfObject& elf = map.objects[owner].elf;
  if (!elf.rpath || elf.runpath) return nullptr;  // DT_RUNPATH erases the object's own DT_RPATH
  std::optional<SearchList>& list = lists_of(owner).rpath;
  if (!list) {
    list = make_tag_list(map, owner, *elf.rpath);
  }
  return list->empty() ? nullptr : &*list;
}

const SearchList* SearchLists::runpath_of(const LinkMap& map, ObjectIndex owner) {
  const ElfObject& elf = map.objects[owner].elf;
  if (!elf.runpath) return nullptr;
  std::optional<SearchList>& list = lists_of(owner).runpath;
  if (!list) {
    list = make_tag_list(map, owner, *elf.runpath);
  }
  return list->empty() ? nullptr : &*list;
}

/// `at` or the nearest above it that has an RPATH; kNoObject: none has.
ObjectIndex SearchLists::first_with_rpath(const LinkMap& map, ObjectIndex at) {
  rpath_from_.resize(std::max(rpath_from_.size(), map.objects.size()));
  const ObjectIndex start = at;
  ObjectIndex found = kNoObject;
  std::size_t steps = 0;
  for (; at != kNoObject && steps <= map.objects.size(); at = map.objects[at].loader, ++steps) {
    if (rpath_from_[at] || rpath_of(map, at) != nullptr) {
      found = rpath_from_[at].value_or(at);
      break;
    }
  }
  for (at = start; steps != 0; at = map.objects[at].loader, --steps) rpath_from_[at] = found;
  return found;
}

SearchRequest SearchLists::make_request(const LinkMap& map, ObjectIndex needer, std::string_view name) {
  SearchRequest request;
  request.name = name;
  chain_.clear();
  const ElfObject& elf = map.objects[needer].elf;
  if (!elf.runpath) {
    bool did_main = false;
    std::size_t steps = 0;
    for (ObjectIndex at = first_with_rpath(map, needer); at != kNoObject && steps <= map.objects.size(); ++steps) {
      chain_.push_back({at, rpath_of(map, at)});
      did_main |= at == 0;
      const ObjectIndex above = map.objects[at].loader;
      at = above == kNoObject ? kNoObject : first_with_rpath(map, above);
    }
    if (!did_main) {
      if (const SearchList* list = rpath_of(map, 0)) chain_.push_back({0, list});
    }
  }
  request.rpath_chain = chain_;
  if (const SearchList* list = runpath_of(map, needer)) request.runpath = {needer, list};
  request.bars_default_dirs = elf.is_no_default_lib();
  return request;
}

}  // namespace soresolve
