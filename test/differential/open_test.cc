// What a running program opens with dlopen(3): scopes, bindings and errors, judged by a real ld.so.
//
//   open_test DIR --glibc NAME [--seed N] [--count N]
//
// DIR holds the programs and callers that were built (see meson.build). Case k is made from seed
// N+k. Exit status as of tree_test.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "differential/answer.h"
#include "soresolve/loader.h"
#include "soresolve/startup.h"
#include "support/random.h"
#include "support/same_bindings.h"
#include "support/sandbox.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr std::string_view kOpener = "/app/opener";
constexpr std::string_view kCaller = "/app/caller.so";
/// Where libraries are: LD_LIBRARY_PATH, the program's RPATH or RUNPATH, the caller's.
constexpr std::string_view kDirectories[] = {"/d", "/c", "/e"};

struct OpenCase {
  std::vector<TreeNode> nodes;
  std::string program;  ///< which of the programs that were built
  std::string caller;   ///< likewise; empty: none
  bool has_library_path = true;
  std::vector<OpenRequest> openings;
  std::vector<bool> is_lazy;
};

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

void add_once(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

/// "REFERRER\tSYMBOL\tPROVIDER" of an LD_DEBUG line; empty for others.
std::string binding_of(std::string_view line) {
  constexpr std::string_view kStart = "binding file ";
  const std::size_t start = line.find(kStart);
  const std::size_t middle = line.find(" [0] to ");
  const std::size_t quote = line.find('`');
  if (start == std::string_view::npos || middle == std::string_view::npos) return {};
  const std::string_view referrer =
      line.substr(start + kStart.size(), middle - start - kStart.size());
  std::string_view provider = line.substr(middle + 8);
  provider = provider.substr(0, provider.find(" [0]"));
  std::string_view symbol = line.substr(quote + 1);
  symbol = symbol.substr(0, symbol.find('\''));
  // The test's own dlsym.
  if (!is_ours(referrer) || symbol == "open_here") return {};
  return std::string(referrer) + "\t" + std::string(symbol) + "\t" + std::string(provider);
}

Answer ask_real(const Sandbox& box, const OpenCase& asked) {
  RunSpec spec;
  spec.path = std::string(kOpener);
  spec.arguments = {std::string(kOpener)};
  for (std::size_t i = 0; i < asked.openings.size(); ++i) {
    spec.arguments.push_back(mode_of(asked.openings[i], asked.is_lazy[i]));
    spec.arguments.push_back(asked.openings[i].file);
  }
  spec.environment = {"LD_DEBUG=bindings"};
  if (asked.has_library_path) spec.environment.push_back("LD_LIBRARY_PATH=/d");
  const RunResult run = box.run(spec);
  Answer answer;
  answer.start_end = run.signal != 0 ? "signal" : "exit " + std::to_string(run.exit_status);
  std::string_view rest = run.output;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    // An entry of the loader's list, or a line about an opening.
    const bool is_path = line != "ok" && line.find(':') == std::string_view::npos;
    if (!is_path || is_ours(line)) {
      (is_path ? answer.trace : answer.start_messages).emplace_back(line);
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  rest = run.errors;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (std::string line = binding_of(rest.substr(0, end)); !line.empty()) {
      add_once(answer.bindings, std::move(line));
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return answer;
}

Answer ask_ours(const Sandbox& box, const OpenCase& asked) {
  Answer answer;
  answer.start_end = "exit 0";
  const auto failed = [&](const Error& error) {
    answer.start_messages = {"error: " + error.to_string()};
    return answer;
  };
  Result<std::unique_ptr<FileSystem>> files = rooted_file_system(box.root());
  if (!files) return failed(files.error());
  Result<System> system = read_system(std::move(*files), "/lib64/ld-linux-x86-64.so.2");
  if (!system) return failed(system.error());
  Process process;
  process.argv0 = std::string(kOpener);
  if (asked.has_library_path) process.environment.add("LD_LIBRARY_PATH=/d");
  process.cpu = detect_host_cpu(system->rules.target, "x86_64");
  LoadOptions options;
  options.openings = asked.openings;
  const Result<LinkMap> map = load(*system, process, kOpener, options);
  if (!map) return failed(map.error());
  const Result<StartFacts> facts =
      read_start_facts(*system, process, *map, {.own = OwnReferences::Counted});
  if (!facts) return failed(facts.error());
  const Result<Bindings> all = bind_symbols(*system, process, *map);
  if (!all) return failed(all.error());
  if (const auto differs = difference(*all, facts->bindings, map->openings.size())) {
    return failed({ErrorCode::Malformed, std::string(kOpener), {}, "all references, or without own: " + *differs});
  }
  std::size_t last = 0;
  for (std::size_t i = 1; i <= map->openings.size(); ++i) {
    const BindTime bind_time = asked.is_lazy[i - 1] ? BindTime::AsAsked : BindTime::Now;
    const Startup opened = open_up(*system, process, *map, *facts, i, bind_time);
    last = i;
    if (opened.end == StartEnd::Crashes) answer.start_end = "signal";
    if (opened.end == StartEnd::Runs) {
      answer.start_messages.push_back("ok");
    } else {
      if (opened.fatal_line) answer.start_messages.push_back(opened.lines[*opened.fatal_line]);
      // Nothing is bound before all files and versions are found.
      const bool is_bound = opened.fatal_line && opened.lines[*opened.fatal_line].find(
                                                     ": undefined symbol: ") != std::string::npos;
      if (!is_bound) last = i - 1;
      break;
    }
  }
  // What fails is taken back.
  const std::size_t opened = static_cast<std::size_t>(
      std::count(answer.start_messages.begin(), answer.start_messages.end(), "ok"));
  for (const ObjectIndex index : map->list_order) {
    const LoadedObject& object = map->objects[index];
    const bool is_there = object.role == ObjectRole::Library && map->opening_of(index) <= opened;
    if (is_there && is_ours(object.path) && answer.start_end == "exit 0") {
      answer.trace.emplace_back(object.path);
    }
  }
  // What the failed opening bound before its error.
  bool is_over = false;
  all->for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || is_over) return;
    const SymbolBinding& binding = *event.binding;
    std::size_t opening = map->openings.size();
    while (opening > 0 && binding.referrer < map->openings[opening - 1].first_new) --opening;
    if (opening == 0 || opening > last) return;
    if (binding.is_lazy && asked.is_lazy[opening - 1]) return;
    is_over = binding.is_undefined();
    if (!binding.is_bound()) return;
    add_once(answer.bindings, std::string(map->objects[binding.referrer].path) + "\t" +
                                  std::string(binding.symbol) + "\t" +
                                  std::string(map->objects[binding.provider].path));
  });
  return answer;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int skip(const std::string& why) {
  std::printf("SKIP: %s\n", why.c_str());
  return 77;
}

}  // namespace

int main(int argc, char** argv) {
  std::string glibc_name;
  std::uint64_t seed = 1;
  std::uint64_t count = 1000;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--glibc") glibc_name = argv[i + 1];
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") count = std::strtoull(argv[i + 1], nullptr, 10);
  }
  if (argc < 4 || glibc_name.empty()) {
    std::fputs("usage: open_test DIR --glibc NAME [--seed N] [--count N]\n", stderr);
    return 2;
  }
  const Result<GlibcRoot, std::string> glibc = find_glibc(glibc_name);
  if (!glibc) return skip(glibc.error());
  const Result<std::unique_ptr<Sandbox>, std::string> box = Sandbox::create();
  if (!box) return skip(box.error());
  const std::string built = std::string(argv[1]) + "/";
  if (content_of(built + "opener-plain").empty())
    return skip("the program that opens was not built");

  std::uint64_t differences = 0;
  std::uint64_t bindings = 0;
  std::uint64_t failures = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    OpenCase asked = random_case(random);
    TreeNode program = text_file(std::string(kOpener), content_of(built + asked.program));
    program.mode = 0755;
    asked.nodes.push_back(program);
    if (!asked.caller.empty()) {
      asked.nodes.push_back(text_file(std::string(kCaller), content_of(built + asked.caller)));
    }
    (*box)->prepare(*glibc, RootLayout::Merged, Proc::Mounted, asked.nodes);
    const Answer real = ask_real(**box, asked);
    const Answer ours = ask_ours(**box, asked);
    bindings += real.bindings.size();
    failures += !real.start_messages.empty() && real.start_messages.back() != "ok" ? 1 : 0;
    if (real.start_end == ours.start_end && real.start_messages == ours.start_messages &&
        real.bindings == ours.bindings && real.trace == ours.trace) {
      continue;
    }
    if (++differences > 3) continue;
    std::printf("DIFFERENCE, glibc %s, seed %llu:\n", glibc->release.c_str(),
                static_cast<unsigned long long>(seed + i));
    for (const TreeNode& node : asked.nodes) {
      if (node.kind == NodeKind::Elf) std::printf("  %s\n", describe(node).c_str());
    }
    std::printf("  %s %s%s\n", asked.program.c_str(), asked.caller.c_str(),
                asked.has_library_path ? " LD_LIBRARY_PATH=/d" : "");
    for (std::size_t k = 0; k < asked.openings.size(); ++k) {
      std::printf("  open %s %s\n", mode_of(asked.openings[k], asked.is_lazy[k]).c_str(),
                  asked.openings[k].file.c_str());
    }
    std::printf("  ends: real %s, ours %s\n", real.start_end.c_str(), ours.start_end.c_str());
    std::fputs(describe(Difference{"messages", real.start_messages, ours.start_messages}).c_str(),
               stdout);
    std::fputs(describe(Difference{"list of objects", real.trace, ours.trace}).c_str(), stdout);
    std::fputs(describe(Difference{"bindings", real.bindings, ours.bindings}).c_str(), stdout);
  }
  std::printf("glibc %s: %llu cases, %llu bindings, %llu openings that fail, %llu differences\n",
              glibc->release.c_str(), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(bindings), static_cast<unsigned long long>(failures),
              static_cast<unsigned long long>(differences));
  return differences == 0 ? 0 : 1;
}
