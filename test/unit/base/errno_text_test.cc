// glibc elf/dl-minimal.c:__strerror_r: ld.so has words for six errors only.
#include <doctest/doctest.h>

#include <cerrno>
#include <string>

#include "soresolve/file_system.h"

using namespace soresolve;

TEST_CASE("inside ld.so six errors have words, through dlerror all of them") {
  struct Case {
    int number;
    std::string inside;
    std::string dlerror;
  };
  const Case cases[] = {
      {ENOENT, "No such file or directory", "No such file or directory"},
      {EACCES, "Permission denied", "Permission denied"},
      {EPERM, "Operation not permitted", "Operation not permitted"},
      {EIO, "Input/output error", "Input/output error"},
      {ENOMEM, "Cannot allocate memory", "Cannot allocate memory"},
      {EINVAL, "Invalid argument", "Invalid argument"},
      {EISDIR, "Error 21", "Is a directory"},
      {ENOTDIR, "Error 20", "Not a directory"},
      {ELOOP, "Error 40", "Too many levels of symbolic links"},
      {ENAMETOOLONG, "Error 36", "File name too long"},
      {ENXIO, "Error 6", "No such device or address"},
      {4095, "Error 4095", "Error 4095"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.number);
    CHECK(errno_text(static_cast<Errno>(c.number), ErrnoText::InsideLoader) == c.inside);
    CHECK(errno_text(static_cast<Errno>(c.number), ErrnoText::FromDlerror) == c.dlerror);
  }
}
