// What is asked by path is noted by path, what is read by file: one that has several names is one. /proc and /sys are
// recorded as they are, but without times, and /proc/self as a directory: its number is another one each time.
#include "place/snapshot_recorder.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/parallel.h"
#include "base/path.h"
#include "base/path_walk.h"
#include "place/snapshot.h"
#include "place/snapshot_contents.h"
#include "place/snapshot_pieces.h"

namespace soresolve {
namespace {

enum Question : unsigned { kStatus = 1, kRealPath = 2, kReadLink = 4, kList = 8, kOpen = 16 };

constexpr std::size_t kMostListed = 20000;  ///< names of a directory that is listed unasked

bool is_volatile(std::string_view path) {
  for (const std::string_view top : {"/proc", "/sys", "/dev", "/tmp", "/run", "/home"}) {
    if (path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/')) return true;
  }
  return false;
}

bool is_kernels(std::string_view path) {
  return path.starts_with("/proc/") || path.starts_with("/sys/") || path == "/proc" || path == "/sys";
}

/// A list of the files of a package, or the table of what is installed.
bool is_package_record(std::string_view path) {
  constexpr std::string_view kDpkg = "/var/lib/dpkg/";
  return (path.starts_with(kDpkg) && (path.ends_with(".list") || path == "/var/lib/dpkg/status")) ||
         path.ends_with(".dist-info/RECORD");
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

struct IdHash {
  std::size_t operator()(const FileId& id) const { return std::hash<std::uint64_t>{}(id.inode * 31 + id.device); }
};

}  // namespace

struct SnapshotRecorder::Log {
  static constexpr std::size_t kShards = 32;
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string, unsigned, TextHash, std::equal_to<>> asked;
  };
  std::array<Shard, kShards> shards;
  std::mutex mutex;
  std::unordered_map<FileId, FileReads, IdHash> reads;

  void note(std::string_view path, unsigned question) {
    Shard& shard = shards[TextHash{}(path) % kShards];
    const std::lock_guard lock(shard.mutex);
    if (const auto known = shard.asked.find(path); known != shard.asked.end())
      known->second |= question;
    else
      shard.asked.emplace(std::string(path), question);
  }
};

class SnapshotRecorder::OpenFile final : public File {
 public:
  OpenFile(std::unique_ptr<File> file, std::shared_ptr<Log> log)
      : File(file->status()), file_(std::move(file)), log_(std::move(log)) {}
  ~OpenFile() override {
    if (reads_.exact.is_empty() && reads_.searched.is_empty()) return;
    const std::lock_guard lock(log_->mutex);
    FileReads& all = log_->reads[status().id];
    all.exact.add(reads_.exact);
    all.searched.add(reads_.searched);
    all.end = std::max(all.end, reads_.end);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    return noted(reads_.exact, offset, into.size(), file_->read_at(offset, into));
  }
  Result<std::size_t, Errno> read_to_search(std::uint64_t offset, std::span<std::byte> into) const override {
    return noted(reads_.searched, offset, into.size(), file_->read_to_search(offset, into));
  }
  [[nodiscard]] std::size_t readable(std::uint64_t offset, std::size_t wanted) const override {
    return file_->readable(offset, wanted);
  }
  // Holes are read as what they are: a snapshot has none.
  [[nodiscard]] std::vector<std::byte> capabilities() const override { return file_->capabilities(); }
  [[nodiscard]] bool is_on_nosuid() const override { return file_->is_on_nosuid(); }
  [[nodiscard]] bool is_on_noexec() const override { return file_->is_on_noexec(); }

 private:
  Result<std::size_t, Errno> noted(RangeSet& ranges, std::uint64_t offset, std::size_t wanted,
                                   Result<std::size_t, Errno> got) const {
    if (!got) return got;
    const std::lock_guard lock(mutex_);
    // The end counts as read where it was met; of a file that is empty, too.
    ranges.add(offset, offset + std::max<std::size_t>(*got, *got < wanted ? 1 : 0));
    reads_.end = std::max(reads_.end, offset + *got);
    return got;
  }

  std::unique_ptr<File> file_;
  std::shared_ptr<Log> log_;
  mutable std::mutex mutex_;
  mutable FileReads reads_;
};

class SnapshotRecorder::Files final : public FileSystem {
 public:
  Files(std::shared_ptr<const FileSystem> base, std::shared_ptr<Log> log)
      : base_(std::move(base)), log_(std::move(log)) {}

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    log_->note(path, kOpen);
    Result<std::unique_ptr<File>, Errno> file = base_->open(path);
    if (!file) return file;
    return std::unique_ptr<File>(std::make_unique<OpenFile>(std::move(file).value(), log_));
  }
  Result<FileStatus, Errno> status(std::string_view path) const override {
    log_->note(path, kStatus);
    return base_->status(path);
  }
  Result<std::string, Errno> real_path(std::string_view path) const override {
    log_->note(path, kRealPath);
    return base_->real_path(path);
  }
  Result<std::string, Errno> read_link(std::string_view path) const override {
    log_->note(path, kReadLink);
    return base_->read_link(path);
  }
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    log_->note(path, kList);
    return base_->list_directory(path);
  }
  Result<std::vector<DirectoryEntry>, Errno> list_entries(std::string_view path) const override {
    log_->note(path, kList);
    return base_->list_entries(path);
  }

 private:
  std::shared_ptr<const FileSystem> base_;
  std::shared_ptr<Log> log_;
};

/// Turns paths into nodes.
class SnapshotRecorder::Collection {
 public:
  Collection(const FileSystem& files, Log& log) : files_(files), log_(log) {
    std::vector<std::pair<std::string, unsigned>> asked;
    for (Log::Shard& shard : log.shards) asked.insert(asked.end(), shard.asked.begin(), shard.asked.end());
    std::sort(asked.begin(), asked.end());
    look("/");
    // Directories first: what is not in a list need not be looked for.
    for (const auto& [path, questions] : asked) {
      if ((questions & kList) != 0) list(path);
    }
    for (const auto& [path, questions] : asked) {
      if (file_name_of(path).find(".so") != std::string::npos) list_around(path);
    }
    for (const auto& [path, questions] : asked) ask(path, questions);
  }

  SnapshotData data(unsigned jobs) {
    SnapshotData data;
    settle(data);
    hold(data, jobs);
    return data;
  }

 private:
  using Kind = SnapshotEntry::Kind;
  struct Path {
    SnapshotNode node;
    std::map<std::string, std::uint32_t, std::less<>> children;
  };

  /// The node of a path without links whose parent is known; nullptr: its directory is complete and has it not.
  Path* look(const std::string& path) {
    if (const auto known = index_.find(path); known != index_.end()) {
      Path& there = paths_[known->second];
      if (there.node.kind == Kind::Named) describe(there.node, path);
      return &there;
    }
    std::uint32_t parent = 0;
    if (path != "/") {
      parent = index_.at(std::string(directory_of(path)));
      if (paths_[parent].node.is_complete && paths_[parent].node.open_error == 0) return nullptr;
    }
    Path made;
    made.node.name = file_name_of(path);
    describe(made.node, path);
    return &add(parent, path, std::move(made));
  }

  Path& add(std::uint32_t parent, const std::string& path, Path made) {
    const std::uint32_t number = static_cast<std::uint32_t>(paths_.size());
    if (path != "/") paths_[parent].children.emplace(made.node.name, number);
    index_.emplace(path, number);
    paths_.push_back(std::move(made));
    return paths_.back();
  }

  void describe(SnapshotNode& node, const std::string& path) const {
    if (path != "/proc/self") {
      if (Result<std::string, Errno> target = files_.read_link(path)) {
        node.kind = Kind::Link;
        node.target = std::move(target).value();
        return;
      }
    }
    const Result<FileStatus, Errno> status = files_.status(path);
    if (!status) {
      node.error = static_cast<int>(status.error());
      node.kind = node.error == ENOENT ? Kind::Absent : Kind::Refused;
      return;
    }
    node.status = *status;
    node.has_status = true;
    if (is_kernels(path)) node.status.modified_ns = 0;
    node.kind = status->kind == FileKind::Directory ? Kind::Directory
                : status->kind == FileKind::Regular ? Kind::File
                                                    : Kind::Special;
  }

  /// Most paths lead through no link: their directory is known by that name.
  std::optional<Result<std::string, Errno>> step(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == path.size()) return std::nullopt;
    const std::string_view name = std::string_view(path).substr(slash + 1);
    if (name == "." || name == ".." || name.size() > kNameMax || path.size() >= kPathMax) return std::nullopt;
    const auto parent = index_.find(path.substr(0, slash));
    if (parent == index_.end() || paths_[parent->second].node.kind != Kind::Directory) return std::nullopt;
    const Path* const there = look(path);
    if (there == nullptr) return Result<std::string, Errno>(fail(ENOENT));
    if (there->node.error != 0) return Result<std::string, Errno>(fail(there->node.error));
    if (there->node.kind == Kind::Link) return std::nullopt;
    return Result<std::string, Errno>(path);
  }

  Result<std::string, Errno> walk(const std::string& path) {
    if (path.find('\0') == std::string::npos) {
      if (std::optional<Result<std::string, Errno>> near = step(path)) return std::move(*near);
    }
    return walk_path(path, [&](const std::string& here) -> Result<WalkedNode, Errno> {
      const Path* const there = look(here);
      if (there == nullptr) return fail(ENOENT);
      if (there->node.error != 0) return fail(there->node.error);
      WalkedNode node;
      node.is_directory = there->node.kind == Kind::Directory;
      if (there->node.kind == Kind::Link) node.link_target = there->node.target;
      return node;
    });
  }

  void list(const std::string& path) {
    const Result<std::string, Errno> real = walk(path);
    if (real) list_real(*real);
  }

  void list_real(const std::string& real) {
    const std::uint32_t number = index_.at(real);
    if (paths_[number].node.is_complete || paths_[number].node.kind != Kind::Directory) return;
    const Result<std::vector<DirectoryEntry>, Errno> entries = files_.list_entries(real);
    paths_[number].node.is_complete = true;
    if (!entries) {
      paths_[number].node.open_error = static_cast<int>(entries.error());
      return;
    }
    const bool is_proc = real == "/proc";
    for (const DirectoryEntry& entry : *entries) {
      // Processes come and go.
      if (is_proc && entry.name.find_first_not_of("0123456789") == std::string::npos) continue;
      const std::string path = path_in(real, entry.name);
      Path* there = nullptr;
      if (const auto known = index_.find(path); known != index_.end()) {
        there = &paths_[known->second];
      } else {
        Path made;
        made.node.name = entry.name;
        if (entry.kind == EntryKind::Link || entry.kind == EntryKind::Unknown) describe(made.node, path);
        there = &add(number, path, std::move(made));
      }
      there->node.is_listed = true;
      there->node.entry_kind = entry.kind;
    }
  }

  /// A directory that libraries are looked for in.
  void list_around(const std::string& path) {
    const Result<std::string, Errno> real = walk(std::string(directory_of(path)) + "/.");
    if (!real || is_volatile(*real) || *real == "/") return;
    const std::uint32_t number = index_.at(*real);
    if (paths_[number].node.kind != Kind::Directory || paths_[number].node.is_complete) return;
    if (const auto names = files_.list_directory(*real); names && names->size() <= kMostListed) list_real(*real);
  }

  void ask(const std::string& path, unsigned questions) {
    if ((questions & kReadLink) != 0) {
      const std::size_t slash = path.rfind('/');
      if (slash != std::string::npos) {
        const Result<std::string, Errno> parent = walk(slash == 0 ? "/" : path.substr(0, slash) + "/.");
        const std::string name = path.substr(slash + 1);
        if (parent && !name.empty() && name != "." && name != ".." && is_directory(*parent))
          look(path_in(*parent, name));
      }
    }
    if ((questions & ~kReadLink) == 0) return;
    const Result<std::string, Errno> real = walk(path);
    if (!real) return;
    SnapshotNode& node = paths_[index_.at(*real)].node;
    if ((questions & kOpen) == 0 || node.was_opened) return;
    node.was_opened = true;
    if (node.kind == Kind::File || node.kind == Kind::Directory) opened_.push_back(index_.at(*real));
  }

  [[nodiscard]] bool is_directory(const std::string& real) const {
    return paths_[index_.at(real)].node.kind == Kind::Directory;
  }

  /// Nodes in the order of their depth, children of one together; numbers instead of device and inode.
  void settle(SnapshotData& data) {
    std::vector<std::uint32_t> order = {0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      Path& path = paths_[order[i]];
      path.node.first_child = static_cast<std::uint32_t>(order.size());
      path.node.child_count = static_cast<std::uint32_t>(path.children.size());
      for (const auto& [name, child] : path.children) order.push_back(child);
    }
    place_.resize(paths_.size());
    ids_.resize(paths_.size());
    std::unordered_map<FileId, std::uint64_t, IdHash> numbers;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_[order[i]] = static_cast<std::uint32_t>(i);
      SnapshotNode& node = paths_[order[i]].node;
      if (node.has_status) {
        ids_[order[i]] = node.status.id;
        node.status.id = {1, numbers.emplace(node.status.id, numbers.size() + 1).first->second};
      }
    }
    std::vector<std::string> real(paths_.size());
    for (const auto& [path, number] : index_) real[number] = path;
    names_ = std::move(real);
    data.nodes.reserve(order.size());
    for (const std::uint32_t number : order) data.nodes.push_back(std::move(paths_[number].node));
  }

  /// Is a path of a record one that was asked about? Debian's packages may still write /bin for /usr/bin.
  [[nodiscard]] bool is_known(const std::string& path) const {
    const auto has_status = [&](const std::string& one) {
      const auto known = index_.find(one);
      return known != index_.end() && ids_[known->second].has_value();
    };
    const bool may_be_merged = path.starts_with("/bin/") || path.starts_with("/sbin/") || path.starts_with("/lib");
    return has_status(path) || (may_be_merged && has_status("/usr" + path));
  }

  /// Of the records of packages the lines are kept on files that were asked about, and on libraries: who has lost one
  /// asks which package brings it.
  void trim_record(const std::string& path, HeldContent& held) const {
    if (held.pieces.size() != 1 || held.pieces[0].piece.offset != 0 || held.pieces[0].bytes.size() != held.end) return;
    std::string& text = held.pieces[0].bytes;
    const bool is_status = path.ends_with("/status");
    const std::string base = path.ends_with("/RECORD") ? std::string(directory_of(directory_of(path))) + "/" : "";
    std::string kept;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end);
      std::string_view name = line.substr(0, line.find_first_of(base.empty() ? "\n" : ",\n"));
      if (is_status) {
        if (is_kept_field(line)) kept += line;
        continue;
      }
      const bool is_library = name.find(".so") != std::string_view::npos;
      const bool is_its_own = !base.empty() && name.ends_with("/RECORD");
      if (is_library || is_its_own || is_known(base + std::string(name))) kept += line;
    }
    text = std::move(kept);
    held.end = text.size();
    held.pieces[0].piece.size_bytes = text.size();
    if (text.empty()) held.pieces.clear();
  }

  static bool is_kept_field(std::string_view line) {
    for (const std::string_view field : {"Package:", "Status:", "Version:", "Architecture:", "Multi-Arch:"}) {
      if (line.starts_with(field)) return true;
    }
    return line == "\n";
  }

  /// Reads what was read again, equal contents once. A few hundred files at a time: all bytes of all of them need not
  /// be there twice.
  void hold(SnapshotData& data, unsigned jobs) {
    constexpr std::size_t kAtOnce = 512;
    std::sort(opened_.begin(), opened_.end(), [&](std::uint32_t a, std::uint32_t b) { return place_[a] < place_[b]; });
    std::unordered_set<FileId, IdHash> seen;
    std::vector<char> is_first(opened_.size());
    for (std::size_t i = 0; i < opened_.size(); ++i) is_first[i] = seen.insert(*ids_[opened_[i]]).second ? 1 : 0;
    ContentStore store(data);
    std::unordered_map<FileId, std::uint32_t, IdHash> by_file;
    for (std::size_t start = 0; start < opened_.size(); start += kAtOnce) {
      std::vector<std::optional<HeldContent>> held(std::min(kAtOnce, opened_.size() - start));
      for_each_index(held.size(), jobs, [&](unsigned, std::size_t i) {
        held[i] = hold_one(data.nodes[place_[opened_[start + i]]], opened_[start + i], is_first[start + i] != 0);
      });
      for (std::size_t i = 0; i < held.size(); ++i) {
        SnapshotNode& node = data.nodes[place_[opened_[start + i]]];
        const FileId id = *ids_[opened_[start + i]];
        if (held[i]) by_file[id] = store.add(std::move(*held[i]));
        if (const auto content = by_file.find(id); content != by_file.end() && node.open_error == 0)
          node.content = content->second;
      }
    }
  }

  /// What opening a file again says goes to its node; what was read of it is returned, of one with several names once.
  [[nodiscard]] std::optional<HeldContent> hold_one(SnapshotNode& node, std::uint32_t path, bool is_first) const {
    const bool is_program = node.kind == Kind::File && (node.status.mode & 0111) != 0;
    const Result<std::unique_ptr<File>, Errno> file = files_.open(names_[path]);
    if (!file) {
      if (node.open_error == 0) node.open_error = static_cast<int>(file.error());
      return std::nullopt;
    }
    if (node.kind != Kind::File) return std::nullopt;
    node.is_on_noexec = (*file)->is_on_noexec();
    if (is_program) {
      node.capabilities = (*file)->capabilities();
      node.is_on_nosuid = (*file)->is_on_nosuid();
    }
    const auto reads = log_.reads.find(*ids_[path]);
    if (reads == log_.reads.end() || !is_first) return std::nullopt;
    HeldContent held = hold_content(**file, reads->second);
    if (is_package_record(names_[path])) trim_record(names_[path], held);
    return held;
  }

  const FileSystem& files_;
  Log& log_;
  std::vector<Path> paths_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::vector<std::uint32_t> opened_;
  std::vector<std::uint32_t> place_;        ///< of each path, among the nodes
  std::vector<std::optional<FileId>> ids_;  ///< before they were numbered
  std::vector<std::string> names_;
};

SnapshotRecorder::SnapshotRecorder(std::shared_ptr<const FileSystem> files)
    : log_(std::make_shared<Log>()), base_(std::move(files)) {}
SnapshotRecorder::~SnapshotRecorder() = default;

std::shared_ptr<const FileSystem> SnapshotRecorder::files() const { return std::make_shared<Files>(base_, log_); }
const FileSystem& SnapshotRecorder::unrecorded_files() const { return *base_; }

SnapshotData SnapshotRecorder::finish(MachineFacts machine, unsigned jobs) const {
  SnapshotData data = Collection(*base_, *log_).data(jobs);
  data.machine = std::move(machine);
  return data;
}

}  // namespace soresolve
