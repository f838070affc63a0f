// mkostemp(3), write(2), rename(2): a reader sees a whole layer or none.
#include "place/layer_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <span>
#include <utility>

#include "base/digest.h"
#include "place/archive_tree.h"
#include "place/byte_source.h"

namespace soresolve {
namespace {

std::string path_of_unpacked(const std::string& directory, const std::string& diff_id) {
  return directory + (directory.ends_with('/') ? "" : "/") + diff_id + ".tar";
}

/// Makes the directory and those above it. 0, or what mkdir(2) says.
int make_directories(const std::string& path) {
  for (std::size_t at = 1; at <= path.size(); ++at) {
    if (at != path.size() && path[at] != '/') continue;
    if (::mkdir(path.substr(0, at).c_str(), 0777) != 0 && errno != EEXIST) return errno;
  }
  return 0;
}

/// A file that goes away unless it is given its name.
class NamelessFile {
 public:
  explicit NamelessFile(std::string path) : path_(std::move(path)), beside_(path_ + ".XXXXXX") {
    descriptor_ = ::mkostemp(beside_.data(), O_CLOEXEC);
    if (descriptor_ < 0) error_ = errno;
  }
  ~NamelessFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(beside_.c_str());
  }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty() && error_ == 0) {
      const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
      if (done < 0 && errno != EINTR) error_ = errno;
      if (done > 0) bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
  }
  void give_name() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (error_ == 0 && ::fchmod(descriptor_, 0666 & ~mask) != 0) error_ = errno;
    const int closed = ::close(std::exchange(descriptor_, -1));
    if (closed != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && std::rename(beside_.c_str(), path_.c_str()) != 0) error_ = errno;
    if (error_ != 0) ::unlink(beside_.c_str());
  }
  [[nodiscard]] int error() const { return error_; }

 private:
  std::string path_;
  std::string beside_;
  int descriptor_ = -1;
  int error_ = 0;
};

}  // namespace

std::optional<ByteRange> find_unpacked(const std::string& directory, const std::string& diff_id) {
  Result<ByteRange> range = range_of_host_file(path_of_unpacked(directory, diff_id));
  if (!range) return std::nullopt;
  return std::move(*range);
}

Result<ByteRange> unpack_into(const std::string& directory, const PackedLayer& layer) {
  const auto cannot_write = [&](int error) {
    return Unexpected{
        Error{ErrorCode::Unreadable,
              directory,
              {},
              "nothing can be kept there: " + errno_text(static_cast<Errno>(error), ErrnoText::FromDlerror)}};
  };
  const auto refuse = [&](ErrorCode code, std::string message) {
    return Unexpected{Error{code, layer.name, {}, std::move(message)}};
  };
  if (const int error = make_directories(directory); error != 0) return cannot_write(error);
  const std::string path = path_of_unpacked(directory, layer.diff_id);
  NamelessFile file(path);
  if (file.error() != 0) return cannot_write(file.error());

  RangeSource source(layer.range, RangeSource::Pieces::Large);
  DigestingSource stored(source);
  Digest unpacked(DigestKind::Sha256);
  std::uint64_t bytes = 0;
  const auto failed = unpack(stored, layer.how, layer.name, [&](std::span<const std::byte> piece) {
    bytes += piece.size();
    if (is_bomb(layer.range.size_bytes, bytes)) return TakesMore::No;
    unpacked.add(piece);
    file.write(piece);
    return file.error() == 0 ? TakesMore::Yes : TakesMore::No;
  });
  if (failed) return Unexpected{*failed};
  if (is_bomb(layer.range.size_bytes, bytes)) return refuse(ErrorCode::LimitReached, bomb_words());
  if (file.error() != 0) return cannot_write(file.error());
  const auto differs = [&](const std::string& what, const std::string& is, const std::string& said) {
    return refuse(ErrorCode::Malformed,
                  what + " SHA-256 is " + is + ", not " + said + " as the image says: it is damaged");
  };
  const std::optional<std::string> digest = stored.finish();
  if (!digest) return refuse(ErrorCode::Unreadable, "cannot be read to its end");
  if (!layer.sha256.empty() && *digest != layer.sha256) return differs("its", *digest, layer.sha256);
  if (const std::string found = unpacked.finish(); found != layer.diff_id) {
    return differs("when it is unpacked its", found, layer.diff_id);
  }
  file.give_name();
  if (file.error() != 0) return cannot_write(file.error());
  return range_of_host_file(path);
}

}  // namespace soresolve
