// The lines and the tree of what a running process has loaded.
#include <doctest/doctest.h>

#include <string>

#include "soresolve/report.h"
#include "unit/running_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

std::string list_of(RunningSystem& system) {
  const Result<LinkMap> map = system.running();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return to_text(document_of(LddReport{*map, kProgram}));
}

std::string tree_of(RunningSystem& system, const TreeOptions& options = {}) {
  const Result<LinkMap> map = system.running();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  const Dlopens none;
  return to_text(document_of(TreeReport{*map, kProgram, none}, options));
}

LeftOutObject left_out(std::size_t before) {
  return {live_object("/D/gone.so", "gone.so", true, 0), before, "No such file or directory"};
}

}  // namespace

TEST_CASE("ldd's lines of the start, then what came later and through whom") {
  RunningSystem system;
  CHECK(list_of(system) ==
        "\t/D/p.so\n\tliba.so => /D/liba.so\n\tlibc.so => /D/libc.so\n\t/D/m.so (dlopen, likely by prog)\n"
        "\tlibd.so => /D/libd.so (needed by /D/m.so)\n\tlibe.so => /D/libe.so (dlopen, likely by prog)\n"
        "\t/D/n.so (dlopen, caller unknown, namespace 1)\n\tlibd.so => /D/libd.so (needed by /D/n.so, namespace 1)\n");
}

TEST_CASE("what cannot be read any more stands in its place") {
  RunningSystem system;
  system.live.left_out = {left_out(3), left_out(8)};
  const std::string text = list_of(system);
  const std::string gone =
      "\tgone.so => /D/gone.so (dlopen, caller unknown) (cannot be read: No such file or directory)\n";
  CHECK(text.find("libc.so\n" + gone + "\t/D/m.so") != std::string::npos);
  CHECK(text.ends_with("namespace 1)\n" + gone));
}

TEST_CASE("in the tree each object hangs below who brought it") {
  RunningSystem system;
  system.live.left_out = {left_out(3)};
  CHECK(tree_of(system) ==
        "prog\n"
        "├── liba.so\n"
        "│   └── libc.so\n"
        "├── /D/p.so (preload)\n"
        "├── /D/m.so (dlopen, likely)\n"
        "│   ├── libd.so\n"
        "│   └── libc.so\n"
        "├── libe.so (dlopen, likely)\n"
        "├── /D/n.so (dlopen, caller unknown, namespace 1)\n"
        "│   └── libd.so\n"
        "└── /D/gone.so (dlopen, caller unknown) (cannot be read: No such file or directory)\n");
  TreeOptions flat;
  flat.max_depth = 1;
  CHECK(tree_of(system, flat).find("libd.so") == std::string::npos);
}

TEST_CASE("the data says of each object how it came in") {
  RunningSystem system;
  system.live.left_out = {left_out(3)};
  const Result<LinkMap> map = system.running();
  REQUIRE(map.has_value());
  std::string json;
  document_of(LddReport{*map, kProgram}).data([&](std::string_view part) { json += part; });
  for (const std::string_view part :
       {"\"starts\": true", "\"edge\": \"preload\"", "\"edge\": \"dlopen\"", "\"edge\": \"needed\"",
        "\"confidence\": \"likely\"", "\"namespace\": 1", "\"in_load_order\": true", "\"path\": \"/D/gone.so\"",
        "\"reason\": \"No such file or directory\""}) {
    CAPTURE(part);
    CHECK(json.find(part) != std::string::npos);
  }
}
