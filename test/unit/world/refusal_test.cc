// A file that comes into no process: what execve(2) answers, and which fixes are tried.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "soresolve/place.h"
#include "soresolve/remedies.h"
#include "soresolve/report.h"
#include "soresolve/survey.h"
#include "soresolve/world.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

ElfSpec program_of(const std::string& interpreter) {
  ElfSpec spec = program();
  spec.interp = interpreter;
  return spec;
}

WorldSettings settings_of(std::shared_ptr<MemoryFileSystem> files) {
  WorldSettings settings;
  settings.where.files = std::move(files);
  settings.machine.cpu = "x86-64";
  return settings;
}

/// A root with a loader.
std::shared_ptr<MemoryFileSystem> machine() {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kInterp, write_loader(), 0755);
  return files;
}

}  // namespace

TEST_CASE("a library is loaded, whatever interpreter it names") {
  const auto files = machine();
  ElfSpec spec = program_of("/no/such/ld.so");
  files->add_file("/app/prog", write_elf(spec), 0755);
  spec.flags_1.reset();
  files->add_file("/app/libx.so.1", write_elf(spec.soname("libx.so.1")), 0755);
  World world(settings_of(files));
  CHECK(!world.resolve("/app/prog").has_value());
  const Result<Resolution> run = world.resolve("/app/libx.so.1");
  REQUIRE(run.has_value());
  CHECK(run->map().system->loader_path == kInterp);
}

TEST_CASE("the kernel refuses a program whose interpreter is no loader") {
  struct Case {
    const char* why;
    const char* interpreter;
    const char* says;
  };
  const Case cases[] = {
      {"it is missing", "/lib64/ld-none.so.2", "No such file or directory"},
      {"its directory is a file", "/app/text/ld.so", "Not a directory"},
      {"it is a directory", "/app", "Permission denied"},
      {"it is a text", "/app/text", "Accessing a corrupted shared library"},
      {"it is shorter than a header", "/app/short", "Input/output error"},
      {"it is for another machine", "/app/arm.so", "Accessing a corrupted shared library"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = machine();
    files->add_file("/app/text", std::string(100, 't'), 0755);
    files->add_file("/app/short", "\177ELF", 0755);
    ElfSpec arm = library();
    arm.machine = 183;
    files->add_file("/app/arm.so", write_elf(arm), 0755);
    files->add_file("/app/prog", write_elf(program_of(c.interpreter)), 0755);
    World world(settings_of(files));
    REQUIRE(!world.resolve("/app/prog").has_value());
    const std::optional<Diagnosis> refused = world.refusal();
    REQUIRE(refused.has_value());
    CHECK(refused->answer == Verdict::Fails);
    CHECK(refused->problems.front().code == ProblemCode::NoInterpreter);
    CHECK(refused->loader_prints == "/app/prog: " + std::string(c.says));
    // The loader that is here takes it.
    const Remedy* const best = best_remedy(*refused);
    REQUIRE(best != nullptr);
    CHECK(best->verdict == RemedyVerdict::Works);
    CHECK(texts_of(best->commands) ==
          std::vector<std::string>{"patchelf --set-interpreter " + std::string(kInterp) + " /app/prog"});
    // The question after it has an answer of its own.
    files->add_file("/app/good", write_elf(program_of(std::string(kInterp))), 0755);
    CHECK(world.resolve("/app/good").has_value());
    CHECK(!world.refusal().has_value());
  }
}

TEST_CASE("another loader is proposed only where the program starts with it") {
  const auto files = machine();
  ElfSpec spec = program_of("/lib/ld-musl-x86_64.so.1").needed("libc.musl-x86_64.so.1");
  files->add_file("/app/prog", write_elf(spec), 0755);
  World world(settings_of(files));
  REQUIRE(!world.resolve("/app/prog").has_value());
  const std::optional<Diagnosis> refused = world.refusal();
  REQUIRE(refused.has_value());
  CHECK(refused->problems.front().code == ProblemCode::ForeignLibc);
  REQUIRE(refused->remedies.size() == 1);
  CHECK(refused->remedies.front().verdict == RemedyVerdict::Fails);
  CHECK(refused->remedies.front().loader_says.find("libc.musl-x86_64.so.1: cannot open") != std::string::npos);
  CHECK(best_remedy(*refused) == nullptr);
  // What has the loader here.
  files->add_file("/var/lib/dpkg/status", "", 0644);
  REQUIRE(!world.resolve("/app/prog").has_value());
  const std::optional<Diagnosis> on_debian = world.refusal();
  REQUIRE(best_remedy(*on_debian) != nullptr);
  CHECK(best_remedy(*on_debian)->commands.front() == "sudo apt-get install musl");
}

TEST_CASE("the kernel gives a script to no interpreter that is missing, or no program") {
  struct Case {
    const char* script;
    const char* says;  ///< empty: it starts
    const char* fix;   ///< empty: none
  };
  const Case cases[] = {
      {"#!/bin/none\n", "/app/script: No such file or directory", ""},
      {"#! /bin/none -x\n", "/app/script: No such file or directory", ""},
      {"#!/app\n", "/app/script: Permission denied", ""},
      {"#!/bin/sh\r\ntrue\r\n", "/app/script: No such file or directory", "sed -i 's/\\r$//' /app/script"},
      {"#!/opt/bin/sh -e\n", "/app/script: No such file or directory", "sed -i '1s|/opt/bin/sh|/bin/sh|' /app/script"},
      {"#!/bin/sh\ntrue\r\n", "", ""},
      {"#!/usr/bin/env sh\n", "", ""},
      {"#!/usr/bin/env -S A=1 sh -e\n", "", ""},
      {"#!/usr/bin/env none\n", "/usr/bin/env: 'none': No such file or directory", ""},
      {"#!/usr/bin/env -S none -x\n", "/usr/bin/env: 'none': No such file or directory", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.script);
    const auto files = machine();
    files->add_file("/bin/sh", write_elf(program()), 0755);
    files->add_file("/usr/bin/env", write_elf(program()), 0755);
    files->add_file("/app/script", c.script, 0755);
    World world(settings_of(files));
    const Result<Resolution> run = world.resolve("/app/script");
    REQUIRE(run.has_value() == (*c.says == '\0'));
    const std::optional<Diagnosis> diagnosis = world.refusal();
    REQUIRE(diagnosis.has_value() == (*c.says != '\0'));
    if (!diagnosis) continue;
    CHECK(diagnosis->problems.front().code == ProblemCode::NoInterpreter);
    CHECK(diagnosis->problems.front().loader_says == c.says);
    REQUIRE(diagnosis->remedies.empty() == (*c.fix == '\0'));
    if (diagnosis->remedies.empty()) continue;
    CHECK(diagnosis->remedies.front().commands.front().text() == c.fix);
    CHECK(diagnosis->remedies.front().verdict == RemedyVerdict::Works);
  }
}

TEST_CASE("a script is judged by its interpreter, which is started with the environment of env(1)") {
  const auto files = machine();
  files->add_file("/usr/bin/env", write_elf(program()), 0755);
  files->add_file("/usr/local/bin/tool", write_elf(program_needing({"libx.so"})), 0755);
  files->add_file("/opt/libx.so", write_elf(library()));
  files->add_file("/app/found", "#!/usr/bin/env -S LD_LIBRARY_PATH=/opt tool\n", 0755);
  files->add_file("/app/without", "#!/usr/bin/env tool\n", 0755);
  World world(settings_of(files));
  const Result<Resolution> found = world.resolve("/app/found");
  REQUIRE(found.has_value());
  CHECK(found->file() == "/app/found");
  CHECK(found->map().main_path == "/usr/local/bin/tool");
  CHECK(found->map().first_fatal() == nullptr);
  const Result<Resolution> without = world.resolve("/app/without");
  REQUIRE(without.has_value());
  REQUIRE(without->map().first_fatal() != nullptr);
  CHECK(without->map().first_fatal()->start_message(without->map().process->argv0) ==
        "tool: error while loading shared libraries: libx.so: cannot open shared object file: "
        "No such file or directory");
}

TEST_CASE("a program that is linked statically starts without a loader, if it may be executed") {
  struct Case {
    const char* why;
    std::uint32_t mode;
    const char* user;
    bool is_program;
    Verdict want;
  };
  const Case cases[] = {
      {"all may", 0755, "", true, Verdict::Works},
      {"the user may not", 0744, "1000", true, Verdict::Fails},
      {"an object file is no program", 0755, "", false, Verdict::Works},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = machine();
    ElfSpec spec = program();
    spec.has_dynamic = false;
    spec.interp.reset();
    if (!c.is_program) spec.type = 1;  // ET_REL
    files->add_file("/app/static", write_elf(spec), c.mode);
    WorldSettings settings = settings_of(files);
    settings.start.user = c.user;
    World world(settings);
    CHECK_FALSE(world.resolve("/app/static").has_value());
    const std::optional<Diagnosis> answer = world.refusal();
    REQUIRE(answer.has_value() == c.is_program);
    if (answer) CHECK(answer->answer == c.want);
  }
}

TEST_CASE("what an image starts is followed through scripts and runners, as far as that is plain") {
  using Words = std::vector<std::string>;
  struct Case {
    const char* script;
    Words command;
    Words want;
  };
  const char* const all = "#!/bin/sh\nset -e\n  exec \"$@\"\n";
  const Case cases[] = {
      {all, {"/app"}, {"/app"}},
      {all, {"app", "-x"}, {"/bin/app"}},
      {all, {"/entry.sh", "app"}, {"/entry.sh", "/bin/app"}},
      {"#!/bin/sh\nexec ${@}\n", {"/entry.sh", "app"}, {"/entry.sh", "/bin/app"}},
      {all, {"/entry.sh", "/missing"}, {"/entry.sh", "/missing"}},
      {all, {"/entry.sh", "serve"}, {"/entry.sh"}},
      {all, {"/entry.sh", "--flag", "app"}, {"/entry.sh"}},
      {all, {"/entry.sh", "/entry.sh", "/app"}, {"/entry.sh", "/entry.sh", "/app"}},
      {"#!/bin/sh\nset -- app \"$@\"\nexec \"$@\"\n", {"/entry.sh", "/missing"}, {"/entry.sh"}},
      {"#!/bin/sh\n# exec \"$@\"\nexec /app\n", {"/entry.sh", "/etc/conf"}, {"/entry.sh"}},
      {"#!/bin/sh\nexec /app \"$@\"\n", {"/entry.sh", "--config", "/etc/conf"}, {"/entry.sh"}},
      {"#!/bin/sh\nexec gosu user \"$@\"\n", {"/entry.sh", "/app"}, {"/entry.sh", "/app"}},
      {all, {"/bin/tini", "-v", "--", "/app"}, {"/bin/tini", "/app"}},
      {all, {"tini", "/entry.sh", "app"}, {"/bin/tini", "/entry.sh", "/bin/app"}},
      {all, {"env", "-i", "A=b", "app"}, {"/bin/env", "/bin/app"}},
      {all, {"su-exec", "user", "/app"}, {"/bin/su-exec", "/app"}},
      {all, {"/bin/sh", "-c", "exec app -x"}, {"/bin/sh", "/bin/app"}},
      {all, {"/bin/sh", "-c", "cd /x && app"}, {"/bin/sh"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.script);
    CAPTURE(c.command);
    const auto files = machine();
    for (const char* const path : {"/app", "/bin/app", "/bin/tini", "/bin/env", "/bin/su-exec", "/bin/sh"}) {
      files->add_file(path, write_elf(program()), 0755);
    }
    files->add_file("/etc/conf", "text\n");
    files->add_file("/entry.sh", c.script, 0755);
    Place place;
    place.files = files;
    place.kind = PlaceKind::Image;
    place.process.emplace().command = c.command;
    WorldSettings settings;
    settings.where.root = "image";
    settings.where.place = std::make_shared<const Place>(std::move(place));
    World world(settings);
    const Result<Words> programs = world.entry_points();
    REQUIRE(programs.has_value());
    CHECK(*programs == c.want);
  }
}

TEST_CASE("a static program that is cut off is none that starts") {
  const auto files = machine();
  ElfSpec spec = program();
  spec.has_dynamic = false;
  spec.interp.reset();
  const std::string whole = write_elf(spec);
  files->add_file("/app/whole", whole, 0755);
  files->add_file("/app/cut", whole.substr(0, whole.size() - 1), 0755);
  World world(settings_of(files));
  CHECK(world.resolve("/app/whole").error().code == ErrorCode::NotDynamic);
  CHECK(world.resolve("/app/cut").error().code == ErrorCode::Truncated);
  CHECK_FALSE(world.refusal().has_value());
  const Result<Survey> found = survey(settings_of(files), {"/app"});
  REQUIRE(found.has_value());
  CHECK(found->counts.static_programs == 1);
  CHECK(answer_of(SurveyReport{*found, "/", Strict::No}) == SurveyAnswer::NotKnown);
}

TEST_CASE("a static PIE needs no loader in its root; one that needs a library does") {
  for (const bool needs_library : {false, true}) {
    CAPTURE(needs_library);
    auto files = std::make_shared<MemoryFileSystem>();
    ElfSpec spec = needs_library ? program_needing({"libx.so"}) : program();
    spec.interp.reset();
    spec.flags_1 = kDf1Pie;
    files->add_file("/app", write_elf(spec), 0755);
    World world(settings_of(files));
    const Result<Resolution> run = world.resolve("/app");
    REQUIRE_FALSE(run.has_value());
    CHECK(run.error().code == (needs_library ? ErrorCode::NoLoader : ErrorCode::NotDynamic));
    const std::optional<Diagnosis> answer = world.refusal();
    REQUIRE(answer.has_value() == !needs_library);
    if (answer) CHECK(answer->answer == Verdict::Works);
  }
}

TEST_CASE("a program of a machine that the root has nothing of is refused, and passed over by a survey") {
  const auto files = machine();
  ElfSpec spec = program_of("/lib/ld-linux-aarch64.so.1");
  spec.machine = 183;
  files->add_file("/app/prog", write_elf(spec), 0755);
  World world(settings_of(files));
  const Result<Resolution> run = world.resolve("/app/prog");
  REQUIRE(!run.has_value());
  CHECK(run.error().code == ErrorCode::NoLoader);
  const std::optional<Diagnosis> refused = world.refusal();
  REQUIRE(refused.has_value());
  CHECK(refused->problems.front().code == ProblemCode::ForeignMachine);
  CHECK(refused->loader_prints == "/app/prog: Exec format error");
  CHECK(refused->next.sentence == "next-program-for-machine");
  const Result<Survey> found = survey(settings_of(files), {"/app"});
  REQUIRE(found.has_value());
  REQUIRE(found->skipped.size() == 1);
  CHECK(found->skipped.front().why == SurveySkip::Why::NoLoader);
}

TEST_CASE("a library of another machine is passed over as if it were not there") {
  const auto files = machine();
  ElfSpec spec = library().soname("libx.so");
  spec.machine = 183;
  files->add_file("/app/libx.so", write_elf(spec), 0755);
  World world(settings_of(files));
  const Result<Answer> answer = ask(world, {.file = "/app/libx.so"});
  REQUIRE(answer.has_value());
  CHECK(answer->verdict() == Verdict::Fails);
  CHECK(answer->diagnosis().problems.front().code == ProblemCode::ForeignMachine);
  CHECK(answer->diagnosis().problems.front().dlerror_says ==
        "/app/libx.so: cannot open shared object file: No such file or directory");
}

TEST_CASE("a text under a library's name is what the loader says of it") {
  struct Case {
    const char* text;
    const char* says;  ///< of dlerror; empty: an error
    const char* next;
  };
  const Case cases[] = {
      {"INPUT(libx.so.6)\n", "/app/libx.so: file too short", "next-name-in-script"},
      {"/* GNU ld script: a comment that is longer than a header of ELF */\nGROUP ( /lib/libx.so.6 )\n",
       "/app/libx.so: invalid ELF header", "next-name-in-script"},
      {"INPUT(AS_NEEDED(-lncurses libx.so.2))\n", "/app/libx.so: file too short", "next-name-in-script"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "/app/libx.so: file too short", "next-lfs-pull"},
      {"hello\n", "/app/libx.so: file too short", "next-fetch-again"},
      {"\x01hello\n", "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const auto files = machine();
    files->add_file("/app/libx.so", c.text, 0644);
    World world(settings_of(files));
    const Result<Answer> answer = ask(world, {.file = "/app/libx.so"});
    REQUIRE(answer.has_value() == (*c.says != '\0'));
    if (!answer) continue;
    CHECK(answer->diagnosis().problems.front().dlerror_says == c.says);
    CHECK(answer->diagnosis().next.sentence == c.next);
  }
}

TEST_CASE("a user's rights decide whether a program starts") {
  struct Case {
    const char* why;
    std::uint32_t mode;
    const char* user;
    bool starts;
  };
  const Case cases[] = {
      {"its owner's bit", 0744, "0", true},
      {"not for others", 0744, "1000", false},
      {"for others", 0755, "1000", true},
      {"unpacked without any bit", 0644, "1000", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = machine();
    files->add_file("/app/prog", write_elf(program_of(std::string(kInterp))), c.mode);
    WorldSettings settings = settings_of(files);
    settings.start.user = c.user;
    World world(settings);
    CHECK(world.resolve("/app/prog").has_value() == c.starts);
    const std::optional<Diagnosis> refused = world.refusal();
    REQUIRE(refused.has_value() != c.starts);
    if (!refused) continue;
    CHECK(refused->problems.front().code == ProblemCode::NotPermitted);
    CHECK(refused->loader_prints == "/app/prog: Permission denied");
    REQUIRE(best_remedy(*refused) != nullptr);
    CHECK(best_remedy(*refused)->verdict == RemedyVerdict::Works);
    CHECK(best_remedy(*refused)->commands.front() == "sudo chmod +x /app/prog");
  }
}

TEST_CASE("a survey counts a program whose interpreter is missing as one that fails") {
  const auto files = machine();
  files->add_file("/app/a", write_elf(program_of("/lib/ld-musl-x86_64.so.1")), 0755);
  files->add_file("/app/b", write_elf(program_of("/lib/ld-musl-x86_64.so.1")), 0755);
  const Result<Survey> found = survey(settings_of(files), {"/app"});
  REQUIRE(found.has_value());
  CHECK(found->skipped.empty());
  CHECK(found->counts.fails == 2);
  REQUIRE(found->groups.size() == 1);
  CHECK(found->groups.front().key == "foreign-libc|musl|/lib/ld-musl-x86_64.so.1");
  CHECK(found->groups.front().members.size() == 2);
  REQUIRE(found->groups.front().fix.has_value());
  CHECK(found->groups.front().fix->verdict == RemedyVerdict::Works);
}

TEST_CASE("a helper for 32 bits among programs for 64 is optional") {
  const auto files = machine();
  ElfSpec helper = program_of("/lib/ld-linux.so.2");
  helper.bits = Bits::Elf32;
  helper.machine = 3;
  files->add_file("/app/helper32", write_elf(helper), 0755);
  const Result<Survey> alone = survey(settings_of(files), {"/app"});
  REQUIRE(alone.has_value());
  CHECK(alone->counts.fails == 1);
  files->add_file("/app/main", write_elf(program_of(std::string(kInterp))), 0755);
  const Result<Survey> found = survey(settings_of(files), {"/app"});
  REQUIRE(found.has_value());
  CHECK(found->counts.fails == 0);
  CHECK(found->counts.optional == 1);
}

TEST_CASE("a place without an interpreter is no Python to ask about") {
  const auto files = machine();
  files->add_file("/app/_C.cpython-311-x86_64-linux-gnu.so", write_elf(library().soname("_C.so")), 0755);
  files->add_file("/app/prog", write_elf(program()), 0755);
  files->add_file("/usr/bin/python3.11", write_elf(program()), 0755);
  files->add_directory("/venv/bin");
  for (const char* const file : {"/app/_C.cpython-311-x86_64-linux-gnu.so", "/app/prog", "libc.so.6"}) {
    CAPTURE(file);
    WorldSettings settings = settings_of(files);
    settings.process.python = "/usr/bin/python3.11";
    CHECK(World(settings).resolve(file).has_value());
    for (const char* const python : {"/venv", "/none", "/app/prog/python"}) {
      CAPTURE(python);
      settings.process.python = python;
      const Result<Resolution> run = World(settings).resolve(file);
      REQUIRE_FALSE(run.has_value());
      CHECK(run.error().code == ErrorCode::NotFound);
      CHECK(run.error().path == python);
    }
  }
}

/// The header of an ELF file of 64 bits, with that type.
std::string header_of_type(char type) {
  std::string header("\177ELF\2\1\1", 7);
  header.resize(64);
  header[16] = type;
  header[18] = 62;  // EM_X86_64
  header[20] = 1;
  header[52] = 64;
  return header;
}

TEST_CASE("a file that is no ELF file is said to be what it is, with the step that gets the right one") {
  using namespace std::string_view_literals;
  struct Case {
    std::string_view name;
    std::string_view bytes;
    std::string_view kind;  ///< empty: no answer, but an error
    std::string_view next;
  };
  const std::string object = header_of_type(1);
  const std::string core = header_of_type(4);
  const Case cases[] = {
      {"libx.so", object, "is-object-file", "next-link-object"},
      {"x.node", object, "is-object-file", "next-link-object"},
      {"libx.so", core, "is-core-file", "next-install-again"},
      {"x.o", object, "", ""},
      {"m.node", "\xcf\xfa\xed\xfe\x0c\0\0\x01"sv, "kind-mach-o-for", "next-install-here"},
      {"tool", "\xcf\xfa\xed\xfe\x07\0\0\x01"sv, "kind-mach-o-for", "next-install-here"},
      {"lib.dylib", "\xca\xfe\xba\xbe\0\0\0\x01\x01\0\0\x07"sv, "kind-mach-o-for", "next-install-here"},
      {"A.class", "\xca\xfe\xba\xbe\0\0\0\x41"sv, "kind-class", "next-build-machine-code"},
      {"x.dll", "MZ\x90\0\x03\0\0\0"sv, "kind-pe", "next-install-here"},
      {"libx.so", "L\0\0\0\x01\x14\x02\0"sv, "kind-shortcut", "next-install-here"},
      {"libx.so", "BC\xc0\xde"sv, "kind-bitcode", "next-build-machine-code"},
      {"libx.so", "\0asm\x01\0\0\0"sv, "kind-wasm", "next-build-machine-code"},
      {"libx.so", "!<arch>\n/ "sv, "kind-archive", "next-link-archive"},
      {"libx.a", "!<arch>\n/ "sv, "", ""},
      {"libx.so", "PK\x03\x04"sv, "kind-zip", "next-unpack-zip"},
      {"libx.so", "\x1f\x8b\x08\0"sv, "kind-gzip", "next-unpack-gzip"},
      {"libx.so", "\x28\xb5\x2f\xfd"sv, "kind-zstd", "next-unpack-zstd"},
      {"libx.so.1", "\n<!DOCTYPE html>\n<html>"sv, "kind-html", "next-fetch-again"},
      {"libx.so.1", "<?xml version=\"1.0\"?><Error>"sv, "kind-xml", "next-fetch-again"},
      {"libx.so.1", "{\"message\": \"Not Found\"}"sv, "kind-json", "next-fetch-again"},
      {"libx.so.1", "404: Not Found"sv, "kind-text", "next-fetch-again"},
      {"libx.so.1", "libx.so.1.2"sv, "kind-target-of-link", "next-make-link"},
      {"libx.so.1", ""sv, "kind-empty", "next-copy-again"},
      {"libx.so.1", "\0\0\0\0"sv, "kind-zeros", "next-copy-again"},
      {"libx.so.1", "\177ELF\2\1\1"sv, "kind-cut", "next-copy-again"},
      {"libx.so", "INPUT(libx.so.1)"sv, "is-linker-script", "next-name-in-script"},
      {"libx.so", "version https://git-lfs.github.com/spec/v1\n"sv, "is-lfs-pointer", "next-lfs-pull"},
      {"notes.txt", "404: Not Found"sv, "", ""},
      {"libx.so", "\x01\x02\x03\x04"sv, "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.kind);
    const auto files = machine();
    files->add_file("/app/" + std::string(c.name), std::string(c.bytes));
    World world(settings_of(files));
    CHECK(!world.resolve("/app/" + std::string(c.name)).has_value());
    const std::optional<Diagnosis> refused = world.refusal();
    REQUIRE(refused.has_value() == !c.kind.empty());
    if (!refused) continue;
    CHECK(refused->answer == Verdict::Fails);
    CHECK(refused->next.sentence == c.next);
    const Statement& what = refused->problems.front().what;
    const auto* const kind = what.sentence == "it-is-other-file"
                                 ? std::get_if<std::vector<Statement>>(&what.arguments.front().value)
                                 : nullptr;
    CHECK((kind == nullptr ? what.sentence : kind->front().sentence) == c.kind);
  }
}
