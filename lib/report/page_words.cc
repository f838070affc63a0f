// What the data of reports says in words: each statement that *_data.cc and *_json.cc write in English, so that a page
// can say it in another language. What is forgotten here is English on a Chinese page.
#include "report/page_words.h"
#include "cuda/driver_mount.h"
#include "diagnose/cuda_rules.h"
#include "diagnose/requirement.h"
#include "loader/system.h"
#include "survey/layer_survey.h"

namespace soresolve {
namespace {

void take_all(const std::vector<Statement>& statements, const TakeStatement& take) {
  for (const Statement& each : statements) take(each);
}

void take_driver(const DriverMount* driver, const TakeStatement& take) {
  if (driver == nullptr) return;
  if (driver->compat) take(driver->compat->reason);
  take_all(driver_notes(*driver), take);
}

void take_problem(const Problem& problem, const TakeStatement& take) {
  take(problem.what);
  for (const Evidence& each : problem.evidence) take(each.what);
  take(problem.candidates_note);
  for (const Candidate& candidate : problem.candidates) {
    take(candidate.place);
    take(candidate.reason);
    take(candidate.foreign);
  }
}

void take_map(const LinkMap& map, const TakeStatement& take) {
  take_driver(map.system->driver.get(), take);
  take_all(map.notes, take);
  if (!map.assumed) return;
  take(map.assumed->what);
  take_all(map.assumed->evidence, take);
}

void take_dlopens(const Dlopens& dlopens, const TakeStatement& take) {
  for (const Dlopen& opened : dlopens.list) take(opened.reported_by);
}

void take_import(const PythonImport* import, const TakeStatement& take) {
  if (import != nullptr) take_all(import->limits, take);
}

}  // namespace

void take_statements(const WhyReport& report, const TakeStatement& take) {
  const Diagnosis& diagnosis = report.diagnosis;
  take(diagnosis.verdict);
  for (const Problem& problem : diagnosis.problems) take_problem(problem, take);
  for (const Remedy& remedy : diagnosis.remedies) {
    take(remedy.text);
    take_all(remedy.also, take);
    take(remedy.reason);
    take(remedy.checked);
    take(remedy.foreign);
  }
  take_dlopens(diagnosis.dlopens, take);
  take_import(report.import, take);
  take_map(report.map, take);
}

void take_statements(const TreeReport& report, const TakeStatement& take) {
  take_dlopens(report.dlopens, take);
  take_map(report.map, take);
}

void take_statements(const CheckReport& report, const TakeStatement& take) {
  for (const Problem& problem : report.cuda) take_problem(problem, take);
  for (const RequirementVerdict& verdict : report.requirements) {
    take(verdict.seen);
    for (const Evidence& each : verdict.evidence) take(each.what);
    if (!verdict.is_met) take_problem(problem_of(report.map, verdict), take);
  }
  take_dlopens(report.dlopens, take);
  take_import(report.import, take);
  take_map(report.map, take);
}

void take_statements(const CompareReport& report, const TakeStatement& take) {
  const auto take_step = [&](const DecidingStep& step) {
    take(step.what);
    take(step.also);
  };
  for (const FileComparison& file : report.comparison.files) {
    for (const DifferenceCause& cause : file.causes) take_step(cause.step);
    for (const ComparedProblem& problem : file.problems) take(problem.what);
    if (file.fix) take(file.fix->text);
  }
  if (report.comparison.tree) {
    for (const TreeCause& cause : report.comparison.tree->causes) {
      take_step(cause.step);
      if (cause.fix) take(cause.fix->text);
    }
  }
  for (const MachineDifference& difference : report.comparison.machine) {
    take_all(difference.a, take);
    take_all(difference.b, take);
  }
}

void take_statements(const DoctorReport& report, const TakeStatement& take) {
  take(report.verdict.text);
  take_driver(report.driver.get(), take);
  for (const DoctorCheck& check : report.checks) {
    take(check.seen);
    take(check.why);
    for (const DoctorItem& item : check.items) {
      take(item.text);
      take_all(item.proof, take);
    }
    for (const DoctorAdvice& advice : check.advice) {
      take(advice.text);
      take(advice.tried);
    }
    for (const DoctorFramework& framework : check.frameworks) take(framework.problem);
  }
}

void take_statements(const GpuReport& report, const TakeStatement& take) {
  if (report.library == nullptr) return;
  for (const ReportedVersion& each : report.library->reported) take(each.proof);
  take(report.library->contradiction);
}

void take_statements(const SurveyReport& report, const TakeStatement& take) {
  for (const SurveyedFile& file : report.survey.files) {
    take(file.depends_on);
    if (file.process) take(file.process->what);
  }
  for (const ProblemGroup& group : report.survey.groups) {
    take_problem(group.problem, take);
    take(group.headline);
    if (group.fix) take(group.fix->text);
  }
  take_all(report.survey.remarks, take);
  if (report.layers == nullptr) return;
  for (const SurveyedLayer& layer : report.layers->layers) take_all(layer.ended, take);
}

}  // namespace soresolve
