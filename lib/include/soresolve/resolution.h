// One file in one process of a World, as walked: what every answer about it stands on.
//
// The walk is made once, by World::resolve(). What stands on it (versions and symbols, bindings, what is opened
// later) is computed at the first question and kept; the link map has the System and the Process.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "soresolve/api.h"
#include "soresolve/bindings.h"
#include "soresolve/check.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"

namespace soresolve SORESOLVE_API {

/// What is opened later, each with how it fails.
struct CheckedDlopens {
  Dlopens dlopens;
  std::optional<Error> unchecked;  ///< why versions and symbols of it could not be read
};

/// Can be asked by several threads at a time. What is returned lives as long as the Resolution.
class Resolution {
 public:
  /// Of a walk made by hand; `file` is what reports call it, `jobs` are threads that symbols are bound with.
  Resolution(LinkMap map, std::string file, unsigned jobs = 1);
  ~Resolution();
  Resolution(Resolution&&) noexcept;
  Resolution& operator=(Resolution&&) noexcept;

  [[nodiscard]] const LinkMap& map() const;
  [[nodiscard]] const System& system() const { return *map().system; }
  [[nodiscard]] const Process& process() const { return *map().process; }
  /// As it was asked about; the program of a live process where no file was named.
  [[nodiscard]] const std::string& file() const;

  /// Will it start, or load? Errors: as check_start().
  [[nodiscard]] const Result<Check>& check() const;
  /// Each reference with its definition, an object's own ones included. Errors: as bind_symbols().
  [[nodiscard]] const Result<Bindings>& bindings() const;
  /// What is opened later, as far as it is found.
  [[nodiscard]] const Dlopens& dlopens(DlopenLevel level) const;
  /// The same with its versions and symbols.
  [[nodiscard]] const CheckedDlopens& checked_dlopens(DlopenLevel level) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace SORESOLVE_API
