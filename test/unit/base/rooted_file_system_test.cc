// A tree on disk as chroot(2) shows it: whatever its links say, nothing outside is ever reached.
// Each case runs with openat2(2) and without it, where the library walks links itself.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "soresolve/file_system.h"
#include "support/sanitizer.h"
#include "unit/base/file_answers.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;
namespace fs = std::filesystem;

namespace {

/// A directory of its own for each test, with the tree in "root" and a secret beside it.
class TemporaryTree {
 public:
  TemporaryTree() {
    std::string name = (fs::temp_directory_path() / "soresolve-unit-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    top_ = name;
    fs::create_directory(root());
    std::ofstream(top_ / "secret") << "secret";
    fs::create_directory(top_ / "outside");
    std::ofstream(top_ / "outside" / "f") << "secret";
  }
  ~TemporaryTree() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
  }
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;

  [[nodiscard]] fs::path top() const { return top_; }
  [[nodiscard]] fs::path root() const { return top_ / "root"; }
  [[nodiscard]] fs::path at(std::string_view inside) const {
    const fs::path path = root() / inside.substr(1);
    fs::create_directories(path.parent_path());
    return path;
  }
  void file(std::string_view inside, std::string_view text) const { std::ofstream(at(inside)) << text; }
  void link(std::string_view inside, const std::string& target) const { fs::create_symlink(target, at(inside)); }

 private:
  fs::path top_;
};

/// From now on openat2(2) does not exist for the calling thread.
bool forbid_openat2() {
  sock_filter code[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat2},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program = {std::size(code), code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Calls `check` with the rooted tree, first on this kernel, then as on one without openat2.
void on_each_kernel(const TemporaryTree& tree, const std::function<void(const FileSystem&)>& check) {
  const auto run = [&](const char* kernel) {
    CAPTURE(kernel);
    Result<std::unique_ptr<FileSystem>> files = rooted_file_system(tree.root().string());
    REQUIRE(files.has_value());
    check(**files);
  };
  run("with openat2");
  std::thread([&run] {
    if (!forbid_openat2()) {
      MESSAGE("no seccomp here: not tested without openat2");
      return;
    }
    run("without openat2");
  }).join();
}

}  // namespace

TEST_CASE("links and `..` stay inside the root") {
  const TemporaryTree tree;
  const std::string top = tree.top().string();
  tree.file("/f", "inside");
  tree.file("/d/f", "inside d");
  tree.file("/etc/only-here", "etc");
  tree.link("/absolute", "/f");
  tree.link("/host", top + "/secret");
  tree.link("/up", "../secret");
  tree.link("/d/up", "../../../../../../../../.." + top + "/secret");
  tree.link("/d/up-to-f", "../../../f");
  tree.link("/outside", top + "/outside");
  tree.link("/parent", "..");
  tree.link("/d/proc", "/proc/self/root");
  tree.link("/chain", "/d/up");
  struct Case {
    std::string why;
    std::string path;
    std::string want;
  };
  const Case cases[] = {
      {"a file", "/f", "inside"},
      {"a relative path starts at the root", "d/f", "inside d"},
      {"`..` in the path", "/../../../f", "inside"},
      {"`..` in the path towards the secret", "/../secret", errno_of(ENOENT)},
      {"the host's path of the secret", top + "/secret", errno_of(ENOENT)},
      {"an absolute link is one inside", "/absolute", "inside"},
      {"an absolute link to the host's path", "/host", errno_of(ENOENT)},
      {"a relative link over the root", "/up", errno_of(ENOENT)},
      {"a long `..` chain in a link", "/d/up", errno_of(ENOENT)},
      {"a long `..` chain to what is inside", "/d/up-to-f", "inside"},
      {"a link to a directory outside", "/outside/f", errno_of(ENOENT)},
      {"a link to `..` of the root is the root", "/parent/f", "inside"},
      {"many of them", "/parent/parent/parent/secret", errno_of(ENOENT)},
      {"a magic link of /proc", "/d/proc/etc/passwd", errno_of(ENOENT)},
      {"a link to a link", "/chain", errno_of(ENOENT)},
      {"/etc is the tree's own", "/etc/passwd", errno_of(ENOENT)},
      {"and can be read", "/etc/only-here", "etc"},
  };
  on_each_kernel(tree, [&cases](const FileSystem& files) {
    for (const Case& c : cases) {
      CAPTURE(c.why);
      CHECK(content(files, c.path) == c.want);
      CHECK(files.status(c.path).has_value() == !c.want.starts_with("errno"));
    }
  });
}

TEST_CASE("a path does not end at a NUL, and is nothing's name") {
  const TemporaryTree tree;
  tree.file("/d/f", "inside");
  tree.file("/f", "inside");
  using namespace std::string_view_literals;
  const std::string_view paths[] = {"/..\0"sv, "/d/..\0/../secret"sv, "/f\0"sv, "/d\0x/f"sv, "/..\0/secret"sv};
  on_each_kernel(tree, [&](const FileSystem& files) {
    for (const std::string_view path : paths) {
      CHECK(content(files, path) == errno_of(ENOENT));
      CHECK(!files.status(path).has_value());
      CHECK(!files.real_path(path).has_value());
      CHECK(!files.read_link(path).has_value());
      CHECK(!files.list_directory(path).has_value());
    }
  });
  const std::string with_nul = tree.at("/f").string() + '\0';
  CHECK(!host_file_system()->open(with_nul).has_value());
  CHECK(!host_file_system()->status(with_nul).has_value());
}

TEST_CASE("a directory that becomes a link to the outside while it is walked leads nowhere") {
  const TemporaryTree tree;
  tree.file("/d/e/f", "inside");
  fs::create_directories(tree.top() / "outside" / "e");
  std::ofstream(tree.top() / "outside" / "e" / "f") << "secret";
  std::ofstream(tree.top() / "outside" / "e" / "secret") << "secret";
  tree.link("/swap", tree.top().string() + "/outside");
  std::atomic<bool> is_done = false;
  std::thread swapper([&] {
    const std::string directory = tree.at("/d").string();
    const std::string link = tree.at("/swap").string();
    while (!is_done) {
      ::syscall(SYS_renameat2, AT_FDCWD, directory.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
      std::this_thread::yield();
    }
  });
  on_each_kernel(tree, [&](const FileSystem& files) {
    std::set<std::string> seen;
    std::set<std::size_t> counts;
    for (std::size_t i = 0; i < rounds(20000); ++i) {
      seen.insert(content(files, "/d/e/f"));
      seen.insert(content(files, "/d/e/secret"));
      if (files.status("/d/e/secret")) seen.insert("status of secret");
      if (files.real_path("/d/e/secret")) seen.insert("path of secret");
      if (const auto names = files.list_directory("/d/e")) counts.insert(names->size());
    }
    for (const std::string& each : seen) CHECK_MESSAGE(each.find("secret") == std::string::npos, each);
    CHECK(counts.size() <= 1);
  });
  is_done = true;
  swapper.join();
}

TEST_CASE("real_path and list_directory stay inside, too") {
  const TemporaryTree tree;
  tree.file("/usr/lib/f", "x");
  tree.link("/lib", "/usr/lib");
  tree.link("/up", "../..");
  tree.link("/outside", tree.top().string());
  on_each_kernel(tree, [](const FileSystem& files) {
    const Result<std::string, Errno> real = files.real_path("/up/lib/../lib/f");
    REQUIRE(real.has_value());
    CHECK_MESSAGE(*real == "/usr/lib/f", "paths are those of the tree, not the host's");
    using Names = std::vector<std::string>;
    const Result<std::vector<std::string>, Errno> top = files.list_directory("/up");
    REQUIRE(top.has_value());
    CHECK(*top == Names{"lib", "outside", "up", "usr"});
    CHECK(!files.real_path("/outside").has_value());
    CHECK(!files.list_directory("/outside").has_value());
    const Result<std::vector<std::string>, Errno> file = files.list_directory("/lib/f");
    REQUIRE(!file.has_value());
    CHECK(file.error() == static_cast<Errno>(ENOTDIR));
  });
}

TEST_CASE("a rooted tree answers as the same tree in memory does") {
  const TemporaryTree tree;
  MemoryFileSystem memory;
  const auto file = [&](const char* path) {
    tree.file(path, path);
    memory.add_file(path, path);
  };
  const auto link = [&](const char* path, const char* to) {
    tree.link(path, to);
    memory.add_symlink(path, to);
  };
  file("/f");
  file("/d/f");
  file("/d/e/f");
  link("/l", "d");
  link("/d/l", "/d/e");
  link("/d/up", "..");
  link("/lf", "f");
  link("/no", "nothing");
  link("/loop", "loop");
  link("/d/ping", "pong");
  link("/d/pong", "ping");
  link("/slash", "d/");
  link("/fslash", "f/");
  const std::string long_name(256, 'n');
  const std::string names[] = {"f",  "d", "e",    "l", "up",    "lf",     ".",    "..",
                               "no", "x", "loop", "",  "slash", "fslash", "ping", long_name};
  std::vector<std::string> paths;
  for (const std::string& a : names) {
    paths.push_back("/" + a);
    for (const std::string& b : names) {
      paths.push_back("/" + a + "/" + b);
      for (const std::string& c : names) paths.push_back("/" + a + "/" + b + "/" + c);
    }
  }
  on_each_kernel(tree, [&](const FileSystem& files) {
    for (const std::string& path : paths) {
      CAPTURE(path);
      CHECK(content(files, path) == content(memory, path));
      const Result<std::string, Errno> real = files.real_path(path);
      const Result<std::string, Errno> want = memory.real_path(path);
      CHECK((real ? *real : errno_of(real.error())) == (want ? *want : errno_of(want.error())));
      const Result<std::string, Errno> link_target = files.read_link(path);
      const Result<std::string, Errno> want_target = memory.read_link(path);
      CHECK((link_target ? *link_target : "no link") == (want_target ? *want_target : "no link"));
    }
  });
}

TEST_CASE("a FIFO is opened without waiting for its writer") {
  const TemporaryTree tree;
  REQUIRE(::mkfifo(tree.at("/fifo").c_str(), 0644) == 0);
  ::alarm(20);  // a test that waits is a test that fails
  on_each_kernel(tree, [](const FileSystem& files) {
    const Result<std::unique_ptr<File>, Errno> file = files.open("/fifo");
    REQUIRE(file.has_value());
    CHECK((*file)->status().kind == FileKind::Fifo);
  });
  const Result<std::unique_ptr<File>, Errno> host = host_file_system()->open(tree.at("/fifo").string());
  REQUIRE(host.has_value());
  CHECK((*host)->status().kind == FileKind::Fifo);
  ::alarm(0);
}

TEST_CASE("a socket cannot be opened, but its status can be had") {
  const TemporaryTree tree;
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  tree.at("/socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(descriptor);
  on_each_kernel(tree, [](const FileSystem& files) {
    CHECK(content(files, "/socket") == errno_of(ENXIO));
    const Result<FileStatus, Errno> status = files.status("/socket");
    REQUIRE(status.has_value());
    CHECK(status->kind == FileKind::Socket);
  });
}

TEST_CASE("a file that shrinks after opening gives a short read") {
  const TemporaryTree tree;
  tree.file("/f", "0123456789");
  on_each_kernel(tree, [&tree](const FileSystem& files) {
    fs::resize_file(tree.at("/f"), 10);
    const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
    REQUIRE(file.has_value());
    CHECK((*file)->status().size_bytes == 10);
    fs::resize_file(tree.at("/f"), 3);
    std::array<std::byte, 10> bytes{};
    const Result<std::size_t, Errno> got = (*file)->read_at(0, bytes);
    REQUIRE(got.has_value());
    CHECK(*got == 3);
  });
}

TEST_CASE("hard links are one file, copies are two") {
  const TemporaryTree tree;
  tree.file("/f", "x");
  tree.file("/copy", "x");
  fs::create_hard_link(tree.at("/f"), tree.at("/hard"));
  on_each_kernel(tree, [](const FileSystem& files) {
    CHECK(files.status("/f")->id == files.status("/hard")->id);
    CHECK(!(files.status("/f")->id == files.status("/copy")->id));
  });
}

TEST_CASE("a root must be a directory") {
  const TemporaryTree tree;
  tree.file("/f", "x");
  fs::create_directory_symlink(tree.root(), tree.top() / "link");
  const Result<std::unique_ptr<FileSystem>> absent = rooted_file_system("/does/not/exist");
  REQUIRE(!absent.has_value());
  CHECK(absent.error().code == ErrorCode::NotFound);
  CHECK(absent.error().path == "/does/not/exist");
  const Result<std::unique_ptr<FileSystem>> file = rooted_file_system(tree.at("/f").string());
  REQUIRE(!file.has_value());
  CHECK(file.error().code == ErrorCode::Unreadable);
  const Result<std::unique_ptr<FileSystem>> link = rooted_file_system(tree.top() / "link");
  REQUIRE(link.has_value());
  CHECK(content(**link, "/f") == "x");
}
