// The diagnosis as text: verdict, then for each library the proof, then what else is worth knowing.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "loader/load.h"
#include "report/dlopen_text.h"
#include "report/paint.h"
#include "report/remedies.h"
#include "report/trace_text.h"
#include "report/wrapped.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

class WhyPrinter {
 public:
  WhyPrinter(const LinkMap& map, const Diagnosis& diagnosis, const WhyOptions& options)
      : system_(*map.system), process_(*map.process), map_(map), diagnosis_(diagnosis), options_(options),
        paint_(options.colour) {}

  std::string print() {
    print_verdict();
    print_fatal();
    text_ += remedies_text(diagnosis_.remedies, paint_, options_.language);
    if (!diagnosis_.asked.empty()) print_asked();
    print_others();
    text_ += dlopens_text(diagnosis_.dlopens, options_);
    return std::move(text_);
  }

 private:
  void line(const std::string& content) { text_ += content + "\n"; }

  void print_verdict() {
    const std::string verdict = said(diagnosis_.verdict);
    line(diagnosis_.has_fatal() ? paint_.bad(verdict) : paint_.good(verdict));
  }

  /// "a.so → b.so → libx.so.1": who brought whom, from the file that was asked about.
  [[nodiscard]] std::string chain(ObjectIndex needer, std::string_view name) const {
    std::string text;
    for (const ObjectIndex object : map_.chain_to(needer)) {
      if (object == 0 && process_.start == Start::Dlopen) continue;
      text += display_name(map_, object) + " → ";
    }
    return text + printable(name);
  }

  void print_needers(const std::vector<NeedRef>& requests) {
    const NeedRef& first = requests.front();
    const Need& need = map_.objects[first.needer].needs[first.need];
    labelled(say("needed-by"), display_name(map_, first.needer) + said(say("in-brackets", {{"text", tag_of(need)}})));
    if (need.written != need.name) labelled(say("written-as"), printable(need.written));
    const std::vector<ObjectIndex> path = map_.chain_to(first.needer);
    if (path.size() > 1) labelled(say("chain"), chain(first.needer, need.name));
    constexpr std::size_t kShown = 8;
    for (std::size_t i = 1; i < requests.size() && i <= kShown; ++i) {
      line("  " + said(say("also-needed-by", {{"object", map_.objects[requests[i].needer].name()}})));
    }
    if (requests.size() > kShown + 1) line("  " + said(say("and-by-more", {{"count", requests.size() - kShown - 1}})));
  }

  void labelled(const Statement& label, const std::string& content) {
    constexpr std::size_t kColumn = 14;
    line("  " + padded(said(label), kColumn) + content);
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

  void print_trace(const NeedRef& request) { text_ += trace_text(map_, request, options_); }

  [[nodiscard]] std::string said(const Statement& statement) const {
    return soresolve::said(statement, options_.language);
  }

  void print_fatal() {
    for (const Problem& problem : diagnosis_.problems) {
      if (severity_of(problem.code) != Severity::Fatal) continue;
      line("");
      line(paint_.strong(said(problem.what)));
      const bool is_request =
          !problem.requests.empty() && problem.code != ProblemCode::VersionFile &&
          problem.requests.front().need < map_.objects[problem.requests.front().needer].needs.size();
      if (is_request) {
        print_needers(problem.requests);
        print_trace(problem.requests.front());
        print_other_traces(problem);
      }
      print_elsewhere(problem);
      if (problem.code == ProblemCode::VersionMissing || problem.code == ProblemCode::SymbolMissing) {
        print_proof(problem, "  ");
      }
      if (!problem.loader_says.empty()) {
        const bool is_program = ends_program(map_);
        line("  " + said(problem.is_met_later ? say("prints-at-call")
                         : is_program         ? say("prints")
                                              : say("dlopen-error")));
        line("    " + paint_.bad(printable(is_program ? problem.loader_says : problem.dlerror_says)));
        if (&problem != &diagnosis_.problems.front() && !problem.is_met_later) {
          line(paint_.dim("    " + said(say("once-others-are-fixed-note"))));
        }
      }
    }
  }

  /// Further needers have searches of their own; those that looked in other places are shown.
  void print_other_traces(const Problem& problem) {
    std::set<std::vector<std::string>> shown = {candidates(problem.requests.front())};
    for (std::size_t i = 1; i < problem.requests.size(); ++i) {
      if (!shown.insert(candidates(problem.requests[i])).second) continue;
      if (shown.size() > 4 && options_.detail == Detail::Folded) {
        line("  " + said(say("further-needers-elsewhere")));
        return;
      }
      line("  " + said(say("for-needer", {{"object", map_.objects[problem.requests[i].needer].name()}})));
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
    const bool is_lost = problem.code == ProblemCode::MissingLibrary || problem.code == ProblemCode::WrongClass;
    if (!is_lost && problem.candidates.empty()) return;
    for (const Statement& elsewhere : problem.evidence) {
      if (is_lost) line("  " + said(say("but-elsewhere", {{"elsewhere", elsewhere}})));
    }
    text_ += candidates_text(problem, paint_, options_);
  }

  void print_asked() {
    const bool is_told =
        std::any_of(diagnosis_.problems.begin(), diagnosis_.problems.end(), [&](const Problem& problem) {
          return severity_of(problem.code) == Severity::Fatal && problem.name == diagnosis_.asked;
        });
    if (is_told) return;
    if (diagnosis_.asked_requests.empty()) {
      if (!diagnosis_.dlopens.list.empty()) return;  // it is opened, not needed
      line("");
      line(said(say("not-asked-for", {{"library", diagnosis_.asked}})));
      return;
    }
    line("");
    const NeedRef& first = diagnosis_.asked_requests.front();
    const Need& need = map_.objects[first.needer].needs[first.need];
    if (need.target != kNoObject) {
      const LoadedObject& target = map_.objects[need.target];
      const std::string_view path = target.path.empty() ? target.name() : target.path;
      line(paint_.strong(printable(diagnosis_.asked) + " => " + printable(path)));
    }
    print_needers(diagnosis_.asked_requests);
    print_trace(first);
  }

  void print_proof(const Problem& problem, const std::string& indent) {
    constexpr std::size_t kShown = 6;
    for (std::size_t i = 0; i < problem.evidence.size(); ++i) {
      if (i == kShown && options_.detail == Detail::Folded) {
        line(indent + said(say("and-more-v", {{"count", problem.evidence.size() - kShown}})));
        return;
      }
      line(indent + said(problem.evidence[i]));
    }
  }

  void print_others() {
    bool has_heading = false;
    for (const Problem& problem : diagnosis_.problems) {
      if (severity_of(problem.code) == Severity::Fatal) continue;
      if (!has_heading) {
        line("");
        line(said(diagnosis_.has_fatal() ? say("also-worth-knowing") : say("worth-knowing")));
        has_heading = true;
      }
      const bool is_warning = severity_of(problem.code) == Severity::Warning;
      line("  " + (is_warning ? paint_.warn(said(term("warning"))) : paint_.dim(said(term("note")))) + " [" +
           std::string(code_of(problem.code)) + "] " + said(problem.what));
      print_proof(problem, "      ");
      if (problem.code == ProblemCode::PreloadIgnored && !problem.loader_says.empty()) {
        line("      " + printable(problem.loader_says));
      }
    }
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  const Diagnosis& diagnosis_;
  const WhyOptions& options_;
  Paint paint_;
  std::string text_;
};

}  // namespace

std::string why_text(const LinkMap& map, const Diagnosis& diagnosis, const WhyOptions& options) {
  return WhyPrinter(map, diagnosis, options).print();
}

}  // namespace soresolve
