// The change that makes B answer as A: each cause says what to change, the change is made in an overlay of B, and B is
// asked again. What is left then says what to change next, so that a variable and the directory that it names come
// together. Nothing on disk is changed.
#include <algorithm>
#include <memory>
#include <set>

#include "base/overlay_file_system.h"
#include "base/path.h"
#include "compare/compare_file.h"
#include "loader/ldconfig.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostRounds = 12;  // changes, one behind the other
constexpr std::size_t kMostFiles = 64;
constexpr std::uint64_t kMostCopiedBytes = std::uint64_t{256} << 20;

/// B with the changes so far.
class ChangedB {
 public:
  ChangedB(const ComparedWorld& a, const ComparedWorld& b, std::shared_ptr<const FileSystem> files_a,
           std::shared_ptr<const FileSystem> files_b, FileIds ids, Replaces replaces)
      : ids_(ids), replaces_(replaces), a_(a), b_(b), files_a_(std::move(files_a)),
        overlay_(std::make_shared<OverlayFileSystem>(std::move(files_b))), settings_(b.settings) {
    settings_.files = overlay_;
    settings_.root.clear();
    settings_.store.reset();
  }

  [[nodiscard]] const WorldSettings& settings() const { return settings_; }
  [[nodiscard]] const std::vector<CommandText>& commands() const { return commands_; }
  [[nodiscard]] const FileSystem& files() const { return *overlay_; }
  [[nodiscard]] const std::set<Side>& unpacked() const { return unpacked_; }

  /// False: nothing that is known would change it, or it was changed already.
  bool change(const DifferenceCause& cause, const LinkMap& now) {
    const DecidingStep& step = cause.step;
    if (!done_.insert(step.key).second) return false;
    switch (step.by) {
      case DecidedBy::Environment: return set_variable("LD_LIBRARY_PATH", step.value_a);
      case DecidedBy::Preload:
        if (step.path == "LD_PRELOAD") return set_variable("LD_PRELOAD", step.value_a);
        return bring(step.path);
      case DecidedBy::Cache: return step.lacks == Side::B && run_ldconfig(step.path, now);
      case DecidedBy::Directory:
      case DecidedBy::File:
        if (step.lacks == Side::A) return take_away(cause);
        return bring_all(cause);
      case DecidedBy::Target:
      case DecidedBy::Permission:
      case DecidedBy::Refused: return step.lacks == Side::B && bring_all(cause);
      case DecidedBy::Content:
      case DecidedBy::Needs:
      case DecidedBy::SearchTag: return replaces_ == Replaces::Yes && !is_of_libc(step.path) && bring(step.path);
      default: return false;
    }
  }

 private:
  /// All programs of B stand on these: another release of one of them breaks them.
  static bool is_of_libc(std::string_view path) {
    const std::string_view name = file_name_of(path);
    return name.starts_with("libc.so") || name.starts_with("ld-") || name.starts_with("ld.so");
  }

  bool set_variable(const std::string& name, const std::string& value) {
    const std::string start = name + "=";
    // A list of its own replaces what is inherited, so that comes along.
    if (settings_.env.empty() && !settings_.clean_env) settings_.env = settings_.inherited;
    std::erase_if(settings_.env, [&](const std::string& entry) { return entry.starts_with(start); });
    settings_.clean_env = settings_.env.empty() && value.empty();
    if (!value.empty()) settings_.env.push_back(start + value);
    commands_.push_back(value.empty() ? "unset " + shell_word(name)
                                      : "export " + shell_word(name) + "=" + shell_word(value));
    return true;
  }

  /// A's file at the same place of B.
  bool bring(const std::string& path) {
    if (++brought_ > kMostFiles) return false;
    const Result<std::string, Errno> real = files_a_->real_path(path);
    if (!real) return false;
    overlay_->add_directory(std::string(directory_of(path)));
    static_cast<void>(overlay_->remove(path));
    if (!copy(*real, path)) return false;
    const CommandText target = word_for(Side::B, path);
    CommandText command;
    if (const std::string parent(directory_of(path)); !made_.contains(parent) && !b_has(parent)) {
      made_.insert(parent);
      command = "mkdir -p " + word_for(Side::B, parent) + " && ";
    }
    commands_.push_back(command + "cp -L " + word_for(Side::A, path) + " " + target);
    return true;
  }

  /// Where a file of A could be taken for another one of B by device and inode it comes as a new one.
  bool copy(const std::string& from, const std::string& to) {
    const Result<std::unique_ptr<File>, Errno> file = files_a_->open(from);
    if (!file) return false;
    const FileStatus& status = (*file)->status();
    if (ids_ == FileIds::Comparable || status.size_bytes > kMostCopiedBytes) {
      return overlay_->bind_file(to, files_a_, from) == Errno::None;
    }
    std::string content(static_cast<std::size_t>(status.size_bytes), '\0');
    const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(content)));
    return got && *got == content.size() && overlay_->add_file(to, content, status.mode) == Errno::None;
  }

  [[nodiscard]] bool b_has(const std::string& directory) {
    const Result<std::shared_ptr<const FileSystem>> files = b_.world.files();
    if (!files) return false;
    const Result<FileStatus, Errno> status = (*files)->status(directory);
    return status && status->kind == FileKind::Directory;
  }

  bool bring_all(const DifferenceCause& cause) {
    bool is_changed = false;
    for (const RequestDifference& difference : cause.decided) {
      if (!difference.path_a.empty()) is_changed |= bring(difference.path_a);
    }
    return is_changed;
  }

  /// What B finds and A has not.
  bool take_away(const DifferenceCause& cause) {
    bool is_changed = false;
    for (const RequestDifference& difference : cause.decided) {
      if (difference.path_b.empty() || overlay_->remove(difference.path_b) != Errno::None) continue;
      commands_.push_back("mv " + word_for(Side::B, difference.path_b) + " " +
                          word_for(Side::B, difference.path_b + ".away"));
      is_changed = true;
    }
    return is_changed;
  }

  bool run_ldconfig(const std::string& directory, const LinkMap& now) {
    const LoaderRules& rules = now.system->rules;
    std::vector<std::string> problems;
    const std::vector<std::string> named = configured_directories(*overlay_, rules, problems);
    const bool is_system =
        std::find(rules.system_dirs.begin(), rules.system_dirs.end(), directory + "/") != rules.system_dirs.end();
    if (!is_system && std::find(named.begin(), named.end(), directory) == named.end()) {
      // Appended: what ld.so.conf has stays before it.
      const std::string conf = "/etc/ld.so.conf";
      std::string text;
      if (const auto file = overlay_->open(conf)) {
        text.resize(std::min<std::uint64_t>((*file)->status().size_bytes, std::uint64_t{1} << 20));
        const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
        text.resize(got ? *got : 0);
      }
      if (!text.empty() && !text.ends_with('\n')) text += '\n';
      overlay_->add_directory("/etc");
      if (overlay_->add_file(conf, text + directory + "\n") != Errno::None) return false;
      commands_.push_back("printf '%s\\n' " + shell_word(directory) + " | sudo tee -a " + word_for(Side::B, conf) +
                          " >/dev/null");
    }
    const LdConfigRun run = play_ldconfig(*overlay_, rules);
    if (run.error != Errno::None || !run.problems.empty()) return false;
    commands_.push_back(b_.shown == "/" ? CommandText("sudo ldconfig") : "sudo ldconfig -r " + word_for(Side::B, {}));
    return true;
  }

  /// The path in a root as it is typed. An image, a package or a snapshot is no directory that a command could name:
  /// its user unpacks it, and "$A" or "$B" says where.
  CommandText word_for(Side side, const std::string& path) {
    const ComparedWorld& one = side == Side::A ? a_ : b_;
    const std::shared_ptr<const Place> place = one.world.place();
    if (one.shown.empty() || (place && place->kind != PlaceKind::Directory)) {
      unpacked_.insert(side);
      return (side == Side::A ? CommandText("\"$A\"") : CommandText("\"$B\"")) +
             (path.empty() ? CommandText() : shell_word(path));
    }
    std::string_view root = one.shown;
    if (root.ends_with('/')) root.remove_suffix(1);
    return shell_path(std::string(root) + path);
  }

  FileIds ids_;
  Replaces replaces_;
  const ComparedWorld& a_;
  const ComparedWorld& b_;
  std::shared_ptr<const FileSystem> files_a_;
  std::shared_ptr<OverlayFileSystem> overlay_;
  WorldSettings settings_;
  std::vector<CommandText> commands_;
  std::set<std::string> done_;
  std::set<std::string> made_;
  std::set<Side> unpacked_;  ///< whose directory the commands leave open
  std::size_t brought_ = 0;
};

}  // namespace

std::optional<ComparedFix> find_compared_fix(const ComparedWorld& a, const ComparedWorld& b, const LinkMap& in_a,
                                             const std::string& file, const std::vector<DifferenceCause>& causes,
                                             FileIds ids, Replaces replaces) {
  const Result<std::shared_ptr<const FileSystem>> files_a = a.world.files();
  const Result<std::shared_ptr<const FileSystem>> files_b = b.world.files();
  if (!files_a || !files_b || causes.empty()) return std::nullopt;
  ChangedB changed(a, b, *files_a, *files_b, ids, replaces);
  std::vector<DifferenceCause> left = causes;
  std::optional<Resolution> last;
  for (std::size_t round = 0; round < kMostRounds && !left.empty(); ++round) {
    bool is_changed = false;
    for (const DifferenceCause& cause : left) {
      World now(changed.settings());
      const Result<Resolution> run = now.resolve(file, {.attempts = Attempts::Record});
      if (!run) break;
      is_changed |= changed.change(cause, run->map());
      if (is_changed) break;
    }
    if (!is_changed) break;
    World now(changed.settings());
    Result<Resolution> run = now.resolve(file, {.attempts = Attempts::Record});
    if (!run) break;
    SameFiles same(**files_a, changed.files(), ids);
    left = compare_maps({in_a, run->map(), same}).causes;
    last = std::move(*run);
  }
  if (changed.commands().empty()) return std::nullopt;
  ComparedFix fix;
  fix.commands = changed.commands();
  fix.verdict = left.empty() ? RemedyVerdict::Works : RemedyVerdict::Partly;
  fix.text = left.empty() ? say("diff-fix-works") : say("diff-fix-leaves", {{"what", left.front().step.what}});
  for (const Side side : changed.unpacked()) {
    const std::string letter = side == Side::A ? "A" : "B";
    const ComparedWorld& one = side == Side::A ? a : b;
    std::string name = one.shown.empty() ? letter : one.shown;
    // Tells two images of one layout apart.
    if (const auto place = one.world.place(); place && !place->platform.empty()) name += " (" + place->platform + ")";
    fix.text = say("diff-fix-unpacked", {{"what", std::move(fix.text)}, {"side", letter}, {"place", std::move(name)}});
  }
  return fix;
}

}  // namespace soresolve
