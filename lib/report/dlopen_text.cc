// The text of what is opened later: groups by opener and source, broken entries first visible, the rest folded. Decides
// nothing; entries come from lib/dlopen.
#include "report/dlopen_text.h"

#include <algorithm>
#include <span>

#include "report/paint.h"

namespace soresolve {
namespace {

constexpr std::size_t kListed = 8;

class DlopensPrinter {
 public:
  DlopensPrinter(const Dlopens& dlopens, const WhyOptions& options)
      : dlopens_(dlopens), options_(options), paint_(options.colour) {}

  std::string print() {
    if (dlopens_.list.empty()) return {};
    line("");
    line("Opened later (dlopen), beside what is needed:");
    const std::span<const Dlopen> all(dlopens_.list);
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      while (end < all.size() && is_one_group(all[i], all[end])) ++end;
      print_group(all.subspan(i, end - i));
      i = end;
    }
    return std::move(text_);
  }

 private:
  void line(const std::string& content) { text_ += content + "\n"; }

  /// A table is one source for all that it has; notes and constants have a place each.
  static bool is_one_group(const Dlopen& a, const Dlopen& b) {
    return a.opener == b.opener && a.source == b.source && (a.source != DlopenSource::Known || a.told_by == b.told_by);
  }

  void print_group(std::span<const Dlopen> group) {
    const Dlopen& first = group.front();
    const std::size_t good = static_cast<std::size_t>(
        std::count_if(group.begin(), group.end(), [](const Dlopen& opened) { return opened.is_faultless(); }));
    std::string title = "  " + printable(first.opener) + " opens " +
                        (group.size() == 1 ? "1 library" : std::to_string(group.size()) + " libraries");
    if (group.size() > 1) {
      const bool has_broken = std::any_of(
          group.begin(), group.end(), [](const Dlopen& opened) { return opened.is_found && !opened.is_faultless(); });
      const std::string what = has_broken ? "in order" : "found";
      title += ", " +
               (good == group.size() ? std::string("all")
                : good == 0          ? "none"
                                     : std::to_string(good)) +
               " " + what;
    }
    switch (first.source) {
      case DlopenSource::Note: title += "; proven, by its dlopen note"; break;
      case DlopenSource::Known:
        title += "; " + std::string(name_of(first.evidence)) + ", by " + printable(first.told_by);
        break;
      case DlopenSource::Literal: title += " perhaps; a guess, by names among its constants"; break;
    }
    line(title);
    const bool is_cut = group.size() > kListed && options_.detail == Detail::Folded;
    for (const Dlopen& opened : group) {
      if (!is_cut || !opened.is_faultless()) print_one(opened);
    }
    if (is_cut && good != 0) line("    " + paint_.dim(std::to_string(good) + " more, which are found (-v)"));
  }

  void print_one(const Dlopen& opened) {
    const DlopenChoice& shown = opened.shown();
    std::string name = printable(shown.name);
    if (!opened.is_found) {
      for (std::size_t i = 1; i < opened.choices.size(); ++i) name += " or " + printable(opened.choices[i].name);
    }
    std::string text = "    ";
    if (!opened.is_found) {
      text += lost(opened, name + " is not found");
    } else if (!opened.failure.empty()) {
      text += lost(opened,
                   name + " => " + printable(shown.path) + ", which cannot be loaded: " + printable(opened.failure));
    } else if (!opened.failure_now.empty()) {
      text += lost(opened, name + " => " + printable(shown.path) +
                               ", which cannot be loaded with RTLD_NOW: " + printable(opened.failure_now));
    } else {
      text += name + " => " + printable(shown.path);
      if (opened.is_loaded) {
        text += paint_.dim(" (loaded already)");
      } else if (!shown.found_by.empty()) {
        text += paint_.dim(" (" + shown.found_by + ")");
      }
    }
    text += ", " + std::string(name_of(opened.importance));
    if (!opened.feature.empty()) text += ", for " + printable(opened.feature);
    if (!opened.description.empty()) text += ": " + printable(opened.description);
    line(text);
  }

  /// What matters is red; what few miss is not.
  [[nodiscard]] std::string lost(const Dlopen& opened, const std::string& text) const {
    if (opened.source == DlopenSource::Literal || opened.importance == Importance::Suggested) return text;
    return opened.importance == Importance::Required ? paint_.bad(text) : paint_.warn(text);
  }

  const Dlopens& dlopens_;
  const WhyOptions& options_;
  Paint paint_;
  std::string text_;
};

}  // namespace

std::string dlopens_text(const Dlopens& dlopens, const WhyOptions& options) {
  return DlopensPrinter(dlopens, options).print();
}

std::string dlopen_label(const Dlopen& opened) {
  return "dlopen, " + std::string(name_of(opened.importance)) + ", " + std::string(name_of(opened.evidence));
}

}  // namespace soresolve
