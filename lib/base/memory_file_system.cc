// A tree in memory. Nodes are kept by their path without links; links are walked on each access.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/path_walk.h"
#include "soresolve/file_system.h"

namespace soresolve {

struct MemoryFileSystem::Node {
  FileStatus status;
  std::shared_ptr<const std::vector<std::byte>> content;
  std::optional<std::string> link_target;
};

namespace {

class MemoryFile final : public File {
 public:
  MemoryFile(FileStatus status, std::shared_ptr<const std::vector<std::byte>> content)
      : File(status), content_(std::move(content)) {}

  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    if (status().kind == FileKind::Directory) return Unexpected{static_cast<Errno>(EISDIR)};
    if (offset > static_cast<std::uint64_t>(INT64_MAX)) {
      return Unexpected{static_cast<Errno>(EINVAL)};
    }
    if (!content_ || offset >= content_->size()) return std::size_t{0};
    const std::size_t length = std::min(into.size(), content_->size() - static_cast<std::size_t>(offset));
    if (length != 0) std::memcpy(into.data(), content_->data() + offset, length);
    return length;
  }

 private:
  std::shared_ptr<const std::vector<std::byte>> content_;
};

}  // namespace

MemoryFileSystem::MemoryFileSystem() { add_directory("/"); }
MemoryFileSystem::~MemoryFileSystem() = default;

void MemoryFileSystem::add_node(std::string_view path, NodePtr node) {
  for (std::size_t slash = path.find('/', 1); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    const std::string_view parent = path.substr(0, slash);
    if (!nodes_.contains(parent)) add_directory(parent);
  }
  nodes_.insert_or_assign(std::string(path), std::move(node));
}

void MemoryFileSystem::add_file(std::string_view path, std::vector<std::byte> content, std::uint32_t mode) {
  auto node = std::make_shared<Node>();
  node->status.id = {1, next_inode_++};
  node->status.kind = FileKind::Regular;
  node->status.mode = mode;
  node->status.size_bytes = content.size();
  node->content = std::make_shared<const std::vector<std::byte>>(std::move(content));
  add_node(path, std::move(node));
}

void MemoryFileSystem::add_file(std::string_view path, std::string_view content, std::uint32_t mode) {
  const std::byte* first = reinterpret_cast<const std::byte*>(content.data());
  add_file(path, std::vector<std::byte>(first, first + content.size()), mode);
}

void MemoryFileSystem::add_directory(std::string_view path, std::uint32_t mode) {
  auto node = std::make_shared<Node>();
  node->status.id = {1, next_inode_++};
  node->status.kind = FileKind::Directory;
  node->status.mode = mode;
  add_node(path, std::move(node));
}

void MemoryFileSystem::add_symlink(std::string_view path, std::string_view target) {
  auto node = std::make_shared<Node>();
  node->status.id = {1, next_inode_++};
  node->status.kind = FileKind::Other;
  node->link_target = std::string(target);
  add_node(path, std::move(node));
}

void MemoryFileSystem::add_hard_link(std::string_view path, std::string_view existing) {
  if (const auto found = nodes_.find(existing); found != nodes_.end()) {
    add_node(path, found->second);
  }
}

void MemoryFileSystem::add_special(std::string_view path, FileKind kind) {
  auto node = std::make_shared<Node>();
  node->status.id = {1, next_inode_++};
  node->status.kind = kind;
  node->status.mode = 0644;
  add_node(path, std::move(node));
}

void MemoryFileSystem::set_owner(std::string_view path, std::uint32_t owner, std::uint32_t group) {
  const auto found = nodes_.find(path);
  if (found == nodes_.end()) return;
  auto node = std::make_shared<Node>(*found->second);
  node->status.owner = owner;
  node->status.group = group;
  found->second = std::move(node);
}

Result<std::pair<std::string, MemoryFileSystem::NodePtr>, Errno> MemoryFileSystem::find(std::string_view path) const {
  Result<std::string, Errno> real = walk_path(path, [this](const std::string& here) -> Result<WalkedNode, Errno> {
    const auto found = nodes_.find(here);
    if (found == nodes_.end()) return Unexpected{static_cast<Errno>(ENOENT)};
    return WalkedNode{found->second->status.kind == FileKind::Directory, found->second->link_target};
  });
  if (!real) return Unexpected{real.error()};
  NodePtr node = nodes_.find(*real)->second;
  return std::pair(std::move(*real), std::move(node));
}

Result<std::unique_ptr<File>, Errno> MemoryFileSystem::open(std::string_view path) const {
  auto found = find(path);
  if (!found) return Unexpected{found.error()};
  const Node& node = *found->second;
  if (node.status.kind == FileKind::Socket) return Unexpected{static_cast<Errno>(ENXIO)};
  if (node.status.kind == FileKind::Regular && (node.status.mode & 0444) == 0) {
    return Unexpected{static_cast<Errno>(EACCES)};
  }
  return std::unique_ptr<File>(std::make_unique<MemoryFile>(node.status, node.content));
}

Result<FileStatus, Errno> MemoryFileSystem::status(std::string_view path) const {
  auto found = find(path);
  if (!found) return Unexpected{found.error()};
  return found->second->status;
}

Result<std::string, Errno> MemoryFileSystem::real_path(std::string_view path) const {
  auto found = find(path);
  if (!found) return Unexpected{found.error()};
  return std::move(found->first);
}

Result<std::string, Errno> MemoryFileSystem::read_link(std::string_view path) const {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return Unexpected{static_cast<Errno>(ENOENT)};
  auto parent = find(slash == 0 ? "/" : path.substr(0, slash));
  if (!parent) return Unexpected{parent.error()};
  const auto node = nodes_.find((parent->first == "/" ? "" : parent->first) + std::string(path.substr(slash)));
  if (node == nodes_.end()) return Unexpected{static_cast<Errno>(ENOENT)};
  if (!node->second->link_target) return Unexpected{static_cast<Errno>(EINVAL)};
  return *node->second->link_target;
}

Result<std::vector<std::string>, Errno> MemoryFileSystem::list_directory(std::string_view path) const {
  auto found = find(path);
  if (!found) return Unexpected{found.error()};
  if (found->second->status.kind != FileKind::Directory) {
    return Unexpected{static_cast<Errno>(ENOTDIR)};
  }
  const std::string prefix = found->first == "/" ? "/" : found->first + '/';
  std::vector<std::string> names;
  for (auto at = nodes_.upper_bound(prefix); at != nodes_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    const std::string_view name = std::string_view(at->first).substr(prefix.size());
    if (name.find('/') == std::string_view::npos) names.emplace_back(name);
  }
  return names;
}

}  // namespace soresolve
