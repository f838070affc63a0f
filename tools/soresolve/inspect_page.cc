// The page of `inspect`: identity, versions, hardening, sections (-v). Long lists are cut in the middle. The JSON form
// is in inspect_json.cc.
#include <algorithm>

#include "inspect_facts.h"
#include "inspect_report.h"
#include "report/page.h"
#include "report/tones.h"
#include "witness/foreign.h"

namespace soresolve::tool {
namespace {

using witness::ElfFacts;
using witness::Hardening;

constexpr std::size_t kContent = 14;  ///< the column behind the heads

class InspectPage {
 public:
  InspectPage(const witness::LiefFacts& lief_facts, Detail detail) : lief_facts_(lief_facts), detail_(detail) {}

  Page make() {
    if (lief_facts_.elf) add_elf(*lief_facts_.elf);
    if (lief_facts_.foreign) add_foreign(*lief_facts_.foreign);
    page_.entry(say("head-witness"), Words::foreign(lief_facts_.reader));
    return std::move(page_);
  }

 private:
  void title(Words what) { page_.line(strong(Words::foreign(lief_facts_.file)) + say("colon") + std::move(what)); }
  void prose(Words head, Words content) { page_.add(Prose{std::move(content), kContent, std::move(head), 2}); }

  /// One a line, under a single head.
  void list(const Words& head, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) page_.entry(i == 0 ? head : Words(), Words::foreign(names[i]));
  }

  /// Many short names, several a line; a long list is cut in the middle, since its newest stand last.
  [[nodiscard]] Words joined(const std::vector<std::string>& names) const {
    constexpr std::size_t kShown = 12;
    constexpr std::size_t kEnds = 4;
    const bool is_cut = detail_ == Detail::Folded && names.size() > kShown;
    Words words;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_cut && i == kEnds) {
        words += say("names-left-out", {{"count", names.size() - 2 * kEnds}});
        i = names.size() - kEnds;
      }
      if (!words.empty()) words += " ";
      words += Words::foreign(names[i]);
    }
    return words;
  }

  void add_elf(const ElfFacts& elf) {
    const Hardening hardening = witness::judge_hardening(elf);
    title("ELF " + Words(kind_of(elf, hardening)) + say("and-then") + Words::foreign(target_of(elf)));
    page_.entry(say("head-build-id"), elf.build_id.empty() ? say("has-none") : Words::foreign(elf.build_id));
    if (elf.interpreter) page_.entry(say("head-interpreter"), Words::foreign(*elf.interpreter));
    if (elf.comments.empty()) page_.entry(say("head-compilers"), say("compilers-unknown"));
    list(say("head-compilers"), elf.comments);
    if (elf.soname) page_.entry("SONAME", Words::foreign(*elf.soname));
    if (elf.rpath) page_.entry("RPATH", Words::foreign(*elf.rpath));
    if (elf.runpath) page_.entry("RUNPATH", Words::foreign(*elf.runpath));
    if (elf.needed.empty()) page_.entry(say("head-needed"), say(elf.has_dynamic ? "needs-nothing" : "is-not-dynamic"));
    list(say("head-needed"), elf.needed);
    add_versions(elf);
    if (hardening.placement != witness::Placement::Other) {
      add_hardening(hardening);
      add_branch_protection(elf, hardening);
    }
    if (detail_ == Detail::Full) {
      const auto first = elf.sections.begin() + std::min<std::size_t>(1, elf.sections.size());
      prose(say("head-sections"), joined({first, elf.sections.end()}));
    }
  }

  void add_versions(const ElfFacts& elf) {
    const SymbolCounts counts = count_symbols(elf);
    if (!elf.symbols.empty()) {
      page_.entry(say("head-symbols"),
                  say("symbols-counted", {{"defined", counts.defined}, {"undefined", counts.undefined}}));
    }
    const std::vector<std::string> nodes = defined_nodes(elf);
    if (!nodes.empty()) prose(say("head-defines"), joined(nodes));
    bool is_first = true;
    for (const auto& [file, versions] : required_versions(elf)) {
      prose(is_first ? Words(say("head-requires")) : Words(), Words::foreign(file) + say("colon") + joined(versions));
      is_first = false;
    }
  }

  void add_hardening(const Hardening& hardening) {
    using enum witness::Relro;
    mark("RELRO", hardening.relro == Full ? Tone::Good : Tone::Warn,
         hardening.relro == Full      ? say("relro-full")
         : hardening.relro == Partial ? say("relro-partial")
                                      : say("has-none"));
    mark("BIND_NOW", hardening.is_bind_now ? Tone::Good : Tone::Warn,
         say(hardening.is_bind_now ? "yes" : "binds-lazily"));
    mark("PIE", hardening.placement != witness::Placement::Fixed ? Tone::Good : Tone::Warn,
         hardening.placement == witness::Placement::Fixed ? say("addresses-are-fixed")
         : hardening.placement == witness::Placement::Pie ? say("yes")
                                                          : say("library-is-relocatable"));
    using enum witness::StackMark;
    mark("NX", hardening.stack == NotExecutable ? Tone::Good : Tone::Warn,
         hardening.stack == NotExecutable ? say("requires-no-executable-stack")
         : hardening.stack == Executable  ? say("requires-executable-stack")
                                          : say("stack-not-marked"));
    using enum witness::StackGuard;
    mark(say("head-stack-guard"), hardening.guard == Present ? Tone::Good : Tone::Warn,
         hardening.guard == Present  ? say("stack-guard-called")
         : hardening.guard == Absent ? say("stack-guard-not-seen")
                                     : say("no-symbols-left"));
    mark("FORTIFY", !hardening.fortified.empty() ? Tone::Good : Tone::Warn,
         hardening.fortified.empty() ? say("fortify-not-seen") : joined(hardening.fortified));
  }
  void mark(Words head, Tone tone, Words content) { prose(std::move(head), std::move(content).in(tone)); }

  void add_branch_protection(const ElfFacts& elf, const Hardening& hardening) {
    const std::string target = target_of(elf);
    const bool is_arm = target.ends_with("AArch64");
    if (!is_arm && !target.ends_with("x86-64") && !target.ends_with("i386")) return;
    Words names;
    for (const std::string& name : hardening.branch_protection) {
      if (!names.empty()) names += ", ";
      names += Words::foreign(name);
    }
    const Words head = is_arm ? Words("BTI, PAC") : Words("CET");
    mark(head, names.empty() ? Tone::Warn : Tone::Good, names.empty() ? say("branches-not-marked") : names);
  }

  void add_foreign(const witness::ForeignFacts& foreign) {
    title(witness::describe(foreign));
    prose("ld.so", bad(witness::refusal_by_loader(foreign)));
    for (const witness::ForeignFacts::Image& image : foreign.images) list(say("head-needed"), image.needed);
  }

  const witness::LiefFacts& lief_facts_;
  Detail detail_;
  Page page_;
};

}  // namespace

Document inspect_document(const witness::LiefFacts& lief_facts, Detail detail) {
  return {[&lief_facts, detail] { return InspectPage(lief_facts, detail).make(); },
          [&lief_facts](const WritePart& write) { write(inspect_json(lief_facts)); }};
}

}  // namespace soresolve::tool
