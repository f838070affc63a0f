// Which layer a file is from stands in its node, and what a layer removed in the directory (file_tree.h). What a layer
// hides is found by walking a tree and the one above it side by side: where both have the same node, that layer did not
// touch what lies there, so that a layer costs the directories that it has entries in, not the whole image.
//
// Weight: a layer is stored as it was made, so a file that a later one removes or replaces still takes its bytes in
// every registry and on every disk. Hard links are one file: it weighs once, and only where none of its names is left.
#include "place/image_layers.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/path.h"

namespace soresolve {
namespace {

using FileKey = std::pair<std::uint64_t, std::uint64_t>;  // device and inode
FileKey key_of(const TreeNode& node) { return {node.status.id.device, node.status.id.inode}; }

/// Each regular file below `node`, with its path.
template <class Visit>
void visit_files(const TreeNode& node, const std::string& path, const Visit& visit) {
  if (node.status.kind == FileKind::Regular && !node.is_link) visit(path, node);
  if (!node.directory) return;
  for (const auto& [name, child] : node.directory->children) visit_files(*child, path_in(path, name), visit);
}

/// What `lower` shows and the tree with one more layer does not show any more.
class HiddenFinder {
 public:
  HiddenFinder(std::size_t by, std::vector<HiddenFile>& into, std::vector<FileKey>& keys)
      : by_(by), into_(into), keys_(keys) {}

  void compare(const TreeNodePtr& lower, const TreeNodePtr& upper, const std::string& path) {
    if (lower == upper) return;
    if (!upper || !lower->directory || !upper->directory) {
      visit_files(*lower, path, [&](const std::string& at, const TreeNode& node) { add(at, node, upper != nullptr); });
      return;
    }
    for (const auto& [name, child] : lower->directory->children) {
      const auto above = upper->directory->children.find(name);
      compare(child, above == upper->directory->children.end() ? nullptr : above->second, path_in(path, name));
    }
  }

 private:
  void add(const std::string& path, const TreeNode& node, bool is_replaced) {
    if (node.status.size_bytes == 0 || node.layer == 0) return;
    into_.push_back({path, node.status.size_bytes, node.layer, by_, is_replaced});
    keys_.push_back(key_of(node));
  }

  std::size_t by_;
  std::vector<HiddenFile>& into_;
  std::vector<FileKey>& keys_;
};

class LayersOfImage final : public ImageLayers {
 public:
  LayersOfImage(std::vector<ImageLayer> list, std::vector<std::shared_ptr<const TreeFileSystem>> stages)
      : list_(std::move(list)), stages_(std::move(stages)) {}

  [[nodiscard]] const std::vector<ImageLayer>& list() const override { return list_; }
  [[nodiscard]] std::optional<std::size_t> brought(std::string_view path) const override {
    const TreeNode* node = stages_.back()->find_unfollowed(path);
    return node == nullptr || node->layer == 0 ? std::nullopt : std::optional<std::size_t>(node->layer);
  }
  [[nodiscard]] std::optional<std::size_t> removed(std::string_view path) const override {
    const TreeNode* at = &stages_.back()->root();
    for (const std::string& part : clean_parts(path)) {
      if (!at->directory) return std::nullopt;
      const auto child = at->directory->children.find(part);
      if (child == at->directory->children.end()) {
        const auto gone = at->directory->removed.find(part);
        return gone == at->directory->removed.end() ? std::nullopt : std::optional<std::size_t>(gone->second);
      }
      at = child->second.get();
    }
    return std::nullopt;
  }
  [[nodiscard]] std::shared_ptr<const FileSystem> first(std::size_t count) const override {
    return stages_[std::min(count, stages_.size() - 1)];
  }
  [[nodiscard]] std::vector<HiddenFile> hidden() const override {
    std::vector<HiddenFile> found;
    std::vector<FileKey> keys;
    for (std::size_t by = 1; by < stages_.size(); ++by) {
      HiddenFinder(by, found, keys).compare(stages_[by - 1]->root_node(), stages_[by]->root_node(), "/");
    }
    if (found.empty()) return found;
    std::set<FileKey> counted;  // of the files that are still there, and of those that were counted
    visit_files(stages_.back()->root(), "/",
                [&](const std::string&, const TreeNode& node) { counted.insert(key_of(node)); });
    std::vector<HiddenFile> weighing;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (counted.insert(keys[i]).second) weighing.push_back(std::move(found[i]));
    }
    std::stable_sort(weighing.begin(), weighing.end(),
                     [](const HiddenFile& a, const HiddenFile& b) { return a.size_bytes > b.size_bytes; });
    return weighing;
  }

 private:
  std::vector<ImageLayer> list_;
  std::vector<std::shared_ptr<const TreeFileSystem>> stages_;  ///< by the number of layers, from 0
};

}  // namespace

std::string ImageLayer::short_digest() const {
  constexpr std::size_t kShown = std::string_view("sha256:").size() + 12;
  return (digest.empty() ? diff_id : digest).substr(0, kShown);
}

std::shared_ptr<const ImageLayers> layers_of_image(std::vector<ImageLayer> list,
                                                   std::vector<std::shared_ptr<const TreeFileSystem>> stages) {
  return std::make_shared<LayersOfImage>(std::move(list), std::move(stages));
}

}  // namespace soresolve
