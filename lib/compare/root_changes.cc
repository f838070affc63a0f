// For each kind of cause the changes that undo it. What is typed leads to no file outside of B: a path is printed with
// the links of its directories resolved inside the root, as an absolute link there would lead into the machine's own
// tree. A link is replaced, never written through (cp(1) would), and nothing is named so that ldconfig takes it for a
// library (elf/ldconfig.c:search_dir takes "lib*.so*" and "ld-*.so*", so that "libx.so.1.away" would be one).
//
// Not here: libc and the loader, which all programs of B stand on; the kernel's and the processor's part.
#include "compare/root_changes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/path.h"
#include "base/small_file.h"
#include "loader/ldconfig.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostChangedFiles = 64;  // of one cause
constexpr std::size_t kMostChainedLinks = 16;
constexpr std::uint64_t kMostCopiedBytes = std::uint64_t{256} << 20;
constexpr std::uint32_t kReadBits = 0444;
constexpr std::uint32_t kExecuteBits = 0111;
constexpr const char* kConfiguration = "/etc/ld.so.conf";

/// All programs of B stand on these: another release of one of them breaks them.
bool is_of_libc(std::string_view path) {
  const std::string_view name = file_name_of(path);
  return name.starts_with("libc.so") || name.starts_with("ld-") || name.starts_with("ld.so");
}

std::string octal(std::uint32_t mode) {
  std::string text;
  for (mode &= 07777; mode != 0; mode >>= 3) text.insert(text.begin(), static_cast<char>('0' + (mode & 7)));
  return text.empty() ? "0" : text;
}

/// Where `path` lies when the links of its directories are resolved; what is not there yet as it is written.
std::string place_in(const FileSystem& files, const std::string& path) {
  const std::string parent(directory_of(path));
  const std::string name(file_name_of(path));
  if (const Result<std::string, Errno> real = files.real_path(parent)) return path_in(*real, name);
  return parent == "/" ? path : path_in(place_in(files, parent), name);
}

bool is_link(const FileSystem& files, const std::string& path) { return files.read_link(path).has_value(); }
bool is_there(const FileSystem& files, const std::string& path) {
  return files.status(path).has_value() || is_link(files, path);
}
bool is_directory_at(const FileSystem& files, const std::string& path) {
  const Result<FileStatus, Errno> status = files.status(path);
  return status && status->kind == FileKind::Directory;
}

/// The directories that lead to `path`, from the top, and itself.
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    parts.push_back(path.substr(0, slash));
  }
  parts.push_back(path);
  return parts;
}

/// That of a library's directory which ldconfig is told of.
std::string configured_part(const std::string& library) {
  const std::string directory(directory_of(library));
  return directory.substr(0, directory.find("/glibc-hwcaps/"));
}

class ChangeFinder {
 public:
  explicit ChangeFinder(const ChangeQuestion& question)
      : a_(question.a), b_(question.b), in_a_(question.in_a), ids_(question.ids), replaces_(question.replaces),
        files_a_(question.files_a) {}

  std::vector<RootChanges> find(const DifferenceCause& cause, const ChangedRoot& now, const LoaderRules& rules) {
    list_.clear();
    const DecidingStep& step = cause.step;
    const bool lacks_b = step.lacks == Side::B;
    switch (step.by) {
      case DecidedBy::Environment: offer({variable("LD_LIBRARY_PATH", step.value_a)}); break;
      case DecidedBy::Preload: preload(step, now); break;
      case DecidedBy::Cache: ldconfig(cause, now, rules); break;
      case DecidedBy::Permission:
        if (lacks_b) rights(step.path, now, kReadBits);
        if (lacks_b) files(wanted_files(cause), now, rules);
        break;
      case DecidedBy::MissingFile: program(cause, now, rules); break;
      case DecidedBy::Directory:
      case DecidedBy::File:
        if (lacks_b) files(wanted_files(cause), now, rules);
        if (!lacks_b) out_of_the_way(cause, now);
        break;
      case DecidedBy::Target:
      case DecidedBy::Refused:
        if (lacks_b) files(wanted_files(cause), now, rules);
        break;
      case DecidedBy::SearchTag:
        if (!is_of_libc(step.path)) files({step.path}, now, rules);
        break;
      case DecidedBy::Content:
      case DecidedBy::Needs:
        if (replaces_ == Replaces::Yes && !is_of_libc(step.path)) files({step.path}, now, rules);
        break;
      default: break;
    }
    return std::move(list_);
  }

 private:
  void offer(RootChanges changes) {
    if (!changes.empty()) list_.push_back(std::move(changes));
  }

  static RootChange variable(const std::string& name, const std::string& value) {
    const auto apply = [name, value](ChangedRoot& root) {
      WorldSettings& settings = root.settings;
      // A list of its own replaces what is inherited, so that comes along.
      if (settings.start.inherits()) settings.start.env = settings.start.inherited;
      std::erase_if(settings.start.env, [&](const std::string& entry) { return entry.starts_with(name + "="); });
      if (!value.empty()) settings.start.env.push_back(name + "=" + value);
      settings.start.clean_env = settings.start.env.empty();
      return true;
    };
    return {value.empty() ? "unset " + shell_word(name) : "export " + shell_word(name) + "=" + shell_word(value),
            apply};
  }

  void preload(const DecidingStep& step, const ChangedRoot& now) {
    if (step.path == "LD_PRELOAD") return offer({variable("LD_PRELOAD", step.value_a)});
    if (is_there(*files_a_, step.path)) return offer({install(step.path, step.path, now)});
    if (is_there(*now.files, step.path)) offer({aside(step.path, now)});
  }

  /// Right bits that A has and B lacks, on the way to `path` and of itself.
  void rights(const std::string& path, const ChangedRoot& now, std::uint32_t of_file) {
    RootChanges changes;
    for (const std::string& part : parts_of(path)) {
      const Result<FileStatus, Errno> in_a = files_a_->status(part);
      const Result<FileStatus, Errno> in_b = now.files->status(part);
      if (!in_a || !in_b || in_a->kind != in_b->kind) continue;
      const std::uint32_t counted = in_b->kind == FileKind::Directory ? kReadBits | kExecuteBits : of_file;
      const std::uint32_t missing = in_a->mode & ~in_b->mode & counted;
      if (missing == 0) continue;
      const Result<std::string, Errno> real = now.files->real_path(part);
      if (!real) continue;
      const std::uint32_t mode = (in_b->mode | missing) & 07777;
      changes.push_back(
          {"chmod " + shell_word(octal(mode)) + " " + word(Side::B, *real),
           [real = *real, mode](ChangedRoot& root) { return root.files->set_mode(real, mode) == Errno::None; }});
    }
    offer(std::move(changes));
  }

  /// A program that is not there, or that the kernel does not start.
  void program(const DifferenceCause& cause, const ChangedRoot& now, const LoaderRules& rules) {
    if (cause.step.lacks != Side::B) return;
    rights(cause.step.path, now, kReadBits | kExecuteBits);
    if (in_a_.system) {
      rights(in_a_.system->loader_path, now, kReadBits | kExecuteBits);
      files({in_a_.system->loader_path}, now, rules);
    }
    files({cause.step.path}, now, rules);
  }

  /// What A has at the places that decide.
  [[nodiscard]] std::vector<std::string> wanted_files(const DifferenceCause& cause) const {
    std::vector<std::string> paths;
    for (const RequestDifference& difference : cause.decided) {
      if (!difference.path_a.empty() && paths.size() < kMostChangedFiles) paths.push_back(difference.path_a);
    }
    return paths;
  }

  /// Links alone; ldconfig where it would make them; links with the files that they lead to; the files at these places.
  void files(const std::vector<std::string>& paths, const ChangedRoot& now, const LoaderRules& rules) {
    RootChanges links;
    RootChanges chains;
    RootChanges copies;
    for (const std::string& path : paths) {
      if (!is_there(*files_a_, path)) return;
      RootChanges of_path = chain(path, now);
      const bool has_file = !of_path.empty() && !is_libcs_own(path) && !ends_there(path, now);
      append(links, of_path);
      append(chains, std::move(of_path));
      if (is_libcs_own(path)) continue;
      if (has_file) append(chains, {install(path, end_of(path), now)});
      append(copies, {install(path, path, now)});
    }
    offer(links);
    if (!rules.cache_path.empty() &&
        std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return is_link(*files_a_, path); })) {
      offer({run_ldconfig(rules)});
    }
    if (chains.size() != links.size()) offer(std::move(chains));
    offer(std::move(copies));
  }

  [[nodiscard]] bool is_libcs_own(const std::string& path) const {
    return is_of_libc(path) || is_of_libc(end_of(path));
  }

  static void append(RootChanges& list, RootChanges more) {
    for (RootChange& change : more) {
      if (std::none_of(list.begin(), list.end(),
                       [&](const RootChange& one) { return one.command == change.command; })) {
        list.push_back(std::move(change));
      }
    }
  }

  /// The path in A without links.
  [[nodiscard]] std::string end_of(const std::string& path) const {
    const Result<std::string, Errno> real = files_a_->real_path(path);
    return real ? *real : path;
  }
  [[nodiscard]] bool ends_there(const std::string& path, const ChangedRoot& now) const {
    return now.files->status(end_of(path)).has_value();
  }

  /// The links of A on the way to `path` that B lacks, or has to lead elsewhere. Where B has a file or directory
  /// instead, it is left alone.
  RootChanges chain(const std::string& path, const ChangedRoot& now) const {
    RootChanges links;
    std::string at = path;
    for (std::size_t count = 0; count < kMostChainedLinks; ++count) {
      std::string next;
      for (const std::string& part : parts_of(at)) {
        const Result<std::string, Errno> target = files_a_->read_link(part);
        if (!target) continue;
        const Result<std::string, Errno> mine = now.files->read_link(part);
        if ((!mine && !now.files->status(part)) || (mine && *mine != *target)) {
          append(links, {link(part, *target, now)});
        }
        const std::string rest = at.substr(part.size());
        next = (target->starts_with('/') ? *target : path_in(std::string(directory_of(part)), *target)) + rest;
        break;
      }
      if (next.empty()) break;
      at = without_parents(next);
    }
    return links;
  }

  /// ".." of a directory that is no link, as those before have been followed.
  static std::string without_parents(const std::string& path) {
    std::string plain;
    for (const std::string& part : parts_of(without_dots(path))) {
      const std::string_view name = file_name_of(part);
      if (name == "..") {
        plain.resize(plain.empty() ? 0 : plain.rfind('/'));
      } else {
        plain += "/" + std::string(name);
      }
    }
    return plain;
  }

  RootChange link(const std::string& path, const std::string& target, const ChangedRoot& now) const {
    const std::string place = place_in(*now.files, path);
    return {"ln -sfn " + shell_path(target) + " " + word(Side::B, place), [place, target](ChangedRoot& root) {
              if (is_link(*root.files, place)) static_cast<void>(root.files->remove(place));
              return root.files->add_symlink(place, target) == Errno::None;
            }};
  }

  /// A's file at a place of B, with the directories that lead there: install(1) unlinks what is there before, as -D
  /// and -T have it.
  RootChange install(const std::string& from, const std::string& to, const ChangedRoot& now) const {
    const std::string source = end_of(from);
    const std::string place = place_in(*now.files, to);
    const Result<FileStatus, Errno> status = files_a_->status(source);
    const std::uint32_t mode = status && (status->mode & kExecuteBits) != 0 ? 0755 : 0644;
    const auto apply = [files_a = files_a_, ids = ids_, source, place, mode](ChangedRoot& root) {
      if (is_directory_at(*root.files, place)) return false;
      if (root.files->add_directory(std::string(directory_of(place))) != Errno::None) return false;
      static_cast<void>(root.files->remove(place));
      return copy(files_a, ids, source, *root.files, place) && root.files->set_mode(place, mode) == Errno::None;
    };
    return {"install -DT -m " + shell_word(octal(mode)) + " " + word(Side::A, source) + " " + word(Side::B, place),
            apply};
  }

  /// Where a file of A could be taken for another one of B by device and inode it comes as a new one.
  static bool copy(const std::shared_ptr<const FileSystem>& files_a, FileIds ids, const std::string& from,
                   OverlayFileSystem& into, const std::string& to) {
    const Result<std::unique_ptr<File>, Errno> file = files_a->open(from);
    if (!file || (*file)->status().kind != FileKind::Regular) return false;
    const FileStatus& status = (*file)->status();
    if (ids == FileIds::Comparable || status.size_bytes > kMostCopiedBytes) {
      return into.bind_file(to, files_a, from) == Errno::None;
    }
    std::string content(static_cast<std::size_t>(status.size_bytes), '\0');
    const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(content)));
    return got && *got == content.size() && into.add_file(to, content, status.mode) == Errno::None;
  }

  /// What B finds and A has not.
  void out_of_the_way(const DifferenceCause& cause, const ChangedRoot& now) {
    RootChanges changes;
    const auto take = [&](const std::string& path) {
      if (!path.empty() && is_there(*now.files, path) && !is_directory_at(*now.files, path) && !is_libcs_own(path) &&
          changes.size() < kMostChangedFiles) {
        append(changes, {aside(path, now)});
      }
    };
    for (const RequestDifference& difference : cause.decided) take(difference.path_b);
    if (changes.empty()) take(cause.step.path);
    offer(std::move(changes));
  }

  RootChange aside(const std::string& path, const ChangedRoot& now) const {
    const std::string place = place_in(*now.files, path);
    const std::string directory(directory_of(place));
    std::string away = path_in(directory, "away-" + std::string(file_name_of(place)));
    // ld.so.conf includes what ends in .conf.
    if (away.ends_with(".conf")) away += ".off";
    return {"mv -T " + word(Side::B, place) + " " + word(Side::B, away), [place, away](ChangedRoot& root) {
              return !is_there(*root.files, away) && root.files->rename(place, away) == Errno::None;
            }};
  }

  RootChange run_ldconfig(const LoaderRules& rules) const {
    return {b_.shown == "/" ? CommandText("sudo ldconfig") : "sudo ldconfig -r " + word(Side::B, {}),
            [rules](ChangedRoot& root) {
              const LdConfigRun run = play_ldconfig(*root.files, rules);
              return run.error == Errno::None && run.problems.empty();
            }};
  }

  /// As it is; with the directory of what is wanted behind what ld.so.conf has; with A's configuration.
  void ldconfig(const DifferenceCause& cause, const ChangedRoot& now, const LoaderRules& rules) {
    if (rules.cache_path.empty()) return;
    offer({run_ldconfig(rules)});
    RootChanges named;
    for (const RequestDifference& difference : cause.decided) {
      if (difference.path_a.empty() || cause.step.lacks != Side::B) continue;
      const std::string directory = configured_part(difference.path_a);
      std::vector<std::string> problems;
      const std::vector<std::string> known = configured_directories(*now.files, rules, problems);
      const std::vector<std::string>& system = rules.system_dirs;
      if (std::find(known.begin(), known.end(), directory) != known.end() ||
          std::find(system.begin(), system.end(), directory + "/") != system.end() ||
          !is_directory_at(*now.files, directory)) {
        continue;
      }
      append(named, {configured(directory, now)});
    }
    if (!named.empty()) {
      named.push_back(run_ldconfig(rules));
      offer(std::move(named));
    }
    RootChanges all = configuration_of_a(now);
    if (all.empty()) return;
    all.push_back(run_ldconfig(rules));
    offer(std::move(all));
  }

  RootChange configured(const std::string& directory, const ChangedRoot& now) const {
    const Result<std::string, Errno> real = now.files->real_path(kConfiguration);
    const std::string conf = real ? *real : place_in(*now.files, kConfiguration);
    const auto apply = [conf, directory](ChangedRoot& root) {
      const std::string text = start_of_file(*root.files, conf, 1 << 20);
      // A last line without its end would become one with ours.
      if (!text.empty() && !text.ends_with('\n')) return false;
      return root.files->add_file(conf, text + directory + "\n") == Errno::None;
    };
    return {"printf '%s\\n' " + shell_word(directory) + " | sudo tee -a " + word(Side::B, conf) + " >/dev/null", apply};
  }

  /// ld.so.conf and its directory.
  [[nodiscard]] RootChanges configuration_of_a(const ChangedRoot& now) const {
    const std::string directory = std::string(kConfiguration) + ".d";
    std::set<std::string> paths = {kConfiguration};
    for (const FileSystem* const files : {files_a_.get(), static_cast<const FileSystem*>(now.files.get())}) {
      const Result<std::vector<std::string>, Errno> names = files->list_directory(directory);
      if (!names) continue;
      for (const std::string& name : *names) {
        if (name.ends_with(".conf")) paths.insert(path_in(directory, name));
      }
    }
    SameFiles same(*files_a_, *now.files, ids_);
    RootChanges changes;
    for (const std::string& path : paths) {
      const bool in_a = files_a_->status(path).has_value();
      const bool in_b = now.files->status(path).has_value();
      if (in_a && in_b && same.are_same(path, path)) continue;
      if (in_a) changes.push_back(install(path, path, now));
      if (!in_a && in_b) changes.push_back(aside(path, now));
    }
    return changes.size() > kMostChangedFiles ? RootChanges{} : changes;
  }

  /// The path in a root as it is typed. Of what is no directory its user knows where it is unpacked: "${A:?}" is an
  /// error where nobody has said so.
  [[nodiscard]] CommandText word(Side side, const std::string& path) const {
    const ComparedWorld& one = side == Side::A ? a_ : b_;
    const std::shared_ptr<const Place> place = one.world.place();
    if (one.shown.empty() || (place && place->kind != PlaceKind::Directory)) {
      return (side == Side::A ? CommandText("\"${A:?}\"") : CommandText("\"${B:?}\"")) +
             (path.empty() ? CommandText() : shell_word(path));
    }
    std::string_view root = one.shown;
    if (root.ends_with('/')) root.remove_suffix(1);
    return shell_path(std::string(root) + path);
  }

  const ComparedWorld& a_;
  const ComparedWorld& b_;
  const LinkMap& in_a_;
  FileIds ids_;
  Replaces replaces_;
  std::shared_ptr<const FileSystem> files_a_;
  std::vector<RootChanges> list_;
};

}  // namespace

std::vector<RootChanges> find_root_changes(const ChangeQuestion& question, const DifferenceCause& cause,
                                           const ChangedRoot& now, const LoaderRules& rules) {
  return ChangeFinder(question).find(cause, now, rules);
}

}  // namespace soresolve
