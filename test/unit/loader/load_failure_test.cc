// The loader's own words, at start-up and through dlerror(3)
// (glibc elf/dl-catch.c:fatal_error, dlfcn/dlerror.c).
#include <doctest/doctest.h>

#include <cerrno>
#include <string>

#include "soresolve/link_map.h"

using namespace soresolve;

TEST_CASE("a failure is argv[0], the occasion, the object, the text and the errno's words") {
  const std::string start = "./prog: error while loading shared libraries: ";
  struct Case {
    std::string why;
    std::string object;
    std::string text;
    int error;
    std::string start;
    std::string dlerror;
  };
  const Case cases[] = {
      {"missing", "libx.so", "cannot open shared object file", ENOENT,
       start + "libx.so: cannot open shared object file: No such file or directory",
       "libx.so: cannot open shared object file: No such file or directory"},
      {"no errno", "libx.so", "wrong ELF class: ELFCLASS32", 0, start + "libx.so: wrong ELF class: ELFCLASS32",
       "libx.so: wrong ELF class: ELFCLASS32"},
      {"ld.so has no words for it, dlerror has", "/d/libx.so", "cannot read file data", EISDIR,
       start + "/d/libx.so: cannot read file data: Error 21", "/d/libx.so: cannot read file data: Is a directory"},
      {"no object", "", "cannot open shared object file", 0, start + "cannot open shared object file",
       "cannot open shared object file"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    LoadFailure failure;
    failure.object = c.object;
    failure.text = c.text;
    failure.error = static_cast<Errno>(c.error);
    CHECK(failure.start_message("./prog") == c.start);
    CHECK(failure.dlerror_message() == c.dlerror);
  }
}

TEST_CASE("assertions and preload warnings stand for themselves") {
  for (const LoadFailure::Kind kind :
       {LoadFailure::Kind::Assertion, LoadFailure::Kind::VersionFile, LoadFailure::Kind::PreloadIgnored}) {
    LoadFailure failure;
    failure.kind = kind;
    failure.object = "libx.so";
    failure.text = "the whole line";
    CHECK(failure.start_message("prog") == "the whole line");
  }
}

TEST_CASE("the first failure that is fatal decides, for a start and for tracing apart") {
  LinkMap map;
  CHECK(map.first_fatal() == nullptr);
  CHECK(map.first_fatal_in_trace() == nullptr);
  map.failures.resize(3);
  map.failures[0].is_fatal_at_start = false;
  map.failures[2].is_fatal_in_trace = true;
  CHECK(map.first_fatal() == &map.failures[1]);
  CHECK(map.first_fatal_in_trace() == &map.failures[2]);
}
