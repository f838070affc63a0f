// The data of all reports: schema soresolve/1, in schema.json beside this file. documents.cc puts them together with
// their pages.
#pragma once
#include "report/answer_parts.h"
#include "report/bindings_report.h"
#include "report/explain_report.h"
#include "report/json_parts.h"
#include "report/rpath_report.h"
#include "report/who_report.h"
#include "soresolve/report.h"
#include "world/layers.h"

namespace soresolve {

Json bundle_data(const BundleReport& report);
Json check_data(const CheckReport& report);
Json compare_data(const CompareReport& report);
Json doctor_data(const DoctorReport& report);
Json explain_data(const ExplainReport& report);
Json gpu_data(const GpuReport& report);
Json library_diff_data(const LibraryDiffReport& report);
Json refusal_data(const RefusalReport& report);
Json error_data(const ErrorReport& report);
Json rpath_data(const RpathReport& report);
Json symvers_data(const SymversReport& report);
Json unused_data(const UnusedReport& report);
Json layers_data(const LayerHistory& history);
Json who_data(const WhoReport& report);

/// Those that can be long, written piece by piece.
void write_bindings_data(const BindingsReport& report, const WritePart& write);
/// check_data() and the link map, for a page.
void write_check_data(const CheckReport& report, const WritePart& write);
void write_ldd_data(const LddReport& report, const WritePart& write);
void write_survey_data(const SurveyReport& report, const WritePart& write);
void write_tree_data(const TreeReport& report, const WritePart& write);
void write_why_data(const WhyReport& report, const WritePart& write);

}  // namespace soresolve
