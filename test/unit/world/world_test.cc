// From words to a world: what the settings of a World come to.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "soresolve/answer.h"
#include "soresolve/diagnose.h"
#include "soresolve/remedies.h"
#include "soresolve/world.h"
#include "unit/memory_system.h"
#include "world/open_words.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr std::string_view kLoader = "/lib64/ld-linux-x86-64.so.2";

/// A loader, a program, a library and a file that is none of these.
std::shared_ptr<MemoryFileSystem> small_machine() {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kLoader, write_loader());
  files->add_file("/bin/prog", write_elf(program_needing({"libx.so"})), 0755);
  files->add_file("/bin/script", "#!/bin/prog\n", 0755);
  files->add_file("/bin/sets", "#!/bin/env -S LD_LIBRARY_PATH=/app prog\n", 0755);
  files->add_file("/bin/clears", "#!/bin/env -iS prog\n", 0755);
  files->add_file("/bin/unsets", "#!/bin/env -S -u LD_LIBRARY_PATH prog\n", 0755);
  files->add_file("/bin/both", "#!/bin/env -S LD_LIBRARY_PATH=/app /bin/script\n", 0755);
  files->add_file("/bin/env", write_elf(program()), 0755);
  files->add_file("/lib64/libx.so", write_elf(library().soname("libx.so")));
  files->add_file("/app/libx.so", write_elf(library().soname("libx.so")));
  files->add_file("/app/text", "text");
  return files;
}

WorldSettings settings() {
  WorldSettings settings;
  settings.where.files = small_machine();
  settings.machine.cpu = "x86-64";
  return settings;
}

/// Where libx.so is found for `file`, or the error.
std::string libx_of(const WorldSettings& settings, const std::string& file) {
  World world(settings);
  const Result<Resolution> run = world.resolve(file, {.on_fatal = OnFatal::Stop});
  if (!run) return run.error().to_string();
  for (const LoadedObject& object : run->map().objects) {
    if (object.requested_name == "libx.so" || object.path.ends_with("libx.so")) return std::string(object.path);
  }
  return "none";
}

}  // namespace

TEST_CASE("settings say who loads, and in which environment") {
  using Change = std::function<void(WorldSettings&)>;
  struct Case {
    const char* why;
    Change change;
    std::string file;
    std::string want;
  };
  const Case cases[] = {
      {"nothing said", [](WorldSettings&) {}, "/bin/prog", "/lib64/libx.so"},
      {"the environment given", [](WorldSettings& s) { s.start.env = {"LD_LIBRARY_PATH=/app"}; }, "/bin/prog",
       "/app/libx.so"},
      {"the environment inherited", [](WorldSettings& s) { s.start.inherited = {"LD_LIBRARY_PATH=/app"}; }, "/bin/prog",
       "/app/libx.so"},
      {"what is given replaces what is inherited",
       [](WorldSettings& s) {
         s.start.inherited = {"LD_LIBRARY_PATH=/app"};
         s.start.env = {"X=1"};
       },
       "/bin/prog", "/lib64/libx.so"},
      {"a clean environment",
       [](WorldSettings& s) {
         s.start.inherited = {"LD_LIBRARY_PATH=/app"};
         s.start.clean_env = true;
       },
       "/bin/prog", "/lib64/libx.so"},
      {"set-uid",
       [](WorldSettings& s) {
         s.start.env = {"LD_LIBRARY_PATH=/app"};
         s.start.secure = AtSecure::Yes;
       },
       "/bin/prog", "/lib64/libx.so"},
      {"relative to a directory", [](WorldSettings& s) { s.start.cwd = "/bin"; }, "prog", "/lib64/libx.so"},
      {"relative to the host's", [](WorldSettings& s) { s.host.cwd = "/bin"; }, "prog", "/lib64/libx.so"},
      {"a library name", [](WorldSettings&) {}, "libx.so", "/lib64/libx.so"},
      {"a file of that name here: it is the one asked about", [](WorldSettings& s) { s.start.cwd = "/app"; }, "libx.so",
       "none"},
      {"opened by a program that has it already", [](WorldSettings& s) { s.process.exe = "/bin/prog"; }, "libx.so",
       "/lib64/libx.so"},
      {"env in a script sets a variable", [](WorldSettings& s) { s.process.exe = "/bin/sets"; }, "libx.so",
       "/app/libx.so"},
      {"and clears all of them",
       [](WorldSettings& s) {
         s.process.exe = "/bin/clears";
         s.start.env = {"LD_LIBRARY_PATH=/app", "PATH=/bin"};
       },
       "libx.so", "/lib64/libx.so"},
      {"or takes one away",
       [](WorldSettings& s) {
         s.process.exe = "/bin/unsets";
         s.start.env = {"LD_LIBRARY_PATH=/app", "PATH=/bin"};
       },
       "libx.so", "/lib64/libx.so"},
      {"for a script that it starts as well", [](WorldSettings& s) { s.process.exe = "/bin/both"; }, "libx.so",
       "/app/libx.so"},
      {"a script without env changes nothing",
       [](WorldSettings& s) {
         s.process.exe = "/bin/script";
         s.start.env = {"LD_LIBRARY_PATH=/app"};
       },
       "libx.so", "/app/libx.so"},
      {"a script stands for its interpreter", [](WorldSettings& s) { s.process.exe = "/bin/script"; }, "libx.so",
       "/lib64/libx.so"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    WorldSettings changed = settings();
    c.change(changed);
    CHECK(libx_of(changed, c.file) == c.want);
  }
}

TEST_CASE("a plain library of an environment is opened by its interpreter where the DT_RPATH of that decides") {
  struct Case {
    const char* why;
    ElfSpec program;
    ElfSpec library;
    const char* want;
  };
  const std::string here = "$ORIGIN/../lib";
  const ElfSpec plain = library_needing({"libx.so"});
  const Case cases[] = {
      {"an RPATH that leads to what it needs", program().rpath(here), plain, "/env/bin/../lib/libx.so"},
      {"a RUNPATH counts for the program alone", program().runpath(here), plain, "/lib64/libx.so"},
      {"none", program(), plain, "/lib64/libx.so"},
      {"all that is left are symbols that another program has", program().rpath(here),
       library_needing({"libx.so"}).call(undefined("of_host")), "/lib64/libx.so"},
      {"the library has a RUNPATH", program().rpath(here), library_needing({"libx.so"}).runpath("/app"),
       "/app/libx.so"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    WorldSettings s = settings();
    const std::shared_ptr<MemoryFileSystem> files = small_machine();
    files->add_file("/env/conda-meta/history", "");
    files->add_file("/env/bin/python3.11", write_elf(c.program), 0755);
    files->add_symlink("/env/bin/python3", "python3.11");
    files->add_file("/env/lib/python3.11/os.py", "");
    files->add_file("/env/lib/libx.so", write_elf(library().soname("libx.so")));
    const std::string file = "/env/lib/python3.11/site-packages/pkg/liby.so";
    files->add_file(file, write_elf(c.library));
    s.where.files = files;
    CHECK(libx_of(s, file) == c.want);
  }
}

TEST_CASE("what cannot be asked is an error") {
  using Change = std::function<void(WorldSettings&)>;
  struct Case {
    const char* why;
    Change change;
    std::string file;
    ErrorCode want;
  };
  const Case cases[] = {
      {"no such file", [](WorldSettings&) {}, "/none", ErrorCode::NotFound},
      {"no ELF file", [](WorldSettings&) {}, "/app/text", ErrorCode::NotElf},
      {"no name and value", [](WorldSettings& s) { s.start.env = {"X"}; }, "/bin/prog", ErrorCode::Usage},
      {"no release", [](WorldSettings& s) { s.machine.glibc = "new"; }, "/bin/prog", ErrorCode::Usage},
      {"no processor", [](WorldSettings& s) { s.machine.cpu = "abacus"; }, "/bin/prog", ErrorCode::Usage},
      {"a process's words without a process", [](WorldSettings& s) { s.process.loaded = {{"/lib64/libx.so"}}; },
       "/bin/prog", ErrorCode::Usage},
      {"a live process has a program",
       [](WorldSettings& s) {
         s.live.pid = 1;
         s.process.exe = "/bin/prog";
       },
       "/bin/prog", ErrorCode::Usage},
      {"no program", [](WorldSettings& s) { s.process.exe = "/none"; }, "libx.so", ErrorCode::NotFound},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    WorldSettings changed = settings();
    c.change(changed);
    World world(changed);
    const Result<Resolution> run = world.resolve(c.file);
    REQUIRE(!run.has_value());
    CHECK(run.error().code == c.want);
  }
}

TEST_CASE("a cache that the loader cannot use is told once") {
  WorldSettings with_cache = settings();
  const auto files = small_machine();
  files->add_file("/etc/ld.so.cache", "no cache");
  with_cache.where.files = files;
  World world(with_cache);
  REQUIRE(world.resolve("/bin/prog").has_value());
  const std::vector<Error> warnings = world.take_warnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().path == "/etc/ld.so.cache");
  REQUIRE(world.resolve("/bin/prog").has_value());
  CHECK(world.take_warnings().empty());
}

TEST_CASE("a set-uid program is asked about as the kernel starts it") {
  struct Case {
    const char* why;
    std::uint32_t mode;
    std::uint32_t owner;
    std::uint32_t uid;
    AtSecure secure;
    std::string want;
  };
  const Case cases[] = {
      {"by another user, AT_SECURE is assumed", 04755, 0, 1000, AtSecure::AsStarted, "/lib64/libx.so"},
      {"by root", 04755, 0, 0, AtSecure::AsStarted, "/app/libx.so"},
      {"by its owner", 04755, 1000, 1000, AtSecure::AsStarted, "/app/libx.so"},
      {"unless it is asked without", 04755, 0, 1000, AtSecure::No, "/app/libx.so"},
      {"a plain program", 0755, 0, 1000, AtSecure::AsStarted, "/app/libx.so"},
      {"a plain program, asked with", 0755, 0, 1000, AtSecure::Yes, "/lib64/libx.so"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const auto files = small_machine();
    files->add_file("/bin/prog", write_elf(program_needing({"libx.so"})), c.mode);
    files->set_owner("/bin/prog", c.owner, 0);
    files->add_file("/bin/script", "#!/bin/prog\n", 04755);
    WorldSettings changed = settings();
    changed.where.files = files;
    changed.start.env = {"LD_LIBRARY_PATH=/app"};
    changed.start.user = std::to_string(c.uid);
    changed.start.secure = c.secure;
    CHECK(libx_of(changed, "/bin/prog") == c.want);
    World world(changed);
    const Result<Resolution> run = world.resolve("/bin/prog");
    REQUIRE(run.has_value());
    const std::vector<Statement>& notes = run->map().notes;
    const bool is_assumed = !notes.empty() && notes.front().sentence == "note-secure";
    CHECK(is_assumed == (c.secure == AtSecure::AsStarted && c.want == "/lib64/libx.so"));
    // As the program that opens a library, too.
    changed.process.exe = "/bin/prog";
    CHECK(libx_of(changed, "libx.so") == c.want);
    changed.process.exe = "/bin/script";  // its interpreter's mode counts
    CHECK(libx_of(changed, "libx.so") == c.want);
    // A library is given to ld.so, whose own mode counts.
    files->add_file("/app/libneeds.so", write_elf(library().needed("libx.so")), 04755);
    changed.process.exe = {};
    CHECK(libx_of(changed, "/app/libneeds.so") == (c.secure == AtSecure::Yes ? "/lib64/libx.so" : "/app/libx.so"));
  }
}

TEST_CASE("the words for a call of dlopen") {
  struct Case {
    std::string_view words;
    OpenMode want;
  };
  const Case cases[] = {
      {"local", {}},
      {"now", {}},
      {"global", {.scope = OpenScope::Global}},
      {"lazy,global,deepbind", {.scope = OpenScope::GlobalDeepBind, .bind_time = BindTime::AsAsked}},
      {"deepbind,local", {.scope = OpenScope::DeepBind}},
      {"noload,nodelete", {.only_if_loaded = true, .stays = true}},
      {"dlmopen", {.into = OpenInto::NewNamespace}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.words);
    const Result<OpenMode> mode = parse_open_mode(c.words);
    REQUIRE(mode.has_value());
    CHECK(*mode == c.want);
  }
  for (const std::string_view words : {"", "lazy,now", "local,global", "globl", "lazy,", "RTLD_LAZY"}) {
    CAPTURE(words);
    CHECK(!parse_open_mode(words).has_value());
  }
}

// A root of glibc 2.31 with an interpreter for a newer one: glibc ends the start in elf/dl-version.c, and nothing of
// what the process was to open is opened.
TEST_CASE("a program that does not come through its start opens nothing") {
  const auto run_in = [](const std::string& node, const std::string& symbol, const ProcessSettings& process) {
    WorldSettings asked = settings();
    auto files = small_machine();
    ElfSpec libc = library().soname("libc.so.6");
    libc.version_definitions = {{"libc.so.6"}, {node}};
    libc.define(defined(symbol));
    files->add_file("/lib64/libc.so.6", write_elf(libc));
    ElfSpec python = program_needing({"libc.so.6"});
    python.version_needs = {{"libc.so.6", {{"GLIBC_2.31"}}}};
    python.bind_now = true;
    python.refer(undefined("f"));
    files->add_file("/bin/python3", write_elf(python), 0755);
    files->add_file("/lib/python3.11/os.py", "import nothing_of_that_name\n");
    files->add_file("/app/m.so", write_elf(library().soname("m.so")));
    asked.where.files = files;
    asked.process = process;
    World world(asked);
    const bool is_import = process.asked_as == AskedAs::Import;
    const Result<Resolution> run = world.resolve(is_import ? "os" : "/app/m.so", {});
    REQUIRE(run.has_value());
    const Result<Check>& check = run->check();
    REQUIRE(check.has_value());
    if (run->import() != nullptr && !run->import()->exception.empty()) return run->import()->exception;
    CHECK(check->is_ok() == (run->map().dlopen_calls_left == 0));
    return check->is_ok() ? std::string("ok") : check->now.lines.back();
  };
  const ProcessSettings exe{.exe = "/bin/python3"};
  const ProcessSettings import{.asked_as = AskedAs::Import, .python = "/bin/python3"};
  const std::string version =
      "/bin/python3: /lib64/libc.so.6: version `GLIBC_2.31' not found (required by /bin/python3)";
  CHECK(run_in("GLIBC_2.31", "f", exe) == "ok");
  CHECK(run_in("GLIBC_2.30", "f", exe) == version);
  CHECK(run_in("GLIBC_2.31", "g", exe) == "/bin/python3: symbol lookup error: /bin/python3: undefined symbol: f");
  CHECK(run_in("GLIBC_2.31", "f", import) == "ModuleNotFoundError: No module named 'nothing_of_that_name'");
  CHECK(run_in("GLIBC_2.30", "f", import) == version);
}

TEST_CASE("what was opened before has its own mode and caller") {
  struct Case {
    std::string_view text;
    std::string file;
    OpenMode mode;
    std::string caller;
  };
  const Case cases[] = {
      {"/lib/libx.so", "/lib/libx.so", {}, {}},
      {"global:libx.so", "libx.so", {.scope = OpenScope::Global}, {}},
      {"global,deepbind:libx.so", "libx.so", {.scope = OpenScope::GlobalDeepBind}, {}},
      {"lazy,caller=/app/a.so:libx.so", "libx.so", {.bind_time = BindTime::AsAsked}, "/app/a.so"},
      {"caller=a.so:libx.so", "libx.so", {}, "a.so"},
      {"/srv/a:b/libx.so", "/srv/a:b/libx.so", {}, {}},
      {":libx.so", ":libx.so", {}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const Result<OpenRequest> request = parse_loaded(c.text);
    REQUIRE(request.has_value());
    CHECK(request->file == c.file);
    CHECK(request->mode == c.mode);
    CHECK(request->caller == c.caller);
  }
  CHECK(!parse_loaded("globl:libx.so").has_value());
}

TEST_CASE("a library that is asked for by name is there to be read behind any number of preloads") {
  struct Case {
    const char* why;
    std::size_t preloads;
  };
  const Case cases[] = {
      {"the map keeps its file open", 3},
      {"it keeps no more open: the file is opened again", kMaxOpenFiles + 20},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    auto files = small_machine();
    std::string preloads;
    for (std::size_t i = 0; i < c.preloads; ++i) {
      const std::string name = "libp" + std::to_string(i) + ".so";
      files->add_file("/lib64/" + name, write_elf(library().soname(name)));
      preloads += name + "\n";
    }
    files->add_file("/etc/ld.so.preload", preloads);
    WorldSettings settings;
    settings.where.files = files;
    settings.machine.cpu = "x86-64";
    World world(settings);
    const Result<OpenedLibrary> library = world.open_library("libx.so");
    REQUIRE_MESSAGE(library.has_value(), library.error().to_string());
    CHECK(library->path == "/lib64/libx.so");
    REQUIRE(library->object.file != nullptr);
    CHECK(library->object.file->status().size_bytes == write_elf(test::library().soname("libx.so")).size());
    CHECK(library->object.elf.soname == "libx.so");
  }
}

TEST_CASE("one world answers again and again, each time from the beginning") {
  World world(settings());
  const Result<Resolution> first = world.resolve("/bin/prog");
  const Result<Resolution> again = world.resolve("/bin/prog");
  REQUIRE(first.has_value());
  REQUIRE(again.has_value());
  CHECK(first->map().objects.size() == again->map().objects.size());
  CHECK(&first->system() == &again->system());
  const Result<Resolution> opened = world.resolve("/lib64/libx.so", {.process = ProcessSettings{.exe = "/bin/prog"}});
  REQUIRE(opened.has_value());
  CHECK(opened->map().main_path == "/bin/prog");
  const Result<Resolution> alone = world.resolve("/lib64/libx.so");
  REQUIRE(alone.has_value());
  CHECK(alone->map().main_path == "/lib64/libx.so");
}

TEST_CASE("what stands on a walk is computed once") {
  World world(settings());
  const Result<Resolution> run = world.resolve("/bin/prog");
  REQUIRE(run.has_value());
  CHECK(run->check().has_value());
  CHECK(&run->check() == &run->check());
  CHECK(&run->bindings() == &run->bindings());
  CHECK(&run->dlopens(DlopenLevel::Known) == &run->dlopens(DlopenLevel::Known));
  CHECK(&run->dlopens(DlopenLevel::Known) != &run->dlopens(DlopenLevel::None));
}

TEST_CASE("what is wrong and what helps needs no attempts that were kept") {
  const auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kLoader, write_loader());
  files->add_file("/app/bin/prog", write_elf(program_needing({"libx.so"})), 0755);
  files->add_file("/app/lib/libx.so", write_elf(library().soname("libx.so")));
  WorldSettings here = settings();
  here.where.files = files;
  World world = World::host(here);
  const Result<Answer> without = ask(world, {.file = "/app/bin/prog"});
  const Result<Answer> with = ask(world, {.file = "/app/bin/prog", .attempts = Attempts::Record});
  REQUIRE(without.has_value());
  REQUIRE(with.has_value());
  CHECK(without->run()->map().traces.empty());
  CHECK(without->verdict() == Verdict::Fails);
  const std::vector<Problem>& problems = without->diagnosis().problems;
  REQUIRE(!problems.empty());
  CHECK(problems.front().code == ProblemCode::MissingLibrary);
  REQUIRE(problems.size() == with->diagnosis().problems.size());
  CHECK(problems.front().what == with->diagnosis().problems.front().what);
  REQUIRE(without->first_fix() != nullptr);
  CHECK(without->first_fix()->commands == with->first_fix()->commands);
  CHECK(without->diagnosis_with_fixes().remedies.size() == with->diagnosis_with_fixes().remedies.size());
  CHECK(&without->diagnosis() == &without->diagnosis());
  CHECK(&without->diagnosis_with_fixes() == &without->diagnosis_with_fixes());
}

TEST_CASE("the loader is a library that can be asked for by name") {
  World world(settings());
  const std::string name = "ld-linux-x86-64.so.2";
  const Result<OpenedLibrary> library = world.open_library(name);
  REQUIRE_MESSAGE(library.has_value(), library.error().to_string());
  CHECK(library->path == "/lib64/" + name);
  CHECK(library->object.elf.soname == name);
  // dlopen(3) of it finds it loaded.
  const Result<Resolution> opened = world.resolve(name);
  REQUIRE(opened.has_value());
  CHECK(opened->map().first_fatal() == nullptr);
}
