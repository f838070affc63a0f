// A process that may not open many files gets the same answer, or an error; never a wrong one.
#include <doctest/doctest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "loader/load.h"
#include "loader/system.h"
#include "support/borrowed.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

/// Another tree with a limit on the files that are open at a time, as RLIMIT_NOFILE sets one.
class LimitedFileSystem final : public FileSystem {
 public:
  LimitedFileSystem(const FileSystem& files, std::size_t limit) : files_(files), limit_(limit) {}

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    Result<std::unique_ptr<File>, Errno> file = files_.open(path);
    if (!file) return file;
    if (static_cast<std::size_t>(open_.use_count()) > limit_) {
      return Unexpected{static_cast<Errno>(EMFILE)};
    }
    return std::unique_ptr<File>(std::make_unique<CountedFile>(std::move(*file), open_));
  }
  Result<FileStatus, Errno> status(std::string_view path) const override { return files_.status(path); }
  Result<std::string, Errno> real_path(std::string_view path) const override { return files_.real_path(path); }
  Result<std::string, Errno> read_link(std::string_view path) const override { return files_.read_link(path); }
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return files_.list_directory(path);
  }

 private:
  class CountedFile final : public File {
   public:
    CountedFile(std::unique_ptr<File> file, std::shared_ptr<int> open)
        : File(file->status()), file_(std::move(file)), open_(std::move(open)) {}
    Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
      return file_->read_at(offset, into);
    }

   private:
    std::unique_ptr<File> file_;
    std::shared_ptr<int> open_;
  };

  const FileSystem& files_;
  std::size_t limit_;
  std::shared_ptr<int> open_ = std::make_shared<int>();  ///< one owner for each open file, and this
};

/// A program with a chain of 40 libraries, of which the last is missing.
MemorySystem chain() {
  MemorySystem system;
  system.program(program_needing({"lib0.so"}));
  for (int i = 0; i < 40; ++i) {
    system.elf("/lib64/lib" + std::to_string(i) + ".so", library_needing({"lib" + std::to_string(i + 1) + ".so"}));
  }
  return system;
}

Result<LinkMap> load_with(MemorySystem& memory, std::size_t limit, Attempts attempts) {
  System system;
  system.files = std::make_shared<LimitedFileSystem>(memory.files(), limit);
  system.loader_path = kInterp;
  system.loader.target = kX86_64;
  system.rules = memory.rules;
  LoadOptions options;
  options.attempts = attempts;
  return load(system, memory.process, kProgram, options);
}

}  // namespace

TEST_CASE("files that are kept open give way to those that are looked for") {
  MemorySystem memory = chain();
  for (const Attempts attempts : {Attempts::Discard, Attempts::Record}) {
    const Result<LinkMap> all = load_with(memory, 1000, attempts);
    REQUIRE(all.has_value());
    REQUIRE(listing(*all).back() == "lib40.so => not found");
    for (const std::size_t limit : {1, 2, 7, 40}) {
      CAPTURE(limit);
      const Result<LinkMap> map = load_with(memory, limit, attempts);
      REQUIRE(map.has_value());
      CHECK(listing(*map) == listing(*all));
      CHECK(messages(*map) == messages(*all));
      REQUIRE(map->traces.size() == all->traces.size());
      for (std::size_t i = 0; i < map->traces.size(); ++i) {
        CHECK(map->traces[i].attempts.size() == all->traces[i].attempts.size());
      }
    }
  }
}

TEST_CASE("a process that can open nothing more gets an error, not a missing library") {
  MemorySystem memory = chain();
  const Result<LinkMap> map = load_with(memory, 0, Attempts::Discard);
  REQUIRE(!map.has_value());
  CHECK(map.error().code == ErrorCode::Unreadable);
}
