// Which page and which data make the document of each report. Nothing is made before it is rendered: a page costs
// nothing to who asks for data, and the other way round.
#include "dlopen/who_loaded.h"
#include "report/bindings_report.h"
#include "report/data.h"
#include "report/explain_report.h"
#include "report/layers_report.h"
#include "report/names.h"
#include "report/page.h"
#include "report/page_words.h"
#include "report/pages.h"
#include "report/rpath_report.h"
#include "report/who_report.h"
#include "world/layers.h"

namespace soresolve {

Document document_of(const BindingsReport& report) {
  return {[&report] { return bindings_page(report); },
          [&report](const WritePart& write) { write_bindings_data(report, write); }};
}

Document document_of(const BundleReport& report, Detail detail) {
  return {[&report, detail] { return bundle_page(report, detail); },
          [&report](const WritePart& write) { write(dump(bundle_data(report))); }};
}

Document document_of(const CompareReport& report, const CompareForm& form) {
  return {[&report, form] { return compare_page(report, form); },
          [&report](const WritePart& write) { write(dump(compare_data(report))); },
          [&report](const TakeStatement& take) { take_statements(report, take); }};
}

Document document_of(const DoctorReport& report, Detail detail) {
  return {[&report, detail] { return doctor_page(report, detail); },
          [&report](const WritePart& write) { write(dump(doctor_data(report))); },
          [&report](const TakeStatement& take) { take_statements(report, take); }};
}

Document document_of(const ErrorReport& report) {
  const auto page_of = [report] {
    Page page;
    page.line(Words::foreign("soresolve: " + report.error.to_string()));
    return page;
  };
  return {page_of, [report](const WritePart& write) {
            // A line of JSON Lines is an object of a type.
            Json data = error_data(report);
            if (report.command != "scan") return write(dump(data));
            data["type"] = "error";
            write(dump_line(data));
          }};
}

Document document_of(const ExplainReport& report) {
  return {[&report] { return explain_page(report); },
          [&report](const WritePart& write) { write(dump(explain_data(report))); }};
}

Document document_of(const GpuReport& report, GpuForm form, Detail detail) {
  return {[report, form, detail] { return gpu_page(report, form, detail); },
          [report](const WritePart& write) { write(dump(gpu_data(report))); },
          [report](const TakeStatement& take) { take_statements(report, take); }};
}

Document document_of(const LddReport& report) {
  const auto page_of = [report] {
    if (is_of_running_process(report.map)) return running_list_page(report.map);
    Page page;
    add_loaders_lines(page, ldd_text(report.map));
    return page;
  };
  return {page_of, [report](const WritePart& write) { write_ldd_data(report, write); }};
}

Document document_of(const LibraryDiffReport& report, Detail detail) {
  return {[report, detail] { return library_diff_page(report, detail); },
          [report](const WritePart& write) { write(dump(library_diff_data(report))); }};
}

Document document_of(const RpathReport& report) {
  return {[report] { return rpath_page(report); },
          [report](const WritePart& write) { write(dump(rpath_data(report))); }};
}

Document document_of(const LayerHistory& history) {
  return {[&history] { return layers_page(history); },
          [&history](const WritePart& write) { write(dump(layers_data(history))); }};
}

Document document_of(const SurveyReport& report, Detail detail) {
  return {[&report, detail] { return survey_page(report, detail); },
          [&report](const WritePart& write) { write_survey_data(report, write); },
          [&report](const TakeStatement& take) { take_statements(report, take); }};
}

Document document_of(const SymversReport& report, Detail detail) {
  return {[&report, detail] { return symvers_page(report, detail); },
          [&report](const WritePart& write) { write(dump(symvers_data(report))); }};
}

Document document_of(const TreeReport& report, const TreeOptions& options) {
  const auto page_of = [report, options] {
    return is_of_running_process(report.map) ? running_tree_page(report.map, options) : tree_page(report, options);
  };
  return {page_of, [report](const WritePart& write) { write_tree_data(report, write); },
          [report](const TakeStatement& take) { take_statements(report, take); }};
}

Document document_of(const UnusedReport& report, Detail detail) {
  return {[&report, detail] { return unused_page(report, detail); },
          [&report](const WritePart& write) { write(dump(unused_data(report))); }};
}

Document document_of(const WhoReport& report, const WhoOptions& options) {
  return {[&report, options] { return who_page(report, options); },
          [&report](const WritePart& write) { write(dump(who_data(report))); }};
}

}  // namespace soresolve
