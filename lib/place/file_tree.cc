// Source of how entries are put where: containerd pkg/archive/tar.go and GNU tar agree that the parent of an entry is
// resolved through links inside of what is extracted to, and that its last part is not.
#include "place/file_tree.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/path_walk.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostLinks = 40;     // MAXSYMLINKS
constexpr std::size_t kMostOddities = 20;  // told of one archive
constexpr std::size_t kMostDepth = 2048;   // directories within each other: no longer path can be named
constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kHidden = ".wh..wh.";  // aufs' own files, and the opaque marker
constexpr std::string_view kOpaque = ".wh..wh..opq";

/// The parts between slashes as they stand; no empty ones and no ".".
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

FileKind kind_of(EntryType type) {
  switch (type) {
    case EntryType::Regular: return FileKind::Regular;
    case EntryType::Directory: return FileKind::Directory;
    case EntryType::Fifo: return FileKind::Fifo;
    case EntryType::Socket: return FileKind::Socket;
    case EntryType::Device: return FileKind::Device;
    case EntryType::SymbolicLink:
    case EntryType::HardLink: break;
  }
  return FileKind::Other;
}

/// Takes aufs' own names out of a finished tree: hard links have been made from what lies in them.
void drop_hidden(TreeNode& node) {
  std::erase_if(node.directory->children, [](const auto& child) { return child.first.starts_with(kHidden); });
  for (const auto& [name, child] : node.directory->children) {
    if (child->directory) drop_hidden(*child);
  }
}

}  // namespace

std::vector<std::string> clean_parts(std::string_view path) {
  std::vector<std::string> clean;
  for (std::string& part : parts_of(path)) {
    if (part != "..")
      clean.push_back(std::move(part));
    else if (!clean.empty())
      clean.pop_back();
  }
  return clean;
}

TreeBuilder::TreeBuilder(std::uint32_t layer, Whiteouts whiteouts, std::uint64_t device)
    : layer_(layer), whiteouts_(whiteouts), device_(device) {
  ArchiveEntry root;
  root.type = EntryType::Directory;
  root.mode = 0755;
  root_ = make_node(root, nullptr);
  root_->directory->is_implied = true;
}

void TreeBuilder::tell(std::string oddity) {
  if (built_.oddities.size() < kMostOddities) built_.oddities.push_back(std::move(oddity));
}

void TreeBuilder::lose_from(Built& built, std::string_view path, std::string oddity) {
  if (built.gaps.size() >= kMostOddities) return;
  std::string at;
  for (const std::string& part : clean_parts(path)) at += '/' + part;
  built.gaps.push_back({at.empty() ? "/" : std::move(at), oddity});
  if (built.oddities.size() < kMostOddities) built.oddities.push_back(std::move(oddity));
}

TreeNodePtr TreeBuilder::make_node(const ArchiveEntry& entry, std::shared_ptr<const Content> content) {
  auto node = std::make_shared<TreeNode>();
  node->layer = layer_;
  node->status.id = {device_, next_inode_++};
  node->status.kind = kind_of(entry.type);
  node->status.mode = entry.mode & 07777;
  node->status.owner = entry.owner;
  node->status.group = entry.group;
  node->status.modified_ns = entry.modified_ns;
  if (entry.type == EntryType::Regular) node->status.size_bytes = entry.size_bytes;
  if (entry.type == EntryType::SymbolicLink) {
    node->is_link = true;
    node->target = entry.target;
    node->status.size_bytes = entry.target.size();
  }
  node->content = std::move(content);
  node->capabilities = entry.capabilities;
  if (entry.type == EntryType::Directory) node->directory = std::make_unique<TreeDirectory>();
  return node;
}

/// The next step of the way to a parent. nullptr: it is a link, whose parts are now the next ones of `rest` (last part
/// first), or a step back. Sets `used_links` past the limit where the way ends.
TreeNodePtr TreeBuilder::descend(std::vector<TreeNodePtr>& way, const std::string& name, std::vector<std::string>& rest,
                                 std::size_t& used_links) {
  auto& children = way.back()->directory->children;
  const auto found = children.find(name);
  if (found == children.end()) {
    ArchiveEntry implied;
    implied.type = EntryType::Directory;
    implied.mode = 0755;
    TreeNodePtr made = make_node(implied, nullptr);
    made->directory->is_implied = true;
    children.emplace(name, made);
    return made;
  }
  if (found->second->directory) return found->second;
  if (!found->second->is_link || ++used_links > kMostLinks) {
    used_links = kMostLinks + 1;
    return nullptr;
  }
  if (found->second->target.starts_with('/')) way.resize(1);
  std::vector<std::string> target = parts_of(found->second->target);
  rest.insert(rest.end(), std::make_move_iterator(target.rbegin()), std::make_move_iterator(target.rend()));
  return nullptr;
}

/// The directory that the last of `parts` lies in, made where it is not there; nullptr where something else than a
/// directory is in the way.
TreeNodePtr TreeBuilder::parent_of(const std::vector<std::string>& parts, std::size_t& used_links) {
  std::vector<TreeNodePtr> way = {root_};
  std::vector<std::string> rest(parts.rbegin() + 1, parts.rend());
  while (!rest.empty()) {
    const std::string name = std::move(rest.back());
    rest.pop_back();
    if (name == "..") {
      if (way.size() > 1) way.pop_back();
      continue;
    }
    TreeNodePtr next = descend(way, name, rest, used_links);
    if (used_links > kMostLinks || way.size() > kMostDepth) return nullptr;
    if (next) way.push_back(std::move(next));
  }
  return way.back();
}

/// What lies at a path of the archive; links are followed but for the last part. nullptr: nothing.
TreeNodePtr TreeBuilder::find(const std::vector<std::string>& parts) {
  const TreeFileSystem files(root_);
  std::string path;
  for (const std::string& part : parts) path += '/' + part;
  const TreeNode* wanted = files.find_unfollowed(path);
  if (wanted == nullptr) return nullptr;
  // Its parent owns it.
  const Result<std::string, Errno> directory = files.real_path(path.substr(0, path.rfind('/') + 1));
  if (!directory) return nullptr;
  TreeNodePtr at = root_;
  for (const std::string& part : clean_parts(*directory)) at = at->directory->children.at(part);
  return at->directory->children.at(parts.back());
}

void TreeBuilder::put(TreeNode& parent, const std::string& name, TreeNodePtr node, const ArchiveEntry& entry) {
  auto& children = parent.directory->children;
  const auto there = children.find(name);
  if (there == children.end()) {
    children.emplace(name, std::move(node));
    return;
  }
  if (there->second->directory && node->directory) {
    there->second->status.mode = node->status.mode;
    there->second->status.owner = node->status.owner;
    there->second->status.group = node->status.group;
    there->second->status.modified_ns = node->status.modified_ns;
    there->second->directory->is_implied = false;
    return;
  }
  if (!there->second->directory || !there->second->directory->is_implied) {
    tell(entry.path + " is in it twice: the last one counts");
  }
  there->second = std::move(node);
}

std::optional<Error> TreeBuilder::take_whiteout(TreeNode& parent, const std::string& name, const std::string& path) {
  if (name == kOpaque) {
    parent.directory->is_opaque = true;
    return std::nullopt;
  }
  const std::string victim = name.substr(kWhiteout.size());
  if (victim.empty() || victim == "." || victim == "..") {
    return Error{ErrorCode::Malformed, {}, {}, "the layer has a whiteout without a name: " + path};
  }
  parent.directory->removed.emplace(victim, layer_);
  return std::nullopt;
}

std::optional<Error> TreeBuilder::add(ArchiveEntry entry, std::shared_ptr<const Content> content) {
  ++built_.entry_count;
  const std::vector<std::string> parts = clean_parts(entry.path);
  if (entry.path.size() >= kPathMax ||
      std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.size() > kNameMax; })) {
    lose({}, "a path of " + std::to_string(entry.path.size()) + " bytes is too long for any system: left out");
    return std::nullopt;
  }
  if (parts.empty()) {
    if (entry.type != EntryType::Directory) return std::nullopt;
    root_->status.mode = entry.mode & 07777;
    root_->status.owner = entry.owner;
    root_->status.group = entry.group;
    root_->directory->is_implied = false;
    return std::nullopt;
  }
  std::size_t used_links = 0;
  const TreeNodePtr parent = parent_of(parts, used_links);
  if (!parent) {
    lose(entry.path, entry.path + " lies in what is no directory: left out");
    return std::nullopt;
  }
  const std::string& name = parts.back();
  if (whiteouts_ == Whiteouts::Yes) {
    const bool is_hidden = name.starts_with(kHidden) && name != kOpaque;
    if (name.starts_with(kWhiteout) && !is_hidden) return take_whiteout(*parent, name, entry.path);
    if (entry.is_null_device) {
      parent->directory->removed.emplace(name, layer_);
      return std::nullopt;
    }
  }
  if (entry.type == EntryType::HardLink) {
    TreeNodePtr existing = find(clean_parts(entry.target));
    if (existing && content && existing->status.kind == FileKind::Regular) {
      existing->status.size_bytes = entry.size_bytes;
      existing->content = std::move(content);
    }
    if (existing && !existing->directory)
      put(*parent, name, std::move(existing), entry);
    else if (existing)
      lose(entry.path, entry.path + " is a hard link to a directory: left out");
    else
      built_.pending_hard_links.push_back({entry.path, entry.target});
    return std::nullopt;
  }
  put(*parent, name, make_node(entry, std::move(content)), entry);
  return std::nullopt;
}

TreeBuilder::Built TreeBuilder::finish() {
  if (whiteouts_ == Whiteouts::Yes) drop_hidden(*root_);
  built_.root = std::move(root_);
  return std::move(built_);
}

namespace {

/// The children of both, and what the upper one takes away.
std::unique_ptr<TreeDirectory> merged_directory(const TreeDirectory& lower, const TreeDirectory& upper,
                                                std::uint32_t layer) {
  auto merged = std::make_unique<TreeDirectory>();
  merged->is_implied = lower.is_implied && upper.is_implied;
  merged->removed = lower.removed;
  for (const auto& [name, child] : lower.children) {
    const auto above = upper.children.find(name);
    const auto hidden = upper.removed.find(name);
    const bool is_hidden = upper.is_opaque || hidden != upper.removed.end();
    if (above != upper.children.end())
      merged->children.emplace(name, is_hidden ? above->second : laid_over(child, above->second));
    else if (is_hidden)
      merged->removed[name] = hidden != upper.removed.end() ? hidden->second : layer;
    else
      merged->children.emplace(name, child);
  }
  for (const auto& [name, child] : upper.children) merged->children.emplace(name, child);
  std::erase_if(merged->removed, [&](const auto& gone) { return merged->children.contains(gone.first); });
  return merged;
}

}  // namespace

TreeNodePtr laid_over(const TreeNodePtr& lower, const TreeNodePtr& upper) {
  if (!lower || !lower->directory || !upper->directory) return upper;
  auto both = std::make_shared<TreeNode>();
  const TreeNode& attributes = upper->directory->is_implied ? *lower : *upper;
  both->status = attributes.status;
  both->layer = attributes.layer;
  both->directory = merged_directory(*lower->directory, *upper->directory, upper->layer);
  return both;
}

void tie_pending_hard_links(TreeBuilder::Built& built, const TreeNodePtr& lower) {
  for (const TreeBuilder::PendingHardLink& link : built.pending_hard_links) {
    const std::vector<std::string> parts = clean_parts(link.path);
    std::string target;
    for (const std::string& part : clean_parts(link.target)) target += '/' + part;
    const TreeNode* found = lower ? TreeFileSystem(lower).find_unfollowed(target) : nullptr;
    const bool is_found = found != nullptr && !found->directory;
    const std::string is_link = link.path + " is a hard link to " + link.target;
    if (!is_found) {
      TreeBuilder::lose_from(built, link.path, is_link + ", which is not there: left out");
      continue;
    }
    if (built.oddities.size() < kMostOddities)
      built.oddities.push_back(is_link + ", which lies in a layer below: taken for that file");
    TreeNodePtr at = built.root;
    for (std::size_t i = 0; at && at->directory && i + 1 < parts.size(); ++i) {
      const auto next = at->directory->children.find(parts[i]);
      at = next == at->directory->children.end() ? nullptr : next->second;
    }
    if (!at || !at->directory) continue;
    auto copy = std::make_shared<TreeNode>();
    copy->status = found->status;
    copy->layer = built.root->layer;
    copy->is_link = found->is_link;
    copy->target = found->target;
    copy->content = found->content;
    copy->capabilities = found->capabilities;
    at->directory->children[parts.back()] = std::move(copy);
  }
  built.pending_hard_links.clear();
}

namespace {

class TreeFile final : public HashedFile {
 public:
  explicit TreeFile(const TreeNode& node)
      : HashedFile(node.status), content_(node.content), capabilities_(node.capabilities) {}

  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    if (status().kind == FileKind::Directory) return fail(EISDIR);
    if (offset > static_cast<std::uint64_t>(INT64_MAX)) return fail(EINVAL);
    if (!content_ || into.empty()) return std::size_t{0};
    return content_->read_at(offset, into);
  }
  [[nodiscard]] std::size_t readable(std::uint64_t offset, std::size_t wanted) const override {
    return content_ ? content_->readable(offset, wanted) : wanted;
  }
  [[nodiscard]] std::vector<std::byte> capabilities() const override { return capabilities_; }
  [[nodiscard]] std::optional<ContentHash::Value> hash() const override {
    return content_ ? content_->hash() : std::nullopt;
  }

 private:
  std::shared_ptr<const Content> content_;
  std::vector<std::byte> capabilities_;
};

/// One walk through a tree, by the rules of walk_path(), but from node to node.
class NodeWalk {
 public:
  explicit NodeWalk(const TreeNode& root) { way_.push_back({&root, {}}); }

  enum class LastLink : std::uint8_t { Followed, Kept };
  Result<const TreeNode*, Errno> go(std::string_view path, LastLink last) {
    if (path.empty() || path.find('\0') != std::string_view::npos) return fail(ENOENT);
    if (path.size() >= kPathMax) return fail(ENAMETOOLONG);
    std::string storage;  // of the rest, once a link was followed
    std::string_view rest = path;
    for (std::size_t links = 0;;) {
      rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
      if (rest.empty()) return way_.back().node;
      const std::size_t end = std::min(rest.find('/'), rest.size());
      const std::string_view name = rest.substr(0, end);
      const std::string_view after = rest.substr(end);
      if (name.size() > kNameMax) return fail(ENAMETOOLONG);
      if (name == "." || name == "..") {
        if (name == ".." && way_.size() > 1) way_.pop_back();
        rest = after;
        continue;
      }
      const auto& children = way_.back().node->directory->children;
      const auto found = children.find(name);
      if (found == children.end()) return fail(ENOENT);
      const TreeNode& node = *found->second;
      if (node.is_link && !(last == LastLink::Kept && after.empty())) {
        if (++links > kMostLinks) return fail(ELOOP);
        if (node.target.empty()) return fail(ENOENT);
        if (node.target.front() == '/') way_.resize(1);
        storage = node.target + std::string(after);
        rest = storage;
        continue;
      }
      if (!node.directory && !after.empty()) return fail(ENOTDIR);
      way_.push_back({&node, found->first});
      rest = after;
      if (!node.directory) return &node;
    }
  }

  /// Of where it has come to.
  [[nodiscard]] std::string path() const {
    std::string path;
    for (std::size_t i = 1; i < way_.size(); ++i) path.append("/").append(way_[i].name);
    return path.empty() ? "/" : path;
  }

 private:
  struct Step {
    const TreeNode* node;
    std::string_view name;  // its own in the tree
  };
  std::vector<Step> way_;
};

}  // namespace

Result<std::unique_ptr<File>, Errno> TreeFileSystem::open(std::string_view path) const {
  const Result<const TreeNode*, Errno> node = NodeWalk(*root_).go(path, NodeWalk::LastLink::Followed);
  if (!node) return Unexpected{node.error()};
  if ((*node)->status.kind == FileKind::Socket || (*node)->status.kind == FileKind::Device) return fail(ENXIO);
  return std::unique_ptr<File>(std::make_unique<TreeFile>(**node));
}

Result<FileStatus, Errno> TreeFileSystem::status(std::string_view path) const {
  const Result<const TreeNode*, Errno> node = NodeWalk(*root_).go(path, NodeWalk::LastLink::Followed);
  if (!node) return Unexpected{node.error()};
  return (*node)->status;
}

Result<std::string, Errno> TreeFileSystem::real_path(std::string_view path) const {
  NodeWalk walk(*root_);
  const Result<const TreeNode*, Errno> node = walk.go(path, NodeWalk::LastLink::Followed);
  if (!node) return Unexpected{node.error()};
  return walk.path();
}

Result<std::string, Errno> TreeFileSystem::read_link(std::string_view path) const {
  const Result<const TreeNode*, Errno> node = NodeWalk(*root_).go(path, NodeWalk::LastLink::Kept);
  if (!node) return Unexpected{node.error()};
  if (!(*node)->is_link) return fail(EINVAL);
  return (*node)->target;
}

Result<std::vector<std::string>, Errno> TreeFileSystem::list_directory(std::string_view path) const {
  const Result<const TreeNode*, Errno> node = NodeWalk(*root_).go(path, NodeWalk::LastLink::Followed);
  if (!node) return Unexpected{node.error()};
  if (!(*node)->directory) return fail(ENOTDIR);
  std::vector<std::string> names;
  names.reserve((*node)->directory->children.size());
  for (const auto& [name, child] : (*node)->directory->children) names.push_back(name);
  return names;
}

Result<std::vector<DirectoryEntry>, Errno> TreeFileSystem::list_entries(std::string_view path) const {
  const Result<const TreeNode*, Errno> node = NodeWalk(*root_).go(path, NodeWalk::LastLink::Followed);
  if (!node) return Unexpected{node.error()};
  if (!(*node)->directory) return fail(ENOTDIR);
  std::vector<DirectoryEntry> entries;
  entries.reserve((*node)->directory->children.size());
  for (const auto& [name, child] : (*node)->directory->children) {
    const EntryKind kind = child->is_link                            ? EntryKind::Link
                           : child->directory                        ? EntryKind::Directory
                           : child->status.kind == FileKind::Regular ? EntryKind::Regular
                                                                     : EntryKind::Other;
    entries.push_back({name, kind});
  }
  return entries;
}

const TreeNode* TreeFileSystem::find_unfollowed(std::string_view path) const {
  const Result<const TreeNode*, Errno> node = NodeWalk(*root_).go(path, NodeWalk::LastLink::Kept);
  return node ? *node : nullptr;
}

}  // namespace soresolve
