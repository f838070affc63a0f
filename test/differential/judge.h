// Puts one tree before the real loader and before the library.
#pragma once
#include <vector>

#include "differential/answer.h"
#include "differential/tree.h"

namespace soresolve::test {

struct Verdict {
  Answer real;
  Answer ours;
  std::vector<Difference> differences;
  bool is_startable = true;  ///< false: the kernel refused the program; nothing was compared
};

/// Writes the tree into the sandbox and asks both.
Verdict judge(Sandbox& box, const GlibcRoot& glibc, const Tree& tree);

}  // namespace soresolve::test
