// A function that a program looked up in a library that it had loaded: dlsym(3) failed, and nothing else.
//
// The loader has the same words for it as for a reference that it cannot bind: "FILE: undefined symbol: X". Python
// prints them as an AttributeError of ctypes, JNA as "Error looking up function", Julia, LuaJIT, Rust and others in
// words of their own. What tells the two apart is the file: it loads, and does not refer to X. Then its own tables and
// those of the libraries beside it say the rest: another one defines X (a build for the CPU was loaded instead of that
// for CUDA), or X is there as a C++ function (no extern "C").
//
// Source: glibc dlfcn/dlsym.c, elf/dl-sym.c. Not here: a symbol that the file itself refers to (failed_process.h).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "command.h"
#include "report/explain_report.h"

namespace soresolve::tool {

/// nullopt: the file is not here, does not load, refers to the symbol, or defines it. `file` may be a name alone: then
/// it is searched for as dlopen does.
std::optional<MissingFunctionReport> find_missing_function(WorldHere& world, const std::string& file,
                                                           std::string_view symbol);

}  // namespace soresolve::tool
