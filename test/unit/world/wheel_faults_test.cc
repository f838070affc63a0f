// The metadata of wheels against what lies there.
#include "world/wheel_faults.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace soresolve;

namespace {

/// A site directory in which pack is asked about.
struct WheelSite {
  std::shared_ptr<MemoryFileSystem> files = std::make_shared<MemoryFileSystem>();

  void file(const std::string& path, const std::string& text = {}) { files->add_file("/site/" + path, text); }
  /// A wheel of version 1 with its RECORD, which lists its own metadata as well.
  void wheel(const std::string& name, const std::string& requires_lines, const std::vector<std::string>& recorded) {
    const std::string info = name + "-1.dist-info/";
    file(info + "METADATA", "Name: " + name + "\nVersion: 1\n" + requires_lines + "\n");
    std::string record;
    for (const std::string& path : recorded) record += path + ",,\n";
    file(info + "RECORD", record + info + "METADATA,,\n" + info + "RECORD,,\n");
  }
  [[nodiscard]] WheelFaults ask() const {
    const PackageOwners owners(files);
    return find_wheel_faults(*files, owners,
                             {"/site/pack/__init__.py", {"/site"}, {.minor_number = 11, .machine = "x86_64"}});
  }
};

}  // namespace

TEST_CASE("sources and native files that RECORD lists are missed; what images are stripped of is not") {
  struct Case {
    const char* why;
    std::string recorded;  ///< beside pack/__init__.py
    std::string there;     ///< "": nothing more
    bool is_gone;
  };
  const Case cases[] = {
      {"a source", "pack/part.py", "", true},
      {"which is there", "pack/part.py", "pack/part.py", false},
      {"a native file", "pack/_x.cpython-311-x86_64-linux-gnu.so", "", true},
      {"a library beside the package", "pack.libs/libz-1.so.1.2", "", true},
      {"of a folder of vendors", "nvidia/cudnn/lib/libcudnn.so.9", "", true},
      {"data", "pack/data.json", "", false},
      {"bytecode", "pack/__pycache__/part.cpython-311.pyc", "", false},
      {"a source of which the bytecode is in its place", "pack/part.py", "pack/part.pyc", false},
      {"tests, all of them", "pack/tests/sub/test_a.py", "", false},
      {"one test of several", "pack/tests/test_a.py", "pack/tests/test_b.py", true},
      {"a script", "../../bin/pack.py", "", false},
      {"an absolute path", "/opt/pack.py", "", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    WheelSite site;
    site.file("pack/__init__.py");
    site.wheel("pack", "", {"pack/__init__.py", c.recorded});
    if (!c.there.empty()) site.file(c.there);
    const WheelFaults faults = site.ask();
    REQUIRE(faults.list.size() == (c.is_gone ? 1 : 0));
    if (!c.is_gone) continue;
    const WheelFault& fault = faults.list.front();
    CHECK(fault.files == std::vector<std::string>{"/site/" + c.recorded});
    CHECK(fault.file_count == 1);
    CHECK(fault.line == 2);
    CHECK(full_name_of(fault.wheel) == "pack 1");
    CHECK(fault.metadata == "/site/pack-1.dist-info/RECORD");
  }
}

TEST_CASE("three gone files of a wheel are named, and all are counted") {
  WheelSite site;
  site.file("pack/__init__.py");
  site.wheel("pack", "", {"pack/__init__.py", "pack/a.py", "pack/b.py", "pack/c.py", "pack/d.py"});
  const WheelFaults faults = site.ask();
  REQUIRE(faults.list.size() == 1);
  CHECK(faults.list.front().files.size() == 3);
  CHECK(faults.list.front().file_count == 4);
}

TEST_CASE("wheels that are required are compared as well, where the requirement holds here") {
  struct Case {
    const char* why;
    std::string requires_lines;
    bool is_compared;
  };
  const Case cases[] = {
      {"required", "Requires-Dist: Other_Pack>=1\n", true},
      {"by one that is required", "Requires-Dist: between\n", true},
      {"elsewhere", "Requires-Dist: other-pack; sys_platform == 'win32'\n", false},
      {"with an extra", "Requires-Dist: other-pack; extra == 'more'\n", false},
      {"it is not known", "Requires-Dist: other-pack; platform_release > '6'\n", false},
      {"not at all", "", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    WheelSite site;
    site.file("pack/__init__.py");
    site.wheel("pack", c.requires_lines, {"pack/__init__.py"});
    site.wheel("between", "Requires-Dist: pack\nRequires-Dist: other-pack\n", {});
    site.wheel("other_pack", "", {"other/gone.py"});
    CHECK(site.ask().list.size() == (c.is_compared ? 1 : 0));
  }
}

TEST_CASE("what no wheel has is not compared, and bounds are said") {
  WheelSite site;
  site.file("pack/__init__.py");
  site.wheel("other", "", {"other/gone.py"});
  CHECK(site.ask().list.empty());
  std::vector<std::string> recorded = {"pack/__init__.py"};
  for (std::size_t i = 0; i < kMostWheelQuestions + 10; ++i) recorded.push_back("pack/m" + std::to_string(i) + ".py");
  site.wheel("pack", "", recorded);
  const WheelFaults faults = site.ask();
  CHECK(faults.is_cut);
  REQUIRE(faults.list.size() == 1);
  CHECK(faults.list.front().file_count < kMostWheelQuestions);
}
