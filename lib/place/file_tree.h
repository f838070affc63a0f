// A tree of files that an archive describes, and what one tree laid over another makes.
//
// Source of what a layer does: image-spec layer.md, "Applying Changesets" and "Whiteouts"; where unpackers differ, what
// overlayfs shows counts (Linux Documentation/filesystems/overlayfs.rst), since that is what containers run in.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "place/content.h"
#include "soresolve/file_system.h"
#include "soresolve/place.h"

namespace soresolve {

struct TreeNode;
/// Written to only by the builder of its tree.
using TreeNodePtr = std::shared_ptr<TreeNode>;

struct TreeDirectory {
  std::map<std::string, TreeNodePtr, std::less<>> children;
  /// What is not there any more, or is to be hidden in the tree below; with the layer that took it away.
  std::map<std::string, std::uint32_t, std::less<>> removed;
  bool is_implied = false;  ///< the archive has no entry for it, only for what lies in it
  bool is_opaque = false;   ///< hides all of the directory below
};

struct TreeNode {
  FileStatus status;
  std::uint32_t layer = 0;  ///< that brought it
  bool is_link = false;
  std::string target;                        ///< of a symbolic link
  std::shared_ptr<const Content> content;    ///< of a regular file; nullptr: empty
  std::vector<std::byte> capabilities;       ///< security.capability
  std::unique_ptr<TreeDirectory> directory;  ///< of a directory
};

/// What an entry of an archive is.
enum class EntryType : std::uint8_t { Regular, Directory, SymbolicLink, HardLink, Fifo, Socket, Device };

/// One entry of an archive, as it is written there.
struct ArchiveEntry {
  std::string path;
  EntryType type = EntryType::Regular;
  std::string target;  ///< of a link
  std::uint32_t mode = 0;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t size_bytes = 0;  ///< of the bytes that follow: of a hard link only where the format writes them there
  bool is_null_device = false;   ///< a character device 0:0
  std::vector<std::byte> capabilities;
};

/// Does `.wh.NAME` take NAME away?
enum class Whiteouts : std::uint8_t { No, Yes };

/// A path of the tree, taken apart: no empty parts and no dots, and none leads out of the tree.
std::vector<std::string> clean_parts(std::string_view path);

/// Puts the entries of one archive into a tree, in their order. Links are followed within it and never out of it.
class TreeBuilder {
 public:
  /// `device`: st_dev of its files, another one for each archive that is seen in one tree.
  TreeBuilder(std::uint32_t layer, Whiteouts whiteouts, std::uint64_t device);

  /// Errors: Malformed, for a whiteout that would take the root or a directory's own names away.
  std::optional<Error> add(ArchiveEntry entry, std::shared_ptr<const Content> content);

  /// A hard link to what lies in none of the entries before it: perhaps in a tree below.
  struct PendingHardLink {
    std::string path;
    std::string target;
  };
  struct Built {
    TreeNodePtr root;
    std::vector<PendingHardLink> pending_hard_links;
    std::vector<std::string> oddities;  ///< sentences, a bounded number
    std::vector<PlaceGap> gaps;         ///< whose reasons are among them
    std::size_t entry_count = 0;
  };
  /// The archive has something at `path`, or anywhere where it is empty, that is not in the tree.
  void lose(std::string_view path, std::string oddity) { lose_from(built_, path, std::move(oddity)); }
  /// The same of what was built; a bounded number.
  static void lose_from(Built& built, std::string_view path, std::string oddity);
  /// Nothing can be added afterwards.
  Built finish();

 private:
  TreeNodePtr parent_of(const std::vector<std::string>& parts, std::size_t& used_links);
  TreeNodePtr descend(std::vector<TreeNodePtr>& way, const std::string& name, std::vector<std::string>& rest,
                      std::size_t& used_links);
  [[nodiscard]] TreeNodePtr find(const std::vector<std::string>& parts);
  TreeNodePtr make_node(const ArchiveEntry& entry, std::shared_ptr<const Content> content);
  void put(TreeNode& parent, const std::string& name, TreeNodePtr node, const ArchiveEntry& entry);
  std::optional<Error> take_whiteout(TreeNode& parent, const std::string& name, const std::string& path);
  void tell(std::string oddity);

  TreeNodePtr root_;
  std::uint32_t layer_;
  Whiteouts whiteouts_;
  std::uint64_t device_;
  std::uint64_t next_inode_ = 1;
  Built built_;
};

/// What `upper` over `lower` shows, as overlayfs does: a directory over a directory is both, anything else replaces.
TreeNodePtr laid_over(const TreeNodePtr& lower, const TreeNodePtr& upper);

/// Gives `built` what its loose links mean in the tree below; a sentence for each that means nothing.
void tie_pending_hard_links(TreeBuilder::Built& built, const TreeNodePtr& lower);

/// The trees, as a FileSystem.
class TreeFileSystem final : public FileSystem {
 public:
  explicit TreeFileSystem(TreeNodePtr root) : root_(std::move(root)) {}

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override;
  Result<FileStatus, Errno> status(std::string_view path) const override;
  Result<std::string, Errno> real_path(std::string_view path) const override;
  Result<std::string, Errno> read_link(std::string_view path) const override;
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override;
  Result<std::vector<DirectoryEntry>, Errno> list_entries(std::string_view path) const override;

  [[nodiscard]] const TreeNode& root() const { return *root_; }
  [[nodiscard]] const TreeNodePtr& root_node() const { return root_; }
  /// What lies at a path, whose last part is not followed; nullptr: nothing.
  [[nodiscard]] const TreeNode* find_unfollowed(std::string_view path) const;

 private:
  TreeNodePtr root_;
};

}  // namespace soresolve
