// Random trees, judged by a real ld.so.
//
//   tree_test --glibc NAME | --musl NAME | --machine NAME/SUITE [--seed N | --fresh] [--count N]
//             [--tunables | --spoiled | --pieces] [--at-most N]
//
// Tree k is made from seed N+k, so a failure is repeated with `--seed N+k --count 1`. Every tree that
// is answered differently is reduced to the smallest one that still is. Exit status: 0 no difference, or no more than
// --at-most of them (files that are broken in odd ways are not followed to the end), 1 differences, 2 usage, 77 the
// loader or the right to chroot is not to be had here.
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "differential/judge.h"
#include "differential/other_machine.h"
#include "differential/tree_generator.h"
#include "differential/tree_reducer.h"
#include "support/random.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

/// The library may take so much of the processor for one tree; then it hangs, which is a failure of its own.
constexpr itimerval kTimeForOneTree{{0, 0}, {60, 0}};
constexpr itimerval kNoLimit{};
std::uint64_t current_seed = 0;

extern "C" void report_hang(int) {
  std::printf("HANG: no answer for seed %llu\n", static_cast<unsigned long long>(current_seed));
  std::fflush(stdout);
  _exit(1);
}

/// What the trees are about.
enum class About : std::uint8_t {
  Everything,
  Tunables,  ///< and nothing else
  Spoiled,   ///< files are cut off or zeroed near their tables
  Pieces,    ///< files are mapped by several PT_LOADs, some of which lie over others
};

struct Options {
  std::string glibc;
  bool is_musl = false;
  bool is_other_machine = false;
  std::uint64_t seed = 1;
  std::uint64_t count = 1000;
  About about = About::Everything;
  std::uint64_t at_most = 0;
  std::uint64_t shown = 3;  ///< differences that are reduced and printed
};

int usage() {
  std::fputs(
      "usage: tree_test --glibc NAME | --musl NAME | --machine NAME/SUITE [--seed N | --fresh] [--count N]\n"
      "       [--show N] [--tunables | --spoiled | --pieces] [--at-most N]\n",
      stderr);
  return 2;
}

std::string name_of(const GlibcRoot& root) { return (root.is_musl ? "musl " : "glibc ") + root.release; }

Result<GlibcRoot, std::string> find_root(const Options& options) {
  if (options.is_other_machine) return find_machine_root(options.glibc);
  return options.is_musl ? find_musl(options.glibc) : find_glibc(options.glibc);
}

Tree make_tree(const Options& options, const GlibcRoot& root, std::uint64_t seed, bool has_users) {
  // With another machine no user but root: its emulator passes no AT_SECURE on.
  Tree tree = options.about == About::Tunables ? generate_tunables_tree(seed)
                                               : generate_tree(seed, has_users && !options.is_other_machine);
  if (options.is_musl) add_musl_ingredients(seed, tree);
  if (options.is_other_machine) {
    for_machine(tree, root);
    add_machine_ingredients(seed, tree, root);
  }
  Random random(seed);
  if (options.about == About::Spoiled) spoil_some(random, tree);
  if (options.about == About::Pieces) map_some_in_pieces(random, tree);
  return tree;
}

void report(Sandbox& box, const GlibcRoot& glibc, const Tree& tree, const Verdict& verdict, std::uint64_t seed) {
  const std::string part = verdict.differences.front().part;
  const std::string end = verdict.ours.start_end;
  const Tree smallest = reduce_tree(tree, [&](const Tree& candidate) {
    const Verdict again = judge(box, glibc, candidate, Patience::Short);
    return !again.differences.empty() && again.differences.front().part == part && again.ours.start_end == end;
  });
  std::printf("DIFFERENCE, %s, seed %llu; the smallest tree:\n%s", name_of(glibc).c_str(),
              static_cast<unsigned long long>(seed), describe(smallest).c_str());
  for (const Difference& difference : judge(box, glibc, smallest).differences)
    std::fputs(describe(difference).c_str(), stdout);
  std::fflush(stdout);
}

int run(const Options& options) {
  Result<GlibcRoot, std::string> glibc = find_root(options);
  if (!glibc) {
    std::printf("skipped: %s\n", glibc.error().c_str());
    return 77;
  }
  const Result<std::unique_ptr<Sandbox>, std::string> box = Sandbox::create();
  if (!box) {
    std::printf("skipped: no sandbox here: %s\n", box.error().c_str());
    return 77;
  }
  if (options.is_other_machine) glibc->processor = see_processor(**box, *glibc);
  std::printf("%s, seeds %llu to %llu\n", name_of(*glibc).c_str(), static_cast<unsigned long long>(options.seed),
              static_cast<unsigned long long>(options.seed + options.count - 1));
  std::fflush(stdout);

  std::signal(SIGPROF, report_hang);
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
  std::uint64_t attempts = 0;
  std::uint64_t bindings = 0;
  std::map<std::string, std::uint64_t> ends;
  for (std::uint64_t seed = options.seed; seed < options.seed + options.count; ++seed) {
    current_seed = seed;
    setitimer(ITIMER_PROF, &kTimeForOneTree, nullptr);
    const Tree tree = make_tree(options, *glibc, seed, (*box)->has_users());
    const Verdict verdict = judge(**box, *glibc, tree);
    if (!verdict.is_startable) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), verdict.real.start_end.c_str());
      continue;
    }
    ++compared;
    attempts += verdict.real.attempts.size();
    bindings += verdict.real.bindings.size();
    ++ends[verdict.real.now_end];
    if (verdict.differences.empty()) continue;
    setitimer(ITIMER_PROF, &kNoLimit, nullptr);
    if (different++ < options.shown) report(**box, *glibc, tree, verdict, seed);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%s: %llu trees compared, %llu attempts, %llu bindings, %llu differences, %.1f s;",
              name_of(*glibc).c_str(), static_cast<unsigned long long>(compared),
              static_cast<unsigned long long>(attempts), static_cast<unsigned long long>(bindings),
              static_cast<unsigned long long>(different), seconds);
  for (const auto& [end, count] : ends) std::printf(" %s: %llu", end.c_str(), static_cast<unsigned long long>(count));
  std::putchar('\n');
  return different <= options.at_most && compared == options.count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string_view, About> abouts = {
      {"--tunables", About::Tunables}, {"--spoiled", About::Spoiled}, {"--pieces", About::Pieces}};
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const auto about = abouts.find(option);
    if (about != abouts.end()) {
      options.about = about->second;
      continue;
    }
    if (option == "--fresh") {
      options.seed = std::random_device{}();
      continue;
    }
    if (i + 1 >= argc) return usage();
    const char* const value = argv[++i];
    if (option == "--glibc" || option == "--musl" || option == "--machine") {
      options.glibc = value;
      options.is_musl = option == "--musl";
      options.is_other_machine = option == "--machine";
    } else if (option == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (option == "--count")
      options.count = std::strtoull(value, nullptr, 10);
    else if (option == "--at-most")
      options.at_most = std::strtoull(value, nullptr, 10);
    else if (option == "--show")
      options.shown = std::strtoull(value, nullptr, 10);
    else
      return usage();
  }
  return options.glibc.empty() ? usage() : run(options);
}
