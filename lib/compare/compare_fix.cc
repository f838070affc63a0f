// The change that makes B answer as A: for each cause the changes that could fix it are made in an overlay of B, the
// smallest first, and B is asked again. What is left then says what to change next, so that a variable and the
// directory that it names come together. Nothing on disk is changed, and nothing is offered that does not end in A's
// answer. An image, a package, a snapshot cannot be changed where it lies: what builds it has to be.
#include <algorithm>
#include <memory>

#include "base/overlay_file_system.h"
#include "compare/compare_file.h"
#include "compare/root_changes.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostRounds = 12;  // causes, one behind the other

/// What B says with changes.
struct TriedAnswer {
  Answered answer;
  ComparedMaps compared;
};

/// As it was named; its platform tells two images of one layout apart.
std::string shown_name(const ComparedWorld& one, const char* letter) {
  std::string name = one.shown.empty() ? letter : one.shown;
  if (const auto place = one.world.place(); place && !place->platform.empty()) name += " (" + place->platform + ")";
  return name;
}

class FixSearch {
 public:
  FixSearch(const ChangeQuestion& question, std::shared_ptr<const FileSystem> files_b, const std::string& file,
            const Answered& in_a)
      : question_(question), base_(std::make_shared<OverlayFileSystem>(std::move(files_b))), file_(file), in_a_(in_a) {}

  std::optional<ComparedFix> run(const std::vector<DifferenceCause>& causes, const LoaderRules& rules_of_b) {
    std::vector<DifferenceCause> left = causes;
    LoaderRules rules = rules_of_b;
    for (std::size_t round = 0; round < kMostRounds; ++round) {
      std::optional<TriedAnswer> next;
      for (const DifferenceCause& cause : left) {
        next = try_fix(cause, rules);
        if (next) break;
      }
      if (!next) return std::nullopt;
      if (is_as_in_a(*next)) {
        leave_out_needless();
        return fix_of_kept();
      }
      left = std::move(next->compared.causes);
      rules = next->answer.run()->map().system->rules;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] ChangedRoot root_with(const RootChanges& changes, bool& is_done) const {
    ChangedRoot root{base_->fresh(), question_.b.settings};
    root.settings.where.files = root.files;
    root.settings.where.root.clear();
    root.settings.where.place.reset();
    root.settings.where.known.reset();
    root.settings.store.reset();
    is_done = std::all_of(changes.begin(), changes.end(), [&](const RootChange& change) { return change.apply(root); });
    return root;
  }

  /// nullopt: one of the commands would fail, or the file cannot be asked about.
  [[nodiscard]] std::optional<TriedAnswer> ask_with(const RootChanges& changes) const {
    bool is_done = false;
    const ChangedRoot root = root_with(changes, is_done);
    if (!is_done) return std::nullopt;
    World world(root.settings);
    TriedAnswer tried;
    tried.answer = answer_like(in_a_, world, root.settings, file_);
    if (tried.answer.run() == nullptr) return std::nullopt;
    SameFiles same(*question_.files_a, *root.files, question_.ids);
    tried.compared = compare_in_order(in_a_, tried.answer, same);
    return tried;
  }

  /// The same end, and the same files: others only in what they hold.
  [[nodiscard]] bool is_as_in_a(const TriedAnswer& tried) const {
    if (tried.answer.verdict() != in_a_.verdict() || tried.answer.prints() != in_a_.prints()) return false;
    using Change = ComparedObject::Change;
    return std::all_of(tried.compared.objects.begin(), tried.compared.objects.end(), [](const ComparedObject& object) {
      return object.change == Change::Same || object.change == Change::OtherContent;
    });
  }

  /// Keeps the first changes with which all is as in A, or else the first with which the cause is gone.
  std::optional<TriedAnswer> try_fix(const DifferenceCause& cause, const LoaderRules& rules) {
    bool is_done = false;
    const ChangedRoot now = root_with(kept_, is_done);
    std::optional<TriedAnswer> first;
    RootChanges first_changes;
    for (RootChanges& changes : find_root_changes(question_, cause, now, rules)) {
      RootChanges with = kept_;
      with.insert(with.end(), changes.begin(), changes.end());
      std::optional<TriedAnswer> tried = ask_with(with);
      if (!tried) continue;
      const std::vector<DifferenceCause>& left = tried->compared.causes;
      const bool is_gone = std::none_of(left.begin(), left.end(),
                                        [&](const DifferenceCause& one) { return one.step.key == cause.step.key; });
      if (is_as_in_a(*tried)) {
        kept_ = std::move(with);
        return tried;
      }
      if (!is_gone || first) continue;
      first = std::move(tried);
      first_changes = std::move(with);
    }
    if (first) kept_ = std::move(first_changes);
    return first;
  }

  /// What came before may have been needless with what came after.
  void leave_out_needless() {
    for (std::size_t i = kept_.size(); i-- > 0 && kept_.size() > 1;) {
      RootChanges without = kept_;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      const std::optional<TriedAnswer> tried = ask_with(without);
      if (tried && is_as_in_a(*tried)) kept_ = std::move(without);
    }
  }

  [[nodiscard]] ComparedFix fix_of_kept() const {
    ComparedFix fix;
    for (const RootChange& change : kept_) fix.commands.push_back(change.command);
    fix.verdict = RemedyVerdict::Works;
    fix.text = say("diff-fix-works");
    const bool names_a = std::any_of(fix.commands.begin(), fix.commands.end(), [](const CommandText& command) {
      return command.text().find("${A:?}") != std::string::npos;
    });
    if (!names_a) return fix;
    std::string name = shown_name(question_.a, "A");
    fix.text = say("diff-fix-unpacked", {{"what", std::move(fix.text)}, {"side", "A"}, {"place", std::move(name)}});
    return fix;
  }

  const ChangeQuestion& question_;
  std::shared_ptr<OverlayFileSystem> base_;
  const std::string& file_;
  const Answered& in_a_;
  RootChanges kept_;
};

}  // namespace

std::optional<ComparedFix> find_compared_fix(const ComparedWorld& a, const ComparedWorld& b, const Answered& in_a,
                                             const Answered& in_b, const std::string& file,
                                             const std::vector<DifferenceCause>& causes, FileIds ids) {
  const Result<std::shared_ptr<const FileSystem>> files_a = a.world.files();
  const Result<std::shared_ptr<const FileSystem>> files_b = b.world.files();
  if (!files_a || !files_b || causes.empty() || in_a.run() == nullptr) return std::nullopt;
  if (const auto place = b.world.place(); place && place->kind != PlaceKind::Directory) {
    ComparedFix fix;
    fix.text = say(place->kind == PlaceKind::Snapshot ? "diff-fix-snapshot" : "diff-fix-recipe",
                   {{"place", shown_name(b, "B")}});
    return fix;
  }
  const Replaces replaces = in_b.verdict() == Verdict::Fails || in_b.run() == nullptr ? Replaces::Yes : Replaces::No;
  const ChangeQuestion question{a, b, in_a.run()->map(), *files_a, ids, replaces};
  const LoaderRules& rules = (in_b.run() != nullptr ? in_b : in_a).run()->map().system->rules;
  return FixSearch(question, *files_b, file, in_a).run(causes, rules);
}

}  // namespace soresolve
