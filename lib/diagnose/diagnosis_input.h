// What the detectors of problems look at. Each of them is a function of the diagnosis input.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "loader/process.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"

namespace soresolve {

struct DiagnosisInput {
  const LinkMap& map;      ///< made with Attempts::Record and OnFatal::Continue
  std::string_view asked;  ///< the one library that is asked about; empty for all
  const Dlopens& dlopens;  ///< what is opened later

  /// For each object: does the file that is asked about, or what it needs, include it?
  const std::vector<bool>& belongs;

  [[nodiscard]] bool is_of_interest(std::string_view name) const { return asked.empty() || name == asked; }
};

/// A request of the file that is asked about or of what it needs, or the one that opens it.
inline bool concerns(const DiagnosisInput& input, ObjectIndex needer, const Need& need) {
  const bool opens = need.kind == NeedKind::Dlopen && need.target == input.map.subject_root();
  return (input.belongs[needer] || opens) && input.is_of_interest(need.name);
}

/// When a dlopen call of the map is loaded; 0: what is there from the start.
inline Phase phase_of_dlopen_call(const LinkMap& map, std::size_t dlopen_call) {
  return dlopen_call == 0 && map.process->start != Start::Dlopen ? Phase::Start : Phase::Dlopen;
}

/// The file of an object as the loader opens it; empty where there is none.
inline std::string file_of(const LinkMap& map, ObjectIndex object) {
  return object == 0 ? map.main_path : std::string(map.objects[object].path);
}

/// Its phase is that of its row, or else when what is asked about is loaded.
inline Problem make_problem(const LinkMap& map, ProblemCode code, std::string name, Statement what) {
  Problem problem;
  problem.code = code;
  problem.phase = phase_of(code).value_or(phase_of_dlopen_call(map, map.subject()));
  problem.name = std::move(name);
  problem.what = std::move(what);
  return problem;
}

}  // namespace soresolve
