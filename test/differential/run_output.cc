// Takes apart what the sandbox has caught: lines, addresses, how a process ended. Nothing of it is compared here.
#include "differential/run_output.h"

namespace soresolve::test {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string without_address(std::string_view line) {
  if (line.ends_with(" (0)")) line.remove_suffix(4);  // musl's of a file at fixed addresses
  const std::size_t at = line.rfind(" (0x");
  return std::string(at != std::string_view::npos && line.ends_with(')') ? line.substr(0, at) : line);
}

std::string end_of(const RunResult& run) {
  if (run.blocks) return "blocks";
  if (run.spins) return "spins";
  if (run.signal != 0) return "signal";
  if (run.exec_error != 0) return "cannot be started: error " + std::to_string(run.exec_error);
  return "exit " + std::to_string(run.exit_status);
}

}  // namespace soresolve::test
