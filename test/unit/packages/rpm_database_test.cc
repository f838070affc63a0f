// rpm's database: headers of packages, right and hostile, and databases that SQLite wrote.
#include "packages/rpm_database.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "packages/package_owner.h"
#include "packages/recorded_file.h"
#include "support/rpm_header_writer.h"
#include "support/sanitizer.h"

using namespace soresolve;
using test::glibc_header;
using test::RpmHeaderWriter;

namespace {

constexpr std::string_view kDatabase = "/var/lib/rpm/rpmdb.sqlite";

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(SORESOLVE_FIXTURES) + "/rpm_database/" + name, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string name_in(RpmDatabase& database, std::string_view path) {
  const std::shared_ptr<const RpmPackage> package = database.package_of(path);
  return package ? package->name + "-" + package->release : "-";
}

std::string owner_in(const PackageOwners& owners, std::string_view path) {
  const std::optional<PackageOwner> owner = owners.owner_of(path);
  return owner ? full_name_of(*owner) + ", by " + std::string(name_of(owner->by)) : "-";
}

}  // namespace

TEST_CASE("a header names its package and the files that were installed") {
  const std::optional<RpmPackage> package = parse_rpm_header(glibc_header().blob());
  REQUIRE(package);
  CHECK(package->name == "glibc");
  CHECK(package->release == "2.34-60.el9.x86_64");
  REQUIRE(package->files.size() == 2);
  CHECK(package->files[0].path == "/usr/lib64/libc.so.6");
  CHECK(package->files[1].path == "/usr/lib64/libm.so.6");
}

TEST_CASE("what a hostile header says is held against its bytes") {
  const auto named = [] { return RpmHeaderWriter().text(1000, "p"); };
  struct Case {
    const char* why;
    std::string blob;
    int files;  ///< -1: it is no header
  };
  const std::string whole = glibc_header().blob();
  const Case cases[] = {
      {"nothing", "", -1},
      {"a preamble that announces more entries than there are", RpmHeaderWriter::big(2) + RpmHeaderWriter::big(0), -1},
      {"as many entries as fit into a number", RpmHeaderWriter::big(0xffffffff) + RpmHeaderWriter::big(0), -1},
      {"more data than there is", RpmHeaderWriter::big(0) + RpmHeaderWriter::big(0xffffffff), -1},
      {"without its last byte", whole.substr(0, whole.size() - 1), -1},
      {"no name", RpmHeaderWriter().text(1001, "1").blob(), -1},
      {"a name of another type", RpmHeaderWriter().numbers(1000, {1}).blob(), -1},
      {"a name behind the data", RpmHeaderWriter().entry_at(1000, 6, 0xfffffff0, 1).blob(), -1},
      {"names without directories", named().texts(1117, {"a"}).numbers(1116, {0}).blob(), 0},
      {"a directory that is not there",
       named().texts(1117, {"a", "b"}).numbers(1116, {7, 0}).texts(1118, {"/d/"}).blob(), 1},
      {"fewer directory numbers than names",
       named().texts(1117, {"a", "b"}).numbers(1116, {0}).texts(1118, {"/d/"}).blob(), 1},
      {"a count beyond the bytes",
       named()
           .entry(1116, 4, 0xffffffff, std::string(4, '\0'))
           .entry(1117, 8, 0xffffffff, std::string("a\0", 2))
           .texts(1118, {"/d/"})
           .blob(),
       1},
      {"numbers behind the data",
       named().texts(1117, {"a"}).texts(1118, {"/d/"}).entry_at(1116, 4, 0xffffffff, 1).blob(), 0},
      {"a relative directory", named().texts(1117, {"a"}).numbers(1116, {0}).texts(1118, {"../"}).blob(), 0},
      {"a path longer than paths are",
       named().texts(1117, {"a"}).numbers(1116, {0}).texts(1118, {"/" + std::string(5000, 'd')}).blob(), 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::optional<RpmPackage> package = parse_rpm_header(c.blob);
    CHECK((package ? static_cast<int>(package->files.size()) : -1) == c.files);
  }
}

TEST_CASE("one long directory for very many names costs no more than 64 MiB") {
  const std::vector<std::string> names(200000, "");
  RpmHeaderWriter writer;
  writer.text(1000, "p").texts(1117, names).numbers(1116, std::vector<std::uint32_t>(names.size(), 0));
  const std::optional<RpmPackage> package = parse_rpm_header(writer.texts(1118, {"/" + std::string(4000, 'd')}).blob());
  REQUIRE(package);
  CHECK(package->files.size() == (64 << 20) / 4001);
}

TEST_CASE("files are found in a database, whatever its pages are like") {
  for (const char* const name : {"pages512.sqlite", "pages4096.sqlite", "pages65536.sqlite"}) {
    CAPTURE(name);
    MemoryFileSystem files;
    files.add_file(kDatabase, fixture(name));
    RpmDatabase database(files);
    for (std::size_t i = 0; i < 300; i += test::is_built_with_asan() ? 30 : 1) {
      const std::string number = std::to_string(i);
      const std::string want = "p" + number + "-" + number + ".0-1.el9.x86_64";
      CHECK(name_in(database, "/usr/lib64/libp" + number + ".so.1") == want);
      CHECK(name_in(database, "/usr/share/" + number + "/README") == want);  // a name that all of them have
    }
    CHECK(name_in(database, "/usr/lib64/wide/part19999.so") == "wide-1.0-1.el9.x86_64");
    CHECK(name_in(database, "/usr/lib64/wide/part20000.so") == "-");
    CHECK(name_in(database, "/usr/lib64/libp300.so.1") == "-");
    CHECK(name_in(database, "/lib64/libp3.so.1") == "-");
    CHECK(name_in(database, "/usr/share/x/README") == "-");
    CHECK(name_in(database, "/usr/lib/libcolour.so.1") == "colour-1.0-1.el9.i686");
    CHECK(name_in(database, "/usr/bin/tool") == "-");  // of the other word size: it was not installed
    CHECK(database.path() == kDatabase);
    CHECK(database.unread().empty());
  }
}

TEST_CASE("changes that are in the write-ahead log only count, as far as they are whole") {
  const std::string log = fixture("logged.sqlite-wal");
  const auto late = [&](const std::string& log_bytes) {
    MemoryFileSystem files;
    files.add_file(kDatabase, fixture("logged.sqlite"));
    files.add_file(std::string(kDatabase) + "-wal", log_bytes);
    RpmDatabase database(files);
    CHECK(name_in(database, "/usr/lib64/libp7.so.1") == "p7-7.0-1.el9.x86_64");
    return name_in(database, "/usr/lib64/liblate.so.1");
  };
  CHECK(late(log) == "late-1.0-1.el9.x86_64");
  CHECK(late("") == "-");
  CHECK(late(log.substr(0, log.size() - 1)) == "-");
  std::string damaged = log;
  damaged[60] = static_cast<char>(damaged[60] ^ 1);
  CHECK(late(damaged) == "-");
}

TEST_CASE("owners by rpm: with merged directories, and what a file should be") {
  const auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/usr/lib/sysimage/rpm/rpmdb.sqlite", fixture("pages4096.sqlite"));
  files->add_symlink("/lib64", "usr/lib64");
  files->add_file("/usr/lib64/libold.so.1", "abc");
  files->add_file("/usr/lib64/libp1.so.1", "abd");
  files->add_symlink("/usr/lib64/libp1.so", "libp1.so.1");
  const PackageOwners owners(files);
  CHECK(owner_in(owners, "/usr/lib64/libold.so.1") == "old-1.0-1.el9.noarch, by rpm");
  CHECK(owner_in(owners, "/lib64/libp1.so") == "p1-1.0-1.el9.x86_64, by rpm");
  CHECK(owner_in(owners, "/usr/lib64/libnobodys.so") == "-");
  const std::optional<PackageOwner> owner = owners.owner_of("/usr/lib64/libp1.so.1");
  REQUIRE(owner);
  CHECK(owner->record == "/usr/lib/sysimage/rpm/rpmdb.sqlite");
  CHECK(owners.files_of(*owner) == std::vector<std::string>{"/usr/lib64/libp1.so.1", "/usr/share/1/README"});
  RecordedFiles recorded(*files, 1000);
  CHECK(recorded.state_of(*owner, "/usr/lib64/libp1.so.1") == FileState::Changed);
  CHECK(recorded.state_of(*owners.owner_of("/usr/lib64/libold.so.1"), "/usr/lib64/libold.so.1") ==
        FileState::AsRecorded);
  CHECK(recorded.state_of(*owner, "/usr/share/1/README") == FileState::Missing);
}

TEST_CASE("a database in another format is there, and not read") {
  struct Case {
    const char* why;
    const char* path;
    std::string content;
  };
  const std::string whole = fixture("pages4096.sqlite");
  const Case cases[] = {
      {"Berkeley DB", "/var/lib/rpm/Packages", "x"},
      {"ndb", "/usr/lib/sysimage/rpm/Packages.db", "RpmP"},
      {"no SQLite", "/var/lib/rpm/rpmdb.sqlite", "text"},
      {"cut off behind its header", "/var/lib/rpm/rpmdb.sqlite", whole.substr(0, 100)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = std::make_shared<MemoryFileSystem>();
    files->add_file(c.path, c.content);
    const PackageOwners owners(files);
    CHECK(owner_in(owners, "/usr/lib64/libp1.so.1") == "-");
    CHECK(owners.unread() == c.path);
  }
  CHECK(PackageOwners(std::make_shared<MemoryFileSystem>()).unread().empty());
}

TEST_CASE("damage anywhere in a database ends in an answer") {
  const std::string whole = fixture("pages512.sqlite").substr(0, 200 * 512);
  std::uint32_t random = 1;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 8; ++i) {
      random = random * 1664525 + 1013904223;
      bytes[(random >> 8) % (round % 2 == 0 ? bytes.size() : 2048)] = static_cast<char>(random);
    }
    MemoryFileSystem files;
    files.add_file(kDatabase, bytes);
    RpmDatabase database(files);
    const std::string name = name_in(database, "/usr/lib64/libp1.so.1");
    CHECK((name == "-" || name.starts_with("p")));
  }
}
