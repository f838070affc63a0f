// The page of `symvers LIB`: version nodes, and the proof that the library provides a requirement or does not, with
// offsets. OLD NEW is in library_diff_page.cc; decides nothing.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/printable.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "symbols/offer.h"
#include "symbols/version_tables.h"
#include "witness/second_reading.h"

namespace soresolve {
namespace {

/// "PATH (SONAME NAME)".
Statement title_of(const VersionedLibrary& library) {
  return library.soname.empty() ? say("library-no-soname", {{"path", library.path}})
                                : say("library-soname", {{"path", library.path}, {"soname", library.soname}});
}

class SymversPage {
 public:
  SymversPage(const SymversReport& report, Detail detail)
      : report_(report), library_(report.library), detail_(detail) {}

  Page make() {
    for (const NeedAnswer& answer : report_.needs) add_need(answer);
    for (const ForAnswer& answer : report_.needers) add_needer(answer);
    if (report_.needs.empty() && report_.needers.empty()) add_library();
    if (report_.witness != nullptr) {
      for (const SecondReading& reading : *report_.witness) add_reading(reading);
    }
    return std::move(page_);
  }

 private:
  void entry(const Statement& head, Words content) { page_.entry(head, std::move(content)); }
  /// Below an entry, in its column.
  void more(Words content) { page_.more(std::move(content)); }

  [[nodiscard]] Statement place_of(std::size_t index) const {
    const VersionDef& def = library_.versions.defs[index];
    return say(
        "verdef-place",
        {{"record", index + 1}, {"index", def.index}, {"hash", hex(def.hash)}, {"offset", hex(def.file_offset)}});
  }

  void add_library() {
    page_.heading(title_of(library_));
    if (!library_.versions.has_defs) {
      page_.line(say("defines-no-node"), 2);
      page_.line(say("symbols-defined", {{"count", library_.defined_count}}), 2);
    } else {
      page_.line(say("library-defines"), 2);
      for (std::size_t i = 0; i < library_.versions.defs.size(); ++i) add_definition(i);
    }
    std::map<std::string_view, Words> requirements;
    for (const VersionNeed& need : library_.versions.needs) {
      requirements[need.file] += " " + Words::foreign(need.name) + (need.weak ? say("weak-need") : Statement{});
    }
    if (!requirements.empty()) page_.line(say("library-requires"), 2);
    for (const auto& [file, versions] : requirements) page_.line(Words::foreign(file) + ":" + versions, 4);
  }

  void add_definition(std::size_t index) {
    const VersionDef& def = library_.versions.defs[index];
    Words line = Words::foreign(def.name);
    line += def.base ? dim(say("base-record")) : say("carried-by-symbols", {{"count", library_.symbol_counts[index]}});
    for (const std::string_view parent : def.parents) line += say("after-parent", {{"parent", std::string(parent)}});
    if (detail_ == Detail::Full) line += dim("  [" + Words(place_of(index)) + "]");
    page_.line(std::move(line), 4);
  }

  void add_reading(const SecondReading& reading) {
    const bool is_one_of_several = report_.witness->size() > 1;
    if (reading.difference_count == 0) {
      const Statement agrees = is_one_of_several
                                   ? say("reader-agrees-on", {{"reader", reading.reader}, {"file", reading.file}})
                                   : say("reader-agrees", {{"reader", reading.reader}});
      const Statement same = reading.has_symbols
                                 ? say("readings-are-the-same", {{"definitions", reading.definition_count},
                                                                 {"requirements", reading.requirement_count},
                                                                 {"symbols", reading.symbol_count}})
                                 : say("readings-without-symbols", {{"definitions", reading.definition_count},
                                                                    {"requirements", reading.requirement_count}});
      return entry(say("head-witness"), good(agrees) + same);
    }
    const std::size_t count = reading.difference_count;
    entry(say("head-witness"),
          bad(is_one_of_several
                  ? say("reader-disagrees-on", {{"reader", reading.reader}, {"file", reading.file}, {"count", count}})
                  : say("reader-disagrees", {{"reader", reading.reader}, {"count", count}})));
    const std::size_t shown =
        detail_ == Detail::Full ? reading.differences.size() : std::min(reading.differences.size(), kListShown);
    for (std::size_t i = 0; i < shown; ++i) {
      const ReadingDifference& difference = reading.differences[i];
      more(difference.what);
      page_.line(Words(say("reading-here")) + Words::stop(9) + difference.here, 16);
      page_.line(Words(say("reading-there")) + Words::stop(9) + difference.there, 16);
    }
    if (shown < count) more(say(detail_ == Detail::Full ? "and-more-plain" : "and-more-v", {{"count", count - shown}}));
  }

  void add_need(const NeedAnswer& answer) {
    const Statement title = title_of(library_);
    page_.line(answer.is_served ? good(say("provides-need", {{"library", title}, {"asked", answer.asked}}))
                                : bad(say("does-not-provide-need", {{"library", title}, {"asked", answer.asked}})));
    switch (answer.form) {
      case NeedForm::Node: entry(say("head-asked"), say("asked-node", {{"asked", answer.asked}})); break;
      case NeedForm::BareVersion: entry(say("head-asked"), say("asked-bare-version", {{"asked", answer.asked}})); break;
      case NeedForm::Symbol: entry(say("head-asked"), say("asked-symbol", {{"asked", answer.asked}})); break;
    }
    if (answer.is_served) {
      add_proof(answer);
    } else {
      add_refusal(answer);
    }
  }

  void add_proof(const NeedAnswer& answer) {
    if (answer.form == NeedForm::Symbol) add_symbol(answer);
    for (const std::size_t index : answer.defs) {
      entry(say("head-node"), say("node-carried", {{"node", std::string(library_.versions.defs[index].name)},
                                                   {"count", library_.symbol_counts[index]},
                                                   {"total", library_.defined_count}}));
      entry(say("head-where"), place_of(index));
    }
    if (answer.form == NeedForm::Symbol) return;
    if (const auto sole = sole_node(library_)) {
      entry(say("head-mind"), say("sole-node-here", {{"node", std::string(library_.versions.defs[*sole].name)}}));
      more(say("sole-node-tells-nothing"));
      more(say("for-looks-at-each"));
      return;
    }
    page_.entry(dim(say("head-mind")), dim(say("for-tells-symbols")));
  }

  void add_symbol(const NeedAnswer& answer) {
    const DynamicSymbol& symbol = library_.symbols.symbols[answer.symbol_index];
    entry(say("head-defined"),
          Words(say("defined-at",
                    {{"symbol", answer.symbol}, {"address", hex(symbol.value)}, {"bytes", symbol.size_bytes}})) +
              (answer.symbol_verdict == ForVerdict::MetUnversioned ? say("taken-for-any-version") : Statement{}));
    const std::size_t index = answer.symbol_index;
    entry(say("head-where"),
          say("symbol-table-entry", {{"index", index}, {"offset", hex(place_of_symbol(library_, index))}}));
    if (!library_.symbols.has_versions) return;
    more(say(
        symbol.hidden ? "version-entry-hidden" : "version-entry-default",
        {{"index", index}, {"offset", hex(library_.version_index_offset + 2 * index)}, {"version", symbol.version}}));
  }

  void add_refusal(const NeedAnswer& answer) {
    if (!library_.versions.has_defs) return entry(say("head-there"), say("no-versions-at-all"));
    if (answer.form == NeedForm::Symbol) {
      add_instead(answer);
    } else {
      add_records(answer);
    }
    add_end(answer);
    entry(say("head-so"), say("link-does-not-help"));
  }

  /// What a program that makes the requirement ends with.
  void add_end(const NeedAnswer& answer) {
    const std::string node =
        answer.form == NeedForm::Symbol ? answer.asked.substr(answer.asked.find_last_of('@') + 1) : answer.asked;
    const bool is_bare = answer.form == NeedForm::BareVersion;
    const bool has_node = std::any_of(library_.versions.defs.begin(), library_.versions.defs.end(),
                                      [&](const VersionDef& def) { return def.name == node; });
    page_.entry("ld.so", say(is_bare ? "ends-requiring-node" : "ends-requiring-it"));
    std::string line = library_.path + ": version `" + (is_bare ? "N" : node) + "' not found (required by PROGRAM)";
    if (answer.form == NeedForm::Symbol && (has_node || node.empty())) {
      line = "symbol lookup error: PROGRAM: undefined symbol: " + answer.symbol +
             (node.empty() ? "" : ", version " + node);
    }
    more(bad(Words::foreign("PROGRAM: " + line)));
  }

  void add_instead(const NeedAnswer& answer) {
    if (answer.instead.empty()) return entry(say("head-there"), say("no-symbol-of-that-name"));
    for (std::size_t i = 0; i < answer.instead.size(); ++i) {
      if (i == kListShown && detail_ == Detail::Folded) {
        return more(say("and-more-v", {{"count", answer.instead.size() - kListShown}}));
      }
      if (i == 0) {
        entry(say("head-there"), answer.instead[i]);
      } else {
        more(answer.instead[i]);
      }
    }
  }

  /// All that the file defines, with the places: the proof that something is not among it. The family of what is
  /// required comes first, nearest first, and is all that a folded page shows.
  void add_records(const NeedAnswer& answer) {
    const std::size_t count = library_.versions.defs.size();
    if (answer.family.empty()) {
      entry(say("head-there"), say("records-and-no-more", {{"count", count}}));
      // The newest come last, and are what a requirement is mostly about.
      const bool is_folded = count > kListShown && detail_ == Detail::Folded;
      const std::size_t first = is_folded ? count - kListShown : 0;
      if (is_folded) more(say("records-before", {{"count", first}}));
      for (std::size_t i = first; i < count; ++i) add_record(i);
      return;
    }
    entry(say("head-there"), say("records-nearest-first", {{"count", count}, {"kin", answer.family.size()}}));
    const bool is_folded = count > kListShown && detail_ == Detail::Folded;
    const std::size_t shown = is_folded ? std::min(answer.family.size(), kListShown) : answer.family.size();
    for (std::size_t i = 0; i < shown; ++i) add_record(answer.family[i]);
    if (is_folded) return more(say("records-besides", {{"count", count - shown}}));
    const std::set<std::size_t> family(answer.family.begin(), answer.family.end());
    for (std::size_t i = 0; i < count; ++i) {
      if (!family.contains(i)) add_record(i);
    }
  }

  void add_record(std::size_t index) {
    const VersionDef& def = library_.versions.defs[index];
    const std::string name(def.name);
    const std::string offset = hex(def.file_offset);
    more(def.base ? say("record-of-base", {{"name", name}, {"record", index + 1}, {"offset", offset}})
                  : say("record-of-node", {{"name", name},
                                           {"count", library_.symbol_counts[index]},
                                           {"record", index + 1},
                                           {"offset", offset}}));
  }

  void add_needer(const ForAnswer& answer) {
    const Statement title = title_of(library_);
    if (answer.files.empty()) {
      page_.line(say("nothing-of-it-by-version", {{"library", title}, {"consumer", answer.needer}}));
    } else {
      page_.line(answer.is_served()
                     ? good(say("provides-for", {{"library", title}, {"consumer", answer.needer}}))
                     : bad(say("does-not-provide-for", {{"library", title}, {"consumer", answer.needer}})));
      if (answer.is_other_name) {
        entry(say("head-required"), say("as-under-other-name", {{"file", answer.files.front()}}));
      }
    }
    for (const ForVersion& version : answer.versions) add_version(answer, version);
    std::size_t met = 0;
    for (const ForSymbol& symbol : answer.symbols) {
      if (symbol.is_copy && symbol.library_bytes > symbol.copy_bytes) add_copy(symbol);
      if (symbol.verdict == ForVerdict::Met) {
        ++met;
      } else {
        add_symbol(symbol);
      }
    }
    if (!answer.symbols.empty()) {
      entry(say("head-symbols"), say("references-met", {{"met", met}, {"count", answer.symbols.size()}}));
    }
    add_remarks(answer);
    if (answer.unversioned_count != 0) {
      page_.entry(
          dim(say("head-besides")),
          dim(say("unversioned-references", {{"count", answer.unversioned_count}, {"here", answer.unversioned_here}})));
    }
  }

  void add_version(const ForAnswer& answer, const ForVersion& version) {
    const bool is_met = version.match.verdict == VersionVerdict::Defined;
    Words line = Words::foreign(version.need.name) + "  ";
    // What is not met is said in the loader's words.
    line +=
        is_met
            ? Words(say("head-met"))
            : bad(Words::foreign(version_text(version.match.verdict, version.need, version.match.def, answer.needer)));
    entry(say("head-version"),
          std::move(line) + dim(say("vernaux-of-consumer", {{"offset", hex(version.need.file_offset)}})));
  }

  /// A reference that is not met by a definition with its version.
  void add_symbol(const ForSymbol& symbol) {
    Words line = Words::foreign(symbol.name + "@" + symbol.version) + "  ";
    switch (symbol.verdict) {
      case ForVerdict::MetUnversioned: line += say("met-unversioned"); break;
      case ForVerdict::OtherVersion:
        line += bad(say("with-other-version-only"));
        for (const std::string& node : symbol.instead) line += " " + Words::foreign(node);
        break;
      default: line += symbol.weak ? warn(say("symbol-missing-weak")) : bad(say("symbol-missing"));
    }
    entry(say("head-symbol"),
          std::move(line) +
              dim(say("reference-of-consumer", {{"index", symbol.symbol_index}, {"offset", hex(symbol.file_offset)}})));
  }

  void add_copy(const ForSymbol& symbol) {
    entry(say("head-copy"),
          Words::foreign(versioned_name(symbol.name, symbol.version)) + "  " +
              warn(say("copy-too-small", {{"here", symbol.library_bytes}, {"room", symbol.copy_bytes}})));
    more(say("copies-what-fits", {{"symbol", symbol.name}}));
  }

  void add_remarks(const ForAnswer& answer) {
    const bool has_nodes = std::all_of(answer.versions.begin(), answer.versions.end(), [](const ForVersion& version) {
      return version.match.verdict == VersionVerdict::Defined;
    });
    const auto sole = sole_node(library_);
    if (sole && has_nodes && !answer.is_served()) {
      entry(say("head-mind"), say("sole-node-is-right", {{"node", std::string(library_.versions.defs[*sole].name)}}));
      more(say("symbols-refute-it"));
    }
    if (answer.ends_in_assertion) {
      page_.entry(bad(say("head-mind")), bad(say("no-version-table")));
      more(bad(say("assertion-on-reference")));
    }
  }

  const SymversReport& report_;
  const VersionedLibrary& library_;
  Detail detail_;
  Page page_;
};

}  // namespace

Page symvers_page(const SymversReport& report, Detail detail) { return SymversPage(report, detail).make(); }

}  // namespace soresolve
