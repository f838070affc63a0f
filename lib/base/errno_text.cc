// Words for errno values, as ld.so and as dlerror(3) print them.
#include <locale.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "soresolve/file_system.h"

namespace soresolve {
namespace {

/// The untranslated words of the C library; nullptr for a number that it does not know.
const char* words_of(int number) {
// In two conditions: musl has no macro of the second name, and a condition is read whole.
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
#define SORESOLVE_HAS_STRERRORDESC
#endif
#endif
#ifdef SORESOLVE_HAS_STRERRORDESC
  return strerrordesc_np(number);
#else
  // An older glibc, and musl: the same words by the C locale.
  static const locale_t untranslated = ::newlocale(LC_ALL_MASK, "C", nullptr);
  if (untranslated == nullptr) return nullptr;
  const char* const text = ::strerror_l(number, untranslated);
  constexpr std::string_view kUnknown[] = {"Unknown error", "No error information"};
  for (const std::string_view unknown : kUnknown) {
    if (std::string_view(text).starts_with(unknown)) return nullptr;
  }
  return text;
#endif
}

}  // namespace

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
    if (const char* const text = words_of(number)) return text;
  }
  return "Error " + std::to_string(number);
}

}  // namespace soresolve
