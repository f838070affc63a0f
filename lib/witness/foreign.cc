// Source: Microsoft, "PE Format" (Machine Types, Characteristics); mach-o/loader.h, mach/machine.h.
#include "witness/foreign.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace soresolve::witness {
namespace {

Statement pe_machine(std::uint32_t machine) {
  switch (machine) {
    case 0x14c: return words_of_others("i386");
    case 0x1c4: return words_of_others("ARM");
    case 0x8664: return words_of_others("x86-64");
    case 0xaa64: return words_of_others("ARM64");
    default: return say("machine-number", {{"number", machine}});
  }
}

Statement mach_o_machine(std::uint32_t machine) {
  switch (machine) {
    case 7: return words_of_others("i386");
    case 12: return words_of_others("ARM");
    case 0x1000007: return words_of_others("x86-64");
    case 0x100000c: return words_of_others("ARM64");
    default: return say("cpu-type-number", {{"number", machine}});
  }
}

Statement kind_of(const ForeignFacts& foreign) {
  constexpr std::uint32_t kDll = 0x2000;
  if (foreign.images.empty()) return say("foreign-other");
  const std::uint32_t kind = foreign.images.front().kind;
  if (foreign.format == ForeignFacts::Format::Pe)
    return (kind & kDll) != 0 ? say("foreign-library") : say("kind-program");
  switch (kind) {
    case 1: return say("foreign-object");
    case 2: return say("kind-program");
    case 6: return say("foreign-library");
    case 8: return say("foreign-bundle");
    default: return say("kind-number", {{"number", kind}});
  }
}

}  // namespace

Statement describe(const ForeignFacts& foreign) {
  const bool is_pe = foreign.format == ForeignFacts::Format::Pe;
  std::vector<Statement> machines;
  for (const ForeignFacts::Image& image : foreign.images) {
    const Statement machine = is_pe ? pe_machine(image.machine) : mach_o_machine(image.machine);
    machines.push_back(say(machines.empty() ? "first-machine" : "next-machine", {{"machine", machine}}));
  }
  return say(is_pe ? "foreign-pe" : "foreign-mach-o",
             {{"universal", foreign.images.size() > 1 ? say("foreign-universal") : Statement{}},
              {"kind", kind_of(foreign)},
              {"machines", std::move(machines)}});
}

Statement refusal_by_loader(const ForeignFacts& foreign) {
  return say(foreign.format == ForeignFacts::Format::Pe ? "loader-takes-no-pe" : "loader-takes-no-mach-o");
}

}  // namespace soresolve::witness
