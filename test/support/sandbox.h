// A root directory of our own in which the real loader runs: the oracle.
//
// The process enters a mount namespace of its own, mounts a tmpfs there, and runs programs in a
// chroot(2) below it, so nothing of it can outlive the process or be seen outside. As root this
// needs nothing else; an ordinary user needs user namespaces, and then runs without set-uid.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/result.h"
#include "support/file_tree.h"
#include "support/glibc_roots.h"

namespace soresolve::test {

enum class RootLayout : std::uint8_t {
  Split,   ///< /lib and /usr/lib are two directories
  Merged,  ///< /lib -> usr/lib, /lib64 -> usr/lib64
};
enum class Proc : std::uint8_t { Mounted, Absent };

/// What is started in the root. Where the machine is emulated, so is execve(2): what the emulator cannot start ends
/// with exec_error ENOEXEC.
struct RunSpec {
  std::string path;  ///< for execve(2), inside the root
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string cwd = "/";
  std::uint32_t user = 0;                             ///< uid to run as
  std::optional<std::uint32_t> group = std::nullopt;  ///< gid; none: the number of the uid
  std::vector<std::uint32_t> groups = {};             ///< supplementary groups
  std::uint32_t limit_ms = 20000;                     ///< on the wall, for what neither works nor sleeps
  std::uint32_t limit_cpu_ms = 2000;  ///< of the processor, however busy the machine is; for what runs in circles
  /// Called with its number when it is about to end, with its memory still there. The process is traced (ptrace(2)).
  std::function<void(int pid)> at_exit = {};
};

/// What came of it.
struct RunResult {
  std::string output;
  std::string errors;
  int exit_status = -1;  ///< -1 unless it exited
  int signal = 0;        ///< of which it died
  int exec_error = 0;    ///< errno of execve(2), chdir(2) or ptrace(2)
  bool blocks = false;   ///< it waited for what does not come, and was killed
  bool spins = false;    ///< it used up its time of the processor, and was killed
};

class Sandbox {
 public:
  /// Enters the namespace. The error says why that is not possible here (a reason to skip a test).
  static Result<std::unique_ptr<Sandbox>, std::string> create();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  /// Empties the root and fills it: loader and libc of `glibc`, then `nodes`.
  void prepare(const GlibcRoot& glibc, RootLayout layout, Proc proc, const std::vector<TreeNode>& nodes);
  /// The directory that prepare() filled, as a host path in this process.
  [[nodiscard]] const std::string& root() const { return root_; }

  RunResult run(const RunSpec& asked) const;

  /// Can programs be started as another user, with set-uid bits that count?
  [[nodiscard]] bool has_users() const { return has_users_; }

 private:
  Sandbox() = default;
  void install(const GlibcRoot& glibc, RootLayout layout) const;
  [[nodiscard]] std::string stored_copy(const std::string& host_file) const;

  std::string directory_;  ///< where the tmpfs is mounted
  std::string root_;
  const Machine* machine_ = nullptr;  ///< of what prepare() put there
  bool is_emulated_ = false;
  int output_fd_ = -1;
  int errors_fd_ = -1;
  int null_fd_ = -1;
  bool has_users_ = false;
};

}  // namespace soresolve::test
