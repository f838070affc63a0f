// The remedy in the file that needs a library: its RUNPATH, or the RPATH that it has.
#include <algorithm>
#include <map>
#include <set>

#include "remedies/proposals.h"

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

/// The directory as the file that needs the library would name it: from its own place if both are
/// parts of one tree, so that the tree can be moved.
std::string as_tag(const RemedyContext& context, ObjectIndex needer, const std::string& directory) {
  std::optional<std::string> origin = origin_of(context.map, needer);
  if (!origin) return directory;
  origin = directory_of(without_dots(path_in(*origin, "file")));
  const Result<std::string, Errno> real = context.map.system->files->real_path(*origin);
  if (!real || *real != *origin) return directory;
  std::size_t common = 0;
  for (std::size_t i = 0; i <= std::min(origin->size(), directory.size()); ++i) {
    const char a = i < origin->size() ? (*origin)[i] : '/';
    const char b = i < directory.size() ? directory[i] : '/';
    if (a != b) break;
    if (a == '/') common = i;
  }
  const std::string top = origin->substr(0, common);
  static const std::set<std::string> kTooWide = {"",     "/usr", "/usr/local", "/opt", "/home",
                                                 "/tmp", "/var", "/root",      "/mnt", "/srv"};
  if (kTooWide.contains(top)) return directory;
  std::string tag = "$ORIGIN";
  for (std::size_t i = common; i < origin->size(); ++i) tag += (*origin)[i] == '/' ? "/.." : "";
  return common < directory.size() ? tag + directory.substr(common) : tag;
}

}  // namespace

/// A path of the machine that it was built on: the loader opens exactly that file. By its name alone it is searched.
std::vector<Remedy> propose_needed_name(const RemedyContext& context) {
  std::vector<Remedy> remedies;
  for (const Problem& problem : context.problems) {
    const bool is_path = problem.code == ProblemCode::MissingLibrary && problem.name.find('/') != std::string::npos;
    if (!is_path || problem.requests.empty()) continue;
    const NeedRef& request = problem.requests.front();
    const LoadedObject& needer = context.map.objects[request.needer];
    const std::string path = file_of(context.map, request.needer);
    const Need* const need = context.map.find_need(request);
    if (need == nullptr || need->kind != NeedKind::Needed || path.empty()) continue;
    const std::string name(file_name_of(problem.name));
    Remedy remedy;
    remedy.kind = RemedyKind::NeededName;
    remedy.text = say("fix-needed-name");
    remedy.writes = {without_dots(path)};
    const auto add = [&](const std::string& instead) {
      remedy.commands = {"patchelf --replace-needed " + shell_word(need->written) + " " + shell_word(instead) + " " +
                         shell_path(without_dots(path))};
      WorldChange world_change;
      world_change.needs = {{needer.status.id, std::string(need->written), instead}};
      Remedy one = context.trials.tried(remedy, world_change, problem.name);
      const bool is_good = one.verdict != RemedyVerdict::Fails;
      if (is_good) remedies.push_back(std::move(one));
      return is_good;
    };
    if (add(name)) continue;
    // By the place from which it is to be taken, where no search leads there.
    for (const Candidate& candidate : problem.candidates) {
      if (!candidate.serves || file_name_of(candidate.path) != name) continue;
      const std::string from = as_tag(context, request.needer, without_dots(std::string(directory_of(candidate.path))));
      if (add(path_in(from, name))) break;
    }
  }
  return remedies;
}

std::vector<Remedy> propose_missing_need(const RemedyContext& context) {
  std::vector<Remedy> remedies;
  for (const MissingNeed& missing : context.replacements.needs) {
    const LoadedObject& object = context.map.objects[missing.referrer];
    const std::string path = without_dots(file_of(context.map, missing.referrer));
    if (path.empty()) continue;
    Remedy remedy;
    remedy.kind = RemedyKind::NeededName;
    remedy.text = say("fix-add-needed");
    remedy.writes = {path};
    WorldChange world_change;
    world_change.needs = {{object.status.id, {}, missing.soname}};
    if (!missing.is_found_by_name) {
      const bool keeps_rpath = object.elf.rpath && !object.elf.runpath;
      const std::string old(keeps_rpath ? *object.elf.rpath : object.elf.runpath.value_or(""));
      const std::string tag = as_tag(context, missing.referrer, std::string(directory_of(missing.path)));
      const std::string value = old.empty() ? tag : old + ":" + tag;
      TagEdit edit{object.status.id, {}, {}};
      (keeps_rpath ? edit.rpath : edit.runpath) = value;
      world_change.tags = {std::move(edit)};
      // A call of its own: patchelf 0.14 mixes the two up in one.
      remedy.commands.push_back(CommandText("patchelf ") +
                                (keeps_rpath ? CommandText("--force-rpath ") : CommandText()) + "--set-rpath " +
                                shell_word(value) + " " + shell_path(path));
    }
    remedy.commands.push_back("patchelf --add-needed " + shell_word(missing.soname) + " " + shell_path(path));
    remedy = context.trials.tried(std::move(remedy), world_change);
    if (remedy.verdict != RemedyVerdict::Fails) remedies.push_back(std::move(remedy));

    if (missing.path.find_first_of(" \t:") != std::string::npos) continue;
    Remedy preload;
    preload.kind = RemedyKind::Preload;
    preload.text = say("fix-preload");
    preload.commands = {"export LD_PRELOAD=" + shell_word(missing.path) + "${LD_PRELOAD:+:$LD_PRELOAD}"};
    WorldChange preloaded;
    const auto old = context.map.process->environment.value("LD_PRELOAD");
    preloaded.environment = {"LD_PRELOAD=" + missing.path + (old && !old->empty() ? ":" + std::string(*old) : "")};
    preload = context.trials.tried(std::move(preload), preloaded);
    if (preload.verdict != RemedyVerdict::Fails) remedies.push_back(std::move(preload));
  }
  return remedies;
}

std::vector<Remedy> propose_search_tag(const RemedyContext& context) {
  Remedy remedy;
  remedy.kind = RemedyKind::SearchTag;
  WorldChange world_change;
  std::map<ObjectIndex, std::vector<std::string>> entries;
  std::map<ObjectIndex, bool> goes_first;
  for (const Replacement& replacement : context.replacements.chosen) {
    if (file_name_of(replacement.candidate->path) != replacement.problem->name) continue;
    const ObjectIndex needer = replacement.request.needer;
    if (context.map.objects[needer].role != ObjectRole::Main && context.map.objects[needer].role != ObjectRole::Library)
      continue;
    if (needer == 0 && context.map.main_path.empty()) continue;  // a dlopen by nobody in particular
    std::string entry = as_tag(context, needer, std::string(directory_of(replacement.candidate->path)));
    std::vector<std::string>& list = entries[needer];
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(std::move(entry));
    goes_first[needer] |= is_in_the_way(*replacement.problem);
  }
  for (const auto& [needer, list] : entries) {
    const LoadedObject& object = context.map.objects[needer];
    const bool keeps_rpath = object.elf.rpath && !object.elf.runpath;
    const std::string old(keeps_rpath ? *object.elf.rpath : object.elf.runpath.value_or(""));
    const std::string added = prepended(list, {});
    // What is looked through first already is not in want of a tag.
    if ((old + ":").starts_with(added + ":")) continue;
    const std::string value = old.empty() ? added : goes_first[needer] ? added + ":" + old : old + ":" + added;
    TagEdit edit{object.status.id, {}, {}};
    (keeps_rpath ? edit.rpath : edit.runpath) = value;
    world_change.tags.push_back(std::move(edit));
    const std::string path = without_dots(needer == 0 ? context.map.main_path : std::string(object.path));
    remedy.writes.push_back(path);
    remedy.commands.push_back(CommandText("patchelf ") + (keeps_rpath ? CommandText("--force-rpath ") : CommandText()) +
                              "--set-rpath " + shell_word(value) + " " + shell_path(path));
  }
  if (world_change.tags.empty()) return {};
  remedy.text = say("fix-search-tag", {{"count", world_change.tags.size()}});
  return {context.trials.tried(std::move(remedy), world_change)};
}

}  // namespace soresolve
