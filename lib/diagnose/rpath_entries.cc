// Each RPATH and RUNPATH of a link map, entry by entry: written, expanded, what is there, and which libraries were
// found through it. Source: glibc 2.36 elf/dl-load.c:decompose_rpath, fillin_rpath (an entry that expands to one before
// it is dropped). Who was served is read from the recorded searches, so an RPATH also serves what its object's
// libraries need. An entry that served nobody may be for what is opened later.
#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "base/enum_names.h"
#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/rpath_entries.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/tokens.h"

namespace soresolve {
namespace {

/// More only a file has that was made to be slow: each costs a look at the file system.
constexpr std::size_t kMaxEntriesOfTag = 256;
constexpr std::size_t kMaxEntries = 8192;

class RpathReader {
 public:
  explicit RpathReader(const LinkMap& map) : map_(map) {}

  std::vector<RpathTag> read() {
    const std::vector<bool> belongs = map_.target_closure();
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      const LoadedObject& object = map_.objects[i];
      const bool has_file = object.role == ObjectRole::Main || object.role == ObjectRole::Library;
      if (!has_file || !belongs[i]) continue;
      if (object.elf.rpath && !object.elf.rpath->empty()) add_tag(i, SearchStep::Rpath, *object.elf.rpath);
      if (object.elf.runpath && !object.elf.runpath->empty()) add_tag(i, SearchStep::Runpath, *object.elf.runpath);
    }
    find_served();
    return std::move(tags_);
  }

 private:
  void add_tag(ObjectIndex owner, SearchStep step, std::string_view list) {
    RpathTag tag;
    tag.owner = owner;
    tag.step = step;
    tag.path = file_of(map_, owner);
    tag.is_void = step == SearchStep::Rpath && map_.objects[owner].elf.runpath.has_value();
    const TokenValues values = values_of(owner);
    while (true) {
      const std::size_t end = list.find(':');
      if (tag.entries.size() == kMaxEntriesOfTag || entry_count_ == kMaxEntries) {
        ++tag.left_out;
      } else {
        add_entry(tag, list.substr(0, end), values);
      }
      if (end == std::string_view::npos) break;
      list.remove_prefix(end + 1);
    }
    tags_.push_back(std::move(tag));
  }

  TokenValues values_of(ObjectIndex owner) {
    origin_ = origin_of(map_, owner);
    TokenValues values;
    if (origin_) values.origin = *origin_;
    if (!map_.process->cpu.platform.empty()) values.platform = map_.process->cpu.platform;
    values.lib = map_.system->rules.lib_token;
    values.is_secure = map_.process->secure;
    values.is_executable = owner == 0;
    values.system_dirs = map_.system->rules.system_dirs;
    return values;
  }

  void add_entry(RpathTag& tag, std::string_view written, const TokenValues& values) {
    ++entry_count_;
    RpathEntry entry;
    entry.written = std::string(written);
    const std::optional<std::string> expanded = written.empty() ? "./" : expand_tokens(written, values);
    if (!expanded || expanded->empty()) {
      entry.state = RpathState::Dropped;
      tag.entries.push_back(std::move(entry));
      return;
    }
    entry.directory = *expanded;
    while (entry.directory.size() > 1 && entry.directory.back() == '/') entry.directory.pop_back();
    if (entry.directory.back() != '/') entry.directory += '/';
    entry.normal = without_dots(absolute_path(entry.directory, map_.process->cwd));
    while (entry.normal.size() > 1 && entry.normal.back() == '/') entry.normal.pop_back();
    const Place& place = place_of(entry.normal);
    entry.state = place.state;
    entry.is_writable_by_all = place.is_writable_by_all;
    const auto before = std::find_if(tag.entries.begin(), tag.entries.end(), [&](const RpathEntry& other) {
      if (other.directory.empty()) return false;
      if (other.normal == entry.normal) return true;
      return other.state == RpathState::Exists && entry.state == RpathState::Exists &&
             place_of(other.normal).id == place.id;
    });
    if (before != tag.entries.end()) entry.same_as = static_cast<std::size_t>(before - tag.entries.begin());
    const std::vector<std::string>& defaults = map_.system->rules.system_dirs;
    entry.is_default = std::find(defaults.begin(), defaults.end(), entry.normal + "/") != defaults.end();
    tag.entries.push_back(std::move(entry));
  }

  struct Place {
    RpathState state = RpathState::Unknown;
    bool is_writable_by_all = false;
    FileId id = {};
  };

  const Place& place_of(const std::string& directory) {
    constexpr std::uint32_t kOthersMayWrite = 0002;
    const auto [known, is_new] = places_.try_emplace(directory);
    if (!is_new) return known->second;
    Place& place = known->second;
    const Result<FileStatus, Errno> status = map_.system->files->status(directory);
    if (status) {
      const bool is_directory = status->kind == FileKind::Directory;
      place = {is_directory ? RpathState::Exists : RpathState::NoDirectory,
               is_directory && (status->mode & kOthersMayWrite) != 0, status->id};
    } else if (status.error() == Errno{ENOENT} || status.error() == Errno{ENOTDIR}) {
      place.state = RpathState::Missing;
    }
    return place;
  }

  void find_served() {
    std::map<std::pair<ObjectIndex, std::string_view>, RpathEntry*> entries;
    for (RpathTag& tag : tags_) {
      if (tag.is_void) continue;
      // The first of two that are the same is the one that the loader keeps.
      for (RpathEntry& entry : tag.entries) entries.try_emplace({tag.owner, entry.directory}, &entry);
    }
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      for (const Need& need : map_.objects[i].needs) {
        if (need.trace >= map_.traces.size() || need.target == kNoObject) continue;
        for (const Attempt& attempt : map_.traces[need.trace].attempts) {
          const bool is_of_tag = attempt.step == SearchStep::Rpath || attempt.step == SearchStep::Runpath;
          if (!is_of_tag || !is_found(attempt.outcome)) continue;
          const auto found = entries.find({attempt.owner, attempt.directory});
          if (found != entries.end()) found->second->serves.push_back({std::string(need.name), i, need.target});
        }
      }
    }
  }

  const LinkMap& map_;
  std::vector<RpathTag> tags_;
  std::size_t entry_count_ = 0;
  std::optional<std::string> origin_;
  std::map<std::string, Place> places_;  ///< each is looked at once
};

}  // namespace

std::string_view name_of(RpathState state) {
  using enum RpathState;
  static constexpr auto kNames = enum_names<RpathState>({{Exists, "exists"},
                                                         {Missing, "missing"},
                                                         {NoDirectory, "no-directory"},
                                                         {Unknown, "unknown"},
                                                         {Dropped, "dropped"}});
  return kNames[state];
}

std::vector<RpathTag> read_rpaths(const LinkMap& map) { return RpathReader(map).read(); }

}  // namespace soresolve
