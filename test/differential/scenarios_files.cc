// Scenarios 27 … 49: what the loader takes for a library. B holds the bad file, G a good one.
#include <elf.h>

#include <cstring>

#include "differential/scenarios.h"

namespace soresolve::test {
namespace {

/// LD_LIBRARY_PATH is B:G, and both have the library.
Scenario bad_before_good(const char* number, Damage damage, const char* title = "") {
  Scenario scenario(number, std::string(name_of(damage)) + title);
  scenario.exe(program_needing({"libx.so"})).library_path("/B:/G").bad("/B/libx.so", damage).lib("/G/libx.so");
  return scenario;
}
/// Only B has it.
Scenario only_bad(const char* number, Damage damage) {
  Scenario scenario(number, std::string(name_of(damage)) + ", alone");
  scenario.exe(program_needing({"libx.so"})).library_path("/B").bad("/B/libx.so", damage);
  return scenario;
}

/// A library of which one entry of the dynamic section is none that the loader takes.
ElfSpec library_lacking(std::int64_t tag) {
  ElfSpec spec = library();
  const std::string file = write_elf(spec);
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, file.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t at = segment.p_offset; at + sizeof(Elf64_Dyn) <= file.size(); at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      std::memcpy(&entry, file.data() + at, sizeof entry);
      if (entry.d_tag == tag) spec.patch(at, std::string(1, '\x15'));  // DT_DEBUG
    }
  }
  return spec;
}

}  // namespace

std::vector<Scenario> bad_files() {
  std::vector<Scenario> list;
  const auto fatal = [&list](const char* number, Damage damage, const std::string& text) {
    list.push_back(bad_before_good(number, damage).dies_tracing(text).says(text).ends("exit 127"));
  };
  const auto skipped = [&list](const char* number, Damage damage, const std::string& text) {
    list.push_back(bad_before_good(number, damage).traces("libx.so => /G/libx.so").starts());
    list.push_back(only_bad(number, damage).missing("libx.so").says(text));
  };
  fatal("27", Damage::Empty, "/B/libx.so: file too short");
  fatal("28a", Damage::LongText, "/B/libx.so: invalid ELF header");
  fatal("28b", Damage::ShortText, "/B/libx.so: file too short");
  skipped("29", Damage::OtherClass, ": libx.so: wrong ELF class: ELFCLASS32");
  skipped("30", Damage::OddClass, ": libx.so: wrong ELF class: ELFCLASS32");
  skipped("31", Damage::OtherMachine, "libx.so: cannot open shared object file: No such file");
  fatal("32", Damage::OtherEndian, "/B/libx.so: ELF file data encoding not little-endian");
  fatal("33a", Damage::OsAbi, "/B/libx.so: ELF file OS ABI invalid");
  list.push_back(bad_before_good("33b", Damage::GnuOsAbi, ": accepted").traces("libx.so => /B/libx.so").starts());
  fatal("33c", Damage::AbiVersion, "/B/libx.so: ELF file ABI version invalid");
  fatal("33d", Damage::SysvAbiVersion, "/B/libx.so: ELF file ABI version invalid");
  fatal("34", Damage::IdentPadding, "/B/libx.so: nonzero padding in e_ident");
  fatal("34b", Damage::IdentVersion, "ELF file version ident does not match current one");
  fatal("34c", Damage::HeaderVersion, "/B/libx.so: ELF file version does not match current one");
  fatal("34d", Damage::Relocatable, "/B/libx.so: only ET_DYN and ET_EXEC can be loaded");
  fatal("34e", Damage::PhentSize, "/B/libx.so: ELF file's phentsize not the expected size");
  fatal("40", Damage::HeaderOnly, "/B/libx.so: cannot read file data");
  fatal("40b", Damage::HeadersBeyond, "/B/libx.so: cannot read file data");
  fatal("41", Damage::NoHeaders, ": libx.so: object file has no loadable segments");
  fatal("41b", Damage::NoLoad, ": libx.so: object file has no loadable segments");
  fatal("41c", Damage::NoDynamic, ": libx.so: object file has no dynamic section");
  fatal("41d", Damage::EmptyDynamic, ": libx.so: object file has no dynamic section");
  fatal("42a", Damage::Executable, ": libx.so: cannot dynamically load executable");
  fatal("42b", Damage::Pie, ": libx.so: cannot dynamically load position-independent executable");
  list.push_back(bad_before_good("44a", Damage::NewKernel)
                     .traces("libx.so => /G/libx.so", until(35))
                     .traces("libx.so => /B/libx.so", since(36))
                     .starts());
  list.push_back(bad_before_good("44b", Damage::OtherOs)
                     .traces("libx.so => /G/libx.so", until(35))
                     .traces("libx.so => /B/libx.so", since(36))
                     .starts());
  list.push_back(bad_before_good("44c", Damage::NewKernel, ", LD_ASSUME_KERNEL cannot raise it")
                     .env("LD_ASSUME_KERNEL=99.1")
                     .traces("libx.so => /G/libx.so", until(35)));
  list.push_back(bad_before_good("6.2a", Damage::OddAddress).ends("exit 127"));
  list.push_back(bad_before_good("6.2b", Damage::OddAlignment)
                     .says("ELF load command alignment not page-aligned", until(34))
                     .starts(since(35)));

  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  const ElfSpec needs_x = program_needing({"libx.so"});
  add("35", "a directory is fatal")
      .exe(needs_x)
      .library_path("/B:/G")
      .node(directory("/B/libx.so"))
      .lib("/G/libx.so")
      .dies_tracing("/B/libx.so: cannot read file data: Error 21");
  add("36", "a dangling link is passed over")
      .exe(needs_x)
      .library_path("/B:/G")
      .node(symlink_to("/B/libx.so", "nothing"))
      .lib("/G/libx.so")
      .traces("libx.so => /G/libx.so")
      .starts();
  add("37a", "a link loop ends the list")
      .exe(needs_x)
      .library_path("/B:/G")
      .node(symlink_to("/B/libx.so", "libx.so"))
      .lib("/G/libx.so")
      .missing("libx.so");
  add("37b", "a link loop does not end the search")
      .exe(ElfSpec(needs_x).runpath("/G"))
      .library_path("/B")
      .node(symlink_to("/B/libx.so", "libx.so"))
      .lib("/G/libx.so")
      .traces("libx.so => /G/libx.so")
      .starts();
  add("37c", "a link through a file ends the list up to 2.38")
      .exe(needs_x)
      .library_path("/B:/G")
      .node(text_file("/file", "x"))
      .node(symlink_to("/B/libx.so", "/file/libx.so"))
      .lib("/G/libx.so")
      .missing("libx.so", until(38))
      .traces("libx.so => /G/libx.so", since(39));
  add("37d", "a socket ends the list")
      .exe(needs_x)
      .library_path("/B:/G")
      .node(special_file("/B/libx.so", NodeKind::Socket))
      .lib("/G/libx.so")
      .missing("libx.so")
      .says("libx.so: cannot open shared object file");
  add("37e", "a FIFO blocks")
      .exe(needs_x)
      .library_path("/B:/G")
      .node(special_file("/B/libx.so", NodeKind::Fifo))
      .lib("/G/libx.so")
      .ends("blocks");
  for (const bool has_good : {true, false}) {
    Scenario& unreadable = add(has_good ? "38a" : "38b", "a file that may not be read is passed over");
    TreeNode locked = elf_file("/B/libx.so", library());
    locked.mode = 0;
    unreadable.exe(needs_x).library_path("/B:/G").node(locked);
    unreadable.tree.user = kOtherUser;
    if (has_good)
      unreadable.lib("/G/libx.so").traces("libx.so => /G/libx.so").starts();
    else
      unreadable.says("libx.so: cannot open shared object file: No such file or directory");
  }
  TreeNode plain = elf_file("/B/libx.so", library());
  plain.mode = 0644;
  add("39", "no permission to execute is needed")
      .exe(needs_x)
      .library_path("/B")
      .node(plain)
      .traces("libx.so => /B/libx.so")
      .starts();
  ElfSpec private_library = library();
  private_library.flags_1 = kDf1NoOpen;
  add("42c", "/proc/self/exe is the program, which is no library")
      .exe(program_needing({"/proc/self/exe"}))
      .says("/proc/self/exe: cannot dynamically load position-independent executable")
      .ends("exit 127");
  Scenario& no_proc = add("42d", "without /proc there is none");
  no_proc.exe(program_needing({"/proc/self/exe"})).says("/proc/self/exe: cannot open shared object file: No such file");
  no_proc.tree.proc = Proc::Absent;
  add("43", "-z nodlopen does not matter to DT_NEEDED")
      .exe(needs_x)
      .library_path("/B")
      .lib("/B/libx.so", private_library)
      .starts();
  ElfSpec stackless = library();
  stackless.stack = StackHeader::Absent;
  ElfSpec tagged = library();
  tagged.abi_tag = AbiTag{0, {4, 0, 0}};
  add("44d", "LD_ASSUME_KERNEL lowers the kernel version up to 2.35")
      .exe(needs_x)
      .library_path("/B:/G")
      .env("LD_ASSUME_KERNEL=3.2.0")
      .lib("/B/libx.so", tagged)
      .lib("/G/libx.so")
      .traces("libx.so => /G/libx.so", until(35))
      .traces("libx.so => /B/libx.so", since(36));
  add("47", "no PT_GNU_STACK in a needed library")
      .exe(needs_x)
      .library_path("/B")
      .lib("/B/libx.so", stackless)
      .starts();
  add("48", "a file that ends inside a segment kills the loader")
      .exe(needs_x)
      .library_path("/B")
      .bad("/B/libx.so", Damage::CutSegment)
      .ends("signal");
  add("48b", "a library without DT_SYMTAB kills it, though nothing refers to a symbol")
      .exe(needs_x)
      .library_path("/B")
      .lib("/B/libx.so", library_lacking(DT_SYMTAB))
      .ends("signal");
  add("49a", "SONAME absent").exe(needs_x).library_path("/B").lib("/B/libx.so").starts();
  add("49b", "SONAME differs")
      .exe(needs_x)
      .library_path("/B")
      .lib("/B/libx.so", library().soname("liby.so.7"))
      .traces("libx.so => /B/libx.so")
      .starts();
  const std::string long_name = "lib" + std::string(300, 'x') + ".so";
  add("2.5", "a name that is too long stops each list, and says Error 36")
      .exe(program().needed(long_name))
      .library_path("/B:/G")
      .node(directory("/B"))
      .says("cannot open shared object file: Error 36");
  ElfSpec exec_stack = library();
  exec_stack.stack = StackHeader::Executable;
  ElfSpec no_stack_header = library();
  no_stack_header.stack = StackHeader::Absent;
  const std::string refused = ": libx.so: cannot enable executable stack as shared object requires: Invalid argument";
  add("6.4a", "a library that wants an executable stack gets it at a start")
      .exe(needs_x)
      .library_path("/G")
      .lib("/G/libx.so", exec_stack)
      .starts();
  ElfSpec last_is_executable = library();
  last_is_executable.stack = StackHeader::ReadWriteThenExecutable;
  ElfSpec last_is_not = library();
  last_is_not.stack = StackHeader::ExecutableThenReadWrite;
  add("6.4e", "of two PT_GNU_STACK the last one counts: executable")
      .exe(needs_x)
      .library_path("/G")
      .lib("/G/libx.so", last_is_executable)
      .env("GLIBC_TUNABLES=glibc.rtld.execstack=0")
      .says(refused, since(41))
      .ends("exit 127", since(41))
      .starts(until(40));
  add("6.4f", "of two PT_GNU_STACK the last one counts: not executable")
      .exe(needs_x)
      .library_path("/G")
      .lib("/G/libx.so", last_is_not)
      .env("GLIBC_TUNABLES=glibc.rtld.execstack=0")
      .starts();
  ElfSpec wants_stack = program();
  wants_stack.stack = StackHeader::Executable;
  for (const char* const mode : {"0", "1", "2"}) {
    const std::string tunable = std::string("GLIBC_TUNABLES=glibc.rtld.execstack=") + mode;
    const bool is_default = *mode == '1';
    const bool is_forbidden = *mode == '0';
    Scenario& as_argument =
        add("6.4g", "a program that ld.so is told to run wants an executable stack").exe(wants_stack).env(tunable);
    as_argument.tree.launch = Launch::Argument;
    if (is_default) {
      as_argument.starts();
    } else {
      as_argument.says(": /app/bin/prog" + refused.substr(refused.find(": cannot")), since(41))
          .ends("exit 127", since(41))
          .starts(until(40));
    }
    if (is_forbidden) continue;  // 6.4b
    Scenario& its_library =
        add("6.4h", "its library does").exe(needs_x).library_path("/G").lib("/G/libx.so", exec_stack).env(tunable);
    its_library.tree.launch = Launch::Argument;
    its_library.starts();
    add("6.4i", "a library of a program that the kernel starts does")
        .exe(needs_x)
        .library_path("/G")
        .lib("/G/libx.so", exec_stack)
        .env(tunable)
        .starts();
  }
  add("6.4b", "unless the tunable forbids it")
      .exe(needs_x)
      .library_path("/G")
      .lib("/G/libx.so", exec_stack)
      .env("GLIBC_TUNABLES=glibc.rtld.execstack=0")
      .says(refused, since(41))
      .ends("exit 127", since(41))
      .starts(until(40));
  add("6.4c", "no PT_GNU_STACK asks for it, too")
      .exe(needs_x)
      .library_path("/G")
      .lib("/G/libx.so", no_stack_header)
      .env("GLIBC_TUNABLES=glibc.rtld.execstack=0")
      .says(refused, since(41))
      .starts(until(40));
  return list;
}

}  // namespace soresolve::test
