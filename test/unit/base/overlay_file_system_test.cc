// Changes in an overlay look as the same changes look when they are really made: the host makes them
// in a copy of the tree, and both are asked about every path.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/overlay_file_system.h"
#include "support/random.h"
#include "support/sanitizer.h"
#include "unit/print_list.h"

using namespace soresolve;
namespace fs = std::filesystem;

namespace {

/// One level down, so that `..` of a link in it leads to nothing else.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "soresolve-unit-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    top_ = name;
    fs::create_directory(at(""));
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] std::string at(std::string_view inside) const { return top_ + "/tree" + std::string(inside); }

 private:
  std::string top_;
};

/// The tree that both begin with.
void fill(const TemporaryDirectory& directory) {
  fs::create_directories(directory.at("/lib/deep/er"));
  fs::create_directories(directory.at("/opt"));
  std::ofstream(directory.at("/lib/a.so.1")) << "one";
  std::ofstream(directory.at("/lib/deep/b.so")) << "two";
  std::ofstream(directory.at("/lib/deep/er/c.so")) << "three";
  fs::create_symlink("a.so.1", directory.at("/lib/a.so"));
  fs::create_symlink("../lib/deep", directory.at("/opt/deep"));
  fs::create_symlink("nowhere", directory.at("/opt/dangling"));
  fs::create_symlink("circle", directory.at("/opt/circle"));
}

enum class Action { AddFile, MakeDirectory, Link, Remove, Rename };

struct Change {
  Action action = Action::AddFile;
  std::string path;
  std::string other;  ///< content, target of a link, new name
};

std::string describe(const Change& change) {
  static const char* const kNames[] = {"write", "mkdir", "link", "remove", "rename"};
  return std::string(kNames[static_cast<int>(change.action)]) + " " + change.path + " " + change.other;
}

int make(OverlayFileSystem& overlay, const TemporaryDirectory& below, const Change& change) {
  const std::string path = below.at(change.path);
  switch (change.action) {
    case Action::AddFile: return static_cast<int>(overlay.add_file(path, change.other));
    case Action::MakeDirectory: return static_cast<int>(overlay.add_directory(path));
    case Action::Link: return static_cast<int>(overlay.add_symlink(path, change.other));
    case Action::Remove: return static_cast<int>(overlay.remove(path));
    case Action::Rename: return static_cast<int>(overlay.rename(path, below.at(change.other)));
  }
  return 0;
}

/// As `mkdir -p`, one mkdir(2) after the other.
int make_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    struct stat found;
    if (::mkdir(part.c_str(), 0755) != 0) {
      if (errno != EEXIST) return errno;
      if (::stat(part.c_str(), &found) != 0) return EEXIST;
      if (!S_ISDIR(found.st_mode)) return end == std::string::npos ? EEXIST : ENOTDIR;
    }
    if (end == std::string::npos) return 0;
  }
}

/// The same by the kernel.
int make(const TemporaryDirectory& real, const Change& change) {
  const std::string path = real.at(change.path);
  errno = 0;
  switch (change.action) {
    case Action::AddFile: {
      std::FILE* file = std::fopen(path.c_str(), "w");
      if (file == nullptr) return errno;
      std::fputs(change.other.c_str(), file);
      std::fclose(file);
      return 0;
    }
    case Action::MakeDirectory: return make_directories(path);
    case Action::Link: return ::symlink(change.other.c_str(), path.c_str()) == 0 ? 0 : errno;
    case Action::Remove: {
      struct stat found;
      if (::lstat(path.c_str(), &found) != 0) return errno;
      fs::remove_all(path);
      return 0;
    }
    case Action::Rename: return std::rename(path.c_str(), real.at(change.other).c_str()) == 0 ? 0 : errno;
  }
  return 0;
}

const std::vector<std::string> kPlaces = {"/lib",
                                          "/lib/a.so",
                                          "/lib/a.so.1",
                                          "/lib/b.so",
                                          "/lib/deep",
                                          "/lib/deep/b.so",
                                          "/lib/deep/er",
                                          "/lib/deep/er/c.so",
                                          "/lib/deep/new.so",
                                          "/opt",
                                          "/opt/deep",
                                          "/opt/deep/b.so",
                                          "/opt/deep/er/c.so",
                                          "/opt/dangling",
                                          "/opt/circle",
                                          "/opt/new",
                                          "/opt/new/x.so",
                                          "/opt/nowhere",
                                          "/lib/a.so/x",
                                          "/opt/circle/x",
                                          "/opt/deep/../a.so"};

std::string content_of(const FileSystem& files, const std::string& path) {
  const auto file = files.open(path);
  if (!file) return "error " + std::to_string(static_cast<int>(file.error()));
  std::string bytes(64, '\0');
  const auto got = (*file)->read_at(0, std::as_writable_bytes(std::span(bytes)));
  if (!got) return "read error " + std::to_string(static_cast<int>(got.error()));
  bytes.resize(*got);
  return bytes;
}

/// Everything that can be asked about a tree, without inode numbers; those are told as the first place
/// that has the same one.
std::vector<std::string> picture(const FileSystem& files, const TemporaryDirectory& directory) {
  std::vector<std::string> lines;
  std::vector<FileId> ids;
  std::string root = directory.at("");
  const auto inside = [&](const std::string& path) { return path.starts_with(root) ? path.substr(root.size()) : path; };
  for (const std::string& place : kPlaces) {
    const std::string path = directory.at(place);
    std::string line = place + ": ";
    const auto status = files.status(path);
    FileId id;
    if (status) {
      id = status->id;
      std::size_t twin = 0;
      while (twin < ids.size() && ids[twin] != id) ++twin;
      line += "kind " + std::to_string(static_cast<int>(status->kind)) + " same as " +
              (twin < kPlaces.size() ? kPlaces[twin] : place);
    } else {
      line += "error " + std::to_string(static_cast<int>(status.error()));
    }
    ids.push_back(id);
    const auto real = files.real_path(path);
    line += ", real " + (real ? inside(*real) : std::to_string(static_cast<int>(real.error())));
    const auto link = files.read_link(path);
    line += ", link " + (link ? *link : std::to_string(static_cast<int>(link.error())));
    const auto names = files.list_directory(path);
    line += ", names ";
    if (names) {
      for (const std::string& name : *names) line += name + " ";
    } else {
      line += std::to_string(static_cast<int>(names.error()));
    }
    line += ", content " + content_of(files, path);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("random changes to an overlay look as the kernel makes them") {
  const std::vector<std::string> targets = {"a.so.1", "../lib", "../opt/new", "deep/er", "c.so", "nowhere"};
  for (std::uint64_t seed = 1; seed <= test::rounds(150); ++seed) {
    CAPTURE(seed);
    const TemporaryDirectory below;
    const TemporaryDirectory real;
    fill(below);
    fill(real);
    OverlayFileSystem overlay(host_file_system());
    const auto host = host_file_system();
    test::Random random(seed);
    std::string history;
    for (int step = 0; step < 12; ++step) {
      Change change;
      change.action = static_cast<Action>(random.below(5));
      change.path = kPlaces[random.below(kPlaces.size())];
      if (change.action == Action::AddFile) change.other = "new " + std::to_string(step);
      if (change.action == Action::Link) change.other = targets[random.below(targets.size())];
      if (change.action == Action::Rename) change.other = kPlaces[random.below(kPlaces.size())];
      history += describe(change) + "\n";
      CAPTURE(history);
      REQUIRE(make(overlay, below, change) == make(real, change));
      REQUIRE(picture(overlay, below) == picture(*host, real));
    }
  }
}

TEST_CASE("the tree below stays as it is, and a fresh overlay shows it") {
  auto memory = std::make_shared<MemoryFileSystem>();
  memory->add_file("/lib/a.so", "old");
  OverlayFileSystem overlay(memory);
  REQUIRE(overlay.add_file("/lib/a.so", "new") == Errno::None);
  REQUIRE(overlay.add_symlink("/lib/b.so", "a.so") == Errno::None);
  CHECK(content_of(overlay, "/lib/b.so") == "new");
  CHECK(content_of(*overlay.fresh(), "/lib/a.so") == "old");
  CHECK(content_of(*memory, "/lib/a.so") == "old");
  CHECK(!memory->status("/lib/b.so"));
}

TEST_CASE("a directory with changes is newer than any other, an added file is like no other") {
  auto memory = std::make_shared<MemoryFileSystem>();
  memory->add_file("/lib/a.so", "old");
  OverlayFileSystem overlay(memory);
  REQUIRE(overlay.add_file("/lib/b.so", "new") == Errno::None);
  REQUIRE(overlay.add_file("/lib/capi.so", "new") == Errno::None);
  CHECK(overlay.status("/lib")->modified_ns > memory->status("/lib")->modified_ns);
  CHECK(overlay.status("/lib/b.so")->id != overlay.status("/lib/capi.so")->id);
  CHECK(overlay.status("/lib/b.so")->id.device != memory->status("/lib/a.so")->id.device);
}

TEST_CASE("a bound file is that of the other tree, and a device is one") {
  auto below = std::make_shared<MemoryFileSystem>();
  below->add_file("/lib/a.so", "old");
  below->add_symlink("/lib/b.so", "a.so");
  auto other = std::make_shared<MemoryFileSystem>();
  other->add_file("/host/x.so", "from the host");
  other->add_symlink("/host/link.so", "x.so");
  OverlayFileSystem files(below);

  REQUIRE(files.bind_file("/lib/b.so", other, "/host/link.so") == Errno::None);  // through the link, as mount(2)
  for (const char* path : {"/lib/a.so", "/lib/b.so"}) {
    CAPTURE(path);
    const auto file = files.open(path);
    REQUIRE(file);
    std::string text(20, '\0');
    const auto got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
    REQUIRE(got);
    CHECK(text.substr(0, *got) == "from the host");
    CHECK(files.status(path)->id == other->status("/host/x.so")->id);
  }
  CHECK(*files.real_path("/lib/b.so") == "/lib/a.so");
  CHECK(files.bind_file("/lib", other, "/host/x.so") == static_cast<Errno>(EISDIR));
  CHECK(files.bind_file("/lib/c.so", other, "/host/none") == static_cast<Errno>(ENOENT));
  CHECK(files.bind_file("/none/c.so", other, "/host/x.so") == static_cast<Errno>(ENOENT));

  REQUIRE(files.add_device("/lib/nvidia0") == Errno::None);
  CHECK(files.status("/lib/nvidia0")->kind == FileKind::Device);
  CHECK_FALSE(files.open("/lib/nvidia0"));
  CHECK(files.add_device("/lib/nvidia0") == static_cast<Errno>(EEXIST));

  // A tree on top of it sees the same, and can take it away.
  auto lower = std::make_shared<OverlayFileSystem>(below);
  REQUIRE(lower->bind_file("/lib/c.so", other, "/host/x.so") == Errno::None);
  OverlayFileSystem upper(lower);
  CHECK(upper.status("/lib/c.so")->size_bytes == 13);
  REQUIRE(upper.rename("/lib/c.so", "/lib/d.so") == Errno::None);
  CHECK_FALSE(upper.status("/lib/c.so"));
  CHECK(upper.status("/lib/d.so")->size_bytes == 13);
}

TEST_CASE("a mode that is changed is that of the file until another one lies there") {
  auto base = std::make_shared<MemoryFileSystem>();
  base->add_file("/lib/real.so", "x", 0600);
  base->add_symlink("/lib/link.so", "real.so");
  OverlayFileSystem overlay(base);
  CHECK(overlay.set_mode("/lib/link.so", 0644) == Errno::None);
  CHECK(overlay.set_mode("/lib", 0700) == Errno::None);
  CHECK(overlay.status("/lib/real.so")->mode == 0644);
  CHECK(overlay.status("/lib")->mode == 0700);
  CHECK(base->status("/lib/real.so")->mode == 0600);
  CHECK(overlay.add_file("/lib/real.so", "y", 0640) == Errno::None);
  CHECK(overlay.status("/lib/real.so")->mode == 0640);
  CHECK(overlay.set_mode("/lib/none.so", 0644) != Errno::None);
}
