// A tree on disk, seen as after chroot(2) into it, without being root.
//
// openat2(2) with RESOLVE_IN_ROOT has the kernel resolve links and `..` inside the tree, without a
// race. Where that call is missing (Linux < 5.6) or forbidden (seccomp), links are walked here: each step
// is taken from the directory before and none through a link, so that a tree that changes meanwhile can
// make the walk fail, but never lead it out.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/host_file.h"
#include "base/path_walk.h"

namespace soresolve {
namespace {

/// Closes a descriptor at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

class RootedFileSystem final : public FileSystem {
 public:
  explicit RootedFileSystem(int root) : root_(root), has_openat2_(probe_openat2(root)) {}

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    Result<int, Errno> descriptor = open_at(path, host_open_flags());
    if (!descriptor) return Unexpected{descriptor.error()};
    return adopt_descriptor(*descriptor, NoexecMounts::Ignored);
  }

  Result<FileStatus, Errno> status(std::string_view path) const override {
    Result<int, Errno> opened = open_at(path, O_PATH | O_CLOEXEC);
    if (!opened) return Unexpected{opened.error()};
    const Descriptor descriptor(*opened);
    struct stat found;
    if (::fstat(descriptor.get(), &found) != 0) return last_errno();
    return to_file_status(found);
  }

  Result<std::string, Errno> real_path(std::string_view path) const override {
    return walk_path(path, [this](const std::string& here) { return look(here); });
  }

  Result<std::string, Errno> read_link(std::string_view path) const override {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || path.find('\0') != std::string_view::npos) {
      return Unexpected{static_cast<Errno>(ENOENT)};
    }
    if (path.size() >= kPathMax) return Unexpected{static_cast<Errno>(ENAMETOOLONG)};
    const std::string_view above = slash == 0 ? "/" : path.substr(0, slash);
    if (has_openat2_) {
      const Result<int, Errno> opened = open_at(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (!opened) return Unexpected{opened.error()};
      return read_link_at(Descriptor(*opened).get(), std::string(path.substr(slash + 1)).c_str());
    }
    Result<std::string, Errno> parent = real_path(above);
    if (!parent) return parent;
    const std::string real = (*parent == "/" ? "" : *parent) + std::string(path.substr(slash));
    const Result<Descriptor, Errno> directory = open_parent(real);
    if (!directory) return Unexpected{directory.error()};
    return read_link_at(directory->get(), name_in_parent(real));
  }

  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return names_of(list_entries(path));
  }

  Result<std::vector<DirectoryEntry>, Errno> list_entries(std::string_view path) const override {
    Result<int, Errno> descriptor = open_at(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!descriptor) return Unexpected{descriptor.error()};
    return list_descriptor(*descriptor);
  }

 private:
  static int call_openat2(int root, const char* path, int flags, std::uint64_t resolve = RESOLVE_IN_ROOT) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = resolve;
    return static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof how));
  }

  static bool probe_openat2(int root) {
    const Descriptor probe(call_openat2(root, ".", O_PATH | O_CLOEXEC));
    return probe.get() >= 0;
  }

  [[nodiscard]] Result<int, Errno> open_at(std::string_view path, int flags) const {
    if (path.empty() || path.find('\0') != std::string_view::npos) return Unexpected{static_cast<Errno>(ENOENT)};
    if (path.size() >= kPathMax) return Unexpected{static_cast<Errno>(ENAMETOOLONG)};
    if (has_openat2_) {
      const std::string name(path);
      // EAGAIN: a rename elsewhere made the kernel give up on `..`; it asks to be called again.
      for (int attempt = 0; attempt < 8; ++attempt) {
        const int descriptor = call_openat2(root_.get(), name.c_str(), flags);
        if (descriptor >= 0) return descriptor;
        if (errno != EAGAIN) return last_errno();
      }
      return Unexpected{static_cast<Errno>(EAGAIN)};
    }
    Result<std::string, Errno> real = real_path(path);
    if (!real) return Unexpected{real.error()};
    if (path.back() == '/') flags |= O_DIRECTORY;
    const Result<Descriptor, Errno> parent = open_parent(*real);
    if (!parent) return Unexpected{parent.error()};
    const int descriptor = ::openat(parent->get(), name_in_parent(*real), flags | O_NOFOLLOW);
    if (descriptor < 0) return last_errno();
    return descriptor;
  }

  /// The last part of a path without links; of the root, what it is called within itself.
  static const char* name_in_parent(const std::string& real) {
    return real == "/" ? "." : real.c_str() + real.rfind('/') + 1;
  }

  /// The directory that `real`, a path without links, lies in. Fails with ENOTDIR or ELOOP where a link has
  /// come into the place of a directory since.
  [[nodiscard]] Result<Descriptor, Errno> open_parent(const std::string& real) const {
    constexpr int kFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const std::string parent = real.substr(0, real.rfind('/'));
    if (has_openat2_ && !parent.empty()) {
      Descriptor found(call_openat2(root_.get(), parent.c_str(), kFlags, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS));
      if (found.get() < 0) return last_errno();
      return found;
    }
    Descriptor at(::openat(root_.get(), ".", kFlags));
    for (std::size_t start = 1; at.get() >= 0 && start < parent.size();) {
      const std::size_t end = std::min(parent.find('/', start), parent.size());
      at = Descriptor(::openat(at.get(), parent.substr(start, end - start).c_str(), kFlags));
      start = end + 1;
    }
    if (at.get() < 0) return last_errno();
    return at;
  }

  [[nodiscard]] Result<WalkedNode, Errno> look(const std::string& path) const {
    const Result<Descriptor, Errno> parent = open_parent(path);
    if (!parent) return Unexpected{parent.error()};
    const char* const name = name_in_parent(path);
    struct stat found;
    if (::fstatat(parent->get(), name, &found, AT_SYMLINK_NOFOLLOW) != 0) return last_errno();
    WalkedNode node;
    node.is_directory = S_ISDIR(found.st_mode);
    if (S_ISLNK(found.st_mode)) {
      Result<std::string, Errno> target = read_link_at(parent->get(), name);
      if (!target) return Unexpected{target.error()};
      node.link_target = std::move(target).value();
    }
    return node;
  }

  Descriptor root_;
  bool has_openat2_;
};

}  // namespace

Result<std::unique_ptr<FileSystem>> rooted_file_system(const std::string& root) {
  const int descriptor = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    const Errno error = static_cast<Errno>(errno);
    return Unexpected{Error{errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Unreadable,
                            root,
                            {},
                            "cannot be used as a root directory: " + errno_text(error, ErrnoText::FromDlerror)}};
  }
  return std::unique_ptr<FileSystem>(std::make_unique<RootedFileSystem>(descriptor));
}

}  // namespace soresolve
