// Scenarios 1 … 26: the order of the stages, and the syntax of path lists.
#include "differential/scenarios.h"

namespace soresolve::test {

std::vector<Scenario> order_of_stages() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };

  add("1", "RPATH is inherited by the dependencies of a library")
      .exe(program_needing({"liba.so"}).rpath("/D"))
      .lib("/D/liba.so", library_needing({"libb.so"}))
      .lib("/D/libb.so")
      .traces("libb.so => /D/libb.so")
      .starts();
  add("2", "RUNPATH is not inherited")
      .exe(program_needing({"liba.so"}).runpath("/D"))
      .lib("/D/liba.so", library_needing({"libb.so"}))
      .lib("/D/libb.so")
      .traces("liba.so => /D/liba.so")
      .missing("libb.so")
      .ends("exit 127");
  add("3", "a RUNPATH of the needer disables the RPATH chain")
      .exe(program_needing({"liba.so"}).rpath("/D"))
      .lib("/D/liba.so", library_needing({"libb.so"}).runpath("/none"))
      .lib("/D/libb.so")
      .missing("libb.so");
  add("3b", "an empty RUNPATH disables it, too")
      .exe(program_needing({"liba.so"}).rpath("/D"))
      .lib("/D/liba.so", library_needing({"libb.so"}).runpath(""))
      .lib("/D/libb.so")
      .missing("libb.so");
  add("4", "the chain goes on past an ancestor with RUNPATH")
      .exe(program_needing({"liba.so"}).rpath("/D"))
      .lib("/D/liba.so", library_needing({"libm.so"}).runpath("/E"))
      .lib("/E/libm.so", library_needing({"libb.so"}))
      .lib("/D/libb.so")
      .traces("libb.so => /D/libb.so")
      .starts();
  add("5", "with both tags in the program only RUNPATH counts")
      .exe(program_needing({"liba.so", "libb.so"}).rpath("/R").runpath("/U"))
      .lib("/R/liba.so")
      .lib("/R/libb.so")
      .lib("/U/liba.so")
      .traces("liba.so => /U/liba.so")
      .missing("libb.so");
  add("6", "RPATH of a library that has RUNPATH is not in the chain of its children")
      .exe(program_needing({"liba.so"}).rpath("/D"))
      .lib("/D/liba.so", library_needing({"libc1.so"}).rpath("/R").runpath("/U"))
      .lib("/U/libc1.so", library_needing({"libd.so"}))
      .lib("/R/libd.so")
      .missing("libd.so");
  for (const bool a_first : {true, false}) {
    Scenario& diamond = add(a_first ? "7a" : "7b", "diamond: the chain is that of the first loader");
    diamond
        .exe((a_first ? program_needing({"liba.so", "libb.so"}) : program_needing({"libb.so", "liba.so"})).rpath("/P0"))
        .lib("/P0/liba.so", library_needing({"libc1.so"}).rpath("/P1"))
        .lib("/P0/libb.so", library_needing({"libc1.so"}).rpath("/P1:/P2"))
        .lib("/P1/libc1.so", library_needing({"libd.so"}))
        .lib("/P2/libd.so");
    if (a_first)
      diamond.missing("libd.so");
    else
      diamond.traces("libd.so => /P2/libd.so").starts();
  }
  add("8", "RPATH comes before LD_LIBRARY_PATH")
      .exe(program_needing({"libx.so"}).rpath("/X1"))
      .library_path("/X2")
      .lib("/X1/libx.so")
      .lib("/X2/libx.so")
      .traces("libx.so => /X1/libx.so");
  add("9", "LD_LIBRARY_PATH comes before RUNPATH")
      .exe(program_needing({"libx.so"}).runpath("/X1"))
      .library_path("/X2")
      .lib("/X1/libx.so")
      .lib("/X2/libx.so")
      .traces("libx.so => /X2/libx.so");
  add("10", "RUNPATH comes before the cache")
      .exe(program_needing({"libx.so"}).runpath("/X1"))
      .cached("libx.so", "/opt/libx.so")
      .lib("/X1/libx.so")
      .lib("/opt/libx.so")
      .traces("libx.so => /X1/libx.so");
  add("11", "the cache comes before the default directories")
      .exe(program_needing({"libx.so"}))
      .cached("libx.so", "/opt/libx.so")
      .lib("/opt/libx.so")
      .lib("/usr/lib/libx.so")
      .traces("libx.so => /opt/libx.so");

  ElfSpec strict = program_needing({"libx.so"});
  strict.flags_1 = *strict.flags_1 | kDf1NoDefLib;
  add("13a", "-z nodefaultlib: a cache entry below a default directory is dropped, without errno")
      .exe(strict)
      .cached("libx.so", "/usr/lib/sub/libx.so")
      .lib("/usr/lib/sub/libx.so")
      .missing("libx.so")
      .says("libx.so: cannot open shared object file");
  add("13b", "-z nodefaultlib: a cache entry elsewhere is used")
      .exe(strict)
      .cached("libx.so", "/opt/libx.so")
      .lib("/opt/libx.so")
      .traces("libx.so => /opt/libx.so")
      .starts();
  add("13c", "-z nodefaultlib: the default directories are not searched")
      .exe(strict)
      .lib("/usr/lib/libx.so")
      .missing("libx.so");
  ElfSpec strict_top = program_needing({"liba.so"}).rpath("/D");
  strict_top.flags_1 = *strict_top.flags_1 | kDf1NoDefLib;
  add("14", "-z nodefaultlib is a property of the needer")
      .exe(strict_top)
      .lib("/D/liba.so", library_needing({"libx.so"}))
      .lib("/usr/lib/libx.so")
      .traces("libx.so => /lib/libx.so")
      .starts();
  return list;
}

std::vector<Scenario> path_list_syntax() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  const ElfSpec needs_x = program_needing({"libx.so"});

  add("18a", "LD_LIBRARY_PATH: `;` separates")
      .exe(needs_x)
      .library_path("/no;/D")
      .lib("/D/libx.so")
      .traces("libx.so => /D/libx.so");
  add("18b", "RPATH: `;` does not separate").exe(ElfSpec(needs_x).rpath("/no;/D")).lib("/D/libx.so").missing("libx.so");
  for (const char* const value : {":", "/no:", ":/D", "/no::/D"}) {
    add("19", "an empty element of LD_LIBRARY_PATH is the current directory")
        .exe(needs_x)
        .cwd("/here")
        .library_path(value)
        .lib("/here/libx.so")
        .lib("/D/libx.so")
        .traces("libx.so")
        .omits("libx.so =>")
        .starts();
  }
  add("20", "an empty LD_LIBRARY_PATH is none")
      .exe(needs_x)
      .cwd("/here")
      .library_path("")
      .lib("/here/libx.so")
      .missing("libx.so");
  for (const char* const value : {":/no", "/no:", "/a::/b"}) {
    add("21", "an empty element of RPATH is the current directory")
        .exe(ElfSpec(needs_x).rpath(value))
        .cwd("/here")
        .lib("/here/libx.so")
        .traces("libx.so")
        .starts();
  }
  add("22", "trailing slashes are dropped, nothing else is")
      .exe(needs_x)
      .cwd("/here")
      .library_path("./D///")
      .lib("/here/D/libx.so")
      .traces("libx.so => ./D/libx.so");
  add("22b", "`..` and doubled slashes stay")
      .exe(needs_x)
      .library_path("/D/..//./D")
      .lib("/D/libx.so")
      .traces("libx.so => /D/..//./D/libx.so");
  add("23", "the last LD_LIBRARY_PATH wins")
      .exe(needs_x)
      .library_path("/A")
      .library_path("/B")
      .lib("/A/libx.so")
      .lib("/B/libx.so")
      .traces("libx.so => /B/libx.so");
  add("24", "`/` is lost after its first miss up to 2.37")
      .exe(program_needing({"liba.so", "libx.so"}))
      .library_path("/")
      .lib("/usr/lib/liba.so")
      .lib("/libx.so")
      .missing("libx.so", until(37))
      .traces("libx.so => /libx.so", since(38));
  add("25a", "an absolute element that is a file is skipped")
      .exe(needs_x)
      .library_path("/file:/D")
      .node(text_file("/file", "x"))
      .lib("/D/libx.so")
      .traces("libx.so => /D/libx.so");
  add("25b", "a relative element that is a file ends the list up to 2.38")
      .exe(needs_x)
      .cwd("/here")
      .library_path("file:/D")
      .node(text_file("/here/file", "x"))
      .lib("/D/libx.so")
      .missing("libx.so", until(38))
      .traces("libx.so => /D/libx.so", since(39));
  add("26", "nothing else is expanded")
      .exe(needs_x)
      .library_path("$HOME")
      .env("HOME=/D")
      .cwd("/here")
      .lib("/D/libx.so")
      .lib("/here/$HOME/libx.so")
      .traces("libx.so => $HOME/libx.so");
  return list;
}

}  // namespace soresolve::test
