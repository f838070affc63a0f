// What is read around a loader: its release, the cache, ld.so.preload; and which loader a file has.
#include "loader/system.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "support/cache_writer.h"
#include "support/elf_writer.h"
#include "unit/print_list.h"
#include "unit/read_elf.h"

using namespace soresolve;
using namespace soresolve::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view kLoader = "/lib64/ld-linux-x86-64.so.2";

/// A loader's file that says these strings.
std::string loader(const std::vector<std::string>& strings) {
  std::string bytes = write_elf(library().soname("ld-linux-x86-64.so.2"));
  bytes += '\0';
  for (const std::string& string : strings) bytes += string + '\0';
  return bytes;
}
std::string loader_2_36() {
  return loader(
      {"ld.so (x) stable release version 2.36.\n", "/lib64/", "/usr/lib64/", "lib64", "x86-64-v4:x86-64-v3:x86-64-v2"});
}

std::shared_ptr<MemoryFileSystem> tree() {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kLoader, loader_2_36());
  return files;
}

CacheSpec small_cache() {
  CacheSpec spec;
  spec.lines = {{"liba.so", "/d/liba.so"}};
  return spec;
}

/// Lets one file of another tree claim to be of any size.
class Inflated final : public FileSystem {
 public:
  Inflated(std::shared_ptr<const FileSystem> from, std::string path, std::uint64_t size)
      : from_(std::move(from)), path_(std::move(path)), size_(size) {}
  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    Result<std::unique_ptr<File>, Errno> file = from_->open(path);
    if (!file || path != path_) return file;
    FileStatus status = (*file)->status();
    status.size_bytes = size_;
    return std::unique_ptr<File>(std::make_unique<Claim>(status, std::move(*file)));
  }
  Result<FileStatus, Errno> status(std::string_view path) const override { return from_->status(path); }
  Result<std::string, Errno> real_path(std::string_view path) const override { return from_->real_path(path); }
  Result<std::string, Errno> read_link(std::string_view path) const override { return from_->read_link(path); }
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return from_->list_directory(path);
  }

 private:
  class Claim final : public File {
   public:
    Claim(FileStatus status, std::unique_ptr<File> file) : File(status), file_(std::move(file)) {}
    Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
      return file_->read_at(offset, into);
    }

   private:
    std::unique_ptr<File> file_;
  };
  std::shared_ptr<const FileSystem> from_;
  std::string path_;
  std::uint64_t size_;
};

}  // namespace

TEST_CASE("a loader says its release itself, by its file's name, or by the libc beside it") {
  struct Case {
    std::string why;
    std::string file;
    std::string name;
    std::string libc;
    std::string want;
    RuleSource source;
  };
  const std::vector<std::string> dirs = {"/lib64/", "/usr/lib64/", "lib64"};
  const std::string libc =
      write_elf(library().soname("libc.so.6")) + "GNU C Library (x) stable release version 2.32.\n";
  const Case cases[] = {
      {"itself", loader_2_36(), "ld-linux-x86-64.so.2", "", "2.36", RuleSource::LoaderFile},
      {"its name", loader(dirs), "ld-2.31.so", "", "2.31", RuleSource::FileName},
      {"the libc", loader(dirs), "ld.so", libc, "2.32", RuleSource::LibcFile},
      {"the name beats the libc", loader(dirs), "ld-2.31.so", libc, "2.31", RuleSource::FileName},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    auto files = std::make_shared<MemoryFileSystem>();
    files->add_file("/real/" + c.name, c.file);
    files->add_symlink(kLoader, "../real/" + c.name);
    if (!c.libc.empty()) files->add_file("/usr/lib64/libc.so.6", c.libc);
    const Result<System> system = read_system(files, kLoader);
    REQUIRE_MESSAGE(system.has_value(), system.error().to_string());
    CHECK(system->rules.version.to_string() == c.want);
    CHECK(system->rules.version_source == c.source);
    CHECK(system->loader_path == kLoader);
    CHECK(system->loader.soname == "ld-linux-x86-64.so.2");
  }
}

TEST_CASE("a release that is given replaces behaviour, not directories") {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kLoader, loader({"ld.so (x) release version 2.36.\n", "/lib/x/", "/usr/lib/x/", "lib/x"}));
  const Result<System> system = read_system(files, kLoader, {2, 41});
  REQUIRE(system.has_value());
  CHECK(system->rules.version.to_string() == "2.41");
  CHECK(system->rules.version_source == RuleSource::Override);
  CHECK(system->rules.always_lists_loader);
  CHECK(!system->rules.has_legacy_hwcaps);
  CHECK(system->rules.system_dirs == std::vector<std::string>{"/lib/x/", "/usr/lib/x/"});
  CHECK(system->rules.lib_token == "lib/x");
}

TEST_CASE("a loader that is absent, no ELF file or not glibc's is an error") {
  struct Case {
    std::string why;
    std::string content;
    ErrorCode code;
    std::string says;
  };
  const Case cases[] = {
      {"absent", "(absent)", ErrorCode::NoLoader, "No such file"},
      {"a text", "INPUT(ld.so)\n"s + std::string(100, ' '), ErrorCode::NotElf, "ELF"},
      {"no release", loader({"hello"}), ErrorCode::Unsupported, "release"},
      {"the libc", write_elf(library().soname("libc.so.6")) + "\0GNU C Library stable release version 2.36.\n"s,
       ErrorCode::Unsupported, "is a C library"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    auto files = std::make_shared<MemoryFileSystem>();
    if (c.content != "(absent)") files->add_file(kLoader, c.content);
    const Result<System> system = read_system(files, kLoader);
    REQUIRE(!system.has_value());
    CHECK(system.error().code == c.code);
    CHECK(system.error().path == kLoader);
    CHECK(system.error().message.find(c.says) != std::string::npos);
  }
}

TEST_CASE("a cache is used, absent, or ignored with a reason") {
  const auto plain = tree();
  Result<System> system = read_system(plain, kLoader);
  REQUIRE(system.has_value());
  CHECK(!system->has_cache);
  CHECK(!system->cache_problem);

  plain->add_file("/etc/ld.so.cache", write_cache(small_cache()));
  system = read_system(plain, kLoader);
  REQUIRE(system.has_value());
  CHECK(system->has_cache);
  CHECK(system->cache.lookup("liba.so", {}) == "/d/liba.so");
  CHECK(system->cache_status.has_value());

  plain->add_file("/etc/ld.so.cache", "damaged");
  system = read_system(plain, kLoader);
  REQUIRE(system.has_value());
  CHECK(!system->has_cache);
  REQUIRE(system->cache_problem.has_value());
  CHECK(system->cache_problem->code == ErrorCode::Malformed);

  plain->add_file("/etc/ld.so.cache", write_cache(small_cache()), 0);
  system = read_system(plain, kLoader);
  REQUIRE(system.has_value());
  REQUIRE(system->cache_problem.has_value());
  CHECK(system->cache_problem->code == ErrorCode::Unreadable);

  const auto directory = tree();
  directory->add_directory("/etc/ld.so.cache");
  system = read_system(directory, kLoader);
  REQUIRE(system.has_value());
  CHECK(!system->has_cache);
  CHECK(system->cache_problem.has_value());
}

TEST_CASE("ld.so.preload is kept as it is; a directory of that name is none") {
  const auto files = tree();
  CHECK(!read_system(files, kLoader)->preload_file.has_value());
  files->add_file("/etc/ld.so.preload", "/a.so # x\n");
  CHECK(read_system(files, kLoader)->preload_file == "/a.so # x\n");
  const auto directory = tree();
  directory->add_directory("/etc/ld.so.preload");
  CHECK(!read_system(directory, kLoader)->preload_file.has_value());
  CHECK(!read_system(directory, kLoader)->preload_problem.has_value());
}

TEST_CASE("a FIFO in the place of the cache or of ld.so.preload makes the loader wait, and that is told") {
  const auto files = tree();
  files->add_special("/etc/ld.so.cache", FileKind::Fifo);
  files->add_special("/etc/ld.so.preload", FileKind::Fifo);
  const Result<System> system = read_system(files, kLoader);
  REQUIRE(system.has_value());
  CHECK(!system->preload_file.has_value());
  for (const std::optional<Error>& problem : {system->cache_problem, system->preload_problem}) {
    REQUIRE(problem.has_value());
    CHECK(problem->message.find("waits for somebody to write") != std::string::npos);
  }
}

TEST_CASE("files that claim to be huge are not read") {
  const auto files = tree();
  files->add_file("/etc/ld.so.cache", write_cache(small_cache()));
  const auto huge_cache = std::make_shared<Inflated>(files, "/etc/ld.so.cache", kMaxCacheBytes + 1);
  const Result<System> system = read_system(huge_cache, kLoader);
  REQUIRE(system.has_value());
  CHECK(!system->has_cache);
  REQUIRE(system->cache_problem.has_value());
  CHECK(system->cache_problem->code == ErrorCode::LimitReached);

  const auto huge_loader = std::make_shared<Inflated>(files, std::string(kLoader), kMaxLoaderBytes + 1);
  const Result<System> no_loader = read_system(huge_loader, kLoader);
  REQUIRE(!no_loader.has_value());
  CHECK(no_loader.error().code == ErrorCode::LimitReached);
}

TEST_CASE("a file that shrinks while it is read is taken for what is left of it") {
  const auto files = tree();
  files->add_file("/etc/ld.so.cache", write_cache(small_cache()));
  const auto shrinking = std::make_shared<Inflated>(files, "/etc/ld.so.cache", 100000);
  const Result<System> system = read_system(shrinking, kLoader);
  REQUIRE(system.has_value());
  CHECK(system->has_cache);
  CHECK(system->cache.lookup("liba.so", {}) == "/d/liba.so");
}

TEST_CASE("a program names its loader, a library gets the known one of its machine") {
  MemoryFileSystem files;
  files.add_file("/lib/ld-linux-aarch64.so.1", "x");
  files.add_file("/lib/ld-linux-armhf.so.3", "x");
  files.add_file("/lib64/ld64.so.1", "x");
  struct Case {
    std::string why;
    ElfSpec spec;
    std::string want;
  };
  const auto machine = [](std::uint16_t number, Bits bits) {
    ElfSpec spec = library();
    spec.machine = number;
    spec.bits = bits;
    return spec;
  };
  ElfSpec own = library();
  own.interp = "/lib/ld-linux-aarch64.so.1";
  const Case cases[] = {
      {"PT_INTERP", own, "/lib/ld-linux-aarch64.so.1"},
      {"AArch64", machine(183, Bits::Elf64), "/lib/ld-linux-aarch64.so.1"},
      {"ARM", machine(40, Bits::Elf32), "/lib/ld-linux-armhf.so.3"},
      {"the second one that is known", machine(21, Bits::Elf64), "/lib64/ld64.so.1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Result<ElfObject> object = read_elf(write_elf(c.spec));
    REQUIRE(object.has_value());
    const Result<std::string> found = find_loader(files, *object, "/f");
    REQUIRE_MESSAGE(found.has_value(), found.error().to_string());
    CHECK(*found == c.want);
  }
}

TEST_CASE("the interpreter of a library that is not there is not its loader") {
  MemoryFileSystem files;
  files.add_file(kLoader, "");
  ElfSpec spec = library();
  spec.interp = "/nix/store/ld.so";
  const std::pair<const char*, std::string_view> cases[] = {{"/app/libplugin.so", kLoader},
                                                            {"/app/prog", "/nix/store/ld.so"}};
  for (const auto& [path, want] : cases) {
    const Result<ElfObject> object = read_elf(write_elf(spec));
    REQUIRE(object.has_value());
    const Result<std::string> found = find_loader(files, *object, path);
    REQUIRE(found.has_value());
    CHECK(*found == want);
  }
}

TEST_CASE("an ld.so.preload beyond the limit is an error, not an empty one") {
  const auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kLoader, loader_2_36());
  files->add_file("/etc/ld.so.preload", std::string(kMaxPreloadBytes + 1, ' '));
  const Result<System> system = read_system(files, kLoader);
  REQUIRE(!system.has_value());
  CHECK(system.error().code == ErrorCode::LimitReached);
  CHECK(system.error().path == "/etc/ld.so.preload");
  files->add_file("/etc/ld.so.preload", std::string(kMaxPreloadBytes, ' '));
  CHECK(read_system(files, kLoader).has_value());
}

TEST_CASE("without a loader the error names what was looked for") {
  const MemoryFileSystem files;
  const Result<ElfObject> object = read_elf(write_elf(library()));
  const Result<std::string> found = find_loader(files, *object, "/f");
  REQUIRE(!found.has_value());
  CHECK(found.error().code == ErrorCode::NoLoader);
  CHECK(found.error().path == "/f");
  CHECK(found.error().message.find(kLoader) != std::string::npos);
  ElfSpec odd = library();
  odd.machine = 999;
  const Result<ElfObject> unknown = read_elf(write_elf(odd));
  CHECK(find_loader(files, *unknown, "/f").error().code == ErrorCode::NoLoader);
}
