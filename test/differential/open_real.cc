// What the real loader does with a sequence of dlopen calls: opener.cc run in the sandbox, with
// LD_DEBUG=bindings.
#include <algorithm>
#include <string>
#include <string_view>

#include "differential/open_case.h"

namespace soresolve::test {
namespace {

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

}  // namespace

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

}  // namespace soresolve::test
