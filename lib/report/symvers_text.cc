// What a library offers, and the proof that it serves a requirement or does not.
#include <charconv>
#include <set>
#include <string>

#include "report/paint.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

std::string hex(std::uint64_t value) {
  char digits[17];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value, 16);
  return "0x" + std::string(digits, end.ptr);
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

class SymversPrinter {
 public:
  SymversPrinter(const SymversReport& report, Colour colour, Detail detail)
      : report_(report), library_(report.library), paint_(colour), detail_(detail) {}

  std::string print() {
    for (const NeedAnswer& answer : report_.needs) print_need(answer);
    for (const ForAnswer& answer : report_.consumers) print_consumer(answer);
    if (report_.needs.empty() && report_.consumers.empty()) print_library();
    return std::move(text_);
  }

 private:
  void line(const std::string& content) { text_ += content + "\n"; }

  [[nodiscard]] std::string title() const {
    std::string text = printable(library_.path);
    text += library_.soname.empty() ? " (no SONAME)" : " (SONAME " + printable(library_.soname) + ")";
    return text;
  }

  [[nodiscard]] std::string place_of(std::size_t index) const {
    const VersionDef& def = library_.versions.defs[index];
    return "DT_VERDEF record " + std::to_string(index + 1) + ", version index " +
           std::to_string(def.index) + ", hash " + hex(def.hash) + ", at file offset " +
           hex(def.file_offset);
  }

  void print_library() {
    line(paint_.strong(title()));
    if (!library_.versions.has_defs) {
      line("  defines no symbol versions (it has no DT_VERDEF): ld.so lets every requirement pass with "
           "a warning");
      line("  " + counted(library_.defined_count, "dynamic symbol") + " defined");
    } else {
      line("  defines");
      for (std::size_t i = 0; i < library_.versions.defs.size(); ++i) {
        const VersionDef& def = library_.versions.defs[i];
        std::string entry = "    " + printable(def.name);
        if (def.base) {
          entry += paint_.dim("  (base: the library's own name, no symbol carries it)");
        } else {
          entry += "  " + counted(library_.symbol_counts[i], "symbol");
        }
        for (const std::string_view parent : def.parents) entry += ", after " + printable(parent);
        if (detail_ == Detail::Full) entry += paint_.dim("  [" + place_of(i) + "]");
        line(entry);
      }
    }
    std::set<std::string, std::less<>> files;
    for (const VersionNeed& need : library_.versions.needs) files.emplace(need.file);
    if (!files.empty()) line("  requires");
    for (const std::string& file : files) {
      std::string entry = "    " + printable(file) + ":";
      for (const VersionNeed& need : library_.versions.needs) {
        if (need.file != file) continue;
        entry += " " + printable(need.name) + (need.weak ? " (weak)" : "");
      }
      line(entry);
    }
  }

  void print_need(const NeedAnswer& answer) {
    const std::string asked = printable(answer.asked);
    line(answer.is_served ? paint_.good(title() + " serves " + asked)
                          : paint_.bad(title() + " does not serve " + asked));
    switch (answer.form) {
      case NeedForm::Node: line("  asked       the version node " + asked); break;
      case NeedForm::BareVersion:
        line("  asked       a bare version: a node that ends in " + asked);
        break;
      case NeedForm::Symbol: line("  asked       the symbol and version " + asked); break;
    }
    if (answer.form == NeedForm::Symbol && answer.is_served) {
      line("  defined     " + printable(answer.symbol) + ", entry " +
           std::to_string(answer.symbol_index) + " of the dynamic symbol table");
    }
    for (const std::size_t index : answer.defs) {
      line("  node        " + printable(library_.versions.defs[index].name) + ", carried by " +
           counted(library_.symbol_counts[index], "symbol"));
      line("              " + place_of(index));
    }
    if (!answer.is_served) print_refusal(answer);
    if (answer.is_served && answer.form != NeedForm::Symbol) {
      line(paint_.dim("  mind        a node names a family of releases; that every symbol of a consumer "
                      "is there, --for CONSUMER tells"));
    }
  }

  void print_refusal(const NeedAnswer& answer) {
    if (!library_.versions.has_defs) {
      line("  there       no symbol versions at all: no DT_VERDEF. ld.so would warn \"no version "
           "information available\" and go on");
      return;
    }
    if (answer.instead.empty()) {
      line(answer.form == NeedForm::Symbol ? "  there       no symbol of that name"
                                           : "  there       no version node but the base");
    }
    constexpr std::size_t kShown = 12;
    for (std::size_t i = 0; i < answer.instead.size(); ++i) {
      if (i == kShown && detail_ == Detail::Folded) {
        line("              and " + std::to_string(answer.instead.size() - kShown) + " more (-v)");
        break;
      }
      line((i == 0 ? "  there       " : "              ") + printable(answer.instead[i]));
    }
    if (answer.form == NeedForm::Node) {
      line("  ld.so would print");
      line("    " + paint_.bad("PROGRAM: " + printable(library_.path) + ": version `" +
                               printable(answer.asked) + "' not found (required by PROGRAM)"));
    }
    line("  so          a link or a copy of this file under another name does not help: the check "
         "reads the file");
  }

  void print_consumer(const ForAnswer& answer) {
    const std::string consumer = printable(answer.consumer);
    line(answer.is_served() ? paint_.good(title() + " serves " + consumer)
                            : paint_.bad(title() + " does not serve " + consumer));
    if (answer.files.empty()) {
      line("  " + consumer + " requires no versions from this library (no DT_VERNEED names it)");
    }
    for (const ForVersion& version : answer.versions) {
      std::string entry = "  version     " + printable(version.need.name);
      if (version.match.verdict == VersionVerdict::Defined) {
        entry += "  met";
      } else {
        entry += "  " + paint_.bad(printable(version_text(version.match.verdict, version.need,
                                                          version.match.def, answer.consumer)));
      }
      line(entry + paint_.dim("  (vernaux entry at file offset " + hex(version.need.file_offset) + ")"));
    }
    std::size_t met = 0;
    for (const ForSymbol& symbol : answer.symbols) {
      if (symbol.verdict == ForVerdict::Met) {
        ++met;
        continue;
      }
      std::string entry = "  symbol      " + printable(symbol.name) + "@" + printable(symbol.version);
      switch (symbol.verdict) {
        case ForVerdict::MetUnversioned: entry += "  met by an unversioned definition"; break;
        case ForVerdict::OtherVersion:
          entry += "  " + paint_.bad("there with another version only:");
          for (const std::string& node : symbol.instead) entry += " " + printable(node);
          break;
        default: entry += "  " + (symbol.weak ? paint_.warn("missing, but the reference is weak")
                                              : paint_.bad("missing"));
      }
      line(entry);
    }
    if (!answer.symbols.empty()) {
      line("  symbols     " + std::to_string(met) + " of " +
           counted(answer.symbols.size(), "versioned reference") + " met");
    }
    if (answer.unversioned_count != 0) {
      line(paint_.dim("  besides     " + counted(answer.unversioned_count, "reference") +
                      " without a version, of which this library defines " +
                      std::to_string(answer.unversioned_here) +
                      "; which object serves them depends on the whole process"));
    }
  }

  const SymversReport& report_;
  const VersionedLibrary& library_;
  Paint paint_;
  Detail detail_;
  std::string text_;
};

}  // namespace

std::string symvers_text(const SymversReport& report, Colour colour, Detail detail) {
  return SymversPrinter(report, colour, detail).print();
}

}  // namespace soresolve
