// Which fixes are proposed: those that change least first. The proposals are in propose_*.cc, their trial in trial.cc,
// the order in which they are shown in choice.cc.
#include <algorithm>
#include <iterator>

#include "base/path.h"
#include "diagnose/additions.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/other_file.h"
#include "diagnose/static_tls.h"
#include "diagnose/verdict.h"
#include "elf/library_name.h"
#include "loader/system.h"
#include "packages/host_driver.h"
#include "packages/package_lists.h"
#include "packages/what_brings.h"
#include "remedies/choice.h"
#include "remedies/find_remedies.h"
#include "remedies/proposals.h"
#include "remedies/remedy_trials.h"
#include "remedies/replacements.h"
#include "remedies/suitability.h"
#include "soresolve/remedies.h"

namespace soresolve {
namespace {

/// What brings a broken file again, and what brings one that was never here.
void propose_packages(const LinkMap& map, Diagnosis& diagnosis, Reinstall reinstall, const RemedyOptions& options) {
  propose_permissions(map, diagnosis);
  if (reinstall.remedy) diagnosis.remedies.push_back(std::move(*reinstall.remedy));
  propose_installs(map, diagnosis, *options.owners, reinstall.served, options.import_wheel);
  propose_newer_wheel(map, diagnosis, *options.owners);
}

/// Where a package has lost a file that its record lists, a copy in another package is that one's: its next release may
/// be without it, or with another one under the name.
void mark_other_packages(Diagnosis& diagnosis, const Reinstall& reinstall, const PackageOwners& owners) {
  if (!reinstall.remedy) return;
  const auto is_broken = [&](const PackageOwner& owner) {
    return std::find(reinstall.packages.begin(), reinstall.packages.end(), owner) != reinstall.packages.end();
  };
  for (Problem& problem : diagnosis.problems) {
    if (!reinstall.served.contains(problem.name)) continue;
    for (Candidate& candidate : problem.candidates) {
      if (!candidate.serves || !candidate.foreign.empty()) continue;
      const std::optional<PackageOwner> owner = owners.owner_of(candidate.path);
      if (owner && !is_broken(*owner)) candidate.foreign = say("of-other-package", {{"package", full_name_of(*owner)}});
    }
  }
}

/// Returns the libraries that are to be required, of which fixes are made where something fails.
std::vector<MissingNeed> propose_all(const LinkMap& map, Diagnosis& diagnosis, const RemedyOptions& options,
                                     const Check* check) {
  Suitability suitability(map, options.owners);
  Replacements replacements = find_replacements(
      map, options, suitability, may_lack_need(diagnosis.problems) ? check : nullptr, diagnosis.problems);
  const bool is_for_system = options.fix_for == FixFor::All || options.fix_for == FixFor::System;
  if (is_for_system && check != nullptr) propose_newer_runtime(map, diagnosis, *options.owners, *check);
  const bool lacks_room = std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(), [](const Problem& problem) {
    return problem.code == ProblemCode::StaticTlsFull || is_refused_for_stack(problem) ||
           problem.what.sentence == "sanitizer-not-first";
  });
  Reinstall reinstall = is_for_system ? find_reinstall(map, diagnosis, *options.owners, options.import) : Reinstall{};
  const bool lacks_later =
      std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(),
                  [](const Problem& problem) { return problem.code == ProblemCode::DlopenMissing; });
  if (replacements.broken.empty() && !lacks_room && !lacks_later) {
    if (is_for_system) propose_packages(map, diagnosis, std::move(reinstall), options);
    return std::move(replacements.needs);
  }
  mark_other_packages(diagnosis, reinstall, *options.owners);
  choose_replacements(map, diagnosis.problems, replacements);
  RemedyTrials trials(map, diagnosis.problems, replacements.broken, suitability, options.import_end);
  const RemedyContext context{map, diagnosis.problems, replacements, trials};
  const auto propose = [&](FixFor what, std::vector<Remedy> (*proposal)(const RemedyContext&)) {
    if (options.fix_for != FixFor::All && options.fix_for != what) return;
    std::vector<Remedy> remedies = proposal(context);
    std::move(remedies.begin(), remedies.end(), std::back_inserter(diagnosis.remedies));
  };
  propose(FixFor::Environment, propose_capabilities);
  if (lacks_later && replacements.broken.empty() && options.import == nullptr) {
    std::vector<Remedy> remedies = propose_opened_later(context, diagnosis.dlopens);
    std::move(remedies.begin(), remedies.end(), std::back_inserter(diagnosis.remedies));
  }
  propose(FixFor::System, propose_ldconfig);
  propose(FixFor::Environment, propose_path_entry);
  propose(FixFor::Environment, propose_preload_entry);
  propose(FixFor::Environment, propose_static_tls);
  propose(FixFor::Environment, propose_exec_stack);
  propose(FixFor::Environment, propose_sanitizer);
  propose(FixFor::Environment, propose_library_path);
  propose(FixFor::System, propose_configuration);
  propose(FixFor::File, propose_needed_name);
  propose(FixFor::File, propose_missing_need);
  propose(FixFor::File, propose_unshadowing);  // before a tag, by which all that lies there comes first
  propose(FixFor::File, propose_search_tag);
  propose(FixFor::File, propose_links);
  propose(FixFor::Environment, propose_preloads);
  if (is_for_system) propose_packages(map, diagnosis, std::move(reinstall), options);
  return std::move(replacements.needs);
}

std::vector<std::string> needers_of(const LinkMap& map, const Diagnosis& diagnosis) {
  std::vector<std::string> needers;
  for (const Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) != Severity::Fatal) continue;
    for (const NeedRef& request : problem.requests) needers.push_back(file_of(map, request.needer));
  }
  return needers;
}

/// How the package managers of this root are asked which package has a library; nullopt: it has none that we know.
std::optional<CommandText> search_command(const FileSystem& files, std::string_view library) {
  struct Manager {
    const char* program;
    CommandText asks;
  };
  const Manager managers[] = {
      {"/usr/bin/apt-get", "apt-file search " + shell_word(library)},
      {"/usr/bin/dnf", "dnf provides " + shell_word("*/" + std::string(library))},
      {"/usr/bin/zypper", "zypper search --provides --match-exact " + shell_word(library)},
      {"/usr/bin/pacman", "pacman -F " + shell_word(library)},
      {"/sbin/apk", "apk search -x " + shell_word("so:" + std::string(library))},
  };
  for (const Manager& manager : managers) {
    if (files.status(manager.program)) return manager.asks;
  }
  return std::nullopt;
}

/// "-luuid" of libuuid.so.1; the file itself where its name has another form.
std::string link_option(const MissingNeed& need) {
  constexpr std::string_view kLib = "lib";
  const std::string_view stem = library_stem(need.soname);
  const bool is_usual = stem.starts_with(kLib) && need.soname.substr(stem.size()).starts_with(".so");
  return is_usual ? "-l" + std::string(stem.substr(kLib.size())) : need.path;
}

/// What leads on where a symbol is missing: the library that has it, or the release that was meant.
Statement next_of_symbols(const LinkMap& map, const Diagnosis& diagnosis, const std::vector<MissingNeed>& needs) {
  if (!needs.empty()) {
    const MissingNeed& need = needs.front();
    return say("next-link-with", {{"file", file_name_of(file_of(map, need.referrer))},
                                  {"option", link_option(need)},
                                  {"library", need.soname},
                                  {"symbols", symbols_in_short(need.symbols.front(), need.symbols.size())},
                                  {"count", need.symbols.size()}});
  }
  for (const Problem& problem : diagnosis.problems) {
    for (const Evidence& evidence : problem.evidence) {
      if (!is_of_other_release(evidence)) continue;
      const auto text_of = [&](std::string_view name) {
        const auto found = std::find_if(evidence.what.arguments.begin(), evidence.what.arguments.end(),
                                        [&](const Argument& argument) { return argument.name == name; });
        const auto* const text = std::get_if<std::string>(&found->value);
        return std::string(file_name_of(text == nullptr ? std::string_view() : std::string_view(*text)));
      };
      const bool is_older_wanted = evidence.what.sentence == "defines-newer-only";
      const std::string_view sentence = is_older_wanted ? "next-newer-build" : "next-other-release";
      return say(sentence, {{"referrer", text_of("referrer")}, {"provider", text_of("provider")}});
    }
  }
  // Nobody defines it: not in the process, and in no library here that was asked.
  const auto nowhere = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(), [](const Problem& problem) {
    return problem.code == ProblemCode::SymbolMissing && problem.what.sentence == "symbol-nowhere";
  });
  const bool lacks_library = std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(),
                                         [](const Problem& one) { return one.code == ProblemCode::MissingLibrary; });
  if (lacks_library || nowhere == diagnosis.problems.end() || nowhere->referrer == kNoObject) return {};
  return say("next-defined-nowhere", {{"symbol", nowhere->name},
                                      {"referrer", file_name_of(file_of(map, nowhere->referrer))},
                                      {"command", ("soresolve who " + shell_word(nowhere->name) + " PLACE").text()}});
}

/// A file of the right name that ld.so passes over.
Statement next_of_passed_over(const Diagnosis& diagnosis) {
  for (const Problem& problem : diagnosis.problems) {
    for (const Candidate& candidate : problem.candidates) {
      if (candidate.reason.sentence != "of-newer-kernel" || !candidate.is_asked_name) continue;
      return say("next-newer-kernel",
                 {{"command", ("strip --remove-section=.note.ABI-tag " + shell_path(candidate.path)).text()}});
    }
  }
  return {};
}

/// What gets a file that can be loaded in the place of one for another system or another libc.
Statement next_build(const LinkMap& map, const Diagnosis& diagnosis) {
  const bool is_musl = map.system->rules.libc == Libc::Musl;
  for (const Problem& problem : diagnosis.problems) {
    if (problem.code == ProblemCode::ForeignLibc && problem.object < map.objects.size()) {
      const std::string path = absolute_path(file_of(map, problem.object), map.process->cwd);
      return say(is_musl ? "next-build-for-musl" : "next-build-for-glibc", {{"file", path}});
    }
    if (problem.code == ProblemCode::MissingLibrary && problem.name.starts_with("libc.musl-") && !is_musl)
      return say("next-libc-of-musl", {{"library", problem.name}});
    if (problem.code != ProblemCode::FatalCandidate || problem.evidence.empty()) continue;
    const std::string& path = problem.evidence.front().path;
    if (const auto other = other_file(*map.system->files, path, path)) return other->next;
  }
  return {};
}

/// What leads on where no fix is known: who has the library that is missing.
Statement next_step(const LinkMap& map, const Diagnosis& diagnosis, const std::vector<MissingNeed>& needs) {
  if (Statement next = next_of_passed_over(diagnosis); !next.empty()) return next;
  if (Statement next = next_build(map, diagnosis); !next.empty()) return next;
  if (Statement next = next_of_symbols(map, diagnosis, needs); !next.empty()) return next;
  const auto missing = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(), [](const Problem& problem) {
    return problem.code == ProblemCode::MissingLibrary && problem.name.find('/') == std::string::npos;
  });
  if (missing == diagnosis.problems.end() || is_of_driver(missing->name)) return {};
  if (const std::optional<WhatBrings> brings = what_brings(missing->name); brings && !brings->product.empty())
    return say("next-product", {{"library", missing->name}, {"product", brings->product}});
  const std::string needer = missing->requests.empty() ? std::string() : file_of(map, missing->requests.front().needer);
  if (policy_names(missing->name).empty() && !needer.empty()) {
    const CommandText find = "find / -xdev -name " + shell_word(missing->name) + " 2>/dev/null";
    return say("next-private-library", {{"command", find.text()}, {"file", file_name_of(needer)}});
  }
  const std::optional<CommandText> command = search_command(*map.system->files, missing->name);
  if (!command) return {};
  return say("next-package-lists", {{"command", command->text()}, {"library", missing->name}});
}

}  // namespace

bool wants_check(const Diagnosis& diagnosis) {
  return may_lack_need(diagnosis.problems) ||
         std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(),
                     [](const Problem& problem) { return problem.code == ProblemCode::SymbolMissing; });
}

void find_remedies(const LinkMap& map, Diagnosis& diagnosis, const RemedyOptions& options, const Check* check) {
  RemedyOptions shared = options;
  if (!shared.owners) shared.owners = std::make_shared<PackageOwners>(map.system->files);
  const std::vector<MissingNeed> needs = propose_all(map, diagnosis, shared, check);
  order_by_choice(*map.system->files, needers_of(map, diagnosis), *shared.owners, diagnosis);
  const bool is_of_mounts =
      std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(),
                  [](const Problem& problem) { return problem.what.sentence == "driver-file-empty"; });
  if (best_remedy(diagnosis) == nullptr)
    diagnosis.next = is_of_mounts ? say("next-empty-driver") : next_step(map, diagnosis, needs);
  add_owners(map, diagnosis, *shared.owners);
}

}  // namespace soresolve
