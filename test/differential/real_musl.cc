// Runs musl's loader in the sandbox: what it lists and prints, and what the relocations hold when the program ends.
// A program that runs as set-uid is not looked into.
#include "differential/real_musl.h"

#include <algorithm>

#include "differential/musl_memory.h"
#include "differential/run_output.h"

namespace soresolve::test {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) lines.emplace_back(line);
  return lines;
}

std::vector<std::string> bindings_of(const std::vector<HeldReference>& references) {
  std::vector<std::string> lines;
  for (const HeldReference& reference : references) {
    std::string line = reference.referrer + "\t" + reference.symbol + "\t-\t";
    for (const std::string& provider : reference.providers) line += (line.ends_with('\t') ? "" : "|") + provider;
    if (reference.providers.empty()) line += "?";
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace

LoaderAnswer ask_real_musl(const Sandbox& box, const Tree& tree, Runs runs, Patience while_tracing, Patience at_start) {
  RunSpec spec;
  spec.cwd = tree.cwd;
  spec.user = tree.user;
  spec.environment = tree.environment;
  std::vector<std::string> command = {tree.loader};
  command.insert(command.end(), tree.loader_options.begin(), tree.loader_options.end());
  if (tree.launch == Launch::Kernel) {
    spec.path = tree.file;
    spec.arguments = {tree.argv0};
  } else {
    spec.path = tree.loader;
    spec.arguments = command;
    spec.arguments.push_back(tree.file);
  }
  spec.limit_cpu_ms = limit_cpu_ms(at_start);
  std::vector<HeldReference> held;
  if (!tree.is_secure) {
    spec.at_exit = [&](int pid) { held = read_held_references(pid); };
  }
  LoaderAnswer answer;
  const RunResult start = box.run(spec);
  answer.start_end = answer.now_end = end_of(start);
  answer.start_messages = answer.now_messages = lines_of(start.errors);
  answer.bindings = bindings_of(held);
  if (runs == Runs::StartOnly) return answer;
  spec.at_exit = {};
  spec.path = tree.loader;
  spec.arguments = command;
  if (!tree.loader.ends_with("ldd")) spec.arguments.insert(spec.arguments.begin() + 1, "--list");
  spec.arguments.push_back(tree.file);
  spec.limit_cpu_ms = limit_cpu_ms(while_tracing);
  const RunResult list = box.run(spec);
  answer.trace_end = end_of(list);
  for (const std::string_view line : split_lines(list.output)) answer.trace.push_back(without_address(line));
  answer.trace_messages = lines_of(list.errors);
  return answer;
}

void settle_providers(std::vector<std::string>& real, const std::vector<std::string>& ours) {
  for (std::string& line : real) {
    if (line.find('|') == std::string::npos) continue;
    const std::size_t start = line.rfind('\t') + 1;
    std::string_view left = std::string_view(line).substr(start);
    while (!left.empty()) {
      const std::string one = line.substr(0, start) + std::string(left.substr(0, left.find('|')));
      if (std::binary_search(ours.begin(), ours.end(), one)) {
        line = one;
        break;
      }
      left.remove_prefix(std::min(left.find('|'), left.size() - 1) + 1);
    }
  }
}

}  // namespace soresolve::test
