// The dependency tree for people. The loader's result is a list, so each object is shown under its first needer, and
// every other request for it is a line that points back.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/diagnosis_input.h"
#include "loader/load.h"
#include "loader/system.h"
#include "report/layer_words.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

using Place = Branch::Place;

/// Libraries that need each other make as many trees as there are orders of them.
constexpr std::size_t kMostRepeating = 100000;  ///< lines

class TreePage {
 public:
  using Write = std::function<void(const Branch&)>;

  TreePage(const TreeReport& report, const TreeOptions& options, LayerLegend& layers, const Write& write)
      : map_(report.map), dlopens_(report.dlopens), options_(options), layers_(layers), write_(write), searcher_(map_),
        is_on_path_(map_.objects.size(), false) {}

  void make() {
    // What was opened; the program, if nothing was, or if it is the one that fails.
    const ObjectIndex root = map_.dlopen_calls.empty() ? 0 : map_.subject_root();
    if (root == kNoObject || map_.objects[root].role == ObjectRole::Placeholder) {
      const NeedRef& request = map_.dlopen_calls.back().request;
      add_need(request.needer, map_.objects[request.needer].needs[request.need], {0, Place::Last});
      return;
    }
    root_ = root;
    add(strong(Words::foreign(map_.objects[root].name())) + layer_of(root), {0, Place::Last});
    add_needs(root, 0);
    if (is_cut_) add(dim(say("no-more-repeats", {{"count", kMostRepeating}})), {0, Place::Last});
  }

 private:
  /// Where a line hangs.
  struct Position {
    unsigned depth = 0;  ///< 0: it is the root
    Place place = Place::Inner;
  };

  /// Of the file that was mapped.
  [[nodiscard]] Words layer_of(ObjectIndex object) const { return layers_.note(file_of(map_, object)); }

  void add(Words words, Position at) {
    ++lines_;
    write_({std::move(words), at.depth, at.place});
  }

  /// "RUNPATH of x", "ld.so.cache", "already loaded, same SONAME"; empty where there is nothing to say.
  [[nodiscard]] Statement label(const Need& need) const {
    if (need.target != kNoObject && map_.dlopen_call_of(need.target) < map_.subject()) {
      return say("label-in-process-before", {{"object", map_.objects[need.target].name()}});
    }
    switch (need.resolution) {
      case HowFound::Mapped: {
        const LoadedObject& object = map_.objects[need.target];
        const Statement step = step_words(map_, object.found.step, object.found.owner);
        if (object.found.subdirectory.empty()) return step;
        std::string_view subdirectory = object.found.subdirectory;
        subdirectory.remove_suffix(1);
        return say("step-and-subdirectory", {{"step", step}, {"subdirectory", subdirectory}});
      }
      case HowFound::ByName:
        return map_.objects[need.target].role == ObjectRole::Loader ? say("the-loader-itself") : Statement{};
      default: return term(name_of(need.resolution));
    }
  }

  void add_needs(ObjectIndex object, unsigned depth) {
    is_on_path_[object] = true;
    const std::vector<Need>& needs = map_.objects[object].needs;
    const std::vector<const Dlopen*> dlopens = opened_by(
        [&](const Dlopen& opened) { return opened.object == object || (object == root_ && is_by_script(opened)); });
    for (std::size_t i = 0; i < needs.size(); ++i) {
      const bool is_last = i + 1 == needs.size() + dlopens.size();
      add_need(object, needs[i], {depth + 1, is_last ? Place::Last : Place::Inner});
    }
    add_dlopens(dlopens, depth + 1);
    is_on_path_[object] = false;
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

  void add_dlopens(const std::vector<const Dlopen*>& dlopens, unsigned depth) {
    for (const Dlopen* opened : dlopens) {
      add_dlopen(*opened, {depth, opened == dlopens.back() ? Place::Last : Place::Inner});
    }
  }

  /// What it needs in its turn is left out; what it opens is not.
  void add_dlopen(const Dlopen& opened, Position at) {
    const DlopenChoice& shown = opened.shown();
    const bool is_path = options_.show == TreeOptions::Show::Paths && opened.is_found;
    Words words = Words::foreign(is_path ? shown.path : shown.name).in(opened.is_good() ? Tone::Dim : Tone::Warn);
    const Statement label = say("dlopen-label", {{"importance", term(name_of(opened.importance))},
                                                 {"evidence", term(name_of(opened.evidence))}});
    words += say("in-brackets", {{"text", label}});
    if (is_by_script(opened)) words += say("opened-by", {{"opener", opened.opener}});
    words += how_opened(opened);
    if (opened.is_found && !opened.is_loaded) words += layers_.note(shown.path);
    add(std::move(words), at);
    if (opened.is_loaded || !opened.is_good() || at.depth >= options_.max_depth) return;
    add_dlopens(
        opened_by([&](const Dlopen& further) { return further.object == kNoObject && further.opener == shown.path; }),
        at.depth + 1);
  }

  static Words how_opened(const Dlopen& opened) {
    if (!opened.is_found) return warn(" [" + Words(term("not found")) + "]");
    if (!opened.failure.empty()) return warn(" [" + Words::foreign(opened.failure) + "]");
    if (opened.is_loaded) return dim(" [" + Words(term("already loaded")) + "]");
    const std::string_view found_by = opened.shown().found_by;
    return dim(" [" + Words(found_by.empty() ? say("by-its-path") : term(found_by)) + "]");
  }

  /// The line of one request, and what hangs below it.
  void add_need(ObjectIndex needer, const Need& need, Position at) {
    const bool is_found = need.target != kNoObject && map_.objects[need.target].role != ObjectRole::Placeholder;
    std::string_view name = need.name.empty() ? need.written : need.name;
    if (is_found && options_.show == TreeOptions::Show::Paths && !map_.objects[need.target].path.empty()) {
      name = map_.objects[need.target].path;
    }
    // It hangs where it was mapped; everywhere else it is only named again.
    const bool is_repeat = is_found && need.resolution != HowFound::Mapped;
    const bool is_missing = !is_found && need.resolution != HowFound::EmptyToken;
    Words words = Words::foreign(name).in(is_missing ? Tone::Bad : is_repeat ? Tone::Dim : Tone::Name);
    if (const Statement kind = kind_of(need.kind); !kind.empty()) words += say("in-brackets", {{"text", kind}});
    if (Statement how = label(need); !how.empty()) {
      const Tone tone = is_found ? Tone::Dim : Tone::Bad;
      words.add(tone, " [").add(tone, std::move(how)).add(tone, "]");
    }
    if (searcher_.is_fragile(needer, need)) words.add(Tone::Warn, say("is-fragile"));
    if (is_found && !is_repeat) words += layer_of(need.target);
    add(std::move(words), at);

    if (!is_found) return;
    if (is_repeat && !repeats(need.target)) return;
    if (at.depth >= options_.max_depth) {
      if (!map_.objects[need.target].needs.empty()) write_({dim("…"), at.depth + 1, Place::Below});
      return;
    }
    add_needs(need.target, at.depth);
  }

  /// Is what hangs below this object shown once more?
  bool repeats(ObjectIndex object) {
    if (options_.seen == TreeOptions::Seen::Once || is_on_path_[object]) return false;
    is_cut_ |= lines_ >= kMostRepeating && !map_.objects[object].needs.empty();
    return lines_ < kMostRepeating;
  }

  static Statement kind_of(NeedKind kind) {
    switch (kind) {
      case NeedKind::Preload: return term("preload");
      case NeedKind::Auxiliary: return term("auxiliary");
      case NeedKind::Filter: return term("filter");
      case NeedKind::Dlopen: return words_of_others("dlopen");
      case NeedKind::Needed: break;
    }
    return {};
  }

  const LinkMap& map_;
  const Dlopens& dlopens_;
  ObjectIndex root_ = kNoObject;
  const TreeOptions& options_;
  LayerLegend& layers_;
  const Write& write_;
  LoneSearcher searcher_;
  std::vector<bool> is_on_path_;
  std::size_t lines_ = 0;
  bool is_cut_ = false;
};

}  // namespace

Page tree_page(const TreeReport& report, const TreeOptions& options) {
  Page page;
  const System* const system = report.map.system.get();
  const bool is_image = system != nullptr && system->layers;
  LayerLegend layers(is_image ? system->layers.get() : nullptr, is_image ? system->files.get() : nullptr);
  page.add(Tree{[report, options, layers](const TreePage::Write& write) mutable {
    TreePage(report, options, layers, write).make();
  }});
  if (!is_image) return page;
  for (ObjectIndex i = 0; i < report.map.objects.size(); ++i) {
    if (report.map.objects[i].role != ObjectRole::Placeholder) layers.note(file_of(report.map, i));
  }
  for (const Dlopen& opened : report.dlopens.list) {
    if (opened.is_found && !opened.is_loaded) layers.note(opened.shown().path);
  }
  layers.add_to(page);
  return page;
}

}  // namespace soresolve
