// What consumers of a library lose with another one, for people: verdict, losses, what is new.
#include <elf.h>

#include <string>
#include <vector>

#include "report/words.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

Text type_word(std::uint8_t type) {
  switch (type) {
    case STT_FUNC: return "a function";
    case STT_GNU_IFUNC: return "a function (IFUNC)";
    case STT_OBJECT:
    case STT_COMMON: return "data";
    case STT_TLS: return "thread-local data";
    default: return "of no type";
  }
}

class DiffPrinter {
 public:
  DiffPrinter(const LibraryDiffReport& report, Colour colour, Detail detail)
      : old_(report.old), now_(report.now), diff_(report.diff), paint_(colour), detail_(detail) {}

  Text print() {
    print_verdict();
    print_soname();
    print_nodes();
    using enum SymbolChangeKind;
    print_changes(Gone, "gone", "lacking here: a reference to one of them stays undefined", {});
    print_changes(OtherVersion, "moved", "here with other versions only: a reference does not find them", {});
    print_changes(Kind, "kind", "of another kind now", {});
    print_changes(Size, "size", "data of another size now",
                  "a program that copied it (COPY relocation) has room for the old size: where the "
                  "new one is bigger, ld.so warns \"Symbol `…' has different size in shared object, "
                  "consider re-linking\"");
    print_changes(Protected, "protected",
                  "data protected now: a program's copy (COPY relocation) "
                  "is no longer what the library uses",
                  {});
    print_changes(Unversioned, "plain", "without a version here, which ld.so takes instead", {});
    print_changes(Default, "default", "with another default version: linked consumers keep theirs", {});
    print_changes(Unique, "unique", "no longer, or newly, one in the whole process (GNU_UNIQUE)", {});
    print_new();
    return std::move(text_);
  }

 private:
  void line(const Text& content) { text_ += content + "\n"; }

  void entry(const Text& head, const Text& content) { text_ += proof_line(head, content); }

  [[nodiscard]] std::size_t count(SymbolChangeKind kind) const {
    std::size_t number = 0;
    for (const SymbolChange& change : diff_.changes) number += change.kind == kind;
    return number;
  }

  void print_verdict() {
    const Text old = Text::escaped(old_.path);
    const Text now = Text::escaped(now_.path);
    switch (diff_.stands()) {
      case LibraryDiff::Stands::ForEveryone:
        line(paint_.good(now + " can stand in for " + old + ", for every consumer"));
        return;
      case LibraryDiff::Stands::ForNobody:
        line(paint_.bad(now + " cannot stand in for " + old + ", whatever a consumer uses"));
        return;
      case LibraryDiff::Stands::ForSome: break;
    }
    using enum SymbolChangeKind;
    Text uses;
    const auto add = [&](std::size_t number, const Text& noun) {
      if (number != 0) uses += (uses.empty() ? Text(" that uses none of these: ") : ", ") + Text::counted(number, noun);
    };
    add(diff_.lost_nodes.size(), "lost node");
    add(count(Gone) + count(OtherVersion), "lost symbol");
    add(count(Kind) + count(Size) + count(Protected), "changed symbol");
    const auto also = [&](const Text& what) { uses += (uses.empty() ? Text(" ") : " and ") + what; };
    if (diff_.has_other_soname) also("that finds it under the old name");
    if (diff_.ends_in_assertion) also("with ld.so of glibc 2.41 or later");
    line(paint_.bad(now + " cannot stand in for " + old + " in general") + ", only for a consumer" + uses);
  }

  void print_soname() {
    const auto name_of = [](const VersionedLibrary& library) {
      return library.soname.empty() ? Text("none") : Text::escaped(library.soname);
    };
    if (!diff_.has_other_soname) {
      entry("SONAME", name_of(now_) + ", the same");
      return;
    }
    entry("SONAME", name_of(old_) + " before, " + paint_.bad(name_of(now_) + " now") +
                        ": a needer requires the old name, and finds this file only under it");
  }

  void print_nodes() {
    for (const NodeLoss& node : diff_.lost_nodes) {
      entry("node", paint_.bad(Text::escaped(node.name) + " is gone") + " (" + Text::counted(node.symbols, "symbol") +
                        "); a consumer that requires it ends with");
      line("                PROGRAM: " + Text::escaped(now_.path) + ": version `" + Text::escaped(node.name) +
           "' not found (required by PROGRAM)");
    }
    if (diff_.has_no_nodes_now) {
      entry("node",
            "no versions at all any more (no DT_VERDEF): ld.so warns \"no version information "
            "available\" and goes on");
    }
    if (diff_.ends_in_assertion) {
      entry("", paint_.bad(Text("nor any other version table (no DT_VERNEED): before glibc 2.41 ld.so ends with "
                                "an assertion on a versioned reference")));
    }
    const auto sole = sole_node(old_);
    if (sole && diff_.lost_nodes.empty() && !diff_.has_no_nodes_now && count(SymbolChangeKind::Gone) != 0) {
      entry("node", Text::escaped(old_.versions.defs[*sole].name) +
                        ", still here, but the only node of either: it does not distinguish releases, "
                        "and ld.so's");
      line("              version check lets this file pass; only the symbols refute it");
    }
  }

  [[nodiscard]] Text detail_of(const SymbolChange& change) const {
    switch (change.kind) {
      case SymbolChangeKind::OtherVersion:
      case SymbolChangeKind::Default: {
        if (change.instead.empty()) return ", now for old consumers only";
        Text text = ", now";
        for (const std::string& version : change.instead) {
          text += version.empty() ? " without a version" : " @" + Text::escaped(version);
        }
        return text;
      }
      case SymbolChangeKind::Kind:
        return ", " + type_word(change.old_type) + " before, " + type_word(change.new_type) + " now";
      case SymbolChangeKind::Size:
        return ", " + Text::counted(change.old_bytes, "byte") + " before, " + Text::number(change.new_bytes) + " now";
      default: return {};
    }
  }

  void print_changes(SymbolChangeKind kind, const Text& head, const Text& what, const Text& remark) {
    const std::size_t number = count(kind);
    if (number == 0) return;
    entry(head, Text::number(number) + " of " + Text::counted(diff_.old_symbols, "symbol") + " " + what);
    std::size_t shown = 0;
    for (const SymbolChange& change : diff_.changes) {
      if (change.kind != kind) continue;
      if (shown++ == kListShown && detail_ == Detail::Folded) {
        line("                and " + Text::number(number - kListShown) + " more (-v)");
        break;
      }
      const Text name = Text::escaped(versioned_name(change.name, change.version)) + detail_of(change);
      Text place;
      if (detail_ == Detail::Full) {
        place =
            paint_.dim("  [entry " + Text::number(change.old_index) + " of the dynamic symbol table, at file offset " +
                       Text::hex(place_of_symbol(old_, change.old_index)) + "]");
      }
      line("                " + (change.is_loss() ? paint_.bad(name) : name) + place);
    }
    if (!remark.empty()) line("              " + remark);
  }

  void print_new() {
    Text text = diff_.new_symbols == 0 ? "no symbol" : Text::counted(diff_.new_symbols, "symbol");
    if (!diff_.new_nodes.empty()) text += ", " + Text::counted(diff_.new_nodes.size(), "node");
    entry("new", text);
    const auto list = [&](const Text& head, const std::vector<std::string>& names) {
      Text joined;
      for (const std::string& name : names) joined.add_item(Text::escaped(name), ", ");
      if (!names.empty()) entry(head, joined + paint_.dim(Text("  (asked of the system; the old one did not)")));
    };
    list("needs", diff_.new_needed);
    list("requires", diff_.new_requirements);
  }

  const VersionedLibrary& old_;
  const VersionedLibrary& now_;
  const LibraryDiff& diff_;
  Paint paint_;
  Detail detail_;
  Text text_;
};

}  // namespace

std::string library_diff_text(const LibraryDiffReport& report, Colour colour, Detail detail) {
  return DiffPrinter(report, colour, detail).print().str();
}

}  // namespace soresolve
