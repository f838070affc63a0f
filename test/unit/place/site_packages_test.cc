// Where a wheel lies in a tree: the Python that an import would find has to find it.
#include "place/site_packages.h"

#include <doctest/doctest.h>

#include "soresolve/file_system.h"

using namespace soresolve;

TEST_CASE("a wheel is installed for the Python that an import finds") {
  MemoryFileSystem files;
  for (const char* const directory :
       {"/usr/local/lib/python3.11/dist-packages", "/usr/lib/python3/dist-packages", "/v/lib/python3.11/site-packages",
        "/conda/lib/python3.11/site-packages", "/new/lib/python3.13/site-packages",
        "/home/a/.pyenv/versions/3.11.7/lib/python3.11/site-packages",
        "/home/a/.pyenv/versions/3.9.1/lib/python3.9/site-packages"})
    files.add_directory(directory);
  files.add_file("/home/a/.pyenv/version", "3.11.7\n3.9.1\n");
  files.add_file("/v/bin/python3", "");
  files.add_file("/home/a/.pyenv/shims/python3",
                 "#!/usr/bin/env bash\nprogram=\"${0##*/}\"\nexport PYENV_ROOT=\"/home/a/.pyenv\"\n"
                 "exec \"/home/a/.pyenv/libexec/pyenv\" exec \"$program\" \"$@\"\n",
                 0755);
  for (const char* const version : {"3.11.7", "3.9.1"}) {
    files.add_file("/home/a/.pyenv/versions/" + std::string(version) + "/bin/python3", "", 0755);
  }
  struct Case {
    const char* why;
    const char* minor;
    const char* python;
    std::vector<std::string> env;
    const char* want;
  };
  const std::string debian = "/usr/local/lib/python3.11/dist-packages";
  const Case cases[] = {
      {"nothing is said: pip of Debian's Python", "11", "", {}, debian.c_str()},
      {"the environment that is active", "11", "", {"VIRTUAL_ENV=/v"}, "/v/lib/python3.11/site-packages"},
      {"that of conda", "11", "", {"CONDA_PREFIX=/conda"}, "/conda/lib/python3.11/site-packages"},
      {"the first in PATH", "11", "", {"PATH=/none/bin:/v/bin:/conda/bin"}, "/v/lib/python3.11/site-packages"},
      {"Debian's own, before others behind it", "11", "", {"PATH=/usr/bin:/v/bin"}, debian.c_str()},
      {"one that the wheel's tag does not fit is passed over",
       "11",
       "",
       {"PATH=/new/bin:/v/bin"},
       "/v/lib/python3.11/site-packages"},
      {"a tag for every Python", "", "", {"PATH=/new/bin:/v/bin"}, "/new/lib/python3.13/site-packages"},
      {"an interpreter is named", "11", "/v/bin/python3", {"PATH=/conda/bin"}, "/v/lib/python3.11/site-packages"},
      {"an environment is named", "11", "/conda", {"VIRTUAL_ENV=/v"}, "/conda/lib/python3.11/site-packages"},
      {"pyenv's first version",
       "11",
       "",
       {"PATH=/home/a/.pyenv/shims:/usr/bin"},
       "/home/a/.pyenv/versions/3.11.7/lib/python3.11/site-packages"},
      {"pyenv's version by its variable",
       "9",
       "",
       {"PATH=/home/a/.pyenv/shims", "PYENV_VERSION=3.9.1"},
       "/home/a/.pyenv/versions/3.9.1/lib/python3.9/site-packages"},
      {"a name that begins alike is another variable", "11", "", {"VIRTUAL_ENV_PROMPT=/v"}, debian.c_str()},
      {"no Python of this release: what Debian has for all",
       "14",
       "",
       {"PATH=/v/bin"},
       "/usr/lib/python3/dist-packages"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(site_packages(files, c.minor, c.python, c.env) == c.want);
  }
  CHECK(site_packages(MemoryFileSystem(), "11", "", {}) == "/");
}

TEST_CASE("a conda package lies in the environment that conda would put it in") {
  MemoryFileSystem base;
  for (const char* prefix : {"/conda", "/opt/miniforge3", "/home/a/envs/b"}) {
    base.add_file(std::string(prefix) + "/conda-meta/history", "");
    base.add_file(std::string(prefix) + "/bin/python3", "");
  }
  base.add_file("/usr/bin/python3", "");
  struct Case {
    const char* why;
    const char* python;
    std::vector<std::string> env;
    const char* want;
  };
  const Case cases[] = {
      {"the environment that is active", "", {"CONDA_PREFIX=/home/a/envs/b", "PATH=/conda/bin"}, "/home/a/envs/b"},
      {"one that is not in this root is passed over", "", {"CONDA_PREFIX=/elsewhere", "PATH=/conda/bin"}, "/conda"},
      {"the first in PATH that conda has made", "", {"PATH=/usr/bin:/home/a/envs/b/bin:/conda/bin"}, "/home/a/envs/b"},
      {"where images have it", "", {}, "/opt/miniforge3"},
      {"an environment is named", "/conda", {"CONDA_PREFIX=/home/a/envs/b"}, "/conda"},
      {"an interpreter is named", "/conda/bin/python3", {}, "/conda"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.why);
    CHECK(conda_prefix(base, c.python, c.env) == c.want);
  }
  CHECK(conda_prefix(MemoryFileSystem(), "", {"CONDA_PREFIX=/conda"}) == "/opt/conda");
}
