// What is proposed for a library that is lost or wrong, and what each proposal comes to. That the real
// loader agrees, test/machine/compare_remedies shows.
#include "soresolve/remedies.h"
#include "remedies/find_remedies.h"
#include "soresolve/catalogue.h"
#include "soresolve/command_text.h"
#include "soresolve/diagnose.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "diagnose/diagnose.h"
#include "dlopen/find_dlopens.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "remedies/candidates.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

ElfSpec dependency(const std::string& soname, const std::vector<std::string>& nodes) {
  ElfSpec spec = library().soname(soname);
  spec.version_definitions = {{soname}};
  for (const std::string& node : nodes) {
    spec.version_definitions.push_back({node});
    spec.define(defined("f_" + node, node));
  }
  return spec;
}

/// A program that calls f_V1 and f_V2 of libdep.so.1.
ElfSpec caller() {
  ElfSpec spec = program_needing({"libdep.so.1"});
  spec.version_needs = {{"libdep.so.1", {{"V1"}, {"V2"}}}};
  return spec.call(undefined("f_V1", "V1")).call(undefined("f_V2", "V2"));
}

struct TriedFixes {
  Diagnosis diagnosis;
  std::vector<std::string> verdicts;  ///< "kind verdict"

  [[nodiscard]] const Remedy* find(RemedyKind kind, RemedyVerdict verdict) const {
    const auto at = std::find_if(diagnosis.remedies.begin(), diagnosis.remedies.end(), [&](const Remedy& remedy) {
      return remedy.kind == kind && remedy.verdict == verdict;
    });
    return at == diagnosis.remedies.end() ? nullptr : &*at;
  }
};

TriedFixes fixes_for(MemorySystem& memory, const RemedyOptions& options = {},
                     const std::string& file = std::string(kProgram)) {
  memory.elf(kInterp, library().soname("ld-linux-x86-64.so.2"));
  LoadOptions load_options;
  load_options.attempts = Attempts::Record;
  load_options.on_fatal = OnFatal::Continue;
  const Result<LinkMap> map = memory.load(file, load_options);
  REQUIRE(map.has_value());
  TriedFixes answer;
  const Result<Check> check = check_start(*map);
  REQUIRE(check.has_value());
  answer.diagnosis = diagnose(*map, file, {}, find_dlopens(*map, DlopenLevel::Known));
  find_remedies(*map, answer.diagnosis, options, &*check);
  for (const Remedy& remedy : answer.diagnosis.remedies) {
    answer.verdicts.push_back(std::string(name_of(remedy.kind)) + " " + std::string(name_of(remedy.verdict)));
  }
  return answer;
}

using Lines = std::vector<std::string>;

std::string english(const Statement& statement) { return sentence(statement, Language::English); }

}  // namespace

TEST_CASE("a library in a directory that is not searched: every kind of fix, smallest first") {
  MemorySystem memory;
  memory.program(caller().runpath("$ORIGIN/lib"))
      .elf("/app/other/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
  memory.files().add_directory("/app/lib");
  memory.files().add_file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
  memory.files().add_directory("/etc/ld.so.conf.d");
  RemedyOptions options;
  options.search = {"/app"};
  const TriedFixes answer = fixes_for(memory, options);
  CHECK(answer.verdicts ==
        Lines{"library-path works", "link works", "configuration works", "search-tag works", "preload works"});
  CHECK(texts_of(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works)->commands) ==
        Lines{"export LD_LIBRARY_PATH=/app/other${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
  CHECK(texts_of(answer.find(RemedyKind::Configuration, RemedyVerdict::Works)->commands) ==
        Lines{"printf '%s\\n' /app/other | sudo tee -a /etc/ld.so.conf.d/libdep.conf >/dev/null", "sudo ldconfig"});
  CHECK(texts_of(answer.find(RemedyKind::SearchTag, RemedyVerdict::Works)->commands) ==
        Lines{"patchelf --set-rpath '$ORIGIN/lib:$ORIGIN/other' /app/prog"});
  CHECK(texts_of(answer.find(RemedyKind::Link, RemedyVerdict::Works)->commands) ==
        Lines{"ln -s /app/other/libdep.so.1 /app/lib/libdep.so.1"});
  CHECK(answer.find(RemedyKind::Preload, RemedyVerdict::Works)->checked == say("checked-every-symbol"));
}

TEST_CASE("a candidate in the root directory is named by a directory that can be searched") {
  MemorySystem memory;
  memory.files().add_file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
  memory.files().add_directory("/etc/ld.so.conf.d");
  memory.program(caller()).elf("/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
  RemedyOptions options;
  options.search = {"/"};
  const TriedFixes answer = fixes_for(memory, options);
  REQUIRE(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works) != nullptr);
  CHECK(texts_of(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works)->commands) ==
        Lines{"export LD_LIBRARY_PATH=/${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
  // ldconfig cuts slashes from the end and passes over what is empty then (elf/ldconfig.c:add_dir_1).
  CHECK(answer.verdicts == Lines{"library-path works", "search-tag works", "preload works", "configuration fails"});
}

TEST_CASE("a fix is judged by the files of the same package as well") {
  struct Case {
    const char* why;
    std::vector<std::string> wanted;  ///< by the sibling
    const char* candidate;
    std::vector<std::string> nodes;  ///< of the candidate
    std::string reason;
    Lines verdicts;
    std::string loader_says;
  };
  const Case cases[] = {
      {"a sibling requires a version that another release lacks",
       {"V1"},
       "libdep.so.2",
       {"V2"},
       "lacks version V1, required by libnext.so",
       {"link fails"},
       "/pkg/libdep.so.1: version `V1' not found (required by /pkg/libnext.so)"},
      {"it has what the sibling requires",
       {"V2"},
       "libdep.so.2",
       {"V2"},
       "has 1 version and 1 symbol that 2 files need",
       {},
       ""},
      {"nobody requires anything of another release",
       {},
       "libdep.so.2",
       {"V2"},
       "another release; no file here requires a symbol of it that shows whether it fits",
       {},
       ""},
      {"nobody requires anything of a file of that release",
       {},
       "libdep-0123abcd.so.1",
       {"V2"},
       "no file requires a version of it",
       {"link works"},
       ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfSpec next = library_needing({"libdep.so.1"});
    if (!c.wanted.empty()) next.version_needs = {{"libdep.so.1", {{c.wanted.front()}}}};
    for (const std::string& node : c.wanted) next.call(undefined("f_" + node, node));
    MemorySystem memory;
    memory.elf("/pkg/libfirst.so", library_needing({"libdep.so.1"}).runpath("/pkg"))
        .elf("/pkg/libnext.so", next)
        .elf(std::string("/pkg/") + c.candidate, dependency(c.candidate, c.nodes));
    const TriedFixes answer = fixes_for(memory, {}, "/pkg/libfirst.so");
    CAPTURE(english(answer.diagnosis.problems.front().what));
    REQUIRE(answer.diagnosis.problems.front().candidates.size() == 1);
    CHECK(english(answer.diagnosis.problems.front().candidates.front().reason) == c.reason);
    CHECK(answer.verdicts == c.verdicts);
    if (c.verdicts.empty()) continue;
    REQUIRE_FALSE(answer.diagnosis.remedies.empty());
    CHECK(answer.diagnosis.remedies.front().loader_says == c.loader_says);
  }
}

TEST_CASE("a library that no usual place has is found in the tree of the file, not in other projects beside it") {
  struct Case {
    const char* place;
    bool is_found;
  };
  const Case cases[] = {
      {"/w/project/plugins/deep/er/", true}, {"/w/project/other/", true},
      {"/w/project/jdk-17.0.2/lib/", true},  {"/w/beside/lib/", false},
      {"/w/project/stubs/", false},          {"/w/project/.hidden/lib/", true},
      {"/w/project/.git/lib/", false},       {"/usr/lib/jvm/java/lib/server/", true},
      {"/opt/ros/humble/lib/", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.place);
    MemorySystem memory;
    memory.elf("/w/project/bin/libfirst.so", library_needing({"libdep.so.1"}))
        .elf(std::string(c.place) + "libdep.so.1", dependency("libdep.so.1", {}));
    const TriedFixes answer = fixes_for(memory, {}, "/w/project/bin/libfirst.so");
    CHECK(answer.diagnosis.problems.front().candidates.empty() != c.is_found);
  }
}

TEST_CASE("where ldconfig knows the directory, it only has to run, and that comes first") {
  MemorySystem memory;
  memory.program(caller()).elf("/opt/vendor/x/libdep.so.1.2", dependency("libdep.so.1", {"V1", "V2"}));
  memory.files().add_file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
  memory.files().add_file("/etc/ld.so.conf.d/vendor.conf", "/opt/vendor/x\n");
  const TriedFixes answer = fixes_for(memory);
  REQUIRE_FALSE(answer.diagnosis.remedies.empty());
  CHECK(texts_of(answer.diagnosis.remedies.front().commands) == Lines{"sudo ldconfig"});
  CHECK(answer.diagnosis.remedies.front().verdict == RemedyVerdict::Works);
  const auto has_line = [](const Remedy& remedy) { return remedy.commands.front().text().starts_with("printf"); };
  CHECK(std::none_of(answer.diagnosis.remedies.begin(), answer.diagnosis.remedies.end(), has_line));
  RemedyOptions environment_only;
  environment_only.fix_for = FixFor::Environment;
  CHECK(fixes_for(memory, environment_only).find(RemedyKind::Configuration, RemedyVerdict::Works) == nullptr);
}

TEST_CASE("candidates come from conda environments, wherever conda knows of them") {
  struct Case {
    const char* why;
    std::string prefix;
    std::string listed;  ///< in environments.txt
    std::string activated;
    bool is_found;
  };
  const Case cases[] = {
      {"listed", "/data/envs/a", "/data/envs/a\n", "", true},
      {"listed among others", "/data/envs/a", "/nowhere\r\n/data/envs/a/\r\n", "", true},
      {"nobody knows of it", "/data/envs/a", "", "", false},
      {"a relative path", "/data/envs/a", "data/envs/a\n../data/envs/a\n", "", false},
      {"activated", "/data/envs/a", "", "/data/envs/a", true},
      {"in a usual place", "/opt/conda", "", "", true},
      {"an environment there", "/home/u/miniforge3/envs/a", "", "", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.env("HOME=/home/u").program(caller());
    if (!c.activated.empty()) memory.env("CONDA_PREFIX=" + c.activated);
    memory.elf(c.prefix + "/lib/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
    memory.files().add_directory(c.prefix + "/conda-meta");
    memory.files().add_file("/home/u/.conda/environments.txt", c.listed);
    const TriedFixes answer = fixes_for(memory);
    const std::vector<Candidate>& candidates = answer.diagnosis.problems.front().candidates;
    REQUIRE(candidates.size() == (c.is_found ? 1 : 0));
    if (!c.is_found) continue;
    CHECK(candidates.front().serves);
    CHECK(english(candidates.front().foreign) == (c.activated.empty() ? "another environment: " + c.prefix : ""));
  }
}

TEST_CASE("what leads into another environment or release comes behind what would be installed") {
  MemorySystem memory;
  const std::string site = "/home/u/proj/lib/python3.11/site-packages/";
  const std::string other = "/home/u/other";
  ElfSpec spec = program_needing({"libcudart.so.12"});
  memory.files().add_file("/home/u/proj/pyvenv.cfg", "");
  memory.files().add_file(other + "/pyvenv.cfg", "");
  memory.elf(site + "ext.so", spec).elf(other + "/lib/libcudart.so.12", library().soname("libcudart.so.12"));
  RemedyOptions nowhere;
  memory.env("LD_LIBRARY_PATH=/nowhere");
  memory.files().add_file("/etc/ld.so.conf", other + "/lib\n");
  const TriedFixes answer = fixes_for(memory, nowhere, site + "ext.so");
  REQUIRE(answer.diagnosis.problems.front().candidates.size() == 1);
  CHECK(english(answer.diagnosis.problems.front().candidates.front().foreign) == "another environment: /home/u/other");
  REQUIRE(answer.diagnosis.remedies.size() > 2);
  CHECK(answer.diagnosis.remedies.front().kind == RemedyKind::Install);
  CHECK(answer.diagnosis.remedies[1].verdict == RemedyVerdict::Works);
  CHECK_FALSE(answer.diagnosis.remedies[1].foreign.empty());

  MemorySystem own;
  own.files().add_file("/home/u/proj/pyvenv.cfg", "");
  own.elf(site + "ext.so", spec)
      .elf(site + "nvidia/cuda_runtime/lib/libcudart.so.12", library().soname("libcudart.so.12"));
  const TriedFixes better = fixes_for(own, {}, site + "ext.so");
  REQUIRE_FALSE(better.diagnosis.remedies.empty());
  CHECK(better.diagnosis.remedies.front().foreign.empty());
  CHECK(better.find(RemedyKind::Install, RemedyVerdict::Untried) == nullptr);
}

TEST_CASE("what was installed by hand is found where installers put it") {
  for (const std::string directory : {"/usr/local/lib", "/usr/local/lib64", "/opt/vendor/lib", "/opt/vendor/lib64"}) {
    CAPTURE(directory);
    MemorySystem memory;
    memory.program(caller()).elf(directory + "/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
    const TriedFixes answer = fixes_for(memory);
    REQUIRE(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works) != nullptr);
    CHECK(texts_of(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works)->commands) ==
          Lines{"export LD_LIBRARY_PATH=" + directory + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
  }
}

TEST_CASE("a library in a usual neighbour of who needs it is found, and its directory is tried") {
  const std::string program(kProgram);
  const std::string own = program.substr(0, program.rfind('/') + 1);
  const std::string name = program.substr(own.size());
  struct Case {
    const char* why;
    std::string directory;
    std::string tag;
  };
  std::vector<Case> cases;
  for (const char* const below : {"libs", "lib", "lib64", ".libs", "bin", "deps", "vendor", "build"}) {
    cases.push_back({"below the directory", own + below, "$ORIGIN/" + std::string(below)});
  }
  cases.push_back({"of the file's name", own + name + ".libs", "$ORIGIN/" + name + ".libs"});
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CAPTURE(c.directory);
    MemorySystem memory;
    memory.program(caller()).elf(c.directory + "/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
    const TriedFixes answer = fixes_for(memory);
    REQUIRE(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works) != nullptr);
    CHECK(texts_of(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works)->commands) ==
          Lines{"export LD_LIBRARY_PATH=" + c.directory + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
    REQUIRE(answer.find(RemedyKind::SearchTag, RemedyVerdict::Works) != nullptr);
    CHECK(texts_of(answer.find(RemedyKind::SearchTag, RemedyVerdict::Works)->commands) ==
          Lines{"patchelf --set-rpath '" + c.tag + "' " + program});
  }
  // Beside the directory, and in the folders of packages around it.
  const std::string site = "/env/lib/python3.11/site-packages/";
  for (const std::string& directory : {site + "lib", site + "lib64", site + "libs", site + "pkg.libs",
                                       site + "other/lib", site + "other/libs", site + "other/.libs"}) {
    CAPTURE(directory);
    MemorySystem memory;
    ElfSpec module = library();
    module.needed("libdep.so.1");
    memory.elf(site + "pkg/_C.so", module).elf(directory + "/libdep.so.1", library().soname("libdep.so.1"));
    const TriedFixes answer = fixes_for(memory, {}, site + "pkg/_C.so");
    REQUIRE(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works) != nullptr);
    CHECK(texts_of(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works)->commands) ==
          Lines{"export LD_LIBRARY_PATH=" + directory + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
  }
}

TEST_CASE("a program that is named by ./ gets fixes without a dot") {
  MemorySystem memory;
  const std::string program(kProgram);
  const std::string directory = program.substr(0, program.rfind('/'));
  memory.process.cwd = directory;
  memory.program(caller()).elf(directory + "/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
  const TriedFixes answer = fixes_for(memory, {}, "./" + program.substr(program.rfind('/') + 1));
  REQUIRE(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works) != nullptr);
  CHECK(texts_of(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works)->commands) ==
        Lines{"export LD_LIBRARY_PATH=" + directory + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
  REQUIRE(answer.find(RemedyKind::SearchTag, RemedyVerdict::Works) != nullptr);
  CHECK(texts_of(answer.find(RemedyKind::SearchTag, RemedyVerdict::Works)->commands) ==
        Lines{"patchelf --set-rpath '$ORIGIN' " + program});
}

TEST_CASE("an executable stack that dlopen refuses is permitted by a tunable, beside those that are set") {
  struct Case {
    const char* why;
    bool is_alone;  ///< else the program opens it
    std::string set;
    std::string want;
  };
  const Case cases[] = {
      {"by a program", false, "", "export GLIBC_TUNABLES=glibc.rtld.execstack=2"},
      {"by whoever comes", true, "", "export GLIBC_TUNABLES=glibc.rtld.execstack=2"},
      {"others are kept", false, "glibc.rtld.nns=4", "export GLIBC_TUNABLES=glibc.rtld.nns=4:glibc.rtld.execstack=2"},
      {"an older value is not", false, "glibc.rtld.execstack=1", "export GLIBC_TUNABLES=glibc.rtld.execstack=2"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem s;
    s.rules = rules_for_release({2, 41}, kX86_64);
    ElfSpec spec = library();
    spec.stack = StackHeader::Executable;
    s.program(program()).elf("/lib64/libx.so", spec);
    if (!c.set.empty()) s.env("GLIBC_TUNABLES=" + c.set);
    s.process.start = c.is_alone ? Start::Argument : Start::Dlopen;
    const TriedFixes fixes = fixes_for(s, {}, c.is_alone ? "/lib64/libx.so" : "libx.so");
    const Remedy* const tunable = fixes.find(RemedyKind::Tunable, RemedyVerdict::Works);
    REQUIRE(tunable != nullptr);
    CHECK(tunable->commands.front().text() == c.want);
  }
}

TEST_CASE("what a renamed copy opens later and does not find: a directory of its environment, a link beside it") {
  const std::string site = "/v/lib/python3.11/site-packages";
  const auto fill = [&](MemorySystem& s, const std::string& file) {
    s.program(program_needing({"libcudnn-74a4c495.so.9.1.0"}).runpath(site + "/torch/lib"));
    s.elf(site + "/torch/lib/libcudnn-74a4c495.so.9.1.0",
          library().soname("libcudnn-74a4c495.so.9.1.0").runpath("$ORIGIN"));
    s.elf(site + file, library());
  };
  MemorySystem in_wheel;
  fill(in_wheel, "/nvidia/cudnn/lib/libcudnn_ops.so.9");
  const TriedFixes path = fixes_for(in_wheel);
  const Remedy* const directory = path.find(RemedyKind::LibraryPath, RemedyVerdict::Partly);
  REQUIRE(directory != nullptr);
  CHECK(directory->commands.front().text() ==
        "export LD_LIBRARY_PATH=" + site + "/nvidia/cudnn/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
  CHECK(directory->fixes == Lines{"libcudnn_ops.so.9"});

  MemorySystem beside;
  fill(beside, "/torch/lib/libcudnn_ops-0a1b2c3d.so.9");
  const TriedFixes renamed = fixes_for(beside);
  const Remedy* const link = renamed.find(RemedyKind::Link, RemedyVerdict::Partly);
  REQUIRE(link != nullptr);
  CHECK(link->commands.front().text() == "ln -s libcudnn_ops-0a1b2c3d.so.9 " + site + "/torch/lib/libcudnn_ops.so.9");
}

TEST_CASE("--fix-for narrows what is tried") {
  struct Case {
    FixFor fix_for;
    Lines want;
  };
  const Case cases[] = {
      {FixFor::Environment, {"library-path works", "preload works"}},
      {FixFor::System, {"configuration works"}},
      {FixFor::File, {"search-tag works"}},
  };
  for (const Case& c : cases) {
    MemorySystem memory;
    memory.files().add_directory("/etc");
    memory.program(caller()).elf("/app/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
    RemedyOptions options;
    options.fix_for = c.fix_for;
    CHECK(fixes_for(memory, options).verdicts == c.want);
  }
}

TEST_CASE("a link to another major version is never offered, though no version refutes it") {
  struct Case {
    const char* why;
    const char* file;
    const char* soname;
    bool is_offered;
  };
  const Case cases[] = {
      {"another major version", "/app/lib/libdep.so.2", "libdep.so.2", false},
      {"longer numbers", "/app/lib/libdep.so.10.1", "libdep.so.10", false},
      {"its SONAME counts, not what the file is called", "/opt/libdep.so.1", "libdep.so.3", false},
      {"the same major version under another name", "/app/lib/libdep.so.1.2", "libdep.so.1", true},
      {"it has no number", "/app/lib/libdep.so", "libdep.so", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.files().add_directory("/app/lib");
    memory.program(program_needing({"libdep.so.1"}).runpath("/app/lib").call(undefined("f")))
        .elf(c.file, library().soname(c.soname).define(defined("f")));
    RemedyOptions options;
    options.search = {"/app", "/opt"};
    const TriedFixes answer = fixes_for(memory, options);
    const bool is_offered = answer.find(RemedyKind::Link, RemedyVerdict::Works) != nullptr ||
                            answer.find(RemedyKind::Link, RemedyVerdict::Partly) != nullptr;
    CHECK(is_offered == c.is_offered);
  }
}

TEST_CASE("a link from another version fails, and the loader's words are the proof") {
  MemorySystem memory;
  memory.program(caller().runpath("/app/lib")).elf("/app/lib/libdep.so.2", dependency("libdep.so.2", {"V3"}));
  const TriedFixes answer = fixes_for(memory);
  CHECK(answer.verdicts == Lines{"link fails"});
  const Remedy& link = answer.diagnosis.remedies.front();
  CHECK(texts_of(link.commands) == Lines{"ln -s /app/lib/libdep.so.2 /app/lib/libdep.so.1"});
  CHECK(link.loader_says == "prog: /app/lib/libdep.so.1: version `V1' not found (required by prog)");
  CHECK(english(answer.diagnosis.problems.front().candidates.front().reason) == "lacks version V1 and 1 more");
}

TEST_CASE("the same version nodes without a symbol that is needed: judged by symbols") {
  MemorySystem memory;
  ElfSpec old = dependency("libdep.so.1", {"V1", "V2"});
  std::erase_if(old.symbols, [](const Symbol& symbol) { return symbol.name == "f_V2"; });
  memory.program(caller().runpath("/app/lib")).elf("/app/libdep.so.1", old);
  memory.files().add_directory("/app/lib");
  const TriedFixes answer = fixes_for(memory);
  const Candidate& candidate = answer.diagnosis.problems.front().candidates.front();
  CHECK(!candidate.serves);
  CHECK(english(candidate.reason) == "lacks 1 symbol of 2: f_V2@V2");
  CHECK(answer.verdicts == Lines{"link fails"});
  CHECK(answer.diagnosis.remedies.front().loader_says.find("undefined symbol: f_V2, version V2") != std::string::npos);
}

TEST_CASE("an older file before the right one is moved away") {
  MemorySystem memory;
  memory.program(caller().runpath("/app/old:/app/new"))
      .elf("/app/old/libdep.so.1", dependency("libdep.so.1", {"V1"}))
      .elf("/app/new/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
  const TriedFixes answer = fixes_for(memory);
  const Remedy* away = answer.find(RemedyKind::Unshadow, RemedyVerdict::Works);
  REQUIRE(away != nullptr);
  CHECK(texts_of(away->commands) == Lines{"mv /app/old/libdep.so.1 /app/old/libdep.so.1.away"});
  CHECK(answer.find(RemedyKind::SearchTag, RemedyVerdict::Works) != nullptr);
}

TEST_CASE("an entry of LD_LIBRARY_PATH that brings an older file is taken out") {
  struct Case {
    const char* why;
    std::string value;
    Lines want;  // commands; empty: nothing of that kind is told
  };
  const Case cases[] = {
      {"the only entry", "/old", {"unset LD_LIBRARY_PATH"}},
      {"one of several, as it was written", "/else:/old/;/more", {"export LD_LIBRARY_PATH=/else:/more"}},
      {"written twice", "/old:/else:/old/", {"export LD_LIBRARY_PATH=/else"}},
      {"with the current directory", "/old:", {"unset LD_LIBRARY_PATH"}},
      {"two entries with an older file", "/old:/older", {"unset LD_LIBRARY_PATH"}},
      {"an entry that brings nothing", "/else", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.program(caller().runpath("/app/new"))
        .elf("/old/libdep.so.1", dependency("libdep.so.1", {"V1"}))
        .elf("/older/libdep.so.1", dependency("libdep.so.1", {}))
        .elf("/app/new/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
    memory.env("LD_LIBRARY_PATH=" + c.value);
    const TriedFixes answer = fixes_for(memory);
    const Remedy* out = answer.find(RemedyKind::PathEntry, RemedyVerdict::Works);
    REQUIRE((out != nullptr) == !c.want.empty());
    if (out == nullptr) continue;
    CHECK(texts_of(out->commands) == c.want);
    CHECK(out == &answer.diagnosis.remedies.front());
  }
}

TEST_CASE("an entry of LD_LIBRARY_PATH is not blamed where the file behind it is no better") {
  MemorySystem memory;
  memory.program(caller().runpath("/app/new"))
      .elf("/old/libdep.so.1", dependency("libdep.so.1", {"V1"}))
      .elf("/app/new/libdep.so.1", dependency("libdep.so.1", {"V1"}));
  memory.env("LD_LIBRARY_PATH=/old");
  for (const std::string& verdict : fixes_for(memory).verdicts) CHECK_FALSE(verdict.starts_with("path-entry"));
}

TEST_CASE("a search tag is not proposed where it is there, in front") {
  MemorySystem memory;
  memory.program(caller().runpath("$ORIGIN/new:/else"))
      .elf("/old/libdep.so.1", dependency("libdep.so.1", {"V1"}))
      .elf("/app/new/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
  memory.env("LD_LIBRARY_PATH=/old");
  for (const std::string& verdict : fixes_for(memory).verdicts) CHECK_FALSE(verdict.starts_with("search-tag"));
}

TEST_CASE("of a library on its own a remedy's failure is told in dlerror's words") {
  MemorySystem memory;
  ElfSpec bare = library_needing({"libdep.so.1"}).runpath("/app/new");
  bare.version_needs = {{"libdep.so.1", {{"V1"}}}};
  ElfSpec old = dependency("libdep.so.1", {"V1"});
  std::erase_if(old.symbols, [](const Symbol& symbol) { return symbol.name == "f_V1"; });
  memory.elf(kProgram, bare.call(undefined("f_V1", "V1"))).elf("/else/libdep.so.1", old);
  memory.files().add_directory("/app/new");
  memory.process.start = Start::Argument;
  RemedyOptions options;
  options.search = {"/else"};
  const TriedFixes answer = fixes_for(memory, options);
  REQUIRE(answer.find(RemedyKind::Link, RemedyVerdict::Fails) != nullptr);
  CHECK(answer.find(RemedyKind::Link, RemedyVerdict::Fails)->loader_says == "prog: undefined symbol: f_V1, version V1");
}

TEST_CASE("what asks in vain may itself come from the entry that is taken out") {
  MemorySystem memory;
  memory.program(program_needing({"libdep.so.1"}).runpath("/app/new"))
      .elf("/old/libdep.so.1", library_needing({"libgone.so.1"}).soname("libdep.so.1"))
      .elf("/app/new/libdep.so.1", library().soname("libdep.so.1"));
  memory.env("LD_LIBRARY_PATH=/old");
  CHECK(fixes_for(memory).verdicts == Lines{"path-entry works"});
}

TEST_CASE("what else changes its place is told") {
  MemorySystem memory;
  memory.program(program_needing({"libfirst.so", "libdep.so.1"}))
      .elf("/lib64/libfirst.so", library().soname("libfirst.so"))
      .elf("/app/libfirst.so", library().soname("libfirst.so"))
      .elf("/app/libdep.so.1", library().soname("libdep.so.1"));
  const TriedFixes answer = fixes_for(memory);
  const Remedy* remedy = answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works);
  REQUIRE(remedy != nullptr);
  REQUIRE(remedy->also.size() == 1);
  CHECK(english(remedy->also.front()) == "switches libfirst.so from /lib64/libfirst.so to /app/libfirst.so");
}

TEST_CASE("two libraries lost, one of them for good: a fix fixes a part") {
  MemorySystem memory;
  memory.program(program_needing({"libdep.so.1", "libgone.so.1"}))
      .elf("/app/libdep.so.1", library().soname("libdep.so.1"));
  const TriedFixes answer = fixes_for(memory);
  const Remedy* remedy = answer.find(RemedyKind::LibraryPath, RemedyVerdict::Partly);
  REQUIRE(remedy != nullptr);
  CHECK(remedy->fixes == Lines{"libdep.so.1"});
  CHECK(remedy->loader_says.find("libgone.so.1: cannot open shared object file") != std::string::npos);
}

TEST_CASE("what cannot be put into a variable or a configuration is said to be untried") {
  MemorySystem memory;
  memory.program(program_needing({"libdep.so.1"})).elf("/app/a:b #c/libdep.so.1", library().soname("libdep.so.1"));
  RemedyOptions options;
  options.search = {"/app"};
  const TriedFixes answer = fixes_for(memory, options);
  CHECK(answer.find(RemedyKind::LibraryPath, RemedyVerdict::Untried) != nullptr);
  CHECK(answer.find(RemedyKind::Configuration, RemedyVerdict::Untried) != nullptr);
}

TEST_CASE("a search is cut short where it is told to, and says so") {
  MemorySystem memory;
  memory.program(program_needing({"libdep.so.1"}));
  for (int i = 0; i < 20; ++i) memory.files().add_file("/data/" + std::to_string(i) + "/libdep.so.1", "no library");
  RemedyOptions options;
  options.search = {"/data"};
  options.max_entries = 10;
  CHECK(english(fixes_for(memory, options).diagnosis.problems.front().candidates_note) == "only 10 names were checked");
  options.max_entries = 1000;
  CHECK(fixes_for(memory, options).diagnosis.problems.front().candidates_note.empty());
  options.goes_on = [](std::size_t entries) { return entries < 5; };
  CHECK(english(fixes_for(memory, options).diagnosis.problems.front().candidates_note).starts_with("stopped after"));
}

TEST_CASE("search tags can be taken to be others than those in the file") {
  MemorySystem memory;
  memory.program(program_needing({"libdep.so.1"}).rpath("/nowhere"))
      .elf("/app/x/libdep.so.1", library().soname("libdep.so.1"));
  LoadOptions options;
  options.tag_edits = {{memory.files().status(kProgram)->id, std::nullopt, "$ORIGIN/x"}};
  const Result<LinkMap> map = memory.load(kProgram, options);
  REQUIRE(map.has_value());
  CHECK(listing(*map) == Lines{"libdep.so.1 => /app/x/libdep.so.1"});
  CHECK(!map->main().elf.rpath);
}

TEST_CASE("the stem of a library's name") {
  CHECK(library_stem("libcudart.so.11.0") == "libcudart");
  CHECK(library_stem("/a/libcudart-e409450e.so.11.0") == "libcudart");
  CHECK(library_stem("libstdc++-12345.so") == "libstdc++-12345");
  CHECK(library_stem("_C.so") == "_C");
  CHECK(without_time_mark("libaio.so.1t64") == "libaio.so.1");
  CHECK(without_time_mark("libaio.so.1") == "libaio.so.1");
  CHECK(without_time_mark("libt64.so") == "libt64.so");
}

TEST_CASE("a finding that is about no request of its object has none to look at") {
  // liba.so names a file in DT_VERNEED and needs nothing at all: the loader's assertion is about liba.so itself.
  MemorySystem memory;
  ElfSpec asserted = library();
  asserted.version_needs = {{"libelse.so", {{"V1"}}}};
  memory.program(program_needing({"liba.so", "liblost.so"}))
      .elf("/lib64/liba.so", asserted)
      .env("LD_LIBRARY_PATH=/old");
  memory.elf("/old/libany.so", library());
  const TriedFixes answer = fixes_for(memory);
  const auto count = [&](ProblemCode kind) {
    return std::count_if(answer.diagnosis.problems.begin(), answer.diagnosis.problems.end(),
                         [&](const Problem& problem) { return problem.code == kind; });
  };
  CHECK(count(ProblemCode::MissingLibrary) == 1);
  CHECK(count(ProblemCode::VersionFile) == 1);
}

TEST_CASE("a problem of versions that the walk knows of is one problem") {
  struct Case {
    const char* why;
    void (*fill)(MemorySystem&);
    ProblemCode code;
  };
  const Case cases[] = {
      {"a file that nothing goes by",
       [](MemorySystem& memory) {
         ElfSpec spec = library();
         spec.version_needs = {{"libelse.so", {{"V1"}}}};
         memory.elf("/lib64/liba.so", spec);
       },
       ProblemCode::VersionFile},
      {"packed relocations without their mark",
       [](MemorySystem& memory) {
         ElfSpec spec = library().needed("libc.so.6");
         spec.version_needs = {{"libc.so.6", {{"V1"}}}};
         spec.relr_words = 1;
         ElfSpec libc = library().soname("libc.so.6");
         libc.version_definitions = {{"libc.so.6"}, {"V1"}};
         memory.elf("/lib64/liba.so", spec).elf("/lib64/libc.so.6", libc);
       },
       ProblemCode::VersionMissing},
      {"versions without DT_VERSYM",
       [](MemorySystem& memory) {
         ElfSpec spec = library().soname("liba.so");
         spec.version_definitions = {{"liba.so"}, {"V1"}};
         spec.has_versym = false;
         memory.elf("/lib64/liba.so", spec);
       },
       ProblemCode::WouldCrash},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.program(program_needing({"liba.so"}));
    c.fill(memory);
    const TriedFixes answer = fixes_for(memory);
    std::size_t fatal = 0;
    for (const Problem& problem : answer.diagnosis.problems) {
      if (severity_of(problem.code) != Severity::Fatal) continue;
      ++fatal;
      CHECK(problem.code == c.code);
      CHECK(sentence(problem.what, Language::English).find("liba.so") != std::string::npos);
      CHECK(sentence(problem.what, Language::English).find("does not define") == std::string::npos);
    }
    CHECK(fatal == 1);
    LoadOptions options;
    options.on_fatal = OnFatal::Continue;
    const Result<LinkMap> map = memory.load(kProgram, options);
    REQUIRE(map.has_value());
    const Result<Check> check = check_start(*map);
    REQUIRE(check.has_value());
    CHECK(check->libraries.size() + check->versions.size() == 1);
  }
}

TEST_CASE("a copy that only symbols show to be the wrong one is found, and what brings it is taken out") {
  const auto with = [](const std::string& symbol) { return library().soname("libdep.so.1").define(defined(symbol)); };
  const ElfSpec plain = program_needing({"libdep.so.1"}).call(undefined("f"));
  {
    MemorySystem memory;
    ElfSpec spec = plain;
    memory.program(spec.runpath("/app/old:/app/new"))
        .elf("/app/old/libdep.so.1", with("g"))
        .elf("/app/new/libdep.so.1", with("f"));
    const TriedFixes answer = fixes_for(memory);
    const Problem& problem = answer.diagnosis.problems.front();
    CHECK(problem.name == "libdep.so.1");
    CHECK(problem.object != kNoObject);
    REQUIRE(answer.find(RemedyKind::Unshadow, RemedyVerdict::Works) != nullptr);
    CHECK(answer.find(RemedyKind::SearchTag, RemedyVerdict::Works) != nullptr);
  }
  {
    MemorySystem memory;
    ElfSpec spec = plain;
    memory.program(spec.runpath("/app/old:/app/new"))
        .elf("/app/old/libdep.so.1", with("g"))
        .elf("/app/new/libdep.so.1", with("h"));
    const TriedFixes answer = fixes_for(memory);
    CHECK(answer.diagnosis.problems.front().name == "f");
    CHECK(answer.diagnosis.problems.front().object == kNoObject);
    CHECK(answer.find(RemedyKind::Unshadow, RemedyVerdict::Works) == nullptr);
  }
  struct Case {
    const char* why;
    const char* value;
    Lines want;
  };
  const Case cases[] = {
      {"the only entry", "/old/libdep.so.1", {"unset LD_PRELOAD"}},
      {"one of several", "/app/else.so /old/libdep.so.1:/gone.so", {"export LD_PRELOAD=/app/else.so:/gone.so"}},
      {"one that brings nothing wrong", "/app/else.so", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    ElfSpec spec = plain;
    memory.program(spec.runpath("/app/new"))
        .elf("/old/libdep.so.1", with("g"))
        .elf("/app/else.so", library().soname("else.so"))
        .elf("/app/new/libdep.so.1", with("f"));
    memory.env(std::string("LD_PRELOAD=") + c.value);
    const TriedFixes answer = fixes_for(memory);
    const Remedy* const out = answer.find(RemedyKind::PreloadEntry, RemedyVerdict::Works);
    REQUIRE((out != nullptr) == !c.want.empty());
    if (out != nullptr) CHECK(texts_of(out->commands) == c.want);
  }
}

TEST_CASE("a library that nothing needs and that defines what is missing is to be required") {
  const auto with = [](const std::string& soname, const std::string& symbol) {
    return library().soname(soname).define(defined(symbol));
  };
  struct Case {
    const char* why;
    std::vector<std::pair<std::string, ElfSpec>> files;
    std::string evidence;  ///< the first
    Lines commands;        ///< of what works
  };
  const std::string evidence =
      " defines f, and nothing in the process needs that library: /app/libuser.so was not "
      "linked with it";
  const Case cases[] = {
      {"the loader finds it by its name",
       {{"/usr/lib64/libdep.so.1", with("libdep.so.1", "f")}},
       "/usr/lib64/libdep.so.1 (in a directory that is searched)" + evidence,
       {"patchelf --add-needed libdep.so.1 /app/libuser.so",
        "export LD_PRELOAD=/usr/lib64/libdep.so.1${LD_PRELOAD:+:$LD_PRELOAD}"}},
      {"it has to be found as well",
       {{"/app/lib/libdep.so.1", with("libdep.so.1", "f")}},
       "/app/lib/libdep.so.1 (below /app/)" + evidence,
       {"patchelf --set-rpath '$ORIGIN/lib' /app/libuser.so && patchelf --add-needed libdep.so.1 /app/libuser.so",
        "export LD_PRELOAD=/app/lib/libdep.so.1${LD_PRELOAD:+:$LD_PRELOAD}"}},
      {"two of other names have it: which is meant is not known",
       {{"/app/lib/libdep.so.1", with("libdep.so.1", "f")}, {"/app/lib/libelse.so.1", with("libelse.so.1", "f")}},
       "/app/lib/libdep.so.1 (below /app/)" + evidence,
       {}},
      {"one of another name that is a plug-in", {{"/app/lib/dep.so", with("dep.so", "f")}}, "f", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.program(program_needing({"libuser.so"}).runpath("/app"))
        .elf("/app/libuser.so", library().soname("libuser.so").refer(undefined("f")));
    for (const auto& [path, spec] : c.files) memory.elf(path, spec);
    const TriedFixes answer = fixes_for(memory);
    REQUIRE(!answer.diagnosis.problems.empty());
    REQUIRE(!answer.diagnosis.problems.front().evidence.empty());
    CHECK(english(answer.diagnosis.problems.front().evidence.front().what) == c.evidence);
    Lines commands;
    for (const Remedy& remedy : answer.diagnosis.remedies) {
      if (remedy.verdict == RemedyVerdict::Works) commands.push_back(joined_commands(remedy.commands).text());
    }
    CHECK(commands == c.commands);
  }
}

TEST_CASE("a path in DT_NEEDED gives way to the name where that is found") {
  for (const bool is_found : {true, false}) {
    CAPTURE(is_found);
    MemorySystem memory;
    memory.program(program_needing({"/build/lib/libdep.so.1"}).runpath("/app/new"));
    if (is_found) memory.elf("/app/new/libdep.so.1", library().soname("libdep.so.1"));
    const TriedFixes answer = fixes_for(memory);
    const Remedy* const remedy = answer.find(RemedyKind::NeededName, RemedyVerdict::Works);
    REQUIRE((remedy != nullptr) == is_found);
    if (is_found)
      CHECK(texts_of(remedy->commands) ==
            Lines{"patchelf --replace-needed /build/lib/libdep.so.1 libdep.so.1 /app/prog"});
  }
}

TEST_CASE("a package whose record lists the file in vain is installed again") {
  struct Case {
    const char* why;
    const char* record;
    const char* text;
    const char* content;  ///< of the library; nullptr: it is gone
    const char* python;   ///< nullptr: none
    const char* command;  ///< empty: no such fix
  };
  const char* const site_record = "/venv/lib/python3.11/site-packages/pkg_a-1.2.dist-info/RECORD";
  const char* const listed = "pkg/lib/libdep.so.1,,9\n";
  const std::string by_python = "/venv/bin/python -m pip install --force-reinstall --no-deps pkg-a==1.2";
  const std::string into = "pip install --force-reinstall --no-deps --upgrade --target /opt/site pkg-a==1.2";
  const Case cases[] = {
      {"gone, in an environment", site_record, listed, nullptr, "/venv/bin/python", by_python.c_str()},
      {"cut", site_record, listed, "ELF", "/venv/bin/python", by_python.c_str()},
      {"as it was brought", site_record, listed, "not ELF..", "/venv/bin/python", ""},
      {"listed by nobody", site_record, "pkg/lib/libother.so.1,,\n", nullptr, "/venv/bin/python", ""},
      {"no environment around it", "/opt/site/pkg_a-1.2.dist-info/RECORD", listed, nullptr, nullptr, into.c_str()},
      {"PyTorch's own index", "/opt/site/torch-2.6.0+cu124.dist-info/RECORD", listed, nullptr, nullptr,
       "pip install --force-reinstall --no-deps --upgrade --target /opt/site torch==2.6.0+cu124 --index-url "
       "https://download.pytorch.org/whl/cu124"},
      {"conda", "/venv/conda-meta/pkg-a-1.2-0.json",
       R"({"name":"pkg-a","version":"1.2","files":["lib/python3.11/site-packages/pkg/lib/libdep.so.1"]})", nullptr,
       nullptr, "conda install --force-reinstall -p /venv pkg-a=1.2"},
      {"dpkg, without apt-get", "/var/lib/dpkg/info/pkg-a.list", "/opt/site/pkg/lib/libdep.so.1\n", nullptr, nullptr,
       ""},
      {"dpkg", "/var/lib/dpkg/info/pkg-a.list", "/opt/site/pkg/lib/libdep.so.1\n", nullptr, "/usr/bin/apt-get",
       "sudo apt-get install --reinstall pkg-a"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    const bool is_venv = std::string_view(c.record).starts_with("/venv/");
    const std::string folder = is_venv ? "/venv/lib/python3.11/site-packages/pkg" : "/opt/site/pkg";
    memory.elf(folder + "/mod.so", library().soname("mod.so").needed("libdep.so.1").runpath("$ORIGIN/lib"));
    if (c.content != nullptr) memory.files().add_file(folder + "/lib/libdep.so.1", c.content);
    memory.files().add_file(c.record, c.text);
    if (c.python != nullptr) memory.files().add_file(c.python, "");
    const TriedFixes answer = fixes_for(memory, {}, folder + "/mod.so");
    const Remedy* const remedy = answer.find(RemedyKind::Reinstall, RemedyVerdict::Untried);
    REQUIRE((remedy != nullptr) == (*c.command != '\0'));
    if (remedy != nullptr) CHECK(texts_of(remedy->commands) == Lines{c.command});
  }
}

TEST_CASE("of two wheels that own one path the one is installed again whose file is not there") {
  struct Case {
    const char* why;
    const char* sizes[2];  ///< of the file, by the records of pkg-a and pkg-b
    const char* want;      ///< empty: no such fix
  };
  const std::string start = "pip install --force-reinstall --no-deps --upgrade --target /opt/site ";
  const Case cases[] = {
      {"that of the first has been written over", {"5", "9"}, "pkg-a==1.2"},
      {"that of the second", {"9", "5"}, "pkg-b==2.0"},
      {"it is of both", {"9", "9"}, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.elf("/opt/site/pkg/mod.so", library().soname("mod.so").needed("libdep.so.1").runpath("$ORIGIN/lib"));
    memory.files().add_file("/opt/site/pkg/lib/libdep.so.1", "not ELF..");
    const char* const records[] = {"/opt/site/pkg_a-1.2.dist-info/RECORD", "/opt/site/pkg_b-2.0.dist-info/RECORD"};
    for (std::size_t i = 0; i < 2; ++i)
      memory.files().add_file(records[i], "pkg/lib/libdep.so.1,," + std::string(c.sizes[i]) + "\n");
    const TriedFixes answer = fixes_for(memory, {}, "/opt/site/pkg/mod.so");
    const Remedy* const remedy = answer.find(RemedyKind::Reinstall, RemedyVerdict::Untried);
    REQUIRE((remedy != nullptr) == (*c.want != '\0'));
    if (remedy != nullptr) CHECK(texts_of(remedy->commands) == Lines{start + c.want});
  }
}

TEST_CASE("a library of conda that is too old: its package comes before what writes into the file") {
  MemorySystem memory;
  ElfSpec spec = caller();
  memory.program(spec.runpath("/env/lib"))
      .elf("/env/lib/libdep.so.1", dependency("libdep.so.1", {"V1"}))
      .elf("/usr/local/lib/libdep.so.1", dependency("libdep.so.1", {"V1", "V2"}));
  memory.files().add_file("/env/conda-meta/dep-1.0-0.json",
                          R"({"name": "dep", "version": "1.0", "files": ["lib/libdep.so.1", "bin/prog"]})");
  const TriedFixes answer = fixes_for(memory);
  const Remedy* const best = best_remedy(answer.diagnosis);
  REQUIRE(best != nullptr);
  CHECK(texts_of(best->commands) == Lines{"conda install -p /env -c conda-forge dep"});
  CHECK(best->brings == Lines{"libdep.so.1"});
}

TEST_CASE("a lost file whose name is found further on, without a symbol, is its wheel's to bring again") {
  for (const bool is_listed : {false, true}) {
    CAPTURE(is_listed);
    MemorySystem memory;
    const std::string site = "/venv/lib/python3.11/site-packages";
    memory.program(program_needing({"libnccl.so.2"}).runpath(site + "/nvidia/nccl/lib").call(undefined("ncclNew")));
    memory.elf("/usr/lib64/libnccl.so.2", library().soname("libnccl.so.2").define(defined("ncclOld")));
    memory.files().add_directory(site + "/nvidia/nccl/lib");
    memory.files().add_file(site + "/nvidia_nccl_cu13-2.28.3.dist-info/RECORD",
                            is_listed ? "nvidia/nccl/lib/libnccl.so.2,,\n" : "nvidia/nccl/__init__.py,,\n");
    memory.files().add_file("/venv/bin/python", "");
    const TriedFixes answer = fixes_for(memory);
    const Remedy* const remedy = answer.find(RemedyKind::Reinstall, RemedyVerdict::Untried);
    REQUIRE((remedy != nullptr) == is_listed);
    if (remedy == nullptr) continue;
    CHECK(texts_of(remedy->commands) ==
          Lines{"/venv/bin/python -m pip install --force-reinstall --no-deps nvidia-nccl-cu13==2.28.3"});
  }
}

TEST_CASE("parts of cuDNN of two releases: the wheel whose part was written over is installed again") {
  for (const bool is_mixed : {false, true}) {
    CAPTURE(is_mixed);
    MemorySystem memory;
    const std::string site = "/venv/lib/python3.11/site-packages";
    const std::string folder = site + "/nvidia/cudnn/lib/";
    memory.elf(site + "/pkg/mod.so", library()
                                         .soname("mod.so")
                                         .needed("libcudnn.so.9")
                                         .needed("libcudnn_ops.so.9")
                                         .runpath("$ORIGIN/../nvidia/cudnn/lib"));
    std::string record;
    for (const std::string& name : {std::string("libcudnn"), std::string("libcudnn_ops")}) {
      const std::string release = is_mixed && name == "libcudnn_ops" ? "9.5.1" : "9.1.0";
      const std::string bytes = write_elf(library().soname(name + ".so.9"));
      memory.files().add_file(folder + name + ".so." + release, bytes);
      memory.files().add_symlink(folder + name + ".so.9", name + ".so." + release);
      const std::size_t size = bytes.size() + (release == "9.5.1" ? 1 : 0);
      record += "nvidia/cudnn/lib/" + name + ".so.9,," + std::to_string(size) + "\n";
    }
    memory.files().add_file(site + "/nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD", record);
    memory.files().add_file("/venv/bin/python", "");
    const TriedFixes answer = fixes_for(memory, {}, site + "/pkg/mod.so");
    const Remedy* const best = best_remedy(answer.diagnosis);
    REQUIRE((best != nullptr) == is_mixed);
    if (best == nullptr) continue;
    CHECK(texts_of(best->commands) ==
          Lines{"/venv/bin/python -m pip install --force-reinstall --no-deps nvidia-cudnn-cu12==9.1.0.70"});
  }
}

TEST_CASE("a lost file comes from its own package, not from elsewhere") {
  struct Case {
    const char* why;
    const char* record;  ///< what the other wheel's record lists
    const char* foreign;
  };
  const Case cases[] = {
      {"another wheel bundles the same file", "other.libs/libdep.so.1,,\n", "another package's: other 3"},
      {"no package has that file", "other/__init__.py,,\n", ""},
  };
  const std::string site = "/venv/lib/python3.11/site-packages";
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.elf(site + "/pkg/mod.so", library().soname("mod.so").needed("libdep.so.1").runpath("$ORIGIN/../pkg.libs"));
    memory.elf(site + "/other.libs/libdep.so.1", library().soname("libdep.so.1"));
    memory.files().add_file(site + "/pkg-1.2.dist-info/RECORD", "pkg.libs/libdep.so.1,,\n");
    memory.files().add_file(site + "/other-3.dist-info/RECORD", c.record);
    memory.files().add_file("/venv/bin/python", "");
    const TriedFixes answer = fixes_for(memory, {}, site + "/pkg/mod.so");
    const Remedy* const best = best_remedy(answer.diagnosis);
    REQUIRE(best != nullptr);
    CHECK(texts_of(best->commands) == Lines{"/venv/bin/python -m pip install --force-reinstall --no-deps pkg==1.2"});
    const Remedy* const copy = answer.find(RemedyKind::LibraryPath, RemedyVerdict::Works);
    REQUIRE(copy != nullptr);
    CHECK(english(copy->foreign) == c.foreign);
  }
}

TEST_CASE("a changed file is its package's behind the link of its SONAME, too") {
  MemorySystem memory;
  memory.elf("/opt/site/pkg/mod.so", library().soname("mod.so").needed("libdep.so.1").runpath("$ORIGIN/lib"));
  memory.files().add_file("/opt/site/pkg/lib/libdep.so.1.2.3", "no library");
  memory.files().add_symlink("/opt/site/pkg/lib/libdep.so.1", "libdep.so.1.2.3");
  memory.files().add_file("/var/lib/dpkg/info/pkg-a.list",
                          "/opt/site/pkg/lib/libdep.so.1\n/opt/site/pkg/lib/libdep.so.1.2.3\n");
  memory.files().add_file("/var/lib/dpkg/info/pkg-a.md5sums",
                          "0123456789abcdef0123456789abcdef  opt/site/pkg/lib/libdep.so.1.2.3\n");
  memory.files().add_file("/usr/bin/apt-get", "");
  const TriedFixes answer = fixes_for(memory, {}, "/opt/site/pkg/mod.so");
  const Remedy* const remedy = answer.find(RemedyKind::Reinstall, RemedyVerdict::Untried);
  REQUIRE(remedy != nullptr);
  CHECK(texts_of(remedy->commands) == Lines{"sudo apt-get install --reinstall pkg-a"});
}

TEST_CASE("a Debian library that apt-get or dpkg is linked against is not repaired by them") {
  struct Case {
    const char* why;
    const char* apt_needs;  ///< the missing library, or another one
    const char* dpkg_needs;
    const char* archive;  ///< in apt's cache
    const char* busybox;  ///< what it needs; nullptr: there is none
    const char* command;  ///< empty: nothing that works can be typed
  };
  const std::string wanted = "libz.so.1";
  const char* const there = "libc.so.6";
  const char* const archive = "zlib1g_1%3a1.2.13_amd64.deb";
  const Case cases[] = {
      {"neither needs it", there, there, archive, "", "sudo apt-get install --reinstall zlib1g"},
      {"apt-get needs it", "libz.so.1", there, archive, "",
       "sudo dpkg -i '/var/cache/apt/archives/zlib1g_1%3a1.2.13_amd64.deb'"},
      {"both need it", "libz.so.1", "libz.so.1", archive, "",
       "sudo /usr/bin/busybox dpkg-deb -x '/var/cache/apt/archives/zlib1g_1%3a1.2.13_amd64.deb' /"},
      {"dpkg alone needs it", there, "libz.so.1", archive, "",
       "sudo /usr/bin/busybox dpkg-deb -x '/var/cache/apt/archives/zlib1g_1%3a1.2.13_amd64.deb' /"},
      {"both, and busybox is linked as well", "libz.so.1", "libz.so.1", archive, "libc.so.6", ""},
      {"both, and there is no busybox", "libz.so.1", "libz.so.1", archive, nullptr, ""},
      {"no archive", "libz.so.1", there, "other_1_amd64.deb", "", ""},
      {"an archive of another version", "libz.so.1", there, "zlib1g_1%3a1.2.11_amd64.deb", "", ""},
      {"an archive of another machine", "libz.so.1", there, "zlib1g_1%3a1.2.13_i386.deb", "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.program(program_needing({wanted}));
    memory.elf("/usr/lib64/libc.so.6", library().soname("libc.so.6"));
    memory.elf("/usr/bin/apt-get", program_needing({c.apt_needs}));
    memory.elf("/usr/bin/dpkg", program_needing({there}));
    memory.elf("/usr/bin/dpkg-deb", program_needing({c.dpkg_needs}));
    if (c.busybox != nullptr) {
      ElfSpec busybox = program_needing(*c.busybox == '\0' ? Lines{} : Lines{c.busybox});
      if (*c.busybox == '\0') busybox.interp.reset();
      memory.elf("/usr/bin/busybox", busybox);
    }
    memory.files().add_file("/var/cache/apt/archives/" + std::string(c.archive), "");
    memory.files().add_file("/var/lib/dpkg/info/zlib1g:amd64.list", "/usr/lib64/" + wanted + "\n");
    memory.files().add_file("/var/lib/dpkg/status",
                            "Package: zlib1g\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:1.2.13\n");
    const TriedFixes answer = fixes_for(memory);
    const Remedy* const remedy = answer.find(RemedyKind::Reinstall, RemedyVerdict::Untried);
    REQUIRE(remedy != nullptr);
    CHECK(texts_of(remedy->commands) == (*c.command == '\0' ? Lines{} : Lines{c.command}));
    const bool is_usual = std::string_view(c.command).find("apt-get") != std::string_view::npos;
    CHECK(remedy->also.empty() == is_usual);
    // Nothing else is offered that the same program would have to do.
    if (*c.command == '\0') CHECK(best_remedy(answer.diagnosis) == nullptr);
  }
}

TEST_CASE("an import that a lost module ends: the package that should have it") {
  struct Case {
    const char* why;
    const char* exception;
    const char* raised_by;
    const char* file;  ///< in words of the proof; empty: no such fix
  };
  const std::string site = "/venv/lib/python3.11/site-packages";
  const std::string raiser = site + "/pkg/__init__.py:7";
  const std::string of_other = site + "/other.py:1";
  const std::string half = "ImportError: cannot import name 'gone' from 'pkg' (" + site + "/pkg/__init__.py)";
  const Case cases[] = {
      {"named by its module", "ModuleNotFoundError: No module named 'pkg.gone'", of_other.c_str(), "gone.abi3.so"},
      {"named with its package's source", half.c_str(), of_other.c_str(), "gone.abi3.so"},
      {"by who raises it", "pkg.Error: no library", raiser.c_str(), "early.so"},
      {"another package", "pkg.Error: no library", of_other.c_str(), ""},
      {"no exception", "", raiser.c_str(), ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    memory.program(program_needing({}));
    memory.files().add_file(site + "/pkg/__init__.py", "");
    memory.files().add_file(site + "/pkg-1.dist-info/RECORD",
                            "pkg/__init__.py,,\npkg/__pycache__/x.pyc,,\npkg/early.so,,\npkg/gone.abi3.so,,\n");
    PythonImport import;
    import.exception = c.exception;
    import.raised_by = c.raised_by;
    import.path = {"", site};
    RemedyOptions options;
    options.import = &import;
    const TriedFixes answer = fixes_for(memory, options);
    const Remedy* const remedy = answer.find(RemedyKind::Reinstall, RemedyVerdict::Untried);
    REQUIRE((remedy != nullptr) == (*c.file != '\0'));
    if (remedy == nullptr) continue;
    CHECK(english(remedy->reason).find(c.file) != std::string::npos);
    CHECK(remedy->commands.front().text().ends_with(" pkg==1"));
  }
}

TEST_CASE("a wheel is named in the version that an installed package requires") {
  struct Case {
    const char* why;
    const char* metadata;
    const char* wheel;
  };
  const Case cases[] = {
      {"pinned", "Name: torch\nRequires-Dist: nvidia-cudnn-cu11 (==8.5.0.96) ; platform_system == \"Linux\"\n\nText\n",
       " nvidia-cudnn-cu11==8.5.0.96"},
      {"a later form, and another spelling", "Requires-Dist: nvidia_cudnn.cu11==8.7.0.84; platform_system == 'Linux'\n",
       " nvidia-cudnn-cu11==8.7.0.84"},
      {"a range is no version", "Requires-Dist: nvidia-cudnn-cu11>=8.5\n", " 'nvidia-cudnn-cu12<9'"},
      {"only headers count", "Name: torch\n\nRequires-Dist: nvidia-cudnn-cu11==1\n", " 'nvidia-cudnn-cu12<9'"},
      {"nothing of a shell", "Requires-Dist: nvidia-cudnn-cu11==1$(reboot)\n", " 'nvidia-cudnn-cu12<9'"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    const std::string file = "/venv/site-packages/torch/lib/libtorch.so";
    memory.elf(file, library().soname("libtorch.so").needed("libcudnn.so.8"));
    memory.files().add_file("/venv/site-packages/torch-2.1.dist-info/METADATA", c.metadata);
    const TriedFixes answer = fixes_for(memory, {}, file);
    const Remedy* const remedy = answer.find(RemedyKind::Install, RemedyVerdict::Untried);
    REQUIRE(remedy != nullptr);
    CHECK(remedy->commands.front().text().ends_with(c.wheel));
  }
}

TEST_CASE("of wheels for several releases of CUDA the one that goes with the CUDA of the process or its environment") {
  struct Case {
    const char* why;
    std::string runtime;  ///< that the file needs
    std::string installed;
    std::string missing;
    const char* wheel;
  };
  const Case cases[] = {
      {"by the runtime", "libcudart.so.13", "", "libcufile.so.0", " nvidia-cufile"},
      {"by an older one", "libcudart.so.12", "", "libcufile.so.0", " nvidia-cufile-cu12"},
      {"by a wheel of the environment", "", "nvidia_cuda_runtime-13.0.48", "libcufile.so.0", " nvidia-cufile"},
      {"the file's own need counts more", "libcudart.so.12", "nvidia_cuda_runtime-13.0.48", "libcufile.so.0",
       " nvidia-cufile-cu12"},
      {"most keep the suffix", "libcudart.so.13", "", "libnccl.so.2", " nvidia-nccl-cu13"},
      {"of cuDNN 8", "libcudart.so.11.0", "", "libcudnn.so.8", " 'nvidia-cudnn-cu11<9'"},
      {"not known", "", "", "libcufile.so.0", " nvidia-cufile-cu12"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    const std::string file = "/venv/site-packages/ext/_C.so";
    ElfSpec spec = library().soname("_C.so").needed(c.missing);
    if (!c.runtime.empty()) spec.needed(c.runtime);
    memory.elf(file, spec);
    if (!c.runtime.empty()) memory.elf("/lib64/" + c.runtime, library().soname(c.runtime));
    if (!c.installed.empty()) memory.files().add_file("/venv/site-packages/" + c.installed + ".dist-info/METADATA", "");
    const TriedFixes answer = fixes_for(memory, {}, file);
    const Remedy* const remedy = answer.find(RemedyKind::Install, RemedyVerdict::Untried);
    REQUIRE(remedy != nullptr);
    CHECK(remedy->commands.front().text().ends_with(c.wheel));
  }
}

TEST_CASE("a runtime of CUDA that is older than a missing symbol: its wheel, in a release that has it") {
  struct Case {
    const char* why;
    std::string version;
    std::string symbol;
    std::string command;  ///< its end; empty: none
  };
  const Case cases[] = {
      {"older", "12.4.127", "cudaGetDriverEntryPointByVersion", " 'nvidia-cuda-runtime-cu12>=12.5'"},
      {"new enough", "12.8.90", "cudaGetDriverEntryPointByVersion", ""},
      {"of no known release", "12.4.127", "cudaOfNobody", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    const std::string site = "/venv/site-packages";
    ElfSpec spec = library().soname("_C.so").needed("libcudart.so.12").runpath(site + "/nvidia/cuda_runtime/lib");
    spec.version_needs = {{"libcudart.so.12", {{"libcudart.so.12"}}}};
    spec.refer(undefined(c.symbol, "libcudart.so.12"));
    memory.elf(site + "/ext/_C.so", spec);
    ElfSpec runtime = library().soname("libcudart.so.12");
    runtime.version_definitions = {{"libcudart.so.12"}, {"libcudart.so.12"}};
    memory.elf(site + "/nvidia/cuda_runtime/lib/libcudart.so.12", runtime);
    memory.files().add_file(site + "/nvidia_cuda_runtime_cu12-" + c.version + ".dist-info/RECORD",
                            "nvidia/cuda_runtime/lib/libcudart.so.12,,\n");
    memory.files().add_file(site + "/nvidia_cuda_runtime_cu12-" + c.version + ".dist-info/METADATA",
                            "Name: nvidia-cuda-runtime-cu12\nVersion: " + c.version + "\n\n");
    const TriedFixes answer = fixes_for(memory, {}, site + "/ext/_C.so");
    const Remedy* const remedy = answer.find(RemedyKind::Install, RemedyVerdict::Untried);
    CHECK((remedy != nullptr) == !c.command.empty());
    if (remedy != nullptr) CHECK(remedy->commands.front().text().ends_with(c.command));
  }
}

TEST_CASE(
    "a symbol that lacks because a wheel is of another release than its user requires: the one that is required") {
  struct Case {
    const char* why;
    const char* requires_dist;
    Lines commands;
  };
  const Case cases[] = {
      {"another release", "dep (<2,>=1.5)", {"/venv/bin/python -m pip install 'dep<2,>=1.5'"}},
      {"the right one", "dep>=2", {}},
      {"of a wheel that has nothing to do with it", "other<2", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    const std::string site = "/venv/lib/python3.11/site-packages";
    const std::string file = site + "/user/_C.so";
    memory.elf(file,
               library().soname("_C.so").needed("libdep.so.1").runpath("$ORIGIN/../dep").call(undefined("f_new")));
    memory.elf(site + "/dep/libdep.so.1", library().soname("libdep.so.1").define(defined("f_old")));
    memory.files().add_file(site + "/user-1.0.dist-info/RECORD", "user/_C.so,,\n");
    memory.files().add_file(site + "/user-1.0.dist-info/METADATA",
                            "Name: user\nRequires-Dist: " + std::string(c.requires_dist) + "\n\n");
    memory.files().add_file(site + "/dep-2.1.dist-info/RECORD", "dep/libdep.so.1,,\n");
    memory.files().add_file(site + "/other-2.1.dist-info/RECORD", "other/libother.so.1,,\n");
    memory.files().add_file("/venv/bin/python", "");
    const TriedFixes answer = fixes_for(memory, {}, file);
    const Remedy* const best = best_remedy(answer.diagnosis);
    REQUIRE((best == nullptr) == c.commands.empty());
    if (best == nullptr) continue;
    CHECK(texts_of(best->commands) == c.commands);
    CHECK(english(best->reason) == "not tried here; user 1.0 requires dep<2,>=1.5, and dep 2.1 is installed");
  }
}

TEST_CASE("what only a PyTorch for CUDA has is not had by compiling against one for the CPU") {
  MemorySystem memory;
  const std::string site = "/venv/lib/python3.11/site-packages";
  const std::string file = site + "/user/_C.so";
  memory.elf(file, library().soname("_C.so").needed("libc10_cuda.so").needed("libcudart.so.11.0"));
  memory.elf("/usr/lib64/libcudart.so.11.0", library().soname("libcudart.so.11.0"));
  memory.files().add_file(site + "/user-1.0.dist-info/RECORD", "user/_C.so,,\n");
  memory.files().add_file(site + "/user-1.0.dist-info/METADATA", "Name: user\nRequires-Dist: torch\n\n");
  memory.files().add_file(site + "/torch-2.1.0+cpu.dist-info/RECORD", "torch/__init__.py,,\n");
  memory.files().add_file("/venv/bin/python", "");
  const TriedFixes answer = fixes_for(memory, {}, file);
  const Remedy* const best = best_remedy(answer.diagnosis);
  REQUIRE(best != nullptr);
  CHECK(texts_of(best->commands) == Lines{"/venv/bin/python -m pip install --force-reinstall torch==2.1.0 --index-url "
                                          "https://download.pytorch.org/whl/cu118"});
}

TEST_CASE("a library in a hidden tree beside the program, or deep in one, is found where no usual place has it") {
  for (const std::string directory : {"/w/.rustup/toolchains/stable/lib", "/w/opt/R/4.3/lib/R/lib"}) {
    CAPTURE(directory);
    MemorySystem memory;
    memory.process.cwd = "/w";
    memory.elf("/w/.cargo/bin/tool", program_needing({"libdep.so"}));
    memory.elf(directory + "/libdep.so", library().soname("libdep.so"));
    const TriedFixes answer = fixes_for(memory, {}, "/w/.cargo/bin/tool");
    const Remedy* const best = best_remedy(answer.diagnosis);
    REQUIRE(best != nullptr);
    CHECK(texts_of(best->commands) ==
          Lines{"export LD_LIBRARY_PATH=" + directory + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"});
  }
}

TEST_CASE("a file that the running kernel is too old for serves nobody, and the next step is about that") {
  MemorySystem memory(31);
  memory.process.os_release = "4.4.0-19041-Microsoft";
  memory.program(program_needing({"libQt5Core.so.5"}).runpath("/app/lib"));
  ElfSpec spec = library().soname("libQt5Core.so.5");
  spec.abi_tag = AbiTag{0, {4, 11, 0}};
  memory.elf("/app/lib/libQt5Core.so.5", spec);
  const TriedFixes answer = fixes_for(memory);
  CHECK(best_remedy(answer.diagnosis) == nullptr);
  CHECK(
      english(answer.diagnosis.next).starts_with("strip --remove-section=.note.ABI-tag /app/lib/libQt5Core.so.5   #"));
}

TEST_CASE("a name without a number is of no package: it came with the file that needs it") {
  MemorySystem memory;
  memory.files().add_file("/usr/bin/apt-get", "");
  memory.program(program_needing({"librustc_driver-0d5f.so"}));
  const TriedFixes answer = fixes_for(memory);
  CHECK(english(answer.diagnosis.next).starts_with("find / -xdev -name librustc_driver-0d5f.so 2>/dev/null   #"));
}
