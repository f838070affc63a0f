// Path resolution by hand: what fs/namei.c:link_path_walk does with links, `.` and `..`.
#include "base/path_walk.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <map>
#include <string>
#include <vector>

using namespace soresolve;

namespace {

/// What lies at a path without links: "d" a directory, "f" a file, anything else a link's target.
using Tree = std::map<std::string, std::string>;

/// The resolved path, or "error N".
std::string walk(const Tree& tree, std::string_view path) {
  const Result<std::string, Errno> real =
      walk_path(path, [&tree](const std::string& here) -> Result<WalkedNode, Errno> {
        const auto found = tree.find(here);
        if (found == tree.end()) return Unexpected{static_cast<Errno>(ENOENT)};
        if (found->second == "d") return WalkedNode{true, {}};
        if (found->second == "f") return WalkedNode{false, {}};
        return WalkedNode{false, found->second.substr(1)};
      });
  return real ? *real : "error " + std::to_string(static_cast<int>(real.error()));
}

std::string error(int number) { return "error " + std::to_string(number); }

/// /0 -> 1 -> 2 … -> `links`, which is a file.
Tree chain_of(int links) {
  Tree tree;
  for (int i = 0; i < links; ++i) tree["/" + std::to_string(i)] = ">" + std::to_string(i + 1);
  tree["/" + std::to_string(links)] = "f";
  return tree;
}

}  // namespace

TEST_CASE("a path is resolved one name at a time, links where they stand") {
  const Tree tree = {
      {"/a", "d"},       {"/a/b", "d"},      {"/a/b/f", "f"},      {"/f", "f"},          {"/abs", ">/a/b"},
      {"/a/rel", ">b"},  {"/a/up", ">../f"}, {"/file", ">f"},      {"/dangling", ">no"}, {"/a/out", ">../../f"},
      {"/slash", ">a/"}, {"/fslash", ">f/"}, {"/twice", ">abs/f"}, {"/root", ">/"},
  };
  struct Case {
    std::string why;
    std::string path;
    std::string want;
  };
  const Case cases[] = {
      {"nothing to do", "/a/b/f", "/a/b/f"},
      {"the root itself", "/", "/"},
      {"only slashes are the root", "///", "/"},
      {"doubled slashes count once", "//a///b//f", "/a/b/f"},
      {"a relative path starts at the root", "a/b", "/a/b"},
      {"`.` is where one stands", "/./a/./b/.", "/a/b"},
      {"`..` goes up", "/a/b/../b/f", "/a/b/f"},
      {"`..` stops at the root", "/../../a", "/a"},
      {"`..` behind what is absent fails", "/no/../f", error(ENOENT)},
      {"a trailing slash takes a directory", "/a/b/", "/a/b"},
      {"a trailing slash refuses a file", "/f/", error(ENOTDIR)},
      {"`/.` refuses a file", "/f/.", error(ENOTDIR)},
      {"`/..` refuses a file", "/f/..", error(ENOTDIR)},
      {"a file is no directory", "/f/x", error(ENOTDIR)},
      {"an absent file", "/a/x", error(ENOENT)},
      {"an absent directory", "/x/y", error(ENOENT)},
      {"the empty path", "", error(ENOENT)},
      {"an absolute link starts anew", "/abs/f", "/a/b/f"},
      {"a relative link starts at its directory", "/a/rel/f", "/a/b/f"},
      {"`..` of a link is that of its target", "/abs/../b/f", "/a/b/f"},
      {"a link through `..`", "/a/up", "/f"},
      {"a link cannot climb over the root", "/a/out", "/f"},
      {"a link to a link", "/twice", "/a/b/f"},
      {"a link to the root", "/root/a", "/a"},
      {"a last link is followed, too", "/file", "/f"},
      {"a link to nothing", "/dangling", error(ENOENT)},
      {"a link to a file, taken as a directory", "/file/x", error(ENOTDIR)},
      {"a link to a file with a trailing slash", "/file/", error(ENOTDIR)},
      {"a slash at the end of a link's target", "/slash", "/a"},
      {"the same, but the target is a file", "/fslash", error(ENOTDIR)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CAPTURE(c.path);
    CHECK(walk(tree, c.path) == c.want);
  }
}

TEST_CASE("forty links are followed, the next one is ELOOP") {
  struct Case {
    std::string why;
    Tree tree;
    std::string path;
    std::string want;
  };
  const Case cases[] = {
      {"40 links in a row", chain_of(40), "/0", "/40"},
      {"41 links in a row", chain_of(41), "/0", error(ELOOP)},
      {"a link to itself", {{"/l", ">l"}}, "/l", error(ELOOP)},
      {"two links to each other", {{"/l", ">m"}, {"/m", ">l"}}, "/l/x", error(ELOOP)},
      {"a target that grows", {{"/l", ">l/x"}}, "/l", error(ELOOP)},
      {"a directory below itself", {{"/d", "d"}, {"/d/d", ">/d"}, {"/d/f", "f"}}, "/d/d/d/d/f", "/d/f"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(walk(c.tree, c.path) == c.want);
  }
}

TEST_CASE("a path of 4095 bytes and a name of 255 are the longest") {
  const std::string name255(255, 'n');
  const std::string name256(256, 'n');
  const Tree tree = {{"/d", "d"}, {"/d/" + name255, "f"}, {"/f", "f"}};
  std::string dots;  // "/././…" of 4094 bytes
  while (dots.size() < 4094) dots += "/.";
  struct Case {
    std::string why;
    std::string path;
    std::string want;
  };
  const Case cases[] = {
      {"a name of 255 bytes", "/d/" + name255, "/d/" + name255},
      {"a name of 256 bytes", "/d/" + name256, error(ENAMETOOLONG)},
      {"a long name as a directory", "/d/" + name256 + "/f", error(ENAMETOOLONG)},
      {"what stands before the long name counts", "/no/" + name256, error(ENOENT)},
      {"the same with a file before it", "/f/" + name256, error(ENOTDIR)},
      {"4095 bytes in all", dots + "/", "/"},
      {"4096 bytes in all", dots + "//", error(ENAMETOOLONG)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(walk(tree, c.path) == c.want);
  }
}

TEST_CASE("an error of the tree itself is passed on") {
  const Result<std::string, Errno> real = walk_path("/a/b", [](const std::string& here) -> Result<WalkedNode, Errno> {
    if (here == "/a") return WalkedNode{true, {}};
    return Unexpected{static_cast<Errno>(EACCES)};
  });
  REQUIRE(!real.has_value());
  CHECK(real.error() == static_cast<Errno>(EACCES));
}
