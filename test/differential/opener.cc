// A program that opens what its arguments say: MODE FILE, for each one line on standard output, "ok"
// or what dlerror(3) gives, where it ends; then the paths of all objects, in the loader's order. MODE:
// l RTLD_LOCAL, g RTLD_GLOBAL, d RTLD_DEEPBIND; in upper case with RTLD_LAZY in place of RTLD_NOW; with
// an x behind it the code of the object opened first calls dlopen (see caller.cc).
//
// Without start files, so that it needs nothing of libc that is newer than dlopen itself.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call run\n");

namespace {

using Open = void* (*)(const char* file, int flags);

void print(const char* text) {
  unsigned long length = 0;
  while (text[length] != '\0') ++length;
  if (write(STDOUT_FILENO, text, length) < 0 || write(STDOUT_FILENO, "\n", 1) < 0) _exit(3);
}

int flags_of(char mode) {
  const int binding = mode >= 'a' ? RTLD_NOW : RTLD_LAZY;
  switch (mode | 0x20) {
    case 'g': return binding | RTLD_GLOBAL;
    case 'd': return binding | RTLD_DEEPBIND;
    default: return binding;
  }
}

}  // namespace

extern "C" [[noreturn]] void run(long* stack) {
  const long count = stack[0];
  char** const arguments = reinterpret_cast<char**>(stack + 1);
  void* first = nullptr;
  for (long i = 1; i + 1 < count; i += 2) {
    const char* const mode = arguments[i];
    void* opened = nullptr;
    if (mode[1] == 'x') {
      opened = reinterpret_cast<Open>(dlsym(first, "open_here"))(arguments[i + 1], flags_of(mode[0]));
    } else {
      opened = dlopen(arguments[i + 1], flags_of(mode[0]));
    }
    if (first == nullptr) first = opened;
    if (opened == nullptr) {
      print(dlerror());
      break;
    }
    print("ok");
  }
  for (const link_map* object = _r_debug.r_map; object != nullptr; object = object->l_next) {
    if (object->l_name[0] != '\0') print(object->l_name);
  }
  _exit(0);
}
