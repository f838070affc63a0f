// /proc of a process that this test starts, and of none.
#include <doctest/doctest.h>

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/host.h"
#include "loader/process.h"

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

/// A copy of this process that does something to itself and then waits, until it goes out of scope.
class Copy {
 public:
  template <class Action>
  explicit Copy(Action action) {
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      action();
      if (::write(ready[1], "", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    CHECK(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
  }
  ~Copy() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  [[nodiscard]] int pid() const { return pid_; }

 private:
  int pid_ = 0;
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
  CHECK(ended.error().to_string() ==
        "process " + std::to_string(pid) + ": there is no such process, or /proc is not mounted here");
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

TEST_CASE("what the loader calls its objects, and what it was asked for") {
  const Result<LiveProcess> process = read_live_process(::getpid());
  REQUIRE(process.has_value());
  const auto libc = std::find_if(process->objects.begin(), process->objects.end(),
                                 [](const LiveObject& object) { return object.name.ends_with("/libc.so.6"); });
  REQUIRE(libc != process->objects.end());
  CHECK(std::count(libc->names.begin(), libc->names.end(), "libc.so.6") == 1);
  CHECK(libc->origin == libc->name.substr(0, libc->name.rfind('/')));
  CHECK(libc->loader.has_value());
  const auto is_loader = [](const LiveObject& object) { return object.is_dynamic_loader; };
  CHECK(std::count_if(process->objects.begin(), process->objects.end(), is_loader) == 1);
  REQUIRE(process->global.has_value());
  CHECK(process->global->front() == 0);
}

TEST_CASE("how its objects came in: at the start or by dlopen, and into which namespace") {
  const Copy copy([] {
    const bool is_open = ::dlopen("libutil.so.1", RTLD_LAZY) != nullptr;
    if (!is_open || ::dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_LAZY) == nullptr) ::_exit(1);
  });
  const Result<LiveProcess> process = read_live_process(copy.pid());
  REQUIRE_MESSAGE(process.has_value(), process.error().to_string());
  std::size_t opened = 0;
  std::vector<std::string> of_other_space;
  for (const LiveObject& object : process->objects) {
    CAPTURE(object.name);
    REQUIRE(object.is_opened.has_value());
    if (object.space == 0) opened += *object.is_opened;
    if (object.space == 0 && (object.name.ends_with("/libc.so.6") || object.is_dynamic_loader))
      CHECK(!*object.is_opened);
    if (object.space != 0) {
      CHECK(object.space == 1);
      CHECK(*object.is_opened);
      of_other_space.push_back(object.name.substr(object.name.rfind('/') + 1));
    }
  }
  CHECK(opened == 1);
  // Without the entry that stands for ld.so there.
  CHECK(of_other_space == std::vector<std::string>{"libm.so.6", "libc.so.6"});
}

TEST_CASE("a list that lies is not used, and is no reason to wait") {
  struct Case {
    const char* why;
    void (*lie)();
  };
  const Case cases[] = {
      {"a loop", [] { _r_debug.r_map->l_next->l_next->l_next = _r_debug.r_map; }},
      {"a wild pointer", [] { _r_debug.r_map->l_next = reinterpret_cast<link_map*>(0x10); }},
      {"not to be read backwards", [] { _r_debug.r_map->l_next->l_next->l_prev = nullptr; }},
      {"a name that lies nowhere", [] { _r_debug.r_map->l_next->l_name = reinterpret_cast<char*>(-4096L); }},
      {"a name without end",
       [] {
         constexpr std::size_t kSize = 64u << 20;
         void* const name = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         std::fill_n(static_cast<char*>(name), kSize, 'x');
         _r_debug.r_map->l_next->l_name = static_cast<char*>(name);
       }},
      {"a list that goes on and on",
       [] {
         constexpr std::size_t kCount = 1u << 18;
         link_map* const maps = static_cast<link_map*>(
             ::mmap(nullptr, kCount * sizeof(link_map), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
         link_map* last = _r_debug.r_map;
         for (std::size_t i = 0; i < kCount; ++i) {
           maps[i].l_name = last->l_name;
           maps[i].l_prev = last;
           last->l_next = &maps[i];
           last = &maps[i];
         }
       }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Copy copy(c.lie);
    const Result<LiveProcess> process = read_live_process(copy.pid());
    REQUIRE_MESSAGE(process.has_value(), process.error().to_string());
    CHECK(!process->is_in_load_order);
    CHECK(process->list_problem == say("list-damaged"));
    CHECK(!process->global.has_value());
    // Still told from the mappings.
    CHECK(has_libc(*process));
  }
}

TEST_CASE("a process whose loader is at work all the time changes while it is read") {
  const Copy copy([] {
    // The loader's own; `_r_debug` can be a copy in the program.
    for (const ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_DEBUG) reinterpret_cast<r_debug*>(entry->d_un.d_ptr)->r_state = r_debug::RT_ADD;
    }
  });
  const Result<LiveProcess> process = read_live_process(copy.pid());
  REQUIRE(!process.has_value());
  CHECK(process.error().code == ErrorCode::Unreadable);
  CHECK(process.error().message.find("changed while it was read") != std::string::npos);
}

TEST_CASE("a process that loads and unloads all the time is told as it was at one moment, or not at all") {
  const Copy copy([] {
    if (::fork() != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
      if (void* const opened = ::dlopen("libutil.so.1", RTLD_NOW)) ::dlclose(opened);
    }
  });
  // The copy's own child.
  int pid = 0;
  std::ifstream(
      ("/proc/" + std::to_string(copy.pid()) + "/task/" + std::to_string(copy.pid()) + "/children").c_str()) >>
      pid;
  if (pid == 0) return;  // a kernel without that file
  int answers = 0;
  for (int reading = 0; reading < 40; ++reading) {
    const Result<LiveProcess> process = read_live_process(pid);
    if (!process) {
      CHECK(process.error().message.find("changed while it was read") != std::string::npos);
      continue;
    }
    ++answers;
    CHECK(process->is_in_load_order);
    CHECK(process->global.has_value());
    CHECK(has_libc(*process));
  }
  MESSAGE(answers << " of 40 readings found it still");
}

TEST_CASE("a process that executes another program between two reads is one of them, or none") {
  const std::string script =
      (std::filesystem::temp_directory_path() / ("soresolve-live-" + std::to_string(::getpid()) + ".sh")).string();
  std::ofstream(script) << "A=$((A+1)); export A; [ $A -lt 400 ] && exec /bin/sh " << script << "\n";
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::execl("/bin/sh", "sh", script.c_str(), nullptr);
    ::_exit(1);
  }
  int answers = 0;
  for (bool is_there = true; is_there; ++answers) {
    const Result<LiveProcess> process = read_live_process(pid);
    siginfo_t info{};
    is_there = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
    if (process) {
      // Of no program there is half an answer: what is listed is mapped.
      CHECK(!process->exe.empty());
      if (process->is_in_load_order && !process->objects.empty() && process->global)
        CHECK(process->global->front() == 0);
    } else {
      CHECK((process.error().code == ErrorCode::Unreadable || process.error().code == ErrorCode::NotFound));
    }
  }
  CHECK(answers > 0);
  ::waitpid(pid, nullptr, 0);
  std::filesystem::remove(script);
}

TEST_CASE("a file that is replaced or removed under a process is told as what is mapped") {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("soresolve-live-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  const std::filesystem::path program = directory / "sleep";
  std::filesystem::copy_file("/bin/sleep", program, std::filesystem::copy_options::overwrite_existing);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::execl(program.c_str(), "sleep", "60", nullptr);
    ::_exit(1);
  }
  // Until it has executed it.
  Result<LiveProcess> process = read_live_process(pid);
  for (int i = 0; i < 2000 && (!process || process->exe != program || !process->is_in_load_order); ++i) {
    ::usleep(1000);
    process = read_live_process(pid);
  }
  REQUIRE(process.has_value());
  CHECK(process->exe == program);
  std::filesystem::rename(program, directory / "renamed");
  process = read_live_process(pid);
  REQUIRE(process.has_value());
  CHECK(process->exe == directory / "renamed");
  CHECK(!process->exe_is_deleted);
  std::filesystem::remove(directory / "renamed");
  process = read_live_process(pid);
  REQUIRE(process.has_value());
  CHECK(process->exe_is_deleted);
  CHECK(std::filesystem::exists(process->exe_file));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  std::filesystem::remove_all(directory);
}
