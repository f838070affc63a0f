// Strings that stay where they are for as long as their owner lives.
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "soresolve/api.h"

namespace soresolve SORESOLVE_API {

/// Keeps copies of text in few large blocks. Views stay valid when the arena is moved.
class TextArena {
 public:
  std::string_view keep(std::string_view text) {
    if (text.size() > left_) add_block(text.size());
    char* const to = next_;
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    next_ += text.size();
    left_ -= text.size();
    return {to, text.size()};
  }

 private:
  void add_block(std::size_t at_least) {
    // Small to begin with: most owners keep little.
    const std::size_t block_bytes = blocks_.size() < 4 ? std::size_t{1024} << blocks_.size() : 8192;
    const std::size_t size = at_least > block_bytes ? at_least : block_bytes;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace SORESOLVE_API
