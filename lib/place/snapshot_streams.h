// Sections of a snapshot: zstd frames, and tables of records turned into columns before that.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "place/snapshot_data.h"
#include "soresolve/result.h"

namespace soresolve {

/// All sections of a snapshot together, unpacked.
inline constexpr std::uint64_t kMostSnapshotBytes = std::uint64_t{1} << 30;

/// What is longer is cut into so long parts, for several threads.
inline constexpr std::size_t kPartBytes = std::size_t{32} << 20;

/// A zstd frame with a checksum.
Result<std::string> pack(std::string_view bytes, int level);
/// One frame or several. Errors: Malformed, also where they have not exactly `size_bytes`; LimitReached.
Result<std::string> unpack(std::string_view frames, std::uint64_t size_bytes, const std::string& path);

/// Records of 24 bytes (Elf64_Sym, Elf64_Rela): each field as the difference from the record before, each byte of it
/// in a column of its own. What is behind the last whole record stays.
std::string to_columns(std::string_view records, PieceKind kind);
std::string from_columns(std::string_view columns, PieceKind kind);

/// DT_GNU_HASH's function (glibc 2.36 elf/dl-lookup.c:dl_new_hash).
std::uint32_t gnu_hash_of(std::string_view name);

/// Numbers of seven bits a byte, the lowest first.
class NumberWriter {
 public:
  void add(std::uint64_t number);
  void add_signed(std::int64_t number) {
    add(static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63));
  }
  void add_text(std::string_view text) {
    add(text.size());
    bytes_ += text;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};
/// Reads them; at the end, and behind what is damaged, zeros and failed().
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number();
  std::int64_t signed_number() {
    const std::uint64_t coded = number();
    return static_cast<std::int64_t>(coded >> 1 ^ (~(coded & 1) + 1));
  }
  std::string_view text();
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace soresolve
