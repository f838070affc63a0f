// The nearest change at or above a path (without links) decides what is there; every other path goes to the tree below,
// whose answers are kept. Source of the rules: Linux fs/namei.c, symlink(2), unlink(2), rename(2). Left out: the
// right to write, hard links, a change to a file that is already open.
#include "base/overlay_file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/path.h"
#include "base/path_walk.h"

namespace soresolve {
namespace {

/// No device has this number, so nothing that is added is taken for a file of the tree below. An overlay over another
/// one has the number before.
constexpr std::uint64_t kDevice = std::numeric_limits<std::uint64_t>::max();
/// Whatever is changed is newer than everything else.
constexpr std::int64_t kChangedNow = std::numeric_limits<std::int64_t>::max();

class AddedFile final : public File {
 public:
  AddedFile(FileStatus status, std::shared_ptr<const std::string> content)
      : File(status), content_(std::move(content)) {}

  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    if (status().kind == FileKind::Directory) return fail(EISDIR);
    if (offset > static_cast<std::uint64_t>(INT64_MAX)) return fail(EINVAL);
    if (offset >= content_->size()) return std::size_t{0};
    const std::size_t length = std::min(into.size(), content_->size() - static_cast<std::size_t>(offset));
    std::memcpy(into.data(), content_->data() + offset, length);
    return length;
  }

 private:
  std::shared_ptr<const std::string> content_;
};

std::string child_of(std::string_view directory, std::string_view name) {
  return (directory == "/" ? "/" : std::string(directory) + '/') + std::string(name);
}

bool is_below(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.size() > 1;
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

}  // namespace

/// What lies at one path instead of what lies there below.
struct OverlayFileSystem::Change {
  enum class Kind : std::uint8_t { Hidden, File, Directory, Link, Moved, Bound };
  Kind kind = Kind::Hidden;
  FileStatus status;                           ///< of all but links and what was moved
  std::shared_ptr<const std::string> content;  ///< of a file
  /// Of a link; of something moved: its path without links in the tree below; of a bound file: its path in `from`.
  std::string target;
  std::shared_ptr<const FileSystem> from = {};
};

/// What has been seen of the tree below, by path without links.
class OverlayFileSystem::Known {
 public:
  using Node = Result<WalkedNode, Errno>;

  Node look(const FileSystem& base, const std::string& path) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = nodes_.find(path); known != nodes_.end()) return known->second;
    }
    Node node = ask(base, path);
    const std::lock_guard lock(mutex_);
    return nodes_.try_emplace(path, std::move(node)).first->second;
  }

 private:
  static Node ask(const FileSystem& base, const std::string& path) {
    Result<std::string, Errno> target = base.read_link(path);
    if (target) return WalkedNode{false, std::move(*target)};
    if (target.error() != static_cast<Errno>(EINVAL)) return Unexpected{target.error()};
    const Result<FileStatus, Errno> status = base.status(path);
    if (!status) return Unexpected{status.error()};
    return WalkedNode{status->kind == FileKind::Directory, std::nullopt};
  }

  std::mutex mutex_;
  std::unordered_map<std::string, Node> nodes_;
};

/// A path without links of this tree, and where it comes from.
struct OverlayFileSystem::Found {
  std::string path;
  const Change* change = nullptr;        ///< an added file, directory or link
  std::optional<std::string> base_path;  ///< else: of the tree below; nullopt: nothing is there
};

OverlayFileSystem::OverlayFileSystem(std::shared_ptr<const FileSystem> base)
    : base_(std::move(base)), known_(std::make_shared<Known>()), device_(kDevice) {
  if (const auto* const below = dynamic_cast<const OverlayFileSystem*>(base_.get())) device_ = below->device_ - 1;
}
OverlayFileSystem::~OverlayFileSystem() = default;

std::shared_ptr<OverlayFileSystem> OverlayFileSystem::fresh() const {
  auto other = std::make_shared<OverlayFileSystem>(base_);
  other->known_ = known_;
  return other;
}

/// The nearest change at or above `path` decides: what was moved has brought its content along, what
/// was added or hidden has none from below.
OverlayFileSystem::Found OverlayFileSystem::find(const std::string& path) const {
  Found found{path, nullptr, path};
  if (changes_.empty()) return found;
  for (std::string_view at = path;; at = at.substr(0, std::max<std::size_t>(at.rfind('/'), 1))) {
    const auto changed = changes_.find(at);
    if (changed != changes_.end()) {
      const Change& change = changed->second;
      if (change.kind == Change::Kind::Moved) {
        found.base_path = change.target + path.substr(at.size());
      } else {
        found.base_path.reset();
        if (at.size() == path.size() && change.kind != Change::Kind::Hidden) found.change = &change;
      }
      return found;
    }
    if (at.size() <= 1) return found;
  }
}

Result<OverlayFileSystem::Found, Errno> OverlayFileSystem::resolve(std::string_view path) const {
  const Result<std::string, Errno> real = real_path(path);
  if (!real) return Unexpected{real.error()};
  return find(*real);
}

Result<std::string, Errno> OverlayFileSystem::real_path(std::string_view path) const {
  return walk_path(path, [this](const std::string& here) -> Result<WalkedNode, Errno> {
    const Found found = find(here);
    if (found.base_path) return known_->look(*base_, *found.base_path);
    if (found.change == nullptr) return fail(ENOENT);
    // What is added to a directory that may not be entered is out of reach, as what is there.
    if (const Known::Node below = known_->look(*base_, here); !below && below.error() == static_cast<Errno>(EACCES)) {
      return fail(EACCES);
    }
    if (found.change->kind == Change::Kind::Link) return WalkedNode{false, found.change->target};
    return WalkedNode{found.change->kind == Change::Kind::Directory, std::nullopt};
  });
}

Result<std::unique_ptr<File>, Errno> OverlayFileSystem::open(std::string_view path) const {
  const Result<Found, Errno> found = resolve(path);
  if (!found) return Unexpected{found.error()};
  if (found->base_path) return base_->open(*found->base_path);
  if (found->change->kind == Change::Kind::Bound) return found->change->from->open(found->change->target);
  if (found->change->status.kind == FileKind::Device) return fail(ENXIO);
  return std::unique_ptr<File>(std::make_unique<AddedFile>(found->change->status, found->change->content));
}

Result<FileStatus, Errno> OverlayFileSystem::status(std::string_view path) const {
  const Result<Found, Errno> found = resolve(path);
  if (!found) return Unexpected{found.error()};
  Result<FileStatus, Errno> status =
      found->base_path ? base_->status(*found->base_path) : Result<FileStatus, Errno>(found->change->status);
  if (!status) return status;
  if (found->base_path && status->kind == FileKind::Directory && has_names(*found)) status->modified_ns = kChangedNow;
  if (const auto mode = modes_.find(found->path); mode != modes_.end()) status->mode = mode->second;
  return status;
}

Result<std::string, Errno> OverlayFileSystem::read_link(std::string_view path) const {
  const Result<std::string, Errno> place = place_of(path);
  if (!place) return Unexpected{place.error()};
  const Found found = find(*place);
  if (found.base_path) {
    const Known::Node node = known_->look(*base_, *found.base_path);
    if (!node) return Unexpected{node.error()};
    if (!node->link_target) return fail(EINVAL);
    return *node->link_target;
  }
  if (found.change == nullptr) return fail(ENOENT);
  if (found.change->kind != Change::Kind::Link) return fail(EINVAL);
  return found.change->target;
}

Result<std::vector<std::string>, Errno> OverlayFileSystem::list_directory(std::string_view path) const {
  const Result<Found, Errno> found = resolve(path);
  if (!found) return Unexpected{found.error()};
  std::set<std::string, std::less<>> names;
  if (found->base_path) {
    Result<std::vector<std::string>, Errno> below = base_->list_directory(*found->base_path);
    if (!below) return below;
    names.insert(std::make_move_iterator(below->begin()), std::make_move_iterator(below->end()));
  } else if (found->change->kind != Change::Kind::Directory) {
    return fail(ENOTDIR);
  }
  const std::string prefix = child_of(found->path, "");
  for (auto at = changes_.lower_bound(prefix); at != changes_.end() && at->first.starts_with(prefix); ++at) {
    const std::string name = at->first.substr(prefix.size());
    if (name.find('/') != std::string::npos) continue;
    if (at->second.kind == Change::Kind::Hidden) {
      names.erase(name);
    } else {
      names.insert(name);
    }
  }
  return std::vector<std::string>(names.begin(), names.end());
}

bool OverlayFileSystem::has_names(const Found& directory) const {
  const std::string prefix = child_of(directory.path, "");
  const auto at = changes_.lower_bound(prefix);
  return at != changes_.end() && at->first.starts_with(prefix);
}

Result<std::string, Errno> OverlayFileSystem::place_of(std::string_view path) const {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash + 1);
  if (slash == std::string_view::npos) return fail(ENOENT);
  if (name.empty() || name == "." || name == "..") return fail(EINVAL);
  if (name.size() > kNameMax) return fail(ENAMETOOLONG);
  const Result<std::string, Errno> parent = real_path(path.substr(0, slash + 1));
  if (!parent) return Unexpected{parent.error()};
  return child_of(*parent, name);
}

/// Links are followed to their end, be there something or not, as open(2) with O_CREAT does.
Result<std::string, Errno> OverlayFileSystem::place_to_write(std::string_view path) const {
  constexpr int kMaxLinks = 40;
  std::string at(path);
  for (int links = 0; links <= kMaxLinks; ++links) {
    Result<std::string, Errno> place = place_of(at);
    if (!place) return place;
    const Result<std::string, Errno> target = read_link(*place);
    if (!target) return place;
    at = target->starts_with('/') ? *target : std::string(directory_prefix_of(*place)) + *target;
  }
  return fail(ELOOP);
}

void OverlayFileSystem::forget_below(const std::string& path) {
  for (auto at = changes_.upper_bound(path); at != changes_.end();) {
    if (!at->first.starts_with(path)) break;
    at = is_below(at->first, path) ? changes_.erase(at) : std::next(at);
  }
}

void OverlayFileSystem::put(const std::string& path, Change change) {
  if (change.kind == Change::Kind::File || change.kind == Change::Kind::Directory) {
    change.status.id = {device_, next_inode_++};
    change.status.modified_ns = kChangedNow;
  }
  modes_.erase(path);
  changes_.insert_or_assign(path, std::move(change));
}

Errno OverlayFileSystem::add_file(std::string_view path, std::string_view content, std::uint32_t mode) {
  const Result<std::string, Errno> place = place_to_write(path);
  if (!place) return place.error();
  const Result<FileStatus, Errno> there = status(*place);
  if (there && there->kind == FileKind::Directory) return static_cast<Errno>(EISDIR);
  Change change;
  change.kind = Change::Kind::File;
  change.status.kind = FileKind::Regular;
  change.status.mode = mode;
  change.status.size_bytes = content.size();
  change.content = std::make_shared<const std::string>(content);
  put(*place, std::move(change));
  return Errno::None;
}

Errno OverlayFileSystem::bind_file(std::string_view path, std::shared_ptr<const FileSystem> from,
                                   std::string_view source) {
  const Result<std::string, Errno> place = place_to_write(path);
  if (!place) return place.error();
  const Result<FileStatus, Errno> there = status(*place);
  if (there && there->kind == FileKind::Directory) return static_cast<Errno>(EISDIR);
  const Result<FileStatus, Errno> bound = from->status(source);
  if (!bound) return bound.error();
  Change change;
  change.kind = Change::Kind::Bound;
  change.status = *bound;
  change.from = std::move(from);
  change.target = std::string(source);
  put(*place, std::move(change));
  return Errno::None;
}

Errno OverlayFileSystem::add_device(std::string_view path, std::uint32_t mode) {
  const Result<std::string, Errno> place = place_of(path);
  if (!place) return place.error();
  if (status(*place) || read_link(*place)) return static_cast<Errno>(EEXIST);
  Change change;
  change.kind = Change::Kind::File;
  change.status.kind = FileKind::Device;
  change.status.mode = mode;
  change.content = std::make_shared<const std::string>();
  put(*place, std::move(change));
  return Errno::None;
}

Errno OverlayFileSystem::add_directory(std::string_view path) {
  for (std::size_t end = path.find('/', 1); !path.empty(); end = path.find('/', end + 1)) {
    const std::string_view part = path.substr(0, end);
    const Result<FileStatus, Errno> there = status(part);
    if (there && there->kind != FileKind::Directory)
      return static_cast<Errno>(end == std::string_view::npos ? EEXIST : ENOTDIR);
    if (!there) {
      const Result<std::string, Errno> place = place_of(part);
      if (!place) return place.error();
      if (read_link(*place)) return static_cast<Errno>(EEXIST);
      Change change;
      change.kind = Change::Kind::Directory;
      change.status.kind = FileKind::Directory;
      change.status.mode = 0755;
      put(*place, std::move(change));
    }
    if (end == std::string_view::npos) break;
  }
  return Errno::None;
}

Errno OverlayFileSystem::add_symlink(std::string_view path, std::string_view target) {
  if (target.empty()) return static_cast<Errno>(ENOENT);
  if (target.size() >= kPathMax) return static_cast<Errno>(ENAMETOOLONG);
  const Result<std::string, Errno> place = place_of(path);
  if (!place) return place.error();
  if (status(*place) || read_link(*place)) return static_cast<Errno>(EEXIST);
  Change change;
  change.kind = Change::Kind::Link;
  change.target = std::string(target);
  put(*place, std::move(change));
  return Errno::None;
}

Errno OverlayFileSystem::remove(std::string_view path) {
  const Result<std::string, Errno> place = place_of(path);
  if (!place) return place.error();
  if (const auto link = read_link(*place); !link && link.error() != static_cast<Errno>(EINVAL)) {
    return link.error();
  }
  forget_below(*place);
  put(*place, Change{});
  return Errno::None;
}

Errno OverlayFileSystem::set_mode(std::string_view path, std::uint32_t mode) {
  const Result<Found, Errno> found = resolve(path);
  if (!found) return found.error();
  modes_.insert_or_assign(found->path, mode);
  return Errno::None;
}

Errno OverlayFileSystem::rename(std::string_view from, std::string_view to) {
  const Result<std::string, Errno> old_place = place_of(from);
  if (!old_place) return old_place.error();
  const Result<std::string, Errno> new_place = place_of(to);
  if (!new_place) return new_place.error();
  const auto kind_at = [this](const std::string& place) -> Result<WalkedNode, Errno> {
    if (read_link(place)) return WalkedNode{};
    const Result<FileStatus, Errno> there = status(place);
    if (!there) return Unexpected{there.error()};
    return WalkedNode{there->kind == FileKind::Directory, std::nullopt};
  };
  const Result<WalkedNode, Errno> moved = kind_at(*old_place);
  if (!moved) return moved.error();
  if (*old_place == *new_place) return Errno::None;
  if (is_below(*new_place, *old_place)) return static_cast<Errno>(EINVAL);
  if (is_below(*old_place, *new_place)) return static_cast<Errno>(ENOTEMPTY);
  if (const Result<WalkedNode, Errno> replaced = kind_at(*new_place)) {
    if (moved->is_directory && !replaced->is_directory) return static_cast<Errno>(ENOTDIR);
    if (!moved->is_directory && replaced->is_directory) return static_cast<Errno>(EISDIR);
    if (replaced->is_directory && !list_directory(*new_place)->empty()) return static_cast<Errno>(ENOTEMPTY);
  }

  const Found found = find(*old_place);
  Change change;
  if (found.base_path) {
    change.kind = Change::Kind::Moved;
    change.target = *found.base_path;
  } else {
    change = *found.change;
  }
  Changes inner;
  for (auto at = changes_.upper_bound(*old_place); at != changes_.end() && at->first.starts_with(*old_place); ++at) {
    if (is_below(at->first, *old_place)) inner.emplace(*new_place + at->first.substr(old_place->size()), at->second);
  }
  forget_below(*old_place);
  forget_below(*new_place);
  changes_.insert_or_assign(*old_place, Change{});
  changes_.insert_or_assign(*new_place, std::move(change));
  changes_.merge(inner);
  return Errno::None;
}

}  // namespace soresolve
