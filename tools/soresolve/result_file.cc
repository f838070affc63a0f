// write(2) to PATH.XXXXXX in the same directory, fsync(2), rename(2): a reader sees the old report or the new one. What
// is no plain file (/dev/null, a pipe) is written to as it is.
#include "result_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "soresolve/file_system.h"

namespace soresolve::tool {

std::optional<Error> write_result_file(const std::string& path,
                                       const std::function<void(const std::function<void(std::string_view)>&)>& make) {
  const auto failure = [&](int error) {
    return Error{ErrorCode::Unreadable,
                 path,
                 {},
                 "cannot be written: " + errno_text(static_cast<Errno>(error), ErrnoText::FromDlerror)};
  };
  struct stat there = {};
  const bool is_there = ::stat(path.c_str(), &there) == 0;
  const bool is_plain = !is_there || S_ISREG(there.st_mode);
  // Behind a link it is the file that is written, and not the link that is replaced.
  const Result<std::string, Errno> real = host_file_system()->real_path(path);
  const std::string target = is_there && real ? *real : path;
  std::string beside = target + ".XXXXXX";
  const int descriptor =
      is_plain ? ::mkostemp(beside.data(), O_CLOEXEC) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return failure(errno);
  int error = 0;
  std::string buffer;
  const auto flush = [&] {
    std::string_view left = buffer;
    while (!left.empty() && error == 0) {
      const ssize_t done = ::write(descriptor, left.data(), left.size());
      if (done < 0 && errno != EINTR) error = errno;
      if (done > 0) left.remove_prefix(static_cast<std::size_t>(done));
    }
    buffer.clear();
  };
  make([&](std::string_view part) {
    constexpr std::size_t kFull = std::size_t{1} << 16;
    buffer += part;
    if (buffer.size() >= kFull) flush();
  });
  flush();
  if (!is_plain) {
    if (::close(descriptor) != 0 && error == 0) error = errno;
    return error == 0 ? std::nullopt : std::optional(failure(error));
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (error == 0 && ::fchmod(descriptor, 0666 & ~mask) != 0) error = errno;
  if (error == 0 && ::fsync(descriptor) != 0 && errno != EINVAL) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(beside.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return std::nullopt;
  ::unlink(beside.c_str());
  return failure(error);
}

}  // namespace soresolve::tool
