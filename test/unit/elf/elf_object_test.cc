// What is read from a file: ELF header, program headers, dynamic section; never section headers.
#include "soresolve/elf.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/elf_writer.h"
#include "unit/print_list.h"
#include "unit/read_elf.h"

using namespace soresolve;
using namespace soresolve::test;
using namespace std::string_literals;

namespace {

using Names = std::vector<std::string>;

Names need_names(const ElfObject& object) {
  Names names;
  for (const NeedEntry& need : object.needs) names.emplace_back(need.name);
  return names;
}

Names version_files(const ElfObject& object) { return {object.version_files.begin(), object.version_files.end()}; }

std::string text(const std::optional<std::string_view>& value) { return value ? std::string(*value) : "(absent)"; }

ElfObject read(const ElfSpec& spec) {
  Result<ElfObject> object = read_elf(write_elf(spec));
  REQUIRE_MESSAGE(object.has_value(), object.error().to_string());
  return std::move(*object);
}

/// A file that says everything there is to say.
ElfSpec talkative() {
  ElfSpec spec = library();
  spec.interp = kInterp;
  spec.needed("liba.so.1")
      .add(StringTag::Auxiliary, "libaux.so")
      .needed("libb.so.2")
      .add(StringTag::Filter, "libfilter.so")
      .soname("libself.so.7")
      .rpath("/r1:/r2")
      .runpath("$ORIGIN/u")
      .add(StringTag::Audit, "audit.so")
      .add(StringTag::DepAudit, "depaudit.so");
  spec.flags = 8;
  spec.flags_1 = kDf1Now | kDf1NoDefLib;
  spec.version_needs = {{"liba.so.1", {{"V1"}, {"V2", true}}, 1}, {"libv.so.3", {{"V3"}}, 1}};
  return spec;
}

}  // namespace

TEST_CASE("every fact is read in both classes and both byte orders") {
  struct Case {
    std::string why;
    Bits bits;
    Endian endian;
    std::uint16_t machine;
    std::uint32_t flags;
    std::string described;
  };
  const Case cases[] = {
      {"x86-64", Bits::Elf64, Endian::Little, 62, 0, "64-bit x86-64"},
      {"x32", Bits::Elf32, Endian::Little, 62, 0, "32-bit x86-64"},
      {"i386", Bits::Elf32, Endian::Little, 3, 0, "32-bit i386"},
      {"s390x", Bits::Elf64, Endian::Big, 22, 0, "64-bit S/390"},
      {"ppc64", Bits::Elf64, Endian::Big, 21, 1, "64-bit big-endian PowerPC64"},
      {"ppc64le", Bits::Elf64, Endian::Little, 21, 2, "64-bit PowerPC64"},
      {"ppc", Bits::Elf32, Endian::Big, 20, 0, "32-bit PowerPC"},
      {"ARM, hard float", Bits::Elf32, Endian::Little, 40, 0x5000400, "32-bit ARM"},
      {"a machine to come", Bits::Elf64, Endian::Little, 999, 0xdeadbeef, "64-bit machine 999"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfSpec spec = talkative();
    spec.bits = c.bits;
    spec.endian = c.endian;
    spec.machine = c.machine;
    spec.header_flags = c.flags;
    const ElfObject object = read(spec);
    CHECK(static_cast<int>(object.target.elf_class) == static_cast<int>(c.bits));
    CHECK(object.target.byte_order == (c.endian == Endian::Little ? std::endian::little : std::endian::big));
    CHECK(object.target.machine == c.machine);
    CHECK(object.target.flags == c.flags);
    CHECK(describe(object.target) == c.described);
    CHECK(object.type == kEtDyn);
    CHECK(object.has_interp);
    CHECK(object.interp == kInterp);
    CHECK(object.has_dynamic);
    CHECK(need_names(object) == Names{"liba.so.1", "libaux.so", "libb.so.2", "libfilter.so"});
    CHECK(object.needs[0].kind == NeedKind::Needed);
    CHECK(object.needs[1].kind == NeedKind::Auxiliary);
    CHECK(object.needs[2].kind == NeedKind::Needed);
    CHECK(object.needs[3].kind == NeedKind::Filter);
    CHECK(text(object.soname) == "libself.so.7");
    CHECK(text(object.rpath) == "/r1:/r2");
    CHECK(text(object.runpath) == "$ORIGIN/u");
    CHECK(text(object.audit) == "audit.so");
    CHECK(text(object.depaudit) == "depaudit.so");
    CHECK(object.flags == 8);
    CHECK(object.flags_1 == (kDf1Now | kDf1NoDefLib));
    CHECK(version_files(object) == Names{"liba.so.1", "libv.so.3"});
    CHECK(!object.odd_verneed_version);
    CHECK(object.segments.size() == 5);  // PHDR, INTERP, LOAD, DYNAMIC, GNU_STACK
    CHECK(object.segments[2].type == 1);
    CHECK(object.segments[2].flags == 7);
    CHECK(object.segments[2].alignment == 0x1000);
  }
}

TEST_CASE("what a file does not say is absent, and an empty string is not absent") {
  const ElfObject bare = read(library());
  CHECK(!bare.has_interp);
  CHECK(bare.interp.empty());
  CHECK(text(bare.soname) == "(absent)");
  CHECK(text(bare.rpath) == "(absent)");
  CHECK(text(bare.runpath) == "(absent)");
  CHECK(text(bare.audit) == "(absent)");
  CHECK(bare.needs.empty());
  CHECK(!bare.has_needed());
  CHECK(bare.version_files.empty());

  const ElfObject empty = read(library().soname("").rpath("").runpath("").needed(""));
  CHECK(text(empty.soname).empty());
  CHECK(text(empty.rpath).empty());
  CHECK(text(empty.runpath).empty());
  CHECK(need_names(empty) == Names{""});
  CHECK(empty.has_needed());
}

TEST_CASE("only DT_NEEDED counts as needed") {
  CHECK(!read(library().add(StringTag::Auxiliary, "a")).has_needed());
  CHECK(!read(library().add(StringTag::Filter, "a")).has_needed());
  CHECK(read(library().needed("a")).has_needed());
}

TEST_CASE("of a tag that occurs twice the last one counts") {
  const ElfObject object =
      read(library().soname("one").rpath("/1").runpath("/1").soname("two").rpath("/2").runpath("/2"));
  CHECK(text(object.soname) == "two");
  CHECK(text(object.rpath) == "/2");
  CHECK(text(object.runpath) == "/2");
}

TEST_CASE("an executable stack is required by the last PT_GNU_STACK, or by having none") {
  struct Case {
    StackHeader stack;
    StackRequest want;
  };
  const Case cases[] = {
      {StackHeader::ReadWrite, StackRequest::None},
      {StackHeader::Executable, StackRequest::ByHeader},
      {StackHeader::Absent, StackRequest::ByMissingHeader},
      {StackHeader::ExecutableThenReadWrite, StackRequest::None},
      {StackHeader::ReadWriteThenExecutable, StackRequest::ByHeader},
  };
  for (const Case& c : cases) {
    ElfSpec spec = library();
    spec.stack = c.stack;
    CHECK(read(spec).stack_request() == c.want);
  }
  ElfSpec spec = library();
  spec.stack = StackHeader::Absent;
  spec.machine = kEmAarch64;  // its default is not executable
  CHECK(read(spec).stack_request() == StackRequest::None);
}

TEST_CASE("needs keep the order and the number of the dynamic section") {
  const ElfObject object =
      read(library().needed("b").add(StringTag::Filter, "f").needed("a").needed("b").add(StringTag::Auxiliary, "x"));
  CHECK(need_names(object) == Names{"b", "f", "a", "b", "x"});
}

TEST_CASE("a file without PT_DYNAMIC is read, too") {
  ElfSpec spec = program();
  spec.has_dynamic = false;
  const ElfObject object = read(spec);
  CHECK(!object.has_dynamic);
  CHECK(object.interp == kInterp);
  // The same for a debuginfo file: its PT_DYNAMIC has no bytes.
  Result<ElfObject> debuginfo = read_elf(write_damaged(library().soname("x"), Damage::EmptyDynamic));
  REQUIRE(debuginfo.has_value());
  CHECK(!debuginfo->has_dynamic);
}

TEST_CASE("flags are those of DT_FLAGS_1") {
  struct Case {
    std::string why;
    std::uint64_t flags_1;
    bool no_default_lib, pie, no_dlopen;
  };
  const Case cases[] = {
      {"none", 0, false, false, false},
      {"NODEFLIB", kDf1NoDefLib, true, false, false},
      {"PIE", kDf1Pie, false, true, false},
      {"NOOPEN", kDf1NoOpen, false, false, true},
      {"others", ~(kDf1NoDefLib | kDf1Pie | kDf1NoOpen), false, false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfSpec spec = library();
    spec.flags_1 = c.flags_1;
    const ElfObject object = read(spec);
    CHECK(object.is_no_default_lib() == c.no_default_lib);
    CHECK(object.is_pie() == c.pie);
    CHECK(object.is_no_dlopen() == c.no_dlopen);
  }
}

TEST_CASE("section headers are never looked at") {
  ElfSpec spec = library().soname("libx.so");
  spec.patch(40, "\xff\xff\xff\xff\xff\xff\xff\x7f");  // e_shoff
  spec.patch(58, "\xff\xff\xff\xff\xff\xff");          // e_shentsize, e_shnum, e_shstrndx
  CHECK(text(read(spec).soname) == "libx.so");
}

TEST_CASE("the dynamic section ends at DT_NULL, not at p_filesz") {
  ElfSpec spec = library().soname("libx.so").needed("liba.so");
  spec.patch(64 + 56 + 32, "\x10");  // p_filesz of PT_DYNAMIC: one entry
  CHECK(need_names(read(spec)) == Names{"liba.so"});
}

TEST_CASE("strings behind long distances and of great length are read whole") {
  ElfSpec spec = library();
  Names want;
  for (const std::size_t length : {1, 63, 64, 65, 255, 4095, 4096, 4097, 20000, 100000}) {
    want.emplace_back(length, static_cast<char>('a' + want.size()));
    spec.needed(want.back());
  }
  CHECK(need_names(read(spec)) == want);
  spec.padding_bytes = 1 << 20;
  CHECK(need_names(read(spec)) == want);
}

TEST_CASE("views stay valid when the object is moved and its file is gone") {
  ElfSpec spec = library().soname("libx.so").needed("liba.so");
  spec.interp = "/lib/ld.so";
  spec.version_needs = {{"libv.so", {{"V1"}}, 1}};
  std::vector<ElfObject> objects;
  for (int i = 0; i < 10; ++i) objects.push_back(read(spec));
  for (const ElfObject& object : objects) {
    CHECK(text(object.soname) == "libx.so");
    CHECK(need_names(object) == Names{"liba.so"});
    CHECK(version_files(object) == Names{"libv.so"});
    CHECK(object.interp == "/lib/ld.so");
  }
}

TEST_CASE("of DT_VERNEED the files are read, record by record") {
  struct Case {
    std::string why;
    std::vector<VersionNeeds> needs;
    Names want;
    std::optional<std::uint16_t> odd;
  };
  const Case cases[] = {
      {"one", {{"liba.so", {{"V1"}}, 1}}, {"liba.so"}, {}},
      {"two", {{"liba.so", {{"V1"}, {"V2"}}, 1}, {"libb.so", {{"V1"}}, 1}}, {"liba.so", "libb.so"}, {}},
      {"the same file twice", {{"liba.so", {{"V1"}}, 1}, {"liba.so", {{"V2"}}, 1}}, {"liba.so", "liba.so"}, {}},
      {"a record without versions", {{"liba.so", {}, 1}}, {"liba.so"}, {}},
      {"an unknown record version", {{"liba.so", {{"V1"}}, 7}}, {"liba.so"}, 7},
      {"a record of zeros", {{"liba.so", {{"V1"}}, 0}}, {"liba.so"}, 0},
      {"only the first record's counts",
       {{"liba.so", {{"V1"}}, 1}, {"libb.so", {{"V1"}}, 7}},
       {"liba.so", "libb.so"},
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfSpec spec = library().needed("liba.so");
    spec.version_needs = c.needs;
    const ElfObject object = read(spec);
    CHECK(version_files(object) == c.want);
    CHECK(object.odd_verneed_version == c.odd);
  }
}

TEST_CASE("PT_INTERP ends at its first NUL") {
  ElfSpec spec = program();
  spec.interp = "/lib/ld.so\0rest"s;
  CHECK(read(spec).interp == "/lib/ld.so");
}
