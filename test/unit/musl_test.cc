// The rules of musl's loader (ldso/dynlink.c): where it searches, what it takes for itself, what it prints. The real
// ones judge them in test/differential; here are the cases that stand for one rule each.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "loader/load.h"
#include "loader/musl_walk.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "soresolve/report.h"
#include "soresolve/symbols.h"
#include "soresolve/world.h"
#include "support/elf_writer.h"

using namespace soresolve;
using namespace soresolve::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view kLdso = "/lib/ld-musl-x86_64.so.1";

std::shared_ptr<MemoryFileSystem> musl_root(const std::string& version = "1.2.5") {
  auto files = std::make_shared<MemoryFileSystem>();
  std::string loader = write_elf(library());
  loader += "\0musl libc (x86_64)\nVersion %s\n\0"s + version + "\0"s;
  files->add_file(kLdso, loader);
  return files;
}

/// What `ldd /m` says, and what it prints on standard error.
struct Said {
  std::string list;
  std::vector<std::string> messages;
};

Said ask(const std::shared_ptr<MemoryFileSystem>& files, ElfSpec main, std::vector<std::string> environment = {}) {
  main.interp = std::string(kLdso);
  files->add_file("/m", write_elf(main), 0755);
  Result<System> system = read_system(files, kLdso);
  REQUIRE_MESSAGE(system.has_value(), system.error().to_string());
  CHECK(system->rules.libc == Libc::Musl);
  auto process = std::make_shared<Process>();
  process->argv0 = "/m";
  process->environment = Environment(std::move(environment));
  const Result<LinkMap> map = load(std::make_shared<System>(std::move(*system)), process, "/m");
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  Result<TraceAnswer> traced = trace(*map);
  REQUIRE(traced.has_value());
  return {traced->list, traced->messages};
}

std::string listed(const std::vector<std::string>& lines) {
  std::string text = "\t" + std::string(kLdso) + "\n";
  for (const std::string& line : lines) text += "\t" + line + "\n";
  return text;
}

}  // namespace

TEST_CASE("musl's release and its ARCH stand in its file") {
  const auto release = find_musl_release("x\0musl libc (aarch64)\nVersion %s\n\0127.0.0.1\0001.2.3\0"s);
  REQUIRE(release.has_value());
  CHECK(release->arch == "aarch64");
  CHECK(release->version == MuslVersion{1, 2, 3});
  CHECK(!find_musl_release("GNU C Library").has_value());
}

TEST_CASE("the names that are libc itself end in the dot") {
  for (const char* const name : {"libc.so", "libc.musl-x86_64.so.1", "libm.so.6", "libpthread.so.0", "libc.d/x.so"}) {
    CAPTURE(name);
    CHECK(reserved_musl_name(name).has_value());
  }
  for (const char* const name : {"libm", "libp.so", "libc++.so.1", "libresolv.so.2", "/lib/libc.so"}) {
    CAPTURE(name);
    CHECK(!reserved_musl_name(name).has_value());
  }
}

TEST_CASE("LD_LIBRARY_PATH comes before RPATH, the path file takes the place of the defaults") {
  const auto files = musl_root();
  for (const char* const directory : {"/rp", "/env", "/sys", "/lib"}) {
    files->add_file(std::string(directory) + "/libw.so", write_elf(library()));
  }
  const ElfSpec main = program().needed("libw.so");
  ElfSpec tagged = main;
  tagged.rpath("/rp");
  CHECK(ask(files, main).list == listed({"libw.so => /lib/libw.so"}));
  CHECK(ask(files, tagged).list == listed({"libw.so => /rp/libw.so"}));
  CHECK(ask(files, tagged, {"LD_LIBRARY_PATH=/env"}).list == listed({"libw.so => /env/libw.so"}));
  files->add_file("/etc/ld-musl-x86_64.path", "/nowhere\n/sys:/lib");
  CHECK(ask(files, main).list == listed({"libw.so => /sys/libw.so"}));
  files->add_file("/etc/ld-musl-x86_64.path", "");
  CHECK(ask(files, main).messages ==
        std::vector{"Error loading shared library libw.so: No error information (needed by /m)"s});
}

TEST_CASE("all that is missing is told: libraries, then symbols") {
  const auto files = musl_root();
  files->add_file("/lib/liba.so", write_elf(library().needed("libno.so").call(undefined("gone"))));
  const Said said = ask(files, program().needed("liba.so").needed("libc.so.6").call(undefined("who")));
  CHECK(said.list == listed({"liba.so => /lib/liba.so", "libc.so.6 => " + std::string(kLdso)}));
  CHECK(said.messages ==
        std::vector{"Error loading shared library libno.so: No such file or directory (needed by /lib/liba.so)"s,
                    "Error relocating /lib/liba.so: gone: symbol not found"s,
                    "Error relocating /m: who: symbol not found"s});
}

TEST_CASE("a program of glibc in a root of musl is told what it is, not that a file is missing") {
  const auto files = musl_root();
  ElfSpec main = program().needed("libc.so.6").refer(undefined("puts", "GLIBC_2.28"));
  main.interp = "/lib64/ld-linux-x86-64.so.2";
  main.version_needs = {{"libc.so.6", {{"GLIBC_2.2.5"}, {"GLIBC_2.28"}}}};
  files->add_file("/app", write_elf(main), 0755);
  WorldSettings settings;
  settings.files = files;
  World world(settings);
  REQUIRE(!world.resolve("/app").has_value());
  const std::optional<Diagnosis> refused = world.refusal();
  REQUIRE(refused.has_value());
  CHECK(refused->problems.front().code == ProblemCode::ForeignLibc);
  CHECK(sentence(refused->problems.front().what, Language::English) ==
        "/app is built for glibc 2.28 or newer; this root has musl 1.2.5: it cannot load; take a glibc base image or a "
        "musllinux wheel");
  CHECK(refused->loader_prints == "/app: No such file or directory");
  CHECK(refused->remedies.empty());
}

TEST_CASE("the first line about a file of glibc says what it is, also where libraries are missing") {
  const auto files = musl_root();
  ElfSpec glibcs = library().needed("libnss.so.2").needed("libc.so.6").refer(undefined("puts", "GLIBC_2.28"));
  glibcs.version_needs = {{"libc.so.6", {{"GLIBC_2.28"}}}};
  files->add_file("/lib/libg.so", write_elf(glibcs));
  ElfSpec main = program().needed("libg.so").needed("libc.so");
  main.interp = std::string(kLdso);
  files->add_file("/m", write_elf(main), 0755);
  WorldSettings settings;
  settings.files = files;
  settings.clean_env = true;
  const std::string_view kWhat =
      "/lib/libg.so is built for glibc 2.28 or newer; this root has musl 1.2.5: it cannot load; take a glibc base "
      "image or a musllinux wheel";
  for (const char* const file : {"/m", "/lib/libg.so"}) {
    CAPTURE(file);
    const Result<Resolution> run = World(settings).resolve(file);
    REQUIRE_MESSAGE(run.has_value(), run.error().to_string());
    const Diagnosis diagnosis = diagnose(run->map(), file, {});
    CHECK(diagnosis.problems.front().code == ProblemCode::ForeignLibc);
    CHECK(sentence(diagnosis.verdict, Language::English).find(kWhat) != std::string::npos);
    REQUIRE(run->check().has_value());
    const std::string page = to_text(document_of(CheckReport{run->map(), *run->check(), file}));
    CHECK(page.find("is built for glibc 2.28 or newer; this root has musl 1.2.5") != std::string::npos);
  }
}

TEST_CASE("JSON has the release of musl under its own name") {
  const auto files = musl_root();
  ElfSpec main = program().needed("libc.so");
  main.interp = std::string(kLdso);
  files->add_file("/m", write_elf(main), 0755);
  WorldSettings settings;
  settings.files = files;
  const Result<Resolution> run = World(settings).resolve("/m");
  REQUIRE_MESSAGE(run.has_value(), run.error().to_string());
  REQUIRE(run->check().has_value());
  std::string data;
  document_of(CheckReport{run->map(), *run->check(), "/m"}).data([&](std::string_view part) { data += part; });
  CHECK(data.find(R"("libc": "musl")") != std::string::npos);
  CHECK(data.find(R"("musl": "1.2.5")") != std::string::npos);
  CHECK(data.find(R"("glibc": null)") != std::string::npos);
}

TEST_CASE("a RUNPATH is inherited; one with another token than $ORIGIN is dropped whole") {
  const auto files = musl_root();
  files->add_file("/rp/liba.so", write_elf(library().needed("libb.so")));
  files->add_file("/rp/libb.so", write_elf(library()));
  ElfSpec main = program().needed("liba.so");
  CHECK(ask(files, ElfSpec(main).runpath("/rp")).list == listed({"liba.so => /rp/liba.so", "libb.so => /rp/libb.so"}));
  CHECK(ask(files, ElfSpec(main).runpath("/rp:$LIB")).messages.size() == 1);
}
