// What a running process, or the dump of one, has loaded: ldd's lines, and the tree. Nothing is searched for, so that
// an edge is labelled with what the loader keeps of it (dlopen/who_loaded.h), not with how the object was found:
//
//   \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6                       at the start: the line that ldd(1) has
//   \t/opt/_ssl.so (dlopen by /usr/bin/python3.11)                       later: through whom
//   \tlibssl.so.3 => /lib/x86_64-linux-gnu/libssl.so.3 (needed by /opt/_ssl.so)
//
// Objects stand in the order of the loader's list, those of dlmopen's namespaces behind the program's, and what can no
// longer be read stands among them.
#include <string>
#include <utility>
#include <vector>

#include "dlopen/who_loaded.h"
#include "loader/live_process.h"
#include "loader/process.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

/// One of the list: an object of the map, or one that is not in it.
struct Row {
  ObjectIndex object = kNoObject;
  const LeftOutObject* left_out = nullptr;
};

std::vector<Row> rows_of(const LinkMap& map) {
  const LiveProcess& live = *map.process->live;
  std::vector<ObjectIndex> index_of(live.objects.size(), kNoObject);
  ObjectIndex loader = kNoObject;
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    if (map.objects[i].role == ObjectRole::Loader) loader = i;
    if (map.objects[i].live != nullptr)
      index_of[static_cast<std::size_t>(map.objects[i].live - live.objects.data())] = i;
  }
  std::vector<Row> rows;
  auto left_out = live.left_out.begin();
  for (std::size_t i = 0; i <= live.objects.size(); ++i) {
    for (; left_out != live.left_out.end() && left_out->before <= i; ++left_out)
      rows.push_back({kNoObject, &*left_out});
    if (i == live.objects.size()) break;
    rows.push_back({index_of[i] == kNoObject ? loader : index_of[i], nullptr});
  }
  return rows;
}

/// How an object came in; empty: at the start, by a need.
Statement how_words(const LinkMap& map, const LoadedThrough& through, std::uint32_t space) {
  Statement how;
  if (through.when == LoadedWhen::NotKnown) {
    how = say("loaded-not-known");
  } else if (through.by == kNoObject) {
    if (through.when == LoadedWhen::Later) how = say("loaded-dlopen");
  } else if (through.when == LoadedWhen::Later) {
    const std::string_view sentence = through.need                               ? "loaded-needed-by"
                                      : through.confidence == Confidence::Proven ? "loaded-dlopen-by"
                                                                                 : "loaded-dlopen-likely-by";
    how = say(sentence, {{"object", map.objects[through.by].name()}});
  }
  return space == 0 || how.empty() ? how : say("loaded-in-namespace", {{"how", how}, {"number", space}});
}

Words in_brackets(Statement text) { return say("in-brackets", {{"text", std::move(text)}}); }

/// Of one that is not in the map, whose needs are not known either.
LoadedThrough through_of(const LeftOutObject& left_out) {
  LoadedThrough through;
  if (left_out.object.is_opened) {
    through.when = *left_out.object.is_opened ? LoadedWhen::Later : LoadedWhen::Start;
  }
  return through;
}

/// The same objects as a tree: each below who brought it, all that it needs besides named once more.
class RunningTree {
 public:
  using Write = std::function<void(const Branch&)>;
  using Place = Branch::Place;

  RunningTree(const LinkMap& map, const TreeOptions& options, const Write& write)
      : map_(map), options_(options), write_(write), through_(who_loaded(map)), rows_(rows_of(map)),
        opened_by_(map.objects.size()), is_on_path_(map.objects.size(), false) {}

  void make() {
    write_({strong(Words::foreign(map_.main().name())), 0, Place::Last});
    for (const Row& row : rows_) {
      if (row.object == kNoObject || through_[row.object].need) continue;
      const ObjectIndex by = through_[row.object].by;
      opened_by_[by == kNoObject ? 0 : by].push_back(row.object);
    }
    std::size_t left_out = map_.process->live->left_out.size();
    add_below(0, 0, left_out);
    for (const Row& row : rows_) {
      if (row.left_out != nullptr) add_left_out(*row.left_out, --left_out == 0 ? Place::Last : Place::Inner);
    }
  }

 private:
  /// What the object needs, then what it has opened; `more` lines follow on the same level.
  void add_below(ObjectIndex object, std::size_t depth, std::size_t more) {
    is_on_path_[object] = true;
    const std::vector<Need>& needs = map_.objects[object].needs;
    std::size_t left = needs.size() + opened_by_[object].size() + more;
    for (std::uint32_t i = 0; i < needs.size(); ++i) {
      add_need(object, i, depth + 1, --left == 0 ? Place::Last : Place::Inner);
    }
    for (const ObjectIndex opened : opened_by_[object]) {
      const Place place = --left == 0 ? Place::Last : Place::Inner;
      write_({name_of_object(opened).in(Tone::Name) + in_brackets(edge_words(opened)), depth + 1, place});
      go_on(opened, depth + 1);
    }
    is_on_path_[object] = false;
  }

  void add_need(ObjectIndex needer, std::uint32_t number, std::size_t depth, Place place) {
    const Need& need = map_.objects[needer].needs[number];
    const std::string_view written = need.name.empty() ? need.written : need.name;
    if (need.target == kNoObject || map_.objects[need.target].role == ObjectRole::Placeholder) {
      Words words = Words::foreign(written).in(Tone::Warn);
      if (need.kind == NeedKind::Needed) words += in_brackets(say("loaded-not-there")).in(Tone::Warn);
      return write_({std::move(words), depth, place});
    }
    const LoadedThrough& through = through_[need.target];
    const bool is_here = through.by == needer && through.need == number;
    const bool is_path = options_.show == TreeOptions::Show::Paths && !map_.objects[need.target].path.empty();
    Words words =
        Words::foreign(is_path ? map_.objects[need.target].path : written).in(is_here ? Tone::Name : Tone::Dim);
    write_({std::move(words), depth, place});
    const bool repeats = options_.seen == TreeOptions::Seen::Again && !is_on_path_[need.target];
    if (is_here || repeats) go_on(need.target, depth);
  }

  void go_on(ObjectIndex object, std::size_t depth) {
    if (depth < options_.max_depth) return add_below(object, depth, 0);
    const bool has_more = !map_.objects[object].needs.empty() || !opened_by_[object].empty();
    if (has_more) write_({dim("…"), depth + 1, Place::Below});
  }

  /// One that nothing above it needs: a preload, what dlopen brought, or nobody knows what.
  [[nodiscard]] Statement edge_words(ObjectIndex object) const {
    const LoadedThrough& through = through_[object];
    Statement how = through.when == LoadedWhen::NotKnown ? say("loaded-not-known")
                    : through.when == LoadedWhen::Start
                        ? (map_.objects[object].role == ObjectRole::Loader ? say("the-loader-itself") : term("preload"))
                    : through.by == kNoObject                  ? say("loaded-dlopen")
                    : through.confidence == Confidence::Proven ? words_of_others("dlopen")
                                                               : say("loaded-dlopen-likely");
    const std::uint32_t space = map_.objects[object].space;
    return space == 0 ? how : say("loaded-in-namespace", {{"how", how}, {"number", space}});
  }

  void add_left_out(const LeftOutObject& left_out, Place place) {
    Words words = Words::foreign(left_out.object.name).in(Tone::Warn);
    const Statement how = how_words(map_, through_of(left_out), left_out.object.space);
    if (!how.empty()) words += in_brackets(how);
    words += in_brackets(say("loaded-unreadable", {{"reason", left_out.reason}})).in(Tone::Warn);
    write_({std::move(words), 1, place});
  }

  [[nodiscard]] Words name_of_object(ObjectIndex object) const {
    const LoadedObject& loaded = map_.objects[object];
    const bool is_path = options_.show == TreeOptions::Show::Paths || loaded.requested_name.empty();
    return Words::foreign(is_path ? loaded.name() : loaded.requested_name);
  }

  const LinkMap& map_;
  const TreeOptions& options_;
  const Write& write_;
  std::vector<LoadedThrough> through_;
  std::vector<Row> rows_;
  std::vector<std::vector<ObjectIndex>> opened_by_;  ///< by who opened; what nobody is known for is the program's
  std::vector<bool> is_on_path_;
};

}  // namespace

Page running_list_page(const LinkMap& map) {
  const std::vector<LoadedThrough> through = who_loaded(map);
  Page page;
  for (const Row& row : rows_of(map)) {
    const bool is_object = row.object != kNoObject;
    std::string_view requested;
    std::string_view path;
    if (is_object) {
      requested = map.objects[row.object].requested_name;
      path = map.objects[row.object].path;
    } else {
      path = row.left_out->object.name;
      requested = row.left_out->object.names.empty() ? path : row.left_out->object.names.front();
    }
    std::string line = "\t";
    if (!requested.empty() && requested != path) line.append(requested).append(" => ");
    Words words = Words::loaders_line(line.append(path));
    const std::uint32_t space = is_object ? map.objects[row.object].space : row.left_out->object.space;
    const Statement how = how_words(map, is_object ? through[row.object] : through_of(*row.left_out), space);
    if (!how.empty()) words += in_brackets(how).in(Tone::Dim);
    if (!is_object) words += in_brackets(say("loaded-unreadable", {{"reason", row.left_out->reason}})).in(Tone::Warn);
    page.line(std::move(words));
  }
  return page;
}

Page running_tree_page(const LinkMap& map, const TreeOptions& options) {
  Page page;
  page.add(Tree{[&map, options](const RunningTree::Write& write) { RunningTree(map, options, write).make(); }});
  return page;
}

}  // namespace soresolve
