// The one fork(2) of soresolve, and on it a program with limits of time, memory and output, whose report and messages
// are read and whose leavings are ended. Source: prctl(2), proc(5), waitpid(2). Memory is sampled (/proc/PID/statm), so
// a fast peak can pass; there is no namespace around the child.
#include "child_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

extern char** environ;

namespace soresolve::child {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxSaid = 16 << 10;
constexpr int kPollMs = 20;
/// So much is read before the limits are looked at again, however fast it comes.
constexpr int kReadsAtOnce = 16;
/// Above every descriptor that the child gets a copy at.
constexpr int kFirstFree = 10;

/// An open file descriptor; closed on exec.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = other.release();
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

 private:
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }
  int number_;
};

/// Out of the way of 0 to 3, so that dup2 in the child cannot meet itself.
Descriptor moved_up(int number) {
  const int moved = ::fcntl(number, F_DUPFD_CLOEXEC, kFirstFree);
  ::close(number);
  return Descriptor(moved);
}

/// One of the caller's files, out of the way, at its beginning.
Descriptor copy_of(int number) {
  Descriptor copy(::fcntl(number, F_DUPFD_CLOEXEC, kFirstFree));
  if (copy.is_open()) ::lseek(copy.number(), 0, SEEK_SET);
  return copy;
}

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

enum class PipeKind : std::uint8_t { Pipe, Socket };

/// A socket has no path in /proc by which the child could read what it has written, or what others write.
bool open_pipe(Pipe& pipe, PipeKind kind = PipeKind::Pipe) {
  int ends[2];
  const int failed =
      kind == PipeKind::Pipe ? ::pipe2(ends, O_CLOEXEC) : ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
  if (failed != 0) return false;
  pipe.read_end = moved_up(ends[0]);
  pipe.write_end = moved_up(ends[1]);
  ::fcntl(pipe.read_end.number(), F_SETFL, O_NONBLOCK);
  return pipe.read_end.is_open() && pipe.write_end.is_open();
}

/// A file in memory that is read from its beginning.
Descriptor file_of(const std::string& text) {
  const int made = ::memfd_create("plan", MFD_CLOEXEC);
  if (made < 0) return Descriptor();
  Descriptor file = moved_up(made);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(file.number(), text.data() + done, text.size() - done);
    if (written <= 0) return Descriptor();
    done += static_cast<std::size_t>(written);
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// Keeps the last bytes of a stream.
class Tail {
 public:
  void add(std::string_view bytes) {
    text_ += bytes;
    if (text_.size() > 2 * kMaxSaid) text_.erase(0, text_.size() - kMaxSaid);
  }
  std::string take() {
    if (text_.size() > kMaxSaid) text_.erase(0, text_.size() - kMaxSaid);
    return std::move(text_);
  }

 private:
  std::string text_;
};

/// Cuts the report into lines.
class LineReader {
 public:
  LineReader(const ChildSpec& spec, const std::function<void(std::string_view)>& on_line)
      : spec_(spec), on_line_(on_line) {}
  void add(std::string_view bytes) {
    total_ += bytes.size();
    if (total_ > spec_.max_report_bytes) return;
    rest_ += bytes;
    std::size_t start = 0;
    for (std::size_t end; (end = rest_.find('\n', std::max(start, searched_))) != std::string::npos; start = end + 1) {
      if (++lines_ <= spec_.max_report_lines) on_line_(std::string_view(rest_).substr(start, end - start));
    }
    rest_.erase(0, start);
    if (rest_.size() > spec_.max_line_bytes) rest_.clear();
    searched_ = rest_.size();
  }

 private:
  const ChildSpec& spec_;
  const std::function<void(std::string_view)>& on_line_;
  std::string rest_;
  std::size_t searched_ = 0;  ///< so much of it has no end of line
  std::size_t total_ = 0;
  std::size_t lines_ = 0;
};

/// Hands on some of what can be read now; false at the end of the stream.
template <class Sink>
bool drain(int descriptor, Sink& sink) {
  std::array<char, 16384> buffer;
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      sink.add(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && errno == EAGAIN;
  }
  return true;
}

std::uint64_t resident_mib(pid_t pid) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/%d/statm", static_cast<int>(pid));
  std::FILE* file = std::fopen(path.data(), "re");
  if (file == nullptr) return 0;
  unsigned long long size = 0;
  unsigned long long resident = 0;
  const int read = std::fscanf(file, "%llu %llu", &size, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) >> 20 : 0;
}

/// From /proc/PID/stat, whose second field is a name with any bytes in it, up to the last parenthesis; 0: unknown.
pid_t parent_of(const char* pid) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/%s/stat", pid);
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 512> text;
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  if (size <= 0) return 0;
  text[static_cast<std::size_t>(size)] = 0;
  const char* const name_end = std::strrchr(text.data(), ')');
  pid_t parent = 0;
  return name_end != nullptr && std::sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

std::vector<pid_t> children_here() {
  std::vector<pid_t> children;
  DIR* const processes = ::opendir("/proc");
  if (processes == nullptr) return children;
  while (const dirent* entry = ::readdir(processes)) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && *end == 0 && parent_of(entry->d_name) == ::getpid()) children.push_back(pid);
  }
  ::closedir(processes);
  return children;
}

/// In the new process: only what is safe after fork(2).
void apply(const StartOptions& options) {
  if (options.has_own_group) ::setpgid(0, 0);
  if (options.ends_with_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!options.may_make_nodes) ::prctl(PR_CAPBSET_DROP, CAP_MKNOD, 0, 0, 0);  // fails for all but root, who matters
  const rlimit no_core{0, 0};
  if (!options.may_dump_core) ::setrlimit(RLIMIT_CORE, &no_core);
  for (const auto& [here, there] : options.files) ::dup2(here, there);
}

/// What the child has of the pipes.
std::vector<std::pair<int, int>> files_of(const ChildSpec& spec, int input, int report, int said) {
  std::vector<std::pair<int, int>> files{{input, STDIN_FILENO}};
  const bool is_apart = spec.report == ReportChannel::Descriptor3;
  files.emplace_back(is_apart ? said : report, STDOUT_FILENO);
  if (spec.has_own_errors) files.emplace_back(said, STDERR_FILENO);
  if (is_apart) files.emplace_back(report, kReportDescriptor);
  return files;
}

/// Watches over one child until it has ended.
class Watch {
 public:
  Watch(const ChildSpec& spec, pid_t pid, const Pipe& report, const Pipe& said, LineReader& lines)
      : spec_(spec), pid_(pid), report_(report.read_end.number()), said_(said.read_end.number()), lines_(lines) {}

  ChildEnd run() {
    int status = 0;
    while (!has_ended(status)) {
      const Clock::time_point start = Clock::now();
      wait_for_news();
      // The clock goes on while this process is stopped.
      waited_ += std::min<std::chrono::duration<double>>(Clock::now() - start, kLongestWait);
      if (end_.kind == ChildEndKind::NotStarted) enforce_limits();
    }
    if (spec_.start.has_own_group) ::kill(-pid_, SIGKILL);  // whatever it has started
    drain(report_, lines_);
    drain(said_, tail_);
    if (end_.kind == ChildEndKind::NotStarted) {
      end_.kind = WIFSIGNALED(status) ? ChildEndKind::Signalled : ChildEndKind::Exited;
      end_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    }
    end_.said = tail_.take();
    end_.wall_ms = milliseconds();
    return std::move(end_);
  }

 private:
  static constexpr std::chrono::milliseconds kLongestWait{200};

  bool has_ended(int& status) const {
    const pid_t changed = ::waitpid(pid_, &status, WNOHANG | (spec_.resumes ? WUNTRACED : 0));
    if (changed != pid_ || !WIFSTOPPED(status)) return changed != 0;
    // A person's own suspension (SIGTSTP) stays; nobody else has a reason to stop it.
    if (WSTOPSIG(status) == SIGSTOP) ::kill(pid_, SIGCONT);
    return false;
  }

  [[nodiscard]] double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }

  void wait_for_news() {
    std::array<pollfd, 2> watched{pollfd{report_, POLLIN, 0}, pollfd{said_, POLLIN, 0}};
    // Both closed, yet it lives: poll would return at once.
    if (report_ < 0 && said_ < 0) {
      ::poll(nullptr, 0, 1);
      return;
    }
    ::poll(watched.data(), watched.size(), kPollMs);
    if (report_ >= 0 && watched[0].revents != 0 && !drain(report_, lines_)) report_ = -1;
    if (said_ >= 0 && watched[1].revents != 0 && !drain(said_, tail_)) said_ = -1;
  }

  void enforce_limits() {
    if (waited_.count() > spec_.timeout_s) {
      end_.kind = ChildEndKind::TimedOut;
    } else if (resident_mib(pid_) > spec_.memory_mib) {
      end_.kind = ChildEndKind::OutOfMemory;
    } else {
      return;
    }
    if (spec_.start.has_own_group) ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
  }

  const ChildSpec& spec_;
  pid_t pid_;
  int report_;
  int said_;
  LineReader& lines_;
  Tail tail_;
  Clock::time_point start_ = Clock::now();
  std::chrono::duration<double> waited_{0};
  ChildEnd end_;
};

}  // namespace

Orphans::Orphans() : kept_(children_here()) { ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

void Orphans::end() {
  constexpr std::chrono::seconds kPatience(2);  // for who makes new ones as fast as they are ended
  const Clock::time_point start = Clock::now();
  while (Clock::now() - start < kPatience) {
    bool is_empty = true;
    for (const pid_t pid : children_here()) {
      if (std::find(kept_.begin(), kept_.end(), pid) != kept_.end()) continue;
      is_empty = false;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, WNOHANG);
    }
    if (is_empty) return;
    ::poll(nullptr, 0, 1);
  }
}

std::vector<std::string> environment_here() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

pid_t start(const StartOptions& options, const std::function<void()>& work) {
  sigset_t everything;
  sigset_t before;
  sigfillset(&everything);
  ::sigprocmask(SIG_BLOCK, &everything, &before);
  const pid_t pid = ::fork();
  if (options.receiver != nullptr && pid >= 0) *options.receiver = pid;
  if (pid == 0) {
    apply(options);
    if (!options.has_blocked_signals) ::sigprocmask(SIG_SETMASK, &before, nullptr);
    work();
    _exit(0);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

ChildEnd run_child(const ChildSpec& spec, const std::function<void(std::string_view)>& on_line) {
  Pipe report;
  Pipe said;
  Pipe failure;
  const PipeKind report_kind = spec.report == ReportChannel::Descriptor3 ? PipeKind::Socket : PipeKind::Pipe;
  const Descriptor input = spec.input_descriptor < 0 ? file_of(spec.input) : copy_of(spec.input_descriptor);
  if (!input.is_open() || !open_pipe(report, report_kind) || !open_pipe(said) || !open_pipe(failure)) {
    return {ChildEndKind::NotStarted, errno, {}, 0};
  }
  const std::vector<char*> arguments = pointers_to(spec.arguments);
  const std::vector<char*> environment = pointers_to(spec.environment);
  StartOptions options = spec.start;
  options.files = files_of(spec, input.number(), report.write_end.number(), said.write_end.number());
  const pid_t pid = start(options, [&] {
    ::execve(spec.program.c_str(), arguments.data(), environment.data());
    const int error = errno;
    const ssize_t written = ::write(failure.write_end.number(), &error, sizeof error);
    _exit(written == 0 ? 126 : 127);
  });
  if (pid < 0) return {ChildEndKind::NotStarted, errno, {}, 0};
  report.write_end.close();
  said.write_end.close();
  failure.write_end.close();
  LineReader lines(spec, on_line);
  ChildEnd end = Watch(spec, pid, report, said, lines).run();
  int error = 0;
  if (::read(failure.read_end.number(), &error, sizeof error) == sizeof error) {
    return {ChildEndKind::NotStarted, error, {}, 0};
  }
  return end;
}

Statement describe(const ChildEnd& end, const ChildSpec& spec) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", spec.timeout_s);
  const std::string number = std::to_string(end.code);
  switch (end.kind) {
    case ChildEndKind::Exited: return say("process-exited", {{"status", number}});
    case ChildEndKind::Signalled:
      return say(end.code == SIGABRT ? "process-aborted" : "process-killed",
                 {{"signal", number}, {"name", ::strsignal(end.code)}});
    case ChildEndKind::TimedOut: return say("process-hung", {{"time", seconds}});
    case ChildEndKind::OutOfMemory: return say("process-took-memory", {{"size", spec.memory_mib}});
    case ChildEndKind::NotStarted: return say("process-not-started", {{"error", std::strerror(end.code)}});
  }
  return {};
}

Statement last_words(const ChildEnd& end) {
  std::string_view text = end.said;
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) return {};
  return say("last-words", {{"line", text.substr(text.rfind('\n') + 1).substr(0, 500)}});
}

}  // namespace soresolve::child
