// Is a text written in Chinese? By the first byte of its characters in UTF-8 (U+4000 to U+9FFF).
#pragma once
#include <algorithm>
#include <string_view>

namespace soresolve::test {

inline bool has_chinese(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0xe4 && static_cast<unsigned char>(c) <= 0xe9;
  });
}

}  // namespace soresolve::test
