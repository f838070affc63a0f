// Looks for the records around a file (conda-meta and *.dist-info in the directories above it) and for dpkg's and
// rpm's, and asks those that may have it. Which directories are merged (/lib and /usr/lib) is read from the links in
// the root: dpkg's lists have either name. Source of diversions: dpkg-divert(1).
#include "packages/package_owner.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "base/enum_names.h"
#include "base/path.h"
#include "base/small_file.h"
#include "packages/package_records.h"
#include "packages/rpm_database.h"

namespace soresolve {
namespace {

constexpr int kMostDirectoriesUp = 12;
constexpr std::size_t kMostListedFiles = 100000;
constexpr std::string_view kDpkg = "/var/lib/dpkg/";

std::string normal_path(std::string_view path) { return std::filesystem::path(path).lexically_normal().string(); }

/// Does the record have exactly this word?
bool has_word(std::string_view text, RecordSet::Words words, std::string_view wanted) {
  bool is_there = false;
  words(text, [&](std::string_view word) { is_there |= word == wanted; });
  return is_there;
}

/// `name` as it stands below `directory`; nullopt: it does not.
std::optional<std::string_view> below(std::string_view name, std::string_view directory) {
  if (!name.starts_with(directory) || name.size() <= directory.size() + 1 || name[directory.size()] != '/') {
    return std::nullopt;
  }
  return name.substr(directory.size() + 1);
}

/// "/usr" and what the distribution puts below it.
bool is_distributions(std::string_view path) {
  return (path.starts_with("/usr/") && !path.starts_with("/usr/local/")) || path.starts_with("/lib") ||
         path.starts_with("/bin/") || path.starts_with("/sbin/");
}

}  // namespace

struct PackageOwners::State {
  explicit State(std::shared_ptr<const FileSystem> all) : files(std::move(all)), rpm(*files) {}

  std::optional<PackageOwner> find(std::string_view path);
  std::optional<PackageOwner> by_conda(const std::string& file);
  std::optional<PackageOwner> by_conda_cache(const std::string& top, std::string_view file);
  std::optional<PackageOwner> by_wheel(const std::string& file);
  std::vector<PackageOwner> wheels_of(const std::string& file);
  std::vector<PackageOwner> wheels_in(const std::string& site, const std::string& recorded);
  std::optional<PackageOwner> by_distribution(const std::string& file);
  std::optional<PackageOwner> by_dpkg(const std::string& file);
  std::optional<PackageOwner> by_rpm(const std::string& file);
  std::vector<std::string> files_of_rpm(const PackageOwner& owner);
  using IsWanted = std::function<bool(std::string_view package)>;
  std::optional<PackageOwner> by_list(const std::string& file, const IsWanted& is_wanted);
  std::optional<PackageOwner> by_status_d(const std::string& file);
  const std::string& dpkg_version_of(std::string_view package);
  [[nodiscard]] std::vector<std::string> merged_names(const std::string& file) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view path) const {
    return read_small_file(*files, path, kMaxRecordBytes);
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& directory) const {
    auto names = files->list_directory(directory.empty() ? "/" : directory);
    return names ? std::move(*names) : std::vector<std::string>();
  }
  /// The records whose names end so, in one directory; what is read of them is kept.
  const RecordSet& records(const std::string& directory, std::string_view end, std::string_view behind,
                           RecordSet::Words words);

  std::shared_ptr<const FileSystem> files;
  std::mutex latch;
  std::map<std::string, RecordSet, std::less<>> sets;  ///< by the directory that has the records
  std::map<std::string, std::optional<PackageOwner>, std::less<>> known;
  std::optional<std::vector<Diversion>> diversions;
  std::optional<std::string> dpkg_status;  ///< the text, once it was asked for
  std::map<std::string, std::string, std::less<>> dpkg_versions;
  RpmDatabase rpm;
};

const RecordSet& PackageOwners::State::records(const std::string& directory, std::string_view end,
                                               std::string_view behind, RecordSet::Words words) {
  const std::string key = directory + "/*" + std::string(end);
  const auto kept = sets.find(key);
  if (kept != sets.end()) return kept->second;
  std::vector<std::string> paths;
  for (const std::string& name : names_in(directory)) {
    if (name.ends_with(end)) paths.push_back(path_in(directory, name).append(behind));
  }
  return sets.try_emplace(key, *files, std::move(paths), words).first->second;
}

std::optional<PackageOwner> PackageOwners::State::by_conda(const std::string& file) {
  std::string_view top = directory_of(file);
  for (int up = 0; up < kMostDirectoriesUp && top.size() > 1; ++up, top = directory_of(top)) {
    const std::string prefix(top);
    const std::optional<std::string_view> relative = below(file, prefix);
    if (!relative) return std::nullopt;
    if (files->status(prefix + "/info/index.json")) {
      if (auto owner = by_conda_cache(prefix, *relative)) return owner;
    }
    const std::string meta = prefix + "/conda-meta";
    if (!files->status(meta)) continue;
    for (const std::string& record : records(meta, ".json", {}, json_strings_of).with(*relative)) {
      const std::optional<std::string> json = text(record);
      std::optional<CondaRecord> conda = json ? parse_conda_record(*json) : std::nullopt;
      if (!conda || std::find(conda->files.begin(), conda->files.end(), *relative) == conda->files.end()) continue;
      return PackageOwner{std::move(conda->name), std::move(conda->version), PackageRecord::Conda, record};
    }
  }
  return std::nullopt;
}

/// Below pkgs/NAME-VERSION-BUILD, from where conda links into environments.
std::optional<PackageOwner> PackageOwners::State::by_conda_cache(const std::string& top, std::string_view file) {
  const std::optional<std::string> list = text(top + "/info/files");
  if (!list || !has_word(*list, lines_of, file)) return std::nullopt;
  const std::string record = top + "/info/index.json";
  const std::optional<std::string> json = text(record);
  std::optional<CondaRecord> conda = json ? parse_conda_record(*json) : std::nullopt;
  if (!conda) return std::nullopt;
  return PackageOwner{std::move(conda->name), std::move(conda->version), PackageRecord::Conda, record};
}

std::vector<PackageOwner> PackageOwners::State::wheels_in(const std::string& site, const std::string& recorded) {
  std::vector<PackageOwner> owners;
  for (const std::string& record : records(site, ".dist-info", "/RECORD", recorded_paths_of).with(recorded)) {
    const std::optional<std::string> lines = text(record);
    std::optional<WheelName> wheel = wheel_name_of(file_name_of(directory_of(record)));
    if (!lines || !wheel || !has_word(*lines, recorded_paths_of, recorded)) continue;
    owners.push_back({std::move(wheel->name), std::move(wheel->version), PackageRecord::Wheel, record});
  }
  return owners;
}

std::optional<PackageOwner> PackageOwners::State::by_wheel(const std::string& file) {
  std::vector<PackageOwner> owners = wheels_of(file);
  return owners.empty() ? std::nullopt : std::optional(std::move(owners.front()));
}

/// In a site directory above the file, or in that of a prefix whose lib has it: wheels of MKL or oneTBB put their files
/// there, and RECORD has them as "../../libtbb.so.12".
std::vector<PackageOwner> PackageOwners::State::wheels_of(const std::string& file) {
  std::string_view site = directory_of(file);
  for (int up = 0; up < kMostDirectoriesUp && site.size() > 1; ++up, site = directory_of(site)) {
    const std::optional<std::string_view> relative = below(file, site);
    if (!relative) break;
    if (auto owners = wheels_in(std::string(site), std::string(*relative)); !owners.empty()) return owners;
  }
  const std::string directory(directory_of(file));
  if (file_name_of(directory) != "lib") return {};
  for (const std::string& name : names_in(directory)) {
    if (!name.starts_with("python3")) continue;
    const std::string recorded = "../../" + std::string(file_name_of(file));
    if (auto owners = wheels_in(directory + "/" + name + "/site-packages", recorded); !owners.empty()) return owners;
  }
  return {};
}

/// The names that one file has where /lib is a link to usr/lib, or /usr/lib to ../lib.
std::vector<std::string> PackageOwners::State::merged_names(const std::string& file) const {
  std::vector<std::string> names = {file};
  const bool is_below_usr = file.starts_with("/usr/");
  const std::string other = is_below_usr ? file.substr(4) : "/usr" + file;
  const std::size_t start = is_below_usr ? 5 : 1;
  const std::string top = file.substr(start, file.find('/', start) - start);
  const bool is_merged = top.starts_with("lib") || top == "bin" || top == "sbin";
  if (!is_merged) return names;
  const Result<std::string, Errno> own = files->real_path("/" + top);
  const Result<std::string, Errno> usr = files->real_path("/usr/" + top);
  if (own && usr && *own == *usr) names.push_back(other);
  return names;
}

const std::string& PackageOwners::State::dpkg_version_of(std::string_view package) {
  if (!dpkg_status) dpkg_status = read_small_file(*files, std::string(kDpkg) + "status", 64u << 20).value_or("");
  const auto known_version = dpkg_versions.find(package);
  if (known_version != dpkg_versions.end()) return known_version->second;
  return dpkg_versions.emplace(package, dpkg_version(*dpkg_status, package)).first->second;
}

std::optional<PackageOwner> PackageOwners::State::by_list(const std::string& file, const IsWanted& is_wanted) {
  constexpr std::string_view kEnd = ".list";
  for (const std::string& name : merged_names(file)) {
    for (const std::string& record : records(std::string(kDpkg) + "info", kEnd, {}, lines_of).with(name)) {
      const std::string_view list = file_name_of(record);
      const std::string_view package = list.substr(0, list.size() - kEnd.size());
      const std::string_view plain = package.substr(0, package.find(':'));
      const std::optional<std::string> lines = text(record);
      if (!is_wanted(plain) || !lines || !has_word(*lines, lines_of, name)) continue;
      return PackageOwner{std::string(plain), dpkg_version_of(package), PackageRecord::Dpkg, record};
    }
  }
  return std::nullopt;
}

/// Its header was read when the owner was found.
std::vector<std::string> PackageOwners::State::files_of_rpm(const PackageOwner& owner) {
  std::vector<std::string> list;
  const std::lock_guard guard(latch);
  const std::shared_ptr<const RpmPackage> package = rpm.known_package(owner.name, owner.version);
  for (std::size_t i = 0; package && i < package->files.size() && i < kMostListedFiles; ++i)
    list.push_back(package->files[i].path);
  return list;
}

/// Images that were made of packages without dpkg: one stanza a file, and beside it the sums.
std::optional<PackageOwner> PackageOwners::State::by_status_d(const std::string& file) {
  constexpr std::string_view kEnd = ".md5sums";
  for (const std::string& name : merged_names(file)) {
    const std::string relative = name.substr(1);
    for (const std::string& record :
         records(std::string(kDpkg) + "status.d", kEnd, {}, summed_paths_of).with(relative)) {
      const std::optional<std::string> lines = text(record);
      if (!lines || !has_word(*lines, summed_paths_of, relative)) continue;
      const std::string stanza_path = record.substr(0, record.size() - kEnd.size());
      const std::string package(file_name_of(stanza_path));
      const std::optional<std::string> stanza = text(stanza_path);
      return PackageOwner{package, stanza ? dpkg_version(*stanza, package) : std::string(), PackageRecord::Dpkg,
                          record};
    }
  }
  return std::nullopt;
}

std::optional<PackageOwner> PackageOwners::State::by_dpkg(const std::string& file) {
  if (!diversions) {
    diversions = parse_diversions(text(std::string(kDpkg) + "diversions").value_or(std::string()));
  }
  const std::vector<std::string> names = merged_names(file);
  const auto is_one = [&](const std::string& path) {
    return std::find(names.begin(), names.end(), path) != names.end();
  };
  for (const Diversion& diversion : *diversions) {
    const auto is_diverters = [&](std::string_view package) { return package == diversion.package; };
    if (is_one(diversion.to)) return by_list(diversion.from, std::not_fn(is_diverters));
    // What stands at the old place is the diverting package's, or nobody's.
    if (is_one(diversion.from)) return by_list(diversion.from, is_diverters);
  }
  if (auto owner = by_list(file, [](std::string_view) { return true; })) return owner;
  return by_status_d(file);
}

std::optional<PackageOwner> PackageOwners::State::by_rpm(const std::string& file) {
  for (const std::string& name : merged_names(file)) {
    if (const std::shared_ptr<const RpmPackage> package = rpm.package_of(name))
      return PackageOwner{package->name, package->release, PackageRecord::Rpm, rpm.path()};
  }
  return std::nullopt;
}

std::optional<PackageOwner> PackageOwners::State::by_distribution(const std::string& file) {
  if (auto owner = by_dpkg(file)) return owner;
  return by_rpm(file);
}

std::optional<PackageOwner> PackageOwners::State::find(std::string_view path) {
  std::vector<std::string> names;
  if (const Result<std::string, Errno> real = files->real_path(path)) names.push_back(*real);
  if (std::string plain = normal_path(path); names.empty() || plain != names.front()) names.push_back(std::move(plain));
  for (const std::string& name : names) {
    if (auto owner = by_conda(name)) return owner;
    const bool is_distributions_own = is_distributions(name);
    if (auto owner = is_distributions_own ? by_distribution(name) : by_wheel(name)) return owner;
    if (auto owner = is_distributions_own ? by_wheel(name) : by_distribution(name)) return owner;
  }
  return std::nullopt;
}

PackageOwners::PackageOwners(std::shared_ptr<const FileSystem> files)
    : state_(std::make_unique<State>(std::move(files))) {}
PackageOwners::~PackageOwners() = default;

std::optional<PackageOwner> PackageOwners::owner_of(std::string_view path) const {
  constexpr std::size_t kMostKnown = 100000;
  if (!path.starts_with('/')) return std::nullopt;
  const std::lock_guard guard(state_->latch);
  if (const auto at = state_->known.find(path); at != state_->known.end()) return at->second;
  std::optional<PackageOwner> owner = state_->find(path);
  if (state_->known.size() < kMostKnown) state_->known.try_emplace(std::string(path), owner);
  return owner;
}

std::vector<PackageOwner> PackageOwners::owners_of(std::string_view path) const {
  std::optional<PackageOwner> first = owner_of(path);
  if (!first) return {};
  if (first->by != PackageRecord::Wheel) return {std::move(*first)};
  const std::lock_guard guard(state_->latch);
  std::vector<PackageOwner> wheels = state_->wheels_of(normal_path(path));
  return wheels.empty() ? std::vector{std::move(*first)} : wheels;
}

std::string PackageOwners::unread() const {
  const std::lock_guard guard(state_->latch);
  return state_->rpm.unread();
}

std::vector<std::string> PackageOwners::files_of(const PackageOwner& owner) const {
  std::vector<std::string> list;
  if (owner.by == PackageRecord::Rpm) return state_->files_of_rpm(owner);
  const std::optional<std::string> record = state_->text(owner.record);
  if (!record) return list;
  const std::string directory(directory_of(owner.record));
  const std::string above(directory_of(directory));
  const auto add_below = [&](const std::string& top, std::string_view name) {
    if (list.size() < kMostListedFiles)
      list.push_back(normal_path(name.starts_with('/') ? std::string(name) : path_in(top, name)));
  };
  switch (owner.by) {
    case PackageRecord::Dpkg:
      (owner.record.ends_with(".list") ? lines_of : summed_paths_of)(
          *record, [&](std::string_view name) { add_below("/", name); });
      break;
    case PackageRecord::Wheel:
      recorded_paths_of(*record, [&](std::string_view name) { add_below(above, name); });
      break;
    case PackageRecord::Conda:
      if (owner.record.ends_with("/info/index.json")) {
        lines_of(state_->text(directory + "/files").value_or(std::string()),
                 [&](std::string_view name) { add_below(above, name); });
      } else if (const std::optional<CondaRecord> conda = parse_conda_record(*record)) {
        for (const std::string& name : conda->files) add_below(above, name);
      }
      break;
    case PackageRecord::Rpm: break;
  }
  return list;
}

std::string_view name_of(PackageRecord by) {
  using enum PackageRecord;
  static constexpr auto kNames =
      enum_names<PackageRecord>({{Dpkg, "dpkg"}, {Conda, "conda-meta"}, {Wheel, "RECORD"}, {Rpm, "rpm"}});
  return kNames[by];
}

std::string full_name_of(const PackageOwner& owner) {
  if (owner.version.empty()) return owner.name;
  return owner.name + (owner.by == PackageRecord::Rpm ? "-" : " ") + owner.version;
}

}  // namespace soresolve
