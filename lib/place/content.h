// Bytes of a file within a file.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/content_hash.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// The content of one file of an archive. Can be read by several threads at a time.
class Content {
 public:
  virtual ~Content() = default;
  Content() = default;
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;

  /// As File::read_at().
  [[nodiscard]] virtual Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const = 0;
  /// As File::readable(): how many are at hand.
  [[nodiscard]] virtual std::size_t readable(std::uint64_t offset, std::size_t wanted) const {
    static_cast<void>(offset);
    return wanted;
  }
  /// Of all of it, where whoever has unpacked it has made it.
  [[nodiscard]] virtual std::optional<ContentHash::Value> hash() const { return std::nullopt; }
};

/// A part of a file that it lies in as it is.
struct ByteRange {
  std::shared_ptr<const File> file;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

/// As File::read_at() of a file that has only these bytes.
Result<std::size_t, Errno> read_range(const ByteRange& range, std::uint64_t offset, std::span<std::byte> into);

class ContentInPlace final : public Content {
 public:
  explicit ContentInPlace(ByteRange range) : range_(std::move(range)) {}
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    return read_range(range_, offset, into);
  }
  [[nodiscard]] const ByteRange& range() const { return range_; }

 private:
  ByteRange range_;
};

/// A file of which parts are kept, and of which the rest can be had at a price.
class KeptContent final : public Content {
 public:
  struct Part {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
  };
  /// `parts` ascend and do not touch; `rest` answers for what lies outside of them.
  KeptContent(std::uint64_t size_bytes, std::vector<Part> parts, std::optional<ContentHash::Value> hash,
              std::shared_ptr<const Content> rest)
      : size_bytes_(size_bytes), parts_(std::move(parts)), hash_(hash), rest_(std::move(rest)) {}
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override;
  [[nodiscard]] std::size_t readable(std::uint64_t offset, std::size_t wanted) const override;
  [[nodiscard]] std::optional<ContentHash::Value> hash() const override { return hash_; }

 private:
  /// The one that has the byte at `offset`; nullptr: none.
  [[nodiscard]] const Part* part_at(std::uint64_t offset) const;

  std::uint64_t size_bytes_;
  std::vector<Part> parts_;
  std::optional<ContentHash::Value> hash_;
  std::shared_ptr<const Content> rest_;
};

}  // namespace soresolve
