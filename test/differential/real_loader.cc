#include "differential/real_loader.h"

#include <optional>
#include <string_view>

namespace soresolve::test {
namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// The line without the " (0x…)" at its end.
std::string without_address(std::string_view line) {
  const std::size_t at = line.rfind(" (0x");
  return std::string(at != std::string_view::npos && line.ends_with(')') ? line.substr(0, at) : line);
}

bool is_vdso(std::string_view line) { return line.starts_with("\tlinux-vdso.so.1 (0x"); }

/// Where the text of an LD_DEBUG line begins ("   1234:\ttext"); npos for any other line.
std::size_t debug_text(std::string_view line) {
  const std::size_t number = line.find_first_not_of(' ');
  if (number == 0 || number == std::string_view::npos) return std::string_view::npos;
  const std::size_t colon = line.find_first_not_of("0123456789", number);
  if (colon == number || colon == std::string_view::npos) return std::string_view::npos;
  return line.substr(colon).starts_with(":\t") ? colon + 2 : std::string_view::npos;
}

std::string end_of(const RunResult& run) {
  if (run.timed_out) return "blocks";
  if (run.signal != 0) return "signal";
  if (run.exec_error != 0) return "cannot be started: error " + std::to_string(run.exec_error);
  return "exit " + std::to_string(run.exit_status);
}

/// Messages of the version check, which are no part of the search.
bool is_version_message(std::string_view line) {
  return line.find(": no version information available") != std::string_view::npos ||
         line.find(": weak version `") != std::string_view::npos;
}

/// Relocation comes after the search: as far as the search is concerned the program starts. (With
/// ld.so among the needed objects and no libc, glibc 2.36 looks for malloc in vain.)
bool is_relocation_message(std::string_view line) {
  return line.find(": symbol lookup error: ") != std::string_view::npos;
}

/// The path in a line that LD_DEBUG=reloc prints.
std::optional<std::string> relocated_path(std::string_view text) {
  constexpr std::string_view kStart = "relocation processing: ";
  constexpr std::string_view kLazy = " (lazy)";
  if (!text.starts_with(kStart)) return std::nullopt;
  text.remove_prefix(kStart.size());
  if (text.ends_with(kLazy)) text.remove_suffix(kLazy.size());
  return std::string(text);
}

std::uint32_t limit_ms(Patience patience) { return patience == Patience::Short ? 100 : 10000; }

}  // namespace

Answer ask_real_loader(const Sandbox& box, const Tree& tree, Runs runs, Patience while_tracing,
                       Patience at_start) {
  RunSpec spec;
  spec.cwd = tree.cwd;
  spec.user = tree.user;
  if (tree.launch == Launch::Kernel) {
    spec.path = tree.file;
    spec.arguments = {tree.argv0};
  } else {
    spec.path = kInterp;
    spec.arguments = {std::string(kInterp), tree.file};
  }

  Answer answer;
  if (runs == Runs::TraceAndStart) {
    spec.environment = tree.environment;
    spec.environment.push_back("LD_TRACE_LOADED_OBJECTS=1");
    spec.environment.push_back("LD_DEBUG=libs");
    spec.limit_ms = limit_ms(while_tracing);
    const RunResult run = box.run(spec);
    answer.trace_end = end_of(run);
    for (const std::string_view line : split_lines(run.output))
      if (!is_vdso(line)) answer.trace.push_back(without_address(line));
    for (const std::string_view line : split_lines(run.errors)) {
      const std::size_t at = debug_text(line);
      if (at == std::string_view::npos) {
        if (!is_version_message(line)) answer.trace_messages.emplace_back(line);
        continue;
      }
      constexpr std::string_view kTrying = "  trying file=";
      const std::string_view text = line.substr(at);
      if (text.starts_with(kTrying)) answer.attempts.emplace_back(text.substr(kTrying.size()));
    }
  }
  spec.environment = tree.environment;
  if (!tree.is_secure) spec.environment.push_back("LD_DEBUG=reloc");
  spec.limit_ms = limit_ms(at_start);
  const RunResult run = box.run(spec);
  answer.start_end = end_of(run);
  for (const std::string_view line : split_lines(run.errors)) {
    if (const std::size_t at = debug_text(line); at != std::string_view::npos) {
      if (auto path = relocated_path(line.substr(at))) answer.relocations.push_back(*path);
      continue;
    }
    if (is_version_message(line)) continue;
    if (is_relocation_message(line)) {
      answer.start_end = "exit 0";
      continue;
    }
    answer.start_messages.emplace_back(line);
  }
  return answer;
}

}  // namespace soresolve::test
