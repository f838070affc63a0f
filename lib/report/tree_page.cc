// The dependency tree as text. The loader's result is a list, so each object is shown under its first needer, and every
// other request for it is a line that points back.
#include <algorithm>
#include <string>
#include <vector>

#include "loader/load.h"
#include "report/paint.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

std::string dlopen_label(const Dlopen& opened) {
  return "dlopen, " + std::string(name_of(opened.importance)) + ", " + std::string(name_of(opened.evidence));
}

class TreePrinter {
 public:
  TreePrinter(const LinkMap& map, const TreeOptions& options, const Dlopens& dlopens)
      : map_(map), dlopens_(dlopens), options_(options), paint_(options.colour), searcher_(map),
        is_on_path_(map.objects.size(), false) {}

  Text print() {
    // What was opened; the program, if nothing was, or if it is the one that fails.
    const ObjectIndex root = map_.openings.empty() ? 0 : map_.subject_root();
    if (root == kNoObject || map_.objects[root].role == ObjectRole::Placeholder) {
      const NeedRef& request = map_.openings.back().request;
      print_need(request.needer, map_.objects[request.needer].needs[request.need], 0);
      return std::move(text_);
    }
    root_ = root;
    text_ = paint_.strong(Text::escaped(map_.objects[root].name())) + "\n";
    print_needs(root, 0);
    return std::move(text_);
  }

 private:
  /// "[RUNPATH of x]", "[ld.so.cache]", "[already loaded: same SONAME]".
  [[nodiscard]] Text label(const Need& need) const {
    if (need.target != kNoObject && map_.opening_of(need.target) < map_.subject()) {
      return "in the process before: " + Text::escaped(map_.objects[need.target].name());
    }
    switch (need.resolution) {
      case HowFound::Mapped: {
        const LoadedObject& object = map_.objects[need.target];
        Text how = Text::escaped(describe_step(map_, object.found.step, object.found.owner));
        if (!object.found.subdirectory.empty()) {
          const std::string_view subdirectory = object.found.subdirectory;
          how += ", " + Text::escaped(subdirectory.substr(0, subdirectory.size() - 1));
        }
        return how;
      }
      case HowFound::ByName:
        if (map_.objects[need.target].role == ObjectRole::Loader) return "the loader itself";
        return "";
      default: return Text::escaped(name_of(need.resolution));
    }
  }

  void print_needs(ObjectIndex object, unsigned depth) {
    is_on_path_[object] = true;
    const std::vector<Need>& needs = map_.objects[object].needs;
    const std::vector<const Dlopen*> dlopens = opened_by(
        [&](const Dlopen& opened) { return opened.object == object || (object == root_ && is_by_script(opened)); });
    for (std::size_t i = 0; i < needs.size(); ++i) {
      print_branch(i + 1 == needs.size() + dlopens.size(), [&] { print_need(object, needs[i], depth + 1); });
    }
    print_dlopens(dlopens, depth + 1);
    is_on_path_[object] = false;
  }

  template <class Print>
  void print_branch(bool is_last, Print print) {
    const Text indent = indent_;
    text_ += indent;
    text_ += is_last ? Text("└── ") : Text("├── ");
    indent_ += is_last ? Text("    ") : Text("│   ");
    print();
    indent_ = indent;
  }

  /// Is the opener no file of the map, nor opened itself? It stands beside the file that was asked about.
  [[nodiscard]] bool is_by_script(const Dlopen& opened) const {
    return opened.object == kNoObject &&
           std::none_of(dlopens_.list.begin(), dlopens_.list.end(),
                        [&](const Dlopen& other) { return other.is_found && other.shown().path == opened.opener; });
  }

  template <class Predicate>
  [[nodiscard]] std::vector<const Dlopen*> opened_by(Predicate is_wanted) const {
    std::vector<const Dlopen*> list;
    for (const Dlopen& opened : dlopens_.list) {
      if (is_wanted(opened)) list.push_back(&opened);
    }
    return list;
  }

  void print_dlopens(const std::vector<const Dlopen*>& dlopens, unsigned depth) {
    for (const Dlopen* opened : dlopens) {
      print_branch(opened == dlopens.back(), [&] { print_dlopen(*opened, depth); });
    }
  }

  /// What it needs in its turn is left out; what it opens is not.
  void print_dlopen(const Dlopen& opened, unsigned depth) {
    const DlopenChoice& shown = opened.shown();
    const bool is_path = options_.show == TreeOptions::Show::Paths && opened.is_found;
    const Text name = Text::escaped(is_path ? shown.path : shown.name);
    text_ += opened.is_good() ? paint_.dim(name) : paint_.warn(name);
    text_ += " (" + Text::escaped(dlopen_label(opened)) + ")";
    if (is_by_script(opened)) text_ += " by " + Text::escaped(opened.opener);
    if (!opened.is_found) {
      text_ += paint_.warn(Text(" [not found]"));
    } else if (!opened.failure.empty()) {
      text_ += paint_.warn(" [" + Text::escaped(opened.failure) + "]");
    } else if (opened.is_loaded) {
      text_ += paint_.dim(Text(" [already loaded]"));
    } else {
      text_ += paint_.dim(" [" + (shown.found_by.empty() ? Text("by its path") : Text::escaped(shown.found_by)) + "]");
    }
    text_ += "\n";
    if (opened.is_loaded || !opened.is_good() || depth >= options_.max_depth) return;
    print_dlopens(
        opened_by([&](const Dlopen& further) { return further.object == kNoObject && further.opener == shown.path; }),
        depth + 1);
  }

  /// The line of one request, behind its branch, and what hangs below it.
  void print_need(ObjectIndex needer, const Need& need, unsigned depth) {
    const bool is_found = need.target != kNoObject && map_.objects[need.target].role != ObjectRole::Placeholder;
    std::string_view name = need.name.empty() ? need.written : need.name;
    if (is_found && options_.show == TreeOptions::Show::Paths && !map_.objects[need.target].path.empty()) {
      name = map_.objects[need.target].path;
    }
    // It hangs where it was mapped; everywhere else it is only named again.
    const bool is_repeat = is_found && need.resolution != HowFound::Mapped;
    if (!is_found && need.resolution != HowFound::EmptyToken) {
      text_ += paint_.bad(Text::escaped(name));
    } else {
      text_ += is_repeat ? paint_.dim(Text::escaped(name)) : paint_.name(Text::escaped(name));
    }
    switch (need.kind) {
      case NeedKind::Preload: text_ += " (preload)"; break;
      case NeedKind::Auxiliary: text_ += " (auxiliary)"; break;
      case NeedKind::Filter: text_ += " (filter)"; break;
      case NeedKind::Dlopen: text_ += " (dlopen)"; break;
      case NeedKind::Needed: break;
    }
    if (const Text how = label(need); !how.empty()) {
      text_ += is_found ? paint_.dim(" [" + how + "]") : paint_.bad(" [" + how + "]");
    }
    if (searcher_.is_fragile(needer, need)) {
      text_ += paint_.warn(Text(" fragile: works only because it was loaded before"));
    }
    text_ += "\n";

    if (!is_found) return;
    const bool repeats = options_.seen == TreeOptions::Seen::Again && !is_on_path_[need.target];
    if (is_repeat && !repeats) return;
    if (depth >= options_.max_depth) {
      if (!map_.objects[need.target].needs.empty()) text_ += indent_ + paint_.dim(Text("…")) + "\n";
      return;
    }
    print_needs(need.target, depth);
  }

  const LinkMap& map_;
  const Dlopens& dlopens_;
  ObjectIndex root_ = kNoObject;
  const TreeOptions& options_;
  Paint paint_;
  LoneSearcher searcher_;
  std::vector<bool> is_on_path_;
  Text indent_;
  Text text_;
};

}  // namespace

std::string tree_text(const LinkMap& map, const TreeOptions& options, const Dlopens& dlopens) {
  return TreePrinter(map, options, dlopens).print().str();
}

}  // namespace soresolve
