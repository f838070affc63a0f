// Files that cannot be read: why, and where. Each refusal names the place of what is wrong.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/limits.h"
#include "support/elf_writer.h"
#include "unit/read_elf.h"

using namespace soresolve;
using namespace soresolve::test;
using namespace std::string_literals;

namespace {

constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

void check_refused(const Result<ElfObject>& object, ErrorCode code, std::uint64_t offset) {
  REQUIRE(!object.has_value());
  CAPTURE(object.error().to_string());
  CHECK(object.error().code == code);
  CHECK(object.error().path == "/f");
  CHECK(object.error().offset.value_or(kNoOffset) == offset);
  CHECK(!object.error().message.empty());
}

std::string good() { return write_elf(library().soname("libx.so").needed("liba.so")); }

std::string with(std::string bytes, std::size_t offset, std::string_view patch) {
  return bytes.replace(offset, patch.size(), patch);
}

std::uint64_t number_at(const std::string& bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

std::string as_bytes(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

// Of a library: PT_LOAD is the first program header, PT_DYNAMIC the second.
constexpr std::size_t kLoadHeader = 64;
constexpr std::size_t kDynamic = 64 + 56;
constexpr std::size_t kVaddr = 16;
constexpr std::size_t kFileBytes = 32;
constexpr std::size_t kMemoryBytes = 40;

/// Where the entry with `tag` of the dynamic section lies in the file.
std::size_t find_tag(const std::string& bytes, std::uint64_t tag) {
  std::size_t at = number_at(bytes, kDynamic + 8);
  while (number_at(bytes, at) != tag) {
    REQUIRE(number_at(bytes, at) != 0);
    at += 16;
  }
  return at;
}
constexpr std::uint64_t kDtNeeded = 1;
constexpr std::uint64_t kDtStrtab = 5;
constexpr std::uint64_t kDtVerneed = 0x6ffffffe;

}  // namespace

TEST_CASE("an ELF header has to be there, whole and of a known kind") {
  ElfSpec elf32 = library();
  elf32.bits = Bits::Elf32;
  elf32.machine = kEm386;
  const std::string small = write_elf(elf32);
  struct Case {
    std::string why;
    std::string bytes;
    ErrorCode code;
    std::uint64_t offset;
  };
  const Case cases[] = {
      {"empty", "", ErrorCode::Truncated, 0},
      {"three bytes of the magic",
       "\x7f"
       "EL",
       ErrorCode::NotElf, 0},
      {"a text", "INPUT(libx.so)\n", ErrorCode::NotElf, 0},
      {"a script", "#!/bin/sh\nexit 0\n"s + std::string(100, '#'), ErrorCode::NotElf, 0},
      {"one wrong byte of the magic", with(good(), 3, "f"), ErrorCode::NotElf, 0},
      {"the magic alone", good().substr(0, 4), ErrorCode::Truncated, 4},
      {"most of e_ident", good().substr(0, 15), ErrorCode::Truncated, 15},
      {"e_ident alone", good().substr(0, 16), ErrorCode::Truncated, 16},
      {"63 bytes of 64", good().substr(0, 63), ErrorCode::Truncated, 63},
      {"51 bytes of 52", small.substr(0, 51), ErrorCode::Truncated, 51},
      {"class 0", with(good(), 4, "\0"s), ErrorCode::Malformed, 4},
      {"class 9", with(good(), 4, "\x09"), ErrorCode::Malformed, 4},
      {"byte order 0", with(good(), 5, "\0"s), ErrorCode::Malformed, 5},
      {"byte order 3", with(good(), 5, "\x03"), ErrorCode::Malformed, 5},
      {"program headers of 57 bytes", with(good(), 54, "\x39"), ErrorCode::Malformed, 54},
      {"of 33 bytes, 32-bit", with(small, 42, "\x21"), ErrorCode::Malformed, 42},
      {"program headers past the end", with(good(), 32, as_bytes(0x10000)), ErrorCode::Truncated, 0x10000},
      {"at the largest offset", with(good(), 32, as_bytes(~std::uint64_t{0})), ErrorCode::Truncated, ~std::uint64_t{0}},
      {"65535 program headers", with(good(), 56, "\xff\xff"), ErrorCode::Truncated, 64},
      {"the last header cut off", good().substr(0, 64 + 3 * 56 - 1), ErrorCode::Truncated, 64},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    check_refused(read_elf(c.bytes), c.code, c.offset);
  }
}

TEST_CASE("only regular files are ELF files") {
  MemoryFileSystem files;
  files.add_directory("/d");
  files.add_special("/fifo", FileKind::Fifo);
  files.add_special("/device", FileKind::Device);
  for (const std::string path : {"/d", "/fifo", "/device"}) {
    CAPTURE(path);
    const Result<std::unique_ptr<File>, Errno> file = files.open(path);
    REQUIRE(file.has_value());
    const Result<ElfObject> object = ElfObject::read(**file, path);
    REQUIRE(!object.has_value());
    CHECK(object.error().code == ErrorCode::NotElf);
    CHECK(object.error().path == path);
  }
}

TEST_CASE("no program headers at all are no reason to refuse") {
  const Result<ElfObject> object = read_elf(with(good(), 56, "\0\0"s));
  REQUIRE(object.has_value());
  CHECK(object->segments.empty());
  CHECK(!object->has_dynamic);
}

TEST_CASE("PT_INTERP is a string of 1 to 4095 bytes with its NUL, inside the file") {
  const std::string program = write_elf(test::program());
  constexpr std::size_t interp = 64 + 56;  // behind PT_PHDR
  const std::uint64_t offset = number_at(program, interp + 8);
  const std::uint64_t size = number_at(program, interp + kFileBytes);
  struct Case {
    std::string why;
    std::string bytes;
    ErrorCode code;
    std::uint64_t offset;
  };
  const Case cases[] = {
      {"no bytes", with(program, interp + kFileBytes, as_bytes(0)), ErrorCode::Malformed, offset},
      {"one byte", with(program, interp + kFileBytes, as_bytes(1)), ErrorCode::Malformed, offset},
      {"4097 bytes", with(program, interp + kFileBytes, as_bytes(4097)), ErrorCode::Malformed, offset},
      {"2^63 bytes", with(program, interp + kFileBytes, as_bytes(std::uint64_t{1} << 63)), ErrorCode::Malformed,
       offset},
      {"no NUL", with(program, interp + kFileBytes, as_bytes(size - 1)), ErrorCode::Malformed, offset},
      {"past the end", with(program, interp + 8, as_bytes(0x10000)), ErrorCode::Truncated, 0x10000},
      {"over the end", with(program, interp + 8, as_bytes(program.size() - 3)), ErrorCode::Truncated,
       program.size() - 3},
      {"offset that wraps", with(program, interp + 8, as_bytes(~std::uint64_t{0})), ErrorCode::Truncated,
       ~std::uint64_t{0}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    check_refused(read_elf(c.bytes), c.code, c.offset);
  }
}

TEST_CASE("of a library nobody reads PT_INTERP, so an odd one refuses nothing") {
  // libQt5Core.so.5 of opencv-python's wheel has one of a single byte; dlopen takes it.
  constexpr std::size_t interp = 64 + 56;
  struct Case {
    std::string why;
    ElfSpec spec;
    bool is_read;
  };
  ElfSpec loaded = test::program().soname("libQt5Core.so.5");
  loaded.flags_1.reset();
  ElfSpec pie = test::program().soname("prog");
  pie.flags_1 = 0x08000000;
  const Case cases[] = {
      {"a library", loaded, true}, {"a program", test::program(), false}, {"a PIE with a DT_SONAME", pie, false}};
  for (const Case& c : cases) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097}}) {
      CAPTURE(c.why);
      CAPTURE(size);
      const Result<ElfObject> object = read_elf(with(write_elf(c.spec), interp + kFileBytes, as_bytes(size)));
      CHECK(object.has_value() == c.is_read);
      if (object) CHECK(!object->has_interp);
    }
  }
}

TEST_CASE("a library without a DT_SONAME is one by its name, and an interpreter without a path is none") {
  struct Case {
    std::string why;
    std::string path;
    std::string interp;
    bool is_read, has_interp;
  };
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  const Case cases[] = {
      {"a library", "/app/libplugin.so", loader, true, true},
      {"with a number", "/app/libplugin.so.5", "", true, false},
      {"a relative path", "/app/plugin.so", "ld.so", true, false},
      {"a program", "/app/prog", loader, true, true},
      {"a program with a relative one", "/app/prog", "ld.so", true, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfSpec spec = test::program();
    spec.flags_1.reset();
    spec.interp = c.interp;
    const Result<ElfObject> object = read_elf(write_elf(spec), c.path);
    REQUIRE(object.has_value() == c.is_read);
    CHECK(object->has_interp == c.has_interp);
  }
  ElfSpec spec = test::program();
  spec.flags_1.reset();
  constexpr std::size_t interp = 64 + 56;
  const std::string damaged = with(write_elf(spec), interp + kFileBytes, as_bytes(1));
  CHECK(read_elf(damaged, "/app/libplugin.so").has_value());
  CHECK_FALSE(read_elf(damaged, "/app/prog").has_value());
}

/// Where the dynamic section begins: shown for what lies nowhere itself.
std::uint64_t dynamic_section(const std::string& bytes) { return number_at(bytes, kDynamic + 8); }

TEST_CASE("addresses have to lie in mapped segments") {
  const std::string file = good();
  const std::uint64_t far = 0x7000000;
  ElfSpec versioned = library().needed("liba.so");
  versioned.version_needs = {{"liba.so", {{"V1"}}, 1}};
  const std::string verneed = write_elf(versioned);
  const std::uint64_t record = number_at(verneed, find_tag(verneed, kDtVerneed) + 8);
  struct Case {
    std::string why;
    std::string bytes;
  };
  const Case cases[] = {
      {"the dynamic section", with(file, kDynamic + kVaddr, as_bytes(far))},
      {"it, at the largest address", with(file, kDynamic + kVaddr, as_bytes(~std::uint64_t{0}))},
      {"DT_STRTAB", with(file, find_tag(file, kDtStrtab) + 8, as_bytes(far))},
      {"DT_STRTAB, and it wraps", with(file, find_tag(file, kDtStrtab) + 8, as_bytes(~std::uint64_t{0}))},
      {"a string of it", with(file, find_tag(file, kDtNeeded) + 8, as_bytes(far))},
      {"a string, half the address space away",
       with(file, find_tag(file, kDtNeeded) + 8, as_bytes(std::uint64_t{1} << 63))},
      {"DT_VERNEED", with(verneed, find_tag(verneed, kDtVerneed) + 8, as_bytes(far))},
      {"a DT_VERNEED record's file", with(verneed, record + 4, "\xff\xff\xff\x7f")},
      {"the next DT_VERNEED record", with(verneed, record + 12, "\xff\xff\xff\x7f")},
      {"without PT_LOAD nothing is mapped", with(file, kLoadHeader, "\0\0\0\0"s)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    check_refused(read_elf(c.bytes), ErrorCode::Malformed, dynamic_section(c.bytes));
  }
}

TEST_CASE("names without a DT_STRTAB are malformed, version needs alone are not looked at") {
  const std::string file = good();
  check_refused(read_elf(with(file, find_tag(file, kDtStrtab), as_bytes(0x70000001))), ErrorCode::Malformed,
                dynamic_section(file));
  ElfSpec spec = library();
  spec.version_needs = {{"liba.so", {{"V1"}}, 1}};
  const std::string versioned = write_elf(spec);
  const Result<ElfObject> object = read_elf(with(versioned, find_tag(versioned, kDtStrtab), as_bytes(0x70000001)));
  REQUIRE(object.has_value());
  CHECK(object->version_files.empty());
}

TEST_CASE("a file that ends before its dynamic section is truncated there") {
  ElfSpec spec = library().soname("libx.so");
  spec.padding_bytes = 3 * 4096;
  const std::string whole = write_elf(spec);
  const std::uint64_t dynamic = number_at(whole, kDynamic + 8);
  REQUIRE(dynamic % 4096 != 0);
  for (const std::uint64_t size : {std::uint64_t{4096}, std::uint64_t{5000}, dynamic / 4096 * 4096}) {
    CAPTURE(size);
    check_refused(read_elf(whole.substr(0, size)), ErrorCode::Truncated, dynamic);
  }
}

TEST_CASE("behind the end of the file its last page reads as zeros, as it does in memory") {
  ElfSpec spec = library().soname("libx.so");
  spec.padding_bytes = 3 * 4096;
  const std::string whole = write_elf(spec);
  const std::uint64_t dynamic = number_at(whole, kDynamic + 8);
  const Result<ElfObject> object = read_elf(whole.substr(0, dynamic));
  REQUIRE(object.has_value());
  CHECK(object->has_dynamic);
  CHECK_MESSAGE(!object->soname, "DT_NULL is all that the section has");
}

TEST_CASE("a string without a NUL runs out of its segment") {
  std::string file = good();
  const std::uint64_t start = file.size();
  file.resize(2 * 4096, 'x');  // to the end of a page, behind which nothing is mapped
  file = with(file, kLoadHeader + kFileBytes, as_bytes(file.size()));
  file = with(file, kLoadHeader + kMemoryBytes, as_bytes(file.size()));
  file = with(file, find_tag(file, kDtNeeded) + 8, as_bytes(start - number_at(file, find_tag(file, kDtStrtab) + 8)));
  check_refused(read_elf(file), ErrorCode::Malformed, dynamic_section(file));
  file.back() = '\0';
  const Result<ElfObject> object = read_elf(file);
  REQUIRE(object.has_value());
  CHECK(object->needs[0].name.size() == 2 * 4096 - start - 1);
}

TEST_CASE("zero-initialised data reads as empty strings") {
  std::string file = good();
  const std::uint64_t size = file.size();
  file = with(file, kLoadHeader + kMemoryBytes, as_bytes(size + 100000));
  file = with(file, find_tag(file, kDtNeeded) + 8,
              as_bytes(size + 50000 - number_at(file, find_tag(file, kDtStrtab) + 8)));
  const Result<ElfObject> object = read_elf(file);
  REQUIRE(object.has_value());
  CHECK(object->needs[0].name.empty());
}

TEST_CASE("limits are limits, not crashes") {
  const auto needs = [](std::size_t count) {
    ElfSpec spec = library();
    spec.strings.assign(count, {StringTag::Needed, ""});
    return write_elf(spec);
  };
  CHECK(read_elf(needs(kMaxNeedsPerObject)).has_value());
  const std::string too_many = needs(kMaxNeedsPerObject + 1);
  check_refused(read_elf(too_many), ErrorCode::LimitReached, dynamic_section(too_many));

  const auto name = [](std::size_t length) { return write_elf(library().needed(std::string(length, 'n'))); };
  CHECK(read_elf(name(kMaxStringBytes)).has_value());
  const std::string too_long = name(kMaxStringBytes + 10000);
  check_refused(read_elf(too_long), ErrorCode::LimitReached, too_long.find("nnnn"));

  const auto records = [](std::size_t count) {
    ElfSpec spec = library();
    spec.version_needs.assign(count, {"f", {}, 1});
    return write_elf(spec);
  };
  CHECK(read_elf(records(kMaxVerneedRecords)).has_value());
  const std::string chain = records(kMaxVerneedRecords + 1);
  constexpr std::size_t kRecordBytes = 16;
  check_refused(read_elf(chain), ErrorCode::LimitReached,
                number_at(chain, find_tag(chain, kDtVerneed) + 8) + kMaxVerneedRecords * kRecordBytes);

  ElfSpec entries = library();
  entries.strings.assign(kMaxDynamicEntries, {StringTag::Soname, ""});
  const std::string endless = write_elf(entries);
  check_refused(read_elf(endless), ErrorCode::LimitReached, dynamic_section(endless));
}

TEST_CASE("a file cut off anywhere is read or refused, at a place of the whole file") {
  ElfSpec spec = program().soname("libx.so").needed("liba.so").runpath("/u");
  spec.version_needs = {{"liba.so", {{"V1"}}, 1}};
  const std::string whole = write_elf(spec);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<ElfObject> object = read_elf(std::string_view(whole).substr(0, size));
    if (object) continue;
    CAPTURE(size);
    // Malformed: names are left, but the rest of the page hides DT_STRTAB.
    const bool is_expected = object.error().code == ErrorCode::Truncated || object.error().code == ErrorCode::NotElf ||
                             object.error().code == ErrorCode::Malformed;
    CHECK(is_expected);
    CHECK(object.error().offset.value_or(0) < whole.size());
  }
}

TEST_CASE("a file with any one byte changed is read or refused") {
  ElfSpec spec = program().soname("libx.so").needed("liba.so").runpath("/u");
  spec.version_needs = {{"liba.so", {{"V1"}}, 1}};
  const std::string whole = write_elf(spec);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x01', '\x7f', '\x80', '\xff'}) {
      const Result<ElfObject> object = read_elf(with(whole, at, std::string(1, byte)));
      if (object) continue;
      ++refused;
      CHECK(!object.error().message.empty());
    }
  }
  CHECK(refused > 100);
}
