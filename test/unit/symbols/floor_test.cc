// The oldest releases that a closure can run with.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/load.h"
#include "soresolve/symbols.h"
#include "symbols/cuda_releases.h"
#include "symbols/floor.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Lines = std::vector<std::string>;

/// "FAMILY RELEASE NODE SYMBOL CONSUMER", and "!" where it is not met.
Lines floors_of(MemorySystem& system) {
  const Result<LinkMap> map = system.load(kProgram, {.on_fatal = OnFatal::Continue});
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  const Result<Bindings> bindings = bind_symbols(*map);
  REQUIRE_MESSAGE(bindings.has_value(), bindings.error().to_string());
  const auto floors = find_floors(*map, *bindings);
  REQUIRE_MESSAGE(floors.has_value(), floors.error().to_string());
  Lines lines;
  for (const Floor& floor : *floors) {
    const std::string_view path = map->objects[floor.needer].path;
    lines.push_back(floor.family + " " + floor.release + " " + floor.node + " " +
                    (floor.symbol.empty() ? "-" : floor.symbol) + " " +
                    (floor.needer == 0 ? "prog" : std::string(path.substr(path.rfind('/') + 1))) +
                    (floor.is_met ? "" : " !"));
  }
  return lines;
}

ElfSpec offering(const std::string& soname, std::vector<std::string> nodes) {
  ElfSpec spec = library().soname(soname);
  spec.version_definitions.push_back({soname});
  for (std::string& node : nodes) spec.version_definitions.push_back({std::move(node)});
  return spec;
}

ElfSpec requiring(ElfSpec spec, const std::string& file, std::vector<VersionNeeds::Version> versions) {
  spec.needed(file);
  spec.version_needs.push_back({file, std::move(versions)});
  return spec;
}

const std::string kLibc = "libc.so.6";
const std::string kCudart = "libcudart.so.11.0";

}  // namespace

TEST_CASE("the highest node that anything requires is the floor") {
  struct Case {
    std::string why;
    std::function<void(MemorySystem&)> fill;
    Lines want;
  };
  const ElfSpec libc = offering(kLibc, {"GLIBC_2.9", "GLIBC_2.17", "GLIBC_2.34", "GLIBC_PRIVATE"});
  const Case cases[] = {
      {"numbers are compared as numbers",
       [&](MemorySystem& s) {
         s.program(requiring(program(), kLibc, {{"GLIBC_2.9"}, {"GLIBC_2.17"}})
                       .refer(undefined("old", "GLIBC_2.9"))
                       .refer(undefined("new", "GLIBC_2.17")));
         s.elf("/lib64/libc.so.6",
               ElfSpec(libc).define(defined("old", "GLIBC_2.9")).define(defined("new", "GLIBC_2.17")));
       },
       {"glibc 2.17 GLIBC_2.17 new prog"}},
      {"a library can set it",
       [&](MemorySystem& s) {
         s.program(requiring(program_needing({"liba.so"}), kLibc, {{"GLIBC_2.17"}}));
         s.elf("/lib64/liba.so", requiring(library(), kLibc, {{"GLIBC_2.34"}}));
         s.elf("/lib64/libc.so.6", libc);
       },
       {"glibc 2.34 GLIBC_2.34 - liba.so"}},
      {"glibc's own libraries do not count",
       [&](MemorySystem& s) {
         s.program(requiring(program_needing({"libm.so.6"}), kLibc, {{"GLIBC_2.9"}}));
         s.elf("/lib64/libm.so.6",
               requiring(offering("libm.so.6", {"GLIBC_2.9"}), kLibc, {{"GLIBC_2.34"}, {"GLIBC_PRIVATE"}}));
         s.elf("/lib64/libc.so.6", libc);
       },
       {"glibc 2.9 GLIBC_2.9 - prog"}},
      {"a library with glibc's nodes that is not glibc's counts",
       [&](MemorySystem& s) {
         s.program(program_needing({"libcrypt.so.1"}));
         s.elf("/lib64/libcrypt.so.1", requiring(offering("libcrypt.so.1", {"GLIBC_2.9"}), kLibc, {{"GLIBC_2.34"}}));
         s.elf("/lib64/libc.so.6", libc);
       },
       {"glibc 2.34 GLIBC_2.34 - libcrypt.so.1"}},
      {"a weak requirement stops nobody",
       [&](MemorySystem& s) {
         s.program(requiring(program(), kLibc, {{"GLIBC_2.9"}, {"GLIBC_2.34", true}}));
         s.elf("/lib64/libc.so.6", libc);
       },
       {"glibc 2.9 GLIBC_2.9 - prog"}},
      {"DT_RELR came with 2.36, and is not there",
       [&](MemorySystem& s) {
         s.program(requiring(program(), kLibc, {{"GLIBC_ABI_DT_RELR"}, {"GLIBC_2.34"}}));
         s.elf("/lib64/libc.so.6", libc);
       },
       {"glibc 2.36 GLIBC_ABI_DT_RELR - prog !"}},
      {"libstdc++ and libgcc, which need not come together",
       [&](MemorySystem& s) {
         s.program(requiring(program(), "libstdc++.so.6", {{"GLIBCXX_3.4.9"}, {"GLIBCXX_3.4.30"}, {"CXXABI_1.3.9"}}));
         s.elf("/lib64/libstdc++.so.6",
               requiring(offering("libstdc++.so.6", {"GLIBCXX_3.4.9", "GLIBCXX_3.4.30", "CXXABI_1.3.9"}),
                         "libgcc_s.so.1", {{"GCC_4.2.0"}}));
         s.elf("/lib64/libgcc_s.so.1", offering("libgcc_s.so.1", {"GCC_4.2.0"}));
       },
       {"libstdc++ GLIBCXX 12.1.0 GLIBCXX_3.4.30 - prog", "libstdc++ CXXABI 5.1.0 CXXABI_1.3.9 - prog",
        "libgcc 4.2.0 GCC_4.2.0 - libstdc++.so.6"}},
      {"CUDA: the node alone says 11.0",
       [&](MemorySystem& s) {
         s.program(requiring(program(), kCudart, {{kCudart}}).call(undefined("cudaMalloc", kCudart)));
         s.elf("/lib64/libcudart.so.11.0", library().soname(kCudart).define(defined("cudaMalloc")));
       },
       {"CUDA libcudart 11.0 libcudart.so.11.0 cudaMalloc prog"}},
      {"CUDA: a function says more, and is not there",
       [&](MemorySystem& s) {
         s.program(requiring(program(), kCudart, {{kCudart}})
                       .call(undefined("cudaMalloc", kCudart))
                       .call(undefined("cudaLaunchKernelExC_ptsz", kCudart)));
         s.elf("/lib64/libcudart.so.11.0", library().soname(kCudart).define(defined("cudaMalloc")));
       },
       {"CUDA libcudart 11.8 libcudart.so.11.0 cudaLaunchKernelExC_ptsz prog !"}},
      {"nothing is required", [&](MemorySystem& s) { s.program(program()); }, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    c.fill(system);
    CHECK(floors_of(system) == c.want);
  }
}

TEST_CASE("versions are compared part by part, as numbers") {
  struct Case {
    std::string why;
    const char* a;
    const char* b;
    bool want;
  };
  const Case cases[] = {
      {"two digits are more than one", "2.9", "2.17", true},
      {"the other way round", "2.17", "2.9", false},
      {"equal", "2.17", "2.17", false},
      {"one part more", "2.2", "2.2.5", true},
      {"one part less", "2.2.5", "2.2", false},
      {"a later part counts less", "2.2.5", "2.3", true},
      {"leading zeros", "2.09", "2.9", false},
      {"longer than any number", "1.9", "1.99999999999999999999999", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(is_lower_version(c.a, c.b) == c.want);
  }
}

TEST_CASE("nodes and functions of CUDA name a release") {
  struct Case {
    std::string why;
    const char* node;
    const char* product;
    const char* release;
  };
  const Case cases[] = {
      {"all of 11 has one SONAME", "libcudart.so.11.0", "CUDA", "11.0"},
      {"a major number alone", "libcudart.so.12", "CUDA", "12.0"},
      {"cuFFT is one behind", "libcufft.so.11", "CUDA", "12.0"},
      {"cuSPARSE kept its number in 13", "libcusparse.so.12", "CUDA", "12.0"},
      {"nvrtc of 11.2 and later", "libnvrtc.so.11.2", "CUDA", "11.2"},
      {"cuDNN has its own numbers", "libcudnn_ops.so.9", "cuDNN", "9"},
      {"an unknown number of a known library", "libcurand.so.99", "CUDA", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto node = parse_cuda_node(c.node);
    REQUIRE(node.has_value());
    CHECK(node->product == c.product);
    CHECK(node->release == c.release);
  }
  CHECK_FALSE(parse_cuda_node("libz.so.1").has_value());
  CHECK_FALSE(parse_cuda_node("GLIBC_2.34").has_value());
  CHECK(cuda_runtime_release("cudaLaunchKernelExC") == "11.8");
  CHECK(cuda_runtime_release("cudaMalloc").empty());
  CHECK(cuda_runtime_release("cudaLaunchKernel").empty());  // the beginning of a newer name
  CHECK(nvjitlink_release("__nvJitLinkCreate_12_4") == "12.4");
  CHECK(nvjitlink_release("nvJitLinkCreate").empty());
}

TEST_CASE("a bound is written as people say it") {
  struct Case {
    const char* why;
    std::string text;
    std::string want;
  };
  const Case cases[] = {
      {"glibc by its release", "glibc<=2.28", "glibc 2.28"},
      {"by its node", "GLIBC<=GLIBC_2.28", "glibc 2.28"},
      {"blanks", "glibc <= 2.28", "glibc 2.28"},
      {"nodes of libstdc++", "GLIBCXX<=3.4.25", "glibcxx 3.4.25"},
      {"its release", "libstdc++<=9", "libstdc++ 9"},
      {"CUDA", "CUDA<=11.8", "cuda 11.8"},
      {"a policy", "manylinux_2_28", "manylinux_2_28 "},
      {"its old name", "manylinux2014", "manylinux2014 "},
      {"with the machine", "manylinux_2_28_x86_64", "manylinux_2_28_x86_64 "},
      {"a policy of musl", "musllinux_1_2", "musllinux_1_2 "},
      {"no policy", "manylinux_2_99", ""},
      {"no number", "glibc<=new", ""},
      {"a dot too many", "glibc<=2.", ""},
      {"nobody's family", "qt<=5", ""},
      {"a file", "train", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto bound = parse_floor_bound(c.text);
    CHECK((bound ? bound->family + " " + bound->highest : std::string()) == c.want);
  }
}

TEST_CASE("a bound finds each requirement above it, and weak ones end no start") {
  const auto fill = [](MemorySystem& s) {
    s.program(
        requiring(requiring(program().runpath("/own"), kLibc, {{"GLIBC_2.17"}, {"GLIBC_2.34"}, {"GLIBC_2.36", true}}),
                  "libstdc++.so.6", {{"GLIBCXX_3.4.25"}})
            .needed("libforeign.so")
            .needed("libown.so")
            .refer(undefined("new", "GLIBC_2.34")));
    s.elf("/own/libown.so", library());
    s.elf("/lib64/libforeign.so", library());
    s.elf("/lib64/libstdc++.so.6", offering("libstdc++.so.6", {"GLIBCXX_3.4.25"}));
    s.elf("/lib64/libc.so.6",
          offering(kLibc, {"GLIBC_2.17", "GLIBC_2.34", "GLIBC_2.36"}).define(defined("new", "GLIBC_2.34")));
  };
  struct Case {
    const char* why;
    std::string bound;
    bool is_met;
    Lines want;
  };
  const Case cases[] = {
      {"one above, one weak", "glibc<=2.28", false, {"GLIBC_2.34 new", "GLIBC_2.36 weak"}},
      {"only the weak one is above", "glibc<=2.34", true, {"GLIBC_2.36 weak"}},
      {"none", "glibc<=2.36", true, {}},
      {"nodes compare whole", "glibcxx<=3.4", false, {"GLIBCXX_3.4.25"}},
      {"a release is as precise as it is written", "libstdc++<=8", true, {}},
      {"an older release", "libstdc++<=7", false, {"GLIBCXX_3.4.25"}},
      {"a policy bounds all, and names libraries",
       "manylinux_2_28",
       false,
       {"GLIBC_2.34 new", "GLIBC_2.36 weak", "GLIBCXX_3.4.25", "libforeign.so"}},
      {"musl has no nodes of glibc",
       "musllinux_1_2",
       false,
       {"GLIBC_2.17", "GLIBC_2.34 new", "GLIBC_2.36 weak", "libc.so.6", "libstdc++.so.6", "libforeign.so"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    fill(system);
    const Result<LinkMap> map = system.load(kProgram, {.on_fatal = OnFatal::Continue});
    REQUIRE(map.has_value());
    const Result<Bindings> bindings = bind_symbols(*map);
    REQUIRE(bindings.has_value());
    const auto bound = parse_floor_bound(c.bound);
    REQUIRE(bound.has_value());
    const auto verdict = judge_floor(*map, *bindings, *bound);
    REQUIRE(verdict.has_value());
    CHECK(verdict->is_met() == c.is_met);
    Lines lines;
    for (const FloorExcess& excess : verdict->excesses) {
      lines.push_back(excess.node + (excess.symbols.empty() ? "" : " " + excess.symbols.front().name) +
                      (excess.is_weak ? " weak" : ""));
    }
    for (const FloorForeign& foreign : verdict->foreign) lines.push_back(foreign.library);
    CHECK(lines == c.want);
  }
}

TEST_CASE("what only opens the file needs what it needs by itself") {
  MemorySystem system;
  system.program(requiring(program().runpath("/app"), kLibc, {{"GLIBC_2.36"}}));
  system.elf("/app/module.so", requiring(library().needed("libown.so").runpath("/app"), kLibc, {{"GLIBC_2.17"}}));
  system.elf("/app/libown.so", requiring(library(), kLibc, {{"GLIBC_2.34"}}));
  system.elf("/lib64/libc.so.6", offering(kLibc, {"GLIBC_2.17", "GLIBC_2.34", "GLIBC_2.36"}));
  const std::vector<OpenRequest> dlopen_calls = {{"module.so"}};
  const Result<LinkMap> map = system.load(kProgram, {.dlopen_calls = dlopen_calls});
  REQUIRE(map.has_value());
  const Result<Bindings> bindings = bind_symbols(*map);
  REQUIRE(bindings.has_value());
  const auto floors = find_floors(*map, *bindings);
  REQUIRE(floors.has_value());
  REQUIRE(floors->size() == 1);
  CHECK(floors->front().node == "GLIBC_2.34");
  for (const std::string text : {"glibc<=2.34", "manylinux_2_34"}) {
    CAPTURE(text);
    const auto verdict = judge_floor(*map, *bindings, *parse_floor_bound(text));
    REQUIRE(verdict.has_value());
    CHECK(verdict->excesses.empty());
  }
  const auto verdict = judge_floor(*map, *bindings, *parse_floor_bound("glibc<=2.28"));
  REQUIRE(verdict.has_value());
  REQUIRE(verdict->excesses.size() == 1);
  CHECK(map->objects[verdict->excesses.front().needer].path == "/app/libown.so");
}
