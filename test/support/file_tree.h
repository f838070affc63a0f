// A tree of files as plain data, and its way into a directory.
//
// Paths are those inside the tree; they are created as chroot(2) would show them, so a symbolic link
// in the tree never leads out of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/elf_writer.h"

namespace soresolve::test {

enum class NodeKind : std::uint8_t { Elf, Damaged, Text, Symlink, HardLink, Directory, Fifo, Socket };

struct TreeNode {
  std::string path;  ///< absolute, inside the tree
  NodeKind kind = NodeKind::Elf;
  ElfSpec elf;                    ///< Elf, Damaged
  Damage damage = Damage::Empty;  ///< Damaged
  std::string text;               ///< content, link target, or path of the file to link to
  std::uint32_t mode = 0755;
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::string capabilities;  ///< the attribute security.capability; empty: none
  bool operator==(const TreeNode&) const = default;
};

TreeNode elf_file(std::string path, ElfSpec elf);
TreeNode damaged_file(std::string path, ElfSpec elf, Damage damage);
TreeNode text_file(std::string path, std::string text);
TreeNode symlink_to(std::string path, std::string target);
TreeNode hard_link_to(std::string path, std::string existing);
TreeNode directory(std::string path);
TreeNode special_file(std::string path, NodeKind kind);

/// Creates `nodes` in order below the directory `root_fd`, with their parents. What cannot be
/// created (a name that is too long, a link to nothing) is left out; what is there already stays.
void write_tree(int root_fd, const std::vector<TreeNode>& nodes);

/// Removes everything below `root_fd` except the entry `keep` at its top.
void clear_tree(int root_fd, std::string_view keep);

/// One line for people.
std::string describe(const TreeNode& node);

}  // namespace soresolve::test
