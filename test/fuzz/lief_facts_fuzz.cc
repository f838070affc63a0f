// Any bytes as a line of the witness: it is refused, or its facts can be written again in the same words.
#include "fuzz/fuzz_target.h"
#include "witness/lief_facts.h"

namespace soresolve::test::lief_facts_target {
namespace {

std::vector<std::string> seeds() {
  using namespace witness;
  LiefFacts elf;
  elf.reader = "LIEF 0.9.0";
  elf.file = "/a/libx\xff.so";
  elf.elf.emplace();
  elf.elf->build_id = "00ff";
  elf.elf->interpreter = "/lib64/ld.so";
  elf.elf->comments = {"GCC: (Debian 12) 12.2.0"};
  elf.elf->sections = {".text"};
  elf.elf->segments = {{1, 5}};
  elf.elf->properties = {{0xc0008002, 1}};
  elf.elf->needed = {"libc.so.6"};
  elf.elf->soname = "libx.so";
  elf.elf->runpath = "$ORIGIN";
  elf.elf->definitions = {{1, 1, 0x123, {"libx.so"}}, {2, 0, 0x591, {"V2", "V1"}}};
  elf.elf->requirements = {{"libc.so.6", "GLIBC_2.34", 0x69691b4, 0, 2}};
  elf.elf->symbols = {{"f", "V2", 2, 0x1000, 8, 12, 2, 1}};
  elf.elf->checks = {"__stack_chk_fail"};
  LiefFacts foreign = elf;
  foreign.elf.reset();
  foreign.foreign = ForeignFacts{ForeignFacts::Format::MachO, {{7, 6, {"/usr/lib/libSystem.B.dylib"}}}};
  LiefFacts refused = elf;
  refused.elf.reset();
  refused.refusal = Refusal{Refusal::Kind::Damage, "no header"};
  return {to_line(elf), to_line(foreign), to_line(refused), std::string(3000, '[')};
}

void run(const std::uint8_t* data, std::size_t size) {
  const Result<witness::LiefFacts> read = witness::read_line({reinterpret_cast<const char*>(data), size});
  if (!read) {
    require(!read.error().message.empty(), "a refusal says why");
    return;
  }
  require(read->elf.has_value() + read->foreign.has_value() + read->refusal.has_value() == 1, "it is one of three");
  const std::string said = witness::to_line(*read);
  const Result<witness::LiefFacts> again = witness::read_line(said);
  require(again.has_value() && witness::to_line(*again) == said, "said again it is the same");
}

}  // namespace
}  // namespace soresolve::test::lief_facts_target

const soresolve::test::FuzzTarget soresolve::test::kLiefFactsTarget = {"lief_facts", lief_facts_target::run,
                                                                       lief_facts_target::seeds};
