// The parts that the page of a check is put together from, and what they have in common. The page is check_page.cc.
//
// Source: the report of the check; the parts decide nothing. Not here: the data for scripts (check_data.cc).
#pragma once
#include <string>
#include <vector>

#include "report/answer_parts.h"
#include "report/page.h"
#include "report/tones.h"
#include "soresolve/command_text.h"
#include "soresolve/report.h"

namespace soresolve {

/// check_line() of report.h.
std::string check_line(const CheckReport& report, Language language = Language::English);
/// The first lines, in the form that is asked for.
Page check_verdict_page(const CheckReport& report, CheckForm form);
/// The command below the verdict, with "try: "; empty: there is none. A page has one at most.
Words try_in_verdict(const CheckReport& report);
/// Entries for the symbols that nothing defines.
Page check_symbols_page(const CheckReport& report, Detail detail);

/// The file that the check is about, as it was given.
std::string subject_name(const CheckReport& report);
/// Does the import fail before any library is opened?
bool is_import_missing(const CheckReport& report);
/// Is it a library that leaves symbols to its process?
bool is_left_to_process(const CheckReport& report);
/// Does the object stand for a library that is missing?
bool is_placeholder(const CheckReport& report, ObjectIndex object);
/// As the loader calls it.
Statement name_of_object(const CheckReport& report, ObjectIndex object);
/// By the interpreter of the process, where there is one.
CommandText pip_command(const CheckReport& report, const std::vector<std::string>& wheels);

}  // namespace soresolve
