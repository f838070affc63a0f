// The first place that serves a request on one side, and why the other side has no such place.
//
// Of two searches the one that ends earlier decides, in the loader's order: RPATH, LD_LIBRARY_PATH, RUNPATH, cache,
// default directories. If the other side has tried the very path, what came of it is the reason; if it has not, its
// list lacks the entry. Source of the order: glibc elf/dl-load.c:_dl_map_object.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>

#include "base/enum_names.h"
#include "base/path.h"
#include "base/pieces.h"
#include "compare/map_pairs.h"
#include "loader/ldconfig.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

std::string letter(Side side) { return side == Side::A ? "A" : "B"; }

void set_values(DecidingStep& step, Side first, std::string value, std::string other) {
  (first == Side::A ? step.value_a : step.value_b) = std::move(value);
  (first == Side::A ? step.value_b : step.value_a) = std::move(other);
}

/// One side's search.
struct Searched {
  const LinkMap& map;
  NeedRef request;
  const SearchTrace* trace;

  Searched(const LinkMap& in, const NeedRef& ref) : map(in), request(ref), trace(nullptr) {
    const Need* const need = map.find_need(ref);
    if (need != nullptr && need->trace < map.traces.size()) trace = &map.traces[need->trace];
  }
  [[nodiscard]] const Need& need() const { return *map.find_need(request); }
  [[nodiscard]] const LoadedObject& needer() const { return map.objects[request.needer]; }
  /// The attempt that ended the search; nullptr: none did.
  [[nodiscard]] const Attempt* winner() const {
    if (trace == nullptr) return nullptr;
    for (const Attempt& attempt : trace->attempts) {
      if (is_found(attempt.outcome) || ends_start(attempt.outcome)) return &attempt;
    }
    return nullptr;
  }
  /// What came of the same path here.
  [[nodiscard]] const Attempt* tried(const Attempt& there) const {
    if (trace == nullptr || there.candidate.empty()) return nullptr;
    const std::string path = without_dots(there.candidate);
    for (const Attempt& attempt : trace->attempts) {
      if (!attempt.candidate.empty() && without_dots(attempt.candidate) == path) return &attempt;
    }
    return nullptr;
  }
  [[nodiscard]] const Attempt* step(SearchStep wanted) const {
    if (trace == nullptr) return nullptr;
    for (const Attempt& attempt : trace->attempts) {
      if (attempt.step == wanted) return &attempt;
    }
    return nullptr;
  }
  [[nodiscard]] std::string variable(std::string_view name) const {
    return std::string(map.process->environment.value(name).value_or(std::string_view()));
  }
};

bool has_file(const FileSystem& files, std::string_view path) {
  const Result<FileStatus, Errno> status = files.status(path);
  return status && status->kind != FileKind::Directory;
}
bool has_directory(const FileSystem& files, std::string_view path) {
  const Result<FileStatus, Errno> status = files.status(path);
  return status && status->kind == FileKind::Directory;
}

class Decision {
 public:
  Decision(const Searched& a, const Searched& b) : a_(a), b_(b) {}

  DecidingStep make() {
    const Attempt* const in_a = a_.winner();
    const Attempt* const in_b = b_.winner();
    if (in_a != nullptr && is_usable(*in_a)) {
      if (const Attempt* const failed = b_.tried(*in_a); failed != nullptr && !is_found(failed->outcome)) {
        return failed_there(Side::B, *failed);
      }
    }
    if (in_b != nullptr && is_usable(*in_b)) {
      if (const Attempt* const failed = a_.tried(*in_b); failed != nullptr && !is_found(failed->outcome)) {
        return failed_there(Side::A, *failed);
      }
    }
    if (in_b != nullptr && ends_start(in_b->outcome)) return refused_there(Side::B, *in_b);
    if (in_a != nullptr && ends_start(in_a->outcome)) return refused_there(Side::A, *in_a);
    if (in_a != nullptr && in_b != nullptr && in_a->step == in_b->step) return in_one_list(*in_a, *in_b);
    if (in_a != nullptr && (in_b == nullptr || in_a->step < in_b->step)) return absent(Side::B, *in_a);
    if (in_b != nullptr) return absent(Side::A, *in_b);
    return unknown();
  }

 private:
  [[nodiscard]] const Searched& at(Side side) const { return side == Side::A ? a_ : b_; }
  [[nodiscard]] static bool is_usable(const Attempt& attempt) { return is_found(attempt.outcome); }
  [[nodiscard]] std::string name() const { return std::string(a_.need().name); }

  /// Which of them is on a side's file system?
  [[nodiscard]] bool has(Side side, const Attempt& there) const {
    return has_file(*at(side).map.system->files, without_dots(there.candidate));
  }

  /// The search ended on `side` at a file that the loader gives up for: one that the other side has not, or that is
  /// good there, or behind what it has found.
  DecidingStep refused_there(Side side, const Attempt& fatal) {
    const Side other = other_side(side);
    if (!fatal.candidate.empty() && !has(other, fatal)) {
      return missing(other, without_dots(fatal.candidate), fatal.directory + fatal.subdirectory);
    }
    return failed_there(side, fatal);
  }

  /// Both have found it by the same list, or by two texts of it: the element that one of them lacks, the file that is
  /// not there, or else the order.
  DecidingStep in_one_list(const Attempt& in_a, const Attempt& in_b) {
    const std::optional<std::string> list_a = list_of(Side::A, in_a);
    const std::optional<std::string> list_b = list_of(Side::B, in_b);
    if (!list_a || !list_b || in_a.owner != in_b.owner) return absent(Side::B, in_a);
    const std::string path_a = without_dots(in_a.candidate);
    const std::string path_b = without_dots(in_b.candidate);
    const std::optional<std::size_t> a_in_b = index_in(*list_b, in_a.entry);
    const std::optional<std::size_t> b_in_a = index_in(*list_a, in_b.entry);
    if (!a_in_b) return absent(Side::B, in_a);
    if (!b_in_a) return absent(Side::A, in_b);
    const std::size_t a_in_a = index_in(*list_a, in_a.entry).value_or(0);
    const std::size_t b_in_b = index_in(*list_b, in_b.entry).value_or(0);
    if (a_in_a == *b_in_a && *a_in_b == b_in_b) {
      return in_a.subdirectory.empty() ? absent(Side::A, in_b) : absent(Side::B, in_a);
    }
    if (!has(Side::B, in_a)) return missing(Side::B, path_a, in_a.directory + in_a.subdirectory);
    if (!has(Side::A, in_b)) return missing(Side::A, path_b, in_b.directory + in_b.subdirectory);
    if (in_a.step == SearchStep::LibraryPath) {
      DecidingStep step = about(DecidedBy::Environment, Side::B, "LD_LIBRARY_PATH");
      step.path = without_slash(in_a.directory);
      step.value_a = *list_a;
      step.value_b = *list_b;
      step.what =
          say("diff-order",
              {{"list", "LD_LIBRARY_PATH"}, {"side", letter(Side::B)}, {"before", in_b.entry}, {"entry", in_a.entry}});
      return step;
    }
    const std::string owner = in_b.owner == kNoObject ? std::string() : path_of(b_.map, in_b.owner);
    DecidingStep step = about(DecidedBy::SearchTag, Side::B, owner);
    step.key = "content|" + owner;
    step.value_a = *list_a;
    step.value_b = *list_b;
    step.what = say("diff-tag-order", {{"tag", name_of(in_a.step)}, {"file", owner}});
    return step;
  }

  /// The text of the list that served it; nullopt: it is none of a text.
  [[nodiscard]] std::optional<std::string> list_of(Side side, const Attempt& winner) const {
    if (winner.step == SearchStep::LibraryPath) return at(side).variable("LD_LIBRARY_PATH");
    if (winner.owner >= at(side).map.objects.size()) return std::nullopt;
    const ElfObject& owner = at(side).map.objects[winner.owner].elf;
    if (winner.step == SearchStep::Runpath) return std::string(owner.runpath.value_or(std::string_view()));
    if (winner.step == SearchStep::Rpath) return std::string(owner.rpath.value_or(std::string_view()));
    return std::nullopt;
  }

  /// The other side has tried the path, in vain.
  DecidingStep failed_there(Side side, const Attempt& failed) {
    const Searched& here = at(side);
    const std::string path = without_dots(failed.candidate);
    switch (failed.outcome) {
      case Outcome::WrongClass:
      case Outcome::WrongMachine: {
        DecidingStep step = about(DecidedBy::Target, side, path);
        step.what = say("diff-other-target", {{"path", path}, {"side", letter(side)}});
        return step;
      }
      case Outcome::PermissionDenied: {
        DecidingStep step = about(DecidedBy::Permission, side, path);
        step.what = say("diff-no-permission", {{"path", path}, {"side", letter(side)}});
        return step;
      }
      case Outcome::NoSuchFile:
      case Outcome::NoSuchDirectory:
      case Outcome::SkippedDirectory: return missing(side, path, failed.directory + failed.subdirectory);
      default: break;
    }
    if (!has_file(*here.map.system->files, path)) return missing(side, path, failed.directory + failed.subdirectory);
    DecidingStep step = about(DecidedBy::Refused, side, path);
    step.what =
        say("diff-refused", {{"path", path},
                             {"side", letter(side)},
                             {"reason", failed.text.empty() ? std::string(name_of(failed.outcome)) : failed.text}});
    return step;
  }

  /// A file that is not there: its directory, if that is what is missing.
  DecidingStep missing(Side side, const std::string& path, const std::string& directory) {
    const FileSystem& files = *at(side).map.system->files;
    const std::string parent = directory.empty() ? std::string(directory_of(path)) : without_slash(directory);
    if (const Result<FileStatus, Errno> there = files.status(path);
        !there && there.error() == static_cast<Errno>(EACCES)) {
      DecidingStep step = about(DecidedBy::Permission, side, path);
      step.what = say("diff-no-permission", {{"path", path}, {"side", letter(side)}});
      return step;
    }
    if (!has_directory(files, parent)) {
      DecidingStep step = about(DecidedBy::Directory, side, parent);
      step.what = say("diff-no-directory", {{"path", parent}, {"side", letter(side)}});
      return step;
    }
    DecidingStep step = about(DecidedBy::File, side, path);
    step.what = say("diff-no-file", {{"path", path}, {"side", letter(side)}});
    return step;
  }

  static std::string without_slash(std::string_view directory) {
    std::string plain = without_dots(directory);
    while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
    return plain;
  }

  /// `side` has no such place in its lists.
  DecidingStep absent(Side side, const Attempt& winner) {
    const std::string path = without_dots(winner.candidate);
    switch (winner.step) {
      case SearchStep::LibraryPath: return no_variable(side, winner, path);
      case SearchStep::Rpath:
      case SearchStep::Runpath: return no_tag(side, winner, path);
      case SearchStep::Cache: return no_entry(side, winner, path);
      case SearchStep::DefaultDirs: return no_default(side, winner, path);
      case SearchStep::AlreadyLoaded: {
        DecidingStep step = about(DecidedBy::LoadedBefore, side, name());
        step.what = say("diff-loaded-before", {{"name", name()}, {"side", letter(other_side(side))}});
        return step;
      }
      case SearchStep::Path: return missing(side, path, {});
    }
    return unknown();
  }

  /// Elements of a search list are separated by colons, in LD_LIBRARY_PATH by semicolons as well. A slash at the end
  /// of one is none of its name.
  static std::optional<std::size_t> index_in(std::string_view list, std::string_view wanted) {
    const auto plain = [](std::string_view element) {
      while (element.size() > 1 && element.ends_with('/')) element.remove_suffix(1);
      return element;
    };
    for (std::size_t index = 0;; ++index) {
      const std::size_t end = list.find_first_of(":;");
      if (plain(list.substr(0, end)) == plain(wanted)) return index;
      if (end == std::string_view::npos) return std::nullopt;
      list.remove_prefix(end + 1);
    }
  }
  static bool has_element(std::string_view list, std::string_view wanted) {
    return !wanted.empty() && index_in(list, wanted);
  }

  DecidingStep no_variable(Side side, const Attempt& winner, const std::string& path) {
    const Searched& here = at(side);
    const Searched& there = at(other_side(side));
    const std::string value = here.variable("LD_LIBRARY_PATH");
    if (!winner.subdirectory.empty() && here.step(SearchStep::LibraryPath) != nullptr &&
        value == there.variable("LD_LIBRARY_PATH")) {
      return other_level(side, winner, path);
    }
    // The element is in both lists, and the loader makes no attempt in a directory that it knows not to be there.
    if (has_element(value, winner.entry) && !here.map.process->secure && !has_file(*here.map.system->files, path)) {
      return missing(side, path, winner.directory + winner.subdirectory);
    }
    DecidingStep step = about(DecidedBy::Environment, side, "LD_LIBRARY_PATH");
    step.path = without_slash(winner.directory);
    set_values(step, side, value, there.variable("LD_LIBRARY_PATH"));
    if (!has_file(*here.map.system->files, path)) step.also = missing(side, path, winner.directory).what;
    if (here.map.process->secure && !there.map.process->secure) {
      step.what = say("diff-secure", {{"side", letter(side)}});
    } else if (value.empty()) {
      step.what = say("diff-not-set", {{"name", "LD_LIBRARY_PATH"}, {"side", letter(side)}});
    } else {
      step.what =
          say("diff-no-element", {{"name", "LD_LIBRARY_PATH"}, {"side", letter(side)}, {"entry", winner.entry}});
    }
    return step;
  }

  DecidingStep no_tag(Side side, const Attempt& winner, const std::string& path) {
    const bool is_runpath = winner.step == SearchStep::Runpath;
    const LinkMap& there = at(other_side(side)).map;
    const std::string owner = winner.owner == kNoObject ? std::string() : path_of(there, winner.owner);
    const LoadedObject* here = nullptr;
    for (const LoadedObject& object : at(side).map.objects) {
      const ObjectIndex index = static_cast<ObjectIndex>(&object - at(side).map.objects.data());
      if (path_of(at(side).map, index) == owner) here = &object;
    }
    const auto tag_of = [&](const LoadedObject& object) {
      return std::string((is_runpath ? object.elf.runpath : object.elf.rpath).value_or(std::string_view()));
    };
    const std::string mine = here == nullptr ? std::string() : tag_of(*here);
    const std::string theirs = winner.owner == kNoObject ? std::string() : tag_of(there.objects[winner.owner]);
    if (here != nullptr && mine == theirs) {
      if (!winner.subdirectory.empty()) return other_level(side, winner, path);
      // The same tag that is not searched: RUNPATH switches RPATH off, or it comes to another directory.
      if (here->elf.runpath && !is_runpath) {
        DecidingStep step = about(DecidedBy::SearchTag, side, owner);
        step.key = "content|" + owner;
        step.what = say("diff-runpath-hides", {{"file", owner}, {"side", letter(side)}});
        return step;
      }
    }
    if (here != nullptr && has_element(mine, winner.entry) && !has_file(*at(side).map.system->files, path)) {
      return missing(side, path, winner.directory + winner.subdirectory);
    }
    DecidingStep step = about(DecidedBy::SearchTag, side, owner);
    step.key = "content|" + owner;  // as where the file itself is compared
    set_values(step, side, mine, theirs);
    step.what = say(mine.empty() ? "diff-no-tag" : "diff-tag-without",
                    {{"tag", name_of(winner.step)}, {"file", owner}, {"side", letter(side)}, {"entry", winner.entry}});
    return step;
  }

  DecidingStep no_entry(Side side, const Attempt& winner, const std::string& path) {
    const Searched& here = at(side);
    const System& system = *here.map.system;
    const Attempt* const mine = here.step(SearchStep::Cache);
    if (!has_file(*system.files, path)) return missing(side, path, {});
    const std::string& cache = system.rules.cache_path;
    DecidingStep step = about(DecidedBy::Cache, side, path);
    if (mine != nullptr && mine->outcome == Outcome::NoCache) {
      step.key = "cache||" + letter(side);
      step.what = say("diff-no-cache", {{"cache", cache}, {"side", letter(side)}});
      return step;
    }
    const Attempt* const found = here.winner();
    if (mine != nullptr && !mine->candidate.empty()) {
      if (is_found(mine->outcome) && !has(other_side(side), *mine)) {
        return missing(other_side(side), without_dots(mine->candidate), {});
      }
      set_values(step, side, mine->candidate, winner.candidate);
      if (!winner.subdirectory.empty() && has_file(*at(other_side(side)).map.system->files, mine->candidate)) {
        return other_level(side, winner, path);
      }
      const std::string theirs(directory_of(path));
      const std::string own(directory_of(without_dots(mine->candidate)));
      if (is_turned_round(side, theirs, own)) {
        step.key = "cache|order|" + theirs + "|" + own;
        step.what =
            say("diff-order", {{"list", "ld.so.conf"}, {"side", letter(side)}, {"before", own}, {"entry", theirs}});
        return step;
      }
      step.what = say("diff-cache-elsewhere",
                      {{"cache", cache}, {"name", name()}, {"side", letter(side)}, {"path", mine->candidate}});
      return step;
    }
    if (mine == nullptr && found != nullptr) return absent(other_side(side), *found);
    std::vector<std::string> problems;
    const std::string directory(directory_of(path));
    const std::vector<std::string> named = configured_directories(*system.files, system.rules, problems);
    const bool is_named = std::find(named.begin(), named.end(), directory) != named.end() ||
                          std::find(system.rules.system_dirs.begin(), system.rules.system_dirs.end(),
                                    directory + "/") != system.rules.system_dirs.end();
    if (const std::optional<std::string> own = cache_name_of(*system.files, path); is_named && own && *own != name()) {
      step = about(DecidedBy::Content, side, path);
      step.key = "content|" + path;
      set_values(step, side, *own, name());
      step.what = say("diff-other-soname", {{"file", path}});
      return step;
    }
    step.key = "cache|" + directory + "|" + letter(side);
    step.path = directory;
    step.what = say(is_named ? "diff-cache-stale" : "diff-not-configured",
                    {{"cache", cache}, {"name", name()}, {"side", letter(side)}, {"directory", directory}});
    return step;
  }

  /// What ldconfig lists a library by; nullopt: it is none that it would.
  static std::optional<std::string> cache_name_of(const FileSystem& files, const std::string& path) {
    const Result<std::unique_ptr<File>, Errno> file = files.open(path);
    if (!file) return std::nullopt;
    const Result<ElfObject> elf = ElfObject::read(**file, path);
    if (!elf) return std::nullopt;
    return std::string(elf->soname ? *elf->soname : file_name_of(path));
  }

  /// Does ldconfig of `side` search `own` before `theirs`, and that of the other side behind it?
  [[nodiscard]] bool is_turned_round(Side side, const std::string& theirs, const std::string& own) const {
    const auto searches_before = [&](Side where, const std::string& first, const std::string& second) {
      const System& system = *at(where).map.system;
      const std::vector<std::string> all = searched_directories(system.files, system.rules);
      const auto place = std::find(all.begin(), all.end(), first);
      return place != all.end() && std::find(place, all.end(), second) != all.end();
    };
    return theirs != own && searches_before(side, own, theirs) && searches_before(other_side(side), theirs, own);
  }

  DecidingStep no_default(Side side, const Attempt& winner, const std::string& path) {
    const LoaderRules& mine = at(side).map.system->rules;
    const LoaderRules& theirs = at(other_side(side)).map.system->rules;
    if (mine.system_dirs != theirs.system_dirs) {
      DecidingStep step = about(DecidedBy::Rules, side, "directories");
      set_values(step, side, joined(mine.system_dirs, ":"), joined(theirs.system_dirs, ":"));
      step.what = say("diff-no-default", {{"directory", without_slash(winner.directory)}, {"side", letter(side)}});
      return step;
    }
    if (!winner.subdirectory.empty()) return other_level(side, winner, path);
    if (!has_file(*at(side).map.system->files, path)) return missing(side, path, {});
    return unknown();
  }

  /// A subdirectory of the processor's level that the other side does not search.
  DecidingStep other_level(Side side, const Attempt& winner, const std::string& path) {
    if (!has_file(*at(side).map.system->files, path)) return missing(side, path, {});
    const LoaderRules& mine = at(side).map.system->rules;
    const LoaderRules& theirs = at(other_side(side)).map.system->rules;
    if (mine.glibc_hwcaps != theirs.glibc_hwcaps || mine.version != theirs.version) {
      DecidingStep step = about(DecidedBy::Rules, side, "hwcaps");
      set_values(step, side, "glibc " + mine.version.to_string(), "glibc " + theirs.version.to_string());
      step.what =
          say("diff-rules-hwcaps",
              {{"directory", winner.subdirectory}, {"version", mine.version.to_string()}, {"side", letter(side)}});
      return step;
    }
    DecidingStep step = about(DecidedBy::Hwcaps, side, winner.subdirectory);
    step.what = say("diff-hwcaps", {{"directory", winner.subdirectory}, {"side", letter(side)}});
    return step;
  }

  DecidingStep unknown() {
    DecidingStep step = about(DecidedBy::Unknown, Side::B, name());
    step.what = say("diff-unknown", {{"name", name()}});
    return step;
  }

  static DecidingStep about(DecidedBy by, Side side, const std::string& what) {
    DecidingStep step;
    step.by = by;
    step.lacks = side;
    step.path = what;
    step.key = std::string(name_of(by)) + "|" + what + "|" + letter(side);
    return step;
  }

  Searched a_;
  Searched b_;
};

}  // namespace

std::string_view name_of(DecidedBy by) {
  using enum DecidedBy;
  static constexpr auto kNames = enum_names<DecidedBy>({{MissingFile, "missing-file"},
                                                        {Environment, "environment"},
                                                        {SearchTag, "search-tag"},
                                                        {Cache, "cache"},
                                                        {Directory, "directory"},
                                                        {File, "file"},
                                                        {Target, "target"},
                                                        {Permission, "permission"},
                                                        {Refused, "refused"},
                                                        {Preload, "preload"},
                                                        {Rules, "rules"},
                                                        {Hwcaps, "hwcaps"},
                                                        {LoadedBefore, "loaded-before"},
                                                        {Needs, "needs"},
                                                        {Content, "content"},
                                                        {Unknown, "unknown"}});
  return kNames[by];
}

DecidingStep deciding_step(const MapPair& maps, const NeedRef& in_a, const NeedRef& in_b) {
  return Decision({maps.a, in_a}, {maps.b, in_b}).make();
}

}  // namespace soresolve
