// One library that was opened, and the calls that are made into it.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "reporter.h"

namespace soresolve::confirm {

/// A call that did not succeed. `code` is what it returned.
struct CallFailure {
  std::string function;
  int code = 0;
  Statement text;  ///< "cudaMalloc: error 2 (out of memory)"
};

/// Calls functions by their names, each announced before it is made. All of them return a status, 0 for
/// success. Once one has failed the others are not made any more: a step makes its calls in a row and
/// looks once at the end.
class Library {
 public:
  Library() = default;
  Library(void* handle, std::string path, const Reporter* reporter)
      : handle_(handle), path_(std::move(path)), reporter_(reporter) {}

  [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The function of this name; null when it is not there. Announces it.
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(find_symbol(name));
  }

  /// The same without a word.
  template <class Function>
  [[nodiscard]] Function* peek(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

  /// Makes the call; false if it fails, or if one has failed before.
  template <class Function, class... Arguments>
  bool call(const char* name, Arguments&&... arguments) {
    if (has_failed()) return false;
    Function* function = find<Function>(name);
    if (function == nullptr) return miss(name);
    return note(name, static_cast<int>(function(std::forward<Arguments>(arguments)...)));
  }

  /// Takes the status of a call that was made by find()'s pointer; false if it is none of success.
  bool check(const char* name, int status) { return note(name, status); }

  /// The same for one whose status is an answer; -1 if it is not there.
  template <class Function, class... Arguments>
  int ask(const char* name, Arguments&&... arguments) const {
    Function* function = find<Function>(name);
    return function == nullptr ? -1 : static_cast<int>(function(std::forward<Arguments>(arguments)...));
  }

  [[nodiscard]] bool has_failed() const { return !failure_.text.empty(); }
  [[nodiscard]] const CallFailure& failure() const { return failure_; }
  /// For the next step: what failed is told.
  void forget_failure() { failure_ = {}; }

  /// How a status is told: "error 2 (out of memory)". By default the number alone.
  using Describe = Statement (*)(const Library& library, int code);
  void set_describe(Describe describe) { describe_ = describe; }
  [[nodiscard]] Statement describe(int code) const;

 private:
  void* symbol(const char* name) const;
  void* find_symbol(const char* name) const;
  bool miss(const char* name);
  bool note(const char* name, int code);

  void* handle_ = nullptr;
  std::string path_;
  const Reporter* reporter_ = nullptr;
  Describe describe_ = nullptr;
  CallFailure failure_;
};

}  // namespace soresolve::confirm
