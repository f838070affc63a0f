// What the metadata of wheels says and what is not so, as an answer has it: a warning with what is typed.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "soresolve/answer.h"
#include "soresolve/catalogue.h"
#include "soresolve/world.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

const std::string kWheelSite = "/usr/lib/python3.11/site-packages/";

/// An interpreter, and a wheel with the package pack.
struct WheelRoot {
  std::shared_ptr<MemoryFileSystem> files = std::make_shared<MemoryFileSystem>();
  std::string requires_lines = {};  ///< of METADATA
  std::string tags = {};            ///< of WHEEL
  std::string recorded = {};        ///< further lines of RECORD
  std::string source = {};          ///< of pack/__init__.py

  WheelRoot() {
    files->add_file(kInterp, write_loader(), 0755);
    files->add_file("/usr/bin/python3.11", write_elf(program()), 0755);
    files->add_file("/usr/lib/python3.11/os.py", std::string());
  }

  [[nodiscard]] Answer ask() const {
    const std::string info = kWheelSite + "pack-1.2.dist-info/";
    files->add_file(kWheelSite + "pack/__init__.py", source);
    files->add_file(info + "METADATA", "Name: pack\nVersion: 1.2\n" + requires_lines + "\n");
    if (!tags.empty()) files->add_file(info + "WHEEL", "Wheel-Version: 1.0\n" + tags);
    files->add_file(info + "RECORD", "pack/__init__.py,,\n" + recorded);
    WorldSettings settings;
    settings.where.files = files;
    settings.machine.cpu = "x86-64";
    settings.process = {.asked_as = AskedAs::Import, .python = "/usr/bin/python3.11"};
    World world(settings);
    Result<Answer> answer = soresolve::ask(world, {.file = "pack"});
    REQUIRE(answer.has_value());
    return *std::move(answer);
  }
};

std::string fix_of(const Answer& answer) {
  const Remedy* const fix = answer.first_fix();
  return fix == nullptr ? std::string() : joined_commands(fix->commands).text();
}

std::string warnings_of(const Answer& answer) {
  std::string text;
  for (const Problem& problem : answer.call_problems()) {
    text += "[" + std::string(code_of(problem.code)) + "] " + sentence(problem.what, Language::English) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("an import that goes well warns of what its wheel has not any more, and is installed again") {
  WheelRoot root;
  CHECK(warnings_of(root.ask()) == "");
  CHECK(fix_of(root.ask()) == "");
  root.recorded = "pack/late.py,,\n";
  const Answer answer = root.ask();
  CHECK(answer.verdict() == Verdict::Works);
  CHECK(warnings_of(answer) == "[wheel-file-gone] pack/late.py of wheel pack 1.2 is gone (RECORD lists it)\n");
  CHECK(fix_of(answer) == "/usr/bin/python3.11 -m pip install --force-reinstall --no-deps pack==1.2");
  root.recorded = "pack/a.py,,\npack/b.py,,\npack/c.so,,\npack/d.py,,\n";
  CHECK(warnings_of(root.ask()) ==
        "[wheel-file-gone] 4 files of wheel pack 1.2 are gone (RECORD lists them): pack/a.py, pack/b.py, pack/c.so and "
        "1 more\n");
}

TEST_CASE("an import that fails is about its exception alone") {
  WheelRoot root;
  root.recorded = "pack/late.py,,\n";
  root.source = "raise ValueError('other')\n";
  const Answer answer = root.ask();
  CHECK(answer.verdict() == Verdict::Fails);
  CHECK(warnings_of(answer) == "");
}

TEST_CASE("a requirement that is not met is a warning in pip check's words, with what pip is to install") {
  struct Case {
    const char* why;
    std::string requires_line;
    std::string installed;  ///< "": nothing
    std::string warning;    ///< "": none
    std::string requirement;
  };
  const Case cases[] = {
      {"not installed", "py-thing>=2.8.2", "", "pack 1.2 requires py-thing, which is not installed",
       "'py-thing>=2.8.2'"},
      {"another version", "Thing<3,>=2", "thing-1.26.4.dist-info/METADATA",
       "pack 1.2 has requirement thing<3,>=2, but you have thing 1.26.4", "'thing<3,>=2'"},
      {"met", "thing>=1", "thing-1.26.4.dist-info/METADATA", "", ""},
      {"an egg of distutils", "thing>=2", "thing-1.0-py3.11.egg-info",
       "pack 1.2 has requirement thing>=2, but you have thing 1.0", "'thing>=2'"},
      {"one without a version", "thing>=2", "thing.egg-link", "", ""},
      {"elsewhere", "thing; sys_platform == 'win32'", "", "", ""},
      {"with an extra", "thing; extra == 'more'", "", "", ""},
      {"it is not known whether", "thing; platform_release > '6'", "", "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    WheelRoot root;
    root.requires_lines = "Requires-Dist: " + c.requires_line + "\n";
    if (!c.installed.empty()) root.files->add_file(kWheelSite + c.installed, std::string());
    const Answer answer = root.ask();
    CHECK(answer.verdict() == Verdict::Works);
    CHECK(warnings_of(answer) == (c.warning.empty() ? "" : "[wheel-requirement] " + c.warning + "\n"));
    CHECK(fix_of(answer) == (c.warning.empty() ? "" : "/usr/bin/python3.11 -m pip install " + c.requirement));
  }
}

TEST_CASE("an import that lacks a module is fixed by the requirement that brings it") {
  struct Case {
    const char* why;
    std::string source;
    std::string requires_lines;
    std::string fix;
  };
  const Case cases[] = {
      {"the same name", "import thing\n", "Requires-Dist: other\nRequires-Dist: thing>=2\n", "'thing>=2'"},
      {"python- before it", "import thing.part\n", "Requires-Dist: other\nRequires-Dist: python-thing>=2\n",
       "'python-thing>=2'"},
      {"the only one of who imports it", "import bs4\n", "Requires-Dist: beautifulsoup4>=4\n", "'beautifulsoup4>=4'"},
      {"which of two is not known", "import bs4\n", "Requires-Dist: other\nRequires-Dist: beautifulsoup4>=4\n", ""},
      {"another exception", "raise ValueError('x')\n", "Requires-Dist: thing\n", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    WheelRoot root;
    root.source = c.source;
    root.requires_lines = c.requires_lines;
    const Answer answer = root.ask();
    CHECK(answer.verdict() == Verdict::Fails);
    CHECK(fix_of(answer) == (c.fix.empty() ? "" : "/usr/bin/python3.11 -m pip install " + c.fix));
  }
}

TEST_CASE("a wheel for another interpreter is a warning, and installed again by this one's pip") {
  WheelRoot root;
  root.tags = "Tag: py3-none-any\n";
  CHECK(warnings_of(root.ask()) == "");
  root.tags = "Tag: cp39-cp39-manylinux_2_17_x86_64\nTag: cp39-cp39-manylinux2014_x86_64\n";
  const Answer answer = root.ask();
  CHECK(answer.verdict() == Verdict::Works);
  CHECK(warnings_of(answer) ==
        "[wheel-tags] wheel pack 1.2 is built for cp39-cp39-manylinux_2_17_x86_64 and 1 more; this is "
        "/usr/bin/python3.11 (CPython 3.11)\n");
  CHECK(fix_of(answer) == "/usr/bin/python3.11 -m pip install --force-reinstall --no-deps pack==1.2");
  root.tags = "Tag: cp311-cp311-manylinux_2_17_x86_64\nTag: cp39-cp39-manylinux_2_17_x86_64\n";
  CHECK(warnings_of(root.ask()) == "");
}
