// Tables of symbols and versions that lie: an error with the place, in little time and memory.
//
// The files are those of test/fixtures/version_nodes, with single numbers changed.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

#include "base/limits.h"
#include "soresolve/symbols.h"
#include "support/elf_writer.h"

using namespace soresolve;

namespace {

std::string read_bytes(const std::string& name) {
  std::ifstream in(std::string(SORESOLVE_FIXTURES) + "/version_nodes/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<VersionedLibrary> read_versions(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/f", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  Result<ElfObject> object = ElfObject::read(**file, "/f");
  if (!object) return Unexpected{std::move(object).error()};
  return read_versioned_library(**file, *object, "/f");
}

/// Where the tables of a file stand. Its first segment begins at address 0 and offset 0.
struct Places {
  std::uint64_t strings, symbols, sysv_hash, gnu_hash, versym, verdef, verneed;
};
Places places_of(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/f", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  const Result<ElfObject> object = ElfObject::read(**file, "/f");
  REQUIRE(object.has_value());
  const SymbolTags& tags = object->symbol_tags;
  const auto offset = [](const std::optional<Vaddr>& tag) { return static_cast<std::uint64_t>(tag.value_or(Vaddr{})); };
  return {offset(tags.string_table),  offset(tags.symbol_table), offset(tags.sysv_hash),    offset(tags.gnu_hash),
          offset(tags.version_index), offset(tags.version_defs), offset(tags.version_needs)};
}

void put32(std::string& bytes, std::uint64_t at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
}
std::uint32_t get32(const std::string& bytes, std::uint64_t at) {
  std::uint32_t value = 0;
  for (int i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Gives the segment that holds the file's end a huge tail of zeros.
void grow_last_segment(std::string& bytes) {
  std::uint64_t at = get32(bytes, 32);
  std::uint64_t last = 0;
  for (int i = static_cast<unsigned char>(bytes[56]); i > 0; --i, at += 56) {
    if (get32(bytes, at) == 1) last = at;
  }
  put32(bytes, last + 40 + 4, 0x1000);  // p_memsz, high word
}

}  // namespace

TEST_CASE("a table that lies is refused with its place, at once") {
  struct Case {
    const char* why;
    const char* file;
    std::function<void(std::string&, const Places&)> damage;
    ErrorCode code;
    std::function<std::uint64_t(const std::string&, const Places&)> offset;
  };
  const auto verdef = [](const std::string&, const Places& at) { return at.verdef; };
  const auto verneed = [](const std::string&, const Places& at) { return at.verneed; };
  const auto verdaux = [](const std::string& bytes, const Places& at) {
    return at.verdef + get32(bytes, at.verdef + 12);
  };
  const auto vernaux = [](const std::string& bytes, const Places& at) {
    return at.verneed + get32(bytes, at.verneed + 8);
  };
  const auto gnu_hash = [](const std::string&, const Places& at) { return at.gnu_hash; };
  const auto symbols = [](const std::string&, const Places& at) { return at.symbols; };
  const auto strings = [](const std::string&, const Places& at) { return at.strings; };
  const char* const provider = "libp_second.so";
  const char* const needer = "consumer.so";
  const Case cases[] = {
      {"a verdef record outside", provider,
       [](std::string& b, const Places& at) { put32(b, at.verdef + 16, 0x7fffff00); }, ErrorCode::Malformed, verdaux},
      {"verdaux entries without end", provider,
       [&](std::string& b, const Places& at) { put32(b, verdaux(b, at) + 4, 0x7fffff00); }, ErrorCode::Malformed,
       verdaux},
      {"the name of a verdef outside", provider,
       [&](std::string& b, const Places& at) { put32(b, verdaux(b, at), 0x7fffff00); }, ErrorCode::Malformed, verdaux},
      {"the names of a verdef outside", provider,
       [](std::string& b, const Places& at) { put32(b, at.verdef + 12, 0x7fffff00); }, ErrorCode::Malformed, verdef},
      {"the file of a verneed record outside", needer,
       [](std::string& b, const Places& at) { put32(b, at.verneed + 4, 0x7fffff00); }, ErrorCode::Malformed, nullptr},
      {"the version of a vernaux entry outside", needer,
       [&](std::string& b, const Places& at) { put32(b, vernaux(b, at) + 8, 0x7fffff00); }, ErrorCode::Malformed,
       vernaux},
      {"the entries of a verneed record outside", needer,
       [](std::string& b, const Places& at) { put32(b, at.verneed + 8, 0x7fffff00); }, ErrorCode::Malformed, verneed},
      {"a DT_HASH that announces more symbols than the file holds", needer,
       [](std::string& b, const Places& at) { put32(b, at.sysv_hash + 4, 0x7fffffff); }, ErrorCode::Malformed, symbols},
      {"a DT_HASH that announces more symbols than there are: what follows in memory is read as some", needer,
       [](std::string& b, const Places& at) { put32(b, at.sysv_hash + 4, get32(b, at.sysv_hash + 4) + 16); },
       ErrorCode::Malformed, strings},
      {"more hash buckets than mapped", provider,
       [](std::string& b, const Places& at) { put32(b, at.gnu_hash, 0x100000); }, ErrorCode::Malformed, gnu_hash},
      {"four thousand million buckets in a segment of zeros", provider,
       [](std::string& b, const Places& at) {
         grow_last_segment(b);
         put32(b, at.gnu_hash, 0xffffffff);
       },
       ErrorCode::Malformed, gnu_hash},
      {"a bloom filter that reaches beyond the file", provider,
       [](std::string& b, const Places& at) { put32(b, at.gnu_hash + 8, 0x10000000); }, ErrorCode::Malformed, gnu_hash},
      {"a bucket that leads to a symbol that cannot be", provider,
       [](std::string& b, const Places& at) { put32(b, at.gnu_hash + 16 + 8 * get32(b, at.gnu_hash + 8), 0x7ffffff0); },
       ErrorCode::Malformed, gnu_hash},
      {"a chain that goes on in a segment of zeros", provider,
       [](std::string& b, const Places& at) {
         grow_last_segment(b);
         put32(b, at.gnu_hash + 16 + 8 * get32(b, at.gnu_hash + 8), 0x7ffffff0);
       },
       ErrorCode::Malformed, gnu_hash},
      {"a symbol name outside", provider,
       [](std::string& b, const Places& at) { put32(b, at.symbols + 24, 0x7fffff00); }, ErrorCode::Malformed, strings},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    std::string bytes = read_bytes(c.file);
    const Places at = places_of(bytes);
    REQUIRE(read_versions(bytes).has_value());
    c.damage(bytes, at);
    const Result<VersionedLibrary> got = read_versions(bytes);
    REQUIRE(!got.has_value());
    CAPTURE(got.error().to_string());
    CHECK(got.error().code == c.code);
    if (c.offset) CHECK(got.error().offset == c.offset(bytes, at));
  }
}

TEST_CASE("records and names have a limit") {
  test::ElfSpec many = test::library();
  many.version_needs = {{"libv.so", {}}};
  many.version_needs[0].versions.assign(kMaxVersionRecords, {"V"});
  test::ElfSpec longs = test::library();
  for (char c = 'a'; c <= 'z'; ++c) {
    longs.version_definitions.push_back({std::string(kMaxStringBytes - 1, c)});
  }
  struct Case {
    const char* why;
    const test::ElfSpec* spec;
  };
  const Case cases[] = {{"more records than indices", &many}, {"26 names of a MiB", &longs}};
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Result<VersionedLibrary> got = read_versions(write_elf(*c.spec));
    REQUIRE(!got.has_value());
    CAPTURE(got.error().to_string());
    CHECK(got.error().code == ErrorCode::LimitReached);
    CHECK(got.error().offset.has_value());
  }
}

// A comparison of each with each would last minutes: the runner ends it.
TEST_CASE("many definitions of one name are compared in little time") {
  const std::string source = read_bytes("libp_second.so");
  const Result<VersionedLibrary> library = read_versions(source);
  REQUIRE(library.has_value());
  VersionedLibrary old, now;
  for (VersionedLibrary* const one : {&old, &now}) {
    one->symbols.has_versions = true;
    for (std::uint16_t i = 2; i < 0x7fff; ++i) {
      DynamicSymbol symbol = library->symbols.symbols.back();
      symbol.name = "f";
      symbol.version = i;
      one->symbols.symbols.push_back(symbol);
      VersionDef def;
      def.name = one == &old ? "OLD" : "NEW";
      def.index = i;
      def.hash = i;
      one->versions.defs.push_back(def);
    }
    one->symbol_counts.assign(one->versions.defs.size(), 1);
  }
  const LibraryDiff diff = compare_libraries(old, now);
  CHECK(diff.changes.size() == 0x7ffd);
}
