// A pipe becomes a file without a name, which takes the place of descriptor 0: readers of ELF files and of archives ask
// for parts in any order, and an image names its layers at its end. What is small stays in memory (memfd_create(2));
// the rest goes on disk, to TMPDIR or /var/tmp (/tmp is memory on many machines: file-hierarchy(7)), where nothing
// stays behind, whatever ends the process. Pages of zeros, of which a tar has many, are left out.
//
// A snapshot is read as it comes and kept nowhere: all of it is in memory once it is read.
//
// What comes is bounded three times: what does not begin as an image, an archive, a snapshot or an ELF file is refused
// beyond what stays in memory, all else beyond 64 GiB, and the disk is never filled up.
#include "input.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "place/archive_reader.h"
#include "place/snapshot_data.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
constexpr std::size_t kPageBytes = 4096;
constexpr std::uint64_t kMostInMemoryBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;
constexpr std::uint64_t kLeftToOthersBytes = std::uint64_t{256} << 20;
constexpr const char* kPath = "/dev/stdin";

Error input_error(ErrorCode code, std::string message) { return {code, "standard input", {}, std::move(message)}; }

/// What has come through the pipe so far.
class Kept {
 public:
  Kept() : descriptor_(::memfd_create("standard input", MFD_CLOEXEC)) {}
  ~Kept() { close(); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  std::optional<Error> add(std::span<const char> bytes) {
    if (size_ + bytes.size() > kMostInMemoryBytes && directory_.empty()) {
      if (auto error = move_to_disk()) return error;
    }
    if (size_ + bytes.size() > kMostBytes) return input_error(ErrorCode::LimitReached, "has more than 64 GiB");
    if (!directory_.empty() && size_ >= looked_at_ && !has_room()) return no_room();
    if (auto error = write(bytes)) return error;
    size_ += bytes.size();
    return std::nullopt;
  }

  /// Takes the place of descriptor 0.
  std::optional<Error> become_input() {
    // Without the flag: it is standard input.
    const bool is_done = ::ftruncate(descriptor_, static_cast<off_t>(size_)) == 0 &&
                         ::lseek(descriptor_, 0, SEEK_SET) == 0 && ::dup2(descriptor_, STDIN_FILENO) >= 0;
    if (!is_done) return input_error(ErrorCode::Unreadable, std::strerror(errno));
    return std::nullopt;
  }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  [[nodiscard]] Error no_room() const {
    return input_error(ErrorCode::LimitReached, "does not fit into " + directory_ +
                                                    ": set TMPDIR to a directory with room, or save it as a file");
  }

  [[nodiscard]] bool is_place_or_object() const {
    std::vector<std::byte> first(kSniffedBytes);
    const ssize_t got = ::pread(descriptor_, first.data(), first.size(), 0);
    first.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    const ArchiveKind kind = sniff_archive(first);
    if (kind.format != ArchiveFormat::None || kind.compression != Compression::None) return true;
    const std::string_view text(reinterpret_cast<const char*>(first.data()), first.size());
    return text.starts_with(
               "\x7f"
               "ELF") ||
           text.starts_with(kSnapshotMagic);
  }

  std::optional<Error> move_to_disk() {
    if (!is_place_or_object()) {
      return input_error(ErrorCode::LimitReached,
                         "has more than 64 MiB and does not begin as an image, an archive, a snapshot or an ELF file");
    }
    const char* const wanted = std::getenv("TMPDIR");
    directory_ = wanted != nullptr && *wanted != '\0' ? wanted : "/var/tmp";
    int disk = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (disk < 0) {
      // Not every file system has O_TMPFILE.
      std::string name = directory_ + "/soresolve-XXXXXX";
      disk = ::mkostemp(name.data(), O_CLOEXEC);
      if (disk >= 0) ::unlink(name.c_str());
    }
    if (disk < 0) return no_room();
    const int memory = std::exchange(descriptor_, disk);
    const std::uint64_t end = std::exchange(size_, 0);
    std::vector<char> piece(kPieceBytes);
    std::optional<Error> error;
    while (size_ < end && !error) {
      const ssize_t got = ::pread(memory, piece.data(), piece.size(), static_cast<off_t>(size_));
      if (got <= 0) break;
      error = write(std::span(piece).first(static_cast<std::size_t>(got)));
      size_ += static_cast<std::uint64_t>(got);
    }
    ::close(memory);
    return error;
  }

  bool has_room() {
    constexpr std::uint64_t kStep = std::uint64_t{64} << 20;
    looked_at_ = size_ + kStep;
    struct statvfs mounted;
    if (::fstatvfs(descriptor_, &mounted) != 0) return true;
    return std::uint64_t{mounted.f_bavail} * mounted.f_frsize > kLeftToOthersBytes + kStep;
  }

  [[nodiscard]] std::optional<Error> write(std::span<const char> bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      std::size_t count = std::min(kPageBytes, bytes.size() - at);
      const auto is_zero = [&](std::size_t from, std::size_t length) {
        const std::span<const char> page = bytes.subspan(from, length);
        return std::all_of(page.begin(), page.end(), [](char one) { return one == '\0'; });
      };
      if (is_zero(at, count)) {
        at += count;
        continue;
      }
      while (at + count < bytes.size()) {
        const std::size_t next = std::min(kPageBytes, bytes.size() - at - count);
        if (is_zero(at + count, next)) break;
        count += next;
      }
      const ssize_t put = ::pwrite(descriptor_, bytes.data() + at, count, static_cast<off_t>(size_ + at));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return directory_.empty() ? input_error(ErrorCode::Unreadable, std::strerror(errno)) : no_room();
      at += static_cast<std::size_t>(put);
    }
    return std::nullopt;
  }

  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::string directory_;        ///< where it lies on disk; empty: it lies in memory
  std::uint64_t looked_at_ = 0;  ///< size at which the room is looked at again
};

/// Up to as many as there is room for; fewer at the end.
Result<std::size_t, Errno> read_input(std::span<char> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::read(STDIN_FILENO, into.data() + done, into.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unexpected{static_cast<Errno>(errno)};
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

/// All that comes on descriptor 0, behind what was read already.
std::optional<Error> keep_input(std::span<const char> first) {
  Kept kept;
  if (!kept.is_open()) return input_error(ErrorCode::Unreadable, std::strerror(errno));
  if (auto error = kept.add(first)) return error;
  std::vector<char> piece(kPieceBytes);
  while (true) {
    const Result<std::size_t, Errno> count = read_input(piece);
    if (!count) return input_error(ErrorCode::Unreadable, std::strerror(static_cast<int>(count.error())));
    if (*count == 0) return kept.become_input();
    if (auto error = kept.add(std::span(piece).first(*count))) return error;
  }
}

bool is_regular_file() {
  struct stat status;
  return ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
}

/// Its first bytes have been read; the rest follows as it is asked for. It has no places.
class PipedFile final : public File {
 public:
  explicit PipedFile(std::string first) : File(FileStatus{}), first_(std::move(first)) {}
  Result<std::size_t, Errno> read_at(std::uint64_t, std::span<std::byte> into) const override {
    const std::size_t kept = std::min(into.size(), first_.size() - given_);
    std::memcpy(into.data(), first_.data() + given_, kept);
    given_ += kept;
    const std::span<std::byte> rest = into.subspan(kept);
    const Result<std::size_t, Errno> more = read_input({reinterpret_cast<char*>(rest.data()), rest.size()});
    if (!more) return more;
    return kept + *more;
  }

 private:
  std::string first_;
  mutable std::size_t given_ = 0;
};

}  // namespace

Result<std::string> path_of_input() {
  if (is_regular_file()) return std::string(kPath);
  if (std::optional<Error> error = keep_input({})) return Unexpected{std::move(*error)};
  return std::string(kPath);
}

Result<PlaceOnInput> open_input() {
  if (is_regular_file()) return PlaceOnInput{nullptr, kPath};
  std::string first(kSnapshotMagic.size(), '\0');
  const Result<std::size_t, Errno> got = read_input(first);
  if (!got) return Unexpected{input_error(ErrorCode::Unreadable, std::strerror(static_cast<int>(got.error())))};
  first.resize(*got);
  if (first == kSnapshotMagic) return PlaceOnInput{std::make_unique<PipedFile>(std::move(first)), {}};
  if (std::optional<Error> error = keep_input(first)) return Unexpected{std::move(*error)};
  return PlaceOnInput{nullptr, kPath};
}

std::optional<Exit> name_input(const Subcommand& asked, const WorldOptions& options, std::vector<std::string>& files) {
  if (std::find(files.begin(), files.end(), "-") == files.end()) return std::nullopt;
  if (!options.where.root.empty() || options.live.pid != 0) {
    return refuse_usage(asked.name, "- is standard input, which is not a file inside of --root or of a process");
  }
  const Result<std::string> path = path_of_input();
  if (!path) return report_error(path.error());
  std::replace(files.begin(), files.end(), std::string("-"), *path);
  return std::nullopt;
}

TakeOnce own_file(std::string& target) {
  return {[&target](const std::string& word) -> std::optional<std::string> {
    if (word != "-") {
      target = word;
      return std::nullopt;
    }
    Result<std::string> path = path_of_input();
    if (!path) return path.error().to_string();
    target = std::move(path).value();
    return std::nullopt;
  }};
}

}  // namespace soresolve::tool
