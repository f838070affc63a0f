// Random programs that call dlopen: their libraries, callers and calls.
#include <algorithm>
#include <string>

#include "differential/open_case.h"

namespace soresolve::test {
namespace {

/// Where libraries are: LD_LIBRARY_PATH, the program's RPATH or RUNPATH, the caller's.
constexpr std::string_view kDirectories[] = {"/d", "/c", "/e"};

const std::vector<std::string> kNames = {"liba.so", "libb.so", "libc.so",
                                         "libd.so", "libe.so", "libf.so"};

Symbol random_definition(Random& random) {
  Symbol symbol = defined("s" + std::to_string(random.below(5)));
  if (random.chance(25)) symbol = weak(symbol);
  if (random.chance(8)) symbol.binding = Binding::Unique;
  if (random.chance(8)) symbol.visibility = Visibility::Protected;
  return symbol;
}

ElfSpec random_library(Random& random, const std::string& name) {
  ElfSpec spec = library();
  if (random.chance(50)) spec.soname(name);
  for (const std::string& other : kNames) {
    if (other == name || !random.chance(25)) continue;
    spec.needed(other);
    if (random.chance(25)) {
      spec.version_needs.push_back({other, {{random.chance(90) ? "V1" : "V2", random.chance(40)}}});
    }
  }
  if (random.chance(60)) spec.version_definitions = {{name}, {"V1"}};
  if (random.chance(2)) spec.needed("gone.so");
  if (random.chance(4)) spec.stack = StackHeader::Executable;
  if (random.chance(3)) spec.stack = StackHeader::Absent;
  spec.symbolic = random.chance(20);
  spec.hash = random.chance(50) ? HashTables::Gnu : HashTables::Sysv;
  for (std::size_t i = random.below(3); i-- > 0;) {
    const Symbol symbol = random_definition(random);
    const bool is_new = std::none_of(spec.symbols.begin(), spec.symbols.end(),
                                     [&](const Symbol& s) { return s.name == symbol.name; });
    if (!is_new) continue;
    if (random.chance(50))
      spec.refer(symbol, kReloc64);
    else
      spec.define(symbol);
  }
  for (std::size_t i = random.below(3); i-- > 0;) {
    Symbol symbol = undefined("s" + std::to_string(random.below(5)));
    const bool is_new = std::none_of(spec.symbols.begin(), spec.symbols.end(),
                                     [&](const Symbol& s) { return s.name == symbol.name; });
    if (!is_new) continue;
    if (random.chance(85)) symbol = weak(symbol);
    spec.refer(symbol, random.chance(50) ? kRelocGlobDat : kRelocJumpSlot);
  }
  if (random.chance(10))
    spec.runpath(std::string(kDirectories[random.below(3)]));
  else if (random.chance(10))
    spec.rpath(std::string(kDirectories[random.below(3)]));
  return spec;
}

}  // namespace

OpenCase random_case(Random& random) {
  OpenCase made;
  const std::string tags[] = {"plain", "runpath", "rpath"};
  made.program = "opener-" + tags[random.below(3)];
  made.has_library_path = random.chance(80);
  for (const std::string& name : kNames) {
    for (const std::string_view directory : kDirectories) {
      if (!random.chance(directory == "/d" ? 97 : 40)) continue;
      made.nodes.push_back(
          elf_file(std::string(directory) + "/" + name, random_library(random, name)));
    }
  }
  if (random.chance(40)) {
    made.caller = "caller-" + tags[random.below(3)];
    made.openings.push_back({std::string(kCaller), OpenScope::Local});
    made.is_lazy.push_back(false);
  }
  for (std::size_t i = random.between(1, 4); i-- > 0;) {
    const OpenScope scopes[] = {OpenScope::Local, OpenScope::Local, OpenScope::Global,
                                OpenScope::DeepBind};
    const std::string name = random.pick(kNames);
    const std::string directory(kDirectories[random.below(3)]);
    OpenRequest request{random.chance(30) ? directory + "/" + name : name, scopes[random.below(4)]};
    if (!made.caller.empty() && random.chance(60)) request.caller = kCaller;
    made.openings.push_back(std::move(request));
    made.is_lazy.push_back(random.chance(25));
  }
  return made;
}

std::string mode_of(const OpenRequest& request, bool is_lazy) {
  const char mode = request.scope == OpenScope::Local    ? 'l'
                    : request.scope == OpenScope::Global ? 'g'
                                                         : 'd';
  return std::string(1, is_lazy ? static_cast<char>(mode - 0x20) : mode) +
         (request.caller.empty() ? "" : "x");
}

/// Files of the case; the names of others differ between releases.
bool is_ours(std::string_view path) {
  return path == kCaller || path.starts_with("/d/") || path.starts_with("/c/") ||
         path.starts_with("/e/");
}

}  // namespace soresolve::test
