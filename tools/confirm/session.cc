// Looks up planned loads and libraries, and compares versions: a shorter version agrees with a longer one that begins
// with it.
#include "session.h"

#include <algorithm>

namespace soresolve::confirm {

const PlannedLoad* Session::load_of(std::string_view name) const {
  const auto found =
      std::find_if(group.loads.begin(), group.loads.end(), [&](const PlannedLoad& load) { return load.name == name; });
  return found == group.loads.end() ? nullptr : &*found;
}

const PlannedLibrary* Session::planned(std::string_view role) const {
  for (const PlannedLoad& load : group.loads) {
    for (const PlannedLibrary& library : load.open) {
      if (library.role == role) return &library;
    }
  }
  return nullptr;
}

bool is_version_as_predicted(std::string_view predicted, std::string_view reported) {
  const std::size_t common = std::min(predicted.size(), reported.size());
  if (predicted.substr(0, common) != reported.substr(0, common)) return false;
  const std::string_view longer = predicted.size() > reported.size() ? predicted : reported;
  return longer.size() == common || common == 0 || longer[common] == '.';
}

Outcome differs(const Statement& what, Outcome so_far) {
  return failed(say("not-as-predicted", {{"what", what}}), std::move(so_far));
}

Outcome version_outcome(const Session& session, std::string_view role, const std::string& reported) {
  Outcome outcome;
  outcome.summary = {words_of_others(reported)};
  outcome.seen["version"] = reported;
  const PlannedLibrary* planned = session.planned(role);
  if (planned == nullptr || planned->version.empty()) return outcome;
  outcome.seen["predicted"] = planned->version;
  if (is_version_as_predicted(planned->version, reported)) {
    outcome.summary.push_back(say("as-predicted"));
    return outcome;
  }
  return differs(say("version-differs", {{"version", reported}, {"predicted", planned->version}}), outcome);
}

}  // namespace soresolve::confirm
