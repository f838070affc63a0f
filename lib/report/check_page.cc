// Whether it starts, for people: the loader's line, then what is wrong beyond it, in the order in
// which the loader would come to it.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/printable.h"
#include "cuda/driver_mount.h"
#include "diagnose/cuda_rules.h"
#include "diagnose/foreign_libc.h"
#include "diagnose/static_tls.h"
#include "diagnose/verdict.h"
#include "dlopen/find_dlopens.h"
#include "loader/live_process.h"
#include "loader/system.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "soresolve/report.h"
#include "symbols/cxx_names.h"
#include "symbols/undefined_words.h"

namespace soresolve {
namespace {

constexpr std::size_t kSymbolsShown = 10;
constexpr std::size_t kSymbolsNamed = 2;  ///< of files behind the first, and of what a missing version explains
constexpr std::size_t kGroupsShown = 3;
constexpr std::size_t kSymbolLines = 14;  ///< with their names as people write them, and near misses

/// The file that the check is about, as it was given.
std::string subject_name(const CheckReport& report) {
  if (report.map.dlopen_calls.empty()) return report.map.process->argv0;
  const NeedRef& request = report.map.dlopen_calls.back().request;
  return std::string(report.map.objects[request.needer].needs[request.need].name);
}

Statement missing_later(const Dlopen& missing) {
  const std::string& library = missing.shown().name;
  return missing.is_found
             ? say("fails-later", {{"library", library}, {"opener", missing.opener}, {"reason", missing.failure}})
             : say("lost-later", {{"library", library}, {"opener", missing.opener}});
}

/// What is wrong although the loader says nothing: requirements that are not met, and libraries that are lost later.
Statement unmet(const CheckReport& report) {
  NameList names;
  for (const RequirementVerdict& verdict : report.requirements) {
    if (!verdict.is_met) names.shown.push_back(verdict.requirement.text);
  }
  const Statement list = names.shown.empty() ? Statement{} : say("not-met-list", {{"requirements", names}});
  const Dlopen* const missing = first_missing_dlopen(report.dlopens);
  if (missing == nullptr) return list;
  return list.empty() ? missing_later(*missing)
                      : say("note-and-note", {{"first", list}, {"second", missing_later(*missing)}});
}

/// The loader's line, byte for byte; words of ours where the loader dies or waits without any.
Words verdict_words(const CheckReport& report) {
  if (report.import != nullptr && !report.import->exception.empty())
    return Words::loaders_line(report.import->exception);
  const Startup& startup = report.check.answer();
  const std::string& file = report.map.process->argv0;
  switch (startup.end) {
    case StartEnd::Runs: return "ok";
    case StartEnd::Crashes: return say("would-crash-line", {{"file", file}, {"reason", startup.death}});
    case StartEnd::Blocks: return say("would-wait-line", {{"file", file}, {"reason", startup.death}});
    case StartEnd::Fails:
    case StartEnd::Versions: break;
  }
  // RTLD_NOLOAD fails without a word of the loader.
  return Words::loaders_line(startup.fatal_line ? startup.lines[*startup.fatal_line] : startup.death);
}

/// Of a library that leaves symbols to its process.
Statement process_verdict(const CheckReport& report) {
  return say("verdict", {{"file", report.file}, {"end", what_it_depends_on(report.map, report.check)}});
}

/// The same for a list, of which each entry is to be one line whatever a name has in it.
Words listed_verdict(const CheckReport& report) {
  if (verdict_of(report) == Verdict::Depends) return process_verdict(report);
  const StartEnd end = report.check.answer().end;
  const bool is_loaders = end == StartEnd::Fails || end == StartEnd::Versions;
  return is_loaders ? Words::foreign(to_text(verdict_words(report))) : verdict_words(report);
}

/// What is lost although the loader says "ok": the line must not begin with that, for the exit status is 1.
Words losses_of(const CheckReport& report) {
  Words words;
  const auto add = [&words](const Statement& text) {
    words += words.empty() ? say("fails-by", {{"text", text}}) : say("fails-by-as-well", {{"text", text}});
  };
  if (const Dlopen* missing = first_missing_dlopen(report.dlopens)) add(missing_later(*missing));
  if (const Problem* failing = first_failing_call(report.cuda)) add(say("loads-but", {{"problem", failing->what}}));
  for (const RequirementVerdict& required : report.requirements) {
    if (required.is_met) continue;
    const Statement refuted = say("is-not-met", {{"requirement", required.requirement.text}, {"seen", required.seen}});
    add(refuted);
  }
  return words;
}

class CheckPage {
 public:
  CheckPage(const CheckReport& report, Detail detail)
      : report_(report), process_(*report.map.process), map_(report.map), check_(report.check), detail_(detail) {}

  Page make(CheckForm form) {
    switch (form) {
      case CheckForm::Whole: print_first_line(); break;
      case CheckForm::Line: page_.line(check_.is_ok() ? named_line() : listed_verdict(report_)); break;
      case CheckForm::NamedLine:
      case CheckForm::NamedWhole: page_.line(named_line()); break;
    }
    if (form == CheckForm::Whole || form == CheckForm::NamedWhole) print_proof();
    return std::move(page_);
  }

 private:
  void print_proof() {
    if (report_.import != nullptr) page_.append(import_page(*report_.import, detail_));
    print_place();
    print_words();
    print_foreign_libc();
    print_libraries();
    print_versions();
    print_cpu();
    print_symbols();
    print_order();
    print_without_bind_now();
    if (check_.is_ok() && !is_import_missing()) print_counts();
    print_dlopen_calls();
    print_notes();
    print_cuda();
    print_requirements();
  }

  /// By the interpreter of the process, where there is one.
  [[nodiscard]] CommandText pip_command(const std::vector<std::string>& wheels) const {
    const std::string_view program = map_.main().name();
    const bool is_python = file_name_of(program).starts_with("python");
    CommandText command = (is_python ? shell_path(program) + " -m " : CommandText()) + "pip install";
    for (const std::string& wheel : wheels) command += " " + shell_word(wheel);
    return command;
  }

  /// What `why` is to be given for the same question.
  [[nodiscard]] CommandText asked_words() const {
    if (report_.import == nullptr) return shell_path(subject_name(report_));
    return "--import " + shell_word(report_.import->module) + " --python " + shell_path(report_.import->interpreter);
  }

  [[nodiscard]] bool is_import_missing() const {
    return report_.import != nullptr && !report_.import->exception.empty();
  }
  [[nodiscard]] bool is_left_to_process() const { return verdict_of(report_) == Verdict::Depends; }

  /// The verdict behind the name of the file, for lists of several.
  [[nodiscard]] Words named_line() const {
    const std::string prefix = (is_left_to_process() ? report_.file : subject_name(report_)) + ": ";
    Words verdict = check_.is_ok() ? losses_of(report_) : Words();
    if (verdict.empty()) verdict = listed_verdict(report_);
    if (!to_text(verdict).starts_with(prefix)) verdict = Words::foreign(prefix) + std::move(verdict);
    return verdict;
  }

  void entry(const Statement& head, Words content) { page_.entry(head, std::move(content)); }
  /// Below an entry, in its column.
  void more(Words content) { page_.more(std::move(content)); }

  /// As the loader calls it.
  [[nodiscard]] Statement name_of_object(ObjectIndex object) const {
    if (object == kNoObject) return say("the-program");
    return words_of_others(object == 0 ? std::string_view(process_.argv0) : map_.objects[object].path);
  }

  [[nodiscard]] Statement names_of(const std::vector<ObjectIndex>& objects) const {
    constexpr std::size_t kShown = 4;
    const bool is_cut = objects.size() > kShown && detail_ == Detail::Folded;
    std::vector<Statement> names;
    for (std::size_t i = 0; i < (is_cut ? kShown : objects.size()); ++i) {
      if (i != 0) names.push_back(say("list-comma"));
      names.push_back(name_of_object(objects[i]));
    }
    return is_cut ? say("names-and-more-v", {{"names", names}, {"count", objects.size() - kShown}})
                  : say("words", {{"text", names}});
  }

  /// What is not met, or what the loader says.
  void print_first_line() {
    const Statement lacks = unmet(report_);
    const Problem* const failing = first_failing_call(report_.cuda);
    if (is_import_missing()) {
      page_.line(bad(verdict_words(report_)));
    } else if (is_left_to_process()) {
      page_.line(warn(process_verdict(report_)));
      entry(say("head-loader"), verdict_words(report_));
    } else if (check_.is_ok() && (!lacks.empty() || failing != nullptr)) {
      page_.line(bad(lacks.empty() ? say("loads-but", {{"problem", failing->what}}) : lacks));
      if (failing != nullptr && !failing->wheels.empty())
        page_.line(Words(say("try")) + Words::command(pip_command(failing->wheels)));
      entry(say("head-loader"), verdict_words(report_));
    } else {
      page_.line(check_.is_ok() ? good(verdict_words(report_)) : bad(verdict_words(report_)));
    }
  }

  /// Is it about something that comes before, or that has been there?
  void print_place() {
    if (map_.dlopen_calls_left != 0) {
      entry(say("head-before"), map_.dlopen_calls.empty()
                                    ? say("start-opens-nothing")
                                    : say("said-to-be-loaded", {{"library", subject_name(report_)}}));
    } else if (!map_.dlopen_calls.empty() && is_there_before(map_.dlopen_calls.back())) {
      entry(say("head-loaded"), say("in-process-already", {{"path", name_of_object(map_.dlopen_calls.back().asked)}}));
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

  /// All that is missing comes of it.
  void print_foreign_libc() {
    constexpr std::size_t kShown = 3;
    const std::vector<Statement> files = foreign_libc_of(map_, check_);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (i == kShown && detail_ == Detail::Folded) {
        return more(dim(say("and-more-v", {{"count", files.size() - i}})));
      }
      entry(say("head-mind"), files[i]);
    }
  }

  void print_libraries() {
    bool is_search = false;
    for (const UnresolvedLibrary& library : check_.libraries) {
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
      entry(head, bad(what) + say("copy-needers", {{"needers", names_of(library.needers)}}));
    }
    if (is_search) {
      page_.line(dim(say("where-it-looks", {{"typed", asked_words()}})), 14);
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
    entry(say("head-version"),
          (message.is_error ? bad(versions) : warn(versions)) +
              say(names.shown.size() == 1 ? "is-required-from" : "are-required-from",
                  {{"provider", name_of_object(message.provider)}, {"needer", name_of_object(message.requirer)}}) +
              dim(place));
    more(there_of(gap));
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
      entry(say("head-cpu"), bad(needs) + say("processor-has", {{"level", isa_level_name(has)}}));
    }
  }

  /// By referrer and by the file that the version is required from, each where it comes first.
  void print_symbols() {
    struct Group {
      ObjectIndex referrer;
      std::string file;
      std::vector<const UnresolvedSymbol*> symbols;
    };
    std::vector<Group> groups;
    for (const UnresolvedSymbol& symbol : check_.symbols) {
      const ObjectIndex referrer = symbol.reference.referrer;
      auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
        return known.referrer == referrer && known.file == symbol.file;
      });
      if (group == groups.end()) group = groups.insert(group, {referrer, symbol.file, {}});
      group->symbols.push_back(&symbol);
    }
    for (const Group& group : groups) {
      const UnresolvedSymbol& first = *group.symbols.front();
      if (detail_ == Detail::Folded && static_cast<std::size_t>(&group - groups.data()) == kGroupsShown) {
        more(dim(say("and-more-v", {{"count", groups.size() - kGroupsShown}})));
        return;
      }
      add_origin(first, group.symbols.size());
      const bool is_consequence = is_missing(first.from);
      if (is_consequence && detail_ == Detail::Folded) continue;
      // A version that is missing says already why all of its symbols are.
      const bool is_said = (first.from != kNoObject && has_gap(first.from)) || &group != groups.data();
      print_names(group.symbols, is_said ? kSymbolsNamed : kSymbolsShown);
    }
  }

  [[nodiscard]] bool is_missing(ObjectIndex object) const {
    return object != kNoObject && map_.objects[object].role == ObjectRole::Placeholder;
  }

  /// Of which file the symbols are, as far as a version tells.
  void add_origin(const UnresolvedSymbol& symbol, std::size_t count) {
    const Statement referrer = name_of_object(symbol.reference.referrer);
    if (symbol.from == kNoObject) return entry(say("head-undefined"), origin_without_version(symbol, count));
    if (is_missing(symbol.from)) {
      return entry(say("head-undefined"),
                   say("undefined-of-missing", {{"count", count}, {"referrer", referrer}, {"file", symbol.file}}));
    }
    const Statement path = name_of_object(symbol.from);
    Words required = say("undefined-required", {{"count", count}, {"referrer", referrer}, {"file", symbol.file}});
    // The check of versions asks for names only, and passes on a library that is too old.
    const Statement verdict =
        say(has_gap(symbol.from) ? "does-not-define-them" : "has-version-not-symbols", {{"count", count}});
    const Words before = is_from_before(symbol.from) ? Words(say("is-from-before")) : Words();
    if (path == words_of_others(symbol.file)) return entry(say("head-undefined"), required + before + verdict);
    entry(say("head-undefined"), std::move(required));
    more("=> " + Words(path) + before + verdict);
  }

  [[nodiscard]] Statement origin_without_version(const UnresolvedSymbol& symbol, std::size_t count) const {
    const Statement referrer = name_of_object(symbol.reference.referrer);
    const bool has_missing =
        std::any_of(check_.libraries.begin(), check_.libraries.end(), [](const UnresolvedLibrary& library) {
          return library.failure.kind == LoadFailure::Kind::Missing ||
                 library.failure.kind == LoadFailure::Kind::WrongClass;
        });
    if (has_missing) return say("missing-may-define", {{"count", count}, {"referrer", referrer}});
    if (is_left_to_assumed_driver(map_, symbol)) {
      return say("defined-by-driver-rows",
                 {{"count", count}, {"referrer", referrer}, {"version", map_.system->driver->version.text}});
    }
    if (is_left_to_process()) return say("defined-by-process", {{"count", count}, {"referrer", referrer}});
    if (symbol.out_of_scope.empty()) {
      return say("defined-by-nothing", {{"count", count}, {"referrer", referrer}});
    }
    return say(is_scope_known(process_) ? "opened-local" : "taken-for-opened-local",
               {{"count", count}, {"referrer", referrer}});
  }

  [[nodiscard]] bool is_from_before(ObjectIndex object) const { return map_.dlopen_call_of(object) < map_.subject(); }

  [[nodiscard]] bool has_gap(ObjectIndex provider) const {
    return std::any_of(check_.versions.begin(), check_.versions.end(),
                       [&](const VersionGap& gap) { return gap.message.provider == provider; });
  }

  void print_names(const std::vector<const UnresolvedSymbol*>& symbols, std::size_t most) {
    const std::size_t before = page_.blocks().size();
    std::size_t shown_count = 0;
    for (const UnresolvedSymbol* symbol : symbols) {
      const std::size_t left = symbols.size() - shown_count;
      const bool is_full = shown_count >= most || page_.blocks().size() - before >= kSymbolLines;
      ++shown_count;
      if (is_full && left > 1 && detail_ == Detail::Folded) {
        page_.line(say("and-more-v", {{"count", left}}), 16);
        return;
      }
      const UndefinedSymbol& reference = symbol->reference;
      const Tone tone = is_left_to_process() ? Tone::Plain : Tone::Bad;
      page_.line(Words::foreign(versioned_name(reference.name, reference.version)).in(tone) +
                     (reference.is_lazy && !check_.asks_now ? say("lazy-fatal-at-call") : Statement{}),
                 16);
      for (const AskedObject& asked : symbol->other_versions) {
        page_.line(other_versions_of(asked), 18);
      }
      if (const std::string name = demangled(reference.name); !name.empty()) page_.line(dim(Words::foreign(name)), 18);
      for (const NearSymbol& near : symbol->near_misses) page_.line(near_miss_words(near), 18);
      for (const ObjectIndex hidden : symbol->out_of_scope) {
        page_.line(say("object-defines-it", {{"object", name_of_object(hidden)}}), 18);
      }
    }
  }

  [[nodiscard]] Statement other_versions_of(const AskedObject& asked) const {
    std::vector<Statement> versions;
    for (std::size_t i = 0; i < asked.other_versions.size(); ++i) {
      const OtherVersion& other_version = asked.other_versions[i];
      if (i != 0) versions.push_back(say(i + 1 == asked.other_versions.size() ? "namesake-and" : "namesake-comma"));
      versions.push_back(other_version.version.empty() ? say("namesake-unversioned")
                                                       : say("namesake-version", {{"version", other_version.version}}));
      if (other_version.is_hidden) versions.push_back(say("namesake-hidden"));
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
                                         [&](const UnresolvedSymbol& symbol) { return !is_missing(symbol.from); });
    std::size_t files = 0;
    for (const UnresolvedLibrary& library : check_.libraries) files += !is_of_versions(library.failure);
    const bool has_versions = check_.facts.versions.has_error() || files != check_.libraries.size();
    const std::size_t stages = files + has_versions + !check_.facts.above_cpu.empty() + has_symbols;
    // musl tells all at once.
    if (stages < 2 || map_.system->rules.libc == Libc::Musl) return;
    page_.line(dim(say("next-shows-once-fixed")), 14);
  }

  /// LD_BIND_NOW asks for everything at once; without it the calls that are never made do no harm.
  void print_without_bind_now() {
    if (check_.opens_lazily && check_.is_ok() && !check_.symbols.empty()) {
      entry(say("head-lazy"), warn(say("loads-lazily")) + say("each-ends-process"));
      return;
    }
    if (!ends_in_symbol(check_) || is_left_to_process()) return;
    // musl binds everything at the start, with and without it.
    if (map_.subject() == 0 && map_.system->rules.libc == Libc::Musl) return;
    const UndefinedSymbol& first = check_.symbols.front().reference;
    if (map_.subject() != 0) {
      if (check_.as_asked.end == StartEnd::Runs) {
        entry(say("head-lazy"), warn(say("would-load-lazily")) + say("each-ends-process-python"));
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
                                  ? say("same-by-z-now", {{"object", name_of_object(first.referrer)}})
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
      if (opened.importance == Importance::Suggested && detail_ == Detail::Folded) continue;
      if (last == nullptr || last->opener != opened.opener || last->reported_by != opened.reported_by) {
        more(say(
            "opens-by",
            {{"opener", opened.opener}, {"evidence", term(name_of(opened.evidence))}, {"source", opened.reported_by}}));
      }
      page_.line(broken_words(opened) + say("comma-text", {{"text", term(name_of(opened.importance))}}), 16);
      last = &opened;
    }
    if (last != nullptr && !last->wheel.empty()) {
      more(Words(say("try")) + Words::command(pip_command({last->wheel})));
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
    if (is_library && has_free && !is_left_to_process()) {
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

Verdict verdict_of(const CheckReport& report) {
  if (report.import != nullptr && !report.import->exception.empty()) return Verdict::Fails;
  const Verdict verdict = verdict_of(report.map, report.check, report.dlopens, report.cuda);
  const bool is_unmet = std::any_of(report.requirements.begin(), report.requirements.end(),
                                    [](const RequirementVerdict& required) { return !required.is_met; });
  return is_unmet || (verdict == Verdict::Depends && report.strict == Strict::Yes) ? Verdict::Fails : verdict;
}

std::string check_line(const CheckReport& report, Language language) {
  return to_text(verdict_words(report), {.language = language});
}

Page check_page(const CheckReport& report, CheckForm form, Detail detail) {
  return CheckPage(report, detail).make(form);
}

}  // namespace soresolve
