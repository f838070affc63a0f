// Opens the planned paths with RTLD_NOW | RTLD_LOCAL and compares new objects, or dlerror's message, with the
// prediction. Source: dlopen(3). Constructors of the libraries run here, with the rights of the user.
#include "load_step.h"

#include <dlfcn.h>

#include "status_text.h"

namespace soresolve::confirm {
namespace {

/// dlopen's words if it fails.
std::string open_library(Session& session, const PlannedLibrary& planned) {
  session.reporter.call("dlopen " + planned.path);
  void* handle = ::dlopen(planned.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* words = ::dlerror();
    return words != nullptr ? words : "dlopen fails without a word";
  }
  if (!planned.role.empty()) {
    Library library(handle, planned.path, &session.reporter);
    library.set_describe(describer_of(planned.role));
    session.libraries[planned.role] = std::move(library);
  }
  return {};
}

Outcome compare_failure(const PlannedLoad& load, const std::string& words, Outcome outcome) {
  outcome.seen["dlerror"] = words;
  if (words != load.dlerror) {
    if (auto limited = limited_space(say("dlopen-fails", {{"words", words}})))
      return unavailable(std::move(*limited), std::move(outcome));
  }
  if (load.dlerror.empty()) return differs(say("dlopen-fails", {{"words", words}}), outcome);
  outcome.seen["predicted"] = load.dlerror;
  if (words == load.dlerror) return failed(say("fails-as-predicted", {{"words", words}}), outcome);
  return differs(say("dlopen-says-else", {{"words", words}, {"predicted", load.dlerror}}), outcome);
}

}  // namespace

Outcome compare_start(Session& session) {
  session.files = loaded_files();
  if (session.plan.start.empty()) return {};
  const std::vector<Difference> differences = compare_files(session.plan.start, {}, session.files);
  if (differences.empty()) return {};
  return differs(say("differs-at-start", {{"differences", describe(differences)}}));
}

Outcome run_load(Session& session, const PlannedLoad& load) {
  Outcome outcome;
  const std::vector<LoadedFile> before = loaded_files();
  outcome.seen["opened"] = Json::array();
  for (const PlannedLibrary& library : load.open) {
    const std::string words = open_library(session, library);
    if (!words.empty()) return compare_failure(load, words, outcome);
    outcome.seen["opened"].push_back(library.path);
  }
  if (!load.dlerror.empty()) {
    return differs(say("opens-against-prediction", {{"predicted", load.dlerror}}), outcome);
  }
  session.files = loaded_files();
  const std::vector<LoadedFile> added = added_files(before, session.files);
  Json paths = Json::array();
  for (const LoadedFile& file : added) paths.push_back(file.path);
  outcome.seen["added"] = std::move(paths);
  const std::vector<Difference> differences = compare_files(load.adds, before, added);
  if (!differences.empty()) return differs(say("differences", {{"list", describe(differences)}}), outcome);
  outcome.summary = {load.open.empty()
                         ? say("nothing-to-open")
                         : say("libraries-opened", {{"count", load.open.size()}, {"added", added.size()}})};
  return outcome;
}

}  // namespace soresolve::confirm
