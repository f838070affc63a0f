// The diagnosis: verdict, then for each library the proof, then what else is worth knowing.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalogue/hosts.h"
#include "loader/load.h"
#include "loader/process.h"
#include "packages/what_brings.h"
#include "report/layer_words.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

class WhyPage {
 public:
  explicit WhyPage(const WhyReport& report)
      : report_(report), process_(*report.map.process), map_(report.map), diagnosis_(report.diagnosis),
        import_(report.import) {}

  Page make() {
    if (Words found = found_words(report_); diagnosis_.asked.empty() && !found.empty()) page_.line(std::move(found));
    page_.line(verdict_words(report_, [](Statement statement) { return statement; }));
    print_fatal();
    if (import_ != nullptr) page_.append(import_page(*import_, Detail::Full));
    page_.append(remedies_page(diagnosis_.remedies));
    if (!diagnosis_.asked.empty()) print_asked();
    print_others();
    page_.append(dlopens_page(diagnosis_.dlopens));
    return std::move(page_);
  }

 private:
  [[nodiscard]] Statement dlopen_error() const {
    const HostRow* const host = host_of(map_.objects[map_.subject()].path, map_.main_path);
    return host == nullptr ? say("dlopen-error") : say("dlopen-error-of-host", {{"host", host->title}});
  }

  /// "a.so → b.so → libx.so.1": who brought whom, from the file that was asked about.
  [[nodiscard]] Words chain(ObjectIndex needer, std::string_view name) const {
    Words words;
    for (const ObjectIndex object : map_.chain_to(needer)) {
      if (object == 0 && process_.start == Start::Dlopen) continue;
      words += Words(name_of_object(map_, object)) + " → ";
    }
    return words + Words::foreign(name);
  }

  void print_needers(const std::vector<NeedRef>& requests) {
    const NeedRef& first = requests.front();
    const Need& need = map_.objects[first.needer].needs[first.need];
    labelled(say("needed-by"),
             Words(name_of_object(map_, first.needer)) + say("in-brackets", {{"text", tag_of(need)}}));
    if (need.written != need.name) labelled(say("written-as"), Words::foreign(need.written));
    const std::vector<ObjectIndex> path = map_.chain_to(first.needer);
    if (path.size() > 1) labelled(say("chain"), chain(first.needer, need.name));
    constexpr std::size_t kShown = 8;
    for (std::size_t i = 1; i < requests.size() && i <= kShown; ++i) {
      page_.line(say("also-needed-by", {{"object", map_.objects[requests[i].needer].name()}}), 2);
    }
    if (requests.size() > kShown + 1) page_.line(say("and-by-more", {{"count", requests.size() - kShown - 1}}), 2);
  }

  void labelled(const Statement& label, Words content) {
    page_.line(Words(label) + Words::stop(14) + std::move(content), 2);
  }

  [[nodiscard]] static Statement tag_of(const Need& need) {
    switch (need.kind) {
      case NeedKind::Needed: return words_of_others("DT_NEEDED");
      case NeedKind::Auxiliary: return words_of_others("DT_AUXILIARY");
      case NeedKind::Filter: return words_of_others("DT_FILTER");
      case NeedKind::Preload: return term("preload");
      case NeedKind::Dlopen: return words_of_others("dlopen");
    }
    return {};
  }

  void print_trace(const NeedRef& request) { page_.append(search_page(map_, request)); }

  void print_fatal() {
    for (const Problem& problem : diagnosis_.problems) {
      if (severity_of(problem.code) != Severity::Fatal) continue;
      page_.blank();
      page_.line(strong(problem.what));
      const bool is_request =
          !problem.requests.empty() && problem.code != ProblemCode::VersionFile &&
          problem.code != ProblemCode::VersionTable &&
          problem.requests.front().need < map_.objects[problem.requests.front().needer].needs.size();
      if (is_request) {
        print_needers(problem.requests);
        print_trace(problem.requests.front());
        print_other_traces(problem);
      }
      for (const Statement& package : packages_of(problem)) labelled(say("head-packages"), package);
      for (const LayerOfFile& layer : problem.layers) labelled(say("head-layers"), layer_words(layer));
      print_elsewhere(problem);
      if (problem.code == ProblemCode::VersionMissing || problem.code == ProblemCode::VersionTable ||
          problem.code == ProblemCode::SymbolMissing) {
        print_proof(problem, 2);
      }
      if (!problem.loader_says.empty()) {
        const bool is_program = ends_program(map_);
        page_.line(problem.is_met_later() ? say("prints-at-call") : is_program ? say("prints") : dlopen_error(), 2);
        page_.line(bad(Words::foreign(is_program ? problem.loader_says : problem.dlerror_says)), 4);
        if (&problem != &diagnosis_.problems.front() && !problem.is_met_later()) {
          page_.line(dim(say("once-others-are-fixed-note")), 4);
        }
      }
    }
  }

  /// Further needers have searches of their own; those that looked in other places are shown.
  void print_other_traces(const Problem& problem) {
    std::set<std::vector<std::string>> shown = {candidates(problem.requests.front())};
    for (std::size_t i = 1; i < problem.requests.size(); ++i) {
      if (!shown.insert(candidates(problem.requests[i])).second) continue;
      page_.line(say("for-needer", {{"object", map_.objects[problem.requests[i].needer].name()}}), 2);
      print_trace(problem.requests[i]);
    }
  }

  [[nodiscard]] std::vector<std::string> candidates(const NeedRef& request) const {
    std::vector<std::string> list;
    const std::uint32_t trace = map_.objects[request.needer].needs[request.need].trace;
    if (trace >= map_.traces.size()) return list;
    for (const Attempt& attempt : map_.traces[trace].attempts) {
      list.push_back(attempt.directory + attempt.subdirectory);
    }
    return list;
  }

  void print_elsewhere(const Problem& problem) {
    const bool is_missing = problem.code == ProblemCode::MissingLibrary || problem.code == ProblemCode::WrongClass;
    if (!is_missing && problem.candidates.empty()) return;
    for (const Evidence& elsewhere : problem.evidence) {
      if (is_missing) page_.line(say("but-elsewhere", {{"elsewhere", elsewhere.what}}), 2);
    }
    page_.append(candidates_page(problem));
    const std::optional<WhatBrings> brings = is_missing ? what_brings(problem.name) : std::nullopt;
    if (brings && !brings->product.empty()) labelled(say("head-belongs"), words_of_others(brings->product));
  }

  void print_asked() {
    const bool is_reported =
        std::any_of(diagnosis_.problems.begin(), diagnosis_.problems.end(), [&](const Problem& problem) {
          return severity_of(problem.code) == Severity::Fatal && problem.name == diagnosis_.asked;
        });
    if (is_reported) return;
    if (diagnosis_.asked_requests.empty()) {
      if (!diagnosis_.dlopens.list.empty()) return;  // it is opened, not needed
      page_.blank();
      page_.line(say("not-asked-for", {{"library", diagnosis_.asked}}));
      return;
    }
    page_.blank();
    const NeedRef& first = diagnosis_.asked_requests.front();
    const Need& need = map_.objects[first.needer].needs[first.need];
    if (need.target != kNoObject) {
      const LoadedObject& target = map_.objects[need.target];
      const std::string_view path = target.path.empty() ? target.name() : target.path;
      page_.line(strong(Words::foreign(diagnosis_.asked) + " => " + Words::foreign(path)));
    }
    print_needers(diagnosis_.asked_requests);
    print_trace(first);
  }

  void print_proof(const Problem& problem, std::size_t indent) {
    for (const Evidence& evidence : problem.evidence) page_.line(evidence.what, indent);
  }

  void print_others() {
    bool has_heading = false;
    for (const Problem& problem : diagnosis_.problems) {
      if (severity_of(problem.code) == Severity::Fatal) continue;
      if (!has_heading) {
        page_.blank();
        page_.line(diagnosis_.has_fatal() ? say("also-worth-knowing") : say("worth-knowing"));
        has_heading = true;
      }
      const bool is_warning = severity_of(problem.code) == Severity::Warning;
      page_.line((is_warning ? warn(term("warning")) : dim(term("note"))) + " [" +
                     Words::foreign(code_of(problem.code)) + "] " + problem.what,
                 2);
      print_proof(problem, 6);
      for (const Statement& package : packages_of(problem)) page_.line(package, 6);
      for (const LayerOfFile& layer : problem.layers) page_.line(layer_words(layer), 6);
      if (problem.code == ProblemCode::PreloadIgnored && !problem.loader_says.empty()) {
        page_.line(Words::foreign(problem.loader_says), 6);
      }
    }
  }

  const WhyReport& report_;
  const Process& process_;
  const LinkMap& map_;
  const Diagnosis& diagnosis_;
  const PythonImport* import_;
  Page page_;
};

/// The request for the name that was asked about: of FILE's link map, or as dlopen gets it, in a process or in none.
std::optional<NeedRef> asked_request(const WhyReport& report) {
  const LinkMap& map = report.map;
  if (!report.diagnosis.asked.empty()) {
    if (report.diagnosis.asked_requests.empty()) return std::nullopt;
    return report.diagnosis.asked_requests.front();
  }
  if (map.process->start != Start::Dlopen) return std::nullopt;
  if (!map.dlopen_calls.empty()) return map.dlopen_calls.back().request;
  const bool is_name = report.file.find('/') == std::string_view::npos && !map.objects.empty() &&
                       !map.objects.front().needs.empty() && map.objects.front().needs.front().kind == NeedKind::Dlopen;
  return is_name ? std::optional(NeedRef{0, 0}) : std::nullopt;
}

}  // namespace

Words found_words(const WhyReport& report) {
  const std::optional<NeedRef> request = asked_request(report);
  if (!request) return {};
  const LinkMap& map = report.map;
  const Need& need = map.objects[request->needer].needs[request->need];
  if (need.target == kNoObject || map.objects[need.target].role == ObjectRole::Placeholder) return {};
  const LoadedObject& target = map.objects[need.target];
  const std::string_view path = target.path.empty() ? target.name() : target.path;
  const std::string& name = report.diagnosis.asked;
  const std::string_view asked = name.empty() ? std::string_view(need.name) : std::string_view(name);
  if (path == asked) return {};
  Words line = strong(Words::foreign(asked) + " => " + Words::foreign(path));
  if (target.role == ObjectRole::Library) {
    line += dim(" (" + Words(step_words(map, target.found.step, target.found.owner)) + ")");
  }
  return line;
}

Words verdict_words(const WhyReport& report, const std::function<Statement(Statement)>& shorten) {
  if (report.import != nullptr && !report.import->exception.empty() && !report.import->ends_process) {
    const Statement exception = shorten(words_of_others(shown_exception(*report.import)));
    return bad(say("import-fails", {{"module", report.import->module}, {"exception", exception}}));
  }
  const Words verdict = shorten(report.diagnosis.verdict);
  switch (report.diagnosis.answer) {
    case Verdict::Works: return good(verdict);
    case Verdict::Fails: return bad(verdict);
    case Verdict::Depends: return warn(verdict);
  }
  return verdict;
}

Page why_page(const WhyReport& report) { return WhyPage(report).make(); }

}  // namespace soresolve
