// Cuts each line at its commas, of which the first may stand in quotes. Any bytes are allowed: what is no number is no
// size, and a quote that never ends takes the rest of its line.
#include "base/wheel_record.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace soresolve {
namespace {

std::optional<std::uint64_t> size_of_digits(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

/// Takes the quotes of "A ""B""" off: `unquoted` gets the path. Returns what stands behind its comma.
std::string_view take_quoted(std::string_view line, std::string& unquoted) {
  unquoted.clear();
  std::size_t i = 1;
  for (; i < line.size(); ++i) {
    if (line[i] == '"' && !line.substr(i + 1).starts_with('"')) break;
    if (line[i] == '"') ++i;
    unquoted += line[i];
  }
  return line.substr(std::min(i + 2, line.size()));
}

}  // namespace

void visit_wheel_record(std::string_view text, const std::function<bool(const WheelRecordLine&)>& visit) {
  std::string unquoted;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    WheelRecordLine entry;
    std::string_view rest;
    if (line.starts_with('"')) {
      rest = take_quoted(line, unquoted);
      entry.path = unquoted;
    } else {
      entry.path = line.substr(0, line.find(','));
      rest = line.substr(std::min(entry.path.size() + 1, line.size()));
    }
    entry.digest = rest.substr(0, rest.find(','));
    entry.size_bytes = size_of_digits(rest.substr(std::min(entry.digest.size() + 1, rest.size())));
    if (!entry.path.empty() && !visit(entry)) return;
  }
}

}  // namespace soresolve
