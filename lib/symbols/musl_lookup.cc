// The names with 64 at their end that musl had up to 1.2.3 as symbols, and has no more. Source: musl
// ldso/dynlink.c:get_lfs64, since 1.2.4. Of posix_fallocate64 the list knows only since 1.2.6: the name is longer than
// the buffer before.
#include "symbols/musl.h"

#include <algorithm>
#include <iterator>

namespace soresolve {
namespace {

constexpr std::string_view kNamesOfLfs64[] = {
    "__fxstat",      "__fxstatat",      "__lxstat",    "__xstat",   "aio_cancel", "aio_error", "aio_fsync",
    "aio_read",      "aio_return",      "aio_suspend", "aio_write", "alphasort",  "creat",     "fallocate",
    "fgetpos",       "fopen",           "freopen",     "fseeko",    "fsetpos",    "fstat",     "fstatat",
    "fstatfs",       "fstatvfs",        "ftello",      "ftruncate", "ftw",        "getdents",  "getrlimit",
    "glob",          "globfree",        "lio_listio",  "lockf",     "lseek",      "lstat",     "mkostemp",
    "mkostemps",     "mkstemp",         "mkstemps",    "mmap",      "nftw",       "open",      "openat",
    "posix_fadvise", "posix_fallocate", "pread",       "preadv",    "prlimit",    "pwrite",    "pwritev",
    "readdir",       "scandir",         "sendfile",    "setrlimit", "stat",       "statfs",    "statvfs",
    "tmpfile",       "truncate",        "versionsort"};

}  // namespace

std::string_view name_without_lfs64(std::string_view name, const LoaderRules& rules) {
  if (name == "readdir64_r") return "readdir_r";
  if (!name.ends_with("64")) return {};
  const std::string_view plain = name.substr(0, name.size() - 2);
  if (plain == "posix_fallocate" && rules.musl_version < MuslVersion{1, 2, 6}) return {};
  const auto at = std::lower_bound(std::begin(kNamesOfLfs64), std::end(kNamesOfLfs64), plain);
  return at != std::end(kNamesOfLfs64) && *at == plain ? *at : std::string_view();
}

}  // namespace soresolve
