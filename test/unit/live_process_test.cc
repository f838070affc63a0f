// /proc of a process that this test starts, and of none.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "soresolve/live_process.h"

using namespace soresolve;

namespace {

/// Runs a program that waits for its standard input, until it goes out of scope.
class Child {
 public:
  explicit Child(std::vector<std::string> environment, const std::string& directory = "/") {
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    REQUIRE(::pipe(wait_.data()) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::dup2(wait_[0], STDIN_FILENO);
      ::dup2(ready[1], STDOUT_FILENO);
      for (const int descriptor : {wait_[0], wait_[1], ready[0], ready[1]}) ::close(descriptor);
      if (::chdir(directory.c_str()) != 0) ::_exit(1);
      std::vector<char*> entries;
      for (std::string& entry : environment) entries.push_back(entry.data());
      entries.push_back(nullptr);
      // The first line tells that it runs.
      ::execle("/bin/sh", "sh", "-c", "echo; read line", nullptr, entries.data());
      ::_exit(1);
    }
    char byte = 0;
    CHECK(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void end() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    for (const int descriptor : wait_) ::close(descriptor);
    pid_ = 0;
  }
  [[nodiscard]] int pid() const { return pid_; }

 private:
  int pid_ = 0;
  std::array<int, 2> wait_{};
};

bool has_libc(const LiveProcess& process) {
  return std::any_of(process.objects.begin(), process.objects.end(), [](const LiveObject& object) {
    return object.path.find("/libc.so.6") != std::string::npos && !object.is_deleted;
  });
}

}  // namespace

TEST_CASE("program, environment, directory and objects of a process") {
  const std::string directory = std::filesystem::temp_directory_path().string();
  const Child child({"LD_LIBRARY_PATH=/somewhere", "A=1=2"}, directory);
  const Result<LiveProcess> process = read_live_process(child.pid());
  REQUIRE(process.has_value());
  CHECK(process->exe == std::filesystem::canonical("/bin/sh").string());
  CHECK(!process->exe_is_deleted);
  CHECK(process->root.empty());
  CHECK(process->environment.value("LD_LIBRARY_PATH") == "/somewhere");
  CHECK(process->environment.value("A") == "1=2");
  CHECK(process->cwd == std::filesystem::canonical(directory).string());
  CHECK(!process->secure);
  CHECK(has_libc(*process));
}

TEST_CASE("this process itself: its objects in the loader's order") {
  const Result<LiveProcess> process = read_live_process(::getpid());
  REQUIRE(process.has_value());
  CHECK(has_libc(*process));
  // Its own memory can always be read.
  CHECK(process->is_in_load_order);
}

TEST_CASE("what cannot be read is said") {
  Child child({});
  const int pid = child.pid();
  child.end();
  const Result<LiveProcess> ended = read_live_process(pid);
  REQUIRE(!ended.has_value());
  CHECK(ended.error().code == ErrorCode::NotFound);
  CHECK(ended.error().to_string() == "process " + std::to_string(pid) +
                                         ": there is no such process, or /proc is not mounted here");
  const Result<LiveProcess> unmounted = read_live_process(1, "/nowhere");
  REQUIRE(!unmounted.has_value());
  CHECK(unmounted.error().code == ErrorCode::NotFound);
}

TEST_CASE("a process that has ended, and is not yet waited for") {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) ::_exit(0);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  const Result<LiveProcess> process = read_live_process(pid);
  ::waitpid(pid, nullptr, 0);
  REQUIRE(!process.has_value());
  CHECK(process.error().code != ErrorCode::Usage);
}
