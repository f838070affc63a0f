// The machine's own files, by plain system calls: three per file (open, fstat, close) and one per
// read.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "base/host_file.h"
#include "base/path_walk.h"

namespace soresolve {
namespace {

class HostFile final : public File {
 public:
  HostFile(int descriptor, FileStatus status, NoexecMounts noexec)
      : File(status), descriptor_(descriptor), noexec_(noexec) {}
  ~HostFile() override { ::close(descriptor_); }
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;

  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset > static_cast<std::uint64_t>(INT64_MAX)) {
      return Unexpected{static_cast<Errno>(EINVAL)};
    }
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got =
          ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got < 0) {
        if (errno == EINTR) continue;
        return last_errno();
      }
      done += static_cast<std::size_t>(got);
      // A short read of a regular file is its end: the next call would only say so.
      if (got == 0 || status().kind == FileKind::Regular) break;
    }
    return done;
  }

  /// lseek(2) with SEEK_DATA. Nobody reads from the position that it leaves behind.
  std::uint64_t next_data(std::uint64_t offset) const override {
    if (offset > static_cast<std::uint64_t>(INT64_MAX)) return offset;
    const off_t found = ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
    if (found >= 0) return static_cast<std::uint64_t>(found);
    return errno == ENXIO ? std::max(offset, status().size_bytes) : offset;
  }

  std::vector<std::byte> capabilities() const override {
    std::vector<std::byte> value(64);  // struct vfs_ns_cap_data has 24 bytes
    const ssize_t got = ::fgetxattr(descriptor_, "security.capability", value.data(), value.size());
    value.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return value;
  }

  bool is_on_nosuid() const override {
    struct statvfs mounted;
    return ::fstatvfs(descriptor_, &mounted) == 0 && (mounted.f_flag & ST_NOSUID) != 0;
  }

  bool is_on_noexec() const override {
    struct statvfs mounted;
    return noexec_ != NoexecMounts::Ignored && ::fstatvfs(descriptor_, &mounted) == 0 &&
           (mounted.f_flag & ST_NOEXEC) != 0;
  }

 private:
  int descriptor_;
  NoexecMounts noexec_;
};

/// A path with its terminator, on the stack: the system calls want one, views have none.
class TerminatedPath {
 public:
  explicit TerminatedPath(std::string_view path) {
    if (path.size() >= kPathMax)
      refusal_ = ENAMETOOLONG;
    else if (path.find('\0') != std::string_view::npos)
      refusal_ = ENOENT;  // no file has such a name
    if (refusal_ != 0) return;
    std::memcpy(text_, path.data(), path.size());
    text_[path.size()] = '\0';
  }
  [[nodiscard]] bool is_refused() const { return refusal_ != 0; }
  [[nodiscard]] Unexpected<Errno> refusal() const { return {static_cast<Errno>(refusal_)}; }
  [[nodiscard]] const char* c_str() const { return text_; }

 private:
  int refusal_ = 0;
  char text_[kPathMax];
};

class HostFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    const TerminatedPath name(path);
    if (name.is_refused()) return name.refusal();
    const int descriptor = ::open(name.c_str(), host_open_flags());
    if (descriptor < 0) return last_errno();
    return adopt_descriptor(descriptor, NoexecMounts::Count);
  }

  Result<FileStatus, Errno> status(std::string_view path) const override {
    const TerminatedPath name(path);
    if (name.is_refused()) return name.refusal();
    struct stat found;
    if (::stat(name.c_str(), &found) != 0) return last_errno();
    return to_file_status(found);
  }

  Result<std::string, Errno> real_path(std::string_view path) const override {
    const TerminatedPath name(path);
    if (name.is_refused()) return name.refusal();
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(name.c_str(), nullptr), std::free);
    if (!real) return last_errno();
    return std::string(real.get());
  }

  Result<std::string, Errno> read_link(std::string_view path) const override {
    const TerminatedPath name(path);
    if (name.is_refused()) return name.refusal();
    return read_link_at(AT_FDCWD, name.c_str());
  }

  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return names_of(list_entries(path));
  }

  Result<std::vector<DirectoryEntry>, Errno> list_entries(std::string_view path) const override {
    const TerminatedPath name(path);
    if (name.is_refused()) return name.refusal();
    const int descriptor = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return last_errno();
    return list_descriptor(descriptor);
  }
};

EntryKind to_entry_kind(unsigned char type) {
  switch (type) {
    case DT_REG: return EntryKind::Regular;
    case DT_DIR: return EntryKind::Directory;
    case DT_LNK: return EntryKind::Link;
    case DT_UNKNOWN: return EntryKind::Unknown;
    default: return EntryKind::Other;
  }
}

FileKind to_kind(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::Regular;
  if (S_ISDIR(mode)) return FileKind::Directory;
  if (S_ISFIFO(mode)) return FileKind::Fifo;
  if (S_ISSOCK(mode)) return FileKind::Socket;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return FileKind::Device;
  return FileKind::Other;
}

}  // namespace

int host_open_flags() { return O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY; }

Unexpected<Errno> last_errno() { return {static_cast<Errno>(errno)}; }

FileStatus to_file_status(const struct stat& from) {
  FileStatus status;
  status.id = {from.st_dev, from.st_ino};
  status.kind = to_kind(from.st_mode);
  status.mode = from.st_mode & 07777;
  status.size_bytes = static_cast<std::uint64_t>(from.st_size);
  status.owner = from.st_uid;
  status.group = from.st_gid;
  status.modified_ns = from.st_mtim.tv_sec * std::int64_t{1000000000} + from.st_mtim.tv_nsec;
  return status;
}

Result<std::unique_ptr<File>, Errno> adopt_descriptor(int descriptor, NoexecMounts noexec) {
  struct stat found;
  if (::fstat(descriptor, &found) != 0) {
    const Unexpected<Errno> failure = last_errno();
    ::close(descriptor);
    return failure;
  }
  return std::unique_ptr<File>(std::make_unique<HostFile>(descriptor, to_file_status(found), noexec));
}

Result<std::string, Errno> read_link_at(int directory, const char* path) {
  char target[kPathMax];
  const ssize_t length = ::readlinkat(directory, path, target, sizeof target);
  if (length < 0) return last_errno();
  return std::string(target, static_cast<std::size_t>(length));
}

Result<std::vector<DirectoryEntry>, Errno> list_descriptor(int descriptor) {
  DIR* directory = ::fdopendir(descriptor);
  if (directory == nullptr) {
    const Unexpected<Errno> failure = last_errno();
    ::close(descriptor);
    return failure;
  }
  std::vector<DirectoryEntry> entries;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), to_entry_kind(entry->d_type)});
  }
  ::closedir(directory);
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return entries;
}

Result<std::vector<std::string>, Errno> names_of(Result<std::vector<DirectoryEntry>, Errno> entries) {
  if (!entries) return Unexpected{entries.error()};
  std::vector<std::string> names;
  names.reserve(entries->size());
  for (DirectoryEntry& entry : *entries) names.push_back(std::move(entry.name));
  return names;
}

std::unique_ptr<FileSystem> host_file_system() { return std::make_unique<HostFileSystem>(); }

Result<std::string, Errno> read_host_link(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) return last_errno();
  target.resize(static_cast<std::size_t>(length));
  return target;
}

}  // namespace soresolve
