// A pipe becomes a file without a name, which takes the place of descriptor 0: readers of ELF files and of archives ask
// for parts in any order, and an image names its layers at its end (spool.h).
//
// A snapshot is read as it comes and kept nowhere: all of it is in memory once it is read.
#include "input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "place/snapshot_data.h"
#include "spool.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;
constexpr const char* kPath = "/dev/stdin";

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
  Spool spool;
  if (!spool.is_open()) return input_error(ErrorCode::Unreadable, std::strerror(errno));
  if (auto error = spool.add(first)) return error;
  std::vector<char> piece(kPieceBytes);
  while (true) {
    const Result<std::size_t, Errno> count = read_input(piece);
    if (!count) return input_error(ErrorCode::Unreadable, std::strerror(static_cast<int>(count.error())));
    if (*count == 0) return spool.become(STDIN_FILENO);
    if (auto error = spool.add(std::span(piece).first(*count))) return error;
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
