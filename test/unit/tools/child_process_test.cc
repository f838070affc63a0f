// Children that end in every way, hang, flood their output, leave processes behind: each must be reported as what it
// is.
#include "child_process/child_process.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "soresolve/catalogue.h"

using namespace soresolve;
using namespace soresolve::child;

namespace {

/// A shell that does `script`.
ChildSpec shell(const std::string& script) {
  ChildSpec spec;
  spec.program = "/bin/sh";
  spec.arguments = {"sh", "-c", script};
  spec.environment = {"PATH=/usr/bin:/bin", "GREETING=hello"};
  spec.timeout_s = 20;
  return spec;
}

void ignore(std::string_view) {}

}  // namespace

TEST_CASE("each way to end is told as what it is") {
  struct Case {
    const char* script;
    ChildEndKind kind;
    int code;
    const char* words;
  };
  const Case cases[] = {
      {"exit 0", ChildEndKind::Exited, 0, "exited with status 0"},
      {"exit 7", ChildEndKind::Exited, 7, "exited with status 7"},
      {"kill -SEGV $$", ChildEndKind::Signalled, SIGSEGV, "was killed by signal 11 (Segmentation fault)"},
      {"kill -ABRT $$", ChildEndKind::Signalled, SIGABRT, "aborted: signal 6 (Aborted)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.script);
    const ChildSpec spec = shell(c.script);
    const ChildEnd end = run_child(spec, ignore);
    CHECK(end.kind == c.kind);
    CHECK(end.code == c.code);
    CHECK(sentence(describe(end, spec), Language::English) == c.words);
  }
}

TEST_CASE("a child that hangs is ended, and what it has started with it") {
  ChildSpec spec = shell("sleep 100 & sleep 100");
  spec.timeout_s = 0.2;
  const auto start = std::chrono::steady_clock::now();
  const ChildEnd end = run_child(spec, ignore);
  CHECK(end.kind == ChildEndKind::TimedOut);
  CHECK(sentence(describe(end, spec), Language::English) == "hung: it was ended after 0.2 s");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(90));
}

TEST_CASE("a child that closes everything and hangs is ended as well") {
  ChildSpec spec = shell("exec >&- 2>&- 3>&-; sleep 100");
  spec.timeout_s = 0.2;
  CHECK(run_child(spec, ignore).kind == ChildEndKind::TimedOut);
}

TEST_CASE("a background process does not keep us waiting") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(run_child(shell("sleep 100 & exit 4"), ignore).code == 4);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(90));
}

TEST_CASE("it has its input, environment and report, and what it says is kept") {
  ChildSpec spec = shell("cat; echo $GREETING >&2; echo one >&3; printf 'two\\n\\nthree' >&3");
  spec.input = "from the plan ";
  std::vector<std::string> lines;
  const ChildEnd end = run_child(spec, [&](std::string_view line) { lines.emplace_back(line); });
  CHECK(end.said == "from the plan hello\n");
  CHECK(lines == std::vector<std::string>{"one", "two", ""});
}

TEST_CASE("a large input is no deadlock, and a flood of words is cut") {
  ChildSpec spec = shell("head -c 3000000 /dev/zero | tr '\\0' x; printf end");
  spec.input.assign(1 << 22, 'x');
  const ChildEnd end = run_child(spec, ignore);
  CHECK(end.kind == ChildEndKind::Exited);
  CHECK(end.said.size() == 16 << 10);
  CHECK(end.said.ends_with("xend"));
}

TEST_CASE("a report without end is dropped") {
  const ChildSpec spec = shell("head -c 30000000 /dev/zero | tr '\\0' x >&3; echo >&3; echo last >&3");
  std::size_t longest = 0;
  run_child(spec, [&](std::string_view line) { longest = std::max(longest, line.size()); });
  CHECK(longest <= ChildSpec().max_line_bytes);
}

TEST_CASE("a flood of empty lines outlives no limit, and is cut") {
  ChildSpec spec = shell("yes '' >&3");
  spec.timeout_s = 0.5;
  spec.max_report_lines = 2000;
  std::size_t count = 0;
  const auto start = std::chrono::steady_clock::now();
  const ChildEnd end = run_child(spec, [&](std::string_view) {
    ++count;
    ::usleep(10);  // as slow as reading JSON is
  });
  CHECK(end.kind == ChildEndKind::TimedOut);
  CHECK(count <= spec.max_report_lines);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(90));
}

TEST_CASE("a child that stops is ended as one that hangs") {
  ChildSpec spec = shell("kill -STOP $$");
  spec.timeout_s = 0.2;
  CHECK(run_child(spec, ignore).kind == ChildEndKind::TimedOut);
}

TEST_CASE("a child that resumes does not stay stopped") {
  ChildSpec spec = shell("kill -STOP $$; exit 5");
  spec.resumes = true;
  const ChildEnd end = run_child(spec, ignore);
  CHECK(end.kind == ChildEndKind::Exited);
  CHECK(end.code == 5);
}

TEST_CASE("a process has the group, the files and the signals that it is started with") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  std::atomic<pid_t> receiver = -1;
  const pid_t pid =
      start({.files = {{ends[1], STDOUT_FILENO}}, .has_blocked_signals = true, .receiver = &receiver}, [&] {
        sigset_t blocked;
        ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
        const bool is_right = receiver == 0 && ::getpgrp() != ::getpid() && sigismember(&blocked, SIGTERM) == 1;
        _exit(::write(STDOUT_FILENO, is_right ? "y" : "n", 1) == 1 ? 9 : 1);
      });
  REQUIRE(pid > 0);
  CHECK(receiver == pid);
  char answer = 0;
  CHECK(::read(ends[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  int status = 0;
  CHECK(::waitpid(pid, &status, 0) == pid);
  CHECK(WEXITSTATUS(status) == 9);
  sigset_t blocked;
  ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
  CHECK(sigismember(&blocked, SIGTERM) == 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("the child cannot open the other end of its report") {
  std::string said;
  run_child(shell("echo secret >&3; cat /proc/self/fd/3 || echo closed >&3"),
            [&](std::string_view line) { said += line; });
  CHECK(said == "secretclosed");
}

TEST_CASE("what goes to a session of its own is ended, and what was there before is not") {
  {
    // qemu-user does not pass the request on to the kernel.
    const Orphans orphans;
    int is_reaper = 0;
    if (::prctl(PR_GET_CHILD_SUBREAPER, &is_reaper, 0, 0, 0) != 0 || is_reaper == 0) {
      MESSAGE("skipped: this system makes no process a subreaper");
      return;
    }
  }
  const pid_t own = ::fork();
  if (own == 0) {
    ::sleep(100);
    _exit(0);
  }
  pid_t escaped = 0;
  {
    Orphans orphans;
    run_child(shell("setsid sh -c 'echo $$ >&3; exec 3>&-; sleep 100' & sleep 0.3"), [&](std::string_view line) {
      escaped = static_cast<pid_t>(std::strtol(std::string(line).c_str(), nullptr, 10));
    });
    REQUIRE(escaped > 0);
    CHECK(::kill(escaped, 0) == 0);
  }
  CHECK(::kill(escaped, 0) != 0);
  CHECK(::kill(own, 0) == 0);
  ::kill(own, SIGKILL);
  ::waitpid(own, nullptr, 0);
}

TEST_CASE("standard output can be the report, and an open file the input") {
  ChildSpec spec = shell("cat; echo; echo said >&2; head -c 3000 /dev/zero | tr '\\0' x; echo; echo last");
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fputs("from a file", file);
  std::fflush(file);
  spec.input_descriptor = ::fileno(file);
  spec.report = ReportChannel::StandardOutput;
  spec.max_line_bytes = 2000;
  std::vector<std::string> lines;
  const ChildEnd end = run_child(spec, [&](std::string_view line) { lines.emplace_back(line); });
  std::fclose(file);
  CHECK(end.said == "said\n");
  CHECK(sentence(last_words(end), Language::English) == "; the last that it printed: said");
  REQUIRE(!lines.empty());
  CHECK(lines.front() == "from a file");
  CHECK(lines.back() == "last");
}

TEST_CASE("a program that is not there") {
  ChildSpec spec;
  spec.program = "/nowhere/program";
  spec.arguments = {"program"};
  const ChildEnd end = run_child(spec, ignore);
  CHECK(end.kind == ChildEndKind::NotStarted);
  CHECK(sentence(describe(end, spec), Language::English) == "could not be started: No such file or directory");
}
