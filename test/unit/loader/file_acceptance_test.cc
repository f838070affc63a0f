// Would this loader take that file? glibc elf/dl-load.c:open_verify, _dl_map_object_from_fd.
#include "loader/file_acceptance.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "elf/dynamic_reader.h"
#include "loader/loader_rules.h"
#include "support/elf_writer.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;
using namespace std::string_literals;

namespace {

constexpr std::uint32_t k6_1 = 6 << 16 | 1 << 8;

/// What the tests on an opened candidate say of `bytes`: "OUTCOME: TEXT" or "accepted".
std::string verify(const std::string& bytes, const LoaderRules& rules, OpenedAs opened_as = OpenedAs::Library,
                   std::uint32_t os_version = k6_1) {
  MemoryFileSystem files;
  files.add_file("/f", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  ImageReader reader(**file);
  const Acceptance acceptance = verify_candidate(reader, rules, opened_as, os_version);
  if (acceptance.outcome == Outcome::Loaded) return "accepted";
  return std::string(name_of(acceptance.outcome)) +
         (acceptance.text.empty() ? "" : ": " + std::string(acceptance.text));
}

/// What the tests while mapping say: the text, "crash" or "accepted".
std::string map(const std::string& bytes, const LoaderRules& rules, OpenedAs opened_as = OpenedAs::Library) {
  MemoryFileSystem files;
  files.add_file("/f", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  ImageReader reader(**file);
  REQUIRE(verify_candidate(reader, rules, opened_as, 0).outcome == Outcome::Loaded);
  const ElfHeader header = reader.header(rules.target.elf_class, rules.target.byte_order);
  Acceptance acceptance = check_mapping(reader, header, rules, opened_as);
  if (acceptance.outcome == Outcome::Loaded) {
    const Result<ElfObject> object = ElfObject::read(**file, "/f");
    if (!object) return "crash";
    acceptance = check_dynamic(*object, rules, opened_as);
  }
  if (acceptance.outcome == Outcome::WouldCrash) return "crash";
  return acceptance.outcome == Outcome::Loaded ? "accepted" : std::string(acceptance.text);
}

LoaderRules rules_of(int minor) { return rules_for_release({2, minor}, kX86_64); }

std::string with(std::string bytes, std::size_t offset, std::string_view patch) {
  return bytes.replace(offset, patch.size(), patch);
}

}  // namespace

TEST_CASE("an opened candidate is accepted, passed over, or ends everything") {
  struct Case {
    Damage damage;
    std::string want;
  };
  const Case cases[] = {
      {Damage::Empty, "fatal: file too short"},
      {Damage::ShortText, "fatal: file too short"},
      {Damage::LongText, "fatal: invalid ELF header"},
      {Damage::HeaderOnly, "fatal: cannot read file data"},
      {Damage::OtherClass, "wrong ELF class"},
      {Damage::OddClass, "wrong ELF class"},
      {Damage::OtherMachine, "wrong machine"},
      {Damage::OtherEndian, "fatal: ELF file data encoding not little-endian"},
      {Damage::IdentVersion, "fatal: ELF file version ident does not match current one"},
      {Damage::OsAbi, "fatal: ELF file OS ABI invalid"},
      {Damage::GnuOsAbi, "accepted"},
      {Damage::AbiVersion, "fatal: ELF file ABI version invalid"},
      {Damage::SysvAbiVersion, "fatal: ELF file ABI version invalid"},
      {Damage::IdentPadding, "fatal: nonzero padding in e_ident"},
      {Damage::HeaderVersion, "fatal: ELF file version does not match current one"},
      {Damage::Relocatable, "fatal: only ET_DYN and ET_EXEC can be loaded"},
      {Damage::PhentSize, "fatal: ELF file's phentsize not the expected size"},
      {Damage::HeadersBeyond, "fatal: cannot read file data"},
      {Damage::Executable, "accepted"},  // refused while mapping
      {Damage::NoHeaders, "accepted"},
      {Damage::NoLoad, "accepted"},
      {Damage::NoDynamic, "accepted"},
      {Damage::Pie, "accepted"},
      {Damage::CutSegment, "accepted"},
  };
  for (const Case& c : cases) {
    for (const int minor : {31, 36, 41}) {
      CAPTURE(std::string(name_of(c.damage)));
      CAPTURE(minor);
      // ET_EXEC was refused in open_verify from 2.20 to 2.30 only.
      CHECK(verify(write_damaged(library(), c.damage), rules_of(minor)) == c.want);
    }
  }
}

TEST_CASE("of several reasons the first one in the loader's order is named") {
  const std::string good = write_elf(library());
  struct Case {
    std::string why;
    std::string bytes;
    std::string want;
  };
  const Case cases[] = {
      {"magic before class", with(good, 3, "X\x09"), "fatal: invalid ELF header"},
      {"class before byte order", with(good, 4, "\x01\x02"), "wrong ELF class"},
      {"byte order before version", with(good, 5, "\x02\x02"), "fatal: ELF file data encoding not little-endian"},
      {"version before OS ABI", with(good, 6, "\x02\x09"), "fatal: ELF file version ident does not match current one"},
      {"OS ABI before its version", with(good, 7, "\x09\x01"), "fatal: ELF file OS ABI invalid"},
      {"ABI version before padding", with(good, 8, "\x01\x01"), "fatal: ELF file ABI version invalid"},
      {"padding before e_version", with(with(good, 15, "\x01"), 20, "\x02"), "fatal: nonzero padding in e_ident"},
      {"e_version before machine", with(with(good, 20, "\x02"), 18, "\x03"),
       "fatal: ELF file version does not match current one"},
      {"machine before type", with(good, 16, "\x01\0\x03"s), "wrong machine"},
      {"type before phentsize", with(with(good, 16, "\x01"), 54, "\x39"),
       "fatal: only ET_DYN and ET_EXEC can be loaded"},
      {"a foreign byte order of the same machine number is fatal, not passed over", with(good, 5, "\x02"),
       "fatal: ELF file data encoding not little-endian"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(verify(c.bytes, rules_of(36)) == c.want);
  }
}

TEST_CASE("EI_OSABI is SYSV or GNU; EI_ABIVERSION 0, for GNU up to 3") {
  const std::string good = write_elf(library());
  for (int osabi = 0; osabi < 256; ++osabi) {
    for (const int version : {0, 1, 3, 4, 255}) {
      CAPTURE(osabi);
      CAPTURE(version);
      const std::string want = osabi != 0 && osabi != 3                       ? "fatal: ELF file OS ABI invalid"
                               : version == 0 || (osabi == 3 && version <= 3) ? "accepted"
                                                                              : "fatal: ELF file ABI version invalid";
      const std::string ident = {static_cast<char>(osabi), static_cast<char>(version)};
      CHECK(verify(with(good, 7, ident), rules_of(36)) == want);
    }
  }
}

TEST_CASE("a 32-bit loader wants 52 bytes and its own class, a big-endian one its own byte order") {
  constexpr ElfTarget i386 = {ElfClass::Elf32, std::endian::little, 3, 0};
  constexpr ElfTarget s390x = {ElfClass::Elf64, std::endian::big, 22, 0};
  ElfSpec small = library();
  small.bits = Bits::Elf32;
  small.machine = kEm386;
  ElfSpec big = library();
  big.endian = Endian::Big;
  big.machine = 22;
  const LoaderRules rules32 = rules_for_release({2, 36}, i386);
  const LoaderRules rules_big = rules_for_release({2, 36}, s390x);
  CHECK(verify(write_elf(small), rules32) == "accepted");
  CHECK(verify(write_elf(small).substr(0, 51), rules32) == "fatal: file too short");
  CHECK(verify(write_elf(library()), rules32) == "wrong ELF class");
  CHECK(verify(write_elf(big), rules_big) == "accepted");
  CHECK(verify(write_elf(library()), rules_big) == "fatal: ELF file data encoding not big-endian");
  CHECK(verify(write_elf(small), rules_of(36)) == "wrong ELF class");
}

TEST_CASE("e_flags tell the ABI on some machines") {
  struct Case {
    std::string why;
    std::uint16_t machine;
    std::uint32_t loader;
    std::uint32_t file;
    bool ok;
  };
  const Case cases[] = {
      {"x86-64 has none", 62, 0, 0xffffffff, true},
      {"ppc64: the same ABI", 21, 2, 2, true},
      {"ppc64: the other ABI", 21, 2, 1, false},
      {"ppc64: unspecified", 21, 2, 0, true},
      {"riscv: double in double", 243, 5, 5, true},
      {"riscv: compressed code", 243, 5, 4, true},
      {"riscv: soft in double", 243, 5, 1, false},
      {"ARM: hard in hard", 40, 0x5000400, 0x5000400, true},
      {"ARM: soft in hard", 40, 0x5000400, 0x5000200, false},
      {"ARM: unmarked in hard", 40, 0x5000400, 0x5000000, true},
      {"MIPS: another level of the processor", 8, 0x80000007, 0x60000007, true},
      {"MIPS: NaN as of 2008 in a loader of before", 8, 0x80000007, 0x80000407, false},
      {"MIPS: o32 with 64-bit registers", 8, 0x80000007, 0x80000207, false},
      {"MIPS: the bit of n32, which n64 does not look at", 8, 0x80000007, 0x80000027, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfSpec spec = library();
    spec.machine = c.machine;
    spec.header_flags = c.file;
    const ElfTarget target = {ElfClass::Elf64, std::endian::little, c.machine, c.loader};
    CHECK(verify(write_elf(spec), rules_for_release({2, 36}, target)) == (c.ok ? "accepted" : "wrong machine"));
  }
}

TEST_CASE("from 2.20 to 2.30 an executable is refused on opening, unless it is the program") {
  const std::string exec = write_damaged(library(), Damage::Executable);
  const std::string refused = "fatal: cannot dynamically load executable";
  for (const int minor : {19, 20, 30, 31}) {
    CAPTURE(minor);
    const bool early = minor >= 20 && minor <= 30;
    CHECK(verify(exec, rules_of(minor)) == (early ? refused : "accepted"));
    CHECK(verify(exec, rules_of(minor), OpenedAs::Program) == "accepted");
  }
}

TEST_CASE("up to 2.35 an ABI note is compared with the kernel") {
  struct Case {
    std::string why;
    AbiTag tag;
    std::uint32_t kernel;
    bool ok;
  };
  const Case cases[] = {
      {"an older kernel is asked for", {0, {2, 6, 32}}, k6_1, true},
      {"this very kernel", {0, {6, 1, 0}}, k6_1, true},
      {"a newer patch level", {0, {6, 1, 1}}, k6_1, false},
      {"a kernel to come", {0, {99, 0, 0}}, k6_1, false},
      {"this kernel is not known", {0, {99, 0, 0}}, 0, true},
      {"another operating system", {1, {2, 6, 32}}, k6_1, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfSpec spec = library();
    spec.abi_tag = c.tag;
    const std::string bytes = write_elf(spec);
    for (const int minor : {31, 35}) {
      CHECK(verify(bytes, rules_of(minor), OpenedAs::Library, c.kernel) ==
            (c.ok ? "accepted" : "needs a newer kernel"));
    }
    CHECK(verify(bytes, rules_of(36), OpenedAs::Library, c.kernel) == "accepted");
  }
}

TEST_CASE("while mapping, headers and dynamic section have to be those of a library") {
  struct Case {
    Damage damage;
    std::string until_2_34;
    std::string since_2_35;
  };
  const std::string no_segments = "object file has no loadable segments";
  const std::string no_dynamic = "object file has no dynamic section";
  const Case cases[] = {
      {Damage::GnuOsAbi, "accepted", "accepted"},
      {Damage::NoHeaders, no_segments, no_segments},
      {Damage::NoLoad, no_segments, no_segments},
      {Damage::NoDynamic, no_dynamic, no_dynamic},
      {Damage::EmptyDynamic, no_dynamic, no_dynamic},
      {Damage::Executable, "cannot dynamically load executable", "cannot dynamically load executable"},
      {Damage::Pie, "cannot dynamically load position-independent executable",
       "cannot dynamically load position-independent executable"},
      {Damage::OddAddress, "ELF load command address/offset not properly aligned",
       "ELF load command address/offset not page-aligned"},
      {Damage::OddAlignment, "ELF load command alignment not page-aligned", "accepted"},
      {Damage::CutSegment, "crash", "crash"},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(name_of(c.damage)));
    const std::string bytes = write_damaged(library(), c.damage);
    CHECK(map(bytes, rules_of(31)) == c.until_2_34);
    CHECK(map(bytes, rules_of(34)) == c.until_2_34);
    CHECK(map(bytes, rules_of(35)) == c.since_2_35);
    CHECK(map(bytes, rules_of(41)) == c.since_2_35);
  }
}

TEST_CASE("segments may lie over each other, but the last ends last and begins behind the first") {
  struct Case {
    std::string why;
    std::vector<MoreLoad> loads;
    std::string until_2_34;
    std::string since_2_35;
  };
  const std::string odd = "ELF load command address/offset not page-aligned";
  const std::string rights = "cannot change memory protections";
  const Case cases[] = {
      {"one page after the other", {{0x3000, 0x3000, 0x800, 0x800}}, "accepted", "accepted"},
      {"the last inside the first", {{0x1000, 0x1000, 0x800, 0x800}}, rights, odd},
      {"one between them inside the first",
       {{0x1000, 0x1000, 0x800, 0x800}, {0x3000, 0x3000, 0x800, 0x800}},
       "accepted",
       "accepted"},
      {"one goes past the last", {{0x3000, 0x3000, 0x800, 0x2000}, {0x3000, 0x3000, 0x800, 0x800}}, "crash", "crash"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfSpec spec = library();
    spec.padding_bytes = 0x3000;
    spec.first_load_bytes = 0x3000;
    spec.more_loads = c.loads;
    CHECK(map(write_elf(spec), rules_of(34)) == c.until_2_34);
    CHECK(map(write_elf(spec), rules_of(35)) == c.since_2_35);
  }
}

TEST_CASE("the program itself may be an executable, a PIE, and without a dynamic section if fixed") {
  struct Case {
    Damage damage;
    std::string want;
  };
  const Case cases[] = {
      {Damage::Executable, "accepted"},
      {Damage::Pie, "accepted"},
      {Damage::NoDynamic, "object file has no dynamic section"},
      {Damage::NoLoad, "object file has no loadable segments"},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(name_of(c.damage)));
    CHECK(map(write_damaged(program(), c.damage), rules_of(36), OpenedAs::Program) == c.want);
  }
  ElfSpec fixed = program();
  fixed.type = kEtExec;
  fixed.has_dynamic = false;
  CHECK(map(write_elf(fixed), rules_of(36), OpenedAs::Program) == "accepted");
}

TEST_CASE("before 2.30 nobody refuses a PIE") {
  const std::string pie = write_damaged(library(), Damage::Pie);
  CHECK(map(pie, rules_of(29)) == "accepted");
  CHECK(map(pie, rules_of(30)) == "cannot dynamically load position-independent executable");
}

TEST_CASE("permission to execute, SONAME and section headers are not looked at") {
  ElfSpec spec = library().soname("other.so");
  spec.patch(40, "\xff\xff\xff\xff\xff\xff\xff\x7f");
  CHECK(verify(write_elf(spec), rules_of(36)) == "accepted");
  CHECK(map(write_elf(spec), rules_of(36)) == "accepted");
}

TEST_CASE("data to be cleared behind the end of the file would crash the loader") {
  std::string bytes = write_elf(library().soname("x"));
  const std::size_t size = bytes.size();
  // p_memsz of PT_LOAD, larger than p_filesz.
  bytes = with(bytes, 64 + 41, "\x80");
  CHECK(map(bytes, rules_of(36)) == "accepted");
  // Now the file announces two pages more than it has, and the rest of the last one is cleared.
  std::string longer = with(bytes, 64 + 33, "\x20");
  REQUIRE(size < 0x1000);
  CHECK(map(longer, rules_of(36)) == "crash");
}

TEST_CASE("a kernel release is three numbers, put together as glibc does it") {
  // sysdeps/unix/sysv/linux/dl-sysdep.c:_dl_discover_osversion
  struct Case {
    std::string text;
    std::uint32_t want;
  };
  const Case cases[] = {
      {"6.1.0-44-amd64", 0x60100},
      {"6.1", 0x60100},
      {"6", 0x60000},
      {"2.6.32", 0x2061e + 2},
      {"", 0},
      {"x.1.2", 0},
      {"5.4.300", 0x50400 | 300},
      {"5.x.3", 0x50000},
      {"6.1.2.3", 0x60102},
      {"6-1", 0x60000},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(parse_os_release(c.text) == c.want);
  }
}
