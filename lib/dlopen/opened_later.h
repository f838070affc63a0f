// What becomes of a file once it is opened in a process that is there.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/link_map.h"

namespace soresolve {

struct OpenedLater {
  bool is_loaded = false;      ///< the very file is in the process already
  std::string failure;         ///< what dlerror(3) would say; empty: it is loaded
  std::optional<LinkMap> map;  ///< it and what it needs, if it is new and can be loaded
};

/// Opens the file at `path` beside `process_map`. Its needs are walked as by `opener`, a process with
/// Start::Dlopen; what is missing there may be in `process_map` or in one of the maps that were
/// `opened_before`. Versions and symbols are not looked at. The map borrows from `system` and `opener`.
OpenedLater open_later(const std::shared_ptr<const Process>& opener, const LinkMap& process_map,
                       std::span<const LinkMap> opened_before, const std::string& path);

}  // namespace soresolve
