// Wheel by wheel, from that of the module outward along Requires-Dist.
//
// Source: PyPA "Recording installed projects" (RECORD), "Core metadata specifications" (Requires-Dist). Of RECORD count
// sources and native files below the site directory: images are made smaller by taking tests, data and bytecode away,
// and an image with bytecode alone has no source. Each directory is listed once, and only a file that its list lacks is
// looked for by itself: a part of a tree may be all that is known of it, and what is not known is not gone.
//
// For example: h5py/__init__.py imports _hl.files, and its native _errors.so imports h5py._objects. Where RECORD lists
// h5py/_objects.cpython-311-x86_64-linux-gnu.so and it is gone, no source says that the import fails.
#include "world/wheel_faults.h"

#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/library_file.h"
#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "base/wheel_record.h"
#include "packages/installed_wheels.h"
#include "packages/record_set.h"
#include "packages/wheel_requirements.h"
#include "packages/wheel_tags.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostTags = 64;  ///< of one wheel

bool is_not_there(Errno error) {
  return error == static_cast<Errno>(ENOENT) || error == static_cast<Errno>(ENOTDIR) ||
         error == static_cast<Errno>(ELOOP);
}

/// Which files of one site directory are there.
class SiteFiles {
 public:
  SiteFiles(const FileSystem& files, std::size_t& questions_left) : files_(files), questions_left_(questions_left) {}

  enum class State : std::uint8_t { There, Gone, NotKnown };

  State state_of(const std::string& path) {
    const Folder& folder = folder_of(std::string(directory_of(path)));
    if (folder.state != State::There) return folder.state;
    const auto entry = folder.entries.find(file_name_of(path));
    if (entry != folder.entries.end() && entry->second != EntryKind::Link) return State::There;
    return ask(path);
  }

  /// Is it a test that was taken away with its whole directory?
  bool is_stripped_test(std::string_view path, std::string_view site) {
    for (std::string_view at = directory_of(path); at.size() > site.size(); at = directory_of(at)) {
      const std::string_view name = file_name_of(at);
      if ((name == "test" || name == "tests") && folder_of(std::string(at)).state == State::Gone) return true;
    }
    return false;
  }

  /// Is the bytecode of the source in its place?
  bool has_bytecode(const std::string& path) {
    const Folder& folder = folder_of(std::string(directory_of(path)));
    return path.ends_with(".py") && folder.entries.contains(std::string(file_name_of(path)) + "c");
  }

 private:
  struct Folder {
    State state = State::NotKnown;
    std::map<std::string, EntryKind, std::less<>> entries = {};
  };

  State ask(const std::string& path) {
    if (questions_left_ == 0) return State::NotKnown;
    --questions_left_;
    const Result<FileStatus, Errno> status = files_.status(path);
    if (status) return State::There;
    return is_not_there(status.error()) ? State::Gone : State::NotKnown;
  }

  const Folder& folder_of(const std::string& path) {
    const auto [known, is_new] = folders_.try_emplace(path);
    Folder& folder = known->second;
    if (!is_new) return folder;
    folder.state = ask(path);
    if (folder.state != State::There) return folder;
    const Result<std::vector<DirectoryEntry>, Errno> entries = files_.list_entries(path);
    if (!entries) folder.state = State::NotKnown;
    for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>()) {
      folder.entries.emplace(entry.name, entry.kind);
    }
    return folder;
  }

  const FileSystem& files_;
  std::size_t& questions_left_;
  std::map<std::string, Folder, std::less<>> folders_;
};

class WheelJudge {
 public:
  WheelJudge(const FileSystem& files, const PackageOwners& owners, const WheelQuestion& question)
      : files_(files), owners_(owners), question_(question), site_files_(files, questions_left_) {}

  WheelFaults run() {
    const std::optional<PackageOwner> own = owners_.owner_of(question_.file);
    if (!own || own->by != PackageRecord::Wheel) return {};
    add({own->name, own->version, own->record});
    for (std::size_t i = 0; i < wheels_.size(); ++i) {
      const InstalledWheel wheel = wheels_[i];
      judge_record(wheel);
      judge_requirements(wheel);
      judge_tags(wheel);
    }
    found_.is_cut |= questions_left_ == 0;
    return std::move(found_);
  }

 private:
  void add(InstalledWheel wheel) {
    if (!seen_.insert(normalised_wheel_name(wheel.name)).second) return;
    if (wheels_.size() == kMostFaultyWheels) {
      found_.is_cut = true;
      return;
    }
    wheels_.push_back(std::move(wheel));
  }

  [[nodiscard]] WheelFault fault_of(const InstalledWheel& wheel, WheelFault::Kind kind, std::string_view file) const {
    WheelFault fault;
    fault.kind = kind;
    fault.wheel = {normalised_wheel_name(wheel.name), wheel.version, PackageRecord::Wheel, wheel.record};
    fault.metadata = path_in(directory_of(wheel.record), file);
    return fault;
  }

  void judge_record(const InstalledWheel& wheel) {
    const std::optional<std::string> record = read_small_file(files_, wheel.record, kMaxRecordBytes);
    if (!record) return;
    const std::string site(directory_of(directory_of(wheel.record)));
    WheelFault fault = fault_of(wheel, WheelFault::Kind::FilesGone, "RECORD");
    std::uint32_t line = 0;
    visit_wheel_record(*record, [&](const WheelRecordLine& listed) {
      ++line;
      const bool counts = (listed.path.ends_with(".py") || has_library_name(listed.path)) &&
                          !listed.path.starts_with('/') && listed.path.find("..") == std::string_view::npos;
      if (!counts) return true;
      std::string path = path_in(site, listed.path);
      if (site_files_.state_of(path) != SiteFiles::State::Gone) return questions_left_ != 0;
      if (site_files_.is_stripped_test(path, site) || site_files_.has_bytecode(path)) return true;
      if (fault.file_count++ == 0) fault.line = line;
      if (fault.files.size() < WheelFault::kShownFiles) fault.files.push_back(std::move(path));
      return true;
    });
    if (fault.file_count != 0) found_.list.push_back(std::move(fault));
  }

  /// What holds for this interpreter, as `pip check` has it, and then the wheels that are required.
  void judge_requirements(const InstalledWheel& wheel) {
    const std::optional<std::string> metadata =
        read_small_file(files_, path_in(directory_of(wheel.record), "METADATA"), kMostMetadataBytes);
    for (const ListedRequirement& required : listed_requirements(metadata ? *metadata : std::string())) {
      if (!evaluate_marker(required.marker, question_.environment).value_or(false)) continue;
      const auto found = installed().find(required.wheel);
      const bool is_installed = found != installed().end();
      if (!is_installed || contradicts(found->second.version, required.versions)) {
        WheelFault fault =
            fault_of(wheel, is_installed ? WheelFault::Kind::OtherVersion : WheelFault::Kind::NotInstalled, "METADATA");
        fault.line = required.line;
        fault.requirement = required.typed();
        if (is_installed) fault.installed = required.wheel + " " + found->second.version;
        found_.list.push_back(std::move(fault));
      }
      if (is_installed && is_of_wheel(found->second)) add(found->second);
    }
  }

  /// No Tag of WHEEL is one of this interpreter's.
  void judge_tags(const InstalledWheel& wheel) {
    WheelFault fault = fault_of(wheel, WheelFault::Kind::OtherTags, "WHEEL");
    const std::optional<std::string> text = read_small_file(files_, fault.metadata, kMostMetadataBytes);
    std::uint32_t line = 0;
    for (const std::string_view each : lines_in(text ? *text : std::string_view())) {
      ++line;
      constexpr std::string_view kTag = "Tag: ";
      if (!each.starts_with(kTag)) continue;
      const std::string_view tag = trimmed(each.substr(kTag.size()), " \t\r");
      if (is_tag_for(tag, question_.environment, question_.libc).value_or(true)) return;
      if (fault.tags.empty()) fault.line = line;
      if (fault.tags.size() < kMostTags) fault.tags.emplace_back(tag);
    }
    if (!fault.tags.empty()) found_.list.push_back(std::move(fault));
  }

  /// What conda or a distribution has installed is theirs.
  [[nodiscard]] bool is_of_wheel(const InstalledWheel& wheel) const {
    const std::optional<PackageOwner> owner = owners_.owner_of(path_in(directory_of(wheel.record), "METADATA"));
    return owner && owner->by == PackageRecord::Wheel;
  }

  const WheelsByName& installed() {
    if (!installed_) installed_ = installed_wheels(files_, question_.sites);
    return *installed_;
  }

  const FileSystem& files_;
  const PackageOwners& owners_;
  const WheelQuestion& question_;
  std::size_t questions_left_ = kMostWheelQuestions;
  SiteFiles site_files_;
  std::optional<WheelsByName> installed_;
  std::vector<InstalledWheel> wheels_;  ///< to be judged, in their order
  std::set<std::string, std::less<>> seen_;
  WheelFaults found_;
};

}  // namespace

WheelFaults find_wheel_faults(const FileSystem& files, const PackageOwners& owners, const WheelQuestion& question) {
  return WheelJudge(files, owners, question).run();
}

}  // namespace soresolve
