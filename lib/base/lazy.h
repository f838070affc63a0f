// A value that is made when it is first wanted, once, however many threads want it.
#pragma once
#include <mutex>
#include <optional>

namespace soresolve {

template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(Make make) {
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  std::once_flag once_;
  std::optional<T> value_;
};

}  // namespace soresolve
