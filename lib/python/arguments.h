// The arguments of a call, evaluated.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/value.h"

namespace soresolve::python {

/// By position they are asked for only through find() and at(), which know how many there are, and that there may be
/// more where one was unpacked from what is not known.
class Arguments {
 public:
  Arguments() = default;
  explicit Arguments(std::vector<Value> positions) : positions_(std::move(positions)) {}

  /// The next by position. Behind what is not known its position is not known either.
  void add(const Value& value) {
    if (is_complete_) positions_.push_back(value);
  }
  void add_named(std::string_view name, const Value& value) { names_.emplace_back(name, value); }
  /// *ARGUMENTS or **OPTIONS of what is not known.
  void add_unknown() { is_complete_ = false; }
  /// With one more before all others: `self` of a method.
  [[nodiscard]] Arguments behind(const Value& first) const {
    Arguments all = *this;
    all.positions_.insert(all.positions_.begin(), first);
    return all;
  }

  /// The one at this position or of this name; nullptr: it is not given. Unknown: it may be given.
  [[nodiscard]] const Value* find(std::size_t position, std::string_view name = {}) const {
    static const Value kUnknown;
    if (position < positions_.size()) return &positions_[position];
    const Value* found = name.empty() ? nullptr : named(name);
    return found == nullptr && !is_complete_ ? &kUnknown : found;
  }
  /// Likewise; Unknown: it is not given, too.
  [[nodiscard]] Value at(std::size_t position, std::string_view name = {}) const {
    const Value* found = find(position, name);
    return found == nullptr ? Value{} : *found;
  }
  /// A text, or a path.
  [[nodiscard]] std::optional<std::string> text(std::size_t position, std::string_view name = {}) const {
    const Value* value = find(position, name);
    const bool is_text = value != nullptr && (value->is_text() || value->is(ValueKind::Path));
    return is_text && is_complete_ ? std::optional(value->text()) : std::nullopt;
  }
  /// The one that is given by name; nullptr: none is, as far as is known.
  [[nodiscard]] const Value* named(std::string_view name) const {
    for (const auto& [each, value] : names_) {
      if (each == name) return &value;
    }
    return nullptr;
  }
  /// So many by position, none by name, and all are known to be these.
  [[nodiscard]] bool has_only(std::size_t count) const {
    return is_complete_ && names_.empty() && positions_.size() == count;
  }
  [[nodiscard]] std::size_t count() const { return positions_.size() + names_.size(); }
  [[nodiscard]] bool has_names() const { return !names_.empty(); }
  [[nodiscard]] const std::vector<std::pair<std::string, Value>>& names() const { return names_; }
  [[nodiscard]] bool is_complete() const { return is_complete_; }  ///< false: there may be more

  // Those by position, in their order.
  [[nodiscard]] const std::vector<Value>& positions() const { return positions_; }
  [[nodiscard]] std::size_t size() const { return positions_.size(); }
  [[nodiscard]] auto begin() const { return positions_.begin(); }
  [[nodiscard]] auto end() const { return positions_.end(); }

 private:
  std::vector<Value> positions_;
  std::vector<std::pair<std::string, Value>> names_;
  bool is_complete_ = true;
};

}  // namespace soresolve::python
