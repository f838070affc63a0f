// Makes a mount namespace with a tmpfs, puts a glibc into it, and runs programs there by vfork, chroot(2) and execve.
// Source: unshare(2), mount_namespaces(7). It needs root or user namespaces; no network or PID namespace is made.
#include "support/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace soresolve::test {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kLibcName = "libc.so.6";
constexpr std::string_view kEmulator = ".emulator";  ///< at the top of the root

std::string failure(std::string_view call) { return std::string(call) + ": " + std::strerror(errno); }

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

/// A mount namespace of our own; as an ordinary user inside a user namespace of our own.
Result<bool, std::string> enter_namespace() {
  if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0) return true;
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return Unexpected{failure("unshare (neither root nor user namespaces)")};
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
  write_text("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
  return false;
}

std::string read_all(int fd) {
  std::string text;
  struct stat status {};
  if (fstat(fd, &status) != 0) return text;
  text.resize(static_cast<std::size_t>(status.st_size));
  const ssize_t got = pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// Whether the mounts that were there when `mounts` (a /proc/self/mountinfo) was opened have come to have one at
/// `directory`: the open file stays with its namespace.
bool is_mounted_in(int mounts, const std::string& directory) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(mounts, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text.find(" " + directory + " ") != std::string::npos;
}

void rewind(int fd) {
  [[maybe_unused]] const int done = ftruncate(fd, 0);
  lseek(fd, 0, SEEK_SET);
}

/// Does it sleep until something comes? What works, or waits for a disk or for a processor, has another state.
bool is_asleep(pid_t child) {
  std::ifstream file("/proc/" + std::to_string(child) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text.compare(name_end + 2, 2, "S ") == 0;
}

/// Looks at a child at work every now and then. A loader never sleeps: who does so several times in a row waits for
/// what does not come.
class Watch {
 public:
  static constexpr std::uint32_t kGlanceMs = 20;

  Watch(pid_t child, std::uint32_t limit_ms) : child_(child), limit_ms_(limit_ms) {}

  /// After each kGlanceMs. Kills the child where it has to end; true then.
  bool glance() {
    constexpr int kGlances = 4;
    waited_ms_ += kGlanceMs;
    asleep_ = is_asleep(child_) ? asleep_ + 1 : 0;
    if (asleep_ < kGlances && waited_ms_ < limit_ms_) return false;
    kill(child_, SIGKILL);
    return true;
  }

 private:
  pid_t child_;
  std::uint32_t limit_ms_;
  std::uint32_t waited_ms_ = 0;
  int asleep_ = 0;
};

/// Waits for the end of a child, and sees to it. Its exit status as of waitpid(2).
int wait_for_end(pid_t child, std::uint32_t limit_ms, RunResult& result) {
  const auto pid_fd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd waiting{pid_fd, POLLIN, 0};
  Watch watch(child, limit_ms);
  while (!result.blocks && poll(&waiting, 1, static_cast<int>(Watch::kGlanceMs)) <= 0) result.blocks = watch.glance();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  close(pid_fd);
  return status;
}

/// The same of a traced child, which stops behind execve(2), at each signal and before its end. SIGCHLD is blocked.
int wait_for_end_traced(pid_t child, const RunSpec& spec, RunResult& result) {
  sigset_t changes;
  sigemptyset(&changes);
  sigaddset(&changes, SIGCHLD);
  constexpr timespec kGlance{0, Watch::kGlanceMs * 1'000'000L};
  Watch watch(child, spec.limit_ms);
  bool is_set_up = false;
  int status = 0;
  while (true) {
    const pid_t changed = waitpid(child, &status, WNOHANG);
    if (changed == 0) {
      if (sigtimedwait(&changes, nullptr, &kGlance) < 0 && errno == EAGAIN && !result.blocks)
        result.blocks = watch.glance();
      continue;
    }
    if (changed < 0 || !WIFSTOPPED(status)) return status;
    int signal = WSTOPSIG(status);
    if (!is_set_up) {
      is_set_up = true;
      signal = 0;
      ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
    } else if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) {
      signal = 0;
      if (!result.blocks) spec.at_exit(child);
    }
    ptrace(PTRACE_CONT, child, nullptr, signal);
  }
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

Result<std::unique_ptr<Sandbox>, std::string> Sandbox::create() {
  const int mounts_outside = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  Result<bool, std::string> entered = enter_namespace();
  if (!entered) return Unexpected{entered.error()};
  // EINVAL: / is no mount point, as in a plain chroot; whose mount it lies on cannot be named from inside.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 && errno != EINVAL)
    return Unexpected{failure("mount --make-rprivate /")};

  std::unique_ptr<Sandbox> box(new Sandbox);
  box->has_users_ = *entered;
  std::string directory = (fs::canonical(fs::temp_directory_path()) / "soresolve-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) return Unexpected{failure(directory)};
  box->directory_ = directory;
  if (mount("soresolve", directory.c_str(), "tmpfs", 0, "mode=755") != 0) return Unexpected{failure("mount tmpfs")};
  const bool is_seen_outside = mounts_outside < 0 || is_mounted_in(mounts_outside, directory);
  close(mounts_outside);
  if (is_seen_outside) return Unexpected{std::string("mounts in a namespace of its own are seen outside of it")};
  for (const char* const part : {"/store", "/with-proc", "/with-proc/proc", "/bare"})
    mkdir((directory + part).c_str(), 0755);
  if (mount("/proc", (directory + "/with-proc/proc").c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
    return Unexpected{failure("mount --bind /proc")};

  box->output_fd_ = memfd_create("output", MFD_CLOEXEC);
  box->errors_fd_ = memfd_create("errors", MFD_CLOEXEC);
  box->null_fd_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (box->output_fd_ < 0 || box->errors_fd_ < 0) return Unexpected{failure("memfd_create")};
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  umask(0);
  return box;
}

Sandbox::~Sandbox() {
  for (const int fd : {output_fd_, errors_fd_, null_fd_})
    if (fd >= 0) close(fd);
  if (directory_.empty()) return;
  umount2((directory_ + "/with-proc/proc").c_str(), MNT_DETACH);
  umount2(directory_.c_str(), MNT_DETACH);
  rmdir(directory_.c_str());
}

/// A copy on the tmpfs, so that it can be linked into each root.
std::string Sandbox::stored_copy(const std::string& host_file) const {
  std::string name = host_file;
  for (char& c : name)
    if (c == '/') c = '!';
  const std::string copy = directory_ + "/store/" + name;
  std::error_code error;
  fs::copy_file(host_file, copy, fs::copy_options::skip_existing, error);
  return copy;
}

void Sandbox::install(const GlibcRoot& glibc, RootLayout layout) const {
  const auto make = [this](std::string_view path) { mkdir((root_ + "/" + std::string(path)).c_str(), 0755); };
  const auto link_to = [this](std::string_view path, std::string_view target) {
    [[maybe_unused]] const int done = symlink(std::string(target).c_str(), (root_ + "/" + std::string(path)).c_str());
  };
  const auto place = [this](const std::string& host_file, const std::string& path) {
    [[maybe_unused]] const int done = link(stored_copy(host_file).c_str(), (root_ + "/" + path).c_str());
  };
  const Machine& machine = *glibc.machine;
  const std::string interp(machine.interp.substr(1));
  const std::string loader_name = interp.substr(interp.rfind('/') + 1);
  const std::string multiarch = "lib/" + std::string(machine.triplet) + "/";
  const bool is_merged = layout == RootLayout::Merged;
  const std::string usr = is_merged ? "usr/" : "";
  make("usr");
  make("usr/lib");
  make("usr/" + multiarch);
  if (is_merged) {
    make("usr/lib64");
    link_to("lib", "usr/lib");
    link_to("lib64", "usr/lib64");
  } else {
    make("lib");
    make(multiarch);
    make("lib64");
  }
  const std::string libraries = usr + multiarch;
  place(glibc.loader_file, libraries + glibc.loader_name);
  if (glibc.loader_name != loader_name) link_to(libraries + loader_name, glibc.loader_name);
  place(glibc.libc_file, libraries + glibc.libc_name);
  if (!glibc.libdl_file.empty()) place(glibc.libdl_file, libraries + "libdl.so.2");
  if (glibc.libc_name != kLibcName) link_to(libraries + std::string(kLibcName), glibc.libc_name);
  link_to(usr + interp, "/" + multiarch + glibc.loader_name);
  if (!glibc.emulator_file.empty()) place(glibc.emulator_file, std::string(kEmulator));
}

void Sandbox::prepare(const GlibcRoot& glibc, RootLayout layout, Proc proc, const std::vector<TreeNode>& nodes) {
  root_ = directory_ + (proc == Proc::Mounted ? "/with-proc" : "/bare");
  const int root_fd = open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0) return;
  machine_ = glibc.machine;
  is_emulated_ = !glibc.emulator_file.empty();
  clear_tree(root_fd, "proc");
  install(glibc, layout);
  write_tree(root_fd, nodes);
  close(root_fd);
}

namespace {

/// The same started by an emulator, which gets argv[0] by an option.
RunSpec emulated(RunSpec spec, const Machine& machine) {
  std::vector<std::string> arguments = {std::string(kEmulator)};
  if (!machine.processor.empty()) arguments.insert(arguments.end(), {"-cpu", std::string(machine.processor)});
  arguments.insert(arguments.end(), {"-0", spec.arguments.front(), spec.path});
  arguments.insert(arguments.end(), spec.arguments.begin() + 1, spec.arguments.end());
  spec.arguments = std::move(arguments);
  spec.path = "/" + std::string(kEmulator);
  spec.limit_cpu_ms *= 10;
  return spec;
}

/// What the emulator says itself is no word of the program's.
void take_out_emulator(RunResult& result) {
  constexpr std::string_view kSignal = "qemu: uncaught target signal ";
  if (const std::size_t at = result.errors.find(kSignal); at != std::string::npos)
    result.errors.erase(at, result.errors.find('\n', at) + 1 - at);
  const bool is_of_emulator =
      result.errors.starts_with(std::string(kEmulator) + ": ") || result.errors.starts_with("Error while loading ");
  if (result.exit_status != 0 && is_of_emulator) result.exec_error = ENOEXEC;
}

}  // namespace

RunResult Sandbox::run(const RunSpec& asked) const {
  const RunSpec spec = is_emulated_ ? emulated(asked, *machine_) : asked;
  RunResult result;
  rewind(output_fd_);
  rewind(errors_fd_);
  const std::vector<char*> arguments = pointers(spec.arguments);
  const std::vector<char*> environment = pointers(spec.environment);
  volatile int exec_error = 0;  // written by the child, which shares our memory until it execs

  // Memory, not a register: the child of vfork() runs in this very frame.
  const volatile std::uint32_t group = spec.group.value_or(spec.user);
  const volatile bool is_traced = static_cast<bool>(spec.at_exit);
  // Preserved by execve(2); SIGPROF ends the process.
  const itimerval processor_time{{0, 0}, {spec.limit_cpu_ms / 1000, spec.limit_cpu_ms % 1000 * 1000}};
  sigset_t before;
  sigset_t changes;
  sigemptyset(&changes);
  sigaddset(&changes, SIGCHLD);
  sigprocmask(SIG_BLOCK, is_traced ? &changes : nullptr, &before);
  const pid_t child = vfork();
  if (child == 0) {
    if (chroot(root_.c_str()) != 0 || chdir(spec.cwd.c_str()) != 0 || dup2(null_fd_, 0) < 0 ||
        dup2(output_fd_, 1) < 0 || dup2(errors_fd_, 2) < 0 ||
        (spec.user != 0 && (syscall(SYS_setgroups, spec.groups.size(), spec.groups.data()) != 0 ||
                            syscall(SYS_setresgid, group, group, group) != 0 ||
                            syscall(SYS_setresuid, spec.user, spec.user, spec.user) != 0)) ||
        setitimer(ITIMER_PROF, &processor_time, nullptr) != 0 || sigprocmask(SIG_SETMASK, &before, nullptr) != 0 ||
        (is_traced && ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)) {
      exec_error = errno;
      _exit(126);
    }
    execve(spec.path.c_str(), arguments.data(), environment.data());
    exec_error = errno;
    _exit(126);
  }
  if (child < 0) {
    result.exec_error = errno;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return result;
  }
  const int status = is_traced ? wait_for_end_traced(child, spec, result) : wait_for_end(child, spec.limit_ms, result);
  sigprocmask(SIG_SETMASK, &before, nullptr);

  result.exec_error = exec_error;
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status) && !result.blocks) {
    result.spins = WTERMSIG(status) == SIGPROF;
    if (!result.spins) result.signal = WTERMSIG(status);
  }
  result.output = read_all(output_fd_);
  result.errors = read_all(errors_fd_);
  if (is_emulated_) take_out_emulator(result);
  return result;
}

}  // namespace soresolve::test
