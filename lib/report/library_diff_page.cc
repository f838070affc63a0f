// What needers of a library lose with another one, for people: verdict, losses, what is new.
#include <elf.h>

#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "symbols/offer.h"

namespace soresolve {
namespace {

constexpr std::size_t kNameColumn = 16;

Statement type_words(std::uint8_t type) {
  switch (type) {
    case STT_FUNC: return say("type-function");
    case STT_GNU_IFUNC: return say("type-ifunc");
    case STT_OBJECT:
    case STT_COMMON: return say("type-data");
    case STT_TLS: return say("type-tls");
    default: return say("type-none");
  }
}

class DiffPage {
 public:
  DiffPage(const LibraryDiffReport& report, Detail detail)
      : old_(report.old), now_(report.now), diff_(report.diff), detail_(detail) {}

  Page make() {
    add_verdict();
    add_soname();
    add_nodes();
    using enum SymbolChangeKind;
    add_changes(Gone, say("head-gone"), say("change-gone"));
    add_changes(OtherVersion, say("head-moved"), say("change-moved"));
    add_changes(Kind, say("head-kind"), say("change-kind"));
    add_changes(Size, say("head-size"), say("change-size"));
    if (count(Size) != 0) page_.more(say("size-remark"));
    add_changes(Protected, say("head-protected"), say("change-protected"));
    add_changes(Unversioned, say("head-plain"), say("change-plain"));
    add_changes(Default, say("head-default"), say("change-default"));
    add_changes(Unique, say("head-unique"), say("change-unique"));
    add_new();
    return std::move(page_);
  }

 private:
  void entry(const Statement& head, Words content) { page_.entry(head, std::move(content)); }

  [[nodiscard]] std::size_t count(SymbolChangeKind kind) const {
    std::size_t number = 0;
    for (const SymbolChange& change : diff_.changes) number += change.kind == kind;
    return number;
  }

  void add_verdict() {
    switch (diff_.stands()) {
      case LibraryDiff::Stands::ForEveryone:
        return page_.line(good(say("stands-in", {{"now", now_.path}, {"old", old_.path}})));
      case LibraryDiff::Stands::Unbound:
        return page_.line(bad(say("stands-in-for-nobody", {{"now", now_.path}, {"old", old_.path}})));
      case LibraryDiff::Stands::ForSome: break;
    }
    Words line = bad(say("stands-in-not-in-general", {{"now", now_.path}, {"old", old_.path}}));
    line += say("only-for-a-consumer");
    for (const Statement& condition : conditions()) line += condition;
    page_.line(std::move(line));
  }

  /// What a needer has to be like, that the new library is enough for it.
  [[nodiscard]] std::vector<Statement> conditions() const {
    using enum SymbolChangeKind;
    std::vector<Statement> items;
    const auto add_item = [&](Statement item) {
      if (!items.empty()) items.push_back(say("list-comma"));
      items.push_back(std::move(item));
    };
    if (const std::size_t nodes = diff_.missing_nodes.size()) add_item(say("lost-nodes", {{"count", nodes}}));
    if (const std::size_t missing = count(Gone) + count(OtherVersion))
      add_item(say("lost-symbols", {{"count", missing}}));
    if (const std::size_t changed = count(Kind) + count(Size) + count(Protected)) {
      add_item(say("changed-symbols", {{"count", changed}}));
    }
    std::vector<Statement> all;
    if (!items.empty()) all.push_back(say("uses-none-of-these", {{"items", std::move(items)}}));
    const auto add = [&all](const Statement& what) {
      all.push_back(say(all.empty() ? "consumer-that" : "consumer-and-that", {{"what", what}}));
    };
    if (diff_.has_other_soname) add(say("finds-it-under-old-name"));
    if (diff_.ends_in_assertion) add(say("with-newer-loader"));
    return all;
  }

  void add_soname() {
    const auto name_of = [](const VersionedLibrary& library) {
      return library.soname.empty() ? say("soname-none") : words_of_others(library.soname);
    };
    if (!diff_.has_other_soname) {
      return page_.entry("SONAME", say("soname-the-same", {{"soname", name_of(now_)}}));
    }
    page_.entry("SONAME", say("soname-before", {{"soname", name_of(old_)}}) +
                              bad(say("soname-now", {{"soname", name_of(now_)}})) + say("old-name-is-required"));
  }

  void add_nodes() {
    for (const NodeLoss& node : diff_.missing_nodes) {
      entry(say("head-node"),
            bad(say("node-is-gone", {{"node", node.name}})) + say("node-gone-ends", {{"count", node.symbols}}));
      page_.line(
          Words::foreign("PROGRAM: " + now_.path + ": version `" + node.name + "' not found (required by PROGRAM)"),
          kNameColumn);
    }
    if (diff_.has_no_nodes_now) entry(say("head-node"), say("no-nodes-now"));
    if (diff_.ends_in_assertion) page_.more(bad(say("no-version-table-now")));
    const auto sole = sole_node(old_);
    if (sole && diff_.missing_nodes.empty() && !diff_.has_no_nodes_now && count(SymbolChangeKind::Gone) != 0) {
      entry(say("head-node"), say("sole-node-still-here", {{"node", std::string(old_.versions.defs[*sole].name)}}));
      page_.more(say("only-symbols-refute-it"));
    }
  }

  [[nodiscard]] static Statement detail_of(const SymbolChange& change) {
    switch (change.kind) {
      case SymbolChangeKind::OtherVersion:
      case SymbolChangeKind::Default: {
        if (change.instead.empty()) return say("now-for-old-consumers");
        std::vector<Statement> versions;
        for (const std::string& version : change.instead) {
          versions.push_back(version.empty() ? say("now-without-version") : words_of_others(" @" + version));
        }
        return say("now-with-versions", {{"versions", std::move(versions)}});
      }
      case SymbolChangeKind::Kind:
        return say("type-before-and-now", {{"old", type_words(change.old_type)}, {"now", type_words(change.new_type)}});
      case SymbolChangeKind::Size:
        return say("bytes-before-and-now", {{"old", change.old_bytes}, {"now", change.new_bytes}});
      default: return {};
    }
  }

  void add_changes(SymbolChangeKind kind, const Statement& head, const Statement& what) {
    const std::size_t number = count(kind);
    if (number == 0) return;
    entry(head, say("changed-of-symbols", {{"count", number}, {"total", diff_.old_symbols}, {"what", what}}));
    std::size_t shown = 0;
    for (const SymbolChange& change : diff_.changes) {
      if (change.kind != kind) continue;
      if (shown++ == kListShown && detail_ == Detail::Folded) {
        page_.line(say("and-more-v", {{"count", number - kListShown}}), kNameColumn);
        break;
      }
      Words name = Words::foreign(versioned_name(change.name, change.version)) + detail_of(change);
      if (change.is_loss()) name = bad(std::move(name));
      if (detail_ == Detail::Full) {
        const Statement place =
            say("entry-of-symbol-table",
                {{"index", change.old_index}, {"offset", hex(place_of_symbol(old_, change.old_index))}});
        name += dim("  [" + Words(place) + "]");
      }
      page_.line(std::move(name), kNameColumn);
    }
  }

  void add_new() {
    Words line = diff_.new_symbols == 0 ? say("new-no-symbol") : say("new-symbols", {{"count", diff_.new_symbols}});
    if (!diff_.new_nodes.empty()) line += say("new-nodes", {{"count", diff_.new_nodes.size()}});
    entry(say("head-new"), std::move(line));
    const auto list = [&](const Statement& head, const std::vector<std::string>& names) {
      if (names.empty()) return;
      entry(head, Words(say("words", {{"text", NameList{names}}})) + dim(say("required-newly")));
    };
    list(say("head-needs"), diff_.new_needed);
    list(say("head-requires"), diff_.new_requirements);
  }

  const VersionedLibrary& old_;
  const VersionedLibrary& now_;
  const LibraryDiff& diff_;
  Detail detail_;
  Page page_;
};

}  // namespace

Page library_diff_page(const LibraryDiffReport& report, Detail detail) { return DiffPage(report, detail).make(); }

}  // namespace soresolve
