// The text of what is opened later: groups by opener and source, broken entries first visible, the rest folded. Decides
// nothing; entries come from lib/dlopen.
#include <algorithm>
#include <span>

#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

class DlopensPage {
 public:
  explicit DlopensPage(const Dlopens& dlopens) : dlopens_(dlopens) {}

  Page make() {
    if (dlopens_.list.empty()) return {};
    page_.blank();
    page_.line(say("opened-later"));
    const std::span<const Dlopen> all(dlopens_.list);
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      while (end < all.size() && is_one_group(all[i], all[end])) ++end;
      print_group(all.subspan(i, end - i));
      i = end;
    }
    return std::move(page_);
  }

 private:
  /// A table is one source for all that it has; notes and constants have a place each.
  static bool is_one_group(const Dlopen& a, const Dlopen& b) {
    return a.opener == b.opener && a.source == b.source &&
           (a.source != DlopenSource::Known || a.reported_by == b.reported_by);
  }

  static Statement how_many_found(std::span<const Dlopen> group, std::size_t good) {
    if (group.size() == 1) return {};
    const bool has_broken = std::any_of(group.begin(), group.end(),
                                        [](const Dlopen& opened) { return opened.is_found && !opened.is_faultless(); });
    if (good == group.size()) return say(has_broken ? "group-all-in-order" : "group-all-found");
    if (good == 0) return say(has_broken ? "group-none-in-order" : "group-none-found");
    return say(has_broken ? "group-some-in-order" : "group-some-found", {{"count", good}});
  }

  static Statement how_known(const Dlopen& opened) {
    switch (opened.source) {
      case DlopenSource::Note: return say("group-by-note");
      case DlopenSource::Known:
        return say("group-known", {{"evidence", term(name_of(opened.evidence))}, {"source", opened.reported_by}});
      case DlopenSource::Literal: return say("group-guessed");
      case DlopenSource::Package: return say("group-on-demand");
    }
    return {};
  }

  void print_group(std::span<const Dlopen> group) {
    const Dlopen& first = group.front();
    const std::size_t good = static_cast<std::size_t>(
        std::count_if(group.begin(), group.end(), [](const Dlopen& opened) { return opened.is_faultless(); }));
    page_.line(say("group-opens", {{"opener", first.opener},
                                   {"count", group.size()},
                                   {"found", how_many_found(group, good)},
                                   {"known", how_known(first)}}),
               2);
    for (const Dlopen& opened : group) print_one(opened);
  }

  void print_one(const Dlopen& opened) {
    const DlopenChoice& shown = opened.shown();
    Words words;
    if (!opened.is_found) {
      std::vector<Statement> others;
      for (std::size_t i = 1; i < opened.choices.size(); ++i) {
        others.push_back(say("or-name", {{"library", opened.choices[i].name}}));
      }
      words += missing(opened, say("later-not-found", {{"library", shown.name}, {"others", others}}));
    } else if (!opened.failure.empty()) {
      words += missing(opened, say("later-cannot-load",
                                   {{"library", shown.name}, {"path", shown.path}, {"reason", opened.failure}}));
    } else if (!opened.failure_now.empty()) {
      words += missing(opened, say("later-cannot-load-now",
                                   {{"library", shown.name}, {"path", shown.path}, {"reason", opened.failure_now}}));
    } else {
      words += say("later-found", {{"library", shown.name}, {"path", shown.path}});
      if (opened.is_loaded) {
        words += dim(say("in-brackets", {{"text", say("loaded-already")}}));
      } else if (!shown.found_by.empty()) {
        words += dim(say("in-brackets", {{"text", term(shown.found_by)}}));
      }
    }
    const Statement feature = opened.feature.empty() ? Statement{} : say("for-feature", {{"feature", opened.feature}});
    const Statement about =
        opened.description.empty() ? Statement{} : say("colon-text", {{"text", opened.description}});
    page_.line(words + say("later-details",
                           {{"importance", term(name_of(opened.importance))}, {"feature", feature}, {"about", about}}),
               4);
  }

  /// What matters is red; what few miss is not.
  [[nodiscard]] static Words missing(const Dlopen& opened, Words text) {
    if (opened.source == DlopenSource::Literal || opened.importance == Importance::Suggested) return text;
    return opened.importance == Importance::Required ? bad(std::move(text)) : warn(std::move(text));
  }

  const Dlopens& dlopens_;
  Page page_;
};

}  // namespace

std::vector<const Dlopen*> listed_dlopens(const Dlopens& dlopens) {
  std::vector<const Dlopen*> listed;
  for (const Dlopen& opened : dlopens.list) {
    if (opened.source != DlopenSource::Package || !opened.is_faultless()) listed.push_back(&opened);
  }
  return listed;
}

Page dlopens_page(const Dlopens& dlopens) { return DlopensPage(dlopens).make(); }

}  // namespace soresolve
