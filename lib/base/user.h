// Who starts a program: which files the process may open, and whether the kernel sets AT_SECURE for it.
//
// Source: Linux fs/namei.c:generic_permission (mode bits; search permission of each directory on the
// way), fs/exec.c:bprm_fill_uid and security/commoncap.c:cap_bprm_creds_from_file (set-id bits, file
// capabilities, AT_SECURE); capabilities(7), passwd(5), group(5). Left out: access control lists, security
// modules, user namespaces, a bounding set that lacks capabilities.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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

/// Whether set-id bits and capabilities count where a mount says nosuid: on a machine that runs, not in a
/// tree that is only laid out somewhere.
enum class Nosuid : std::uint8_t { Counts, Ignored };

/// What execve(2) makes of a user.
struct ExecIdentity {
  User user;               ///< with the effective ids
  bool is_secure = false;  ///< AT_SECURE
  Statement reason;        ///< why, a clause: "it is set-uid to uid 0"; empty if it is not secure
};
/// For a program that the kernel starts itself; what a script or ld.so's argument has in its mode does not
/// count.
ExecIdentity identity_after_exec(const User& user, const File& program, Nosuid nosuid);

}  // namespace soresolve
