// A library whose code calls dlopen: its own RPATH or RUNPATH counts.
#include <dlfcn.h>

__asm__(".symver dlopen, dlopen@GLIBC_2.2.5\n.symver dlerror, dlerror@GLIBC_2.2.5\n");

extern "C" void* open_here(const char* file, int flags) {
  void* volatile opened = dlopen(file, flags);  // no tail call: the return address tells the caller
  return opened;
}

/// What went wrong is known to the libc of the caller's namespace only.
extern "C" const char* error_here() {
  const char* volatile error = dlerror();
  return error;
}
