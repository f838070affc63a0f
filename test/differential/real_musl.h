// The real musl loader's answer about a tree.
#pragma once
#include "differential/answer.h"
#include "differential/real_loader.h"
#include "differential/tree.h"

namespace soresolve::test {

/// Runs `LDSO --list FILE` (or the command alone, where its name ends in "ldd"), and a normal start. What that binds is
/// read from its memory at its end, since musl has no LD_DEBUG: LoaderAnswer::bindings is sorted, without versions, and
/// has several providers with '|' between them where each of them can be the one.
LoaderAnswer ask_real_musl(const Sandbox& box, const Tree& tree, Runs runs, Patience while_tracing, Patience at_start);

/// Puts the provider that `ours` names in the place of several of `real`, if it is among them.
void settle_providers(std::vector<std::string>& real, const std::vector<std::string>& ours);

}  // namespace soresolve::test
