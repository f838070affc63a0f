// A tree that is taken to stand still: the same answers as of the tree itself, each asked for once.
#include <doctest/doctest.h>

#include <cerrno>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/overlay_file_system.h"
#include "base/steady_file_system.h"
#include "file_answers.h"

using namespace soresolve;
using soresolve::test::content;
using soresolve::test::errno_of;

namespace {

/// Counts what is asked of it.
class CountedFiles final : public FileSystem {
 public:
  struct Counts {
    unsigned opens = 0, reads = 0, statuses = 0, links = 0, paths = 0, mounts = 0;
  };

  class Counted final : public File {
   public:
    Counted(std::unique_ptr<File> file, Counts& counts, std::size_t most)
        : File(file->status()), file_(std::move(file)), counts_(counts), most_(most) {}
    Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
      ++counts_.reads;
      return file_->read_at(offset, into);
    }
    [[nodiscard]] std::size_t readable(std::uint64_t offset, std::size_t wanted) const override {
      return offset >= most_ ? 0 : std::min(wanted, most_ - static_cast<std::size_t>(offset));
    }
    [[nodiscard]] bool is_on_noexec() const override {
      ++counts_.mounts;
      return true;
    }

   private:
    std::unique_ptr<File> file_;
    Counts& counts_;
    std::size_t most_;
  };

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    ++counts.opens;
    if (refusal != Errno::None) return Unexpected{refusal};
    Result<std::unique_ptr<File>, Errno> file = tree.open(path);
    if (!file) return file;
    return std::unique_ptr<File>(std::make_unique<Counted>(std::move(file).value(), counts, most_readable));
  }
  Result<FileStatus, Errno> status(std::string_view path) const override {
    ++counts.statuses;
    return tree.status(path);
  }
  Result<std::string, Errno> real_path(std::string_view path) const override {
    ++counts.paths;
    return tree.real_path(path);
  }
  Result<std::string, Errno> read_link(std::string_view path) const override {
    ++counts.links;
    return tree.read_link(path);
  }
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return tree.list_directory(path);
  }

  MemoryFileSystem tree;
  Errno refusal = Errno::None;
  std::size_t most_readable = ~std::size_t{0};
  mutable Counts counts;
};

std::string text_of(const Result<std::string, Errno>& answer) { return answer ? *answer : errno_of(answer.error()); }

std::shared_ptr<CountedFiles> some_files() {
  const auto files = std::make_shared<CountedFiles>();
  files->tree.add_file("/lib/a", "content of a");
  files->tree.add_file("/lib/b", "content of b");
  files->tree.add_symlink("/lib/link", "a");
  files->tree.add_special("/lib/fifo", FileKind::Fifo);
  return files;
}

}  // namespace

TEST_CASE("each question is asked once") {
  const auto files = some_files();
  const auto steady = steady_files(files, std::make_shared<KnownTree>());
  for (int i = 0; i < 5; ++i) {
    CHECK(content(*steady, "/lib/a") == "content of a");
    CHECK(content(*steady, "/lib/none") == errno_of(ENOENT));
    CHECK(content(*steady, "/lib/a/none") == errno_of(ENOTDIR));
    CHECK(steady->status("/lib/b").has_value());
    CHECK(text_of(steady->real_path("/lib/link")) == "/lib/a");
    CHECK(text_of(steady->read_link("/lib/link")) == "a");
    CHECK(text_of(steady->read_link("/lib/a")) == errno_of(EINVAL));
  }
  // A file that is opened twice is read twice; from then on it is known.
  CHECK(files->counts.opens == 4);
  CHECK(files->counts.reads == 2);
  CHECK(files->counts.statuses == 1);
  CHECK(files->counts.paths == 1);
  CHECK(files->counts.links == 2);
}

TEST_CASE("how a file is mounted is asked once, and each file for itself") {
  const auto files = some_files();
  const auto steady = steady_files(files, std::make_shared<KnownTree>());
  for (int i = 0; i < 3; ++i) {
    CHECK((*steady->open("/lib/a"))->is_on_noexec());
    CHECK((*steady->open("/lib/b"))->is_on_noexec());
    CHECK_FALSE((*steady->open("/lib/a"))->is_on_nosuid());
  }
  CHECK(files->counts.mounts == 2);
}

TEST_CASE("what lies in the process or is no regular file is asked anew") {
  const auto files = some_files();
  const auto steady = steady_files(files, std::make_shared<KnownTree>());
  for (const int refusal : {EMFILE, EACCES, EIO}) {
    files->refusal = static_cast<Errno>(refusal);
    CHECK(content(*steady, "/lib/a") == errno_of(refusal));
  }
  files->refusal = Errno::None;
  CHECK(content(*steady, "/lib/a") == "content of a");
  const unsigned opens = files->counts.opens;
  CHECK((*steady->open("/lib/fifo"))->status().kind == FileKind::Fifo);
  CHECK((*steady->open("/lib/fifo"))->status().kind == FileKind::Fifo);
  CHECK(files->counts.opens == opens + 2);
}

TEST_CASE("a file that has become another one is not mixed with it") {
  const auto files = some_files();
  const auto steady = steady_files(files, std::make_shared<KnownTree>());
  const auto first = steady->open("/lib/a");
  files->tree.add_file("/lib/a", "another");
  CHECK(content(*steady, "/lib/a") == "read " + errno_of(ESTALE));
  // Who has it open still reads what it was.
  std::vector<std::byte> bytes(7);
  CHECK((*first)->read_at(0, bytes).value() == 7);
  CHECK(static_cast<char>(bytes[0]) == 'c');
}

TEST_CASE("of a file that is known in parts no more can be read when it is opened again") {
  const auto files = some_files();
  files->most_readable = 4;
  const auto steady = steady_files(files, std::make_shared<KnownTree>());
  for (int i = 0; i < 3; ++i) {
    const auto file = steady->open("/lib/a");
    CHECK((*file)->readable(0, 100) == 4);
    CHECK((*file)->readable(2, 100) == 2);
  }
}

TEST_CASE("files of an overlay on top are told apart from those of an overlay below") {
  const auto below = std::make_shared<OverlayFileSystem>(some_files());
  REQUIRE(below->add_file("/new", "below") == Errno::None);
  OverlayFileSystem above(steady_files(below, std::make_shared<KnownTree>()));
  REQUIRE(above.add_file("/newer", "above") == Errno::None);
  CHECK(above.status("/new")->id != above.status("/newer")->id);
  CHECK(content(above, "/new") == "below");
}

TEST_CASE("without room everything is asked for anew, with the same answers") {
  const auto files = some_files();
  const auto steady = steady_files(files, std::make_shared<KnownTree>(0));
  for (int i = 0; i < 3; ++i) {
    CHECK(content(*steady, "/lib/a") == "content of a");
    CHECK(text_of(steady->read_link("/lib/link")) == "a");
  }
  CHECK(files->counts.opens == 3);
  CHECK(files->counts.links == 3);
}

TEST_CASE("generated questions are answered as by the tree, with any bound and from several threads") {
  MemoryFileSystem tree;
  std::vector<std::string> paths;
  for (int i = 0; i < 12; ++i) {
    std::string text;
    for (int k = 0; k < 40 * i; ++k) text += static_cast<char>('a' + (i + k) % 26);
    paths.push_back("/d" + std::to_string(i % 3) + "/f" + std::to_string(i));
    if (i % 4 == 3)
      tree.add_symlink(paths.back(), paths[static_cast<std::size_t>(i) / 2]);
    else
      tree.add_file(paths.back(), text);
  }
  for (const char* const path : {"/d0", "/none", "/d0/f0/none", "/d1/../d0/f0"}) paths.push_back(path);
  const std::shared_ptr<const FileSystem> files(&tree, [](const FileSystem*) {});
  for (const std::size_t max_bytes : {std::size_t{0}, std::size_t{700}, std::size_t{5000}, std::size_t{1} << 20}) {
    const auto steady = steady_files(files, std::make_shared<KnownTree>(max_bytes));
    const auto ask = [&](unsigned seed) {
      std::mt19937 random(seed);
      std::string differences;
      for (int i = 0; i < 2000; ++i) {
        const std::string& path = paths[random() % paths.size()];
        const std::uint64_t offset = random() % 3 * 100;
        const std::size_t size = random() % 3 * 64 + 1;
        const auto read = [&](const FileSystem& from) {
          const auto file = from.open(path);
          if (!file) return errno_of(file.error());
          std::string bytes(size, '\0');
          const auto got = (*file)->read_at(offset, std::as_writable_bytes(std::span(bytes)));
          return got ? bytes.substr(0, *got) : errno_of(got.error());
        };
        const auto say = [&](const FileSystem& from) {
          const auto status = from.status(path);
          return (status ? std::to_string(status->id.inode) : errno_of(status.error())) + " " +
                 text_of(from.real_path(path)) + " " + text_of(from.read_link(path)) + " " + read(from);
        };
        if (say(*steady) != say(tree)) differences += path + "\n";
      }
      return differences;
    };
    std::vector<std::string> differences(3);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < differences.size(); ++i) {
      threads.emplace_back([&, i] { differences[i] = ask(static_cast<unsigned>(max_bytes) + i); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& difference : differences) CHECK(difference == "");
  }
}
