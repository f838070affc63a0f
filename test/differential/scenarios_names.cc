// Scenarios 50 … 65: what counts as loaded already, and dynamic string tokens.
#include "differential/scenarios.h"

namespace soresolve::test {

std::vector<Scenario> already_loaded() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  add("50", "the SONAME of a loaded file satisfies a later request")
      .exe(program_needing({"libx.so", "liba.so"}).rpath("/D"))
      .lib("/D/libx.so", library().soname("libx.so.1"))
      .lib("/D/liba.so", library_needing({"libx.so.1"}).runpath("/E"))
      .lib("/E/libx.so.1", library().soname("libx.so.1"))
      .traces("libx.so => /D/libx.so")
      .omits("/E/libx.so.1")
      .starts();
  add("51", "hard links and symbolic links are one file, a copy is another")
      .exe(program_needing({"liba.so", "libb.so", "libc1.so", "libd.so"}).rpath("/D"))
      .lib("/D/liba.so", library().soname("same.so"))
      .node(hard_link_to("/D/libb.so", "/D/liba.so"))
      .node(symlink_to("/D/libc1.so", "liba.so"))
      .lib("/D/libd.so", library().soname("same.so"))
      .order("liba.so libd.so")
      .starts();
  add("52", "a preloaded SONAME satisfies a request")
      .exe(program_needing({"libx.so.1"}).rpath("/D"))
      .env("LD_PRELOAD=/P/libmine.so")
      .lib("/P/libmine.so", library().soname("libx.so.1"))
      .lib("/D/libx.so.1")
      .traces("/P/libmine.so")
      .omits("libx.so.1")
      .starts();
  add("53", "the program's own SONAME satisfies a request")
      .exe(program_needing({"libx.so.1"}).rpath("/D").soname("libx.so.1"))
      .lib("/D/libx.so.1")
      .omits("libx.so.1");
  add("54", "the vDSO satisfies its name")
      .exe(program_needing({"linux-vdso.so.1", "libx.so"}).rpath("/D"))
      .lib("/D/libx.so")
      .traces("libx.so => /D/libx.so")
      .omits("not found");
  add("55", "an empty name is the program")
      .exe(program_needing({"", "libx.so"}).rpath("/D"))
      .lib("/D/libx.so")
      .order("libx.so")
      .starts();
  add("56", "a link to ld.so is loaded a second time")
      .exe(program_needing({"libx.so"}).rpath("/D"))
      .node(symlink_to("/D/libx.so", "/lib64/ld-linux-x86-64.so.2"))
      .traces("libx.so => /D/libx.so");
  add("56b", "ld.so by its SONAME and by its path")
      .exe(program_needing({"ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2"}))
      .traces("/lib64/ld-linux-x86-64.so.2")
      .omits("=>");
  add("57", "a file loaded by its path satisfies its SONAME")
      .exe(program_needing({"/D/libx.so", "libx.so"}))
      .lib("/D/libx.so", library().soname("libx.so"))
      .order("/D/libx.so")
      .starts();
  add("2.1a", "a SONAME of an earlier object beats the path of a later one")
      .exe(program_needing({"liba.so", "/D/libb.so", "/D/libb.so"}).rpath("/D"))
      .lib("/D/liba.so", library().soname("/D/libb.so"))
      .lib("/D/libb.so")
      .order("liba.so")
      .starts();
  add("2.1b", "a missing library is searched again for each requester")
      .exe(program_needing({"libx.so", "liba.so"}))
      .library_path("/D")
      .lib("/D/liba.so", library_needing({"libx.so"}).runpath("/E"))
      .lib("/E/libx.so")
      .missing("libx.so")
      .traces("libx.so => /E/libx.so");
  return list;
}

std::vector<Scenario> string_tokens() {
  std::vector<Scenario> list;
  const auto add = [&list](const char* number, const char* title) -> Scenario& {
    return list.emplace_back(number, title);
  };
  const ElfSpec beside = program_needing({"libx.so"}).runpath("$ORIGIN/../lib");

  add("58a", "$ORIGIN of a program started through a link to the file")
      .exe(beside)
      .lib("/app/lib/libx.so")
      .lib("/lnk/lib/libx.so")
      .node(symlink_to("/lnk/bin/prog", "../../app/bin/prog"))
      .start("/lnk/bin/prog")
      .traces("libx.so => /app/bin/../lib/libx.so")
      .starts();
  add("58b", "$ORIGIN of a program started through a link to the directory")
      .exe(beside)
      .lib("/app/lib/libx.so")
      .node(symlink_to("/lnk", "app/bin"))
      .start("/lnk/prog")
      .traces("libx.so => /app/bin/../lib/libx.so")
      .starts();
  add("58c", "$ORIGIN of a program started through a hard link")
      .exe(beside)
      .lib("/app/lib/libx.so")
      .lib("/lnk/lib/libx.so")
      .node(hard_link_to("/lnk/bin/prog", "/app/bin/prog"))
      .start("/lnk/bin/prog")
      .traces("libx.so => /lnk/bin/../lib/libx.so")
      .starts();
  Scenario& by_argument = add("59", "$ORIGIN of `ld.so LINK`");
  by_argument.exe(beside)
      .lib("/app/lib/libx.so")
      .lib("/lnk/lib/libx.so")
      .node(symlink_to("/lnk/bin/prog", "../../app/bin/prog"))
      .start("/lnk/bin/prog")
      .traces("libx.so => /lnk/bin/../lib/libx.so", until(41))
      .traces("libx.so => /app/bin/../lib/libx.so", since(42));
  by_argument.tree.launch = Launch::Argument;
  Scenario& relative = add("59b", "$ORIGIN of `ld.so ./PROG`");
  relative.exe(beside)
      .lib("/app/lib/libx.so")
      .cwd("/app")
      .start("bin/prog")
      .traces("libx.so => /app/bin/../lib/libx.so")
      .starts();
  relative.tree.launch = Launch::Argument;
  add("60", "$ORIGIN of a library found through a link is the link's directory")
      .exe(program_needing({"libl.so"}).runpath("/lnk"))
      .lib("/real/libl.so", library_needing({"libx.so"}).runpath("$ORIGIN"))
      .node(symlink_to("/lnk/libl.so", "../real/libl.so"))
      .lib("/real/libx.so")
      .lib("/lnk/libx.so")
      .traces("libx.so => /lnk/libx.so")
      .starts();
  add("61a", "NEEDED with $ORIGIN")
      .exe(program_needing({"$ORIGIN/sub/libw.so"}))
      .lib("/app/bin/sub/libw.so")
      .traces("/app/bin/sub/libw.so")
      .starts();
  ElfSpec versioned = program_needing({"$ORIGIN/sub/libw.so"});
  versioned.version_needs = {{"$ORIGIN/sub/libw.so", {{"V1", true}}, 1}};
  add("61b", "NEEDED with $ORIGIN and a version: assertion")
      .exe(versioned)
      .lib("/app/bin/sub/libw.so")
      .dies_tracing("Assertion `needed != NULL' failed!")
      .ends("exit 127");
  for (const char* const name : {"$ORIGINX/l", "${ORIGIN/l", "$LIB64/l", "lib$FOO.so"})
    add("62a", "what is no token stays as it is").exe(program_needing({name})).missing(name);
  add("62b", "NEEDED lib$LIB.so becomes a path")
      .exe(program_needing({"lib$LIB.so"}))
      .missing("liblib/x86_64-linux-gnu.so");
  add("63", "LD_LIBRARY_PATH with tokens is the program's")
      .exe(program_needing({"liba.so"}))
      .library_path("$ORIGIN/../$LIB:/app/$PLATFORM")
      .lib("/app/lib/x86_64-linux-gnu/liba.so", library_needing({"libx.so"}))
      .lib("/app/lib/x86_64-linux-gnu/libx.so")
      .traces("libx.so => /app/bin/../lib/x86_64-linux-gnu/libx.so")
      .starts();

  Scenario& dropped = add("64a", "without /proc an $ORIGIN element is dropped");
  dropped.exe(program_needing({"libx.so"}).runpath("$ORIGIN:/D"))
      .lib("/app/bin/libx.so")
      .lib("/D/libx.so")
      .traces("libx.so => /D/libx.so");
  dropped.tree.proc = Proc::Absent;
  Scenario& given = add("64b", "without /proc LD_ORIGIN_PATH is used");
  given.exe(program_needing({"libx.so"}).runpath("$ORIGIN:/D"))
      .env("LD_ORIGIN_PATH=/O//")
      .lib("/O/libx.so")
      .lib("/D/libx.so")
      .traces("libx.so => /O/libx.so");
  given.tree.proc = Proc::Absent;
  Scenario& silent = add("64c", "without /proc NEEDED with $ORIGIN is skipped silently");
  silent.exe(program_needing({"$ORIGIN/libx.so", "liby.so"}).runpath("/D")).lib("/D/liby.so").order("liby.so").starts();
  silent.tree.proc = Proc::Absent;
  add("64d", "with /proc LD_ORIGIN_PATH is not used")
      .exe(program_needing({"libx.so"}).runpath("$ORIGIN"))
      .env("LD_ORIGIN_PATH=/O")
      .lib("/O/libx.so")
      .lib("/app/bin/libx.so")
      .traces("libx.so => /app/bin/libx.so");

  const auto secure = [&add](const char* number, const char* title, ElfSpec spec, std::string path) -> Scenario& {
    Scenario& scenario = add(number, title);
    TreeNode node = elf_file(path, std::move(spec));
    node.mode = 04755;
    scenario.node(std::move(node)).start(std::move(path));
    scenario.tree.user = kOtherUser;
    scenario.tree.is_secure = true;
    return scenario;
  };
  secure("65a", "set-uid: $ORIGIN outside the default directories is dropped", beside, "/app/bin/prog")
      .lib("/app/lib/libx.so")
      .ends("exit 127");
  secure("65b", "set-uid: $ORIGIN inside them is kept", program_needing({"libx.so"}).rpath("$ORIGIN/../lib"),
         "/usr/lib/sub/prog")
      .lib("/usr/lib/lib/libx.so")
      .starts();
  secure("65c", "set-uid: an absolute RPATH is kept", program_needing({"libx.so"}).rpath("/D"), "/app/bin/prog")
      .lib("/D/libx.so")
      .starts();
  secure("65d", "set-uid: LD_LIBRARY_PATH is ignored", program_needing({"libx.so"}), "/app/bin/prog")
      .library_path("/D")
      .lib("/D/libx.so")
      .ends("exit 127");
  secure("65e", "set-uid: a token in NEEDED is fatal", program_needing({"$ORIGIN/libx.so"}), "/app/bin/prog")
      .lib("/app/bin/libx.so")
      .says("$ORIGIN/libx.so: DST not allowed in SUID/SGID programs");
  secure("65f", "set-uid: a preload with a slash is dropped", program_needing({"libx.so"}).rpath("/D"), "/app/bin/prog")
      .env("LD_PRELOAD=/D/libp.so libq.so")
      .lib("/D/libx.so")
      .bad("/D/libp.so", Damage::Empty)
      .lib("/D/libq.so")
      .says("object 'libq.so' from LD_PRELOAD cannot be preloaded")
      .starts();
  return list;
}

}  // namespace soresolve::test
