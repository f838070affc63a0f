// What stands on a walk, computed at the first question. Each part has its own latch, so that threads that ask for
// different parts do not wait for each other.
#include "soresolve/world.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/lazy.h"
#include "base/path.h"
#include "diagnose/diagnose.h"
#include "dlopen/find_dlopens.h"
#include "loader/load.h"
#include "remedies/find_remedies.h"
#include "soresolve/diagnose.h"
#include "soresolve/remedies.h"
#include "world/wheel_problems.h"

namespace soresolve {
namespace {

/// The same walk with every attempt. Errors: as load().
Result<LinkMap> walk_again(const LinkMap& map) {
  LoadOptions options;
  options.attempts = Attempts::Record;
  options.on_fatal = OnFatal::Continue;
  options.dlopen_calls = map.requested;
  Result<LinkMap> again = load(map.system, map.process, map.file, options);
  if (!again) return again;
  again->import = map.import;
  again->dlopen_calls_left = map.dlopen_calls_left;
  again->notes = map.notes;
  again->assumed = map.assumed;
  return again;
}

/// A module that fails is a fault of its package; a library may be one of several that serve.
void add_on_demand(Dlopens& found, const PythonImport& import) {
  for (const OnDemandFile& file : import.on_demand) {
    Dlopen opened;
    opened.opener = import.package;
    opened.source = DlopenSource::Package;
    opened.evidence = file.module.empty() ? Confidence::Guess : Confidence::Likely;
    // A library that others of the package do without is opened where it serves.
    opened.importance = file.module.empty() ? Importance::Suggested
                        : file.is_spare     ? Importance::Recommended
                                            : Importance::Required;
    opened.reported_by = say("by-package-files");
    opened.choices = {{file.module.empty() ? std::string(file_name_of(file.file)) : file.module, file.file, {}}};
    opened.is_found = true;
    opened.is_by_script = true;
    opened.failure = file.failure;
    found.list.push_back(std::move(opened));
  }
}

constexpr std::size_t kLevels = static_cast<std::size_t>(DlopenLevel::Strings) + 1;

}  // namespace

struct Resolution::State {
  LinkMap map;
  std::string file;
  std::optional<PythonImport> import;
  ImportEnd import_end;
  BindOptions binding;  ///< of check()
  Lazy<Result<Check>> check;
  Lazy<Result<Bindings>> bindings;
  std::array<Lazy<Dlopens>, kLevels> dlopens;
  std::array<Lazy<CheckedDlopens>, kLevels> checked_dlopens;
  Lazy<Result<LinkMap>> again;  ///< the map with its attempts, where `map` has none
};

Resolution::Resolution(LinkMap map, std::string file, const BindOptions& binding) : state_(std::make_unique<State>()) {
  state_->map = std::move(map);
  state_->file = std::move(file);
  state_->binding = binding;
}
Resolution::Resolution(LinkMap map, std::string file, PythonImport import, const BindOptions& binding, ImportEnd end)
    : Resolution(std::move(map), std::move(file), binding) {
  state_->import = std::move(import);
  state_->import_end = std::move(end);
}
Resolution::~Resolution() = default;
Resolution::Resolution(Resolution&&) noexcept = default;
Resolution& Resolution::operator=(Resolution&&) noexcept = default;

const LinkMap& Resolution::map() const { return state_->map; }
const std::string& Resolution::file() const { return state_->file; }
const PythonImport* Resolution::import() const { return state_->import ? &*state_->import : nullptr; }
const ImportEnd& Resolution::import_end() const { return state_->import_end; }

const Result<Check>& Resolution::check() const {
  return state_->check.get([&] { return check_start(state_->map, state_->binding); });
}

const Result<Bindings>& Resolution::bindings() const {
  return state_->bindings.get([&] { return bind_symbols(state_->map, {.jobs = state_->binding.jobs}); });
}

/// Bound already, or wanted as well, by whoever asks what is opened later; null where the process does not come so far.
const Bindings* Resolution::bound_before(const Dlopens& later) const {
  const bool is_any = std::any_of(later.list.begin(), later.list.end(),
                                  [](const Dlopen& opened) { return opened.is_good() && !opened.is_loaded; });
  if (!is_any || map().first_fatal() != nullptr || map().dlopen_calls_left != 0) return nullptr;
  const Result<VersionCheck> versions = check_versions(map());
  if (!versions || versions->has_error()) return nullptr;
  const Result<Check>& known = check();
  return known ? &known->facts.bindings : nullptr;
}

const Dlopens& Resolution::dlopens(DlopenLevel level) const {
  return state_->dlopens[static_cast<std::size_t>(level)].get([&] {
    Dlopens found = find_dlopens(state_->map, level, state_->import ? AfterImport::Yes : AfterImport::No);
    if (state_->import && level >= DlopenLevel::Known) add_on_demand(found, *state_->import);
    return found;
  });
}

const CheckedDlopens& Resolution::checked_dlopens(DlopenLevel level) const {
  return state_->checked_dlopens[static_cast<std::size_t>(level)].get([&] {
    CheckedDlopens checked{dlopens(level), {}};
    checked.unchecked = check_dlopens(state_->map, checked.dlopens, bound_before(checked.dlopens));
    return checked;
  });
}

/// Candidates and reasons are read from the attempts, so that a diagnosis without them would silently say less.
const LinkMap& Resolution::searched() const {
  if (!state_->map.traces.empty()) return state_->map;
  const Result<LinkMap>& again = state_->again.get([&] { return walk_again(state_->map); });
  return again ? *again : state_->map;
}

Diagnosis diagnose(const Resolution& run, std::string_view asked, Dlopens dlopens) {
  Diagnosis diagnosis = diagnose(run.searched(), run.file(), asked, std::move(dlopens),
                                 [&]() -> const Result<Check>& { return run.check(); });
  if (run.import() == nullptr || !asked.empty()) return diagnosis;
  std::vector<Problem> problems = find_wheel_problems(*run.import());
  const auto first_note =
      std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                   [](const Problem& problem) { return severity_of(problem.code) == Severity::Note; });
  diagnosis.problems.insert(first_note, std::make_move_iterator(problems.begin()),
                            std::make_move_iterator(problems.end()));
  return diagnosis;
}

void find_remedies(const Resolution& run, Diagnosis& diagnosis, const RemedyOptions& options) {
  const Check* const check = wants_check(diagnosis) && run.check() ? &*run.check() : nullptr;
  find_remedies(run.searched(), diagnosis, options, check);
}

}  // namespace soresolve
