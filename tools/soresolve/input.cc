// A pipe becomes a file in memory (memfd_create(2)), which takes the place of descriptor 0: readers of ELF files and of
// archives ask for parts in any order. Not here: snapshots as --root -, which are read as they come.
#include "input.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "output/output.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr const char* kPath = "/dev/stdin";

Unexpected<Error> refuse_input(ErrorCode code, std::string message) {
  return Unexpected{Error{code, "standard input", {}, std::move(message)}};
}

/// All that comes on descriptor 0 into `file`.
std::optional<Unexpected<Error>> copy_input(int file) {
  std::array<char, 64 << 10> buffer;
  for (std::size_t total = 0;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse_input(ErrorCode::Unreadable, std::strerror(errno));
    if (count == 0) return std::nullopt;
    total += static_cast<std::size_t>(count);
    if (total > kMostBytes) return refuse_input(ErrorCode::LimitReached, "has more than 1 GiB: save it as a file");
    if (const int error = output::write_all(file, {buffer.data(), static_cast<std::size_t>(count)})) {
      return refuse_input(ErrorCode::Unreadable, std::strerror(error));
    }
  }
}

}  // namespace

Result<std::string> path_of_input() {
  struct stat status;
  if (::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)) return std::string(kPath);
  const int file = ::memfd_create("standard input", MFD_CLOEXEC);
  if (file < 0) return refuse_input(ErrorCode::Unreadable, std::strerror(errno));
  std::optional<Unexpected<Error>> failure = copy_input(file);
  // Without the flag: it is standard input.
  if (!failure && ::dup2(file, STDIN_FILENO) < 0) failure = refuse_input(ErrorCode::Unreadable, std::strerror(errno));
  ::close(file);
  if (failure) return std::move(*failure);
  return std::string(kPath);
}

std::optional<Exit> name_input(const Subcommand& asked, const WorldOptions& options, std::vector<std::string>& files) {
  if (std::find(files.begin(), files.end(), "-") == files.end()) return std::nullopt;
  if (!options.where.root.empty() || options.live.pid != 0) {
    return refuse_usage(asked.name, "- is standard input, which is not a file inside of --root or of a process");
  }
  const Result<std::string> path = path_of_input();
  if (!path) return report_error(path.error());
  std::replace(files.begin(), files.end(), std::string("-"), *path);
  return std::nullopt;
}

TakeOnce own_file(std::string& target) {
  return {[&target](const std::string& word) -> std::optional<std::string> {
    if (word != "-") {
      target = word;
      return std::nullopt;
    }
    Result<std::string> path = path_of_input();
    if (!path) return path.error().to_string();
    target = std::move(path).value();
    return std::nullopt;
  }};
}

}  // namespace soresolve::tool
