// A program that opens what its arguments say: MODE FILE, for each one line on standard output: "ok", "null"
// for NULL without an error, or what dlerror(3) gives; it goes on after a call that fails. Then the paths of all
// objects, in the loader's order. MODE: w RTLD_NOW or z RTLD_LAZY; behind it g RTLD_GLOBAL, d RTLD_DEEPBIND, o
// RTLD_NOLOAD, k RTLD_NODELETE, n dlmopen(3) into a new namespace, x the code of the object opened first makes the call
// (see caller.cc).
//
// Without start files, and by the oldest versions of its symbols, so that it runs on every release.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

__asm__(
    ".symver dlopen, dlopen@GLIBC_2.2.5\n.symver dlsym, dlsym@GLIBC_2.2.5\n"
    ".symver dlerror, dlerror@GLIBC_2.2.5\n.symver dlmopen, dlmopen@GLIBC_2.3.4\n");
__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call run\n");

namespace {

using Open = void* (*)(const char* file, int flags);
using Tell = const char* (*)();

void print(const char* text) {
  unsigned long length = 0;
  while (text[length] != '\0') ++length;
  if (write(STDOUT_FILENO, text, length) < 0 || write(STDOUT_FILENO, "\n", 1) < 0) _exit(3);
}

bool has(const char* mode, char letter) {
  for (; *mode != '\0'; ++mode)
    if (*mode == letter) return true;
  return false;
}

int flags_of(const char* mode) {
  int flags = has(mode, 'z') ? RTLD_LAZY : RTLD_NOW;
  if (has(mode, 'g')) flags |= RTLD_GLOBAL;
  if (has(mode, 'd')) flags |= RTLD_DEEPBIND;
  if (has(mode, 'o')) flags |= RTLD_NOLOAD;
  if (has(mode, 'k')) flags |= RTLD_NODELETE;
  return flags;
}

}  // namespace

extern "C" [[noreturn]] void run(long* stack) {
  const long count = stack[0];
  char** const arguments = reinterpret_cast<char**>(stack + 1);
  void* first = nullptr;
  for (long i = 1; i + 1 < count; i += 2) {
    const char* const mode = arguments[i];
    void* opened = nullptr;
    Tell tell = nullptr;
    if (has(mode, 'n')) {
      opened = dlmopen(LM_ID_NEWLM, arguments[i + 1], flags_of(mode));
    } else if (has(mode, 'x')) {
      if (first == nullptr) break;
      const auto open = reinterpret_cast<Open>(dlsym(first, "open_here"));
      tell = reinterpret_cast<Tell>(dlsym(first, "error_here"));
      opened = open(arguments[i + 1], flags_of(mode));
    } else {
      opened = dlopen(arguments[i + 1], flags_of(mode));
    }
    if (i == 1) first = opened;
    if (opened == nullptr) {
      const char* const error = tell != nullptr ? tell() : dlerror();
      print(error == nullptr ? "null" : error);
      continue;
    }
    print("ok");
  }
  for (const link_map* object = _r_debug.r_map; object != nullptr; object = object->l_next) {
    if (object->l_name[0] != '\0') print(object->l_name);
  }
  _exit(0);
}
