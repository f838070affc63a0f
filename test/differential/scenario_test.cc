// Runs every scenario on one release of glibc or musl: the real loader must show what the scenario expects, and the
// library's answer must equal the real one.
//
//   scenario_test --glibc NAME | --musl NAME [NUMBER…]      only these numbers
//
// A scenario that cannot run here is told by its number.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "differential/judge.h"
#include "differential/scenarios.h"
#include "differential/scenarios_musl.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

bool has_text(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&text](const std::string& line) { return line.find(text) != std::string::npos; });
}

/// The names of the trace in order, without glibc's loader, or the line of musl's own.
std::string names_in_order(const std::vector<std::string>& trace, const std::string& loader) {
  std::string names;
  for (const std::string& line : trace) {
    if (line.find("/ld-linux-x86-64.so.2") != std::string::npos || line == "\t" + loader) continue;
    const std::string name = line.substr(1, line.find(" => ") - 1);
    names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

bool holds(const Expectation& expected, const LoaderAnswer& real, const std::string& loader) {
  using Kind = Expectation::Kind;
  const auto has_path = [&] {
    return std::find(real.attempts.begin(), real.attempts.end(), expected.text) != real.attempts.end();
  };
  switch (expected.kind) {
    case Kind::Traces: return std::find(real.trace.begin(), real.trace.end(), "\t" + expected.text) != real.trace.end();
    case Kind::Omits: return real.trace_end == "exit 0" && !has_text(real.trace, expected.text);
    case Kind::Order: return names_in_order(real.trace, loader) == expected.text;
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

void print(const LoaderAnswer& answer) {
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

/// The N of glibc 2.N and of musl 1.2.N.
int last_number_of(const std::string& release) {
  const std::size_t dot = release.rfind('.');
  return dot == std::string::npos ? 0 : std::atoi(release.c_str() + dot + 1);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// glibc's files are those of one release: nothing of them depends on which.
MuslFiles musl_files(const GlibcRoot& musl) {
  MuslFiles files;
  files.musl = content_of(musl.loader_file);
  if (const Result<GlibcRoot, std::string> glibc = find_glibc("bookworm")) {
    files.glibc_libc = content_of(glibc->libc_file);
    files.glibc_loader = content_of(glibc->loader_file);
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view libc = argc < 3 ? "" : argv[1];
  const bool is_musl = libc == "--musl";
  if (!is_musl && libc != "--glibc") {
    std::fputs("usage: scenario_test --glibc NAME | --musl NAME [NUMBER…]\n", stderr);
    return 2;
  }
  const std::vector<std::string> wanted(argv + 3, argv + argc);
  const Result<GlibcRoot, std::string> glibc = is_musl ? find_musl(argv[2]) : find_glibc(argv[2]);
  if (!glibc) {
    std::printf("skipped: %s\n", glibc.error().c_str());
    return 77;
  }
  const Result<std::unique_ptr<Sandbox>, std::string> box = Sandbox::create();
  if (!box) {
    std::printf("skipped: no sandbox here: %s\n", box.error().c_str());
    return 77;
  }
  const std::string name = std::string(is_musl ? "musl " : "glibc ") + glibc->release;
  const int minor = last_number_of(glibc->release);
  const MuslFiles files = is_musl ? musl_files(*glibc) : MuslFiles();
  std::vector<std::string> left_out = is_musl ? musl_scenarios_left_out(files) : std::vector<std::string>();
  int run = 0;
  int failed = 0;
  for (const Scenario& scenario : is_musl ? musl_scenarios(files) : all_scenarios()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), scenario.number) == wanted.end()) continue;
    if (scenario.tree.user != 0 && !(*box)->has_users()) {
      left_out.push_back(scenario.number + ": programs cannot be started as another user here");
      continue;
    }
    ++run;
    const Verdict verdict = judge(**box, *glibc, scenario.tree);
    std::vector<std::string> unshown;
    for (const Expectation& expected : scenario.expectations) {
      const bool applies = expected.releases.first <= minor && minor <= expected.releases.last;
      if (applies && !holds(expected, verdict.real, scenario.tree.loader)) unshown.push_back(describe(expected));
    }
    if (unshown.empty() && verdict.differences.empty() && verdict.is_startable) continue;
    ++failed;
    std::printf("SCENARIO %s on %s: %s\n%s", scenario.number.c_str(), name.c_str(), scenario.title.c_str(),
                describe(scenario.tree).c_str());
    for (const std::string& text : unshown) std::printf("  the real loader does not show: %s\n", text.c_str());
    for (const Difference& difference : verdict.differences) std::fputs(describe(difference).c_str(), stdout);
    if (!unshown.empty()) print(verdict.real);
  }
  for (const std::string& scenario : left_out) std::printf("left out: %s\n", scenario.c_str());
  std::printf("%s: %d scenarios, %d failed, %zu left out\n", name.c_str(), run, failed, left_out.size());
  return failed == 0 && run > 0 ? 0 : 1;
}
