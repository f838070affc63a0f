// What is kept, by path: how an open, a status and a real path came out; of files that are opened twice the bytes of
// each read, by its offset and size, since whoever reads a format reads it in the same steps each time.
#include "base/steady_file_system.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "base/overlay_file_system.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxPieces = 64;  ///< of one file: reads that never repeat are not kept

bool is_of_the_tree(Errno error) {
  return error == static_cast<Errno>(ENOENT) || error == static_cast<Errno>(ENOTDIR) ||
         error == static_cast<Errno>(EINVAL);
}

template <typename Value, typename Ask>
Result<Value, Errno> ask_once(AnswersByPath<Value>& answers, std::string_view path, Allowance& allowance,
                              const Ask& ask) {
  if (const auto* const known = answers.find(path)) return *known;
  Result<Value, Errno> answer = ask();
  if (answer || is_of_the_tree(answer.error())) answers.keep(path, answer, allowance);
  return answer;
}

}  // namespace

/// What is known of the file behind one path.
class KnownContent {
 public:
  KnownContent(std::shared_ptr<const FileSystem> files, std::string path, const File& opened,
               std::shared_ptr<Allowance> allowance)
      : status_(opened.status()), files_(std::move(files)), path_(std::move(path)), allowance_(std::move(allowance)) {
    const std::size_t size = static_cast<std::size_t>(status_.size_bytes);
    is_whole_ = opened.readable(0, size) >= size;
  }

  [[nodiscard]] const FileStatus& status() const { return status_; }
  /// Can all of it be read, as far as it is known?
  [[nodiscard]] bool is_whole() const { return is_whole_; }

  [[nodiscard]] Result<std::unique_ptr<File>, Errno> open_again() const {
    Result<std::unique_ptr<File>, Errno> file = files_->open(path_);
    if (!file) return file;
    const FileStatus& now = (*file)->status();
    const auto key = [](const FileStatus& of) {
      return std::tuple(of.id.device, of.id.inode, of.size_bytes, of.modified_ns);
    };
    if (key(now) != key(status_)) return Unexpected{static_cast<Errno>(ESTALE)};
    return file;
  }

  std::optional<std::size_t> find(std::uint64_t offset, std::span<std::byte> into) const {
    const std::lock_guard lock(mutex_);
    const auto piece = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& one) {
      return one.offset == offset && one.wanted == into.size();
    });
    if (piece == pieces_.end()) return std::nullopt;
    if (!piece->bytes.empty()) std::memcpy(into.data(), piece->bytes.data(), piece->bytes.size());
    return piece->bytes.size();
  }

  /// `read`: what came of `wanted` bytes at `offset`.
  void keep(std::uint64_t offset, std::size_t wanted, std::span<const std::byte> read) {
    if (wanted > kMaxPieceBytes || !is_opened_again_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    if (pieces_.size() >= kMaxPieces || !allowance_->take(read.size() + sizeof(Piece))) return;
    pieces_.push_back({offset, wanted, {read.begin(), read.end()}});
  }

  void note_opened_again() { is_opened_again_.store(true, std::memory_order_relaxed); }

  /// A fact about the mount that it lies on, asked once.
  template <typename Ask>
  bool fact(std::optional<bool> KnownContent::*which, const Ask& ask) {
    {
      const std::lock_guard lock(mutex_);
      if (this->*which) return *(this->*which);
    }
    const std::optional<bool> answer = ask();
    const std::lock_guard lock(mutex_);
    this->*which = answer;
    return answer.value_or(false);
  }
  std::optional<bool> is_on_nosuid;
  std::optional<bool> is_on_noexec;

 private:
  struct Piece {
    std::uint64_t offset = 0;
    std::size_t wanted = 0;
    std::vector<std::byte> bytes;
  };

  FileStatus status_;
  std::shared_ptr<const FileSystem> files_;
  std::string path_;
  std::shared_ptr<Allowance> allowance_;
  bool is_whole_ = true;
  std::atomic<bool> is_opened_again_ = false;
  mutable std::mutex mutex_;
  std::vector<Piece> pieces_;
};

namespace {

class SteadyFile final : public File {
 public:
  SteadyFile(std::shared_ptr<KnownContent> known, std::unique_ptr<File> opened)
      : File(known->status()), known_(std::move(known)), opened_(std::move(opened)) {}

  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    if (const std::optional<std::size_t> found = known_->find(offset, into)) return *found;
    const Result<const File*, Errno> file = opened();
    if (!file) return Unexpected{file.error()};
    const Result<std::size_t, Errno> read = (*file)->read_at(offset, into);
    if (read) known_->keep(offset, into.size(), into.first(*read));
    return read;
  }

  Result<std::size_t, Errno> read_to_search(std::uint64_t offset, std::span<std::byte> into) const override {
    const Result<const File*, Errno> file = opened();
    return file ? (*file)->read_to_search(offset, into) : Result<std::size_t, Errno>(Unexpected{file.error()});
  }
  [[nodiscard]] std::size_t readable(std::uint64_t offset, std::size_t wanted) const override {
    if (known_->is_whole()) return wanted;
    const Result<const File*, Errno> file = opened();
    return file ? (*file)->readable(offset, wanted) : wanted;
  }
  [[nodiscard]] std::uint64_t next_data(std::uint64_t offset) const override {
    const Result<const File*, Errno> file = opened();
    return file ? (*file)->next_data(offset) : offset;
  }
  [[nodiscard]] std::vector<std::byte> capabilities() const override {
    const Result<const File*, Errno> file = opened();
    return file ? (*file)->capabilities() : std::vector<std::byte>();
  }
  [[nodiscard]] bool is_on_nosuid() const override {
    return known_->fact(&KnownContent::is_on_nosuid, [&] { return ask(&File::is_on_nosuid); });
  }
  [[nodiscard]] bool is_on_noexec() const override {
    return known_->fact(&KnownContent::is_on_noexec, [&] { return ask(&File::is_on_noexec); });
  }

 private:
  /// nullopt: it cannot be opened now.
  [[nodiscard]] std::optional<bool> ask(bool (File::*question)() const) const {
    const Result<const File*, Errno> file = opened();
    if (!file) return std::nullopt;
    return ((*file)->*question)();
  }

  [[nodiscard]] Result<const File*, Errno> opened() const {
    const std::lock_guard lock(mutex_);
    if (!opened_) {
      Result<std::unique_ptr<File>, Errno> again = known_->open_again();
      if (!again) return Unexpected{again.error()};
      opened_ = std::move(again).value();
    }
    return opened_.get();
  }

  std::shared_ptr<KnownContent> known_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<File> opened_;
};

class SteadyFileSystem final : public FileSystem {
 public:
  SteadyFileSystem(std::shared_ptr<const FileSystem> files, std::shared_ptr<KnownTree> known)
      : files_(std::move(files)), known_(std::move(known)) {}

  Result<std::unique_ptr<File>, Errno> open(std::string_view path) const override {
    if (const auto* const known = known_->opened.find(path)) {
      if (!*known) return Unexpected{known->error()};
      (**known)->note_opened_again();
      return std::unique_ptr<File>(std::make_unique<SteadyFile>(**known, nullptr));
    }
    Result<std::unique_ptr<File>, Errno> opened = files_->open(path);
    if (!opened) {
      if (is_of_the_tree(opened.error())) known_->opened.keep(path, Unexpected{opened.error()}, *known_->allowance);
      return opened;
    }
    // What is no regular file may answer otherwise each time.
    if ((*opened)->status().kind != FileKind::Regular) return opened;
    if (!known_->allowance->take(sizeof(KnownContent) + path.size())) return opened;
    auto known = std::make_shared<KnownContent>(files_, std::string(path), **opened, known_->allowance);
    known_->opened.keep(path, known, *known_->allowance);
    return std::unique_ptr<File>(std::make_unique<SteadyFile>(std::move(known), std::move(opened).value()));
  }

  Result<FileStatus, Errno> status(std::string_view path) const override {
    return ask_once(known_->statuses, path, *known_->allowance, [&] { return files_->status(path); });
  }
  Result<std::string, Errno> real_path(std::string_view path) const override {
    return ask_once(known_->real_paths, path, *known_->allowance, [&] { return files_->real_path(path); });
  }
  Result<std::string, Errno> read_link(std::string_view path) const override {
    return ask_once(known_->links, path, *known_->allowance, [&] { return files_->read_link(path); });
  }
  Result<std::vector<std::string>, Errno> list_directory(std::string_view path) const override {
    return files_->list_directory(path);
  }
  Result<std::vector<DirectoryEntry>, Errno> list_entries(std::string_view path) const override {
    return files_->list_entries(path);
  }

 private:
  std::shared_ptr<const FileSystem> files_;
  std::shared_ptr<KnownTree> known_;
};

}  // namespace

std::shared_ptr<const FileSystem> steady_files(std::shared_ptr<const FileSystem> files,
                                               std::shared_ptr<KnownTree> known) {
  if (dynamic_cast<const OverlayFileSystem*>(files.get()) != nullptr) return files;
  return std::make_shared<SteadyFileSystem>(std::move(files), std::move(known));
}

}  // namespace soresolve
