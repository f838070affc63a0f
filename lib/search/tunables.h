// GLIBC_TUNABLES: entries NAME=VALUE, separated by colons (glibc elf/dl-tunables.c).
#pragma once
#include <algorithm>
#include <string_view>

namespace soresolve {

/// Calls visit(entry) for each entry, in order. Of valid entries of one name the last one counts.
template <class Visit>
void for_each_tunable(std::string_view tunables, Visit visit) {
  while (!tunables.empty()) {
    const std::size_t colon = std::min(tunables.find(':'), tunables.size());
    visit(tunables.substr(0, colon));
    tunables.remove_prefix(std::min(colon + 1, tunables.size()));
  }
}

}  // namespace soresolve
