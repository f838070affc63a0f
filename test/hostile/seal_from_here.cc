// Preloaded into a dynamic program that is to be sealed: runs when its loader has mapped everything.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>

#include "hostile/seal.h"

namespace {

[[gnu::constructor]] void seal() {
  ::unsetenv("LD_PRELOAD");  // the program's environment is as its caller made it
  ::prctl(static_cast<int>(soresolve::test::kSealedFromHere), 0, 0, 0, 0);
}

}  // namespace
