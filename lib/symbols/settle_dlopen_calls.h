// Which of several dlopen calls fail, and so leave nothing behind.
//
// Source: glibc elf/dl-open.c:dl_open_worker, elf/dl-close.c:_dl_close_worker.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"

namespace soresolve {

/// A dlopen call that does not succeed.
struct FailedDlopenCall {
  std::size_t index = 0;         ///< in LoadOptions::dlopen_calls
  std::string message;           ///< what dlerror(3) gives; empty where the process ends of a signal
  bool is_process_over = false;  ///< it does not return: nothing after it is opened
  std::string death = {};        ///< why the process dies of a signal or waits for ever
};
enum class Settle : std::uint8_t {
  BeforeLast,  ///< the last one is the question, and stays as it is
  All,
};

/// Finds out which of `dlopen_calls`, made one after the other in the process, fail, for whatever reason;
/// marks them as taken back, so that load() goes on without them. Those with `skips_loaded` are in the
/// process: only that their files cannot be loaded at all counts. Ends at one that ends the process.
/// Errors: as load() and read_start_facts().
Result<std::vector<FailedDlopenCall>> settle_dlopen_calls(std::shared_ptr<const System> system,
                                                          std::shared_ptr<const Process> process, std::string_view file,
                                                          std::vector<OpenRequest>& dlopen_calls, Settle which,
                                                          const std::vector<TagEdit>& tag_edits = {},
                                                          const std::vector<NeedEdit>& need_edits = {});

}  // namespace soresolve
