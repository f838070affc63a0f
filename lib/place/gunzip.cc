// zlib compares the CRC-32 and the size of each member when it comes to its end. Behind a member lies another one if it
// begins as one: what does not (zeros of a tape, the next archive of an initrd) is no fault of it.
#include "place/gunzip.h"

#include <algorithm>
#include <utility>
#include <vector>

#ifdef SORESOLVE_HAS_ZLIB
#include <zlib.h>
#endif

namespace soresolve {

#ifdef SORESOLVE_HAS_ZLIB

namespace {
constexpr std::size_t kGunzipPiece = 64 << 10;
constexpr int kOnlyGzip = 16 + MAX_WBITS;
constexpr std::uint64_t kFixedHead = 4;  ///< magic, method and flags: without them no member begins
}  // namespace

struct Gunzip::Stream {
  z_stream z{};
  std::vector<Bytef> out = std::vector<Bytef>(kGunzipPiece);
  std::uint64_t members = 0;
  bool is_ready = false;
  bool is_within = false;  ///< a member
  bool is_at_end = false;  ///< of the source
};

std::unique_ptr<Gunzip> Gunzip::make(ByteSource& source, const std::string& name) {
  return std::make_unique<Gunzip>(source, name);
}

Gunzip::Gunzip(ByteSource& source, std::string name)
    : source_(source), name_(std::move(name)), stream_(std::make_unique<Stream>()) {
  stream_->is_ready = ::inflateInit2(&stream_->z, kOnlyGzip) == Z_OK;
}

Gunzip::~Gunzip() {
  if (stream_->is_ready) ::inflateEnd(&stream_->z);
}

Error Gunzip::failure(ErrorCode code, const std::string& words) const {
  return Error{code, name_, {}, "the archive cannot be read to its end: " + words};
}

/// The next bytes of the source, where the last ones are used up.
std::optional<Error> Gunzip::fill() {
  Stream& stream = *stream_;
  if (stream.z.avail_in != 0 || stream.is_at_end) return std::nullopt;
  const Result<std::span<const std::byte>, Errno> piece = source_.read();
  if (!piece) return failure(ErrorCode::Unreadable, "cannot be read");
  stream.is_at_end = piece->empty();
  stream.z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece->data()));
  stream.z.avail_in = static_cast<uInt>(piece->size());
  return std::nullopt;
}

Result<std::span<const std::byte>> Gunzip::read() {
  Stream& stream = *stream_;
  if (!stream.is_ready) return Unexpected{Error{ErrorCode::LimitReached, name_, {}, "no memory is left to unpack it"}};
  while (true) {
    if (auto failed = fill()) return Unexpected{std::move(*failed)};
    if (!stream.is_within) {
      if (stream.is_at_end || *stream.z.next_in != 0x1f) return std::span<const std::byte>();
      ::inflateReset(&stream.z);
      stream.is_within = true;
    }
    stream.z.next_out = stream.out.data();
    stream.z.avail_out = static_cast<uInt>(stream.out.size());
    const int status = ::inflate(&stream.z, Z_NO_FLUSH);
    const std::size_t got = stream.out.size() - stream.z.avail_out;
    if (status == Z_STREAM_END) {
      stored_bytes_ += stream.z.total_in;
      ++stream.members;
      stream.is_within = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      const bool is_none = stream.members > 0 && stream.z.total_in <= kFixedHead;
      if (is_none) return std::span<const std::byte>();
      return Unexpected{
          failure(ErrorCode::Malformed,
                  std::string("gzip: ") + (stream.z.msg != nullptr ? stream.z.msg : "no memory is left"))};
    }
    if (got > 0) return std::as_bytes(std::span(stream.out).first(got));
    if (stream.is_within && stream.is_at_end) {
      if (stream.members > 0 && stream.z.total_in < kFixedHead) return std::span<const std::byte>();
      return Unexpected{failure(ErrorCode::Truncated, "truncated gzip input")};
    }
  }
}

#else

struct Gunzip::Stream {};
std::unique_ptr<Gunzip> Gunzip::make(ByteSource&, const std::string&) { return nullptr; }
Gunzip::~Gunzip() = default;

#endif

}  // namespace soresolve
