// The rules of musl's loader (ldso/dynlink.c): where it searches, what it takes for itself, what it prints. The real
// ones judge them in test/differential; here are the cases that stand for one rule each.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "diagnose/diagnose.h"
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
  settings.where.files = files;
  World world(settings);
  REQUIRE(!world.resolve("/app").has_value());
  const std::optional<Diagnosis> refused = world.refusal();
  REQUIRE(refused.has_value());
  CHECK(refused->problems.front().code == ProblemCode::ForeignLibc);
  CHECK(sentence(refused->problems.front().what, Language::English) ==
        "/app names the loader of glibc, which is not here; this root has that of musl "
        "(/lib/ld-musl-x86_64.so.1), as Alpine");
  CHECK(refused->next.sentence == "next-loader-of-glibc");
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
  settings.where.files = files;
  settings.start.clean_env = true;
  const std::string_view kWhat =
      "/lib/libg.so is built for glibc 2.28 or newer; this root has musl 1.2.5: it cannot load; take a glibc base "
      "image or a build for musl";
  for (const char* const file : {"/m", "/lib/libg.so"}) {
    CAPTURE(file);
    World world(settings);
    const Result<Answer> answer = ask(world, {.file = file});
    REQUIRE_MESSAGE(answer.has_value(), answer.error().to_string());
    const Diagnosis& diagnosis = answer->diagnosis();
    CHECK(diagnosis.problems.front().code == ProblemCode::ForeignLibc);
    CHECK(sentence(diagnosis.verdict, Language::English).find(kWhat) != std::string::npos);
    REQUIRE(!answer->unreadable());
    const std::string page = to_text(view(*answer, {.as = View::As::Check}));
    CHECK(page.find("is built for glibc 2.28 or newer; this root has musl 1.2.5") != std::string::npos);
  }
}

TEST_CASE("JSON has the release of musl under its own name") {
  const auto files = musl_root();
  ElfSpec main = program().needed("libc.so");
  main.interp = std::string(kLdso);
  files->add_file("/m", write_elf(main), 0755);
  WorldSettings settings;
  settings.where.files = files;
  World world(settings);
  const Result<Answer> answer = ask(world, {.file = "/m"});
  REQUIRE_MESSAGE(answer.has_value(), answer.error().to_string());
  REQUIRE(!answer->unreadable());
  const std::string data = to_json(view(*answer, {.as = View::As::Check}));
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

namespace {

constexpr std::string_view kStandIn = "/lib64/ld-linux-x86-64.so.2";

/// A root of Alpine with gcompat: its stand-in is a program that has two strings.
std::shared_ptr<MemoryFileSystem> gcompat_root() {
  auto files = musl_root();
  files->add_file(kStandIn, write_elf(library()) + "\0/lib/ld-musl-x86_64.so.1\0--preload\0/lib/libgcompat.so.0\0"s,
                  0755);
  files->add_file("/lib/libgcompat.so.0", write_elf(library().define(defined("__printf_chk"))));
  return files;
}

Result<Resolution> resolve_in(const std::shared_ptr<MemoryFileSystem>& files, const std::string& file) {
  WorldSettings settings;
  settings.where.files = files;
  settings.start.clean_env = true;
  return World(settings).resolve(file);
}

}  // namespace

TEST_CASE("a program of glibc goes through gcompat's stand-in to musl's loader, with its library as a preload") {
  const auto files = gcompat_root();
  ElfSpec main = program().needed("libc.so.6").call(undefined("__printf_chk"));
  main.interp = std::string(kStandIn);
  files->add_file("/app", write_elf(main), 0755);
  const Result<Resolution> run = resolve_in(files, "/app");
  REQUIRE_MESSAGE(run.has_value(), run.error().to_string());
  CHECK(ldd_text(run->map()) ==
        listed({"/lib/libgcompat.so.0 => /lib/libgcompat.so.0", "libc.so.6 => /lib/ld-musl-x86_64.so.1"}));
  REQUIRE(run->check().has_value());
  CHECK(run->check()->now.end == StartEnd::Runs);
  ElfSpec lacking = main;
  lacking.call(undefined("__strcpy_chk"));
  files->add_file("/lacking", write_elf(lacking), 0755);
  const Result<Resolution> other = resolve_in(files, "/lacking");
  REQUIRE_MESSAGE(other.has_value(), other.error().to_string());
  REQUIRE(other->check().has_value());
  CHECK(other->check()->now.lines == std::vector{"Error relocating /lacking: __strcpy_chk: symbol not found"s});
}

TEST_CASE("what opens a library in a root with gcompat has musl's loader") {
  const auto files = gcompat_root();
  files->add_file("/lib/libg.so", write_elf(library().needed("libc.so.6")));
  const Result<Resolution> run = resolve_in(files, "/lib/libg.so");
  REQUIRE_MESSAGE(run.has_value(), run.error().to_string());
  CHECK(ldd_text(run->map()) == listed({"libc.so.6 => /lib/ld-musl-x86_64.so.1"}));
}

TEST_CASE("of two libcs in one image each file has the one that it names") {
  const auto files = musl_root();
  files->add_file(kStandIn, write_loader(), 0755);
  const struct {
    const char* why;
    const char* needed;
    Libc libc;
  } kCases[] = {{"Alpine's name", "libc.musl-x86_64.so.1", Libc::Musl},
                {"musl-gcc's name", "libc.so", Libc::Musl},
                {"glibc's name", "libc.so.6", Libc::Glibc},
                {"neither", "libother.so", Libc::Glibc}};
  for (const auto& c : kCases) {
    CAPTURE(c.why);
    files->add_file("/lib/libx.so", write_elf(library().needed(c.needed)));
    const Result<Resolution> run = resolve_in(files, "/lib/libx.so");
    REQUIRE_MESSAGE(run.has_value(), run.error().to_string());
    CHECK(run->map().system->rules.libc == c.libc);
  }
}

TEST_CASE("musl keeps the value of DT_BIND_NOW, which linkers write as 0; a bad DT_SONAME is nobody's business") {
  const auto files = musl_root();
  ElfSpec lib = library().soname("libx.so");
  const std::string bytes = write_elf(lib);
  // The offset of the SONAME in the dynamic section, made to lead out of the file.
  std::string spoiled = bytes;
  const std::string tag("\x0e\0\0\0\0\0\0\0", 8);
  const std::size_t at = spoiled.find(tag);
  REQUIRE(at != std::string::npos);
  spoiled.replace(at + 8, 8, std::string("\0\0\0\x10\0\0\0\0", 8));
  files->add_file("/lib/libx.so", spoiled);
  CHECK(ask(files, program().needed("libx.so")).list == listed({"libx.so => /lib/libx.so"}));
}

TEST_CASE("nothing that a start binds waits for its first call") {
  const auto files = musl_root();
  files->add_file("/lib/libf.so", write_elf(library().soname("libf.so").define(defined("f"))));
  const auto check_of = [&](ElfSpec main) {
    main.interp = std::string(kLdso);
    files->add_file("/m", write_elf(main), 0755);
    WorldSettings settings;
    settings.where.files = files;
    settings.start.clean_env = true;
    World world(settings);
    const Result<Answer> answer = ask(world, {.file = "/m"});
    REQUIRE_MESSAGE(answer.has_value(), answer.error().to_string());
    REQUIRE(!answer->unreadable());
    return std::pair(answer->run()->check()->counts.lazy, to_text(view(*answer, {.as = View::As::Check})));
  };
  const auto [lazy, text] = check_of(program().needed("libf.so").call(undefined("f")));
  CHECK(lazy == 0);
  CHECK(text.find("ok\n") == 0);
  CHECK(text.find("lazy") == std::string::npos);
  const auto [none, lacking] = check_of(program().needed("libf.so").call(undefined("f")).call(undefined("g")));
  CHECK(none == 0);
  CHECK(lacking.find("Error relocating /m: g: symbol not found\n") == 0);
  CHECK(lacking.find("lazy") == std::string::npos);
}
