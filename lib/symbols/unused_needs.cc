// Pairs each DT_NEEDED with the bindings of its needer. Source: `ldd -u`, glibc 2.36 elf/rtld.c:dl_main
// (LD_DEBUG=unused). Left out: libraries that are needed for their constructors, or opened by name later.
#include "soresolve/symbols.h"

#include <set>
#include <utility>

#include "symbols/unused_needs.h"

namespace soresolve {

std::vector<UnusedNeed> find_unused_needs(const LinkMap& map, const Bindings& bindings, Needers needers) {
  std::set<std::pair<ObjectIndex, ObjectIndex>> uses;  // who, whom
  bindings.for_each([&](const Bindings::Event& event) {
    // What ld.so looks up in the program's name makes nothing worth linking with.
    if (event.binding == nullptr || event.binding->is_loaders_own) return;
    if (event.binding->is_bound()) uses.emplace(event.binding->referrer, event.binding->provider);
  });
  const ObjectIndex file = map.subject_root();
  const std::vector<bool> belongs = map.target_closure();
  std::vector<UnusedNeed> unused;
  for (ObjectIndex needer = 0; needer < map.objects.size(); ++needer) {
    if (!belongs[needer] || (needers == Needers::File && needer != file)) continue;
    const std::vector<Need>& needs = map.objects[needer].needs;
    for (std::uint32_t i = 0; i < needs.size(); ++i) {
      const ObjectIndex target = needs[i].target;
      if (needs[i].kind != NeedKind::Needed || target == kNoObject) continue;
      // What has no file of its own offers nothing that could be used.
      const ObjectRole role = map.objects[target].role;
      if (role != ObjectRole::Library && role != ObjectRole::Loader) continue;
      // Told once, under the first of several names.
      if (uses.emplace(needer, target).second) unused.push_back({needer, i, target});
    }
  }
  return unused;
}

}  // namespace soresolve
