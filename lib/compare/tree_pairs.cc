// Directory by directory, both sides at once, level by level, each level on several threads. A file that is the same on
// both sides is read once. Links are compared as they are written and not followed.
#include "compare/tree_pairs.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/path.h"
#include "soresolve/elf.h"
#include "soresolve/symbols.h"
#include "survey/file_finder.h"

namespace soresolve {
namespace {

using Entries = std::vector<DirectoryEntry>;

bool is_pseudo_file_system(const Entries& entries) {
  const auto has = [&](std::string_view name) {
    return std::any_of(entries.begin(), entries.end(), [&](const DirectoryEntry& one) { return one.name == name; });
  };
  return (has("self") && has("mounts")) || (has("kernel") && has("devices") && has("module"));
}

struct ReadFile {
  ElfObject object;
  std::unique_ptr<File> file;
};

/// nullopt: it is no dynamic ELF file.
std::optional<ReadFile> read_dynamic(const FileSystem& files, const std::string& path) {
  Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file || (*file)->status().kind != FileKind::Regular) return std::nullopt;
  std::array<std::byte, EI_NIDENT + 2> head{};
  const Result<std::size_t, Errno> got = (*file)->read_at(0, head);
  if (!got || *got < head.size() || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
  Result<ElfObject> object = ElfObject::read(**file, path);
  if (!object || !object->has_dynamic) return std::nullopt;
  const bool has_bytes = std::any_of(object->segments.begin(), object->segments.end(), [](const Segment& segment) {
    return segment.type == PT_DYNAMIC && segment.file_bytes != 0;
  });
  if (!has_bytes) return std::nullopt;
  return ReadFile{std::move(*object), std::move(*file)};
}

void add_once(std::vector<std::string>& list, std::string_view text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.emplace_back(text);
}

void take_facts(PairedFile& into, const ElfObject& object) {
  add_once(into.names, file_name_of(into.path));
  if (object.soname) add_once(into.names, *object.soname);
  for (const NeedEntry& need : object.needs) add_once(into.needs, file_name_of(need.name));
}

/// Does the new file ask for the same, by the same search, and offer all that the old one did?
bool keeps_interface(const ReadFile& a, const ReadFile& b, const std::string& path) {
  const bool is_alike = a.object.soname == b.object.soname && a.object.rpath == b.object.rpath &&
                        a.object.runpath == b.object.runpath && a.object.target == b.object.target &&
                        a.object.has_interp == b.object.has_interp &&
                        std::equal(a.object.needs.begin(), a.object.needs.end(), b.object.needs.begin(),
                                   b.object.needs.end(), [](const NeedEntry& one, const NeedEntry& other) {
                                     return one.kind == other.kind && one.name == other.name;
                                   });
  if (!is_alike) return false;
  const Result<VersionedLibrary> old = read_versioned_library(*a.file, a.object, path);
  const Result<VersionedLibrary> now = read_versioned_library(*b.file, b.object, path);
  if (!old || !now) return false;
  const LibraryDiff diff = compare_libraries(*old, *now);
  return !diff.has_loss() && diff.new_requirements.empty();
}

struct Level {
  std::vector<std::string> next;
  std::vector<PairedFile> files;
  std::vector<ChangedName> changed;
};

class TreeWalk {
 public:
  TreeWalk(SameFiles& same, unsigned jobs) : same_(same), jobs_(jobs) {}

  PairedTrees run() {
    std::vector<std::string> level = {"/"};
    PairedTrees trees;
    for (std::size_t depth = 0; !level.empty() && depth < kMostTreeDepth && count_ < kMostTreeEntries; ++depth) {
      std::vector<Level> results(level.size());
      for_each_index(level.size(), jobs_, [&](unsigned, std::size_t i) { compare_directory(level[i], results[i]); });
      std::vector<std::string> next;
      for (Level& one : results) {
        std::move(one.next.begin(), one.next.end(), std::back_inserter(next));
        std::move(one.files.begin(), one.files.end(), std::back_inserter(trees.files));
        std::move(one.changed.begin(), one.changed.end(), std::back_inserter(trees.changed));
      }
      level = std::move(next);
    }
    std::sort(trees.files.begin(), trees.files.end(),
              [](const PairedFile& a, const PairedFile& b) { return a.path < b.path; });
    trees.unread = unread_;
    return trees;
  }

 private:
  /// What stands in the way of a file or directory that is there. What a snapshot does not hold is told by finish().
  void note_unread(Errno error) {
    const bool is_there = error != Errno{ENOENT} && error != Errno{ENOTDIR} && error != kNotRecorded;
    if (is_there) ++unread_;
  }

  Entries list(const FileSystem& files, const std::string& directory) {
    Result<Entries, Errno> entries = files.list_entries(directory);
    if (!entries) note_unread(entries.error());
    if (!entries || is_pseudo_file_system(*entries)) return {};
    for (DirectoryEntry& entry : *entries) {
      if (entry.kind == EntryKind::Unknown) entry.kind = kind_of(files, path_in(directory, entry.name));
    }
    return std::move(*entries);
  }

  static EntryKind kind_of(const FileSystem& files, const std::string& path) {
    if (files.read_link(path)) return EntryKind::Link;
    const Result<FileStatus, Errno> status = files.status(path);
    if (!status) return EntryKind::Other;
    if (status->kind == FileKind::Regular) return EntryKind::Regular;
    return status->kind == FileKind::Directory ? EntryKind::Directory : EntryKind::Other;
  }

  void compare_directory(const std::string& directory, Level& level) {
    const Entries a = list(same_.a(), directory);
    const Entries b = list(same_.b(), directory);
    count_ += a.size() + b.size();
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
      const int order = i == a.size() ? 1 : j == b.size() ? -1 : a[i].name.compare(b[j].name);
      const DirectoryEntry* const in_a = order <= 0 ? &a[i++] : nullptr;
      const DirectoryEntry* const in_b = order >= 0 ? &b[j++] : nullptr;
      compare_entry(path_in(directory, (in_a != nullptr ? in_a : in_b)->name), in_a, in_b, level);
    }
  }

  void compare_entry(std::string path, const DirectoryEntry* in_a, const DirectoryEntry* in_b, Level& level) {
    const EntryKind kind_a = in_a != nullptr ? in_a->kind : EntryKind::Unknown;
    const EntryKind kind_b = in_b != nullptr ? in_b->kind : EntryKind::Unknown;
    const bool is_link = kind_a == EntryKind::Link || kind_b == EntryKind::Link;
    if (is_link) compare_link(path, level);
    const bool is_file = kind_a == EntryKind::Regular || kind_b == EntryKind::Regular;
    if (is_file && may_be_loaded(file_name_of(path))) {
      compare_file_of(path, kind_a == EntryKind::Regular, kind_b == EntryKind::Regular, level);
    }
    if (kind_a == EntryKind::Directory || kind_b == EntryKind::Directory) level.next.push_back(std::move(path));
  }

  void compare_link(const std::string& path, Level& level) {
    const Result<std::string, Errno> in_a = same_.a().read_link(path);
    const Result<std::string, Errno> in_b = same_.b().read_link(path);
    if (in_a && in_b && *in_a == *in_b) return;
    const auto leads_to_directory = [&](const FileSystem& files) {
      const Result<FileStatus, Errno> status = files.status(path);
      return status && status->kind == FileKind::Directory;
    };
    if (!may_be_loaded(file_name_of(path))) return;
    level.changed.push_back({path, leads_to_directory(same_.a()) || leads_to_directory(same_.b())});
  }

  bool is_elf(const FileSystem& files, const std::string& path) {
    const Result<std::unique_ptr<File>, Errno> file = files.open(path);
    if (!file) note_unread(file.error());
    std::array<std::byte, SELFMAG> head{};
    if (!file || (*file)->status().kind != FileKind::Regular) return false;
    const Result<std::size_t, Errno> got = (*file)->read_at(0, head);
    return got && *got == head.size() && std::memcmp(head.data(), ELFMAG, SELFMAG) == 0;
  }

  void compare_file_of(const std::string& path, bool is_in_a, bool is_in_b, Level& level) {
    is_in_a = is_in_a && is_elf(same_.a(), path);
    is_in_b = is_in_b && is_elf(same_.b(), path);
    if (!is_in_a && !is_in_b) return;
    const bool are_same = is_in_a && is_in_b && same_.are_same(path, path);
    std::optional<ReadFile> a = is_in_a ? read_dynamic(same_.a(), path) : std::nullopt;
    std::optional<ReadFile> b = is_in_b && !are_same ? read_dynamic(same_.b(), path) : std::nullopt;
    if (!a && !b) return;
    PairedFile file;
    file.path = path;
    file.state = are_same ? PairState::Same : a && b ? PairState::Changed : a ? PairState::OnlyInA : PairState::OnlyInB;
    const ElfObject& first = a ? a->object : b->object;
    file.is_program = first.has_interp && !first.soname;
    if (a) take_facts(file, a->object);
    if (b) take_facts(file, b->object);
    if (file.state == PairState::Changed) file.is_interface_kept = keeps_interface(*a, *b, path);
    level.files.push_back(std::move(file));
  }

  SameFiles& same_;
  unsigned jobs_;
  std::atomic<std::size_t> count_ = 0;
  std::atomic<std::size_t> unread_ = 0;
};

}  // namespace

PairedTrees pair_trees(SameFiles& same, unsigned jobs) { return TreeWalk(same, jobs).run(); }

}  // namespace soresolve
