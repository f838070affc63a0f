// What glibc itself opens for calls of a program, as far as the names of its symbols show it.
//
// Source: glibc sysdeps/nptl/unwind-forcedunwind.c and misc/unwind-link.c (libgcc_s.so.1), nss/nsswitch.c
// (libnss_SERVICE.so.2, built in for files and dns from 2.34 on), iconv/gconv_db.c. Not here: gconv modules, of which
// the character sets that a program will ask for decide, and what they are is in no table.
#pragma once
#include <vector>

#include "soresolve/dlopens.h"
#include "soresolve/world.h"

namespace soresolve {

struct GlibcDlopenCalls {
  std::vector<Dlopen> list;    ///< those that are found
  bool converts_text = false;  ///< it calls iconv_open(3)
};

/// `target`: whose /etc/nsswitch.conf counts; without one the built-in default (files and dns).
GlibcDlopenCalls find_glibc_dlopen_calls(const Resolution& run, const FileSystem& target);

}  // namespace soresolve
