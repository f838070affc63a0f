// Attempts in one line each: "libz.so.1: RUNPATH: /app/lib/libz.so.1: no such file". What report/ makes of them is a
// table for people; this is what was done, in its order.
#include "loader/search_log.h"

#include <string>

#include "base/log_line.h"

namespace soresolve {
namespace {

/// Where it was looked: a file, else the directory or list that was passed over; empty for the whole of a step.
std::string place_of(const Attempt& attempt) {
  if (!attempt.candidate.empty()) return attempt.candidate;
  return attempt.directory.empty() ? attempt.entry : attempt.directory + attempt.subdirectory;
}

}  // namespace

void log_found(Log* log, std::string_view name, std::string_view needer, std::string_view found) {
  log_line(log, LogLevel::Debug,
           [&] { return "find " + std::string(name) + " for " + std::string(needer) + ": " + std::string(found); });
}

void log_attempts(Log* log, std::string_view name, const SearchTrace& trace) {
  if (!wants(log, LogLevel::Trace)) return;
  for (const Attempt& attempt : trace.attempts) {
    std::string line = std::string(name) + ": " + std::string(name_of(attempt.step)) + ": ";
    if (const std::string place = place_of(attempt); !place.empty()) line += place + ": ";
    line += name_of(attempt.outcome);
    if (!attempt.text.empty()) line += ": " + attempt.text;
    log->line(LogLevel::Trace, line);
  }
  if (trace.left_out != 0) {
    log->line(LogLevel::Trace, std::string(name) + ": attempts that are not listed: " + std::to_string(trace.left_out));
  }
}

void log_request(Log* log, std::string_view name, std::string_view needer, HowFound how) {
  log_line(log, LogLevel::Trace,
           [&] { return std::string(name) + " for " + std::string(needer) + ": " + std::string(name_of(how)); });
}

namespace {

/// "now,local,noload"
std::string flags_of(const OpenMode& mode) {
  std::string words = mode.bind_time == BindTime::Now ? "now" : "lazy";
  words += "," + std::string(name_of(mode.scope));
  if (mode.only_if_loaded) words += ",noload";
  if (mode.stays) words += ",nodelete";
  if (mode.into == OpenInto::NewNamespace) words += ",dlmopen";
  return words;
}

}  // namespace

void log_dlopen_call(Log* log, const OpenRequest& dlopen_call) {
  log_line(log, LogLevel::Trace, [&] {
    const std::string by = dlopen_call.caller.empty() ? "the program" : dlopen_call.caller;
    return "dlopen " + dlopen_call.file + " by " + by + ": " + flags_of(dlopen_call.mode);
  });
}

}  // namespace soresolve
