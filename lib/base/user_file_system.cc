// A tree as one of its users can open it.
//
// The kernel asks for search permission of each directory that a path leads through, those of links included,
// and for read permission of the file (fs/namei.c:link_path_walk, may_open). Which of the three groups of mode
// bits counts is decided once: an owner without permission gets none as a member of the group.
#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include "base/path_walk.h"
#include "base/user.h"

namespace soresolve {
namespace {

Unexpected<Errno> denied() { return {static_cast<Errno>(EACCES)}; }

class UserFileSystem final : public FileSystem {
 public:
  UserFileSystem(std::shared_ptr<const FileSystem> files, User user)
      : files_(std::move(files)), user_(std::move(user)) {}

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    if (const Errno error = reach(path); error != Errno::None) return Unexpected{error};
    // Whoever asks may be allowed less than the user: then nobody can say.
    const Result<FileStatus, Errno> found = files_->status(path);
    if (!found) return Unexpected{found.error()};
    if (!may_access(user_, *found, Access::Read)) return denied();
    return files_->open(path);
  }

  Result<FileStatus, Errno> status(std::string_view path) const override {
    if (const Errno error = reach(path); error != Errno::None) return Unexpected{error};
    return files_->status(path);
  }

  Result<std::string, Errno> real_path(std::string_view path) const override {
    if (const Errno error = reach(path); error != Errno::None) return Unexpected{error};
    return files_->real_path(path);
  }

  Result<std::string, Errno> read_link(std::string_view path) const override {
    const std::size_t slash = path.rfind('/');
    if (slash != std::string_view::npos && slash != 0) {
      const std::string parent(path.substr(0, slash));
      if (const Errno error = reach(parent + "/."); error != Errno::None) return Unexpected{error};
    }
    return files_->read_link(path);
  }

  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    if (const Errno error = may_list(path); error != Errno::None) return Unexpected{error};
    return files_->list_directory(path);
  }

  Result<std::vector<DirectoryEntry>, Errno> list_entries(std::string_view path) const override {
    if (const Errno error = may_list(path); error != Errno::None) return Unexpected{error};
    return files_->list_entries(path);
  }

 private:
  [[nodiscard]] Errno may_list(std::string_view path) const {
    if (const Errno error = reach(path); error != Errno::None) return error;
    const Result<FileStatus, Errno> found = files_->status(path);
    if (!found) return found.error();
    return may_access(user_, *found, Access::Read) ? Errno::None : static_cast<Errno>(EACCES);
  }

  /// May the user get to what lies at `path`? None, or the errno of the first step that fails. Loaders ask
  /// for many files of few directories: what is known of a directory is kept.
  [[nodiscard]] Errno reach(std::string_view path) const {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || files_->read_link(path).has_value()) return walk(path);
    const std::string directory(slash == 0 ? "/" : path.substr(0, slash));
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = directories_.find(directory); known != directories_.end()) return known->second;
    }
    const Errno error = walk(directory + "/.");
    const std::lock_guard lock(mutex_);
    if (directories_.size() < kMostDirectories) directories_.emplace(directory, error);
    return error;
  }

  /// "DIR/." is a step inside DIR.
  [[nodiscard]] Errno walk(std::string_view path) const {
    const Result<std::string, Errno> real = walk_path(
        path, [&](const std::string& here) { return look(here); },
        [&](const std::string& directory) { return search(directory); });
    return real ? Errno::None : real.error();
  }

  /// What one step leads to.
  [[nodiscard]] Result<WalkedNode, Errno> look(const std::string& here) const {
    WalkedNode node;
    if (Result<std::string, Errno> target = files_->read_link(here)) {
      node.link_target = std::move(target).value();
      return node;
    }
    const Result<FileStatus, Errno> found = files_->status(here);
    if (!found) return Unexpected{found.error()};
    node.is_directory = found->kind == FileKind::Directory;
    return node;
  }

  [[nodiscard]] Errno search(const std::string& directory) const {
    const Result<FileStatus, Errno> found = files_->status(directory);
    if (!found) return found.error();
    if (found->kind != FileKind::Directory) return static_cast<Errno>(ENOTDIR);
    return may_access(user_, *found, Access::Execute) ? Errno::None : static_cast<Errno>(EACCES);
  }

  static constexpr std::size_t kMostDirectories = 1u << 16;
  std::shared_ptr<const FileSystem> files_;
  User user_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Errno, std::less<>> directories_;  ///< by path as asked for
};

}  // namespace

std::shared_ptr<const FileSystem> files_as_user(std::shared_ptr<const FileSystem> files, User user) {
  if (user.passes_modes) return files;
  return std::make_shared<UserFileSystem>(std::move(files), std::move(user));
}

}  // namespace soresolve
