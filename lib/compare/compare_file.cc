// One file in two worlds: both walked with all attempts, then the causes, what they come to for verdicts, problems and
// bindings, and what would make B answer as A.
#include "compare/compare_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/symbols.h"

namespace soresolve {
namespace {

constexpr std::size_t kSymbolsShown = 5;

/// What the loader does, and nothing of what is opened later.
Question question_of(const std::string& file, LookFor look_for = LookFor::Symbols) {
  return {.file = file,
          .later = DlopenLevel::None,
          .cuda = JudgeCuda::No,
          .attempts = Attempts::Record,
          .look_for = look_for,
          .refusal = RefusalFixes::None};
}

Answered answer_in(World& world, Question question) {
  Answered answered;
  Result<Answer> answer = ask(world, std::move(question));
  if (!answer) {
    answered.error = std::move(answer).error();
  } else {
    answered.answer = *std::move(answer);
    answered.error = answered.answer->refused_as();
  }
  return answered;
}

Answered answer_in_process(World& world, const WorldSettings& settings, const std::string& file,
                           const AssumedProcess& process) {
  Question question = question_of(file);
  question.process = settings.process;
  question.process->exe = process.program;
  for (const std::string& loaded : process.loaded) question.process->loaded.push_back({.file = loaded});
  Answered answered = answer_in(world, std::move(question));
  answered.process = process;
  return answered;
}

}  // namespace

std::optional<Verdict> Answered::verdict() const {
  if (!answer) return std::nullopt;
  const bool is_judged = run() == nullptr || answer->verdict() == Verdict::Fails || !answer->unreadable();
  return is_judged ? std::optional(answer->verdict()) : std::nullopt;
}

std::string Answered::prints() const {
  const std::optional<Verdict> said = verdict();
  if (!said) return (answer ? *answer->unreadable() : *error).to_string();
  return said == Verdict::Fails ? answer->host_line() : std::string();
}

Answered answer_like(const Answered& in_a, World& world, const WorldSettings& settings, const std::string& file) {
  return in_a.process ? answer_in_process(world, settings, file, *in_a.process) : answer_in(world, question_of(file));
}

namespace {

/// Does the request lead to the file, on the side?
bool leads_to(const RequestDifference& request, Side side, const std::string& path) {
  return !path.empty() && (side == Side::A ? request.path_a : request.path_b) == path;
}

/// What ends the side's process: a request that fails, a library that lacks a version or a symbol.
class EndOfProcess {
 public:
  EndOfProcess(const Answered& fails, const Answered& other, Side side) : side_(side) {
    const LinkMap& map = fails.run()->map();
    if (const LoadFailure* const failure = map.first_fatal()) {
      name_ = failure->object;
      if (const Need* const need = map.find_need({failure->needer, failure->need})) name_ = std::string(need->name);
      return;
    }
    const Result<Check>& check = fails.run()->check();
    if (!check) return;
    for (const VersionGap& gap : check->versions) {
      if (gap.message.is_error && gap.message.provider != kNoObject) provider_ = path_of(map, gap.message.provider);
      if (!provider_.empty()) return;
    }
    const std::vector<UndefinedSymbol>& undefined = check->answer().undefined;
    if (undefined.empty() || undefined.front().referrer == kNoObject) return;
    referrer_ = path_of(map, undefined.front().referrer);
    if (other.run() == nullptr) return;
    const Result<Bindings>& bindings = other.run()->bindings();
    if (!bindings) return;
    // The one that defines it on the other side.
    const LinkMap& good = other.run()->map();
    bindings->for_each([&](const Bindings::Event& event) {
      if (event.binding == nullptr || !event.binding->is_bound() || !provider_there_.empty()) return;
      if (event.binding->symbol == undefined.front().name && path_of(good, event.binding->referrer) == referrer_) {
        provider_there_ = path_of(good, event.binding->provider);
      }
    });
  }

  [[nodiscard]] bool is_by(const DifferenceCause& cause) const {
    const auto is_it = [&](const RequestDifference& request) {
      if (!name_.empty()) {
        const RequestChange gone = side_ == Side::B ? RequestChange::Went : RequestChange::Came;
        return request.name == name_ && (request.change == gone || is_lone(request.change));
      }
      return leads_to(request, side_, provider_) || leads_to(request, other_side(side_), provider_there_);
    };
    return std::any_of(cause.decided.begin(), cause.decided.end(), is_it) ||
           std::any_of(cause.derived.begin(), cause.derived.end(), is_it);
  }
  /// Where no file that differs lacks the symbol: the one that refers to it.
  [[nodiscard]] bool is_of_referrer(const DifferenceCause& cause) const {
    return std::any_of(cause.decided.begin(), cause.decided.end(),
                       [&](const RequestDifference& request) { return leads_to(request, side_, referrer_); });
  }

 private:
  static bool is_lone(RequestChange change) {
    return change == RequestChange::OnlyInA || change == RequestChange::OnlyInB;
  }
  Side side_;
  std::string name_;            ///< of the library that is not found
  std::string provider_;        ///< that lacks a version
  std::string provider_there_;  ///< of the other side, which has the symbol
  std::string referrer_;
};

}  // namespace

ComparedMaps compare_in_order(const Answered& a, const Answered& b, SameFiles& same) {
  ComparedMaps compared = compare_maps({a.run()->map(), b.run()->map(), same});
  const bool fails_a = a.verdict() == Verdict::Fails;
  if (fails_a == (b.verdict() == Verdict::Fails) || compared.causes.size() < 2) return compared;
  const EndOfProcess end(fails_a ? a : b, fails_a ? b : a, fails_a ? Side::A : Side::B);
  std::stable_sort(compared.causes.begin(), compared.causes.end(),
                   [&](const DifferenceCause& one, const DifferenceCause& other) {
                     const auto rank = [&](const DifferenceCause& cause) {
                       return end.is_by(cause) ? 0 : end.is_of_referrer(cause) ? 1 : 2;
                     };
                     return rank(one) < rank(other);
                   });
  return compared;
}

namespace {

/// Both anew in one process: in one that is named nothing is assumed of its host. False: it is not in both.
bool answer_in_process(const ComparedWorld& a, const ComparedWorld& b, const std::string& file,
                       const AssumedProcess& process, Answered& in_a, Answered& in_b) {
  Answered now_a = answer_in_process(a.world, a.settings, file, process);
  if (now_a.run() == nullptr) return false;
  Answered now_b = answer_in_process(b.world, b.settings, file, process);
  if (now_b.run() == nullptr) return false;
  in_a = std::move(now_a);
  in_b = std::move(now_b);
  return true;
}

/// Where nobody says whose process it is, each side finds one for itself: what makes the found one fail can lead to
/// another. Then both are judged in the one that A has found, else in B's.
void settle_process(const ComparedWorld& a, const ComparedWorld& b, const std::string& file, Answered& in_a,
                    Answered& in_b) {
  if (in_a.run() == nullptr || in_b.run() == nullptr) return;
  const std::optional<AssumedProcess>& of_a = in_a.run()->map().assumed;
  const std::optional<AssumedProcess>& of_b = in_b.run()->map().assumed;
  if ((of_a ? of_a->program : std::string()) == (of_b ? of_b->program : std::string())) return;
  answer_in_process(a, b, file, of_a ? *of_a : *of_b, in_a, in_b);
}

/// Does B end for want of a library that A's process has?
bool lacks_what_is_there(const LinkMap& a, const LinkMap& b) {
  const LoadFailure* const failure = b.first_fatal();
  if (failure == nullptr || failure->kind != LoadFailure::Kind::Missing) return false;
  return std::any_of(a.objects.begin(), a.objects.end(), [&](const LoadedObject& object) {
    return std::any_of(object.needs.begin(), object.needs.end(),
                       [&](const Need& need) { return need.target != kNoObject && need.name == failure->object; });
  });
}

/// As settle_process() ends where A has found one, without the search in B for each file that fails there.
void answer_both(const ComparedWorld& a, const ComparedWorld& b, const std::string& file, Answered& in_a,
                 Answered& in_b) {
  in_a = answer_in(a.world, question_of(file));
  const LinkMap* const map = in_a.run() == nullptr ? nullptr : &in_a.run()->map();
  if (map != nullptr && map->assumed && map->assumed->rule != ProcessRule::Python) {
    const AssumedProcess process = *map->assumed;
    if (answer_in_process(a, b, file, process, in_a, in_b)) return;
  } else if (map != nullptr && !map->assumed) {
    in_b = answer_in(b.world, question_of(file, LookFor::Nothing));
    if (in_b.run() == nullptr || in_b.run()->process().start != Start::Argument) return;
    if (lacks_what_is_there(*map, in_b.run()->map())) return;
    if (const Result<Check>& check = in_b.run()->check(); check && check->is_ok()) return;
  }
  in_b = answer_in(b.world, question_of(file));
  settle_process(a, b, file, in_a, in_b);
}

DifferenceCause lone_side(const std::string& file, Side lacks, const Error& error) {
  DifferenceCause cause;
  cause.step.by = DecidedBy::MissingFile;
  cause.step.lacks = lacks;
  cause.step.path = file;
  cause.step.key = "missing-file|" + file;
  const std::string letter = lacks == Side::A ? "A" : "B";
  if (error.code == ErrorCode::NotFound) {
    cause.step.what = say("diff-no-file", {{"path", file}, {"side", letter}});
  } else {
    cause.step.what = say("diff-not-started", {{"path", file}, {"side", letter}, {"reason", error.message}});
  }
  RequestDifference reported;
  reported.name = file;
  reported.change = lacks == Side::B ? RequestChange::Went : RequestChange::Came;
  (lacks == Side::B ? reported.path_a : reported.path_b) = file;
  cause.decided.push_back(std::move(reported));
  return cause;
}

/// Bindings by referrer and symbol; the last one of a name counts, which is the one that the loader takes.
using BoundTo = std::map<std::tuple<std::string, std::string, std::string>, std::string>;

BoundTo bound_in(const Resolution& run) {
  BoundTo bound;
  const Result<Bindings>& bindings = run.bindings();
  if (!bindings) return bound;
  const LinkMap& map = run.map();
  bindings->for_each([&](const Bindings::Event& event) {
    if (event.binding == nullptr || event.binding->is_repeated || event.binding->is_loaders_own) return;
    const SymbolBinding& binding = *event.binding;
    bound.insert_or_assign({path_of(map, binding.referrer), std::string(binding.symbol), std::string(binding.version)},
                           binding.is_bound() ? path_of(map, binding.provider) : std::string());
  });
  return bound;
}

std::vector<MovedBindings> moved_bindings(const Resolution& a, const Resolution& b) {
  const BoundTo in_a = bound_in(a);
  const BoundTo in_b = bound_in(b);
  std::map<std::tuple<std::string, std::string, std::string>, MovedBindings> moved;
  for (const auto& [reference, provider] : in_a) {
    // What a file that is another one does not refer to any more has not moved.
    const auto other = in_b.find(reference);
    if (other == in_b.end() || other->second == provider) continue;
    const std::string& now = other->second;
    const auto& [referrer, symbol, version] = reference;
    MovedBindings& group = moved[{referrer, provider, now}];
    group.referrer = referrer;
    group.provider_a = provider;
    group.provider_b = now;
    ++group.count;
    if (group.symbols.size() < kSymbolsShown)
      group.symbols.push_back(version.empty() ? symbol : symbol + "@" + version);
  }
  std::vector<MovedBindings> list;
  for (auto& [key, group] : moved) list.push_back(std::move(group));
  return list;
}

std::vector<ComparedProblem> compared_problems(const Answer& a, const Answer& b) {
  const auto key_of = [](const Problem& problem) { return std::string(code_of(problem.code)) + "|" + problem.name; };
  std::vector<ComparedProblem> list;
  const auto add = [&](Side side, const std::vector<Problem>& mine, const std::vector<Problem>& others) {
    for (const Problem& problem : mine) {
      if (severity_of(problem.code) == Severity::Note) continue;
      const bool is_known = std::any_of(others.begin(), others.end(),
                                        [&](const Problem& other) { return key_of(other) == key_of(problem); });
      if (!is_known) list.push_back({side, problem.code, problem.what});
    }
  };
  add(Side::A, a.diagnosis().problems, b.diagnosis().problems);
  add(Side::B, b.diagnosis().problems, a.diagnosis().problems);
  return list;
}

/// Where a side is an image: which of its layers a cause is by. First of the side that lacks something: what was taken
/// away or replaced there; else of the other one, which has it.
void name_layers(const ComparedWorld& a, const ComparedWorld& b, std::vector<DifferenceCause>& causes) {
  for (DifferenceCause& cause : causes) {
    DecidingStep& step = cause.step;
    constexpr DecidedBy kOfFiles[] = {DecidedBy::MissingFile, DecidedBy::SearchTag, DecidedBy::Directory,
                                      DecidedBy::File,        DecidedBy::Target,    DecidedBy::Permission,
                                      DecidedBy::Refused,     DecidedBy::Needs,     DecidedBy::Content};
    if (std::find(std::begin(kOfFiles), std::end(kOfFiles), step.by) == std::end(kOfFiles)) continue;
    for (const Side side : {step.lacks, other_side(step.lacks)}) {
      World& world = (side == Side::A ? a : b).world;
      const std::shared_ptr<const Place> place = world.place();
      if (step.layer || !place || !place->layers) continue;
      step.layer = layer_of_file(*place->layers, *place->files, step.path);
      step.layer_side = side;
    }
  }
}

std::string release_of(const LoaderRules& rules) {
  return rules.libc == Libc::Musl ? "musl " + rules.musl_version.to_string() : "glibc " + rules.version.to_string();
}

/// Nothing that was searched for differs, but what the loader allows does.
std::optional<DifferenceCause> rules_cause(const LinkMap& a, const LinkMap& b, const std::string& file) {
  if (!has_other_release(a.system->rules, b.system->rules)) return std::nullopt;
  DifferenceCause cause;
  cause.step = rules_step(a.system->rules, b.system->rules);
  cause.decided.push_back({{}, file, RequestChange::OtherContent, file, file});
  return cause;
}

Result<FileComparison> compare(const ComparedWorld& a, const ComparedWorld& b, SameFiles& same, const std::string& file,
                               CompareDepth depth) {
  Answered in_a;
  Answered in_b;
  answer_both(a, b, file, in_a, in_b);
  // Alike on both sides: an answer where the loader says so, else no question.
  if (in_a.error && in_b.error && (!in_a.answer || !in_b.answer)) return Unexpected{*in_a.error};
  FileComparison comparison;
  comparison.file = file;
  const auto take_verdicts = [&] {
    comparison.verdict_a = in_a.verdict();
    comparison.verdict_b = in_b.verdict();
    if (depth != CompareDepth::All) return;
    comparison.prints_a = in_a.prints();
    comparison.prints_b = in_b.prints();
  };
  if (in_a.run() == nullptr || in_b.run() == nullptr) {
    take_verdicts();
    if (in_b.run() == nullptr && in_a.run() != nullptr)
      comparison.causes.push_back(lone_side(file, Side::B, *in_b.error));
    if (in_a.run() == nullptr && in_b.run() != nullptr)
      comparison.causes.push_back(lone_side(file, Side::A, *in_a.error));
    if (depth != CompareDepth::Search && in_a.run() != nullptr) {
      comparison.fix = find_compared_fix(a, b, in_a, in_b, file, comparison.causes, same.ids());
    }
    return comparison;
  }
  const MapPair maps{in_a.run()->map(), in_b.run()->map(), same};
  ComparedMaps compared = compare_maps(maps);
  comparison.causes = std::move(compared.causes);
  comparison.objects = std::move(compared.objects);
  const bool is_alike = comparison.causes.empty() && std::all_of(comparison.objects.begin(), comparison.objects.end(),
                                                                 [](const ComparedObject& row) {
                                                                   return row.change == ComparedObject::Change::Same;
                                                                 });
  // Equal files that are found alike are bound alike, by equal rules.
  const bool has_same_rules = maps.a.system->rules.version == maps.b.system->rules.version;
  if (depth == CompareDepth::Search && is_alike && has_same_rules) return comparison;
  take_verdicts();
  comparison.causes = compare_in_order(in_a, in_b, same).causes;
  if (comparison.causes.empty() && comparison.verdict_a != comparison.verdict_b) {
    if (auto cause = rules_cause(maps.a, maps.b, file)) comparison.causes.push_back(std::move(*cause));
  }
  if (depth == CompareDepth::Search || (is_alike && comparison.verdict_a == comparison.verdict_b)) return comparison;
  if (depth == CompareDepth::All) {
    comparison.bindings = moved_bindings(*in_a.run(), *in_b.run());
    comparison.problems = compared_problems(*in_a.answer, *in_b.answer);
  }
  comparison.fix = find_compared_fix(a, b, in_a, in_b, file, comparison.causes, same.ids());
  return comparison;
}

}  // namespace

bool has_other_release(const LoaderRules& a, const LoaderRules& b) { return release_of(a) != release_of(b); }

DecidingStep rules_step(const LoaderRules& a, const LoaderRules& b) {
  DecidingStep step;
  step.by = DecidedBy::Rules;
  step.key = kRulesKey;
  step.value_a = release_of(a);
  step.value_b = release_of(b);
  step.what = say("diff-rules", {{"a", step.value_a}, {"b", step.value_b}});
  return step;
}

Result<FileComparison> compare_file(const ComparedWorld& a, const ComparedWorld& b, SameFiles& same,
                                    const std::string& file, CompareDepth depth) {
  Result<FileComparison> comparison = compare(a, b, same, file, depth);
  if (comparison) name_layers(a, b, comparison->causes);
  return comparison;
}

}  // namespace soresolve
