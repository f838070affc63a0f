// Lists the directories in which libraries usually are (searched ones, beside objects, wheels, conda, toolkits, /opt)
// and finds names with the same stem. Source: the layouts of pip's nvidia packages, conda and CUDA toolkits. Whether a
// file serves is judged in suitability.cc; file contents are not read here.
#include "remedies/candidates.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "loader/ldconfig.h"
#include "loader/load.h"
#include "loader/process.h"
#include "packages/host_driver.h"
#include "python/environments.h"

namespace soresolve {

namespace {

constexpr std::size_t kMostNeighboured = 64;  ///< directories of objects whose neighbours are looked at
constexpr std::size_t kMostPackages = 1000;   ///< of one site-packages
constexpr std::size_t kMostFar = 8000;        ///< names in trees that nothing leads to

bool is_like(std::string_view file, std::string_view stem) {
  return file.find(".so") != std::string_view::npos && library_stem(file) == stem;
}

}  // namespace

CandidateSearch::CandidateSearch(const LinkMap& map, const std::vector<NeedRef>& requests, const RemedyOptions& options)
    : system_(*map.system), process_(*map.process), options_(options) {
  add_searched(map, requests);
  add_configured();
  add_object_directories(map);
  add_active_environment();
  add_toolkits();
  add_usual_places();
  add_virtual_environments(map);
  for (const std::string& directory : options.search) add_below(directory);
  add_conda_environments();
  // Last: a library that is missing was looked for there, one whose symbols are missing was not.
  for (const std::string& directory : system_.rules.system_dirs)
    add(path_in(directory, ""), say("in-searched-directory"));
  const auto is_nowhere = [&](const NeedRef& request) {
    const Need* const need = map.find_need(request);
    return need != nullptr && need->name.find('/') == std::string::npos && !is_of_driver(need->name) &&
           !has_fitting(need->name);
  };
  if (std::any_of(requests.begin(), requests.end(), is_nowhere)) add_far(map, requests);
}

/// Is there a file of this very name for the loader's machine?
bool CandidateSearch::has_fitting(std::string_view name) const {
  const std::vector<NamedFile> files = files_like(name);
  return std::any_of(files.begin(), files.end(), [&](const NamedFile& file) {
    if (file_name_of(file.path) != name) return false;
    const Result<std::unique_ptr<File>, Errno> opened = system_.files->open(file.path);
    if (!opened) return false;
    const Result<ElfObject> elf = ElfObject::read(**opened, file.path);
    return elf && elf->target.machine == system_.loader.target.machine &&
           elf->target.elf_class == system_.loader.target.elf_class;
  });
}

/// Where nothing usual has it: trees around the files that need it and the current directory, and where packages with a
/// directory of their own lie (a JDK, R, LLVM, vendors below /opt, what a user has put below HOME). Breadth first, so
/// that what is near comes first.
void CandidateSearch::add_far(const LinkMap& map, const std::vector<NeedRef>& requests) {
  struct Top {
    std::string directory;
    std::size_t depth;
  };
  constexpr std::size_t kNear = 7;  // R_HOME/lib below a project: opt/R/4.3/lib/R/lib
  constexpr std::size_t kUp = 2;    // its directory and what that lies in; further up are other projects
  std::vector<Top> tops;
  const auto is_tree = [](std::string_view directory) {
    constexpr std::string_view kShared[] = {"/",     "/usr", "/lib", "/lib64", "/bin",
                                            "/home", "/tmp", "/var", "/etc",   "/root"};
    return directory.starts_with('/') && !directory.starts_with("/usr/") && !directory.starts_with("/proc") &&
           std::find(std::begin(kShared), std::end(kShared), directory) == std::end(kShared);
  };
  for (const NeedRef& request : requests) {
    const std::string needer = file_of(map, request.needer);
    std::string_view at = directory_of(needer);
    for (std::size_t i = 0; i < kUp && is_tree(at); ++i, at = directory_of(at))
      tops.push_back({std::string(at), kNear});
  }
  if (is_tree(process_.cwd)) tops.push_back({process_.cwd, kNear});
  if (const std::string_view home = process_.environment.value("HOME").value_or(""); home.starts_with('/')) {
    for (const char* const own : {".local", "lib", "local", "opt", ".rustup", ".sdkman", ".julia"})
      tops.push_back({path_in(home, own), kNear});
  }
  for (const char* const packages : {"/usr/lib/jvm", "/opt", "/usr/local"}) tops.push_back({packages, kNear});
  for (const char* const system : {"/usr/lib", "/usr/lib64"}) tops.push_back({system, 3});
  const std::size_t before = entries_;
  for (const Top& top : tops) add_tree(top.directory, top.depth, before + kMostFar);
}

/// Directories below it, those that are near first, and of them hidden ones last, until there have been `most` names.
/// Links are not followed.
void CandidateSearch::add_tree(const std::string& top, std::size_t depth, std::size_t most) {
  std::vector<std::string> level = {top.ends_with('/') ? top : top + "/"};
  for (std::size_t i = 0; i < depth && !level.empty(); ++i) {
    std::vector<std::string> next;
    std::vector<std::string> hidden;
    for (const std::string& at : level) {
      if (entries_ > most || !cut_short_.empty()) return;
      const std::vector<std::string>* const names = add(at, say("below", {{"directory", top}}));
      for (const std::string& name : names == nullptr ? names_in(at) : *names) {
        constexpr std::string_view kSkipped[] = {"proc", "sys",   "dev",  "__pycache__", "include", "share", "doc",
                                                 "src",  "stubs", ".git", ".svn",        ".hg",     ".cache"};
        const bool is_hidden = name.front() == '.' && name != ".libs";
        // "python3.11" and "jdk-17.0.2" are directories, "setup.py" is none.
        const std::size_t dot = name.rfind('.');
        const bool is_file = dot != std::string::npos && dot != 0 && dot + 1 < name.size() &&
                             std::isdigit(static_cast<unsigned char>(name[dot + 1])) == 0;
        if (is_file || std::find(std::begin(kSkipped), std::end(kSkipped), name) != std::end(kSkipped)) continue;
        const Result<FileStatus, Errno> status = system_.files->status(at + name);
        if (status && status->kind == FileKind::Directory && !system_.files->read_link(at + name))
          (is_hidden ? hidden : next).push_back(at + name + "/");
      }
    }
    std::move(hidden.begin(), hidden.end(), std::back_inserter(next));
    level = std::move(next);
  }
}

/// Counts names; false once there have been too many, or the time is up.
bool CandidateSearch::count(std::size_t names) {
  if (!cut_short_.empty()) return false;
  entries_ += names;
  if (entries_ > options_.max_entries) {
    cut_short_ = say("names-cut-short", {{"count", options_.max_entries}});
  } else if (options_.goes_on && !options_.goes_on(entries_)) {
    cut_short_ = say("names-stopped", {{"count", entries_}});
  }
  return cut_short_.empty();
}

/// The names in `directory` (with its slash); nullptr if they are known already or cannot be had.
const std::vector<std::string>* CandidateSearch::add(const std::string& directory, const Statement& place) {
  if (!known_.insert(directory).second) return nullptr;
  Result<std::vector<std::string>, Errno> names = system_.files->list_directory(directory);
  if (!names || !count(names->size() + 1)) return nullptr;
  listed_.push_back({directory, place, std::move(*names)});
  return &listed_.back().names;
}

std::vector<std::string> CandidateSearch::names_in(const std::string& directory) const {
  Result<std::vector<std::string>, Errno> names = system_.files->list_directory(directory);
  return names ? std::move(*names) : std::vector<std::string>();
}

/// Also the directories behind the one where a file was found: the right one may stand there.
void CandidateSearch::add_searched(const LinkMap& map, const std::vector<NeedRef>& requests) {
  LoneSearcher searcher(map);
  for (const NeedRef& request : requests) {
    const Need* const need = map.find_need(request);
    if (need == nullptr) continue;
    const SearchTrace trace = searcher.search(request.needer, need->name, PastFirst::Continue).trace;
    has_left_out_ |= trace.left_out != 0 || searcher.is_spent();
    for (const Attempt& attempt : trace.attempts) {
      const bool is_there = attempt.outcome != Outcome::NoSuchDirectory && attempt.outcome != Outcome::SkippedDirectory;
      if (is_there && attempt.directory.starts_with('/') && attempt.subdirectory.empty()) {
        add(attempt.directory, say("in-searched-directory"));
      }
      // What was meant by ~/lib, which ld.so takes as it is.
      const std::string_view home = process_.environment.value("HOME").value_or("");
      if (attempt.entry.starts_with("~/") && home.starts_with('/'))
        add(path_in(path_in(home, attempt.entry.substr(2)), ""), say("below", {{"directory", home}}));
    }
  }
}

void CandidateSearch::add_object_directories(const LinkMap& map) {
  for (const LoadedObject& object : map.objects) {
    if (object.role != ObjectRole::Library && object.role != ObjectRole::Main) continue;
    const std::string directory = without_dots(
        directory_prefix_of(object.role == ObjectRole::Main ? std::string_view(map.main_path) : object.path));
    if (!directory.starts_with('/') || !cut_short_.empty()) continue;
    add(directory, say("beside", {{"object", file_name_of(object.name())}}));
    add_neighbours(directory, file_name_of(object.name()));
    add_around(directory);
    // Found by a link (update-alternatives, a name without its version): what belongs to it lies where it leads.
    if (!system_.files->read_link(directory + std::string(file_name_of(object.path)))) continue;
    const Result<std::string, Errno> real = system_.files->real_path(object.path);
    if (real) add(std::string(directory_prefix_of(*real)), say("beside", {{"object", file_name_of(object.name())}}));
  }
}

/// Where builds and packagers put what goes with a file: below its directory and beside that. auditwheel and delvewheel
/// make NAME.libs, delocate .dylibs and .libs. Not of the system's directories, which have nothing of the kind.
void CandidateSearch::add_neighbours(const std::string& directory, std::string_view object) {
  const bool is_system = std::any_of(system_.rules.system_dirs.begin(), system_.rules.system_dirs.end(),
                                     [&](const std::string& known) { return path_in(known, "") == directory; });
  if (is_system || directory == "/" || neighboured_.size() >= kMostNeighboured) return;
  const std::string name(object.substr(0, object.find('.')));
  if (!name.empty()) add(directory + name + ".libs/", say("below", {{"directory", directory}}));
  if (!neighboured_.insert(directory).second) return;
  constexpr std::string_view kUsual[] = {"libs", "lib", "lib64", ".libs", "bin", "deps", "vendor", "build"};
  for (const std::string_view usual : kUsual) {
    add(directory + std::string(usual) + "/", say("below", {{"directory", directory}}));
  }
  const std::string parent(directory_prefix_of(std::string_view(directory).substr(0, directory.size() - 1)));
  const std::string package(file_name_of(std::string_view(directory).substr(0, directory.size() - 1)));
  if (parent.size() <= 1) return;
  for (const std::string& usual : {std::string("lib"), std::string("lib64"), std::string("libs"), package + ".libs"}) {
    add(parent + usual + "/", say("below", {{"directory", parent}}));
  }
}

/// Where pip and conda put libraries, if `directory` lies in an environment of theirs.
void CandidateSearch::add_around(const std::string& directory) {
  for (std::size_t slash = directory.size() - 1; slash > 0 && slash != std::string::npos;
       slash = directory.rfind('/', slash - 1)) {
    const std::string top = directory.substr(0, slash + 1);
    const std::string name(file_name_of(top.substr(0, slash)));
    const bool is_packages =
        name == "site-packages" || name == "dist-packages" || system_.files->status(top + "nvidia").has_value();
    const bool is_conda = system_.files->status(top + "conda-meta").has_value();
    if ((!is_packages && !is_conda) || !around_.insert(top).second) continue;
    if (is_packages) {
      for (const std::string& part : names_in(top + "nvidia"))
        add(top + "nvidia/" + part + "/lib/", say("of-wheel", {{"name", "nvidia/" + part}}));
      add(top + "torch/lib/", say("of-wheel", {{"name", "torch"}}));
      std::size_t looked_at = 0;
      for (const std::string& part : names_in(top)) {
        if (part.ends_with(".libs")) {
          add(top + part + "/", say("of-wheel", {{"name", part.substr(0, part.size() - 5)}}));
        } else if (part.find('.') == std::string::npos && ++looked_at <= kMostPackages) {
          // Beside their modules, or in a folder of their own.
          for (const char* const below : {"/", "/lib/", "/lib64/", "/libs/", "/.libs/"}) {
            add(top + part + below, say("of-wheel", {{"name", part}}));
          }
        }
      }
    }
    if (is_conda) {
      add(top + "lib/", say("of-conda-environment"));
      const std::size_t envs = top.rfind("/envs/");
      const std::string base = envs == std::string::npos ? top : top.substr(0, envs + 1);
      for (const std::string& package : names_in(base + "pkgs"))
        add(base + "pkgs/" + package + "/lib/", say("of-conda-package", {{"name", package}}));
    }
  }
}

/// Behind the needer's own: who types a library's name means the environment that he is in.
void CandidateSearch::add_active_environment() {
  for (const std::string& site : active_site_directories(*system_.files, process_.environment, process_.cwd))
    add_around(site + "/");
}

/// Not the stubs in a toolkit: they are to be linked against, never to be loaded.
void CandidateSearch::add_toolkits() {
  for (const std::string top : {"/usr/local/", "/opt/", "/usr/lib/"}) {
    for (const std::string& name : names_in(top)) {
      if (!name.starts_with("cuda")) continue;
      const std::string toolkit = top + name + "/";
      const Statement place = say("of-toolkit", {{"name", name}});
      for (const std::string below : {"lib64/", "lib/", "extras/CUPTI/lib64/"}) add(toolkit + below, place);
      for (const std::string& target : names_in(toolkit + "targets"))
        add(toolkit + "targets/" + target + "/lib/", place);
    }
  }
}

/// ldconfig's directories: the cache may be older than they are.
void CandidateSearch::add_configured() {
  std::vector<std::string> problems;
  for (const std::string& directory : configured_directories(*system_.files, system_.rules, problems)) {
    if (directory.starts_with('/')) add(path_in(directory, ""), say("in-configuration"));
  }
}

/// What conda knows of, whether or not it has to do with the file: often the only copy on the machine.
void CandidateSearch::add_conda_environments() {
  for (const std::string& prefix : conda_prefixes(*system_.files, process_.environment)) {
    if (!cut_short_.empty()) return;
    const Statement place = say("of-conda-prefix", {{"prefix", prefix}});
    add(prefix + "/lib/", place);
    for (const std::string& target : names_in(prefix + "/targets")) add(prefix + "/targets/" + target + "/lib/", place);
    for (const std::string& name : names_in(prefix + "/lib")) {
      if (name.starts_with("python3")) add_around(prefix + "/lib/" + name + "/site-packages/");
    }
  }
}

/// The environment of the interpreter, and the active one: a module that was built by hand lies in neither.
void CandidateSearch::add_virtual_environments(const LinkMap& map) {
  const std::string_view bin = directory_of(map.main_path);
  for (const std::string_view prefix : {directory_of(bin), process_.environment.value("VIRTUAL_ENV").value_or("")}) {
    const std::string top(prefix);
    if (!top.starts_with('/') || !system_.files->status(path_in(top, "pyvenv.cfg"))) continue;
    for (const std::string& name : names_in(top + "/lib")) {
      if (name.starts_with("python3")) add_around(top + "/lib/" + name + "/site-packages/");
    }
  }
}

/// Where `make install` and vendors' installers put libraries: searched only when something names them.
void CandidateSearch::add_usual_places() {
  add("/usr/local/lib/", words_of_others("/usr/local"));
  add("/usr/local/lib64/", words_of_others("/usr/local"));
  for (const std::string& name : names_in("/opt/")) {
    add("/opt/" + name + "/lib/", words_of_others("/opt/" + name));
    add("/opt/" + name + "/lib64/", words_of_others("/opt/" + name));
  }
}

/// Links to directories are not followed: they lead elsewhere, or in circles.
void CandidateSearch::add_below(const std::string& directory) {
  std::vector<std::string> todo = {directory.ends_with('/') ? directory : directory + "/"};
  for (std::size_t i = 0; i < todo.size() && cut_short_.empty(); ++i) {
    const std::string at = todo[i];
    const std::vector<std::string>* names = add(at, say("below", {{"directory", directory}}));
    const std::vector<std::string> known = names == nullptr ? names_in(at) : *names;
    for (const std::string& name : known) {
      if (name.find(".so") != std::string::npos || system_.files->read_link(at + name)) continue;
      const Result<FileStatus, Errno> status = system_.files->status(at + name);
      if (status && status->kind == FileKind::Directory) todo.push_back(at + name + "/");
    }
  }
}

std::vector<NamedFile> CandidateSearch::files_like(std::string_view name) const {
  const std::string_view stem = library_stem(name);
  std::vector<NamedFile> found;
  if (stem.empty()) return found;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> by_file;
  const auto take = [&](std::string path, const Statement& place) {
    const Result<FileStatus, Errno> status = system_.files->status(path);
    if (!status || status->kind != FileKind::Regular) return;
    const auto [at, is_new] = by_file.try_emplace({status->id.device, status->id.inode}, found.size());
    if (is_new) {
      found.push_back({std::move(path), place});
    } else if (file_name_of(found[at->second].path) != name && file_name_of(path) == name) {
      found[at->second] = {std::move(path), place};
    }
  };
  for (std::size_t i = 0; i < system_.cache.size(); ++i) {
    const std::optional<CacheEntry> entry = system_.cache.entry(i);
    if (entry && is_like(entry->key, stem)) take(std::string(entry->value), say("in-cache"));
  }
  for (const Listed& listed : listed_) {
    for (const std::string& file : listed.names) {
      if (is_like(file, stem)) take(listed.directory + file, listed.place);
    }
  }
  return found;
}

std::vector<NamedFile> CandidateSearch::libraries() const {
  std::vector<NamedFile> found;
  std::set<std::pair<std::uint64_t, std::uint64_t>> files;
  const auto take = [&](std::string path, const Statement& place) {
    const Result<FileStatus, Errno> status = system_.files->status(path);
    const bool is_new =
        status && status->kind == FileKind::Regular && files.emplace(status->id.device, status->id.inode).second;
    if (is_new) found.push_back({std::move(path), place});
  };
  for (std::size_t i = 0; i < system_.cache.size(); ++i) {
    const std::optional<CacheEntry> entry = system_.cache.entry(i);
    if (entry && !library_family(entry->key).empty()) take(std::string(entry->value), say("in-cache"));
  }
  for (const Listed& listed : listed_) {
    for (const std::string& file : listed.names) {
      if (!library_family(file).empty()) take(listed.directory + file, listed.place);
    }
  }
  return found;
}

}  // namespace soresolve
