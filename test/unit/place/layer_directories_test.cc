// Directories laid over each other as overlayfs does it, without a mount.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "place/layer_directories.h"

using namespace soresolve;
namespace fs = std::filesystem;

namespace {

/// Layers in a directory that goes with it; layer 0 is the upper one.
class LayerFolders {
 public:
  explicit LayerFolders(std::size_t count) {
    std::string pattern = (fs::temp_directory_path() / "layers-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    for (std::size_t i = 0; i < count; ++i) {
      layers.push_back((folder_ / std::to_string(i)).string());
      fs::create_directory(layers.back());
    }
  }
  ~LayerFolders() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  LayerFolders(const LayerFolders&) = delete;
  LayerFolders& operator=(const LayerFolders&) = delete;

  [[nodiscard]] std::string at(std::size_t layer, const std::string& path) const { return layers[layer] + path; }
  void write(std::size_t layer, const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(at(layer, path)).parent_path());
    std::ofstream(at(layer, path)) << text;
  }

  std::vector<std::string> layers;

 private:
  fs::path folder_;
};

std::string text_at(const FileSystem& files, const std::string& path) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return "(" + errno_text(file.error(), ErrnoText::FromDlerror) + ")";
  std::string text(static_cast<std::size_t>((*file)->status().size_bytes), '\0');
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  text.resize(got ? *got : 0);
  return text;
}

std::shared_ptr<const FileSystem> opened(const LayerFolders& folders) {
  Result<Place> place = open_layer_directories(folders.layers);
  REQUIRE_MESSAGE(place.has_value(), place.error().to_string());
  return place->files;
}

}  // namespace

TEST_CASE("what the upper layer has hides what lies below; directories are both") {
  const LayerFolders folders(3);
  folders.write(2, "/lib/a.so", "lowest a");
  folders.write(2, "/lib/b.so", "lowest b");
  folders.write(1, "/lib/b.so", "middle b");
  folders.write(0, "/lib/c.so", "upper c");
  fs::create_symlink("b.so", folders.at(0, "/lib/link.so"));
  const auto files = opened(folders);
  CHECK(text_at(*files, "/lib/a.so") == "lowest a");
  CHECK(text_at(*files, "/lib/b.so") == "middle b");
  CHECK(text_at(*files, "/lib/c.so") == "upper c");
  CHECK(text_at(*files, "/lib/link.so") == "middle b");
  CHECK(files->list_directory("/lib").value().size() == 4);
}

TEST_CASE("a whiteout takes away, an opaque directory hides") {
  const LayerFolders folders(2);
  folders.write(1, "/lib/gone.so", "gone");
  folders.write(1, "/lib/stays.so", "stays");
  folders.write(1, "/opt/old", "old");
  folders.write(0, "/opt/new", "new");
  fs::create_directory(folders.at(0, "/lib"));
  // Who may not make devices writes names (fuse-overlayfs), and keeps attributes under user.
  if (::mknod(folders.at(0, "/lib/gone.so").c_str(), S_IFCHR | 0600, makedev(0, 0)) != 0) {
    folders.write(0, "/lib/.wh.gone.so", "");
  }
  const std::string opt = folders.at(0, "/opt");
  if (::setxattr(opt.c_str(), "trusted.overlay.opaque", "y", 1, 0) != 0 &&
      ::setxattr(opt.c_str(), "user.overlay.opaque", "y", 1, 0) != 0) {
    folders.write(0, "/opt/.wh..wh..opq", "");
  }
  const auto files = opened(folders);
  CHECK(text_at(*files, "/lib/gone.so") == "(No such file or directory)");
  CHECK(text_at(*files, "/lib/stays.so") == "stays");
  CHECK(text_at(*files, "/opt/old") == "(No such file or directory)");
  CHECK(text_at(*files, "/opt/new") == "new");
}

TEST_CASE("two names of one file are one file") {
  const LayerFolders folders(2);
  folders.write(1, "/lib/a.so", "a");
  folders.write(0, "/lib/b.so", "b");
  fs::create_hard_link(folders.at(0, "/lib/b.so"), folders.at(0, "/lib/c.so"));
  const auto files = opened(folders);
  CHECK(files->status("/lib/b.so")->id == files->status("/lib/c.so")->id);
  CHECK(files->status("/lib/a.so")->id != files->status("/lib/b.so")->id);
  CHECK(text_at(*files, "/lib/c.so") == "b");
}

TEST_CASE("a file of which only the metadata was copied up has the bytes of the one below") {
  const LayerFolders folders(2);
  folders.write(1, "/lib/a.so", "whole");
  folders.write(0, "/lib/a.so", std::string(5, '\0'));
  const std::string upper = folders.at(0, "/lib/a.so");
  if (::setxattr(upper.c_str(), "trusted.overlay.metacopy", "", 0, 0) != 0 &&
      ::setxattr(upper.c_str(), "user.overlay.metacopy", "", 0, 0) != 0) {
    MESSAGE("skipped: no extended attributes here");
    return;
  }
  CHECK(text_at(*opened(folders), "/lib/a.so") == "whole");
}

TEST_CASE("a layer that is not there is an error, one alone is used as it is") {
  LayerFolders folders(1);
  folders.write(0, "/a", "a");
  CHECK(text_at(*opened(folders), "/a") == "a");
  folders.layers.push_back(folders.layers.front() + "/nowhere");
  const Result<Place> place = open_layer_directories(folders.layers);
  REQUIRE(!place.has_value());
  CHECK(place.error().code == ErrorCode::NotFound);
}
