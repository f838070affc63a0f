// The symbols that nothing defines, for people: by the object that refers to them, and by the file that a version of
// theirs is required from.
//
// Source: the check (symbols/). Folded, a group is cut to what explains it: a library or a version that is missing says
// already why all of its symbols are. Not here: references that are left to the first call and found by then.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "cuda/driver_mount.h"
#include "diagnose/verdict.h"
#include "loader/live_process.h"
#include "loader/system.h"
#include "report/check_parts.h"
#include "report/names.h"
#include "report/page.h"
#include "report/tones.h"
#include "symbols/cxx_names.h"

namespace soresolve {
namespace {

constexpr std::size_t kSymbolsShown = 10;
constexpr std::size_t kSymbolsNamed = 2;  ///< of files behind the first, and of what a missing version explains
constexpr std::size_t kGroupsShown = 3;
constexpr std::size_t kSymbolLines = 14;  ///< with their names as people write them, and near misses

class UndefinedSymbols {
 public:
  UndefinedSymbols(const CheckReport& report, Detail detail)
      : report_(report), process_(*report.map.process), map_(report.map), check_(report.check), detail_(detail) {}

  /// By referrer and by the file that the version is required from, each where it comes first.
  Page make() {
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
        page_.more(dim(say("and-more-v", {{"count", groups.size() - kGroupsShown}})));
        break;
      }
      add_origin(first, group.symbols.size());
      const bool is_consequence = is_placeholder(report_, first.from);
      if (is_consequence && detail_ == Detail::Folded) continue;
      // A version that is missing says already why all of its symbols are.
      const bool is_said = (first.from != kNoObject && has_gap(first.from)) || &group != groups.data();
      print_names(group.symbols, is_said ? kSymbolsNamed : kSymbolsShown);
    }
    return std::move(page_);
  }

 private:
  /// Of which file the symbols are, as far as a version tells.
  void add_origin(const UnresolvedSymbol& symbol, std::size_t count) {
    const Statement referrer = name_of_object(report_, symbol.reference.referrer);
    if (symbol.from == kNoObject) return page_.entry(say("head-undefined"), origin_without_version(symbol, count));
    if (is_placeholder(report_, symbol.from)) {
      return page_.entry(say("head-undefined"), say("undefined-of-missing",
                                                    {{"count", count}, {"referrer", referrer}, {"file", symbol.file}}));
    }
    const Statement path = name_of_object(report_, symbol.from);
    Words required = say("undefined-required", {{"count", count}, {"referrer", referrer}, {"file", symbol.file}});
    // The check of versions asks for names only, and passes on a library that is too old.
    const Statement verdict =
        say(has_gap(symbol.from) ? "does-not-define-them" : "has-version-not-symbols", {{"count", count}});
    const Words before = is_from_before(symbol.from) ? Words(say("is-from-before")) : Words();
    if (path == words_of_others(symbol.file)) return page_.entry(say("head-undefined"), required + before + verdict);
    page_.entry(say("head-undefined"), std::move(required));
    page_.more("=> " + Words(path) + before + verdict);
  }

  [[nodiscard]] Statement origin_without_version(const UnresolvedSymbol& symbol, std::size_t count) const {
    const Statement referrer = name_of_object(report_, symbol.reference.referrer);
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
    if (is_left_to_process(report_)) return say("defined-by-process", {{"count", count}, {"referrer", referrer}});
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
      const Tone tone = is_left_to_process(report_) ? Tone::Plain : Tone::Bad;
      page_.line(Words::foreign(versioned_name(reference.name, reference.version)).in(tone) +
                     (reference.is_lazy && !check_.asks_now ? say("lazy-fatal-at-call") : Statement{}),
                 16);
      for (const AskedObject& asked : symbol->other_versions) {
        page_.line(other_versions_of(asked), 18);
      }
      if (const std::string name = demangled(reference.name); !name.empty()) page_.line(dim(Words::foreign(name)), 18);
      for (const NearSymbol& near : symbol->near_misses) page_.line(near_miss_words(near), 18);
      for (const ObjectIndex hidden : symbol->out_of_scope) {
        page_.line(say("object-defines-it", {{"object", name_of_object(report_, hidden)}}), 18);
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
    return say("object-has-it", {{"object", name_of_object(report_, asked.object)},
                                 {"versions", versions},
                                 {"verdict", verdict_on(asked.verdict)}});
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

  const CheckReport& report_;
  const Process& process_;
  const LinkMap& map_;
  const Check& check_;
  Detail detail_;
  Page page_;
};

}  // namespace

Page check_symbols_page(const CheckReport& report, Detail detail) { return UndefinedSymbols(report, detail).make(); }

}  // namespace soresolve
