// The dump of a process: what it tells, and that no damaged one does harm. Real dumps: test/machine/compare_cores.
#include <doctest/doctest.h>

#include <string>

#include "host/host.h"
#include "loader/process.h"
#include "support/core_writer.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

Result<LiveProcess> read(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/core", std::string_view(bytes));
  const Result<std::unique_ptr<File>, Errno> file = files.open("/core");
  REQUIRE(file.has_value());
  return read_core_dump(**file, "core");
}

}  // namespace

TEST_CASE("a dump tells program, environment, user and what was loaded") {
  const Result<LiveProcess> process = read(write_core());
  REQUIRE(process.has_value());
  CHECK(process->is_dump);
  CHECK(process->exe == "/app/prog");
  CHECK(process->secure);
  CHECK(process->user.uid == 7);
  CHECK(process->user.gid == 8);
  CHECK(process->is_environment_known);
  CHECK(process->environment.entries() == std::vector<std::string>{"LD_LIBRARY_PATH=/opt", "HOME=/"});
  CHECK(process->is_in_load_order);
  REQUIRE(process->objects.size() == 1);
  const LiveObject& library = process->objects.front();
  CHECK(library.path == "/usr/lib/libx.so");
  CHECK(library.name == "/usr/lib/libx.so");
  CHECK(library.names == std::vector<std::string>{"libx.so.1"});
  CHECK_FALSE(library.is_dynamic_loader);
  REQUIRE(library.head.size() > 4);
  CHECK(library.head[1] == std::byte{'E'});
}

TEST_CASE("where the list was not dumped, the mappings tell, and the stack may be missing") {
  std::string core = write_core();
  // p_filesz of the program's page and of the stack.
  constexpr std::size_t kHeaders = 64;
  for (const std::size_t segment : {1u, 3u}) core.replace(kHeaders + segment * 56 + 32, 8, std::string(8, '\0'));
  const Result<LiveProcess> process = read(core);
  REQUIRE(process.has_value());
  CHECK(process->exe == "/app/prog");
  CHECK_FALSE(process->is_in_load_order);
  CHECK_FALSE(process->list_problem.empty());
  CHECK_FALSE(process->is_environment_known);
  REQUIRE(process->objects.size() == 2);  // the highest address first
  CHECK(process->objects[0].is_dynamic_loader);
  CHECK(process->objects[1].path == "/usr/lib/libx.so");
}

TEST_CASE("a dump that is cut off anywhere is an error, or tells of what is still there") {
  const std::string core = write_core();
  std::size_t refused = 0;
  for (std::size_t size = 0; size < core.size(); size += size < 2048 ? 1 : 97) {
    const Result<LiveProcess> process = read(core.substr(0, size));
    if (!process) {
      ++refused;
      CHECK_FALSE(process.error().message.empty());
    } else {
      CHECK(process->objects.size() <= 2);
    }
  }
  CHECK(refused > 500);
}

TEST_CASE("what is no dump, or announces too much, is refused") {
  struct Case {
    const char* why;
    std::size_t at;
    std::string bytes;
    ErrorCode want;
  };
  const std::string all_ones(8, '\xff');
  const Case cases[] = {
      {"no ELF file", 0, "no ELF", ErrorCode::NotElf},
      {"a program", 16, std::string("\x02\0", 2), ErrorCode::Unsupported},
      {"the other byte order", 5, "\x02", ErrorCode::Unsupported},
      {"headers of another size", 54, std::string("\x20\0", 2), ErrorCode::Malformed},
      {"headers behind the end", 32, all_ones, ErrorCode::Malformed},
      {"notes behind the end", 64 + 8, all_ones, ErrorCode::Malformed},
      {"more notes than bytes", 64 + 32, std::string("\xff\xff\xff\x7f\0\0\0\0", 8), ErrorCode::Malformed},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    std::string core = write_core();
    core.replace(c.at, c.bytes.size(), c.bytes);
    const Result<LiveProcess> process = read(core);
    REQUIRE_FALSE(process.has_value());
    CHECK(process.error().code == c.want);
  }
}
