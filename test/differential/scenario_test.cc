// Runs every scenario on one glibc: the real loader must show what the scenario expects, and the
// library's answer must equal the real one.
//
//   scenario_test --glibc NAME [NUMBER…]      only these numbers
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "differential/judge.h"
#include "differential/scenarios.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

bool has_text(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&text](const std::string& line) { return line.find(text) != std::string::npos; });
}

/// The names of the trace in order, without the loader.
std::string names_in_order(const std::vector<std::string>& trace) {
  std::string names;
  for (const std::string& line : trace) {
    if (line.find("/ld-linux-x86-64.so.2") != std::string::npos) continue;
    const std::string name = line.substr(1, line.find(" => ") - 1);
    names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

bool holds(const Expectation& expected, const Answer& real) {
  using Kind = Expectation::Kind;
  const auto has_path = [&] {
    return std::find(real.attempts.begin(), real.attempts.end(), expected.text) != real.attempts.end();
  };
  switch (expected.kind) {
    case Kind::Traces: return std::find(real.trace.begin(), real.trace.end(), "\t" + expected.text) != real.trace.end();
    case Kind::Omits: return real.trace_end == "exit 0" && !has_text(real.trace, expected.text);
    case Kind::Order: return names_in_order(real.trace) == expected.text;
    case Kind::Starts: return real.start_end == "exit 0";
    case Kind::Says: return has_text(real.start_messages, expected.text);
    case Kind::Ends: return real.start_end == expected.text;
    case Kind::DiesTracing: return real.trace_end == "exit 127" && has_text(real.trace_messages, expected.text);
    case Kind::Tries: return has_path();
    case Kind::TriesNot: return !has_path();
    case Kind::NowSays: return has_text(real.now_messages, expected.text);
    case Kind::NowEnds: return real.now_end == expected.text;
    case Kind::Binds:
      return std::find(real.bindings.begin(), real.bindings.end(), expected.text) != real.bindings.end();
    case Kind::BindsNot:
      return std::none_of(real.bindings.begin(), real.bindings.end(),
                          [&](const std::string& line) { return line.starts_with(expected.text); });
    case Kind::Warns: return has_text(real.trace_messages, expected.text);
  }
  return false;
}

std::string describe(const Expectation& expected) {
  static constexpr const char* kWords[] = {"traces",     "omits",        "order",         "starts",       "says",
                                           "start ends", "dies tracing", "tries",         "does not try", "now says",
                                           "now ends",   "binds",        "does not bind", "warns"};
  return std::string(kWords[static_cast<std::size_t>(expected.kind)]) + " '" + expected.text + "'";
}

void print(const Answer& answer) {
  const auto lines = [](const char* label, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) std::printf("      %s: %s\n", label, text.c_str());
  };
  lines("trace", answer.trace);
  lines("trace stderr", answer.trace_messages);
  std::printf("      trace: %s\n", answer.trace_end.c_str());
  lines("start stderr", answer.start_messages);
  std::printf("      start: %s\n", answer.start_end.c_str());
  lines("now stderr", answer.now_messages);
  std::printf("      now: %s\n", answer.now_end.c_str());
  lines("binding", answer.bindings);
}

int minor_of(const std::string& release) {
  const std::size_t dot = release.find('.');
  return dot == std::string::npos ? 0 : std::atoi(release.c_str() + dot + 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || std::string_view(argv[1]) != "--glibc") {
    std::fputs("usage: scenario_test --glibc NAME [NUMBER…]\n", stderr);
    return 2;
  }
  const std::vector<std::string> wanted(argv + 3, argv + argc);
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
  const int minor = minor_of(glibc->release);
  int run = 0;
  int left_out = 0;
  int failed = 0;
  for (const Scenario& scenario : all_scenarios()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), scenario.number) == wanted.end()) continue;
    if (scenario.tree.user != 0 && !(*box)->has_users()) {
      ++left_out;
      continue;
    }
    ++run;
    const Verdict verdict = judge(**box, *glibc, scenario.tree);
    std::vector<std::string> unshown;
    for (const Expectation& expected : scenario.expectations) {
      const bool applies = expected.releases.first <= minor && minor <= expected.releases.last;
      if (applies && !holds(expected, verdict.real)) unshown.push_back(describe(expected));
    }
    if (unshown.empty() && verdict.differences.empty() && verdict.is_startable) continue;
    ++failed;
    std::printf("SCENARIO %s on glibc %s: %s\n%s", scenario.number.c_str(), glibc->release.c_str(),
                scenario.title.c_str(), describe(scenario.tree).c_str());
    for (const std::string& text : unshown) std::printf("  the real loader does not show: %s\n", text.c_str());
    for (const Difference& difference : verdict.differences) std::fputs(describe(difference).c_str(), stdout);
    if (!unshown.empty()) print(verdict.real);
  }
  std::printf("glibc %s: %d scenarios, %d failed, %d left out (no users here)\n", glibc->release.c_str(), run, failed,
              left_out);
  return failed == 0 && run > 0 ? 0 : 1;
}
