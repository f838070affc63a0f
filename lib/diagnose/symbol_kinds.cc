// What a lookup finds is not compared with what it is wanted as: glibc elf/dl-lookup.c:check_match and musl
// ldso/dynlink.c:find_sym2 take any kind of symbol for any relocation. The relocation then does with the value what it
// does with its own kind (sysdeps/*/dl-machine.h): DTPMOD gets the provider's module number, 0 where it has no PT_TLS,
// and __tls_get_addr dies of it; TPOFF and TLSDESC get an offset from the thread of what is an address, where glibc has
// not divided by the alignment of a block that is not there (startup.cc); GLOB_DAT, JUMP_SLOT, COPY and an absolute
// relocation get the load bias with an offset of the TLS block: a place at the front of the file, often its ELF header.
//
// What is wanted is known from the type of the reference: assemblers mark a symbol STT_TLS by the relocations that they
// write for it, and link editors refuse a file that has both. So it is with sizes: a copy that is too small is filled
// as far as it goes. Not here: what is missing (start_problems.cc).
#include "soresolve/diagnose.h"

#include <elf.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "diagnose/cuda_rules.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/verdict.h"

namespace soresolve {

namespace {

/// One problem for each referrer, provider and direction.
std::vector<Problem> find_symbol_kinds(const LinkMap& map, const Bindings& bindings) {
  std::map<std::tuple<ObjectIndex, ObjectIndex, bool>, std::vector<std::string>> symbols_of;
  bindings.for_each_notable([&](const Bindings::Event& event) {
    if (event.binding == nullptr) return;
    const SymbolBinding& binding = *event.binding;
    if (binding.is_repeated || binding.is_loaders_own || !binding.is_bound()) return;
    if (binding.wants_tls == (binding.type == STT_TLS)) return;
    symbols_of[{binding.referrer, binding.provider, binding.wants_tls}].emplace_back(binding.symbol);
  });
  std::vector<Problem> problems;
  const auto name_of = [&](ObjectIndex object) {
    return object == 0 ? map.process->argv0 : std::string(map.objects[object].path);
  };
  for (const auto& [key, symbols] : symbols_of) {
    const auto& [referrer, provider, wants_tls] = key;
    const std::string name = name_of(provider);
    Problem problem = make_problem(map, ProblemCode::SymbolKind, name,
                                   say(wants_tls ? "plain-for-thread-local" : "thread-local-for-plain",
                                       {{"referrer", name_of(referrer)},
                                        {"symbols", symbols_in_short(symbols.front(), symbols.size())},
                                        {"provider", name}}));
    problem.object = provider;
    for (std::size_t i = 1; i < symbols.size(); ++i) {
      problem.evidence.push_back(
          {.what = say("symbol-of-other-kind", {{"symbol", symbols[i]}}), .path = file_of(map, referrer)});
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

/// elf/dl-reloc.c and sysdeps/*/dl-machine.h, R_*_COPY: what the program was linked with is smaller. One problem for
/// each library, of its first variable.
std::vector<Problem> find_copy_sizes(const LinkMap& map, const Bindings& bindings) {
  std::vector<Problem> problems;
  bindings.for_each_notable([&](const Bindings::Event& event) {
    if (event.binding == nullptr) return;
    const SymbolBinding& binding = *event.binding;
    const bool is_cut = binding.lookup_class == LookupClass::Copy && !binding.is_repeated && binding.is_bound() &&
                        binding.size_bytes > binding.wanted_size_bytes;
    if (!is_cut) return;
    const std::string provider(map.objects[binding.provider].path);
    const bool is_known = std::any_of(problems.begin(), problems.end(),
                                      [&](const Problem& other) { return other.object == binding.provider; });
    if (is_known) return;
    problems.push_back(make_problem(map, ProblemCode::CopySize, provider,
                                    say("copy-is-smaller", {{"program", map.objects[binding.referrer].name()},
                                                            {"symbol", binding.symbol},
                                                            {"here", binding.wanted_size_bytes},
                                                            {"there", binding.size_bytes},
                                                            {"provider", provider}})));
    problems.back().object = binding.provider;
    problems.back().referrer = binding.referrer;
  });
  return problems;
}

}  // namespace

std::vector<Problem> find_call_problems(const LinkMap& map, const Check& check, const Dlopens& dlopens) {
  std::vector<Problem> problems = find_symbol_kinds(map, check.facts.bindings);
  const auto add = [&](std::vector<Problem> more) {
    std::move(more.begin(), more.end(), std::back_inserter(problems));
  };
  add(find_copy_sizes(map, check.facts.bindings));
  add(find_cuda_problems(map, dlopens));
  if (check.is_ok()) {
    if (std::optional<Problem> late = find_late_sanitizer(map, check.facts.bindings))
      problems.insert(problems.begin(), std::move(*late));
  }
  return problems;
}

}  // namespace soresolve
