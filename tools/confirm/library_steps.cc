// What the steps of all CUDA libraries share: the version by GetProperty, and the outcome of one computation.
#include "library_steps.h"

#include <library_types.h>

#include "status_text.h"

namespace soresolve::confirm {

Outcome property_version(Session& session, const char* role, const char* function) {
  Library& library = session.library(role);
  using Property = int(libraryPropertyType, int*);
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    if (!library.call<Property>(function, part, &number)) return refused_by_library(library.failure().text);
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return version_outcome(session, role, version);
}

Outcome library_failed(const Library& library, const GpuMemory& memory, Outcome so_far) {
  const Statement& what = library.failure().text;
  // A function that is not there is missing on every machine.
  if (library.failure().code < 0) return failed(what, std::move(so_far));
  if (auto limited = limited_space(what)) return unavailable(std::move(*limited), std::move(so_far));
  const std::optional<GpuMemory::Room> room = memory.room();
  if (room && room->is_tight()) {
    so_far.seen["memory_free"] = room->free;
    so_far.seen["memory_total"] = room->total;
    return unavailable(
        say("gpu-memory-is-tight",
            {{"free", std::uint64_t{room->free >> 20}}, {"total", std::uint64_t{room->total >> 20}}, {"what", what}}),
        std::move(so_far));
  }
  for (const char* variable : {"CUDA_FORCE_PTX_JIT", "CUDA_DISABLE_PTX_JIT"}) {
    if (is_switched_on(variable))
      return unavailable(say("code-switched-off", {{"variable", variable}, {"what", what}}), std::move(so_far));
  }
  return failed(what, std::move(so_far));
}

Outcome computed(const Library& library, const GpuMemory& memory, const Comparison& comparison, const Statement& what) {
  Outcome outcome;
  if (library.has_failed()) return library_failed(library, memory);
  if (memory.has_failed()) return memory.failure_outcome(outcome);
  outcome.seen["relative_error"] = comparison.worst_error;
  if (!comparison.is_good()) return failed(say("computes-wrongly", {{"numbers", describe(comparison)}}), outcome);
  outcome.summary = {say("computes-right", {{"what", what}, {"numbers", describe(comparison)}})};
  return outcome;
}

}  // namespace soresolve::confirm
