// What ends a start once every library is found: processor level, symbols, static TLS, crashes of the loader. Source:
// the replayed start (symbols/startup.cc). Missing symbols are grouped by referrer and the file that should define
// them.
#include "diagnose/start_problems.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "soresolve/live_process.h"
#include "soresolve/loader.h"
#include "symbols/static_tls_area.h"
#include "symbols/undefined_words.h"

namespace soresolve {
namespace {

/// Symbols of one referrer that one file (or none in particular) should define.
struct Group {
  ObjectIndex referrer = kNoObject;
  std::string_view file;
  std::vector<const LostSymbol*> symbols;
  bool is_left_to_host = false;
};

/// Does the process that opens this library count, of which nothing is known?
bool has_unknown_host(const Scene& scene) {
  return scene.map.process->start != Start::Kernel && scene.map.openings.empty();
}

std::vector<Group> group(const Scene& scene, const std::vector<LostSymbol>& symbols) {
  std::vector<Group> groups;
  for (const LostSymbol& symbol : symbols) {
    const bool is_left_to_host = !symbol.reference.has_version && has_unknown_host(scene);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      return known.referrer == symbol.reference.referrer && known.file == symbol.file &&
             known.is_left_to_host == is_left_to_host;
    });
    if (same != groups.end()) {
      same->symbols.push_back(&symbol);
    } else {
      groups.push_back({symbol.reference.referrer, symbol.file, {&symbol}, is_left_to_host});
    }
  }
  return groups;
}

std::string name_and_version(const UndefinedSymbol& symbol) {
  return symbol.version.empty() ? symbol.name : symbol.name + "@" + symbol.version;
}

/// "cudaMalloc", "cudaMalloc and 3 further symbols".
std::string shown(const std::vector<const LostSymbol*>& symbols) {
  const std::string first = name_and_version(symbols.front()->reference);
  if (symbols.size() == 1) return first;
  return first + " and " + std::to_string(symbols.size() - 1) +
         (symbols.size() == 2 ? " further symbol" : " further symbols");
}

class MissingSymbols {
 public:
  MissingSymbols(const Scene& scene, const Check& check) : scene_(scene), check_(check) {}

  [[nodiscard]] Problem describe(const Group& group) const {
    const std::string referrer = name_of(group.referrer);
    const UndefinedSymbol& first = group.symbols.front()->reference;
    if (group.is_left_to_host) {
      return make_problem(ProblemCode::Note, referrer,
                          referrer + " leaves " + shown(group.symbols) +
                              " to the process that opens it (Python's own functions, for an extension module)");
    }
    Problem problem = make_problem(ProblemCode::SymbolMissing, first.name, text_of(group));
    problem.object = group.symbols.front()->from;
    problem.is_met_later = !check_.asks_now && is_lazy_in_program(group);
    const std::string words = undefined_words(first);
    problem.loader_says = scene_.map.process->argv0 + ": symbol lookup error: " + referrer + ": " + words;
    problem.dlerror_says = referrer + ": " + words;
    if (!group.file.empty()) problem.name = std::string(group.file);
    add_names(problem, group);
    return problem;
  }

 private:
  [[nodiscard]] std::string name_of(ObjectIndex object) const {
    return object == 0 ? scene_.map.process->argv0 : std::string(scene_.map.objects[object].path);
  }

  [[nodiscard]] std::string text_of(const Group& group) const {
    const std::string symbols = shown(group.symbols);
    const std::string referrer = name_of(group.referrer);
    const ObjectIndex provider = group.symbols.front()->from;
    std::string text;
    if (provider != kNoObject) {
      text = std::string(scene_.map.objects[provider].name()) + " is found, but it does not define " + symbols +
             ", which " + referrer + " requires of " + std::string(group.file);
    } else if (const std::vector<ObjectIndex>& hidden = group.symbols.front()->out_of_scope; !hidden.empty()) {
      text =
          "nothing in the scope of " + referrer + " defines " + symbols +
          ", which it refers to: " + name_of(hidden.front()) + " defines " +
          (group.symbols.size() == 1 ? "it" : "the first") + ", but " +
          (is_scope_known(*scene_.map.process) ? "was opened with RTLD_LOCAL" : "is taken for opened with RTLD_LOCAL");
    } else {
      text = "nothing in the process defines " + symbols + ", which " + referrer + " refers to";
    }
    if (is_lazy_in_program(group)) {
      text += check_.asks_now       ? "; without LD_BIND_NOW it ends at the first call of it"
              : check_.opens_lazily ? "; it is opened with RTLD_LAZY: only the first call of it ends the process"
                                    : "; only the first call of it ends the program, unless LD_BIND_NOW is set";
    }
    return text;
  }

  [[nodiscard]] bool is_lazy_in_program(const Group& group) const {
    return (ends_program(scene_.map) || check_.opens_lazily) &&
           std::all_of(group.symbols.begin(), group.symbols.end(),
                       [](const LostSymbol* symbol) { return symbol->reference.is_lazy; });
  }

  void add_names(Problem& problem, const Group& group) const {
    for (const LostSymbol* symbol : group.symbols) {
      std::string line = name_and_version(symbol->reference);
      for (const AskedObject& asked : symbol->namesakes) {
        line += "; " + name_of(asked.object) + " has it";
        const std::string& version = asked.namesakes.front().version;
        line += version.empty() ? " without a version" : " in version " + version;
      }
      for (const ObjectIndex hidden : symbol->out_of_scope)
        line += "; " + name_of(hidden) + " defines it, but not for others";
      problem.proof.push_back(std::move(line));
    }
  }

  const Scene& scene_;
  const Check& check_;
};

}  // namespace

std::vector<Problem> find_above_cpu(const Scene& scene) {
  std::vector<Problem> problems;
  for (const ObjectIndex object : objects_above_cpu(scene.map)) {
    const LoadedObject& loaded = scene.map.objects[object];
    const std::string path = object == 0 ? scene.map.process->argv0 : std::string(loaded.path);
    if (!scene.is_of_interest(loaded.requested_name)) continue;
    Problem problem = make_problem(ProblemCode::CpuLevel, path,
                                   path + " is built for " + isa_level_name(loaded.elf.isa_needed) +
                                       ", and the processor (" + scene.map.process->cpu.name + ") has less");
    problem.object = object;
    // No program in front of it: _dl_fatal_printf of dl_isa_level_check.
    problem.loader_says = path + ": CPU ISA level is lower than required";
    problem.dlerror_says = problem.loader_says;
    problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<Problem> find_other_end(const Scene& scene, const Check& check) {
  // A program that binds lazily may come past what ends one that does not.
  const bool is_program = scene.map.process->start == Start::Kernel && scene.map.subject() == 0;
  const bool is_later = is_program && !check.asks_now && check.as_asked.end == StartEnd::Runs;
  const Startup& start = is_program && !is_later ? check.as_asked : check.answer();
  if (start.end == StartEnd::Runs || start.end == StartEnd::Versions || !scene.asked.empty()) return {};
  if (start.end == StartEnd::Fails && !start.fatal_line) {  // RTLD_NOLOAD, without a word of the loader
    return {make_problem(ProblemCode::FatalCandidate, scene.map.process->argv0, start.death)};
  }
  const std::string line = start.fatal_line ? start.lines[*start.fatal_line] : std::string();
  const bool is_told = line.find("undefined symbol: ") != std::string::npos ||
                       line.find("CPU ISA level is lower than required") != std::string::npos;
  if (is_told) return {};
  constexpr std::string_view kNoRoom = ": cannot allocate memory in static TLS block";
  if (start.end == StartEnd::Fails && line.ends_with(kNoRoom)) {
    const std::string object = line.substr(0, line.size() - kNoRoom.size());
    Problem problem =
        make_problem(ProblemCode::StaticTlsFull, object,
                     "the thread-local storage of " + object + " has no room at a fixed place: the loader keeps " +
                         std::to_string(static_tls_surplus_bytes(scene.map.system->rules, *scene.map.process)) +
                         " bytes for all that a process opens, and dlopen fails");
    problem.loader_says = line;
    problem.dlerror_says = line;
    return {std::move(problem)};
  }
  const std::string when = is_later ? "the first call of a symbol that is bound lazily ends the program"
                                    : "the start ends before the program runs";
  Problem problem =
      make_problem(ProblemCode::WouldCrash, scene.map.process->argv0,
                   start.end == StartEnd::Fails ? when + ": " + line : "ld.so would die of a signal: " + start.death);
  problem.is_met_later = is_later;
  problem.loader_says = line;
  problem.dlerror_says = line;
  return {std::move(problem)};
}

std::vector<Problem> find_missing_symbols(const Scene& scene, const Check& check) {
  std::vector<Problem> problems;
  const MissingSymbols symbols(scene, check);
  for (const Group& group : group(scene, check.symbols)) {
    if (!scene.asked.empty() && group.file != scene.asked) continue;
    problems.push_back(symbols.describe(group));
  }
  return problems;
}

}  // namespace soresolve
