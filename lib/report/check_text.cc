// Whether it starts, for people: the loader's line, then what is wrong beyond it, in the order in
// which the loader would come to it.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "loader/live_process.h"
#include "report/paint.h"
#include "report/stack_and_tls.h"
#include "soresolve/catalogue.h"
#include "soresolve/report.h"
#include "symbols/undefined_words.h"

namespace soresolve {
namespace {

constexpr std::size_t kSymbolsShown = 10;

/// The file that the check is about, as it was given.
std::string subject_name(const CheckReport& report) {
  if (report.map.openings.empty()) return report.map.process->argv0;
  const NeedRef& request = report.map.openings.back().request;
  return std::string(report.map.objects[request.needer].needs[request.need].name);
}

Statement lost_later(const Dlopen& lost) {
  const std::string& library = lost.shown().name;
  return lost.is_found ? say("fails-later", {{"library", library}, {"opener", lost.opener}, {"reason", lost.failure}})
                       : say("lost-later", {{"library", library}, {"opener", lost.opener}});
}

/// What is wrong although the loader says nothing: requirements that are not met, and libraries that are lost later.
Statement unmet(const CheckReport& report) {
  NameList names;
  for (const RequirementVerdict& verdict : report.requirements) {
    if (!verdict.is_met) names.shown.push_back(verdict.requirement.text);
  }
  const Statement list = names.shown.empty() ? Statement{} : say("not-met-list", {{"requirements", names}});
  const Dlopen* const lost = first_lost_dlopen(report.dlopens);
  if (lost == nullptr) return list;
  return list.empty() ? lost_later(*lost) : say("note-and-note", {{"first", list}, {"second", lost_later(*lost)}});
}

class CheckPrinter {
 public:
  CheckPrinter(const CheckReport& report, Colour colour, Detail detail, Language language)
      : report_(report), process_(*report.map.process), map_(report.map), check_(report.check), paint_(colour),
        is_painted_(colour == Colour::Always), detail_(detail), language_(language) {}

  std::string print() { return first_line() + print_proof(); }

  std::string print_proof() {
    print_place();
    print_words();
    print_libraries();
    print_versions();
    print_cpu();
    print_symbols();
    print_order();
    print_without_bind_now();
    if (check_.is_ok()) print_counts();
    print_openings();
    print_notes();
    print_cuda();
    print_requirements();
    return text_.str();
  }

 private:
  void line(const Text& content) { text_ += content + "\n"; }

  void entry(const Statement& head, const Text& content) { text_ += proof_line(said(head), content); }
  void entry(const Statement& head, const Statement& content) { entry(head, said(content)); }
  /// Below an entry, in its column.
  void more(const Text& content) { line("              " + content); }

  [[nodiscard]] Text said(const Statement& statement) const { return said_text(statement, language_); }

  /// As the loader calls it.
  [[nodiscard]] std::string name_of_object(ObjectIndex object) const {
    if (object == kNoObject) return sentence(say("the-program"), language_);
    return std::string(object == 0 ? std::string_view(process_.argv0) : map_.objects[object].path);
  }
  [[nodiscard]] Text shown(ObjectIndex object) const { return Text::escaped(name_of_object(object)); }

  [[nodiscard]] Statement names_of(const std::vector<ObjectIndex>& objects) const {
    constexpr std::size_t kShown = 4;
    const bool is_cut = objects.size() > kShown && detail_ == Detail::Folded;
    NameList names;
    for (const ObjectIndex object : objects) {
      if (is_cut && names.shown.size() == kShown) break;
      names.shown.push_back(name_of_object(object));
    }
    return is_cut ? say("names-and-more-v", {{"names", names}, {"count", objects.size() - kShown}})
                  : say("words", {{"text", names}});
  }

  /// What is not met, or what the loader says: that byte for byte (who writes it to a terminal escapes it), unless it
  /// is painted.
  [[nodiscard]] std::string first_line() const {
    const std::string verdict = check_line(report_, language_);
    const Statement lacks = unmet(report_);
    if (check_.is_ok() && !lacks.empty())
      return (paint_.bad(said(lacks)) + "\n" + proof_line(said(say("head-loader")), Text::escaped(verdict))).str();
    if (!is_painted_) return verdict + "\n";
    const Text text = Text::escaped(verdict);
    return ((check_.is_ok() ? paint_.good(text) : paint_.bad(text)) + "\n").str();
  }

  /// Is it about something that comes before, or that has been there?
  void print_place() {
    if (map_.openings_left != 0) {
      entry(say("head-before"), map_.openings.empty() ? say("start-opens-nothing")
                                                      : say("said-to-be-loaded", {{"library", subject_name(report_)}}));
    } else if (!map_.openings.empty() && is_there_before(map_.openings.back())) {
      entry(say("head-loaded"), say("in-process-already", {{"path", name_of_object(map_.openings.back().asked)}}));
    }
  }

  [[nodiscard]] static bool is_there_before(const Opening& opening) {
    return opening.asked != kNoObject && opening.asked < opening.first_new;
  }

  /// What else the loader writes on standard error.
  void print_words() {
    const Startup& answer = check_.answer();
    for (std::size_t i = 0; i < answer.lines.size(); ++i) {
      if (answer.fatal_line == i) continue;
      const bool is_warning = !answer.fatal_line || i < *answer.fatal_line;
      entry(say(is_warning ? "head-warns" : "head-then"), Text::escaped(answer.lines[i]));
    }
  }

  void print_libraries() {
    bool is_search = false;
    for (const LostLibrary& library : check_.libraries) {
      const LoadFailure& failure = library.failure;
      using Kind = LoadFailure::Kind;
      Statement head = say("head-refused");
      Statement what = say("name-reason", {{"name", failure.object}, {"reason", failure.text}});
      switch (failure.kind) {
        case Kind::Missing:
          head = say("head-missing");
          what = words_of_others(failure.object);
          break;
        case Kind::Crash: head = say("head-crash"); break;
        case Kind::Block: head = say("head-blocks"); break;
        case Kind::Assertion:
          if (failure.text.starts_with("Inconsistency")) head = say("head-assertion");
          break;
        case Kind::VersionFile:
          head = say("head-assertion");
          what = say("versions-of-nobody", {{"library", failure.object}});
          break;
        case Kind::VersionRecord: head = say("head-version"); break;
        default: break;
      }
      is_search = is_search || head == say("head-missing") || head == say("head-refused");
      entry(head, paint_.bad(said(what)) + said(say("copy-needers", {{"needers", names_of(library.needers)}})));
    }
    if (is_search) {
      line(paint_.dim("              " + said(say("where-it-looks", {{"file", subject_name(report_)}}))));
    }
  }

  void print_versions() {
    for (const VersionGap& gap : check_.versions) {
      const VersionMessage& message = gap.message;
      if (message.version.empty() || message.need_offset == 0) continue;
      const Text version = Text::escaped(message.version);
      const Statement place = say("vernaux-at", {{"offset", Text::hex(message.need_offset).str()}});
      entry(say("head-version"), (message.is_error ? paint_.bad(version) : paint_.warn(version)) +
                                     said(say("is-required-from", {{"provider", name_of_object(message.provider)},
                                                                   {"needer", name_of_object(message.requirer)}})) +
                                     paint_.dim(said(place)));
      more(said(there_of(gap)));
    }
  }

  [[nodiscard]] static Statement there_of(const VersionGap& gap) {
    if (gap.defined_count == 0) return say("defines-no-version");
    const NameList nearest{gap.nearest, 0};
    if (gap.nearest.size() == gap.defined_count) return say("defines-versions", {{"versions", nearest}});
    return say("defines-nearest", {{"count", gap.defined_count}, {"versions", nearest}});
  }

  void print_cpu() {
    for (const ObjectIndex object : check_.facts.above_cpu) {
      const std::uint32_t has = (1u << std::clamp(process_.cpu.isa_level, 1, 4)) - 1;
      const std::string needed = isa_level_name(map_.objects[object].elf.isa_needed);
      const Statement needs = say("needs-level", {{"object", name_of_object(object)}, {"level", needed}});
      entry(say("head-cpu"), paint_.bad(said(needs)) + said(say("processor-has", {{"level", isa_level_name(has)}})));
    }
  }

  /// By referrer and by the file that the version is required from, each where it comes first.
  void print_symbols() {
    struct Group {
      ObjectIndex referrer;
      std::string file;
      std::vector<const LostSymbol*> symbols;
    };
    std::vector<Group> groups;
    for (const LostSymbol& symbol : check_.symbols) {
      const ObjectIndex referrer = symbol.reference.referrer;
      auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
        return known.referrer == referrer && known.file == symbol.file;
      });
      if (group == groups.end()) group = groups.insert(group, {referrer, symbol.file, {}});
      group->symbols.push_back(&symbol);
    }
    for (const Group& group : groups) {
      const LostSymbol& first = *group.symbols.front();
      entry(say("head-undefined"), origin_of(first, group.symbols.size()));
      const bool is_consequence = is_lost(first.from);
      if (!is_consequence || detail_ == Detail::Full) print_names(group.symbols);
    }
  }

  [[nodiscard]] bool is_lost(ObjectIndex object) const {
    return object != kNoObject && map_.objects[object].role == ObjectRole::Placeholder;
  }

  [[nodiscard]] Text origin_of(const LostSymbol& symbol, std::size_t count) const {
    const std::string referrer = name_of_object(symbol.reference.referrer);
    if (is_lost(symbol.from)) {
      return said(say("undefined-of-missing", {{"count", count}, {"referrer", referrer}, {"file", symbol.file}}));
    }
    if (symbol.from != kNoObject) {
      const std::string path = name_of_object(symbol.from);
      Text text = said(say("undefined-required", {{"count", count}, {"referrer", referrer}, {"file", symbol.file}}));
      if (path != symbol.file) text += "\n              => " + Text::escaped(path);
      if (is_from_before(symbol.from)) text += said(say("is-from-before"));
      // The check of versions asks for names only, and passes on a library that is too old.
      return text +
             said(say(has_gap(symbol.from) ? "does-not-define-them" : "has-version-not-symbols", {{"count", count}}));
    }
    const bool has_lost = std::any_of(check_.libraries.begin(), check_.libraries.end(), [](const LostLibrary& library) {
      return library.failure.kind == LoadFailure::Kind::Missing ||
             library.failure.kind == LoadFailure::Kind::WrongClass;
    });
    if (has_lost) return said(say("missing-may-define", {{"count", count}, {"referrer", referrer}}));
    if (symbol.out_of_scope.empty()) {
      return said(say("defined-by-nothing", {{"count", count}, {"referrer", referrer}}));
    }
    return said(say(is_scope_known(process_) ? "opened-local" : "taken-for-opened-local",
                    {{"count", count}, {"referrer", referrer}}));
  }

  [[nodiscard]] bool is_from_before(ObjectIndex object) const { return map_.opening_of(object) < map_.subject(); }

  [[nodiscard]] bool has_gap(ObjectIndex provider) const {
    return std::any_of(check_.versions.begin(), check_.versions.end(),
                       [&](const VersionGap& gap) { return gap.message.provider == provider; });
  }

  void print_names(const std::vector<const LostSymbol*>& symbols) {
    std::size_t shown_count = 0;
    for (const LostSymbol* symbol : symbols) {
      const std::size_t left = symbols.size() - shown_count;
      if (shown_count++ == kSymbolsShown && left > 1 && detail_ == Detail::Folded) {
        line("                " + said(say("and-more-v", {{"count", left}})));
        return;
      }
      const UndefinedSymbol& reference = symbol->reference;
      line("                " + paint_.bad(Text::escaped(versioned_name(reference.name, reference.version))) +
           (reference.is_lazy && !check_.asks_now ? said(say("lazy-fatal-at-call")) : Text()));
      for (const AskedObject& asked : symbol->namesakes) {
        line("                  " + said(namesakes_of(asked)));
      }
      for (const ObjectIndex hidden : symbol->out_of_scope) {
        line("                  " + said(say("object-defines-it", {{"object", name_of_object(hidden)}})));
      }
    }
  }

  [[nodiscard]] Statement namesakes_of(const AskedObject& asked) const {
    std::vector<Statement> versions;
    for (std::size_t i = 0; i < asked.namesakes.size(); ++i) {
      const Namesake& namesake = asked.namesakes[i];
      if (i != 0) versions.push_back(say(i + 1 == asked.namesakes.size() ? "namesake-and" : "namesake-comma"));
      versions.push_back(namesake.version.empty() ? say("namesake-unversioned")
                                                  : say("namesake-version", {{"version", namesake.version}}));
      if (namesake.is_hidden) versions.push_back(say("namesake-hidden"));
    }
    return say(
        "object-has-it",
        {{"object", name_of_object(asked.object)}, {"versions", versions}, {"verdict", verdict_on(asked.verdict)}});
  }

  static Statement verdict_on(AskedVerdict verdict) {
    switch (verdict) {
      case AskedVerdict::OtherVersion: return say("does-not-serve");
      case AskedVerdict::Ambiguous: return say("reference-is-ambiguous");
      case AskedVerdict::NotVisible: return say("hidden-from-others");
      case AskedVerdict::LocalBinding: return say("as-local-symbol");
      default: return {};
    }
  }

  /// The walk knows of it, but the check of versions ends on it.
  [[nodiscard]] static bool is_of_versions(const LoadFailure& failure) {
    return failure.kind == LoadFailure::Kind::VersionFile || failure.kind == LoadFailure::Kind::VersionRecord;
  }

  void print_order() {
    const bool has_symbols = std::any_of(check_.symbols.begin(), check_.symbols.end(),
                                         [&](const LostSymbol& symbol) { return !is_lost(symbol.from); });
    std::size_t files = 0;
    for (const LostLibrary& library : check_.libraries) files += !is_of_versions(library.failure);
    const bool has_versions = check_.facts.versions.has_error() || files != check_.libraries.size();
    const std::size_t stages = files + has_versions + !check_.facts.above_cpu.empty() + has_symbols;
    if (stages < 2) return;
    line(paint_.dim("              " + said(say("next-shows-once-fixed"))));
  }

  /// LD_BIND_NOW asks for everything at once; without it the calls that are never made do no harm.
  void print_without_bind_now() {
    if (check_.opens_lazily && check_.is_ok() && !check_.symbols.empty()) {
      entry(say("head-lazy"), paint_.warn(said(say("loads-lazily"))) + said(say("each-ends-process")));
      return;
    }
    if (!ends_in_symbol()) return;
    const UndefinedSymbol& first = check_.symbols.front().reference;
    if (map_.subject() != 0) {
      if (check_.as_asked.end == StartEnd::Runs) {
        entry(say("head-lazy"), paint_.warn(said(say("would-load-lazily"))) + said(say("each-ends-process-python")));
      }
      return;
    }
    if (check_.asks_now) {
      entry(say("head-lazy"), say("nothing-is-lazy"));
    } else if (check_.as_asked.end == StartEnd::Runs) {
      entry(say("head-lazy"), paint_.warn(said(say("starts-without-bind-now"))) + said(say("each-ends-it")));
    } else if (first.is_lazy) {
      entry(say("head-lazy"), say("ends-all-the-same"));
      line("                " + paint_.bad(Text::escaped(line_as_asked())));
    } else {
      entry(say("head-lazy"), map_.objects[first.referrer].elf.is_bind_now
                                  ? say("same-by-z-now", {{"object", name_of_object(first.referrer)}})
                                  : say("same-by-no-plt"));
    }
  }

  /// Is it the first undefined symbol that ends the start?
  [[nodiscard]] bool ends_in_symbol() const {
    if (check_.symbols.empty() || !check_.answer().fatal_line) return false;
    const UndefinedSymbol& first = check_.symbols.front().reference;
    return check_line(report_).ends_with(undefined_words(first));
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
  void print_openings() {
    const std::vector<Dlopen>& list = report_.dlopens.list;
    if (list.empty()) return;
    std::size_t faultless = 0;
    for (const Dlopen& opened : list) faultless += opened.is_faultless();
    entry(say("head-later"), faultless == list.size() ? say("later-all", {{"count", list.size()}})
                             : faultless == 0         ? say("later-none", {{"count", list.size()}})
                                              : say("later-some", {{"count", list.size()}, {"good", faultless}}));
    const Dlopen* last = nullptr;
    for (const Dlopen& opened : list) {
      if (opened.is_faultless()) continue;
      if (last == nullptr || last->opener != opened.opener || last->told_by != opened.told_by) {
        more(said(say(
            "opens-by",
            {{"opener", opened.opener}, {"evidence", term(name_of(opened.evidence))}, {"source", opened.told_by}})));
      }
      line("                " + broken_text(opened) +
           said(say("comma-text", {{"text", term(name_of(opened.importance))}})));
      last = &opened;
    }
  }

  [[nodiscard]] Text broken_text(const Dlopen& opened) const {
    const std::string& words = opened.failure.empty() ? opened.failure_now : opened.failure;
    const std::string& name = opened.shown().name;
    const Text what = said(!opened.is_found         ? say("one-not-found", {{"library", name}})
                           : opened.failure.empty() ? say("one-lazy-only", {{"library", name}, {"reason", words}})
                                                    : say("one-cannot-load", {{"library", name}, {"reason", words}}));
    const bool is_serious = opened.source != DlopenSource::Literal && opened.importance == Importance::Required;
    return is_serious ? paint_.bad(what) : what;
  }

  void print_notes() {
    const bool is_library = process_.start != Start::Kernel;
    const bool has_free = std::any_of(check_.symbols.begin(), check_.symbols.end(),
                                      [](const LostSymbol& symbol) { return !symbol.reference.has_version; });
    if (is_library && has_free) {
      entry(say("head-mind"), say("judged-alone"));
      more(said(say("judged-alone-more")));
    }
    for (const Statement& note : stack_and_tls_notes(report_)) entry(say("head-mind"), note);
    for (const std::string& note : map_.notes) entry(say("head-mind"), Text::escaped(note));
  }

  void print_cuda() {
    for (const Problem& problem : report_.cuda) {
      if (severity_of(problem.code) == Severity::Note) continue;
      entry(say("head-warning"), "[" + Text::escaped(code_of(problem.code)) + "] " + said(problem.what));
      for (const Statement& proof : problem.evidence) more(said(proof));
    }
  }

  void print_requirements() {
    for (const RequirementVerdict& verdict : report_.requirements) {
      entry(say(verdict.is_met ? "head-met" : "head-not-met"),
            say("name-reason", {{"name", verdict.requirement.text}, {"reason", verdict.seen}}));
      for (const Statement& proof : verdict.proof) more(said(proof));
    }
  }

  const CheckReport& report_;
  const Process& process_;
  const LinkMap& map_;
  const Check& check_;
  Paint paint_;
  bool is_painted_;
  Detail detail_;
  Language language_;
  Text text_;
};

}  // namespace

std::string check_line(const CheckReport& report, Language language) {
  const Startup& startup = report.check.answer();
  const std::string& file = report.map.process->argv0;
  switch (startup.end) {
    case StartEnd::Runs: return "ok";
    case StartEnd::Crashes:
      return sentence(say("would-crash-line", {{"file", file}, {"reason", startup.death}}), language);
    case StartEnd::Blocks:
      return sentence(say("would-wait-line", {{"file", file}, {"reason", startup.death}}), language);
    case StartEnd::Fails:
    case StartEnd::Versions: break;
  }
  // RTLD_NOLOAD fails without a word of the loader.
  return startup.fatal_line ? startup.lines[*startup.fatal_line] : startup.death;
}

std::string check_line_of_many(const CheckReport& report, Language language) {
  const std::string verdict = check_line(report, language);
  const std::string prefix = subject_name(report) + ": ";
  Text line = Text::escaped(verdict.starts_with(prefix) ? verdict : prefix + verdict);
  if (!report.check.is_ok()) return line.str();
  if (const Dlopen* lost = first_lost_dlopen(report.dlopens)) {
    line += said_text(say("but-behind", {{"text", lost_later(*lost)}}), language);
  }
  for (const RequirementVerdict& required : report.requirements) {
    if (required.is_met) continue;
    const Statement refuted = say("is-not-met", {{"requirement", required.requirement.text}, {"seen", required.seen}});
    line += said_text(say("but-behind", {{"text", refuted}}), language);
  }
  return line.str();
}

std::string check_text(const CheckReport& report, Colour colour, Detail detail, Language language) {
  return CheckPrinter(report, colour, detail, language).print();
}

std::string check_proof(const CheckReport& report, Colour colour, Detail detail, Language language) {
  return CheckPrinter(report, colour, detail, language).print_proof();
}

}  // namespace soresolve
