// What is wrong or surprising beyond missing libraries and versions: one case for each way to find it,
// and for each the nearest case in which nothing is found.
#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "diagnose/detectors.h"
#include "diagnose/diagnose.h"
#include "diagnose/static_tls.h"
#include "elf/library_name.h"
#include "loader/load.h"
#include "loader/loader_rules.h"
#include "loader/process.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "symbols/static_tls_area.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;
using Fill = std::function<void(MemorySystem&)>;

Diagnosis diagnosis_of(const Fill& fill, std::string_view file = kProgram, std::string_view asked = {},
                       LoadOptions options = {}) {
  MemorySystem memory;
  memory.process.argv0 = "prog";
  fill(memory);
  options.attempts = Attempts::Record;
  options.on_fatal = OnFatal::Continue;
  const Result<LinkMap> map = memory.load(file, options);
  REQUIRE(map.has_value());
  return diagnose(*map, file, asked);
}

/// "CODE: TEXT | PROOF | PROOF" of the problems of one kind.
Names reported(const Diagnosis& diagnosis, ProblemCode kind) {
  Names lines;
  for (const Problem& problem : diagnosis.problems) {
    if (problem.code != kind) continue;
    std::string line = sentence(problem.what, Language::English);
    for (const Evidence& each : problem.evidence) line += " | " + sentence(each.what, Language::English);
    lines.push_back(std::move(line));
  }
  return lines;
}

void check_parts(const Names& lines, const Names& parts) {
  CAPTURE(lines);
  REQUIRE(lines.size() == (parts.empty() ? 0 : 1));
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(lines.front().find(part) != std::string::npos);
  }
}

ElfSpec other_class() {
  ElfSpec spec = library();
  spec.bits = Bits::Elf32;
  spec.machine = kEm386;
  return spec;
}

ElfSpec other_machine() {
  ElfSpec spec = library();
  spec.machine = kEmAarch64;
  return spec;
}

/// PT_GNU_STACK, the last program header of the writer's files, becomes a PT_TLS.
ElfSpec static_tls_library(std::uint32_t bytes) {
  ElfSpec spec = library();
  spec.flags = DF_STATIC_TLS;
  const std::string plain = write_elf(spec);
  const auto word = [](std::uint32_t value) {
    return std::string{static_cast<char>(value & 0xff), static_cast<char>(value >> 8 & 0xff),
                       static_cast<char>(value >> 16 & 0xff), static_cast<char>(value >> 24 & 0xff)};
  };
  for (std::uint64_t at = 64;; at += 56) {
    REQUIRE(at + 56 < plain.size());
    if (plain.compare(at, 4, word(PT_GNU_STACK)) != 0) continue;
    return spec.patch(at, word(PT_TLS)).patch(at + 40, word(bytes));
  }
}

/// A library whose node V_1 lacks what the program calls.
ElfSpec versioned() {
  ElfSpec spec = library().soname("libv.so.1");
  spec.version_definitions = {{"libv.so.1"}, {"V_1"}, {"V_2"}};
  return spec.define(defined("f", "V_1")).define(defined("h", "V_2"));
}
ElfSpec calling(const std::string& symbol) {
  ElfSpec spec = program_needing({"libv.so.1"}).call(undefined(symbol, "V_1"));
  spec.version_needs = {{"libv.so.1", {{"V_1"}}}};
  return spec;
}

}  // namespace

TEST_CASE("files in the way of a search") {
  struct Case {
    const char* why;
    ProblemCode kind;
    Fill fill;
    Names parts;
  };
  const Case cases[] = {
      {"another class before the file that is taken",
       ProblemCode::ForeignFile,
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so"}).runpath("/a:/b"))
             .elf("/a/libx.so", other_class())
             .elf("/b/libx.so", library());
       },
       {"taken from /b/libx.so", "/a/libx.so (wrong ELF class, RUNPATH)"}},
      {"another machine likewise",
       ProblemCode::ForeignFile,
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so"}).runpath("/a:/b"))
             .elf("/a/libx.so", other_machine())
             .elf("/b/libx.so", library());
       },
       {"/a/libx.so (wrong machine, RUNPATH)"}},
      {"behind the file that is taken it is not even looked at",
       ProblemCode::ForeignFile,
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so"}).runpath("/b:/a"))
             .elf("/a/libx.so", other_class())
             .elf("/b/libx.so", library());
       },
       {}},
      {"with nothing else there the finding on the library tells of it",
       ProblemCode::ForeignFile,
       [](MemorySystem& s) { s.program(program_needing({"libx.so"}).runpath("/a")).elf("/a/libx.so", other_class()); },
       {}},
      {"a link to a file that is gone",
       ProblemCode::BrokenLink,
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so.1"}).runpath("/a"));
         s.files().add_symlink("/a/libx.so.1", "libx.so.1.2");
       },
       {"/a/libx.so.1 is a symbolic link that leads nowhere", "no libx.so.1 in that place",
        "/a/libx.so.1 -> libx.so.1.2"}},
      {"a link that is in order",
       ProblemCode::BrokenLink,
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so.1"}).runpath("/a")).elf("/a/libx.so.1.2", library());
         s.files().add_symlink("/a/libx.so.1", "libx.so.1.2");
       },
       {}},
      {"a loop ends the list: what lies behind is not looked at",
       ProblemCode::BrokenLink,
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so"}).runpath("/a:/b")).elf("/b/libx.so", library());
         s.files().add_symlink("/a/libx.so", "libx.so");
       },
       {"leads in a circle", "nor does it look into the directories of this list behind it", "/a/libx.so -> libx.so"}},
      {"a directory behind a link to nothing, once for all that is searched there",
       ProblemCode::BrokenLink,
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so", "liby.so"}).runpath("/usr/local/cuda/lib64"));
         s.files().add_symlink("/usr/local/cuda", "cuda-12.4");
       },
       {"the directory /usr/local/cuda is a symbolic link that leads nowhere", "/usr/local/cuda -> cuda-12.4"}},
      {"a directory that is not there at all",
       ProblemCode::BrokenLink,
       [](MemorySystem& s) { s.program(program_needing({"libx.so"}).runpath("/usr/local/cuda/lib64")); },
       {}},
      {"a file without permission",
       ProblemCode::NotReadable,
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so"}).runpath("/a:/b")).elf("/b/libx.so", library());
         s.files().add_file("/a/libx.so", write_elf(library()), 0);
       },
       {"is not allowed to open", "/a/libx.so (a file that this user cannot read)"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    check_parts(reported(diagnosis_of(c.fill), c.kind), c.parts);
  }
}

TEST_CASE("only what concerns the library that is asked about") {
  const Fill fill = [](MemorySystem& s) {
    s.program(program_needing({"libx.so", "liby.so"}).runpath("/a")).elf("/a/liby.so", library());
    s.files().add_symlink("/a/libx.so", "gone");
  };
  CHECK(reported(diagnosis_of(fill, kProgram, "liby.so"), ProblemCode::BrokenLink).empty());
  CHECK(reported(diagnosis_of(fill, kProgram, "libx.so"), ProblemCode::BrokenLink).size() == 1);
}

TEST_CASE("the family of a library is its name without version and wheel hash") {
  struct Case {
    const char* why;
    std::string name;
    std::string want;
  };
  const Case cases[] = {
      {"a SONAME", "libcudart.so.11.0", "libcudart"},
      {"another one of the family, by path", "/opt/cuda/libcudart.so.12", "libcudart"},
      {"renamed in a wheel", "libcudart-e409450e.so.11.0", "libcudart"},
      {"a dash and a word", "libnvrtc-builtins.so.12.4", "libnvrtc-builtins"},
      {"an extension module is no library", "_C.cpython-311-x86_64-linux-gnu.so", ""},
      {"no shared object", "libfoo.a", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(library_family(c.name) == c.want);
  }
}

TEST_CASE("two copies of one library in a process") {
  const Fill two = [](MemorySystem& s) {
    s.program(program_needing({"libcudart.so.12", "libmodel.so"}).runpath("/a").call(undefined("cudaMalloc")));
    s.elf("/a/libcudart.so.12", library().soname("libcudart.so.12").define(defined("cudaMalloc")));
    s.elf("/a/libmodel.so",
          library_needing({"libcudart-e409450e.so.11.0"}).runpath("/a").call(undefined("cudaMalloc")));
    s.elf("/a/libcudart-e409450e.so.11.0",
          library().soname("libcudart-e409450e.so.11.0").define(defined("cudaMalloc")));
  };
  check_parts(reported(diagnosis_of(two), ProblemCode::TwoCopies),
              {"2 copies of libcudart are in one process",
               "/a/libcudart.so.12 (libcudart.so.12), needed by prog; symbols of /a/libmodel.so end here, too",
               "/a/libcudart-e409450e.so.11.0 (libcudart-e409450e.so.11.0), needed by /a/libmodel.so"});
  const Fill one = [](MemorySystem& s) {
    s.program(program_needing({"libcudart.so.12", "libmodel.so"}).runpath("/a"));
    s.elf("/a/libcudart.so.12", library().soname("libcudart.so.12"));
    s.elf("/a/libmodel.so", library_needing({"libcudart.so.12"}));
  };
  CHECK(reported(diagnosis_of(one), ProblemCode::TwoCopies).empty());
}

TEST_CASE("a stub stands where the real library is wanted") {
  struct Case {
    const char* why;
    Fill fill;
    Names parts;
  };
  const auto driver = [] { return library().soname("libcuda.so.1"); };
  const Case cases[] = {
      {"found in a directory of stubs",
       [&](MemorySystem& s) {
         s.program(program_needing({"libcuda.so"}).runpath("/cuda/lib64/stubs"))
             .elf("/cuda/lib64/stubs/libcuda.so", driver());
       },
       {"/cuda/lib64/stubs/libcuda.so is a stub", "it lies in a directory of stubs"}},
      {"through a link, as ldconfig makes it",
       [&](MemorySystem& s) {
         s.program(program_needing({"libcuda.so.1"})).elf("/cuda/lib64/stubs/libcuda.so", driver());
         s.files().add_symlink("/lib64/libcuda.so.1", "/cuda/lib64/stubs/libcuda.so");
       },
       {"it leads to /cuda/lib64/stubs/libcuda.so"}},
      {"copied beside other libraries",
       [&](MemorySystem& s) { s.program(program_needing({"libcuda.so.1"})).elf("/lib64/libcuda.so.1", driver()); },
       {"needs no other library, not even libc"}},
      {"the driver's own",
       [&](MemorySystem& s) {
         s.program(program_needing({"libcuda.so.1"}))
             .elf("/lib64/libcuda.so.1", driver().needed("libc.so.6"))
             .elf("/lib64/libc.so.6", library());
       },
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    check_parts(reported(diagnosis_of(c.fill), ProblemCode::StubLibrary), c.parts);
  }
}

TEST_CASE("a file that ends before its segments is loaded, and told") {
  const std::string whole = write_elf(library().soname("libv.so.1"));
  const auto problems_when_announcing = [&](std::uint64_t more) {
    std::string bytes = whole;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      char* const place = bytes.data() + header.e_phoff + i * sizeof segment;
      std::memcpy(&segment, place, sizeof segment);
      if (segment.p_type != PT_LOAD) continue;
      segment.p_filesz += more;
      segment.p_memsz += more;
      std::memcpy(place, &segment, sizeof segment);
    }
    return reported(diagnosis_of([&](MemorySystem& s) {
                      s.program(program_needing({"libv.so.1"}));
                      s.files().add_file("/lib64/libv.so.1", bytes);
                    }),
                    ProblemCode::FileCut);
  };
  check_parts(problems_when_announcing(0), {});
  const std::string size = std::to_string(whole.size());
  const std::string announced = std::to_string(whole.size() + 5000);
  check_parts(problems_when_announcing(5000),
              {"/lib64/libv.so.1 is cut off: 5000 of the " + announced + " bytes",
               "| /lib64/libv.so.1: " + size + " bytes, and its segments go to byte " + announced});
}

TEST_CASE("symbols are looked at when libraries and versions are right") {
  const auto with_library = [](const ElfSpec& program) {
    return [program](MemorySystem& s) { s.program(program).elf("/lib64/libv.so.1", versioned()); };
  };
  const Diagnosis missing = diagnosis_of(with_library(calling("g")));
  check_parts(reported(missing, ProblemCode::SymbolMissing),
              {"/lib64/libv.so.1 is found, but it does not define g@V_1, which prog requires of libv.so.1",
               "only the first call of it ends the program, unless LD_BIND_NOW is set"});
  CHECK(missing.starts);
  CHECK(missing.has_fatal());
  CHECK(missing.loader_prints.empty());
  CHECK(sentence(missing.verdict, Language::English).starts_with("/app/prog: starts, but: /lib64/libv.so.1 is found"));
  CHECK(missing.problems.front().loader_says == "prog: symbol lookup error: prog: undefined symbol: g, version V_1");
  const Diagnosis at_once = diagnosis_of([&](MemorySystem& s) {
    with_library(calling("g"))(s);
    s.env("LD_BIND_NOW=1");
  });
  CHECK(!at_once.starts);
  CHECK(at_once.loader_prints == "prog: symbol lookup error: prog: undefined symbol: g, version V_1");
  check_parts(reported(at_once, ProblemCode::SymbolMissing), {"without LD_BIND_NOW it ends at the first call"});
  check_parts(reported(diagnosis_of(with_library(calling("h"))), ProblemCode::SymbolMissing),
              {"/lib64/libv.so.1 has it in version V_2"});
  CHECK(diagnosis_of(with_library(calling("f"))).starts);
  // Behind a missing version it would say the same once more.
  ElfSpec newer = calling("g");
  newer.version_needs = {{"libv.so.1", {{"V_1"}, {"V_3"}}}};
  CHECK(reported(diagnosis_of(with_library(newer)), ProblemCode::SymbolMissing).empty());
}

TEST_CASE("a symbol that is missing belongs to the library that has its like, in another release") {
  struct Case {
    const char* why;
    Names defined;
    Names asked;
    Names want;  ///< further evidence
  };
  const Case cases[] = {
      {"names of C begin alike",
       {"uv_a", "uv_b"},
       {"uv_a", "uv_b", "uv_new"},
       {"/app/lib/libdep.so.1 defines 2 of 3 symbols that prog requires of it and lacks uv_new: it is another release "
        "than prog was built for (likely)"}},
      {"of C++ by the namespace, which the library is called by",
       {"f"},
       {"f", "_ZN3dep3newEv"},
       {"/app/lib/libdep.so.1 defines 1 of 2 symbols that prog requires of it and lacks dep::new(): it is another "
        "release than prog was built for (likely)"}},
      {"nothing says whose it is", {"f", "g"}, {"f", "g", "other_h"}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Diagnosis diagnosis = diagnosis_of([&](MemorySystem& memory) {
      ElfSpec user = program_needing({"libdep.so.1"}).runpath("/app/lib");
      ElfSpec dep = library().soname("libdep.so.1");
      for (const std::string& symbol : c.asked) user.refer(undefined(symbol));
      for (const std::string& symbol : c.defined) dep.define(defined(symbol));
      memory.program(user).elf("/app/lib/libdep.so.1", dep);
    });
    const auto problem = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                                      [](const Problem& one) { return one.code == ProblemCode::SymbolMissing; });
    REQUIRE(problem != diagnosis.problems.end());
    Names said;
    for (const Evidence& evidence : problem->evidence) {
      if (evidence.what.sentence == "provider-lacks") said.push_back(sentence(evidence.what, Language::English));
    }
    CHECK(said == c.want);
  }
}

TEST_CASE("a library whose calls of its own code end in another library") {
  struct Case {
    const char* why;
    std::function<void(ElfSpec& first, ElfSpec& second)> make;
    Names want;
  };
  const auto both = [](const Symbol& symbol) {
    return [symbol](ElfSpec& first, ElfSpec& second) {
      first.define(symbol);
      second.define(symbol).refer(symbol);
    };
  };
  Symbol weak = defined("f");
  weak.binding = Binding::Weak;
  Symbol is_protected = defined("f");
  is_protected.visibility = Visibility::Protected;
  const Case cases[] = {
      {"both have a copy of it",
       both(defined("f")),
       {"1 symbol that /app/lib/libtwo.so defines itself (f) binds to /app/lib/libone.so, which comes before it: it "
        "runs with that one's code"}},
      {"inline functions of C++ are meant to be one", both(weak), {}},
      {"a protected symbol is the library's own", both(is_protected), {}},
      {"what it does not refer to",
       [](ElfSpec& first, ElfSpec& second) {
         first.define(defined("f"));
         second.define(defined("f"));
       },
       {}},
      {"the first is meant to stand in front of a library that it needs",
       [](ElfSpec& first, ElfSpec& second) {
         first.needed("libtwo.so").define(defined("f"));
         second.define(defined("f")).refer(defined("f"));
       },
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem memory;
    ElfSpec first = library().soname("libone.so").runpath("/app/lib");
    ElfSpec second = library().soname("libtwo.so");
    first.hash = second.hash = HashTables::Gnu;
    c.make(first, second);
    memory.program(program_needing({"libone.so", "libtwo.so"}).runpath("/app/lib"))
        .elf("/app/lib/libone.so", first)
        .elf("/app/lib/libtwo.so", second);
    const Result<LinkMap> map = memory.load(std::string(kProgram), {});
    REQUIRE(map.has_value());
    Names said;
    for (const Problem& problem : find_symbols_taken_over(*map))
      said.push_back(sentence(problem.what, Language::English));
    CHECK(said == c.want);
  }
}

TEST_CASE("a start that ends over something else than symbols does not count as good") {
  const Diagnosis diagnosis = diagnosis_of([](MemorySystem& s) {
    s.program(program_needing({"liba.so"})).elf("/lib64/liba.so", library().refer(defined("f"), 0x7e));
  });
  CHECK(!diagnosis.starts);
  check_parts(reported(diagnosis, ProblemCode::WouldCrash), {"unexpected reloc type 0x7e"});
}

TEST_CASE("what a library refers to without a version is left to the process that opens it") {
  const Fill fill = [](MemorySystem& s) {
    s.elf("/app/_C.so", library().call(undefined("PyModule_Create2")).call(undefined("PyErr_Occurred")));
    s.process.start = Start::Argument;
  };
  const Diagnosis diagnosis = diagnosis_of(fill, "/app/_C.so");
  CHECK(diagnosis.starts);
  check_parts(reported(diagnosis, ProblemCode::Note), {"leaves PyModule_Create2 and 1 further symbol to the process"});
}

TEST_CASE("of two objects with versions that end the start, the first in the list is named") {
  const Fill fill = [](MemorySystem& s) {
    ElfSpec program = program_needing({"libc.so.6", "liba.so"});
    program.version_needs.push_back({"libc.so.6", {{"V1"}}});
    program.relr_words = 1;
    ElfSpec needs_absent = library().soname("liba.so");
    needs_absent.version_needs.push_back({"libgone.so", {{"V1"}}});
    ElfSpec libc = library().soname("libc.so.6");
    libc.version_definitions = {{"libc.so.6"}, {"V1"}};
    s.program(program).elf("/lib64/libc.so.6", libc).elf("/lib64/liba.so", needs_absent);
  };
  const Diagnosis diagnosis = diagnosis_of(fill);
  CHECK(diagnosis.loader_prints ==
        "prog: error while loading shared libraries: prog: DT_RELR without GLIBC_ABI_DT_RELR dependency");
  CHECK(sentence(diagnosis.verdict, Language::English).find("DT_RELR") != std::string::npos);
  CHECK(diagnosis.problems.back().code == ProblemCode::VersionFile);
}

TEST_CASE("an object for a better processor") {
  const Fill fill = [](MemorySystem& s) {
    ElfSpec fast = library();
    fast.isa_needed = 8;
    s.program(program_needing({"libfast.so"})).elf("/lib64/libfast.so", fast);
  };
  const Diagnosis diagnosis = diagnosis_of(fill);
  check_parts(reported(diagnosis, ProblemCode::CpuLevel), {"/lib64/libfast.so is built for x86-64-v4"});
  CHECK(diagnosis.loader_prints == "/lib64/libfast.so: CPU ISA level is lower than required");
}

TEST_CASE("an executable stack that the loader refuses") {
  const Fill fill = [](MemorySystem& s) {
    s.rules = rules_for_release({2, 41}, kX86_64);
    s.process.start = Start::Dlopen;
    ElfSpec spec = library();
    spec.stack = StackHeader::Executable;
    s.elf("/lib64/libx.so", spec);
  };
  const Diagnosis diagnosis = diagnosis_of(fill, "libx.so");
  check_parts(reported(diagnosis, ProblemCode::ExecStack), {"libx.so requires an executable stack (PT_GNU_STACK)"});
  CHECK(diagnosis.loader_prints.find("cannot enable executable stack as shared object requires: Invalid argument") !=
        std::string::npos);
}

TEST_CASE("static TLS of what is opened, against the surplus") {
  Process process;
  const LoaderRules rules = rules_for_release({2, 41}, kX86_64);
  CHECK(static_tls_surplus_bytes(rules, process) == 1664);
  process.environment.add("GLIBC_TUNABLES=glibc.rtld.nns=1:glibc.rtld.optional_static_tls=4096");
  CHECK(static_tls_surplus_bytes(rules, process) == 288 + 4096);

  struct Case {
    const char* why;
    std::uint32_t bytes;
    std::string tunables;
    Names parts;
  };
  const Case cases[] = {
      {"more than there is", 2000, "", {"require 2000 bytes", "1664", "dlopen fails"}},
      {"more than half of it", 1000, "", {"require 1000 bytes", "dlopen may fail"}},
      {"little", 128, "", {}},
      {"more than half of what a tunable makes of it",
       2000,
       "glibc.rtld.optional_static_tls=2000",
       {"3152", "may fail"}},
      {"a tunable that makes room", 2000, "glibc.rtld.optional_static_tls=4096", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Fill fill = [&](MemorySystem& s) {
      s.process.start = Start::Dlopen;
      if (!c.tunables.empty()) s.env("GLIBC_TUNABLES=" + c.tunables);
      s.elf("/lib64/libtls.so", static_tls_library(c.bytes));
    };
    check_parts(reported(diagnosis_of(fill, "libtls.so"), ProblemCode::StaticTls), c.parts);
  }
  const Fill at_start = [](MemorySystem& s) {
    s.program(program_needing({"libtls.so"})).elf("/lib64/libtls.so", static_tls_library(2000));
  };
  CHECK_MESSAGE(reported(diagnosis_of(at_start), ProblemCode::StaticTls).empty(), "at the start there is room for all");
}

TEST_CASE("of a library that nobody opens yet, more static TLS than there is depends on how it is loaded") {
  struct Case {
    const char* why;
    std::uint32_t bytes;
    bool is_needed;  ///< by a program, from its start
    Verdict want;
  };
  const Case cases[] = {
      {"more than there is", 2000, false, Verdict::Depends},
      {"as much as there is", 1664, false, Verdict::Works},
      {"from the start it has a place", 2000, true, Verdict::Works},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Fill fill = [&](MemorySystem& s) {
      s.elf("/lib64/libtls.so", static_tls_library(c.bytes)).program(program_needing({"libtls.so"}));
      s.process.start = c.is_needed ? Start::Kernel : Start::Argument;
    };
    const Diagnosis diagnosis = diagnosis_of(fill, c.is_needed ? kProgram : "/lib64/libtls.so");
    CHECK(diagnosis.answer == c.want);
    const bool says_so = diagnosis.verdict.arguments.size() == 2 &&
                         sentence(diagnosis.verdict, Language::English).find("2000 of 1664 bytes") != std::string::npos;
    CHECK(says_so == (c.want == Verdict::Depends));
  }
}

TEST_CASE("of a library that nobody opens yet, an executable stack depends on how it is loaded, since glibc 2.41") {
  struct Case {
    const char* why;
    int glibc;
    StackHeader stack;
    Verdict want;
    std::string note;
  };
  const Case cases[] = {
      {"refused", 41, StackHeader::Executable, Verdict::Depends, "take a newer build"},
      {"without a header it wants one", 41, StackHeader::Absent, Verdict::Depends, "patchelf --clear-execstack"},
      {"given, so far", 36, StackHeader::Executable, Verdict::Works, "refuses it from glibc 2.41 on"},
      {"it wants none", 41, StackHeader::ReadWrite, Verdict::Works, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Fill fill = [&](MemorySystem& s) {
      s.rules = rules_for_release({2, c.glibc}, kX86_64);
      ElfSpec spec = library();
      spec.stack = c.stack;
      s.elf("/lib64/libx.so", spec);
      s.process.start = Start::Argument;
    };
    const Diagnosis diagnosis = diagnosis_of(fill, "/lib64/libx.so");
    CHECK(diagnosis.answer == c.want);
    const bool has_note =
        std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(), [&](const Problem& problem) {
          const bool is_of_stack = problem.what.sentence.find("exec-stack") == 0;
          return is_of_stack && sentence(problem.what, Language::English).find(c.note) != std::string::npos;
        });
    CHECK(has_note == !c.note.empty());
  }
}

TEST_CASE("the runtime of AddressSanitizer ends a process in which it is not the first library") {
  struct Case {
    const char* why;
    std::vector<std::string> needs;
    std::string variable;
    bool is_late;
  };
  const Case cases[] = {
      {"behind another", {"libx.so", "libasan.so.8"}, "", true},
      {"the first", {"libasan.so.8", "libx.so"}, "", false},
      {"preloaded", {"libx.so", "libasan.so.8"}, "LD_PRELOAD=/lib64/libasan.so.8", false},
      {"told not to look", {"libx.so", "libasan.so.8"}, "ASAN_OPTIONS=verify_asan_link_order=0", false},
      {"by a word", {"libx.so", "libasan.so.8"}, "ASAN_OPTIONS=halt_on_error=0,verify_asan_link_order='no'", false},
      {"the last counts",
       {"libx.so", "libasan.so.8"},
       "ASAN_OPTIONS=verify_asan_link_order=1:verify_asan_link_order=false",
       false},
      {"and says yes",
       {"libx.so", "libasan.so.8"},
       "ASAN_OPTIONS=verify_asan_link_order=0 verify_asan_link_order=1",
       true},
      {"another option", {"libx.so", "libasan.so.8"}, "ASAN_OPTIONS=not_verify_asan_link_order=0", true},
      {"a library's own options", {"libx.so", "libown.so", "libasan.so.8"}, "", false},
      {"not there", {"libx.so"}, "", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Diagnosis diagnosis = diagnosis_of([&](MemorySystem& s) {
      s.program(program_needing(c.needs)).elf("/lib64/libx.so", library().soname("libx.so"));
      s.elf("/lib64/libown.so", library().soname("libown.so").define(defined("__asan_default_options")));
      s.elf("/lib64/libasan.so.8", library()
                                       .soname("libasan.so.8")
                                       .define(defined("__asan_default_options"))
                                       .refer(undefined("__asan_default_options"), kRelocJumpSlot));
      if (!c.variable.empty()) s.env(c.variable);
    });
    CHECK((diagnosis.answer == Verdict::Fails) == c.is_late);
    CHECK((diagnosis.loader_prints.find("ASan runtime does not come first") != std::string::npos) == c.is_late);
  }
}

TEST_CASE("a thread-local variable bound to what is none, and the reverse") {
  const Symbol variable = with(undefined("s"), SymbolType::Tls);
  const ElfSpec plain = library().define(data(defined("s")));
  const ElfSpec local = library().define(with(defined("s"), SymbolType::Tls));
  struct Case {
    const char* why;
    Symbol symbol;
    std::uint32_t type;
    ElfSpec library;
    Names parts;
  };
  const Names as_local = {"uses s as thread-local", "liba.so defines as ordinary"};
  const Names as_plain = {"uses s as an ordinary symbol", "liba.so defines as thread-local"};
  const Case cases[] = {
      {"both are", variable, kRelocDtpMod64, local, {}},
      {"neither is", undefined("s"), kRelocGlobDat, plain, {}},
      {"by its module", variable, kRelocDtpMod64, plain, as_local},
      {"by its place", variable, kRelocTpOff64, plain, as_local},
      {"by a descriptor", variable, kRelocTlsDesc, plain, as_local},
      {"an address", undefined("s"), kRelocGlobDat, local, as_plain},
      {"a call", undefined("s"), kRelocJumpSlot, local, as_plain},
      {"a word", undefined("s"), kReloc64, local, as_plain},
      {"a copy", data(defined("s")), kRelocCopy, local, as_plain},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    const Fill at_start = [&](MemorySystem& s) {
      s.program(program_needing({"liba.so"}).refer(c.symbol, c.type)).elf("/lib64/liba.so", c.library);
    };
    check_parts(reported(diagnosis_of(at_start), ProblemCode::SymbolKind), c.parts);
    if (c.type == kRelocCopy) continue;
    const Fill at_dlopen = [&](MemorySystem& s) {
      s.process.start = Start::Dlopen;
      s.elf("/lib64/libx.so", library_needing({"liba.so"}).refer(c.symbol, c.type)).elf("/lib64/liba.so", c.library);
    };
    check_parts(reported(diagnosis_of(at_dlopen, "libx.so"), ProblemCode::SymbolKind), c.parts);
  }
}

TEST_CASE("a problem says when it is met") {
  struct Case {
    const char* why;
    ProblemCode code;
    Phase phase;
    Fill fill;
    std::vector<OpenRequest> dlopen_calls = {};
  };
  const Fill missing = [](MemorySystem& s) { s.program(program_needing({"libgone.so"})); };
  const Fill opened = [](MemorySystem& s) {
    s.program(program()).elf("/lib64/libx.so", library_needing({"libgone.so"}));
  };
  const auto calls = [](const char* environment) {
    return [=](MemorySystem& s) { s.program(calling("g")).elf("/lib64/libv.so.1", versioned()).env(environment); };
  };
  const Case cases[] = {
      {"a program", ProblemCode::MissingLibrary, Phase::Start, missing},
      {"what it opens", ProblemCode::MissingLibrary, Phase::Dlopen, opened, {{"libx.so"}}},
      {"what ends the start before that", ProblemCode::MissingLibrary, Phase::Start, missing, {{"libx.so"}}},
      {"a library alone", ProblemCode::MissingLibrary, Phase::Dlopen,
       [](MemorySystem& s) {
         s.process.start = Start::Dlopen;
         s.elf(kProgram, library_needing({"libgone.so"}));
       }},
      {"a call that is bound lazily", ProblemCode::SymbolMissing, Phase::Call, calls("A=1")},
      {"one that is bound at once", ProblemCode::SymbolMissing, Phase::Start, calls("LD_BIND_NOW=1")},
      {"a preload is of the start, whatever is asked about",
       ProblemCode::PreloadIgnored,
       Phase::Start,
       [](MemorySystem& s) { s.program(program()).elf("/lib64/libx.so", library()).env("LD_PRELOAD=/gone.so"); },
       {{"libx.so"}}},
      {"what surprises is of the start as well", ProblemCode::RpathVoid, Phase::Start,
       [](MemorySystem& s) { s.program(program().rpath("/a").runpath("/b")); }},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    const Diagnosis diagnosis = diagnosis_of(c.fill, kProgram, {}, {.dlopen_calls = c.dlopen_calls});
    const auto found = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                                    [&](const Problem& problem) { return problem.code == c.code; });
    REQUIRE(found != diagnosis.problems.end());
    CHECK(name_of(found->phase) == name_of(c.phase));
    CHECK(found->is_met_later() == (c.phase == Phase::Call));
  }
}

TEST_CASE("evidence has the place that shows it") {
  const auto evidence_of = [](const Diagnosis& diagnosis, ProblemCode code) {
    for (const Problem& problem : diagnosis.problems) {
      if (problem.code == code) return problem.evidence;
    }
    return std::vector<Evidence>{};
  };
  const auto number = [](const std::string& file, std::uint64_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file.at(at + i));
    return value;
  };
  {
    // An entry of DT_SYMTAB: the name's place among the strings, no section.
    const std::string file = write_elf(calling("needle"));
    const auto found = evidence_of(
        diagnosis_of([](MemorySystem& s) { s.program(calling("needle")).elf("/lib64/libv.so.1", versioned()); }),
        ProblemCode::SymbolMissing);
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == kProgram);
    REQUIRE(found[0].offset.has_value());
    CHECK(number(file, *found[0].offset + 6, 2) == 0);
    const std::uint64_t name = number(file, *found[0].offset, 4);
    const std::size_t text = file.find(std::string("\0needle\0", 8)) + 1;
    CHECK(file.at(text - name) == '\0');
    CHECK(file.find("libv.so.1", text - name) != std::string::npos);
  }
  {
    // An entry of DT_VERNEED: the hash of its version comes first.
    ElfSpec spec = program_needing({"libv.so.1"});
    spec.version_needs = {{"libv.so.1", {{"V_3"}}}};
    const auto found =
        evidence_of(diagnosis_of([&](MemorySystem& s) { s.program(spec).elf("/lib64/libv.so.1", versioned()); }),
                    ProblemCode::VersionMissing);
    REQUIRE(found.size() == 2);
    CHECK(found[1].what.sentence == "defines-older-only");
    CHECK(found[0].path == kProgram);
    REQUIRE(found[0].offset.has_value());
    CHECK(number(write_elf(spec), *found[0].offset, 4) == 0x5c23);  // elf_hash("V_3")
  }
  {
    const auto found = evidence_of(diagnosis_of([](MemorySystem& s) {
                                     s.program(program()).elf("/b/libfile.so", library());
                                     s.preload_file = "# ours\n\n/b/libfile.so\n";
                                   }),
                                   ProblemCode::PreloadInEffect);
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == "/etc/ld.so.preload");
    CHECK(found[0].line == 3);
  }
  {
    const auto found = evidence_of(
        diagnosis_of([](MemorySystem& s) { s.program(program().rpath("/a").runpath("/b")); }), ProblemCode::RpathVoid);
    REQUIRE(found.size() == 2);
    CHECK(found[0].path == kProgram);
  }
}

TEST_CASE("preloads that are loaded, with where they come from") {
  const Fill fill = [](MemorySystem& s) {
    s.program(program_needing({})).elf("/a/libhook.so", library()).elf("/b/libfile.so", library());
    s.env("LD_PRELOAD=/a/libhook.so:/gone.so");
    s.preload_file = "/b/libfile.so\n";
  };
  check_parts(reported(diagnosis_of(fill), ProblemCode::PreloadInEffect),
              {"| /a/libhook.so (LD_PRELOAD) | /b/libfile.so (/etc/ld.so.preload)"});
  const Fill none = [](MemorySystem& s) { s.program(program_needing({})).env("LD_PRELOAD=/gone.so"); };
  CHECK(reported(diagnosis_of(none), ProblemCode::PreloadInEffect).empty());
}

TEST_CASE("directories in which others can put libraries before the system's") {
  struct Case {
    const char* why;
    Fill fill;
    Names parts;
  };
  const Case cases[] = {
      {"everybody may write there, the sticky bit does not help",
       [](MemorySystem& s) {
         s.files().add_directory("/tmp", 01777);
         s.program(program_needing({"libx.so"})).elf("/lib64/libx.so", library()).env("LD_LIBRARY_PATH=/tmp");
       },
       {"/tmp/, from LD_LIBRARY_PATH, may be written to by everybody"}},
      {"of a RUNPATH",
       [](MemorySystem& s) {
         s.files().add_directory("/shared", 0777);
         s.program(program_needing({"libx.so"}).runpath("/shared")).elf("/lib64/libx.so", library());
       },
       {"/shared/, from the RUNPATH of prog"}},
      {"only its owner may",
       [](MemorySystem& s) {
         s.files().add_directory("/mine", 0755);
         s.program(program_needing({"libx.so"}).runpath("/mine")).elf("/lib64/libx.so", library());
       },
       {}},
      {"an empty element",
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so"})).elf("/lib64/libx.so", library()).env("LD_LIBRARY_PATH=/a:");
       },
       {"LD_LIBRARY_PATH has an empty element"}},
      {"a relative directory",
       [](MemorySystem& s) { s.program(program_needing({"libx.so"}).runpath("lib")).elf("/lib64/libx.so", library()); },
       {"the RUNPATH of prog has the relative directory 'lib'"}},
      {"a tilde",
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so"})).elf("/lib64/libx.so", library()).env("LD_LIBRARY_PATH=/a:~/lib");
       },
       {"LD_LIBRARY_PATH has '~/lib', and ld.so does not expand ~"}},
      {"a tilde in a name",
       [](MemorySystem& s) {
         s.program(program_needing({"libx.so"})).elf("/lib64/libx.so", library()).env("LD_LIBRARY_PATH=a~b");
       },
       {"LD_LIBRARY_PATH has the relative directory 'a~b'"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    check_parts(reported(diagnosis_of(c.fill), ProblemCode::UnsafeElement), c.parts);
  }
}

TEST_CASE("entries of RPATH and RUNPATH that do no good, by directory") {
  struct Case {
    const char* why;
    std::string runpath;
    ProblemCode code;
    Names parts;
  };
  const Case cases[] = {
      {"there is no such directory",
       "/gone",
       ProblemCode::RpathMissing,
       {"the entry '/gone' leads to /gone, which does not exist"}},
      {"what $ORIGIN leads to", "$ORIGIN/../gone", ProblemCode::RpathMissing, {"which does not exist"}},
      {"there is a file", "/lib64/libx.so", ProblemCode::RpathMissing, {"which is not a directory"}},
      {"it is there", "/mine", ProblemCode::RpathMissing, {}},
      {"the same text", "/mine:/mine", ProblemCode::RpathDuplicate, {"'/mine' leads to /mine, as '/mine' before it"}},
      {"the same after expansion",
       "/mine:/lib64/../mine/",
       ProblemCode::RpathDuplicate,
       {"leads to /lib64/../mine, as '/mine' before it"}},
      {"two directories", "/mine:/lib64", ProblemCode::RpathDuplicate, {}},
      {"the loader's own", "/lib64", ProblemCode::RpathDefault, {"the entry '/lib64' is a default directory"}},
      {"a part of its name", "/lib64x", ProblemCode::RpathDefault, {}},
      {"stubs, there or not", "/cuda/lib64/stubs", ProblemCode::RpathStubs, {"'/cuda/lib64/stubs' is a directory of"}},
      {"a home that is not here", "/home/ci/out", ProblemCode::RpathBuild, {"a home directory"}},
      {"somebody's own work", "/home/me/build", ProblemCode::RpathBuild, {}},
      {"what anyone can make, even if it is there", "/tmp/build", ProblemCode::RpathBuild, {"a temporary directory"}},
      {"conda's padding", "/x/_h_env_placehold_placehold/lib", ProblemCode::RpathBuild, {"conda-build"}},
      {"a build place is not also missing", "/builddir/x", ProblemCode::RpathMissing, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Fill fill = [&](MemorySystem& s) {
      for (const char* directory : {"/mine", "/home/me/build", "/tmp/build"}) s.files().add_directory(directory, 0755);
      s.program(program_needing({"libx.so"}).runpath(c.runpath)).elf("/lib64/libx.so", library());
    };
    const Diagnosis diagnosis = diagnosis_of(fill);
    check_parts(reported(diagnosis, c.code), c.parts);
    CHECK(diagnosis.answer == Verdict::Works);
  }
}
