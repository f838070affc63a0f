// Reading by address through a region and windows gives what the file has, wherever one looks.
#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <string>

#include "elf/table_reader.h"
#include "support/random.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr std::uint64_t kBase = 0x10000;  ///< address of the file's first byte

/// A file of random bytes, mapped as a whole, with zero-filled memory behind it.
struct Image {
  explicit Image(std::size_t size, std::uint64_t zeros = 0) {
    Random random(size);
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random.below(255) + 1);
    files.add_file("/f", bytes);
    file = std::move(files.open("/f")).value();
    Segment segment;
    segment.type = PT_LOAD;
    segment.vaddr = Vaddr{kBase};
    segment.file_bytes = size;
    segment.memory_bytes = size + zeros;
    object.segments = {segment};
  }
  std::string bytes;
  MemoryFileSystem files;
  std::unique_ptr<File> file;
  ElfObject object;
};

/// What is mapped of `size` bytes from `at` on: behind the end of the file the rest of its page, in zeros.
std::string mapped(const Image& image, std::size_t at, std::size_t size) {
  std::string bytes = image.bytes + std::string((4096 - image.bytes.size() % 4096) % 4096, '\0');
  return bytes.substr(at, size);
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("a table goes on in the next segment, wherever that has its bytes from") {
  Image image(0x6000);
  const auto load = [](std::uint64_t vaddr, std::uint64_t offset, std::uint64_t bytes) {
    Segment segment;
    segment.type = PT_LOAD;
    segment.vaddr = Vaddr{vaddr};
    segment.file_offset = offset;
    segment.file_bytes = segment.memory_bytes = bytes;
    return segment;
  };
  image.object.segments = {load(kBase, 0, 0x2000), load(kBase + 0x2000, 0x4000, 0x1000), load(kBase + 0x3000, 0, 0x10)};
  TableScratch scratch;
  TableReader reader(*image.file, image.object, scratch);
  const std::string want =
      image.bytes.substr(0x1ff0, 0x10) + image.bytes.substr(0x4000, 0x1000) + image.bytes.substr(0, 8);
  const auto bytes = reader.view(TableReader::Table::Strings, kBase + 0x1ff0, want.size());
  CHECK(text_of(bytes) == want);
  CHECK(filled_bytes(reader.image(), kBase + 0x1ff0, want.size()) == want.size());
  CHECK(filled_bytes(reader.image(), kBase, 0x100000) == 0x4000);
}

TEST_CASE("views are the bytes of the file, with a region before them or without") {
  for (const bool has_region : {false, true}) {
    CAPTURE(has_region);
    Image image(300000);
    if (has_region) {
      image.object.symbol_tags.gnu_hash = Vaddr{kBase + 1000};
      image.object.symbol_tags.string_table = Vaddr{kBase + 90000};
    }
    TableScratch scratch;
    TableReader reader(*image.file, image.object, scratch);
    Random random(7);
    for (int i = 0; i < 3000; ++i) {
      const std::size_t at = random.below(image.bytes.size());
      const std::size_t size = random.below(200) + 1;
      const auto table = static_cast<TableReader::Table>(random.below(6));
      const auto bytes = reader.view(table, kBase + at, size, random.below(3) * 40000);
      const std::string want = mapped(image, at, size);
      REQUIRE(text_of(bytes) == want);
      REQUIRE(reader.file_offset_of(table, kBase + at) == at);
      REQUIRE(text_of(reader.in_window(table, kBase + at, size)) == want);
    }
  }
}

TEST_CASE("what is read ahead for versions changes no byte") {
  struct Case {
    const char* why;
    std::uint64_t strings;
    std::uint64_t indices;
    std::uint64_t needs;
    std::uint64_t defs;
  };
  const Case cases[] = {
      {"as GNU ld has it", 1000, 90000, 91000, 92000},
      {"versions before the strings, as lld has it", 40000, 1000, 2000, 2500},
      {"near the beginning of the file", 10, 300, 700, 0},
      {"too far apart for one piece", 1000, 2000, 200000, 100},
      {"at the end of the file", 1000, 298000, 299990, 0},
      {"behind the end", 1000, 298000, 400000, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Image image(300000);
    SymbolTags& tags = image.object.symbol_tags;
    tags.string_table = Vaddr{kBase + c.strings};
    tags.version_index = Vaddr{kBase + c.indices};
    tags.version_needs = Vaddr{kBase + c.needs};
    if (c.defs != 0) tags.version_defs = Vaddr{kBase + c.defs};
    TableScratch scratch;
    TableReader reader(*image.file, image.object, scratch, TableReader::Purpose::Versions);
    Random random(11);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t around = random.pick(std::vector<std::uint64_t>{c.strings, c.indices, c.needs, c.defs});
      const std::size_t at = std::min<std::size_t>(around + random.below(3000), image.bytes.size() - 1);
      const std::size_t size = random.below(40) + 1;
      const auto table = random.chance(50) ? TableReader::Table::Versions : TableReader::Table::Strings;
      REQUIRE(text_of(reader.view(table, kBase + at, size, random.below(2) * 4096)) == mapped(image, at, size));
      REQUIRE(reader.file_offset_of(table, kBase + at) == at);
    }
  }
}

TEST_CASE("what is not mapped has no bytes, what is only claimed costs no memory") {
  struct Case {
    const char* why;
    std::uint64_t address;
    std::size_t size;
    std::size_t want;
  };
  const Case cases[] = {
      {"before the segment's page", kBase - 4097, 8, 0},          {"far away", 0x7fff00000000, 8, 0},
      {"across the end of the file", kBase + 4990, 100, 100},     {"in the zeros behind it", kBase + 6000, 16, 16},
      {"more than there is", kBase, std::size_t{1} << 40, 12288},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Image image(5000, 4096);
    TableScratch scratch;
    TableReader reader(*image.file, image.object, scratch);
    CHECK(reader.view(TableReader::Table::Hash, c.address, c.size).size() == c.want);
  }
}

TEST_CASE("strings are found through windows and across them") {
  Image image(200000);
  Random random(3);
  for (int i = 0; i < 400; ++i) image.bytes[random.below(image.bytes.size())] = '\0';
  image.bytes.back() = '\0';
  image.files.add_file("/f", image.bytes);
  image.file = std::move(image.files.open("/f")).value();
  TableScratch scratch;
  TableReader reader(*image.file, image.object, scratch);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t at = random.below(image.bytes.size());
    if (random.chance(30)) {
      const std::size_t last = std::min(at + random.below(40000), image.bytes.size() - 1);
      reader.bring_strings(kBase + at, kBase + last);
    }
    const auto text = reader.string_at(kBase + at);
    REQUIRE(text.has_value());
    REQUIRE(*text == image.bytes.c_str() + at);
  }
}
