// A program that opens what its standard input says, line by line: MODE FILE; for each it answers "ok" or
// what dlerror(3) gives, and goes on. MODE as of opener.cc (l, g, d, in upper case with RTLD_LAZY, x behind
// it for the code of the object opened first), and
//   m FILE  dlmopen(3) into a new namespace
//   t FILE  a thread that opens and closes FILE over and over from now on
//   ? -     the paths of all objects, in the loader's order, and "."
//
// Without start files, as opener.cc; with what musl has as well.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call run\n");

// Not in musl.
extern "C" __attribute__((weak)) void* dlmopen(Lmid_t space, const char* file, int flags);

namespace {

using Open = void* (*)(const char* file, int flags);

char thread_file[512];

void print(const char* text) {
  unsigned long length = 0;
  while (text[length] != '\0') ++length;
  if (write(STDOUT_FILENO, text, length) < 0 || write(STDOUT_FILENO, "\n", 1) < 0) _exit(3);
}

/// One line of standard input without its end; false behind the last one.
bool read_line(char* line, unsigned long size) {
  unsigned long length = 0;
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) == 1) {
    if (byte == '\n') {
      line[length] = '\0';
      return true;
    }
    if (length + 1 < size) line[length++] = byte;
  }
  return false;
}

const link_map* first_object() {
  for (const ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_DEBUG) return reinterpret_cast<const r_debug*>(entry->d_un.d_ptr)->r_map;
  }
  _exit(4);
}

int flags_of(char mode) {
  const int binding = mode >= 'a' ? RTLD_NOW : RTLD_LAZY;
  switch (mode | 0x20) {
    case 'g': return binding | RTLD_GLOBAL;
    case 'd': return binding | RTLD_DEEPBIND;
    default: return binding;
  }
}

[[noreturn]] void* open_and_close(void*) {
  for (;;) {
    if (void* opened = dlopen(thread_file, RTLD_NOW)) dlclose(opened);
    const timespec pause{0, 300'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

extern "C" [[noreturn]] void run(long*) {
  static char line[1024];
  void* first = nullptr;
  print("ready");
  while (read_line(line, sizeof line)) {
    unsigned long space = 0;
    while (line[space] != ' ' && line[space] != '\0') ++space;
    const bool by_caller = line[1] == 'x';
    const char* const file = line + space + 1;
    void* opened = nullptr;
    if (line[0] == '?') {
      for (const link_map* object = first_object(); object != nullptr; object = object->l_next) {
        if (object->l_name[0] != '\0') print(object->l_name);
      }
      print(".");
      continue;
    }
    if (line[0] == 't') {
      for (unsigned long i = 0; i < sizeof thread_file && (thread_file[i] = file[i]) != '\0'; ++i) {
      }
      pthread_t thread;
      print(pthread_create(&thread, nullptr, open_and_close, nullptr) == 0 ? "ok" : "no thread");
      continue;
    }
    if (line[0] == 'm') {
      opened = dlmopen(LM_ID_NEWLM, file, RTLD_NOW);
    } else if (by_caller) {
      opened = reinterpret_cast<Open>(dlsym(first, "open_here"))(file, flags_of(line[0]));
    } else {
      opened = dlopen(file, flags_of(line[0]));
      if (first == nullptr) first = opened;
    }
    print(opened == nullptr ? dlerror() : "ok");
  }
  _exit(0);
}
