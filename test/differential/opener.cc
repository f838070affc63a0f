// A program that opens what its arguments say: MODE FILE, for each one line on standard output: "ok", "null"
// for NULL without an error, or what dlerror(3) gives; it goes on after a call that fails. Then the paths of all
// objects, in the loader's order; "in another: PATH" for those of each namespace that was made. MODE: w RTLD_NOW or z
// RTLD_LAZY; behind it g RTLD_GLOBAL, d RTLD_DEEPBIND, o RTLD_NOLOAD, k RTLD_NODELETE, n dlmopen(3) into a new
// namespace, x the code of the object opened first makes the call (see caller.cc). A last argument "slots" prints what
// each relocation holds, too: "slot REFERRER SYMBOL PROVIDER"; for musl, which has no LD_DEBUG and leaves the addresses
// in dynamic sections as they are in the file.
//
// Without start files, and by the oldest versions of its symbols, so that it runs on every release.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

__asm__(
    ".symver dlopen, dlopen@GLIBC_2.2.5\n.symver dlsym, dlsym@GLIBC_2.2.5\n"
    ".symver dlerror, dlerror@GLIBC_2.2.5\n.symver dlmopen, dlmopen@GLIBC_2.3.4\n");
__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call run\n");

// Not in musl.
extern "C" __attribute__((weak)) void* dlmopen(Lmid_t space, const char* file, int flags);

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

const link_map* first_object() {
  for (const ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_DEBUG) return reinterpret_cast<const r_debug*>(entry->d_un.d_ptr)->r_map;
  }
  _exit(4);
}

unsigned long value_of(const link_map* object, long tag) {
  for (const ElfW(Dyn)* entry = object->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == tag) return entry->d_un.d_val;
  }
  return 0;
}

/// The object that has this address in one of its segments.
const link_map* object_at(unsigned long address) {
  for (const link_map* object = first_object(); object != nullptr; object = object->l_next) {
    if (object->l_addr == 0 || address < object->l_addr) continue;
    const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(object->l_addr);
    const auto* const segments = reinterpret_cast<const ElfW(Phdr)*>(object->l_addr + header->e_phoff);
    for (int i = 0; i < header->e_phnum; ++i) {
      const unsigned long start = object->l_addr + segments[i].p_vaddr;
      if (segments[i].p_type == PT_LOAD && address >= start && address - start < segments[i].p_memsz) return object;
    }
  }
  return nullptr;
}

void write_text(const char* text) {
  unsigned long length = 0;
  while (text[length] != '\0') ++length;
  if (write(STDOUT_FILENO, text, length) < 0) _exit(3);
}

void print_slots(const link_map* object, long table, long bytes) {
  const auto* relocation = reinterpret_cast<const ElfW(Rela)*>(object->l_addr + value_of(object, table));
  const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(object->l_addr + value_of(object, DT_SYMTAB));
  const auto* const strings = reinterpret_cast<const char*>(object->l_addr + value_of(object, DT_STRTAB));
  for (unsigned long left = value_of(object, bytes) / sizeof *relocation; left > 0; --left, ++relocation) {
    const unsigned long type = ELF64_R_TYPE(relocation->r_info);
    const unsigned long symbol = ELF64_R_SYM(relocation->r_info);
    if (symbol == 0 || (type != R_X86_64_64 && type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT)) continue;
    const unsigned long held = *reinterpret_cast<const unsigned long*>(object->l_addr + relocation->r_offset);
    const link_map* const provider = object_at(held);
    if (provider == nullptr) continue;
    write_text("slot\t");
    write_text(object->l_name);
    write_text("\t");
    write_text(strings + symbols[symbol].st_name);
    write_text("\t");
    print(provider->l_name);
  }
}

}  // namespace

extern "C" [[noreturn]] void run(long* stack) {
  const long count = stack[0];
  char** const arguments = reinterpret_cast<char**>(stack + 1);
  void* first = nullptr;
  constexpr long kMostSpaces = 16;  // DL_NNS
  const void* spaces[kMostSpaces];
  long space_count = 0;
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
    if (has(mode, 'n')) spaces[space_count++] = opened;
  }
  for (const link_map* object = first_object(); object != nullptr; object = object->l_next) {
    if (object->l_name[0] != '\0') print(object->l_name);
  }
  // Of another namespace what stands behind the object that it was made for.
  for (long i = 0; i < space_count; ++i) {
    for (const auto* object = static_cast<const link_map*>(spaces[i]); object != nullptr; object = object->l_next) {
      write_text("in another: ");
      print(object->l_name);
    }
  }
  const bool asks_for_slots = count % 2 == 0 && arguments[count - 1][0] == 's';
  for (const link_map* object = first_object(); asks_for_slots && object != nullptr; object = object->l_next) {
    if (object->l_addr == 0) continue;
    print_slots(object, DT_RELA, DT_RELASZ);
    print_slots(object, DT_JMPREL, DT_PLTRELSZ);
  }
  _exit(0);
}
