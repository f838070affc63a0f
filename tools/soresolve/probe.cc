#include "probe.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "helper_program.h"

extern char** environ;

namespace soresolve::tool {
namespace {

constexpr std::size_t kMaxAnswer = 64 << 20;

Unexpected<Error> failure(const std::string& path, const std::string& message) {
  return Unexpected{Error{ErrorCode::Unreadable, path, {}, message}};
}

/// A file in memory, at its beginning; -1 if there can be none.
int file_of(const std::string& text) {
  const int file = ::memfd_create("plan", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || ::lseek(file, 0, SEEK_SET) != 0) {
    ::close(file);
    return -1;
  }
  return file;
}

std::string read_to_end(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    if (text.size() < kMaxAnswer) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

/// Where a GPU would show.
constexpr const char* kDeviceNodes[] = {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl-gpu", "/dev/nvmap"};

}  // namespace

bool has_gpu_driver() {
  for (const char* path : kDeviceNodes) {
    const int node = ::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (node >= 0) ::close(node);
    const bool is_nothing = node < 0 && (errno == ENOENT || errno == ENXIO || errno == ENODEV);
    if (!is_nothing) return true;
  }
  return false;
}

Result<std::string> find_probe() { return find_helper({"soresolve-confirm", "confirm", "where the headers of CUDA are"}); }

Result<ProbeAnswer> run_probe(const std::string& path, const std::string& plan) {
  const int input = file_of(plan);
  int output[2] = {-1, -1};
  if (input < 0 || ::pipe2(output, O_CLOEXEC) != 0) {
    if (input >= 0) ::close(input);
    return failure(path, std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::string name = "soresolve-confirm";
  std::array<char*, 2> arguments{name.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(input);
  ::close(output[1]);
  ProbeAnswer answer;
  if (error == 0) answer.text = read_to_end(output[0]);
  ::close(output[0]);
  if (error != 0) return failure(path, "cannot be started: " + std::string(std::strerror(error)));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) return failure(path, "was killed by signal " + std::to_string(WTERMSIG(status)));
  answer.exit_status = WEXITSTATUS(status);
  return answer;
}

}  // namespace soresolve::tool
