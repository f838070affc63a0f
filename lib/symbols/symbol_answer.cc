// Every reference to one name, grouped by the search that it made.
#include <algorithm>
#include <utility>

#include "soresolve/symbols.h"
#include "symbols/symbol_answer.h"

namespace soresolve {
namespace {

/// References of which only the first has to search.
struct SameSearch {
  std::string_view version;
  LookupClass lookup_class = LookupClass::Plain;
  std::size_t dlopen_call = 0;       ///< which has loaded the referrer, and gives it its scope
  ObjectIndex symbolic = kNoObject;  ///< the referrer, if it is asked before all others
  std::vector<SymbolBinding> bindings;
};

std::vector<SameSearch> group(const LinkMap& map, const Bindings& bindings, std::string_view name,
                              std::string_view version) {
  std::vector<SameSearch> groups;
  bindings.for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || event.binding->symbol != name) return;
    if (event.binding->is_repeated) return;
    const SymbolBinding& binding = *event.binding;
    if (!version.empty() && binding.version != version) return;
    // Of ld.so the map does not say.
    const LoadedObject& referrer = map.objects[binding.referrer];
    const bool is_symbolic = referrer.role == ObjectRole::Loader || map.looks_in_itself(binding.referrer);
    const ObjectIndex symbolic = is_symbolic ? binding.referrer : kNoObject;
    const std::size_t dlopen_call = map.dlopen_call_of(binding.referrer);
    const auto is_same = [&](const SameSearch& known) {
      return known.version == binding.version && known.lookup_class == binding.lookup_class &&
             known.dlopen_call == dlopen_call && known.symbolic == symbolic;
    };
    auto entry = std::find_if(groups.begin(), groups.end(), is_same);
    if (entry == groups.end()) {
      entry = groups.insert(groups.end(), {binding.version, binding.lookup_class, dlopen_call, symbolic, {}});
    }
    entry->bindings.push_back(binding);
  });
  return groups;
}

}  // namespace

bool SymbolAnswer::is_good() const {
  if (dlsym) return dlsym->serving.has_value();
  return std::all_of(references.begin(), references.end(), [](const SearchedReferences& searched) {
    return std::none_of(searched.bindings.begin(), searched.bindings.end(),
                        [](const SymbolBinding& binding) { return binding.is_undefined(); });
  });
}

Result<SymbolAnswer> answer_symbol(const LinkMap& map, const Bindings& bindings, std::string_view asked) {
  SymbolAnswer answer;
  // A name may begin with "@"; link editors write NAME@@VERSION of a default version.
  const std::size_t at = asked.find('@', 1);
  answer.name = asked.substr(0, at);
  if (at != std::string_view::npos) {
    answer.version = asked.substr(asked.substr(at).starts_with("@@") ? at + 2 : at + 1);
  }
  for (SameSearch& same : group(map, bindings, answer.name, answer.version)) {
    const SymbolBinding& first = same.bindings.front();
    SymbolQuery query{first.symbol, first.version, first.referrer, first.lookup_class, {}, {}};
    if (!first.is_loaders_own) query.symbol_index = first.symbol_index;
    Result<SymbolSearch> search = search_symbol(map, bindings, query);
    if (!search) return Unexpected{std::move(search).error()};
    // A class of its own need not make a difference.
    const auto is_equal = [&](const SearchedReferences& known) {
      return known.bindings.front().version == first.version && known.search == *search;
    };
    auto known = std::find_if(answer.references.begin(), answer.references.end(), is_equal);
    if (known == answer.references.end()) {
      known = answer.references.insert(known, {{}, std::move(search).value()});
    }
    known->bindings.insert(known->bindings.end(), same.bindings.begin(), same.bindings.end());
  }
  if (answer.references.empty()) {
    Result<SymbolSearch> search =
        search_symbol(map, bindings, {answer.name, answer.version, 0, LookupClass::Plain, {}, SearchedBy::Dlsym});
    if (!search) return Unexpected{std::move(search).error()};
    answer.dlsym = std::move(search).value();
  }
  return answer;
}

}  // namespace soresolve
