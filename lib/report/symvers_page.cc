// The text of `symvers LIB`: version nodes, and the proof that the library provides a requirement or does not, with
// offsets. OLD NEW is in library_diff_text.cc; decides nothing.
#include <algorithm>
#include <map>
#include <string>

#include "report/words.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

class SymversPrinter {
 public:
  SymversPrinter(const SymversReport& report, Colour colour, Detail detail)
      : report_(report), library_(report.library), paint_(colour), detail_(detail) {}

  Text print() {
    for (const NeedAnswer& answer : report_.needs) print_need(answer);
    for (const ForAnswer& answer : report_.consumers) print_consumer(answer);
    if (report_.needs.empty() && report_.consumers.empty()) print_library();
    for (const SecondReading& reading : report_.witness) print_reading(reading);
    return std::move(text_);
  }

 private:
  void line(const Text& content) { text_ += content + "\n"; }

  [[nodiscard]] Text title() const { return title_of(library_); }

  [[nodiscard]] Text place_of(std::size_t index) const {
    const VersionDef& def = library_.versions.defs[index];
    return "DT_VERDEF record " + Text::number(index + 1) + ", version index " + Text::number(def.index) + ", hash " +
           Text::hex(def.hash) + ", at file offset " + Text::hex(def.file_offset);
  }

  void print_library() {
    line(paint_.strong(title()));
    if (!library_.versions.has_defs) {
      line(
          "  defines no symbol versions (it has no DT_VERDEF): ld.so lets every requirement pass with "
          "a warning");
      line("  " + Text::counted(library_.defined_count, "dynamic symbol") + " defined");
    } else {
      line("  defines");
      for (std::size_t i = 0; i < library_.versions.defs.size(); ++i) {
        const VersionDef& def = library_.versions.defs[i];
        Text entry = "    " + Text::escaped(def.name);
        if (def.base) {
          entry += paint_.dim(Text("  (base: the library's own name, no symbol carries it)"));
        } else {
          entry += "  " + Text::counted(library_.symbol_counts[i], "symbol");
        }
        for (const std::string_view parent : def.parents) entry += ", after " + Text::escaped(parent);
        if (detail_ == Detail::Full) entry += paint_.dim("  [" + place_of(i) + "]");
        line(entry);
      }
    }
    std::map<std::string_view, Text> requirements;
    for (const VersionNeed& need : library_.versions.needs) {
      requirements[need.file] += " " + Text::escaped(need.name) + (need.weak ? Text(" (weak)") : Text());
    }
    if (!requirements.empty()) line("  requires");
    for (const auto& [file, versions] : requirements) line("    " + Text::escaped(file) + ":" + versions);
  }

  void print_reading(const SecondReading& reading) {
    const Text file = report_.witness.size() > 1 ? " on " + Text::escaped(reading.file) : "";
    if (reading.difference_count == 0) {
      line("  witness     " + paint_.good(Text::escaped(reading.reader) + " agrees" + file) + ": " +
           Text::counted(reading.definition_count, "definition") + ", " +
           Text::counted(reading.requirement_count, "requirement") + " and " +
           (reading.has_symbols
                ? Text::counted(reading.symbol_count, "dynamic symbol") + " are the same"
                : "the search tags are the same; without section headers it finds no symbols to compare"));
      return;
    }
    line("  witness     " + paint_.bad(Text::escaped(reading.reader) + " disagrees" + file + ": " +
                                       Text::counted(reading.difference_count, "difference")));
    const std::size_t shown =
        detail_ == Detail::Full ? reading.differences.size() : std::min(reading.differences.size(), kListShown);
    for (std::size_t i = 0; i < shown; ++i) {
      const ReadingDifference& difference = reading.differences[i];
      line("              " + Text::escaped(difference.what));
      line("                here     " + Text::escaped(difference.here));
      line("                witness  " + Text::escaped(difference.there));
    }
    if (shown < reading.difference_count) {
      line("              and " + Text::number(reading.difference_count - shown) + " more" +
           (detail_ == Detail::Full ? Text() : " (-v)"));
    }
  }

  void print_need(const NeedAnswer& answer) {
    const Text asked = Text::escaped(answer.asked);
    line(answer.is_served ? paint_.good(title() + " provides " + asked)
                          : paint_.bad(title() + " does not provide " + asked));
    switch (answer.form) {
      case NeedForm::Node: line("  asked       the version node " + asked); break;
      case NeedForm::BareVersion:
        line("  asked       the bare version " + asked + ": a version node whose name ends in it");
        break;
      case NeedForm::Symbol: line("  asked       the symbol and its version " + asked); break;
    }
    if (answer.is_served) {
      print_proof(answer);
    } else {
      print_refusal(answer);
    }
  }

  void print_proof(const NeedAnswer& answer) {
    if (answer.form == NeedForm::Symbol) print_definition(answer);
    for (const std::size_t index : answer.defs) {
      line("  node        " + Text::escaped(library_.versions.defs[index].name) + ", carried by " +
           Text::number(library_.symbol_counts[index]) + " of " + Text::counted(library_.defined_count, "symbol"));
      line("  where       " + place_of(index));
    }
    if (answer.form == NeedForm::Symbol) return;
    if (const auto sole = sole_node(library_)) {
      line("  note        " + Text::escaped(library_.versions.defs[*sole].name) +
           " is the only node here, and all symbols carry it: it is the same in every release that");
      line(
          "              has it, and does not say which one this is. What a consumer needs beyond it "
          "is a matter of symbols:");
      line("              --for CONSUMER looks at each");
      return;
    }
    line(paint_.dim(Text("  note        that every symbol of a consumer is there, too, --for CONSUMER tells")));
  }

  void print_definition(const NeedAnswer& answer) {
    const DynamicSymbol& symbol = library_.symbols.symbols[answer.symbol_index];
    line("  defined     " + Text::escaped(answer.symbol) + " at address " + Text::hex(symbol.value) + ", " +
         Text::counted(symbol.size_bytes, "byte") +
         (answer.symbol_verdict == ForVerdict::MetUnversioned ? Text(", without a version: ld.so takes it for any")
                                                              : Text()));
    line("  where       DT_SYMTAB entry " + Text::number(answer.symbol_index) + ", at file offset " +
         Text::hex(place_of_symbol(library_, answer.symbol_index)));
    if (!library_.symbols.has_versions) return;
    line("              DT_VERSYM entry " + Text::number(answer.symbol_index) + ", at file offset " +
         Text::hex(library_.version_index_offset + 2 * answer.symbol_index) + ": version index " +
         Text::number(symbol.version) + (symbol.hidden ? Text(", hidden") : ", the default"));
  }

  void print_refusal(const NeedAnswer& answer) {
    if (!library_.versions.has_defs) {
      line(
          "  there       no symbol versions at all: no DT_VERDEF. ld.so would warn \"no version "
          "information available\" and go on");
      return;
    }
    if (answer.form == NeedForm::Symbol) {
      print_instead(answer, "no symbol of that name");
    } else {
      print_records();
    }
    print_end(answer);
    line("  so          a link or a copy of this file under another name does not help: ld.so reads what is in it");
  }

  /// What a program that makes the requirement ends with.
  void print_end(const NeedAnswer& answer) {
    const std::string node =
        answer.form == NeedForm::Symbol ? answer.asked.substr(answer.asked.find_last_of('@') + 1) : answer.asked;
    const bool is_bare = answer.form == NeedForm::BareVersion;
    const bool has_node = std::any_of(library_.versions.defs.begin(), library_.versions.defs.end(),
                                      [&](const VersionDef& def) { return def.name == node; });
    line("  ld.so       ends a program that requires " + (is_bare ? Text("such a node N") : "it") + " with");
    Text words = Text::escaped(library_.path) + ": version `" + (is_bare ? "N" : Text::escaped(node)) +
                 "' not found (required by PROGRAM)";
    if (answer.form == NeedForm::Symbol && (has_node || node.empty())) {
      words = "symbol lookup error: PROGRAM: undefined symbol: " + Text::escaped(answer.symbol) +
              (node.empty() ? Text() : ", version " + Text::escaped(node));
    }
    line("              " + paint_.bad("PROGRAM: " + words));
  }

  void print_instead(const NeedAnswer& answer, const Text& nothing) {
    if (answer.instead.empty()) line("  there       " + nothing);
    for (std::size_t i = 0; i < answer.instead.size(); ++i) {
      if (i == kListShown && detail_ == Detail::Folded) {
        line("              and " + Text::number(answer.instead.size() - kListShown) + " more (-v)");
        break;
      }
      line((i == 0 ? "  there       " : "              ") + Text::escaped(answer.instead[i]));
    }
  }

  /// All that the file defines, with the places: the proof that something is not among it.
  void print_records() {
    const std::vector<VersionDef>& defs = library_.versions.defs;
    line("  there       " + Text::counted(defs.size(), "record") + " of DT_VERDEF, and no more:");
    // The newest come last, and are what a requirement is mostly about.
    const bool is_folded = defs.size() > kListShown && detail_ == Detail::Folded;
    const std::size_t first = is_folded ? defs.size() - kListShown : 0;
    if (is_folded) line("              (" + Text::number(first) + " before these: -v)");
    for (std::size_t i = first; i < defs.size(); ++i) {
      line("              " + Text::escaped(defs[i].name) +
           (defs[i].base ? " (base: the library's own name, no node)"
                         : ", carried by " + Text::counted(library_.symbol_counts[i], "symbol")) +
           ": record " + Text::number(i + 1) + ", at file offset " + Text::hex(defs[i].file_offset));
    }
  }

  void print_consumer(const ForAnswer& answer) {
    const Text consumer = Text::escaped(answer.consumer);
    if (answer.files.empty()) {
      line(title() + ": " + consumer + " requires nothing of it by version (no DT_VERNEED names it)");
    } else {
      line(answer.is_served() ? paint_.good(title() + " provides " + consumer)
                              : paint_.bad(title() + " does not provide " + consumer));
    }
    if (!answer.files.empty() && answer.is_other_name) {
      line("  required    as " + Text::escaped(answer.files.front()) +
           ": answered as if this file stood under that name");
    }
    for (const ForVersion& version : answer.versions) {
      Text entry = "  version     " + Text::escaped(version.need.name);
      if (version.match.verdict == VersionVerdict::Defined) {
        entry += "  met";
      } else {
        entry += "  " + paint_.bad(Text::escaped(
                            version_text(version.match.verdict, version.need, version.match.def, answer.consumer)));
      }
      line(entry + paint_.dim("  (vernaux entry at file offset " + Text::hex(version.need.file_offset) + ")"));
    }
    std::size_t met = 0;
    for (const ForSymbol& symbol : answer.symbols) {
      if (symbol.is_copy && symbol.library_bytes > symbol.copy_bytes) print_copy(symbol);
      if (symbol.verdict == ForVerdict::Met) {
        ++met;
        continue;
      }
      Text entry = "  symbol      " + Text::escaped(symbol.name) + "@" + Text::escaped(symbol.version);
      switch (symbol.verdict) {
        case ForVerdict::MetUnversioned: entry += "  met by an unversioned definition"; break;
        case ForVerdict::OtherVersion:
          entry += "  " + paint_.bad(Text("there with another version only:"));
          for (const std::string& node : symbol.instead) entry += " " + Text::escaped(node);
          break;
        default:
          entry += "  " + (symbol.weak ? paint_.warn(Text("missing, but the reference is weak"))
                                       : paint_.bad(Text("missing")));
      }
      line(entry +
           paint_.dim("  (reference: entry " + Text::number(symbol.symbol_index) +
                      " of the consumer's symbol table, at file offset " + Text::hex(symbol.file_offset) + ")"));
    }
    if (!answer.symbols.empty()) {
      line("  symbols     " + Text::number(met) + " of " + Text::counted(answer.symbols.size(), "versioned reference") +
           " met");
    }
    print_remarks(answer);
    if (answer.unversioned_count != 0) {
      line(paint_.dim("  besides     " + Text::counted(answer.unversioned_count, "reference") +
                      " without a version, of which this library defines " + Text::number(answer.unversioned_here) +
                      "; which object provides them depends on the whole process"));
    }
  }

  void print_copy(const ForSymbol& symbol) {
    line("  copy        " + Text::escaped(versioned_name(symbol.name, symbol.version)) + "  " +
         paint_.warn(Text::counted(symbol.library_bytes, "byte") +
                     " here, but the consumer's copy (COPY "
                     "relocation) has room for " +
                     Text::number(symbol.copy_bytes)));
    line("              ld.so warns \"Symbol `" + Text::escaped(symbol.name) +
         "' has different size in shared object, consider re-linking\" and copies what fits");
  }

  void print_remarks(const ForAnswer& answer) {
    const bool has_nodes = std::all_of(answer.versions.begin(), answer.versions.end(), [](const ForVersion& version) {
      return version.match.verdict == VersionVerdict::Defined;
    });
    const auto sole = sole_node(library_);
    if (sole && has_nodes && !answer.is_served()) {
      line("  note        the node " + Text::escaped(library_.versions.defs[*sole].name) +
           " is right, but it is the only one here and the same in every release that has it:");
      line("              ld.so's version check lets this file pass; the symbols refute it");
    }
    if (answer.ends_in_assertion) {
      line(
          paint_.bad(Text("  note        there is no version table at all here (neither DT_VERDEF nor DT_VERNEED): "
                          "before glibc 2.41")));
      line(
          paint_.bad(Text("              ld.so ends with an assertion on a versioned reference; later it takes what "
                          "is there")));
    }
  }

  const SymversReport& report_;
  const VersionedLibrary& library_;
  Paint paint_;
  Detail detail_;
  Text text_;
};

}  // namespace

std::string symvers_text(const SymversReport& report, Colour colour, Detail detail) {
  return SymversPrinter(report, colour, detail).print().str();
}

}  // namespace soresolve
