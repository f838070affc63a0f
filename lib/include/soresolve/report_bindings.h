// Text views of bindings. Long lists go to a sink, piece by piece.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "soresolve/bindings.h"
#include "soresolve/report.h"

namespace soresolve {

using TextSink = std::function<void(std::string_view)>;
using BindingFilter = std::function<bool(const SymbolBinding&)>;

/// "REFERRER\tSYMBOL\tVERSION\tPROVIDER" for each reference that is bound, in the order of
/// relocation, "-" for no version; the program as argv[0], libraries by their paths. Equal lines of
/// one referrer come once.
void write_bindings(const Process& process, const LinkMap& map, const Bindings& bindings,
                    const BindingFilter& filter, const TextSink& write);

}  // namespace soresolve
