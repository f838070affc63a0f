// From a link map to problems: failures of the walk, versions, then detectors and what is right but surprising, sorted
// by severity and by what the loader meets first. The texts of failures are those of glibc 2.36 elf/dl-load.c. Fixes:
// remedies.cc.
#include "soresolve/diagnose.h"

#include <algorithm>
#include <map>

#include "base/path.h"
#include "diagnose/detectors.h"
#include "diagnose/dlopen_missing.h"
#include "diagnose/found_by_others.h"
#include "diagnose/surprises.h"
#include "loader/walk.h"
#include "soresolve/version_check.h"

namespace soresolve {
namespace {

ProblemCode kind_of(const LoadFailure& failure) {
  switch (failure.kind) {
    case LoadFailure::Kind::Missing: return ProblemCode::MissingLibrary;
    case LoadFailure::Kind::WrongClass: return ProblemCode::WrongClass;
    case LoadFailure::Kind::FatalFile:
      return failure.text == kExecStackRefused ? ProblemCode::ExecStack : ProblemCode::FatalCandidate;
    case LoadFailure::Kind::Assertion:
      return failure.text == kExecStackForbidden ? ProblemCode::ExecStack : ProblemCode::WouldCrash;
    case LoadFailure::Kind::Crash: return ProblemCode::WouldCrash;
    case LoadFailure::Kind::Block: return ProblemCode::WouldBlock;
    case LoadFailure::Kind::Token: return ProblemCode::BadToken;
    case LoadFailure::Kind::PreloadIgnored: return ProblemCode::PreloadIgnored;
    case LoadFailure::Kind::AuxiliaryIgnored: return ProblemCode::Note;
    case LoadFailure::Kind::VersionFile:
    case LoadFailure::Kind::VersionRecord: return ProblemCode::VersionFile;
  }
  return ProblemCode::Note;
}

/// One sentence on a failure, for a reader who has never heard of the loader's terms.
std::string explain(const LinkMap& map, const LoadFailure& failure, std::string_view name) {
  const std::string library(name);
  const std::string needer = std::string(map.objects[failure.needer].name());
  switch (failure.kind) {
    case LoadFailure::Kind::Missing:
      return library + " is not found: none of the places that ld.so searches for " + needer + " has it";
    case LoadFailure::Kind::WrongClass:
      return library +
             " is found only as a file of the other word size (32/64 bit), which ld.so "
             "passes over";
    case LoadFailure::Kind::FatalFile:
      if (failure.text == kExecStackRefused) {
        return failure.object +
               " asks for an executable stack (PT_GNU_STACK), and since glibc 2.41 a "
               "running process gets none: the file has to be built or marked anew (execstack -c)";
      }
      return "the file that ld.so takes for " + library +
             " cannot be used, and ld.so does not look "
             "further: " +
             failure.text;
    case LoadFailure::Kind::Crash: return "ld.so would die of a signal on " + failure.object + ": " + failure.text;
    case LoadFailure::Kind::Assertion:
      if (failure.text == kExecStackForbidden) {
        return failure.object +
               " asks for an executable stack (PT_GNU_STACK), and "
               "GLIBC_TUNABLES=glibc.rtld.execstack=0 forbids it to every program";
      }
      return "an assertion of ld.so fails: it does not expect filters (DT_FILTER, DT_AUXILIARY) or "
             "the vDSO in this order";
    case LoadFailure::Kind::Block: return "ld.so would wait forever on " + failure.object + ": " + failure.text;
    case LoadFailure::Kind::Token: return "the name " + library + " cannot be used here: " + failure.text;
    case LoadFailure::Kind::PreloadIgnored: return "the preload " + library + " is passed over with a warning";
    case LoadFailure::Kind::AuxiliaryIgnored:
      return "the auxiliary filter library " + library + " of " + needer + " is not found; ld.so starts without it";
    case LoadFailure::Kind::VersionFile:
      return needer + " requires symbol versions from " + failure.object +
             ", which nothing loads under that name: DT_NEEDED and DT_VERNEED of the file disagree "
             "(a tool has changed one of them)";
    case LoadFailure::Kind::VersionRecord:
      return needer + " has a version table that ld.so does not know: " + failure.text;
  }
  return failure.text;
}

std::string requested_name(const LinkMap& map, const LoadFailure& failure) {
  const std::vector<Need>& needs = map.objects[failure.needer].needs;
  if (failure.kind == LoadFailure::Kind::VersionFile || failure.kind == LoadFailure::Kind::Assertion ||
      failure.kind == LoadFailure::Kind::VersionRecord || failure.need >= needs.size()) {
    return failure.object;
  }
  return std::string(needs[failure.need].name);
}

/// One problem per library: a further needer of a missing library joins the first one's.
void add_failures(const LinkMap& map, std::string_view asked, Diagnosis& diagnosis) {
  LoneSearcher searcher(map);
  std::map<std::pair<ProblemCode, std::string>, std::size_t> known;  // where each problem stands
  for (std::size_t i = 0; i < diagnosis.problems.size(); ++i) {
    known.emplace(std::pair(diagnosis.problems[i].code, diagnosis.problems[i].name), i);
  }
  for (const LoadFailure& failure : map.failures) {
    const ProblemCode kind = kind_of(failure);
    std::string name = requested_name(map, failure);
    if (!asked.empty() && name != asked) continue;
    const auto [same, is_new] = known.try_emplace({kind, name}, diagnosis.problems.size());
    if (!is_new) {
      diagnosis.problems[same->second].requests.push_back({failure.needer, failure.need});
      continue;
    }
    Problem problem;
    problem.code = kind;
    problem.requests.push_back({failure.needer, failure.need});
    problem.text = explain(map, failure, name);
    if (failure.kind != LoadFailure::Kind::AuxiliaryIgnored && failure.kind != LoadFailure::Kind::Crash &&
        failure.kind != LoadFailure::Kind::Block) {
      problem.loader_says = failure.start_message(map.process->argv0);
      problem.dlerror_says = failure.dlerror_message();
    }
    if (kind == ProblemCode::MissingLibrary || kind == ProblemCode::WrongClass) {
      problem.proof = found_by_others(map, searcher, failure.needer, name);
    }
    problem.name = std::move(name);
    diagnosis.problems.push_back(std::move(problem));
  }
  if (searcher.is_spent()) {
    Problem problem;
    problem.text = "whether other objects would find what is lost is not known in full: that would take more than " +
                   std::to_string(kMaxAttempts) + " places to look in";
    diagnosis.problems.push_back(std::move(problem));
  }
}

/// What is loaded, but not the version of it that is required.
void add_version_problems(const LinkMap& map, std::string_view asked, Diagnosis& diagnosis) {
  const Result<VersionCheck> check = check_versions(map);
  if (!check) {
    Problem problem;
    problem.text = "versions could not be checked: " + check.error().to_string();
    diagnosis.problems.push_back(std::move(problem));
    return;
  }
  for (const VersionMessage& message : check->messages) {
    if (map.opening_of(message.requirer) != map.subject() || message.is_known_to_walk(map)) continue;
    const LoadedObject& provider = map.objects[message.provider];
    const std::string name(provider.requested_name.empty() ? provider.name() : provider.requested_name);
    if (!asked.empty() && name != asked) continue;
    Problem problem;
    problem.code = message.is_crash   ? ProblemCode::WouldCrash
                   : message.is_error ? ProblemCode::VersionMissing
                                      : ProblemCode::VersionUnproven;
    problem.name = name;
    problem.object = message.provider;
    const std::string requirer(map.objects[message.requirer].name());
    const std::string path(provider.name());
    if (message.need_offset == 0) {
      // Not of a version that another file should have: of the requirer's own tables.
      problem.object = message.requirer;
      problem.text = message.is_crash ? "ld.so would die of a signal on " + requirer + ": " + message.text
                                      : requirer + " is refused for its versions: " + message.text;
      if (!message.is_crash) {
        problem.loader_says = message.line(map, map.process->argv0);
        problem.dlerror_says = path + ": " + message.text;
      }
      diagnosis.problems.push_back(std::move(problem));
      continue;
    }
    switch (message.verdict) {
      case VersionVerdict::ProviderUnversioned:
        problem.text =
            path + " has no symbol versions at all, where " + requirer + " was linked against " + message.version;
        break;
      case VersionVerdict::MissingWeak:
        problem.text = path + " does not define " + message.version + ", which " + requirer +
                       " requires weakly: the start goes on, a call into it would fail";
        break;
      default:
        problem.text =
            path + " is found, but it does not define " + message.version + ", which " + requirer + " requires";
    }
    problem.loader_says = message.line(map, map.process->argv0);
    problem.dlerror_says = path + ": " + message.text;
    problem.proof = {"required by " + requirer + ", DT_VERNEED entry at file offset " +
                     std::to_string(message.need_offset)};
    diagnosis.problems.push_back(std::move(problem));
  }
  for (const Error& error : check->unreadable) {
    Problem problem;
    problem.code = ProblemCode::WouldCrash;
    problem.name = error.path;
    problem.text = "ld.so would read outside the version tables of " + error.to_string();
    diagnosis.problems.push_back(std::move(problem));
  }
}

std::string verdict_of(const LinkMap& map, std::string_view file, const Diagnosis& diagnosis) {
  const std::string name(file);
  const bool is_program = ends_program(map);
  const LoadFailure* fatal = map.first_fatal();
  const std::size_t missing =
      static_cast<std::size_t>(std::count_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                                             [](const Problem& f) { return severity_of(f.code) == Severity::Fatal; }));
  std::string verdict = name + ": ";
  if (map.openings_left != 0) {
    // The process that is to open it does not come that far.
    verdict += "cannot be opened, because ";
    if (map.subject() == 0) {
      verdict += "the program " + std::string(map.main().name()) + " does not start: ";
    } else {
      const NeedRef& request = map.openings.back().request;
      verdict += std::string(map.objects[request.needer].needs[request.need].name) + " before it does not load: ";
    }
    return verdict + (fatal == nullptr ? std::string() : fatal->object + ": " + fatal->text);
  }
  const std::string into = map.subject() == 0 ? "" : " into " + std::string(map.main().name());
  const std::string fails = is_program ? "does not start: " : "does not load" + into + ": ";
  if (fatal == nullptr && missing != 0) {
    // What ends the start comes before what is met later.
    const auto first = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(), [&](const Problem& problem) {
      return severity_of(problem.code) == Severity::Fatal && problem.is_met_later == diagnosis.starts;
    });
    verdict += (diagnosis.starts ? "starts, but: " : fails) + first->text;
    if (missing > 1) verdict += " (and " + std::to_string(missing - 1) + " more)";
    return verdict;
  }
  if (fatal == nullptr) {
    std::size_t objects = 0;
    const std::vector<bool> belongs = map.subject_objects();
    for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
      const bool is_itself = map.subject() != 0 && i == map.subject_root();
      objects += belongs[i] && !is_itself && map.objects[i].role == ObjectRole::Library ? 1 : 0;
    }
    verdict += (is_program ? "starts" : "loads" + into) + ", as far as libraries, versions and symbols go: ";
    verdict += objects == 1 ? "1 library, found" : std::to_string(objects) + " libraries, all found";
    if (const Dlopen* lost = first_lost_dlopen(diagnosis.dlopens)) {
      verdict += "; but " + lost->shown().name + ", which " + lost->opener + " opens by itself, " +
                 (lost->is_found ? "cannot be loaded" : "is not found");
    }
    return verdict;
  }
  verdict += fails;
  const std::string first = requested_name(map, *fatal);
  switch (fatal->kind) {
    case LoadFailure::Kind::Missing: verdict += first + " is not found"; break;
    case LoadFailure::Kind::WrongClass: verdict += first + " is there only for the other word size"; break;
    case LoadFailure::Kind::FatalFile: verdict += fatal->object + ": " + fatal->text; break;
    case LoadFailure::Kind::Crash: verdict += "ld.so would crash on " + fatal->object; break;
    case LoadFailure::Kind::Block: verdict += "ld.so would wait forever on " + fatal->object; break;
    case LoadFailure::Kind::Token: verdict += first + ": " + fatal->text; break;
    default: verdict += fatal->text; break;
  }
  if (missing > 1) {
    verdict +=
        " (and " + std::to_string(missing - 1) + " more " + (missing == 2 ? "problem" : "problems") + " behind it)";
  }
  return verdict;
}

/// Is `asked` one of the names that are tried, or the file that is taken?
bool is_asked(const Dlopen& opened, std::string_view asked) {
  return std::any_of(opened.choices.begin(), opened.choices.end(), [&](const DlopenChoice& choice) {
    return choice.name == asked || (!choice.path.empty() && choice.path == asked);
  });
}

/// Does `asked` mean this request: by name, by file name, or by path?
bool is_asked(const LinkMap& map, const Need& need, std::string_view asked) {
  if (need.name == asked || need.written == asked) return true;
  if (need.target == kNoObject) return false;
  const LoadedObject& object = map.objects[need.target];
  if (object.path == asked || object.requested_name == asked) return true;
  if (object.elf.soname && *object.elf.soname == asked) return true;
  return file_name_of(object.path) == asked;
}

}  // namespace

bool Diagnosis::has_fatal() const {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& problem) { return severity_of(problem.code) == Severity::Fatal; });
}

std::vector<NeedRef> requests_for(const LinkMap& map, std::string_view library) {
  std::vector<NeedRef> requests;
  std::vector<NeedRef> others;  // of objects that were there before
  const std::vector<bool> belongs = map.subject_objects();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const std::vector<Need>& needs = map.objects[i].needs;
    for (std::uint32_t k = 0; k < needs.size(); ++k) {
      if (is_asked(map, needs[k], library)) (belongs[i] ? requests : others).push_back({i, k});
    }
  }
  requests.insert(requests.end(), others.begin(), others.end());
  return requests;
}

Diagnosis diagnose(const LinkMap& map, std::string_view file, std::string_view asked, Dlopens dlopens) {
  Diagnosis diagnosis;
  diagnosis.dlopens = std::move(dlopens);
  if (!asked.empty()) {
    std::erase_if(diagnosis.dlopens.list, [&](const Dlopen& opened) { return !is_asked(opened, asked); });
  }
  diagnosis.asked = std::string(asked);
  diagnosis.starts = map.first_fatal() == nullptr;
  add_failures(map, asked, diagnosis);
  // The loader gets to the versions only once everything is loaded; a person wants all at once.
  add_version_problems(map, asked, diagnosis);
  const std::vector<bool> belongs = map.subject_objects();
  std::vector<Problem> further = detect_all({map, asked, diagnosis.dlopens, belongs}, diagnosis.problems);
  std::move(further.begin(), further.end(), std::back_inserter(diagnosis.problems));
  for (const Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) != Severity::Fatal) continue;
    diagnosis.starts &= problem.is_met_later;
    if (!problem.is_met_later && diagnosis.loader_prints.empty()) {
      diagnosis.loader_prints = ends_program(map) ? problem.loader_says : problem.dlerror_says;
    }
  }
  diagnosis.verdict = verdict_of(map, file, diagnosis);
  if (!asked.empty()) diagnosis.asked_requests = requests_for(map, asked);
  add_surprises(map, diagnosis);
  std::stable_sort(diagnosis.problems.begin(), diagnosis.problems.end(), [](const Problem& a, const Problem& b) {
    if (severity_of(a.code) != severity_of(b.code)) {
      return severity_of(a.code) < severity_of(b.code);
    }
    return a.is_met_later < b.is_met_later;
  });
  return diagnosis;
}

}  // namespace soresolve
