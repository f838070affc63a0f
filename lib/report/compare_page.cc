// What decides differently in two roots, for people: the first step that differs in the first line, what it comes to in
// the second, what to type in the third; then cause by cause, each with what follows from it folded below it.
#include <algorithm>
#include <string>
#include <vector>

#include "base/path.h"
#include "report/layer_words.h"
#include "report/page.h"
#include "report/pages.h"
#include "survey/who.h"

namespace soresolve {
namespace {

constexpr std::size_t kFollowersShown = 5;
constexpr std::size_t kTreeCausesShown = 20;
constexpr std::size_t kNamesShown = 3;
constexpr std::size_t kChangedPackagesShown = 60;
constexpr std::size_t kCountWidth = 11;

Statement comes_to(const DecidingStep& step, const RequestDifference& request) {
  const auto directory = [](const std::string& path) { return std::string(directory_of(path)); };
  if (step.by == DecidedBy::MissingFile) return say("diff-so-missing", {{"side", step.lacks == Side::A ? "A" : "B"}});
  switch (request.change) {
    case RequestChange::Went:
      return say("diff-so-went", {{"name", request.name}, {"directory", directory(request.path_a)}});
    case RequestChange::Came:
      return say("diff-so-came", {{"name", request.name}, {"directory", directory(request.path_b)}});
    case RequestChange::OtherFile:
      return say("diff-so-other-file", {{"name", request.name}, {"a", request.path_a}, {"b", request.path_b}});
    case RequestChange::OtherContent:
      return say("diff-so-other-content", {{"name", request.name}, {"path", request.path_b}});
    case RequestChange::OnlyInA: return say("diff-so-only-a", {{"needer", request.needer}, {"name", request.name}});
    case RequestChange::OnlyInB: return say("diff-so-only-b", {{"needer", request.needer}, {"name", request.name}});
  }
  return {};
}

/// The layers of both sides, where they are images.
class SideLayers {
 public:
  explicit SideLayers(const Comparison& comparison)
      : a_(legend_of(comparison.place_a)), b_(legend_of(comparison.place_b)) {}

  Words note(Side side, std::string_view path) { return (side == Side::A ? a_ : b_).note(path); }
  void add_to(Page& page) const {
    a_.add_to(page, words_of_others("A: "));
    b_.add_to(page, words_of_others("B: "));
  }

 private:
  static LayerLegend legend_of(const std::shared_ptr<const Place>& place) {
    return {place ? place->layers.get() : nullptr, place ? place->files.get() : nullptr};
  }
  LayerLegend a_;
  LayerLegend b_;
};

NameList names_of(const std::vector<std::string>& list, Detail detail) {
  NameList names;
  const std::size_t shown = detail == Detail::Full ? list.size() : std::min(list.size(), kNamesShown);
  names.shown.assign(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shown));
  names.more = list.size() - shown;
  return names;
}

bool is_good(const std::optional<Verdict>& verdict) { return verdict && *verdict != Verdict::Fails; }

Words verdict_words(const FileComparison& file) {
  if (file.is_same() && file.verdict_a == Verdict::Fails) {
    return warn(say("diff-same-fails", {{"file", file.file}, {"prints", file.prints_a}}));
  }
  if (file.is_same()) return good(say("diff-same-file", {{"file", file.file}}));
  const Statement what = file.causes.empty() ? say("diff-verdict-only") : file.causes.front().step.what;
  const bool works_a = is_good(file.verdict_a);
  const bool works_b = is_good(file.verdict_b);
  const auto named = [&](std::string_view sentence) {
    return Words(Statement{sentence, {{"file", file.file}, {"what", what}}});
  };
  if (works_a && !works_b) return bad(named("diff-works-fails"));
  if (!works_a && works_b) return warn(named("diff-fails-works"));
  return warn(named(works_a ? "diff-works-both" : "diff-fails-both"));
}

void add_fix(Page& page, const ComparedFix& fix, const Statement& text, std::size_t indent) {
  constexpr std::size_t kBehindTry = 5;
  for (std::size_t i = 0; i < fix.commands.size(); ++i) {
    page.line((i == 0 ? Words(say("try")) : Words()) + Words::command(fix.commands[i]),
              i == 0 ? indent : indent + kBehindTry);
  }
  page.line(dim(text), indent + kBehindTry);
}

void add_fix(Page& page, const TreeCause& cause, std::size_t indent) {
  if (!cause.fix) return;
  add_fix(page, *cause.fix, say("diff-tree-fix", {{"what", cause.fix->text}, {"file", cause.fixed_file}}), indent);
}

void add_sides(Page& page, const std::string& a, const std::string& b, std::size_t indent) {
  const auto side = [](const std::string& text) {
    return text.empty() ? dim(say("diff-nothing")) : Words::foreign(text);
  };
  page.line(bad("- ") + side(a), indent);
  page.line(good("+ ") + side(b), indent);
}

/// "A: FILE was there until layer 2 of the image took it away: RUN …"
void add_layer(Page& page, const DecidingStep& step) {
  if (!step.layer) return;
  page.line(say("diff-layer", {{"side", step.layer_side == Side::A ? "A" : "B"}, {"what", layer_words(*step.layer)}}),
            3);
}

/// The first cause stands in the head already: here with what each side has, and all that it decides.
void add_cause(Page& page, const DifferenceCause& cause, std::size_t number, Detail detail) {
  page.blank();
  page.heading(say("diff-cause-number", {{"number", number}, {"what", cause.step.what}}));
  if (!cause.step.value_a.empty() || !cause.step.value_b.empty()) {
    add_sides(page, cause.step.value_a, cause.step.value_b, 3);
  }
  add_layer(page, cause.step);
  for (const RequestDifference& request : cause.decided) page.line(comes_to(cause.step, request), 3);
  if (!cause.step.also.empty()) page.line(say("diff-also", {{"what", cause.step.also}}), 3);
  if (cause.derived.empty()) return;
  page.line(dim(say("diff-follows", {{"count", cause.derived.size()}})), 3);
  const std::size_t shown =
      detail == Detail::Full ? cause.derived.size() : std::min(cause.derived.size(), kFollowersShown);
  for (std::size_t i = 0; i < shown; ++i) {
    page.line(
        say("diff-derived", {{"needer", cause.derived[i].needer}, {"what", comes_to(cause.step, cause.derived[i])}}),
        5);
  }
  if (shown < cause.derived.size())
    page.line(dim(say("scan-more-files", {{"count", cause.derived.size() - shown}})), 5);
}

void add_objects_in_columns(Page& page, const FileComparison& file, Detail detail, SideLayers& layers) {
  page.heading(say("diff-link-map-columns"));
  Table table;
  table.columns = {{"A"}, {"B"}};
  table.indent = 3;
  for (const ComparedObject& object : file.objects) {
    const bool is_same = object.change == ComparedObject::Change::Same;
    if (is_same && detail != Detail::Full) continue;
    const auto cell = [&](Side side, const std::string& path, Tone tone) {
      if (path.empty()) return Words(dim("-"));
      return (is_same ? dim(Words::foreign(path)) : Words::foreign(path).in(tone)) + layers.note(side, path);
    };
    table.rows.push_back({cell(Side::A, object.path_a, Tone::Bad), cell(Side::B, object.path_b, Tone::Good)});
  }
  page.add(std::move(table));
}

void add_objects(Page& page, const FileComparison& file, const CompareForm& form, SideLayers& layers) {
  const std::size_t same = static_cast<std::size_t>(
      std::count_if(file.objects.begin(), file.objects.end(),
                    [](const ComparedObject& object) { return object.change == ComparedObject::Change::Same; }));
  if (same == file.objects.size() && form.detail != Detail::Full) return;
  page.blank();
  if (form.layout == CompareLayout::Columns) {
    add_objects_in_columns(page, file, form.detail, layers);
  } else {
    page.heading(say("diff-link-map"));
    for (const ComparedObject& object : file.objects) {
      using Change = ComparedObject::Change;
      if (object.change == Change::Same) {
        if (form.detail == Detail::Full) page.line(dim("  " + Words::foreign(object.path_a)), 3);
        continue;
      }
      if (object.change == Change::OtherOrder) {
        page.line(say("diff-other-order", {{"name", object.name}}), 5);
        continue;
      }
      if (object.change == Change::OtherContent) {
        page.line(Words(say("diff-other-content", {{"file", object.path_a}})) + layers.note(Side::B, object.path_b), 5);
        continue;
      }
      if (!object.path_a.empty()) {
        page.line(bad("- " + Words::foreign(object.path_a)) + layers.note(Side::A, object.path_a), 3);
      }
      if (!object.path_b.empty()) {
        page.line(good("+ " + Words::foreign(object.path_b)) + layers.note(Side::B, object.path_b), 3);
      }
    }
  }
  if (form.detail != Detail::Full && same != 0) page.line(dim(say("diff-same-objects", {{"count", same}})), 5);
}

void add_bindings(Page& page, const FileComparison& file) {
  if (file.bindings.empty()) return;
  page.blank();
  page.heading(say("diff-bindings"));
  const auto provider = [](const std::string& path) {
    return path.empty() ? std::vector<Statement>{say("diff-nothing")} : std::vector<Statement>{words_of_others(path)};
  };
  for (const MovedBindings& moved : file.bindings) {
    NameList symbols{moved.symbols, moved.count - moved.symbols.size()};
    page.line(say("diff-binding", {{"referrer", moved.referrer},
                                   {"count", moved.count},
                                   {"a", provider(moved.provider_a)},
                                   {"b", provider(moved.provider_b)},
                                   {"symbols", std::move(symbols)}}),
              3);
  }
}

void add_file(Page& page, const FileComparison& file, const CompareForm& form, SideLayers& layers) {
  page.line(verdict_words(file));
  if (!file.causes.empty()) {
    const DifferenceCause& first = file.causes.front();
    page.line(comes_to(first.step, first.decided.front()));
  }
  if (file.fix) add_fix(page, *file.fix, file.fix->text, 0);
  for (std::size_t i = 0; i < file.causes.size(); ++i) add_cause(page, file.causes[i], i + 1, form.detail);
  add_objects(page, file, form, layers);
  add_bindings(page, file);
  if (file.problems.empty()) return;
  page.blank();
  page.heading(say("diff-problems"));
  for (const ComparedProblem& problem : file.problems) {
    const bool is_new = problem.side == Side::B;
    page.line((is_new ? bad("+ ") : good("- ")) + Words(problem.what) +
                  dim(" [" + Words::foreign(code_of(problem.code)) + "]"),
              3);
  }
}

Words tree_verdict(const TreeComparison& tree) {
  if (tree.is_same()) {
    return good(say("diff-tree-same", {{"count", tree.files_a}, {"roots", tree.roots}}));
  }
  if (tree.causes.empty()) {
    const std::size_t count = tree.went.size() + tree.came.size() + tree.changed.size();
    if (!tree.has_loader_a && !tree.has_loader_b) return warn(say("diff-tree-no-loader", {{"count", count}}));
    if (!tree.starts_in_neither.empty()) return warn(say("diff-tree-files-else", {{"count", count}}));
    return warn(say("diff-tree-files-only", {{"count", count}}));
  }
  const Statement& what = tree.causes.front().step.what;
  if (!tree.now_fails.empty()) return bad(say("diff-tree-fails", {{"count", tree.now_fails.size()}, {"what", what}}));
  return warn(say("diff-tree-differs", {{"count", tree.causes.front().files.size()}, {"what", what}}));
}

/// One cause of a tree; the fix of the first stands in the head.
void add_tree_cause(Page& page, const TreeCause& cause, std::size_t number, Detail detail) {
  page.blank();
  page.heading(say("diff-cause-number", {{"number", number}, {"what", cause.step.what}}));
  if (!cause.step.value_a.empty() || !cause.step.value_b.empty()) {
    add_sides(page, cause.step.value_a, cause.step.value_b, 3);
  }
  add_layer(page, cause.step);
  page.line(comes_to(cause.step, cause.first), 3);
  if (!cause.step.also.empty()) page.line(say("diff-also", {{"what", cause.step.also}}), 3);
  page.line(
      say("diff-tree-cause",
          {{"count", cause.files.size()}, {"requests", cause.requests}, {"files", names_of(cause.files, detail)}}),
      3);
  if (number != 1) add_fix(page, cause, 3);
}

/// A line each; what follows from them is counted there.
void add_packages(Page& page, const std::vector<ComparedPackage>& packages, Detail detail) {
  if (packages.empty()) return;
  page.blank();
  page.heading(say("diff-packages", {{"count", packages.size()}}));
  Table table;
  table.columns = {{say("diff-package")},
                   {"A"},
                   {"B"},
                   {say("diff-package-files"), Table::Side::Right, kCountWidth},
                   {say("diff-package-processes"), Table::Side::Right, kCountWidth}};
  table.indent = 3;
  const std::size_t shown = detail == Detail::Full ? packages.size() : std::min(packages.size(), kChangedPackagesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const ComparedPackage& package = packages[i];
    const bool is_renamed = package.name != package.name_b;
    const auto version = [](const std::string& text) { return text.empty() ? dim("-") : Words::foreign(text); };
    Words in_b = version(package.version_b);
    if (is_renamed) in_b += dim(" (" + Words::foreign(package.name_b) + ")");
    const Words processes = package.processes == 0 ? Words() : Words::number(package.processes);
    table.rows.push_back({Words::foreign(package.name).in(package.now_fails != 0 ? Tone::Bad : Tone::Name),
                          version(package.version_a), std::move(in_b), Words::number(package.files), processes});
  }
  page.add(std::move(table));
  if (shown < packages.size()) page.line(dim(say("diff-packages-more", {{"count", packages.size() - shown}})), 3);
}

/// Files of one side, or of both, with their layers.
class FileLists {
 public:
  FileLists(Page& page, SideLayers& layers, Detail detail) : page_(page), layers_(layers), detail_(detail) {}

  void add(std::string_view sentence, const std::vector<std::string>& files, Tone tone, Side side = Side::B) {
    if (files.empty()) return;
    page_.line(Words(Statement{sentence, {{"count", files.size()}, {"files", names_of(files, detail_)}}}).in(tone));
    if (detail_ != Detail::Full) return;
    for (const std::string& file : files) {
      if (Words layer = layers_.note(side, file); !layer.empty()) page_.line(Words::foreign(file) + layer, 3);
    }
  }

 private:
  Page& page_;
  SideLayers& layers_;
  Detail detail_;
};

void add_tree(Page& page, const TreeComparison& tree, Detail detail, SideLayers& layers) {
  page.line(tree_verdict(tree));
  if (!tree.causes.empty()) {
    page.line(comes_to(tree.causes.front().step, tree.causes.front().first));
    add_fix(page, tree.causes.front(), 0);
  }
  // The first one stands in the head already; those that follow from a package are counted there.
  std::vector<const TreeCause*> causes;
  for (const TreeCause& cause : tree.causes) {
    if (detail == Detail::Full || !cause.package || &cause == &tree.causes.front()) causes.push_back(&cause);
  }
  const std::size_t shown = detail == Detail::Full ? causes.size() : std::min(causes.size(), kTreeCausesShown);
  for (std::size_t i = 0; i < shown; ++i) add_tree_cause(page, *causes[i], i + 1, detail);
  if (shown < causes.size()) page.line(dim(say("diff-tree-more", {{"count", causes.size() - shown}})));
  add_packages(page, tree.packages, detail);
  page.blank();
  FileLists lists(page, layers, detail);
  lists.add("diff-tree-fails-list", tree.now_fails, Tone::Bad);
  lists.add("diff-tree-works-list", tree.now_works, Tone::Good);
  lists.add("diff-tree-neither", tree.starts_in_neither, Tone::Warn);
  lists.add("diff-tree-went", tree.went, Tone::Plain, Side::A);
  lists.add("diff-tree-came", tree.came, Tone::Plain);
  lists.add("diff-tree-changed", tree.changed, Tone::Plain);
  page.line(dim(say("diff-tree-counts", {{"compared", tree.compared}, {"roots", tree.roots}})));
}

void add_machine(Page& page, const std::vector<MachineDifference>& machine) {
  if (machine.empty()) return;
  page.blank();
  page.heading(say("diff-machine"));
  for (const MachineDifference& difference : machine) {
    for (const Statement& seen : difference.a) page.entry(Words::foreign(difference.check), bad("- ") + Words(seen));
    for (const Statement& seen : difference.b) page.entry(Words::foreign(difference.check), good("+ ") + Words(seen));
  }
}

}  // namespace

Page compare_page(const CompareReport& report, const CompareForm& form) {
  const Comparison& comparison = report.comparison;
  SideLayers layers(comparison);
  Page page;
  const std::size_t unread = comparison.unread_count();
  const auto add_unread = [&] { page.line(bad(say("who-not-read", {{"count", unread}}))); };
  if (unread != 0 && comparison.is_same()) add_unread();
  for (const FileComparison& file : comparison.files) {
    if (&file != comparison.files.data()) page.blank();
    add_file(page, file, form, layers);
  }
  if (comparison.tree) add_tree(page, *comparison.tree, form.detail, layers);
  add_machine(page, comparison.machine);
  layers.add_to(page);
  if (unread != 0 && !comparison.is_same()) add_unread();
  return page;
}

}  // namespace soresolve
