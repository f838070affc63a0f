// What ends a start once every library is found: processor level, symbols, static TLS, crashes of the loader. Source:
// the replayed start (symbols/startup.cc). Missing symbols are grouped by referrer and the file that should define
// them.
#include "diagnose/detectors.h"

#include "diagnose/verdict.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "cuda/driver_mount.h"
#include "elf/library_name.h"
#include "loader/live_process.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "symbols/cxx_names.h"
#include "symbols/musl.h"
#include "symbols/startup.h"
#include "symbols/static_tls_area.h"
#include "symbols/undefined_words.h"

namespace soresolve {
namespace {

/// Symbols of one referrer that one file (or none in particular) should define.
struct Group {
  ObjectIndex referrer = kNoObject;
  std::string_view file;
  std::vector<const UnresolvedSymbol*> symbols;
  bool is_left_to_host = false;
  bool is_left_to_driver = false;  ///< known only from the built-in table
};

std::vector<Group> group(const DiagnosisInput& input, const std::vector<UnresolvedSymbol>& symbols) {
  std::vector<Group> groups;
  for (const UnresolvedSymbol& symbol : symbols) {
    const bool is_left_to_driver = is_left_to_assumed_driver(input.map, symbol);
    const bool is_left_to_host = !symbol.reference.has_version && has_unknown_process(input.map) && !is_left_to_driver;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      return known.referrer == symbol.reference.referrer && known.file == symbol.file &&
             known.is_left_to_host == is_left_to_host && known.is_left_to_driver == is_left_to_driver;
    });
    if (same != groups.end()) {
      same->symbols.push_back(&symbol);
    } else {
      groups.push_back({symbol.reference.referrer, symbol.file, {&symbol}, is_left_to_host, is_left_to_driver});
    }
  }
  return groups;
}

std::string name_and_version(const UndefinedSymbol& symbol) {
  return symbol.version.empty() ? symbol.name : symbol.name + "@" + symbol.version;
}

/// As people write it. The loader's own line has the name as it is stored.
Statement shown(const std::vector<const UnresolvedSymbol*>& symbols) {
  UndefinedSymbol first = symbols.front()->reference;
  if (std::string name = demangled(first.name); !name.empty()) first.name = std::move(name);
  return symbols_in_short(name_and_version(first), symbols.size());
}

class MissingSymbols {
 public:
  MissingSymbols(const DiagnosisInput& input, const Check& check) : input_(input), check_(check) {}

  [[nodiscard]] Problem describe(const Group& group) const {
    const std::string referrer = name_of(group.referrer);
    const UndefinedSymbol& first = group.symbols.front()->reference;
    if (group.is_left_to_driver) {
      return make_problem(input_.map, ProblemCode::Note, referrer,
                          say("left-to-driver-rows", {{"referrer", referrer},
                                                      {"symbols", shown(group.symbols)},
                                                      {"version", input_.map.system->driver->version.text}}));
    }
    if (group.is_left_to_host) {
      Problem note = make_problem(input_.map, ProblemCode::Note, referrer,
                                  say("left-to-host", {{"referrer", referrer}, {"symbols", shown(group.symbols)}}));
      for (const UnresolvedSymbol* symbol : group.symbols) {
        if (!symbol->near_misses.empty()) add_near_misses(note, group, *symbol);
      }
      return note;
    }
    Problem problem = make_problem(input_.map, ProblemCode::SymbolMissing, first.name, text_of(group));
    problem.object = group.symbols.front()->from;
    // Under musl a version is of no file.
    const bool is_of_any = group.file.empty() || input_.map.system->rules.libc == Libc::Musl;
    if (is_of_any) problem.referrer = group.referrer;
    if (!check_.asks_now && is_lazy_in_program(group)) problem.phase = Phase::Call;
    const std::string words = undefined_words(first);
    problem.loader_says = input_.map.process->argv0 + ": symbol lookup error: " + referrer + ": " + words;
    problem.dlerror_says = referrer + ": " + words;
    if (input_.map.system->rules.libc == Libc::Musl) {
      problem.loader_says = problem.dlerror_says = "Error relocating " +
                                                   std::string(musl_name_of(input_.map, group.referrer)) + ": " +
                                                   first.name + ": symbol not found";
    }
    if (!group.file.empty()) problem.name = std::string(group.file);
    add_provider_that_lacks(problem, group);
    add_names(problem, group);
    return problem;
  }

 private:
  [[nodiscard]] std::string name_of(ObjectIndex object) const {
    return object == 0 ? input_.map.process->argv0 : std::string(input_.map.objects[object].path);
  }

  [[nodiscard]] Statement text_of(const Group& group) const {
    const Statement symbols = shown(group.symbols);
    const std::string referrer = name_of(group.referrer);
    const ObjectIndex provider = group.symbols.front()->from;
    const Statement when = when_of(group);
    if (provider != kNoObject) {
      return say("symbol-not-in-provider", {{"provider", input_.map.objects[provider].name()},
                                            {"symbols", symbols},
                                            {"referrer", referrer},
                                            {"file", group.file},
                                            {"when", when}});
    }
    if (const std::vector<ObjectIndex>& hidden = group.symbols.front()->out_of_scope; !hidden.empty()) {
      return say(is_scope_known(*input_.map.process) ? "symbol-out-of-scope" : "symbol-taken-out-of-scope",
                 {{"referrer", referrer},
                  {"symbols", symbols},
                  {"hidden", name_of(hidden.front())},
                  {"count", group.symbols.size()},
                  {"when", when}});
    }
    return say("symbol-nowhere", {{"symbols", symbols}, {"referrer", referrer}, {"when", when}});
  }

  /// When it is met, where that is not at once.
  [[nodiscard]] Statement when_of(const Group& group) const {
    if (!is_lazy_in_program(group)) return {};
    if (check_.asks_now) return say("lazy-but-bound-now");
    return say(check_.opens_lazily ? "lazy-opened" : "lazy-in-program");
  }

  [[nodiscard]] bool is_lazy_in_program(const Group& group) const {
    return (ends_program(input_.map) || check_.opens_lazily) &&
           std::all_of(group.symbols.begin(), group.symbols.end(),
                       [](const UnresolvedSymbol* symbol) { return symbol->reference.is_lazy; });
  }

  /// An object to which the referrer is bound without a version.
  struct Provider {
    std::size_t count = 0;
    bool is_related = false;  ///< by the names: the missing symbol is one of its kind
  };

  /// Who has most of what the referrer asks for without a version, and lacks the rest: the library of a missing
  /// symbol's kind, or the program that opened the referrer, in another release. Not libc and the like, which name
  /// their versions, nor Python for what is not its own.
  void add_provider_that_lacks(Problem& problem, const Group& group) const {
    const UnresolvedSymbol& first = *group.symbols.front();
    if (first.from != kNoObject || first.reference.has_version || !first.out_of_scope.empty()) return;
    const std::map<ObjectIndex, Provider> providers = providers_of(group.referrer, first.reference.name);
    const auto most = std::max_element(providers.begin(), providers.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.is_related, a.second.count) < std::pair(b.second.is_related, b.second.count);
    });
    if (most == providers.end()) return;
    const auto& [object, provider] = *most;
    const std::size_t total = provider.count + group.symbols.size();
    const bool is_host = input_.map.objects[object].role == ObjectRole::Main && group.referrer != object;
    if (!provider.is_related && !(is_host && 3 * provider.count >= 2 * total)) return;
    problem.evidence.push_back(
        {.what = say(provider.is_related ? "provider-lacks" : "host-lacks", {{"provider", name_of(object)},
                                                                             {"count", provider.count},
                                                                             {"total", total},
                                                                             {"referrer", name_of(group.referrer)},
                                                                             {"symbols", shown(group.symbols)}}),
         .path = file_of(input_.map, object)});
  }

  [[nodiscard]] std::map<ObjectIndex, Provider> providers_of(ObjectIndex referrer, std::string_view missing) const {
    const std::string_view kind = kind_of_name(missing);
    std::map<ObjectIndex, Provider> providers;
    check_.facts.bindings.for_each([&](const Bindings::Event& event) {
      if (event.binding == nullptr || event.binding->referrer != referrer) return;
      const SymbolBinding& binding = *event.binding;
      const bool counts_here = binding.is_bound() && !binding.has_version && !binding.is_repeated && !binding.is_weak &&
                               binding.provider != referrer;
      if (!counts_here) return;
      Provider& provider = providers[binding.provider];
      ++provider.count;
      provider.is_related = provider.is_related || are_alike(kind_of_name(binding.symbol), kind);
    });
    const bool is_pythons = missing.starts_with("Py") || missing.starts_with("_Py");
    for (auto one = providers.begin(); one != providers.end();) {
      const LoadedObject& object = input_.map.objects[one->first];
      const std::string_view file = file_name_of(one->first == 0 ? input_.map.main_path : object.path);
      std::string_view stem = library_stem(file);
      if (stem.starts_with("lib")) stem.remove_prefix(3);
      one->second.is_related = one->second.is_related || are_alike(stem, kind);
      const bool is_file = object.role == ObjectRole::Main || object.role == ObjectRole::Library;
      const bool counts = is_file && stem.starts_with("python") == is_pythons && !is_of_compiler_or_libc(file);
      one = counts ? std::next(one) : providers.erase(one);
    }
    return providers;
  }

  /// Of C++ the outermost namespace or class, else the name itself. Source: Itanium C++ ABI 5.1.
  static std::string_view kind_of_name(std::string_view symbol) {
    constexpr std::string_view kDigits = "0123456789";
    if (!symbol.starts_with("_Z")) return symbol;
    const std::size_t at = symbol.find_first_of(kDigits);
    const std::size_t name = at == std::string_view::npos ? at : symbol.find_first_not_of(kDigits, at);
    if (name == std::string_view::npos || name - at > 3) return {};
    std::size_t length = 0;
    for (const char digit : symbol.substr(at, name - at)) length = 10 * length + static_cast<std::size_t>(digit - '0');
    return symbol.substr(name, length);
  }

  /// Libraries of C begin the names of their symbols alike: uuid_, av_, ngx_.
  static bool are_alike(std::string_view a, std::string_view b) {
    constexpr std::size_t kPrefix = 3;
    return a.size() >= kPrefix && b.size() >= kPrefix && a.substr(0, kPrefix) == b.substr(0, kPrefix);
  }

  /// Their symbols have versions, or belong to the compiler: no release of them is meant.
  static bool is_of_compiler_or_libc(std::string_view file) {
    constexpr std::string_view kStems[] = {"libc", "libm", "libpthread", "libdl", "librt", "libgcc_s", "libstdc++"};
    const std::string_view stem = library_stem(file);
    return stem.starts_with("ld-") || std::find(std::begin(kStems), std::end(kStems), stem) != std::end(kStems);
  }

  void add_names(Problem& problem, const Group& group) const {
    for (const UnresolvedSymbol* symbol : group.symbols) {
      std::vector<Statement> others;
      for (const AskedObject& asked : symbol->other_versions) {
        const std::string& version = asked.other_versions.front().version;
        const std::string object = name_of(asked.object);
        others.push_back(version.empty() ? say("has-it-unversioned", {{"object", object}})
                                         : say("has-it-in-version", {{"object", object}, {"version", version}}));
      }
      for (const ObjectIndex hidden : symbol->out_of_scope) {
        others.push_back(say("defines-it-hidden", {{"object", name_of(hidden)}}));
      }
      add_near_misses(problem, group, *symbol);
      if (others.empty() && !demangled(symbol->reference.name).empty()) continue;  // told already
      problem.evidence.push_back({.what = say("symbol-elsewhere", {{"symbol", name_and_version(symbol->reference)},
                                                                   {"others", std::move(others)}}),
                                  .path = file_of(input_.map, group.referrer),
                                  .offset = symbol->entry_offset});
    }
  }

  /// Of a C++ symbol: what it is to people, where the sentence does not say it, and what it was probably meant to be.
  static void add_near_misses(Problem& problem, const Group& group, const UnresolvedSymbol& symbol) {
    const std::string name = demangled(symbol.reference.name);
    if (!name.empty() && &symbol != group.symbols.front()) {
      problem.evidence.push_back({.what = say("symbol-readable", {{"symbol", symbol.reference.name}, {"name", name}})});
    }
    for (const NearSymbol& near : symbol.near_misses) {
      problem.evidence.push_back({.what = near_miss_words(near), .path = near.path});
    }
  }

  const DiagnosisInput& input_;
  const Check& check_;
};

}  // namespace

std::vector<Problem> find_above_cpu(const DiagnosisInput& input) {
  std::vector<Problem> problems;
  for (const ObjectIndex object : objects_above_cpu(input.map)) {
    const LoadedObject& loaded = input.map.objects[object];
    const std::string path = object == 0 ? input.map.process->argv0 : std::string(loaded.path);
    if (!input.is_of_interest(loaded.requested_name)) continue;
    Problem problem = make_problem(input.map, ProblemCode::CpuLevel, path,
                                   say("cpu-level", {{"object", path},
                                                     {"level", isa_level_name(loaded.elf.isa_needed)},
                                                     {"cpu", input.map.process->cpu.name}}));
    problem.object = object;
    // No program in front of it: _dl_fatal_printf of dl_isa_level_check.
    problem.loader_says = path + ": CPU ISA level is lower than required";
    problem.dlerror_says = problem.loader_says;
    problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<Problem> find_other_end(const DiagnosisInput& input, const Check& check) {
  // A program that binds lazily may come past what ends one that does not.
  const bool is_program = input.map.process->start == Start::Kernel && input.map.subject() == 0;
  const bool is_later = is_program && !check.asks_now && check.as_asked.end == StartEnd::Runs;
  const Startup& start = is_program && !is_later ? check.as_asked : check.answer();
  if (start.end == StartEnd::Runs || start.end == StartEnd::Versions || !input.asked.empty()) return {};
  if (start.end == StartEnd::Fails && !start.fatal_line) {  // RTLD_NOLOAD, without a word of the loader
    return {
        make_problem(input.map, ProblemCode::FatalCandidate, input.map.process->argv0, words_of_others(start.death))};
  }
  const std::string line = start.fatal_line ? start.lines[*start.fatal_line] : std::string();
  const bool is_reported = line.find("undefined symbol: ") != std::string::npos ||
                           line.ends_with(": symbol not found") ||  // musl's words
                           line.find("CPU ISA level is lower than required") != std::string::npos;
  if (is_reported) return {};
  constexpr std::string_view kNoRoom = ": cannot allocate memory in static TLS block";
  if (start.end == StartEnd::Fails && line.ends_with(kNoRoom)) {
    const std::string object = line.substr(0, line.size() - kNoRoom.size());
    Problem problem = make_problem(
        input.map, ProblemCode::StaticTlsFull, object,
        say("static-tls-full",
            {{"object", object}, {"count", static_tls_surplus_bytes(input.map.system->rules, *input.map.process)}}));
    problem.loader_says = line;
    problem.dlerror_says = line;
    return {std::move(problem)};
  }

  Problem problem =
      make_problem(input.map, ProblemCode::WouldCrash, input.map.process->argv0,
                   start.end != StartEnd::Fails ? say("would-die", {{"reason", start.death}})
                                                : say(is_later ? "first-call-ends" : "start-ends", {{"reason", line}}));
  if (is_later) problem.phase = Phase::Call;
  problem.loader_says = line;
  problem.dlerror_says = line;
  return {std::move(problem)};
}

std::vector<Problem> find_missing_symbols(const DiagnosisInput& input, const Check& check) {
  std::vector<Problem> problems;
  const MissingSymbols symbols(input, check);
  for (const Group& group : group(input, check.symbols)) {
    if (!input.asked.empty() && group.file != input.asked) continue;
    problems.push_back(symbols.describe(group));
  }
  return problems;
}

}  // namespace soresolve
