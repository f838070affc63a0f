// Two link maps, request by request, from the program on: an object and the one that answers the same request stand
// for each other. What a pair of other files asks for differently follows from why they are other files.
#include "compare/map_pairs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/enum_names.h"
#include "base/path.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {

std::string_view name_of(RequestChange change) {
  using enum RequestChange;
  static constexpr auto kNames = enum_names<RequestChange>({{Went, "went"},
                                                            {Came, "came"},
                                                            {OtherFile, "other-file"},
                                                            {OtherContent, "other-content"},
                                                            {OnlyInA, "only-in-a"},
                                                            {OnlyInB, "only-in-b"}});
  return kNames[change];
}

std::string_view name_of(ComparedObject::Change change) {
  using enum ComparedObject::Change;
  static constexpr auto kNames = enum_names<ComparedObject::Change>({{Same, "same"},
                                                                     {Went, "went"},
                                                                     {Came, "came"},
                                                                     {OtherFile, "other-file"},
                                                                     {OtherContent, "other-content"},
                                                                     {OtherOrder, "other-order"}});
  return kNames[change];
}

std::string path_of(const LinkMap& map, ObjectIndex object) {
  const LoadedObject& one = map.objects[object];
  if (one.role == ObjectRole::Placeholder || one.role == ObjectRole::Vdso) return {};
  if (!one.path.empty()) return without_dots(absolute_path(one.path, map.process->cwd));
  return map.main_path;
}

namespace {

using Change = ComparedObject::Change;
constexpr std::size_t kNoCause = static_cast<std::size_t>(-1);

std::string letter_of(Side side) { return side == Side::A ? "A" : "B"; }

class MapComparer {
 public:
  explicit MapComparer(const MapPair& maps)
      : maps_(maps), partner_(maps.a.objects.size(), kNoObject), cause_(maps.a.objects.size(), kNoCause),
        is_paired_b_(maps.b.objects.size()) {}

  ComparedMaps run() {
    pair(0, 0, kNoCause);
    compare_program();
    for (std::size_t i = 0; i < queue_.size(); ++i) compare_needs(queue_[i].first, queue_[i].second);
    compare_dlopen_calls();
    list_objects();
    // A cause that only follows from others is none of its own.
    std::erase_if(result_.causes, [](const DifferenceCause& cause) { return cause.decided.empty(); });
    return std::move(result_);
  }

 private:
  using Pair = std::pair<ObjectIndex, ObjectIndex>;

  void pair(ObjectIndex a, ObjectIndex b, std::size_t cause) {
    if (partner_[a] != kNoObject || is_paired_b_[b]) return;
    partner_[a] = b;
    cause_[a] = cause;
    is_paired_b_[b] = true;
    queue_.emplace_back(a, b);
  }

  [[nodiscard]] bool is_real(const LinkMap& map, ObjectIndex object) const {
    return object < map.objects.size() && map.objects[object].role != ObjectRole::Placeholder;
  }

  /// The program has no request: it is compared by itself.
  void compare_program() {
    const std::string path_a = path_of(maps_.a, 0);
    const std::string path_b = path_of(maps_.b, 0);
    if (path_a.empty() || path_b.empty() || maps_.same.are_same(path_a, path_b)) return;
    const RequestDifference reported{{}, path_a, RequestChange::OtherContent, path_a, path_b};
    cause_[0] = decide(content_step(path_a, path_b, 0, 0), reported);
  }

  static std::multiset<std::string> elements_of(std::string_view list) {
    std::multiset<std::string> elements;
    while (true) {
      const std::size_t end = list.find(':');
      elements.emplace(list.substr(0, end));
      if (end == std::string_view::npos) return elements;
      list.remove_prefix(end + 1);
    }
  }

  DecidingStep content_step(const std::string& path_a, const std::string& path_b, ObjectIndex a, ObjectIndex b) {
    DecidingStep step;
    step.by = DecidedBy::Content;
    step.path = path_a;
    step.key = "content|" + path_a;
    const ElfObject& in_a = maps_.a.objects[a].elf;
    const ElfObject& in_b = maps_.b.objects[b].elf;
    const auto text = [](const std::optional<std::string_view>& value) {
      return std::string(value.value_or(std::string_view()));
    };
    if (in_a.soname != in_b.soname) {
      step.value_a = text(in_a.soname);
      step.value_b = text(in_b.soname);
      step.what = say("diff-other-soname", {{"file", path_a}});
    } else if (in_a.runpath != in_b.runpath || in_a.rpath != in_b.rpath) {
      const auto tag_of = [&](const ElfObject& elf) { return elf.runpath ? "RUNPATH" : elf.rpath ? "RPATH" : ""; };
      const std::string tag_a = tag_of(in_a);
      const std::string tag_b = tag_of(in_b);
      // A RUNPATH switches an RPATH beside it off.
      step.value_a = text(in_a.runpath ? in_a.runpath : in_a.rpath);
      step.value_b = text(in_b.runpath ? in_b.runpath : in_b.rpath);
      const std::string& tag = tag_a.empty() ? tag_b : tag_a;
      if (!tag_a.empty() && !tag_b.empty() && tag_a != tag_b) {
        step.what = say("diff-tag-kind", {{"file", path_a}, {"a", tag_a}, {"b", tag_b}});
      } else if (step.value_a != step.value_b && elements_of(step.value_a) == elements_of(step.value_b)) {
        step.what = say("diff-tag-order", {{"tag", tag}, {"file", path_a}});
      } else {
        step.what = say("diff-other-tag", {{"tag", tag}, {"file", path_a}});
      }
      step.by = DecidedBy::SearchTag;
    } else {
      step.what = say("diff-other-content", {{"file", path_a}});
    }
    static_cast<void>(path_b);
    return step;
  }

  std::size_t cause_of(DecidingStep step) {
    const auto [known, is_new] = by_key_.try_emplace(step.key, result_.causes.size());
    if (is_new) result_.causes.push_back({std::move(step), {}, {}});
    return known->second;
  }

  std::size_t decide(DecidingStep step, RequestDifference difference) {
    const std::size_t cause = cause_of(std::move(step));
    result_.causes[cause].decided.push_back(std::move(difference));
    return cause;
  }

  void compare_needs(ObjectIndex a, ObjectIndex b) {
    const std::vector<Need>& in_a = maps_.a.objects[a].needs;
    const std::vector<Need>& in_b = maps_.b.objects[b].needs;
    std::vector<bool> is_taken(in_b.size());
    for (std::uint32_t i = 0; i < in_a.size(); ++i) {
      std::uint32_t j = 0;
      while (j < in_b.size() && (is_taken[j] || in_b[j].kind != in_a[i].kind || in_b[j].written != in_a[i].written)) {
        ++j;
      }
      if (j == in_b.size()) {
        lone_request(Side::A, a, b, i);
        continue;
      }
      is_taken[j] = true;
      compare_request(a, b, i, j);
    }
    for (std::uint32_t j = 0; j < in_b.size(); ++j) {
      if (!is_taken[j]) lone_request(Side::B, a, b, j);
    }
  }

  /// Only one of the two files asks for it: the files differ, or what is preloaded does.
  void lone_request(Side side, ObjectIndex a, ObjectIndex b, std::uint32_t need) {
    const LinkMap& map = maps_.map(side);
    const Need& request = map.objects[side == Side::A ? a : b].needs[need];
    if (request.kind == NeedKind::Dlopen) return;  // see compare_dlopen_calls
    RequestDifference reported;
    reported.needer = path_of(maps_.a, a);
    reported.name = std::string(request.written);
    reported.change = side == Side::A ? RequestChange::OnlyInA : RequestChange::OnlyInB;
    (side == Side::A ? reported.path_a : reported.path_b) = target_path(map, request);
    if (request.kind == NeedKind::Preload) {
      DecidingStep step = preload_step(side, reported.name);
      decide(std::move(step), std::move(reported));
      return;
    }
    if (cause_[a] != kNoCause) {
      result_.causes[cause_[a]].derived.push_back(std::move(reported));
      return;
    }
    DecidingStep step;
    step.by = DecidedBy::Needs;
    step.path = reported.needer;
    step.lacks = other_side(side);
    step.key = "content|" + reported.needer;
    step.what = say("diff-other-content", {{"file", reported.needer}});
    cause_[a] = decide(std::move(step), std::move(reported));
  }

  DecidingStep preload_step(Side side, const std::string& name) {
    DecidingStep step;
    step.by = DecidedBy::Preload;
    step.lacks = other_side(side);
    const auto value = [&](Side at) {
      return std::string(maps_.map(at).process->environment.value("LD_PRELOAD").value_or(std::string_view()));
    };
    const bool is_variable = value(side).find(name) != std::string::npos;
    step.value_a = is_variable ? value(Side::A) : maps_.a.system->preload_file.value_or(std::string());
    step.value_b = is_variable ? value(Side::B) : maps_.b.system->preload_file.value_or(std::string());
    const std::string source = is_variable ? "LD_PRELOAD" : "/etc/ld.so.preload";
    step.path = source;
    step.key = "preload|" + source + "|" + letter_of(step.lacks);
    step.what = say("diff-preload", {{"source", source}, {"name", name}, {"side", letter_of(side)}});
    return step;
  }

  [[nodiscard]] std::string target_path(const LinkMap& map, const Need& need) const {
    return is_real(map, need.target) ? path_of(map, need.target) : std::string();
  }

  void compare_request(ObjectIndex a, ObjectIndex b, std::uint32_t i, std::uint32_t j) {
    const Need& in_a = maps_.a.objects[a].needs[i];
    const Need& in_b = maps_.b.objects[b].needs[j];
    const bool has_a = is_real(maps_.a, in_a.target);
    const bool has_b = is_real(maps_.b, in_b.target);
    if (!has_a && !has_b) return;
    if (has_a && has_b && partner_[in_a.target] == in_b.target) return;
    RequestDifference reported;
    reported.needer = path_of(maps_.a, a);
    reported.name = std::string(in_a.name);
    reported.path_a = target_path(maps_.a, in_a);
    reported.path_b = target_path(maps_.b, in_b);
    if (has_a && has_b) {
      if (is_same_place(reported.path_a, reported.path_b)) {
        if (reported.path_a.empty() || maps_.same.are_same(reported.path_a, reported.path_b)) {
          pair(in_a.target, in_b.target, kNoCause);
          return;
        }
        reported.change = RequestChange::OtherContent;
        const std::size_t cause =
            decide(content_step(reported.path_a, reported.path_b, in_a.target, in_b.target), reported);
        pair(in_a.target, in_b.target, cause);
        return;
      }
      reported.change = RequestChange::OtherFile;
    } else {
      reported.change = has_a ? RequestChange::Went : RequestChange::Came;
    }
    const std::size_t cause = settle(a, {a, i}, {b, j}, std::move(reported));
    if (has_a && has_b) pair(in_a.target, in_b.target, cause);
  }

  /// What the needer itself decides follows from why it is another file. The same answer to another needer, too.
  std::size_t settle(ObjectIndex a, const NeedRef& in_a, const NeedRef& in_b, RequestDifference reported) {
    const std::string key = reported.name + "\n" + reported.path_a + "\n" + reported.path_b;
    if (const auto known = by_answer_.find(key); known != by_answer_.end()) {
      result_.causes[known->second].derived.push_back(std::move(reported));
      return known->second;
    }
    DecidingStep step = deciding_step(maps_, in_a, in_b);
    std::size_t cause = cause_[a];
    if (cause != kNoCause && step.path == reported.needer) {
      result_.causes[cause].derived.push_back(std::move(reported));
    } else {
      cause = decide(std::move(step), std::move(reported));
    }
    by_answer_.emplace(key, cause);
    return cause;
  }

  /// The same text, or two names of one place on a side, as with /lib and /usr/lib.
  [[nodiscard]] bool is_same_place(const std::string& path_a, const std::string& path_b) const {
    return path_a == path_b || maps_.same.real_a(path_a) == maps_.same.real_b(path_b);
  }

  /// What the process opens: the n-th dlopen call of one side is that of the other.
  void compare_dlopen_calls() {
    const std::size_t count = std::min(maps_.a.dlopen_calls.size(), maps_.b.dlopen_calls.size());
    for (std::size_t i = 0; i < count; ++i) {
      const NeedRef& in_a = maps_.a.dlopen_calls[i].request;
      const NeedRef& in_b = maps_.b.dlopen_calls[i].request;
      if (maps_.a.find_need(in_a) == nullptr || maps_.b.find_need(in_b) == nullptr) continue;
      const std::size_t first = queue_.size();
      compare_request(in_a.needer, in_b.needer, in_a.need, in_b.need);
      for (std::size_t at = first; at < queue_.size(); ++at) compare_needs(queue_[at].first, queue_[at].second);
    }
  }

  void list_objects() {
    std::vector<ObjectIndex> order;
    for (ObjectIndex a = 0; a < maps_.a.objects.size(); ++a) {
      if (!is_real(maps_.a, a) || maps_.a.objects[a].role == ObjectRole::Vdso) continue;
      const LoadedObject& object = maps_.a.objects[a];
      ComparedObject row;
      row.name = a == 0 ? path_of(maps_.a, 0) : std::string(object.requested_name);
      row.path_a = path_of(maps_.a, a);
      if (row.path_a.empty()) continue;  // the nameless caller of a dlopen
      row.change = Change::Went;
      if (const ObjectIndex b = partner_[a]; b != kNoObject) {
        row.path_b = path_of(maps_.b, b);
        row.change = change_of(row);
        order.push_back(b);
        if (row.change == Change::Same && order.size() > 1 && b < *std::max_element(order.begin(), order.end())) {
          row.change = Change::OtherOrder;
        }
      }
      result_.objects.push_back(std::move(row));
    }
    for (ObjectIndex b = 0; b < maps_.b.objects.size(); ++b) {
      if (is_paired_b_[b] || !is_real(maps_.b, b) || maps_.b.objects[b].role == ObjectRole::Vdso) continue;
      const std::string path = path_of(maps_.b, b);
      // ld.so is in the process without a request.
      const auto same = std::find_if(result_.objects.begin(), result_.objects.end(), [&](const ComparedObject& row) {
        return row.change == Change::Went && is_same_place(row.path_a, path);
      });
      if (same != result_.objects.end()) {
        same->path_b = path;
        same->change = change_of(*same);
        continue;
      }
      result_.objects.push_back({Change::Came, std::string(maps_.b.objects[b].requested_name), {}, path});
    }
  }

  [[nodiscard]] Change change_of(const ComparedObject& row) const {
    if (!is_same_place(row.path_a, row.path_b)) return Change::OtherFile;
    return maps_.same.are_same(row.path_a, row.path_b) ? Change::Same : Change::OtherContent;
  }

  const MapPair& maps_;
  std::vector<ObjectIndex> partner_;  ///< of A's objects
  std::vector<std::size_t> cause_;    ///< why an object of A and its partner are other files
  std::vector<bool> is_paired_b_;
  std::vector<Pair> queue_;
  std::map<std::string, std::size_t> by_key_;
  std::map<std::string, std::size_t> by_answer_;
  ComparedMaps result_;
};

}  // namespace

ComparedMaps compare_maps(const MapPair& maps) { return MapComparer(maps).run(); }

}  // namespace soresolve
