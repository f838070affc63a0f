// One question for the loader, whole: the files, the environment, and how the program is started.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/cache_writer.h"
#include "support/file_tree.h"
#include "support/sandbox.h"

namespace soresolve::test {

enum class Launch : std::uint8_t {
  Kernel,    ///< execve of the program
  Argument,  ///< `ld.so FILE`, as ldd does
};

struct Tree {
  std::vector<TreeNode> nodes;
  std::optional<CacheSpec> cache;        ///< /etc/ld.so.cache
  std::vector<std::string> environment;  ///< "NAME=VALUE"
  std::string cwd = "/";
  std::string file = "/app/bin/prog";  ///< what is started, as typed
  std::string argv0 = "/app/bin/prog";
  Launch launch = Launch::Kernel;
  std::string loader = std::string(kInterp);  ///< the loader's command, argv[0] and path
  /// What stands between it and the file (musl only): --library-path, --preload, --.
  std::vector<std::string> loader_options;
  RootLayout layout = RootLayout::Merged;
  Proc proc = Proc::Mounted;
  std::uint32_t user = 0;  ///< who starts it; with a set-uid program: AT_SECURE
  bool is_secure = false;
  bool asks_for_secure = false;  ///< with glibc.rtld.enable_secure, where the release knows it
};

inline constexpr std::uint32_t kOtherUser = 65534;

/// All nodes to write: those of the tree and its cache.
std::vector<TreeNode> all_nodes(const Tree& tree);

/// The tree for people, one line for each part.
std::string describe(const Tree& tree);

}  // namespace soresolve::test
