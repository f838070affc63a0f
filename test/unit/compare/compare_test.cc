// What decides differently in two trees in memory: the cause that was planted, and what follows from it.
#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "soresolve/compare.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr const char* kFile = "/app/train";

/// A tree, and what its processes start with.
struct TestTree {
  std::shared_ptr<MemoryFileSystem> files = std::make_shared<MemoryFileSystem>();
  std::vector<std::string> env;

  TestTree& elf(std::string_view path, const ElfSpec& spec) {
    files->add_file(path, write_elf(spec), 0755);
    return *this;
  }
  [[nodiscard]] WorldSettings settings() const {
    WorldSettings settings;
    settings.where.files = files;
    settings.machine.cpu = "x86-64";
    settings.start.env = env;
    settings.start.clean_env = true;
    return settings;
  }
};

ElfSpec lib(const char* soname) { return library().soname(soname); }

/// libone by RUNPATH, which needs libtwo; libcudart by LD_LIBRARY_PATH; libsys by a default directory.
TestTree server() {
  TestTree tree;
  tree.files->add_file(kInterp, write_loader());
  tree.env = {"LD_LIBRARY_PATH=/cuda/lib64"};
  tree.elf(kFile, program().needed("libone.so").needed("libcudart.so.11.0").needed("libsys.so.1").runpath("/app/lib"))
      .elf("/app/lib/libone.so", lib("libone.so").needed("libtwo.so").runpath("/app/lib"))
      .elf("/app/lib/libtwo.so", lib("libtwo.so"))
      .elf("/cuda/lib64/libcudart.so.11.0", lib("libcudart.so.11.0"))
      .elf("/usr/lib64/libsys.so.1", lib("libsys.so.1"));
  return tree;
}

Comparison compare(const TestTree& a, const TestTree& b, std::vector<std::string> files) {
  CompareOptions options;
  options.compares_machine = false;
  Result<Comparison> comparison = compare_roots(a.settings(), b.settings(), files, options);
  REQUIRE(comparison.has_value());
  return std::move(*comparison);
}

/// "BY PATH: NAME CHANGE, …; derived" for each cause.
std::vector<std::string> causes_of(const FileComparison& file) {
  std::vector<std::string> lines;
  for (const DifferenceCause& cause : file.causes) {
    std::string line = std::string(name_of(cause.step.by)) + " " + cause.step.path + ":";
    for (const RequestDifference& one : cause.decided) line += " " + one.name + " " + std::string(name_of(one.change));
    for (const RequestDifference& one : cause.derived) line += " (" + one.name + ")";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

TEST_CASE("a planted cause is the first one, and its fix makes B answer as A") {
  struct Case {
    const char* why;
    std::function<void(TestTree&)> change;
    std::string want;
    bool is_fixed = true;
  };
  const Case cases[] = {
      {"the variable is not set", [](TestTree& b) { b.env.clear(); },
       "environment /cuda/lib64: libcudart.so.11.0 went"},
      {"the variable names another directory", [](TestTree& b) { b.env = {"LD_LIBRARY_PATH=/elsewhere"}; },
       "environment /cuda/lib64: libcudart.so.11.0 went"},
      {"RUNPATH names another directory",
       [](TestTree& b) {
         b.elf(kFile,
               program().needed("libone.so").needed("libcudart.so.11.0").needed("libsys.so.1").runpath("/app/old"));
       },
       "search-tag /app/train: /app/train other-content (libone.so)"},
      {"a library is of another machine",
       [](TestTree& b) {
         ElfSpec other = lib("libsys.so.1");
         other.machine = kEm386;
         other.bits = Bits::Elf32;
         b.elf("/usr/lib64/libsys.so.1", other);
       },
       "target /usr/lib64/libsys.so.1: libsys.so.1 went"},
      {"a directory comes before, with a library of that name",
       [](TestTree& b) { b.elf("/cuda/lib64/libsys.so.1", lib("libsys.so.1")); },
       "file /cuda/lib64/libsys.so.1: libsys.so.1 other-file"},
      {"a library asks for more",
       [](TestTree& b) {
         b.elf("/app/lib/libone.so", lib("libone.so").needed("libtwo.so").needed("libsys.so.1").runpath("/app/lib"));
       },
       "content /app/lib/libone.so: libone.so other-content (libsys.so.1)", false},
      {"ld.so.preload", [](TestTree& b) { b.files->add_file("/etc/ld.so.preload", "/app/lib/libtwo.so\n"); },
       "preload /etc/ld.so.preload: /app/lib/libtwo.so only-in-b", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    TestTree b = server();
    c.change(b);
    const Comparison comparison = compare(server(), b, {kFile});
    const FileComparison& file = comparison.files.front();
    CHECK_FALSE(comparison.is_same());
    REQUIRE_FALSE(file.causes.empty());
    CHECK(causes_of(file).front() == c.want);
    if (!c.is_fixed) {
      CHECK(file.verdict_b == Verdict::Works);  // where it works nothing is to be replaced
      continue;
    }
    REQUIRE(file.fix.has_value());
    CHECK(file.fix->verdict == RemedyVerdict::Works);
    CHECK_FALSE(file.fix->commands.empty());
  }
}

TEST_CASE("equal trees have no difference, by file and as a whole") {
  const Comparison by_file = compare(server(), server(), {kFile, "/app/lib/libone.so"});
  CHECK(by_file.is_same());
  CHECK(by_file.files.size() == 2);
  CHECK_FALSE(by_file.files.front().fix.has_value());
  const Comparison whole = compare(server(), server(), {});
  CHECK(whole.is_same());
  CHECK(whole.tree->roots == 2);  // the loader is one
  CHECK(whole.tree->compared == 0);
}

TEST_CASE("a program that is linked statically works in both, although no loader searches for it") {
  TestTree tree = server();
  ElfSpec loaderless = program();
  loaderless.interp.reset();
  loaderless.has_dynamic = false;
  tree.elf("/app/alone", loaderless);
  const FileComparison file = compare(tree, tree, {"/app/alone"}).files.front();
  CHECK(file.is_same());
  CHECK(file.verdict_a == Verdict::Works);
}

TEST_CASE("what lies below a library that is gone is listed, and is no cause") {
  TestTree b;
  b.files->add_file(kInterp, write_loader());
  b.env = server().env;
  b.elf(kFile, program().needed("libone.so").needed("libcudart.so.11.0").needed("libsys.so.1").runpath("/app/lib"))
      .elf("/app/lib/other.so", lib("other.so"))
      .elf("/cuda/lib64/libcudart.so.11.0", lib("libcudart.so.11.0"))
      .elf("/usr/lib64/libsys.so.1", lib("libsys.so.1"));
  const Comparison comparison = compare(server(), b, {kFile});
  const FileComparison& file = comparison.files.front();
  CHECK(causes_of(file) == std::vector<std::string>{"file /app/lib/libone.so: libone.so went"});
  std::size_t went = 0;
  for (const ComparedObject& object : file.objects) went += object.change == ComparedObject::Change::Went ? 1 : 0;
  CHECK(went == 2);  // libtwo.so as well
  CHECK(file.verdict_a == Verdict::Works);
  CHECK(file.verdict_b == Verdict::Fails);
  // Files of A are brought one behind the other, until nothing differs.
  REQUIRE(file.fix.has_value());
  CHECK(file.fix->verdict == RemedyVerdict::Works);
  CHECK(file.fix->commands.size() == 2);
}

TEST_CASE("a whole tree: only processes that a difference can reach are walked") {
  TestTree a = server();
  TestTree b = server();
  for (TestTree* const tree : {&a, &b}) {
    tree->elf("/app/alone", program().needed("libfar.so.1")).elf("/usr/lib64/libfar.so.1", lib("libfar.so.1"));
  }
  b.env.clear();
  const Comparison comparison = compare(a, b, {});
  REQUIRE(comparison.tree.has_value());
  CHECK(comparison.tree->roots == 3);
  CHECK(comparison.tree->compared == 1);
  REQUIRE(comparison.tree->causes.size() == 1);
  CHECK(comparison.tree->causes.front().step.by == DecidedBy::Environment);
  CHECK(comparison.tree->causes.front().files == std::vector<std::string>{kFile});
  CHECK(comparison.tree->now_fails == std::vector<std::string>{kFile});
}

TEST_CASE("trees without a loader: nothing is said of what processes find") {
  TestTree a;
  TestTree b;
  for (TestTree* const tree : {&a, &b}) tree->elf(kFile, program().needed("libone.so.1"));
  a.elf("/usr/lib64/libone.so.1", lib("libone.so.1"));
  const Comparison comparison = compare(a, b, {});
  REQUIRE(comparison.tree.has_value());
  CHECK_FALSE(comparison.tree->has_loader_a);
  CHECK_FALSE(comparison.tree->has_loader_b);
  CHECK(comparison.tree->starts_in_neither == std::vector<std::string>{kFile});
  CHECK(comparison.tree->went == std::vector<std::string>{"/usr/lib64/libone.so.1"});
  // Where one side has a loader, the other one is the difference.
  b.files->add_file(kInterp, write_loader());
  const Comparison one_sided = compare(a, b, {});
  REQUIRE(one_sided.tree.has_value());
  CHECK_FALSE(one_sided.tree->has_loader_a);
  CHECK(one_sided.tree->has_loader_b);
  CHECK(one_sided.tree->starts_in_neither.empty());
  CHECK(one_sided.tree->causes.size() == 1);
}

TEST_CASE("a file that is in neither tree is no question") {
  CompareOptions options;
  options.compares_machine = false;
  CHECK_FALSE(compare_roots(server().settings(), server().settings(), {"/app/nothing"}, options).has_value());
}

TEST_CASE("another order of the variable is an order, and no file that is not there") {
  TestTree a = server();
  TestTree b = server();
  for (TestTree* const tree : {&a, &b}) tree->elf("/old/libcudart.so.11.0", lib("libcudart.so.11.0"));
  a.env = {"LD_LIBRARY_PATH=/cuda/lib64:/old"};
  b.env = {"LD_LIBRARY_PATH=/old:/cuda/lib64/"};
  const FileComparison file = compare(a, b, {kFile}).files.front();
  REQUIRE(file.causes.size() == 1);
  CHECK(file.causes.front().step.what.sentence == "diff-order");
  CHECK(file.causes.front().step.by == DecidedBy::Environment);
  REQUIRE(file.fix.has_value());
  CHECK(texts_of(file.fix->commands) == std::vector<std::string>{"export LD_LIBRARY_PATH=/cuda/lib64:/old"});
}

TEST_CASE("the cause that ends the process comes before one that only leads to another file") {
  TestTree b = server();
  b.elf("/cuda/lib64/libone.so", lib("libone.so"));  // the variable comes before RUNPATH
  b.files->add_file("/usr/lib64/libsys.so.1", "cut");
  const FileComparison file = compare(server(), b, {kFile}).files.front();
  REQUIRE(file.causes.size() == 2);
  CHECK(file.causes.front().step.path == "/usr/lib64/libsys.so.1");
  CHECK(file.verdict_b == Verdict::Fails);
}
