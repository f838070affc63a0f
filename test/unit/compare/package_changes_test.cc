// Differences of a tree by package: dpkg's records of both sides, of which a package may be the same, another version,
// another name, or on one side only.
#include "compare/package_changes.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/overlay_file_system.h"

using namespace soresolve;

namespace {

struct Package {
  std::string name;
  std::string version;
  std::vector<std::string> files;
};

std::shared_ptr<const FileSystem> debian(const std::vector<Package>& packages) {
  auto files = std::make_shared<MemoryFileSystem>();
  std::string status;
  for (const Package& package : packages) {
    std::string list = "/.\n";
    for (const std::string& file : package.files) {
      files->add_file(file, package.version);
      list += file + "\n";
    }
    files->add_file("/var/lib/dpkg/info/" + package.name + ".list", list);
    status += "Package: " + package.name + "\nStatus: install ok installed\nVersion: " + package.version + "\n\n";
  }
  files->add_file("/var/lib/dpkg/status", status);
  return files;
}

TreeCause cause_of(DecidedBy by, const std::string& path_a, const std::string& path_b, std::vector<std::string> files) {
  TreeCause cause;
  cause.step.by = by;
  cause.first.path_a = path_a;
  cause.first.path_b = path_b;
  cause.files = std::move(files);
  return cause;
}

/// "NAME VERSION -> [NAME] VERSION: FILES files, PROCESSES processes".
std::string line_of(const ComparedPackage& package) {
  const auto version = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  return package.name + ' ' + version(package.version_a) + " -> " +
         (package.name == package.name_b ? "" : package.name_b + ' ') + version(package.version_b) + ": " +
         std::to_string(package.files) + " files, " + std::to_string(package.processes) + " processes";
}

std::vector<std::string> lines_of(const TreeComparison& tree) {
  std::vector<std::string> lines;
  for (const ComparedPackage& package : tree.packages) lines.push_back(line_of(package));
  return lines;
}

}  // namespace

TEST_CASE("what follows from a package that changes is counted there") {
  const auto a = debian({{"libssl3", "3.0", {"/usr/lib/libssl.so.3", "/usr/lib/libcrypto.so.3"}},
                         {"old", "1", {"/usr/lib/libold.so.1"}},
                         {"zlib1g", "1.2", {"/usr/lib/libz.so.1"}},
                         {"tool", "7", {"/usr/bin/tool", "/usr/lib/libtool.so"}}});
  const auto b = debian({{"libssl3t64", "3.5", {"/usr/lib/libssl.so.3", "/usr/lib/libcrypto.so.3"}},
                         {"new", "2", {"/usr/lib/libnew.so.2"}},
                         {"zlib1g", "1.3", {"/usr/lib/libz.so.1"}},
                         {"tool", "7", {"/usr/bin/tool", "/usr/lib/libtool.so"}}});
  TreeComparison tree;
  tree.changed = {"/usr/lib/libcrypto.so.3", "/usr/lib/libssl.so.3", "/usr/lib/libtool.so", "/usr/lib/libz.so.1"};
  tree.went = {"/usr/lib/libold.so.1"};
  tree.came = {"/usr/lib/libnew.so.2"};
  tree.causes = {
      cause_of(DecidedBy::Rules, "/lib64/ld.so", "/lib64/ld.so", {"/usr/bin/a", "/usr/bin/b"}),
      cause_of(DecidedBy::Content, "/usr/lib/libssl.so.3", "/usr/lib/libssl.so.3", {"/usr/bin/a"}),
      cause_of(DecidedBy::Content, "/usr/lib/libcrypto.so.3", "/usr/lib/libcrypto.so.3", {"/usr/bin/a", "/usr/bin/b"}),
      cause_of(DecidedBy::File, "/usr/lib/libold.so.1", "", {"/usr/bin/b"}),
      cause_of(DecidedBy::Content, "/usr/lib/libtool.so", "/usr/lib/libtool.so", {"/usr/bin/tool"}),
      cause_of(DecidedBy::Environment, "", "", {"/usr/bin/c"})};
  fold_by_package(tree, a, b);
  CHECK(lines_of(tree) == std::vector<std::string>{
                              "libssl3 3.0 -> libssl3t64 3.5: 2 files, 2 processes",
                              "old 1 -> -: 1 files, 1 processes",
                              "new - -> 2: 1 files, 0 processes",
                              "zlib1g 1.2 -> 1.3: 1 files, 0 processes",
                          });
  // A file of one version on both sides was changed by hand, and a variable is no package's.
  const std::vector<std::optional<std::size_t>> wanted = {std::nullopt, 0, 0, 1, std::nullopt, std::nullopt};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(i);
    CHECK(tree.causes[i].package == wanted[i]);
  }
}

TEST_CASE("without records of packages each cause stands alone") {
  const auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/usr/lib/libz.so.1", "1");
  TreeComparison tree;
  tree.changed = {"/usr/lib/libz.so.1"};
  tree.causes = {cause_of(DecidedBy::Content, "/usr/lib/libz.so.1", "/usr/lib/libz.so.1", {"/usr/bin/a"})};
  fold_by_package(tree, files, files);
  CHECK(tree.packages.empty());
  CHECK(!tree.causes.front().package);
}

TEST_CASE("a file that a side lacks does not say that it lacks the package") {
  const auto a = debian({{"zlib1g", "1.2", {"/usr/share/doc/zlib1g/copyright", "/usr/lib/libz.so.1"}},
                         {"dropped", "1", {"/usr/lib/libdropped.so.1", "/usr/share/doc/dropped/copyright"}}});
  auto b = std::make_shared<OverlayFileSystem>(
      debian({{"zlib1g", "1.2", {"/usr/share/doc/zlib1g/copyright", "/usr/lib/libz.so.1"}},
              {"dropped", "2", {"/usr/share/doc/dropped/copyright"}}}));
  REQUIRE(b->remove("/usr/lib/libz.so.1") == Errno::None);
  TreeComparison tree;
  tree.went = {"/usr/lib/libdropped.so.1", "/usr/lib/libz.so.1"};
  tree.causes = {cause_of(DecidedBy::File, "/usr/lib/libz.so.1", "", {"/usr/bin/a"}),
                 cause_of(DecidedBy::File, "/usr/lib/libdropped.so.1", "", {"/usr/bin/b"})};
  fold_by_package(tree, a, b);
  CHECK(lines_of(tree) == std::vector<std::string>{"dropped 1 -> 2: 1 files, 1 processes"});
  CHECK(!tree.causes[0].package);  // deleted by hand: of one version on both sides
  CHECK(tree.causes[1].package == 0);
}
