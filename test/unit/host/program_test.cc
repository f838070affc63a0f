// Which program opens a file: interpreters of scripts and of extension modules.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "host/host.h"
#include "python/interpreter.h"
#include "support/elf_writer.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

/// Files of a machine; programs are ELF files that may be executed.
class Scripts {
 public:
  Scripts& program(const std::string& path) {
    files.add_file(path, write_elf(::soresolve::test::program()), 0755);
    return *this;
  }
  Scripts& script(const std::string& path, const std::string& content) {
    files.add_file(path, content, 0755);
    return *this;
  }
  Scripts& module(const std::string& path, const std::string& symbol = {}) {
    ElfSpec spec = library();
    if (!symbol.empty()) spec.define(defined(symbol));
    files.add_file(path, write_elf(spec));
    return *this;
  }
  Scripts& env(const std::string& entry) {
    environment.add(entry);
    return *this;
  }
  [[nodiscard]] std::string python_of(const std::string& path) const {
    const auto found = find_python(files, environment, path);
    return found ? found->path : "none";
  }

  MemoryFileSystem files;
  Environment environment;
};

}  // namespace

TEST_CASE("the tag of a module's name") {
  struct Case {
    std::string name;
    std::string implementation;
    int minor_number;
    bool is_stable;
  };
  const Case cases[] = {
      {"_C.cpython-311-x86_64-linux-gnu.so", "cpython", 11, false},
      {"_C.cpython-38-x86_64-linux-gnu.so", "cpython", 8, false},
      {"_C.cpython-313t-x86_64-linux-gnu.so", "cpython", 13, false},
      {"_rust.abi3.so", "cpython", 0, true},
      {"_C.pypy39-pp73-x86_64-linux-gnu.so", "pypy", 9, false},
      {"_C.so", "", 0, false},
      {"libfoo.so.1", "", 0, false},
      {"_C.cpython-.so", "cpython", 0, false},
      {"_C.cpython-99999999999999999999.so", "cpython", 0, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const PythonTag tag = python_tag(c.name);
    CHECK(tag.implementation == c.implementation);
    CHECK(tag.minor_number == c.minor_number);
    CHECK(tag.is_stable_abi == c.is_stable);
  }
}

TEST_CASE("a module is told by its tag or by what it defines") {
  Scripts machine;
  machine.module("/m/_C.cpython-311-x86_64-linux-gnu.so")
      .module("/m/_C.so", "PyInit__C")
      .module("/m/other.so", "PyInit__C")
      .module("/m/lib.cpython-311-x86_64-linux-gnu.so", "PyInit_lib")
      .module("/m/libfoo.abi3.so", "PyInit_libfoo")
      .module("/m/libpython_ext.so", "PyInit_libpython_ext")
      .module("/m/libtorch.so", "THPVariable_Wrap")
      .module("/m/plugin.so.1", "PyInit_plugin")
      .script("/m/text.so", "no ELF file");
  CHECK(is_python_module(machine.files, "/m/_C.cpython-311-x86_64-linux-gnu.so"));
  CHECK(is_python_module(machine.files, "/m/_C.so"));
  CHECK(is_python_module(machine.files, "/m/lib.cpython-311-x86_64-linux-gnu.so"));
  CHECK(is_python_module(machine.files, "/m/libfoo.abi3.so"));
  CHECK(is_python_module(machine.files, "/m/libpython_ext.so"));
  CHECK(!is_python_module(machine.files, "/m/other.so"));
  CHECK(!is_python_module(machine.files, "/m/libtorch.so"));
  CHECK(!is_python_module(machine.files, "/m/plugin.so.1"));
  CHECK(!is_python_module(machine.files, "/m/text.so"));
  CHECK(!is_python_module(machine.files, "/m/gone.so"));
}

TEST_CASE("the interpreter of the environment that a module lies in comes first") {
  Scripts machine;
  machine.program("/usr/bin/python3.11").program("/opt/conda/bin/python3.11").program("/venv/bin/python");
  machine.files.add_symlink("/usr/bin/python3", "python3.11");
  machine.files.add_directory("/opt/conda/conda-meta");
  machine.script("/venv/pyvenv.cfg", "home = /usr/bin\n");
  const std::string tag = ".cpython-311-x86_64-linux-gnu.so";
  struct Case {
    std::string why;
    std::string path;
    std::string python;
  };
  const Case cases[] = {
      {"conda", "/opt/conda/lib/python3.11/site-packages/a/_C" + tag, "/opt/conda/bin/python3.11"},
      {"system", "/usr/lib/python3/dist-packages/a/_C" + tag, "/usr/bin/python3.11"},
      {"elsewhere", "/home/u/build/_C" + tag, "/usr/bin/python3.11"},
      {"no tag, directory", "/opt/conda/lib/python3.11/site-packages/_C.so", "/opt/conda/bin/python3.11"},
      {"no tag at all", "/home/u/_C.so", "/usr/bin/python3"},
      {"stable ABI", "/usr/lib/python3/dist-packages/_rust.abi3.so", "/usr/bin/python3"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(machine.python_of(c.path) == c.python);
  }
  // What /venv/bin/python is no name tells; a link does.
  CHECK(machine.python_of("/venv/lib/python3.11/site-packages/_C" + tag) == "/usr/bin/python3.11");
  machine.files.add_symlink("/venv/bin/python3", "/usr/bin/python3.11");
  CHECK(machine.python_of("/venv/lib/python3.11/site-packages/_C" + tag) == "/venv/bin/python3");
}

TEST_CASE("then the environment, PATH and pyenv; scripts in PATH are none") {
  const std::string module = "/home/u/_C.cpython-310-x86_64-linux-gnu.so";
  Scripts machine;
  CHECK(machine.python_of(module) == "none");
  machine.script("/home/u/.pyenv/shims/python3.10", "#!/bin/sh\n")
      .program("/home/u/.pyenv/versions/3.10.13/bin/python3.10")
      .program("/home/u/.pyenv/versions/3.11.7/bin/python3.11")
      .env("PATH=/home/u/.pyenv/shims:/usr/bin")
      .env("HOME=/home/u");
  CHECK(machine.python_of(module) == "/home/u/.pyenv/versions/3.10.13/bin/python3.10");
  machine.program("/usr/bin/python3.10");
  CHECK(machine.python_of(module) == "/usr/bin/python3.10");
  machine.program("/env/bin/python3.10").env("VIRTUAL_ENV=/env");
  CHECK(machine.python_of(module) == "/usr/bin/python3.10");
}

TEST_CASE("one rule says which Python: given, running, around the module, by name, by variables") {
  const std::string module = "/home/u/_C.so";
  const std::string tagged = "/home/u/_C.cpython-310-x86_64-linux-gnu.so";
  Scripts machine;
  machine.program("/venv/bin/python3").env("VIRTUAL_ENV=/venv");
  CHECK(machine.python_of(module) == "/venv/bin/python3");
  machine.program("/path/bin/python3").env("PATH=/wrapped:/path/bin");
  CHECK(machine.python_of(module) == "/path/bin/python3");
  machine.program("/opt/bin/python3.12").script("/wrapped/python3", "#!/bin/sh\nexec /opt/bin/python3.12 \"$@\"\n");
  const auto wrapped = find_python(machine.files, machine.environment, module);
  REQUIRE(wrapped.has_value());
  CHECK(wrapped->path == "/opt/bin/python3.12");
  CHECK(wrapped->reason ==
        say("process-extension", {{"why", say("process-behind-shim", {{"shim", "/wrapped/python3"}})}}));
  machine.program("/running/bin/python3.11");
  PythonChoice choice{{}, "/running/bin/python3.11", "/"};
  const auto chosen = [&](const std::string& path) {
    const auto found = find_python(machine.files, machine.environment, path, choice);
    return found ? found->path : "none";
  };
  CHECK(chosen(module) == "/running/bin/python3.11");
  machine.program("/usr/bin/python3.10");
  CHECK(chosen(tagged) == "/usr/bin/python3.10");
  choice.given = "/venv";
  CHECK(chosen(module) == "/venv/bin/python3");
  CHECK(chosen(tagged) == "/venv/bin/python3");
  choice = {{}, {}, "/"};
  CHECK(python_by_name(machine.files, machine.environment, choice)->path == "/opt/bin/python3.12");
}

TEST_CASE("a script in PATH that cannot be followed is passed over, and that is said") {
  Scripts machine;
  machine.program("/path/bin/python3").env("PATH=/wrapped:/path/bin");
  for (const char* const text : {"#!/bin/sh\nif true; then exec /a/python3 \"$@\"; fi\nexec /b/python3 \"$@\"\n",
                                 "#!/bin/sh\nLD_LIBRARY_PATH=/x exec /path/bin/python3 \"$@\"\n",
                                 "#!/bin/sh\nexec $PYTHON \"$@\"\n", "#!/bin/sh\nexec /gone/python3 \"$@\"\n"}) {
    CAPTURE(text);
    machine.script("/wrapped/python3", text).program("/a/python3").program("/b/python3").program("/bin/sh");
    const auto found = find_python(machine.files, machine.environment, "/home/u/_C.so");
    REQUIRE(found.has_value());
    CHECK(found->path == "/path/bin/python3");
    CHECK(found->reason ==
          say("process-extension", {{"why", say("process-behind-other", {{"other", "/wrapped/python3"}})}}));
  }
}

TEST_CASE("another release stands in, and that is said") {
  Scripts machine;
  machine.program("/usr/bin/python3.11").files.add_symlink("/usr/bin/python3", "python3.11");
  const auto found = find_python(machine.files, machine.environment, "/home/u/_C.cpython-310-x86_64-linux-gnu.so");
  REQUIRE(found.has_value());
  CHECK(found->path == "/usr/bin/python3");
  CHECK(found->reason == say("process-stands-in-for-name", {{"version", "3.10"}}));
}

TEST_CASE("a script stands for its interpreter") {
  Scripts machine;
  machine.program("/usr/bin/python3").program("/opt/bin/python3").program("/bin/prog");
  machine.script("/app/a", "#!/usr/bin/python3\n")
      .script("/app/options", "#! /usr/bin/python3 -E -s\n")
      .script("/app/env", "#!/usr/bin/env python3\nimport torch\n")
      .script("/app/split", "#!/usr/bin/env -S LANG=C python3 -u\n")
      .script("/app/nested", "#!/app/a\n")
      .script("/app/endless", "#!/app/endless\n")
      .script("/app/gone", "#!/nowhere/python\n");
  machine.env("PATH=/opt/bin:/usr/bin");
  const auto behind = [&](const std::string& path) {
    const Result<std::string> program = program_behind(machine.files, machine.environment, path);
    return program ? *program : "error: " + program.error().to_string();
  };
  CHECK(behind("/bin/prog") == "/bin/prog");
  CHECK(behind("/app/a") == "/usr/bin/python3");
  CHECK(behind("/app/options") == "/usr/bin/python3");
  CHECK(behind("/app/env") == "/opt/bin/python3");
  CHECK(behind("/app/split") == "/opt/bin/python3");
  CHECK(behind("/app/nested") == "/usr/bin/python3");
  CHECK(behind("/app/endless").starts_with("error: /app/endless: is a script whose interpreter"));
  CHECK(behind("/app/gone").starts_with("error: /nowhere/python: No such file"));
}

TEST_CASE("env in a script searches for the program as env does") {
  struct Case {
    std::string why;
    std::string argument;
    std::string program;
  };
  const std::string kNone = "/usr/bin/env";
  const Case cases[] = {
      {"-S splits", "-S python3 -u", "/opt/bin/python3"},
      {"and may stand close", "-Spython3 -u", "/opt/bin/python3"},
      {"or be long", "--split-string=python3 -u", "/opt/bin/python3"},
      {"without -S it is one name", "python3 -u", kNone},
      {"-i takes PATH away", "-iS python3", "/usr/bin/python3"},
      {"as does a dash", "-S - python3", "/usr/bin/python3"},
      {"and -u PATH", "-S -u PATH python3", "/usr/bin/python3"},
      {"of another name it does not", "-S -u HOME python3", "/opt/bin/python3"},
      {"PATH can be given", "-S PATH=/srv/bin python3", "/srv/bin/python3"},
      {"after it was taken", "-iS PATH=/srv/bin python3", "/srv/bin/python3"},
      {"also in pieces", "-S PATH=/srv/bin:${PATH} python3", "/srv/bin/python3"},
      {"other variables do not matter", "-S LANG=C A= python3 -u", "/opt/bin/python3"},
      {"quotes hold words together", "-S 'LANG=C python3' python3", "/opt/bin/python3"},
      {"double ones as well", "-S A=\"b c\" python3", "/opt/bin/python3"},
      {"\\_ parts words", "-S A=b\\_python3", "/opt/bin/python3"},
      {"\\_ in quotes does not", "-S \"A=b\\_c\" python3", "/opt/bin/python3"},
      {"\\c ends it", "-S PATH=/srv/bin\\c python3", kNone},
      {"# begins a comment", "-S python3 # PATH=/srv/bin", "/opt/bin/python3"},
      {"an open quote is an error", "-S python3 'x", kNone},
      {"so is another variable's form", "-S $PATH python3", kNone},
      {"an option with its own word", "-S -C /tmp python3", "/opt/bin/python3"},
      {"and an unknown one", "-S -x python3", kNone},
      {"-S within -S", "-S -S'PATH=/srv/bin python3'", "/srv/bin/python3"},
      {"a path is not searched", "-S /srv/bin/python3 -u", "/srv/bin/python3"},
      {"nothing is there", "-S python4", kNone},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Scripts machine;
    machine.program("/usr/bin/python3").program("/opt/bin/python3").program("/srv/bin/python3").program("/usr/bin/env");
    machine.script("/s", "#!/usr/bin/env " + c.argument + "\n");
    machine.env("PATH=/opt/bin:/usr/bin");
    const Result<std::string> program = program_behind(machine.files, machine.environment, "/s");
    REQUIRE(program.has_value());
    CHECK(*program == c.program);
  }
}
