// What stands on a walk, computed at the first question. Each part has its own latch, so that threads that ask for
// different parts do not wait for each other.
#include "soresolve/world.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "dlopen/find_dlopens.h"
#include "soresolve/diagnose.h"

namespace soresolve {
namespace {

/// A value that is made when it is first wanted.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(Make make) {
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  std::once_flag once_;
  std::optional<T> value_;
};

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
  return state_->dlopens[static_cast<std::size_t>(level)].get(
      [&] { return find_dlopens(state_->map, level, state_->import ? AfterImport::Yes : AfterImport::No); });
}

const CheckedDlopens& Resolution::checked_dlopens(DlopenLevel level) const {
  return state_->checked_dlopens[static_cast<std::size_t>(level)].get([&] {
    CheckedDlopens checked{dlopens(level), {}};
    checked.unchecked = check_dlopens(state_->map, checked.dlopens, bound_before(checked.dlopens));
    return checked;
  });
}

}  // namespace soresolve
