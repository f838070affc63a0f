// Source: Microsoft, "PE Format" (Machine Types, Characteristics); mach-o/loader.h, mach/machine.h.
#include "witness/foreign.h"

#include <cstdint>

namespace soresolve::witness {
namespace {

std::string pe_machine(std::uint32_t machine) {
  switch (machine) {
    case 0x14c: return "i386";
    case 0x1c4: return "ARM";
    case 0x8664: return "x86-64";
    case 0xaa64: return "ARM64";
    default: return "machine " + std::to_string(machine);
  }
}

std::string mach_o_machine(std::uint32_t machine) {
  switch (machine) {
    case 7: return "i386";
    case 12: return "ARM";
    case 0x1000007: return "x86-64";
    case 0x100000c: return "ARM64";
    default: return "CPU type " + std::to_string(machine);
  }
}

std::string kind_of(const ForeignFacts& foreign, std::uint32_t kind) {
  constexpr std::uint32_t kDll = 0x2000;
  if (foreign.format == ForeignFacts::Format::Pe) return (kind & kDll) != 0 ? "library" : "program";
  switch (kind) {
    case 1: return "object";
    case 2: return "program";
    case 6: return "library";
    case 8: return "bundle";
    default: return "file of type " + std::to_string(kind);
  }
}

}  // namespace

std::string describe(const ForeignFacts& foreign) {
  const bool is_pe = foreign.format == ForeignFacts::Format::Pe;
  std::string text = foreign.images.size() > 1 ? "universal " : "";
  text += is_pe ? "PE " : "Mach-O ";
  text += foreign.images.empty() ? "file" : kind_of(foreign, foreign.images.front().kind);
  text += is_pe ? " for Windows" : " for macOS";
  for (std::size_t i = 0; i < foreign.images.size(); ++i) {
    text += i == 0 ? ", " : " and ";
    text += is_pe ? pe_machine(foreign.images[i].machine) : mach_o_machine(foreign.images[i].machine);
  }
  return text;
}

std::string refusal_by_loader(const ForeignFacts& foreign) {
  const bool is_pe = foreign.format == ForeignFacts::Format::Pe;
  return std::string(
             "does not take it: it loads ELF files only, and says of this one \"invalid ELF header\"; what is "
             "needed is the build for Linux (") +
         (is_pe ? "a wheel for win_amd64 has such files, one for manylinux has not)"
                : "a wheel for macosx has such files, one for manylinux has not)");
}

}  // namespace soresolve::witness
