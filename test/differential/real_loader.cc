// Starts the program under the real ld.so with LD_DEBUG=libs, reloc and bindings, and reads the lines that it prints
// (ld.so(8)). Addresses and the vDSO are left out, since they differ from run to run.
#include "differential/real_loader.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "differential/other_machine.h"
#include "differential/real_musl.h"
#include "differential/run_output.h"

namespace soresolve::test {
namespace {

bool is_vdso(std::string_view line) {
  return line.starts_with("\tlinux-vdso.so.1 (0x") || line.starts_with("\tlinux-vdso64.so.1 (0x") ||
         line.starts_with("\tlinux-gate.so.1 (0x");
}

/// Where the text of an LD_DEBUG line begins ("   1234:\ttext"); npos for any other line.
std::size_t debug_text(std::string_view line) {
  const std::size_t number = line.find_first_not_of(' ');
  if (number == 0 || number == std::string_view::npos) return std::string_view::npos;
  const std::size_t colon = line.find_first_not_of("0123456789", number);
  if (colon == number || colon == std::string_view::npos) return std::string_view::npos;
  return line.substr(colon).starts_with(":\t") ? colon + 2 : std::string_view::npos;
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

/// "binding file A [0] to B [0]: normal symbol `S' [V]" as one line of LoaderAnswer::bindings; else "".
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
    if (binding.empty() || binding.starts_with("linux-vdso") || binding.starts_with("linux-gate")) continue;
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

}  // namespace

/// A list of two directories is searched in vain for a library: LD_DEBUG shows the subdirectories of the first, and
/// what
/// `$PLATFORM` is in the second.
SeenProcessor see_processor(Sandbox& box, const GlibcRoot& root) {
  Tree tree;
  ElfSpec spec = program().needed("libgone.so");
  tree.nodes.push_back(elf_file(tree.file, spec));
  for_machine(tree, root);
  box.prepare(root, tree.layout, tree.proc, tree.nodes);
  RunSpec run;
  run.path = tree.file;
  run.arguments = {tree.file};
  run.environment = {"LD_LIBRARY_PATH=/seen:/of/$PLATFORM", "LD_DEBUG=libs"};
  const RunResult result = box.run(run);
  constexpr std::string_view kSearch = " search path=";
  constexpr std::string_view kHwcaps = "glibc-hwcaps/";
  SeenProcessor seen;
  for (const std::string_view text : errors_of(result).debug) {
    if (!text.starts_with(kSearch) || !text.ends_with("(LD_LIBRARY_PATH)")) continue;
    std::string_view list = text.substr(kSearch.size());
    list = list.substr(0, list.find('\t'));
    while (!list.empty()) {
      const std::size_t end = std::min(list.find(':'), list.size());
      const std::string_view entry = list.substr(0, end);
      list.remove_prefix(std::min(end + 1, list.size()));
      const std::string_view below = entry.starts_with("/seen/") ? entry.substr(6) : std::string_view();
      if (below.starts_with(kHwcaps))
        seen.hwcaps.emplace_back(below.substr(kHwcaps.size()));
      else if (!below.empty() && below.find('/') == std::string_view::npos)
        seen.legacy_names.insert(seen.legacy_names.begin(), std::string(below));
      else if (entry.starts_with("/of/") && entry.find('/', 4) == std::string_view::npos)
        seen.platform = entry.substr(4);
    }
  }
  std::erase(seen.legacy_names, "tls");
  std::erase(seen.legacy_names, seen.platform);
  // Bits of AT_HWCAP (glibc sysdeps/*/dl-procinfo.c), which a mask takes away.
  static constexpr std::pair<std::string_view, std::uint64_t> kBits[] = {
      {"sse2", 1},        {"thumb", 1U << 2},   {"fastmult", 1U << 4}, {"vfp", 1U << 6},
      {"neon", 1U << 12}, {"atomics", 1U << 8}, {"zarch", 1U << 1},    {"ldisp", 1U << 4},
      {"eimm", 1U << 5},  {"dfp", 1U << 6},     {"etf3eh", 1U << 8},   {"altivec", 1U << 28}};
  for (const std::string& name : seen.legacy_names) {
    const auto* const known =
        std::find_if(std::begin(kBits), std::end(kBits), [&](const auto& each) { return each.first == name; });
    if (known != std::end(kBits)) seen.legacy_bits |= known->second;
  }
  return seen;
}

LoaderAnswer ask_real_loader(const Sandbox& box, const GlibcRoot& root, const Tree& tree, Runs runs,
                             Patience while_tracing, Patience at_start) {
  if (root.is_musl) return ask_real_musl(box, tree, runs, while_tracing, at_start);
  RunSpec spec;
  spec.cwd = tree.cwd;
  spec.user = tree.user;
  if (tree.launch == Launch::Kernel) {
    spec.path = tree.file;
    spec.arguments = {tree.argv0};
  } else {
    spec.path = root.machine->interp;
    spec.arguments = {spec.path, tree.file};
  }
  LoaderAnswer answer;
  if (runs == Runs::TraceAndStart) {
    spec.environment = tree.environment;
    spec.environment.push_back("LD_TRACE_LOADED_OBJECTS=1");
    spec.environment.push_back("LD_DEBUG=libs");
    spec.limit_cpu_ms = limit_cpu_ms(while_tracing);
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
    spec.limit_cpu_ms = limit_cpu_ms(at_start);
    return box.run(spec);
  };
  const RunResult lazy = start_with({"LD_DEBUG=reloc"});
  Errors errors = errors_of(lazy);
  answer.start_end = end_of(lazy);
  answer.start_messages = std::move(errors.messages);
  for (const std::string_view text : errors.debug)
    if (auto path = relocated_path(text)) answer.relocations.push_back(*path);
  // Audit modules are relocated in namespaces of their own.
  std::erase_if(answer.relocations, [](const std::string& path) { return path.starts_with("/audit/"); });

  const RunResult now = start_with({"LD_BIND_NOW=1", "LD_DEBUG=bindings"});
  errors = errors_of(now);
  answer.now_end = end_of(now);
  answer.now_messages = std::move(errors.messages);
  answer.bindings = bindings_of(errors);
  return answer;
}

}  // namespace soresolve::test
