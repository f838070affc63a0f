// Names of packages by Debian's policy, and which of them apt's lists have.
#include "packages/package_lists.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "soresolve/file_system.h"

using namespace soresolve;

using Names = std::vector<std::string>;

TEST_CASE("the policy names the package of a library by its SONAME") {
  struct Case {
    const char* library;
    const char* package;  ///< the best; empty: none
  };
  const Case cases[] = {
      {"libaio.so.1", "libaio1"},
      {"libgtk-4.so.1", "libgtk-4-1"},
      {"libgeos_c.so.1", "libgeos-c1"},
      {"libSDL2-2.0.so.0", "libsdl2-2.0-0"},
      {"/usr/lib/libfoo.so.1.2", "libfoo1.2"},
      {"liblua5.4.so", ""},  // its number is of no release
      {"libtool.so", ""},
      {"foo.so.1", ""},
      {"libx$(reboot).so.1", ""},
      {"libx.so.1 -y", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.library);
    const Names names = policy_names(c.library);
    CHECK((names.empty() ? "" : names.front()) == std::string(c.package));
  }
}

TEST_CASE("packages are those that a list has, whatever else stands in it") {
  const auto files = std::make_shared<MemoryFileSystem>();
  const std::string lists = "/var/lib/apt/lists/";
  files->add_file(lists + "m_main_Packages", "Package: libaio1\nSize: 1\n\nPackage: libgeos-c1v5\n\nPackage: other\n");
  files->add_file(lists + "m_more_Packages", "Package: libsnappy1v5\nPackage: libcut1");  // cut off in a name
  files->add_file(lists + "m_InRelease", "Package: libno1\n");
  files->add_file(lists + "m_bad_Packages.xz", std::string("\xfd") + "7zXZ" + std::string(200, '\0'));
  const auto found = packages_in_lists(
      *files, {"libaio.so.1", "libgeos_c.so.1", "libsnappy.so.1", "libno.so.1", "libcut.so.1", "liblua5.4.so"});
  CHECK(found.size() == 3);
  CHECK(found.at("libaio.so.1") == "libaio1");
  CHECK(found.at("libgeos_c.so.1") == "libgeos-c1v5");
  CHECK(found.at("libsnappy.so.1") == "libsnappy1v5");
  CHECK(packages_in_lists(*files, {}).empty());
}
