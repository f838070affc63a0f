// Users of the analysed system, and what the kernel makes of them at execve(2).
//
// The rules of a start: a set-uid bit gives the owner's id, a set-gid bit with the group's execute bit the
// group's; AT_SECURE is set where the effective id then differs from the real one, or where capabilities of
// the file come into effect or are gained and the user is not uid 0 (security/commoncap.c). The process is
// taken to have nobody to trace it, and its real and effective ids to be one.
#include "base/user.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/load.h"
#include "base/number_text.h"
#include "base/pieces.h"
#include "base/small_file.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostBytes = 16u << 20;  // of etc/passwd, etc/group

/// The first parts of a line "name:password:uid:gid:...", as numbers where they are.
struct Entry {
  explicit Entry(std::string_view line) {
    const CutText named = cut_at(line, ':');
    const CutText numbered = cut_at(cut_at(named.behind, ':').behind, ':');
    name = named.before;
    id = parse_number<std::uint32_t>(numbered.before);
    rest = numbered.behind;
  }
  std::string_view name;
  std::optional<std::uint32_t> id;
  std::string_view rest;  ///< behind the id
};

/// A member that group(5) lists, of each group.
std::vector<std::uint32_t> groups_of(const FileSystem& files, std::string_view name) {
  std::vector<std::uint32_t> groups;
  const std::string text = start_of_file(files, "/etc/group", kMostBytes);
  for (const std::string_view line : lines_in(text)) {
    const Entry entry(line);
    for (const std::string_view member : pieces_in(entry.rest, ',')) {
      if (entry.id && member == name) groups.push_back(*entry.id);
    }
  }
  return groups;
}

// linux/capability.h
constexpr std::uint32_t kRevisionMask = 0xff000000;
constexpr std::uint32_t kRevision1 = 0x01000000;
constexpr std::uint32_t kRevision2 = 0x02000000;
constexpr std::uint32_t kFlagEffective = 0x000001;
constexpr std::uint64_t kPassesModes = 1u << 1 | 1u << 2;  // CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH

struct FileCapabilities {
  std::uint64_t permitted = 0;
  bool is_effective = false;
};

/// struct vfs_cap_data; nullopt where it does not count: none, damaged, or of another user namespace (its
/// third revision is shown only where its root is not ours).
std::optional<FileCapabilities> capabilities_of(const File& file) {
  const std::vector<std::byte> bytes = file.capabilities();
  if (bytes.size() < 4) return std::nullopt;
  const auto word = [&](std::size_t index) {
    return load_as<std::uint32_t>(bytes.data() + index * 4, std::endian::little);
  };
  const std::uint32_t revision = word(0) & kRevisionMask;
  const bool is_first = revision == kRevision1 && bytes.size() == 12;
  const bool is_second = revision == kRevision2 && bytes.size() == 20;
  if (!is_first && !is_second) return std::nullopt;
  FileCapabilities found;
  found.permitted = word(1) | (is_second ? std::uint64_t{word(3)} << 32 : 0);
  found.is_effective = (word(0) & kFlagEffective) != 0;
  return found;
}

}  // namespace

User calling_user() {
  User user;
  user.uid = ::geteuid();
  user.gid = ::getegid();
  if (const int count = ::getgroups(0, nullptr); count > 0) {
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    const int got = ::getgroups(count, groups.data());
    if (got > 0) user.groups.assign(groups.begin(), groups.begin() + got);
  }
  user.passes_modes = user.uid == 0;
  return user;
}

Result<User> find_user(const FileSystem& files, std::string_view name_or_uid) {
  const std::string text = start_of_file(files, "/etc/passwd", kMostBytes);
  const std::optional<std::uint32_t> number = parse_number<std::uint32_t>(name_or_uid);
  for (const std::string_view line : lines_in(text)) {
    const Entry entry(line);
    const bool is_meant = number ? entry.id == number : entry.name == name_or_uid;
    if (!is_meant || !entry.id || entry.name.empty()) continue;
    const std::optional<std::uint32_t> group = parse_number<std::uint32_t>(cut_at(entry.rest, ':').before);
    if (!group) continue;
    return User{*entry.id, *group, groups_of(files, entry.name), std::string(entry.name), *entry.id == 0};
  }
  if (number) return User{*number, *number, {}, {}, *number == 0};
  return Unexpected{
      Error{ErrorCode::Usage, {}, {}, "--user: there is no user '" + std::string(name_or_uid) + "' in etc/passwd"}};
}

std::string describe(const User& user) {
  const std::string number = "uid " + std::to_string(user.uid);
  return user.name.empty() ? number : user.name + " (" + number + ")";
}

bool may_access(const User& user, const FileStatus& status, Access access) {
  const std::uint32_t wanted = access == Access::Read ? 4 : 1;
  if (user.passes_modes) {
    // Reading and searching is always allowed, execution with any of the three bits.
    return access == Access::Read || status.kind == FileKind::Directory || (status.mode & 0111) != 0;
  }
  const bool is_member =
      user.gid == status.group || std::find(user.groups.begin(), user.groups.end(), status.group) != user.groups.end();
  const std::uint32_t bits = user.uid == status.owner ? status.mode >> 6 : is_member ? status.mode >> 3 : status.mode;
  return (bits & wanted) != 0;
}

bool has_no_new_privs() { return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }

std::vector<IdRange> mapped_ids(const FileSystem& files, const std::string& path) {
  // user_namespaces(7): "inside outside count", at most 340 lines. An empty file maps nothing at all.
  std::vector<IdRange> ranges;
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return ranges;
  std::string text(16u << 10, '\0');
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  if (!got) return ranges;
  text.resize(*got);
  ranges.push_back({0, 0});
  for (const std::string_view line : lines_in(text)) {
    std::vector<std::string_view> words = words_in(line);
    words.resize(3);
    ranges.push_back(
        {parse_number<std::uint32_t>(words[0]).value_or(0), parse_number<std::uint32_t>(words[2]).value_or(0)});
  }
  return ranges;
}

namespace {

bool is_mapped(std::uint32_t id, std::span<const IdRange> ranges) {
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [&](const IdRange& range) {
           return id >= range.first && id - range.first < range.second;
         });
}

/// fs/exec.c:bprm_fill_uid: both the owner and the group have to be mapped, whichever bit is set. An id that is not
/// is shown as the overflow id, 65534. Capabilities of the file do not ask for any of it.
Statement why_set_ids_are_held_back(const FileStatus& status, const SetIdLimits& limits) {
  if (limits.no_new_privs) return say("held-by-no-new-privs");
  if (!is_mapped(status.owner, limits.uids))
    return say("held-by-user-namespace", {{"what", "uid"}, {"id", status.owner}});
  if (!is_mapped(status.group, limits.gids))
    return say("held-by-user-namespace", {{"what", "gid"}, {"id", status.group}});
  return {};
}

}  // namespace

ExecIdentity identity_after_exec(const User& user, const File& program, const SetIdLimits& limits) {
  ExecIdentity identity{user, false, {}, {}};
  if (limits.nosuid_counts && program.is_on_nosuid()) {
    if (identity_after_exec(user, program, {}).is_secure) identity.held_back = say("held-by-nosuid");
    return identity;
  }
  const FileStatus& status = program.status();
  User& effective = identity.user;
  const auto note = [&](Statement why) {
    identity.is_secure = true;
    identity.reason = identity.reason.empty()
                          ? std::move(why)
                          : say("clause-and-clause", {{"first", identity.reason}, {"second", std::move(why)}});
  };
  bool sets_uid = (status.mode & S_ISUID) != 0 && status.owner != user.uid;
  constexpr std::uint32_t kSetGid = S_ISGID | S_IXGRP;
  bool sets_gid = (status.mode & kSetGid) == kSetGid && status.group != user.gid;
  if (sets_uid || sets_gid) {
    identity.held_back = why_set_ids_are_held_back(status, limits);
    sets_uid &= identity.held_back.empty();
    sets_gid &= identity.held_back.empty();
  }
  if (sets_uid) {
    effective.uid = status.owner;
    effective.name.clear();
    note(say("secure-set-uid", {{"uid", status.owner}}));
  }
  if (sets_gid) {
    effective.gid = status.group;
    note(say("secure-set-gid", {{"gid", status.group}}));
  }
  effective.passes_modes = effective.uid == user.uid ? user.passes_modes : effective.uid == 0;
  const std::optional<FileCapabilities> capabilities = capabilities_of(program);
  if (!capabilities) return identity;
  if (user.uid == 0) {
    // Root has all capabilities, and as another user by set-uid keeps them where the file says "effective".
    effective.passes_modes |= capabilities->is_effective;
  } else {
    if (capabilities->is_effective || capabilities->permitted != 0) note(say("secure-capabilities"));
    // They are all that it has, of a set-uid root program, too. Under no_new_privs it has none that its parent has
    // not, and AT_SECURE all the same (security/commoncap.c: `effective`, measured on Linux 6.18).
    effective.passes_modes =
        !limits.no_new_privs && capabilities->is_effective && (capabilities->permitted & kPassesModes) != 0;
  }
  return identity;
}

}  // namespace soresolve
