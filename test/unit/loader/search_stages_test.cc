// The order of the stages (glibc elf/dl-load.c:_dl_map_object), and whose lists count for whom.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "loader/cpu.h"
#include "loader/load.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;
using Files = std::vector<std::pair<std::string, ElfSpec>>;

struct Case {
  std::string why;
  ElfSpec program;
  Files files;
  Names want;
  std::string library_path;
  std::vector<std::pair<std::string, std::string>> cached;
};

Names answer(const Case& c, int minor = 36) {
  MemorySystem system(minor);
  system.program(c.program);
  for (const auto& [path, spec] : c.files) system.elf(path, spec);
  for (const auto& [key, value] : c.cached) system.cached(key, value);
  if (!c.library_path.empty()) system.env("LD_LIBRARY_PATH=" + c.library_path);
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return listing(*map);
}

void check_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    for (const int minor : {31, 36, 41}) {
      CAPTURE(c.why);
      CAPTURE(minor);
      CHECK(answer(c, minor) == c.want);
    }
  }
}

ElfSpec exe(Names needs) { return program_needing(std::move(needs)); }

ElfSpec no_default_dirs(ElfSpec spec) {
  spec.flags_1 = spec.flags_1.value_or(0) | kDf1NoDefLib;
  return spec;
}

}  // namespace

TEST_CASE("stages: RPATH, LD_LIBRARY_PATH, RUNPATH, cache, default directories") {
  const Files everywhere = {{"/R/libx.so", library_needing()},     {"/L/libx.so", library_needing()},
                            {"/U/libx.so", library_needing()},     {"/C/libx.so", library_needing()},
                            {"/lib64/libx.so", library_needing()}, {"/usr/lib64/libx.so", library_needing()}};
  const auto without = [&everywhere](const Names& gone) {
    Files files;
    for (const auto& file : everywhere) {
      bool is_gone = false;
      for (const std::string& name : gone) is_gone |= file.first.starts_with(name);
      if (!is_gone) files.push_back(file);
    }
    return files;
  };
  const std::vector<std::pair<std::string, std::string>> cached = {{"libx.so", "/C/libx.so"}};
  check_all({
      {"RPATH is the first", exe({"libx.so"}).rpath("/R"), everywhere, {"libx.so => /R/libx.so"}, "/L", cached},
      {"then LD_LIBRARY_PATH", exe({"libx.so"}).rpath("/R"), without({"/R"}), {"libx.so => /L/libx.so"}, "/L", cached},
      {"RUNPATH comes behind it", exe({"libx.so"}).runpath("/U"), everywhere, {"libx.so => /L/libx.so"}, "/L", cached},
      {"then RUNPATH", exe({"libx.so"}).runpath("/U"), without({"/L"}), {"libx.so => /U/libx.so"}, "/L", cached},
      {"then the cache",
       exe({"libx.so"}).runpath("/U"),
       without({"/L", "/U"}),
       {"libx.so => /C/libx.so"},
       "/L",
       cached},
      {"then the default directories", exe({"libx.so"}), everywhere, {"libx.so => /lib64/libx.so"}, "", {}},
      {"the first of them first", exe({"libx.so"}), without({"/lib64"}), {"libx.so => /usr/lib64/libx.so"}, "", {}},
      {"and nowhere else", exe({"libx.so"}), without({"/lib64", "/usr"}), {"libx.so => not found"}, "", {}},
  });
}

TEST_CASE("the cache gives one path; if it cannot be used, default directories follow") {
  check_all({
      {"its file is gone",
       exe({"libx.so"}),
       {{"/lib64/libx.so", library_needing()}},
       {"libx.so => /lib64/libx.so"},
       "",
       {{"libx.so", "/C/libx.so"}}},
      {"a second entry of the name is not tried",
       exe({"libx.so"}),
       {{"/C2/libx.so", library_needing()}},
       {"libx.so => not found"},
       "",
       {{"libx.so", "/C1/libx.so"}, {"libx.so", "/C2/libx.so"}}},
      {"the key decides, not the file's name",
       exe({"libx.so"}),
       {{"/C/other.so", library_needing()}},
       {"libx.so => /C/other.so"},
       "",
       {{"libx.so", "/C/other.so"}}},
      {"libx.so.01 is the entry libx.so.1",
       exe({"libx.so.01"}),
       {{"/C/libx.so.1", library_needing()}},
       {"libx.so.01 => /C/libx.so.1"},
       "",
       {{"libx.so.1", "/C/libx.so.1"}}},
  });
}

TEST_CASE("RPATH is inherited along the chain of loaders, RUNPATH is not") {
  check_all({
      {"RPATH of the program provides a library's need",
       exe({"liba.so"}).rpath("/D"),
       {{"/D/liba.so", library_needing({"libb.so"})}, {"/D/libb.so", library_needing()}},
       {"liba.so => /D/liba.so", "libb.so => /D/libb.so"},
       "",
       {}},
      {"RUNPATH of the program does not",
       exe({"liba.so"}).runpath("/D"),
       {{"/D/liba.so", library_needing({"libb.so"})}, {"/D/libb.so", library_needing()}},
       {"liba.so => /D/liba.so", "libb.so => not found"},
       "",
       {}},
      {"nor does RUNPATH of a library",
       exe({"liba.so"}).runpath("/D"),
       {{"/D/liba.so", library_needing({"libb.so"}).runpath("/E")},
        {"/E/libb.so", library_needing({"libc1.so"})},
        {"/E/libc1.so", library_needing()}},
       {"liba.so => /D/liba.so", "libb.so => /E/libb.so", "libc1.so => not found"},
       "",
       {}},
      {"the needer's own RPATH comes before its loader's",
       exe({"liba.so"}).rpath("/D"),
       {{"/D/liba.so", library_needing({"libb.so"}).rpath("/E")},
        {"/D/libb.so", library_needing()},
        {"/E/libb.so", library_needing()}},
       {"liba.so => /D/liba.so", "libb.so => /E/libb.so"},
       "",
       {}},
      {"and the loader's before the program's",
       exe({"liba.so"}).rpath("/D"),
       {{"/D/liba.so", library_needing({"libb.so"}).rpath("/E:/D")},
        {"/D/libb.so", library_needing({"libc1.so"})},
        {"/D/libc1.so", library_needing()},
        {"/E/libc1.so", library_needing()}},
       {"liba.so => /D/liba.so", "libb.so => /D/libb.so", "libc1.so => /E/libc1.so"},
       "",
       {}},
  });
}

TEST_CASE("RUNPATH of the needer turns the whole RPATH chain off, RUNPATH of another does not") {
  check_all({
      {"in the needer",
       exe({"liba.so"}).rpath("/D"),
       {{"/D/liba.so", library_needing({"libb.so"}).runpath("/none")}, {"/D/libb.so", library_needing()}},
       {"liba.so => /D/liba.so", "libb.so => not found"},
       "",
       {}},
      {"even an empty one",
       exe({"liba.so"}).rpath("/D"),
       {{"/D/liba.so", library_needing({"libb.so"}).runpath("")}, {"/D/libb.so", library_needing()}},
       {"liba.so => /D/liba.so", "libb.so => not found"},
       "",
       {}},
      {"in the needer's loader: the chain goes on past it",
       exe({"liba.so"}).rpath("/D"),
       {{"/D/liba.so", library_needing({"libm.so"}).runpath("/E")},
        {"/E/libm.so", library_needing({"libb.so"})},
        {"/D/libb.so", library_needing()}},
       {"liba.so => /D/liba.so", "libm.so => /E/libm.so", "libb.so => /D/libb.so"},
       "",
       {}},
      {"both in the program: its RPATH is void",
       exe({"libx.so"}).rpath("/R").runpath("/U"),
       {{"/R/libx.so", library_needing()}},
       {"libx.so => not found"},
       "",
       {}},
      {"and void for its libraries",
       exe({"liba.so"}).rpath("/R").runpath("/U"),
       {{"/U/liba.so", library_needing({"libb.so"})}, {"/R/libb.so", library_needing()}},
       {"liba.so => /U/liba.so", "libb.so => not found"},
       "",
       {}},
      {"both in a library: its RPATH is not in the chain of its children",
       exe({"liba.so"}).rpath("/D"),
       {{"/D/liba.so", library_needing({"libc1.so"}).rpath("/R").runpath("/U")},
        {"/U/libc1.so", library_needing({"libd.so"})},
        {"/R/libd.so", library_needing()}},
       {"liba.so => /D/liba.so", "libc1.so => /U/libc1.so", "libd.so => not found"},
       "",
       {}},
  });
}

TEST_CASE("diamond: the chain of an object is that of whoever loaded it first") {
  const Files files = {{"/P0/liba.so", library_needing({"libc1.so"}).rpath("/P1")},
                       {"/P0/libb.so", library_needing({"libc1.so"}).rpath("/P1:/P2")},
                       {"/P1/libc1.so", library_needing({"libd.so"})},
                       {"/P2/libd.so", library_needing()}};
  check_all({
      {"a first",
       exe({"liba.so", "libb.so"}).rpath("/P0"),
       files,
       {"liba.so => /P0/liba.so", "libb.so => /P0/libb.so", "libc1.so => /P1/libc1.so", "libd.so => not found"},
       "",
       {}},
      {"b first",
       exe({"libb.so", "liba.so"}).rpath("/P0"),
       files,
       {"libb.so => /P0/libb.so", "liba.so => /P0/liba.so", "libc1.so => /P1/libc1.so", "libd.so => /P2/libd.so"},
       "",
       {}},
  });
}

TEST_CASE("DF_1_NODEFLIB bars default directories, and cache entries in them, for that needer") {
  check_all({
      {"default directories",
       no_default_dirs(exe({"libx.so"})),
       {{"/lib64/libx.so", library_needing()}},
       {"libx.so => not found"},
       "",
       {}},
      {"a cache entry in one",
       no_default_dirs(exe({"libx.so"})),
       {{"/lib64/libx.so", library_needing()}},
       {"libx.so => not found"},
       "",
       {{"libx.so", "/lib64/libx.so"}}},
      {"a cache entry below one",
       no_default_dirs(exe({"libx.so"})),
       {{"/usr/lib64/sub/libx.so", library_needing()}},
       {"libx.so => not found"},
       "",
       {{"libx.so", "/usr/lib64/sub/libx.so"}}},
      {"a cache entry elsewhere is fine",
       no_default_dirs(exe({"libx.so"})),
       {{"/opt/libx.so", library_needing()}},
       {"libx.so => /opt/libx.so"},
       "",
       {{"libx.so", "/opt/libx.so"}}},
      {"a directory of a similar name, too",
       no_default_dirs(exe({"libx.so"})),
       {{"/lib64x/libx.so", library_needing()}},
       {"libx.so => /lib64x/libx.so"},
       "",
       {{"libx.so", "/lib64x/libx.so"}}},
      {"LD_LIBRARY_PATH may name one",
       no_default_dirs(exe({"libx.so"})),
       {{"/lib64/libx.so", library_needing()}},
       {"libx.so => /lib64/libx.so"},
       "/lib64",
       {}},
      {"a library's needs are its own",
       no_default_dirs(exe({"liba.so"})).rpath("/D"),
       {{"/D/liba.so", library_needing({"libx.so"})}, {"/lib64/libx.so", library_needing()}},
       {"liba.so => /D/liba.so", "libx.so => /lib64/libx.so"},
       "",
       {}},
      {"and so is a library's flag",
       exe({"liba.so"}).rpath("/D"),
       {{"/D/liba.so", no_default_dirs(library_needing({"libx.so"}))}, {"/lib64/libx.so", library_needing()}},
       {"liba.so => /D/liba.so", "libx.so => not found"},
       "",
       {}},
  });
}

TEST_CASE("a name with a slash is that file, relative to the current directory, and no other") {
  MemorySystem system;
  system.process.cwd = "/here";
  system.elf("/here/sub/libx.so", library_needing())
      .elf("/abs/liby.so", library_needing())
      .elf("/R/sub/libx.so", library_needing())
      .elf("/R/sub/libz.so", library_needing())
      .elf("/app/sub/libz.so", library_needing());
  system.program(exe({"sub/libx.so", "/abs/liby.so", "sub/libz.so"}).rpath("/R"));
  const Result<LinkMap> map = system.load();
  REQUIRE(map.has_value());
  CHECK(listing(*map) == Names{"sub/libx.so", "/abs/liby.so", "sub/libz.so => not found"});
}

TEST_CASE("subdirectories are tried in every directory of every list, but not for paths") {
  const ElfSpec needs = exe({"libx.so", "/P/liby.so"}).runpath("/U");
  const std::string v2 = "glibc-hwcaps/x86-64-v2/";
  const Files files = {{"/U/" + v2 + "libx.so", library_needing()},
                       {"/U/libx.so", library_needing()},
                       {"/lib64/" + v2 + "libx.so", library_needing()},
                       {"/P/" + v2 + "liby.so", library_needing()},
                       {"/P/liby.so", library_needing()}};
  struct Level {
    std::string cpu;
    std::string path;
  };
  for (const Level& level : {Level{"x86-64", "/U/libx.so"}, Level{"x86-64-v3", "/U/" + v2 + "libx.so"}}) {
    CAPTURE(level.cpu);
    MemorySystem system;
    system.process.cpu = *cpu_by_name(level.cpu, kX86_64);
    system.program(needs);
    for (const auto& [path, spec] : files) system.elf(path, spec);
    const Result<LinkMap> map = system.load();
    REQUIRE(map.has_value());
    CHECK(listing(*map) == Names{"libx.so => " + level.path, "/P/liby.so"});
  }
}

TEST_CASE("an object remembers where it was found") {
  MemorySystem system;
  system.process.cpu = *cpu_by_name("x86-64-v2", kX86_64);
  system.env("LD_LIBRARY_PATH=/L").cached("libc1.so", "/C/libc1.so");
  system.elf("/app/lib/liba.so", library_needing({"libb.so"}))
      .elf("/L/glibc-hwcaps/x86-64-v2/libb.so", library_needing())
      .elf("/C/libc1.so", library_needing())
      .elf("/usr/lib64/libd.so", library_needing())
      .elf("/P/libe.so", library_needing());
  system.program(exe({"liba.so", "libc1.so", "libd.so", "/P/libe.so"}).runpath("/none:$ORIGIN/lib"));
  const Result<LinkMap> map = system.load();
  REQUIRE(map.has_value());
  struct Found {
    std::string path;
    SearchStep step;
    ObjectIndex owner;
    std::string entry;
    std::string sub;
  };
  const Found want[] = {
      {"/app/lib/liba.so", SearchStep::Runpath, 0, "$ORIGIN/lib", ""},
      {"/L/glibc-hwcaps/x86-64-v2/libb.so", SearchStep::LibraryPath, kNoObject, "/L", "glibc-hwcaps/x86-64-v2/"},
      {"/C/libc1.so", SearchStep::Cache, kNoObject, "", ""},
      {"/usr/lib64/libd.so", SearchStep::DefaultDirs, kNoObject, "/usr/lib64/", ""},
      {"/P/libe.so", SearchStep::Path, kNoObject, "", ""},
  };
  for (const Found& f : want) {
    CAPTURE(f.path);
    bool is_there = false;
    for (const LoadedObject& object : map->objects) {
      if (object.path != f.path) continue;
      is_there = true;
      CHECK(object.found.step == f.step);
      CHECK(object.found.owner == f.owner);
      CHECK(std::string(object.found.entry) == f.entry);
      CHECK(std::string(object.found.subdirectory) == f.sub);
    }
    CHECK(is_there);
  }
}
