// Of the objects of a running process: at the start or by dlopen, and through whom.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "dlopen/who_loaded.h"
#include "unit/running_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

/// "PATH start|later|unknown EDGE BY" of each object in the list's order, without program, ld.so and vDSO.
std::vector<std::string> reported(RunningSystem& system) {
  const Result<LinkMap> map = system.running();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  REQUIRE(is_of_running_process(*map));
  const std::vector<LoadedThrough> through = who_loaded(*map);
  std::vector<std::string> lines;
  for (const ObjectIndex index : map->list_order) {
    const LoadedObject& object = map->objects[index];
    if (object.role != ObjectRole::Library) continue;
    const LoadedThrough& one = through[index];
    std::string line(object.path);
    line += one.when == LoadedWhen::Start ? " start" : one.when == LoadedWhen::Later ? " later" : " unknown";
    if (one.by != kNoObject) line += one.confidence == Confidence::Likely ? " likely" : "";
    if (one.by != kNoObject) line += one.need ? " needed by " : " by ";
    if (one.by != kNoObject) line += one.by == 0 ? "program" : std::string(map->objects[one.by].path);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

TEST_CASE("l_type says when, l_loader who needed it; the one object that refers to dlopen is the likely caller") {
  RunningSystem system;
  CHECK(reported(system) ==
        std::vector<std::string>{"/D/p.so start by program", "/D/liba.so start needed by program",
                                 "/D/libc.so start needed by /D/liba.so", "/D/m.so later likely by program",
                                 "/D/libd.so later needed by /D/m.so", "/D/libe.so later likely by program",
                                 "/D/n.so later", "/D/libd.so later needed by /D/n.so"});
}

TEST_CASE("a dlopen caller is unknown where several may be it") {
  RunningSystem system;
  SUBCASE("of those that were loaded before") {
    system.elf("/D/m.so", library_needing({"libd.so", "libc.so"}).refer(undefined("dlopen")));
    const std::vector<std::string> lines = reported(system);
    CHECK(lines[3] == "/D/m.so later likely by program");
    CHECK(lines[5] == "/D/libe.so later");
  }
  SUBCASE("one that was loaded after it counts not") {
    system.elf("/D/libe.so", library().refer(undefined("dlopen")));
    CHECK(reported(system)[3] == "/D/m.so later likely by program");
  }
  SUBCASE("into another namespace it takes dlmopen") {
    system.elf("/D/m.so", library_needing({"libd.so", "libc.so"}).refer(undefined("dlmopen")));
    CHECK(reported(system)[6] == "/D/n.so later likely by /D/m.so");
  }
}

TEST_CASE("a module of Python is opened by the interpreter, what is libc's own by libc") {
  RunningSystem system;
  system.program(program_needing({"liba.so"}).refer(undefined("dlopen")).define(defined("Py_Initialize")));
  system.elf("/D/m.so", library_needing({"libd.so", "libc.so"}).refer(undefined("dlopen")).define(defined("PyInit_m")));
  system.elf("/D/mod.so", library().define(defined("PyInit_mod")));
  system.elf("/D/libnss_x.so.2", library()).elf("/D/libc.so", library().soname("libc.so.6"));
  system.live.objects[5] = live_object("/D/mod.so", "/D/mod.so", true, {});
  system.live.objects[6] = live_object("/D/libnss_x.so.2", "libnss_x.so.2", true, {});
  system.live.objects.pop_back();
  const std::vector<std::string> lines = reported(system);
  CHECK(lines[3] == "/D/m.so later likely by program");
  CHECK(lines[5] == "/D/mod.so later likely by program");
  CHECK(lines[6] == "/D/libnss_x.so.2 later likely by /D/libc.so");
}

TEST_CASE("without l_type the start is what the program and LD_PRELOAD lead to") {
  RunningSystem system;
  for (LiveObject& object : system.live.objects) object.is_opened.reset();
  system.live.objects[0].loader.reset();
  SUBCASE("with the preload in the environment") {
    system.env("LD_PRELOAD=/D/p.so");
    CHECK(reported(system).front() == "/D/p.so start");
  }
  SUBCASE("without it nothing but dlopen is left") {
    CHECK(reported(system).front() == "/D/p.so later likely by program");
  }
  const std::vector<std::string> lines = reported(system);
  CHECK(lines[2] == "/D/libc.so start needed by /D/liba.so");
  CHECK(lines[3] == "/D/m.so later likely by program");
  CHECK(lines[4] == "/D/libd.so later needed by /D/m.so");
}

TEST_CASE("without the list what nothing needs came nobody knows how") {
  RunningSystem system;
  system.live.is_in_load_order = false;
  system.live.global.reset();
  system.live.objects.resize(5);
  for (LiveObject& object : system.live.objects) {
    object.is_opened.reset();
    object.loader.reset();
    object.names.clear();
  }
  CHECK(reported(system) == std::vector<std::string>{"/D/p.so unknown", "/D/liba.so start needed by program",
                                                     "/D/libc.so start needed by /D/liba.so", "/D/m.so unknown",
                                                     "/D/libd.so unknown needed by /D/m.so"});
}

TEST_CASE("objects that say of each other that they loaded them are of nobody") {
  RunningSystem system;
  system.program(program_needing({"liba.so"}));
  system.live.objects[3].loader = 6;  // m.so of libe.so, which is of m.so
  system.live.objects[5].loader = 4;
  const std::vector<std::string> lines = reported(system);
  const bool is_cut = lines[3] == "/D/m.so later" || lines[5] == "/D/libe.so later";
  CHECK(is_cut);
  CHECK(lines[4] == "/D/libd.so later needed by /D/m.so");
}

TEST_CASE("a namespace has names of its own") {
  RunningSystem system;
  const Result<LinkMap> map = system.running();
  REQUIRE(map.has_value());
  std::vector<std::string> targets;
  for (const LoadedObject& object : map->objects) {
    for (const Need& need : object.needs) {
      if (need.name == "libd.so") targets.push_back(std::to_string(map->objects[need.target].space));
    }
  }
  CHECK(targets == std::vector<std::string>{"0", "1"});
  CHECK(map->search_list.size() == 4);
}
