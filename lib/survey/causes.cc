// The last step of a survey. Each root that fails is resolved again for its problems, they are grouped, and the first
// member of a group has fixes tried for it; others of the group show whether the same fix works for them.
//
// A library that is missing is optional where all who need it are plug-ins of which the package's others load, and no
// fix that could be tried and no new installation brings it; so are programs of a target of which nothing starts here.
// Limits: fixes are tried for the first 64 causes, owners and layers are looked up for the first 1024.
#include "survey/causes.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/path.h"
#include "packages/package_owner.h"
#include "python/interpreter.h"
#include "survey/problem_groups.h"

namespace soresolve {
namespace {

class CauseFinder {
 public:
  CauseFinder(Survey& survey, const JudgedTree& tree) : survey_(survey), tree_(tree) {}

  void find() {
    std::vector<SurveyIndex> failing;
    for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
      const SurveyedFile& file = survey_.files[i];
      if (file.is_root() && file.verdict == Verdict::Fails) failing.push_back(i);
    }
    std::vector<ProblemsOfRoot> problems(failing.size());
    for_each_index(failing.size(), tree_.options.jobs, [&](unsigned thread, std::size_t i) {
      if (tree_.options.stop != nullptr && tree_.options.stop->load(std::memory_order_relaxed)) return;
      problems[i] = {failing[i],
                     problems_of(tree_.worlds[thread], tree_.question_of(failing[i]), tree_.options, tree_.is_of_tree)};
    });
    survey_.groups = group_problems(std::move(problems));
    add_damaged();
    constexpr std::size_t kMostLookedAt = 1024;
    const std::size_t count = std::min(survey_.groups.size(), kMostLookedAt);
    for_each_index(count, tree_.options.jobs,
                   [&](unsigned thread, std::size_t i) { look_into(tree_.worlds[thread], i); });
    settle_optional();
  }

 private:
  /// What helps against one cause, and whose files it is about.
  void look_into(World& world, std::size_t number) {
    constexpr std::size_t kMostFixed = 64;  // causes
    ProblemGroup& one = survey_.groups[number];
    const bool may_be_optional = can_be_optional(one);
    const bool wants_fix = (tree_.options.fixes == SurveyFixes::Tried && number < kMostFixed) || may_be_optional;
    std::optional<RemedyKind> kind;
    const bool is_looked_for = wants_fix && !one.members.empty() && is_fixable(one) && !tree_.is_stopped();
    if (is_looked_for) kind = find_fix(world, one);
    const bool is_tried = one.fix && one.fix->verdict != RemedyVerdict::Untried;
    one.is_optional = may_be_optional && is_looked_for && !is_tried && kind != RemedyKind::Reinstall;
    if (tree_.options.fixes == SurveyFixes::None) one.fix.reset();
    find_owner(one);
    find_layers(world, one);
  }

  /// A file that bears the name of a library and is none that a loader takes: whoever opens it fails.
  void add_damaged() {
    for (const SurveySkip& skip : survey_.skipped) {
      if (skip.why != SurveySkip::Why::Damaged || skip.is_open) continue;
      ProblemGroup damaged;
      damaged.problem.code = ProblemCode::FatalCandidate;
      damaged.problem.phase = Phase::Dlopen;
      damaged.problem.name = skip.path;
      damaged.problem.what = say("name-reason", {{"name", skip.path}, {"reason", skip.reason}});
      damaged.headline = damaged.problem.what;
      damaged.key = std::string(code_of(damaged.problem.code)) + "|" + skip.path;
      damaged.needers.push_back(skip.path);
      survey_.groups.push_back(std::move(damaged));
    }
  }

  /// Is it a part that its package brings along for those who have the rest?
  [[nodiscard]] bool is_spare_part(SurveyIndex index) const {
    const SurveyedFile& file = survey_.files[index];
    const bool is_python = file.process && file.process->rule == ProcessRule::Python;
    return file.as == SurveyedAs::Root && !tree_.is_program[index] && !is_python &&
           !is_python_module(*tree_.files, file.path);
  }

  [[nodiscard]] bool is_in_tree(std::string_view library) const {
    return std::any_of(survey_.files.begin(), survey_.files.end(), [&](const SurveyedFile& file) {
      return file.soname == library || file_name_of(file.path) == library;
    });
  }

  /// A plug-in is a spare part where others of its package load: of its owner's, else of its directory.
  [[nodiscard]] bool has_peer_that_loads(SurveyIndex index) {
    const std::shared_ptr<const PackageOwners> owners = owners_of_all();
    std::call_once(peers_once_, [&] {
      for (const SurveyedFile& file : survey_.files) {
        if (file.as == SurveyedAs::Unjudged || file.verdict == Verdict::Fails) continue;
        const std::optional<PackageOwner> owner = owners->owner_of(file.path);
        loading_.insert(owner ? owner->name : std::string(directory_of(file.path)));
      }
    });
    const std::string& path = survey_.files[index].path;
    const std::optional<PackageOwner> owner = owners->owner_of(path);
    return loading_.contains(owner ? owner->name : std::string(directory_of(path)));
  }

  /// Programs of a target of which nothing starts here, while those of another do: a package's helpers for 32 bits.
  [[nodiscard]] bool is_beside_the_machine(const ProblemGroup& group) const {
    const auto starts = [&](const ElfTarget& target, bool same) {
      for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
        const SurveyedFile& file = survey_.files[i];
        const bool is_started = file.as == SurveyedAs::Program && file.verdict != Verdict::Fails;
        if (is_started && (file.target == target) == same) return true;
      }
      return false;
    };
    return !group.members.empty() && std::all_of(group.members.begin(), group.members.end(), [&](SurveyIndex i) {
      const ElfTarget& target = survey_.files[i].target;
      return target.machine != 0 && !starts(target, true) && starts(target, false);
    });
  }

  /// A library that was here once, or that a fix finds, is lost; one that never was is another matter.
  [[nodiscard]] bool can_be_optional(const ProblemGroup& group) {
    if (!tree_.has_spare_parts) return false;
    if (group.problem.code == ProblemCode::NoInterpreter) return is_beside_the_machine(group);
    return group.problem.code == ProblemCode::MissingLibrary && !group.members.empty() &&
           std::all_of(group.members.begin(), group.members.end(), [&](SurveyIndex i) { return is_spare_part(i); }) &&
           !is_in_tree(group.problem.name) &&
           std::all_of(group.members.begin(), group.members.end(),
                       [&](SurveyIndex i) { return has_peer_that_loads(i); });
  }

  void settle_optional() {
    std::stable_partition(survey_.groups.begin(), survey_.groups.end(),
                          [](const ProblemGroup& group) { return !group.is_optional; });
  }

  /// What the policy demands, nothing that is typed here brings.
  [[nodiscard]] static bool is_fixable(const ProblemGroup& group) {
    return group.problem.code != ProblemCode::RequirementUnmet;
  }

  /// The first member's best fix, and for how many others it is the same one that works.
  std::optional<RemedyKind> find_fix(World& world, ProblemGroup& group) {
    const std::string_view library =
        group.problem.code == ProblemCode::MissingLibrary ? std::string_view(group.problem.name) : std::string_view();
    const std::optional<Remedy> first =
        fix_for(world, tree_.question_of(group.members.front()), tree_.options, library);
    if (!first) return std::nullopt;
    GroupFix fix;
    fix.commands = first->commands;
    fix.text = first->text;
    fix.verdict = first->verdict;
    fix.tried = 1;
    fix.works = first->verdict == RemedyVerdict::Works ? 1 : 0;
    const std::size_t count = std::min(group.members.size(), tree_.options.max_tried);
    for (std::size_t i = 1; i < count && fix.works == fix.tried && !tree_.is_stopped(); ++i) {
      const std::optional<Remedy> other = fix_for(world, tree_.question_of(group.members[i]), tree_.options, library);
      ++fix.tried;
      if (other && other->verdict == RemedyVerdict::Works && other->commands == first->commands) ++fix.works;
    }
    group.fix = std::move(fix);
    return first->kind;
  }

  void find_owner(ProblemGroup& group) {
    constexpr std::size_t kMostAsked = 64;
    const std::shared_ptr<const PackageOwners> owners = owners_of_all();
    if (!owners || group.needers.size() > kMostAsked) return;
    std::optional<PackageOwner> common;
    for (const std::string& needer : group.needers) {
      std::optional<PackageOwner> owner = owners->owner_of(needer);
      if (!owner || (common && common->name != owner->name)) return;
      if (!common) common = std::move(owner);
    }
    group.owner = std::move(common);
  }

  /// What the first member's problem tells holds for all but for its needer's layer.
  void find_layers(World& world, ProblemGroup& group) {
    constexpr std::size_t kMostAsked = 1024;
    const std::shared_ptr<const Place> place = world.place();
    if (!place || !place->layers) return;
    group.layers = std::move(group.problem.layers);
    std::set<std::size_t> numbers;
    std::optional<LayerOfFile> of_needer;
    for (std::size_t i = 0; i < std::min(group.needers.size(), kMostAsked); ++i) {
      std::optional<LayerOfFile> layer = layer_of_file(*place->layers, *tree_.files, group.needers[i]);
      numbers.insert(layer ? layer->number : 0);
      std::erase_if(group.layers, [&](const LayerOfFile& known) { return layer && known.path == layer->path; });
      if (i == 0) of_needer = std::move(layer);
    }
    if (of_needer && numbers.size() == 1) group.layers.push_back(std::move(*of_needer));
  }

  std::shared_ptr<const PackageOwners> owners_of_all() {
    const std::lock_guard lock(owners_mutex_);
    if (!owners_) owners_ = std::make_shared<PackageOwners>(tree_.files);
    return owners_;
  }

  Survey& survey_;
  const JudgedTree& tree_;
  std::mutex owners_mutex_;
  std::once_flag peers_once_;
  std::set<std::string> loading_;  ///< packages, and directories of what has none, that bring something that loads
  std::shared_ptr<const PackageOwners> owners_;
};

}  // namespace

void find_causes(Survey& survey, const JudgedTree& tree) { CauseFinder(survey, tree).find(); }

}  // namespace soresolve
