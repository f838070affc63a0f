// Versions and symbols of what is opened later: all of it is opened in one process, one after the
// other, and each dlopen call is played through as dlopen(3) does it.
//
// Source: glibc elf/dl-open.c:dl_open_worker_begin (_dl_check_map_versions, then _dl_relocate_object
// with or without RTLD_LAZY).
#include <algorithm>
#include <vector>

#include "dlopen/find_dlopens.h"
#include "loader/load.h"
#include "loader/process.h"
#include "soresolve/dlopens.h"
#include "soresolve/symbols.h"
#include "symbols/startup.h"
#include "symbols/undefined_words.h"

namespace soresolve {
namespace {

/// One that fails by its files alone is left out, and the rest is opened without it.
constexpr unsigned kMaxWalks = 8;

/// Indices into `list`: what is tried twice after the rest, and guesses last, so that they change nothing.
std::vector<std::size_t> openable(const std::vector<Dlopen>& list) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < list.size(); ++i) {
    // Files of a package have been opened in the process of its import.
    if (list[i].is_good() && !list[i].is_loaded && list[i].source != DlopenSource::Package) order.push_back(i);
  }
  const auto rank = [&](std::size_t i) {
    return list[i].source == DlopenSource::Literal ? 2 : list[i].is_second_try ? 1 : 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

class LaterDlopenCalls {
 public:
  LaterDlopenCalls(const LinkMap& map, Dlopens& dlopens, const Bindings* bound)
      : map_(map), dlopens_(dlopens), bound_(bound), first_(map.dlopen_calls.size()),
        has_host_(map.process->start == Start::Kernel || !map.dlopen_calls.empty()) {}

  std::optional<Error> check() {
    std::vector<std::size_t> order = openable(dlopens_.list);
    for (unsigned walk = 0; walk < kMaxWalks && !order.empty(); ++walk) {
      Result<LinkMap> map = load(map_.system, map_.process, map_.file, options_for(order));
      if (!map) return std::move(map).error();
      const LoadFailure* fatal = map->first_fatal();
      if (fatal == nullptr) return judge(*map, order);
      if (fatal->dlopen_call <= first_) return std::nullopt;  // it does not come so far
      const std::size_t missing = find(*map, fatal->dlopen_call, order);
      if (missing == order.size()) return std::nullopt;
      dlopens_.list[order[missing]].failure = fatal->dlerror_message();
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(missing));
    }
    if (!order.empty()) {
      dlopens_.damaged.push_back({ErrorCode::LimitReached,
                                  {},
                                  {},
                                  "more than " + std::to_string(kMaxWalks - 1) +
                                      " of the libraries that are opened later cannot be "
                                      "loaded; the symbols of the others are not checked"});
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] LoadOptions options_for(const std::vector<std::size_t>& order) const {
    LoadOptions options;
    options.on_fatal = OnFatal::Continue;
    options.dlopen_calls = map_.requested;
    for (const std::size_t index : order) {
      OpenRequest request;
      request.file = absolute_path(dlopens_.list[index].choices.back().path, map_.process->cwd);
      // With which flags is not known: what one of them could offer to all, it offers here.
      request.mode.scope = OpenScope::Global;
      request.skips_loaded = true;
      options.dlopen_calls.push_back(std::move(request));
    }
    return options;
  }

  /// Which element of `order` the n-th dlopen call of the map (from 1) is; its size if none.
  [[nodiscard]] std::size_t find(const LinkMap& map, std::size_t dlopen_call,
                                 const std::vector<std::size_t>& order) const {
    const Need* const need = map.find_need(map.dlopen_calls[dlopen_call - 1].request);
    const auto at = std::find_if(order.begin(), order.end(), [&](std::size_t index) {
      return need != nullptr &&
             absolute_path(dlopens_.list[index].choices.back().path, map_.process->cwd) == need->name;
    });
    return static_cast<std::size_t>(at - order.begin());
  }

  std::optional<Error> judge(const LinkMap& map, const std::vector<std::size_t>& order) {
    const Result<StartFacts> facts = read_start_facts(map, {.own = OwnReferences::Settled, .before = bound_});
    if (!facts) return facts.error();
    for (std::size_t dlopen_call = first_ + 1; dlopen_call <= map.dlopen_calls.size(); ++dlopen_call) {
      const std::size_t at = find(map, dlopen_call, order);
      if (at == order.size()) continue;
      Dlopen& opened = dlopens_.list[order[at]];
      const Startup now = open_up(map, *facts, dlopen_call, BindTime::Now);
      std::string words = words_of(map, now);
      if (words.empty()) continue;
      const auto with_lazy = [&] { return open_up(map, *facts, dlopen_call, BindTime::AsAsked); };
      const bool is_late = !opened.is_by_script && words_of(map, with_lazy()).empty();
      (is_late ? opened.failure_now : opened.failure) = std::move(words);
    }
    return std::nullopt;
  }

  /// What dlerror(3) gives; empty if it loads. Of a library on its own nobody knows what the process
  /// defines that opens it: there only symbols with a version count.
  [[nodiscard]] std::string words_of(const LinkMap& map, const Startup& startup) const {
    if (startup.end == StartEnd::Runs) return {};
    std::string words = startup.lines.empty() ? startup.death : startup.lines.back();
    if (has_host_ || words.find(": undefined symbol: ") == std::string::npos) return words;
    const auto versioned = std::find_if(startup.undefined.begin(), startup.undefined.end(),
                                        [](const UndefinedSymbol& symbol) { return symbol.has_version; });
    if (versioned == startup.undefined.end()) return {};
    return std::string(map.objects[versioned->referrer].name()) + ": " + undefined_words(*versioned);
  }

  const LinkMap& map_;
  Dlopens& dlopens_;
  const Bindings* bound_;  ///< of the process before; may be null
  std::size_t first_;      ///< dlopen calls of the process before
  bool has_host_;
};

}  // namespace

std::optional<Error> check_dlopens(const LinkMap& map, Dlopens& dlopens, const Bindings* bound) {
  if (map.first_fatal() != nullptr || map.dlopen_calls_left != 0) return std::nullopt;
  return LaterDlopenCalls(map, dlopens, bound).check();
}

}  // namespace soresolve
