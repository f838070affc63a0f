// Compares two answers line by line and shows the first difference with its surroundings. What the library cannot
// predict in an endless or early end is cut from both before.
#include "differential/answer.h"

#include <algorithm>
#include <utility>

namespace soresolve::test {

namespace {

/// Leaves of two endless answers what can be compared.
void cut_endless(LoaderAnswer& real, LoaderAnswer& ours) {
  const std::size_t attempts = std::min(real.attempts.size(), ours.attempts.size());
  real.attempts.resize(attempts);
  ours.attempts.resize(attempts);
  for (std::string* const end : {&real.trace_end, &real.start_end, &real.now_end})
    if (*end == "blocks" || *end == "spins") *end = "signal";
}

/// A start that ends early shows only the beginning of what the library lists.
void cut_at_end(const std::string& end, const std::vector<std::string>& real, std::vector<std::string>& ours) {
  if (end != "exit 0" && real.size() < ours.size()) ours.resize(real.size());
}

}  // namespace

std::vector<Difference> compare(LoaderAnswer real, LoaderAnswer ours) {
  cut_at_end(ours.start_end, real.relocations, ours.relocations);
  cut_at_end(ours.now_end, real.bindings, ours.bindings);
  if (ours.is_endless) cut_endless(real, ours);
  if (ours.has_left_out) real.attempts = ours.attempts = {};
  std::vector<Difference> differences;
  const auto lines = [&](const char* part, const std::vector<std::string>& left,
                         const std::vector<std::string>& right) {
    if (left != right) differences.push_back({part, left, right});
  };
  lines("end of tracing", {real.trace_end}, {ours.trace_end});
  lines("messages of tracing", real.trace_messages, ours.trace_messages);
  lines("trace", real.trace, ours.trace);
  lines("attempts", real.attempts, ours.attempts);
  lines("end of the start", {real.start_end}, {ours.start_end});
  lines("messages of the start", real.start_messages, ours.start_messages);
  lines("order of relocation", real.relocations, ours.relocations);
  lines("end of the start with LD_BIND_NOW", {real.now_end}, {ours.now_end});
  lines("messages of the start with LD_BIND_NOW", real.now_messages, ours.now_messages);
  lines("bindings", real.bindings, ours.bindings);
  return differences;
}

std::string describe(const Difference& difference) {
  constexpr std::size_t kContext = 3;
  constexpr std::size_t kShown = 12;
  const std::vector<std::string>& real = difference.real;
  const std::vector<std::string>& ours = difference.ours;
  const std::size_t common = std::min(real.size(), ours.size());
  std::size_t same = 0;
  while (same < common && real[same] == ours[same]) ++same;

  std::string text = "  " + difference.part + " differ";
  text += same > 0 ? " after " + std::to_string(same) + " equal lines\n" : "\n";
  for (std::size_t i = same > kContext ? same - kContext : 0; i < same; ++i) text += "      both: " + real[i] + '\n';
  const auto show = [&](const char* label, const std::vector<std::string>& lines) {
    if (same == lines.size()) text += std::string("      ") + label + ": (end)\n";
    for (std::size_t i = same; i < lines.size() && i < same + kShown; ++i)
      text += std::string("      ") + label + ": " + lines[i].substr(0, 400) + '\n';
    if (lines.size() > same + kShown) text += std::string("      ") + label + ": …\n";
  };
  show("real", real);
  show("ours", ours);
  return text;
}

}  // namespace soresolve::test
