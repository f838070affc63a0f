// Thread-local storage at a fixed place, around the size of what the loader keeps: each size for itself, for
// each setting of the two tunables, alone, after another library, and after calls that fail.
//
// Source: glibc elf/dl-tls.c:_dl_tls_static_surplus_init, elf/dl-reloc.c:_dl_try_allocate_static_tls,
// elf/dl-close.c:_dl_close_worker. What is expected is not computed here: the real loader says it.
#include <iterator>
#include <string>

#include "differential/open_case.h"

namespace soresolve::test {
namespace {

enum class Ends : std::uint8_t { Well, InUndefinedSymbol };

TreeNode library_with(const std::string& name, std::int64_t bytes, std::uint32_t type, Ends ends) {
  ElfSpec spec = library();
  Symbol variable = with(defined("t"), SymbolType::Tls);
  variable.visibility = Visibility::Hidden;
  variable.size_bytes = static_cast<std::uint64_t>(bytes);
  spec.refer(variable, type);
  if (ends == Ends::InUndefinedSymbol) spec.refer(undefined("nowhere"), kRelocGlobDat);
  return elf_file("/d/" + name, spec);
}

struct Setting {
  std::string tunables;
  std::int64_t reserve;   ///< about where the border lies
  std::int64_t optional;  ///< and that of TLSDESC
};

OpenCase case_of(const Setting& setting, std::vector<TreeNode> nodes) {
  OpenCase made;
  made.program = "opener-plain";
  made.program_file.mode = 0755;
  if (!setting.tunables.empty()) made.environment.push_back("GLIBC_TUNABLES=" + setting.tunables);
  for (TreeNode& node : nodes) {
    OpenRequest request;
    request.file = node.path;
    made.dlopen_calls.push_back(std::move(request));
    made.nodes.push_back(std::move(node));
  }
  return made;
}

}  // namespace

std::vector<OpenCase> boundary_cases() {
  const std::string optional = "glibc.rtld.optional_static_tls=";
  const Setting settings[] = {{"", 1664, 512},
                              {optional + "0", 1152, 0},
                              {optional + "1024", 2176, 1024},
                              {optional + "0x200", 1664, 512},
                              {optional + "0100", 1216, 64},
                              {optional + "1000", 2152, 1000},
                              {optional + "1024x", 2176, 1024},
                              {optional + "64:" + optional + "128", 1280, 128},
                              {"glibc.rtld.nns=1", 800, 512},
                              {"glibc.rtld.nns=16", 5120, 512},
                              {"glibc.rtld.nns=17", 1664, 512},
                              {"glibc.rtld.nns=2:" + optional + "40", 616, 40}};
  const std::int64_t steps[] = {-130, -65, -64, -63, -48, -33, -32, -31, -17, -16, -15, -2, -1, 0,   1,  2,
                                15,   16,  17,  31,  32,  33,  47,  48,  49,  63,  64,  65, 80, 128, 129};
  const std::int64_t few_steps[] = {-64, -17, -16, -1, 0, 1, 16, 17, 48, 64};
  std::vector<OpenCase> cases;
  for (const Setting& setting : settings) {
    const auto direct = [](const std::string& name, std::int64_t bytes, Ends ends = Ends::Well) {
      return library_with(name, bytes, kRelocTpOff64, ends);
    };
    const auto described = [](const std::string& name, std::int64_t bytes, Ends ends = Ends::Well) {
      return library_with(name, bytes, kRelocTlsDesc, ends);
    };
    for (const std::int64_t step : steps) {
      cases.push_back(case_of(setting, {direct("liba.so", setting.reserve + step)}));
      if (setting.optional + step <= 0) continue;
      // Whether TLSDESC got its place shows in what is left.
      cases.push_back(case_of(setting, {described("liba.so", setting.optional + step),
                                        direct("libb.so", setting.reserve - setting.optional)}));
    }
    for (const std::int64_t step : few_steps) {
      const std::int64_t rest = setting.reserve + step;
      cases.push_back(case_of(setting, {direct("liba.so", 200), direct("libb.so", rest - 200)}));
      cases.push_back(case_of(setting, {direct("liba.so", 200, Ends::InUndefinedSymbol), direct("libb.so", rest)}));
      cases.push_back(case_of(setting, {direct("liba.so", 9), direct("libb.so", 23, Ends::InUndefinedSymbol),
                                        direct("libc.so", 40, Ends::InUndefinedSymbol), direct("libd.so", rest - 9)}));
      if (setting.optional < 40) continue;
      cases.push_back(case_of(setting, {described("liba.so", setting.optional - 32, Ends::InUndefinedSymbol),
                                        described("libb.so", 64), direct("libc.so", rest - 64)}));
    }
  }
  return cases;
}

}  // namespace soresolve::test
