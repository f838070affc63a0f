// Native files of a package that its import leaves alone: which of them count, and which of them fail.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "soresolve/world.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

const std::string kSitePackages = "/usr/lib/python3.11/site-packages/";
const std::string kModuleTag = ".cpython-311-x86_64-linux-gnu.so";

ElfSpec module_of(const char* name) { return library().define(defined(std::string("PyInit_") + name)); }

/// An interpreter, and a package of which `import pack` opens pack._used.
struct PackageRoot {
  std::shared_ptr<MemoryFileSystem> files = std::make_shared<MemoryFileSystem>();

  PackageRoot() {
    files->add_file(kInterp, write_loader(), 0755);
    files->add_file("/usr/bin/python3.11", write_elf(program()), 0755);
    text("/usr/lib/python3.11/os.py", "");
    text(kSitePackages + "pack/__init__.py", "from . import _used\n");
    elf(kSitePackages + "pack/_used" + kModuleTag, module_of("_used").needed("libown.so").runpath("$ORIGIN"));
    elf(kSitePackages + "pack/libown.so", library().soname("libown.so"));
  }
  void text(const std::string& path, const std::string& text) { files->add_file(path, text); }
  void elf(const std::string& path, const ElfSpec& spec) { files->add_file(path, write_elf(spec)); }
  /// By the wheel's record: `paths` below the site directory, and what is there from the start.
  void record(const std::vector<std::string>& paths) {
    std::string lines =
        "pack/__init__.py,,\npack/_used" + kModuleTag + ",,\npack/libown.so,,\npack-1.dist-info/RECORD,,\n";
    for (const std::string& path : paths) lines += path + ",,\n";
    text(kSitePackages + "pack-1.dist-info/RECORD", lines);
    text(kSitePackages + "pack-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: pack\nVersion: 1\n");
  }

  [[nodiscard]] std::vector<OnDemandFile> ask() const {
    WorldSettings settings;
    settings.where.files = files;
    settings.machine.cpu = "x86-64";
    settings.process = {.asked_as = AskedAs::Import, .python = "/usr/bin/python3.11"};
    World world(settings);
    const Result<Resolution> run = world.resolve("pack");
    REQUIRE(run.has_value());
    REQUIRE(run->import() != nullptr);
    CHECK(run->import()->exception.empty());
    return run->import()->on_demand;
  }
};

}  // namespace

TEST_CASE("native files of a package that its import does not load are judged after it") {
  PackageRoot machine;
  machine.elf(kSitePackages + "pack/sub/_later.abi3.so", module_of("_later").needed("libown.so"));  // loaded by then
  machine.elf(kSitePackages + "pack/_broken.so", module_of("_broken").needed("libgone.so.1"));
  machine.elf(kSitePackages + "pack/plugin.so", library().needed("libgone.so.2"));
  machine.elf(kSitePackages + "pack/old.cpython-39-x86_64-linux-gnu.so", module_of("old"));
  machine.elf(kSitePackages + "pack/libinner.so.1", library().soname("libinner.so.1").needed("libgone.so.3"));
  machine.elf(kSitePackages + "pack/_outer.so", module_of("_outer").needed("libinner.so.1").runpath("$ORIGIN"));
  machine.text(kSitePackages + "pack/notes.so.txt", "no library");
  machine.elf(kSitePackages + "pack/prog.so", program());
  const std::vector<OnDemandFile> found = machine.ask();
  const auto failure_of = [&](const std::string& file, const std::string& module) {
    for (const OnDemandFile& one : found) {
      if (one.file != kSitePackages + file) continue;
      CHECK(one.module == module);
      return one.failure.substr(0, one.failure.find(':'));
    }
    return std::string("not there");
  };
  CHECK(failure_of("pack/sub/_later.abi3.so", "pack.sub._later") == "");
  CHECK(failure_of("pack/_broken.so", "pack._broken") == "libgone.so.1");
  CHECK(failure_of("pack/plugin.so", "") == "libgone.so.2");
  CHECK(failure_of("pack/_outer.so", "pack._outer") == "libgone.so.3");
  // Loaded by the import, for another interpreter, needed by another one, no library.
  for (const char* name : {"_used", "libown.so", "old", "libinner", "notes"}) {
    for (const OnDemandFile& one : found) CHECK(one.file.find(name) == std::string::npos);
  }
}

TEST_CASE("what the package's record has is required, what it never had is a spare part") {
  PackageRoot machine;
  machine.elf(kSitePackages + "pack/_lost.so", module_of("_lost").needed("libinside.so"));
  machine.elf(kSitePackages + "pack/_spare.so", module_of("_spare").needed("libtbb.so.12"));
  machine.elf(kSitePackages + "other/_other.so", module_of("_other").needed("libgone.so"));
  machine.record({"pack/_lost.so", "pack/_spare.so", "pack.libs/libinside.so"});
  const std::vector<OnDemandFile> found = machine.ask();
  REQUIRE(found.size() == 2);
  CHECK(found[0].module == "pack._lost");
  CHECK_FALSE(found[0].is_spare);
  CHECK(found[1].module == "pack._spare");
  CHECK(found[1].failure.starts_with("libtbb.so.12: cannot open shared object file"));
  CHECK(found[1].is_spare);
}

TEST_CASE("what depends on who opens it is no failure") {
  PackageRoot machine;
  machine.elf(kSitePackages + "pack/plugin.so", library().refer(undefined("of_its_host")));
  machine.elf(kSitePackages + "pack/_driver.so", module_of("_driver").needed("libcuda.so.1"));
  machine.elf(kSitePackages + "pack/_ops.so", module_of("_ops").needed("libtorch.so"));
  for (const OnDemandFile& one : machine.ask()) {
    CAPTURE(one.file);
    CHECK(one.failure == "");
  }
}
