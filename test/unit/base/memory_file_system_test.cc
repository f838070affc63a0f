// Trees in memory answer with the errno values of a real kernel: the search is tested on them.
#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "soresolve/file_system.h"
#include "unit/base/file_answers.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

FileStatus status(const FileSystem& files, std::string_view path) {
  const Result<FileStatus, Errno> found = files.status(path);
  REQUIRE(found.has_value());
  return *found;
}

}  // namespace

TEST_CASE("open follows links and fails as open(2) does") {
  MemoryFileSystem files;
  files.add_file("/d/f", "text");
  files.add_file("/locked", "text", 0);
  files.add_directory("/empty");
  files.add_symlink("/link", "d/f");
  files.add_symlink("/d/absolute", "/d");
  files.add_symlink("/dangling", "nothing");
  files.add_symlink("/loop", "loop");
  files.add_special("/socket", FileKind::Socket);
  struct Case {
    std::string why;
    std::string path;
    std::string want;
  };
  const Case cases[] = {
      {"a file", "/d/f", "text"},
      {"its parents came into being", "/d/../d/f", "text"},
      {"a relative link", "/link", "text"},
      {"an absolute link", "/d/absolute/f", "text"},
      {"nothing there", "/x", errno_of(ENOENT)},
      {"a link to nothing", "/dangling", errno_of(ENOENT)},
      {"a link to itself", "/loop", errno_of(ELOOP)},
      {"a file as a directory", "/d/f/x", errno_of(ENOTDIR)},
      {"a name that is too long", "/d/" + std::string(256, 'n'), errno_of(ENAMETOOLONG)},
      {"a file that nobody may read", "/locked", errno_of(EACCES)},
      {"a socket", "/socket", errno_of(ENXIO)},
      {"a directory opens, but cannot be read", "/empty", "read " + errno_of(EISDIR)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(content(files, c.path) == c.want);
  }
}

TEST_CASE("adding to a path that exists replaces it") {
  MemoryFileSystem files;
  files.add_file("/f", "old");
  const FileId old = status(files, "/f").id;
  files.add_file("/f", "new");
  CHECK(content(files, "/f") == "new");
  CHECK(!(status(files, "/f").id == old));
}

TEST_CASE("two paths are one file when they are links to it, not when they are copies") {
  MemoryFileSystem files;
  files.add_file("/f", "text");
  files.add_hard_link("/hard", "/f");
  files.add_symlink("/soft", "f");
  files.add_file("/copy", "text");
  const FileId id = status(files, "/f").id;
  CHECK(status(files, "/hard").id == id);
  CHECK(status(files, "/soft").id == id);
  CHECK(!(status(files, "/copy").id == id));
}

TEST_CASE("status tells kind, mode and size") {
  MemoryFileSystem files;
  files.add_file("/f", "four", 04755);
  files.add_directory("/d");
  files.add_special("/fifo", FileKind::Fifo);
  files.add_symlink("/link", "f");
  CHECK(status(files, "/f").kind == FileKind::Regular);
  CHECK(status(files, "/f").mode == 04755);
  CHECK(status(files, "/f").size_bytes == 4);
  CHECK(status(files, "/d").kind == FileKind::Directory);
  CHECK(status(files, "/").kind == FileKind::Directory);
  CHECK(status(files, "/fifo").kind == FileKind::Fifo);
  CHECK_MESSAGE(status(files, "/link").kind == FileKind::Regular, "stat(2) follows links");
}

TEST_CASE("read_at gives what lies behind the offset, and nothing past the end") {
  MemoryFileSystem files;
  files.add_file("/f", "0123456789");
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  REQUIRE(file.has_value());
  struct Case {
    std::string why;
    std::uint64_t offset;
    std::size_t wanted;
    std::string want;
  };
  const Case cases[] = {
      {"in the middle", 3, 4, "3456"},
      {"up to the end", 8, 2, "89"},
      {"over the end: a short read", 8, 9, "89"},
      {"at the end", 10, 4, ""},
      {"far past the end", 1000000000000000, 4, ""},
      {"the largest offset that there is", std::numeric_limits<std::int64_t>::max(), 4, ""},
      {"no bytes wanted", 2, 0, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    std::array<char, 16> bytes{};
    const Result<std::size_t, Errno> got =
        (*file)->read_at(c.offset, std::as_writable_bytes(std::span(bytes.data(), c.wanted)));
    REQUIRE(got.has_value());
    CHECK(std::string(bytes.data(), *got) == c.want);
  }
  std::array<std::byte, 1> byte{};
  const Result<std::size_t, Errno> beyond = (*file)->read_at(std::numeric_limits<std::uint64_t>::max(), byte);
  REQUIRE(!beyond.has_value());
  CHECK_MESSAGE(beyond.error() == static_cast<Errno>(EINVAL), "off_t is signed");
}

TEST_CASE("an open file outlives what happens to its path") {
  MemoryFileSystem files;
  files.add_file("/f", "old");
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  REQUIRE(file.has_value());
  files.add_file("/f", "other");
  std::array<char, 8> bytes{};
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(bytes)));
  REQUIRE(got.has_value());
  CHECK(std::string(bytes.data(), *got) == "old");
}

TEST_CASE("real_path leaves no link and no dot") {
  MemoryFileSystem files;
  files.add_file("/usr/lib/f", "");
  files.add_symlink("/lib", "usr/lib");
  const Result<std::string, Errno> real = files.real_path("/lib/../lib/./f");
  REQUIRE(real.has_value());
  CHECK(*real == "/usr/lib/f");
  CHECK(!files.real_path("/lib/g").has_value());
}

TEST_CASE("read_link tells where a link points to, dangling or not, and follows those before it") {
  MemoryFileSystem files;
  files.add_file("/usr/lib/f", "");
  files.add_symlink("/lib", "usr/lib");
  files.add_symlink("/usr/lib/gone", "gone.1");
  const auto target = [&](std::string_view path) {
    const Result<std::string, Errno> link = files.read_link(path);
    return link ? *link : errno_of(static_cast<int>(link.error()));
  };
  CHECK(target("/lib") == "usr/lib");
  CHECK(target("/lib/gone") == "gone.1");
  CHECK(target("/lib/f") == errno_of(EINVAL));
  CHECK(target("/lib/absent") == errno_of(ENOENT));
  CHECK(target("/no/f") == errno_of(ENOENT));
}

TEST_CASE("list_directory gives the names in one directory, sorted") {
  MemoryFileSystem files;
  files.add_file("/d/b", "");
  files.add_file("/d/a/deep", "");
  files.add_symlink("/d/c", "nothing");
  files.add_file("/d.x", "");  // sorts between "/d" and "/d/"
  files.add_symlink("/link", "d");
  using Names = std::vector<std::string>;
  const auto list = [&files](std::string_view path) {
    Result<std::vector<std::string>, Errno> names = files.list_directory(path);
    return names ? *names : Names{errno_of(static_cast<int>(names.error()))};
  };
  CHECK(list("/d") == Names{"a", "b", "c"});
  CHECK(list("/link/") == Names{"a", "b", "c"});
  CHECK(list("/") == Names{"d", "d.x", "link"});
  CHECK(list("/d/b") == Names{errno_of(ENOTDIR)});
  CHECK(list("/no") == Names{errno_of(ENOENT)});
}
