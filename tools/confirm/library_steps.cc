// What the steps of all CUDA libraries share: the version by GetProperty, and how one computation runs and ends.
#include "library_steps.h"

#include <library_types.h>

#include "status_text.h"

namespace soresolve::confirm {

Outcome read_property_version(Session& session, const StepRow& step) {
  Library& library = session.library(step.role());
  const char* const function = std::get<const char*>(step.code);
  using Property = int(libraryPropertyType, int*);
  std::string version;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    if (!library.call<Property>(function, part, &number)) return refused_by_library(library.failure().text);
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return version_outcome(session, step.role(), version);
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

Outcome Computation::failure(Outcome so_far) const {
  return library.has_failed() ? library_failed(library, memory, std::move(so_far))
                              : memory.failure_outcome(std::move(so_far));
}

void Computation::wait() {
  if (!library.has_failed()) memory.synchronize();
}

Outcome Computation::judge(const Comparison& comparison, const Statement& what) const {
  if (has_failed()) return failure();
  Outcome outcome;
  outcome.seen["relative_error"] = comparison.worst_error;
  if (!comparison.is_good()) return failed(say("computes-wrongly", {{"numbers", describe(comparison)}}), outcome);
  outcome.summary = {say("computes-right", {{"what", what}, {"numbers", describe(comparison)}})};
  return outcome;
}

Outcome run_computation(Session& session, const StepRow& step) {
  Computation run{session, session.library(step.role()), GpuMemory(session)};
  if (step.takes_device == TakesDevice::Yes) run.memory.set_up();
  Outcome outcome = std::get<Compute>(step.code)(run);
  return outcome.status == StepStatus::Passed && run.has_failed() ? run.failure() : outcome;
}

}  // namespace soresolve::confirm
