// Puts one tree before the real loader and before the library.
#pragma once
#include <vector>

#include "differential/answer.h"
#include "differential/real_loader.h"
#include "differential/tree.h"

namespace soresolve::test {

struct Verdict {
  LoaderAnswer real;
  LoaderAnswer ours;
  std::vector<Difference> differences;
  bool is_startable = true;  ///< false: the kernel refused the program; nothing was compared
};

/// Writes the tree into the sandbox and asks both. Where the library says that the loader blocks, the
/// wait for it is short in any case.
Verdict judge(Sandbox& box, const GlibcRoot& glibc, const Tree& tree, Patience patience = Patience::Full);

}  // namespace soresolve::test
