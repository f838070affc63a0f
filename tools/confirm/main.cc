// soresolve-confirm: loads the CUDA libraries of a plan and makes them compute.
//
// usage: soresolve-confirm < PLAN        answers with JSON on standard output; exit status as `soresolve confirm`
//        soresolve-confirm --group N     the child: only this one loads anything. Before its plan stands a line with
//        the
//                                        key of its report
//
// The plan is JSON, in the form that lib/report/schema.json has for `confirm`. Progress is shown on standard error if
// that is a terminal.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "answer.h"
#include "child_process/child_process.h"
#include "output/output.h"
#include "plan.h"
#include "reporter.h"
#include "run_group.h"
#include "supervisor.h"

namespace soresolve::confirm {
namespace {

constexpr std::size_t kMaxPlan = 16 << 20;
constexpr int kUsage = 2;
constexpr int kFailure = 3;

constexpr std::string_view kHelp =
    "Usage: soresolve-confirm < PLAN\n"
    "\n"
    "Loads the CUDA libraries that a plan names, in processes of their own, makes them compute, checks every\n"
    "number, and answers with JSON. `soresolve confirm FILE` makes the plan and runs this program.\n"
    "\n"
    "Exit status: 0 confirmed, 1 a step has failed, 2 the plan cannot be used, 3 the program itself failed,\n"
    "4 not confirmed: there is no driver or no GPU here.\n";

int complain(const std::string& text, int status) {
  std::fprintf(stderr, "soresolve-confirm: %s\n", text.c_str());
  return status;
}

void write_answer(std::string_view text) {
  int error = output::write_all(STDOUT_FILENO, text);
  if (error == 0) error = output::close_standard_output();
  if (error != 0) output::end_unwritten("soresolve-confirm", error);
}

/// Standard input to its end; false when it is too long or unreadable.
bool read_input(std::string& text) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 || text.size() > kMaxPlan) return false;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::string own_path() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  return size <= 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(size));
}

/// The child's key: the first line of standard input, without its end; empty if there is none.
std::string read_key() {
  std::array<char, kKeyLength + 1> line{};
  std::size_t size = 0;
  while (size < line.size()) {
    const ssize_t count = ::read(STDIN_FILENO, line.data() + size, line.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    size += static_cast<std::size_t>(count);
  }
  std::string key(line.data(), kKeyLength);
  ::explicit_bzero(line.data(), line.size());
  return key;
}

/// The file that the plan and the key came in is gone before a library is loaded.
void forget_input() {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0)
    ::dup2(nothing, STDIN_FILENO);
  else
    ::close(STDIN_FILENO);
  if (nothing > STDIN_FILENO) ::close(nothing);
}

/// Ends without running destructors: those of strangers' libraries are not what is asked about.
[[noreturn]] void be_child(const Plan& plan, std::size_t group, std::string key) {
  forget_input();
  ::fcntl(child::kReportDescriptor, F_SETFD, FD_CLOEXEC);
  const Reporter reporter(child::kReportDescriptor, std::move(key));
  run_group(plan, plan.groups[group], reporter);
  reporter.finish();
  _exit(0);
}

int answer_plan(const Plan& plan, std::string text) {
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  Supervisor supervisor;
  supervisor.program = own_path();
  supervisor.plan_text = std::move(text);
  supervisor.on_progress = [&](std::string_view group, std::string_view step) {
    if (!is_terminal) return;
    std::fprintf(stderr, "\r%.*s: %.*s\x1b[K", static_cast<int>(group.size()), group.data(),
                 static_cast<int>(step.size()), step.data());
  };
  if (supervisor.program.empty()) return complain("cannot find itself: /proc is not mounted", kFailure);
  // What the children load runs as this user: it is not to read the keys here, nor the memory.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  // Who asked has gone: nobody reads the answer, and the libraries are not to run on.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Answer answer = supervise(plan, supervisor);
  if (is_terminal) std::fputs("\r\x1b[K", stderr);
  const std::string out = to_json(answer).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  write_answer(out);
  return static_cast<int>(verdict_of(answer));
}

int run(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--help" || option == "-h") {
    write_answer(kHelp);
    return 0;
  }
  const bool is_child = option == "--group" && argc == 3;
  if (argc > 1 && !is_child) return complain("takes a plan on standard input, and no arguments; see --help", kUsage);
  std::string key = is_child ? read_key() : std::string();
  std::string text;
  if (!read_input(text)) return complain("the plan cannot be read, or is longer than 16 MiB", kUsage);
  const Result<Plan> plan = parse_plan(text);
  if (!plan) return complain(plan.error().to_string(), kUsage);
  if (!is_child) return answer_plan(*plan, std::move(text));
  std::size_t group = 0;
  const std::string_view number = argv[2];
  std::from_chars(number.data(), number.data() + number.size(), group);
  if (group >= plan->groups.size()) return complain("there is no such group", kUsage);
  be_child(*plan, group, std::move(key));
}

}  // namespace
}  // namespace soresolve::confirm

int main(int argc, char** argv) {
  soresolve::output::hold_standard_descriptors();
  soresolve::output::outlive_file_size_limit();
  return soresolve::confirm::run(argc, argv);
}
