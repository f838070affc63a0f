// Starts the program under the real ld.so with LD_DEBUG=libs, reloc and bindings, and reads the lines that it prints
// (ld.so(8)). Addresses and the vDSO are left out, since they differ from run to run.
#include "differential/real_loader.h"

#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

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
  if (line.ends_with(" (0)")) line.remove_suffix(4);  // musl's of a file at fixed addresses
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

/// What follows `begin` up to `end`, both of which are taken off `text`; empty if they are not there.
std::string_view take_between(std::string_view& text, std::string_view begin, std::string_view end) {
  if (!text.starts_with(begin)) return {};
  const std::size_t at = text.find(end, begin.size());
  if (at == std::string_view::npos) return {};
  const std::string_view found = text.substr(begin.size(), at - begin.size());
  text.remove_prefix(at);
  return found;
}

/// "binding file A [0] to B [0]: normal symbol `S' [V]" as one line of Answer::bindings; else "".
std::string binding_of(std::string_view text) {
  const std::string_view referrer = take_between(text, "binding file ", " [0]");
  const std::string_view provider = take_between(text, " [0] to ", " [0]");
  const std::size_t quote = text.find('`');
  if (referrer.empty() || quote == std::string_view::npos) return {};
  text.remove_prefix(quote);
  const std::string_view symbol = take_between(text, "`", "'");
  const std::string_view version = take_between(text, "' [", "]");
  std::string line(referrer);
  line.append("\t").append(symbol).append("\t").append(version.empty() ? "-" : version);
  return line.append("\t").append(provider);
}

/// The lines of standard error, in two kinds.
struct Errors {
  std::vector<std::string> messages;
  std::vector<std::string_view> debug;  ///< texts of LD_DEBUG
};

Errors errors_of(const RunResult& run) {
  Errors errors;
  for (const std::string_view line : split_lines(run.errors)) {
    const std::size_t at = debug_text(line);
    if (at == std::string_view::npos)
      errors.messages.emplace_back(line);
    else
      errors.debug.push_back(line.substr(at));
  }
  return errors;
}

std::vector<std::string> bindings_of(const Errors& errors) {
  std::vector<std::string> bindings;
  std::unordered_set<std::string> seen;
  for (const std::string_view text : errors.debug) {
    std::string binding = binding_of(text);
    if (binding.empty() || binding.starts_with("linux-vdso.so.1\t")) continue;
    if (seen.insert(binding).second) bindings.push_back(std::move(binding));
  }
  return bindings;
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

namespace {

/// musl has no LD_DEBUG: what it lists and what it prints are all there is.
Answer ask_real_musl(const Sandbox& box, const Tree& tree, RunSpec spec, Runs runs, Patience while_tracing,
                     Patience at_start) {
  Answer answer;
  spec.environment = tree.environment;
  spec.limit_ms = limit_ms(at_start);
  const RunResult start = box.run(spec);
  answer.start_end = answer.now_end = end_of(start);
  answer.start_messages = answer.now_messages = errors_of(start).messages;
  if (runs == Runs::StartOnly) return answer;
  spec.path = kInterp;
  spec.arguments = {std::string(kInterp), "--list", tree.file};
  spec.limit_ms = limit_ms(while_tracing);
  const RunResult list = box.run(spec);
  answer.trace_end = end_of(list);
  for (const std::string_view line : split_lines(list.output)) answer.trace.push_back(without_address(line));
  answer.trace_messages = errors_of(list).messages;
  return answer;
}

}  // namespace

Answer ask_real_loader(const Sandbox& box, const GlibcRoot& root, const Tree& tree, Runs runs, Patience while_tracing,
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
  if (root.is_musl) return ask_real_musl(box, tree, std::move(spec), runs, while_tracing, at_start);

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
    Errors errors = errors_of(run);
    answer.trace_messages = std::move(errors.messages);
    constexpr std::string_view kTrying = "  trying file=";
    for (const std::string_view text : errors.debug)
      if (text.starts_with(kTrying)) answer.attempts.emplace_back(text.substr(kTrying.size()));
  }
  // LD_DEBUG adds lines and changes nothing else.
  const auto start_with = [&](const std::vector<const char*>& variables) {
    spec.environment = tree.environment;
    spec.environment.insert(spec.environment.end(), variables.begin(), variables.end());
    spec.limit_ms = limit_ms(at_start);
    return box.run(spec);
  };
  const RunResult lazy = start_with({"LD_DEBUG=reloc"});
  Errors errors = errors_of(lazy);
  answer.start_end = end_of(lazy);
  answer.start_messages = std::move(errors.messages);
  for (const std::string_view text : errors.debug)
    if (auto path = relocated_path(text)) answer.relocations.push_back(*path);

  const RunResult now = start_with({"LD_BIND_NOW=1", "LD_DEBUG=bindings"});
  errors = errors_of(now);
  answer.now_end = end_of(now);
  answer.now_messages = std::move(errors.messages);
  answer.bindings = bindings_of(errors);
  return answer;
}

}  // namespace soresolve::test
