// Gates before a start: how they are written, and what proves or refutes them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cuda/contracts.h"
#include "diagnose/contract_file.h"
#include "diagnose/requirement.h"
#include "loader/load.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

std::string refusal(std::string_view text) {
  const Result<Requirement> read = parse_requirement(text);
  return read ? "taken" : read.error().message;
}

/// A process with a runtime of CUDA 12.4, cuDNN 8.9.2, torch 2.1.2 and a driver.
void fill(MemorySystem& s) {
  s.program(program_needing({"libcudart.so.12", "libcudnn.so.8", "libc10.so"}).runpath("/n:/sp/torch/lib"));
  s.files().add_file("/n/libcudart.so.12",
                     write_elf(library().soname("libcudart.so.12")) + std::string("\xc7\x07\x08\x2f\0\0", 6));
  s.files().add_file("/n/libcudnn.so.8.9.2", write_elf(library().soname("libcudnn.so.8")));
  s.files().add_symlink("/n/libcudnn.so.8", "libcudnn.so.8.9.2");
  s.elf("/sp/torch/lib/libc10.so", library());
  s.files().add_file("/sp/torch/version.py", "__version__ = '2.1.2+cu121'\ncuda = '12.1'\n");
  s.files().add_file("/usr/lib64/libcuda.so.535.129.03",
                     write_elf(library().soname("libcuda.so.1").needed("libc10.so")));
  s.files().add_symlink("/usr/lib64/libcuda.so.1", "libcuda.so.535.129.03");
}

RequirementVerdict verdict_on(std::string_view text) {
  MemorySystem memory;
  fill(memory);
  const Result<LinkMap> map = memory.load();
  REQUIRE(map.has_value());
  const Result<Requirement> requirement = parse_requirement(text);
  REQUIRE(requirement.has_value());
  const auto verdicts = judge_requirements(*map, {}, built_in_contracts(), {*requirement});
  REQUIRE(verdicts.has_value());
  return verdicts->front();
}

}  // namespace

TEST_CASE("how requirements are written") {
  struct Case {
    std::string_view text;
    RequiredThing thing;
    std::string name;
    Relation relation;
    std::string version;
  };
  const Case cases[] = {
      {"cuda=12.1", RequiredThing::Cuda, "", Relation::Within, "12.1"},
      {"cudnn>=8.9", RequiredThing::Cudnn, "", Relation::GreaterEqual, "8.9"},
      {"driver >= 530.30.02", RequiredThing::Driver, "", Relation::GreaterEqual, "530.30.02"},
      {"nccl!=2.18", RequiredThing::Nccl, "", Relation::NotWithin, "2.18"},
      {"glibc<2.40", RequiredThing::Glibc, "", Relation::Less, "2.40"},
      {"device=sm_80", RequiredThing::Device, "sm_80", Relation::Within, ""},
      {"device=RTX 4090", RequiredThing::Device, "RTX 4090", Relation::Within, ""},
      {"framework=torch==2.5.0", RequiredThing::Framework, "torch", Relation::Equal, "2.5.0"},
      {"framework=torch>=2.5", RequiredThing::Framework, "torch", Relation::GreaterEqual, "2.5"},
      {"framework=tensorflow", RequiredThing::Framework, "tensorflow", Relation::Within, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const Result<Requirement> read = parse_requirement(c.text);
    REQUIRE(read.has_value());
    CHECK(read->thing == c.thing);
    CHECK(read->name == c.name);
    CHECK(read->relation == c.relation);
    CHECK(read->version.text == c.version);
  }
}

TEST_CASE("what is no requirement") {
  CHECK(refusal("driver") == "the requirement 'driver' has no relation; it is written as 'driver>=530.30.02'");
  CHECK(refusal("device") == "the requirement 'device' has no relation; it is written as device=sm_80");
  CHECK(refusal("cuda12").find("has no relation; it is NAME=VERSION") != std::string::npos);
  CHECK(refusal("cuba=1").find("names are cuda, cudnn, nccl") != std::string::npos);
  CHECK(refusal("cuda=twelve") == "the requirement 'cuda=twelve' has no version: 'twelve'");
  CHECK(refusal("device>=8.0").find("wants device=NAME") != std::string::npos);
  CHECK(refusal("device=").find("names none") != std::string::npos);
  CHECK(refusal("").find("has no relation") != std::string::npos);
}

TEST_CASE("what is met, and what is refuted") {
  struct Case {
    std::string_view text;
    bool is_met;
    std::string seen;
  };
  const Case cases[] = {
      {"cuda=12.4", true, "CUDA runtime 12.4"},
      {"cuda=12", true, "CUDA runtime 12.4"},
      {"cuda=12.1", false, "CUDA runtime 12.4"},
      {"cuda>=12.1", true, "CUDA runtime 12.4"},
      {"cuda>12.4", false, "CUDA runtime 12.4"},
      {"cuda<=12.4", true, "CUDA runtime 12.4"},
      // Only 12.4 is known of it: whether that is 12.4.99 or not is not proved.
      {"cuda>=12.4.99", false, "CUDA runtime 12.4"},
      {"cuda<12.4.99", false, "CUDA runtime 12.4"},
      {"cuda!=12.4.99", false, "CUDA runtime 12.4"},
      {"cudnn>=8.9", true, "cuDNN 8.9.2"},
      {"cudnn==8.9", false, "cuDNN 8.9.2"},
      {"cudnn=8.9", true, "cuDNN 8.9.2"},
      {"cudnn>8.9", false, "cuDNN 8.9.2"},
      {"nccl=2", false, "no NCCL in the process"},
      {"driver>=530.30.02", true, "driver 535.129.03"},
      {"driver<530", false, "driver 535.129.03"},
      {"glibc>=2.31", true, "glibc 2.36"},
      {"glibc>=2.38", false, "glibc 2.36"},
      {"framework=torch", true, "torch 2.1.2+cu121"},
      {"framework=torch==2.1.2", true, "torch 2.1.2+cu121"},
      {"framework=torch==2.1.2.0", true, "torch 2.1.2+cu121"},
      {"framework=torch==2.1", false, "torch 2.1.2+cu121"},
      {"framework=torch>=2.5", false, "torch 2.1.2+cu121"},
      {"framework=tensorflow", false, "no tensorflow in the process"},
      {"device=sm_80", false, "no GPU code in the process"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const RequirementVerdict verdict = verdict_on(c.text);
    CHECK(verdict.is_met == c.is_met);
    CHECK(sentence(verdict.seen, Language::English) == c.seen);
  }
}

TEST_CASE("an unknown device is an error, with near names") {
  MemorySystem memory;
  fill(memory);
  const Result<LinkMap> map = memory.load();
  const auto verdicts = judge_requirements(*map, {}, built_in_contracts(), {*parse_requirement("device=RTX 4999")});
  REQUIRE(!verdicts.has_value());
  CHECK(verdicts.error().code == ErrorCode::Usage);
}

#ifdef SORESOLVE_HAS_TOML
namespace {

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a contract in TOML") {
  const auto read = read_contract(
      "[require]\ncuda = '12.1'\ncudnn = ['>=8.9', '<10']\n[require.framework]\ntorch = '2.5.0'\n", "c.toml");
  REQUIRE(read.has_value());
  std::string texts;
  for (const Requirement& requirement : *read) texts += requirement.text + " ";
  CHECK(texts == "cuda=12.1 cudnn>=8.9 cudnn<10 framework=torch==2.5.0 ");
  CHECK(read_contract("\xef\xbb\xbf# für alle\n[require]\ncuda = '12.1'\n", "c.toml").has_value());
  CHECK(read_contract("# " + repeated(".", 200) + "\n# " + repeated("v1.2, ", 200) + "\n[require]\ncuda = '12.1'\n",
                      "c.toml")
            .has_value());
  struct Case {
    std::string toml;
    std::string refusal;
  };
  const Case cases[] = {
      {"[requires]\ncuda = '1'\n", "has no table [require]"},
      {"[require]\ncuda = 12\n", "line 2 gives cuda no text"},
      {"[require]\n\ncuba = '1'\n", "line 3 the requirement 'cuba=1' has a name that is not known"},
      {"[require]\ncuda = '1'\n[other]\n", "line 3 has 'other', which nobody reads"},
      {"[require\n", "line 1: "},
      {"[require]\n[=\n", "line 2: not TOML"},
      {"\xef\xbb\xbf[ \003[require]\n", "line 1: not TOML"},
      {"[require]\ncuda =\xc9\xa4", "line 2: "},
      {"[require]\ncuda = '\xc9\xa4'", "line 2 the requirement"},
      {"[[\r\n", "line 1: not TOML"},
      {"[require]\n" + repeated("a.", 100000) + "b = '1'", "line 2: a key of more than 64 parts"},
      {"[" + repeated("a . ", 100000) + "b]", "line 1: a key of more than 64 parts"},
      {"[require]\nx = {" + repeated("'a'.", 100000) + "b = 1}", "line 2: a key of more than 64 parts"},
      {"[require]\nx = " + repeated("{" + repeated("a.", 60) + "b = ", 200) + "1" + repeated("}", 200), "line 2: "},
  };
  for (const Case& c : cases) {
    CAPTURE(c.toml);
    const auto refused = read_contract(c.toml, "c.toml");
    REQUIRE(!refused.has_value());
    CHECK(refused.error().to_string().find(c.refusal) != std::string::npos);
  }
}
#endif

TEST_CASE("a requirement that is not met is a problem, with the places of its proof") {
  struct Case {
    std::string_view text;
    Phase phase;
    std::string_view path;
    bool has_offset;
  };
  const Case cases[] = {
      {"cuda=12.1", Phase::Start, "/n/libcudart.so.12", true},
      {"cudnn>=9", Phase::Start, "/n/libcudnn.so.8", false},
      {"driver>=550", Phase::Gpu, "/usr/lib64/libcuda.so.1", false},
      {"framework=torch==2.5", Phase::Start, "/sp/torch/version.py", false},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.text));
    MemorySystem memory;
    fill(memory);
    const Result<LinkMap> map = memory.load();
    REQUIRE(map.has_value());
    const RequirementVerdict verdict = verdict_on(c.text);
    REQUIRE_FALSE(verdict.is_met);
    const Problem problem = problem_of(*map, verdict);
    CHECK(code_of(problem.code) == "requirement-unmet");
    CHECK(problem.name == c.text);
    CHECK(name_of(problem.phase) == name_of(c.phase));
    CHECK(sentence(problem.what, Language::English).starts_with(std::string(c.text) + " is not met: "));
    REQUIRE_FALSE(problem.evidence.empty());
    CHECK(problem.evidence.front().path == c.path);
    CHECK(problem.evidence.front().offset.has_value() == c.has_offset);
  }
}
