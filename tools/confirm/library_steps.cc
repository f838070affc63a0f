// What the steps of all CUDA libraries share: the version by GetProperty, and the outcome of one computation.
#include "library_steps.h"

#include <library_types.h>

namespace soresolve::confirm {

Outcome property_version(Session& session, const char* role, const char* function) {
  Library& library = session.library(role);
  using Property = int(libraryPropertyType, int*);
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    if (!library.call<Property>(function, part, &number)) return failed(library.failure().text);
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return version_outcome(session, role, version);
}

Outcome computed(const Library& library, const GpuMemory& memory, const Comparison& comparison, const Statement& what) {
  Outcome outcome;
  if (library.has_failed()) return failed(library.failure().text);
  if (memory.has_failed()) return memory.failure_outcome(outcome);
  outcome.seen["relative_error"] = comparison.worst_error;
  if (!comparison.is_good()) return failed(say("computes-wrongly", {{"numbers", describe(comparison)}}), outcome);
  outcome.summary = {say("computes-right", {{"what", what}, {"numbers", describe(comparison)}})};
  return outcome;
}

}  // namespace soresolve::confirm
