// Appends numbers to a byte string, in a chosen byte order and word size.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "support/elf_writer.h"

namespace soresolve::test {

class ByteWriter {
 public:
  ByteWriter(Endian endian, Bits bits) : endian_(endian), bits_(bits) {}

  void u8(std::uint64_t value) { number(value, 1); }
  void u16(std::uint64_t value) { number(value, 2); }
  void u32(std::uint64_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  /// An address, offset or size: 4 or 8 bytes by the file's class.
  void word(std::uint64_t value) { number(value, word_bytes()); }
  void text(std::string_view bytes) { bytes_ += bytes; }
  void align_to(std::size_t unit) { bytes_.resize((bytes_.size() + unit - 1) / unit * unit, '\0'); }

  [[nodiscard]] std::size_t word_bytes() const { return bits_ == Bits::Elf64 ? 8 : 4; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = endian_ == Endian::Little ? i : count - 1 - i;
      bytes_.push_back(static_cast<char>(value >> (8 * at)));
    }
  }

  Endian endian_;
  Bits bits_;
  std::string bytes_;
};

}  // namespace soresolve::test
