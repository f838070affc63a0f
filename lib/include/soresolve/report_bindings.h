// Text views of bindings. Long lists go to a sink, piece by piece.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "soresolve/api.h"
#include "soresolve/bindings.h"
#include "soresolve/report.h"

namespace soresolve SORESOLVE_API {

using TextSink = std::function<void(std::string_view)>;
using BindingFilter = std::function<bool(const SymbolBinding&)>;

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

/// "REFERRER\tSYMBOL\tVERSION\tPROVIDER" for each of them, "-" for no version.
void write_bindings(const LinkMap& map, const Bindings& bindings, const BindingFilter& filter, const TextSink& write);

}  // namespace SORESOLVE_API
