// Names and commands as every part of the page of a check prints them. Not here: any line of the page.
#include "report/check_parts.h"

#include "base/path.h"
#include "diagnose/verdict.h"
#include "report/names.h"

namespace soresolve {

std::string subject_name(const CheckReport& report) {
  if (report.map.dlopen_calls.empty()) return report.map.process->argv0;
  const NeedRef& request = report.map.dlopen_calls.back().request;
  return std::string(report.map.objects[request.needer].needs[request.need].name);
}

bool is_import_missing(const CheckReport& report) {
  return report.import != nullptr && !report.import->exception.empty();
}

bool is_left_to_process(const CheckReport& report) { return report.verdict == Verdict::Depends; }

bool is_placeholder(const CheckReport& report, ObjectIndex object) {
  return object != kNoObject && report.map.objects[object].role == ObjectRole::Placeholder;
}

Statement name_of_object(const CheckReport& report, ObjectIndex object) {
  if (object == kNoObject) return say("the-program");
  return words_of_others(object == 0 ? std::string_view(report.map.process->argv0) : report.map.objects[object].path);
}

CommandText pip_command(const CheckReport& report, const std::vector<std::string>& wheels) {
  const std::string_view program = report.map.main().name();
  const bool is_python = file_name_of(program).starts_with("python");
  CommandText command = (is_python ? shell_path(program) + " -m " : CommandText()) + "pip install";
  for (const std::string& wheel : wheels) command += " " + shell_word(wheel);
  return command;
}

}  // namespace soresolve
