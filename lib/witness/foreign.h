// What a file of another system is, in words.
#pragma once
#include "soresolve/statement.h"
#include "witness/lief_facts.h"

namespace soresolve::witness {

/// "PE library for Windows, x86-64", "universal Mach-O program for macOS, x86-64 and ARM64".
Statement describe(const ForeignFacts& foreign);

/// Why ld.so takes no such file.
Statement refusal_by_loader(const ForeignFacts& foreign);

}  // namespace soresolve::witness
