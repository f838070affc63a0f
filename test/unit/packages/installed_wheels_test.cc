// What pip would do, by the metadata of what is installed.
#include "packages/installed_wheels.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace soresolve;

TEST_CASE("a version against a requirement of pip") {
  struct Case {
    const char* version;
    const char* requirement;
    bool is_met;
  };
  const Case cases[] = {
      {"1.0", "x", true},
      {"8.9.2", "x<9", true},
      {"9.0", "x<9", false},
      {"9.1.0.70", "x==9.1.0.70", true},
      {"10.0", "x==10.0.0", true},
      {"10.9.0", "x==10.*", true},
      {"11.0", "x==10.*", false},
      {"2.6.0+cu124", "x==2.6.0+cu124", true},
      {"0.2.5", "x<0.3,>=0.2", true},
      {"0.3", "x<=0.3,>0.2,!=0.25", true},
      {"1.0", "x~=1.0", true},
      {"1.9", "x~=1.0", true},
      {"2.0", "x~=1.0", false},
      {"1.4.9", "x~=1.4.5", true},
      {"1.5", "x~=1.4.5", false},
      {"1.0", "x===1.0", false},
      {"rc", "x<9", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.version);
    CAPTURE(c.requirement);
    CHECK(satisfies(c.version, c.requirement) == c.is_met);
  }
}

TEST_CASE("a requirement is unmet where another version is installed, and not where that cannot be compared") {
  struct Case {
    std::string requirement;
    std::string installed;  // "": nothing
    bool is_unmet;
    const char* why;
  };
  const Case cases[] = {
      {"torch (==2.4.0)", "2.7.0", true, "another release"},
      {"torch==2.4.0", "2.4.0+cu121", false, "the local part is no other release"},
      {"torch<2.16,>=2.15.0", "2.16.1", true, "one clause of two"},
      {"torch===2.4", "2.7.0", false, "arbitrary equality is not judged"},
      {"torch", "2.7.0", false, "any release"},
      {"torch>=3", "", false, "what is not installed is no other release"},
      {"torch>=3; extra == 'gpu'", "2.7.0", false, "of an extra"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryFileSystem files;
    files.add_file("/site/user-1.0.dist-info/METADATA", "Name: user\nRequires-Dist: " + c.requirement + "\n\n");
    if (!c.installed.empty()) files.add_file("/site/torch-" + c.installed + ".dist-info/RECORD", "");
    const std::vector<UnmetRequirement> unmet = unmet_requirements(files, "/site/user-1.0.dist-info/RECORD");
    CHECK(unmet.empty() != c.is_unmet);
    if (!unmet.empty()) CHECK(unmet.front().installed.version == c.installed);
  }
}

TEST_CASE("of one METADATA 512 requirements are looked at, and the first site that has a wheel counts") {
  for (const bool is_beyond : {false, true}) {
    MemoryFileSystem files;
    std::string metadata;
    for (int i = 0; i < (is_beyond ? 512 : 511); ++i) metadata += "Requires-Dist: other" + std::to_string(i) + "\n";
    files.add_file("/s/trt-1.dist-info/METADATA", metadata + "Requires-Dist: trt-libs\n");
    files.add_file("/t/trt-2.dist-info/METADATA", "");
    const WheelStep step = wheel_step(files, {"/s", "/t"}, "trt", "libdep.so.1", std::nullopt);
    CHECK(step.kind == (is_beyond ? WheelStep::Kind::Nothing : WheelStep::Kind::Part));
    REQUIRE(step.of.has_value());
    CHECK(step.of->version == "1");
  }
}

TEST_CASE("what pip would find satisfied is not proposed: its part, its own version again, or nothing") {
  using Kind = WheelStep::Kind;
  struct Case {
    const char* why;
    const char* wheel;  ///< that is installed: its directory without ".dist-info"
    const char* metadata;
    const char* record;
    const char* requirement;
    Kind kind;
    const char* result;
  };
  const Case cases[] = {
      {"nothing is installed", "other-1", "", "", "cu<9", Kind::Install, "cu<9"},
      {"another release is", "cu-9.1", "", "", "cu<9", Kind::Install, "cu<9"},
      {"it is, and never had the library", "torch-2.1.0", "", "torch/lib/libother.so,,\n", "torch", Kind::Nothing, ""},
      {"it is, and has lost it", "nvidia_x-8.5", "", "nvidia/x/lib/libdep.so.1,,\n", "nvidia-x<9", Kind::Again,
       "nvidia-x==8.5"},
      {"it is there", "nvidia_x-8.5", "", "there/libdep.so.1,,\n", "nvidia-x<9", Kind::Nothing, ""},
      {"it only requires others", "trt_cu12-10.0.1",
       "Requires-Dist: trt-cu12-bindings (==10.0.1)\nRequires-Dist: trt-cu12-libs (==10.0.1)\n", "", "trt-cu12==10.*",
       Kind::Part, "trt-cu12-libs==10.0.1"},
      {"its bindings are", "trt_cu12_bindings-10.0.1", "", "", "trt-cu12==10.*", Kind::Install,
       "trt-cu12-libs==10.0.1"},
      {"of another release", "trt_cu12_bindings-8.6.1", "", "", "trt-cu12==10.*", Kind::Install, "trt-cu12==10.*"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryFileSystem files;
    const std::string info = "/s/" + std::string(c.wheel) + ".dist-info/";
    files.add_file(info + "METADATA", c.metadata);
    files.add_file(info + "RECORD", c.record);
    files.add_file("/s/there/libdep.so.1", "");
    const std::string name(c.wheel);
    const PackageOwner owner{name.substr(0, name.find('-')), name.substr(name.find('-') + 1), PackageRecord::Wheel,
                             info + "RECORD"};
    const WheelStep step = wheel_step(files, {"/s"}, c.requirement, "libdep.so.1", owner);
    CHECK(step.kind == c.kind);
    CHECK(step.requirement == c.result);
  }
}
