// Of a running process: how each object came into it.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// Is it a map of what a process has loaded (World::resolve_running), in which nothing is opened?
bool is_of_running_process(const LinkMap& map);

enum class LoadedWhen : std::uint8_t {
  Start,     ///< the program, its needs and preloads, ld.so
  Later,     ///< by dlopen(3), or as a need of what that has opened
  NotKnown,  ///< the loader's list could not be read, and nothing needs it
};

/// How one object came into the process.
struct LoadedThrough {
  LoadedWhen when = LoadedWhen::NotKnown;
  ObjectIndex by = kNoObject;         ///< the needer or the dlopen caller; kNoObject: not known, or it is the program's
  std::optional<std::uint32_t> need;  ///< index into the needer's `needs`; nullopt: a dlopen call or a preload
  Confidence confidence = Confidence::Proven;  ///< of `by`; Likely: see who_loaded.cc
};

/// For each object of a map for which is_of_running_process() holds. Whoever follows `by` comes to the program or to
/// kNoObject.
std::vector<LoadedThrough> who_loaded(const LinkMap& map);

}  // namespace soresolve
