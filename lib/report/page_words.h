// The statements in the data of each report (page_words.cc).
#pragma once
#include "report/answer_parts.h"
#include "soresolve/document.h"
#include "soresolve/report.h"

namespace soresolve {

void take_statements(const CheckReport& report, const TakeStatement& take);
void take_statements(const CompareReport& report, const TakeStatement& take);
void take_statements(const DoctorReport& report, const TakeStatement& take);
void take_statements(const GpuReport& report, const TakeStatement& take);
void take_statements(const SurveyReport& report, const TakeStatement& take);
void take_statements(const TreeReport& report, const TakeStatement& take);
void take_statements(const WhyReport& report, const TakeStatement& take);

}  // namespace soresolve
