// What a running program opens with dlopen(3): scopes, bindings and errors, judged by a real ld.so.
//
//   open_test DIR --glibc NAME | --musl NAME [--seed N] [--count N] [--boundaries | --scenarios]
//
// DIR holds the programs and callers that were built (see meson.build). Case k is made from seed
// N+k; with --boundaries it is the k-th of a list that holds sizes of thread-local storage, with --scenarios
// of one that holds causes of earlier differences; of musl, the scenarios of its reference. Exit status as of
// tree_test.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "differential/open_case.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int skip(const std::string& why) {
  std::printf("SKIP: %s\n", why.c_str());
  return 77;
}

/// Of a relocation without a symbol musl prints what is in an uninitialised variable (ldso/dynlink.c:do_relocs,
/// `name`), or dies of it.
bool is_left_to_chance(const LoaderAnswer& ours) {
  return std::any_of(ours.start_messages.begin(), ours.start_messages.end(),
                     [](const std::string& line) { return line.find(": (null): ") != std::string::npos; });
}

}  // namespace

int main(int argc, char** argv) {
  std::string glibc_name;
  bool is_musl = false;
  std::uint64_t seed = 1;
  std::uint64_t count = 2000;
  bool is_about_scenarios = false;
  std::vector<OpenCase> listed;
  for (int i = 2; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--boundaries") listed = boundary_cases();
    is_about_scenarios |= option == "--scenarios";
    if (i + 1 == argc) break;
    if (option == "--glibc" || option == "--musl") glibc_name = argv[i + 1];
    is_musl |= option == "--musl";
    if (option == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") count = std::strtoull(argv[i + 1], nullptr, 10);
  }
  if (argc < 4 || glibc_name.empty()) {
    std::fputs(
        "usage: open_test DIR --glibc NAME | --musl NAME [--seed N] [--count N] "
        "[--boundaries | --scenarios]\n",
        stderr);
    return 2;
  }
  if (is_about_scenarios) listed = is_musl ? musl_open_scenarios() : open_scenarios();
  const Result<GlibcRoot, std::string> glibc = is_musl ? find_musl(glibc_name) : find_glibc(glibc_name);
  if (!glibc) return skip(glibc.error());
  const Result<std::unique_ptr<Sandbox>, std::string> box = Sandbox::create();
  if (!box) return skip(box.error());
  const std::string built = std::string(argv[1]) + "/";
  if (content_of(built + "opener-plain").empty()) return skip("the program that opens was not built");

  std::uint64_t differences = 0;
  std::uint64_t bindings = 0;
  std::uint64_t failures = 0;
  if (!listed.empty()) count = std::min<std::uint64_t>(count, listed.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    OpenCase asked = listed.empty() ? random_case(random, (*box)->has_users() && !is_musl) : listed[seed - 1 + i];
    if (is_musl) suit_musl(asked);
    TreeNode program = text_file(std::string(kOpener), content_of(built + asked.program));
    program.mode = asked.program_file.mode;
    program.owner = asked.program_file.owner;
    program.group = asked.program_file.group;
    program.capabilities = asked.program_file.capabilities;
    asked.nodes.push_back(program);
    if (!asked.caller.empty()) {
      asked.nodes.push_back(text_file(std::string(kCaller), content_of(built + asked.caller)));
    }
    (*box)->prepare(*glibc, RootLayout::Merged, Proc::Mounted, asked.nodes);
    const LoaderAnswer ours = ask_ours(**box, asked);
    LoaderAnswer real = ask_real(**box, asked, ours.is_endless ? Patience::Short : Patience::Full);
    if (ours.is_endless && ours.start_end == "signal" && real.start_end == "spins") real.start_end = "signal";
    const int release = std::atoi(glibc->release.c_str() + glibc->release.rfind('.') + 1);
    const bool is_shown = asked.shows.empty() || release < asked.shows_since || real.start_messages == asked.shows;
    if (is_musl && is_left_to_chance(ours)) continue;
    std::erase_if(real.bindings, [&](const std::string& line) {
      return std::any_of(ours.left_open.begin(), ours.left_open.end(),
                         [&](const std::string& left) { return line.starts_with(left); });
    });
    bindings += real.bindings.size();
    for (const std::string& message : real.start_messages) failures += message == "ok" || message == "null" ? 0 : 1;
    if (is_shown && real.start_end == ours.start_end && real.start_messages == ours.start_messages &&
        real.bindings == ours.bindings && real.trace == ours.trace) {
      continue;
    }
    if (++differences > 3) continue;
    std::printf("DIFFERENCE, %s %s, seed %llu: %s\n", is_musl ? "musl" : "glibc", glibc->release.c_str(),
                static_cast<unsigned long long>(seed + i), asked.why.c_str());
    for (const TreeNode& node : asked.nodes) {
      if (node.path != kOpener && node.path != kCaller) std::printf("  %s\n", describe(node).c_str());
    }
    std::printf("  %s mode %04o of %u:%u%s, by uid %u; %s%s\n", asked.program.c_str(), program.mode, program.owner,
                program.group, program.capabilities.empty() ? "" : " with capabilities", asked.user,
                asked.caller.c_str(), asked.has_library_path ? " LD_LIBRARY_PATH=/d" : "");
    for (const std::string& entry : asked.environment) std::printf("  %s\n", entry.c_str());
    for (std::size_t k = 0; k < asked.dlopen_calls.size(); ++k) {
      std::printf("  open %s %s\n", mode_of(asked.dlopen_calls[k]).c_str(), asked.dlopen_calls[k].file.c_str());
    }
    if (!is_shown) {
      std::fputs(describe(Difference{"what is expected and messages", real.start_messages, asked.shows}).c_str(),
                 stdout);
    }
    std::printf("  ends: real %s, ours %s\n", real.start_end.c_str(), ours.start_end.c_str());
    std::fputs(describe(Difference{"messages", real.start_messages, ours.start_messages}).c_str(), stdout);
    std::fputs(describe(Difference{"list of objects", real.trace, ours.trace}).c_str(), stdout);
    std::fputs(describe(Difference{"bindings", real.bindings, ours.bindings}).c_str(), stdout);
  }
  if (is_about_scenarios && is_musl) std::puts("left out: 112: dlsym(3) is not called here");
  std::printf("%s %s: %llu cases, %llu bindings, %llu openings that fail, %llu differences\n",
              is_musl ? "musl" : "glibc", glibc->release.c_str(), static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(bindings), static_cast<unsigned long long>(failures),
              static_cast<unsigned long long>(differences));
  return differences == 0 ? 0 : 1;
}
