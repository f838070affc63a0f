// The frames are those of RFC 8878 with its checksum. A window of 128 MiB: libraries have their names in common with
// others far away.
#include "place/snapshot_streams.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#ifdef SORESOLVE_HAS_ZSTD
#include <zstd.h>
#endif

namespace soresolve {
namespace {

constexpr std::size_t kRecordBytes = 24;
constexpr std::array<std::size_t, 6> kSymbolFields = {4, 1, 1, 2, 8, 8};
constexpr std::array<std::size_t, 4> kRelocationFields = {8, 4, 4, 8};

std::span<const std::size_t> fields_of(PieceKind kind) {
  return kind == PieceKind::Symbols ? std::span<const std::size_t>(kSymbolFields)
                                    : std::span<const std::size_t>(kRelocationFields);
}

std::uint64_t load_field(const char* at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
  return value;
}

Error refuse_stream(ErrorCode code, const std::string& path, std::string message) {
  return {code, path, {}, std::move(message)};
}

}  // namespace

#ifdef SORESOLVE_HAS_ZSTD

namespace {
constexpr int kWindowLog = 27;
}  // namespace

Result<std::string> pack(std::string_view bytes, int level) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (context == nullptr) return Unexpected{refuse_stream(ErrorCode::LimitReached, {}, "zstd has no room")};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  if (bytes.size() > (std::size_t{1} << 21)) {
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindowLog);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1);
  }
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) return Unexpected{refuse_stream(ErrorCode::LimitReached, {}, ZSTD_getErrorName(size))};
  packed.resize(size);
  packed.shrink_to_fit();  // the room was for bytes that do not compress
  return packed;
}

Result<std::string> unpack(std::string_view frames, std::uint64_t size_bytes, const std::string& path) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (stream == nullptr || ZSTD_isError(ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kWindowLog))) {
    return Unexpected{refuse_stream(ErrorCode::LimitReached, path, "cannot be unpacked: zstd has no room")};
  }
  // As much memory as has been unpacked, not as much as is announced.
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::string bytes;
  ZSTD_inBuffer input{frames.data(), frames.size(), 0};
  std::size_t left = 0;
  do {
    const std::size_t had = bytes.size();
    const std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes - had, std::max(kStep, had)));
    bytes.resize(had + room);
    ZSTD_outBuffer output{bytes.data() + had, room, 0};
    const std::size_t read_before = input.pos;
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    bytes.resize(had + output.pos);
    if (ZSTD_isError(left)) {
      return Unexpected{refuse_stream(ErrorCode::Malformed, path, "is a damaged snapshot: a zstd frame is broken")};
    }
    if (left != 0 && output.pos == 0 && input.pos == read_before) {
      return Unexpected{refuse_stream(ErrorCode::Malformed, path,
                                      "is a damaged snapshot: a zstd frame has another size than is announced")};
    }
  } while (left != 0 || input.pos != input.size);
  if (bytes.size() != size_bytes) {
    return Unexpected{refuse_stream(ErrorCode::Malformed, path,
                                    "is a damaged snapshot: a zstd frame has another size than is announced")};
  }
  return bytes;
}

#else

Result<std::string> pack(std::string_view, int) {
  return Unexpected{refuse_stream(ErrorCode::Unsupported, {}, "this soresolve was built without zstd")};
}
Result<std::string> unpack(std::string_view, std::uint64_t, const std::string& path) {
  return Unexpected{
      refuse_stream(ErrorCode::Unsupported, path, "is a snapshot, and this soresolve was built without zstd")};
}

#endif

std::string to_columns(std::string_view records, PieceKind kind) {
  const std::size_t count = records.size() / kRecordBytes;
  std::string columns(records.size(), '\0');
  std::size_t field_at = 0;
  for (const std::size_t bytes : fields_of(kind)) {
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t value = load_field(records.data() + i * kRecordBytes + field_at, bytes);
      const std::uint64_t difference = value - before;
      before = value;
      for (std::size_t b = 0; b < bytes; ++b)
        columns[(field_at + b) * count + i] = static_cast<char>(difference >> (8 * b));
    }
    field_at += bytes;
  }
  std::copy(records.begin() + static_cast<std::ptrdiff_t>(count * kRecordBytes), records.end(),
            columns.begin() + static_cast<std::ptrdiff_t>(count * kRecordBytes));
  return columns;
}

std::string from_columns(std::string_view columns, PieceKind kind) {
  const std::size_t count = columns.size() / kRecordBytes;
  std::string records(columns.size(), '\0');
  std::size_t field_at = 0;
  for (const std::size_t bytes : fields_of(kind)) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t difference = 0;
      for (std::size_t b = 0; b < bytes; ++b)
        difference |= std::uint64_t{static_cast<unsigned char>(columns[(field_at + b) * count + i])} << (8 * b);
      value += difference;
      for (std::size_t b = 0; b < bytes; ++b)
        records[i * kRecordBytes + field_at + b] = static_cast<char>(value >> (8 * b));
    }
    field_at += bytes;
  }
  std::copy(columns.begin() + static_cast<std::ptrdiff_t>(count * kRecordBytes), columns.end(),
            records.begin() + static_cast<std::ptrdiff_t>(count * kRecordBytes));
  return records;
}

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

void NumberWriter::add(std::uint64_t number) {
  while (number >= 0x80) {
    bytes_ += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  bytes_ += static_cast<char>(number);
}

std::uint64_t NumberReader::number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const unsigned char byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return number;
  }
  failed_ = true;
  rest_ = {};
  return 0;
}

std::string_view NumberReader::text() {
  const std::uint64_t size = number();
  if (size > rest_.size()) {
    failed_ = true;
    rest_ = {};
    return {};
  }
  const std::string_view text = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(text.size());
  return text;
}

}  // namespace soresolve
