// Who needs a library or a symbol: by needs, by bindings, through whom, and which copy.

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/survey_reader.h"
#include "report/who_report.h"
#include "soresolve/report.h"
#include "support/sanitizer.h"
#include "survey/who.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using TreeFiles = std::vector<std::pair<std::string, ElfSpec>>;

/// The writer's only segment, made read-only: names are looked for among constants.
std::string constant(std::string elf) {
  constexpr std::size_t kHeaderBytes = 56;
  for (std::size_t at = 64; at + kHeaderBytes < elf.size(); at += kHeaderBytes) {
    if (elf.compare(at, 4, std::string("\1\0\0\0", 4)) != 0) continue;
    elf[at + 4] = 4;
    break;
  }
  return elf;
}

/// A tree in memory below /app, as surveyed.
struct SurveyedTree {
  WorldSettings settings;
  SurveyOptions options;
  Survey survey;

  explicit SurveyedTree(const TreeFiles& tree, unsigned jobs = 1) {
    auto files = std::make_shared<MemoryFileSystem>();
    files->add_file(kInterp, write_loader());
    for (const auto& [path, spec] : tree) files->add_file(path, constant(write_elf(spec)), 0755);
    settings.where.files = std::move(files);
    settings.machine.cpu = "x86-64";
    options.jobs = jobs;
    options.looks_for = SurveyLooksFor::Edges;
    Result<Survey> found = soresolve::survey(settings, {"/app"}, options);
    REQUIRE(found.has_value());
    survey = std::move(found).value();
  }

  [[nodiscard]] WhoAnswer library(const std::string& name) const {
    WhoAnswer answer = who_needs(survey, name);
    REQUIRE_FALSE(add_bindings(answer, survey, settings, options).has_value());
    return answer;
  }
  [[nodiscard]] WhoAnswer symbol(const std::string& name) const {
    Result<WhoAnswer> answer = who_references(survey, name, settings, options);
    REQUIRE(answer.has_value());
    return std::move(answer).value();
  }

  /// "COPY (PROCESSES): NEEDER [needed] [LINK] (PROCESSES): SYMBOLS" for each needer.
  [[nodiscard]] std::vector<std::string> reported(const WhoAnswer& answer) const {
    std::vector<std::string> lines;
    const auto path = [&](SurveyIndex file) { return file == kNoFile ? "nothing" : survey.path_of(file); };
    for (const WhoCopy& copy : answer.copies) {
      std::string head = path(copy.file);
      if (!copy.symbol.empty()) head += " " + copy.symbol;
      head += " (" + std::to_string(copy.processes.size()) + "):";
      if (copy.needers.empty()) lines.push_back(head);
      for (const WhoNeeder& needer : copy.needers) {
        std::string line = head + " " + path(needer.file);
        if (needer.is_needed) line += " needs";
        if (needer.link) line += " " + std::string(name_of(*needer.link));
        line += " (" + std::to_string(needer.processes) + ")";
        for (const std::string& symbol : needer.symbols) line += " " + symbol;
        lines.push_back(std::move(line));
      }
    }
    return lines;
  }

  [[nodiscard]] std::string text(const WhoAnswer& answer, const WhoOptions& options_of_page = {}) const {
    return to_text(document_of(WhoReport{survey, answer, "/"}, options_of_page));
  }
};

ElfSpec libz() { return library().soname("libz.so.1").define(defined("deflate")).define(defined("inflate")); }

}  // namespace

TEST_CASE("who needs a library, and what it binds there") {
  struct Case {
    const char* why;
    TreeFiles tree;
    const char* name;
    std::vector<std::string> want;
  };
  const ElfSpec binder = program_needing({"libz.so.1"}).runpath("/app/lib").call(undefined("deflate"));
  const ElfSpec lister = program_needing({"libz.so.1"}).runpath("/app/lib");
  ElfSpec opener = program().runpath("/app/lib");
  opener.notes = {{"FDO", 0x407c0c0a, R"([{"soname":["libz.so.1"]}])"}};
  const Case cases[] = {
      {"one binds, one lists it only",
       {{"/app/bin/a", binder}, {"/app/bin/b", lister}, {"/app/lib/libz.so.1", libz()}},
       "libz.so.1",
       {"/app/lib/libz.so.1 (2): /app/bin/a needs (1) deflate", "/app/lib/libz.so.1 (2): /app/bin/b needs (1)"}},
      {"by the name of its file, by its path, by a name that is needed",
       {{"/app/bin/a", binder}, {"/app/lib/libz.so.1", libz()}},
       "/app/lib/libz.so.1",
       {"/app/lib/libz.so.1 (1): /app/bin/a needs (1) deflate"}},
      {"it binds what another one brings in",
       {{"/app/bin/a", program_needing({"libm.so"}).rpath("/app/lib").call(undefined("deflate"))},
        {"/app/lib/libm.so", library_needing({"libz.so.1"}).soname("libm.so")},
        {"/app/lib/libz.so.1", libz()}},
       "libz.so.1",
       {"/app/lib/libz.so.1 (1): /app/bin/a (0) deflate", "/app/lib/libz.so.1 (1): /app/lib/libm.so needs (1)"}},
      {"opened later",
       {{"/app/bin/a", opener}, {"/app/lib/libz.so.1", libz()}},
       "libz.so.1",
       {"/app/lib/libz.so.1 (1): /app/bin/a note (1)"}},
      {"two copies: each process gets its own",
       {{"/app/bin/a", binder},
        {"/app/bin/b", program_needing({"libz.so.1"}).runpath("/app/old").call(undefined("inflate"))},
        {"/app/lib/libz.so.1", libz()},
        {"/app/old/libz.so.1", libz()}},
       "libz.so.1",
       {"/app/lib/libz.so.1 (1): /app/bin/a needs (1) deflate",
        "/app/old/libz.so.1 (1): /app/bin/b needs (1) inflate"}},
      {"one library, two copies below it: by process",
       {{"/app/bin/a", program_needing({"libm.so"}).rpath("/app/m:/app/lib")},
        {"/app/bin/b", program_needing({"libm.so"}).rpath("/app/m:/app/old")},
        {"/app/m/libm.so", library_needing({"libz.so.1"}).soname("libm.so").call(undefined("inflate"))},
        {"/app/lib/libz.so.1", libz()},
        {"/app/old/libz.so.1", libz()}},
       "libz.so.1",
       {"/app/lib/libz.so.1 (1): /app/m/libm.so needs (1) inflate",
        "/app/old/libz.so.1 (1): /app/m/libm.so needs (1) inflate"}},
      {"needed, and nowhere", {{"/app/bin/a", binder}}, "libz.so.1", {"nothing (1): /app/bin/a needs (1)"}},
      {"nobody needs it", {{"/app/lib/libz.so.1", libz()}}, "libz.so.1", {"/app/lib/libz.so.1 (1):"}},
      {"unknown", {{"/app/lib/libz.so.1", libz()}}, "libzz.so", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const SurveyedTree one(c.tree);
    CHECK(one.reported(one.library(c.name)) == c.want);
    const SurveyedTree several(c.tree, 4);
    CHECK(several.reported(several.library(c.name)) == c.want);
  }
}

TEST_CASE("which definition of a symbol each process takes") {
  const SurveyedTree tree(
      {{"/app/bin/a", program_needing({"libz.so.1"}).runpath("/app/lib").call(undefined("deflate"))},
       {"/app/bin/b", program_needing({"libz.so.1"}).runpath("/app/old").call(undefined("deflate"))},
       {"/app/bin/c", program().call(undefined("deflate"))},
       {"/app/bin/d", program_needing({"libx.so"}).runpath("/app/lib").call(undefined("_ZN1x4turnEi"))},
       {"/app/lib/libx.so", library().soname("libx.so").define(defined("_ZN1x4turnEi"))},
       {"/app/lib/libz.so.1", libz()},
       {"/app/old/libz.so.1", libz()}});
  CHECK(tree.reported(tree.symbol("deflate")) ==
        std::vector<std::string>{"/app/lib/libz.so.1 deflate (1): /app/bin/a (1) deflate",
                                 "/app/old/libz.so.1 deflate (1): /app/bin/b (1) deflate",
                                 "nothing deflate (1): /app/bin/c (1) deflate"});
  const std::vector<std::string> turn = {"/app/lib/libx.so _ZN1x4turnEi (1): /app/bin/d (1) _ZN1x4turnEi"};
  CHECK(tree.reported(tree.symbol("_ZN1x4turnEi")) == turn);
  CHECK(tree.reported(tree.symbol("x::turn")) == turn);
  CHECK(tree.reported(tree.symbol("x::turn(int)")) == turn);
  CHECK(tree.reported(tree.symbol("x::turn(long)")).empty());
  CHECK(tree.text(tree.symbol("x::turn")) ==
        "x::turn: 1 file refers to it, in 1 process; 1 definition\n"
        "\n"
        "x::turn(int) (_ZN1x4turnEi) in /app/lib/libx.so [in 1 process]\n"
        "└── /app/bin/d\n");
  CHECK(tree.symbol("inflate").is_defined);
  CHECK(tree.symbol("inflate").copies.empty());
  CHECK_FALSE(tree.symbol("gone").is_defined);
  CHECK_FALSE(tree.symbol("deflate@V_1").is_defined);
}

TEST_CASE("the inverted tree shows each file once") {
  // a and b need m, m and n need each other, both need z.
  const SurveyedTree tree({{"/app/bin/a", program_needing({"libm.so"}).rpath("/app/lib")},
                           {"/app/bin/b", program_needing({"libn.so"}).rpath("/app/lib")},
                           {"/app/lib/libm.so", library_needing({"libn.so", "libz.so.1"}).soname("libm.so")},
                           {"/app/lib/libn.so", library_needing({"libm.so", "libz.so.1"}).soname("libn.so")},
                           {"/app/lib/libz.so.1", libz()}});
  const WhoAnswer answer = tree.library("libz.so.1");
  CHECK(tree.text(answer) ==
        "libz.so.1: 2 files need it, 0 bind symbols of it, in 2 processes\n"
        "\n"
        "/app/lib/libz.so.1 [in 2 processes]\n"
        "├── /app/lib/libm.so [lists it in DT_NEEDED, binds no symbol]\n"
        "│   ├── /app/bin/a\n"
        "│   └── /app/lib/libn.so\n"
        "│       ├── /app/bin/b\n"
        "│       └── /app/lib/libm.so (*)\n"
        "└── /app/lib/libn.so [lists it in DT_NEEDED, binds no symbol] (*)\n");
  WhoOptions flat;
  flat.max_depth = 1;
  CHECK(tree.text(answer, flat).find("/app/bin/a") == std::string::npos);
}

TEST_CASE("the JSON Lines of a survey answer as the survey does, and bad ones are refused") {
  ElfSpec opener = program().runpath("/app/lib");
  opener.notes = {{"FDO", 0x407c0c0a, R"([{"soname":["libm.so"]}])"}};
  const SurveyedTree tree({{"/app/bin/a", program_needing({"libm.so"}).rpath("/app/lib:/app/old")},
                           {"/app/bin/b", program_needing({"libm.so"}).rpath("/app/lib:/app/new")},
                           {"/app/bin/c", program_needing({"libm.so", "libout.so"}).rpath("/app/lib:/opt")},
                           {"/app/bin/d", opener},
                           {"/app/lib/libm.so", library_needing({"libz.so.1"}).soname("libm.so")},
                           {"/opt/libout.so", library_needing({"libz.so.1"}).runpath("/app/new").soname("libout.so")},
                           {"/app/old/libz.so.1", libz()},
                           {"/app/new/libz.so.1", libz()}});
  std::string lines;
  const SurveyReport report{tree.survey, "/srv/tree"};
  document_of(report).data([&](std::string_view part) { lines += part; });
  const Result<ReadSurvey> read = read_survey(lines, "scan.jsonl");
  REQUIRE_MESSAGE(read.has_value(), read.error().to_string());
  CHECK(read->root == "/srv/tree");
  for (const char* const name : {"libz.so.1", "libm.so", "libout.so", "/app/new/libz.so.1", "none"}) {
    CAPTURE(name);
    CHECK(tree.reported(who_needs(read->survey, name)) == tree.reported(who_needs(tree.survey, name)));
  }
  CHECK(tree.reported(who_needs(read->survey, "libz.so.1")).size() >= 3);
  // Lines of `scan --progress` come before.
  const std::string progress = R"({"type":"progress","files":9,"judged":0,"is_finding":true})"
                               "\n";
  const Result<ReadSurvey> with_progress = read_survey(progress + progress + lines, "scan.jsonl");
  REQUIRE_MESSAGE(with_progress.has_value(), with_progress.error().to_string());
  CHECK(with_progress->survey.files.size() == read->survey.files.size());

  const std::string header = lines.substr(0, lines.find('\n') + 1);
  const std::string counts = lines.substr(lines.rfind("{\"type\":\"summary\""));
  const std::pair<std::string, std::string> cases[] = {
      {"", "is empty"},
      {"{}\n", "line 1 does not begin as the JSON Lines of scan"},
      {"[1]\n", "line 1 is no JSON object"},
      {header, "the line of the counts is missing"},
      {progress, "the line of the counts is missing"},
      {header + progress, "the line of the counts is missing"},
      {progress + "{}\n", "line 2 does not begin as the JSON Lines of scan"},
      {header + R"({"type":"file","file":7,"path":"/a","needs":[]})" + "\n" + counts, "line 2 is not the next file"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.first);
    const Result<ReadSurvey> bad = read_survey(c.first, "scan.jsonl");
    REQUIRE_FALSE(bad.has_value());
    CHECK_MESSAGE(bad.error().to_string().find(c.second) != std::string::npos, bad.error().to_string());
  }
  // Numbers that name nothing, and values of other kinds.
  const std::string odd =
      header +
      R"({"type":"file","file":0,"path":5,"needs":[99999,"x"],"targets":[77,-1],"loads":[5],"judged_as":"root",)"
      R"("exceptions":[{"root":9,"need":1,"target":9},{"root":9,"need":9},3],"links":[{"kind":"note"},{}]})"
      "\n" +
      counts;
  const Result<ReadSurvey> survives = read_survey(odd, "scan.jsonl");
  REQUIRE(survives.has_value());
  CHECK(who_needs(survives->survey, "libz.so.1").copies.empty());
}

TEST_CASE("a chain of forty is shown whole, and thousands of needers are not") {
  TreeFiles chain = {{"/app/bin/p", program_needing({"lib0.so"}).rpath("/app/lib")}};
  for (int i = 0; i < 40; ++i) {
    chain.emplace_back(
        "/app/lib/lib" + std::to_string(i) + ".so",
        library_needing({"lib" + std::to_string(i + 1) + ".so"}).soname("lib" + std::to_string(i) + ".so"));
  }
  chain.emplace_back("/app/lib/lib40.so", library().soname("lib40.so"));
  const SurveyedTree deep(chain);
  const std::string text = deep.text(deep.library("lib40.so"));
  CHECK(text.find("/app/bin/p\n") != std::string::npos);

  TreeFiles crowd = {{"/app/lib/libz.so.1", libz()}};
  const std::size_t needers = test::rounds(5000);
  for (std::size_t i = 0; i < needers; ++i) {
    crowd.emplace_back("/app/bin/" + std::to_string(i), program_needing({"libz.so.1"}).rpath("/app/lib"));
  }
  const SurveyedTree wide(crowd);
  const WhoAnswer answer = wide.library("libz.so.1");
  CHECK(answer.needer_count() == needers);
  const std::string brief = wide.text(answer);
  CHECK(brief.size() < 4000);
  CHECK(brief.find("and " + std::to_string(needers - 20) + " more (-v shows all)") != std::string::npos);
}

namespace {

/// "PATH: BYTES EVIDENCE [by PATH] [link]" for each.
std::vector<std::string> unused_of(const TreeFiles& files) {
  const SurveyedTree tree(files);
  const Result<Unused> unused = find_unused(tree.survey, tree.settings, tree.options);
  REQUIRE(unused.has_value());
  std::vector<std::string> lines;
  for (const UnusedFile& file : unused->files) {
    std::string line = tree.survey.path_of(file.file) + ": " + std::string(name_of(file.evidence));
    if (file.by != kNoFile) line += " by " + tree.survey.path_of(file.by);
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("what no program loads, and how far anything names it") {
  const ElfSpec user = program_needing({"libz.so.1"}).runpath("/app/lib");
  ElfSpec naming = user;
  naming.notes = {{"X", 1, "plugins/libspare.so.2"}};
  ElfSpec static_program = library();
  static_program.flags_1 = 0x08000000;  // DF_1_PIE
  struct Case {
    const char* why;
    TreeFiles tree;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"all is loaded", {{"/app/bin/a", user}, {"/app/lib/libz.so.1", libz()}}, {}},
      {"a program without an interpreter is one, too", {{"/app/bin/static", static_program}}, {}},
      {"nothing names it",
       {{"/app/bin/a", user}, {"/app/lib/libz.so.1", libz()}, {"/app/lib/libspare.so.2", library()}},
       {"/app/lib/libspare.so.2: nothing"}},
      {"a string of a program names it",
       {{"/app/bin/a", naming}, {"/app/lib/libz.so.1", libz()}, {"/app/lib/libspare.so.2", library()}},
       {"/app/lib/libspare.so.2: string by /app/bin/a"}},
      {"its own SONAME does not count",
       {{"/app/bin/a", user},
        {"/app/lib/libz.so.1", libz()},
        {"/app/lib/libspare.so.2", library().soname("libspare.so.2")}},
       {"/app/lib/libspare.so.2: nothing"}},
      {"all get another copy",
       {{"/app/bin/a", user}, {"/app/lib/libz.so.1", libz()}, {"/app/old/libz.so.1", libz()}},
       {"/app/old/libz.so.1: other-copy by /app/bin/a"}},
      {"needed by what nothing loads",
       {{"/app/lib/libm.so", library_needing({"libz.so.1"}).runpath("/app/lib").soname("libm.so")},
        {"/app/lib/libz.so.1", libz()}},
       {"/app/lib/libm.so: nothing", "/app/lib/libz.so.1: unused-needer by /app/lib/libm.so"}},
      {"a module of Python is imported by scripts, and what it needs is loaded then",
       {{"/app/lib/m.cpython-311-x86_64-linux-gnu.so", library_needing({"libz.so.1"}).runpath("/app/lib")},
        {"/app/lib/libz.so.1", libz()}},
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(unused_of(c.tree) == c.want);
  }
}

TEST_CASE("a file with several paths takes its bytes once") {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kInterp, write_loader());
  files->add_file("/app/one_dri.so", write_elf(library()));
  files->add_hard_link("/app/two_dri.so", "/app/one_dri.so");
  WorldSettings settings;
  settings.where.files = files;
  settings.machine.cpu = "x86-64";
  SurveyOptions options;
  options.looks_for = SurveyLooksFor::Edges;
  const Result<Survey> survey = soresolve::survey(settings, {"/app"}, options);
  REQUIRE(survey.has_value());
  const Result<Unused> unused = find_unused(*survey, settings, options);
  REQUIRE(unused.has_value());
  REQUIRE(unused->files.size() == 2);
  CHECK(unused->files[0].size_bytes == write_elf(library()).size());
  CHECK(unused->files[1].size_bytes == 0);
  CHECK(unused->files[1].link_of == unused->files[0].file);
  CHECK(unused->total_bytes() == unused->files[0].size_bytes);
}
