// The comparison of predicted with loaded files, and the list of this very process.
#include "loaded_objects.h"

#include <doctest/doctest.h>

#include <unistd.h>
#include "soresolve/catalogue.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace soresolve;
using namespace soresolve::confirm;

namespace {

/// Files a, b, c, and a second name of a.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("soresolve-loaded-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path_);
    for (const char* name : {"a", "b", "c"}) std::ofstream(path_ / name) << name;
    std::filesystem::create_symlink("a", path_ / "also_a");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string at(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("reality is compared with what was predicted, file by file") {
  const Folder folder;
  struct Case {
    const char* why;
    std::vector<const char*> predicted;
    std::vector<const char*> before;
    std::vector<const char*> added;
    std::string want;
  };
  const Case cases[] = {
      {"the same", {"a", "b"}, {}, {"a", "b"}, ""},
      {"nothing", {}, {}, {}, ""},
      {"the same file by another name", {"also_a"}, {}, {"a"}, ""},
      {"predicted, and there before", {"a", "b"}, {"a"}, {"b"}, ""},
      {"missing", {"a", "b"}, {}, {"a"}, folder.at("b") + " was predicted and is not loaded"},
      {"unforeseen", {"a"}, {}, {"a", "c"}, folder.at("c") + " is loaded and was not predicted"},
      {"another order", {"a", "b"}, {}, {"b", "a"}, folder.at("b") + " is loaded in another place than predicted"},
      {"a path that leads nowhere", {"gone"}, {}, {}, folder.at("gone") + " was predicted and is not loaded"},
      {"another one in its place",
       {"a"},
       {},
       {"b"},
       folder.at("a") + " was predicted and is not loaded; " + folder.at("b") + " is loaded and was not predicted"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    std::vector<std::string> predicted;
    std::vector<LoadedFile> before;
    std::vector<LoadedFile> added;
    for (const char* name : c.predicted) predicted.push_back(folder.at(name));
    for (const char* name : c.before) before.push_back(file_at(folder.at(name)));
    for (const char* name : c.added) added.push_back(file_at(folder.at(name)));
    std::string text;
    for (const Statement& part : describe(compare_files(predicted, before, added)))
      text += sentence(part, Language::English);
    CHECK(text == c.want);
  }
}

TEST_CASE("this process has its loader and its libc, but neither the program nor the vDSO") {
  const std::vector<LoadedFile> files = loaded_files();
  const auto has = [&](std::string_view part) {
    return std::any_of(files.begin(), files.end(),
                       [&](const LoadedFile& file) { return file.path.find(part) != std::string::npos; });
  };
  CHECK(has("/libc.so"));
  CHECK(has("/ld-linux"));
  CHECK_FALSE(has("vdso"));
  CHECK_FALSE(has("loaded_objects_test"));
}
