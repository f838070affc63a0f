// The list of bindings, in the words of LD_DEBUG=bindings.
#pragma once
#include <functional>
#include <string_view>

#include "loader/process.h"
#include "soresolve/link_map.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// The program as argv[0], all others by their paths.
inline std::string_view binding_name(const LinkMap& map, ObjectIndex object) {
  return object == 0 ? std::string_view(map.process->argv0) : map.objects[object].path;
}

/// One line of the list.
struct ListedBinding {
  std::string_view referrer;  ///< the program as argv[0], libraries by their paths
  const SymbolBinding& binding;
  std::string_view provider;
};
/// Each reference of what was asked about that is bound, in the order of relocation; equal ones of
/// one referrer come once.
void for_each_listed(const LinkMap& map, const Bindings& bindings, const BindingFilter& filter,
                     const std::function<void(const ListedBinding&)>& visit);

}  // namespace soresolve
