// Who starts a program: which files the process may open, and whether the kernel sets AT_SECURE for it.
//
// Source: Linux fs/namei.c:generic_permission (mode bits; search permission of each directory on the
// way), fs/exec.c:bprm_fill_uid and security/commoncap.c:cap_bprm_creds_from_file (set-id bits, file
// capabilities, AT_SECURE); capabilities(7), passwd(5), group(5). Left out: access control lists, security
// modules, file systems that were mounted in another user namespace, a bounding set that lacks capabilities.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "soresolve/file_system.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"

namespace soresolve {

/// The user and the groups of this process.
User calling_user();

/// A user by name or number, as etc/passwd and etc/group of `files` have it. A number that is not in
/// there has the group of the same number and no others. Errors: Usage, for a name that is unknown.
Result<User> find_user(const FileSystem& files, std::string_view name_or_uid);

/// "nobody (uid 65534)", "uid 1000".
std::string describe(const User& user);

enum class Access : std::uint8_t { Read, Execute };  ///< Execute: search, of a directory
bool may_access(const User& user, const FileStatus& status, Access access);

/// `files` as `user` can open them: EACCES where a mode bit is missing, of the file or of a directory on
/// the way, links included.
std::shared_ptr<const FileSystem> files_as_user(std::shared_ptr<const FileSystem> files, User user);

/// The first of ids that lie side by side, and how many.
using IdRange = std::pair<std::uint32_t, std::uint32_t>;

/// What keeps the kernel from giving a program its owner's ids, on a machine that runs. In a tree that is only laid
/// out somewhere nothing does.
struct SetIdLimits {
  bool nosuid_counts = false;          ///< set-id bits and capabilities of a file on a mount that says nosuid
  bool no_new_privs = false;           ///< prctl(2), inherited by whatever is started
  std::span<const IdRange> uids = {};  ///< those that the user namespace maps; empty: all
  std::span<const IdRange> gids = {};
};

/// no_new_privs of this process, and the ids that its user namespace maps; empty: all, or it cannot be read.
bool has_no_new_privs();
std::vector<IdRange> mapped_ids(const FileSystem& files, const std::string& path);

/// What execve(2) makes of a user.
struct ExecIdentity {
  User user;               ///< with the effective ids
  bool is_secure = false;  ///< AT_SECURE
  Statement reason;        ///< why, a clause: "it is set-uid to uid 0"; empty if it is not secure
  /// Why set-id bits that it has do not count, a clause: "no_new_privs is set"; empty: they do, or it has none.
  Statement held_back = {};
};
/// For a program that the kernel starts itself; what a script or ld.so's argument has in its mode does not
/// count.
ExecIdentity identity_after_exec(const User& user, const File& program, const SetIdLimits& limits);

}  // namespace soresolve
