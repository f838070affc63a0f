// Names below glibc-hwcaps first, then every combination of legacy names (up to 2.36), then the directory itself.
// Source: glibc 2.36 elf/dl-hwcaps.c:_dl_important_hwcaps. Which names a processor has is decided in cpu.cc.
#include "loader/hwcaps.h"
#include "loader/cpu.h"
#include "loader/loader_rules.h"

#include <algorithm>

namespace soresolve {
namespace {

/// All combinations of the legacy components, "all of them" first, the empty one left out. The last
/// component is the most significant one of the count and the first in each path.
void add_legacy(std::vector<std::string>& list, const std::vector<std::string>& components) {
  const unsigned all = (1u << components.size()) - 1;
  for (unsigned set = all; set != 0; --set) {
    std::string path;
    for (std::size_t i = components.size(); i-- > 0;) {
      if ((set >> i & 1) != 0) path += components[i] + '/';
    }
    list.push_back(std::move(path));
  }
}

}  // namespace

std::vector<std::string> active_hwcaps(const LoaderRules& rules, const Cpu& cpu) {
  const std::size_t usable =
      std::min(rules.glibc_hwcaps.size(), static_cast<std::size_t>(std::max(cpu.hwcaps_usable, 0)));
  return {rules.glibc_hwcaps.end() - static_cast<std::ptrdiff_t>(usable), rules.glibc_hwcaps.end()};
}

std::vector<std::string> capability_subdirectories(const LoaderRules& rules, const Cpu& cpu) {
  std::vector<std::string> list;
  if (rules.has_glibc_hwcaps) {
    for (const std::string& name : active_hwcaps(rules, cpu)) {
      list.push_back("glibc-hwcaps/" + name + '/');
    }
  }
  if (rules.has_legacy_hwcaps) {
    std::vector<std::string> components = cpu.legacy_names;
    if (!cpu.platform.empty()) components.push_back(cpu.platform);
    components.emplace_back("tls");
    add_legacy(list, components);
  }
  list.emplace_back();
  return list;
}

}  // namespace soresolve
