// Writes a tree below a directory by openat2(2) with RESOLVE_IN_ROOT, so that no link of the tree leads outside. Errors
// of single nodes are ignored: random trees contain impossible ones.
#include "support/file_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <map>

namespace soresolve::test {
namespace {

/// Opens a directory of the tree for use with the *at() functions; -1 if it is not there.
int open_directory(int root_fd, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  const std::string relative = path.empty() ? "." : path;
  return static_cast<int>(syscall(SYS_openat2, root_fd, relative.c_str(), &how, sizeof how));
}

/// Directories that are open while a tree is written.
class Directories {
 public:
  explicit Directories(int root_fd) : root_fd_(root_fd) {}
  Directories(const Directories&) = delete;
  Directories& operator=(const Directories&) = delete;
  ~Directories() {
    for (const auto& [path, fd] : open_)
      if (fd >= 0) close(fd);
  }

  /// The directory `path` ("" is the root), created if need be; -1 if that is impossible.
  int get(const std::string& path) {
    if (const auto found = open_.find(path); found != open_.end()) return found->second;
    int fd = open_directory(root_fd_, path);
    if (fd < 0 && !path.empty()) {
      const std::size_t slash = path.rfind('/');
      const int parent = get(slash == std::string::npos ? "" : path.substr(0, slash));
      const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
      if (parent >= 0 && mkdirat(parent, name.c_str(), 0755) == 0) fd = open_directory(root_fd_, path);
    }
    open_.emplace(path, fd);
    return fd;
  }

 private:
  int root_fd_;
  std::map<std::string, int> open_;
};

void write_file(int parent, const std::string& name, std::string_view bytes, const TreeNode& node) {
  const int fd = openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  if (fd < 0) return;
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  // In this order: a new owner takes set-id bits and capabilities away.
  if (node.owner != 0 || node.group != 0) {
    [[maybe_unused]] const int done = fchown(fd, node.owner, node.group);
  }
  fchmod(fd, node.mode);
  if (!node.capabilities.empty()) {
    fsetxattr(fd, "security.capability", node.capabilities.data(), node.capabilities.size(), 0);
  }
  close(fd);
}

void make_socket(int parent, const std::string& name) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(parent) + "/" + name;
  if (path.size() < sizeof address.sun_path) {
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    [[maybe_unused]] const int done = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  close(fd);
}

void make_hard_link(int root_fd, int parent, const std::string& name, const std::string& existing) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  const auto fd = static_cast<int>(syscall(SYS_openat2, root_fd, existing.c_str(), &how, sizeof how));
  if (fd < 0) return;
  const std::string source = "/proc/self/fd/" + std::to_string(fd);
  [[maybe_unused]] const int done = linkat(AT_FDCWD, source.c_str(), parent, name.c_str(), AT_SYMLINK_FOLLOW);
  close(fd);
}

void remove_entries(int fd, std::string_view keep) {
  DIR* const directory = fdopendir(fd);
  if (directory == nullptr) {
    close(fd);
    return;
  }
  while (const dirent* const entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || (!keep.empty() && name == keep)) continue;
    if (entry->d_type != DT_DIR) {
      unlinkat(fd, entry->d_name, 0);
      continue;
    }
    const int child = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (child >= 0) remove_entries(child, "");
    unlinkat(fd, entry->d_name, AT_REMOVEDIR);
  }
  closedir(directory);
}

}  // namespace

TreeNode elf_file(std::string path, ElfSpec elf) {
  return {std::move(path), NodeKind::Elf, std::move(elf), {}, {}, 0755};
}
TreeNode damaged_file(std::string path, ElfSpec elf, Damage damage) {
  return {std::move(path), NodeKind::Damaged, std::move(elf), damage, {}, 0755};
}
TreeNode text_file(std::string path, std::string text) {
  const mode_t mode = text.starts_with("#!") ? 0755 : 0644;
  return {std::move(path), NodeKind::Text, {}, {}, std::move(text), mode};
}
TreeNode symlink_to(std::string path, std::string target) {
  return {std::move(path), NodeKind::Symlink, {}, {}, std::move(target), 0777};
}
TreeNode hard_link_to(std::string path, std::string existing) {
  return {std::move(path), NodeKind::HardLink, {}, {}, std::move(existing), 0755};
}
TreeNode directory(std::string path) { return {std::move(path), NodeKind::Directory, {}, {}, {}, 0755}; }
TreeNode special_file(std::string path, NodeKind kind) { return {std::move(path), kind, {}, {}, {}, 0755}; }

void write_tree(int root_fd, const std::vector<TreeNode>& nodes) {
  Directories directories(root_fd);
  for (const TreeNode& node : nodes) {
    const std::string path = node.path.substr(node.path.find_first_not_of('/'));
    const std::size_t slash = path.rfind('/');
    const int parent = directories.get(slash == std::string::npos ? "" : path.substr(0, slash));
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (parent < 0) continue;
    switch (node.kind) {
      case NodeKind::Elf: write_file(parent, name, write_elf(node.elf), node); break;
      case NodeKind::Damaged: write_file(parent, name, write_damaged(node.elf, node.damage), node); break;
      case NodeKind::Text: write_file(parent, name, node.text, node); break;
      case NodeKind::Symlink: {
        [[maybe_unused]] const int done = symlinkat(node.text.c_str(), parent, name.c_str());
        break;
      }
      case NodeKind::HardLink: make_hard_link(root_fd, parent, name, node.text); break;
      case NodeKind::Directory:
        if (mkdirat(parent, name.c_str(), 0755) != 0) break;
        if (node.owner != 0 || node.group != 0) {
          [[maybe_unused]] const int done = fchownat(parent, name.c_str(), node.owner, node.group, 0);
        }
        fchmodat(parent, name.c_str(), node.mode, 0);
        break;
      case NodeKind::Fifo: mkfifoat(parent, name.c_str(), node.mode); break;
      case NodeKind::Socket: make_socket(parent, name); break;
    }
  }
}

void clear_tree(int root_fd, std::string_view keep) {
  const int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) remove_entries(fd, keep);
}

std::string describe(const TreeNode& node) {
  std::string line = node.path;
  switch (node.kind) {
    case NodeKind::Elf: line += ":" + describe(node.elf); break;
    case NodeKind::Damaged: line += ": " + std::string(name_of(node.damage)) + " in" + describe(node.elf); break;
    case NodeKind::Text: line += ": text " + test::quoted(node.text); break;
    case NodeKind::Symlink: line += " -> " + test::quoted(node.text); break;
    case NodeKind::HardLink: line += " = hard link to " + node.text; break;
    case NodeKind::Directory: line += "/"; break;
    case NodeKind::Fifo: line += ": FIFO"; break;
    case NodeKind::Socket: line += ": socket"; break;
  }
  const bool is_usual = node.kind == NodeKind::Symlink || node.mode == 0755 || node.mode == 0644;
  if (!is_usual) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", node.mode);
    line += std::string(" mode ") + mode;
  }
  if (node.owner != 0 || node.group != 0)
    line += " of " + std::to_string(node.owner) + ":" + std::to_string(node.group);
  if (!node.capabilities.empty()) line += " with capabilities";
  return line;
}

}  // namespace soresolve::test
