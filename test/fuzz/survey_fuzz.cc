// A small tree in which one file is any bytes, surveyed: each file is judged once or it is said why not, counts add up,
// and a baseline of what is wrong makes all of it known.
//
// The first byte says which of the files it is, the second one what is looked for; the rest is the file.
#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include <nlohmann/json.hpp>

#include "fuzz/fuzz_target.h"
#include "soresolve/report.h"
#include "soresolve/survey.h"
#include "support/elf_writer.h"
#include "support/every_question.h"
#include "survey/policy.h"

namespace soresolve::test::survey_target {
namespace {

struct TreeFile {
  std::string path;
  std::string content;
};

std::vector<TreeFile> tree() {
  const std::string site = "/app/lib/python3.11/site-packages/";
  const ElfSpec module = library().needed("liba.so").define(defined("PyInit__m")).refer(undefined("PyLong_Type"));
  return {{"/app/bin/p", write_elf(program().needed("liba.so").needed("libgone.so").runpath("$ORIGIN/../lib"))},
          {"/app/lib/liba.so", write_elf(library().soname("liba.so").needed("libb.so").define(defined("f")))},
          {"/app/lib/libb.so", write_elf(library().soname("libb.so").call(undefined("nowhere")))},
          {"/app/lib/plugin.so", write_elf(library().needed("libb.so").runpath("$ORIGIN").refer(undefined("f")))},
          {site + "m/_m.abi3.so", write_elf(module)},
          {site + "m/__init__.py", "from . import _m\n"},
          {"/app/bin/run", "#! /usr/bin/env -S A=1 /app/bin/p\n"},
          {std::string(kInterp), write_loader()}};
}

WorldSettings settings_with(const std::vector<TreeFile>& all) {
  auto files = std::make_shared<MemoryFileSystem>();
  for (const TreeFile& file : all) files->add_file(file.path, file.content, 0755);
  WorldSettings settings;
  settings.where.files = std::move(files);
  settings.start.clean_env = true;
  settings.machine.cpu = "x86-64";
  return settings;
}

void check_files(const Survey& survey) {
  const std::size_t all = survey.files.size() + survey.outside.size();
  const auto is_there = [&](SurveyIndex index) { return index == kNoFile || index < all; };
  std::set<std::string_view> paths;
  for (const SurveyedFile& file : survey.files) {
    require(paths.insert(file.path).second, "a file is judged once");
    require(file.targets.empty() || file.targets.size() == file.needs.size(), "each need leads somewhere or nowhere");
    require(std::all_of(file.targets.begin(), file.targets.end(), is_there), "a need leads to a file");
    require(!file.root || *file.root < survey.files.size(), "a root is a file");
    require((file.as == SurveyedAs::Reached) == file.root.has_value(), "what is reached has a root");
    for (const SurveyIndex loaded : file.loads) require(loaded < survey.files.size(), "what is loaded is a file");
    for (const SurveyLink& link : file.links) require(is_there(link.target), "a link leads to a file");
  }
  const SurveyCounts& counts = survey.counts;
  require(counts.dynamic == survey.files.size() && counts.dynamic <= counts.files, "each dynamic file is counted");
  require(counts.works + counts.depends + counts.fails + counts.optional + counts.suppressed == counts.roots,
          "each root has one verdict");
}

void check_groups(const Survey& survey) {
  std::set<std::string_view> keys;
  for (const ProblemGroup& group : survey.groups) {
    require(!group.key.empty() && keys.insert(group.key).second, "a cause is one group");
    // Of a file that no loader takes there is no root.
    require(std::is_sorted(group.members.begin(), group.members.end()), "members are in the order of paths");
    for (const SurveyIndex member : group.members)
      require(member < survey.files.size() && survey.files[member].is_root(), "members are roots");
  }
  for (const SurveySkip& skip : survey.skipped) require(!skip.path.empty(), "what is not judged has a path");
}

/// In one of the forms in which it is written.
void check_form(const Survey& survey, std::size_t form) {
  const SurveyReport report{.survey = survey, .root = "/"};
  std::string written;
  const auto write = [&](std::string_view part) { written += part; };
  switch (form) {
    case 0: {
      const std::string lines = to_json(document_of(report));
      for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        require(nlohmann::json::accept(lines.substr(at, end - at)), "each line is JSON");
        at = end + 1;
      }
      break;
    }
    case 1:
      write_sarif(report, {}, write);
      require(nlohmann::json::accept(written), "SARIF is JSON");
      break;
    case 2:
      write_junit(report, write);
      require(is_harmless_text(written), "JUnit is text");
      break;
    case 3:
      write_dot(report, write);
      require(is_harmless_text(written), "DOT is text");
      break;
    default:
      for (const Language language : {Language::English, Language::Chinese}) {
        const TextOptions options{.language = language, .reader = TextOptions::Reader::Terminal};
        require(is_harmless_text(to_text(document_of(report), options)), "a terminal shows it as it is");
      }
  }
}

/// All that is wrong is known to a baseline of it; where soresolve has no TOML there is none.
void check_baseline(Survey& survey) {
  const Result<SurveyBaseline> baseline = parse_baseline(baseline_of(survey), "/baseline.toml");
  if (!baseline && baseline.error().code == ErrorCode::Unsupported) return;
  require(baseline.has_value(), "what is written as a baseline is read as one");
  apply_policy(survey, {}, *baseline, {2026, 1, 1});
  check_files(survey);
  for (const ProblemGroup& group : survey.groups) require(!counts(group), "what was known before does not count");
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (const TreeFile& file : tree()) {
    const auto place = static_cast<char>(all.size());
    all.push_back(std::string{place, static_cast<char>(all.size() * 3)} + file.content);
  }
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = 64 << 10;
  if (size < 2 || size > kMostBytes) return;
  std::vector<TreeFile> files = tree();
  files[data[0] % files.size()].content.assign(reinterpret_cast<const char*>(data) + 2, size - 2);
  const WorldSettings settings = settings_with(files);
  SurveyOptions options;
  options.dlopens = (data[1] & 1) != 0 ? DlopenLevel::Strings : DlopenLevel::Known;
  options.fixes = (data[1] & 6) == 6 ? SurveyFixes::Tried : SurveyFixes::None;
  options.looks_for = (data[1] & 24) == 24 ? SurveyLooksFor::Edges : SurveyLooksFor::Problems;
  Result<Survey> found = survey(settings, {"/app"}, options);
  if (!found)
    return require(!found.error().message.empty() && !found.error().path.empty(), "a refusal says where and why");
  check_files(*found);
  check_groups(*found);
  // Forms and a second survey cost as much as the first one.
  const std::size_t form = form_of(data, size, 160);
  if (form % 4 == 0) check_form(*found, form / 4 % 5);
  if (form % 8 == 0) {
    options.jobs = 2;
    const Result<Survey> again = survey(settings, {"/app"}, options);
    require(again.has_value() && to_json(document_of(SurveyReport{.survey = *again, .root = "/"})) ==
                                     to_json(document_of(SurveyReport{.survey = *found, .root = "/"})),
            "two threads find what one does");
  }
  if (form % 2 == 0) check_baseline(*found);
}

}  // namespace
}  // namespace soresolve::test::survey_target

const soresolve::test::FuzzTarget soresolve::test::kSurveyTarget = {"survey", survey_target::run, survey_target::seeds,
                                                                    InputKind::Elf};
