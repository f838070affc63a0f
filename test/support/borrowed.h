// Worlds that tests keep on their stack: a System and a Process that a link map borrows.
#pragma once
#include <memory>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// Shares nothing: `value` must outlive what is made of it.
template <class T>
std::shared_ptr<const T> borrowed(const T& value) {
  return {std::shared_ptr<const T>(), &value};
}

inline Result<LinkMap> load(const System& system, const Process& process, std::string_view file,
                            const LoadOptions& options = {}) {
  return load(borrowed(system), borrowed(process), file, options);
}
inline Result<LinkMap> load(const System& system, const Process& process, std::string_view file, OpenedObject opened,
                            const LoadOptions& options = {}) {
  return load(borrowed(system), borrowed(process), file, std::move(opened), options);
}

}  // namespace soresolve
