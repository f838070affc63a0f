// sys.path and prefixes, by files: installations, virtual environments, Debian's directories, .pth files.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "python/python_environment.h"
#include "python/python_finder.h"

using namespace soresolve;

namespace {

using Paths = std::vector<std::string>;

/// An installation below `prefix`.
void install(MemoryFileSystem& files, const std::string& prefix, const std::string& version = "3.11") {
  files.add_file(prefix + "/bin/python" + version, "\177ELF", 0755);
  files.add_symlink(prefix + "/bin/python3", "python" + version);
  files.add_file(prefix + "/lib/python" + version + "/os.py", "");
  files.add_file(prefix + "/lib/python" + version + "/lib-dynload/math.cpython-311-x86_64-linux-gnu.so", "");
  files.add_directory(prefix + "/lib/python" + version + "/site-packages");
}

PythonEnvironment read(const MemoryFileSystem& files, const std::string& interpreter,
                       std::vector<std::string> variables = {}) {
  return read_python_environment(files, Environment(std::move(variables)), interpreter);
}

}  // namespace

TEST_CASE("an installation") {
  MemoryFileSystem files;
  install(files, "/opt/py");
  const PythonEnvironment python = read(files, "/opt/py/bin/python3");
  CHECK(python.minor_number == 11);
  CHECK(python.prefix == "/opt/py");
  CHECK(python.base_prefix == "/opt/py");
  CHECK(python.path == Paths{"", "/opt/py/lib/python311.zip", "/opt/py/lib/python3.11",
                             "/opt/py/lib/python3.11/lib-dynload", "/opt/py/lib/python3.11/site-packages"});
}

TEST_CASE("a virtual environment has its own packages, and the system's only if it says so") {
  MemoryFileSystem files;
  install(files, "/opt/py");
  files.add_symlink("/v/bin/python3", "/opt/py/bin/python3.11");
  files.add_file("/v/pyvenv.cfg", "home = /opt/py/bin\ninclude-system-site-packages = false\nversion = 3.11.7\n");
  files.add_directory("/v/lib/python3.11/site-packages");
  files.add_directory("/home/me/.local/lib/python3.11/site-packages");
  const std::vector<std::string> home = {"HOME=/home/me"};
  PythonEnvironment python = read(files, "/v/bin/python3", home);
  CHECK(python.prefix == "/v");
  CHECK(python.base_prefix == "/opt/py");
  CHECK(python.site_directories == Paths{"/v/lib/python3.11/site-packages"});

  files.add_file("/v/pyvenv.cfg", "home = /opt/py/bin\ninclude-system-site-packages = true\n");
  python = read(files, "/v/bin/python3", home);
  CHECK(python.site_directories == Paths{"/home/me/.local/lib/python3.11/site-packages",
                                         "/v/lib/python3.11/site-packages", "/opt/py/lib/python3.11/site-packages"});
}

TEST_CASE("Debian's Python has directories of its own") {
  MemoryFileSystem files;
  install(files, "/usr");
  files.add_directory("/usr/lib/python3/dist-packages");
  files.add_directory("/usr/local/lib/python3.11/dist-packages");
  const PythonEnvironment python = read(files, "/usr/bin/python3");
  CHECK(python.site_directories == Paths{"/usr/local/lib/python3.11/dist-packages", "/usr/lib/python3/dist-packages"});
}

TEST_CASE("variables count") {
  MemoryFileSystem files;
  install(files, "/opt/py");
  files.add_directory("/u/lib/python3.11/site-packages");
  CHECK(read(files, "/opt/py/bin/python3", {"PYTHONPATH=/a:/b"}).path[1] == "/a");
  CHECK(read(files, "/opt/py/bin/python3", {"PYTHONUSERBASE=/u"}).site_directories.front() ==
        "/u/lib/python3.11/site-packages");
  CHECK(read(files, "/opt/py/bin/python3", {"PYTHONUSERBASE=/u", "PYTHONNOUSERSITE=1"}).site_directories.size() == 1);
}

TEST_CASE(".pth files add directories that exist; code in them is counted, not run") {
  MemoryFileSystem files;
  install(files, "/opt/py");
  const std::string site = "/opt/py/lib/python3.11/site-packages";
  files.add_directory("/src/pkg");
  files.add_directory(site + "/beside");
  files.add_file(site + "/a.pth", "# a comment\n/src/pkg\nbeside\n/nowhere\n/src/pkg\n");
  files.add_file(site + "/b.pth", std::string("import evil; evil.run()\nx\0y\n", 28));
  files.add_file(site + "/.hidden.pth", "/src\n");
  files.add_file(site + "/distutils-precedence.pth", "import os; var = 'SETUPTOOLS_USE_DISTUTILS'\n");
  files.add_file(site + "/soresolve-hook.pth", "import os; os.environ.get('SORESOLVE_HOOK')\n");
  const PythonEnvironment python = read(files, "/opt/py/bin/python3");
  CHECK(std::vector(python.path.begin() + 4, python.path.end()) == Paths{site, "/src/pkg", site + "/beside"});
  REQUIRE(python.code_lines.size() == 1);
  CHECK(python.code_lines[0].file == site + "/b.pth");
  CHECK(python.code_lines[0].number == 1);
  CHECK(python.code_lines[0].text == "import evil; evil.run()");
}

TEST_CASE(".pth files without end are bounded") {
  MemoryFileSystem files;
  install(files, "/opt/py");
  const std::string site = "/opt/py/lib/python3.11/site-packages";
  std::string many;
  for (int i = 0; i < 3000; ++i) {
    files.add_directory("/d/" + std::to_string(i));
    many += "/d/" + std::to_string(i) + "\n";
  }
  files.add_file(site + "/many.pth", many);
  files.add_file(site + "/huge.pth", std::string(1u << 20, '/'));
  CHECK(read(files, "/opt/py/bin/python3").path.size() == kMaxPythonPath);
}

TEST_CASE("modules are found as importlib finds them") {
  MemoryFileSystem files;
  install(files, "/opt/py");
  for (const char* file : {"/s/both.py", "/s/both/__init__.py", "/s/ext.py", "/s/ext.cpython-311-x86_64-linux-gnu.so",
                           "/s/other.cpython-310-x86_64-linux-gnu.so", "/s/stable.abi3.so", "/s/bare.so", "/s/old.pyc",
                           "/s/ns/x.py", "/t/ns/y.py", "/t/ext.py"}) {
    files.add_file(file, "");
  }
  const PythonEnvironment python = read(files, "/opt/py/bin/python3");
  PythonFinder finder(files, python, "/cwd", "x86_64");
  const auto file_of = [&](const char* name) {
    const auto found = finder.find(name, {"/s", "/t"});
    return found ? found->file : std::string("nowhere");
  };
  CHECK_MESSAGE(file_of("both") == "/s/both/__init__.py", "a package before a module");
  CHECK_MESSAGE(file_of("ext") == "/s/ext.cpython-311-x86_64-linux-gnu.so", "an extension module before a source");
  CHECK_MESSAGE(file_of("other") == "nowhere", "of another release");
  CHECK(file_of("stable") == "/s/stable.abi3.so");
  CHECK(file_of("bare") == "/s/bare.so");
  CHECK(file_of("old") == "/s/old.pyc");
  CHECK(file_of("../s/both") == "nowhere");
  const auto portions = finder.find("ns", {"/s", "/t"});
  REQUIRE(portions);
  CHECK(portions->kind == PythonModule::Kind::Namespace);
  CHECK(portions->search == Paths{"/s/ns", "/t/ns"});
  CHECK_MESSAGE(finder.path().front() == "/cwd", "the empty entry is the current directory");
}

TEST_CASE("the interpreter in a place") {
  MemoryFileSystem files;
  install(files, "/opt/py");
  CHECK(interpreter_in(files, "/opt/py") == "/opt/py/bin/python3");
  CHECK(interpreter_in(files, "/opt/py/") == "/opt/py/bin/python3");
  CHECK(interpreter_in(files, "/opt/py/bin/python3.11") == "/opt/py/bin/python3.11");
  CHECK(interpreter_in(files, "/opt").empty());
}
