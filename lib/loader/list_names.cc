// Builds an index of one namespace's names at its first question, the first object of each name winning, as the walk
// over the list does in glibc 2.36 elf/dl-version.c:find_needed. Objects that join the list later are not in it.
#include "loader/list_names.h"

namespace soresolve {

ObjectIndex ListNames::first(std::string_view name, std::uint32_t space) {
  const auto [at, is_new] = spaces_.try_emplace(space);
  NameIndex& names = at->second;
  if (is_new) {
    for (const ObjectIndex index : map_.list_order) {
      const LoadedObject& object = map_.objects[index];
      if (object.space != space && object.role != ObjectRole::Loader) continue;
      object.for_each_name([&](std::string_view known) { names.add_unless_known(known, index); });
    }
  }
  return names.find(name);
}

}  // namespace soresolve
