// Symbols of glibc by the versions that 2.28 has, so that the probe starts where CUDA's own libraries do.
//
// Linking on glibc 2.34 or later binds what moved from libpthread and libdl into libc to GLIBC_2.34, and the static
// libstdc++ and libgcc want more of their own: a program built there starts nowhere older, for no need of its own. Here
// each of these names is defined, hidden, and goes on to the older version of the same function; on an older system
// libpthread.so.0 and libdl.so.2 have it (meson.build links them by name). Sources: glibc 2.36 csu/libc-start.c,
// elf/dl-find_object.c, libgcc unwind-dw2-fde-dip.c. Only for x86-64, and where the build's glibc is that new;
// test/confirm/check_floor holds the list complete.
#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

__asm__(R"(
.macro by_older name, version
  .symver older_\name, \name@\version
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  jmp *older_\name@GOTPCREL(%rip)
  .size \name, . - \name
.endm
.pushsection .text
by_older dlerror, GLIBC_2.2.5
by_older dlinfo, GLIBC_2.3.3
by_older dlopen, GLIBC_2.2.5
by_older dlsym, GLIBC_2.2.5
by_older __pthread_key_create, GLIBC_2.2.5
by_older pthread_create, GLIBC_2.2.5
by_older pthread_join, GLIBC_2.2.5
by_older pthread_once, GLIBC_2.2.5
.popsection
.symver older_start, __libc_start_main@GLIBC_2.2.5
.symver older_stat, __xstat64@GLIBC_2.2.5
)");

namespace {

using Main = int(int, char**, char**);
using Constructor = void(int, char**, char**);

}  // namespace

extern "C" {

[[gnu::visibility("hidden")]] extern Constructor* __preinit_array_start[];
[[gnu::visibility("hidden")]] extern Constructor* __preinit_array_end[];
[[gnu::visibility("hidden")]] extern Constructor* __init_array_start[];
[[gnu::visibility("hidden")]] extern Constructor* __init_array_end[];
[[gnu::visibility("hidden")]] void _init();

int older_start(Main*, int, char**, Constructor*, void (*)(), void (*)(), void*);
int older_stat(int, const char*, void*);

/// Up to 2.33 the program brings what runs its constructors (__libc_csu_init of crt1.o); later ones do it themselves,
/// unless the program says who is to.
static void run_constructors(int count, char** arguments, char** environment) {
  for (Constructor** at = __preinit_array_start; at != __preinit_array_end; ++at) (*at)(count, arguments, environment);
  _init();
  for (Constructor** at = __init_array_start; at != __init_array_end; ++at) (*at)(count, arguments, environment);
}

[[gnu::visibility("hidden")]] int __libc_start_main(Main* main, int count, char** arguments, Constructor*, void (*)(),
                                                    void (*end)(), void* stack) {
  return older_start(main, count, arguments, run_constructors, nullptr, end, stack);
}

/// The layout of `struct stat` that the kernel has on x86-64 is version 1 of it.
[[gnu::visibility("hidden")]] int stat64(const char* path, void* to) { return older_stat(1, path, to); }

/// "No, not known to have one thread": libstdc++ then counts with atomic instructions.
[[gnu::visibility("hidden")]] char __libc_single_threaded = 0;

/// The unwinder's question since GCC 12, answered in the way it had before.
[[gnu::visibility("hidden")]] int _dl_find_object(void* address, dl_find_object* found) noexcept {
  struct Search {
    std::uintptr_t address;
    dl_find_object* found;
  } search{reinterpret_cast<std::uintptr_t>(address), found};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    const Search& wanted = *static_cast<Search*>(data);
    std::uintptr_t start = UINTPTR_MAX;
    std::uintptr_t end = 0;
    std::uintptr_t frames = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      const std::uintptr_t at = info->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_GNU_EH_FRAME) frames = at;
      if (segment.p_type != PT_LOAD) continue;
      start = at < start ? at : start;
      end = at + segment.p_memsz > end ? at + segment.p_memsz : end;
    }
    if (wanted.address < start || wanted.address >= end || frames == 0) return 0;
    *wanted.found = {};
    wanted.found->dlfo_map_start = reinterpret_cast<void*>(start);
    wanted.found->dlfo_map_end = reinterpret_cast<void*>(end);
    wanted.found->dlfo_eh_frame = reinterpret_cast<void*>(frames);
    return 1;
  };
  return ::dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}

}  // extern "C"
