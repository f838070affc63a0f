// From a link map to problems: failures of the walk, versions, then detectors and what is right but surprising, sorted
// by severity and by what the loader meets first. The texts of failures are those of glibc 2.36 elf/dl-load.c. Fixes:
// remedies.cc.
#include "soresolve/diagnose.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/path.h"
#include "diagnose/additions.h"
#include "diagnose/detectors.h"
#include "diagnose/diagnose.h"
#include "diagnose/foreign_libc.h"
#include "diagnose/other_file.h"
#include "diagnose/verdict.h"
#include "dlopen/find_dlopens.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/walk.h"
#include "packages/host_driver.h"
#include "soresolve/symbols.h"
#include "symbols/map_versions.h"
#include "symbols/nearest_versions.h"

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
    case LoadFailure::Kind::VersionFile: return ProblemCode::VersionFile;
    case LoadFailure::Kind::VersionRecord: return ProblemCode::VersionTable;
  }
  return ProblemCode::Note;
}

bool is_empty_file(const LinkMap& map, const std::string& path) {
  const Result<FileStatus, Errno> status = map.system->files->status(absolute_path(path, map.process->cwd));
  return status && status->kind == FileKind::Regular && status->size_bytes == 0;
}

/// One sentence on a failure, for a reader who has never heard of the loader's terms.
Statement explain(const LinkMap& map, const LoadFailure& failure, std::string_view name) {
  const std::string library(name);
  const std::string needer = std::string(map.objects[failure.needer].name());
  switch (failure.kind) {
    case LoadFailure::Kind::Missing: return say("library-not-found", {{"library", library}, {"needer", needer}});
    case LoadFailure::Kind::WrongClass: return say("library-of-other-class", {{"library", library}});
    case LoadFailure::Kind::FatalFile:
      if (failure.text == kExecStackRefused) {
        return say("exec-stack-refused", {{"object", failure.object}});
      }
      if (failure.is_on_noexec) {
        return say("library-on-noexec", {{"library", library}});
      }
      if (is_of_driver(failure.object) && is_empty_file(map, failure.object))
        return say("driver-file-empty", {{"file", failure.object}});
      return say("fatal-candidate", {{"library", library}, {"reason", failure.text}});
    case LoadFailure::Kind::Crash: return say("would-crash", {{"object", failure.object}, {"reason", failure.text}});
    case LoadFailure::Kind::Assertion:
      if (failure.text == kExecStackForbidden) {
        return say("exec-stack-forbidden", {{"object", failure.object}});
      }
      if (failure.text.find("elf_get_dynamic_info") != std::string::npos) {
        return say("dynamic-assertion", {{"library", failure.object}});
      }
      return say("filter-assertion");
    case LoadFailure::Kind::Block: return say("would-block", {{"object", failure.object}, {"reason", failure.text}});
    case LoadFailure::Kind::Token: return say("bad-token", {{"library", library}, {"reason", failure.text}});
    case LoadFailure::Kind::PreloadIgnored: return say("preload-ignored", {{"library", library}});
    case LoadFailure::Kind::AuxiliaryIgnored:
      return say("auxiliary-not-found", {{"library", library}, {"needer", needer}});
    case LoadFailure::Kind::VersionFile: return say("version-file", {{"needer", needer}, {"object", failure.object}});
    case LoadFailure::Kind::VersionRecord: return say("version-record", {{"object", needer}, {"reason", failure.text}});
  }
  return words_of_others(failure.text);
}

/// Of a file that cannot be used: what it is instead of an ELF file.
std::vector<Evidence> what_it_is(const LinkMap& map, const std::string& path) {
  const std::string absolute = absolute_path(path, map.process->cwd);
  std::optional<OtherFile> other = other_file(*map.system->files, absolute, path);
  if (!other) return {};
  return {{.what = std::move(other->what), .path = absolute}};
}

std::string requested_name(const LinkMap& map, const LoadFailure& failure) {
  const std::vector<Need>& needs = map.objects[failure.needer].needs;
  if (failure.kind == LoadFailure::Kind::VersionFile || failure.kind == LoadFailure::Kind::Assertion ||
      failure.kind == LoadFailure::Kind::VersionRecord || failure.need >= needs.size()) {
    return failure.object;
  }
  return std::string(needs[failure.need].name);
}

/// Places that were tried and that a link to nothing has: what an upgrade leaves behind.
void add_dangling_links(const LinkMap& map, const NeedRef& request, std::vector<Evidence>& evidence) {
  constexpr std::size_t kMost = 2;
  const Need* const need = map.find_need(request);
  if (need == nullptr || need->trace >= map.traces.size()) return;
  std::size_t count = 0;
  for (const Attempt& attempt : map.traces[need->trace].attempts) {
    if (attempt.outcome != Outcome::NoSuchFile || attempt.candidate.empty() || !attempt.subdirectory.empty()) continue;
    const std::string path = absolute_path(attempt.candidate, map.process->cwd);
    const Result<std::string, Errno> target = map.system->files->read_link(path);
    if (!target || ++count > kMost) continue;
    evidence.push_back({.what = say("link-to-nothing", {{"path", path}, {"target", *target}}), .path = path});
  }
}

/// One problem per library: a further needer of a missing library joins the first one's.
void add_failures(const LinkMap& map, std::string_view asked, Diagnosis& diagnosis) {
  LoneSearcher searcher(map);
  std::map<std::pair<ProblemCode, std::string>, std::size_t> known;  // where each problem stands
  for (std::size_t i = 0; i < diagnosis.problems.size(); ++i) {
    known.emplace(std::pair(diagnosis.problems[i].code, diagnosis.problems[i].name), i);
  }
  for (const LoadFailure& failure : map.failures) {
    // Who asks for this very library wants to know where it is searched.
    const bool is_of_host = asked.empty() && is_left_to_driver(map, failure);
    const ProblemCode kind = is_of_host ? ProblemCode::DriverMissing : kind_of(failure);
    std::string name = requested_name(map, failure);
    if (!asked.empty() && name != asked) continue;
    const auto [same, is_new] = known.try_emplace({kind, name}, diagnosis.problems.size());
    if (!is_new) {
      diagnosis.problems[same->second].requests.push_back({failure.needer, failure.need});
      continue;
    }
    const std::string_view needer = map.objects[failure.needer].name();
    Problem problem = make_problem(
        map, kind, {},
        is_of_host ? say("driver-of-host", {{"library", name}, {"needer", needer}}) : explain(map, failure, name));
    if (is_of_host) problem.evidence.push_back({.what = say("assumed-driver")});
    if (!phase_of(kind)) problem.phase = phase_of_dlopen_call(map, failure.dlopen_call);
    problem.requests.push_back({failure.needer, failure.need});
    // musl passes over a preload without a word.
    const bool is_silent = failure.kind == LoadFailure::Kind::PreloadIgnored && map.system->rules.libc == Libc::Musl;
    if (!is_silent && failure.kind != LoadFailure::Kind::AuxiliaryIgnored && failure.kind != LoadFailure::Kind::Crash &&
        failure.kind != LoadFailure::Kind::Block) {
      problem.loader_says = failure.start_message(map.process->argv0);
      problem.dlerror_says = failure.dlerror_message();
    }
    if (kind == ProblemCode::MissingLibrary || kind == ProblemCode::WrongClass) {
      problem.evidence = found_by_others(map, searcher, failure.needer, name);
      add_dangling_links(map, problem.requests.front(), problem.evidence);
    }
    if (kind == ProblemCode::FatalCandidate) problem.evidence = what_it_is(map, failure.object);
    problem.name = std::move(name);
    diagnosis.problems.push_back(std::move(problem));
  }
  if (searcher.is_spent()) {
    diagnosis.problems.push_back(
        make_problem(map, ProblemCode::Note, {}, say("search-spent", {{"count", kMaxAttempts}})));
  }
}

bool is_version_failure(const LoadFailure* failure) {
  return failure != nullptr &&
         (failure->kind == LoadFailure::Kind::VersionFile || failure->kind == LoadFailure::Kind::VersionRecord);
}

/// What the walk has found that ends the program; null where the check of versions ends before it comes to that.
const LoadFailure* fatal_of_walk(const LinkMap& map, const Diagnosis& diagnosis) {
  const LoadFailure* const fatal = map.first_fatal();
  const bool is_behind = is_version_failure(fatal) && !diagnosis.problems.empty() &&
                         diagnosis.problems.front().code == ProblemCode::VersionMissing;
  return is_behind ? nullptr : fatal;
}

/// What the library defines in place of the version that is required: only newer ones of that kind, only older ones, or
/// others. nullopt: it has no versions.
std::optional<Statement> defined_instead(const LinkMap& map, const VersionMessage& message, MapVersions& tables) {
  const Result<VersionTables>& provider = tables.of(message.provider);
  if (!provider) return std::nullopt;
  const NearestVersions defined(*provider);
  if (defined.defined_count() == 0) return std::nullopt;
  const std::string path(map.objects[message.provider].name());
  const std::string referrer(map.objects[message.requirer].name());
  const NearestVersions::Side side = defined.side_of(message.version);
  NameList versions{defined.to(message.version), 0};
  if (side == NearestVersions::Side::Older) versions.shown.resize(1);
  const std::string_view sentence = side == NearestVersions::Side::Newer   ? "defines-newer-only"
                                    : side == NearestVersions::Side::Older ? "defines-older-only"
                                                                           : "defines-others";
  return say(sentence,
             {{"provider", path}, {"versions", versions}, {"version", message.version}, {"referrer", referrer}});
}

/// What is loaded, but not the version of it that is required.
void add_version_problems(const LinkMap& map, std::string_view asked, Diagnosis& diagnosis) {
  const Result<VersionCheck> check = check_versions(map);
  if (!check) {
    diagnosis.problems.push_back(
        make_problem(map, ProblemCode::Note, {}, say("versions-unchecked", {{"reason", check.error().to_string()}})));
    return;
  }
  std::optional<std::ptrdiff_t> ending;
  MapVersions tables(map);
  std::set<std::pair<ObjectIndex, ObjectIndex>> pairs;
  for (const VersionMessage& message : check->messages) {
    if (map.dlopen_call_of(message.requirer) != map.subject() || message.is_known_to_walk(map)) continue;
    const LoadedObject& provider = map.objects[message.provider];
    const std::string name(provider.requested_name.empty() ? provider.name() : provider.requested_name);
    if (!asked.empty() && name != asked) continue;
    const ProblemCode code = message.is_crash                                   ? ProblemCode::WouldCrash
                             : message.verdict == VersionVerdict::UnknownRecord ? ProblemCode::VersionTable
                             : message.is_error                                 ? ProblemCode::VersionMissing
                                                                                : ProblemCode::VersionUnproven;
    Problem problem = make_problem(map, code, name, {});
    problem.object = message.provider;
    const std::string requirer(map.objects[message.requirer].name());
    const std::string path(provider.name());
    if (message.is_fatal_at_once) ending = static_cast<std::ptrdiff_t>(diagnosis.problems.size());
    if (message.need_offset == 0) {
      // Not of a version that another file should have: of the requirer's own tables.
      problem.object = message.requirer;
      problem.what = say(message.is_crash ? "would-crash" : "refused-for-versions",
                         {{"object", requirer}, {"reason", message.text}});
      if (!message.is_crash) {
        problem.loader_says = message.line(map, map.process->argv0);
        problem.dlerror_says = path + ": " + message.text;
      }
      diagnosis.problems.push_back(std::move(problem));
      continue;
    }
    switch (message.verdict) {
      case VersionVerdict::ProviderUnversioned:
        problem.what =
            say("provider-unversioned", {{"provider", path}, {"needer", requirer}, {"version", message.version}});
        break;
      case VersionVerdict::MissingWeak:
        problem.what =
            say("version-missing-weak", {{"provider", path}, {"needer", requirer}, {"version", message.version}});
        break;
      case VersionVerdict::UnknownRecord:
        problem.what = say("version-record", {{"object", path}, {"reason", message.text}});
        break;
      default:
        problem.what = say("version-missing", {{"provider", path}, {"needer", requirer}, {"version", message.version}});
    }
    problem.loader_says = message.line(map, map.process->argv0);
    problem.dlerror_says = path + ": " + message.text;
    problem.evidence = {{.what = say("required-at", {{"needer", requirer}, {"offset", message.need_offset}}),
                         .path = file_of(map, message.requirer),
                         .offset = message.need_offset}};
    const bool is_first_of_pair = pairs.emplace(message.provider, message.requirer).second;
    if (const auto instead = is_first_of_pair && code == ProblemCode::VersionMissing
                                 ? defined_instead(map, message, tables)
                                 : std::nullopt)
      problem.evidence.push_back({.what = *instead, .path = file_of(map, message.provider)});
    diagnosis.problems.push_back(std::move(problem));
  }
  // The loader's check ends at the last message, before it comes to what the walk has found in objects further on.
  const bool is_end = ending && asked.empty() && is_version_failure(map.first_fatal());
  if (is_end)
    std::rotate(diagnosis.problems.begin(), diagnosis.problems.begin() + *ending,
                diagnosis.problems.begin() + *ending + 1);
  for (const Error& error : check->unreadable) {
    diagnosis.problems.push_back(make_problem(map, ProblemCode::WouldCrash, error.path,
                                              say("version-tables-outside", {{"reason", error.to_string()}})));
  }
}

/// How many files of libraries belong to what is asked about, itself aside.
std::size_t count_libraries(const LinkMap& map) {
  std::size_t count = 0;
  const std::vector<bool> belongs = map.target_closure();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const bool is_itself = map.subject() != 0 && i == map.subject_root();
    count += belongs[i] && !is_itself && map.objects[i].role == ObjectRole::Library ? 1 : 0;
  }
  return count;
}

/// In a few words: what ends the walk.
Statement short_of(const LinkMap& map, const LoadFailure& fatal) {
  const std::string library = requested_name(map, fatal);
  switch (fatal.kind) {
    case LoadFailure::Kind::Missing: return say("short-not-found", {{"library", library}});
    case LoadFailure::Kind::WrongClass: return say("short-other-class", {{"library", library}});
    case LoadFailure::Kind::FatalFile: return say("name-reason", {{"name", fatal.object}, {"reason", fatal.text}});
    case LoadFailure::Kind::Crash: return say("short-crash", {{"object", fatal.object}});
    case LoadFailure::Kind::Block: return say("short-block", {{"object", fatal.object}});
    case LoadFailure::Kind::Token: return say("name-reason", {{"name", library}, {"reason", fatal.text}});
    default: return words_of_others(fatal.text);
  }
}

/// The process that is to open it does not come that far.
Statement never_opened(const LinkMap& map, const Diagnosis& diagnosis) {
  const LoadFailure* const fatal = fatal_of_walk(map, diagnosis);
  const auto problem = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                                    [](const Problem& each) { return severity_of(each.code) == Severity::Fatal; });
  const Statement reason = fatal != nullptr ? say("name-reason", {{"name", fatal->object}, {"reason", fatal->text}})
                           : problem != diagnosis.problems.end() ? problem->what
                                                                 : Statement{};
  if (map.subject() == 0) {
    return say("program-ends-before", {{"program", map.main().name()}, {"reason", reason}});
  }
  const NeedRef& request = map.dlopen_calls.back().request;
  const std::string_view before = map.objects[request.needer].needs[request.need].name;
  return say("opening-ends-before", {{"library", before}, {"reason", reason}});
}

/// All is found: so many libraries, and perhaps one that is opened later is not there.
Statement good_end(const LinkMap& map, const Diagnosis& diagnosis) {
  const std::size_t count = count_libraries(map);
  const Statement found = count == 0   ? say("no-library-needed")
                          : count == 1 ? say("one-library-found")
                                       : say("libraries-all-found", {{"count", count}});
  Statement later;
  const auto copy = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                                 [](const Problem& problem) { return problem.code == ProblemCode::CopySize; });
  if (copy != diagnosis.problems.end()) later = say("but-copy-size", {{"problem", copy->what}});
  if (const Dlopen* missing = first_missing_dlopen(diagnosis.dlopens)) {
    const std::string& library = missing->shown().name;
    later = missing->source == DlopenSource::Package
                ? say("but-fails-on-use", {{"library", library}})
                : say(missing->is_found ? "but-opened-fails" : "but-opened-not-found",
                      {{"library", library}, {"opener", missing->opener}});
  }
  if (map.import.empty() && ends_program(map)) return say("starts-well", {{"found", found}, {"later", later}});
  if (map.import.empty() && map.subject() == 0) return say("loads-well", {{"found", found}, {"later", later}});
  return say(map.import.empty() ? "loads-into-well" : "import-works",
             {{"program", map.main().name()}, {"found", found}, {"later", later}});
}

Statement bad_end(const LinkMap& map, Statement problem, Statement more) {
  if (ends_program(map)) return say("does-not-start", {{"problem", std::move(problem)}, {"more", std::move(more)}});
  if (map.subject() == 0) return say("does-not-load", {{"problem", std::move(problem)}, {"more", std::move(more)}});
  return say("does-not-load-into",
             {{"program", map.main().name()}, {"problem", std::move(problem)}, {"more", std::move(more)}});
}

Statement end_of(const LinkMap& map, const Diagnosis& diagnosis) {
  if (map.dlopen_calls_left != 0) return never_opened(map, diagnosis);
  const LoadFailure* const fatal = fatal_of_walk(map, diagnosis);
  const std::size_t bad =
      static_cast<std::size_t>(std::count_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                                             [](const Problem& p) { return severity_of(p.code) == Severity::Fatal; }));
  if (fatal == nullptr && bad == 0) return good_end(map, diagnosis);
  // A file of the other libc is the cause of all that is missing.
  const auto foreign = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                                    [](const Problem& problem) { return problem.code == ProblemCode::ForeignLibc; });
  if (foreign != diagnosis.problems.end() && !foreign->is_met_later()) {
    return bad_end(map, foreign->what, bad > 1 ? say("and-more", {{"count", bad - 1}}) : Statement{});
  }
  if (fatal != nullptr) {
    return bad_end(map, short_of(map, *fatal), bad > 1 ? say("and-more-behind", {{"count", bad - 1}}) : Statement{});
  }
  // What ends the start comes before what is met later.
  const auto first = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(), [&](const Problem& problem) {
    return severity_of(problem.code) == Severity::Fatal && problem.is_met_later() == diagnosis.starts;
  });
  const Statement more = bad > 1 ? say("and-more", {{"count", bad - 1}}) : Statement{};
  if (diagnosis.starts) return say("starts-but", {{"problem", first->what}, {"more", more}});
  return bad_end(map, first->what, more);
}

/// Symbols cost more than all the rest together, and while a library or a version is missing they say nothing new.
const Check* check_symbols(const LinkMap& map, const std::function<const Result<Check>&()>& get, Diagnosis& diagnosis) {
  if (diagnosis.has_fatal() || (map.dlopen_calls_left != 0 && map.first_fatal() != nullptr)) return nullptr;
  const Result<Check>& check = get();
  if (check) return &*check;
  diagnosis.problems.push_back(
      make_problem(map, ProblemCode::Note, {}, say("symbols-unchecked", {{"reason", check.error().to_string()}})));
  return nullptr;
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
  const std::vector<bool> belongs = map.target_closure();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const std::vector<Need>& needs = map.objects[i].needs;
    for (std::uint32_t k = 0; k < needs.size(); ++k) {
      if (is_asked(map, needs[k], library)) (belongs[i] ? requests : others).push_back({i, k});
    }
  }
  requests.insert(requests.end(), others.begin(), others.end());
  return requests;
}

Diagnosis diagnose(const LinkMap& map, std::string_view file, std::string_view asked, Dlopens dlopens,
                   const std::function<const Result<Check>&()>& check_of_caller) {
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
  const std::vector<bool> belongs = map.target_closure();
  std::optional<Result<Check>> own_check;
  const auto check_here = [&]() -> const Result<Check>& {
    return own_check.emplace(check_start(map, {.own = OwnReferences::Counted}));
  };
  const Check* const check = check_symbols(
      map, check_of_caller ? check_of_caller : std::function<const Result<Check>&()>(check_here), diagnosis);
  std::vector<Problem> further = detect_all({map, asked, diagnosis.dlopens, belongs},
                                            check != nullptr && left_to_driver(map, *check).empty() ? check : nullptr);
  std::move(further.begin(), further.end(), std::back_inserter(diagnosis.problems));
  if (asked.empty()) add_foreign_libc(map, diagnosis);
  for (const Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) != Severity::Fatal) continue;
    diagnosis.starts &= problem.is_met_later();
    if (!problem.is_met_later() && diagnosis.loader_prints.empty()) {
      diagnosis.loader_prints = ends_program(map) ? problem.loader_says : problem.dlerror_says;
    }
  }
  if (map.dlopen_calls_left != 0 || diagnosis.has_fatal()) {
    diagnosis.answer = Verdict::Fails;
  } else if (check != nullptr && asked.empty()) {
    diagnosis.answer = verdict_of(map, *check, diagnosis.dlopens);
  }
  const Problem* const failing = asked.empty() ? first_failing_call(diagnosis.problems) : nullptr;
  const bool is_call = failing != nullptr && diagnosis.answer == Verdict::Works;
  if (is_call) diagnosis.answer = Verdict::Fails;
  const Statement end = is_call                                ? say("loads-but", {{"problem", failing->what}})
                        : diagnosis.answer == Verdict::Depends ? what_it_depends_on(map, *check)
                                                               : end_of(map, diagnosis);
  const std::string what = map.import.empty() ? std::string(file) : "import " + map.import;
  diagnosis.verdict = say("verdict", {{"file", what}, {"end", end}});
  if (!asked.empty()) diagnosis.asked_requests = requests_for(map, asked);
  add_surprises(map, diagnosis);
  add_layers(map, diagnosis);
  std::stable_sort(diagnosis.problems.begin(), diagnosis.problems.end(), [](const Problem& a, const Problem& b) {
    if (severity_of(a.code) != severity_of(b.code)) {
      return severity_of(a.code) < severity_of(b.code);
    }
    return a.is_met_later() < b.is_met_later();
  });
  return diagnosis;
}

}  // namespace soresolve
