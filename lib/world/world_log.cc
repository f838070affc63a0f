// What a question stands on, in a few lines of a log: the root, the environment, the loader with what it reads, and
// whose process it is. Each is what the answer is made from, said when it has been settled; not said here: what was
// found (lib/loader/search_log.cc), and why a process was assumed (Statements, whose words are in lib/catalogue).
#include <string>

#include "base/log_line.h"
#include "loader/loader_rules.h"
#include "loader/preload.h"
#include "world/world_state.h"

namespace soresolve {
namespace {

/// The variables that count, but for those that every environment has.
std::string variables_in(const Environment& environment) {
  std::string text;
  for (const std::string& entry : environment.entries()) {
    const bool is_everywhere = entry.starts_with("PATH=") || entry.starts_with("HOME=");
    if (is_of_interest(entry) && !is_everywhere) text += (text.empty() ? "" : ", ") + entry;
  }
  return text.empty() ? "no variable of the loader or of Python is set" : text;
}

std::string loader_line(const System& system) {
  const LoaderRules& rules = system.rules;
  const bool is_musl = rules.libc == Libc::Musl;
  std::string text = "loader: " + system.loader_path + ", " +
                     (is_musl ? "musl " + rules.musl_version.to_string() : "glibc " + rules.version.to_string());
  if (rules.version_source == RuleSource::Override) text += " (as required)";
  return text + ", " + describe(rules.target);
}

/// ld.so.cache, or what musl's loader has in its place.
std::string lists_line(const System& system) {
  if (system.rules.libc == Libc::Musl) {
    return "path file: " + system.musl_path.file + (system.musl_path.lists ? ": read" : ": not there or not readable");
  }
  const std::string text = "ld.so.cache: " + system.rules.cache_path;
  if (system.has_cache) return text + ", " + std::to_string(system.cache.size()) + " entries";
  return text + (system.cache_problem ? ": not usable" : ": not there");
}

}  // namespace

/// Of a System that has been read now.
void World::State::log_system(const System& system) const {
  Log* const log = settings_.log.get();
  if (!wants(log, LogLevel::Info)) return;
  if (systems_.empty()) {
    std::string root = root_.empty() ? (settings_.where.files ? "files of the caller" : "this machine") : root_;
    if (place_ && !place_->format.empty()) root += " (" + place_->format + ")";
    log->line(LogLevel::Info, "root: " + root);
    if (driver_) log->line(LogLevel::Info, "driver: " + settings_.driver.driver);
    log->line(LogLevel::Info, "environment: " + variables_in(environment_));
  }
  log->line(LogLevel::Info, loader_line(system));
  log->line(LogLevel::Info, lists_line(system));
  if (system.preload_file) log->line(LogLevel::Info, std::string(kPreloadFile) + ": read");
}

/// Of a question that is walked now.
void World::State::log_process(const Prepared& prepared) const {
  Log* const log = settings_.log.get();
  if (!wants(log, LogLevel::Info)) return;
  if (prepared.import) {
    log->line(LogLevel::Info, "python: " + prepared.import->interpreter + " imports " + prepared.import->module +
                                  ", dlopen calls: " + std::to_string(prepared.dlopen_calls.size()));
    return;
  }
  const std::string& file = prepared.file;
  std::string text = "process: ";
  if (live_) {
    text += live_->is_dump ? "a core dump of " + file : std::to_string(settings_.live.pid) + ", which runs " + file;
  } else {
    switch (prepared.process.start) {
      case Start::Kernel: text += file + " is started"; break;
      case Start::Argument: text += file + " alone, no program is named"; break;
      case Start::Dlopen: text += "a plain program opens " + file; break;
    }
  }
  if (prepared.process.secure) text += " with AT_SECURE";
  const std::vector<OpenRequest>& calls = prepared.dlopen_calls;
  if (!calls.empty()) text += ", opens " + calls.back().file;
  if (calls.size() > 1) text += " as number " + std::to_string(calls.size()) + " of its dlopen calls";
  if (prepared.assumed) text += " (assumed, rule: " + std::string(name_of(prepared.assumed->rule)) + ")";
  log->line(LogLevel::Info, text);
}

}  // namespace soresolve
