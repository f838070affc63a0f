// A whole tree: who is a root, who is judged in whose process, and which problems are one cause.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "soresolve/report.h"
#include "soresolve/survey.h"
#include "survey/file_finder.h"
#include "survey/policy.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using TreeFiles = std::vector<std::pair<std::string, ElfSpec>>;

std::shared_ptr<MemoryFileSystem> machine_with(const TreeFiles& tree) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kInterp, write_loader());
  for (const auto& [path, spec] : tree) files->add_file(path, write_elf(spec), 0755);
  return files;
}

WorldSettings settings_of(std::shared_ptr<const FileSystem> files) {
  WorldSettings settings;
  settings.where.files = std::move(files);
  settings.machine.cpu = "x86-64";
  return settings;
}

/// "PATH: AS VERDICT [in ROOT]" for each file.
std::vector<std::string> reported(const Survey& survey) {
  std::vector<std::string> lines;
  for (const SurveyedFile& file : survey.files) {
    std::string line = file.path + ": " + std::string(name_of(file.as)) + " " + std::string(name_of(file.verdict));
    if (file.root) line += " in " + survey.files[*file.root].path;
    lines.push_back(std::move(line));
  }
  return lines;
}

/// "KEY: MEMBERS <- NEEDERS" for each group.
std::vector<std::string> causes(const Survey& survey) {
  std::vector<std::string> lines;
  for (const ProblemGroup& group : survey.groups) {
    std::string line = group.key + ":";
    for (const SurveyIndex member : group.members) line += " " + survey.files[member].path;
    line += " <-";
    for (const std::string& needer : group.needers) line += " " + needer;
    lines.push_back(std::move(line));
  }
  return lines;
}

Survey survey_of(const TreeFiles& tree, unsigned jobs = 1, SurveyDemands demands = {}) {
  SurveyOptions options;
  options.jobs = jobs;
  options.demands = std::make_shared<const SurveyDemands>(std::move(demands));
  Result<Survey> found = survey(settings_of(machine_with(tree)), {"/app"}, options);
  REQUIRE(found.has_value());
  return std::move(found).value();
}

}  // namespace

TEST_CASE("a file is judged in the process of the root that loads it") {
  struct Case {
    const char* why;
    TreeFiles tree;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"a program and what it needs",
       {{"/app/bin/p", program_needing({"liba.so"}).runpath("$ORIGIN/../lib")},
        {"/app/lib/liba.so", library().soname("liba.so")}},
       {"/app/bin/p: program works", "/app/lib/liba.so: reached works in /app/bin/p"}},
      {"nobody needs it by name: a root of its own",
       {{"/app/lib/plugin.so", library_needing({"liba.so"}).runpath("$ORIGIN")},
        {"/app/lib/liba.so", library().soname("liba.so")}},
       {"/app/lib/liba.so: reached works in /app/lib/plugin.so", "/app/lib/plugin.so: root works"}},
      {"needed by name, and found by nobody: judged all the same",
       {{"/app/bin/p", program_needing({"liba.so"})}, {"/app/lib/liba.so", library().soname("liba.so")}},
       {"/app/bin/p: program fails", "/app/lib/liba.so: library works"}},
      {"two that need each other are no roots, and are judged",
       {{"/app/lib/liba.so", library_needing({"libb.so"}).soname("liba.so").runpath("$ORIGIN")},
        {"/app/lib/libb.so", library_needing({"liba.so"}).soname("libb.so").runpath("$ORIGIN")}},
       {"/app/lib/liba.so: library works", "/app/lib/libb.so: library works"}},
      {"alone it would lack a library: its process brings it",
       {{"/app/bin/p", program_needing({"liba.so", "libb.so"}).rpath("$ORIGIN/../lib")},
        {"/app/lib/liba.so", library().soname("liba.so")},
        {"/app/lib/libb.so", library_needing({"liba.so"}).soname("libb.so")}},
       {"/app/bin/p: program works", "/app/lib/liba.so: reached works in /app/bin/p",
        "/app/lib/libb.so: reached works in /app/bin/p"}},
      {"of two processes the one that works is told",
       {{"/app/bin/bad", program_needing({"liba.so", "libgone.so"}).runpath("$ORIGIN/../lib")},
        {"/app/bin/good", program_needing({"liba.so"}).runpath("$ORIGIN/../lib")},
        {"/app/lib/liba.so", library().soname("liba.so")}},
       {"/app/bin/bad: program fails", "/app/bin/good: program works",
        "/app/lib/liba.so: reached works in /app/bin/good"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(reported(survey_of(c.tree)) == c.want);
  }
}

TEST_CASE("what fails for one reason is one group") {
  ElfSpec versioned = library().soname("libv.so");
  versioned.version_definitions = {{"libv.so"}, {"V_1"}};
  ElfSpec newer = program_needing({"libv.so"}).runpath("$ORIGIN/../lib");
  newer.version_needs = {{"libv.so", {{"V_2"}}}};
  struct Case {
    const char* why;
    TreeFiles tree;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"a library that two programs need",
       {{"/app/bin/p", program_needing({"libgone.so"})}, {"/app/bin/q", program_needing({"libgone.so"})}},
       {"missing-library|libgone.so: /app/bin/p /app/bin/q <- /app/bin/p /app/bin/q"}},
      {"a library in between needs it: it is the needer, the programs fail",
       {{"/app/bin/p", program_needing({"liba.so"}).runpath("$ORIGIN/../lib")},
        {"/app/bin/q", program_needing({"liba.so"}).runpath("$ORIGIN/../lib")},
        {"/app/lib/liba.so", library_needing({"libgone.so"}).soname("liba.so")}},
       {"missing-library|libgone.so: /app/bin/p /app/bin/q <- /app/lib/liba.so"}},
      {"two causes of one program: the one with more members first",
       {{"/app/bin/p", program_needing({"libgone.so", "libother.so"})},
        {"/app/bin/q", program_needing({"libother.so"})}},
       {"missing-library|libother.so: /app/bin/p /app/bin/q <- /app/bin/p /app/bin/q",
        "missing-library|libgone.so: /app/bin/p <- /app/bin/p"}},
      {"a version: by the file that lacks it",
       {{"/app/bin/p", newer}, {"/app/bin/q", newer}, {"/app/lib/libv.so", versioned}},
       {"version-missing|/app/lib/libv.so|V_2: /app/bin/p /app/bin/q <- /app/bin/p /app/bin/q"}},
      {"a symbol that nothing defines",
       {{"/app/bin/p", program().call(undefined("gone"))}, {"/app/bin/q", program().call(undefined("gone"))}},
       {"symbol-missing||gone: /app/bin/p /app/bin/q <- /app/bin/p /app/bin/q"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(causes(survey_of(c.tree)) == c.want);
  }
}

TEST_CASE("a library that is not found comes with the search of the first who asks for it") {
  const Survey found =
      survey_of({{"/app/bin/p", program_needing({"liba.so"}).runpath("$ORIGIN/../lib")},
                 {"/app/lib/liba.so", library_needing({"libgone.so"}).soname("liba.so").runpath("/app/first")},
                 {"/app/bin/q", program_needing({"libgone.so"})}});
  REQUIRE(found.groups.size() == 1);
  const std::optional<GroupSearch>& search = found.groups.front().search;
  REQUIRE(search);
  CHECK(search->needer == "/app/lib/liba.so");
  CHECK(search->name == "libgone.so");
  REQUIRE(!search->places.empty());
  const GroupSearch::Place& first = search->places.front();
  CHECK(name_of(first.step) == "RUNPATH");
  CHECK(first.owner == "/app/lib/liba.so");
  CHECK(first.entry == "/app/first");
  CHECK(first.path.starts_with("/app/first/"));
  CHECK(name_of(search->places.back().step) == "default directories");
}

TEST_CASE("the number of threads changes nothing") {
  TreeFiles tree;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    std::vector<std::string> needs = {"lib" + std::to_string(i / 3) + ".so"};
    if (i % 7 == 0) needs.push_back("libgone" + std::to_string(i % 2) + ".so");
    tree.emplace_back("/app/bin/" + number, program_needing(needs).runpath("$ORIGIN/../lib" + std::to_string(i % 4)));
    tree.emplace_back("/app/lib" + std::to_string(i % 4) + "/lib" + std::to_string(i / 4) + ".so",
                      library().soname("lib" + std::to_string(i / 4) + ".so"));
  }
  const Survey one = survey_of(tree, 1);
  const Survey many = survey_of(tree, 4);
  CHECK(reported(one) == reported(many));
  CHECK(causes(one) == causes(many));
  CHECK(one.groups.size() >= 2);
}

TEST_CASE("a survey that is ended keeps what it knows") {
  SurveyOptions options;
  const std::atomic<bool> stop = true;
  options.stop = &stop;
  const Result<Survey> found = survey(settings_of(machine_with({{"/app/p", program()}})), {"/app"}, options);
  REQUIRE(found.has_value());
  CHECK(found->is_interrupted);
  CHECK(found->counts.roots == 0);
}

TEST_CASE("a survey that takes more memory than it may says so, and is not good") {
  SurveyOptions options;
  options.max_resident_bytes = 1;
  const Result<Survey> found = survey(settings_of(machine_with({{"/app/p", program()}})), {"/app"}, options);
  REQUIRE(found.has_value());
  CHECK(found->is_out_of_memory);
  CHECK_FALSE(found->is_interrupted);
  CHECK_FALSE(is_good(SurveyReport{*found, "/", Strict::No}));
  options.max_resident_bytes = std::size_t{1} << 40;
  CHECK_FALSE(survey(settings_of(machine_with({{"/app/p", program()}})), {"/app"}, options)->is_out_of_memory);
}

TEST_CASE("a place that cannot be looked at is told, and all of them are an error") {
  const auto files = machine_with({{"/app/p", program()}});
  const Result<Survey> none = survey(settings_of(files), {"/nowhere"});
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::Unreadable);
  const Result<Survey> some = survey(settings_of(files), {"/nowhere", "/app"});
  REQUIRE(some.has_value());
  CHECK(some->counts.works == 1);
  REQUIRE(some->skipped.size() == 1);
  CHECK(some->skipped.front().path == "/nowhere");
}

TEST_CASE("a tree is searched for what a loader would load") {
  auto files = machine_with({{"/app/p", program()}, {"/app/lib/liba.so", library().soname("liba.so")}});
  files->add_symlink("/app/lib/liba.so.1", "liba.so");
  files->add_symlink("/app/loop", "/app");
  files->add_symlink("/app/gone", "/nowhere");
  files->add_hard_link("/app/lib/same.so", "/app/lib/liba.so");
  files->add_file("/app/data.py", write_elf(library()));
  files->add_file("/app/text.so", "INPUT(liba.so)");
  files->add_file("/app/cut.so", write_elf(library()).substr(0, 80));
  files->add_file("/app/empty", "");
  files->add_special("/app/fifo", FileKind::Fifo);
  ElfSpec fixed = program();
  fixed.has_dynamic = false;
  files->add_file("/app/static", write_elf(fixed), 0755);
  files->add_file("/app/proc/self/maps", "");
  files->add_file("/app/proc/mounts", "");
  files->add_file("/app/proc/7/exe", write_elf(program()));
  const FoundFiles found = find_files(*files, {"/app", "/app/lib"}, {});
  std::vector<std::string> paths;
  for (const FoundFile& file : found.dynamic) paths.push_back(file.path);
  CHECK(paths == std::vector<std::string>{"/app/lib/liba.so", "/app/lib/same.so", "/app/p"});
  CHECK(found.not_dynamic == 1);
  CHECK(found.static_programs == 1);
  std::vector<std::string> skipped;
  for (const SurveySkip& skip : found.skipped) {
    skipped.push_back(skip.path + " " + std::to_string(static_cast<int>(skip.why)));
  }
  const auto text = [](SurveySkip::Why why) { return " " + std::to_string(static_cast<int>(why)); };
  CHECK(skipped == std::vector<std::string>{"/app/cut.so" + text(SurveySkip::Why::Damaged),
                                            "/app/lib" + text(SurveySkip::Why::Visited),
                                            "/app/proc" + text(SurveySkip::Why::PseudoFiles)});
}

TEST_CASE("a damaged file that bears a library's name is a cause") {
  auto files = machine_with({{"/app/p", program()}});
  files->add_file("/app/cut.so", write_elf(library()).substr(0, 80));
  files->add_file("/app/cut.bin", write_elf(library()).substr(0, 80));
  const Result<Survey> found = survey(settings_of(files), {"/app"});
  REQUIRE(found.has_value());
  REQUIRE(found->groups.size() == 1);
  CHECK(found->groups.front().key == "fatal-candidate|/app/cut.so");
  CHECK(found->counts.fails == 0);
}

TEST_CASE("a file that bears the name of a library or of a module and is none is a cause; a linker script is none") {
  struct Case {
    const char* name;
    std::string bytes;
    bool is_cause;
  };
  const std::string lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n";
  const Case cases[] = {
      {"_C.cpython-311-x86_64-linux-gnu.so", "", true},
      {"_C.cpython-311-x86_64-linux-gnu.so", lfs, true},
      {"_C.cpython-311-x86_64-linux-gnu.so", std::string(100000, '\0'), true},
      {"_C.abi3.so", "text", true},
      {"_C.so", "", true},
      {"libx.so.1", lfs, true},
      {"libx.so.1.2", std::string(64, '\0'), true},
      {"libx.so.1", "libx.so.1.2", true},
      {"libx.so.1", "<html>404</html>\n", true},
      {"ld.so.8", ".TH ld.so 8\n", false},
      {"README.for-libx.so.3", "text\n", false},
      {"libx.so", "INPUT(libx.so.1)\n", false},
      {"libx.so", "/* GNU ld script */\nGROUP(libx.so.1)\n", false},
      {"libx.so-gdb.py", "", false},
      {"notes.so.txt", "", false},
      {"empty", "", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    auto files = machine_with({{"/app/p", program()}});
    files->add_file("/app/" + std::string(c.name), c.bytes);
    const Result<Survey> found = survey(settings_of(files), {"/app"});
    REQUIRE(found.has_value());
    CHECK(found->groups.size() == (c.is_cause ? 1 : 0));
    CHECK(is_good(SurveyReport{*found, "/", Strict::No}) == !c.is_cause);
  }
}

TEST_CASE("a script whose interpreter is missing is a program that does not start") {
  auto files = machine_with({{"/app/p", program()}});
  files->add_file("/bin/sh", write_elf(program()), 0755);
  files->add_file("/app/run.sh", "#!/bin/sh\n", 0755);
  files->add_file("/app/note", "#!/bin/none\n", 0644);
  files->add_file("/app/example.py", "#!/bin/none\n", 0755);
  const Result<Survey> good = survey(settings_of(files), {"/app"});
  REQUIRE(good.has_value());
  CHECK(good->counts.roots == 1);
  CHECK(is_good(SurveyReport{*good, "/", Strict::No}));
  files->add_file("/app/missing.sh", "#!/bin/none -e\n", 0755);
  files->add_file("/app/missing", "#!/bin/none\n", 0755);
  const Result<Survey> found = survey(settings_of(files), {"/app"});
  REQUIRE(found.has_value());
  CHECK(found->counts.fails == 2);
  REQUIRE(found->groups.size() == 1);
  CHECK(found->groups.front().key == "no-interpreter|/bin/none");
  CHECK(found->groups.front().members.size() == 2);
}

TEST_CASE("a tree of static programs is good, and one of nothing is not judged") {
  auto files = machine_with({});
  ElfSpec fixed = program();
  fixed.has_dynamic = false;
  fixed.interp.reset();
  files->add_file("/data/static", write_elf(fixed), 0644);
  const Result<Survey> nothing = survey(settings_of(files), {"/data"});
  REQUIRE(nothing.has_value());
  CHECK(answer_of(SurveyReport{*nothing, "/", Strict::No}) == SurveyAnswer::NotKnown);
  files->add_file("/data/program", write_elf(fixed), 0755);
  const Result<Survey> found = survey(settings_of(files), {"/data"});
  REQUIRE(found.has_value());
  CHECK(answer_of(SurveyReport{*found, "/", Strict::No}) == SurveyAnswer::Good);
}

TEST_CASE("a plug-in that lacks what never was here is optional; what was here or can be found is not") {
  const ElfSpec needing = library_needing({"libgone.so"});
  struct Case {
    const char* why;
    TreeFiles tree;
    std::size_t fails = 0;
    std::size_t optional = 0;
  };
  const Case cases[] = {
      {"a plug-in beside another that loads",
       {{"/app/lib/transport.so", needing}, {"/app/lib/peer.so", library()}},
       0,
       1},
      {"a plug-in of which no peer loads", {{"/app/lib/transport.so", needing}}, 1, 0},
      {"a plug-in beside another that lacks it as well",
       {{"/app/lib/transport.so", needing}, {"/app/lib/peer.so", needing}},
       2,
       0},
      {"what loads lies elsewhere", {{"/app/lib/transport.so", needing}, {"/app/other/peer.so", library()}}, 1, 0},
      {"a program", {{"/app/bin/p", program_needing({"libgone.so"})}}, 1, 0},
      {"a module of Python", {{"/app/lib/m.cpython-311-x86_64-linux-gnu.so", needing}}, 1, 0},
      {"a library that another file needs",
       {{"/app/lib/liba.so", library_needing({"libgone.so"}).soname("liba.so")},
        {"/app/lib/b.so", library_needing({"liba.so"})}},
       2,
       0},
      {"the library is in the tree, where the loader does not look",
       {{"/app/lib/transport.so", needing}, {"/app/other/libgone.so", library().soname("libgone.so")}},
       1,
       0},
      {"a plug-in and a program lack it",
       {{"/app/lib/transport.so", needing}, {"/app/bin/p", program_needing({"libgone.so"})}},
       2,
       0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Survey found = survey_of(c.tree);
    CHECK(found.counts.fails == c.fails);
    CHECK(found.counts.optional == c.optional);
  }
}

TEST_CASE("headline and sums are made of the same counts") {
  const ElfSpec needing = library_needing({"libgone.so"});
  struct Case {
    const char* why;
    TreeFiles tree;
    Strict strict;
    const char* headline;
    const char* sums;
  };
  const TreeFiles spare = {{"/app/lib/transport.so", needing}, {"/app/lib/peer.so", library()}};
  const Case cases[] = {
      {"one",
       {{"/app/a.so", library()}},
       Strict::No,
       "ok: all 1 process of 1 dynamic file works\n",
       "1 process was judged: 1 works\n"},
      {"a spare part", spare, Strict::No, "ok: 1 of 2 processes works: 1 optional plug-in does not load\n",
       "2 processes were judged: 1 works, 1 optional plug-in does not load\n"},
      {"a spare part that counts", spare, Strict::Yes, "fails: 1 of 2 processes, for 1 cause\n",
       "2 processes were judged: 1 works, 1 fails, 1 of them an optional plug-in\n"},
      {"a broken one",
       {{"/app/p", program_needing({"libgone.so"})}, {"/app/q", program()}},
       Strict::No,
       "fails: 1 of 2 processes, for 1 cause\n",
       "2 processes were judged: 1 works, 1 fails\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Survey found = survey_of(c.tree);
    const std::string text = to_text(document_of(SurveyReport{found, "/", c.strict}), {});
    CAPTURE(text);
    CHECK(text.starts_with(c.headline));
    CHECK(text.ends_with(c.sums));
  }
}

TEST_CASE("a fix that mends a part is told of that part") {
  const Survey found = survey_of({{"/app/bin/p", program_needing({"liba.so", "libgone.so"})},
                                  {"/opt/x/lib/liba.so", library().soname("liba.so")}});
  std::vector<std::string> fixes;
  for (const ProblemGroup& group : found.groups) {
    fixes.push_back(group.problem.name + (group.fix ? " " + std::string(name_of(group.fix->verdict)) : ""));
  }
  CHECK(fixes == std::vector<std::string>{"liba.so partly", "libgone.so"});
}

TEST_CASE("causes that one command mends are one entry of the text") {
  const Survey found = survey_of({{"/app/bin/p", program_needing({"liba.so", "libb.so"})},
                                  {"/opt/x/lib/liba.so", library().soname("liba.so")},
                                  {"/opt/x/lib/libb.so", library().soname("libb.so")}});
  CHECK(found.groups.size() == 2);
  const std::string text = to_text(document_of(SurveyReport{found, "/", Strict::No}, Detail::Folded), {});
  CHECK(text.find("also with this fix: libb.so is not found") != std::string::npos);
  CHECK(text.find("\n2 ") == std::string::npos);
}

TEST_CASE("a fix is said to work for as many as it was tried for, and for no more") {
  Survey found = survey_of({{"/app/bin/p", program_needing({"libgone.so"})},
                            {"/app/bin/q", program_needing({"libgone.so"})},
                            {"/app/bin/r", program_needing({"libgone.so"})}});
  REQUIRE(found.groups.size() == 1);
  const auto text = [&](std::size_t works) {
    found.groups.front().fix = GroupFix{{"a command"}, {}, RemedyVerdict::Works, 2, works};
    return to_text(document_of(SurveyReport{found, "/"}));
  };
  CHECK(text(2).find("(tried for 2 of 3: works for all of them)") != std::string::npos);
  CHECK(text(1).find("(tried for 2 of 3: works for 1)") != std::string::npos);
}

namespace {

/// "FILE: NAME -> TARGET" for each need and link, "FILE in ROOT: …" where it is another one there.
std::vector<std::string> edges(const Survey& survey) {
  std::vector<std::string> lines;
  const auto target = [&](SurveyIndex index) { return index == kNoFile ? "nothing" : survey.path_of(index); };
  const auto tell = [&](const auto& file) {
    for (std::size_t i = 0; i < file.targets.size(); ++i) {
      lines.push_back(file.path + ": " + file.needs[i] + " -> " + target(file.targets[i]));
    }
    for (const SurveyException& other : file.exceptions) {
      lines.push_back(file.path + " in " + survey.path_of(other.root) + ": " + file.needs[other.need] + " -> " +
                      target(other.target));
    }
    for (const SurveyLink& link : file.links) {
      lines.push_back(file.path + " by " + std::string(name_of(link.kind)) + ": " + link.name + " -> " +
                      target(link.target));
    }
  };
  for (const SurveyedFile& file : survey.files) tell(file);
  for (const OutsideFile& file : survey.outside) tell(file);
  return lines;
}

}  // namespace

TEST_CASE("each need leads to a file, by process where that differs") {
  struct Case {
    const char* why;
    TreeFiles tree;
    std::vector<std::string> want;
  };
  const ElfSpec liba = library_needing({"libb.so"}).soname("liba.so");
  const ElfSpec libb = library().soname("libb.so");
  ElfSpec opener = program().runpath("/app/lib");
  opener.notes = {{"FDO", 0x407c0c0a, R"([{"soname":["liba.so"]}])"}};
  const Case cases[] = {
      {"nothing is there", {{"/app/bin/p", program_needing({"libgone.so"})}}, {"/app/bin/p: libgone.so -> nothing"}},
      {"two copies of a library: which one, the program's RPATH decides",
       {{"/app/bin/p", program_needing({"liba.so"}).rpath("/app/lib:/app/one")},
        {"/app/bin/q", program_needing({"liba.so"}).rpath("/app/lib:/app/two")},
        {"/app/lib/liba.so", liba},
        {"/app/one/libb.so", libb},
        {"/app/two/libb.so", libb}},
       {"/app/bin/p: liba.so -> /app/lib/liba.so", "/app/bin/q: liba.so -> /app/lib/liba.so",
        "/app/lib/liba.so: libb.so -> /app/one/libb.so",
        "/app/lib/liba.so in /app/bin/q: libb.so -> /app/two/libb.so"}},
      {"a file outside the places has needs, too",
       {{"/app/bin/p", program_needing({"liba.so"}).rpath("/opt")}, {"/opt/liba.so", liba}, {"/opt/libb.so", libb}},
       {"/app/bin/p: liba.so -> /opt/liba.so", "/opt/liba.so: libb.so -> /opt/libb.so"}},
      {"what is opened later, and what that needs",
       {{"/app/bin/p", opener},
        {"/app/lib/liba.so", library_needing({"libb.so"}).soname("liba.so").runpath("$ORIGIN")},
        {"/app/lib/libb.so", libb}},
       {"/app/bin/p by note: liba.so -> /app/lib/liba.so", "/app/lib/liba.so: libb.so -> /app/lib/libb.so"}},
      {"two that need each other",
       {{"/app/lib/liba.so", library_needing({"libb.so"}).soname("liba.so").runpath("$ORIGIN")},
        {"/app/lib/libb.so", library_needing({"liba.so"}).soname("libb.so").runpath("$ORIGIN")}},
       {"/app/lib/liba.so: libb.so -> /app/lib/libb.so", "/app/lib/libb.so: liba.so -> /app/lib/liba.so"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(edges(survey_of(c.tree)) == c.want);
    CHECK(edges(survey_of(c.tree, 4)) == c.want);
  }
}

#ifdef SORESOLVE_HAS_TOML

namespace {

/// "KEY: MEMBERS [by REASON]" for each group, then the remarks' names.
std::vector<std::string> policed(const TreeFiles& tree, const std::string& policy, const std::string& baseline) {
  Survey found = survey_of(tree);
  const Result<SurveyPolicy> parsed = parse_policy(policy, "soresolve.toml");
  REQUIRE_MESSAGE(parsed.has_value(), parsed.error().to_string());
  SurveyBaseline known;
  if (!baseline.empty()) {
    Result<SurveyBaseline> read = parse_baseline(baseline, "known.toml");
    REQUIRE_MESSAGE(read.has_value(), read.error().to_string());
    known = std::move(read).value();
  }
  apply_policy(found, *parsed, known, {2026, 11, 22});
  std::vector<std::string> lines;
  for (const ProblemGroup& group : found.groups) {
    std::string line = group.key + ":";
    for (const SurveyIndex member : group.members) line += " " + found.files[member].path;
    if (group.suppression) {
      line += group.suppression->by == Suppression::By::Baseline ? " known" : " by " + group.suppression->reason;
    }
    lines.push_back(std::move(line));
  }
  for (const Statement& remark : found.remarks) lines.emplace_back(remark.sentence);
  lines.push_back(std::to_string(found.counts.fails) + " fail");
  return lines;
}

}  // namespace

TEST_CASE("a policy passes over what it names, and says what it does not find") {
  const TreeFiles tree = {{"/app/bin/p", program_needing({"libgone.so"})},
                          {"/app/bin/q", program_needing({"libgone.so", "libother.so"})}};
  const std::string p_and_q = "missing-library|libgone.so: /app/bin/p /app/bin/q";
  struct Case {
    const char* why;
    std::string policy;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"nothing", "", {p_and_q, "missing-library|libother.so: /app/bin/q", "2 fail"}},
      {"a library",
       "[[ignore]]\nlibrary = 'libgone.*'\nreason = 'r'\n",
       {"missing-library|libother.so: /app/bin/q", p_and_q + " by r", "1 fail"}},
      {"a file of a group: the rest of it counts",
       "[[ignore]]\nfiles = '/app/*/p'\nreason = 'r'\n",
       {"missing-library|libgone.so: /app/bin/q", "missing-library|libother.so: /app/bin/q",
        "missing-library|libgone.so: /app/bin/p by r", "1 fail"}},
      {"the last day counts",
       "[[ignore]]\ncode = 'missing-library'\nreason = 'r'\nuntil = 2026-11-22\n",
       {p_and_q + " by r", "missing-library|libother.so: /app/bin/q by r", "0 fail"}},
      {"the day after does not",
       "[[ignore]]\ncode = 'missing-library'\nreason = 'r'\nuntil = 2026-11-21\n",
       {p_and_q, "missing-library|libother.so: /app/bin/q", "ignore-has-ended", "2 fail"}},
      {"nothing matches",
       "[[ignore]]\ncode = 'symbol-missing'\nreason = 'r'\n",
       {p_and_q, "missing-library|libother.so: /app/bin/q", "ignore-matches-nothing", "2 fail"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(policed(tree, c.policy, {}) == c.want);
  }
}

TEST_CASE("what a baseline knows does not count; what is new of an old cause does, and what is gone is told") {
  const TreeFiles before = {{"/app/bin/p", program_needing({"libgone.so"})},
                            {"/app/bin/q\"\x01\xff\\", program_needing({"libother.so"})}};
  const std::string baseline = baseline_of(survey_of(before));
  CHECK(policed(before, "", baseline) ==
        std::vector<std::string>{"missing-library|libgone.so: /app/bin/p known",
                                 "missing-library|libother.so: /app/bin/q\"\x01\xff\\ known", "0 fail"});
  const TreeFiles after = {{"/app/bin/p", program_needing({"libgone.so"})},
                           {"/app/bin/r", program_needing({"libgone.so"})}};
  CHECK(policed(after, "", baseline) == std::vector<std::string>{"missing-library|libgone.so: /app/bin/r",
                                                                 "missing-library|libgone.so: /app/bin/p known",
                                                                 "known-is-gone", "1 fail"});
}

TEST_CASE("what a policy demands fails those who do not keep it") {
  const auto tree = [](const char* runpath) {
    return TreeFiles{{"/app/bin/p", program_needing({"liba.so"}).rpath("$ORIGIN/../lib")},
                     {"/app/bin/q", program()},
                     {"/app/lib/liba.so", library().soname("liba.so").runpath(runpath)}};
  };
  const auto of_glibc = [](const char* version) {
    ElfSpec spec = program_needing({"libc.so.6"}).rpath("$ORIGIN/../lib");
    spec.version_needs = {{"libc.so.6", {{version}}}};
    return spec;
  };
  ElfSpec libc = library().soname("libc.so.6");
  libc.version_definitions = {{"libc.so.6"}, {"GLIBC_2.17"}, {"GLIBC_2.34"}};
  const TreeFiles versions = {
      {"/app/bin/p", of_glibc("GLIBC_2.34")}, {"/app/bin/q", of_glibc("GLIBC_2.17")}, {"/app/lib/libc.so.6", libc}};
  struct Case {
    const char* why;
    TreeFiles tree;
    std::string policy;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"glibc concerns all",
       tree("/app/lib"),
       "[require]\nglibc = '>=3'\n",
       {"requirement-unmet|glibc>=3|is-not-met: /app/bin/p /app/bin/q <- /lib64/ld-linux-x86-64.so.2"}},
      {"glibc is new enough", tree("/app/lib"), "[require]\nglibc = '>=2.2'\n", {}},
      {"no CUDA, no concern",
       tree("/app/lib"),
       "[require]\ncuda = '12.4'\ndriver = '>=550'\ndevice = 'sm_80'\n[require.framework]\ntorch = '2.6'\n",
       {}},
      {"a warning that is denied",
       tree("/gone"),
       "deny = 'rpath-*'\n",
       {"rpath-missing|/gone|rpath-missing: /app/bin/p <- /app/lib/liba.so"}},
      {"a warning that is not", tree("/gone"), "deny = ['two-copies', 'rpath-build']\n", {}},
      {"a floor",
       versions,
       "[require]\nfloor = ['glibc<=2.28']\n",
       {"requirement-unmet|floor=glibc<=2.28|floor-exceeded: /app/bin/p <- /app/bin/p"}},
      {"a floor that holds", versions, "[require]\nfloor = 'glibc<=2.34'\n", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Result<SurveyPolicy> policy = parse_policy(c.policy, "soresolve.toml");
    REQUIRE_MESSAGE(policy.has_value(), policy.error().to_string());
    CHECK(causes(survey_of(c.tree, 1, policy->demands)) == c.want);
  }
}

TEST_CASE("a policy that says nothing clear is refused, with its line") {
  struct Case {
    std::string text;
    std::string want;
  };
  const Case cases[] = {
      {"[[ignore]]\ncode = 'x'\n", "has an ignore without a reason"},
      {"[[ignore]]\nreason = 'r'\nuntil = 'soon'\n", "line 3 gives until no date"},
      {"[[ignore]]\nreason = 'r'\nfile = 'x'\n", "line 3 has 'file', which nobody reads"},
      {"[[ignore]]\nreason = 1\n", "line 2 gives reason no text"},
      {"ignore = 1\n", "has 'ignore' that is no [[ignore]]"},
      {"[[ignored]]\n", "has 'ignored', which nobody reads"},
      {"[[ignore\n", "line 1"},
      {"require = 1\n", "has 'require' that is no table"},
      {"[require]\nfloor = 'glibc'\n", "line 2 has the floor 'glibc'"},
      {"[require]\nfloor = [1]\n", "line 2 gives floor no text"},
      {"[require]\ncuba = '1'\n", "line 2 the requirement 'cuba=1' has a name that is not known"},
      {"deny = ['rpath-*',\n 'nonsense']\n", "line 2 denies 'nonsense'"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const Result<SurveyPolicy> policy = parse_policy(c.text, "soresolve.toml");
    REQUIRE_FALSE(policy.has_value());
    CHECK_MESSAGE(policy.error().to_string().find(c.want) != std::string::npos, policy.error().to_string());
  }
  CHECK_FALSE(parse_baseline("form = 'other'\n", "known.toml").has_value());
  CHECK_FALSE(parse_baseline("", "known.toml").has_value());
}

#endif
