// Cuts each line at its commas, of which the first may stand in quotes. Any bytes are allowed: what is no number is no
// size, and a quote that never ends takes the rest of its line.
#include "base/wheel_record.h"

#include <algorithm>
#include <string>

#include "base/number_text.h"
#include "base/pieces.h"

namespace soresolve {
namespace {

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
  for (std::string_view line : lines_in(text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    WheelRecordLine entry;
    std::string_view rest;
    if (line.starts_with('"')) {
      rest = take_quoted(line, unquoted);
      entry.path = unquoted;
    } else {
      entry.path = cut_at(line, ',').before;
      rest = cut_at(line, ',').behind;
    }
    const CutText cut = cut_at(rest, ',');
    entry.digest = cut.before;
    entry.size_bytes = parse_number<std::uint64_t>(cut.behind);
    if (!entry.path.empty() && !visit(entry)) return;
  }
}

}  // namespace soresolve
