// Path lists as the search uses them: separators, the current directory, tokens, AT_SECURE.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loader/load.h"
#include "loader/process.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

/// A program that needs libx.so, with one copy of it at `path`.
MemorySystem needing_x(const std::string& path, int minor = 36) {
  MemorySystem system(minor);
  system.process.cwd = "/here";
  system.files().add_directory("/here");
  system.program(program_needing({"libx.so"})).elf(path, library());
  return system;
}

Names directories_searched(MemorySystem& system) {
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return listing(*map);
}

}  // namespace

TEST_CASE("LD_LIBRARY_PATH: separators, empty elements, what is shown") {
  struct Case {
    std::string why;
    std::string value;
    std::string path;
    Names want;
  };
  const Case cases[] = {
      {"a semicolon separates", "/no;/D", "/D/libx.so", {"libx.so => /D/libx.so"}},
      {"a colon alone is the current directory", ":", "/here/libx.so", {"libx.so"}},
      {"a trailing colon", "/no:", "/here/libx.so", {"libx.so"}},
      {"a leading colon", ":/D", "/here/libx.so", {"libx.so"}},
      {"an empty value is none", "", "/here/libx.so", {"libx.so => not found"}},
      {"trailing slashes", "./D///", "/here/D/libx.so", {"libx.so => ./D/libx.so"}},
      {"`..` and doubled slashes stay", "/D/..//./D", "/D/libx.so", {"libx.so => /D/..//./D/libx.so"}},
      {"a variable is a name", "$HOME", "/here/$HOME/libx.so", {"libx.so => $HOME/libx.so"}},
      {"a tilde, too", "~", "/here/~/libx.so", {"libx.so => ~/libx.so"}},
      {"$ORIGIN is the program's", "$ORIGIN/lib", "/app/lib/libx.so", {"libx.so => /app/lib/libx.so"}},
      {"$LIB", "/d/$LIB", "/d/lib64/libx.so", {"libx.so => /d/lib64/libx.so"}},
      {"$PLATFORM", "/${PLATFORM}", "/x86_64/libx.so", {"libx.so => /x86_64/libx.so"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = needing_x(c.path);
    system.env("LD_LIBRARY_PATH=" + c.value);
    CHECK(directories_searched(system) == c.want);
  }
}

TEST_CASE("of two LD_LIBRARY_PATH the last one counts") {
  MemorySystem system = needing_x("/A/libx.so");
  system.elf("/B/libx.so", library()).env("LD_LIBRARY_PATH=/A").env("LD_LIBRARY_PATH=/B");
  CHECK(directories_searched(system) == Names{"libx.so => /B/libx.so"});
}

TEST_CASE("RPATH: a semicolon is literal, an empty element the current directory") {
  struct Case {
    std::string why;
    std::string value;
    std::string path;
    Names want;
  };
  const Case cases[] = {
      {"a semicolon", "/no;/D", "/D/libx.so", {"libx.so => not found"}},
      {"a directory with one", "/no;/D", "/no;/D/libx.so", {"libx.so => /no;/D/libx.so"}},
      {"leading", ":/no", "/here/libx.so", {"libx.so"}},
      {"trailing", "/no:", "/here/libx.so", {"libx.so"}},
      {"doubled", "/a::/b", "/here/libx.so", {"libx.so"}},
      {"relative to the current directory, not to the program", "lib", "/here/lib/libx.so", {"libx.so => lib/libx.so"}},
      {"not to the program", "lib", "/app/lib/libx.so", {"libx.so => not found"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    for (const StringTag tag : {StringTag::Rpath, StringTag::Runpath}) {
      MemorySystem system = needing_x(c.path);
      system.program(program_needing({"libx.so"}).add(tag, c.value));
      CHECK(directories_searched(system) == c.want);
    }
  }
}

TEST_CASE("up to 2.26 the current directory shows as `./`") {
  MemorySystem old = needing_x("/here/libx.so", 26);
  old.env("LD_LIBRARY_PATH=:");
  CHECK(directories_searched(old) == Names{"libx.so => ./libx.so"});
  MemorySystem later = needing_x("/here/libx.so", 27);
  later.env("LD_LIBRARY_PATH=:");
  CHECK(directories_searched(later) == Names{"libx.so"});
}

TEST_CASE("$ORIGIN of a library is the directory of its path as found, links and all") {
  MemorySystem system;
  system.process.cwd = "/here";
  system.program(program_needing({"liba.so", "libb.so", "libc1.so"}).runpath("/lnk:/app/../q:rel"));
  const ElfSpec needs_x = library_needing({"libx.so"}).runpath("$ORIGIN/lib");
  system.elf("/real/liba.so", needs_x);
  system.files().add_symlink("/lnk/liba.so", "../real/liba.so");
  system.elf("/lnk/lib/libx.so", library()).elf("/real/lib/libx.so", library());
  system.elf("/q/libb.so", library_needing({"liby.so"}).runpath("$ORIGIN/lib"));
  system.elf("/q/lib/liby.so", library());
  system.elf("/here/rel/libc1.so", library_needing({"libz.so"}).runpath("$ORIGIN/lib"));
  system.elf("/here/rel/lib/libz.so", library());
  CHECK(directories_searched(system) == Names{"liba.so => /lnk/liba.so", "libb.so => /app/../q/libb.so",
                                              "libc1.so => rel/libc1.so", "libx.so => /lnk/lib/libx.so",
                                              "liby.so => /app/../q/lib/liby.so", "libz.so => /here/rel/lib/libz.so"});
}

TEST_CASE("$ORIGIN of the program: the kernel resolves links, ld.so up to 2.41 does not") {
  struct Case {
    std::string why;
    Start start;
    int minor;
    std::string want;
  };
  const Case cases[] = {
      {"the kernel, 2.36", Start::Kernel, 36, "/real/lib/libx.so"},
      {"the kernel, 2.42", Start::Kernel, 42, "/real/lib/libx.so"},
      {"`ld.so PROG`, 2.36", Start::Argument, 36, "/lnk/lib/libx.so"},
      {"`ld.so PROG`, 2.41", Start::Argument, 41, "/lnk/lib/libx.so"},
      {"`ld.so PROG`, 2.42", Start::Argument, 42, "/real/lib/libx.so"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system(c.minor);
    system.process.start = c.start;
    system.elf("/real/prog", program_needing({"libx.so"}).runpath("$ORIGIN/lib"));
    system.files().add_symlink("/lnk/prog", "../real/prog");
    system.elf("/real/lib/libx.so", library()).elf("/lnk/lib/libx.so", library());
    const Result<LinkMap> map = system.load("/lnk/prog");
    REQUIRE(map.has_value());
    CHECK(listing(*map) == Names{"libx.so => " + c.want});
  }
}

TEST_CASE("without /proc $ORIGIN is LD_ORIGIN_PATH, or its element is dropped") {
  struct Case {
    std::string why;
    bool has_proc;
    std::string origin;
    std::string want;
  };
  const Case cases[] = {
      {"with /proc", true, "", "/app/libx.so"},
      {"with /proc the variable is nothing", true, "LD_ORIGIN_PATH=/O", "/app/libx.so"},
      {"without either", false, "", "/D/libx.so"},
      {"the variable", false, "LD_ORIGIN_PATH=/O", "/O/libx.so"},
      {"its trailing slashes", false, "LD_ORIGIN_PATH=/O//", "/O/libx.so"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = needing_x("/D/libx.so");
    system.elf("/O/libx.so", library()).elf("/app/libx.so", library());
    system.program(program_needing({"libx.so"}).runpath("$ORIGIN:/D"));
    system.process.has_proc = c.has_proc;
    if (!c.origin.empty()) system.env(c.origin);
    CHECK(directories_searched(system) == Names{"libx.so => " + c.want});
  }
}

TEST_CASE("a token in DT_NEEDED makes a path; what is no token stays as it is") {
  struct Case {
    std::string why;
    std::string name;
    std::string path;
    Names want;
  };
  const Case cases[] = {
      {"$ORIGIN", "$ORIGIN/sub/libw.so", "/app/sub/libw.so", {"/app/sub/libw.so"}},
      {"$LIB inside a name", "lib$LIB.so", "/lib64/liblib64.so", {"liblib64.so => /lib64/liblib64.so"}},
      {"an unknown token", "lib$FOO.so", "/lib64/lib$FOO.so", {"lib$FOO.so => /lib64/lib$FOO.so"}},
      {"a longer name", "$LIB64x.so", "/lib64/$LIB64x.so", {"$LIB64x.so => /lib64/$LIB64x.so"}},
      {"a colon is no separator", "a:b.so", "/lib64/a:b.so", {"a:b.so => /lib64/a:b.so"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.program(program_needing({c.name})).elf(c.path, library());
    CHECK(directories_searched(system) == c.want);
  }
}

TEST_CASE("a token without a value: DT_NEEDED and DT_FILTER are skipped, DT_AUXILIARY is fatal") {
  struct Case {
    std::string why;
    StringTag tag;
    Names listing;
    Names messages;
  };
  const Case cases[] = {
      {"DT_NEEDED", StringTag::Needed, {"libx.so => /lib64/libx.so"}, {}},
      {"DT_FILTER", StringTag::Filter, {"libx.so => /lib64/libx.so"}, {}},
      {"DT_AUXILIARY",
       StringTag::Auxiliary,
       {},
       {"prog: error while loading shared libraries: $ORIGIN/liby.so: "
        "empty dynamic string token substitution"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.process.has_proc = false;
    ElfSpec spec = program();
    spec.add(c.tag, "$ORIGIN/liby.so").needed("libx.so");
    system.program(spec).elf("/lib64/libx.so", library()).elf("/app/liby.so", library());
    const Result<LinkMap> map = system.load();
    REQUIRE(map.has_value());
    CHECK(listing(*map) == c.listing);
    CHECK(messages(*map) == c.messages);
  }
}

TEST_CASE("AT_SECURE: no LD_LIBRARY_PATH, no DST in DT_NEEDED, $ORIGIN only towards trusted places") {
  struct Case {
    std::string why;
    ElfSpec program;
    std::string env;
    Names listing;
    Names messages;
  };
  const Case cases[] = {
      {"LD_LIBRARY_PATH is dropped",
       program_needing({"libx.so"}),
       "LD_LIBRARY_PATH=/D",
       {"libx.so => not found"},
       {"prog: error while loading shared libraries: libx.so: cannot open shared object file: "
        "No such file or directory"}},
      {"a plain RPATH is kept", program_needing({"libx.so"}).rpath("/D"), "", {"libx.so => /D/libx.so"}, {}},
      {"$ORIGIN outside is dropped",
       program_needing({"libx.so"}).rpath("$ORIGIN/../D:/D"),
       "",
       {"libx.so => /D/libx.so"},
       {}},
      {"$ORIGIN to a system directory is kept",
       program_needing({"liby.so"}).rpath("$ORIGIN/../lib64"),
       "",
       {"liby.so => /app/../lib64/liby.so"},
       {}},
      {"DT_NEEDED with a token",
       program_needing({"$ORIGIN/libx.so"}),
       "",
       {},
       {"prog: error while loading shared libraries: $ORIGIN/libx.so: "
        "DST not allowed in SUID/SGID programs"}},
      {"without one", program_needing({"$ORIGINX"}).rpath("/D"), "", {"$ORIGINX => /D/$ORIGINX"}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.process.secure = true;
    system.program(c.program)
        .elf("/D/libx.so", library())
        .elf("/lib64/liby.so", library())
        .elf("/D/$ORIGINX", library());
    if (!c.env.empty()) system.env(c.env);
    const Result<LinkMap> map = system.load();
    REQUIRE(map.has_value());
    CHECK(listing(*map) == c.listing);
    CHECK(messages(*map) == c.messages);
  }
}
