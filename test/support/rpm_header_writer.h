// Header blobs of rpm, right ones and, by raw entries, any other.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soresolve::test {

class RpmHeaderWriter {
 public:
  RpmHeaderWriter& text(std::uint32_t tag, std::string_view value) {
    return entry(tag, 6, 1, std::string(value) + '\0');
  }
  RpmHeaderWriter& texts(std::uint32_t tag, const std::vector<std::string>& values) {
    std::string data;
    for (const std::string& value : values) data += value + '\0';
    return entry(tag, 8, static_cast<std::uint32_t>(values.size()), data);
  }
  RpmHeaderWriter& numbers(std::uint32_t tag, const std::vector<std::uint32_t>& values) {
    std::string data;
    for (const std::uint32_t value : values) data += big(value);
    return entry(tag, 4, static_cast<std::uint32_t>(values.size()), data);
  }
  RpmHeaderWriter& entry(std::uint32_t tag, std::uint32_t type, std::uint32_t count, const std::string& data) {
    return entry_at(tag, type, static_cast<std::uint32_t>(data_.size()), count, data);
  }
  RpmHeaderWriter& entry_at(std::uint32_t tag, std::uint32_t type, std::uint32_t offset, std::uint32_t count,
                            const std::string& data = {}) {
    entries_ += big(tag) + big(type) + big(offset) + big(count);
    data_ += data;
    ++count_;
    return *this;
  }
  [[nodiscard]] std::string blob() const {
    return big(count_) + big(static_cast<std::uint32_t>(data_.size())) + entries_ + data_;
  }

  static std::string big(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
  }

 private:
  std::uint32_t count_ = 0;
  std::string entries_;
  std::string data_;
};

/// glibc with three files: one of them was not installed.
inline RpmHeaderWriter glibc_header() {
  RpmHeaderWriter writer;
  writer.text(1000, "glibc").text(1001, "2.34").text(1002, "60.el9").text(1022, "x86_64");
  writer.numbers(1116, {0, 0, 1}).texts(1117, {"libc.so.6", "libm.so.6", "locale"});
  writer.texts(1118, {"/usr/lib64/", "/usr/bin/"}).entry(1029, 1, 3, std::string("\0\0\1", 3));
  return writer;
}

}  // namespace soresolve::test
