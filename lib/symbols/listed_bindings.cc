// The list of bindings, as LD_DEBUG=bindings names objects.
#include <functional>
#include <unordered_set>

#include "loader/process.h"
#include "soresolve/symbols.h"
#include "symbols/listed_bindings.h"

namespace soresolve {

void for_each_listed(const LinkMap& map, const Bindings& bindings, const BindingFilter& filter,
                     const std::function<void(const ListedBinding&)>& visit) {
  std::unordered_set<std::uint64_t> seen;  // of one referrer: symbol and provider
  // What ld.so looks up in the program's name is often the program's own reference, too.
  std::unordered_set<std::size_t> seen_of_program;
  const auto key_of = [](const SymbolBinding& binding) {
    const std::hash<std::string_view> hash;
    return hash(binding.symbol) * 31 + hash(binding.version);
  };
  ObjectIndex last = kNoObject;
  const auto [first, end] = map.loaded_by(map.subject());
  bindings.for_each([&, first = first, end = end](const Bindings::Event& event) {
    if (event.binding == nullptr || !event.binding->is_bound() || event.binding->is_repeated) return;
    const SymbolBinding& binding = *event.binding;
    if (binding.referrer < first || binding.referrer >= end) return;
    if (filter && !filter(binding)) return;
    if (binding.referrer != last) {
      seen.clear();
      last = binding.referrer;
    }
    if (binding.referrer == 0 && !seen_of_program.insert(key_of(binding)).second) {
      if (binding.is_loaders_own) return;
    }
    const bool is_new = seen.insert(std::uint64_t{binding.symbol_index} << 32 | binding.provider).second;
    if (!is_new && !binding.is_loaders_own) return;
    visit({binding_name(map, binding.referrer), binding, binding_name(map, binding.provider)});
  });
}

}  // namespace soresolve
