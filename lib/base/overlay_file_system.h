// Another tree with changes on top, none of which is ever made: what the world would be if. Files of a third tree can
// be bound into it, as container runtimes do with those of their host.
//
// Source of the rules: the kernel's fs/namei.c, as open(2), symlink(2), unlink(2) and rename(2)
// document them.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

/// What is changed here is seen here only. Links lead from either part into the other. Changes answer
/// as the system call would (Errno::None: done); permissions are not asked for. Not synchronised while
/// it is being changed. The tree below is taken to stand still.
class OverlayFileSystem final : public FileSystem {
 public:
  explicit OverlayFileSystem(std::shared_ptr<const FileSystem> base);
  ~OverlayFileSystem() override;

  /// The same tree without changes. The two share what they have learnt of it.
  [[nodiscard]] std::shared_ptr<OverlayFileSystem> fresh() const;

  /// Writes a file, or over one that is there; what is written counts as a new file.
  Errno add_file(std::string_view path, std::string_view content, std::uint32_t mode = 0644);
  /// mount(2) with MS_BIND of one file: `source` of another tree is seen here, with all that it is. The parent of
  /// `path` has to be there; ENOENT if the source is not.
  Errno bind_file(std::string_view path, std::shared_ptr<const FileSystem> from, std::string_view source);
  /// mknod(2) of a device that nobody opens.
  Errno add_device(std::string_view path, std::uint32_t mode = 0666);
  /// mkdir(2) with all parents.
  Errno add_directory(std::string_view path);
  /// symlink(2).
  Errno add_symlink(std::string_view path, std::string_view target);
  /// Removes a file, a link (not what it leads to), or a directory with all that is in it.
  Errno remove(std::string_view path);
  /// chmod(2).
  Errno set_mode(std::string_view path, std::uint32_t mode);
  /// rename(2).
  Errno rename(std::string_view from, std::string_view to);

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override;
  Result<FileStatus, Errno> status(std::string_view path) const override;
  Result<std::string, Errno> real_path(std::string_view path) const override;
  Result<std::string, Errno> read_link(std::string_view path) const override;
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override;

 private:
  struct Change;
  class Known;
  struct Found;
  /// By path without links, of this tree.
  using Changes = std::map<std::string, Change, std::less<>>;

  [[nodiscard]] Found find(const std::string& path) const;
  [[nodiscard]] Result<Found, Errno> resolve(std::string_view path) const;
  /// A place whose parent exists, with nothing known of the place itself; its last part is not followed.
  [[nodiscard]] Result<std::string, Errno> place_of(std::string_view path) const;
  [[nodiscard]] Result<std::string, Errno> place_to_write(std::string_view path) const;
  [[nodiscard]] bool has_names(const Found& directory) const;
  void forget_below(const std::string& path);
  void put(const std::string& path, Change change);

  std::shared_ptr<const FileSystem> base_;
  std::shared_ptr<Known> known_;  ///< of base_
  Changes changes_;
  std::map<std::string, std::uint32_t, std::less<>> modes_;  ///< by path without links
  std::uint64_t device_;                                     ///< of what is added here
  std::uint64_t next_inode_ = 1;
};

}  // namespace soresolve
