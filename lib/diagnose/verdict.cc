// The one place that says whether a file works: `check`, `why` and whoever gates on them ask here, so they cannot
// disagree. What the loader does is in symbols/startup.cc; here is what that means to who asks about a library whose
// process nobody named. The loader resolves symbols that have no version in the scope of that whole process
// (elf/dl-lookup.c:_dl_lookup_symbol_x), so of the library alone nothing more can be said of them.
#include "diagnose/verdict.h"

#include <algorithm>

#include "base/enum_names.h"
#include "cuda/driver_mount.h"
#include "diagnose/hosts.h"
#include "diagnose/static_tls.h"
#include "dlopen/find_dlopens.h"
#include "loader/process.h"
#include "loader/system.h"
#include "packages/host_driver.h"
#include "symbols/cxx_names.h"
#include "symbols/undefined_words.h"

namespace soresolve {

std::string_view name_of(Verdict verdict) {
  using enum Verdict;
  static constexpr auto kNames = enum_names<Verdict>({{Works, "works"}, {Fails, "fails"}, {Depends, "depends"}});
  return kNames[verdict];
}

namespace {

/// A driver library of cuda-compat that does not accept the host's kernel module: its sentence says how it fits.
bool is_refused(const Problem& problem) {
  return std::any_of(problem.what.arguments.begin(), problem.what.arguments.end(), [](const Argument& argument) {
    const auto* const parts = std::get_if<std::vector<Statement>>(&argument.value);
    return parts != nullptr && std::any_of(parts->begin(), parts->end(),
                                           [](const Statement& part) { return part.sentence == "compat-refused"; });
  });
}

}  // namespace

bool has_unknown_process(const LinkMap& map) { return map.process->start != Start::Kernel && map.dlopen_calls.empty(); }

bool ends_in_symbol(const Check& check) {
  const Startup& answer = check.answer();
  if (check.symbols.empty() || answer.end != StartEnd::Fails || !answer.fatal_line) return false;
  const std::string& line = answer.lines[*answer.fatal_line];
  // glibc's words, or musl's.
  return line.ends_with(undefined_words(check.symbols.front().reference)) ||
         line.ends_with(": " + check.symbols.front().reference.name + ": symbol not found");
}

bool is_left_to_assumed_driver(const LinkMap& map, const UnresolvedSymbol& symbol) {
  const DriverMount* const driver = map.system->driver.get();
  if (driver == nullptr || !driver->is_assumed() || symbol.reference.has_version) return false;
  const std::vector<Need>& needs = map.objects[symbol.reference.referrer].needs;
  return std::any_of(needs.begin(), needs.end(), [&](const Need& need) {
    if (need.target == kNoObject || !is_of_driver(need.name)) return false;
    const Result<std::string, Errno> real = map.system->files->real_path(map.objects[need.target].path);
    return real && driver->find(*real) != nullptr && may_export(driver->version, need.name, symbol.reference.name);
  });
}

namespace {

/// Is nothing wrong but symbols that such libraries may define?
bool is_left_to_rows(const LinkMap& map, const Check& check) {
  return ends_in_symbol(check) && check.libraries.empty() && !check.facts.versions.has_error() &&
         check.facts.above_cpu.empty() &&
         std::all_of(check.symbols.begin(), check.symbols.end(),
                     [&](const UnresolvedSymbol& symbol) { return is_left_to_assumed_driver(map, symbol); });
}

}  // namespace

Verdict verdict_of(const LinkMap& map, const Check& check, const Dlopens& later) {
  if (check.is_ok()) {
    if (first_missing_dlopen(later) != nullptr) return Verdict::Fails;
    const bool is_refused = refused_for_stack(map) != kNoObject;
    return is_refused || (has_unknown_process(map) && static_tls_beyond_surplus(map)) ? Verdict::Depends
                                                                                      : Verdict::Works;
  }
  if (!left_to_driver(map, check).empty() || is_left_to_rows(map, check)) return Verdict::Depends;
  const bool leaves_symbols = ends_in_symbol(check) && check.libraries.empty() && !check.facts.versions.has_error() &&
                              check.facts.above_cpu.empty() &&
                              std::none_of(check.symbols.begin(), check.symbols.end(),
                                           [](const UnresolvedSymbol& symbol) { return symbol.reference.has_version; });
  return leaves_symbols && has_unknown_process(map) ? Verdict::Depends : Verdict::Fails;
}

Verdict verdict_of(const LinkMap& map, const Check& check, const Dlopens& later, const std::vector<Problem>& cuda) {
  const Verdict verdict = verdict_of(map, check, later);
  return verdict == Verdict::Works && first_failing_call(cuda) != nullptr ? Verdict::Fails : verdict;
}

const Problem* first_failing_call(std::span<const Problem> problems) {
  const auto found = std::find_if(problems.begin(), problems.end(), [](const Problem& problem) {
    switch (problem.code) {
      case ProblemCode::DriverTooOld:
      case ProblemCode::DriverMismatch:
      case ProblemCode::SymbolKind:
      case ProblemCode::FrameworkBuild: return true;
      case ProblemCode::WouldCrash: return problem.what.sentence == "sanitizer-not-first";
      case ProblemCode::StubLibrary: return problem.what.sentence == "stub-driver";
      case ProblemCode::MixedBuild: return problem.what.sentence != "cudnn-in-two-directories";
      case ProblemCode::ForwardCompat: return is_refused(problem);
      default: return false;
    }
  });
  return found == problems.end() ? nullptr : &*found;
}

Statement near_miss_words(const NearSymbol& near) {
  const std::string readable = demangled(near.symbol);
  const std::string& name = readable.empty() ? near.symbol : readable;
  switch (near.how) {
    case NearSymbol::How::NotLoaded: return say("near-not-loaded", {{"path", near.path}});
    case NearSymbol::How::OtherAbi: return say("near-other-abi", {{"path", near.path}, {"name", name}});
    case NearSymbol::How::OtherAbiAndParameters:
      return say("near-other-abi-and-parameters", {{"path", near.path}, {"name", name}});
    case NearSymbol::How::OtherParameters: return say("near-other-parameters", {{"path", near.path}, {"name", name}});
    case NearSymbol::How::Local: return say("near-local", {{"path", near.path}, {"name", name}});
  }
  return {};
}

Statement symbols_in_short(const std::string& first, std::size_t count) {
  if (count == 1) return words_of_others(first);
  return say("symbol-and-further", {{"symbol", first}, {"count", count - 1}});
}

bool is_left_to_driver(const LinkMap& map, const LoadFailure& failure) {
  return map.process->may_get_driver && failure.kind == LoadFailure::Kind::Missing && is_of_driver(failure.object) &&
         !has_driver(*map.system->files);
}

std::vector<std::string> left_to_driver(const LinkMap& map, const Check& check) {
  const bool is_right_otherwise = !check.libraries.empty() && check.answer().end == StartEnd::Fails &&
                                  map.dlopen_calls_left == 0 && check.facts.above_cpu.empty() &&
                                  std::none_of(check.versions.begin(), check.versions.end(),
                                               [](const VersionGap& gap) { return gap.message.is_error; });
  if (!is_right_otherwise || !map.process->may_get_driver) return {};
  std::vector<std::string> names;
  for (const UnresolvedLibrary& library : check.libraries) {
    if (!is_of_driver(library.failure.object) || !is_left_to_driver(map, library.failure)) return {};
    names.push_back(library.failure.object);
  }
  // The driver's libraries may define what its needers refer to.
  const bool may_be_defined =
      std::all_of(check.symbols.begin(), check.symbols.end(), [&](const UnresolvedSymbol& symbol) {
        if (!symbol.file.empty()) return is_of_driver(symbol.file);
        if (has_unknown_process(map)) return true;  // or its process does
        return std::any_of(check.libraries.begin(), check.libraries.end(), [&](const UnresolvedLibrary& library) {
          const std::vector<ObjectIndex>& needers = library.needers;
          return std::find(needers.begin(), needers.end(), symbol.reference.referrer) != needers.end();
        });
      });
  return may_be_defined ? names : std::vector<std::string>();
}

Statement what_it_depends_on(const LinkMap& map, const Check& check) {
  if (std::vector<std::string> driver = left_to_driver(map, check); !driver.empty()) {
    return say("depends-on-driver", {{"libraries", NameList{std::move(driver), 0}}});
  }
  if (const auto tls = check.is_ok() ? static_tls_beyond_surplus(map) : std::nullopt) {
    return say("depends-on-static-tls", {{"wanted", tls->wanted_bytes}, {"kept", tls->kept_bytes}});
  }
  if (const ObjectIndex object = check.is_ok() ? refused_for_stack(map) : kNoObject; object != kNoObject)
    return say("depends-on-exec-stack");
  const std::string& first = check.symbols.front().reference.name;
  if (is_left_to_rows(map, check)) {
    return say("depends-on-driver-symbols", {{"version", map.system->driver->version.text},
                                             {"symbols", symbols_in_short(first, check.symbols.size())}});
  }
  std::vector<std::string> names;
  for (const UnresolvedSymbol& symbol : check.symbols) names.push_back(symbol.reference.name);
  if (const HostRow* const host = host_of_symbols(names); host != nullptr) {
    return say("depends-on-host", {{"host", host->title}, {"symbols", symbols_in_short(first, check.symbols.size())}});
  }
  return say("depends-on-process", {{"symbols", symbols_in_short(first, check.symbols.size())}});
}

}  // namespace soresolve
