// The pages of all reports: what people read of each answer. documents.cc puts them together with their data.
#pragma once
#include <functional>
#include <vector>

#include "compare/compare_log.h"
#include "report/answer_parts.h"
#include "report/bindings_report.h"
#include "report/explain_report.h"
#include "report/page.h"
#include "report/rpath_report.h"
#include "report/tones.h"
#include "report/who_report.h"
#include "soresolve/document.h"
#include "soresolve/report.h"
#include "world/layers.h"

namespace soresolve {

Page bindings_page(const BindingsReport& report);
Page bundle_page(const BundleReport& report, Detail detail);
Page check_page(const CheckReport& report, CheckForm form, Detail detail);
Page compare_page(const CompareReport& report, const CompareForm& form);
Page doctor_page(const DoctorReport& report, Detail detail);
Page explain_page(const ExplainReport& report);
/// Entries for the page of another report.
Page import_page(const PythonImport& import, Detail detail);
/// "try: ", with what shows why the first native file of the package fails that the import leaves alone, and what
/// helps; empty: all load, or it is no import.
Words try_on_demand(const PythonImport* import);
/// What the sources of an import leave open, behind the verdict that it works; empty: nothing.
Statement doubt_words(const PythonImport* import);
Page gpu_page(const GpuReport& report, GpuForm form, Detail detail);
Page library_diff_page(const LibraryDiffReport& report, Detail detail);
Page refusal_page(const RefusalReport& report, Detail detail);
Page rpath_page(const RpathReport& report);
Page survey_page(const SurveyReport& report, Detail detail);
/// Does the cause make the answer a bad one? Under Strict::Yes optional ones do.
bool is_counted(const SurveyReport& report, const ProblemGroup& group);
/// The processes of a survey, as headline, sums and formats of others count them: works + fails + depends + optional +
/// suppressed are all, but that those in the middle are of `fails` where `are_of_failing`.
struct SurveySums {
  std::size_t works = 0;
  std::size_t fails = 0;  ///< those that count
  std::size_t depends = 0;
  std::size_t optional = 0;
  std::size_t suppressed = 0;
  std::size_t causes = 0;       ///< that count, damaged libraries that no process has among them
  bool are_of_failing = false;  ///< Strict::Yes: `depends` and `optional` count as failing
};
SurveySums sums_of(const SurveyReport& report);
/// Is the cause something that files need, and not something that is wrong with them?
bool is_needed_by_others(const ProblemGroup& group);
Page unused_page(const UnusedReport& report, Detail detail);
Page layers_page(const LayerHistory& history);
/// What each layer did to the causes of a survey, and what a later one hides.
Page layer_survey_page(const LayerSurvey& survey, Detail detail);
Page who_page(const WhoReport& report, const WhoOptions& options);
Page symvers_page(const SymversReport& report, Detail detail);
Page tree_page(const TreeReport& report, const TreeOptions& options);
/// Of a map for which is_of_running_process() holds: what the process has loaded, as ldd's lines and as a tree.
Page running_list_page(const LinkMap& map);
Page running_tree_page(const LinkMap& map, const TreeOptions& options);
/// "NAME => PATH (how found)", of the library name that was asked about; empty: of none, or it is not found.
Words found_words(const WhyReport& report);
/// The first line; `shorten` makes its statements fit.
Words verdict_words(const WhyReport& report, const std::function<Statement(Statement)>& shorten);
Page why_page(const WhyReport& report, Detail detail);
/// What of that stands behind the verdict and the line to type.
Page why_proof(const WhyReport& report, Detail detail);

/// One search, a line a stage.
struct StageLine {
  Words stage;  ///< "1. RPATH"; empty: the line is about no stage
  Words outcome;
  bool is_usual = false;  ///< it tells nothing of this machine: not set, none, default directories
};
std::vector<StageLine> brief_search(const LinkMap& map, const NeedRef& request);
/// One search, stage by stage.
Page search_page(const LinkMap& map, const NeedRef& request);
/// What is opened once the program runs; empty where nothing is.
Page dlopens_page(const Dlopens& dlopens);
/// Those that lists name: of a package's native files, which may be hundreds, only what fails.
std::vector<const Dlopen*> listed_dlopens(const Dlopens& dlopens);
/// "WHAT; NOTE"; only WHAT where there is no note.
Statement with_note(Statement what, const Statement& note);
/// "package NAME VERSION, by RECORD"
Statement owner_words(const PackageOwner& owner);
/// Those of a problem's files, a statement each: "FILE, FILE: NAME VERSION, by RECORD".
std::vector<Statement> packages_of(const Problem& problem);
/// What else is there, judged; with a heading.
Page candidates_page(const Problem& problem);
/// The fixes in their order, a line each; that of the line "try:" is "the command above". Empty: there is nothing else.
Page fixes_page(const Diagnosis& diagnosis, const std::string& root);
/// The fixes in their order, each with its verdict and what it was judged by.
Page remedies_page(const std::vector<Remedy>& remedies);

/// `comparison`: nullptr where the program is not here.
Page loader_log_page(const LoggedProcess& process, const LogComparison* comparison);
std::string loader_log_json(const LoggedProcess& process, const LogComparison* comparison);

}  // namespace soresolve
