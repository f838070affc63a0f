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

enum class Grade : std::uint8_t { Good, Weak };

class Dossier {
 public:
  Dossier(const witness::Testimony& testimony, Colour colour, Detail detail)
      : testimony_(testimony), paint_(colour), detail_(detail) {}

  Text print() {
    if (testimony_.elf) print_elf(*testimony_.elf);
    if (testimony_.foreign) print_foreign(*testimony_.foreign);
    line("witness", Text::escaped(testimony_.reader));
    return std::move(text_);
  }

 private:
  void title(const Text& what) { text_ += paint_.strong(Text::escaped(testimony_.file)) + ": " + what + "\n"; }
  void line(const Text& head, const Text& content) { text_ += proof_line(head, content); }

  /// One a line, under a single head.
  void list(const Text& head, const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) line(i == 0 ? head : Text(), Text::escaped(names[i]));
  }

  /// Many short names, several a line; a long list is cut in the middle, since its newest stand last.
  [[nodiscard]] Text joined(const std::vector<std::string>& names) const {
    constexpr std::size_t kEnds = 4;
    const bool is_cut = detail_ == Detail::Folded && names.size() > kListShown;
    Text text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_cut && i == kEnds) {
        text += " … (" + Text::number(names.size() - 2 * kEnds) + " more: -v)";
        i = names.size() - kEnds;
      }
      if (!text.empty()) text += " ";
      text += Text::escaped(names[i]);
    }
    return wrapped(text, 14);
  }

  void print_elf(const ElfFacts& elf) {
    const Hardening hardening = witness::judge_hardening(elf);
    title("ELF " + Text::escaped(kind_of(elf, hardening)) + ", " + Text::escaped(target_of(elf)));
    line("build id", elf.build_id.empty() ? "none" : Text::escaped(elf.build_id));
    if (elf.interpreter) line("interpreter", Text::escaped(*elf.interpreter));
    if (elf.comments.empty()) line("compilers", "unknown (no .comment section)");
    list("compilers", elf.comments);
    if (elf.soname) line("SONAME", Text::escaped(*elf.soname));
    if (elf.rpath) line("RPATH", Text::escaped(*elf.rpath));
    if (elf.runpath) line("RUNPATH", Text::escaped(*elf.runpath));
    if (elf.needed.empty()) line("needed", elf.has_dynamic ? Text("nothing") : "nothing (it is not dynamic)");
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
      line("symbols", Text::number(counts.defined) + " defined, " + Text::number(counts.undefined) + " undefined");
    const std::vector<std::string> nodes = defined_nodes(elf);
    if (!nodes.empty()) line("defines", joined(nodes));
    bool is_first = true;
    for (const auto& [file, versions] : required_versions(elf)) {
      line(is_first ? Text("requires") : Text(), Text::escaped(file) + ": " + joined(versions));
      is_first = false;
    }
  }

  void print_hardening(const ElfFacts& elf, const Hardening& hardening) {
    if (hardening.placement == witness::Placement::Other) return;
    const auto mark = [&](const Text& head, Grade grade, const Text& content) {
      line(head, grade == Grade::Good ? paint_.good(content) : paint_.warn(content));
    };
    using enum witness::Relro;
    mark("RELRO", hardening.relro == Full ? Grade::Good : Grade::Weak,
         hardening.relro == Full      ? Text("full")
         : hardening.relro == Partial ? Text("partial: without BIND_NOW the slots of functions stay writable")
                                      : "none");
    mark("BIND_NOW", hardening.is_bind_now ? Grade::Good : Grade::Weak,
         hardening.is_bind_now ? Text("yes") : "no: functions are bound at their first call");
    mark("PIE", hardening.placement != witness::Placement::Fixed ? Grade::Good : Grade::Weak,
         hardening.placement == witness::Placement::Fixed ? Text("no: its addresses are fixed")
         : hardening.placement == witness::Placement::Pie ? Text("yes")
                                                          : "a library is always relocatable");
    using enum witness::StackMark;
    mark("NX", hardening.stack == NotExecutable ? Grade::Good : Grade::Weak,
         hardening.stack == NotExecutable ? Text("yes: it requires no executable stack")
         : hardening.stack == Executable  ? Text("no: it requires an executable stack (PT_GNU_STACK)")
                                          : "unknown: without PT_GNU_STACK the stack is executable on many machines");
    using enum witness::StackGuard;
    mark("stack guard", hardening.guard == Present ? Grade::Good : Grade::Weak,
         hardening.guard == Present  ? Text("yes: it calls __stack_chk_fail")
         : hardening.guard == Absent ? Text("not seen: nothing refers to __stack_chk_fail")
                                     : "unknown: no symbols are left");
    mark("FORTIFY", !hardening.fortified.empty() ? Grade::Good : Grade::Weak,
         hardening.fortified.empty() ? Text("not seen: no checked function (such as __memcpy_chk) is called")
                                     : joined(hardening.fortified));
    print_branch_protection(elf, hardening);
  }

  void print_branch_protection(const ElfFacts& elf, const Hardening& hardening) {
    Text content;
    for (const std::string& name : hardening.branch_protection) {
      if (!content.empty()) content += ", ";
      content += Text::escaped(name);
    }
    const bool is_arm = target_of(elf).ends_with("AArch64");
    if (!is_arm && !target_of(elf).ends_with("x86-64") && !target_of(elf).ends_with("i386")) return;
    line(is_arm ? Text("BTI, PAC") : Text("CET"),
         content.empty() ? paint_.warn(Text("no: not all of its code is marked for it")) : paint_.good(content));
  }

  void print_foreign(const witness::ForeignFacts& foreign) {
    title(Text::escaped(witness::describe(foreign)));
    line("ld.so", paint_.bad(wrapped(Text::escaped(witness::refusal_by_loader(foreign)), 14)));
    for (const witness::ForeignFacts::Image& image : foreign.images) list("needed", image.needed);
  }

  const witness::Testimony& testimony_;
  Paint paint_;
  Detail detail_;
  Text text_;
};

}  // namespace

Text inspect_text(const witness::Testimony& testimony, Colour colour, Detail detail) {
  return Dossier(testimony, colour, detail).print();
}

}  // namespace soresolve::tool
