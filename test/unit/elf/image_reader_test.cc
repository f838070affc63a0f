// Where a byte of memory comes from once the segments of a file are mapped
// (glibc elf/dl-map-segments.h:_dl_map_segments).
#include "elf/image_reader.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

using namespace soresolve;

namespace {

constexpr std::uint32_t kLoad = 1;

Segment segment(std::uint64_t vaddr, std::uint64_t offset, std::uint64_t file_bytes, std::uint64_t memory_bytes) {
  return {kLoad, 4, offset, Vaddr{vaddr}, file_bytes, memory_bytes, 0x1000};
}

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file of numbered lines of 16 bytes: "0000000000000010" at offset 0x10.
std::string numbered(std::size_t size) {
  std::string content;
  while (content.size() < size) {
    const std::string digits = std::to_string(content.size());
    content += std::string(16 - digits.size(), '0') + digits;
  }
  content.resize(size);
  return content;
}

std::unique_ptr<File> open(const std::string& content) {
  MemoryFileSystem files;
  files.add_file("/f", content);
  return std::move(*files.open("/f"));
}

}  // namespace

TEST_CASE("an address leads to the segment that covers it") {
  const std::unique_ptr<File> file = open("");
  ImageReader reader(*file);
  // Code, then data whose file part ends at 0x3210, with zeros up to 0x3500.
  reader.segments() = {segment(0x0, 0x0, 0x1100, 0x1100), segment(0x3010, 0x2010, 0x200, 0x4f0)};
  struct Case {
    std::string why;
    std::uint64_t address;
    bool is_mapped;
    std::uint64_t offset;
    std::uint64_t available;
    bool zero;
  };
  const Case cases[] = {
      {"the first byte", 0x0, true, 0x0, 0x1100, false},
      {"the last byte", 0x10ff, true, 0x10ff, 1, false},
      {"the rest of the last page is the file's", 0x1100, true, 0x1100, 0xf00, false},
      {"its end", 0x1fff, true, 0x1fff, 1, false},
      {"between the segments", 0x2000, false, 0, 0, false},
      {"the page begins before the segment", 0x3000, true, 0x2000, 0x10, false},
      {"the segment's start", 0x3010, true, 0x2010, 0x200, false},
      {"zeros behind its file part", 0x3210, true, 0, 0x2f0, true},
      {"the last zero", 0x34ff, true, 0, 1, true},
      {"behind the zeros", 0x4000, false, 0, 0, false},
      {"far away", ~std::uint64_t{0}, false, 0, 0, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::optional<ImageReader::Place> place = reader.locate(c.address);
    REQUIRE(place.has_value() == c.is_mapped);
    if (!place) continue;
    CHECK(place->is_zero_fill == c.zero);
    if (!c.zero) CHECK(place->file_offset == c.offset);
    CHECK(place->available == c.available);
  }
}

TEST_CASE("of overlapping segments the later one counts; other headers map nothing") {
  const std::unique_ptr<File> file = open("");
  ImageReader reader(*file);
  reader.segments() = {segment(0x0, 0x0, 0x3000, 0x3000), segment(0x1000, 0x5000, 0x1000, 0x1000)};
  CHECK(reader.locate(0x1800)->file_offset == 0x5800);
  CHECK(reader.locate(0x2800)->file_offset == 0x2800);
  reader.segments()[1].type = 2;  // PT_DYNAMIC
  CHECK(reader.locate(0x1800)->file_offset == 0x1800);
}

TEST_CASE("what an earlier segment has ends where a later one begins") {
  const std::unique_ptr<File> file = open("");
  ImageReader reader(*file);
  reader.segments() = {segment(0x0, 0x0, 0x5000, 0x5000), segment(0x1010, 0x8010, 0x100, 0x180),
                       segment(0x3000, 0x9000, 0x10, 0x1800)};
  struct Case {
    std::string why;
    std::uint64_t address;
    std::uint64_t offset;
    std::uint64_t available;
    bool is_zero;
  };
  const Case cases[] = {
      {"the earlier one", 0x800, 0x800, 0x800, false},
      {"the head of the later one's page", 0x1000, 0x8000, 0x10, false},
      {"its bytes", 0x1010, 0x8010, 0x100, false},
      {"its zeros", 0x1110, 0, 0x80, true},
      {"the rest of its page is the file's", 0x1190, 0x8190, 0xe70, false},
      {"the earlier one again", 0x2000, 0x2000, 0x1000, false},
      {"zeros beyond the page of the file's bytes go to the end of theirs", 0x3010, 0, 0x1ff0, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::optional<ImageReader::Place> place = reader.locate(c.address);
    REQUIRE(place);
    CHECK(place->is_zero_fill == c.is_zero);
    if (!c.is_zero) CHECK(place->file_offset == c.offset);
    CHECK(place->available == c.available);
  }
}

TEST_CASE("a view goes on in the next segment") {
  const std::string content = numbered(0x4000);
  const std::unique_ptr<File> file = open(content);
  ImageReader reader(*file);
  reader.segments() = {segment(0x0, 0x0, 0x1000, 0x1000), segment(0x1000, 0x3000, 0x800, 0x800),
                       segment(0x2000, 0x1000, 0x8, 0x20)};
  CHECK(text(reader.view(0xff0, 0x20)) == content.substr(0xff0, 0x10) + content.substr(0x3000, 0x10));
  CHECK(text(reader.view(0x10, 0x10)) == content.substr(0x10, 0x10));  // the window was of addresses
  const std::string want = content.substr(0x3ff8, 8) + content.substr(0x1000, 8) + std::string(0x18, '\0');
  CHECK(text(reader.view(0x1ff8, 0x28)) == want);
  CHECK(reader.view(0x2000, 0x2000).size() == 0x1000);
  CHECK(*reader.string_at(0x1ff8) == content.substr(0x3ff8, 8) + content.substr(0x1000, 8));
}

TEST_CASE("a view gives the bytes at an address, as many as lie together") {
  const std::string content = numbered(0x9000);
  const std::unique_ptr<File> file = open(content);
  ImageReader reader(*file);
  reader.segments() = {segment(0x10000, 0x0, 0x8000, 0x8000), segment(0x20000, 0x8000, 0x800, 0x2000)};
  struct Case {
    std::string why;
    std::uint64_t address;
    std::size_t wanted;
    std::string want;
  };
  const Case cases[] = {
      {"in the head of the file", 0x10010, 16, content.substr(0x10, 16)},
      {"over the end of the head", 0x10ff8, 32, content.substr(0xff8, 32)},
      {"far behind it", 0x17000, 64, content.substr(0x7000, 64)},
      {"back again", 0x11000, 16, content.substr(0x1000, 16)},
      {"another segment", 0x20000, 16, content.substr(0x8000, 16)},
      {"its file part, and the zeros behind it", 0x207f0, 32, content.substr(0x87f0, 16) + std::string(16, '\0')},
      {"zeros behind it", 0x20800, 4, std::string(4, '\0')},
      {"nothing mapped", 0x30000, 16, ""},
      {"no bytes", 0x10010, 0, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(text(reader.view(c.address, c.wanted)) == c.want);
    CHECK(text(reader.view(c.address, c.wanted, 4096)) == c.want);
  }
}

TEST_CASE("behind the end of the file come zeros up to the end of its page, then nothing") {
  const std::unique_ptr<File> file = open(numbered(0x1100));
  ImageReader reader(*file);
  reader.segments() = {segment(0x0, 0x0, 0x5000, 0x5000)};
  CHECK(text(reader.view(0x10f0, 16)) == "0000000000004336");
  CHECK(text(reader.view(0x1100, 8)) == std::string(8, '\0'));
  CHECK(text(reader.view(0x1ffc, 8)) == std::string(4, '\0'));
  CHECK(reader.view(0x2000, 8).empty());
  CHECK(reader.view(0x2008, 8).empty());
  CHECK(reader.view(0x4ff8, 8).empty());
}

TEST_CASE("a segment at the end of the address space wraps nothing") {
  const std::unique_ptr<File> file = open(numbered(0x1000));
  ImageReader reader(*file);
  reader.segments() = {segment(~std::uint64_t{0} - 0xfff, 0x0, 0x1000, 0x1000)};
  CHECK(text(reader.view(~std::uint64_t{0} - 0xfff, 16)) == "0000000000000000");
  CHECK(!reader.locate(0x0).has_value());
  reader.segments() = {segment(0x1000, 0x0, ~std::uint64_t{0}, ~std::uint64_t{0})};
  CHECK(text(reader.view(0x1010, 16)) == "0000000000000016");
  CHECK(reader.view(~std::uint64_t{0}, 16).empty());
  // Zeros up to the last byte: nothing is behind it, and a reader must not go on there.
  reader.segments() = {segment(0x18, 0x0, 0x10, ~std::uint64_t{0} - 0xfff)};
  CHECK(reader.view(~std::uint64_t{0}, 16).empty());
  CHECK(text(reader.view(~std::uint64_t{0} - 7, 16)) == std::string(7, '\0'));
}

TEST_CASE("program headers are read wherever the table lies") {
  // A table of 300 entries behind the head buffer: larger than one chunk of reading.
  std::string content(8192, '\0');
  for (unsigned i = 0; i < 300; ++i) {
    std::string entry(56, '\0');
    entry[0] = 6;
    entry[16] = static_cast<char>(i);
    entry[17] = static_cast<char>(i >> 8);
    content += entry;
  }
  const std::unique_ptr<File> file = open(content);
  ImageReader reader(*file);
  ElfHeader header;
  header.program_header_offset = 8192;
  header.program_header_bytes = 56;
  header.program_header_count = 300;
  CHECK(reader.read_segments(header, ElfClass::Elf64, std::endian::little).complete);
  REQUIRE(reader.segments().size() == 300);
  for (unsigned i = 0; i < 300; ++i) {
    CHECK(static_cast<std::uint64_t>(reader.segments()[i].vaddr) == i);
  }
  header.program_header_count = 301;
  CHECK(!reader.read_segments(header, ElfClass::Elf64, std::endian::little).complete);
}
