// Any bytes as one of the records that package managers leave: dpkg's, pip's, conda's. Whose a file is, is what the
// record says, whatever was asked before; and what is in the index of records is what their readers find.
//
// The first byte says which record of a machine it is; the rest is the record. All others are as they should be.
#include <algorithm>
#include <array>
#include <memory>

#include "fuzz/fuzz_target.h"
#include "fuzz/memory_limit.h"
#include "packages/package_owner.h"
#include "packages/package_records.h"
#include "packages/recorded_file.h"
#include "packages/wheel_requirements.h"

namespace soresolve::test::packages_target {
namespace {

using Texts = std::vector<std::string>;

struct Record {
  std::string path;
  std::string text;
};

constexpr const char* kSite = "/v/lib/python3.11/site-packages";

const std::vector<Record>& records() {
  static const std::string site = std::string(kSite) + '/';
  static const std::vector<Record> all = {
      {"/var/lib/dpkg/info/zlib1g:amd64.list", "/.\n/lib\n/lib/libz.so.1\n"},
      {"/var/lib/dpkg/info/zlib1g:amd64.md5sums", "9dd4e461268c8034f5c8564e155c67a6  lib/libz.so.1\n"},
      {"/var/lib/dpkg/info/mesa.list", "/usr/lib/libGL.so.1\r\n"},
      {"/var/lib/dpkg/info/glx.list", "/usr/lib/libGL.so.1\n\n"},
      {"/var/lib/dpkg/diversions", "/usr/lib/libGL.so.1\n/usr/lib/mesa/libGL.so.1\nglx\n/a\n/b\n:\n"},
      {"/var/lib/dpkg/status",
       "Package: zlib1g\nArchitecture: i386\nVersion: 1\n\nPackage: zlib1g\nStatus: install ok installed\n"
       "Architecture: amd64\nVersion: 1:1.2.13\nDescription: x\n Package: y\n"},
      {"/var/lib/dpkg/status.d/libssl3", "Package: libssl3\nVersion: 3.0.1\n"},
      {"/var/lib/dpkg/status.d/libssl3.md5sums", "9dd4e461268c8034f5c8564e155c67a6  usr/lib/libssl.so.3\n"},
      {site + "a-1.dist-info/RECORD",
       "a/b.so,sha256=LXEWQrcmsEQBYnyp-6wy9ch7HSFJkd7rY6P3CgGrCsE,1\n\"a/c,\"\"d\"\"\",,\r\na/b.so,md5=1,x\n"
       "../../libtbb.so.12,,\n"},
      {site + "a-1.dist-info/METADATA",
       "Metadata-Version: 2.1\nName: A_b.c\nVersion: 1.0+x\nRequires-Dist: nvidia-cudnn-cu12 (==9.1.0.70) ; a\r\n"
       "Requires-Dist: x[y]===1; extra == 'z'\nRequires-Dist: n==2; platform_system == \"Linux\"\n\n"
       "Requires-Dist: m==3\n"},
      {"/e/conda-meta/a-1-0.json",
       R"({"name":"a","version":"1","files":["lib/b.so","lib/b\u002eso"],"paths_data":{"paths":[{"_path":"lib/b.so",)"
       R"("sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","size_in_bytes":1},)"
       R"({"_path":"bin/x","sha256_in_prefix":"0","prefix_placeholder":"/p"}]}})"},
      {"/h/pkgs/c-2-0/info/index.json", R"({"name":"c","version":"2","depends":["python >=3.11,<3.12.0a0"]})"},
      {"/h/pkgs/c-2-0/info/files", "lib/c.so\ninfo/index.json\n"},
  };
  return all;
}

constexpr std::array kAsked = {"/usr/lib/libz.so.1",
                               "/usr/lib/libGL.so.1",
                               "/usr/lib/mesa/libGL.so.1",
                               "/usr/lib/libssl.so.3",
                               "/v/lib/python3.11/site-packages/a/b.so",
                               "/v/lib/libtbb.so.12",
                               "/e/lib/b.so",
                               "/h/pkgs/c-2-0/lib/c.so"};

std::shared_ptr<MemoryFileSystem> machine_with(std::size_t changed, const std::string& text) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_symlink("/lib", "usr/lib");
  for (const char* path : kAsked) files->add_file(path, "x");
  for (std::size_t i = 0; i < records().size(); ++i)
    files->add_file(records()[i].path, i == changed ? text : records()[i].text);
  return files;
}

Texts lines_in_text(const std::string& text) {
  Texts lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

Texts collected(void (*words)(std::string_view, const RecordSet::Visit&), std::string_view text) {
  Texts all;
  words(text, [&](std::string_view word) {
    require(!word.empty() || words == json_strings_of, "a path has characters");
    all.emplace_back(word);
  });
  return all;
}

bool has(const Texts& all, std::string_view one) { return std::find(all.begin(), all.end(), one) != all.end(); }

/// What RECORD, md5sums and conda's paths_data say of contents.
void check_contents(const std::string& text) {
  const auto is_hexadecimal = [](std::string_view sum, std::size_t digits) {
    return sum.size() == digits && sum.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  };
  Texts paths;
  recorded_contents_of(text, [&](std::string_view path, const RecordedContent& content) {
    paths.emplace_back(path);
    require(content.sha256.empty() || is_hexadecimal(content.sha256, 64), "a sum has 64 digits, or there is none");
  });
  require(paths == collected(recorded_paths_of, text), "both readers of RECORD see the same paths");
  summed_contents_of(text, [](std::string_view path, const RecordedContent& content) {
    require(!path.empty() && content.md5.size() == 32, "a line of md5sums has a sum and a path");
  });
  conda_contents_of(text, [](std::string_view path, const RecordedContent& content) {
    touch(path);
    touch(content.sha256);
  });
}

/// The readers of one text, each for itself.
void check_text(const std::string& text) {
  std::string with_returns;
  for (const char c : text) with_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  if (text.find('\r') == std::string::npos) {
    for (auto* const words : {&lines_of, &summed_paths_of, &recorded_paths_of})
      require(collected(words, text) == collected(words, with_returns), "a line may end as on Windows");
  }
  check_contents(text);
  const Texts strings = collected(json_strings_of, text);
  if (const std::optional<CondaRecord> conda = parse_conda_record(text)) {
    require(!conda->name.empty(), "a record has a name");
    for (const std::string& file : conda->files)
      require(text.find('\\') != std::string::npos || has(strings, file), "the index has what the reader finds");
  }
  for (const Diversion& one : parse_diversions(text))
    require(one.from.starts_with('/') && one.to.starts_with('/') && !one.package.empty(),
            "a diversion has three lines");
  for (const std::string& requirement : requirements_in(text))
    require(!requirement.empty() && requirement.find_first_of(" ;'\"$`\n\r()") == std::string::npos, "it can be typed");
}

/// The pins of a METADATA stand on the lines that they name.
void check_pins(const FileSystem& files, const std::string& text) {
  const Texts lines = lines_in_text(text);
  for (const WheelRequirement& one : read_wheel_requirements(files, kSite)) {
    require(one.line >= 1 && one.line <= lines.size(), "a requirement stands on a line of the file");
    const std::string& line = lines[one.line - 1];
    require(line.starts_with("Requires-Dist: ") && line.find("==") != std::string::npos, "it is a pin");
    require(!one.version.empty() && line.find(one.version) != std::string::npos, "the version stands there");
    require((one.wheel + one.version).find_first_of(" ;'\"$`\r") == std::string::npos, "it can be typed");
  }
}

/// What a package that is said to own `path` says itself.
void check_owner(const PackageOwners& owners, const std::string& path, const PackageOwner& owner,
                 bool has_other_diversions) {
  require(!owner.name.empty(), "a package has a name");
  require(std::any_of(records().begin(), records().end(), [&](const Record& one) { return one.path == owner.record; }),
          "a record says so");
  const std::vector<PackageOwner> all = owners.owners_of(path);
  require(!all.empty() && all.front() == owner, "the owner is the first of the owners");
  const Texts files = owners.files_of(owner);
  for (const std::string& file : files) require(file.starts_with('/'), "files of a package are paths");
  if (has_other_diversions) return;
  // /lib is /usr/lib, and what is below mesa was diverted to there.
  const bool is_dpkgs =
      owner.by == PackageRecord::Dpkg && (has(files, path.substr(4)) || path.starts_with("/usr/lib/mesa/"));
  require(is_dpkgs || has(files, path), "the package lists the file");
}

/// Lists whose meaning can be said in one line.
void check_meaning(const PackageOwners& owners, std::size_t changed, const std::string& text) {
  const auto has_line = [&](std::string_view wanted, bool is_cut) {
    for (std::string line : lines_in_text(text)) {
      if (line.ends_with('\r')) line.pop_back();
      if ((is_cut ? line.substr(0, line.find(',')) : line) == wanted) return true;
    }
    return false;
  };
  const std::string& path = records()[changed].path;
  if (path.ends_with("amd64.list")) {
    const bool is_listed = has_line("/lib/libz.so.1", false) || has_line("/usr/lib/libz.so.1", false);
    require(owners.owner_of("/usr/lib/libz.so.1").has_value() == is_listed, "dpkg has what its list has");
  }
  if (path.ends_with("/RECORD") && text.find('"') == std::string::npos) {
    const std::optional<PackageOwner> owner = owners.owner_of("/v/lib/python3.11/site-packages/a/b.so");
    require(owner.has_value() == has_line("a/b.so", true), "a wheel has what its RECORD has");
  }
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < records().size(); ++i) {
    all.push_back(std::string(1, static_cast<char>(i)) + records()[i].text);
  }
  const auto more = [&](std::size_t record, const char* text) {
    all.push_back(std::string(1, static_cast<char>(record)) + text);
  };
  more(0, "/usr/lib/libz.so.1\r\n/usr/lib/libGL.so.1\n/lib//libz.so.1");
  more(4, "/usr/lib/libz.so.1\n/usr/lib/libz.so.1.old\n:\n/lib/libz.so.1\n/x\nzlib1g\n");
  more(8, "a/b.so\n\"a/b.so\",\"x\n/etc/passwd,,\n../../../../../../x,,\n");
  more(10, R"({"name":"a","files":[["lib/b.so"]],"x":{"y":[1.5e9,null,true]}})");
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = 64 << 10;
  if (size == 0 || size > kMostBytes) return;
  const std::size_t changed = data[0] % records().size();
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const MemoryLimit limit(8 << 20);
  check_text(text);
  touch(dpkg_version(text, "zlib1g:amd64"));
  const auto files = machine_with(changed, text);
  if (records()[changed].path.ends_with("METADATA")) check_pins(*files, text);

  const PackageOwners forward(files);
  const PackageOwners backward(files);
  for (auto path = kAsked.rbegin(); path != kAsked.rend(); ++path) static_cast<void>(backward.owner_of(*path));
  RecordedFiles contents(*files, 1000);
  for (const std::string path : kAsked) {
    const std::optional<PackageOwner> owner = forward.owner_of(path);
    require(owner == backward.owner_of(path), "an answer does not depend on what was asked before");
    if (!owner) continue;
    check_owner(forward, path, *owner, records()[changed].path.ends_with("diversions"));
    const FileState state = contents.state_of(*owner, path);
    require(state != FileState::Missing, "the file is there");
    require(contents.state_of(*owner, path) == state, "asked twice, it is the same");
  }
  check_meaning(forward, changed, text);
}

}  // namespace
}  // namespace soresolve::test::packages_target

const soresolve::test::FuzzTarget soresolve::test::kPackagesTarget = {"packages", packages_target::run,
                                                                      packages_target::seeds};
