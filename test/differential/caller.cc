// A library whose code calls dlopen: its own RPATH or RUNPATH counts.
#include <dlfcn.h>

extern "C" void* open_here(const char* file, int flags) {
  void* volatile opened = dlopen(file, flags);  // no tail call: the return address tells the caller
  return opened;
}
