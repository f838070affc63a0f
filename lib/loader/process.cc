// The last entry of a name counts, as in glibc 2.36 elf/rtld.c:process_envvars. Neither the environment nor the current
// directory of this process is read.
#include "loader/process.h"

namespace soresolve {

std::optional<std::string_view> Environment::value(std::string_view name) const {
  for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) {
    const std::string_view entry = *at;
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

}  // namespace soresolve
