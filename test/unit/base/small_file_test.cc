// A small file is read to its end or not at all, the start of a file as far as it goes; both only of regular files.
#include "base/small_file.h"

#include <doctest/doctest.h>

#include "soresolve/file_system.h"

using namespace soresolve;

namespace {

struct SmallTree {
  SmallTree() {
    files.add_file("/etc/conf", "0123456789");
    files.add_file("/etc/empty", "");
    files.add_file("/etc/large", std::string(40'000, 'x'));  // more than is read at once
  }
  MemoryFileSystem files;
};

}  // namespace

TEST_CASE("a small file is read to its end, or not at all") {
  const SmallTree tree;
  const FileSystem& files = tree.files;
  CHECK(read_small_file(files, "/etc/conf", 10) == "0123456789");
  CHECK_FALSE(read_small_file(files, "/etc/conf", 9).has_value());
  CHECK(read_small_file(files, "/etc/large", 50'000) == std::string(40'000, 'x'));
  CHECK(read_small_file(files, "/etc/empty", 10) == "");
  CHECK_FALSE(read_small_file(files, "/etc/none", 10).has_value());
  CHECK_FALSE(read_small_file(files, "/etc", 10).has_value());
}

TEST_CASE("of a long file its start is read") {
  const SmallTree tree;
  const FileSystem& files = tree.files;
  CHECK(start_of_file(files, "/etc/conf", 4) == "0123");
  CHECK(start_of_file(files, "/etc/conf", 10) == "0123456789");
  CHECK(start_of_file(files, "/etc/conf", 100) == "0123456789");
  CHECK(start_of_file(files, "/etc/empty", 100).empty());
  CHECK(start_of_file(files, "/etc/none", 100).empty());
  CHECK(start_of_file(files, "/etc", 100).empty());
}

TEST_CASE("a file of /proc has no size, and text all the same") {
  const std::unique_ptr<FileSystem> files = host_file_system();
  REQUIRE(read_small_file(*files, "/proc/self/status", 1 << 20));
  CHECK(start_of_file(*files, "/proc/self/status", 6) == "Name:\t");
}

TEST_CASE("of a file that a user names it is said why it cannot be read") {
  const SmallTree tree;
  const FileSystem& files = tree.files;
  CHECK(read_text_file(files, "/etc/conf", "conf").value() == "0123456789");
  const Result<std::string> none = read_text_file(files, "/etc/none", "none");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::Unreadable);
  CHECK(none.error().path == "none");
  CHECK_FALSE(read_text_file(files, "/etc", "etc"));
}
