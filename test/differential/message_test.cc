// Every line that a real ld.so prints about the scenarios is a message that explain knows.
//
//   message_test --glibc NAME
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "differential/real_loader.h"
#include "differential/scenarios.h"
#include "soresolve/catalogue.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

/// What at least must have been said, or the scenarios are not what they were. All releases can say it.
constexpr std::string_view kExpected[] = {
    "missing-library",     "wrong-class",        "file-too-short",  "invalid-elf-header",
    "foreign-elf-header",  "cannot-read-file",   "version-missing", "preload-ignored",
    "not-a-shared-object", "no-dynamic-section", "symbol-missing",
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "--glibc") {
    std::fputs("usage: message_test --glibc NAME\n", stderr);
    return 2;
  }
  const Result<GlibcRoot, std::string> glibc = find_glibc(argv[2]);
  if (!glibc) {
    std::printf("skipped: %s\n", glibc.error().c_str());
    return 77;
  }
  const Result<std::unique_ptr<Sandbox>, std::string> box = Sandbox::create();
  if (!box) {
    std::printf("skipped: no sandbox here: %s\n", box.error().c_str());
    return 77;
  }

  std::map<std::string_view, int> known;
  std::set<std::string> unknown;
  for (const Scenario& scenario : all_scenarios()) {
    const Tree& tree = scenario.tree;
    if (tree.user != 0 && !(*box)->has_users()) continue;
    (*box)->prepare(*glibc, tree.layout, tree.proc, all_nodes(tree));
    const Runs runs = tree.is_secure ? Runs::StartOnly : Runs::TraceAndStart;
    const LoaderAnswer real = ask_real_loader(**box, *glibc, tree, runs, Patience::Short, Patience::Short);
    for (const auto& lines : {real.start_messages, real.now_messages, real.trace_messages}) {
      for (const std::string& line : lines) {
        const std::vector<Recognised> found = recognise(line);
        for (const Recognised& message : found) ++known[message.known->id];
        const bool is_known = !found.empty() && found.front().known->weight == Weight::Cause;
        if (!is_known) unknown.insert(scenario.number + ": " + line);
      }
    }
  }
  bool is_good = unknown.empty();
  for (const std::string& line : unknown) std::printf("not known: %s\n", line.c_str());
  for (const std::string_view id : kExpected) {
    if (known.contains(id)) continue;
    std::printf("never said: %s\n", std::string(id).c_str());
    is_good = false;
  }
  int count = 0;
  for (const auto& [id, times] : known) {
    std::printf("  %-26s %d\n", std::string(id).c_str(), times);
    count += times;
  }
  std::printf("glibc %s: %d lines of %zu kinds known, %zu lines unknown\n", glibc->release.c_str(), count, known.size(),
              unknown.size());
  return is_good ? 0 : 1;
}
