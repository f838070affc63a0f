// Whether it starts, for people: the verdict, then what is wrong beyond it, in the order in which the loader would come
// to it. Source: the check (symbols/), which has the findings. Not here: the verdict itself (check_verdict.cc) and the
// symbols that nothing defines (check_symbols.cc), which have rules of their own.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "cuda/driver_mount.h"
#include "diagnose/cuda_rules.h"
#include "diagnose/hosts.h"
#include "diagnose/static_tls.h"
#include "diagnose/verdict.h"
#include "dlopen/find_dlopens.h"
#include "loader/system.h"
#include "report/check_parts.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/step_lines.h"
#include "soresolve/report.h"
#include "world/next_step.h"

namespace soresolve {
namespace {

class CheckPage {
 public:
  CheckPage(const CheckReport& report, Detail detail)
      : report_(report), process_(*report.map.process), map_(report.map), check_(report.check), detail_(detail) {}

  Page make(CheckForm form) {
    page_ = check_verdict_page(report_, form);
    if (form == CheckForm::Whole || form == CheckForm::NamedWhole) print_proof();
    return std::move(page_);
  }

 private:
  void print_proof() {
    const bool fails = (!check_.is_ok() || is_import_missing(report_)) && !is_left_to_process(report_);
    if (!fails && report_.import != nullptr) page_.append(import_page(*report_.import, detail_));
    print_place();
    if (fails) {
      print_without_bind_now();
      page_.append(why_proof(
          {*report_.searched, *report_.diagnosis, report_.file, report_.import, report_.step, report_.root}, detail_));
    } else {
      print_what_works();
    }
    print_requirements();
  }

  void print_what_works() {
    print_words();
    print_versions();
    page_.append(check_symbols_page(report_, detail_));
    print_without_bind_now();
    if (check_.is_ok()) print_counts();
    print_dlopen_calls();
    print_notes();
    print_cuda();
  }

  void entry(const Statement& head, Words content) { page_.entry(head, std::move(content)); }
  /// Below an entry, in its column.
  void more(Words content) { page_.more(std::move(content)); }

  /// Is it about something that comes before, or that has been there?
  void print_place() {
    if (map_.dlopen_calls_left != 0) {
      entry(say("head-before"), map_.dlopen_calls.empty()
                                    ? say("start-opens-nothing")
                                    : say("said-to-be-loaded", {{"library", subject_name(report_)}}));
    } else if (!map_.dlopen_calls.empty() && is_there_before(map_.dlopen_calls.back())) {
      entry(say("head-loaded"),
            say("in-process-already", {{"path", name_of_object(report_, map_.dlopen_calls.back().asked)}}));
    }
  }

  [[nodiscard]] static bool is_there_before(const DlopenCall& dlopen_call) {
    return dlopen_call.asked != kNoObject && dlopen_call.asked < dlopen_call.first_new;
  }

  /// What else the loader writes on standard error.
  void print_words() {
    constexpr std::size_t kShown = 3;
    const Startup& answer = check_.answer();
    std::size_t shown = 0;
    for (std::size_t i = 0; i < answer.lines.size(); ++i) {
      if (answer.fatal_line == i) continue;
      if (shown++ == kShown && detail_ == Detail::Folded && i + 1 < answer.lines.size()) {
        return more(dim(say("and-more-v", {{"count", answer.lines.size() - i}})));
      }
      const bool is_warning = !answer.fatal_line || i < *answer.fatal_line;
      entry(say(is_warning ? "head-warns" : "head-then"), Words::foreign(answer.lines[i]));
    }
  }

  /// Folded: of each pair of files the first version, the others counted; and no more than some pairs.
  void print_versions() {
    constexpr std::size_t kPairsShown = 3;
    std::set<std::pair<ObjectIndex, ObjectIndex>> pairs;
    std::size_t left_out = 0;
    for (const VersionGap& gap : check_.versions) {
      const VersionMessage& message = gap.message;
      if (message.version.empty() || message.need_offset == 0) continue;
      if (detail_ == Detail::Folded) {
        if (!pairs.emplace(message.provider, message.requirer).second) continue;
        if (pairs.size() > kPairsShown) {
          ++left_out;
          continue;
        }
      }
      print_version(gap);
    }
    if (left_out != 0) more(dim(say("and-more-v", {{"count", left_out}})));
  }

  void print_version(const VersionGap& gap) {
    constexpr std::size_t kNamed = 4;
    const VersionMessage& message = gap.message;
    NameList names{{message.version}, 0};
    for (const VersionGap& other : check_.versions) {
      const bool is_of_pair = other.message.provider == message.provider &&
                              other.message.requirer == message.requirer && other.message.need_offset != 0;
      if (detail_ == Detail::Full || &other == &gap || !is_of_pair) continue;
      if (names.shown.size() == kNamed) {
        ++names.more;
      } else {
        names.shown.push_back(other.message.version);
      }
    }
    const Statement versions = say("words", {{"text", names}});
    const Statement place = say("vernaux-at", {{"offset", hex(message.need_offset)}});
    entry(say("head-version"), (message.is_error ? bad(versions) : warn(versions)) +
                                   say(names.shown.size() == 1 ? "is-required-from" : "are-required-from",
                                       {{"provider", name_of_object(report_, message.provider)},
                                        {"needer", name_of_object(report_, message.requirer)}}) +
                                   dim(place));
    more(there_of(gap));
  }

  [[nodiscard]] static Statement there_of(const VersionGap& gap) {
    if (gap.defined_count == 0) return say("defines-no-version");
    const NameList nearest{gap.nearest, 0};
    if (gap.nearest.size() == gap.defined_count) return say("defines-versions", {{"versions", nearest}});
    return say("defines-nearest", {{"count", gap.defined_count}, {"versions", nearest}});
  }

  /// LD_BIND_NOW asks for everything at once; without it the calls that are never made do no harm.
  void print_without_bind_now() {
    if (check_.opens_lazily && check_.is_ok() && !check_.symbols.empty()) {
      entry(say("head-lazy"), warn(say("loads-lazily")) + say("each-ends-process"));
      return;
    }
    if (!ends_in_symbol(check_) || is_left_to_process(report_)) return;
    // musl binds everything at the start, with and without it.
    if (map_.subject() == 0 && map_.system->rules.libc == Libc::Musl) return;
    const UndefinedSymbol& first = check_.symbols.front().reference;
    if (map_.subject() != 0) {
      if (check_.as_asked.end == StartEnd::Runs) {
        const HostRow* const host = host_of(map_.objects[map_.subject()].path, map_.main_path);
        const bool is_now = host != nullptr && host->opens == HostOpens::Now;
        entry(say("head-lazy"), warn(say("would-load-lazily")) + say("each-ends-process") +
                                    (host == nullptr ? Statement{}
                                     : is_now        ? say("host-opens-now", {{"host", host->title}})
                                                     : say("host-opens-lazily", {{"host", host->title}})));
      }
      return;
    }
    if (check_.asks_now) {
      entry(say("head-lazy"), say("nothing-is-lazy"));
    } else if (check_.as_asked.end == StartEnd::Runs) {
      entry(say("head-lazy"), warn(say("starts-without-bind-now")) + say("each-ends-it"));
    } else if (first.is_lazy) {
      entry(say("head-lazy"), say("ends-all-the-same"));
      page_.line(bad(Words::foreign(line_as_asked())), 16);
    } else {
      entry(say("head-lazy"), map_.objects[first.referrer].elf.is_bind_now
                                  ? say("same-by-z-now", {{"object", name_of_object(report_, first.referrer)}})
                                  : say("same-by-no-plt"));
    }
  }

  [[nodiscard]] std::string line_as_asked() const {
    const Startup& startup = check_.as_asked;
    return startup.fatal_line ? startup.lines[*startup.fatal_line] : startup.death;
  }

  void print_counts() {
    const StartCounts& counts = check_.counts;
    entry(say("head-objects"), say("files-all-found", {{"count", counts.objects}}));
    entry(say("head-versions"),
          counts.versions == 0 ? say("none-required")
          : check_.versions.empty()
              ? say("versions-all-met", {{"count", counts.versions}})
              : say("versions-with-warning", {{"count", counts.versions}, {"warnings", check_.versions.size()}}));
    const Statement weak =
        counts.unbound_weak == 0 ? Statement{} : say("weak-unbound", {{"count", counts.unbound_weak}});
    entry(say("head-symbols"),
          say("references-bound", {{"count", counts.references - counts.unbound_weak}, {"weak", weak}}));
    if (counts.lazy != 0) {
      entry(say("head-lazy"), say(map_.subject() != 0 ? "lazy-if-opened"
                                  : check_.asks_now   ? "lazy-were-it-not-set"
                                                      : "lazy-unless-set",
                                  {{"count", counts.lazy}}));
    }
  }

  /// What is opened later, and of that what will not be there.
  void print_dlopen_calls() {
    const std::vector<const Dlopen*> list = listed_dlopens(report_.dlopens);
    if (list.empty()) return;
    std::size_t faultless = 0;
    for (const Dlopen* opened : list) faultless += opened->is_faultless();
    entry(say("head-later"), faultless == list.size() ? say("later-all", {{"count", list.size()}})
                             : faultless == 0         ? say("later-none", {{"count", list.size()}})
                                              : say("later-some", {{"count", list.size()}, {"good", faultless}}));
    const Dlopen* last = nullptr;
    for (const Dlopen* each : list) {
      const Dlopen& opened = *each;
      if (opened.is_faultless()) continue;
      if (opened.importance == Importance::Suggested && detail_ == Detail::Folded) continue;
      if (last == nullptr || last->opener != opened.opener || last->reported_by != opened.reported_by) {
        more(say(
            "opens-by",
            {{"opener", opened.opener}, {"evidence", term(name_of(opened.evidence))}, {"source", opened.reported_by}}));
      }
      page_.line(broken_words(opened) + say("comma-text", {{"text", term(name_of(opened.importance))}}), 16);
      last = &opened;
    }
    if (last != nullptr && !last->wheel.empty() && try_in_verdict(report_).empty()) {
      more(Words(say("try")) + Words::command(pip_command(report_, {last->wheel})));
    }
  }

  [[nodiscard]] Words broken_words(const Dlopen& opened) const {
    const std::string& words = opened.failure.empty() ? opened.failure_now : opened.failure;
    const std::string& name = opened.shown().name;
    const Statement what = !opened.is_found         ? say("one-not-found", {{"library", name}})
                           : opened.failure.empty() ? say("one-lazy-only", {{"library", name}, {"reason", words}})
                                                    : say("one-cannot-load", {{"library", name}, {"reason", words}});
    const bool is_serious = opened.source != DlopenSource::Literal && opened.importance == Importance::Required;
    return is_serious ? bad(what) : what;
  }

  void print_notes() {
    const bool is_library = process_.start != Start::Kernel;
    const bool has_free = std::any_of(check_.symbols.begin(), check_.symbols.end(),
                                      [](const UnresolvedSymbol& symbol) { return !symbol.reference.has_version; });
    if (is_library && has_free && !is_left_to_process(report_)) {
      entry(say("head-mind"), say("judged-alone"));
      more(say("judged-alone-more"));
    }
    if (map_.assumed) {
      entry(say("head-mind"), map_.assumed->what);
      for (const Statement& evidence : map_.assumed->evidence) more(evidence);
    }
    if (!left_to_driver(map_, check_).empty()) {
      entry(say("head-mind"), say("assumed-driver"));
    }
    for (const Statement& note : stack_and_tls_notes(report_.map)) entry(say("head-mind"), note);
    if (map_.system->driver) {
      for (const Statement& note : driver_notes(*map_.system->driver)) entry(say("head-mind"), note);
    }
    for (const Statement& note : map_.notes) entry(say("head-mind"), note);
  }

  void print_cuda() {
    for (const Problem& problem : report_.cuda) {
      if (severity_of(problem.code) == Severity::Note) continue;
      entry(say("head-warning"), "[" + Words::foreign(code_of(problem.code)) + "] " + problem.what);
      for (const Evidence& each : problem.evidence) more(each.what);
      if (Statement next = next_of_warning(problem); !next.empty()) page_.add(next_line(std::move(next)));
    }
  }

  void print_requirements() {
    for (const RequirementVerdict& verdict : report_.requirements) {
      entry(say(verdict.is_met ? "head-met" : "head-not-met"),
            say("name-reason", {{"name", verdict.requirement.text}, {"reason", verdict.seen}}));
      for (const Evidence& each : verdict.evidence) more(each.what);
    }
  }

  const CheckReport& report_;
  const Process& process_;
  const LinkMap& map_;
  const Check& check_;
  Detail detail_;
  Page page_;
};

}  // namespace

Page check_page(const CheckReport& report, CheckForm form, Detail detail) {
  return CheckPage(report, detail).make(form);
}

}  // namespace soresolve
