// What the real loader does with a sequence of dlopen calls: opener.cc run in the sandbox, with
// LD_DEBUG=bindings.
#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>

#include "differential/open_case.h"
#include "differential/run_output.h"

namespace soresolve::test {
namespace {

/// "REFERRER\tSYMBOL\tPROVIDER" of an LD_DEBUG line; empty for others.
std::string binding_of(std::string_view line) {
  constexpr std::string_view kStart = "binding file ";
  const std::size_t start = line.find(kStart);
  const std::size_t middle = line.find("] to ");
  const std::size_t quote = line.find('`');
  if (start == std::string_view::npos || middle == std::string_view::npos) return {};
  // "PATH [NAMESPACE]"; the numbers are told where they are not 0.
  const auto shown = [](std::string_view named) {
    const std::size_t space = named.rfind(" [");
    const std::string_view number = named.substr(space + 2);
    return std::string(named.substr(0, space)) + (number == "0" ? "" : "[" + std::string(number) + "]");
  };
  const std::string_view named = line.substr(start + kStart.size());
  if (!is_ours(named.substr(0, named.find(" [")))) return {};
  const std::string referrer = shown(line.substr(start + kStart.size(), middle - start - kStart.size()));
  std::string_view rest = line.substr(middle + 5);
  const std::string provider = shown(rest.substr(0, rest.find("]: ")));
  std::string_view symbol = line.substr(quote + 1);
  symbol = symbol.substr(0, symbol.find('\''));
  // The test's own dlsym.
  if (symbol == "open_here" || symbol == "error_here") return {};
  return referrer + "\t" + std::string(symbol) + "\t" + provider;
}

}  // namespace

void add_once(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

LoaderAnswer ask_real(const Sandbox& box, const OpenCase& asked, Patience patience) {
  RunSpec spec;
  // It loads a program and more, and may do much before it hangs.
  if (patience == Patience::Short) spec.limit_cpu_ms = 3 * limit_cpu_ms(patience);
  spec.path = std::string(kOpener);
  spec.arguments = {std::string(kOpener)};
  for (std::size_t i = 0; i < asked.dlopen_calls.size(); ++i) {
    spec.arguments.push_back(mode_of(asked.dlopen_calls[i]));
    spec.arguments.push_back(asked.dlopen_calls[i].file);
  }
  if (asked.is_musl) spec.arguments.emplace_back("slots");
  spec.environment = environment_of(asked);
  spec.environment.push_back("LD_DEBUG=bindings");
  spec.user = asked.user;
  for (const OpenUser& user : open_users()) {
    if (user.uid != asked.user) continue;
    spec.group = user.gid;
    spec.groups = user.groups;
  }
  const RunResult run = box.run(spec);
  LoaderAnswer answer;
  answer.start_end = run.exec_error == EACCES ? "not executed" : end_of(run);
  std::string_view rest = run.output;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    constexpr std::string_view kSlot = "slot\t";
    if (asked.is_musl && line.starts_with(kSlot)) {
      const std::string_view slot = line.substr(kSlot.size());
      if (is_ours(slot.substr(0, slot.find('\t')))) add_once(answer.bindings, std::string(slot));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      continue;
    }
    // An entry of the loader's list, or a line about a dlopen call.
    const bool is_path =
        line.starts_with(kInAnother) || (line != "ok" && line != "null" && line.find(':') == std::string_view::npos &&
                                         !line.ends_with(" is not already loaded"));
    // Where ld.so stands in glibc's list depends on its release; musl's begins with the program; the vDSO is no file.
    const bool is_ld_so = !asked.is_musl && line.ends_with("/ld-linux-x86-64.so.2");
    const bool is_program = line == kOpener && answer.trace.empty();
    const bool is_left_out = is_ld_so || is_program || line == "linux-vdso.so.1";
    if (!is_path || !is_left_out) {
      (is_path ? answer.trace : answer.start_messages).emplace_back(line);
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  rest = run.errors;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    // What ends the process is told here.
    if (rest.starts_with(std::string(kOpener) + ": ") || rest.starts_with("Inconsistency detected by ld.so: "))
      answer.start_messages.emplace_back(rest.substr(0, end));
    if (std::string line = binding_of(rest.substr(0, end)); !line.empty()) {
      add_once(answer.bindings, std::move(line));
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (asked.is_musl) std::sort(answer.bindings.begin(), answer.bindings.end());
  return answer;
}

}  // namespace soresolve::test
