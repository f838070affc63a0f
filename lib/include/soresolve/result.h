// Either a value or the reason why there is none.
//
// Names follow C++23's std::expected, which is to replace this class one day; until then g++ 12
// offers it in C++23 mode only and clang 14 not at all.
#pragma once
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "soresolve/api.h"

namespace soresolve SORESOLVE_API {

/// Why the library could not look at something. A library that is missing is not an error.
enum class ErrorCode : std::uint8_t {
  NotFound,      ///< the path does not exist
  Unreadable,    ///< it exists, but opening or reading it failed
  NotElf,        ///< not an ELF file, or not one that a dynamic loader takes
  Truncated,     ///< the file ends before something that it announces
  Malformed,     ///< the file contradicts itself
  Unsupported,   ///< a format, machine or loader that this library does not model
  NoLoader,      ///< the analysed system has no dynamic loader for the file
  LimitReached,  ///< the input asks for more than a documented limit of this library
  Usage,         ///< the caller asked for something that makes no sense
  NotDynamic,    ///< an ELF file without PT_DYNAMIC: no loader is involved
};

std::string_view name_of(ErrorCode code);  ///< "not-found", "unreadable", "not-elf", …

/// One refusal to look, with the place where it happened.
struct Error {
  ErrorCode code = ErrorCode::Unreadable;
  std::string path;                     ///< the file concerned, as it was named
  std::optional<std::uint64_t> offset;  ///< byte offset in that file, where one is known
  std::string message;                  ///< a sentence without the path

  /// "PATH: MESSAGE (at offset 0x…)".
  [[nodiscard]] std::string to_string() const;
};

/// Marks the error alternative, as std::unexpected does.
template <class E>
struct Unexpected {
  E error;
};
template <class E>
Unexpected(E) -> Unexpected<E>;

/// A `T`, or an `E` that says why not. Asking the wrong alternative is a bug of the caller.
/// It keeps them itself: each of some hundred results would cost twenty functions as a std::variant, five so.
template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)), has_value_(true) {}
  Result(Unexpected<E> failure) : error_(std::move(failure.error)), has_value_(false) {}
  Result(const Result& other) : has_value_(other.has_value_) { construct(other); }
  Result(Result&& other) noexcept : has_value_(other.has_value_) { construct(std::move(other)); }
  Result& operator=(Result other) noexcept {
    destroy();
    has_value_ = other.has_value_;
    construct(std::move(other));
    return *this;
  }
  ~Result() { destroy(); }

  [[nodiscard]] bool has_value() const { return has_value_; }
  explicit operator bool() const { return has_value_; }

  [[nodiscard]] T& value() & { return assert(has_value_), value_; }
  [[nodiscard]] const T& value() const& { return assert(has_value_), value_; }
  [[nodiscard]] T&& value() && { return assert(has_value_), std::move(value_); }
  [[nodiscard]] const E& error() const& { return assert(!has_value_), error_; }
  [[nodiscard]] E&& error() && { return assert(!has_value_), std::move(error_); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  template <class Other>
  void construct(Other&& other) {
    if (has_value_) {
      std::construct_at(std::addressof(value_), std::forward<Other>(other).value_);
    } else {
      std::construct_at(std::addressof(error_), std::forward<Other>(other).error_);
    }
  }
  void destroy() {
    if (has_value_) {
      std::destroy_at(std::addressof(value_));
    } else {
      std::destroy_at(std::addressof(error_));
    }
  }

  union {
    T value_;
    E error_;
  };
  bool has_value_;
};

}  // namespace SORESOLVE_API
