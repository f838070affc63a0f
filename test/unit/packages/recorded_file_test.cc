// Digests, what records say of a file's content, and whether a file still is what its package brought.
#include "packages/recorded_file.h"

#include <doctest/doctest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"

using namespace soresolve;

namespace {

std::string digest(DigestKind kind, std::string_view text, std::size_t piece = 1000) {
  Digest sum(kind);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    sum.add(std::as_bytes(std::span(text.substr(at, piece))));
  }
  return sum.finish();
}

constexpr const char* kAbcSha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kAbcBase64 = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";
constexpr const char* kAbcMd5 = "900150983cd24fb0d6963f7d28e17f72";

}  // namespace

TEST_CASE("digests of the standards' own examples, in pieces of any size") {
  CHECK(digest(DigestKind::Sha256, "") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest(DigestKind::Sha256, "abc") == kAbcSha256);
  CHECK(digest(DigestKind::Md5, "") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(digest(DigestKind::Md5, "abc") == kAbcMd5);
  CHECK(digest(DigestKind::Md5, "12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
        "57edf4a22be3c955ac49da2e2107b67a");
  const std::string million(1000000, 'a');
  for (const std::size_t piece : {1u, 55u, 56u, 63u, 64u, 65u, 1000000u}) {
    CAPTURE(piece);
    CHECK(digest(DigestKind::Sha256, million, piece) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

TEST_CASE("the content of files by RECORD, md5sums and conda's paths_data") {
  std::vector<std::pair<std::string, RecordedContent>> seen;
  const auto keep = [&](std::string_view path, const RecordedContent& content) { seen.emplace_back(path, content); };
  recorded_contents_of(std::string("a.so,sha256=") + kAbcBase64 + ",3\n\"b,\"\"c\"\".so\",sha256=" + kAbcBase64 +
                           "=,18446744073709551615\nc.so,,\nd.so,sha256=short,x\ne.so\nf.so,md5=1,7\r\n",
                       keep);
  REQUIRE(seen.size() == 6);
  CHECK(seen[0] == std::pair(std::string("a.so"), RecordedContent{kAbcSha256, {}, 3}));
  CHECK(seen[1] == std::pair(std::string("b,\"c\".so"), RecordedContent{kAbcSha256, {}, ~std::uint64_t{0}}));
  CHECK(seen[2].second == RecordedContent{});
  CHECK(seen[3].second == RecordedContent{});
  CHECK(seen[4].second == RecordedContent{});
  CHECK(seen[5].second == RecordedContent{{}, {}, 7});

  seen.clear();
  summed_contents_of(std::string(kAbcMd5) + "  usr/lib/liba.so.1\nshort  x\n", keep);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0] == std::pair(std::string("usr/lib/liba.so.1"), RecordedContent{{}, kAbcMd5, {}}));

  seen.clear();
  conda_contents_of(R"({"name":"a","paths_data":{"paths":[
      {"_path":"lib/a.so","sha256":"1","sha256_in_prefix":"2","size_in_bytes":5},
      {"_path":"lib/b.so","sha256":"1","size_in_bytes":5},
      {"_path":"lib/c.so","sha256":"1","size_in_bytes":5,"prefix_placeholder":"/old"}, 7]}})",
                    keep);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].second == RecordedContent{"2", {}, 5});
  CHECK(seen[1].second == RecordedContent{"1", {}, 5});
  CHECK(seen[2].second == RecordedContent{});
  conda_contents_of("[1]", keep);
  conda_contents_of(R"({"paths_data":{"paths":{}}})", keep);
  CHECK(seen.size() == 3);
}

TEST_CASE("a file is as recorded, lost or changed") {
  MemoryFileSystem files;
  const std::string site = "/v/lib/python3.11/site-packages";
  files.add_file(site + "/p/a.so", "abc");
  files.add_file(site + "/p/longer.so", "abcd");
  files.add_file(site + "/p/other.so", "abd");
  files.add_file(site + "/p/unsaid.so", "abd");
  files.add_directory(site + "/p/directory.so");
  files.add_symlink(site + "/p/dangling.so", "nowhere");
  files.add_symlink(site + "/p/circle.so", "circle.so");
  std::string record;
  for (const char* name : {"a", "longer", "other", "directory", "dangling", "circle", "gone"}) {
    record += "p/" + std::string(name) + ".so,sha256=" + kAbcBase64 + ",3\n";
  }
  record += "p/unsaid.so,,\n../../libz.so,sha256=" + std::string(kAbcBase64) + ",3\n";
  files.add_file(site + "/p-1.dist-info/RECORD", record);
  files.add_file("/v/lib/libz.so", "abd");
  const PackageOwner wheel{"p", "1", PackageRecord::Wheel, site + "/p-1.dist-info/RECORD"};
  RecordedFiles recorded(files, 1000);
  CHECK(recorded.state_of(wheel, site + "/p/a.so") == FileState::AsRecorded);
  CHECK(recorded.state_of(wheel, site + "/p/longer.so") == FileState::Changed);
  CHECK(recorded.state_of(wheel, site + "/p/other.so") == FileState::Changed);
  CHECK(recorded.state_of(wheel, site + "/p/directory.so") == FileState::Changed);
  CHECK(recorded.state_of(wheel, site + "/p/dangling.so") == FileState::Missing);
  CHECK(recorded.state_of(wheel, site + "/p/circle.so") == FileState::Missing);
  CHECK(recorded.state_of(wheel, site + "/p/gone.so") == FileState::Missing);
  CHECK(recorded.state_of(wheel, site + "/p/unsaid.so") == FileState::Unknown);
  CHECK(recorded.state_of(wheel, "/v/lib/libz.so") == FileState::Changed);
  RecordedFiles bounded(files, 2);
  CHECK(bounded.state_of(wheel, site + "/p/other.so") == FileState::Unknown);  // not read
  CHECK(bounded.state_of(wheel, site + "/p/longer.so") == FileState::Changed);

  files.add_file("/usr/lib/liba.so.1", "abd");
  files.add_file("/usr/lib/libb.so.1", "abc");
  files.add_file("/var/lib/dpkg/info/liba1.md5sums",
                 std::string(kAbcMd5) + "  lib/liba.so.1\n" + kAbcMd5 + "  usr/lib/libb.so.1\n");
  const PackageOwner package{"liba1", "1", PackageRecord::Dpkg, "/var/lib/dpkg/info/liba1.list"};
  CHECK(recorded.state_of(package, "/usr/lib/liba.so.1") == FileState::Changed);
  CHECK(recorded.state_of(package, "/usr/lib/libb.so.1") == FileState::AsRecorded);
}
