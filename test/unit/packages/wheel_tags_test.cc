// Tags of wheels against an interpreter.
#include "packages/wheel_tags.h"

#include <doctest/doctest.h>

#include <string>

using namespace soresolve;

TEST_CASE("a tag is one for CPython 3.11 on x86-64 with glibc, is none, or is not known") {
  enum class Is { Right, Wrong, NotKnown };
  using enum Is;
  struct Case {
    std::string tag;
    Is want;
  };
  const Case cases[] = {
      {"cp311-cp311-manylinux_2_17_x86_64", Right},
      {"cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", Right},
      {"cp311-cp311-linux_x86_64", Right},
      {"cp39-abi3-manylinux1_x86_64", Right},
      {"cp312-abi3-manylinux_2_17_x86_64", Wrong},
      {"cp39-cp39-manylinux_2_17_x86_64", Wrong},
      {"cp37-cp37m-manylinux1_x86_64", Wrong},
      {"cp311-cp311-manylinux_2_17_aarch64", Wrong},
      {"cp311-cp311-musllinux_1_2_x86_64", Wrong},
      {"cp311-cp311-macosx_11_0_arm64", Wrong},
      {"cp311-cp311-win_amd64", Wrong},
      {"pp39-pypy39_pp73-manylinux_2_17_x86_64", Wrong},
      {"py3-none-any", Right},
      {"py2.py3-none-any", Right},
      {"py2-none-any", Wrong},
      {"py39-none-any", Right},
      {"py312-none-any", Wrong},
      {"py3-none-manylinux_2_28_x86_64", Right},
      {"cp311-none-any", Right},
      {"cp313t-cp313t-manylinux_2_28_x86_64", NotKnown},
      {"cp311-cp311", NotKnown},
      {"", NotKnown},
  };
  for (const Case& c : cases) {
    CAPTURE(c.tag);
    const auto right = is_tag_for(c.tag, {.minor_number = 11, .machine = "x86_64"}, Libc::Glibc);
    CHECK((right ? *right ? Right : Wrong : NotKnown) == c.want);
  }
  CHECK(is_tag_for("cp311-cp311-musllinux_1_2_x86_64", {.minor_number = 11, .machine = "x86_64"}, Libc::Musl) == true);
  CHECK(is_tag_for("cp311-cp311-linux_i686", {.minor_number = 11}, Libc::Glibc) == std::nullopt);
  CHECK(is_tag_for("cp39-cp39-any", {.minor_number = 11, .is_cpython = false}, Libc::Glibc) == std::nullopt);
}
