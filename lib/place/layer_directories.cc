// Each directory is walked once, and becomes a tree as a layer of an image does (file_tree.h), so that one rule says
// what lies over what. A file's bytes stay where they are and are read when they are wanted.
//
// Source: Linux Documentation/filesystems/overlayfs.rst. A character device 0:0 takes away what lies below it; the
// extended attribute overlay.opaque of a directory hides the directories below (trusted.* of root's mounts, user.* of
// those without privileges; fuse-overlayfs has a name of its own, and files .wh.NAME where it may not make devices);
// overlay.metacopy of a file: its bytes are those of the file below. Hard links are kept: whether two
// names are one file is what the loader asks.
//
// Not here: overlay.redirect, a directory that was renamed; a note says so.
#include "place/layer_directories.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "place/file_tree.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostLayerEntries = 4'000'000;
constexpr std::size_t kMostLayerDepth = 200;
constexpr std::size_t kMostLayerNotes = 16;

Unexpected<Error> refuse_layer(int error, const std::string& path) {
  const bool is_barred = error == EACCES || error == EPERM;
  return Unexpected{Error{
      error == ENOENT ? ErrorCode::NotFound : ErrorCode::Unreadable,
      path,
      {},
      std::string(is_barred ? "needs root: " : "") + errno_text(static_cast<Errno>(error), ErrnoText::FromDlerror)}};
}

/// The bytes of a file of this machine, which is opened for each reading: there may be more of them than descriptors.
class HostContent final : public Content {
 public:
  explicit HostContent(std::string path) : path_(std::move(path)) {}
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return Unexpected{static_cast<Errno>(errno)};
    std::size_t done = 0;
    int error = 0;
    while (done < into.size()) {
      const ssize_t got = ::pread(file, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error = errno;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    ::close(file);
    if (error != 0 && done == 0) return Unexpected{static_cast<Errno>(error)};
    return done;
  }

 private:
  std::string path_;
};

enum class Attribute : std::uint8_t { Opaque, Metacopy, Redirect };

/// In whatever name space of attributes the mount has kept it.
bool has_attribute(const std::string& path, Attribute wanted) {
  static constexpr std::array<std::array<const char*, 3>, 3> kNames = {{
      {"trusted.overlay.opaque", "user.overlay.opaque", "user.fuseoverlayfs.opaque"},
      {"trusted.overlay.metacopy", "user.overlay.metacopy", nullptr},
      {"trusted.overlay.redirect", "user.overlay.redirect", nullptr},
  }};
  for (const char* const name : kNames[static_cast<std::size_t>(wanted)]) {
    if (name != nullptr && ::lgetxattr(path.c_str(), name, nullptr, 0) >= 0) return true;
  }
  return false;
}

std::vector<std::byte> capabilities_of(const std::string& path) {
  std::array<std::byte, 64> bytes{};
  const ssize_t got = ::lgetxattr(path.c_str(), "security.capability", bytes.data(), bytes.size());
  return {bytes.begin(), bytes.begin() + std::max<ssize_t>(got, 0)};
}

class LayerReader {
 public:
  /// `directories`: all of them; `number`: which is read.
  LayerReader(const std::vector<std::string>& directories, std::size_t number, std::size_t& entries,
              std::vector<std::string>& notes)
      : directories_(directories), number_(number), entries_(entries), notes_(notes),
        builder_(static_cast<std::uint32_t>(directories.size() - number), Whiteouts::Yes, number + 1) {}

  Result<TreeBuilder::Built> read() {
    if (std::optional<Error> error = read_directory("", 0)) return Unexpected{std::move(*error)};
    return builder_.finish();
  }

 private:
  [[nodiscard]] const std::string& top() const { return directories_[number_]; }

  std::optional<Error> read_directory(const std::string& inside, std::size_t depth) {
    const std::string path = top() + inside;
    if (std::optional<Error> error = add_directory(path, inside)) return error;
    if (depth == kMostLayerDepth) return Error{ErrorCode::LimitReached, path, {}, "lies too deep"};
    DIR* const stream = ::opendir(path.c_str());
    if (stream == nullptr) return refuse_layer(errno, path).error;
    std::vector<std::string> names;
    while (const dirent* const entry = ::readdir(stream)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    ::closedir(stream);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      if (++entries_ > kMostLayerEntries) return Error{ErrorCode::LimitReached, top(), {}, "has too many files"};
      struct stat status {};
      if (::lstat((path + "/" + name).c_str(), &status) != 0) continue;  // it has just gone
      const bool is_directory = S_ISDIR(status.st_mode);
      std::optional<Error> error =
          is_directory ? read_directory(inside + "/" + name, depth + 1) : add_file(inside + "/" + name, status);
      if (error) return error;
    }
    return std::nullopt;
  }

  std::optional<Error> add_directory(const std::string& path, const std::string& inside) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return refuse_layer(errno, path).error;
    ArchiveEntry entry = entry_of(inside.empty() ? "/" : inside, status);
    entry.type = EntryType::Directory;
    if (std::optional<Error> error = builder_.add(std::move(entry), nullptr)) return error;
    if (has_attribute(path, Attribute::Redirect) && notes_.size() < kMostLayerNotes) {
      notes_.push_back(
          inside +
          " is a directory that was renamed in the container: what it has of the layers below is missing here");
    }
    if (inside.empty() || !has_attribute(path, Attribute::Opaque)) return std::nullopt;
    ArchiveEntry opaque;
    opaque.path = inside + "/.wh..wh..opq";
    return builder_.add(std::move(opaque), nullptr);
  }

  std::optional<Error> add_file(const std::string& inside, const struct stat& status) {
    const std::string path = top() + inside;
    ArchiveEntry entry = entry_of(inside, status);
    std::shared_ptr<const Content> content;
    const auto known = status.st_nlink > 1 ? links_.find({status.st_dev, status.st_ino}) : links_.end();
    if (S_ISLNK(status.st_mode)) {
      std::string target(4096, '\0');
      const ssize_t got = ::readlink(path.c_str(), target.data(), target.size());
      if (got < 0) return std::nullopt;
      target.resize(static_cast<std::size_t>(got));
      entry.type = EntryType::SymbolicLink;
      entry.target = std::move(target);
    } else if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) {
      entry.type = EntryType::Device;
      entry.is_null_device = S_ISCHR(status.st_mode) && major(status.st_rdev) == 0 && minor(status.st_rdev) == 0;
    } else if (S_ISFIFO(status.st_mode)) {
      entry.type = EntryType::Fifo;
    } else if (S_ISSOCK(status.st_mode)) {
      entry.type = EntryType::Socket;
    } else if (known != links_.end()) {
      entry.type = EntryType::HardLink;
      entry.target = known->second;
      entry.size_bytes = 0;
    } else {
      if (status.st_nlink > 1) links_.emplace(std::pair(status.st_dev, status.st_ino), inside);
      entry.capabilities = capabilities_of(path);
      content = std::make_shared<HostContent>(has_attribute(path, Attribute::Metacopy) ? bytes_below(inside) : path);
    }
    return builder_.add(std::move(entry), std::move(content));
  }

  static ArchiveEntry entry_of(const std::string& inside, const struct stat& status) {
    ArchiveEntry entry;
    entry.path = inside;
    entry.mode = status.st_mode & 07777;
    entry.owner = status.st_uid;
    entry.group = status.st_gid;
    entry.modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    if (S_ISREG(status.st_mode)) entry.size_bytes = static_cast<std::uint64_t>(status.st_size);
    return entry;
  }

  /// The same file in the next layer that has it whole.
  [[nodiscard]] std::string bytes_below(const std::string& inside) const {
    for (std::size_t below = number_ + 1; below < directories_.size(); ++below) {
      const std::string path = directories_[below] + inside;
      struct stat status {};
      if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && !has_attribute(path, Attribute::Metacopy))
        return path;
    }
    return top() + inside;
  }

  const std::vector<std::string>& directories_;
  std::size_t number_;
  std::size_t& entries_;
  std::vector<std::string>& notes_;
  TreeBuilder builder_;
  std::map<std::pair<dev_t, ino_t>, std::string> links_;
};

}  // namespace

Result<Place> open_layer_directories(const std::vector<std::string>& directories) {
  Place place;
  place.format = "overlay directories";
  if (directories.size() == 1) {
    Result<std::unique_ptr<FileSystem>> rooted = rooted_file_system(directories.front());
    if (!rooted) return Unexpected{std::move(rooted).error()};
    place.files = std::move(rooted).value();
    return place;
  }
  TreeNodePtr root;
  std::size_t entries = 0;
  for (std::size_t number = directories.size(); number > 0; --number) {
    Result<TreeBuilder::Built> built = LayerReader(directories, number - 1, entries, place.notes).read();
    if (!built) return Unexpected{std::move(built).error()};
    tie_pending_hard_links(*built, root);
    place.notes.insert(place.notes.end(), built->oddities.begin(), built->oddities.end());
    place.gaps.insert(place.gaps.end(), built->gaps.begin(), built->gaps.end());
    root = laid_over(root, built->root);
  }
  if (!root) return refuse_layer(ENOENT, "a container without layers");
  place.files = std::make_shared<TreeFileSystem>(std::move(root));
  return place;
}

}  // namespace soresolve
