// The entries of one archive, one after the other. libarchive reads the formats; only those that are named here are
// ever switched on, and no filter that starts a program.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "place/byte_source.h"
#include "place/file_tree.h"
#include "place/gunzip.h"
#include "soresolve/result.h"

namespace soresolve {

/// What the first bytes of a file say that it is.
enum class ArchiveFormat : std::uint8_t { None, Tar, Ar, Cpio, Zip, Rpm };
enum class Compression : std::uint8_t { None, Gzip, Bzip2, Xz, Lzma, Zstd, Lz4 };
struct ArchiveKind {
  ArchiveFormat format = ArchiveFormat::None;  ///< None where it is compressed: what is inside is not known yet
  Compression compression = Compression::None;
  /// Where in what comes out of the decompressor it begins, of a cpio that lies behind another one.
  std::uint64_t begin = 0;
};
/// How many bytes sniff_archive() wants.
inline constexpr std::size_t kSniffedBytes = 512;
/// Source: the magic numbers of file(1)'s magic(5), POSIX ustar at 257, RFC 1952, RFC 8878 with its skippable frames.
ArchiveKind sniff_archive(std::span<const std::byte> first);
/// Is there something to read archives with in this build?
bool can_read_archives();
std::string_view name_of(ArchiveFormat format);     ///< "tar", "zip"
std::string_view name_of(Compression compression);  ///< "gzip"; empty for None

/// Does who takes the bytes want more of them?
enum class TakesMore : std::uint8_t { No, Yes };
/// What comes out of a decompressor, piece by piece, whatever it is an archive of. Errors: as ArchiveReader::next().
std::optional<Error> unpack(ByteSource& source, Compression how, const std::string& name,
                            const std::function<TakesMore(std::span<const std::byte>)>& take);

class UnpackedSource;

class ArchiveReader {
 public:
  /// Is the SHA-256 of what comes out of a decompressor wanted?
  enum class Digests : std::uint8_t { No, Yes };
  /// The source is borrowed.
  ArchiveReader(ByteSource& source, ArchiveKind kind, std::string name, Digests digests = Digests::No);
  ~ArchiveReader();
  ArchiveReader(ArchiveReader&&) noexcept;
  ArchiveReader& operator=(ArchiveReader&&) noexcept;

  /// The next entry; nullopt at the end. What was not read of the one before is passed over. Errors: Unsupported for
  /// what is no archive of these kinds, Truncated and Malformed for a damaged one.
  Result<std::optional<ArchiveEntry>> next();
  /// The next bytes of the entry; fewer only at its end. Holes are zeros. Errors: as next().
  Result<std::size_t> read(std::span<std::byte> into);
  /// Where the entry's bytes lie in the source as they are; nullopt: they do not. Call before the first read().
  [[nodiscard]] std::optional<std::uint64_t> place();
  /// How many bytes have come out of the decompressor.
  [[nodiscard]] std::uint64_t unpacked_bytes() const;
  /// Is it a cpio? Known once there was an entry or the end.
  [[nodiscard]] bool is_cpio() const;
  /// Known at the end: did it say that it ends? A tar that was cut off between two entries did not.
  [[nodiscard]] bool has_end_mark() const;
  /// What comes out of the decompressor behind the archive, piece by piece; empty at its end, where it has compared its
  /// sums, and where there is none. Errors: as next().
  Result<std::span<const std::byte>> read_behind();
  /// SHA-256 of all that has come out of the decompressor, in hexadecimal. Once, at its end.
  [[nodiscard]] std::string unpacked_digest();

 private:
  friend class UnpackedSource;
  struct State;
  std::unique_ptr<State> state_;
};

/// What comes out of a decompressor, from its byte `begin` on.
class UnpackedSource final : public ByteSource {
 public:
  /// The source is borrowed.
  UnpackedSource(ByteSource& source, Compression how, std::string name, std::uint64_t begin = 0);
  ~UnpackedSource() override;
  /// Errors: EIO, and failure() says why.
  Result<std::span<const std::byte>, Errno> read() override;
  std::uint64_t skip(std::uint64_t) override { return 0; }
  bool seek(std::uint64_t) override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const override { return std::nullopt; }
  /// As those of ArchiveReader::next().
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  /// How far the decompressor has gone in its source.
  [[nodiscard]] std::uint64_t stored_bytes() const;

 private:
  std::optional<Error> start();
  std::optional<Error> next_piece();

  std::unique_ptr<ArchiveReader::State> state_;
  std::unique_ptr<Gunzip> gunzip_;
  std::uint64_t to_pass_;
  bool is_started_ = false;
  std::optional<Error> failure_;
};

}  // namespace soresolve
