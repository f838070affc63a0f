// Is it loaded already? By path, requested name or SONAME, then by device and inode
// (glibc elf/dl-load.c:_dl_map_object, _dl_map_object_from_fd).
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "loader/load.h"
#include "support/borrowed.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

LinkMap loaded(MemorySystem& system) {
  Result<LinkMap> map = system.load(kProgram, {.attempts = Attempts::Record});
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return std::move(*map);
}

/// How the `need`th request of an object was satisfied, and by what.
std::string how(const LinkMap& map, std::string_view needer, std::size_t need) {
  for (const LoadedObject& object : map.objects) {
    if (object.path != needer) continue;
    const Need& request = object.needs[need];
    return std::string(name_of(request.resolution)) + ": " +
           (request.target == kNoObject ? "(none)" : std::string(map.objects[request.target].path));
  }
  return "(no such needer)";
}

}  // namespace

TEST_CASE("a SONAME that is loaded satisfies a request, whatever the requester's own lists say") {
  MemorySystem system;
  system.program(program_needing({"libx.so", "liba.so"}).runpath("/D"));
  system.elf("/D/libx.so", library().soname("libx.so.1"));
  system.elf("/D/liba.so", library_needing({"libx.so.1"}).runpath("/E"));
  system.elf("/E/libx.so.1", library().soname("libx.so.1"));
  const LinkMap map = loaded(system);
  CHECK(listing(map) == Names{"libx.so => /D/libx.so", "liba.so => /D/liba.so"});
  CHECK(how(map, "/D/liba.so", 0) == "already loaded, same SONAME: /D/libx.so");
}

TEST_CASE("only what is loaded so far counts: breadth first") {
  MemorySystem system;
  system.program(program_needing({"liba.so", "libx.so"}).runpath("/D"));
  system.elf("/D/liba.so", library_needing({"libx.so.1"}).runpath("/E"));
  system.elf("/D/libx.so", library().soname("libx.so.1"));
  system.elf("/E/libx.so.1", library().soname("libx.so.1"));
  CHECK(listing(loaded(system)) == Names{"liba.so => /D/liba.so", "libx.so => /D/libx.so"});

  // One level deeper it is there before the other can be asked for.
  MemorySystem deep;
  deep.program(program_needing({"liba.so", "libb.so"}).runpath("/D"));
  deep.elf("/D/liba.so", library_needing({"libx.so.1"}).runpath("/E"))
      .elf("/D/libb.so", library_needing({"libx.so"}).runpath("/D"));
  deep.elf("/D/libx.so", library().soname("libx.so.1"));
  deep.elf("/E/libx.so.1", library().soname("libx.so.1"));
  CHECK(listing(loaded(deep)) ==
        Names{"liba.so => /D/liba.so", "libb.so => /D/libb.so", "libx.so.1 => /E/libx.so.1", "libx.so => /D/libx.so"});
}

TEST_CASE("links are the file that they lead to, copies are not") {
  MemorySystem system;
  system.program(program_needing({"liba.so", "libhard.so", "libsoft.so", "libcopy.so"}).runpath("/D"));
  system.elf("/D/liba.so", library()).elf("/D/libcopy.so", library());
  system.files().add_hard_link("/D/libhard.so", "/D/liba.so");
  system.files().add_symlink("/D/libsoft.so", "liba.so");
  const LinkMap map = loaded(system);
  CHECK(listing(map) == Names{"liba.so => /D/liba.so", "libcopy.so => /D/libcopy.so"});
  CHECK(how(map, "", 1) == "already loaded, same file: /D/liba.so");
  CHECK(how(map, "", 2) == "already loaded, same file: /D/liba.so");
}

TEST_CASE("a name under which a file was found once is its name from then on") {
  MemorySystem system;
  system.program(program_needing({"liba.so", "libhard.so", "libb.so"}).runpath("/D"));
  system.elf("/D/liba.so", library());
  system.files().add_hard_link("/D/libhard.so", "/D/liba.so");
  system.elf("/D/libb.so", library_needing({"libhard.so"}).runpath("/none"));
  CHECK(how(loaded(system), "/D/libb.so", 0) == "already loaded, same name: /D/liba.so");
}

TEST_CASE("what each object of the process goes by") {
  struct Case {
    std::string why;
    std::string name;
    std::string want;
  };
  const Case cases[] = {
      {"the requested name", "libx.so", "already loaded, same name: /D/libx.so"},
      {"the path as found", "/D/libx.so", "already loaded, same path: /D/libx.so"},
      {"the SONAME", "libx.so.1", "already loaded, same SONAME: /D/libx.so"},
      {"another spelling of the path", "/D/./libx.so", "already loaded, same file: /D/libx.so"},
      {"the vDSO's SONAME", "linux-vdso.so.1", "already loaded, same path: linux-vdso.so.1"},
      {"ld.so's SONAME", "ld-linux-x86-64.so.2", "already loaded, same SONAME: " + std::string(kInterp)},
      {"PT_INTERP", std::string(kInterp), "already loaded, same path: " + std::string(kInterp)},
      {"the empty name is the program", "", "already loaded, same name: "},
      {"the program's SONAME", "libprog.so.1", "already loaded, same SONAME: "},
      {"a prefix is not enough", "libx.so.", "not found: libx.so."},
      {"nor another case", "LIBX.SO", "not found: LIBX.SO"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.program(program_needing({"libx.so", c.name}).runpath("/D").soname("libprog.so.1"));
    system.elf("/D/libx.so", library().soname("libx.so.1")).elf("/D/libprog.so.1", library());
    CHECK(how(loaded(system), "", 1) == c.want);
  }
}

TEST_CASE("a program whose SONAME is asked for hides the library of that name") {
  MemorySystem system;
  system.program(program_needing({"liba.so"}).runpath("/D").soname("libx.so.1"));
  system.elf("/D/liba.so", library_needing({"libx.so.1"}).runpath("/D")).elf("/D/libx.so.1", library());
  CHECK(listing(loaded(system)) == Names{"liba.so => /D/liba.so"});
}

TEST_CASE("a copy of ld.so under another name is a second library: its inode is not known") {
  MemorySystem system;
  system.program(program_needing({"libmyld.so"}).runpath("/D"));
  system.elf(kInterp, library().soname("ld-linux-x86-64.so.2"));
  system.files().add_symlink("/D/libmyld.so", std::string(kInterp));
  CHECK(listing(loaded(system)) == Names{"libmyld.so => /D/libmyld.so"});
}

TEST_CASE("the first object of the list wins, by whatever name it matches") {
  MemorySystem system;
  // libq.so is the SONAME of the first and the requested name of the second.
  system.program(program_needing({"libp.so", "/E/libq.so", "libr.so"}).runpath("/D"));
  system.elf("/D/libp.so", library().soname("libq.so")).elf("/E/libq.so", library());
  system.elf("/D/libr.so", library_needing({"libq.so"}));
  CHECK(how(loaded(system), "/D/libr.so", 0) == "already loaded, same SONAME: /D/libp.so");
  // A SONAME on an early map beats the exact path of a later one.
  MemorySystem path;
  path.program(program_needing({"libp.so", "libq.so", "libr.so"}).runpath("/D:/E"));
  path.elf("/D/libp.so", library().soname("/E/libq.so")).elf("/E/libq.so", library());
  path.elf("/D/libr.so", library_needing({"/E/libq.so"}));
  CHECK(how(loaded(path), "/D/libr.so", 0) == "already loaded, same SONAME: /D/libp.so");
}

TEST_CASE("a library that is not found is searched again by each requester") {
  MemorySystem system;
  system.program(program_needing({"liba.so", "libb.so"}).runpath("/D"));
  system.elf("/D/liba.so", library_needing({"libx.so"})).elf("/D/libb.so", library_needing({"libx.so", "libx.so"}));
  const LinkMap map = loaded(system);
  CHECK(listing(map) == Names{"liba.so => /D/liba.so", "libb.so => /D/libb.so", "libx.so => not found",
                              "libx.so => not found", "libx.so => not found"});
  CHECK(how(map, "/D/libb.so", 1) == "not found: libx.so");
}

TEST_CASE("of two requesters one can find what the other did not") {
  MemorySystem system;
  system.program(program_needing({"liba.so", "libb.so", "libc1.so"}).runpath("/D"));
  system.elf("/D/liba.so", library_needing({"libx.so"})).elf("/D/libb.so", library_needing({"libx.so"}).runpath("/E"));
  system.elf("/D/libc1.so", library_needing({"libx.so"})).elf("/E/libx.so", library());
  const LinkMap map = loaded(system);
  CHECK(how(map, "/D/liba.so", 0) == "not found: libx.so");
  CHECK(how(map, "/D/libb.so", 0) == "mapped: /E/libx.so");
  CHECK(how(map, "/D/libc1.so", 0) == "already loaded, same name: /E/libx.so");
}
