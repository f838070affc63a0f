// The text form of `inspect`: identity, versions, hardening, sections (-v). Long lists are cut in the middle. The JSON
// form is in inspect_json.cc.
#include <algorithm>

#include "inspect_facts.h"
#include "inspect_report.h"
#include "report/words.h"
#include "report/wrapped.h"
#include "witness/foreign.h"

namespace soresolve::tool {
namespace {

using witness::ElfFacts;
using witness::Hardening;

class Dossier {
 public:
  Dossier(const witness::Testimony& testimony, Colour colour, Detail detail)
      : testimony_(testimony), paint_(colour), detail_(detail) {}

  std::string print() {
    if (testimony_.elf) print_elf(*testimony_.elf);
    if (testimony_.foreign) print_foreign(*testimony_.foreign);
    line("witness", testimony_.reader);
    return std::move(text_);
  }

 private:
  void title(const std::string& what) { text_ += paint_.strong(printable(testimony_.file)) + ": " + what + "\n"; }
  void line(const std::string& head, const std::string& content) { text_ += proof_line(head, content); }

  /// One a line, under a single head.
  void list(const std::string& head, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) line(i == 0 ? head : "", printable(names[i]));
  }

  /// Many short names, several a line; a long list is cut in the middle, since its newest stand last.
  [[nodiscard]] std::string joined(const std::vector<std::string>& names) const {
    constexpr std::size_t kEnds = 4;
    const bool is_cut = detail_ == Detail::Folded && names.size() > kListShown;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_cut && i == kEnds) {
        text += " … (" + std::to_string(names.size() - 2 * kEnds) + " more: -v)";
        i = names.size() - kEnds;
      }
      text += (text.empty() ? "" : " ") + printable(names[i]);
    }
    return wrapped(text, 14);
  }

  void print_elf(const ElfFacts& elf) {
    const Hardening hardening = witness::judge_hardening(elf);
    title("ELF " + kind_of(elf, hardening) + ", " + target_of(elf));
    line("build id", elf.build_id.empty() ? "none" : elf.build_id);
    if (elf.interpreter) line("interpreter", printable(*elf.interpreter));
    if (elf.comments.empty()) line("compilers", "not told (no .comment section)");
    list("compilers", elf.comments);
    if (elf.soname) line("SONAME", printable(*elf.soname));
    if (elf.rpath) line("RPATH", printable(*elf.rpath));
    if (elf.runpath) line("RUNPATH", printable(*elf.runpath));
    if (elf.needed.empty()) line("needed", elf.has_dynamic ? "nothing" : "nothing (it is not dynamic)");
    list("needed", elf.needed);
    print_versions(elf);
    print_hardening(elf, hardening);
    if (detail_ == Detail::Full)
      line("sections",
           joined({elf.sections.begin() + std::min<std::size_t>(1, elf.sections.size()), elf.sections.end()}));
  }

  void print_versions(const ElfFacts& elf) {
    const SymbolCounts counts = count_symbols(elf);
    if (!elf.symbols.empty())
      line("symbols", std::to_string(counts.defined) + " defined, " + std::to_string(counts.undefined) + " undefined");
    const std::vector<std::string> nodes = defined_nodes(elf);
    if (!nodes.empty()) line("defines", joined(nodes));
    bool is_first = true;
    for (const auto& [file, versions] : required_versions(elf)) {
      line(is_first ? "requires" : "", printable(file) + ": " + joined(versions));
      is_first = false;
    }
  }

  void print_hardening(const ElfFacts& elf, const Hardening& hardening) {
    if (hardening.placement == witness::Placement::Other) return;
    const auto mark = [&](const std::string& head, bool is_good, const std::string& content) {
      line(head, is_good ? paint_.good(content) : paint_.warn(content));
    };
    using enum witness::Relro;
    mark("RELRO", hardening.relro == Full,
         hardening.relro == Full      ? "full"
         : hardening.relro == Partial ? "partial: without BIND_NOW the slots of functions stay writable"
                                      : "none");
    mark("BIND_NOW", hardening.is_bind_now,
         hardening.is_bind_now ? "yes" : "no: functions are bound at their first call");
    mark("PIE", hardening.placement != witness::Placement::Fixed,
         hardening.placement == witness::Placement::Fixed ? "no: its addresses are fixed"
         : hardening.placement == witness::Placement::Pie ? "yes"
                                                          : "a library is always relocatable");
    using enum witness::StackMark;
    mark("NX", hardening.stack == NotExecutable,
         hardening.stack == NotExecutable ? "yes: it wants no executable stack"
         : hardening.stack == Executable  ? "no: it asks for an executable stack (PT_GNU_STACK)"
                                          : "not told: without PT_GNU_STACK the stack is executable on many machines");
    using enum witness::StackGuard;
    mark("stack guard", hardening.guard == Present,
         hardening.guard == Present  ? "yes: it calls __stack_chk_fail"
         : hardening.guard == Absent ? "not seen: nothing refers to __stack_chk_fail"
                                     : "unknown: no symbols are left to tell");
    mark("FORTIFY", !hardening.fortified.empty(),
         hardening.fortified.empty() ? "not seen: no checked function (such as __memcpy_chk) is called"
                                     : joined(hardening.fortified));
    print_branch_protection(elf, hardening);
  }

  void print_branch_protection(const ElfFacts& elf, const Hardening& hardening) {
    std::string content;
    for (const std::string& name : hardening.branch_protection) content += (content.empty() ? "" : ", ") + name;
    const bool is_arm = target_of(elf).ends_with("AArch64");
    if (!is_arm && !target_of(elf).ends_with("x86-64") && !target_of(elf).ends_with("i386")) return;
    line(is_arm ? "BTI, PAC" : "CET",
         content.empty() ? paint_.warn("no: not all of its code is marked for it") : paint_.good(content));
  }

  void print_foreign(const witness::ForeignFacts& foreign) {
    title(witness::describe(foreign));
    line("ld.so", paint_.bad(wrapped(witness::refusal_by_loader(foreign), 14)));
    for (const witness::ForeignFacts::Image& image : foreign.images) list("needed", image.needed);
  }

  const witness::Testimony& testimony_;
  Paint paint_;
  Detail detail_;
  std::string text_;
};

}  // namespace

std::string inspect_text(const witness::Testimony& testimony, Colour colour, Detail detail) {
  return Dossier(testimony, colour, detail).print();
}

}  // namespace soresolve::tool
