// PEP 508's markers, with three values.
#include "packages/environment_marker.h"

#include <doctest/doctest.h>

#include <string>

using namespace soresolve;

TEST_CASE("a marker holds, does not, or is not known") {
  enum class Holds { Yes, No, NotKnown };
  using enum Holds;
  struct Case {
    std::string marker;
    Holds want;
    const char* why;
  };
  const Case cases[] = {
      {"", Yes, "no marker"},
      {R"(python_version >= "3.9")", Yes, "numbers, not texts: 3.11"},
      {R"(python_version < '3.9')", No, "the other quotes"},
      {R"("3.9" < python_version)", Yes, "sides exchanged"},
      {R"(python_full_version < "3.11.4")", NotKnown, "the last number is not known"},
      {R"(python_full_version < "3.12.1")", Yes, "whatever it is"},
      {R"(sys_platform == "win32")", No, "no version: compared as text"},
      {R"(sys_platform != "win32" and platform_machine == "x86_64")", Yes, ""},
      {R"(platform_system == "Linux" or python_version < "3")", Yes, ""},
      {R"(platform_release >= "5.4")", NotKnown, "the kernel is not looked at"},
      {R"(platform_release >= "5.4" and os_name == "nt")", No, "whatever the first side is"},
      {R"(platform_release >= "5.4" or os_name == "posix")", Yes, "likewise"},
      {R"(platform_release >= "5.4" or os_name == "nt")", NotKnown, ""},
      {R"(extra == "gpu")", No, "no extra is asked for"},
      {R"(extra != "gpu")", Yes, ""},
      {R"(implementation_name == "cpython")", Yes, ""},
      {R"(platform_python_implementation != "PyPy")", Yes, ""},
      {R"(platform_machine in "x86_64 aarch64")", Yes, ""},
      {R"(platform_machine not in "x86_64 aarch64")", No, ""},
      {R"((sys_platform == "linux" or extra == "a") and (python_version ~= "3.8"))", Yes, ""},
      {R"(sys_platform == "darwin" or sys_platform == "linux" and extra == "a")", No, "and binds closer"},
      {R"(python_version >= "3.9)", NotKnown, "a quote that does not end"},
      {R"((python_version >= "3.9")", NotKnown, "a bracket that does not end"},
      {R"(python_version >= "3.9" then)", NotKnown, "a word too many"},
      {R"(python_version)", NotKnown, "no comparison"},
      {std::string(1000, '('), NotKnown, "brackets beyond the bound"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.marker);
    CAPTURE(c.why);
    const std::optional<bool> holds = evaluate_marker(c.marker, {.minor_number = 11, .machine = "x86_64"});
    CHECK((holds ? *holds ? Yes : No : NotKnown) == c.want);
  }
  CHECK_FALSE(evaluate_marker("implementation_name == 'cpython'", {.minor_number = 11, .is_cpython = false}));
  CHECK_FALSE(evaluate_marker("python_version > '3'", {}));
}
