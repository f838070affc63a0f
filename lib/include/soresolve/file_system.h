// The only door to files.
//
// Everything that soresolve reads goes through a FileSystem, so that the same analysis runs on the
// host, inside an unpacked root tree (whose symbolic links are followed as after chroot(2)), and on
// trees that exist in memory only. Errors are Linux errno values, because the loader's rules are
// written in terms of them (glibc elf/dl-load.c:open_path).
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/result.h"

namespace soresolve SORESOLVE_API {

/// A Linux errno value; the number is what glibc prints as "Error N".
enum class Errno : int { None = 0 };

/// No errno of Linux: a snapshot does not hold what is asked for, so that nobody can say whether it is there.
inline constexpr Errno kNotRecorded = static_cast<Errno>(4094);

enum class FileKind : std::uint8_t { Regular, Directory, Fifo, Socket, Device, Other };

/// What makes two paths the same file: st_dev and st_ino.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileId&) const = default;
};

struct FileStatus {
  FileId id;
  FileKind kind = FileKind::Regular;
  std::uint32_t mode = 0;        ///< permission, set-id and sticky bits of st_mode
  std::uint64_t size_bytes = 0;  ///< at the time of opening; a file may shrink later
  std::int64_t modified_ns = 0;  ///< st_mtim in nanoseconds since the epoch
  std::uint32_t owner = 0;       ///< st_uid
  std::uint32_t group = 0;       ///< st_gid
};

/// What a directory says of one of its entries; links are not followed.
enum class EntryKind : std::uint8_t {
  Unknown,  ///< the directory does not say: ask for the status
  Regular,
  Directory,
  Link,
  Other,  ///< a FIFO, a socket, a device
};
struct DirectoryEntry {
  std::string name;
  EntryKind kind = EntryKind::Unknown;
};

/// One open file. Reading never maps it, so a file that shrinks costs a short read, not a signal.
class File {
 public:
  virtual ~File() = default;
  [[nodiscard]] const FileStatus& status() const { return status_; }

  /// Reads up to into.size() bytes from `offset`; fewer at the end of the file, 0 past it.
  /// Fails with the errno of read(2), such as EISDIR.
  [[nodiscard]] virtual Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const = 0;

  /// The same for a search: of what is read only what the searches of this library look for counts (names of
  /// libraries, GPU code, versions in texts). Whoever keeps bytes for later need not keep others.
  [[nodiscard]] virtual Result<std::size_t, Errno> read_to_search(std::uint64_t offset,
                                                                  std::span<std::byte> into) const {
    return read_at(offset, into);
  }
  /// How many of `wanted` bytes from `offset` on can be read together: fewer where only parts of a file are known.
  [[nodiscard]] virtual std::size_t readable(std::uint64_t offset, std::size_t wanted) const {
    static_cast<void>(offset);
    return wanted;
  }

  /// Where the next byte that can be other than zero lies, at `offset` or behind it: a file may be longer than
  /// the disk, with holes for most of it. Without such knowledge it is `offset`.
  [[nodiscard]] virtual std::uint64_t next_data(std::uint64_t offset) const { return offset; }

  /// The extended attribute security.capability as it is stored (capabilities(7)); empty: it has none.
  [[nodiscard]] virtual std::vector<std::byte> capabilities() const { return {}; }
  /// Does it lie on a file system that is mounted with nosuid?
  [[nodiscard]] virtual bool is_on_nosuid() const { return false; }
  /// Does it lie on a file system that is mounted with noexec, of this machine or of a snapshot's? Neither execve(2)
  /// nor mmap(2) with PROT_EXEC take it then. Of a tree that is laid out below some directory it does not count.
  [[nodiscard]] virtual bool is_on_noexec() const { return false; }

 protected:
  explicit File(FileStatus status) : status_(status) {}
  File(const File&) = default;
  File& operator=(const File&) = default;

 private:
  FileStatus status_;
};

/// A tree of files. Paths are absolute; symbolic links are followed. Const member functions may be
/// called from several threads at once.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  /// open(2) with O_RDONLY, but it does not wait for the writer of a FIFO.
  [[nodiscard]] virtual Result<std::unique_ptr<File>, Errno> open(std::string_view path) const = 0;
  /// stat(2).
  [[nodiscard]] virtual Result<FileStatus, Errno> status(std::string_view path) const = 0;
  /// realpath(3): no symbolic link, no `.` and no `..` is left.
  [[nodiscard]] virtual Result<std::string, Errno> real_path(std::string_view path) const = 0;
  /// readlink(2): where a symbolic link points to, as written; EINVAL for anything else. A tree without
  /// links need not say so.
  [[nodiscard]] virtual Result<std::string, Errno> read_link(std::string_view path) const;
  /// The names in a directory, without `.` and `..`, sorted.
  [[nodiscard]] virtual Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const = 0;
  /// The same with what each of them is, as far as that costs no further question (d_type of readdir(3)).
  [[nodiscard]] virtual Result<std::vector<DirectoryEntry>, Errno> list_entries(std::string_view path) const;
};

/// The machine's own files.
std::unique_ptr<FileSystem> host_file_system();

/// The tree below `root` as chroot(root) shows it: absolute links and `..` stay inside.
/// Fails if `root` is not a directory that can be opened.
Result<std::unique_ptr<FileSystem>> rooted_file_system(const std::string& root);

/// A tree in memory, for tests and fuzzing. Parents of what is added come into being by themselves;
/// adding to a path that exists replaces it. Not synchronised: fill it before sharing it.
class MemoryFileSystem final : public FileSystem {
 public:
  MemoryFileSystem();
  ~MemoryFileSystem() override;

  void add_file(std::string_view path, std::vector<std::byte> content, std::uint32_t mode = 0644);
  void add_file(std::string_view path, std::string_view content, std::uint32_t mode = 0644);
  void add_directory(std::string_view path, std::uint32_t mode = 0755);
  void add_symlink(std::string_view path, std::string_view target);
  void add_hard_link(std::string_view path, std::string_view existing);
  void add_special(std::string_view path, FileKind kind);
  /// Gives what stands at `path` to another user; nothing happens if there is nothing.
  void set_owner(std::string_view path, std::uint32_t owner, std::uint32_t group);

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override;
  Result<FileStatus, Errno> status(std::string_view path) const override;
  Result<std::string, Errno> real_path(std::string_view path) const override;
  Result<std::string, Errno> read_link(std::string_view path) const override;
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override;

 private:
  struct Node;
  using NodePtr = std::shared_ptr<const Node>;
  void add_node(std::string_view path, NodePtr node);
  [[nodiscard]] Result<std::pair<std::string, NodePtr>, Errno> find(std::string_view path) const;

  std::map<std::string, NodePtr, std::less<>> nodes_;  ///< by absolute path without links
  std::uint64_t next_inode_ = 1;
};

/// The text glibc prints for `error`. Inside ld.so only six values have words, every other one reads
/// "Error N" (glibc elf/dl-minimal.c:__strerror_r); dlerror(3) has libc's full list.
enum class ErrnoText : std::uint8_t { InsideLoader, FromDlerror };
std::string errno_text(Errno error, ErrnoText form);

/// A user with all groups.
struct User {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups = {};  ///< supplementary
  std::string name = {};                   ///< empty: known by the number only
  /// May it open and search everything: uid 0, or CAP_DAC_OVERRIDE?
  bool passes_modes = true;
  bool operator==(const User&) const = default;
};

}  // namespace SORESOLVE_API
