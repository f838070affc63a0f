// soresolve.h, bindings: one call of the visitor for each line of the list that `bindings` prints. The texts that it
// gets are valid during that call only.
#include "capi/handles.h"
#include "soresolve/report.h"
#include "symbols/listed_bindings.h"

struct soresolve_bindings {
  soresolve::Resolution run;
};

namespace soresolve::c {
namespace {

Result<soresolve_bindings*> bind_file(soresolve_world& world, const char* file) {
  Result<Resolution> run = resolve(world, file, Attempts::Discard);
  if (!run) return Unexpected{std::move(run).error()};
  if (!run->bindings()) return Unexpected{run->bindings().error()};
  return new soresolve_bindings{std::move(*run)};
}

}  // namespace
}  // namespace soresolve::c

using namespace soresolve;

soresolve_bindings* soresolve_bind_file(soresolve_world* world, const char* file, soresolve_error** error) {
  return c::answer<soresolve_bindings>(error, world, [&] { return c::bind_file(*world, file); });
}

void soresolve_bindings_free(soresolve_bindings* bindings) { delete bindings; }

int soresolve_bindings_visit(const soresolve_bindings* bindings, soresolve_visit* visit, void* data) {
  if (bindings == nullptr || visit == nullptr) return SORESOLVE_USAGE;
  return c::or_without_memory(static_cast<int>(SORESOLVE_NO_MEMORY), [&]() -> int {
    std::string referrer, symbol, version, provider;
    const auto tell = [&](const ListedBinding& listed) {
      referrer = listed.referrer;
      symbol = listed.binding.symbol;
      version = listed.binding.version;
      provider = listed.provider;
      const soresolve_binding reported{referrer.c_str(),
                                       symbol.c_str(),
                                       version.c_str(),
                                       provider.c_str(),
                                       listed.binding.is_weak ? 1 : 0,
                                       listed.binding.is_lazy ? 1 : 0};
      visit(&reported, data);
    };
    for_each_listed(bindings->run.map(), *bindings->run.bindings(), {}, tell);
    return SORESOLVE_OK;
  });
}
