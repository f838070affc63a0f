// One walk in two trees: a link of the source is made in the target where that has nothing, followed in both where it
// has the same, and left alone where it has something else. Source of the rules: fs/namei.c, as in base/path_walk.h.
#include "bundle/target_tree.h"

#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/enum_names.h"
#include "base/path.h"

namespace soresolve {
namespace {

constexpr unsigned kMostLinks = 40;  ///< of one path, as the kernel follows them

/// The components of a path, last one first.
std::vector<std::string> components_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  }
  return parts;
}

}  // namespace

std::string_view name_of(BundledKind kind) {
  using enum BundledKind;
  static constexpr auto kNames = enum_names<BundledKind>({{Directory, "directory"}, {Link, "link"}, {File, "file"}});
  return kNames[kind];
}

std::string_view name_of(BundledFor reason) {
  using enum BundledFor;
  static constexpr auto kNames = enum_names<BundledFor>({{Asked, "asked"},
                                                         {Interpreter, "interpreter"},
                                                         {Loader, "loader"},
                                                         {Needed, "needed"},
                                                         {OpenedLater, "opened-later"}});
  return kNames[reason];
}

bool TargetTree::is_same(const std::string& source, const std::string& target) const {
  const Result<std::unique_ptr<File>, Errno> one = source_->open(source);
  const Result<std::unique_ptr<File>, Errno> other = files_->open(target);
  if (!one || !other || (*one)->status().size_bytes != (*other)->status().size_bytes) return false;
  const Result<std::string, Errno> digest = read_digest(**one, DigestKind::Sha256);
  const Result<std::string, Errno> other_digest = read_digest(**other, DigestKind::Sha256);
  return digest && other_digest && *digest == *other_digest;
}

bool TargetTree::is_listed(std::string_view path) const {
  const Result<std::string, Errno> real = files_->real_path(path);
  return real && entries_.contains(*real);
}

bool TargetTree::add_directory(const std::string& from, const std::string& to, std::uint32_t mode,
                               const BundledAs& as) {
  if (files_->add_directory(to) != Errno::None) return false;
  entries_.try_emplace(to,
                       BundledEntry{BundledKind::Directory, to, from, {}, mode, 0, as.reason, as.name, as.needed_by});
  return true;
}

/// `from` is a file of the source without links, and the parent of `to` is a directory of the target without links.
Placed TargetTree::settle_file(const std::string& from, const std::string& to, const BundledAs& as, IfOther if_other) {
  const Result<std::string, Errno> there = files_->real_path(to);
  if (there && entries_.contains(*there)) return {Placed::Outcome::Listed, *there};
  std::string path = there ? *there : to;
  const bool is_taken = there.has_value();
  if (!there && files_->read_link(to)) return {Placed::Outcome::Blocked, to};
  if (is_taken) {
    const Result<FileStatus, Errno> status = files_->status(path);
    if (!status || status->kind != FileKind::Regular) return {Placed::Outcome::Blocked, path};
    if (is_same(from, path)) return {Placed::Outcome::Same, path};
    if (if_other == IfOther::Keep) return {Placed::Outcome::Other, path};
  }
  const Result<FileStatus, Errno> status = source_->status(from);
  if (!status) return {Placed::Outcome::Missing, path};
  if (files_->bind_file(path, source_, from) != Errno::None) return {Placed::Outcome::Blocked, path};
  entries_[path] = {BundledKind::File,  path,      from,    {},           status->mode,
                    status->size_bytes, as.reason, as.name, as.needed_by, is_taken};
  return {Placed::Outcome::Added, path};
}

std::optional<Placed> TargetTree::step_link(PathInBoth& walk, const std::string& next, const std::string& there,
                                            const std::string& link, const BundledAs& as, IfOther if_other) {
  if (++walk.links > kMostLinks) return Placed{Placed::Outcome::Missing, there};
  const Result<std::string, Errno> own = files_->read_link(there);
  const bool is_free = !own && !files_->status(there);
  if (is_free) {
    if (files_->add_symlink(there, link) != Errno::None) return Placed{Placed::Outcome::Blocked, there};
    entries_[there] = {BundledKind::Link, there, next, link, 0777, 0, as.reason, as.name, as.needed_by};
    walk.is_added = true;
  }
  if (is_free || (own && *own == link)) {
    if (link.starts_with('/')) walk.from = walk.to = "/";
    std::vector<std::string> parts = components_of(link);
    walk.rest.insert(walk.rest.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
    return std::nullopt;
  }
  // The target has something else there, which stays: each tree goes on in its own way.
  const Result<std::string, Errno> real = source_->real_path(next);
  if (!real) return Placed{Placed::Outcome::Missing, there};
  if (walk.rest.empty()) return settle_file(*real, there, as, if_other);
  const Result<std::string, Errno> other = files_->real_path(there);
  const Result<FileStatus, Errno> status = files_->status(there);
  if (!other || !status || status->kind != FileKind::Directory) return Placed{Placed::Outcome::Blocked, there};
  walk.from = *real;
  walk.to = *other;
  return std::nullopt;
}

std::optional<Placed> TargetTree::step_directory(PathInBoth& walk, const std::string& next, const std::string& there,
                                                 std::uint32_t mode, const BundledAs& as) {
  const Result<FileStatus, Errno> own = files_->status(there);
  walk.from = next;
  if (!own) {
    if (files_->read_link(there) || !add_directory(next, there, mode, as)) {
      return Placed{Placed::Outcome::Blocked, there};
    }
    walk.is_added = true;
    walk.to = there;
    return std::nullopt;
  }
  const Result<std::string, Errno> real = files_->real_path(there);
  if (own->kind != FileKind::Directory || !real) return Placed{Placed::Outcome::Blocked, there};
  walk.to = *real;
  return std::nullopt;
}

Placed TargetTree::place(std::string_view path, const BundledAs& as, IfOther if_other) {
  PathInBoth walk;
  walk.rest = components_of(path);
  while (!walk.rest.empty()) {
    const std::string part = std::move(walk.rest.back());
    walk.rest.pop_back();
    if (part == "..") {
      walk.from = directory_of(walk.from);
      walk.to = directory_of(walk.to);
      continue;
    }
    const std::string next = path_in(walk.from, part);
    const std::string there = path_in(walk.to, part);
    if (const Result<std::string, Errno> link = source_->read_link(next)) {
      if (std::optional<Placed> end = step_link(walk, next, there, *link, as, if_other)) return *std::move(end);
      continue;
    }
    const Result<FileStatus, Errno> status = source_->status(next);
    if (!status) return {Placed::Outcome::Missing, there};
    if (status->kind == FileKind::Directory) {
      if (std::optional<Placed> end = step_directory(walk, next, there, status->mode, as)) return *std::move(end);
      continue;
    }
    if (!walk.rest.empty() || status->kind != FileKind::Regular) return {Placed::Outcome::Missing, there};
    Placed placed = settle_file(next, there, as, if_other);
    if (walk.is_added && placed.outcome == Placed::Outcome::Listed) placed.outcome = Placed::Outcome::Added;
    return placed;
  }
  return {walk.is_added ? Placed::Outcome::Added : Placed::Outcome::Listed, walk.to};
}

Placed TargetTree::place_as(std::string_view path, const std::string& to, const BundledAs& as) {
  const Result<std::string, Errno> from = source_->real_path(path);
  if (!from) return {Placed::Outcome::Missing, to};
  std::string directory = "/";
  std::vector<std::string> rest = components_of(directory_of(to));
  for (; !rest.empty(); rest.pop_back()) {
    const std::string there = path_in(directory, rest.back());
    if (!files_->status(there) && !add_directory({}, there, 0755, as)) return {Placed::Outcome::Blocked, there};
    const Result<std::string, Errno> real = files_->real_path(there);
    const Result<FileStatus, Errno> status = files_->status(there);
    if (!real || !status || status->kind != FileKind::Directory) return {Placed::Outcome::Blocked, there};
    directory = *real;
  }
  const std::string place = path_in(directory, file_name_of(to));
  const auto known = prefixed_.find(*from);
  if (known == prefixed_.end()) {
    Placed placed = settle_file(*from, place, as, IfOther::Keep);
    if (placed.outcome == Placed::Outcome::Added) prefixed_[*from] = placed.path;
    return placed;
  }
  if (known->second == place) return {Placed::Outcome::Listed, place};
  // A second copy would be a second library: under its other name it is a link.
  if (files_->status(place) || files_->read_link(place)) return {Placed::Outcome::Other, place};
  const std::string link(file_name_of(known->second));
  if (files_->add_symlink(place, link) != Errno::None) return {Placed::Outcome::Blocked, place};
  entries_[place] = {BundledKind::Link, place, {}, link, 0777, 0, as.reason, as.name, as.needed_by};
  return {Placed::Outcome::Added, place};
}

void TargetTree::lay_under(std::string_view path, const std::string& to) {
  const Result<std::string, Errno> from = source_->real_path(path);
  if (!from || files_->status(to)) return;
  if (files_->add_directory(std::string(directory_of(to))) != Errno::None) return;
  (void)files_->bind_file(to, source_, *from);
}

}  // namespace soresolve
