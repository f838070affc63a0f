// Source: libarchive's archive_read(3), archive_entry(3). A zip is read by its central directory, so it takes a source
// that can be sought in. Sparse files come as blocks with gaps between them.
#include "place/archive_reader.h"

#ifdef SORESOLVE_HAS_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/path_walk.h"

namespace soresolve {
namespace {

bool starts_with(std::span<const std::byte> bytes, std::string_view magic, std::size_t at = 0) {
  return bytes.size() >= at + magic.size() && std::memcmp(bytes.data() + at, magic.data(), magic.size()) == 0;
}

using namespace std::string_view_literals;

Compression sniff_compression(std::span<const std::byte> first) {
  if (starts_with(first, "\x1f\x8b"sv)) return Compression::Gzip;
  if (starts_with(first, "BZh"sv)) return Compression::Bzip2;
  if (starts_with(first,
                  "\xfd"
                  "7zXZ\0"sv))
    return Compression::Xz;
  if (starts_with(first, "\x28\xb5\x2f\xfd"sv)) return Compression::Zstd;
  if (starts_with(first, "\x04\x22\x4d\x18"sv)) return Compression::Lz4;
  const bool is_skippable = first.size() >= 4 && (std::to_integer<unsigned>(first[0]) & 0xf0) == 0x50 &&
                            starts_with(first, "\x2a\x4d\x18"sv, 1);
  if (is_skippable) return Compression::Zstd;
  // A properties byte, a dictionary of a power of two, and a size that is not known (LZMA specification).
  if (starts_with(first, "\x5d\0\0"sv) && first.size() > 12 && starts_with(first, "\xff\xff\xff\xff"sv, 5)) {
    return Compression::Lzma;
  }
  return Compression::None;
}

}  // namespace

ArchiveKind sniff_archive(std::span<const std::byte> first) {
  const Compression compression = sniff_compression(first);
  if (compression != Compression::None) return {ArchiveFormat::None, compression};
  if (starts_with(first, "ustar"sv, 257)) return {ArchiveFormat::Tar, Compression::None};
  if (starts_with(first, "!<arch>\n"sv)) return {ArchiveFormat::Ar, Compression::None};
  if (starts_with(first, "PK\x03\x04"sv) || starts_with(first, "PK\x05\x06"sv)) return {ArchiveFormat::Zip, {}};
  if (starts_with(first, "\xed\xab\xee\xdb"sv)) return {ArchiveFormat::Rpm, Compression::None};
  for (const std::string_view magic : {"070701"sv, "070702"sv, "070707"sv, "\xc7\x71"sv, "\x71\xc7"sv}) {
    if (starts_with(first, magic)) return {ArchiveFormat::Cpio, Compression::None};
  }
  return {};
}

std::string_view name_of(ArchiveFormat format) {
  switch (format) {
    case ArchiveFormat::Tar: return "tar";
    case ArchiveFormat::Ar: return "ar";
    case ArchiveFormat::Cpio: return "cpio";
    case ArchiveFormat::Zip: return "zip";
    case ArchiveFormat::Rpm: return "rpm";
    case ArchiveFormat::None: break;
  }
  return "";
}

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::Gzip: return "gzip";
    case Compression::Bzip2: return "bzip2";
    case Compression::Xz: return "xz";
    case Compression::Lzma: return "lzma";
    case Compression::Zstd: return "zstd";
    case Compression::Lz4: return "lz4";
    case Compression::None: break;
  }
  return "";
}

#ifdef SORESOLVE_HAS_ARCHIVE

bool can_read_archives() { return true; }

namespace {

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

EntryType type_of(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return EntryType::HardLink;
  switch (archive_entry_filetype(entry)) {
    case AE_IFDIR: return EntryType::Directory;
    case AE_IFLNK: return EntryType::SymbolicLink;
    case AE_IFIFO: return EntryType::Fifo;
    case AE_IFSOCK: return EntryType::Socket;
    case AE_IFCHR:
    case AE_IFBLK: return EntryType::Device;
    default: return EntryType::Regular;
  }
}

std::string text_or(const char* bytes, const char* utf8) {
  return bytes != nullptr ? bytes : utf8 != nullptr ? utf8 : "";
}

std::vector<std::byte> capabilities_of(archive_entry* entry) {
  archive_entry_xattr_reset(entry);
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  while (archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK) {
    if (name == nullptr || std::string_view(name) != "security.capability" || size > 64) continue;
    const std::byte* first = static_cast<const std::byte*>(value);
    return {first, first + size};
  }
  return {};
}

std::uint64_t size_of(archive_entry* entry) {
  return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(entry), 0));
}

ArchiveEntry described(archive_entry* from) {
  ArchiveEntry entry;
  entry.path = text_or(archive_entry_pathname(from), archive_entry_pathname_utf8(from));
  entry.type = type_of(from);
  if (entry.type == EntryType::HardLink)
    entry.target = text_or(archive_entry_hardlink(from), archive_entry_hardlink_utf8(from));
  if (entry.type == EntryType::SymbolicLink)
    entry.target = text_or(archive_entry_symlink(from), archive_entry_symlink_utf8(from));
  if (entry.target.size() >= kPathMax) entry.target.resize(kPathMax - 1);
  entry.mode = archive_entry_perm(from) & 07777;
  entry.owner = static_cast<std::uint32_t>(archive_entry_uid(from));
  entry.group = static_cast<std::uint32_t>(archive_entry_gid(from));
  entry.modified_ns =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(archive_entry_mtime(from)) * 1'000'000'000u) +
      archive_entry_mtime_nsec(from);
  if (entry.type == EntryType::Regular) entry.size_bytes = size_of(from);
  entry.is_null_device = archive_entry_filetype(from) == AE_IFCHR && archive_entry_rdevmajor(from) == 0 &&
                         archive_entry_rdevminor(from) == 0;
  entry.capabilities = capabilities_of(from);
  return entry;
}

}  // namespace

struct ArchiveReader::State {
  ByteSource& source;
  ArchiveKind kind;
  std::string name;
  std::unique_ptr<archive, FreeArchive> reader{archive_read_new()};
  bool is_open = false;
  bool is_plain_entry = false;  ///< of the entry: its bytes come as they lie in the archive
  // The block that was read last, as far as it was not handed out.
  std::span<const std::byte> block = {};
  std::uint64_t block_offset = 0;  ///< of its first byte, in the entry
  std::uint64_t position = 0;      ///< in the entry
  std::uint64_t entry_size = 0;
  std::uint64_t source_position = 0;
  bool has_ended = false;                              ///< the entry has no more blocks
  std::unique_ptr<UnpackedSource> unpacked = nullptr;  ///< of what is compressed
  std::optional<Digest> digest = std::nullopt;         ///< of what comes out of it
  bool has_entry = false;                              ///< the reader stands in one
  bool has_end_mark = false;

  /// Where the archive itself comes from.
  [[nodiscard]] ByteSource& from() { return unpacked ? static_cast<ByteSource&>(*unpacked) : source; }

  [[nodiscard]] Error error(ErrorCode code, std::string what) const { return Error{code, name, {}, std::move(what)}; }
  [[nodiscard]] Error failure() const;
  std::optional<Error> open();
  void add_filter();
  std::optional<Error> start();
  std::optional<Error> next_block();
  [[nodiscard]] archive* get() const { return reader.get(); }
  [[nodiscard]] bool is_zip() const { return kind.format == ArchiveFormat::Zip; }

  static la_ssize_t read_piece(archive* reader, void* self, const void** piece) {
    State& state = *static_cast<State*>(self);
    const Result<std::span<const std::byte>, Errno> got = state.from().read();
    if (!got) {
      archive_set_error(reader, static_cast<int>(got.error()), "cannot be read");
      return -1;
    }
    if (state.digest) state.digest->add(*got);
    *piece = got->data();
    state.source_position += got->size();
    return static_cast<la_ssize_t>(got->size());
  }
  static la_int64_t skip_bytes(archive*, void* self, la_int64_t bytes) {
    State& state = *static_cast<State*>(self);
    const std::uint64_t skipped = state.from().skip(static_cast<std::uint64_t>(std::max<la_int64_t>(bytes, 0)));
    state.source_position += skipped;
    return static_cast<la_int64_t>(skipped);
  }
  static la_int64_t seek_to(archive*, void* self, la_int64_t offset, int whence) {
    State& state = *static_cast<State*>(self);
    const std::uint64_t size = state.from().size_bytes().value_or(0);
    const std::uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? state.source_position : size;
    const std::uint64_t to = from + static_cast<std::uint64_t>(offset);
    if (!state.from().seek(to)) return ARCHIVE_FATAL;
    state.source_position = to;
    return static_cast<la_int64_t>(to);
  }
};

/// In the words of libarchive, which tell a damaged file from one that ends too early.
Error ArchiveReader::State::failure() const {
  if (unpacked && unpacked->failure()) return *unpacked->failure();
  const char* const text = archive_error_string(get());
  const std::string words = text != nullptr ? text : "is damaged";
  const bool is_truncated =
      words.find("runcated") != std::string::npos || words.find("nexpected end") != std::string::npos;
  if (words.find("nrecognized archive format") != std::string::npos) {
    return error(ErrorCode::Unsupported, "is no archive of a known format");
  }
  return error(is_truncated ? ErrorCode::Truncated : ErrorCode::Malformed,
               "the archive cannot be read to its end: " + words);
}

void ArchiveReader::State::add_filter() {
  switch (kind.compression) {
    case Compression::Gzip: archive_read_support_filter_gzip(get()); break;
    case Compression::Bzip2: archive_read_support_filter_bzip2(get()); break;
    case Compression::Xz: archive_read_support_filter_xz(get()); break;
    case Compression::Lzma: archive_read_support_filter_lzma(get()); break;
    case Compression::Zstd: archive_read_support_filter_zstd(get()); break;
    case Compression::Lz4: archive_read_support_filter_lz4(get()); break;
    case Compression::None: break;
  }
}

std::optional<Error> ArchiveReader::State::open() {
  is_open = true;
  if (!reader) return error(ErrorCode::LimitReached, "no memory is left to read an archive");
  if (kind.compression != Compression::None)
    unpacked = std::make_unique<UnpackedSource>(source, kind.compression, name, kind.begin);
  const bool is_compressed = kind.format == ArchiveFormat::None;
  if (is_compressed || kind.format == ArchiveFormat::Tar) archive_read_support_format_tar(get());
  if (is_compressed || kind.format == ArchiveFormat::Cpio) archive_read_support_format_cpio(get());
  if (kind.format == ArchiveFormat::Ar) archive_read_support_format_ar(get());
  if (kind.format == ArchiveFormat::Zip) archive_read_support_format_zip_seekable(get());
  // Names are bytes, whatever the locale of this program is.
  for (const char* format : {"tar", "cpio", "zip"})
    archive_read_set_format_option(get(), format, "hdrcharset", "BINARY");
  return start();
}

std::optional<Error> ArchiveReader::State::start() {
  archive_read_set_read_callback(get(), read_piece);
  archive_read_set_skip_callback(get(), skip_bytes);
  if (from().seek(0)) archive_read_set_seek_callback(get(), seek_to);
  archive_read_set_callback_data(get(), this);
  if (archive_read_open1(get()) != ARCHIVE_OK) return failure();
  return std::nullopt;
}

Result<std::optional<ArchiveEntry>> ArchiveReader::next() {
  State& state = *state_;
  if (!state.is_open) {
    if (auto failed = state.open()) return Unexpected{std::move(*failed)};
  }
  if (state.has_entry && archive_read_data_skip(state.get()) < ARCHIVE_WARN) return Unexpected{state.failure()};
  const la_int64_t before = archive_filter_bytes(state.get(), 0);
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(state.get(), &entry);
  state.has_entry = status == ARCHIVE_OK || status == ARCHIVE_WARN;
  if (status == ARCHIVE_EOF) {
    // A tar ends with blocks of zeros, which are passed; the end of the file is one to libarchive as well.
    const bool is_tar = (archive_format(state.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
    state.has_end_mark = !is_tar || archive_filter_bytes(state.get(), 0) > before;
    return std::optional<ArchiveEntry>();
  }
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return Unexpected{state.failure()};
  state.block = {};
  state.block_offset = 0;
  state.position = 0;
  state.has_ended = false;
  if (archive_entry_is_encrypted(entry) != 0) {
    return Unexpected{state.error(ErrorCode::Unsupported, "is encrypted: decrypt it first")};
  }
  ArchiveEntry found = described(entry);
  // The last link of a file has its bytes in cpio's newc, and in the rpm's that is one.
  if (found.type == EntryType::HardLink && is_cpio()) found.size_bytes = size_of(entry);
  state.entry_size = found.size_bytes;
  const bool is_stored = archive_filter_count(state.get()) == 1 && !state.unpacked &&
                         archive_entry_sparse_count(entry) == 0 && !state.is_zip();
  state.is_plain_entry = is_stored && found.size_bytes > 0;
  return std::optional<ArchiveEntry>(std::move(found));
}

std::optional<Error> ArchiveReader::State::next_block() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  while (!has_ended) {
    const int status = archive_read_data_block(get(), &bytes, &size, &offset);
    if (status == ARCHIVE_EOF) {
      has_ended = true;
      block = {};
      block_offset = entry_size;
    } else if (status != ARCHIVE_OK && (status != ARCHIVE_WARN || is_zip())) {  // of a zip: another CRC-32 or size
      return failure();
    } else if (size > 0) {
      block = {static_cast<const std::byte*>(bytes), size};
      block_offset = static_cast<std::uint64_t>(std::max<la_int64_t>(offset, 0));
      break;
    }
  }
  return std::nullopt;
}

Result<std::size_t> ArchiveReader::read(std::span<std::byte> into) {
  State& state = *state_;
  const std::uint64_t left = state.entry_size - std::min(state.position, state.entry_size);
  if (into.size() > left) into = into.first(static_cast<std::size_t>(left));
  std::size_t done = 0;
  while (done < into.size()) {
    const std::uint64_t block_end = state.block_offset + state.block.size();
    if (state.position >= block_end && !state.has_ended) {
      if (auto failed = state.next_block()) return Unexpected{std::move(*failed)};
      continue;
    }
    const std::uint64_t wanted = into.size() - done;
    std::size_t step = 0;
    const bool is_hole = state.position < state.block_offset;
    if (is_hole && !state.is_zip()) {
      step = static_cast<std::size_t>(std::min(wanted, state.block_offset - state.position));
      std::memset(into.data() + done, 0, step);
    } else if (!is_hole && state.position < block_end) {
      step = static_cast<std::size_t>(std::min(wanted, block_end - state.position));
      std::memcpy(into.data() + done, state.block.data() + (state.position - state.block_offset), step);
    } else {
      return Unexpected{state.error(ErrorCode::Truncated, "an entry of the archive is shorter than it says")};
    }
    done += step;
    state.position += step;
  }
  // What is wrong with all of an entry of a zip is said at its end.
  while (state.is_zip() && state.position == state.entry_size && !state.has_ended) {
    if (auto failed = state.next_block()) return Unexpected{std::move(*failed)};
  }
  return done;
}

std::optional<std::uint64_t> ArchiveReader::place() {
  State& state = *state_;
  if (!state.is_plain_entry || state.position != 0 || !state.block.empty()) return std::nullopt;
  if (state.next_block() || state.has_ended || state.block_offset != 0) return std::nullopt;
  // The block lies in the reader's window, whose front is what was consumed so far.
  const la_int64_t at = archive_filter_bytes(state.get(), 0);
  if (at < 0) return std::nullopt;
  return static_cast<std::uint64_t>(at);
}

std::uint64_t ArchiveReader::unpacked_bytes() const {
  return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(state_->get(), 0), 0));
}

bool ArchiveReader::is_cpio() const {
  return (archive_format(state_->get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_CPIO;
}

bool ArchiveReader::has_end_mark() const { return state_->has_end_mark; }

Result<std::span<const std::byte>> ArchiveReader::read_behind() {
  if (!state_->unpacked) return std::span<const std::byte>();
  const Result<std::span<const std::byte>, Errno> piece = state_->unpacked->read();
  if (!piece) return Unexpected{*state_->unpacked->failure()};
  if (state_->digest) state_->digest->add(*piece);
  return *piece;
}

std::string ArchiveReader::unpacked_digest() { return state_->digest->finish(); }

std::optional<Error> UnpackedSource::start() {
  is_started_ = true;
  ArchiveReader::State& state = *state_;
  if (state.kind.compression == Compression::Gzip) gunzip_ = Gunzip::make(state.source, state.name);
  if (gunzip_) return std::nullopt;
  if (!state.reader) return state.error(ErrorCode::LimitReached, "no memory is left to read an archive");
  state.add_filter();
  archive_read_support_format_raw(state.get());
  if (auto failed = state.start()) return failed;
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(state.get(), &entry);
  if (status == ARCHIVE_EOF) state.has_ended = true;
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN && status != ARCHIVE_EOF) return state.failure();
  return std::nullopt;
}

std::optional<Error> UnpackedSource::next_piece() {
  if (!gunzip_) return state_->next_block();
  Result<std::span<const std::byte>> piece = gunzip_->read();
  if (!piece) return std::move(piece).error();
  state_->block = *piece;
  state_->has_ended = piece->empty();
  return std::nullopt;
}

Result<std::span<const std::byte>, Errno> UnpackedSource::read() {
  if (!is_started_) failure_ = start();
  while (!failure_ && !state_->has_ended) {
    failure_ = next_piece();
    if (failure_) break;
    const std::size_t passed = static_cast<std::size_t>(std::min<std::uint64_t>(to_pass_, state_->block.size()));
    to_pass_ -= passed;
    if (passed < state_->block.size()) return state_->block.subspan(passed);
  }
  if (failure_) return fail(EIO);
  return std::span<const std::byte>();
}

std::uint64_t UnpackedSource::stored_bytes() const {
  if (gunzip_) return gunzip_->stored_bytes();
  return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(state_->get(), -1), 0));
}

#else

bool can_read_archives() { return false; }

struct ArchiveReader::State {
  ByteSource& source;
  ArchiveKind kind;
  std::string name;
  std::optional<Digest> digest = std::nullopt;
};

Result<std::optional<ArchiveEntry>> ArchiveReader::next() {
  return Unexpected{Error{ErrorCode::Unsupported,
                          state_->name,
                          {},
                          "is an archive, and this build reads none: it was made without libarchive"}};
}
Result<std::size_t> ArchiveReader::read(std::span<std::byte>) { return std::size_t{0}; }
std::optional<std::uint64_t> ArchiveReader::place() { return std::nullopt; }
std::uint64_t ArchiveReader::unpacked_bytes() const { return 0; }
bool ArchiveReader::is_cpio() const { return false; }
bool ArchiveReader::has_end_mark() const { return false; }
Result<std::span<const std::byte>> ArchiveReader::read_behind() { return std::span<const std::byte>(); }
std::string ArchiveReader::unpacked_digest() { return {}; }
std::optional<Error> UnpackedSource::next_piece() { return std::nullopt; }
Result<std::span<const std::byte>, Errno> UnpackedSource::read() {
  if (!is_started_) failure_ = start();
  return fail(EIO);
}
std::optional<Error> UnpackedSource::start() {
  is_started_ = true;
  return Error{ErrorCode::Unsupported, state_->name, {}, "is compressed, and this build was made without libarchive"};
}
std::uint64_t UnpackedSource::stored_bytes() const { return 0; }

#endif

ArchiveReader::ArchiveReader(ByteSource& source, ArchiveKind kind, std::string name, Digests digests)
    : state_(new State{source, kind, std::move(name)}) {
  if (digests == Digests::Yes) state_->digest.emplace(DigestKind::Sha256);
}
ArchiveReader::~ArchiveReader() = default;
ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;
ArchiveReader& ArchiveReader::operator=(ArchiveReader&&) noexcept = default;

UnpackedSource::UnpackedSource(ByteSource& source, Compression how, std::string name, std::uint64_t begin)
    : state_(new ArchiveReader::State{source, {ArchiveFormat::None, how}, std::move(name)}), to_pass_(begin) {}
UnpackedSource::~UnpackedSource() = default;

std::optional<Error> unpack(ByteSource& source, Compression how, const std::string& name,
                            const std::function<TakesMore(std::span<const std::byte>)>& take) {
  UnpackedSource unpacked(source, how, name);
  while (true) {
    const Result<std::span<const std::byte>, Errno> piece = unpacked.read();
    if (!piece) return unpacked.failure();
    if (piece->empty() || take(*piece) == TakesMore::No) return std::nullopt;
  }
}

}  // namespace soresolve
