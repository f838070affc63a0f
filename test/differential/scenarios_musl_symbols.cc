// Scenarios 81 … 100 of musl: what a symbol is bound to, what a relocation comes to, in which order it is told. And
// 113 … 116: objects that were built for glibc.
#include "differential/scenarios_musl.h"

namespace soresolve::test {
namespace {

constexpr std::uint32_t kRelocIrelative = 37;
const std::string kProgram = "/t/m";

/// /t/m, which needs libw.so and libv.so and refers to who.
Scenario with_two(const char* number, const char* title, ElfSpec libw, ElfSpec libv,
                  Symbol reference = undefined("who")) {
  Scenario scenario = musl_scenario(number, title);
  ElfSpec main = musl_program_needing({"libw.so", "libv.so", "libc.so"});
  if (!reference.version.empty()) main.version_needs = {{"libw.so", {{reference.version}}}};
  scenario.exe(main.call(std::move(reference)), kProgram);
  return scenario.lib("/lib/libw.so", std::move(libw)).lib("/lib/libv.so", std::move(libv));
}

Scenario with_libw(const char* number, const char* title, ElfSpec libw, ElfSpec main = musl_program()) {
  Scenario scenario = musl_scenario(number, title);
  return scenario.exe(std::move(main), kProgram).lib("/lib/libw.so", std::move(libw));
}

Scenario& lacks(Scenario& scenario, const std::string& symbol, const std::string& file = kProgram) {
  return scenario.says("Error relocating " + file + ": " + symbol + ": symbol not found").ends("exit 127");
}

/// libw.so with its versions V1 and V2.
ElfSpec with_versions() {
  ElfSpec spec = library();
  spec.version_definitions = {{"libw.so"}, {"V1"}, {"V2"}};
  return spec;
}

void add_lookups(std::vector<Scenario>& list) {
  list.push_back(with_two("81", "weak is as good as strong", library().define(weak(defined("who"))), who()));
  takes_who(list.back(), "/lib/libw.so");
  for (const bool is_tag : {true, false}) {
    ElfSpec libw = library().refer(defined("who"));
    libw.symbolic = is_tag;
    if (!is_tag) libw.flags = 2;
    list.push_back(with_libw("82", "DT_SYMBOLIC says nothing", libw,
                             musl_program_needing({"libw.so", "libc.so"}).define(defined("who")))
                       .binds("/lib/libw.so who - /t/m")
                       .starts());
  }
  list.push_back(with_two("83", "a request for a hidden version takes the default one",
                          with_versions().define(defined_hidden("who", "V1")).define(defined("who", "V2")), who(),
                          undefined("who", "V1")));
  takes_who(list.back(), "/lib/libw.so");
  const ElfSpec hidden = with_versions().define(defined_hidden("who", "V1"));
  list.push_back(with_two("84a", "nothing but a hidden version", hidden, library(), undefined("who", "V1")));
  lacks(list.back(), "who");
  list.push_back(with_two("84b", "a later library", hidden, who(), undefined("who", "V1")));
  takes_who(list.back(), "/lib/libv.so");
  list.push_back(with_two("85", "a version of a file that has none", who(), library(), undefined("who", "V1")));
  takes_who(list.back(), "/lib/libw.so");
  list.push_back(with_libw("86", "one's own symbol of a hidden version",
                           with_versions().define(defined("who")).refer(defined_hidden("gg", "V1"))));
  lacks(list.back(), "gg", "/lib/libw.so");
  list.push_back(with_libw("87a", "nothing but an IFUNC", library().define(with(defined("who"), SymbolType::Ifunc))));
  lacks(list.back(), "who");
  for (const bool is_program : {false, true}) {
    ElfSpec libw = who();
    ElfSpec main = musl_program();
    (is_program ? main : libw).relocations.push_back({kRelocIrelative, "", Relocation::Table::Rela});
    list.push_back(with_libw("87b", "IRELATIVE", libw, main)
                       .says(std::string("Error relocating ") + (is_program ? kProgram : "/lib/libw.so") +
                             ": unsupported relocation type 37")
                       .ends("exit 127"));
  }
  Symbol zero = with(defined("who"), SymbolType::NoType);
  zero.place = SymbolPlace::Absolute;
  zero.value = 0;
  list.push_back(with_libw("88", "an absolute symbol at 0", library().define(zero)));
  lacks(list.back(), "who");
}

void add_weak_and_tls(std::vector<Scenario>& list) {
  list.push_back(with_libw("89a", "undefined and weak", who().call(weak(undefined("f"))).refer(weak(undefined("d")))));
  takes_who(list.back(), "/lib/libw.so").binds_not("/lib/libw.so f").binds_not("/lib/libw.so d");
  list.push_back(with_libw("89b", "undefined and weak in thread-local storage",
                           who().refer(weak(with(undefined("t"), SymbolType::Tls)), kRelocTpOff64))
                     .ends("signal"));
  for (const HashTables tables : {HashTables::None, HashTables::Sysv, HashTables::Gnu}) {
    ElfSpec libw = who();
    libw.hash = tables;
    list.push_back(with_libw("90", "one hash table is enough", libw));
    if (tables == HashTables::None) list.back().ends("signal");
    if (tables != HashTables::None) takes_who(list.back(), "/lib/libw.so");
  }
  ElfSpec bare = musl_program_needing({});
  bare.hash = HashTables::None;
  Scenario& tableless = list.emplace_back(musl_scenario("90b", "a program without one is listed, and does not start"));
  tableless.exe(bare, kProgram).traces(std::string(kLdso)).ends("signal");
  const ElfSpec refers_tls =
      musl_program_needing({"libw.so", "libc.so"}).refer(with(undefined("tv"), SymbolType::Tls), kRelocTpOff64);
  list.push_back(
      with_libw("91a", "a plain object for a thread-local one", library().define(data(defined("tv"))), refers_tls)
          .starts());
  list.push_back(with_libw("91b", "none at all", library(), refers_tls));
  lacks(list.back(), "tv");
  const auto refers = [](const Symbol& symbol, std::uint32_t type) {
    return musl_program_needing({"libw.so", "libc.so"}).refer(symbol, type);
  };
  const Symbol variable = with(undefined("tv"), SymbolType::Tls);
  const ElfSpec with_plain = library().define(data(defined("tv")));
  const ElfSpec with_variable = library().define(with(defined("tv"), SymbolType::Tls));
  list.push_back(with_libw("91c", "its module", with_plain, refers(variable, kRelocDtpMod64)).starts());
  for (const std::uint32_t type : {kReloc64, kRelocGlobDat}) {
    list.push_back(
        with_libw("91d", "a thread-local object for a plain one", with_variable, refers(data(undefined("tv")), type))
            .starts());
  }
  const auto copies = [](std::uint64_t bytes) {
    return musl_program_needing({"libw.so", "libc.so"}).refer(data(defined("cv"), bytes), kRelocCopy);
  };
  list.push_back(with_libw("92a", "a copy of nothing", library(), copies(8)));
  lacks(list.back(), "cv");
  list.push_back(
      with_libw("92b", "a copy of another size", library().define(data(defined("cv"), 64)), copies(8)).starts());
  ElfSpec relr = who();
  relr.relr_words = 3;
  list.push_back(with_libw("93", "DT_RELR, which older releases pass over", relr));
  takes_who(list.back(), "/lib/libw.so");
}

/// A file whose one segment is not writable.
ElfSpec read_only(ElfSpec spec, bool is_tagged) {
  // The program headers behind the ELF header: PT_PHDR and PT_INTERP stand first in a program.
  const std::uint64_t load = 64 + 56 * (spec.interp ? 2u : 0u);
  spec.patch(load + 4, std::string("\x05\0\0\0", 4));
  spec.has_textrel = is_tagged;
  return spec;
}

void add_text_relocations(std::vector<Scenario>& list) {
  const ElfSpec libw = who().refer(defined("own"));
  list.push_back(with_libw("94a", "DT_TEXTREL", read_only(libw, true)));
  takes_who(list.back(), "/lib/libw.so");
  list.push_back(with_libw("94b", "without it", read_only(libw, false)).ends("signal"));
  ElfSpec flagged = read_only(libw, false);
  flagged.flags = 4;  // DF_TEXTREL
  list.push_back(with_libw("94c", "DF_TEXTREL alone", flagged).ends("signal"));
  list.push_back(
      with_libw("94d", "DT_TEXTREL in a program that the kernel maps", who(), read_only(musl_program(), true))
          .ends("signal"));
  Scenario& by_command =
      list.emplace_back(with_libw("94e", "or the loader's command", who(), read_only(musl_program(), true)));
  by_command.tree.launch = Launch::Argument;
  by_command.starts();
}

void add_libc(std::vector<Scenario>& list) {
  Scenario& without = list.emplace_back(musl_scenario("95", "nobody needs libc"));
  without.exe(musl_program_needing({"libnl.so"}).call(undefined("__libc_start_main")), kProgram);
  without.lib("/t/a/libnl.so", library().call(undefined("puts"))).library_path("/t/a");
  lacks(lacks(without, "puts", "/t/a/libnl.so"), "__libc_start_main");
  Scenario& alone = list.emplace_back(musl_scenario("96a", "a library without libc, alone"));
  alone.lib("/t/libput.so", library().call(undefined("puts"))).start("/t/libput.so");
  alone.tree.launch = Launch::Argument;
  lacks(alone, "puts", "/t/libput.so").dies_tracing("Error relocating /t/libput.so: puts: symbol not found");
  list.push_back(with_libw("96b", "the same in a program that has it", who().call(undefined("puts")))
                     .binds("/lib/libw.so puts - " + std::string(kLdso))
                     .starts());
  for (const bool is_libc_first : {true, false}) {
    Scenario& order = list.emplace_back(musl_scenario("97", "libc stands where it is needed first"));
    order.exe((is_libc_first ? musl_program_needing({"libc.so", "libput.so"})
                             : musl_program_needing({"libput.so", "libc.so"}))
                  .call(undefined("puts")),
              kProgram);
    order.lib("/lib/libput.so", library().define(defined("puts")));
    order.binds("/t/m puts - " + (is_libc_first ? std::string(kLdso) : std::string("/lib/libput.so"))).starts();
  }
  const auto large_file = [&](const char* name) -> Scenario& {
    list.push_back(with_libw("98", name, who(), musl_program().call(undefined(name))));
    return list.back();
  };
  for (const char* const name : {"open64", "fopen64"})
    large_file(name).binds("/t/m " + std::string(name) + " - " + std::string(kLdso), until(3)).starts();
  large_file("posix_fallocate64").starts(until(3)).says("posix_fallocate64: symbol not found", {4, 5}).starts(since(6));
  lacks(large_file("fcntl64"), "fcntl64");
}

void add_messages(std::vector<Scenario>& list) {
  const auto missing = [](const std::string& name, const std::string& needer) {
    return "Error loading shared library " + name + ": No such file or directory (needed by " + needer + ")";
  };
  Scenario& thrice = list.emplace_back(musl_scenario("99", "a library that three lack is told thrice"));
  thrice.exe(musl_program_needing({"libm2.so", "libm1.so", "libmiss.so", "libc.so"}), kProgram);
  for (const char* const name : {"/lib/libm2.so", "/lib/libm1.so"}) {
    thrice.lib(name, library_needing({"libmiss.so"})).says(missing("libmiss.so", name));
  }
  thrice.says(missing("libmiss.so", kProgram)).ends("exit 127");
  Scenario& all = list.emplace_back(musl_scenario("100", "libraries first, the program's symbols last"));
  all.exe(musl_program_needing({"libmiss1.so", "libE1.so", "libc.so"}).call(undefined("ma")).call(undefined("mb")),
          kProgram);
  all.lib(
      "/lib/libE1.so",
      library_needing({"libmiss2.so"}).call(undefined("e1a")).call(undefined("e1b")).refer(undefined("e1v"), kReloc64));
  all.says(missing("libmiss1.so", kProgram)).says(missing("libmiss2.so", "/lib/libE1.so"));
  for (const char* const name : {"e1a", "e1b", "e1v"}) lacks(all, name, "/lib/libE1.so");
  lacks(lacks(all, "ma"), "mb");
}

}  // namespace

std::vector<Scenario> musl_symbols() {
  std::vector<Scenario> list;
  add_lookups(list);
  add_weak_and_tls(list);
  add_text_relocations(list);
  add_libc(list);
  add_messages(list);
  return list;
}

std::vector<Scenario> musl_foreign(const MuslFiles& files) {
  std::vector<Scenario> list;
  const auto glibcs = [](std::initializer_list<const char*> names) {
    ElfSpec spec = program_needing(names);
    spec.has_debug = true;
    spec.version_needs = {{"libc.so.6", {{"GLIBC_2.2.5"}, {"GLIBC_2.34"}}}};
    return spec.call(undefined("__libc_start_main", "GLIBC_2.34")).call(undefined("puts", "GLIBC_2.2.5"));
  };
  const std::string loader(kInterp);
  Scenario& plain = list.emplace_back(musl_scenario("113", "a program of glibc whose PT_INTERP leads to musl"));
  plain.exe(glibcs({"libc.so.6"}), "/t/gl").binds("/t/gl puts - " + loader).starts();
  Scenario& fortified = list.emplace_back(musl_scenario("114", "one that is fortified"));
  fortified.exe(glibcs({"libc.so.6"})
                    .call(undefined("__strcpy_chk", "GLIBC_2.2.5"))
                    .call(undefined("__printf_chk", "GLIBC_2.2.5")),
                "/t/gl");
  lacks(lacks(fortified, "__strcpy_chk", "/t/gl"), "__printf_chk", "/t/gl").traces(loader);
  fortified.traces("libc.so.6 => " + loader);
  Scenario& linked = list.emplace_back(musl_scenario("115", "names of glibc that lead to musl"));
  linked.exe(musl_program_needing({"ld-linux-x86-64.so.2", "libresolv.so.2"}), kProgram);
  for (const char* const name : {"/lib/ld-linux-x86-64.so.2", "/lib/libresolv.so.2"})
    linked.node(symlink_to(name, std::string(kLdso)));
  linked.order("libc.so").traces("libc.so => " + std::string(kLdso)).starts();
  if (files.glibc_loader.empty()) return list;
  Scenario& real = list.emplace_back(musl_scenario("116", "glibc's own loader as a library"));
  real.exe(musl_program_needing({"ld-linux-x86-64.so.2", "libc.so"}), kProgram);
  real.node(text_file("/lib/ld-linux-x86-64.so.2", files.glibc_loader));
  real.traces("ld-linux-x86-64.so.2 => /lib/ld-linux-x86-64.so.2");
  real.says("Error relocating /lib/ld-linux-x86-64.so.2: unsupported relocation type 37").ends("exit 127");
  return list;
}

}  // namespace soresolve::test
