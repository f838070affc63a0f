// What a shim starts, by its text and by what chooses a version. Real shims of pyenv are judged by
// test/machine/compare_shims.
#include "place/shims.h"

#include <doctest/doctest.h>

#include "soresolve/file_system.h"

using namespace soresolve;

namespace {

const std::string kPyenvShim =
    "#!/usr/bin/env bash\nset -e\nprogram=\"${0##*/}\"\nexport PYENV_ROOT=\"/h/.pyenv\"\n"
    "exec \"/h/.pyenv/libexec/pyenv\" exec \"$program\" \"$@\"\n";
const std::string kAsdfShim =
    "#!/usr/bin/env bash\n# asdf-plugin: python 3.11.4\n# asdf-plugin: python 3.9.1\n"
    "exec /h/.asdf/bin/asdf exec \"python3\" \"$@\"\n";

}  // namespace

TEST_CASE("a shim of pyenv and of asdf starts the version that is chosen") {
  MemoryFileSystem files;
  files.add_file("/h/.pyenv/shims/python3", kPyenvShim, 0755);
  files.add_file("/h/.asdf/shims/python3", kAsdfShim, 0755);
  files.add_file("/usr/bin/python3", "", 0755);
  for (const char* const version : {"3.9.1", "3.9.18", "3.11.4"}) {
    files.add_file("/h/.pyenv/versions/" + std::string(version) + "/bin/python3", "", 0755);
    files.add_file("/h/.asdf/installs/python/" + std::string(version) + "/bin/python3", "", 0755);
  }
  files.add_file("/h/.pyenv/version", "3.11.4\n3.9.1\n");
  files.add_file("/h/.tool-versions", "nodejs 20.1\npython 3.11.4 3.9.1\n");
  files.add_file("/proj/.python-version", "# mine\n3.9.1\n");
  files.add_file("/proj/.tool-versions", "python 3.9.1\n");
  files.add_file("/out/.python-version", "../../../usr\n");
  files.add_directory("/proj/a/b");
  struct Case {
    const char* why;
    const char* shim;
    std::vector<std::string> env;
    const char* cwd;
    const char* want;
  };
  const char* const pyenv = "/h/.pyenv/shims/python3";
  const char* const asdf = "/h/.asdf/shims/python3";
  const std::string path = "PATH=/h/.pyenv/shims:/h/.asdf/shims:/usr/bin";
  const Case cases[] = {
      {"the version for everybody", pyenv, {path}, "/", "/h/.pyenv/versions/3.11.4/bin/python3"},
      {"the directory's", pyenv, {path}, "/proj", "/h/.pyenv/versions/3.9.1/bin/python3"},
      {"one above it", pyenv, {path}, "/proj/a/b", "/h/.pyenv/versions/3.9.1/bin/python3"},
      {"the variable's", pyenv, {path, "PYENV_VERSION=3.11.4"}, "/proj", "/h/.pyenv/versions/3.11.4/bin/python3"},
      {"the first that is there",
       pyenv,
       {path, "PYENV_VERSION=2.7:3.9.1"},
       "/",
       "/h/.pyenv/versions/3.9.1/bin/python3"},
      {"the newest of a beginning", pyenv, {path, "PYENV_VERSION=3.9"}, "/", "/h/.pyenv/versions/3.9.18/bin/python3"},
      {"the system's", pyenv, {"PATH=/h/.pyenv/shims:/usr/bin", "PYENV_VERSION=system"}, "/", "/usr/bin/python3"},
      {"none that is installed", pyenv, {path, "PYENV_VERSION=3.13.0"}, "/", ""},
      {"no way out of the versions", pyenv, {path}, "/out", "/h/.pyenv/versions/3.11.4/bin/python3"},
      {"asdf, for everybody", asdf, {path, "HOME=/h"}, "/", "/h/.asdf/installs/python/3.11.4/bin/python3"},
      {"asdf, the directory's", asdf, {path, "HOME=/h"}, "/proj/a", "/h/.asdf/installs/python/3.9.1/bin/python3"},
      {"asdf, the variable's",
       asdf,
       {path, "HOME=/h", "ASDF_PYTHON_VERSION=3.9.18"},
       "/proj",
       "/h/.asdf/installs/python/3.9.18/bin/python3"},
      {"asdf, the system's",
       asdf,
       {"PATH=/h/.asdf/shims:/usr/bin", "ASDF_PYTHON_VERSION=system"},
       "/",
       "/usr/bin/python3"},
      {"asdf, a directory",
       asdf,
       {path, "ASDF_PYTHON_VERSION=path:/h/.pyenv/versions/3.9.1"},
       "/",
       "/h/.pyenv/versions/3.9.1/bin/python3"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(behind_shim(files, c.env, c.cwd, c.shim).value_or("") == c.want);
  }
}

TEST_CASE("a script of sh stands for the program of its only exec") {
  struct Case {
    const char* why;
    const char* text;
    const char* want;
  };
  const Case cases[] = {
      {"a path", "#!/bin/sh\nexec /opt/py/python3 \"$@\"\n", "/opt/py/python3"},
      {"with env in the first line", "#!/usr/bin/env bash\nexec /opt/py/python3 -E \"$@\"\n", "/opt/py/python3"},
      {"quoted, indented, with a name", "#!/bin/bash\n  exec -a python3 \"/opt/a b/python3\" \"$@\"\n",
       "/opt/a b/python3"},
      {"beside the script", "#!/bin/sh\nexec \"$(dirname \"$0\")/python3.real\" \"$@\"\n", "/bin/python3.real"},
      {"beside it, otherwise", "#!/bin/sh\nexec \"${0%/*}/python3.real\" \"$@\"\n", "/bin/python3.real"},
      {"what pip writes for a long path", "#!/bin/sh\n'''exec' /opt/py/python3 \"$0\" \"$@\"\n' '''\nimport sys\n",
       "/opt/py/python3"},
      {"behind variables and options", "#!/bin/sh\n# mine\nset -e\nHOME=/x\nexport HOME\nexec /opt/py/python3 \"$@\"\n",
       "/opt/py/python3"},
      {"behind a choice", "#!/bin/sh\nif a; then exec /b \"$@\"; fi\nexec /opt/py/python3 \"$@\"\n", ""},
      {"behind another command", "#!/bin/sh\n. ./activate\nexec /opt/py/python3 \"$@\"\n", ""},
      {"behind a list", "#!/bin/sh\nA=1 b && exit\nexec /opt/py/python3 \"$@\"\n", ""},
      {"a variable", "#!/bin/sh\nexec $HOME/python3 \"$@\"\n", ""},
      {"without the words", "#!/bin/sh\nexec /opt/py/python3 -m this\n", ""},
      {"another language", "#!/usr/bin/perl\nexec /opt/py/python3 \"$@\"\n", ""},
      {"it is not there", "#!/bin/sh\nexec /opt/gone/python3 \"$@\"\n", ""},
      {"it changes what the loader searches", "#!/bin/sh\nexport LD_LIBRARY_PATH=/x\nexec /opt/py/python3 \"$@\"\n",
       ""},
      {"a program", "\177ELF", ""},
      {"nothing", "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryFileSystem files;
    for (const char* const program : {"/opt/py/python3", "/opt/a b/python3", "/bin/python3.real"}) {
      files.add_file(program, "", 0755);
    }
    files.add_file("/bin/python3", c.text, 0755);
    CHECK(behind_shim(files, {}, "/", "/bin/python3").value_or("") == c.want);
  }
}
