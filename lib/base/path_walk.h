// Path resolution by hand, as the kernel does it, for trees that the kernel cannot resolve for us:
// trees in memory, and roots on kernels without openat2(2).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/file_system.h"

namespace soresolve {

/// One step of a walk: what lies at a path that contains no links.
struct WalkedNode {
  bool is_directory = false;
  std::optional<std::string> link_target;  ///< of a symbolic link
};

/// Resolves `path` (absolute, or taken as such) to the path without links, `.` and `..`. `look`
/// answers for one such path whose parent is known to be a directory, or fails with an errno.
/// Fails with ENOENT (also for an empty path, and one with a NUL: system calls
/// would take what stands before it for the whole), ENOTDIR, ELOOP after 40 links, ENAMETOOLONG.
/// `enter` is asked of each directory before a component is looked up in it, `.` and `..` included; any errno
/// but None ends the walk. Kernel: fs/namei.c:link_path_walk.
Result<std::string, Errno> walk_path(std::string_view path,
                                     const std::function<Result<WalkedNode, Errno>(const std::string&)>& look,
                                     const std::function<Errno(const std::string&)>& enter = {});

/// What a system call would fail with.
inline Unexpected<Errno> fail(int number) { return {static_cast<Errno>(number)}; }

inline constexpr std::size_t kPathMax = 4096;  ///< PATH_MAX, with the terminator
inline constexpr std::size_t kNameMax = 255;   ///< NAME_MAX

}  // namespace soresolve
