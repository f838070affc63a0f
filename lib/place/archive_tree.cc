// Of a stream that has to be decompressed, one pass makes the tree and keeps the tables of ELF files and what decides
// beside them (configuration, records of packages); the rest is had by another pass.
#include "place/archive_tree.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/content_hash.h"
#include "base/load.h"
#include "base/path.h"
#include "place/loader_parts.h"
#include "place/unpacked_entries.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kAlwaysAllowedBytes = std::uint64_t{4} << 30;  ///< of what comes out of the decompressor
constexpr std::uint64_t kMostRatio = 300;                              ///< beyond that

}  // namespace

std::uint64_t device_of(const ByteRange& range, const ArchiveKind& kind) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio: each bit reaches those above it
  const FileId id = range.file->status().id;
  std::uint64_t device = kOdd;
  for (const std::uint64_t part : {id.device, id.inode, range.offset, kind.begin}) {
    device = (device ^ part) * kOdd;
    device ^= device >> 32;
  }
  return device;
}

bool is_bomb(std::uint64_t stored, std::uint64_t unpacked) {
  return unpacked > kAlwaysAllowedBytes && unpacked / kMostRatio > stored;
}

std::string bomb_words() {
  return "grows to more than " + std::to_string(kMostRatio) + " times its size when it is unpacked";
}

namespace {

constexpr std::uint64_t kHeadersBytes = 64 << 10;
constexpr std::size_t kFirstStep = 1 << 20;
constexpr std::size_t kMostEntries = 4'000'000;
constexpr std::uint64_t kMostEntryBytes = std::uint64_t{1} << 44;  ///< of one entry of a stream

/// The bytes of one entry as they come out, and their hash once they are wanted to the end.
class EntryBytes {
 public:
  explicit EntryBytes(ArchiveReader& reader) : reader_(reader) {}
  Result<std::size_t> read(std::span<std::byte> into) {
    Result<std::size_t> got = reader_.read(into);
    if (got) hash_.add(into.first(*got));
    return got;
  }
  /// Reads what is left.
  Result<ContentHash::Value> finish() {
    std::vector<std::byte> rest(kFirstStep);
    while (true) {
      const Result<std::size_t> got = read(rest);
      if (!got) return Unexpected{got.error()};
      if (*got == 0) return hash_.finish();
    }
  }

 private:
  ArchiveReader& reader_;
  ContentHash hash_;
};

/// What is kept of an entry.
struct KeptEntry {
  std::vector<KeptContent::Part> parts;
  std::optional<ContentHash::Value> hash;  ///< of an ELF file
};

/// Goes on reading until `part` has bytes up to `end`, or there are no more.
std::optional<Error> read_up_to(EntryBytes& reader, std::uint64_t end, KeptContent::Part& part) {
  while (part.offset + part.bytes.size() < end) {
    const std::size_t done = part.bytes.size();
    // Grown as it comes: a header may say anything.
    const std::uint64_t step =
        std::min<std::uint64_t>(std::max<std::uint64_t>(kFirstStep, done), end - part.offset - done);
    part.bytes.resize(done + static_cast<std::size_t>(step));
    const Result<std::size_t> got = reader.read(std::span(part.bytes).subspan(done));
    if (!got) return got.error();
    part.bytes.resize(done + *got);
    if (*got == 0) return std::nullopt;
  }
  return std::nullopt;
}

/// The parts of an ELF file that is too large to be held, of which `head` has been read.
Result<std::vector<KeptContent::Part>> parts_of_large(EntryBytes& reader, KeptContent::Part head,
                                                      std::uint64_t size_bytes) {
  std::vector<KeptContent::Part> parts;
  std::uint64_t at = head.bytes.size();
  std::vector<std::byte> passed(kFirstStep);
  for (const Window& window : large_file_windows(head.bytes, size_bytes)) {
    while (at < window.offset) {
      const std::uint64_t wanted = std::min<std::uint64_t>(passed.size(), window.offset - at);
      const Result<std::size_t> got = reader.read(std::span(passed).first(static_cast<std::size_t>(wanted)));
      if (!got) return Unexpected{got.error()};
      if (*got == 0) return parts;
      at += *got;
    }
    KeptContent::Part part = parts.empty() ? std::move(head) : KeptContent::Part{window.offset, {}};
    if (auto failed = read_up_to(reader, window.end, part)) return Unexpected{std::move(*failed)};
    at = part.offset + part.bytes.size();
    parts.push_back(std::move(part));
  }
  return parts;
}

/// The parts of a file that are kept of a stream: of each its first bytes, by which it is known what it is.
Result<KeptEntry> kept_parts(ArchiveReader& archive, const ArchiveEntry& entry) {
  EntryBytes reader(archive);
  KeptEntry kept;
  KeptContent::Part head;
  if (auto failed = read_up_to(reader, bytes_asked_for(entry.path, entry.mode, entry.size_bytes), head)) {
    return Unexpected{std::move(*failed)};
  }
  const bool is_elf = head.bytes.size() >= 4 && std::memcmp(head.bytes.data(),
                                                            "\x7f"
                                                            "ELF",
                                                            4) == 0;
  if (!is_elf) {
    kept.parts.push_back(std::move(head));
    return kept;
  }
  const bool is_large = entry.size_bytes > kWholeEntryBytes;
  if (auto failed = read_up_to(reader, is_large ? kHeadersBytes : entry.size_bytes, head)) {
    return Unexpected{std::move(*failed)};
  }
  if (is_large) {
    Result<std::vector<KeptContent::Part>> windows = parts_of_large(reader, std::move(head), entry.size_bytes);
    if (!windows) return Unexpected{std::move(windows).error()};
    kept.parts = std::move(*windows);
  } else {
    kept.parts.push_back(std::move(head));
  }
  // All of it comes out of the decompressor anyway; to compare it later would be another pass.
  const Result<ContentHash::Value> hash = reader.finish();
  if (!hash) return Unexpected{hash.error()};
  kept.hash = *hash;
  kept.parts = loader_parts(std::move(kept.parts), entry.size_bytes);
  return kept;
}

class TreeReading {
 public:
  TreeReading(const ByteRange& range, const ArchiveTreeOptions& options)
      : range_(range), options_(options), kind_(options.kind ? *options.kind : sniff_archive(first_bytes(range))),
        is_plain_(kind_.compression == Compression::None && kind_.format != ArchiveFormat::Zip),
        builder_(options.layer, options.whiteouts, device_of(range, kind_)) {}

  Result<ArchiveTree> read() {
    // A layer that takes files away and brings none may be nothing but zeros.
    if (kind_.format == ArchiveFormat::None && is_plain_) {
      const std::vector<std::byte> first = first_bytes(range_);
      if (std::any_of(first.begin(), first.end(), [](std::byte b) { return b != std::byte{0}; }) && !is_old_tar(first))
        return Unexpected{failure(ErrorCode::Unsupported, "is no archive of a known format")};
      kind_.format = ArchiveFormat::Tar;
    }
    const bool is_zip = kind_.format == ArchiveFormat::Zip;
    const bool digests = !options_.sha256.empty() && !is_zip && (!is_plain_ || options_.must_digest);
    const bool skips = !digests && (is_plain_ || is_zip);
    const bool digests_unpacked = !is_plain_ && !is_zip && !options_.unpacked_sha256.empty();
    RangeSource source(range_, skips ? RangeSource::Pieces::Small : RangeSource::Pieces::Large);
    DigestingSource digesting(source);
    ArchiveReader reader(digests ? static_cast<ByteSource&>(digesting) : source, kind_, options_.name,
                         digests_unpacked ? ArchiveReader::Digests::Yes : ArchiveReader::Digests::No);
    const bool is_empty = range_.size_bytes == 0;
    if (!is_empty) {
      if (auto failed = read_entries(reader)) return Unexpected{std::move(*failed)};
    }
    end_ = kind_.begin + reader.unpacked_bytes();
    if (kind_.format == ArchiveFormat::None && reader.is_cpio()) kind_.format = ArchiveFormat::Cpio;
    const bool is_all_of_it = kind_.format != ArchiveFormat::Cpio || options_.is_alone;
    if (!is_empty && is_all_of_it) {
      if (auto failed = read_behind(reader)) return Unexpected{std::move(*failed)};
    }
    if (digests) {
      const std::optional<std::string> digest = digesting.finish();
      if (!digest) return Unexpected{failure(ErrorCode::Unreadable, "cannot be read to its end")};
      if (*digest != options_.sha256) return Unexpected{other_digest("its", *digest, options_.sha256)};
    }
    if (digests_unpacked) {
      const std::string digest = reader.unpacked_digest();
      if (digest != options_.unpacked_sha256)
        return Unexpected{other_digest("when it is unpacked its", digest, options_.unpacked_sha256)};
    }
    if (!reader.has_end_mark() && !digests && !digests_unpacked) {
      // Who made it may have left out its end: nothing is missing as long as its digest is right.
      if (!options_.sha256.empty()) {
        ArchiveTreeOptions strict = options_;
        strict.must_digest = true;
        return TreeReading(range_, strict).read();
      }
      if (is_empty) return Unexpected{failure(ErrorCode::Truncated, "is empty: an archive has an end mark at least")};
      builder_.lose({}, "it has no end mark: it may be cut off, and files may be missing");
    }
    return ended();
  }

 private:
  /// What is left of the stream, so that what its decompressor compares at the end is compared.
  std::optional<Error> read_behind(ArchiveReader& reader) {
    for (std::uint64_t bytes = end_;;) {
      const Result<std::span<const std::byte>> piece = reader.read_behind();
      if (!piece) return piece.error();
      if (piece->empty()) return std::nullopt;
      bytes += piece->size();
      if (is_bomb(range_.size_bytes, bytes)) return failure(ErrorCode::LimitReached, bomb_words());
    }
  }

  [[nodiscard]] Error other_digest(const std::string& what, const std::string& is, const std::string& said) const {
    return failure(ErrorCode::Malformed, what + " SHA-256 is " + is + ", not " + said + " as " +
                                             std::string(options_.digest_by) + " says: it is damaged");
  }

  /// The checksum of a header without "ustar": that of Unix V7 (tar(5)).
  static bool is_old_tar(std::span<const std::byte> header) {
    if (header.size() < 512) return false;
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? ' ' : std::to_integer<unsigned>(header[i]);
    unsigned written = 0;
    for (std::size_t i = 148; i < 156; ++i) {
      const unsigned c = std::to_integer<unsigned>(header[i]);
      if (c >= '0' && c <= '7') written = written * 8 + (c - '0');
    }
    return written == sum;
  }

  [[nodiscard]] Error failure(ErrorCode code, std::string message) const {
    return Error{code, options_.name, {}, std::move(message)};
  }

  Result<ArchiveTree> ended() { return ArchiveTree{builder_.finish(), kind_, range_.size_bytes, end_}; }

  std::optional<Error> read_entries(ArchiveReader& reader) {
    for (std::size_t number = 0;; ++number) {
      Result<std::optional<ArchiveEntry>> entry = reader.next();
      if (!entry) return std::move(entry).error();
      if (!*entry) return std::nullopt;
      if (number >= kMostEntries) {
        return failure(ErrorCode::LimitReached, "has more than " + std::to_string(kMostEntries) + " entries");
      }
      // What an entry of a stream says of its size will be unpacked, be it only to come to the next one.
      const std::uint64_t coming = is_plain_ || kind_.format == ArchiveFormat::Zip ? 0 : (*entry)->size_bytes;
      if (coming > kMostEntryBytes || is_bomb(range_.size_bytes, reader.unpacked_bytes() + coming)) {
        return failure(ErrorCode::LimitReached, bomb_words());
      }
      Result<std::shared_ptr<const Content>> content = content_of(reader, **entry, number);
      if (!content) return std::move(content).error();
      if (auto refused = builder_.add(std::move(**entry), std::move(*content))) {
        refused->path = options_.name;
        return refused;
      }
    }
  }

  Result<std::shared_ptr<const Content>> content_of(ArchiveReader& reader, const ArchiveEntry& entry,
                                                    std::size_t number) {
    std::shared_ptr<const Content> content;
    if (entry.size_bytes == 0) return content;
    if (is_plain_) {
      if (const std::optional<std::uint64_t> at = reader.place()) {
        if (*at > range_.size_bytes || range_.size_bytes - *at < entry.size_bytes) {
          return Unexpected{failure(ErrorCode::Truncated, "ends within " + entry.path)};
        }
        content = std::make_shared<ContentInPlace>(ByteRange{range_.file, range_.offset + *at, entry.size_bytes});
        return content;
      }
    }
    if (!unpacked_) unpacked_ = std::make_shared<UnpackedEntries>(range_, kind_, options_.name);
    content = std::make_shared<UnpackedContent>(unpacked_, number, entry.size_bytes);
    // An entry of a zip is found without the ones before it.
    if (is_plain_ || kind_.format == ArchiveFormat::Zip) return content;
    Result<KeptEntry> kept = kept_parts(reader, entry);
    if (!kept) return Unexpected{std::move(kept).error()};
    if (kept->parts.empty()) return content;
    content = std::make_shared<KeptContent>(entry.size_bytes, std::move(kept->parts), kept->hash, std::move(content));
    return content;
  }

  const ByteRange& range_;
  const ArchiveTreeOptions& options_;
  ArchiveKind kind_;
  bool is_plain_;
  TreeBuilder builder_;
  std::shared_ptr<UnpackedEntries> unpacked_;
  std::uint64_t end_ = 0;
};

/// The cpio of a package, as it is compressed.
struct RpmPayload {
  ByteRange range;
  std::string sha256;  ///< in hexadecimal; empty: the package does not say
};

/// The string of PAYLOADDIGEST in the header at `at`; empty: there is none, or it is no SHA-256.
std::string payload_digest(const ByteRange& range, std::uint64_t at, std::uint64_t entries) {
  constexpr std::uint32_t kPayloadDigest = 5092;
  constexpr std::size_t kSha256Digits = 64;
  constexpr std::size_t kMostTags = 4096;
  std::array<std::byte, 16> entry{};
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(entries, kMostTags); ++i) {
    const Result<std::size_t, Errno> got = read_range(range, at + i * entry.size(), entry);
    if (!got || *got != entry.size()) return {};
    if (load_as<std::uint32_t>(entry.data(), std::endian::big) != kPayloadDigest) continue;
    std::string digits(kSha256Digits + 1, 'x');
    const std::uint64_t offset = load_as<std::uint32_t>(&entry[8], std::endian::big);
    const Result<std::size_t, Errno> read =
        read_range(range, at + entries * entry.size() + offset, std::as_writable_bytes(std::span(digits)));
    const bool is_sha256 =
        read && *read == digits.size() && digits.find_first_not_of("0123456789abcdef") == kSha256Digits;
    return is_sha256 && digits.back() == '\0' ? digits.substr(0, kSha256Digits) : std::string();
  }
  return {};
}

/// Source: rpm's docs/manual/format_v4.md: a lead of 96 bytes, and two headers of which the first is padded to 8 bytes.
/// nullopt: it ends before.
std::optional<RpmPayload> payload_of_rpm(const ByteRange& range) {
  constexpr std::uint64_t kLeadBytes = 96;
  std::uint64_t at = kLeadBytes;
  RpmPayload payload;
  for (const std::uint64_t padding : {8, 1}) {
    std::array<std::byte, 16> head{};
    const Result<std::size_t, Errno> got = read_range(range, at, head);
    if (!got || *got != head.size() || std::memcmp(head.data(), "\x8e\xad\xe8", 3) != 0) return std::nullopt;
    const std::uint64_t entries = load_as<std::uint32_t>(&head[8], std::endian::big);
    at += head.size();
    payload.sha256 = payload_digest(range, at, entries);
    at += entries * 16 + load_as<std::uint32_t>(&head[12], std::endian::big);
    at = (at + padding - 1) / padding * padding;
  }
  if (at >= range.size_bytes) return std::nullopt;
  payload.range = ByteRange{range.file, range.offset + at, range.size_bytes - at};
  return payload;
}

}  // namespace

Result<ArchiveTree> read_archive_tree(const ByteRange& range, const ArchiveTreeOptions& options) {
  if (options.kind || sniff_archive(first_bytes(range)).format != ArchiveFormat::Rpm)
    return TreeReading(range, options).read();
  const std::optional<RpmPayload> payload = payload_of_rpm(range);
  if (!payload)
    return Unexpected{Error{ErrorCode::Truncated, options.name, {}, "ends within the headers of an RPM package"}};
  ArchiveTreeOptions of_payload = options;
  of_payload.is_alone = true;
  of_payload.sha256 = payload->sha256;
  of_payload.digest_by = "its header";
  Result<ArchiveTree> tree = TreeReading(payload->range, of_payload).read();
  if (tree) tree->kind.format = ArchiveFormat::Rpm;
  return tree;
}

std::vector<std::byte> first_bytes(const ByteRange& range, std::size_t count) {
  std::vector<std::byte> first(count);
  std::size_t done = 0;
  while (done < count) {
    const Result<std::size_t, Errno> got = read_range(range, done, std::span(first).subspan(done));
    if (!got || *got == 0) break;
    done += *got;
  }
  first.resize(done);
  return first;
}

namespace {

/// A directory: what is asked of it is answered by others.
Result<ByteRange> range_of(Result<std::unique_ptr<File>, Errno> file, const std::string& path) {
  if (!file) {
    const Errno error = file.error();
    return Unexpected{Error{static_cast<int>(error) == ENOENT ? ErrorCode::NotFound : ErrorCode::Unreadable,
                            path,
                            {},
                            errno_text(error, ErrnoText::FromDlerror)}};
  }
  if ((*file)->status().kind != FileKind::Regular) {
    return Unexpected{Error{ErrorCode::Unreadable, path, {}, "is no regular file"}};
  }
  const std::uint64_t size = (*file)->status().size_bytes;
  return ByteRange{std::shared_ptr<const File>(std::move(*file)), 0, size};
}

}  // namespace

Result<ByteRange> range_of_host_file(const std::string& path) { return range_of_file(*host_file_system(), path); }

Result<ByteRange> range_of_file(const FileSystem& files, const std::string& path) {
  return range_of(files.open(path), path);
}

}  // namespace soresolve
