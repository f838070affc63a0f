// The list that tracing prints, without addresses.
#include <doctest/doctest.h>

#include <string>

#include "loader/load.h"
#include "soresolve/report.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

std::string ldd(MemorySystem& system, std::string_view file = kProgram) {
  const Result<LinkMap> map = system.load(file);
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return ldd_text(*map);
}

}  // namespace

TEST_CASE("a line is NAME => PATH, PATH alone, or NAME => not found") {
  MemorySystem system;
  system.process.cwd = "/here";
  system.program(program_needing({"libx.so", "/D/liby.so", "libz.so", "libno.so"}).rpath("/D:"));
  system.elf("/D/libx.so", library()).elf("/D/liby.so", library()).elf("/here/libz.so", library());
  CHECK(ldd(system) == "\tlibx.so => /D/libx.so\n\t/D/liby.so\n\tlibz.so\n\tlibno.so => not found\n");
}

TEST_CASE("ld.so is listed by its path, and by what it was asked for if that differs") {
  MemorySystem never(36);
  never.program(program_needing({"libx.so"})).elf("/lib64/libx.so", library());
  CHECK(ldd(never) == "\tlibx.so => /lib64/libx.so\n");
  MemorySystem always(41);
  always.program(program_needing({"libx.so"})).elf("/lib64/libx.so", library());
  CHECK(ldd(always) == "\tlibx.so => /lib64/libx.so\n\t" + std::string(kInterp) + "\n");
}

TEST_CASE("a file without DT_NEEDED is `statically linked`, whatever is preloaded") {
  MemorySystem system;
  system.program(program()).env("LD_PRELOAD=/D/p.so").elf("/D/p.so", library());
  CHECK(ldd(system) == "\tstatically linked\n");
}

TEST_CASE("each requester of a library that is missing has its line") {
  MemorySystem system;
  system.program(program_needing({"liba.so", "libno.so"}).rpath("/D"));
  system.elf("/D/liba.so", library_needing({"libno.so"}));
  CHECK(ldd(system) == "\tliba.so => /D/liba.so\n\tlibno.so => not found\n\tlibno.so => not found\n");
}

TEST_CASE("JSON says of a start what the text says: versions count") {
  struct Case {
    const char* why;
    std::string version;
    std::string want;
  };
  const Case cases[] = {
      {"defined", "V1", "\"starts\": true,\n  \"loader_prints\": null"},
      {"missing", "V2",
       "\"starts\": false,\n  \"loader_prints\": \"prog: /lib64/liba.so: version `V2' not found (required by prog)\""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.process.argv0 = "prog";
    ElfSpec program = program_needing({"liba.so"});
    program.version_needs = {{"liba.so", {{c.version}}}};
    ElfSpec provider = library();
    provider.version_definitions = {{"liba.so"}, {"V1"}};
    system.program(program).elf("/lib64/liba.so", provider);
    const Result<LinkMap> map = system.load();
    REQUIRE(map.has_value());
    CHECK(to_json(document_of(LddReport{*map, "prog"})).find(c.want) != std::string::npos);
    CHECK(to_json(document_of(TreeReport{*map, "prog", {}})).find(c.want) != std::string::npos);
    const Result<TraceAnswer> traced = trace(*map);
    REQUIRE(traced.has_value());
    CHECK(traced->lacks_version == (c.version == "V2"));
  }
}
