// Whether it starts, for people: the loader's line, then what is wrong beyond it, in the order in
// which the loader would come to it.
#include <algorithm>
#include <vector>

#include "report/stack_and_tls.h"
#include "report/words.h"
#include "soresolve/live_process.h"
#include "soresolve/report_check.h"
#include "soresolve/sentence.h"
#include "symbols/undefined_words.h"

namespace soresolve {
namespace {

constexpr std::size_t kSymbolsShown = 10;

Text joined(const std::vector<std::string>& words, const Text& between) {
  Text text;
  for (const std::string& word : words) text.add_item(Text::escaped(word), between);
  return text;
}

/// The file that the check is about, as it was given.
std::string subject_name(const CheckReport& report) {
  if (report.map.openings.empty()) return report.map.process->argv0;
  const NeedRef& request = report.map.openings.back().request;
  return std::string(report.map.objects[request.needer].needs[request.need].name);
}

/// What is wrong although the loader says nothing: requirements that are not met, and libraries that are lost later.
Text unmet_text(const CheckReport& report) {
  Text text;
  for (const RequirementVerdict& verdict : report.requirements) {
    if (!verdict.is_met) text += (text.empty() ? Text("not met: ") : ", ") + Text::escaped(verdict.requirement.text);
  }
  if (const Dlopen* lost = first_lost_dlopen(report.dlopens)) {
    if (!text.empty()) text += "; ";
    text += Text::escaped(lost->shown().name) + ", which " + Text::escaped(lost->opener) + " opens by itself, " +
            (lost->is_found ? "cannot be loaded: " + Text::escaped(lost->failure) : "is not found");
  }
  return text;
}

class CheckPrinter {
 public:
  CheckPrinter(const CheckReport& report, Colour colour, Detail detail)
      : report_(report), process_(*report.map.process), map_(report.map), check_(report.check), paint_(colour),
        is_painted_(colour == Colour::Always), detail_(detail) {}

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

  void entry(const Text& head, const Text& content) { text_ += proof_line(head, content); }

  /// As the loader calls it.
  [[nodiscard]] Text shown(ObjectIndex object) const {
    if (object == kNoObject) return "the program";
    return Text::escaped(object == 0 ? std::string_view(process_.argv0) : map_.objects[object].path);
  }

  [[nodiscard]] Text shown(const std::vector<ObjectIndex>& objects) const {
    constexpr std::size_t kShown = 4;
    Text text;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (i == kShown && detail_ == Detail::Folded) {
        return text + " and " + Text::number(objects.size() - kShown) + " more (-v)";
      }
      text += (i == 0 ? Text() : ", ") + shown(objects[i]);
    }
    return text;
  }

  /// What is not met, or what the loader says: that byte for byte (who writes it to a terminal escapes it), unless it
  /// is painted.
  [[nodiscard]] std::string first_line() const {
    const std::string verdict = check_line(report_);
    const Text unmet = unmet_text(report_);
    if (check_.is_ok() && !unmet.empty())
      return (paint_.bad(unmet) + "\n" + proof_line(Text("loader"), Text::escaped(verdict))).str();
    if (!is_painted_) return verdict + "\n";
    const Text text = Text::escaped(verdict);
    return ((check_.is_ok() ? paint_.good(text) : paint_.bad(text)) + "\n").str();
  }

  /// Is it about something that comes before, or that has been there?
  void print_place() {
    if (map_.openings_left != 0) {
      entry("before", map_.openings.empty() ? Text("this is the start of the program; it opens nothing any more")
                                            : "this is " + Text::escaped(subject_name(report_)) +
                                                  ", which the process is said to have loaded before");
    } else if (!map_.openings.empty() && is_there_before(map_.openings.back())) {
      entry("loaded", "it is in the process before: " + shown(map_.openings.back().asked));
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
      entry(is_warning ? Text("warns") : "then", Text::escaped(answer.lines[i]));
    }
  }

  void print_libraries() {
    bool is_search = false;
    for (const LostLibrary& library : check_.libraries) {
      const LoadFailure& failure = library.failure;
      using Kind = LoadFailure::Kind;
      std::string_view head = "refused";
      Text what = Text::escaped(failure.object) + ": " + Text::escaped(failure.text);
      switch (failure.kind) {
        case Kind::Missing:
          head = "missing";
          what = Text::escaped(failure.object);
          break;
        case Kind::Crash: head = "crash"; break;
        case Kind::Block: head = "blocks"; break;
        case Kind::Assertion:
          if (failure.text.starts_with("Inconsistency")) head = "assertion";
          break;
        case Kind::VersionFile:
          head = "assertion";
          what = "versions are required from " + Text::escaped(failure.object) +
                 ", but nothing in the process goes by that name";
          break;
        case Kind::VersionRecord: head = "version"; break;
        default: break;
      }
      is_search = is_search || head == "missing" || head == "refused";
      entry(Text::escaped(head), paint_.bad(what) + ", needed by " + shown(library.needers));
    }
    if (is_search) {
      line(paint_.dim("              where ld.so looks, and what is there: soresolve why " +
                      Text::escaped(subject_name(report_))));
    }
  }

  void print_versions() {
    for (const VersionGap& gap : check_.versions) {
      const VersionMessage& message = gap.message;
      if (message.version.empty() || message.need_offset == 0) continue;
      const Text version = Text::escaped(message.version);
      const Text place = " (vernaux entry at file offset " + Text::hex(message.need_offset) + ")";
      entry("version", (message.is_error ? paint_.bad(version) : paint_.warn(version)) + " is required from " +
                           shown(message.provider) + " by " + shown(message.requirer) + paint_.dim(place));
      line("              " + there_of(gap));
    }
  }

  [[nodiscard]] static Text there_of(const VersionGap& gap) {
    if (gap.defined_count == 0) return "that file defines no version at all";
    if (gap.nearest.size() == gap.defined_count) return "that file defines " + joined(gap.nearest, ", ");
    return "that file defines " + Text::counted(gap.defined_count, "version") +
           ", the nearest: " + joined(gap.nearest, ", ");
  }

  void print_cpu() {
    for (const ObjectIndex object : check_.facts.above_cpu) {
      const std::uint32_t has = (1u << std::clamp(process_.cpu.isa_level, 1, 4)) - 1;
      entry("cpu",
            paint_.bad(shown(object) + " needs " + Text::escaped(isa_level_name(map_.objects[object].elf.isa_needed))) +
                ", the processor has " + Text::escaped(isa_level_name(has)));
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
      entry("undefined", Text::counted(group.symbols.size(), "symbol") + " that " + shown(group.referrer) +
                             origin_of(first, group.symbols.size()));
      const bool is_consequence = is_lost(first.from);
      if (!is_consequence || detail_ == Detail::Full) print_names(group.symbols);
    }
  }

  [[nodiscard]] bool is_lost(ObjectIndex object) const {
    return object != kNoObject && map_.objects[object].role == ObjectRole::Placeholder;
  }

  [[nodiscard]] Text origin_of(const LostSymbol& symbol, std::size_t count) const {
    const Text file = Text::escaped(symbol.file);
    const Text them = count == 1 ? Text("it") : "them";
    const Text symbols = count == 1 ? Text("the symbol") : "the symbols";
    if (is_lost(symbol.from)) return " requires from " + file + ", which is missing";
    if (symbol.from != kNoObject) {
      const Text path = shown(symbol.from);
      // The check of versions asks for names only, and passes on a library that is too old.
      return " requires from " + file + (path == file ? Text() : "\n              => " + path) +
             (is_from_before(symbol.from) ? Text(" (in the process before)") : Text()) +
             (has_gap(symbol.from) ? ", which does not define " + them + ":"
                                   : ", which has the version, but not " + symbols + ":");
    }
    const bool has_lost = std::any_of(check_.libraries.begin(), check_.libraries.end(), [](const LostLibrary& library) {
      return library.failure.kind == LoadFailure::Kind::Missing ||
             library.failure.kind == LoadFailure::Kind::WrongClass;
    });
    if (has_lost) return " refers to; what is missing may define " + them + ":";
    if (!symbol.out_of_scope.empty()) {
      return " refers to; what defines " + them +
             (is_scope_known(*report_.map.process) ? Text(" was opened") : " is taken for opened") +
             " with RTLD_LOCAL, for itself only:";
    }
    return " refers to and nothing in the process defines:";
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
        line("                and " + Text::number(left) + " more (-v)");
        return;
      }
      const UndefinedSymbol& reference = symbol->reference;
      line("                " + paint_.bad(Text::escaped(versioned_name(reference.name, reference.version))) +
           (reference.is_lazy && !check_.asks_now ? Text("  lazy: fatal only when it is called") : Text()));
      for (const AskedObject& asked : symbol->namesakes) {
        line("                  " + shown(asked.object) + " has " + namesakes_text(asked));
      }
      for (const ObjectIndex hidden : symbol->out_of_scope) {
        line("                  " + shown(hidden) + " defines it");
      }
    }
  }

  /// "it as f@V1 (hidden) and f@@V2, no version that serves"
  static Text namesakes_text(const AskedObject& asked) {
    Text text = "it";
    for (std::size_t i = 0; i < asked.namesakes.size(); ++i) {
      const Namesake& namesake = asked.namesakes[i];
      text += i == 0 ? Text() : i + 1 == asked.namesakes.size() ? Text(" and") : ",";
      text += namesake.version.empty() ? Text(" without a version") : " in version " + Text::escaped(namesake.version);
      if (namesake.is_hidden) text += " (not the default one)";
    }
    switch (asked.verdict) {
      case AskedVerdict::OtherVersion: return text + ", which does not serve";
      case AskedVerdict::Ambiguous: return text + ": the reference does not say which";
      case AskedVerdict::NotVisible: return text + ", but hidden from others";
      case AskedVerdict::LocalBinding: return text + ", but as a local symbol";
      default: return text;
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
    line(paint_.dim(Text("              (ld.so tells of the first only; the next shows once that is mended)")));
  }

  /// LD_BIND_NOW asks for everything at once; without it the calls that are never made do no harm.
  void print_without_bind_now() {
    if (check_.opens_lazily && check_.is_ok() && !check_.symbols.empty()) {
      entry("lazy", paint_.warn(Text("it is opened with RTLD_LAZY, so it loads")) +
                        "; each of these ends the process once it is called");
      return;
    }
    if (!ends_in_symbol()) return;
    const UndefinedSymbol& first = check_.symbols.front().reference;
    if (map_.subject() != 0) {
      if (check_.as_asked.end == StartEnd::Runs) {
        entry("lazy", paint_.warn(Text("with RTLD_LAZY it loads")) +
                          "; each of these ends the process once it is called "
                          "(Python opens with RTLD_NOW)");
      }
      return;
    }
    if (check_.asks_now) {
      entry("lazy", "nothing is: LD_BIND_NOW is set in this environment");
    } else if (check_.as_asked.end == StartEnd::Runs) {
      entry("lazy", paint_.warn(Text("without LD_BIND_NOW it starts")) + "; each of these ends it once it is called");
    } else if (first.is_lazy) {
      entry("lazy", "without LD_BIND_NOW it ends all the same, with");
      line("                " + paint_.bad(Text::escaped(line_as_asked())));
    } else {
      const Text referrer = shown(first.referrer);
      entry("lazy", "the same without LD_BIND_NOW: " +
                        (map_.objects[first.referrer].elf.is_bind_now
                             ? referrer + " is linked with -z now"
                             : "this reference is no call through a PLT, so it is bound at the start"));
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
    entry("objects", Text::counted(counts.objects, "file") + ", all found");
    entry("versions",
          counts.versions == 0
              ? "none required"
              : Text::counted(counts.versions, "requirement") + " looked at" +
                    (check_.versions.empty() ? Text(", all met")
                                             : ", " + Text::number(check_.versions.size()) + " with a warning"));
    entry("symbols", Text::counted(counts.references - counts.unbound_weak, "reference") + " bound" +
                         (counts.unbound_weak == 0 ? Text()
                                                   : "; " + Text::counted(counts.unbound_weak, "weak one") +
                                                         " found nowhere, which is no error"));
    if (counts.lazy != 0) {
      entry("lazy", Text::number(counts.lazy) + " of them " +
                        (map_.subject() != 0 ? "wait for the first call, if it is opened with RTLD_LAZY"
                         : check_.asks_now   ? Text("would wait for the first call, were LD_BIND_NOW not set")
                                             : "wait for the first call, unless LD_BIND_NOW is set"));
    }
  }

  /// What is opened later, and of that what will not be there.
  void print_openings() {
    const std::vector<Dlopen>& list = report_.dlopens.list;
    if (list.empty()) return;
    std::size_t faultless = 0;
    for (const Dlopen& opened : list) faultless += opened.is_faultless();
    entry("later", (list.size() == 1 ? Text("1 library is") : Text::number(list.size()) + " libraries are") +
                       " opened with dlopen, " +
                       (faultless == list.size() ? Text("all")
                        : faultless == 0         ? Text("none")
                                                 : Text::number(faultless)) +
                       " in order");
    const Dlopen* last = nullptr;
    for (const Dlopen& opened : list) {
      if (opened.is_faultless()) continue;
      if (last == nullptr || last->opener != opened.opener || last->told_by != opened.told_by) {
        line("              " + Text::escaped(opened.opener) + " opens (" + Text::escaped(name_of(opened.evidence)) +
             ", by " + Text::escaped(opened.told_by) + "):");
      }
      line("                " + broken_text(opened) + ", " + Text::escaped(name_of(opened.importance)));
      last = &opened;
    }
  }

  [[nodiscard]] Text broken_text(const Dlopen& opened) const {
    const std::string& words = opened.failure.empty() ? opened.failure_now : opened.failure;
    const Text name = Text::escaped(opened.shown().name);
    const Text what = !opened.is_found ? name + " is not found"
                      : opened.failure.empty()
                          ? name + " loads with RTLD_LAZY only, and then ends at a call: " + Text::escaped(words)
                          : name + " cannot be loaded: " + Text::escaped(words);
    const bool is_serious = opened.source != DlopenSource::Literal && opened.importance == Importance::Required;
    return is_serious ? paint_.bad(what) : what;
  }

  void print_notes() {
    const bool is_library = process_.start != Start::Kernel;
    const bool has_free = std::any_of(check_.symbols.begin(), check_.symbols.end(),
                                      [](const LostSymbol& symbol) { return !symbol.reference.has_version; });
    if (is_library && has_free) {
      entry("mind",
            "this is a library judged on its own, as by `ld.so FILE`: the process that opens it may "
            "define what");
      line("              is asked for without a version (Python does so for its extension modules)");
    }
    for (const std::string& note : stack_and_tls_notes(report_)) entry("mind", Text::escaped(note));
    for (const std::string& note : map_.notes) entry("mind", Text::escaped(note));
  }

  void print_cuda() {
    for (const Problem& problem : report_.cuda) {
      if (severity_of(problem.code) == Severity::Note) continue;
      entry("warning", "[" + Text::escaped(code_of(problem.code)) + "] " +
                           Text::escaped(sentence(problem.what, Language::English)));
      for (const Statement& proof : problem.evidence) {
        line("              " + Text::escaped(sentence(proof, Language::English)));
      }
    }
  }

  void print_requirements() {
    for (const RequirementVerdict& verdict : report_.requirements) {
      entry(verdict.is_met ? Text("met") : "not met",
            Text::escaped(verdict.requirement.text) + ": " + Text::escaped(verdict.seen));
      for (const std::string& proof : verdict.proof) line("              " + Text::escaped(proof));
    }
  }

  const CheckReport& report_;
  const Process& process_;
  const LinkMap& map_;
  const Check& check_;
  Paint paint_;
  bool is_painted_;
  Detail detail_;
  Text text_;
};

}  // namespace

std::string check_line(const CheckReport& report) {
  const Startup& startup = report.check.answer();
  switch (startup.end) {
    case StartEnd::Runs: return "ok";
    case StartEnd::Crashes: return report.map.process->argv0 + ": the loader would crash: " + startup.death;
    case StartEnd::Blocks: return report.map.process->argv0 + ": the loader would wait for ever: " + startup.death;
    case StartEnd::Fails:
    case StartEnd::Versions: break;
  }
  // RTLD_NOLOAD fails without a word of the loader.
  return startup.fatal_line ? startup.lines[*startup.fatal_line] : startup.death;
}

std::string check_line_of_many(const CheckReport& report) {
  const std::string verdict = check_line(report);
  const std::string prefix = subject_name(report) + ": ";
  Text line = Text::escaped(verdict.starts_with(prefix) ? verdict : prefix + verdict);
  if (!report.check.is_ok()) return line.str();
  if (const Dlopen* lost = first_lost_dlopen(report.dlopens)) {
    line += "; but " + Text::escaped(lost->shown().name) + ", which " + Text::escaped(lost->opener) +
            " opens by itself, " +
            (lost->is_found ? "cannot be loaded: " + Text::escaped(lost->failure) : "is not found");
  }
  for (const RequirementVerdict& required : report.requirements) {
    if (!required.is_met)
      line += "; but " + Text::escaped(required.requirement.text) + " is not met: " + Text::escaped(required.seen);
  }
  return line.str();
}

std::string check_text(const CheckReport& report, Colour colour, Detail detail) {
  return CheckPrinter(report, colour, detail).print();
}

std::string check_proof(const CheckReport& report, Colour colour, Detail detail) {
  return CheckPrinter(report, colour, detail).print_proof();
}

}  // namespace soresolve
