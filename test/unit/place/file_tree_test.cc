// What layers over each other show: scenarios that umoci, buildah and the kernel's overlayfs were asked about; where
// they differ, overlayfs counts. And the walk through such a tree, against walk_path() in a tree of memory.
#include "place/file_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "place/archive_tree.h"
#include "place/image_layers.h"
#include "support/random.h"

using namespace soresolve;
using soresolve::test::Random;

namespace {

class TextContent final : public Content {
 public:
  explicit TextContent(std::string text) : text_(std::move(text)) {}
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= text_.size()) return std::size_t{0};
    const std::size_t count = std::min(into.size(), text_.size() - static_cast<std::size_t>(offset));
    std::memcpy(into.data(), text_.data() + offset, count);
    return count;
  }

 private:
  std::string text_;
};

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    if (const std::string part(text.substr(0, end)); !part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

/// "a/" a directory, "a=text" a file, "a" the same with its name as text, "a->b" a link, "a=>b" a hard link, "c:a" a
/// device 0:0.
std::optional<Error> add(TreeBuilder& builder, const std::string& word) {
  ArchiveEntry entry;
  entry.mode = 0644;
  std::shared_ptr<const Content> content;
  if (const std::size_t arrow = word.find("->"); arrow != std::string::npos) {
    entry.type = EntryType::SymbolicLink;
    entry.path = word.substr(0, arrow);
    entry.target = word.substr(arrow + 2);
  } else if (const std::size_t hard = word.find("=>"); hard != std::string::npos) {
    entry.type = EntryType::HardLink;
    entry.path = word.substr(0, hard);
    entry.target = word.substr(hard + 2);
  } else if (word.starts_with("c:")) {
    entry.type = EntryType::Device;
    entry.is_null_device = true;
    entry.path = word.substr(2);
  } else if (word.ends_with('/')) {
    entry.type = EntryType::Directory;
    entry.mode = 0755;
    entry.path = word;
  } else {
    const std::size_t equals = word.find('=');
    entry.path = word.substr(0, equals);
    const std::string text = equals == std::string::npos ? word : word.substr(equals + 1);
    entry.size_bytes = text.size();
    content = std::make_shared<TextContent>(text);
  }
  return builder.add(std::move(entry), std::move(content));
}

struct Shown {
  TreeNodePtr root;
  std::vector<std::shared_ptr<const TreeFileSystem>> stages;  ///< by the number of layers
  std::vector<std::string> oddities;
  std::optional<Error> refused;
};

Shown laid(std::string_view layers) {
  Shown shown;
  std::uint32_t number = 0;
  shown.root = TreeBuilder(0, Whiteouts::No, 0).finish().root;
  shown.stages.push_back(std::make_shared<TreeFileSystem>(shown.root));
  for (const std::string& layer : split(layers, " | ")) {
    ++number;
    TreeBuilder builder(number, Whiteouts::Yes, number);
    for (const std::string& word : split(layer, " ")) {
      if (auto refused = add(builder, word)) shown.refused = std::move(refused);
    }
    TreeBuilder::Built built = builder.finish();
    tie_pending_hard_links(built, shown.root);
    shown.oddities.insert(shown.oddities.end(), built.oddities.begin(), built.oddities.end());
    shown.root = laid_over(shown.root, built.root);
    shown.stages.push_back(std::make_shared<TreeFileSystem>(shown.root));
  }
  return shown;
}

std::string read_text(const FileSystem& files, const std::string& path) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return "error";
  std::string text(static_cast<std::size_t>((*file)->status().size_bytes), ' ');
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  return got ? text.substr(0, *got) : "error";
}

/// In the words of the scenarios: empty directories, files whose text is not their path, links.
void list(const TreeFileSystem& files, const std::string& directory, std::string& into) {
  const auto entries = files.list_entries(directory.empty() ? "/" : directory);
  REQUIRE(entries);
  if (entries->empty() && !directory.empty()) into += directory.substr(1) + "/ ";
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = directory + '/' + entry.name;
    if (entry.kind == EntryKind::Directory) {
      list(files, path, into);
    } else if (entry.kind == EntryKind::Link) {
      into += path.substr(1) + "->" + *files.read_link(path) + ' ';
    } else {
      const std::string text = read_text(files, path);
      into += path.substr(1) + (text == path.substr(1) ? "" : '=' + text) + ' ';
    }
  }
}

std::string listed(const Shown& shown) {
  std::string text;
  list(TreeFileSystem(shown.root), "", text);
  if (!text.empty()) text.pop_back();
  return text;
}

struct Scenario {
  const char* layers;
  const char* shows;
};

constexpr Scenario kScenarios[] = {
    {"a/x a/y | a/.wh.x", "a/y"},
    {"a/x b/ | .wh.a", "b/"},
    {"a/x a/y | a/ a/.wh..wh..opq a/y=new", "a/y=new"},
    {"a/x | a/y a/.wh..wh..opq", "a/y"},
    {"a/x | a/.wh..wh..opq a/z", "a/z"},
    {"a/ | a/.wh.nope a/ok", "a/ok"},
    {"a/ | q/r/.wh.nope", "a/ q/r/"},
    {"x=old | .wh.x x=new", "x=new"},
    {"x=old | x=new .wh.x", "x=new"},
    {"x=first x=second", "x=second"},
    {"x l->x x->y x=third", "l->x x=third"},
    {"a/x b/y | a->b", "a->b b/y"},
    {"a/x | a", "a"},
    {"a | a/ a/x", "a/x"},
    {"usr/lib/x lib->usr/lib | lib/ lib/y", "lib/y usr/lib/x"},
    {"usr/lib/x lib->usr/lib | lib/y", "lib/y usr/lib/x"},
    {"usr/lib/x lib->/usr/lib | lib/y", "lib/y usr/lib/x"},
    {"lib->/usr/lib64x | lib/y", "lib/y"},
    {"lib->../../.. | lib/y", "lib/y"},
    {"usr/lib/x lib->usr/lib | lib/.wh.x", "lib/ usr/lib/x"},
    {"lib->usr usr/x | .wh.lib", "usr/x"},
    {"a b=>a", "a b=a"},
    {"a | b=>a", "a b=a"},
    {"a b=>a | a=new", "a=new b=a"},
    {"t=1 s->t h=>s", "h->t s->t t=1"},
    {"a=1 b=>/a c=>../../a", "a=1 b=1 c=1"},
    {"/abs/x=1 a/../b=2 ../../out=3", "abs/x=1 b=2 out=3"},
    {"./a=1 a=2", "a=2"},
    {"p/q/r=1", "p/q/r=1"},
    {"x | c:x", ""},
    {"x | .wh.x/", ""},
    {"r/ l->r l/x=1", "l->r r/x=1"},
    {"r/ l->../../r l/x=1", "l->../../r r/x=1"},
    {"a=1 a/b=2", "a=1"},
    {"a=1 | a/b=2", "a/b=2"},
    {"u/x l->u | l/.wh..wh..opq l/y=1", "l/y=1 u/x"},
    {"l->a | l->b", "l->b"},
    {"a/x | .wh.a | a/y", "a/y"},
    {".wh..wh.plnk/7 x=>.wh..wh.plnk/7", "x=.wh..wh.plnk/7"},
    {"loop->loop loop/x=1", "loop->loop"},
};

TEST_CASE("layers show what overlayfs shows of them") {
  for (const Scenario& scenario : kScenarios) {
    CAPTURE(scenario.layers);
    const Shown shown = laid(scenario.layers);
    CHECK(!shown.refused);
    CHECK(listed(shown) == scenario.shows);
  }
}

TEST_CASE("whiteouts without a name are refused, and what unpackers refuse is told") {
  for (const char* layers : {"a/x | .wh.", "a/x | a/.wh..", "a/x | a/.wh..."}) {
    CAPTURE(layers);
    REQUIRE(laid(layers).refused);
    CHECK(laid(layers).refused->code == ErrorCode::Malformed);
  }
  for (const char* layers : {"x=1 x=2", "a | b=>a", "b=>a", "a=1 a/b=2", "d/ d/x e=>d"}) {
    CAPTURE(layers);
    CHECK(laid(layers).oddities.size() == 1);
  }
}

TEST_CASE("each file names its layer, and so does each that is gone") {
  const Shown shown = laid("a/x a/y b/z | a/.wh.x c | a/y=2 .wh.b");
  const TreeFileSystem files(shown.root);
  REQUIRE(files.find_unfollowed("/c") != nullptr);
  CHECK(files.find_unfollowed("/c")->layer == 2);
  CHECK(files.find_unfollowed("/a/y")->layer == 3);
  CHECK(files.root().directory->removed.at("b") == 3);
  CHECK(files.find_unfollowed("/a")->directory->removed.at("x") == 2);
}

TEST_CASE("a path that no system takes is left out, and a bounded number of oddities is told") {
  TreeBuilder builder(1, Whiteouts::No, 1);
  CHECK(!add(builder, std::string(300, 'n')));
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += "d/";
  CHECK(!add(builder, deep + "x"));
  for (int i = 0; i < 100; ++i) CHECK(!add(builder, "x"));
  const TreeBuilder::Built built = builder.finish();
  CHECK(built.root->directory->children.size() == 1);
  CHECK(built.oddities.size() == 20);
}

/// A path of a few names, dots, and sometimes a slash too many.
std::string random_path(Random& random) {
  constexpr std::string_view kParts[] = {"a", "b", "l", "m", "x", ".", "..", ""};
  std::string path;
  for (std::size_t i = random.below(6) + 1; i > 0; --i)
    path.append("/").append(kParts[random.below(std::size(kParts))]);
  if (random.below(8) == 0) path += '/';
  return path;
}

TEST_CASE("paths lead where walk_path() leads them") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    MemoryFileSystem expected;
    TreeBuilder builder(1, Whiteouts::No, 1);
    for (int i = 0; i < 12; ++i) {
      // Real places only: entries through links are another matter.
      std::string path;
      for (std::size_t depth = random.below(3) + 1; depth > 0; --depth)
        path += std::string("/") + "ablmx"[random.below(5)];
      if (expected.real_path(path) || expected.read_link(path)) continue;
      const std::string parent = path.substr(0, path.rfind('/'));
      const auto above = parent.empty() ? Result<std::string, Errno>(std::string("/")) : expected.real_path(parent);
      const bool is_in_the_way = above && *above != (parent.empty() ? "/" : parent);
      bool has_file_above = false;
      for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const auto kind = expected.status(path.substr(0, slash));
        has_file_above |= (kind && kind->kind != FileKind::Directory) || expected.read_link(path.substr(0, slash));
      }
      if (is_in_the_way || has_file_above) continue;
      switch (random.below(3)) {
        case 0:
          expected.add_directory(path);
          CHECK(!add(builder, path + "/"));
          break;
        case 1:
          expected.add_file(path, "text");
          CHECK(!add(builder, path + "=text"));
          break;
        default:
          const std::string target = random.below(2) == 0 ? random_path(random) : random_path(random).substr(1);
          if (target.empty()) break;
          expected.add_symlink(path, target);
          CHECK(!add(builder, path + "->" + target));
      }
    }
    const TreeFileSystem files(builder.finish().root);
    for (int i = 0; i < 60; ++i) {
      const std::string path = random_path(random);
      CAPTURE(seed);
      CAPTURE(path);
      const auto want = expected.real_path(path);
      const auto got = files.real_path(path);
      REQUIRE(got.has_value() == want.has_value());
      if (want) {
        CHECK(*got == *want);
        CHECK(files.status(path)->kind == expected.status(path)->kind);
        const auto names = files.list_directory(path);
        const auto other_names = expected.list_directory(path);
        REQUIRE(names.has_value() == other_names.has_value());
        if (names) CHECK(*names == *other_names);
      } else {
        CHECK(static_cast<int>(got.error()) == static_cast<int>(want.error()));
      }
    }
  }
}

}  // namespace

TEST_CASE("a file that a later layer hides weighs for nothing, hard links once") {
  struct Case {
    const char* why;
    const char* layers;
    const char* hidden;  ///< "path bytes layer by", "+" behind what is replaced
  };
  const Case cases[] = {
      {"nothing is hidden", "a/x | a/y", ""},
      {"a file is removed", "a/x=1234 | b | a/.wh.x", "/a/x 4 1 3"},
      {"a file is replaced", "a/x=1234 | a/x=12", "/a/x 4 1 2+"},
      {"twice, each by its own layer", "x=123 | x=12 | x=1", "/x 3 1 2+, /x 2 2 3+"},
      {"removed, and back again", "x=123 | .wh.x | x=1", "/x 3 1 2"},
      {"a whole directory", "a/x=12 a/b/y=123 | .wh.a", "/a/b/y 3 1 2, /a/x 2 1 2"},
      {"a directory becomes a link", "a/x=12 | a->b", "/a/x 2 1 2+"},
      {"an opaque directory hides what the new one lacks", "a/x=12 a/y=1 | a/.wh..wh..opq a/y=123",
       "/a/x 2 1 2, /a/y 1 1 2+"},
      {"an empty file weighs nothing", "x= | .wh.x", ""},
      {"a link weighs nothing", "x->y | .wh.x", ""},
      {"a hard link that is left keeps the bytes", "x=12 y=>x | .wh.x", ""},
      {"of hard links that are gone one weighs", "x=12 y=>x | .wh.x .wh.y", "/x 2 1 2"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.why);
    Shown shown = laid(c.layers);
    const std::size_t count = shown.stages.size() - 1;
    const auto layers = layers_of_image(std::vector<ImageLayer>(count), std::move(shown.stages));
    std::string found;
    for (const HiddenFile& file : layers->hidden()) {
      found += (found.empty() ? "" : ", ") + file.path + ' ' + std::to_string(file.size_bytes) + ' ' +
               std::to_string(file.number) + ' ' + std::to_string(file.by) + (file.is_replaced ? "+" : "");
    }
    CHECK(found == c.hidden);
  }
}
