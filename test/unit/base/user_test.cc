// Users of a tree: who they are, what they may open, and what a program makes of them.
#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/overlay_file_system.h"
#include "base/user.h"

using namespace soresolve;

namespace {

User user(std::uint32_t uid, std::uint32_t gid, std::vector<std::uint32_t> groups = {}) {
  return {uid, gid, std::move(groups), {}, uid == 0};
}

FileStatus file(std::uint32_t mode, std::uint32_t owner = 0, std::uint32_t group = 0) {
  FileStatus status;
  status.mode = mode;
  status.owner = owner;
  status.group = group;
  return status;
}

/// A program with these mode bits and this attribute.
class Program final : public File {
 public:
  Program(const FileStatus& status, std::string attribute, bool is_on_nosuid)
      : File(status), attribute_(std::move(attribute)), is_on_nosuid_(is_on_nosuid) {}
  Result<std::size_t, Errno> read_at(std::uint64_t, std::span<std::byte>) const override { return std::size_t{0}; }
  std::vector<std::byte> capabilities() const override {
    const auto bytes = std::as_bytes(std::span(attribute_));
    return {bytes.begin(), bytes.end()};
  }
  bool is_on_nosuid() const override { return is_on_nosuid_; }

 private:
  std::string attribute_;
  bool is_on_nosuid_;
};

/// struct vfs_cap_data (linux/capability.h) with one permitted word.
std::string capabilities(std::uint32_t magic, std::uint32_t permitted, std::size_t words = 5) {
  std::string bytes;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint32_t word = i == 0 ? magic : i == 1 ? permitted : 0;
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xff);
  }
  return bytes;
}

}  // namespace

TEST_CASE("a user is found by name or number, with the groups that list the name") {
  MemoryFileSystem files;
  files.add_file("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nbroken\nalice:x:1000:100::/:\n+nis\nodd:x:-1:0::/:\n");
  files.add_file("/etc/group", "users:x:100:\nstaff:x:50:bob,alice\nalicesgroup:x:51:malice\nbad:x::alice\n");
  struct Case {
    const char* why;
    std::string word;
    User want;
  };
  const Case cases[] = {
      {"by name", "alice", {1000, 100, {50}, "alice", false}},
      {"by number", "1000", {1000, 100, {50}, "alice", false}},
      {"root passes all modes", "root", {0, 0, {}, "root", true}},
      {"a number that nobody has", "4711", {4711, 4711, {}, {}, false}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Result<User> found = find_user(files, c.word);
    REQUIRE(found.has_value());
    CHECK(*found == c.want);
  }
  for (const char* unknown : {"bob", "", "odd", "1000x", "99999999999"}) {
    CAPTURE(unknown);
    const Result<User> found = find_user(files, unknown);
    REQUIRE(!found.has_value());
    CHECK(found.error().code == ErrorCode::Usage);
  }
}

TEST_CASE("one group of mode bits counts: the owner's, the group's or the others'") {
  struct Case {
    const char* why;
    User user;
    FileStatus status;
    bool may_read;
  };
  const Case cases[] = {
      {"the owner", user(1000, 100), file(0400, 1000), true},
      {"an owner without the bit gets nothing as one of the others", user(1000, 100), file(0044, 1000), false},
      {"the group", user(1000, 100), file(0040, 0, 100), true},
      {"a supplementary group", user(1000, 100, {50}), file(0040, 0, 50), true},
      {"a member without the bit gets nothing as one of the others", user(1000, 100, {50}), file(0004, 0, 50), false},
      {"the others", user(1000, 100), file(0004), true},
      {"nobody but root", user(1000, 100), file(0600), false},
      {"root", user(0, 0), file(0), true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(may_access(c.user, c.status, Access::Read) == c.may_read);
  }
  CHECK(!may_access(user(0, 0), file(0644), Access::Execute));
  CHECK(may_access(user(0, 0), file(0645), Access::Execute));
}

TEST_CASE("a file is in reach only if every directory on the way can be searched, links included") {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_directory("/open", 0755);
  files->add_directory("/shut", 0700);
  files->add_directory("/pass", 0711);
  files->add_file("/open/a", "a");
  files->add_file("/open/secret", "s", 0640);
  files->add_file("/shut/a", "a");
  files->add_file("/pass/a", "a");
  files->add_symlink("/open/link", "/shut/a");
  files->add_symlink("/open/around", "../shut/../open/a");
  files->add_symlink("/way", "/shut");
  files->set_owner("/open/secret", 0, 50);
  const auto seen = files_as_user(files, user(1000, 100));
  struct Case {
    const char* path;
    int want;
  };
  const Case cases[] = {
      {"/open/a", 0},         {"/open/gone", ENOENT}, {"/open/secret", EACCES}, {"/shut/a", EACCES},
      {"/shut/gone", EACCES}, {"/pass/a", 0},         {"/open/link", EACCES},   {"/open/around", EACCES},
      {"/way/a", EACCES},     {"/open/a/b", ENOTDIR}, {"/gone/a", ENOENT},      {"/open/../pass/./a", 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    for (int round = 0; round < 2; ++round) {  // asked, then remembered
      const auto opened = seen->open(c.path);
      CHECK(static_cast<int>(opened ? Errno::None : opened.error()) == c.want);
    }
  }
  CHECK(files_as_user(files, user(1000, 100, {50}))->open("/open/secret").has_value());
  CHECK(seen->status("/open/secret").has_value());
  CHECK(!seen->status("/shut/a").has_value());
  CHECK(!seen->list_directory("/pass").has_value());
  CHECK(files_as_user(files, user(0, 0))->open("/shut/a").has_value());

  // What a fix would add to a directory that this user may not enter is as far out of reach as what is there.
  OverlayFileSystem fixed(seen);
  CHECK(fixed.add_symlink("/shut/new", "/open/a") == Errno::None);
  CHECK(fixed.add_symlink("/open/new", "/open/a") == Errno::None);
  CHECK(!fixed.open("/shut/new").has_value());
  CHECK(fixed.open("/open/new").has_value());
}

TEST_CASE("the kernel sets AT_SECURE where a start changes ids or gains capabilities") {
  const std::string bind_service = capabilities(0x02000001, 1u << 10);
  const std::string dac = capabilities(0x02000001, 1u << 1);
  struct Case {
    const char* why;
    User user;
    FileStatus status;
    std::string attribute;
    bool is_secure;
    std::uint32_t uid;
    bool passes_modes;
  };
  const Case cases[] = {
      {"a plain program", user(1000, 100), file(0755), {}, false, 1000, false},
      {"set-uid root", user(1000, 100), file(04755), {}, true, 0, true},
      {"set-uid to oneself", user(1000, 100), file(04755, 1000), {}, false, 1000, false},
      {"set-uid root, by root", user(0, 0), file(04755), {}, false, 0, true},
      {"set-uid to another user, by root", user(0, 0), file(04755, 1000), {}, true, 1000, false},
      {"set-gid", user(1000, 100), file(02755, 0, 50), {}, true, 1000, false},
      {"set-gid to the own group", user(1000, 100), file(02755, 0, 100), {}, false, 1000, false},
      {"set-gid to a supplementary group", user(1000, 100, {50}), file(02755, 0, 50), {}, true, 1000, false},
      {"without the group's execute bit it is for locking",
       user(1000, 100),
       file(02745, 0, 50),
       {},
       false,
       1000,
       false},
      {"file capabilities", user(1000, 100), file(0755), bind_service, true, 1000, false},
      {"one that opens all files", user(1000, 100), file(0755), dac, true, 1000, true},
      {"permitted only", user(1000, 100), file(0755), capabilities(0x02000000, 2), true, 1000, false},
      {"inheritable only, which gains nothing", user(1000, 100), file(0755), capabilities(0x02000000, 0), false, 1000,
       false},
      {"for root they change nothing", user(0, 0), file(0755), bind_service, false, 0, true},
      {"set-uid root with capabilities has these only", user(1000, 100), file(04755), bind_service, true, 0, false},
      {"by root, who keeps them all where they are effective", user(0, 0), file(04755, 1000), bind_service, true, 1000,
       true},
      {"of another user namespace", user(1000, 100), file(0755), capabilities(0x03000001, 2, 6), false, 1000, false},
      {"damaged", user(1000, 100), file(0755), "abc", false, 1000, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const ExecIdentity identity =
        identity_after_exec(c.user, Program(c.status, c.attribute, false), {.nosuid_counts = true});
    CHECK(identity.is_secure == c.is_secure);
    CHECK(identity.reason.empty() != c.is_secure);
    CHECK(identity.user.uid == c.uid);
    CHECK(identity.user.passes_modes == c.passes_modes);
    CHECK(!identity_after_exec(c.user, Program(c.status, c.attribute, true), {.nosuid_counts = true}).is_secure);
    CHECK(identity_after_exec(c.user, Program(c.status, c.attribute, true), {}).is_secure == c.is_secure);
  }
}

TEST_CASE("set-id bits do not count under no_new_privs, nor where the owner or the group is not mapped") {
  const std::string bind_service = capabilities(0x02000001, 1u << 10);
  const std::string dac = capabilities(0x02000001, 1u << 1);
  const std::vector<IdRange> root_only = {{0, 0}, {0, 1}};
  const std::vector<IdRange> two_parts = {{0, 0}, {0, 1}, {1000, 100}};
  const std::vector<IdRange> nothing = {{0, 0}};
  struct Case {
    const char* why;
    FileStatus status;
    std::string attribute;
    SetIdLimits limits;
    bool is_secure;
    bool is_held_back;
  };
  const Case cases[] = {
      {"nothing in the way", file(04755), {}, {}, true, false},
      {"no_new_privs", file(04755), {}, {.no_new_privs = true}, false, true},
      {"no_new_privs, set-gid", file(02755, 0, 50), {}, {.no_new_privs = true}, false, true},
      {"no_new_privs, a plain program", file(0755), {}, {.no_new_privs = true}, false, false},
      {"no_new_privs, set-uid to oneself", file(04755, 1000), {}, {.no_new_privs = true}, false, false},
      {"no_new_privs, capabilities: AT_SECURE all the same",
       file(0755),
       bind_service,
       {.no_new_privs = true},
       true,
       false},
      {"both", file(04755), bind_service, {.no_new_privs = true}, true, true},
      {"an owner that is mapped", file(04755), {}, {.uids = root_only, .gids = root_only}, true, false},
      {"an owner that is not", file(04755, 7), {}, {.uids = root_only, .gids = root_only}, false, true},
      {"a group that is not, though only the owner's bit is set",
       file(04755, 0, 7),
       {},
       {.uids = root_only, .gids = root_only},
       false,
       true},
      {"the last of a range", file(04755, 1099), {}, {.uids = two_parts, .gids = two_parts}, true, false},
      {"the first behind it", file(04755, 1100), {}, {.uids = two_parts, .gids = two_parts}, false, true},
      {"no map at all", file(04755), {}, {.uids = nothing, .gids = nothing}, false, true},
      {"capabilities ask for no map", file(0755, 7), bind_service, {.uids = nothing, .gids = nothing}, true, false},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    const ExecIdentity identity = identity_after_exec(user(1000, 100), Program(c.status, c.attribute, false), c.limits);
    CHECK(identity.is_secure == c.is_secure);
    CHECK(identity.held_back.empty() != c.is_held_back);
    CHECK((identity.user.uid == 1000 || c.is_secure));
  }
  const Program opens_all(file(0755), dac, false);
  CHECK(identity_after_exec(user(1000, 100), opens_all, {}).user.passes_modes);
  CHECK(!identity_after_exec(user(1000, 100), opens_all, {.no_new_privs = true}).user.passes_modes);
  const ExecIdentity on_nosuid =
      identity_after_exec(user(1000, 100), Program(file(04755), {}, true), {.nosuid_counts = true});
  CHECK(!on_nosuid.held_back.empty());
}

TEST_CASE("the ids that a user namespace maps") {
  MemoryFileSystem files;
  files.add_file("/all", "         0          0 4294967295\n");
  files.add_file("/two", "0 1000 1\n1 100000 65535\n");
  files.add_file("/none", "");
  CHECK(mapped_ids(files, "/all") == std::vector<IdRange>{{0, 0}, {0, 4294967295u}});
  CHECK(mapped_ids(files, "/two") == std::vector<IdRange>{{0, 0}, {0, 1}, {1, 65535}});
  CHECK(mapped_ids(files, "/none") == std::vector<IdRange>{{0, 0}});
  CHECK(mapped_ids(files, "/absent").empty());
}
