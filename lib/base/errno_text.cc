// Words for errno values, as ld.so and as dlerror(3) print them.
#include <cerrno>
#include <cstring>

#include "soresolve/file_system.h"

namespace soresolve {

std::string errno_text(Errno error, ErrnoText form) {
  const int number = static_cast<int>(error);
  // glibc elf/dl-minimal.c:__strerror_r knows these six only. The values are Linux's generic ones,
  // equal on all machines that glibc runs on.
  switch (number) {
    case ENOMEM: return "Cannot allocate memory";
    case EINVAL: return "Invalid argument";
    case ENOENT: return "No such file or directory";
    case EPERM: return "Operation not permitted";
    case EIO: return "Input/output error";
    case EACCES: return "Permission denied";
    case static_cast<int>(kNotRecorded): return "not recorded in the snapshot";
    default: break;
  }
  if (form == ErrnoText::FromDlerror) {
    if (const char* text = strerrordesc_np(number)) return text;
  }
  return "Error " + std::to_string(number);
}

}  // namespace soresolve
