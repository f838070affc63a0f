// Each line that soresolve says the loader prints is recognised by explain as a message of the same code. The lines are
// those of small systems in which that goes wrong, none is typed here; test/differential does the same with all its
// scenarios, whose lines the real loader prints.
#include <doctest/doctest.h>

#include <elf.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/problem_rows.h"
#include "diagnose/diagnose.h"
#include "loader/load.h"
#include "loader/loader_rules.h"
#include "loader/process.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "support/explained.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Fill = std::function<void(MemorySystem&)>;

struct Case {
  ProblemCode code;
  std::string why;
  Fill fill;
  std::string file = std::string(kProgram);
  std::vector<OpenRequest> dlopen_calls = {};
};

ElfSpec with_versions(ElfSpec spec, std::vector<VersionNeeds> needs) {
  spec.version_needs = std::move(needs);
  return spec;
}

/// A library of that SONAME which defines `node` and nothing in it.
ElfSpec defining(const std::string& soname, const std::string& node) {
  ElfSpec spec = library().soname(soname);
  spec.version_definitions = {{soname}, {node}};
  return spec.define(defined("something", node));
}

Fill lacking_version(const std::string& soname, const std::string& wanted) {
  return [=](MemorySystem& s) {
    s.program(with_versions(program_needing({soname}), {{soname, {{wanted}}}}))
        .elf("/lib64/" + soname, defining(soname, "OLD_1"));
  };
}

Fill lacking_symbol(const std::string& soname, const std::string& symbol, const std::string& node) {
  return [=](MemorySystem& s) {
    s.program(with_versions(program_needing({soname}), {{soname, {{node}}}}).refer(undefined(symbol, node)))
        .elf("/lib64/" + soname, defining(soname, node));
  };
}

Fill damaged(Damage damage) {
  return [=](MemorySystem& s) {
    s.program(program_needing({"libx.so"}));
    s.files().add_file("/lib64/libx.so", write_damaged(library(), damage));
  };
}

/// The first word of the table behind `tag` of DT_VERNEED or DT_VERDEF: its version.
ElfSpec with_odd_record(ElfSpec spec, std::uint64_t tag) {
  const std::string file = write_elf(spec);
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file[at + i]);
    return value;
  };
  for (std::size_t at = 0; at + 16 <= file.size(); at += 8) {
    if (word(at) == tag && word(at + 8) < file.size()) return spec.patch(word(at + 8), std::string("\7\0", 2));
  }
  FAIL("no such table");
  return spec;
}

std::vector<Case> cases() {
  const auto needing = [](const std::string& name) {
    return [=](MemorySystem& s) { s.program(program_needing({name})); };
  };
  std::vector<Case> all = {
      {ProblemCode::MissingLibrary, "a library of no place", needing("libgone.so.1")},
      {ProblemCode::MissingLibrary, "CUDA's runtime", needing("libcudart.so.11.0")},
      {ProblemCode::MissingLibrary, "an older one", needing("libcudart.so.10.1")},
      {ProblemCode::MissingLibrary, "cuDNN", needing("libcudnn.so.8")},
      {ProblemCode::MissingLibrary, "a part of it", needing("libcudnn_ops.so.9")},
      {ProblemCode::MissingLibrary, "the driver", needing("libcuda.so.1")},
      {ProblemCode::MissingLibrary, "NCCL", needing("libnccl.so.2")},
      {ProblemCode::MissingLibrary, "cuBLAS", needing("libcublasLt.so.12")},
      {ProblemCode::MissingLibrary, "PyTorch", needing("libtorch_cpu.so")},
      {ProblemCode::MissingLibrary, "PyTorch in parts", needing("libtorch_cuda_cu.so")},
      {ProblemCode::MissingLibrary, "Python", needing("libpython3.11.so.1.0")},
      {ProblemCode::MissingLibrary, "a path", needing("/opt/libgone.so")},
      {ProblemCode::WrongClass, "the other word size",
       [](MemorySystem& s) {
         ElfSpec other = library();
         other.bits = Bits::Elf32;
         other.machine = kEm386;
         s.program(program_needing({"libx.so"})).elf("/lib64/libx.so", other);
       }},
      {ProblemCode::FatalCandidate,
       "not for dlopen",
       [](MemorySystem& s) {
         ElfSpec spec = library();
         spec.flags_1 = kDf1NoOpen;
         s.program(program()).elf("/lib64/libx.so", spec);
       },
       std::string(kProgram),
       {{"libx.so"}}},
      {ProblemCode::FatalCandidate,
       "a mode that dlmopen does not take",
       [](MemorySystem& s) { s.program(program()).elf("/lib64/libx.so", library()); },
       std::string(kProgram),
       {{.file = "libx.so", .mode = {.scope = OpenScope::Global, .into = OpenInto::NewNamespace}}}},
      {ProblemCode::BadToken, "a token in a set-uid program",
       [](MemorySystem& s) {
         s.program(program_needing({"$ORIGIN/libx.so"}));
         s.process.secure = true;
       }},
      {ProblemCode::BadToken, "$ORIGIN without a value",
       [](MemorySystem& s) {
         s.program(program().add(StringTag::Auxiliary, "$ORIGIN/libx.so"));
         s.process.has_proc = false;
       }},
      {ProblemCode::VersionFile, "versions of a file that nothing goes by",
       [](MemorySystem& s) {
         s.program(with_versions(program(), {{"libelse.so", {{"V1"}}}}));
       }},
      {ProblemCode::VersionTable, "an odd record of needs",
       [](MemorySystem& s) {
         s.program(
              with_odd_record(with_versions(program_needing({"libv.so.1"}), {{"libv.so.1", {{"V1"}}}}), DT_VERNEED))
             .elf("/lib64/libv.so.1", defining("libv.so.1", "V1"));
       }},
      {ProblemCode::VersionTable, "an odd record of definitions",
       [](MemorySystem& s) {
         s.program(with_versions(program_needing({"libv.so.1"}), {{"libv.so.1", {{"V1"}}}}))
             .elf("/lib64/libv.so.1", with_odd_record(defining("libv.so.1", "V1"), DT_VERDEF));
       }},
      {ProblemCode::VersionMissing, "any version", lacking_version("libv.so.1", "V_2")},
      {ProblemCode::VersionMissing, "of glibc", lacking_version("libc.so.6", "GLIBC_2.99")},
      {ProblemCode::VersionMissing, "of libstdc++", lacking_version("libstdc++.so.6", "GLIBCXX_3.4.99")},
      {ProblemCode::VersionMissing, "of CUDA",
       [](MemorySystem& s) {
         // The node has the SONAME's own name, which the base record of the right file has as well.
         s.program(
              with_versions(program_needing({"libcudart.so.11.0"}), {{"libcudart.so.11.0", {{"libcudart.so.11.0"}}}}))
             .elf("/lib64/libcudart.so.11.0", defining("libcudart.so.12", "libcudart.so.12"));
       }},
      {ProblemCode::VersionMissing, "packed relocations without their mark",
       [](MemorySystem& s) {
         ElfSpec spec = with_versions(library_needing({"libc.so.6"}), {{"libc.so.6", {{"V1"}}}});
         spec.relr_words = 1;
         s.program(program_needing({"liba.so"}))
             .elf("/lib64/liba.so", spec)
             .elf("/lib64/libc.so.6", defining("libc.so.6", "V1"));
       }},
      {ProblemCode::VersionUnproven, "no versions at all",
       [](MemorySystem& s) {
         s.program(with_versions(program_needing({"libv.so.1"}), {{"libv.so.1", {{"V1"}}}}))
             .elf("/lib64/libv.so.1", library().soname("libv.so.1"));
       }},
      {ProblemCode::SymbolMissing, "with a version", lacking_symbol("libv.so.1", "f", "V1")},
      {ProblemCode::SymbolMissing, "without one", [](MemorySystem& s) { s.program(program().refer(undefined("f"))); }},
      {ProblemCode::SymbolMissing, "of CUDA", lacking_symbol("libcudart.so.12", "cudaNew", "libcudart.so.12")},
      {ProblemCode::SymbolMissing, "of cuBLASLt",
       lacking_symbol("libcublasLt.so.11", "cublasLtX", "libcublasLt.so.11")},
      {ProblemCode::SymbolMissing, "of nvJitLink",
       lacking_symbol("libnvJitLink.so.12", "__nvJitLinkAddData_12_1", "libnvJitLink.so.12")},
      {ProblemCode::SymbolMissing, "of cuDNN",
       lacking_symbol("libcudnn_ops_infer.so.8", "f", "libcudnn_ops_infer.so.8")},
      {ProblemCode::CpuLevel, "a better processor",
       [](MemorySystem& s) {
         ElfSpec spec = library();
         spec.isa_needed = 0x8;
         s.program(program_needing({"libx.so"})).elf("/lib64/libx.so", spec);
       }},
      {ProblemCode::ExecStack,
       "refused by dlopen",
       [](MemorySystem& s) {
         s.rules = rules_for_release({2, 41}, kX86_64);
         ElfSpec spec = library();
         spec.stack = StackHeader::Executable;
         s.program(program()).elf("/lib64/libx.so", spec);
       },
       std::string(kProgram),
       {{"libx.so"}}},
      {ProblemCode::ExecStack, "forbidden by a tunable",
       [](MemorySystem& s) {
         s.rules = rules_for_release({2, 41}, kX86_64);
         ElfSpec spec = program();
         spec.stack = StackHeader::Executable;
         s.program(spec).env("GLIBC_TUNABLES=glibc.rtld.execstack=0");
       }},
      {ProblemCode::StaticTlsFull,
       "more than the surplus",
       [](MemorySystem& s) {
         Symbol variable = with(defined("variable"), SymbolType::Tls);
         variable.size_bytes = 4000;
         s.program(program()).elf("/lib64/libx.so", library().refer(variable, kRelocTpOff64));
       },
       std::string(kProgram),
       {{"libx.so"}}},
      {ProblemCode::WouldCrash, "a relocation that nobody knows",
       [](MemorySystem& s) { s.program(program().refer(defined("f"), 0x7e)); }},
      {ProblemCode::WouldCrash, "a function of the program that is chosen at run time",
       [](MemorySystem& s) {
         ElfSpec spec = program_needing({"libx.so"});
         spec.define(with(defined("f"), SymbolType::Ifunc));
         s.program(spec).elf("/lib64/libx.so", library().refer(undefined("f")));
       }},
      {ProblemCode::PreloadIgnored, "a preload that is not there",
       [](MemorySystem& s) { s.program(program()).env("LD_PRELOAD=/opt/libgone.so"); }},
  };
  for (int i = 0; i <= static_cast<int>(kLastDamage); ++i) {
    const Damage damage = static_cast<Damage>(i);
    all.push_back({ProblemCode::FatalCandidate, std::string(name_of(damage)), damaged(damage)});
  }
  return all;
}

}  // namespace

TEST_CASE("what the loader prints for a problem is recognised as a message of it") {
  std::set<ProblemCode> spoken;  // codes for which a line was read
  for (const Case& c : cases()) {
    CAPTURE(c.why);
    CAPTURE(std::string(code_of(c.code)));
    MemorySystem memory;
    memory.process.argv0 = "prog";
    c.fill(memory);
    LoadOptions options;
    options.attempts = Attempts::Record;
    options.on_fatal = OnFatal::Continue;
    options.dlopen_calls = c.dlopen_calls;
    const Result<LinkMap> map = memory.load(c.file, options);
    REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
    bool is_met = false;
    for (const Problem& problem : diagnose(*map, c.file).problems) {
      CHECK(taken_otherwise(problem) == "");
      if (problem.loader_says.empty()) continue;
      spoken.insert(problem.code);
      is_met |= problem.code == c.code;
    }
    // Of the damages some are passed over, some do no harm.
    if (c.code != ProblemCode::FatalCandidate || !c.dlopen_calls.empty()) CHECK(is_met);
  }
  for (const ProblemRow& row : problem_rows()) {
    // The first waits without a word, the next are none of the loader's: what the kernel refuses each shell words. The
    // last has the words of what comes of it.
    constexpr ProblemCode kSilent[] = {ProblemCode::WouldBlock,    ProblemCode::RequirementUnmet,
                                       ProblemCode::NoInterpreter, ProblemCode::NotPermitted,
                                       ProblemCode::ForeignLibc,   ProblemCode::ForeignMachine};
    const bool is_silent = std::find(std::begin(kSilent), std::end(kSilent), row.code) != std::end(kSilent);
    if (severity_of(row.code) != Severity::Fatal || is_silent) continue;
    CAPTURE(std::string(code_of(row.code)));
    CHECK(spoken.contains(row.code));
  }
}

TEST_CASE("a message that explain knows has the code of what it is about") {
  std::set<ProblemCode> tied;
  for (const KnownMessage& known : known_messages()) {
    if (known.problem) tied.insert(*known.problem);
  }
  for (const ProblemRow& row : problem_rows()) {
    CAPTURE(std::string(code_of(row.code)));
    const bool has_words = severity_of(row.code) == Severity::Fatal || row.code == ProblemCode::PreloadIgnored ||
                           row.code == ProblemCode::VersionUnproven || phase_of(row.code) == Phase::Gpu;
    const bool is_silent = row.code == ProblemCode::WouldBlock || row.code == ProblemCode::RequirementUnmet;
    if (has_words && !is_silent) CHECK(tied.contains(row.code));
  }
}
