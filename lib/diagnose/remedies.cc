// Which changes are worth a trial, and what each came to.
#include <algorithm>
#include <map>
#include <set>

#include "diagnose/candidates.h"
#include "diagnose/shell.h"
#include "diagnose/suitability.h"
#include "diagnose/trial.h"
#include "soresolve/ldconfig.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxCandidates = 24;  ///< read for one library
constexpr std::uint64_t kMaxBoundBytes = 64
                                         << 20;  ///< files of a process whose symbols are all bound

std::string directory_of(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/')));
}
std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_about_library(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::MissingLibrary:
    case FindingKind::WrongClass:
    case FindingKind::FatalCandidate:
    case FindingKind::VersionMissing:
    case FindingKind::SymbolMissing:
      return true;
    default:
      return false;
  }
}

/// Is a file there that should not be taken?
bool is_in_the_way(const Finding& finding) {
  return finding.kind == FindingKind::VersionMissing ||
         finding.kind == FindingKind::SymbolMissing || finding.kind == FindingKind::FatalCandidate;
}

std::vector<ObjectIndex> consumers_of(const LinkMap& map, const Finding& finding) {
  std::set<ObjectIndex> objects;
  for (const NeedRef& request : finding.requests) objects.insert(request.needer);
  for (ObjectIndex i = 0; i < map.objects.size() && finding.object != kNoObject; ++i) {
    for (const Need& need : map.objects[i].needs) {
      if (need.target == finding.object) objects.insert(i);
    }
  }
  return {objects.begin(), objects.end()};
}

/// One library that is to be mended, and the file that is to serve.
struct Mending {
  const Finding* finding = nullptr;
  const Candidate* candidate = nullptr;
  NeedRef request;  ///< the first one for it
};

/// What the loader would come to first if `directories` stood before what there is.
std::string prepended(const std::vector<std::string>& directories,
                      std::optional<std::string_view> value) {
  std::string list;
  for (const std::string& directory : directories) list += (list.empty() ? "" : ":") + directory;
  if (value && !value->empty()) list += ":" + std::string(*value);
  return list;
}

class Proposer {
 public:
  Proposer(const Question& question, const LinkMap& map, Diagnosis& diagnosis,
           const RemedyOptions& options)
      : question_(question),
        map_(map),
        diagnosis_(diagnosis),
        options_(options),
        trials_(question),
        suitability_(question.system, question.process, map) {}

  void run() {
    if (!find_candidates()) return;
    choose();
    if (!mendings_.empty()) {
      if (wants(FixFor::Environment)) propose_library_path();
      if (wants(FixFor::System)) propose_configuration();
      if (wants(FixFor::File)) propose_search_tag();
    }
    if (wants(FixFor::File)) {
      propose_links();
      propose_unshadowing();
    }
    if (wants(FixFor::Environment) && !mendings_.empty()) propose_preloads();
  }

 private:
  [[nodiscard]] bool wants(FixFor what) const {
    return options_.fix_for == FixFor::All || options_.fix_for == what;
  }

  /// False if no finding is about a library.
  bool find_candidates() {
    std::vector<NeedRef> requests;
    for (const Finding& finding : diagnosis_.findings) {
      if (severity_of(finding.kind) != Severity::Fatal || !is_about_library(finding)) continue;
      broken_.insert(finding.name);
      const NeedRef request = first_request(finding);
      if (request.needer != kNoObject) requests.push_back(request);
    }
    if (broken_.empty()) return false;
    const CandidateSearch search(question_.system, question_.process, map_, requests, options_);
    for (Finding& finding : diagnosis_.findings) {
      if (severity_of(finding.kind) == Severity::Fatal && is_about_library(finding))
        judge(search, finding);
    }
    return true;
  }

  void judge(const CandidateSearch& search, Finding& finding) {
    std::vector<NamedFile> files = search.files_like(finding.name);
    if (finding.object != kNoObject) {
      std::erase_if(files, [&](const NamedFile& file) {
        const Result<FileStatus, Errno> status = question_.system.files->status(file.path);
        return status && status->id == map_.objects[finding.object].status.id;
      });
    }
    // By how near the name is, should there be too many to read.
    std::stable_sort(files.begin(), files.end(), [&](const NamedFile& a, const NamedFile& b) {
      return (file_name(a.path) == finding.name) > (file_name(b.path) == finding.name);
    });
    if (files.size() > kMaxCandidates) files.resize(kMaxCandidates);
    const std::vector<ObjectIndex> consumers = consumers_of(map_, finding);
    for (const NamedFile& file : files) {
      Candidate candidate = suitability_.judge(file, finding.name, consumers);
      if (candidate.reason.find("not begin with 7f 45 4c 46") == std::string::npos)
        finding.candidates.push_back(std::move(candidate));
    }
    std::stable_sort(finding.candidates.begin(), finding.candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       if (a.serves != b.serves) return a.serves;
                       if (a.is_asked_name != b.is_asked_name) return a.is_asked_name;
                       return compare_cache_keys(file_name(a.path), file_name(b.path)) > 0;
                     });
    finding.candidates_note = search.cut_short();
  }

  [[nodiscard]] NeedRef first_request(const Finding& finding) const {
    if (!finding.requests.empty()) return finding.requests.front();
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      for (std::uint32_t k = 0; k < map_.objects[i].needs.size(); ++k) {
        if (map_.objects[i].needs[k].target == finding.object) return {i, k};
      }
    }
    return {};
  }

  void choose() {
    for (const Finding& finding : diagnosis_.findings) {
      if (!broken_.contains(finding.name) || !chosen_.insert(finding.name).second) continue;
      const auto asked = std::find_if(
          finding.candidates.begin(), finding.candidates.end(),
          [](const Candidate& candidate) { return candidate.is_asked_name && candidate.serves; });
      const NeedRef request = first_request(finding);
      if (asked != finding.candidates.end() && request.needer != kNoObject)
        mendings_.push_back({&finding, &*asked, request});
    }
  }

  /// Directories of the chosen files: of all, or of those that bear the very name that is asked
  /// for.
  [[nodiscard]] std::vector<std::string> directories(bool named_only) const {
    std::vector<std::string> list;
    for (const Mending& mending : mendings_) {
      if (named_only && file_name(mending.candidate->path) != mending.finding->name) continue;
      std::string directory = directory_of(mending.candidate->path);
      if (std::find(list.begin(), list.end(), directory) == list.end())
        list.push_back(std::move(directory));
    }
    return list;
  }

  void propose_library_path() {
    const std::vector<std::string> list = directories(true);
    if (list.empty()) return;
    Remedy remedy;
    remedy.kind = RemedyKind::LibraryPath;
    remedy.text = "name " + std::string(list.size() == 1 ? "its directory" : "the directories") +
                  " in the environment of the process";
    remedy.commands = {"export LD_LIBRARY_PATH=" + shell_quoted(prepended(list, {})) +
                       "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"};
    if (prepended(list, {}).find_first_of(";$") != std::string::npos ||
        std::any_of(list.begin(), list.end(),
                    [](const std::string& d) { return d.find(':') != std::string::npos; })) {
      return leave_untried(
          std::move(remedy),
          "a directory with ':', ';' or '$' in its name cannot stand in LD_LIBRARY_PATH");
    }
    Alteration alteration;
    alteration.environment = {
        "LD_LIBRARY_PATH=" +
        prepended(list, question_.process.environment.value("LD_LIBRARY_PATH"))};
    attempt(std::move(remedy), alteration, {});
  }

  void propose_configuration() {
    const std::vector<std::string> list = directories(false);
    Remedy remedy;
    remedy.kind = RemedyKind::Configuration;
    remedy.text = "name " + std::string(list.size() == 1 ? "its directory" : "the directories") +
                  " to ldconfig, for every process";
    std::string lines;
    std::string words;
    for (const std::string& directory : list) {
      lines += directory + "\n";
      words += " " + shell_quoted(directory);
      if (directory.find_first_of("#=\n") != std::string::npos) {
        return leave_untried(std::move(remedy),
                             "a directory with '#' or '=' in its name cannot stand in ld.so.conf");
      }
    }
    const std::string file =
        "/etc/ld.so.conf.d/" + std::string(library_stem(mendings_.front().finding->name)) + ".conf";
    Alteration alteration;
    alteration.runs_ldconfig = true;
    const bool is_included = includes_directory();
    const std::string target = is_included ? file : "/etc/ld.so.conf";
    alteration.files = {{target, (is_included ? "" : content_of(target)) + lines}};
    remedy.commands = {
        "printf '%s\\n'" + words + " | sudo tee -a " + shell_quoted(target) + " >/dev/null",
        "sudo ldconfig"};
    if (is_included) alteration.files.front().second = content_of(target) + lines;
    attempt(std::move(remedy), alteration, {});
  }

  [[nodiscard]] std::string content_of(const std::string& path) const {
    const Result<std::unique_ptr<File>, Errno> file = question_.system.files->open(path);
    if (!file) return {};
    std::string text(std::min<std::uint64_t>((*file)->status().size_bytes, 1 << 20), '\0');
    const auto got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
    text.resize(got ? *got : 0);
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
  }

  /// Would a file in /etc/ld.so.conf.d be read?
  [[nodiscard]] bool includes_directory() const {
    OverlayFileSystem files(question_.system.files);
    constexpr std::string_view kProbe = "/soresolve-probe";
    if (!files.status("/etc/ld.so.conf.d")) return false;
    if (files.add_file("/etc/ld.so.conf.d/soresolve-probe.conf", kProbe) != Errno::None)
      return false;
    std::vector<std::string> problems;
    const std::vector<std::string> found =
        configured_directories(files, question_.system.rules, problems);
    return std::find(found.begin(), found.end(), kProbe) != found.end();
  }

  /// The directory as the file that needs the library would name it: from its own place if both are
  /// parts of one tree, so that the tree can be moved.
  [[nodiscard]] std::string as_tag(ObjectIndex needer, const std::string& directory) const {
    const std::optional<std::string> origin =
        origin_of(question_.system, question_.process, map_, needer);
    if (!origin) return directory;
    const Result<std::string, Errno> real = question_.system.files->real_path(*origin);
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

  void propose_search_tag() {
    Remedy remedy;
    remedy.kind = RemedyKind::SearchTag;
    Alteration alteration;
    std::map<ObjectIndex, std::vector<std::string>> entries;
    std::map<ObjectIndex, bool> goes_first;
    for (const Mending& mending : mendings_) {
      if (file_name(mending.candidate->path) != mending.finding->name) continue;
      const ObjectIndex needer = mending.request.needer;
      if (map_.objects[needer].role != ObjectRole::Main &&
          map_.objects[needer].role != ObjectRole::Library)
        continue;
      if (needer == 0 && map_.main_path.empty()) continue;  // a dlopen by nobody in particular
      std::string entry = as_tag(needer, directory_of(mending.candidate->path));
      std::vector<std::string>& list = entries[needer];
      if (std::find(list.begin(), list.end(), entry) == list.end())
        list.push_back(std::move(entry));
      goes_first[needer] |= is_in_the_way(*mending.finding);
    }
    for (const auto& [needer, list] : entries) {
      const LoadedObject& object = map_.objects[needer];
      const bool keeps_rpath = object.elf.rpath && !object.elf.runpath;
      const std::string old(keeps_rpath ? *object.elf.rpath : object.elf.runpath.value_or(""));
      const std::string added = prepended(list, {});
      const std::string value = old.empty()          ? added
                                : goes_first[needer] ? added + ":" + old
                                                     : old + ":" + added;
      TagEdit edit{object.status.id, {}, {}};
      (keeps_rpath ? edit.rpath : edit.runpath) = value;
      alteration.tags.push_back(std::move(edit));
      const std::string path = needer == 0 ? map_.main_path : std::string(object.path);
      remedy.commands.push_back(std::string("patchelf ") + (keeps_rpath ? "--force-rpath " : "") +
                                "--set-rpath " + shell_quoted(value) + " " + shell_quoted(path));
    }
    if (alteration.tags.empty()) return;
    remedy.text = "tell " +
                  std::string(alteration.tags.size() == 1 ? "the file that needs it"
                                                          : "the files that need them") +
                  " where to look";
    attempt(std::move(remedy), alteration, {});
  }

  /// The directory of a search in which a link would be found: that of the file which needs it,
  /// another one that search tags or the environment name, one of the system's.
  [[nodiscard]] std::string directory_for_link(const NeedRef& request) const {
    const std::uint32_t trace = map_.objects[request.needer].needs[request.need].trace;
    const std::string origin =
        origin_of(question_.system, question_.process, map_, request.needer).value_or("") + "/";
    std::string named;
    std::string system_directory;
    if (trace >= map_.traces.size()) return {};
    for (const Attempt& attempt : map_.traces[trace].attempts) {
      const bool is_there = attempt.outcome != Outcome::NoSuchDirectory &&
                            attempt.outcome != Outcome::SkippedDirectory;
      if (!is_there || !attempt.directory.starts_with('/') || !attempt.subdirectory.empty())
        continue;
      if (!question_.system.files->status(attempt.directory)) continue;
      if (attempt.step == SearchStep::DefaultDirs) {
        system_directory = attempt.directory;
      } else if (attempt.directory == origin) {
        return origin;
      } else if (attempt.step != SearchStep::Cache && named.empty()) {
        named = attempt.directory;
      }
    }
    return named.empty() ? system_directory : named;
  }

  void propose_links() {
    for (const Finding& finding : diagnosis_.findings) {
      const bool is_lost =
          finding.kind == FindingKind::MissingLibrary || finding.kind == FindingKind::WrongClass;
      if (!is_lost || finding.candidates.empty() || finding.requests.empty()) continue;
      propose_link(finding, finding.candidates.front());
      // The one that everybody tries, with the proof that it does not do.
      const auto wrong =
          std::find_if(finding.candidates.begin(), finding.candidates.end(),
                       [](const Candidate& c) { return !c.serves && !c.is_asked_name; });
      if (wrong != finding.candidates.end() && wrong != finding.candidates.begin())
        propose_link(finding, *wrong);
    }
  }

  void propose_link(const Finding& finding, const Candidate& candidate) {
    const std::string directory = directory_for_link(finding.requests.front());
    if (directory.empty() || finding.name.find('/') != std::string::npos) return;
    // Of a bare name nobody's needs are known that could refute another version.
    if (map_.main_path.empty() && !candidate.is_asked_name) return;
    const std::vector<std::string>& system = question_.system.rules.system_dirs;
    const bool is_systems = std::find(system.begin(), system.end(), directory) != system.end();
    // The packages' own directories are not the place for it where anything else does.
    if (is_systems && candidate.is_asked_name) return;
    std::string path = directory + finding.name;
    if (question_.system.files->read_link(path) || question_.system.files->status(path)) return;
    Remedy remedy;
    remedy.kind = RemedyKind::Link;
    remedy.text = candidate.is_asked_name ? "make a link where it is searched"
                                          : "make a link under the missing name to " +
                                                std::string(file_name(candidate.path));
    remedy.commands = {(is_systems ? "sudo ln -s " : "ln -s ") + shell_quoted(candidate.path) +
                       " " + shell_quoted(path)};
    Alteration alteration;
    alteration.links = {{path, candidate.path}};
    attempt(std::move(remedy), alteration, finding.name);
  }

  void propose_unshadowing() {
    for (const Finding& finding : diagnosis_.findings) {
      if (severity_of(finding.kind) != Severity::Fatal || !is_in_the_way(finding)) continue;
      std::string path;
      if (finding.object != kNoObject) {
        path = std::string(map_.objects[finding.object].path);
      } else if (!finding.requests.empty()) {
        const std::uint32_t trace = map_.objects[finding.requests.front().needer]
                                        .needs[finding.requests.front().need]
                                        .trace;
        if (trace < map_.traces.size() && !map_.traces[trace].attempts.empty())
          path = map_.traces[trace].attempts.back().candidate;
      }
      if (!path.starts_with('/')) continue;
      Remedy remedy;
      remedy.kind = RemedyKind::Unshadow;
      remedy.text = "move the file that is in the way";
      remedy.commands = {"mv " + shell_quoted(path) + " " + shell_quoted(path + ".away")};
      Alteration alteration;
      alteration.renames = {{path, path + ".away"}};
      attempt(std::move(remedy), alteration, finding.name);
      // Without another file of that name there is nothing to make room for.
      if (diagnosis_.remedies.back().verdict == RemedyVerdict::Fails)
        diagnosis_.remedies.pop_back();
    }
  }

  void propose_preloads() {
    std::string list;
    Alteration opens;
    std::string statement = "import ctypes";
    for (const Mending& mending : mendings_) {
      if (mending.candidate->soname != mending.finding->name) continue;
      list += (list.empty() ? "" : ":") + mending.candidate->path;
      opens.openings.push_back({mending.candidate->path, OpenScope::Global, {}, false});
      statement += "; ctypes.CDLL(\"" + mending.candidate->path + "\", mode=ctypes.RTLD_GLOBAL)";
    }
    if (list.empty()) return;
    Remedy remedy;
    remedy.kind = RemedyKind::Preload;
    remedy.text = "load it before everything else";
    remedy.commands = {"export LD_PRELOAD=" + shell_quoted(list) + "${LD_PRELOAD:+:$LD_PRELOAD}"};
    if (list.find_first_of(" \t") != std::string::npos) {
      leave_untried(remedy, "a path with a blank in it cannot stand in LD_PRELOAD");
    } else {
      Alteration alteration;
      const auto old = question_.process.environment.value("LD_PRELOAD");
      alteration.environment = {"LD_PRELOAD=" + list +
                                (old && !old->empty() ? ":" + std::string(*old) : "")};
      attempt(remedy, alteration, {});
    }
    const bool is_python = file_name(map_.main().name()).starts_with("python");
    if (question_.openings.empty() || !is_python || statement.find('\\') != std::string::npos)
      return;
    remedy.text = "load it in Python, before the import";
    remedy.commands = {"python3 -c " + shell_quoted(statement + "; import …")};
    attempt(remedy, opens, {});
  }

  void leave_untried(Remedy remedy, std::string reason) {
    remedy.verdict = RemedyVerdict::Untried;
    remedy.reason = std::move(reason);
    diagnosis_.remedies.push_back(std::move(remedy));
  }

  /// `about`: the library whose obstacle is the proof; empty for the first one.
  void attempt(Remedy remedy, const Alteration& alteration, std::string_view about) {
    const std::unique_ptr<Trial> trial = trials_.make(alteration);
    if (!trial->refused.empty()) return leave_untried(std::move(remedy), trial->refused);
    remedy.also = switched(*trial);
    check_symbols(*trial, remedy);
    bool breaks_more = false;
    for (const Obstacle& obstacle : trial->obstacles)
      breaks_more |= !broken_.contains(obstacle.library);
    for (const std::string& name : broken_) {
      if (!trial->has_obstacle(name)) remedy.mends.push_back(name);
    }
    if (trial->obstacles.empty()) {
      remedy.verdict = RemedyVerdict::Works;
    } else {
      const bool is_mended = about.empty() ? !remedy.mends.empty() : !trial->has_obstacle(about);
      remedy.verdict = is_mended && !breaks_more ? RemedyVerdict::Partly : RemedyVerdict::Fails;
      const auto own =
          std::find_if(trial->obstacles.begin(), trial->obstacles.end(), [&](const Obstacle& o) {
            return remedy.verdict == RemedyVerdict::Fails && !about.empty() && o.library == about;
          });
      remedy.loader_says =
          own == trial->obstacles.end() ? trial->obstacles.front().line : own->line;
      if (own != trial->obstacles.end() && own != trial->obstacles.begin()) {
        remedy.reason = "once what else is wrong is mended: ld.so stops at the first";
      }
    }
    diagnosis_.remedies.push_back(std::move(remedy));
  }

  /// Libraries that come from elsewhere than before. What is found now was not there, and is no
  /// surprise.
  [[nodiscard]] std::vector<std::string> switched(const Trial& trial) const {
    std::vector<std::string> lines;
    for (const LoadedObject& object : trial.map.objects) {
      if (object.role != ObjectRole::Library ||
          broken_.contains(std::string(object.requested_name)))
        continue;
      const LoadedObject* old = library_named(map_, object.requested_name);
      if (old == nullptr || old->path == object.path) continue;
      lines.push_back("switches " + std::string(object.requested_name) + " from " +
                      std::string(old->path) + " to " + std::string(object.path));
    }
    return lines;
  }

  static const LoadedObject* library_named(const LinkMap& map, std::string_view name) {
    const auto at =
        std::find_if(map.objects.begin(), map.objects.end(), [&](const LoadedObject& object) {
          return object.role == ObjectRole::Library && object.goes_by(name);
        });
    return at == map.objects.end() ? nullptr : &*at;
  }

  /// All symbols where that is cheap; else those that are asked of what takes a new place.
  void check_symbols(Trial& trial, Remedy& remedy) {
    std::uint64_t bytes = 0;
    for (const LoadedObject& object : trial.map.objects) bytes += object.status.size_bytes;
    const bool is_whole_process =
        ends_program(trial.process, trial.map) || trial.map.subject() != 0;
    if (!trial.obstacles.empty()) {
      remedy.checked = "search and versions";
      return;
    }
    if (is_whole_process && bytes <= kMaxBoundBytes) {
      const std::optional<Error> error = add_symbol_obstacle(trial);
      remedy.checked = error ? "search and versions; symbols not: " + error->to_string()
                             : "search, versions and every symbol";
      return;
    }
    remedy.checked = "search, versions, and the symbols asked of what is found elsewhere now";
    bool is_doubtful = false;
    for (const LoadedObject& object : trial.map.objects) {
      if (object.role != ObjectRole::Library) continue;
      const std::string name(object.requested_name);
      const LoadedObject* old = library_named(map_, name);
      const bool is_changed =
          broken_.contains(name) || (old != nullptr && old->path != object.path);
      if (!is_changed) continue;
      // What a new link leads to is the same file as before.
      const Result<std::string, Errno> real = trial.system.files->real_path(object.path);
      is_doubtful |= !real || !serves(name, *real);
    }
    if (!is_doubtful) return;
    if (const std::optional<Error> error = add_symbol_obstacle(trial)) {
      remedy.checked = "search and versions; symbols not: " + error->to_string();
    }
  }

  bool serves(const std::string& name, const std::string& path) {
    const auto [at, is_new] = served_.try_emplace({name, path}, true);
    if (!is_new) return at->second;
    for (const Finding& finding : diagnosis_.findings) {
      for (const Candidate& candidate : finding.candidates) {
        if (finding.name != name) continue;
        const Result<std::string, Errno> real = question_.system.files->real_path(candidate.path);
        if (real && *real == path) return at->second = candidate.serves;
      }
    }
    std::set<ObjectIndex> consumers;
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      for (const Need& need : map_.objects[i].needs) {
        if (need.name == name) consumers.insert(i);
      }
    }
    return at->second =
               suitability_.judge({path, {}}, name, {consumers.begin(), consumers.end()}).serves;
  }

  const Question& question_;
  const LinkMap& map_;
  Diagnosis& diagnosis_;
  const RemedyOptions& options_;
  Trials trials_;
  Suitability suitability_;
  std::set<std::string, std::less<>> broken_;  ///< libraries with a fatal finding
  std::set<std::string> chosen_;
  std::vector<Mending> mendings_;
  std::map<std::pair<std::string, std::string>, bool> served_;
};

}  // namespace

void find_remedies(const Question& question, const LinkMap& map, Diagnosis& diagnosis,
                   const RemedyOptions& options) {
  Proposer(question, map, diagnosis, options).run();
}

}  // namespace soresolve
