// What stands behind the handles of the C interface, and how its functions begin and end.
//
// Texts of the library are views that need not end in a NUL, so each answer copies what it hands
// out when it is made: later it is only read, by as many threads as like.
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "soresolve.h"
#include "soresolve/answer.h"
#include "soresolve/diagnose.h"
#include "soresolve/link_map.h"
#include "soresolve/symbols.h"
#include "soresolve/world.h"

struct soresolve_error {
  int code = SORESOLVE_OK;
  std::string path;
  std::string text;
};

struct soresolve_world {
  soresolve::WorldSettings settings;
  std::optional<soresolve::World> world;  ///< from the first question on
};

struct soresolve_library {
  soresolve::VersionedLibrary library;
  soresolve::TextArena text;
  std::vector<soresolve_node> nodes;
  std::vector<soresolve_requirement> requirements;
};

struct soresolve_map {
  soresolve::Answer answer;  ///< with run()
  std::string asked;         ///< the file, in the words of the question
  soresolve::TextArena text;
  std::vector<soresolve_object> objects;
  std::vector<std::vector<soresolve_need>> needs;  ///< by object
  /// By trace (soresolve::Need::trace).
  std::vector<std::vector<soresolve_attempt>> attempts;
  std::optional<std::string> failure;

  [[nodiscard]] const soresolve::Resolution& run() const { return *answer.run(); }
};

namespace soresolve::c {

/// Keeps a copy that ends in a NUL.
inline const char* keep(TextArena& arena, std::string_view text) { return arena.keep(std::string(text) + '\0').data(); }

/// A copy for soresolve_text_free(); nullptr without memory.
char* copy_text(std::string_view text);

/// Tells an error to whoever wants to know; *into stays nullptr if there is no memory even for
/// that.
void give_error(soresolve_error** into, const Error& error);
void give_no_memory(soresolve_error** into);

/// Runs a question of a world or an answer, `asked`, which may be nullptr. Nothing may be thrown through callers in C:
/// the library itself throws nothing, but its containers do without memory.
template <class Handle, class Asked, class Ask>
Handle* answer(soresolve_error** error, Asked* asked, Ask ask) {
  if (error != nullptr) *error = nullptr;
  try {
    Result<Handle*> handle =
        asked != nullptr ? ask() : Unexpected{Error{ErrorCode::Usage, {}, {}, "the handle is NULL"}};
    if (handle) return *handle;
    give_error(error, handle.error());
  } catch (const std::bad_alloc&) {
    give_no_memory(error);
  }
  return nullptr;
}

/// What `make` returns, or `without_memory`.
template <class Make>
std::invoke_result_t<Make> or_without_memory(std::invoke_result_t<Make> without_memory, Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return without_memory;
  }
}

/// Fills the caller's structure as far as it goes. A caller that was built with a later header
/// knows fields that we do not: they become zero.
template <class Entry>
int fill(const std::vector<Entry>& entries, std::size_t index, Entry* into, std::size_t size) {
  if (index >= entries.size() || into == nullptr) return 0;
  static_assert(std::is_trivially_copyable_v<Entry>);
  std::memset(static_cast<void*>(into), 0, size);
  std::memcpy(static_cast<void*>(into), &entries[index], std::min(size, sizeof(Entry)));
  return 1;
}

/// The source of a world; the first question makes it, and ends the time of settings.
World& world_of(soresolve_world& world);

/// Walks to the end, whatever is wrong on the way. Insists on something that a loader is asked to load.
Result<Resolution> resolve(soresolve_world& world, const char* file, Attempts attempts);

}  // namespace soresolve::c
