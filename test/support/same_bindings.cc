// Compares all bindings with the shortened list that bind_symbols() makes without own references: what is missing must
// be of a kind that the loader prints nothing about (is_quiet), and the sums must agree.
#include "support/same_bindings.h"

#include <elf.h>

#include <algorithm>
#include <vector>

namespace soresolve::test {
namespace {

struct Line {
  std::string text;
  bool is_quiet = false;
};

std::string number(std::uint64_t value) { return " " + std::to_string(value); }

Line line_of(const Bindings::Event& event) {
  if (event.damage != nullptr) {
    return {"damage" + number(event.damage->object) + " " + event.damage->error.to_string(), false};
  }
  const SymbolBinding& binding = *event.binding;
  std::string text(binding.symbol);
  text.append("@").append(binding.version);
  for (const std::uint64_t value :
       {std::uint64_t{binding.referrer}, std::uint64_t{binding.symbol_index}, binding.size_bytes,
        binding.wanted_size_bytes, static_cast<std::uint64_t>(binding.lookup_class)}) {
    text += number(value);
  }
  // Which of the unique ones was the first is not known of those that are left out.
  text +=
      binding.is_unique ? " unique" : number(binding.provider) + number(binding.provider_index) + number(binding.type);
  for (const bool flag : {binding.is_weak, binding.is_lazy, binding.is_repeated, binding.is_looked_up,
                          binding.is_loaders_own, binding.is_protected, binding.is_direct,
                          binding.is_definition_protected, binding.is_unversioned_where_required}) {
    text += number(flag);
  }
  for (const ObjectIndex object : binding.protected_passed_over) text += number(object);
  return {text, is_quiet(binding)};
}

std::vector<Line> lines_of(const Bindings& bindings) {
  std::vector<Line> lines;
  bindings.for_each([&](const Bindings::Event& event) { lines.push_back(line_of(event)); });
  return lines;
}

}  // namespace

bool is_quiet(const SymbolBinding& binding) {
  return !binding.is_loaders_own && binding.is_bound() && binding.type != STT_GNU_IFUNC &&
         !binding.is_definition_protected && binding.protected_passed_over.empty() &&
         !binding.is_unversioned_where_required;
}

std::optional<std::string> difference(const Bindings& all, const Bindings& lean, std::size_t dlopen_calls) {
  const std::vector<Line> one = lines_of(all);
  const std::vector<Line> other = lines_of(lean);
  std::size_t at = 0;
  for (const Line& line : one) {
    if (at < other.size() && other[at].text == line.text) {
      ++at;
    } else if (!line.is_quiet) {
      return line.text + ", or " + (at < other.size() ? other[at].text : "nothing");
    }
  }
  if (at < other.size()) return "nothing, or " + other[at].text;
  for (std::size_t dlopen_call = 0; dlopen_call <= dlopen_calls; ++dlopen_call) {
    const Bindings::Tally& tally = all.tally(dlopen_call);
    const Bindings::Tally& lean_tally = lean.tally(dlopen_call);
    if (tally.references != lean_tally.references || tally.bound_lazily != lean_tally.bound_lazily ||
        tally.unbound_weak != lean_tally.unbound_weak) {
      return "the sums";
    }
  }
  return std::nullopt;
}

}  // namespace soresolve::test
