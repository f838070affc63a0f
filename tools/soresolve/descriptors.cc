// Source: getrlimit(2), RLIMIT_NOFILE. Not here: the limit of the whole system (ENFILE), which comes and goes.
#include "descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "command.h"

namespace soresolve::tool {
namespace {

/// Those of a link map, and what is read in between.
constexpr int kNeeded = static_cast<int>(kMaxOpenFiles) + 32;

/// The lowest number from `least` on that a descriptor can have; -1: there is none.
int first_free(int least) {
  const int number = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, least);
  if (number >= 0) ::close(number);
  return number;
}

/// Are so many free? Whoever starts us may have left files open: then they are counted.
bool has_free(int wanted) {
  constexpr int kFew = 16;
  const int lowest = first_free(0);
  if (lowest >= 0 && lowest < kFew && first_free(kFew + wanted) == kFew + wanted) return true;
  std::vector<int> taken;
  for (int next = 0; next >= 0 && static_cast<int>(taken.size()) < wanted;) {
    next = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (next >= 0) taken.push_back(next);
  }
  for (const int each : taken) ::close(each);
  return static_cast<int>(taken.size()) == wanted;
}

/// Raises the soft limit so far that `more` descriptors can be had.
void raise_limit(rlimit& limit, rlim_t more) {
  const rlim_t wanted = limit.rlim_cur + more;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max ? wanted : limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void insist_on_descriptors() {
  if (has_free(kNeeded)) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) raise_limit(limit, static_cast<rlim_t>(kNeeded));
  if (has_free(kNeeded)) return;
  write_error("soresolve: this process may open " + Text::number(limit.rlim_cur) + " files at once (ulimit -n), and " +
              Text::number(kNeeded) + " have to be free for an answer: raise the limit\n");
  finish(Exit::Failure);
}

}  // namespace soresolve::tool
