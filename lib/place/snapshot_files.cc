// Answers from recorded nodes, with the errno values of the kernel. A path is resolved as in base/path_walk.cc, but
// over numbers of nodes: a survey asks millions of times.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>

#include "base/digest.h"
#include "base/path_walk.h"
#include "place/snapshot.h"
#include "place/snapshot_data.h"
#include "place/snapshot_streams.h"

namespace soresolve {
namespace {

using Kind = SnapshotEntry::Kind;

/// What could not be answered.
class Unanswered {
 public:
  void note(std::string_view path) {
    const std::lock_guard lock(mutex_);
    if (paths_.size() < kMost) paths_.emplace(path);
  }
  [[nodiscard]] std::vector<std::string> paths() {
    const std::lock_guard lock(mutex_);
    return {paths_.begin(), paths_.end()};
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    paths_.clear();
  }

 private:
  static constexpr std::size_t kMost = 1000;
  std::mutex mutex_;
  std::set<std::string> paths_;
};

struct SharedData {
  SnapshotData data;
  Unanswered unanswered;
};

/// The bytes of a file that are known.
class RecordedFile final : public File {
 public:
  RecordedFile(std::shared_ptr<SharedData> all, const SnapshotNode& node, std::string path)
      : File(node.status), all_(std::move(all)), node_(node), path_(std::move(path)),
        content_(node.content == 0 ? kEmpty : all_->data.contents[node.content - 1]),
        end_(node.content == 0 ? node.status.size_bytes : content_.end) {}

  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    if (const Errno error = refusal(offset); error != Errno::None) return Unexpected{error};
    const std::size_t wanted = clipped(offset, into.size());
    if (exact(offset, wanted) < wanted) return unanswered();
    copy(offset, into.first(wanted));
    return wanted;
  }

  Result<std::size_t, Errno> read_to_search(std::uint64_t offset, std::span<std::byte> into) const override {
    if (const Errno error = refusal(offset); error != Errno::None) return Unexpected{error};
    const std::size_t wanted = clipped(offset, into.size());
    std::uint64_t at = offset;
    while (at < offset + wanted) {
      std::uint64_t known = at + exact(at, static_cast<std::size_t>(offset + wanted - at));
      const auto range = std::partition_point(content_.searched.begin(), content_.searched.end(),
                                              [&](const SnapshotRange& one) { return one.end <= at; });
      if (range != content_.searched.end() && range->start <= at) known = std::max(known, range->end);
      if (known == at) return unanswered();
      at = known;
    }
    std::memset(into.data(), 0, wanted);
    copy(offset, into.first(wanted));
    return wanted;
  }

  [[nodiscard]] std::size_t readable(std::uint64_t offset, std::size_t wanted) const override {
    const std::size_t clip = clipped(offset, wanted);
    const std::size_t known = exact(offset, clip);
    return known == clip ? wanted : known;
  }

  [[nodiscard]] std::vector<std::byte> capabilities() const override { return node_.capabilities; }
  [[nodiscard]] bool is_on_nosuid() const override { return node_.is_on_nosuid; }
  [[nodiscard]] bool is_on_noexec() const override { return node_.is_on_noexec; }

 private:
  static const SnapshotContent kEmpty;

  [[nodiscard]] Errno refusal(std::uint64_t offset) const {
    if (status().kind == FileKind::Directory) return static_cast<Errno>(EISDIR);
    if (offset > static_cast<std::uint64_t>(INT64_MAX)) return static_cast<Errno>(EINVAL);
    return Errno::None;
  }
  [[nodiscard]] std::size_t clipped(std::uint64_t offset, std::size_t wanted) const {
    return offset >= end_ ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(wanted, end_ - offset));
  }
  [[nodiscard]] Result<std::size_t, Errno> unanswered() const {
    all_->unanswered.note(path_);
    return Unexpected{kNotRecorded};
  }
  [[nodiscard]] auto piece_at(std::uint64_t offset) const {
    return std::partition_point(content_.pieces.begin(), content_.pieces.end(),
                                [&](const SnapshotPiece& piece) { return piece.offset + piece.size_bytes <= offset; });
  }
  /// How many bytes are known one by one.
  [[nodiscard]] std::size_t exact(std::uint64_t offset, std::size_t wanted) const {
    std::uint64_t at = offset;
    for (auto piece = piece_at(offset); piece != content_.pieces.end() && at < offset + wanted; ++piece) {
      if (piece->offset > at || !piece->is_exact) break;
      at = piece->offset + piece->size_bytes;
    }
    return static_cast<std::size_t>(std::min<std::uint64_t>(at - offset, wanted));
  }
  void copy(std::uint64_t offset, std::span<std::byte> into) const {
    const std::uint64_t end = offset + into.size();
    for (auto piece = piece_at(offset); piece != content_.pieces.end() && piece->offset < end; ++piece) {
      const std::uint64_t first = std::max(offset, piece->offset);
      const std::uint64_t last = std::min(end, piece->offset + piece->size_bytes);
      const std::string& stream = all_->data.streams[static_cast<std::size_t>(piece->kind)];
      std::memcpy(into.data() + (first - offset), stream.data() + piece->at + (first - piece->offset),
                  static_cast<std::size_t>(last - first));
    }
  }

  std::shared_ptr<SharedData> all_;
  const SnapshotNode& node_;
  std::string path_;
  const SnapshotContent& content_;
  std::uint64_t end_;
};

const SnapshotContent RecordedFile::kEmpty = {};

class RecordedFiles final : public SnapshotFiles {
 public:
  explicit RecordedFiles(SnapshotData data) : all_(std::make_shared<SharedData>()) {
    all_->data = std::move(data);
    for (const SnapshotContent& content : all_->data.contents) {
      for (const SnapshotPiece& piece : content.pieces) held_bytes_ += piece.size_bytes;
    }
  }

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    const Found found = find(path);
    if (found.error != Errno::None) return Unexpected{found.error};
    const SnapshotNode& node = *found.node;
    if (node.open_error != 0 && node.was_opened) return fail(node.open_error);
    // A device is not opened for reading anywhere; what was never opened may be one that cannot be.
    if (node.kind == Kind::Special && node.status.kind == FileKind::Socket) return fail(ENXIO);
    if (!node.has_status || (!node.was_opened && node.kind == Kind::File)) return Unexpected{unanswered(path)};
    return std::unique_ptr<File>(std::make_unique<RecordedFile>(all_, node, std::string(path)));
  }

  Result<FileStatus, Errno> status(std::string_view path) const override {
    const Found found = find(path);
    if (found.error != Errno::None) return Unexpected{found.error};
    if (!found.node->has_status) return Unexpected{unanswered(path)};
    return found.node->status;
  }

  Result<std::string, Errno> real_path(std::string_view path) const override {
    const Found found = find(path);
    if (found.error != Errno::None) return Unexpected{found.error};
    return path_of(found.stack);
  }

  Result<std::string, Errno> read_link(std::string_view path) const override {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return fail(ENOENT);
    const std::string_view name = path.substr(slash + 1);
    if (name.empty() || name == "." || name == "..") {
      const Found found = find(path);
      return Unexpected{found.error != Errno::None ? found.error : static_cast<Errno>(EINVAL)};
    }
    const Found found = find(path, LastLink::Stays);
    if (found.error != Errno::None) return Unexpected{found.error};
    if (found.node->kind != Kind::Link) return fail(EINVAL);
    return found.node->target;
  }

  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    const Result<std::vector<DirectoryEntry>, Errno> entries = list_entries(path);
    if (!entries) return Unexpected{entries.error()};
    std::vector<std::string> names;
    names.reserve(entries->size());
    for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    return names;
  }

  Result<std::vector<DirectoryEntry>, Errno> list_entries(std::string_view path) const override {
    const Found found = find(path);
    if (found.error != Errno::None) return Unexpected{found.error};
    const SnapshotNode& node = *found.node;
    if (!is_directory(node)) return fail(ENOTDIR);
    if (!node.is_complete) return Unexpected{unanswered(path)};
    if (node.open_error != 0) return fail(node.open_error);
    std::vector<DirectoryEntry> entries;
    entries.reserve(node.child_count);
    for (std::uint32_t i = 0; i < node.child_count; ++i) {
      const SnapshotNode& child = all_->data.nodes[node.first_child + i];
      if (child.is_listed) entries.push_back({child.name, child.entry_kind});
    }
    return entries;
  }

  [[nodiscard]] std::vector<std::string> unrecorded() const override { return all_->unanswered.paths(); }
  void forget_unrecorded() const override { all_->unanswered.forget(); }
  [[nodiscard]] std::uint64_t held_bytes() const override { return held_bytes_; }

  [[nodiscard]] std::vector<SnapshotEntry> entries() const override {
    std::vector<SnapshotEntry> entries;
    const std::vector<SnapshotNode>& nodes = all_->data.nodes;
    std::vector<std::string> paths(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const SnapshotNode& node = nodes[i];
      const std::string here = i == 0 ? "/" : paths[i];
      for (std::uint32_t c = 0; c < node.child_count; ++c)
        paths[node.first_child + c] = (i == 0 ? "" : here) + "/" + nodes[node.first_child + c].name;
      SnapshotEntry entry;
      entry.kind = node.kind;
      entry.path = here;
      entry.target = node.target;
      entry.size_bytes = node.kind == Kind::File ? node.status.size_bytes : 0;
      entry.is_complete = node.is_complete;
      if (node.content != 0) {
        for (const SnapshotPiece& piece : all_->data.contents[node.content - 1].pieces)
          entry.held_bytes += piece.size_bytes;
      }
      if (node.kind == Kind::File) entry.content = identity(node);
      entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const SnapshotEntry& a, const SnapshotEntry& b) { return a.path < b.path; });
    return entries;
  }

 private:
  enum class LastLink : std::uint8_t { Followed, Stays };
  struct Found {
    Errno error = Errno::None;
    const SnapshotNode* node = nullptr;
    std::vector<std::uint32_t> stack;  ///< from the root to it
  };

  /// SnapshotEntry::content.
  [[nodiscard]] std::string identity(const SnapshotNode& node) const {
    constexpr std::uint64_t kPageBytes = 4096;
    constexpr std::size_t kDigits = 32;
    const RecordedFile file(all_, node, {});
    const std::uint64_t end = node.content == 0 ? 0 : all_->data.contents[node.content - 1].end;
    const std::size_t first = static_cast<std::size_t>(std::min(end, kPageBytes));
    const std::size_t known = file.readable(0, static_cast<std::size_t>(end));
    if (known < first || (end == 0 && node.status.size_bytes != 0)) return {};
    std::vector<std::byte> bytes(known == end ? known : first);
    if (!bytes.empty() && !file.read_at(0, bytes)) return {};
    NumberWriter size;
    size.add(end);
    Digest digest(DigestKind::Sha256);
    digest.add(std::as_bytes(std::span(size.bytes())));
    digest.add(bytes);
    return digest.finish().substr(0, kDigits);
  }

  static bool is_directory(const SnapshotNode& node) {
    return node.kind == Kind::Directory || (node.kind == Kind::Named && node.entry_kind == EntryKind::Directory);
  }

  [[nodiscard]] Errno unanswered(std::string_view path) const {
    all_->unanswered.note(path);
    return kNotRecorded;
  }

  [[nodiscard]] std::string path_of(const std::vector<std::uint32_t>& stack) const {
    std::string path;
    for (std::size_t i = 1; i < stack.size(); ++i) path += '/' + all_->data.nodes[stack[i]].name;
    return path.empty() ? "/" : path;
  }

  [[nodiscard]] std::uint32_t child(const SnapshotNode& node, std::string_view name) const {
    const auto first = all_->data.nodes.begin() + node.first_child;
    const auto last = first + node.child_count;
    const auto at =
        std::lower_bound(first, last, name, [](const SnapshotNode& a, std::string_view b) { return a.name < b; });
    return at != last && at->name == name ? static_cast<std::uint32_t>(at - all_->data.nodes.begin()) : 0;
  }

  /// fs/namei.c:link_path_walk, see base/path_walk.cc.
  [[nodiscard]] Found find(std::string_view path, LastLink last_link = LastLink::Followed) const {
    constexpr int kMaxLinks = 40;
    if (path.empty() || path.find('\0') != std::string_view::npos) return {static_cast<Errno>(ENOENT), nullptr, {}};
    if (path.size() >= kPathMax) return {static_cast<Errno>(ENAMETOOLONG), nullptr, {}};
    const std::vector<SnapshotNode>& nodes = all_->data.nodes;
    Found found;
    found.stack = {0};
    std::string spliced;
    std::string_view rest = path;
    int links = 0;
    const auto end_with = [&](int error) {
      found.error = static_cast<Errno>(error);
      return found;
    };
    while (true) {
      const std::size_t start = rest.find_first_not_of('/');
      if (start == std::string_view::npos) break;
      const std::size_t end = rest.find('/', start);
      const std::string_view name = rest.substr(start, end == std::string_view::npos ? end : end - start);
      const std::string_view after = end == std::string_view::npos ? std::string_view() : rest.substr(end);
      if (name.size() > kNameMax) return end_with(ENAMETOOLONG);
      if (name == ".") {
        rest = after;
        continue;
      }
      if (name == "..") {
        if (found.stack.size() > 1) found.stack.pop_back();
        rest = after;
        continue;
      }
      const SnapshotNode& here = nodes[found.stack.back()];
      const std::uint32_t number = child(here, name);
      if (number == 0) {
        if (here.is_complete && here.open_error == 0) return end_with(ENOENT);
        found.error = unanswered(path);
        return found;
      }
      const SnapshotNode& node = nodes[number];
      if (node.error != 0) return end_with(node.error);
      if (node.kind == Kind::Link && (last_link == LastLink::Followed || !after.empty())) {
        if (++links > kMaxLinks) return end_with(ELOOP);
        if (node.target.empty()) return end_with(ENOENT);
        if (node.target.front() == '/') found.stack.resize(1);
        spliced = node.target + std::string(after);
        rest = spliced;
        continue;
      }
      if (!after.empty() && !is_directory(node)) return end_with(ENOTDIR);
      found.stack.push_back(number);
      rest = after;
    }
    found.node = &nodes[found.stack.back()];
    return found;
  }

  std::shared_ptr<SharedData> all_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace

std::shared_ptr<const SnapshotFiles> snapshot_files(SnapshotData data) {
  return std::make_shared<RecordedFiles>(std::move(data));
}

}  // namespace soresolve
