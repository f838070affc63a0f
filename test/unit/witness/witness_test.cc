// What the facts of the second reader are made of, and what is made of them. LIEF itself is not asked here.
#include <doctest/doctest.h>

#include <elf.h>

#include <string>
#include <vector>

#include "soresolve/catalogue.h"
#include "witness/differences.h"
#include "witness/foreign.h"
#include "witness/hardening.h"
#include "witness/lief_facts.h"
#include "witness/property_words.h"
#include "witness/second_reading.h"

using namespace soresolve;
using namespace soresolve::witness;

namespace {

ElfFacts small_library() {
  ElfFacts elf;
  elf.machine = EM_X86_64;
  elf.type = ET_DYN;
  elf.has_dynamic = true;
  elf.soname = "lib\xff\x01.so.1";
  elf.needed = {"libc.so.6", "z\xc3\xa4h"};
  elf.comments = {"GCC: (Debian 12.2.0-14) 12.2.0"};
  elf.segments = {{PT_LOAD, PF_R}, {PT_GNU_STACK, PF_R | PF_W}};
  elf.properties = {{0xc0000002, 3}};
  elf.definitions = {{1, 1, 7, {"lib.so.1"}}, {2, 0, 8, {"V_2", "V_1"}}};
  elf.requirements = {{"libc.so.6", "GLIBC_2.34", 0x69691b4, 0, 3}};
  elf.symbols = {{}, {"f", "V_2", 0x8002, 0x1000, 12, 14, STT_FUNC, STB_WEAK}};
  elf.checks = {"__stack_chk_fail"};
  return elf;
}

LiefFacts lief_facts_of(ElfFacts elf) {
  LiefFacts lief_facts;
  lief_facts.reader = "LIEF 0.9.0";
  lief_facts.file = "/app/lib\xfe.so";
  lief_facts.elf = std::move(elf);
  return lief_facts;
}

}  // namespace

TEST_CASE("a testimony comes through a line as it was, bytes that are no UTF-8 included") {
  const std::string line = to_line(lief_facts_of(small_library()));
  CHECK(line.find('\n') == line.size() - 1);
  const Result<LiefFacts> read = read_line(line);
  REQUIRE(read.has_value());
  REQUIRE(read->elf.has_value());
  CHECK(read->file == "/app/lib\xfe.so");
  CHECK(read->elf->soname == small_library().soname);
  CHECK(read->elf->needed == small_library().needed);
  CHECK(read->elf->definitions == small_library().definitions);
  CHECK(read->elf->requirements == small_library().requirements);
  CHECK(read->elf->symbols == small_library().symbols);
  CHECK(to_line(*read) == line);

  LiefFacts foreign;
  foreign.foreign = ForeignFacts{ForeignFacts::Format::MachO, {{0x100000c, 6, {"/usr/lib/libSystem.B.dylib"}}}};
  CHECK(to_line(read_line(to_line(foreign)).value()) == to_line(foreign));
  LiefFacts refused;
  refused.refusal = Refusal{Refusal::Kind::Damage, "bad \xff"};
  CHECK(to_line(read_line(to_line(refused)).value()) == to_line(refused));
}

TEST_CASE("what is no testimony is refused") {
  const std::string good = to_line(lief_facts_of(small_library()));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    return line.replace(line.find(from), from.size(), to);
  };
  struct Case {
    const char* why;
    std::string line;
  };
  const Case cases[] = {
      {"nothing", ""},
      {"no JSON", "{\"schema\":"},
      {"no object", "[1]"},
      {"another schema", with("soresolve-witness/1", "soresolve-witness/2")},
      {"no facts", R"({"schema":"soresolve-witness/1","reader":"r","file":"f"})"},
      {"a number that does not fit", with("\"machine\":62", "\"machine\":65536")},
      {"a negative number", with("\"machine\":62", "\"machine\":-1")},
      {"a text that is none", with("\"build_id\":\"\"", "\"build_id\":[]")},
      {"a character beyond a byte", with("\"build_id\":\"\"", "\"build_id\":\"\xe4\xb8\xad\"")},
      {"a short list", with("[2,0,8,[\"V_2\",\"V_1\"]]", "[2,0,8]")},
      {"a list that is none", with("\"checks\":[\"__stack_chk_fail\"]", "\"checks\":7")},
      {"a refusal of no known kind",
       R"({"schema":"soresolve-witness/1","reader":"r","file":"f","refusal":{"kind":"mood","reason":""}})"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(!read_line(c.line).has_value());
  }
}

TEST_CASE("hardening is judged by the marks of the switches") {
  ElfFacts elf = small_library();
  CHECK(judge_hardening(elf).placement == Placement::Library);
  CHECK(judge_hardening(elf).relro == Relro::None);
  CHECK(judge_hardening(elf).stack == StackMark::NotExecutable);
  CHECK(judge_hardening(elf).guard == StackGuard::Present);
  CHECK(judge_hardening(elf).branch_protection == std::vector<std::string>{"IBT", "SHSTK"});

  elf.segments = {{PT_GNU_RELRO, PF_R}, {PT_GNU_STACK, PF_R | PF_W | PF_X}};
  elf.checks = {"__memcpy_chk"};
  elf.interpreter = "/lib64/ld-linux-x86-64.so.2";
  CHECK(judge_hardening(elf).placement == Placement::Library);  // libc.so.6 has one, too
  elf.segments.push_back({PT_GNU_STACK, PF_R | PF_W});
  CHECK(judge_hardening(elf).stack == StackMark::NotExecutable);  // the last one counts
  elf.segments.pop_back();
  elf.soname.reset();
  CHECK(judge_hardening(elf).placement == Placement::Pie);
  CHECK(judge_hardening(elf).relro == Relro::Partial);
  CHECK(judge_hardening(elf).stack == StackMark::Executable);
  CHECK(judge_hardening(elf).guard == StackGuard::Absent);
  CHECK(judge_hardening(elf).fortified == std::vector<std::string>{"__memcpy_chk"});

  elf.dynamic_flags_1 = DF_1_NOW;
  CHECK(judge_hardening(elf).relro == Relro::Full);
  elf.dynamic_flags_1 = 0;
  elf.dynamic_flags = DF_BIND_NOW;
  CHECK(judge_hardening(elf).is_bind_now);
  elf.machine = EM_AARCH64;
  elf.properties = {{0xc0000000, 3}};
  CHECK(judge_hardening(elf).branch_protection == std::vector<std::string>{"BTI", "PAC"});
  elf.type = ET_EXEC;
  elf.segments.clear();
  elf.has_dynamic = false;
  elf.checks.clear();
  CHECK(judge_hardening(elf).placement == Placement::Fixed);
  CHECK(judge_hardening(elf).stack == StackMark::Missing);
  CHECK(judge_hardening(elf).guard == StackGuard::Unknown);
}

TEST_CASE("words of a property note are read to its end and no further") {
  const std::vector<std::uint8_t> little = {2, 0, 0, 0xc0, 4, 0,    0, 0, 3, 0, 0, 0, 0, 0,
                                            0, 0, 2, 0x80, 0, 0xc0, 4, 0, 0, 0, 1, 0, 0, 0};
  const std::vector<Property> words = property_words(little, true, false);
  REQUIRE(words.size() == 2);
  CHECK(words[0].type == 0xc0000002);
  CHECK(words[0].flags == 3);
  CHECK(words[1].type == 0xc0008002);
  const std::vector<std::uint8_t> big = {0xc0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1};
  REQUIRE(property_words(big, false, true).size() == 1);
  CHECK(property_words(big, false, true)[0].flags == 1);
  CHECK(property_words({1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0}, true, false).empty());
  CHECK(property_words({1, 0, 0}, true, false).empty());
}

TEST_CASE("files of other systems are named") {
  const auto pe = [](std::uint32_t machine, std::uint32_t kind) {
    return sentence(describe(ForeignFacts{ForeignFacts::Format::Pe, {{machine, kind, {}}}}), Language::English);
  };
  CHECK(pe(0x8664, 0x2022) == "PE library for Windows, x86-64");
  CHECK(pe(0x14c, 0x102) == "PE program for Windows, i386");
  const auto mach_o = [](std::vector<ForeignFacts::Image> pieces) {
    return sentence(describe(ForeignFacts{ForeignFacts::Format::MachO, std::move(pieces)}), Language::English);
  };
  CHECK(mach_o({{0x1000007, 2, {}}, {0x100000c, 2, {}}}) == "universal Mach-O program for macOS, x86-64 and ARM64");
  CHECK(mach_o({{99, 8, {}}}) == "Mach-O bundle for macOS, CPU type 99");
}

TEST_CASE("two readings of one file are compared entry by entry") {
  VersionedLibrary library;
  library.path = "/app/lib.so";
  library.versions.defs.resize(2);
  library.versions.defs[0] = {.name = "lib.so.1", .hash = 7, .index = 1, .base = true, .parents = {}};
  library.versions.defs[1] = {.name = "V_2", .hash = 8, .index = 2, .parents = {"V_1"}};
  library.versions.needs = {{.file = "libc.so.6", .name = "GLIBC_2.34", .hash = 0x69691b4, .index = 3}};
  library.symbols.symbols = {{},
                             {.name = "f",
                              .value = 0x1000,
                              .size_bytes = 12,
                              .section = 14,
                              .type = STT_FUNC,
                              .binding = STB_WEAK,
                              .version = 2,
                              .hidden = true}};
  ElfObject elf;
  elf.needs = {{NeedKind::Needed, "libc.so.6"}, {NeedKind::Filter, "libno.so"}, {NeedKind::Needed, "z\xc3\xa4h"}};
  elf.soname = "lib\xff\x01.so.1";
  const SecondReading same = compare_readings(elf, library, lief_facts_of(small_library()));
  CHECK(same.difference_count == 0);
  CHECK(same.definition_count == 2);
  CHECK(same.symbol_count == 2);

  struct Case {
    const char* why;
    void (*change)(ElfFacts&);
    const char* what;
    const char* here;
  };
  const Case cases[] = {
      {"another SONAME", [](ElfFacts& facts) { facts.soname = "x"; }, "DT_SONAME", "\"lib\\xff\\x01.so.1\""},
      {"no SONAME", [](ElfFacts& facts) { facts.soname.reset(); }, "DT_SONAME", "\"lib\\xff\\x01.so.1\""},
      {"a RUNPATH", [](ElfFacts& facts) { facts.runpath = "/opt"; }, "DT_RUNPATH", "nothing"},
      {"an RPATH", [](ElfFacts& facts) { facts.rpath = ""; }, "DT_RPATH", "nothing"},
      {"another order", [](ElfFacts& facts) { std::swap(facts.needed[0], facts.needed[1]); }, "DT_NEEDED entry 0",
       "\"libc.so.6\""},
      {"a parent less", [](ElfFacts& facts) { facts.definitions[1].names.pop_back(); }, "DT_VERDEF record 1",
       "index 2, flags 0x0, hash 0x8: V_2 V_1"},
      {"another flag", [](ElfFacts& facts) { facts.requirements[0].flags = 2; }, "DT_VERNEED entry 0",
       "libc.so.6 GLIBC_2.34, hash 0x69691b4, flags 0x0, other 0x3"},
      {"a symbol more", [](ElfFacts& facts) { facts.symbols.emplace_back(); }, "dynamic symbol 2", "nothing"},
      {"not hidden", [](ElfFacts& facts) { facts.symbols[1].version_word = 2; }, "dynamic symbol 1",
       "f@V_2, version index 0x8002, value 0x1000, 12 bytes, section 14, type 2, binding 2"},
      {"another version", [](ElfFacts& facts) { facts.symbols[1].version = "V_1"; }, "dynamic symbol 1",
       "f@V_2, version index 0x8002, value 0x1000, 12 bytes, section 14, type 2, binding 2"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    ElfFacts facts = small_library();
    c.change(facts);
    const SecondReading reading = compare_readings(elf, library, lief_facts_of(std::move(facts)));
    REQUIRE(reading.difference_count >= 1);
    CHECK(sentence(reading.differences[0].what, Language::English) == c.what);
    CHECK(sentence(reading.differences[0].here, Language::English) == c.here);
  }

  ElfFacts bare = small_library();
  bare.symbols.clear();
  CHECK(compare_readings(elf, library, lief_facts_of(bare)).difference_count == 0);
  CHECK(!compare_readings(elf, library, lief_facts_of(bare)).has_symbols);
  bare.sections = {"", ".dynsym"};
  CHECK(compare_readings(elf, library, lief_facts_of(std::move(bare))).difference_count == 2);

  LiefFacts refused;
  refused.refusal = Refusal{Refusal::Kind::Damage, "corrupted"};
  CHECK(sentence(compare_readings(elf, library, refused).differences.at(0).there, Language::English) ==
        "refused: corrupted");
  ElfFacts many = small_library();
  many.symbols.resize(1000);
  const SecondReading reading = compare_readings(elf, library, lief_facts_of(std::move(many)));
  CHECK(reading.difference_count == 998);
  CHECK(reading.differences.size() == SecondReading::kMaxListed);
}
