// Texts of nothing but beginnings of messages: what `explain` has to search for from each of them. No text costs much
// more than it is long.
//
// For each message of the catalogue, whatever it will be: its patterns, each cut behind every piece, and each piece
// alone, repeated to a line. What reading them takes is counted in instructions (work_meter.h).
//
// usage: worst_texts --count FILE [--size N] [--every N]
//   --count FILE  under valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=FILE (check_growth does that)
//   --size N      bytes of a line (3000); more than a capture may have, so that a search ends at its bound
//   --every N     every Nth message only
//   --only ID     this message only, each of its lines by itself
// Exit status: 0 all is well, 1 not, 2 usage, 77 nothing can be counted.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hostile/work_meter.h"
#include "soresolve/catalogue.h"

namespace soresolve::test {
namespace {

/// Of one byte. A text that took 3900 was read in 0.43 s for a MiB.
constexpr double kMaxInstructions = 4500;

/// What a capture may take: "libcudart.so.11x" of "{library=libcudart.so.11*|libcudart.so.12*}".
std::string taken_by(std::string_view capture) {
  const std::size_t equals = capture.find('=');
  if (equals == std::string_view::npos) return "x";
  std::string text;
  for (const char c : capture.substr(equals + 1, capture.find('|') - equals - 1)) text += c == '*' ? 'x' : c;
  return text;
}

std::set<std::string> beginnings_of(std::string_view pattern) {
  std::set<std::string> all;
  std::string so_far;
  while (!pattern.empty()) {
    const bool is_capture = pattern.front() == '{';
    const std::size_t end = is_capture ? pattern.find('}') + 1 : std::min(pattern.find('{'), pattern.size());
    const std::string piece(pattern.substr(0, end));
    so_far += is_capture ? taken_by(std::string_view(piece).substr(1, piece.size() - 2)) : piece;
    for (const char* behind : {"", " "}) {
      all.insert(so_far + behind);
      if (!is_capture) all.insert(piece + behind);
    }
    pattern.remove_prefix(end);
  }
  return all;
}

std::vector<std::string> worst_lines(const KnownMessage& known, std::size_t size) {
  std::vector<std::string> lines;
  for (const std::string_view pattern : known.patterns) {
    for (const std::string& beginning : beginnings_of(pattern)) {
      std::string line;
      while (line.size() < size) line += beginning;
      lines.push_back(line + '\n');
    }
  }
  return lines;
}

/// The instructions for a byte of reading some lines.
double cost_of(const std::vector<std::string>& lines, WorkMeter& meter) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return static_cast<double>(meter.count([&] { recognise(text); })) / static_cast<double>(text.size());
}

int run(int argc, char** argv) {
  std::string counts;
  std::size_t size = 3000;
  std::size_t every = 1;
  std::string_view only;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) return 2;
    if (option == "--count")
      counts = argv[i + 1];
    else if (option == "--size")
      size = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--every")
      every = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--only")
      only = argv[i + 1];
    else
      return 2;
  }
  if (counts.empty() || every == 0) return 2;
  if (!can_count_work()) {
    std::puts("skipped: this is not run by valgrind, or was built without valgrind/callgrind.h");
    return 77;
  }
  recognise("");  // the patterns are built once
  WorkMeter meter(counts);
  int failures = 0;
  double most = 0;
  std::string_view most_of;
  for (std::size_t i = 0; i < known_messages().size(); i += every) {
    const KnownMessage& known = known_messages()[i];
    if (!only.empty() && known.id != only) continue;
    const std::vector<std::string> lines = worst_lines(known, size);
    if (lines.empty()) continue;
    const double for_a_byte = cost_of(lines, meter);
    for (std::size_t k = 0; !only.empty() && k < lines.size(); ++k)
      std::printf("%6.0f  %.60s\n", cost_of({lines[k]}, meter), lines[k].c_str());
    if (for_a_byte > most) most_of = known.id;
    most = std::max(most, for_a_byte);
    if (for_a_byte <= kMaxInstructions) continue;
    ++failures;
    std::printf("%.*s: %.0f instructions for a byte\n", static_cast<int>(known.id.size()), known.id.data(), for_a_byte);
  }
  std::printf("at most %.0f instructions for a byte, of %.*s\n", most, static_cast<int>(most_of.size()),
              most_of.data());
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace soresolve::test

int main(int argc, char** argv) { return soresolve::test::run(argc, argv); }
